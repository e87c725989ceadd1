// Running out of memory: guards, accounts, threads of a team, and a world whose allocations fail
// one after the other. Leaks and dangling pointers show under the address sanitizer.
#include "tests/unit/clump_scene.h"
#include "tests/unit/effort.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/solvers/panel.h"
#include "parallel/memory.h"
#include "parallel/random.h"
#include "parallel/team.h"
#include "parallel/topology.h"

static struct memory_account *account_create(void) {
    struct gabion_error error = {0};
    struct memory_account *account = memory_account_create(&error);
    assert_non_null(account);
    return account;
}

static struct team *team_of(int threads) {
    struct gabion_error error = {0};
    struct team *team = team_create(threads, NULL, &error);
    assert_non_null(team);
    return team;
}

// Runs work that must fail after some allocations, in an account of its own, and returns the error.
static struct gabion_error expect_failure_after(int64_t allocations, void (*work)(void *),
                                                void *context) {
    struct gabion_error error = {0};
    struct memory_account *account = account_create();
    memory_fail_after(allocations);
    assert_false(memory_try(account, work, context, &error));
    assert_null(memory_account_current());
    memory_account_destroy(account);
    assert_int_equal(error.status, GABION_ERROR_MEMORY);
    return error;
}

// The same for work that asks for too much.
static struct gabion_error expect_failure(void (*work)(void *), void *context) {
    return expect_failure_after(-1, work, context);
}

// Runs work that must not fail, without an account.
static void expect_success(void (*work)(void *), void *context) {
    struct gabion_error error = {0};
    assert_true(memory_try(NULL, work, context, &error));
    assert_int_equal(error.status, GABION_OK);
}

// Without a guard -----------------------------------------------------------------------------

static void exhaust(void *context) {
    (void)context;
    memory_allocate(SIZE_MAX / 4, 8, "far too many things");
}

static void exhaust_in_thread(void *context, int thread, int threads) {
    (void)threads;
    if (thread == 1)
        exhaust(context);
}

// In a process of its own: prints the message and ends with status 1.
static void test_without_a_guard_the_program_ends(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            if (threads == 1)
                exhaust(NULL);
            team_run(team_of(threads), 0, exhaust_in_thread, NULL);
            _exit(0);
        }
        close(ends[1]);
        char text[512] = {0};
        ssize_t length = read(ends[0], text, sizeof text - 1);
        close(ends[0]);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
        assert_true(length > 0);
        assert_non_null(strstr(text, "gabion: out of memory: "));
        assert_non_null(strstr(text, "for far too many things"));
    }
}

// Guards --------------------------------------------------------------------------------------

static void test_a_failure_names_what_and_how_much(void **state) {
    (void)state;
    struct gabion_error error = expect_failure(exhaust, NULL);
    char expected[128];
    snprintf(expected, sizeof expected, "out of memory: %zu x 8 bytes for far too many things. ",
             SIZE_MAX / 4);
    assert_memory_equal(error.text, expected, strlen(expected));
}

static void test_an_earlier_error_is_kept(void **state) {
    (void)state;
    struct gabion_error error = {.status = GABION_ERROR_INPUT, .text = "first"};
    assert_false(memory_try(NULL, exhaust, NULL, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_string_equal(error.text, "first");
}

struct array {
    int *numbers;
    size_t capacity, needed;
};

static void allocate(void *context) {
    struct array *array = context;
    array->numbers = memory_allocate(array->needed, sizeof(int), "numbers");
}

static void resize(void *context) {
    struct array *array = context;
    array->numbers = memory_resize(array->numbers, array->needed, sizeof(int), "numbers");
}

static void reserve(void *context) {
    struct array *array = context;
    array->numbers =
        memory_reserve(array->numbers, &array->capacity, array->needed, sizeof(int), "numbers");
}

static void reserve_aligned(void *context) {
    struct array *array = context;
    array->numbers = memory_reserve_aligned(array->numbers, &array->capacity, array->needed,
                                            sizeof(int), "numbers");
}

static void test_every_way_to_allocate_fails(void **state) {
    (void)state;
    void (*const ways[])(void *) = {allocate, resize, reserve, reserve_aligned};
    // The first two overflow; the third does so only together with the block's own bytes.
    const size_t too_many[] = {SIZE_MAX, SIZE_MAX / 4 + 1, SIZE_MAX / 4};
    for (size_t way = 0; way < 4; way++) {
        for (size_t k = 0; k < 3; k++) {
            struct array array = {.needed = too_many[k]};
            expect_failure(ways[way], &array);
            assert_null(array.numbers);
            assert_int_equal(array.capacity, 0);
        }
        struct array array = {.needed = 10};
        expect_failure_after(0, ways[way], &array);
        expect_success(ways[way], &array);
        memory_free(array.numbers);
    }
}

static void borrow(void *context) {
    struct array *array = context;
    array->numbers = memory_borrow(array->needed * sizeof(int), "numbers");
}

static void test_lending_fails(void **state) {
    (void)state;
    struct array array = {.needed = SIZE_MAX / 8};
    expect_failure(borrow, &array);
    assert_null(array.numbers);
    array.needed = 10;
    expect_failure_after(0, borrow, &array);
    expect_success(borrow, &array);
    memory_return(array.numbers); // of no account: it is freed
}

static void *borrow_bytes(size_t bytes) {
    char *lent = memory_borrow(bytes, "a phase");
    assert_int_equal((uintptr_t)lent % CACHE_LINE, 0);
    memset(lent, 1, bytes);
    return lent;
}

// One phase after the other gets the same memory, a larger one instead of it where it is too small,
// and two at a time never share.
static void lend(void *context) {
    (void)context;
    void *large = borrow_bytes(100000), *small = borrow_bytes(1000);
    assert_true(large != small);
    memory_return(large);
    memory_return(small);
    assert_ptr_equal(borrow_bytes(2000), large);
    assert_ptr_equal(borrow_bytes(1000), small);
    memory_return(small);
    memory_return(large);
    memory_return(NULL);
    memory_fail_after(0); // nothing more is asked of the system
    assert_ptr_equal(borrow_bytes(100000), large);
    memory_fail_after(-1);
    memory_return(large);
    // The large one is gone now, the small one is not.
    void *larger = borrow_bytes(1000000);
    memory_fail_after(0);
    assert_ptr_equal(borrow_bytes(1000), small);
    memory_fail_after(-1);
    memory_return(larger);
    // The small one is registered, the larger one is spare: the account frees both.
}

static void test_phases_share_memory(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct memory_account *account = account_create();
    assert_true(memory_try(account, lend, NULL, &error));
    memory_account_destroy(account);
}

static void test_parts_do_not_overlap(void **state) {
    (void)state;
    struct memory_part part[] = {{.bytes = 1}, {.bytes = 0}, {.bytes = 65}, {.bytes = 64}};
    char *lent = memory_borrow_parts(part, 4, "parts");
    const size_t offset[] = {0, 64, 64, 192};
    for (int k = 0; k < 4; k++) {
        assert_ptr_equal(part[k].start, lent + offset[k]);
        memset(part[k].start, k, part[k].bytes);
    }
    memory_return(lent);
}

static void test_a_failed_resize_keeps_the_array(void **state) {
    (void)state;
    void (*const ways[])(void *) = {resize, reserve};
    for (int way = 0; way < 2; way++) {
        struct array array = {.needed = 3};
        struct memory_account *account = account_create();
        struct gabion_error error = {0};
        assert_true(memory_try(account, ways[way], &array, &error));
        for (int i = 0; i < 3; i++)
            array.numbers[i] = i;
        array.needed = 1000;
        expect_failure_after(0, ways[way], &array);
        array.needed = SIZE_MAX;
        expect_failure(ways[way], &array);
        for (int i = 0; i < 3; i++)
            assert_int_equal(array.numbers[i], i);
        memory_account_destroy(account); // the array is still registered
    }
}

static void allocate_three(void *context) {
    int *count = context;
    for (*count = 0; *count < 3; ++*count)
        memory_free(memory_allocate(1, 1, "one of three"));
}

static void test_fail_after_counts_allocations(void **state) {
    (void)state;
    int count;
    for (int allowed = 0; allowed < 3; allowed++) {
        expect_failure_after(allowed, allocate_three, &count);
        assert_int_equal(count, allowed);
        expect_success(allocate_three, &count); // it fails once
    }
    memory_fail_after(3);
    expect_success(allocate_three, &count);
    memory_fail_after(-1);
    expect_success(allocate_three, &count);
    struct gabion_error error = {0};
    memory_fail_after(0);
    assert_null(memory_account_create(&error));
    assert_int_equal(error.status, GABION_ERROR_MEMORY);
}

struct nest {
    struct memory_account *outer, *inner;
    bool raise;
    struct gabion_error error; // that the inner guard caught
    bool caught, account_restored;
    void *kept;
};

static void nest_run(void *context) {
    struct nest *nest = context;
    nest->kept = memory_allocate(1, 100, "outer block");
    nest->caught = !memory_try(nest->inner, exhaust, NULL, &nest->error);
    nest->account_restored = memory_account_current() == nest->outer;
    memory_allocate(1, 100, "block after the failure");
    if (!nest->raise)
        return;
    error_context(&nest->error, "inner work");
    memory_raise(&nest->error);
}

static void test_the_innermost_guard_catches(void **state) {
    (void)state;
    for (int raise = 0; raise < 2; raise++) {
        struct nest nest = {.outer = account_create(), .inner = account_create(), .raise = raise};
        struct gabion_error error = {0};
        assert_int_equal(memory_try(nest.outer, nest_run, &nest, &error), !raise);
        assert_true(nest.caught && nest.account_restored);
        assert_int_equal(nest.error.status, GABION_ERROR_MEMORY);
        assert_int_equal(error.status, raise ? GABION_ERROR_MEMORY : GABION_OK);
        assert_string_equal(error.text, raise ? nest.error.text : "");
        assert_memory_equal(nest.error.text, raise ? "inner work: out" : "out of memory: ", 15);
        memory_account_destroy(nest.inner);
        memset(nest.kept, 1, 100); // lives in the outer account
        memory_account_destroy(nest.outer);
    }
}

// Accounts ------------------------------------------------------------------------------------

struct blocks {
    char *plain, *resized, *aligned;
    size_t capacity;
};

static void blocks_begin(void *context) {
    struct blocks *blocks = context;
    blocks->plain = memory_allocate(1, 1000, "block");
    blocks->resized = memory_resize(NULL, 1000, 1, "block");
    blocks->aligned = memory_reserve_aligned(NULL, &blocks->capacity, 1000, 1, "block");
    memory_free(memory_allocate(1, 1000, "freed block"));
}

static void blocks_grow(void *context) {
    struct blocks *blocks = context;
    memset(blocks->resized, 1, 1000);
    blocks->resized = memory_resize(blocks->resized, 100000, 1, "block");
    assert_int_equal(blocks->resized[999], 1);
    blocks->aligned =
        memory_reserve_aligned(blocks->aligned, &blocks->capacity, 100000, 1, "block");
    assert_int_equal((uintptr_t)blocks->aligned % CACHE_LINE, 0);
}

static void *free_elsewhere(void *block) {
    memory_free(block);
    return NULL;
}

static void blocks_use(const struct blocks *blocks) {
    memset(blocks->plain, 2, 1000);
    memset(blocks->resized, 2, 100000);
    memset(blocks->aligned, 2, 100000);
}

// Blocks of three origins (two accounts and none) grow where another account is current. Each
// remains with its own: it outlives the other account, and its own frees it once.
static void test_a_block_stays_with_its_account(void **state) {
    (void)state;
    struct memory_account *accounts[] = {account_create(), account_create(), NULL};
    struct blocks blocks[3] = {{0}};
    struct gabion_error error = {0};
    for (int k = 0; k < 3; k++)
        assert_true(memory_try(accounts[k], blocks_begin, &blocks[k], &error));
    for (int k = 0; k < 3; k++)
        assert_true(memory_try(accounts[(k + 1) % 3], blocks_grow, &blocks[k], &error));
    for (int k = 0; k < 2; k++) {
        memory_account_destroy(accounts[k]);
        for (int other = k + 1; other < 3; other++)
            blocks_use(&blocks[other]);
    }
    memory_account_destroy(NULL);
    memory_free(blocks[2].plain);
    memory_free(blocks[2].resized);
    memory_free(blocks[2].aligned);
}

static void test_any_thread_frees_any_block(void **state) {
    (void)state;
    struct memory_account *account = account_create();
    struct blocks blocks = {0};
    struct gabion_error error = {0};
    assert_true(memory_try(account, blocks_begin, &blocks, &error));
    char *freed[] = {blocks.plain, blocks.aligned};
    for (int k = 0; k < 2; k++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, free_elsewhere, freed[k]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    memory_account_destroy(account); // frees the third
}

// Teams ---------------------------------------------------------------------------------------

static const int team_sizes[] = {2, 3, 8};
#define TEAM_SIZES (sizeof team_sizes / sizeof *team_sizes)
#define REPEATS    45 // each of up to eight threads fails five times

// Sizes over 30 decades: the sum differs in its last bits when the order of the additions changes.
#define NUMBERS 20000
static double numbers[NUMBERS];

static void numbers_fill(void) {
    struct random_stream random = {1};
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = random_between(&random, -1, 1) * pow(10, random_between(&random, -15, 15));
}

static void add_numbers(void *context, size_t begin, size_t end, struct binned_sum *out) {
    (void)context;
    for (size_t i = begin; i < end; i++)
        binned_add(out, numbers[i]);
}

static double numbers_sum(struct team *team) {
    double sum;
    team_sum(team, NUMBERS, 1, add_numbers, NULL, &sum);
    return sum;
}

#define PHASES 20
struct phases {
    struct team *team;
    int parts;           // 0: as many as threads
    int failing;         // this part fails, all if negative, ...
    int failing_phase;   // ... in this phase
    int current;         // phase
    int phase[8 * 16];   // one cache line per part: only the end of a loop orders the accesses
    _Atomic int started; // parts of the first phase
    _Atomic int wrong;   // parts that a later loop found undone
};

// Every part allocates in every phase.
static void phase_write(void *context, int part, int parts) {
    (void)parts;
    struct phases *phases = context;
    phases->started += phases->current == 1;
    memory_allocate(1, 64, "left in the account");
    if (phases->current == phases->failing_phase &&
        (phases->failing < 0 || phases->failing == part))
        exhaust(NULL);
    phases->phase[part * 16] = phases->current;
}

static void phase_compare(void *context, int part, int parts) {
    (void)part;
    struct phases *phases = context;
    for (int other = 0; other < parts; other++)
        phases->wrong += phases->phase[other * 16] != phases->current;
}

static void phases_run(void *context) {
    struct phases *phases = context;
    for (phases->current = 1; phases->current <= PHASES; phases->current++) {
        team_run(phases->team, phases->parts, phase_write, phases);
        team_run(phases->team, phases->parts, phase_compare, phases);
    }
}

// Loops without failures: all parts are done in each.
static void check_loops(struct team *team) {
    struct phases phases = {.team = team};
    struct gabion_error error = {0};
    struct memory_account *account = account_create();
    assert_true(memory_try(account, phases_run, &phases, &error));
    assert_int_equal(phases.started, team_size(team));
    assert_int_equal(phases.wrong, 0);
    memory_account_destroy(account);
}

// One part fails, each in its turn, or all at once, in any of the loops.
static void test_parts_fail(void **state) {
    (void)state;
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        int threads = team_sizes[s];
        struct team *team = team_of(threads);
        double expected = numbers_sum(team);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            int failing = repeat % (threads + 1) - 1;
            struct phases phases = {.team = team,
                                    .failing = failing,
                                    .failing_phase = 1 + repeat % PHASES,
                                    .parts = repeat % 2 && failing < 2 ? 2 : 0};
            struct gabion_error error = expect_failure(phases_run, &phases);
            assert_non_null(strstr(error.text, "far too many things"));
            assert_int_equal(phases.current, phases.failing_phase);
            assert_int_equal(phases.wrong, 0);
            check_loops(team);
            double sum = numbers_sum(team);
            assert_memory_equal(&sum, &expected, sizeof sum);
        }
        team_destroy(team);
    }
}

struct loop {
    struct team *team;
    size_t failing; // index of the chunk that fails
};

static void loop_chunk(void *context, size_t begin, size_t end) {
    const struct loop *loop = context;
    memory_allocate(end - begin, 8, "left in the account");
    if (begin / 10 == loop->failing)
        exhaust(NULL);
}

static void loop_run(void *context) {
    struct loop *loop = context;
    team_for(loop->team, 1000, 10, loop_chunk, loop);
}

static void test_a_loop_fails_in_any_thread(void **state) {
    (void)state;
    for (size_t s = 0; s < TEAM_SIZES; s++) {
        struct team *team = team_of(team_sizes[s]);
        double expected = numbers_sum(team);
        for (size_t chunk = 0; chunk < 100; chunk++) {
            struct gabion_error error = expect_failure(loop_run, &(struct loop){team, chunk});
            assert_non_null(strstr(error.text, "far too many things"));
        }
        double sum = numbers_sum(team);
        assert_memory_equal(&sum, &expected, sizeof sum);
        check_loops(team);
        team_destroy(team);
    }
}

static void sum_run(void *context) { numbers_sum(context); }

// A team may serve several worlds: what it keeps for itself is in no world's account.
static void test_a_team_outlives_an_account(void **state) {
    (void)state;
    struct team *team = team_of(2);
    struct memory_account *account = account_create();
    struct gabion_error error = {0};
    assert_true(memory_try(account, sum_run, team, &error));
    memory_account_destroy(account);
    numbers_sum(team);
    team_destroy(team);

    account = account_create(); // also one that was created while the account was current
    struct memory_account *before = memory_account_use(account);
    team = team_of(2);
    memory_account_use(before);
    memory_account_destroy(account);
    numbers_sum(team);
    team_destroy(team);
}

static void load_topology(void *context) {
    struct gabion_error error = {0};
    struct topology **topology = context;
    *topology = topology_load(&error);
}

// hwloc's memory is in no account: it must not be under way when an allocation fails.
static void test_loading_the_topology_fails_at_every_allocation(void **state) {
    (void)state;
    struct topology *topology = NULL;
    expect_failure_after(0, load_topology, &topology);
    memory_fail_after(1);
    expect_success(load_topology, &topology);
    memory_fail_after(-1);
    assert_non_null(topology);
    topology_free(topology);
}

// Worlds --------------------------------------------------------------------------------------

struct trial {
    void (*build)(struct gabion_world *world);
    struct gabion_settings settings;
    struct gabion_law law;
    struct team *team;
    int steps;
    bool only_steps;  // allocations fail in the steps, not while the world is built
    int64_t allowed;  // allocations before the one that fails
    uint64_t hash;    // of the world after the steps
    bool failed_step; // in another way than for lack of memory
};

static void trial_run(void *context) {
    struct trial *trial = context;
    struct gabion_error error = {0};
    if (!trial->only_steps)
        memory_fail_after(trial->allowed);
    struct gabion_world *world = world_create(&trial->settings, trial->team, &error);
    gabion_add_material(world, "body", 1000, &error);
    gabion_add_material(world, "ground", 1000, &error);
    gabion_set_default_law(world, &trial->law, &error);
    trial->build(world);
    if (trial->only_steps)
        memory_fail_after(trial->allowed);
    for (int k = 0; k < trial->steps; k++)
        trial->failed_step |= !gabion_step(world, &error);
    memory_fail_after(-1);
    trial->hash = gabion_state_hash(world);
}

// Lets each allocation, or every third in short tests, fail in its turn until none is left that
// could. What a failure leaves is freed with the account; the team then serves the next trial.
static void trial_exhaust(struct trial *trial) {
    uint64_t expected = 0;
    bool done = false;
    for (trial->allowed = -1; !done; trial->allowed += effort(1, 3)) {
        struct memory_account *account = account_create();
        struct gabion_error error = {0};
        bool complete = memory_try(account, trial_run, trial, &error);
        memory_account_destroy(account);
        assert_false(trial->failed_step);
        if (!complete)
            assert_int_equal(error.status, GABION_ERROR_MEMORY);
        else if (trial->allowed < 0)
            expected = trial->hash;
        else
            done = true;
    }
    assert_true(trial->allowed > 10);
    assert_true(trial->hash == expected);
}

static void add_body(struct gabion_world *world, struct gabion_body body) {
    struct gabion_error error = {0};
    gabion_add_body(world, &body, &error);
}

static void build_mixture(struct gabion_world *world) {
    scene_floor(world);
    for (int k = 0; k < 8; k++)
        scene_sphere(world, vec3_make(0.15 * (k % 2), 0, 0.1 + 0.19 * (k / 2.0)), 0.1, 1,
                     vec3_zero());
    int bar = clump_scene_bar(world, 3, 0.1, 0.1);
    add_body(world, clump_scene_body(bar, vec3_make(2, 0, 0.09), (quat){1, 0, 0, 0}));
    int box = scene_box_shape(world, vec3_make(0.5, 0.5, 0.25));
    for (int k = 0; k < 3; k++)
        scene_block(world, box, vec3_make(4, 0.1 * k, 0.25 + 0.5 * k));
}

static struct gabion_settings trial_settings(enum gabion_method method) {
    struct gabion_settings settings = gabion_default_settings();
    settings.method = method;
    settings.max_sweeps = method == GABION_METHOD_QP ? 2 : 20;
    settings.on_cap = GABION_CAP_ACCEPT;
    return settings;
}

static void test_a_world_fails_at_every_allocation(void **state) {
    (void)state;
    struct team *team = team_of(2);
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        struct trial trial = {
            .build = build_mixture,
            .settings = trial_settings((enum gabion_method)method),
            .law = {.friction = method == GABION_METHOD_PSOR ? 0 : 0.5},
            .team = team,
            .steps = 2,
        };
        trial_exhaust(&trial);
    }
    team_destroy(team);
}

static void test_a_corrective_step_fails_at_every_allocation(void **state) {
    (void)state;
    struct team *team = team_of(2);
    struct trial trial = {
        .build = build_mixture,
        .settings = trial_settings(GABION_METHOD_BICG),
        .law = {.friction = INFINITY},
        .team = team,
        .steps = 2,
    };
    trial.settings.scheme = GABION_SCHEME_CORRECTIVE;
    trial.settings.budget = (struct gabion_budget){5, 5, 5};
    trial_exhaust(&trial);
    team_destroy(team);
}

// Enough grains (4096 are a part of the longest loops) for every loop to be cut into several parts,
// so that workers allocate, too.
#define LATTICE 17
static void build_lattice(struct gabion_world *world) {
    scene_floor(world);
    for (int k = 0; k < LATTICE * LATTICE * LATTICE; k++)
        scene_sphere(world,
                     vec3_scale(0.1999, vec3_make(k % LATTICE, k / LATTICE % LATTICE,
                                                  0.5 + (double)(k / (LATTICE * LATTICE)))),
                     0.1, 1, vec3_zero());
}

static void test_a_large_world_fails_at_every_allocation(void **state) {
    (void)state;
    struct team *team = team_of(3);
    struct trial trial = {
        .build = build_lattice,
        .settings = trial_settings(GABION_METHOD_NSGS),
        .law = {.friction = 0.5},
        .team = team,
        .steps = 1,
        .only_steps = true,
    };
    trial.settings.max_sweeps = 2;
    trial_exhaust(&trial);
    team_destroy(team);
}

int main(void) {
    numbers_fill();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_guard_the_program_ends),
        cmocka_unit_test(test_a_failure_names_what_and_how_much),
        cmocka_unit_test(test_an_earlier_error_is_kept),
        cmocka_unit_test(test_every_way_to_allocate_fails),
        cmocka_unit_test(test_lending_fails),
        cmocka_unit_test(test_phases_share_memory),
        cmocka_unit_test(test_parts_do_not_overlap),
        cmocka_unit_test(test_a_failed_resize_keeps_the_array),
        cmocka_unit_test(test_fail_after_counts_allocations),
        cmocka_unit_test(test_the_innermost_guard_catches),
        cmocka_unit_test(test_a_block_stays_with_its_account),
        cmocka_unit_test(test_any_thread_frees_any_block),
        cmocka_unit_test(test_parts_fail),
        cmocka_unit_test(test_a_loop_fails_in_any_thread),
        cmocka_unit_test(test_a_team_outlives_an_account),
        cmocka_unit_test(test_loading_the_topology_fails_at_every_allocation),
        cmocka_unit_test(test_a_world_fails_at_every_allocation),
        cmocka_unit_test(test_a_corrective_step_fails_at_every_allocation),
        cmocka_unit_test(test_a_large_world_fails_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
