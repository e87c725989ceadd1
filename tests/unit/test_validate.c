// The validators of engine/step/validate.h: a sound world passes after every phase; each defect is
// found and named. In a debug build every other test runs under them.
#include "tests/unit/scene.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/motion/midpoint.h"
#include "engine/step/validate.h"

// Two spheres and a block at rest on a floor, with friction.
static struct gabion_world *make_world(void) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    scene_floor(world);
    scene_sphere(world, vec3_make(0, 0, 0.1), 0.1, 1, vec3_make(0.1, 0, 0));
    scene_sphere(world, vec3_make(0.2, 0, 0.1), 0.1, 1, vec3_zero());
    scene_block(world, scene_box_shape(world, vec3_make(0.1, 0.1, 0.1)), vec3_make(1, 0, 0.1));
    scene_step(world, 3);
    assert_true(world->contacts->count >= 6);
    return world;
}

static void assert_sound(const struct gabion_world *world) {
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct gabion_error error = {0};
        if (!validate_phase(world, (enum phase)phase, &error))
            fail_msg("%s: %s", phase_names[phase], error.text);
    }
}

static void assert_defect(const struct gabion_world *world, enum phase phase, const char *text) {
    struct gabion_error error = {0};
    assert_false(validate_phase(world, phase, &error));
    if (!strstr(error.text, text))
        fail_msg("'%s' does not say '%s'", error.text, text);
}

// Puts a value in place of another, looks for the defect and puts the old one back.
#define ASSERT_DEFECT(world, phase, place, value, text)                                            \
    do {                                                                                           \
        __typeof__(place) kept = (place);                                                          \
        (place) = (value);                                                                         \
        assert_defect(world, phase, text);                                                         \
        (place) = kept;                                                                            \
        assert_sound(world);                                                                       \
    } while (0)

static void test_bodies(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    struct bodies *bodies = &world->bodies;
    int32_t fixed = bodies->moving, block = bodies->moving - 1;
    while (bodies->shape[block] != GABION_POLYHEDRON)
        block--;
    assert_sound(world);
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->moving, bodies->count + 1, "moving bodies of");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->index_of[bodies->id[1]], 0, "does not lead back");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->id[1], bodies->id_count, "does not lead back");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->shape_index[block], 1, "shape does not exist");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->shape_index[0], 0, "shape does not exist");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->shape_index[fixed], -1, "shape does not exist");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->mass[0], 0, "moves without a mass");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->mass[0], NAN, "moves without a mass");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->mass[fixed], 1, "fixed and has a mass");
    ASSERT_DEFECT(world, PHASE_EVENTS, bodies->inertia[0].y, NAN, "inertia");
    ASSERT_DEFECT(world, PHASE_INTEGRATE, bodies->x[1].z, NAN, "position");
    ASSERT_DEFECT(world, PHASE_INTEGRATE, bodies->v[1].y, INFINITY, "velocity");
    ASSERT_DEFECT(world, PHASE_PROJECT, bodies->w[1].x, NAN, "velocity");
    ASSERT_DEFECT(world, PHASE_PROJECT, bodies->q[1].w, 0.9, "quaternion");
    scene_destroy(world);
}

static void test_midpoint(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    ASSERT_DEFECT(world, PHASE_BROAD, world->midpoint->x_m[2].x, NAN, "midpoint");
    ASSERT_DEFECT(world, PHASE_BROAD, world->midpoint->v_free[2].x, NAN, "midpoint");
    ASSERT_DEFECT(world, PHASE_BROAD, world->midpoint->s_free[2].x, NAN, "midpoint");
    ASSERT_DEFECT(world, PHASE_BROAD, world->midpoint->axes_m[2].row[1].y, NAN, "midpoint");
    scene_destroy(world);
}

static void test_contacts(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    struct contact *list = world->contacts->list;
    int32_t moving = world->bodies.moving, count = world->bodies.count;
    ASSERT_DEFECT(world, PHASE_NARROW, list[0].c, -1, "first body");
    ASSERT_DEFECT(world, PHASE_NARROW, list[0].c, moving, "first body");
    ASSERT_DEFECT(world, PHASE_NARROW, list[0].a, list[0].c, "second body");
    ASSERT_DEFECT(world, PHASE_CONTACTS, list[0].a, count, "second body");
    ASSERT_DEFECT(world, PHASE_CONTACTS, list[world->contacts->count - 1].c, 0, "come before");
    ASSERT_DEFECT(world, PHASE_CONTACTS, list[0].law, (uint16_t)world->laws.count, "law");
    ASSERT_DEFECT(world, PHASE_CONTACTS, list[0].normal.x, list[0].normal.x + 1e-3, "normal");
    ASSERT_DEFECT(world, PHASE_SOLVE, list[0].gap, NAN, "gap");
    ASSERT_DEFECT(world, PHASE_SOLVE, list[0].point.x, NAN, "point");
    scene_destroy(world);
}

static void test_impulses(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    vec3 n = world->contacts->list[0].normal, s, t;
    vec3 *impulse = &world->contacts->impulse[0];
    vec3_tangents(n, &s, &t);
    ASSERT_DEFECT(world, PHASE_SOLVE, *impulse, vec3_negate(n), "outside the friction cone");
    ASSERT_DEFECT(world, PHASE_SOLVE, *impulse, vec3_add_scaled(n, 0.5001, s), "outside the");
    *impulse = vec3_add_scaled(n, 0.4999, s);
    assert_sound(world);
    // A square around the circle reaches further.
    *impulse = vec3_add_scaled(n, 0.7, s);
    world->settings.cone = (struct gabion_cone){.sides = 4, .outer = true};
    assert_sound(world);
    world->laws.law[world->contacts->list[0].law].friction = INFINITY;
    *impulse = vec3_add_scaled(n, 1e9, s);
    assert_sound(world);
    *impulse = vec3_zero();
    assert_sound(world);
    ASSERT_DEFECT(world, PHASE_SOLVE, *impulse, vec3_negate(n), "outside the friction cone");
    scene_destroy(world);
}

// The hook in every phase: a debug build aborts, others go on.
static void test_hook(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    world->bodies.q[0].w = 2;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fclose(stderr); // the report
        validate_after(world, PHASE_INTEGRATE);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef GABION_CHECKS
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
#else
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),   cmocka_unit_test(test_midpoint),
        cmocka_unit_test(test_contacts), cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
