# Gabion: `make demo` and `make check` are all a user needs; both install what is missing.
#
#   make            build/gabion and build/libgabion.a
#   make demo       install packages, build, shake the Brazil nut to the top, draw it, leave ParaView files
#   make check      install packages, build, run every test (under ten minutes on two cores)
#   make unit       the unit tests; make unit TEST="joints sweeps": these alone
#   make cli        the tests of the command line
#   make docs-check every command of README.md and docs/, with up to 100 steps a run
#   make found      inputs that fuzzers found or start from
#   make layers     which file may include which; make format: formats every C file
#   make MPI=1      build/mpi/gabion, for mpirun (.ci/packages mpi); MPI=1 goes with the other targets too
#   make debug      build/debug: validators between the phases of a step, with all unit tests
#   make asan       build/asan: the same with address and undefined-behaviour sanitizers; make check shortens it
#   make clang      build/clang: the other compiler, with all unit tests
#   make coverage   build/coverage: which lines the tests run
#   make validate   long physics; make papers: the five papers on one page
#   make bench      speed: limits of the machine, kernels, phases, whole runs, other engines; page out/bench/index.html;
#                   make bench-full: up to a million grains
#   make bench-methods  every method and the default, solved steps and time, on problem files and in scenes
#   make bench-solvers  contact problems solved side by side with Siconos, where that is installed
#   make torture    what is too long for make check: attacks on runs and files, debug, asan, clang, race detector,
#                   and fuzzers for FUZZ_SECONDS each
#   make install    program, libraries, header, Python module, manual pages and completion to PREFIX (DESTDIR, BINDIR,
#                   LIBDIR, MANDIR and PYTHONDIR are honoured); make uninstall
#   make deb        a Debian package of all that, in build/deb
#
# debug, asan and clang take TEST as unit does. docs/contributing.md says when to use which.
# Yours to set: CC CFLAGS LDFLAGS ARCH=native PREFIX DESTDIR BINDIR LIBDIR MANDIR PYTHON PYTHONDIR BUILD JOBS TEST
# MPI=1: the program whose ranks talk through MPI, in a folder of its own.
MPI     ?=
BUILD   ?= build$(if $(MPI),/mpi)
CC      ?= cc
OPT     ?= -O2
HOT     ?= -O3
ARCH    ?=
PREFIX  ?= /usr/local
PYTHON  ?= /usr/bin/python3
DEMO_END ?= 62.2
FUZZ_SECONDS ?= 60
JOBS    ?= $(shell nproc)

MPI_BUILD := $(BUILD)$(if $(MPI),,/mpi)

# HDF5's serial build by its own name: plain `hdf5` turns into the MPI one where that is installed.
HDF5_NAME := hdf5-$(if $(MPI),openmpi,serial)
HDF5     := $(shell pkg-config --exists $(HDF5_NAME) 2>/dev/null && echo $(HDF5_NAME) || echo hdf5)
# CC=mpicc finds MPI by itself; other compilers by the package of Open MPI.
PACKAGES := $(HDF5) $(if $(MPI),$(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)) hwloc libfyaml zlib
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
# -ffp-contract=off: the same bits on every processor. -fno-math-errno lets sqrt be one instruction.
GABION_CFLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $(WARN) $(OPT) -g -pthread \
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden -fPIC \
    -fno-semantic-interposition -I. \
    $(if $(ARCH),-march=$(ARCH)) $(LIBRARY_CFLAGS) $(CFLAGS)
GABION_LIBS = $(LIBRARY_LIBS) -lamd -lm $(LDFLAGS)
LIBRARY_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
LIBRARY_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)

LIB_SOURCES  := $(filter-out parallel/ranks$(if $(MPI),,_mpi).c,$(wildcard \
    parallel/*.c geometry/*.c engine/*/*.c engine/solvers/*/*.c cases/*.c io/*/*.c))
# A sweep kernel is one source compiled once per instruction set and chosen at run time.
KERNEL       := $(addprefix engine/solvers/sweep/,sphere_sweep sphere_measure lane_sweep)
KERNEL_FLAGS := -O3 -Wno-psabi
KERNELS      := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),$(KERNEL:%=$(BUILD)/%_avx2.o) \
    $(BUILD)/engine/solvers/sweep/sphere_sweep_avx512.o)
# The page of `gabion report`: its sources become one C file of bytes, in the order of the page.
PAGE         := $(addprefix io/report/page/,body.html style.css data.js maths.js plot.js camera.js view.js page.js)
LIB_OBJECTS   = $(BUILD)/io/report/page.o $(filter-out $(BUILD)/io/command/main.o,$(LIB_SOURCES:%.c=$(BUILD)/%.o)) $(KERNELS)
UNIT_NAMES   := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
TEST         ?= $(UNIT_NAMES)
UNIT_BINARIES := $(TEST:%=$(BUILD)/tests/unit/test_%)
PAPERS_BINARIES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/papers/*.c))
VALIDATION_BINARIES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/validation/*.c)) $(PAPERS_BINARIES)
# Inputs that are kept run in make check, without libFuzzer: tests/fuzz/found/NAME of the fuzzer fuzz_NAME.
FUZZ_FOUND    := $(notdir $(wildcard tests/fuzz/found/*))
FUZZ_BINARIES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
# Siconos is a guest: only this one program knows it, and it has another name without.
SICONOS      := $(wildcard /usr/include/siconos/SiconosConfig.h)
RACE         := $(BUILD)/tests/bench/race$(if $(SICONOS),,_alone)
# Other engines, those that are there.
PEERS        := $(addprefix $(BUILD)/tests/bench/peers/,$(if $(wildcard /usr/include/bullet),bullet) $(if $(wildcard /usr/include/ode),ode))
BENCHES      := $(addprefix $(BUILD)/tests/bench/,limits kernels)

.PHONY: all demo check unit cli docs-check found layers format format-check debug asan clang coverage tsan fuzz torture validate papers \
    bench bench-full bench-methods bench-solvers race-solvers library install uninstall deb clean packages packages-test \
    test-programs unit-programs bench-programs
.SECONDARY:

all: $(BUILD)/gabion

# One command each on a fresh machine. Flags are asked for anew after packages were installed, hence
# the second make.
# The demo has one thread: 800 grains are too few to share where other programs run.
demo: packages
	@.ci/packages draw pictures || true
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(BUILD)/gabion run cases/brazil_nut.yaml -o out/demo --force -j 1 --set time.end=$(DEMO_END) \
	    --set output.frames_every=250
	@$(PYTHON) tests/papers/nut_demo.py out/demo
	@echo "In ParaView open out/demo/bodies.pvd, walls.pvd and contacts.pvd, or make a picture with force chains:"
	@echo "  pvpython io/vtk/show.py out/demo chains.png"

check: packages-test
	@.ci/packages mpi
	@$(MAKE) --no-print-directory -j$(JOBS) all test-programs
	@$(MAKE) --no-print-directory -j$(JOBS) MPI=1 BUILD=$(MPI_BUILD) all \
	    $(addprefix $(MPI_BUILD)/tests/unit/,test_ranks test_shared test_available test_h5_shared)
	@GABION_ALL_TESTS=1 $(MAKE) --no-print-directory layers format-check unit cli found
	@GABION_ALL_TESTS=1 GABION_SHORT_TESTS=1 $(MAKE) --no-print-directory asan

packages:
	@.ci/packages build

# Not every distribution has the browser as a package; its test is then left out with a message.
packages-test:
	@.ci/packages build test
	@.ci/packages browser || true

test-programs: unit-programs $(VALIDATION_BINARIES) $(BENCHES)

unit-programs: $(UNIT_BINARIES)

ifneq ($(filter-out $(UNIT_NAMES),$(TEST)),)
$(error no unit test is named $(filter-out $(UNIT_NAMES),$(TEST)); there are $(UNIT_NAMES))
endif

# Tests that use several threads do not mind company.
unit: unit-programs
	@JOBS=$(JOBS) tests/run_unit.sh $(UNIT_BINARIES)

cli: all
	@JOBS=$(JOBS) GABION=$(abspath $(BUILD)/gabion) GABION_MPI=$(abspath $(MPI_BUILD)/gabion) PYTHON=$(PYTHON) tests/cli/run_tests.sh

found: $(FUZZ_FOUND:%=$(BUILD)/tests/fuzz/replay_%)
	@tests/tally.sh $(foreach name,$(FUZZ_FOUND),"$(BUILD)/tests/fuzz/replay_$(name) $(wildcard tests/fuzz/found/$(name)/*)")

layers:
	@tests/test_layers.sh
	@tests/layers.sh

format:
	@tests/format.sh --write

format-check:
	@tests/format.sh

# Other builds, each in a folder of its own. Where the time of a test depends on a number of random
# scenes, these have fewer. The sanitizers name lines, for which -g1 is enough: variables take the
# compiler a third of its time.
DEBUG := BUILD=$(BUILD)/debug OPT=-Og CFLAGS="-DGABION_CHECKS $(CFLAGS)"
ASAN  := BUILD=$(BUILD)/asan OPT=-O1 HOT=-O1 CFLAGS="-g1 -fsanitize=address,undefined -fno-sanitize-recover=all -DGABION_CHECKS $(CFLAGS)"
CLANG := BUILD=$(BUILD)/clang CC=clang
debug asan clang: export GABION_FUZZ_SCENES ?= 15

debug:
	@$(MAKE) --no-print-directory -j$(JOBS) $(DEBUG) all unit-programs
	@$(MAKE) --no-print-directory $(DEBUG) unit

asan:
	@$(MAKE) --no-print-directory -j$(JOBS) $(ASAN) all unit-programs
	@$(MAKE) --no-print-directory $(ASAN) unit
ifeq ($(TEST),$(UNIT_NAMES))
	@JOBS=$(JOBS) GABION=$(abspath $(BUILD)/asan/gabion) PYTHON=$(PYTHON) tests/cli/run_tests.sh input solve usage
	@GABION=$(abspath $(BUILD)/asan/gabion) $(PYTHON) tests/torture/torture.py \
	    $(if $(GABION_SHORT_TESTS),--share 0.01) random
endif

clang:
	@command -v clang >/dev/null || { echo "clang needs clang: .ci/packages clang"; exit 1; }
	@$(MAKE) --no-print-directory -j$(JOBS) $(CLANG) all unit-programs
	@$(MAKE) --no-print-directory $(CLANG) unit

# Lines that the unit tests and those of the command line run, also on several ranks, by file, and the ones that they
# do not. A test that is ended for taking long leaves no counts, hence its time.
COVERAGE := OPT=-O1 HOT=-O1 CFLAGS="--coverage -fprofile-update=atomic $(CFLAGS)"
coverage: export UNIT_TIMEOUT ?= 3600
coverage: packages-test
	@.ci/packages coverage mpi
	@$(MAKE) --no-print-directory -j$(JOBS) $(COVERAGE) BUILD=$(BUILD)/coverage all unit-programs
	@$(MAKE) --no-print-directory -j$(JOBS) $(COVERAGE) BUILD=$(BUILD)/coverage/mpi MPI=1 all $(BUILD)/coverage/mpi/tests/unit/test_ranks
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@-$(MAKE) --no-print-directory $(COVERAGE) BUILD=$(BUILD)/coverage unit
	@-$(MAKE) --no-print-directory $(COVERAGE) BUILD=$(BUILD)/coverage cli
	@gcovr --root . --filter '(engine|geometry|parallel|io|cases)/' --object-directory $(BUILD)/coverage \
	    --print-summary --txt $(BUILD)/coverage/lines.txt --csv $(BUILD)/coverage/files.csv --html-details $(BUILD)/coverage/index.html
	@echo "by file: $(BUILD)/coverage/lines.txt, by line: $(BUILD)/coverage/index.html"

# Races.
TSAN_UNIT := memory parallel one_core outbox splitting sweeps fuzz_blocks fuzz_world
tsan:
	@command -v clang >/dev/null || { echo "tsan needs clang: .ci/packages clang"; exit 1; }
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan CC=clang OPT=-O1 CFLAGS="-fsanitize=thread $(CFLAGS)" \
	    all $(foreach test,$(TSAN_UNIT),$(BUILD)/tsan/tests/unit/test_$(test))
	@export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1"; \
	    tests/run_unit.sh $(foreach test,$(TSAN_UNIT),$(BUILD)/tsan/tests/unit/test_$(test)) && \
	    $(BUILD)/tsan/gabion run cases/grains_100k.yaml -o $(BUILD)/tsan/grains --force --quiet -j 3 \
	        --steps 2 --set "generators.0.lattice.count=[25, 25, 25]" --set solver.max_sweeps=5

fuzz:
	@command -v clang >/dev/null || { echo "fuzz needs clang: .ci/packages clang"; exit 1; }
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang OPT=-O1 HOT=-O1 \
	    CFLAGS="-fsanitize=fuzzer-no-link,address,undefined $(CFLAGS)" \
	    $(patsubst $(BUILD)/%,$(BUILD)/fuzz/%,$(FUZZ_BINARIES))
	@tests/fuzz/run.sh $(FUZZ_SECONDS) $(patsubst $(BUILD)/%,$(BUILD)/fuzz/%,$(FUZZ_BINARIES))

torture: packages-test
	@.ci/packages clang
	@GABION_FUZZ_SCENES=100 GABION_ALL_ALLOCATIONS=1 $(MAKE) --no-print-directory unit \
	    TEST="fuzz_world fuzz_blocks out_of_memory"
	@$(MAKE) --no-print-directory all && GABION=$(abspath $(BUILD)/gabion) $(PYTHON) tests/torture/torture.py
	@GABION=$(abspath $(BUILD)/gabion) $(PYTHON) tests/torture/nonsense.py
	@$(MAKE) --no-print-directory debug asan clang tsan fuzz

# Every command of README.md and docs/; the quick part of it is a test of the command line.
docs-check: all library
	@GABION=$(abspath $(BUILD)/gabion) PYTHON=$(PYTHON) $(PYTHON) tests/docs/commands.py --long

# VALIDATE: names of sections.
validate: packages-test docs-check
	@.ci/packages pictures || true
	@$(MAKE) --no-print-directory all test-programs
	@GABION=$(abspath $(BUILD)/gabion) BUILD=$(BUILD) PYTHON=$(PYTHON) tests/validation/validate.sh $(VALIDATE)

# PAPERS: names of sections, --full. Pictures need a display; without one the page has notes in their place.
papers: packages-test
	@.ci/packages pictures || true
	@$(MAKE) --no-print-directory all $(PAPERS_BINARIES) $(BUILD)/tests/unit/test_block_stack
	@GABION=$(abspath $(BUILD)/gabion) BUILD=$(BUILD) PYTHON=$(PYTHON) tests/papers/papers.sh $(PAPERS)

# Other engines that cannot be installed have rows that say so.
bench bench-full: packages-test
	@.ci/packages peers || true
	@$(MAKE) --no-print-directory all bench-programs
	@GABION=$(abspath $(BUILD)/gabion) BUILD=$(abspath $(BUILD)) PYTHON=$(PYTHON) tests/bench/bench.sh \
	    --largest $(if $(filter bench,$@),100000,1000000)

bench-programs: $(BENCHES) $(PEERS)

# What each method and the default solve and how fast, on problem files and in scenes: hours.
bench-methods: packages-test
	@$(MAKE) --no-print-directory all test-programs
	@GABION=$(abspath $(BUILD)/gabion) tests/tally.sh "$(PYTHON) tests/validation/solvers.py" \
	    "$(PYTHON) tests/validation/rivals.py" "$(PYTHON) tests/validation/defaults.py"

# Installs Siconos if it can and goes on without if it cannot.
bench-solvers: packages-test
	@.ci/packages siconos || true
	@$(MAKE) --no-print-directory race-solvers

race-solvers: all $(RACE)
	@GABION=$(abspath $(BUILD)/gabion) RACE=$(abspath $(RACE)) BUILD=$(abspath $(BUILD)) PYTHON=$(PYTHON) \
	    tests/bench/solvers.sh

# The library for others: one header, a shared library and a static one that both show only what the
# header declares (build/libgabion.a is the program's and the tests' own, with all inside).
VERSION   := $(shell sed -n 's/^\#define GABION_VERSION  *"\(.*\)"/\1/p' engine/gabion.h)
SONAME    := libgabion.so.$(firstword $(subst ., ,$(VERSION)))
SHARED    := $(BUILD)/library/libgabion.so.$(VERSION)
LIBRARY   := $(SHARED) $(addprefix $(BUILD)/library/,libgabion.a gabion.h gabion.pc)
SHARE     := $(wildcard cases/*.yaml cases/*.csv cases/papers/*.yaml cases/papers/*.csv cases/studies/*.yaml) io/vtk/show.py
BINDIR    ?= $(PREFIX)/bin
LIBDIR    ?= $(PREFIX)/lib
MANDIR    ?= $(PREFIX)/share/man
DATADIR   := $(PREFIX)/share/gabion
COMPLETION_DIR := $(PREFIX)/share/bash-completion/completions
# Where Debian's Python looks for modules: those of packages, and those of the machine for its own version.
PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
PYTHONDIR ?= $(if $(PYTHON_VERSION),$(PREFIX)/lib/python$(if $(filter /usr,$(PREFIX)),3,$(PYTHON_VERSION))/dist-packages)
# A command is a function of this header, and has a manual page.
VERBS     := $(shell sed -n 's/^bool command_\([a-z]*\)[^a-z].*/\1/p' io/command/commands.h)
PAGES     := gabion.1 $(VERBS:%=gabion-%.1)
MODULE    := $(notdir $(wildcard io/python/gabion/*.py)) _interface.py
INSTALLED  = $(BINDIR)/gabion $(PREFIX)/include/gabion.h $(LIBDIR)/pkgconfig/gabion.pc \
    $(addprefix $(LIBDIR)/,libgabion.a libgabion.so $(SONAME) libgabion.so.$(VERSION)) \
    $(addprefix $(DATADIR)/,$(SHARE) gabion.schema.json) $(PAGES:%=$(MANDIR)/man1/%) $(COMPLETION_DIR)/gabion \
    $(if $(PYTHONDIR),$(MODULE:%=$(PYTHONDIR)/gabion/%))

library: $(LIBRARY)

install: all library $(if $(PYTHONDIR),$(BUILD)/python/gabion/_interface.py)
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(PREFIX)/include $(LIBDIR)/pkgconfig $(MANDIR)/man1 $(COMPLETION_DIR))
	install $(BUILD)/gabion $(DESTDIR)$(BINDIR)
	install -m 644 $(BUILD)/library/gabion.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(BUILD)/library/libgabion.a $(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf libgabion.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libgabion.so
	install -m 644 $(BUILD)/library/gabion.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	for file in $(SHARE); do install -D -m 644 $$file $(DESTDIR)$(DATADIR)/$$file; done
	$(BUILD)/gabion explain --schema >$(DESTDIR)$(DATADIR)/gabion.schema.json
	$(BUILD)/gabion explain --completion >$(DESTDIR)$(COMPLETION_DIR)/gabion
	$(BUILD)/gabion explain --man >$(DESTDIR)$(MANDIR)/man1/gabion.1
	for verb in $(VERBS); do $(BUILD)/gabion explain --man $$verb >$(DESTDIR)$(MANDIR)/man1/gabion-$$verb.1 || exit 1; done
ifeq ($(PYTHONDIR),)
	@echo "$(PYTHON) does not run: the Python module is not installed"
else
	install -d $(DESTDIR)$(PYTHONDIR)/gabion
	install -m 644 $(wildcard io/python/gabion/*.py) $(BUILD)/python/gabion/_interface.py $(DESTDIR)$(PYTHONDIR)/gabion
endif

# What install put there and nothing else; folders of our own go when they are empty.
uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(if $(PYTHONDIR),$(DESTDIR)$(PYTHONDIR)/gabion/__pycache__)
	@for folder in $(DATADIR) $(if $(PYTHONDIR),$(PYTHONDIR)/gabion); do \
	    [ ! -d $(DESTDIR)$$folder ] || find $(DESTDIR)$$folder -depth -type d -empty -delete; done

# A package for Debian and Ubuntu: program, libraries, header, Python module, cases, manual pages, completion.
deb: packages
	@.ci/packages deb
	@$(MAKE) --no-print-directory -j$(JOBS) all library
	@MAKE="$(MAKE)" BUILD=$(BUILD) VERSION=$(VERSION) .ci/deb

clean:
	rm -rf $(BUILD)

# -------------------------------------------------------------------------------------------------

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $<"
	@$(CC) $(GABION_CFLAGS) -MMD -MP -c $< -o $@

# Files that sources put into the program (io/file/embed.h): the compiler does not report these dependencies.
$(BUILD)/io/command/kinds.o: $(wildcard cases/new/*)
$(BUILD)/io/command/completion.o: io/command/completion.sh

# Every checkpoint says which build wrote it.
$(BUILD)/io/checkpoint/write.o: GABION_CFLAGS += \
    -DGABION_COMMIT='"$(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)"' \
    -DGABION_COMPILER_FLAGS='"$(OPT) $(ARCH) $(CFLAGS)"'

# Unit tests spend their time in the library, but for two: to optimise them takes the compiler four times as long.
$(BUILD)/tests/unit/%.o: TEST_OPT = -O0
$(addprefix $(BUILD)/tests/unit/,test_grid.o test_manifold_random.o): TEST_OPT = $(OPT)
$(BUILD)/tests/unit/%.o: GABION_CFLAGS += $(TEST_OPT)

$(BUILD)/io/report/page.c: $(PAGE) Makefile
	@mkdir -p $(@D)
	@echo "  GEN $@"
	@{ echo '#include "io/report/page.h"'; k=0; \
	    for file in $(PAGE); do \
	        echo "static const unsigned char part_$$k[] = {"; od -An -v -tx1 $$file | sed 's/ \(..\)/0x\1,/g'; \
	        echo '};'; k=$$((k + 1)); done; \
	    echo 'const struct page_part page_parts[] = {'; k=0; \
	    for file in $(PAGE); do echo "{\"$$file\", part_$$k, sizeof part_$$k},"; k=$$((k + 1)); done; \
	    echo '};'; echo "const size_t page_part_count = $$k;"; } >$@.tmp && mv $@.tmp $@

$(BUILD)/io/report/page.o: $(BUILD)/io/report/page.c
	@echo "  CC  $<"
	@$(CC) $(GABION_CFLAGS) -MMD -MP -c $< -o $@

$(KERNEL:%=$(BUILD)/%.o): GABION_CFLAGS += $(KERNEL_FLAGS)
# Its functions that take and return four numbers at once are all inlined.
$(addprefix $(BUILD)/engine/,problem/row_terms.o solvers/newton/cone_points.o): GABION_CFLAGS += -Wno-psabi
$(addprefix $(BUILD)/engine/,problem/residual.o solvers/sweep/measure.o solvers/newton/block_factor.o solvers/newton/block_solve.o solvers/newton/resolvent.o): GABION_CFLAGS += $(HOT)
$(BUILD)/%_avx2.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $< (avx2)"
	@$(CC) $(GABION_CFLAGS) $(KERNEL_FLAGS) -mavx2 -DKERNEL=avx2 -MMD -MP -c $< -o $@
$(BUILD)/%_avx512.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $< (avx512)"
	@$(CC) $(GABION_CFLAGS) $(KERNEL_FLAGS) -mavx512f -mavx512dq -DKERNEL=avx512 -MMD -MP -c $< -o $@

$(BUILD)/libgabion.a: $(LIB_OBJECTS)
	@rm -f $@
	@echo "  AR  $@"
	@ar rcs $@ $^

$(BUILD)/library/gabion.h: engine/gabion.h parallel/types.h
	@mkdir -p $(@D)
	@sed '1,/^\#define/d;$$d' parallel/types.h >$@.types
	@sed -e '/^\#include "parallel\/types.h"/{' -e 'r $@.types' -e 'd' -e '}' engine/gabion.h >$@
	@rm $@.types

# Layouts and functions of the header for Python's ctypes.
$(BUILD)/python/gabion/_interface.py: $(BUILD)/library/gabion.h io/python/interface.py
	@mkdir -p $(@D)
	@$(PYTHON) io/python/interface.py $< >$@.new && mv $@.new $@

# Made anew each time: it holds PREFIX.
.PHONY: $(BUILD)/library/gabion.pc
$(BUILD)/library/gabion.pc:
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' 'includedir=$${prefix}/include' '' \
	    'Name: gabion' 'Description: Granular media and dry masonry by Non-Smooth Contact Dynamics' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lgabion' \
	    'Libs.private: $(LIBRARY_LIBS) -lamd -lm -pthread' >$@

$(SHARED): $(LIB_OBJECTS)
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs $^ -o $@ $(GABION_LIBS)

$(BUILD)/library/libgabion.a: $(LIB_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	@echo "  AR  $@"
	@$(CC) -r -nostdlib $^ -o $(@D)/whole.o
	@objcopy --localize-hidden $(@D)/whole.o
	@ar rcs $@ $(@D)/whole.o && rm $(@D)/whole.o

$(BUILD)/gabion: $(BUILD)/io/command/main.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) $^ -o $@ $(GABION_LIBS)

$(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) $(filter %.o %.a,$^) -o $@ $(GABION_LIBS)

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) -fsanitize=fuzzer $(filter %.o %.a,$^) -o $@ $(GABION_LIBS)

$(BUILD)/tests/bench/siconos.o: GABION_CFLAGS += -isystem $(dir $(SICONOS))
$(RACE): $(BUILD)/tests/bench/race.o $(BUILD)/tests/bench/$(if $(SICONOS),,no_)siconos.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) $^ -o $@ $(if $(SICONOS),-lsiconos_numerics) $(GABION_LIBS)

$(BUILD)/tests/bench/peers/ode: tests/bench/peers/ode.c tests/bench/peers/scene.h
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@$(CC) -std=c17 -D_DEFAULT_SOURCE $(WARN) -O2 -I. $< -o $@ -lode -lm

$(BUILD)/tests/bench/peers/bullet: tests/bench/peers/bullet.cpp tests/bench/peers/scene.h
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@$(CXX) -Wall -Wextra -O2 -I. -isystem /usr/include/bullet $< -o $@ -lBulletDynamics -lBulletCollision -lLinearMath

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libgabion.a
	@echo "  LD  $@"
	@$(CC) $(GABION_CFLAGS) $(filter %.o %.a,$^) -o $@ $(GABION_LIBS) -lcmocka

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
