# Gabion: `make demo` and `make check` are all a user needs; both install what is missing.
# User variables: CC CFLAGS LDFLAGS ARCH=native PREFIX DESTDIR
BUILD   ?= build
CC      ?= cc
OPT     ?= -O2
ARCH    ?=
PREFIX  ?= /usr/local
PYTHON  ?= /usr/bin/python3
DEMO_END ?= 60

PACKAGES := hdf5-serial hwloc libfyaml zlib
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
# -ffp-contract=off: the same bits on every processor. -fno-math-errno lets sqrt be one instruction.
GABION_CFLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $(WARN) $(OPT) -g -fopenmp \
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden -I. \
    $(if $(ARCH),-march=$(ARCH)) $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(CFLAGS)
GABION_LIBS = $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -lm $(LDFLAGS)

LIB_SOURCES  := $(wildcard parallel/*.c geometry/*.c engine/*.c engine/solvers/*.c cases/*.c io/*.c)
# The sweep kernel is one source compiled once per instruction set and chosen at run time.
KERNEL        := engine/solvers/sphere_sweep
KERNEL_FLAGS  := -O3 -Wno-psabi
KERNELS       := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),$(BUILD)/$(KERNEL)_avx2.o)
LIB_OBJECTS    = $(filter-out $(BUILD)/io/main.o,$(LIB_SOURCES:%.c=$(BUILD)/%.o)) $(KERNELS)
UNIT_TESTS   := $(wildcard tests/unit/test_*.c)
UNIT_BINARIES = $(UNIT_TESTS:%.c=$(BUILD)/%)

.PHONY: all demo check unit cli validate papers bench bench-full torture asan tsan fuzz install clean \
        packages packages-test

all: $(BUILD)/gabion

# One command each, on a fresh machine. Flags are asked for again after packages were installed,
# hence the second make.
demo: packages
	@$(MAKE) --no-print-directory all
	$(BUILD)/gabion run cases/brazil_nut.yaml -o out/demo --force --set time.end=$(DEMO_END) --set output.vtk_every=50
	@echo "ParaView: open out/demo/bodies.pvd, walls.pvd and contacts.pvd, or run: pvpython io/show.py out/demo"

check: packages-test
	@$(MAKE) --no-print-directory unit cli

packages:
	@.ci/packages build

packages-test:
	@.ci/packages build test

unit: $(UNIT_BINARIES)
	@tests/layers.sh
	@tests/run_unit.sh $(UNIT_BINARIES)

cli: all
	@GABION=$(abspath $(BUILD)/gabion) PYTHON=$(PYTHON) tests/cli/run_tests.sh

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $<"
	@$(CC) $(GABION_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/$(KERNEL).o: GABION_CFLAGS += $(KERNEL_FLAGS)
$(BUILD)/$(KERNEL)_avx2.o: $(KERNEL).c
	@mkdir -p $(@D)
	@echo "  CC  $< (avx2)"
	@$(CC) $(GABION_CFLAGS) $(KERNEL_FLAGS) -mavx2 -DSPHERE_SWEEP=sphere_sweep_avx2 -MMD -MP -c $< -o $@

$(BUILD)/libgabion.a: $(LIB_OBJECTS)
	@rm -f $@
	@echo "  AR  $@"
	@ar rcs $@ $^

$(BUILD)/gabion: $(BUILD)/io/main.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) $^ -o $@ $(GABION_LIBS)

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libgabion.a
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) -MMD -MP $< $(BUILD)/libgabion.a -o $@ $(GABION_LIBS) -lcmocka

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
