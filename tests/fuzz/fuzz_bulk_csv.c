// libFuzzer: any bytes as a CSV table of bodies.
//   clang-14 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_bulk_csv.c build/libgabion.a
#define _GNU_SOURCE // memfd_create: a file that never reaches a disk
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "engine/gabion.h"
#include "parallel/team.h"
#include "io/bulk/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct team *team;
    char path[64];
    struct gabion_error error = {0};
    int descriptor = memfd_create("fuzz", 0);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (!team)
        team = team_create(1, NULL, &error);
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = world_create(&settings, team, &error);
    struct gabion_body template = gabion_default_body();
    gabion_add_material(world, "stone", 2000, NULL);
    template.density = 2000;
    bool good = bulk_add_csv(world, path, &template, &error);
    if (good != (error.status == GABION_OK)) // a rejection has a reason, a success has none
        abort();
    gabion_destroy(world);
    close(descriptor);
    return 0;
}
