// Pours mixed hulls, boxes and clumps into a box and looks for overlaps by fresh detection:
//   pour [BODIES [STEP [END [SEED ...]]]]   1000 bodies, 1e-3 s, 1.5 s, seed 1
// Prints per seed the largest overlap at any time and at the end as a share of the smaller body's
// size, unsolved steps, the largest rise of the total energy in a step as a share of the energy at
// the start, and what the second look did. Ends with "N passed, M failed".
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/pour.h"

#define BOUND 1e-3 // overlap

static bool pour_seed(struct team *team, int bodies, double step, double end, uint64_t seed) {
    struct gabion_world *world = pour_create(team, bodies, step, seed);
    struct pour pour = {0};
    for (long k = 0; k < lround(end / step); k++)
        pour_step(world, &pour);
    printf(
        "%d bodies, step %g s, seed %llu: overlap %.2e at most, %.2e at the end; %d of %d steps "
        "unsolved; energy rises by %.1e at most; %d steps solved again (%d rounds, %ld contacts); "
        "speed at the end %.3g m/s\n",
        bodies, step, (unsigned long long)seed, pour.overlap, pour.last, pour.unsolved, pour.steps,
        pour.rise, pour.again, pour.rounds, pour.late, world->report.max_speed);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        printf("%s %.1f s%s", phase_names[phase], world->phase_time[phase],
               phase + 1 < PHASE_COUNT ? ", " : "\n");
    fflush(stdout);
    gabion_destroy(world);
    return pour.overlap <= BOUND;
}

int main(int argc, char **argv) {
    int bodies = argc > 1 ? atoi(argv[1]) : 1000, passed = 0, failed = 0;
    double step = argc > 2 ? atof(argv[2]) : 1e-3, end = argc > 3 ? atof(argv[3]) : 1.5;
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    collision_need(team != NULL, &error);
    for (int k = 4; k < argc || k == 4; k++) {
        uint64_t seed = k < argc ? strtoull(argv[k], NULL, 10) : 1;
        *(pour_seed(team, bodies, step, end, seed) ? &passed : &failed) += 1;
    }
    team_destroy(team);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
