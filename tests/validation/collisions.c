// Random collisions of two bodies of every pair of shapes, 0.1 to 5 sizes of travel per step:
//   collisions [COUNT [SEED]]   10,000 collisions without a count
// Prints a line per pair of shapes with the worst overlap at the end of a step and on the way, the
// largest gain of kinetic energy and the most times that a step was solved again; then the 300
// collisions of two 35 mm cubes at 1.5 m/s with steps of 2 ms. Ends with "N passed, M failed".
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/collision.h"

#define BOUND  1e-3 // overlap at the end of a step
#define ENERGY 1e-9 // rounding

struct tally {
    struct collision worst;
    int count, met, unsolved, deep, through, gains;
};

static void note(struct tally *tally, struct collision collision, const char *what, uint64_t seed) {
    struct collision *worst = &tally->worst;
    bool deep = collision.overlap > BOUND, through = collision.on_way > COLLISION_THROUGH;
    bool gains = collision.gain > ENERGY;
    if (tally->count++ == 0)
        *worst = collision;
    worst->overlap = fmax(worst->overlap, collision.overlap);
    worst->on_way = fmax(worst->on_way, collision.on_way);
    worst->gain = fmax(worst->gain, collision.gain);
    worst->rounds = collision.rounds > worst->rounds ? collision.rounds : worst->rounds;
    tally->met += collision.met;
    tally->unsolved += collision.unsolved;
    tally->deep += deep;
    tally->through += through;
    tally->gains += gains;
    if ((deep || through || gains) && getenv("COLLISIONS_SHOW"))
        printf("  seed %llu %s: overlap %.2e, on the way %.2e, gain %.1e, rounds %d\n",
               (unsigned long long)seed, what, collision.overlap, collision.on_way, collision.gain,
               collision.rounds);
}

static bool report(const char *what, const struct tally *tally) {
    bool passed = tally->deep == 0 && tally->through == 0 && tally->gains == 0;
    printf("%-24s %5d (%5d met): overlap %9.2e, on the way %9.2e, gain %8.1e, rounds %d; "
           "%d deep, %d through, %d gain, %d unsolved\n",
           what, tally->count, tally->met, tally->worst.overlap, tally->worst.on_way,
           tally->worst.gain, tally->worst.rounds, tally->deep, tally->through, tally->gains,
           tally->unsolved);
    return passed;
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 10000, pairs = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    collision_need(team != NULL, &error);
    int passed = 0, failed = 0;
    for (int first = 0; first < COLLISION_MOVING; first++)
        pairs += COLLISION_SHAPES - first;
    for (int first = 0; first < COLLISION_MOVING; first++)
        for (int second = first; second < COLLISION_SHAPES; second++) {
            struct tally tally = {0};
            char what[64];
            snprintf(what, sizeof what, "%s, %s", collision_names[first], collision_names[second]);
            for (long k = 0; k < (count + pairs - 1) / pairs; k++, seed++) {
                struct collision_scene scene = collision_draw(team, seed, first, second);
                note(&tally, collision_run(&scene), what, seed);
            }
            *(report(what, &tally) ? &passed : &failed) += 1;
        }
    struct tally cubes = {0};
    int half_millimetre = 0;
    for (uint64_t k = 0; k < 300; k++) {
        struct collision_scene scene = collision_cubes(team, k + 1);
        struct collision collision = collision_run(&scene);
        half_millimetre += collision.overlap * 0.0175 > 5e-4;
        note(&cubes, collision, "cubes", k + 1);
    }
    *(report("cubes of 35 mm", &cubes) ? &passed : &failed) += 1;
    printf("cubes: %d of 300 with more than 0.5 mm, worst %.3g mm\n", half_millimetre,
           1e3 * 0.0175 * cubes.worst.overlap);
    team_destroy(team);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
