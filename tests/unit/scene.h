// Small scenes for the physics tests: a world with planes and spheres, stepped and looked into.
// Values from closed forms are asserted on doubles; cmocka's own float comparison is too coarse.
#ifndef TESTS_UNIT_SCENE_H
#define TESTS_UNIT_SCENE_H

// cmocka wants these before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/api/define.h"
#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/gap.h"
#include "engine/motion/motion.h"
#include "engine/solvers/sweep/plan.h"
#include "engine/step/solve.h"
#include "engine/step/step.h"
#include "engine/world/world.h"
#include "parallel/random.h"

#define PI 3.14159265358979323846

#define assert_near(value, reference, tolerance)                                                   \
    scene_assert_near(value, reference, tolerance, #value, __FILE__, __LINE__)
#define assert_at_most(value, limit) scene_assert_at_most(value, limit, #value, __FILE__, __LINE__)
#define assert_vector_near(value, reference, tolerance)                                            \
    scene_assert_near(vec3_length(vec3_sub(value, reference)), 0, tolerance,                       \
                      "|" #value " - " #reference "|", __FILE__, __LINE__)

static inline void scene_assert_near(double value, double reference, double tolerance,
                                     const char *what, const char *file, int line) {
    if (fabs(value - reference) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g within %g, off by %g\n", what, value, reference,
                tolerance, value - reference);
    _fail(file, line);
}

static inline void scene_assert_at_most(double value, double limit, const char *what,
                                        const char *file, int line) {
    if (value <= limit)
        return;
    print_error("%s = %.17g, expected at most %g\n", what, value, limit);
    _fail(file, line);
}

// What scene_settings says; scene_run_methods sets it.
static enum gabion_method scene_method = GABION_METHOD_NSGS;

// Any method that takes any contact, with any local solver and any polygon. On many contacts only
// those whose cost does not grow faster than theirs. psor takes frictionless laws alone: see
// scene_draw_friction.
static inline void scene_draw_solver(struct random_stream *random, bool large,
                                     struct gabion_settings *settings) {
    static const enum gabion_method any_size[] = {GABION_METHOD_NSGS,     GABION_METHOD_NEWTON,
                                                  GABION_METHOD_PSOR,     GABION_METHOD_CPG,
                                                  GABION_METHOD_ANDERSON, GABION_METHOD_AUTO};
    settings->method = any_size[(int)(6 * random_unit(random))];
    if (!large && random_unit(random) < 0.5)
        settings->method = (enum gabion_method)(GABION_METHOD_COUNT * random_unit(random));
    if (settings->method == GABION_METHOD_QP && settings->max_sweeps > 3)
        settings->max_sweeps = 3; // whole programs, each with many changes of its active set
    settings->local = (enum gabion_local)(GABION_LOCAL_COUNT * random_unit(random));
    if (large && (settings->local == GABION_LOCAL_LEMKE || settings->local == GABION_LOCAL_QP))
        settings->local = GABION_LOCAL_AUTO;
    settings->cone = (struct gabion_cone){.sides = 3 + (int)(8 * random_unit(random)),
                                          .angle = 3 * random_unit(random)};
}

static inline void scene_leave_stabilized(struct gabion_settings *settings, enum gabion_gap gap) {
    settings->gap = gap;
    settings->gamma = 1;
    settings->restitution_velocity = GABION_RESTITUTION_CORRECTED;
}

static inline void scene_draw_gap(struct random_stream *random, struct gabion_settings *settings) {
    settings->gap = (enum gabion_gap)(3 * random_unit(random));
    settings->gamma = random_unit(random) < 0.5 ? 1 : random_between(random, 0.1, 1);
    settings->restitution_velocity =
        random_unit(random) < 0.8 ? GABION_RESTITUTION_CORRECTED : GABION_RESTITUTION_UNCORRECTED;
    if (settings->gap != GABION_GAP_STABILIZED)
        scene_leave_stabilized(settings, settings->gap);
}

// A position pass, now and then.
static inline void scene_draw_projection(struct random_stream *random,
                                         struct gabion_settings *settings) {
    if (random_unit(random) < 0.2)
        settings->projection = 1 + (int)(20 * random_unit(random));
}

// Or the corrective scheme. Few of its iterations may drive bodies of which little can move to any
// speed: not for blocks that are held by their locks.
static inline void scene_draw_scheme(struct random_stream *random,
                                     struct gabion_settings *settings) {
    scene_draw_projection(random, settings);
    if (settings->projection > 0 || random_unit(random) < 0.8)
        return;
    settings->scheme = GABION_SCHEME_CORRECTIVE;
    settings->method = GABION_METHOD_BICG;
    if (settings->gap == GABION_GAP_STABILIZED) // belongs to the other scheme
        scene_leave_stabilized(settings, GABION_GAP_GAP);
    settings->budget =
        (struct gabion_budget){(int)(20 * random_unit(random)), (int)(20 * random_unit(random)),
                               (int)(20 * random_unit(random))};
}

// The corrective scheme knows contacts that slide freely or stick.
static inline struct gabion_law scene_suit_law(const struct gabion_settings *settings,
                                               struct gabion_law law) {
    if (settings->scheme != GABION_SCHEME_CORRECTIVE)
        return law;
    return (struct gabion_law){.friction = law.friction > 0.5 ? INFINITY : 0,
                               .restitution = law.restitution};
}

static inline double scene_draw_friction(struct random_stream *random, const double *frictions,
                                         int count, enum gabion_method method) {
    double friction = frictions[(int)(count * random_unit(random))];
    return method == GABION_METHOD_PSOR ? 0 : friction;
}

// Settings of the exact rows: solver tolerance 1e-10, and an unconverged step stops the test.
static inline struct gabion_settings scene_settings(double step, double theta) {
    struct gabion_settings settings = gabion_default_settings();
    settings.step = step;
    settings.theta = theta;
    settings.method = scene_method;
    settings.tolerance = 1e-10;
    settings.max_sweeps = 200000;
    settings.on_cap = GABION_CAP_STOP;
    return settings;
}

enum { SCENE_BODY, SCENE_GROUND }; // materials

// An empty world on one thread; `law` holds between all bodies.
static inline struct gabion_world *scene_create(const struct gabion_settings *settings,
                                                struct gabion_law law) {
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    assert_non_null(team);
    struct gabion_world *world = world_create(settings, team, &error);
    if (!world)
        fail_msg("%s", error.text);
    assert_int_equal(gabion_add_material(world, "body", 1000, NULL), SCENE_BODY);
    assert_int_equal(gabion_add_material(world, "ground", 1000, NULL), SCENE_GROUND);
    assert_true(gabion_set_default_law(world, &law, &error));
    return world;
}

static inline void scene_free(struct gabion_world *world) {
    struct team *team = world->team;
    gabion_destroy(world);
    team_destroy(team);
}

// Ends a run whose method solved every step by itself: sweeps that went on for it would hide that
// it fails. Tests about such failures end with scene_free.
static inline void scene_destroy(struct gabion_world *world) {
    assert_int_equal(world->run.fallback_steps, 0);
    scene_free(world);
}

static inline int32_t scene_add(struct gabion_world *world, const struct gabion_body *body) {
    struct gabion_error error = {0};
    int32_t id = gabion_add_body(world, body, &error);
    if (id < 0)
        fail_msg("%s", error.text);
    return id;
}

static inline struct gabion_body scene_plane_body(vec3 point, vec3 normal) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.position = point;
    body.normal = normal;
    body.material = SCENE_GROUND;
    body.fixed = true;
    return body;
}

static inline int32_t scene_plane(struct gabion_world *world, vec3 point, vec3 normal) {
    struct gabion_body body = scene_plane_body(point, normal);
    return scene_add(world, &body);
}

static inline int32_t scene_floor(struct gabion_world *world) {
    return scene_plane(world, vec3_zero(), vec3_make(0, 0, 1));
}

static inline struct gabion_body scene_sphere_body(vec3 centre, double radius, double mass) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_SPHERE;
    body.position = centre;
    body.radius = radius;
    body.mass = mass;
    body.material = SCENE_BODY;
    return body;
}

static inline int32_t scene_sphere(struct gabion_world *world, vec3 centre, double radius,
                                   double mass, vec3 velocity) {
    struct gabion_body body = scene_sphere_body(centre, radius, mass);
    body.velocity = velocity;
    return scene_add(world, &body);
}

// Takes the shape over and returns its number.
static inline int scene_shape(struct gabion_world *world, struct polyhedron *shape) {
    struct gabion_error error = {0};
    int number = shape ? world_add_polyhedron(world, shape, &error) : -1;
    assert_true(number >= 0);
    return number;
}

static inline int scene_box_shape(struct gabion_world *world, vec3 half) {
    struct gabion_error error = {0};
    return scene_shape(world, polyhedron_box(half, &error));
}

static inline struct gabion_body scene_block_body(int shape, vec3 position) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_POLYHEDRON;
    body.polyhedron = shape;
    body.position = position;
    body.material = SCENE_BODY;
    body.density = 1000;
    return body;
}

static inline int32_t scene_block(struct gabion_world *world, int shape, vec3 position) {
    struct gabion_body body = scene_block_body(shape, position);
    return scene_add(world, &body);
}

static inline int32_t scene_fixed_block(struct gabion_world *world, int shape, vec3 position) {
    struct gabion_body body = scene_block_body(shape, position);
    body.fixed = true;
    body.material = SCENE_GROUND;
    return scene_add(world, &body);
}

// Impulse of a contact of the list, on its body c.
static inline vec3 scene_contact_impulse(const struct gabion_world *world,
                                         const struct contact *contact) {
    return world->contacts->impulse[contacts_index(world->contacts, contact)];
}

// Impulse of the last step on `id` from all points of its contact with `other`.
static inline vec3 scene_pair_impulse(const struct gabion_world *world, int32_t id, int32_t other) {
    int32_t i = world->bodies.index_of[id], j = world->bodies.index_of[other];
    vec3 sum = vec3_zero();
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if (contact->c == i && contact->a == j)
            sum = vec3_add(sum, scene_contact_impulse(world, contact));
        if (contact->c == j && contact->a == i)
            sum = vec3_sub(sum, scene_contact_impulse(world, contact));
    }
    return sum;
}

static inline void scene_step(struct gabion_world *world, int steps) {
    for (int k = 0; k < steps; k++) {
        struct gabion_error error = {0};
        if (!gabion_step(world, &error))
            fail_msg("%s", error.text);
    }
}

// Phases of a step (engine/step/moreau.c) for tests that go through one by hand: the next step's
// events, the midpoint, and the contacts there, which start without impulses.
static inline void scene_enter_step(struct gabion_world *world) {
    step_enter(world);
    step_leave(world);
    step_account(world);
}

static inline void scene_find_contacts(struct gabion_world *world) {
    motion_predict_free(world);
    motion_predict_fixed(world);
    motion_predict_driven(world);
    motion_predict_masses(world);
    detection_broad(world);
    detection_narrow(world);
}

// Lays out the problem of the contacts found, for solve_run. solve_close must follow.
static inline void scene_open_problem(struct gabion_world *world) {
    solve_admit(world);
    gap_activate(world);
    joint_points_find(world);
    solve_open(world);
}

// The plan of the sweeps of the last step, or of the problem that is open.
static inline const struct sweep_plan *scene_plan(const struct gabion_world *world) {
    return workspace_peek(world->workspace);
}

// The problem of the last step as rows alone, which is how methods see one from a file: vectors go
// over its rows. Free it with contact_problem_free.
static inline struct contact_problem *scene_rows(const struct gabion_world *world) {
    struct contact_problem *problem = solve_problem(world);
    contact_problem_materialise(problem);
    problem->views = (struct contact_views){0};
    return problem;
}

// Whether a body is in the run, and the parts of its state that are asked for.
static inline bool scene_state(const struct gabion_world *world, int32_t id, vec3 *x, quat *q,
                               vec3 *v, vec3 *w) {
    struct gabion_body_state state = {0};
    bool present = gabion_get_body(world, id, &state, NULL);
    if (x)
        *x = state.position;
    if (q)
        *q = state.orientation;
    if (v)
        *v = state.velocity;
    if (w)
        *w = state.spin;
    return present;
}

static inline vec3 scene_probe(const struct gabion_world *world, int probe) {
    vec3 value = vec3_zero();
    assert_true(gabion_probe_value(world, probe, &value, NULL));
    return value;
}

static inline vec3 scene_position(const struct gabion_world *world, int32_t id) {
    vec3 x = {NAN, NAN, NAN};
    assert_true(scene_state(world, id, &x, NULL, NULL, NULL));
    return x;
}

static inline vec3 scene_velocity(const struct gabion_world *world, int32_t id) {
    vec3 v = {NAN, NAN, NAN};
    assert_true(scene_state(world, id, NULL, NULL, &v, NULL));
    return v;
}

static inline vec3 scene_spin(const struct gabion_world *world, int32_t id) {
    vec3 w = {NAN, NAN, NAN};
    assert_true(scene_state(world, id, NULL, NULL, NULL, &w));
    return w;
}

// The contact between two bodies after the last step, or NULL.
static inline const struct contact *scene_contact(const struct gabion_world *world, int32_t id,
                                                  int32_t other) {
    int32_t i = world->bodies.index_of[id], j = world->bodies.index_of[other];
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if ((contact->c == i && contact->a == j) || (contact->c == j && contact->a == i))
            return contact;
    }
    return NULL;
}

// Impulse of the last step on `id` from `other`; zero when they do not meet.
static inline vec3 scene_impulse(const struct gabion_world *world, int32_t id, int32_t other) {
    const struct contact *contact = scene_contact(world, id, other);
    if (!contact)
        return vec3_zero();
    bool mine = contact->c == world->bodies.index_of[id];
    vec3 p = scene_contact_impulse(world, contact);
    return mine ? p : vec3_negate(p);
}

static inline double scene_normal_impulse(const struct gabion_world *world, int32_t id,
                                          int32_t other) {
    const struct contact *contact = scene_contact(world, id, other);
    return contact ? vec3_dot(scene_contact_impulse(world, contact), contact->normal) : 0;
}

static inline double scene_energy(const struct gabion_world *world) {
    return world->ledger.kinetic + world->ledger.potential;
}

// The books of the run so far (validation 2.1, note): every joule is named. Beside the turnover,
// which a scene at rest does not have, the energies themselves are rounded once per step.
static inline void scene_assert_ledger(const struct gabion_world *world) {
    const struct ledger *ledger = &world->ledger;
    double energies = fabs(ledger->kinetic) + fabs(ledger->potential);
    double rounding = 4 * DBL_EPSILON * energies * (double)world->step;
    assert_at_most(fabs(ledger->energy_error), 1e-11 * ledger->turnover + rounding);
    assert_false(ledger_failed(ledger));
}

static inline struct gabion_signal scene_signal(enum gabion_signal_kind kind, double amplitude,
                                                double start, double end) {
    return (struct gabion_signal){.kind = kind, .amplitude = amplitude, .start = start, .end = end};
}

static inline void scene_drive(struct gabion_world *world, int group, vec3 direction,
                               struct gabion_signal signal) {
    struct gabion_error error = {0};
    if (!gabion_add_driver(world, group, direction, &signal, &error))
        fail_msg("%s", error.text);
}

static inline vec3 scene_random_unit(struct random_stream *random) {
    for (;;) {
        vec3 a = {random_between(random, -1, 1), random_between(random, -1, 1),
                  random_between(random, -1, 1)};
        double length = vec3_length(a);
        if (length > 0.1 && length < 1)
            return vec3_scale(1 / length, a);
    }
}

// Runs tests whose scenes hold blocks by each method. Returns how many failed.
static inline int scene_run_methods(const struct CMUnitTest *tests, size_t count) {
    const enum gabion_method methods[] = {GABION_METHOD_NSGS, GABION_METHOD_NEWTON};
    const char *const names[] = {"nsgs", "newton"};
    int failed = 0;
    for (int k = 0; k < 2; k++) {
        scene_method = methods[k];
        failed += _cmocka_run_group_tests(names[k], tests, count, NULL, NULL);
    }
    return failed;
}

// A rotation of the whole scene: by `angle` about `axis`.
static inline mat3 scene_rotation(vec3 axis, double angle) {
    return quat_matrix(quat_normalize(quat_exp(vec3_scale(angle, axis))));
}

#endif
