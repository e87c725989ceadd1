// The limits of the machine, for the rooflines of tests/bench/roofline.py:
//   limits [--short] THREADS...
// Prints one line per limit, its fields apart by tabs:
//   name  size  threads  value  unit
// Stream: bandwidth of a triad a = b + s c, three arrays that take `size` bytes together, 24 bytes
// counted per element. Gather: the bodies of a sweep on a cubic lattice of `size` bodies; a contact
// reads and writes the cache lines of two. They lie in memory along the curve of the engine, or
// anywhere. Stage: what a loop of the team (parallel/team.h) with `size` empty chunks takes. Each
// is the best of several repeats, because other programs may have the cores meanwhile.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/solvers/sweep/plan.h"
#include "geometry/curve.h"
#include "parallel/clock.h"
#include "parallel/memory.h"
#include "parallel/random.h"
#include "parallel/sort.h"
#include "parallel/team.h"
#include "parallel/wide.h"

#define TRIAD_CHUNK  4096 // elements
#define GATHER_CHUNK 256  // contacts, as in a chunk of a sweep
#define COLOURS      6    // of a lattice: three directions, even and odd
#define STAGES       2000 // in one measurement

static const size_t triad_bytes[] = {1 << 18, 1 << 23, 1 << 28}; // a core's cache, shared, memory
static const int32_t lattice_edges[] = {10, 22, 46, 100};        // those of tests/bench/scale.py
static const size_t stage_chunks[] = {1, 2, 40};

static double time_limit; // s, for the repeats of one measurement

// Calls f until the time is up and returns the shortest of its times.
static double shortest(void (*f)(void *context), void *context) {
    double least = INFINITY, begin = clock_seconds();
    for (int k = 0; k < 3 || clock_seconds() - begin < time_limit; k++) {
        double start = clock_seconds();
        f(context);
        least = fmin(least, clock_seconds() - start);
    }
    return least;
}

static void print_limit(const char *name, size_t size, const struct team *team, double value,
                        const char *unit) {
    printf("%s\t%zu\t%d\t%.4g\t%s\n", name, size, team_size(team), value, unit);
    fflush(stdout);
}

// Stream --------------------------------------------------------------------------------------

struct triad {
    struct team *team;
    double *a, *b, *c;
    size_t count;
};

static void fill_range(void *context, size_t begin, size_t end) {
    struct triad *triad = context;
    for (size_t i = begin; i < end; i++) {
        triad->a[i] = 0;
        triad->b[i] = 1;
        triad->c[i] = 2;
    }
}

WIDE static void triad_range(void *context, size_t begin, size_t end) {
    const struct triad *triad = context;
    double *restrict a = triad->a;
    const double *restrict b = triad->b, *restrict c = triad->c;
    for (size_t i = begin; i < end; i++)
        a[i] = b[i] + 3 * c[i];
}

static void triad_once(void *context) {
    struct triad *triad = context;
    team_for(triad->team, triad->count, TRIAD_CHUNK, triad_range, triad);
}

static double *triad_array(size_t count) {
    size_t capacity = 0;
    return memory_reserve_aligned(NULL, &capacity, count, sizeof(double), "triad");
}

// Each thread touches its share first, so that memory is near the thread that reads it.
static void measure_triad(struct team *team, size_t bytes) {
    size_t count = bytes / (3 * sizeof(double));
    struct triad triad = {team, triad_array(count), triad_array(count), triad_array(count), count};
    team_for(team, count, TRIAD_CHUNK, fill_range, &triad);
    double seconds = shortest(triad_once, &triad);
    print_limit("stream", bytes, team, (double)(24 * count) / seconds / 1e9, "GB/s");
    memory_free(triad.a);
    memory_free(triad.b);
    memory_free(triad.c);
}

// Gather --------------------------------------------------------------------------------------

struct gather {
    struct team *team;
    struct solver_body *bodies;
    int32_t (*pair)[2];
    size_t start[COLOURS + 1];
    size_t colour; // the one at work
};

// Adds to both bodies a share of their difference, all eight numbers.
WIDE static void gather_range(void *context, size_t begin, size_t end) {
    const struct gather *gather = context;
    const int32_t(*pair)[2] = (const int32_t(*)[2])gather->pair + gather->start[gather->colour];
    for (size_t k = begin; k < end; k++) {
        lanes4 *c = (lanes4 *)&gather->bodies[pair[k][0]];
        lanes4 *a = (lanes4 *)&gather->bodies[pair[k][1]];
        for (int half = 0; half < 2; half++) {
            lanes4 change = 0.25 * (a[half] - c[half]);
            c[half] += change;
            a[half] -= change;
        }
    }
}

static void gather_once(void *context) {
    struct gather *gather = context;
    for (gather->colour = 0; gather->colour < COLOURS; gather->colour++)
        team_for(gather->team, gather->start[gather->colour + 1] - gather->start[gather->colour],
                 GATHER_CHUNK, gather_range, gather);
}

// Returns the bodies of a lattice in the order in which they lie in memory.
static uint32_t *lattice_order(int32_t edge, bool along_curve) {
    size_t count = (size_t)edge * (size_t)edge * (size_t)edge;
    uint64_t *key = memory_allocate(count, sizeof *key, "keys");
    uint32_t *order = memory_allocate(count, sizeof *order, "order");
    struct random_stream random = {1};
    for (size_t k = 0; k < count; k++) {
        vec3 x = {(double)(k % (size_t)edge), (double)(k / (size_t)edge % (size_t)edge),
                  (double)(k / (size_t)edge / (size_t)edge)};
        order[k] = (uint32_t)k;
        key[k] = along_curve ? curve_key(x, (vec3){0}, edge) : random_bits(&random) >> 2;
    }
    sort_by_key(NULL, key, order, count, 64);
    memory_free(key);
    return order;
}

// Colours the contacts of a lattice by direction and parity, each colour sorted by its first body,
// as in a sweep.
static void list_contacts(struct gather *gather, int32_t edge, const uint32_t *order) {
    size_t side = (size_t)edge, count = side * side * side, contacts = 0;
    int32_t *place = memory_allocate(count, sizeof *place, "places");
    gather->pair = memory_allocate(3 * count, sizeof *gather->pair, "contacts");
    for (size_t k = 0; k < count; k++)
        place[order[k]] = (int32_t)k;
    size_t step[] = {1, side, side * side};
    for (int colour = 0; colour < COLOURS; colour++) {
        size_t stride = step[colour / 2];
        gather->start[colour] = contacts;
        for (size_t k = 0; k < count; k++) {
            size_t along = order[k] / stride % side;
            if (along + 1 == side || along % 2 != (size_t)colour % 2)
                continue;
            gather->pair[contacts][0] = (int32_t)k;
            gather->pair[contacts++][1] = place[order[k] + stride];
        }
    }
    gather->start[COLOURS] = contacts;
    memory_free(place);
}

static void measure_gather(struct team *team, int32_t edge, bool along_curve) {
    size_t count = (size_t)edge * (size_t)edge * (size_t)edge, capacity = 0;
    struct gather gather = {.team = team};
    gather.bodies = memory_reserve_aligned(NULL, &capacity, count, sizeof *gather.bodies, "bodies");
    memset(gather.bodies, 0, count * sizeof *gather.bodies);
    uint32_t *order = lattice_order(edge, along_curve);
    list_contacts(&gather, edge, order);
    double seconds = shortest(gather_once, &gather);
    print_limit(along_curve ? "gather-curve" : "gather-random", count, team,
                1e9 * seconds / (double)gather.start[COLOURS], "ns per contact");
    memory_free(order);
    memory_free(gather.pair);
    memory_free(gather.bodies);
}

// Stage ---------------------------------------------------------------------------------------

struct stage_count {
    struct team *team;
    size_t chunks;
};

static void nothing(void *context, size_t begin, size_t end) {
    (void)context, (void)begin, (void)end;
}

static void stages(void *context) {
    const struct stage_count *stage = context;
    for (int k = 0; k < STAGES; k++)
        team_for(stage->team, stage->chunks, 1, nothing, NULL);
}

static void measure_stage(struct team *team, size_t chunks) {
    struct stage_count stage = {team, chunks};
    print_limit("stage", chunks, team, 1e6 * shortest(stages, &stage) / STAGES, "us");
}

// ---------------------------------------------------------------------------------------------

#define COUNT(array) ((int)(sizeof array / sizeof *array))

static void measure_all(struct team *team, bool brief) {
    for (int k = 0; k < COUNT(triad_bytes) - brief; k++)
        measure_triad(team, triad_bytes[k]);
    for (int along_curve = 0; along_curve < 2; along_curve++)
        for (int k = 0; k < COUNT(lattice_edges) - 2 * brief; k++)
            measure_gather(team, lattice_edges[k], along_curve);
    for (int k = 0; k < COUNT(stage_chunks); k++)
        measure_stage(team, stage_chunks[k]);
}

int main(int argc, char **argv) {
    bool brief = argc > 1 && strcmp(argv[1], "--short") == 0;
    if (argc - brief < 2) {
        fprintf(stderr, "usage: limits [--short] THREADS...\n");
        return 2;
    }
    time_limit = brief ? 0.005 : 0.3;
    for (int k = 1 + brief; k < argc; k++) {
        struct gabion_error error = {0};
        struct team *team = team_create(atoi(argv[k]), NULL, &error);
        if (!team) {
            fprintf(stderr, "limits: %s\n", error.text);
            return 2;
        }
        measure_all(team, brief);
        team_destroy(team);
    }
    return 0;
}
