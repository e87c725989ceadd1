// When velocities travel between two ranks in a sweep: bodies with random colours, followed colour
// by colour.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/solvers/sweep/due.h"
#include "parallel/random.h"

#define BODIES 40

struct scene {
    uint64_t used[BODIES], read[BODIES], due[BODIES];
    int count, colours;
};

static uint64_t random_set(struct random_stream *random, int colours) {
    uint64_t below = colours < 64 ? ((uint64_t)1 << colours) - 1 : UINT64_MAX;
    return random_bits(random) & random_bits(random) & below;
}

static struct scene random_scene(uint64_t seed) {
    struct random_stream random = {seed};
    struct scene scene = {0};
    scene.colours = 1 + (int)(random_bits(&random) % 64);
    scene.count = 1 + (int)(random_bits(&random) % BODIES);
    for (int i = 0; i < scene.count; i++) {
        uint64_t read = random_set(&random, scene.colours) & random_set(&random, scene.colours);
        scene.read[i] = read ? read : 1;
        scene.used[i] = scene.read[i] | random_set(&random, scene.colours);
    }
    due_find(scene.used, scene.read, (size_t)scene.count, scene.due);
    return scene;
}

// Follows a body over three sweeps. Whatever a rank knows of it is how often it had changed then.
static void follow(const struct scene *scene, int i) {
    int owner = 0, reader = 0;
    for (int time = 0; time < 3 * scene->colours; time++) {
        int colour = time % scene->colours;
        if (scene->due[i] >> colour & 1) {
            assert_true(reader != owner || time < scene->colours); // nothing travels in vain
            reader = owner;
        }
        if (scene->read[i] >> colour & 1) {
            assert_int_equal(reader, owner);
            reader = ++owner; // both solve the node
        } else if (scene->used[i] >> colour & 1) {
            owner++;
        }
    }
}

static void test_readers_are_up_to_date(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct scene scene = random_scene(seed);
        for (int i = 0; i < scene.count; i++)
            follow(&scene, i);
    }
}

// Messages that are as late as possible are as few: a body's next read is a deadline, and a message
// takes all bodies along that change no more before theirs.
static int count_latest(const struct scene *scene) {
    int messages = 0, stale_since[BODIES];
    for (int i = 0; i < scene->count; i++)
        stale_since[i] = (scene->used[i] & ~scene->read[i]) > scene->read[i] ? 0 : -1;
    for (int colour = 0; colour < scene->colours; colour++) {
        int needed = 0;
        for (int i = 0; i < scene->count; i++)
            needed |= (scene->read[i] >> colour & 1) && stale_since[i] >= 0;
        messages += needed;
        for (int i = 0; i < scene->count; i++) {
            uint64_t used = scene->used[i] >> colour & 1, read = scene->read[i] >> colour & 1;
            stale_since[i] = used && !read ? colour : needed ? -1 : stale_since[i];
        }
    }
    return messages;
}

static void test_fewest_messages(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct scene scene = random_scene(seed);
        uint64_t places = 0;
        for (int i = 0; i < scene.count; i++)
            places |= scene.due[i];
        assert_int_equal(__builtin_popcountll(places), count_latest(&scene));
    }
}

// One body: changed by 0 and 2, read by 3 and 5; and changed by 4 alone.
static void test_by_hand(void **state) {
    (void)state;
    const uint64_t used[] = {1 << 0 | 1 << 2 | 1 << 3 | 1 << 5, 1 << 1 | 1 << 4};
    const uint64_t read[] = {1 << 3 | 1 << 5, 1 << 1};
    uint64_t due[2];
    due_find(used, read, 1, due);
    assert_int_equal(due[0], 1 << 3);
    due_find(used + 1, read + 1, 1, due);
    assert_int_equal(due[0], 1 << 0);
    due_find(used, used, 2, due);
    assert_int_equal(due[0] | due[1], 0); // nobody else changed it
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_are_up_to_date),
        cmocka_unit_test(test_fewest_messages),
        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
