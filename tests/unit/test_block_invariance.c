// Validation 13: what must not change the results of a scene with blocks. Place, orientation and
// scale: the first 50 steps, to 1e-9. The number of threads: bit by bit.
#include "tests/unit/effort.h"
#include "tests/unit/scene.h"

#define LOOSE  16
#define BRICKS 4
#define BLOCKS (LOOSE + BRICKS)
#define STEPS  50
#define EQUAL  1e-9

// How a scene is placed in the world.
struct placement {
    vec3 shift;
    quat turn;
    double length; // unit of length, ten in the scene as it is: blocks of 1 to 2 m; times go with
                   // its square root, gravity stays
};

struct state {
    vec3 x[BLOCKS], v[BLOCKS], w[BLOCKS]; // as they would be in the scene that was not moved
    int contacts;
};

static vec3 turned(const struct placement *p, vec3 a) {
    return mat3_apply(quat_matrix(p->turn), a);
}

static vec3 turned_back(const struct placement *p, vec3 a) {
    return mat3_apply_transposed(quat_matrix(p->turn), a);
}

static void add(struct gabion_world *world, const struct placement *p, struct gabion_body body) {
    double time = sqrt(p->length);
    body.position = vec3_add(p->shift, turned(p, vec3_scale(p->length, body.position)));
    body.orientation = quat_normalize(quat_multiply(p->turn, body.orientation));
    body.velocity = turned(p, vec3_scale(time, body.velocity)); // length / time = time
    body.spin = turned(p, vec3_scale(1 / time, body.spin));
    scene_add(world, &body);
}

static int prism_shape(struct gabion_world *world, int sides, double radius, double half) {
    double polygon[8][2];
    struct gabion_error error = {0};
    for (int k = 0; k < sides; k++) {
        polygon[k][0] = radius * cos(2 * PI * k / sides);
        polygon[k][1] = radius * sin(2 * PI * k / sides);
    }
    return scene_shape(world,
                       polyhedron_prism((const double(*)[2])polygon, sides, -half, half, &error));
}

// Boxes, wedges and other prisms thrown into a corner of three planes, and beside them a leaning
// stack that stands.
static struct gabion_world *corner_create(const struct placement *p) {
    struct gabion_settings settings = scene_settings(1e-3 * sqrt(p->length), 0.5);
    settings.gravity = turned(p, vec3_make(0, 0, -9.81));
    settings.tolerance = 1e-12;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.4});
    const vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int k = 0; k < 3; k++)
        scene_plane(world, p->shift, turned(p, normals[k]));
    double s = p->length;
    const int shapes[] = {
        scene_box_shape(world, vec3_make(0.1 * s, 0.05 * s, 0.04 * s)),
        prism_shape(world, 3, 0.08 * s, 0.1 * s),
        prism_shape(world, 5, 0.07 * s, 0.05 * s),
        prism_shape(world, 8, 0.06 * s, 0.06 * s),
    };
    struct random_stream random = {14};
    for (int k = 0; k < BRICKS; k++) {
        struct gabion_body body =
            scene_block_body(shapes[0], vec3_make(1.5 + 0.03 * k, 1, 0.04 + 0.08 * k));
        body.orientation = quat_about(vec3_make(0, 0, 1), 0.1 * k);
        add(world, p, body);
    }
    for (int k = 0; k < LOOSE; k++) {
        vec3 x = {0.15 + 0.23 * (k % 4) + random_between(&random, 0, 0.01),
                  0.18 + 0.23 * (k / 4 % 2) + random_between(&random, 0, 0.01),
                  0.13 + 0.23 * (k / 8) + random_between(&random, 0, 0.01)};
        struct gabion_body body = scene_block_body(shapes[k % 4], x);
        body.orientation = quat_about(scene_random_unit(&random), random_between(&random, 0, PI));
        body.velocity = vec3_add(vec3_make(-0.7, -1.5, -1), scene_random_unit(&random));
        body.spin = vec3_scale(5, scene_random_unit(&random));
        add(world, p, body);
    }
    return world;
}

static void corner_run(const struct placement *p, struct state *state) {
    struct gabion_world *world = corner_create(p);
    double time = sqrt(p->length);
    scene_step(world, STEPS);
    for (int k = 0; k < BLOCKS; k++) {
        vec3 x = vec3_sub(scene_position(world, 3 + k), p->shift);
        state->x[k] = vec3_scale(1 / p->length, turned_back(p, x));
        state->v[k] = vec3_scale(1 / time, turned_back(p, scene_velocity(world, 3 + k)));
        state->w[k] = vec3_scale(time, turned_back(p, scene_spin(world, 3 + k)));
    }
    state->contacts = (int)world->report.contacts;
    scene_assert_ledger(world);
    scene_destroy(world);
}

static const struct placement home = {{0, 0, 0}, {1, 0, 0, 0}, 10};

static void assert_same(const struct placement *placement) {
    static struct state expected, found;
    double x = 0, v = 0;
    corner_run(&home, &expected);
    corner_run(placement, &found);
    for (int k = 0; k < BLOCKS; k++) {
        x = fmax(x, vec3_length(vec3_sub(found.x[k], expected.x[k])));
        v = fmax(v, vec3_length(vec3_sub(found.v[k], expected.v[k])));
        v = fmax(v, 0.1 * vec3_length(vec3_sub(found.w[k], expected.w[k])));
    }
    print_message("largest difference after %d steps: %.1e m, %.1e m/s, %d contacts\n", STEPS, x, v,
                  found.contacts);
    assert_true(expected.contacts > 20);
    assert_at_most(x, EQUAL);
    assert_at_most(v, EQUAL);
}

static void test_translation(void **state) {
    (void)state;
    struct placement placement = home;
    placement.shift = vec3_make(1000, -500, 20);
    assert_same(&placement);
}

static void test_rotation(void **state) {
    (void)state;
    struct random_stream random = {9};
    for (int k = 0; k < 3; k++) {
        struct placement placement = home;
        placement.turn = quat_about(scene_random_unit(&random), random_between(&random, 0.5, PI));
        assert_same(&placement);
    }
}

static void test_scaling(void **state) {
    (void)state;
    const double lengths[] = {40, 0.1, 370};
    for (int k = 0; k < 3; k++) {
        struct placement placement = home;
        placement.length = lengths[k];
        assert_same(&placement);
    }
}

// Threads -----------------------------------------------------------------------------------------

// A wall that is knocked over: enough contact points for each of three threads to have its share.
static uint64_t wall_hash(int threads, enum gabion_local local) {
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_error error = {0};
    settings.method = scene_method;
    settings.local = local;
    settings.max_sweeps = 20;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct team *team = team_create(threads, NULL, &error);
    struct gabion_world *world = world_create(&settings, team, &error);
    assert_non_null(world);
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    assert_true(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.6}, &error));
    scene_floor(world);
    int shape = scene_box_shape(world, vec3_make(0.1, 0.05, 0.04));
    int courses = scene_method == GABION_METHOD_NSGS ? 40 : 20;
    for (int course = 0; course < courses; course++)
        for (int k = 0; k < 30; k++) {
            struct gabion_body body = scene_block_body(
                shape, vec3_make(0.2 * k + 0.1 * (course % 2), 0, 0.04 + 0.08 * course));
            body.velocity = vec3_make(0, 0.1 * course, 0.01 * k);
            scene_add(world, &body);
        }
    scene_step(world, effort(3, 1));
    assert_true(scene_method != GABION_METHOD_NSGS || scene_plan(world)->general > 9000);
    uint64_t hash = gabion_state_hash(world);
    gabion_destroy(world);
    team_destroy(team);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    int locals = scene_method == GABION_METHOD_NSGS ? 2 : 1; // newton has no local solver
    for (int exact = 0; exact < locals; exact++) {
        enum gabion_local local = exact ? GABION_LOCAL_EXACT : GABION_LOCAL_AUTO;
        uint64_t one = wall_hash(1, local);
        assert_int_equal(one, wall_hash(2, local));
        assert_int_equal(one, wall_hash(3, local));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translation),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_threads),
    };
    return scene_run_methods(tests, sizeof tests / sizeof *tests);
}
