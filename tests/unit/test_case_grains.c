// Clumps, containers and the plane in case files: what an entry builds, how the errors of a bad
// one are reported, and how disks and polygons move in two dimensions.
#include "tests/unit/case_text.h"

#define PI 3.14159265358979323846

static const char *const grain_case = BASE LAWS
    "bodies:\n"
    "- {name: bar, material: grain, bar: {count: 3, radius: 0.1, spacing: 0.2}, position: [1, 2, "
    "3]}\n"
    "- {name: ring, material: grain, torus: {count: 4, radius: 0.1, ring: 1}, position: [0, 0, "
    "9],\n"
    "   orientation: [1, 0, 1, 0]}\n"
    "- {name: pair, material: grain, position: [5, 0, 0], insert_time: 1,\n"
    "   clump: {spheres: [[0, 0, 0, 0.5], [3, 0, 0, 0.5]], inertia_of: union}}\n"
    "- {name: heavy, material: grain, position: [0, 5, 0], mass: 7, inertia: [1, 2, 3],\n"
    "   bar: {count: 2, radius: 0.1, spacing: 0.2}}\n"
    "containers:\n"
    "- {name: hollow, material: wall, hollow_sphere: {centre: [1, 2, 3], radius: 50}}\n"
    "- {name: drum, material: wall, drum: {centre: [0, 0, 1], axis: [0, 3, 4], radius: 40,\n"
    "   length: 90, ends: false}}\n"
    "generators:\n"
    "- {name: lattice, material: grain, lattice: {origin: [10, 0, 0], spacing: 2, count: [2, 2, "
    "1],\n"
    "   torus: {count: 5, radius: 0.1, ring: 0.5}}}\n"
    "- {name: fill, material: grain, fill: {min: [20, 0, 0], max: [24, 4, 4], count: 5, turned: "
    "true,\n"
    "   clump: {spheres: [[1, 0, 0, 0.3], [1.4, 0, 0, 0.2]]}}}\n"
    "drivers:\n"
    "- {group: drum, turn: {axis: [0, 1, 0], pivot: [0, 0, 0]}, rate: 10}\n";

static void near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * (1 + fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void grains_are_built(void **state) {
    (void)state;
    struct scene scene = build(grain_case);
    assert_string_equal(scene.error.text, "");
    const struct bodies *bodies = &scene.world->bodies;
    int32_t i = find_body(scene.world, "bar");
    assert_int_equal(bodies->shape[i], GABION_CLUMP);
    assert_vector(bodies->x[i], 1, 2, 3);
    near(bodies->mass[i], 3 * 2500 * 4.0 / 3 * PI * 1e-3);
    near(bodies_clump(bodies, i)->sphere[2].x, 0.2);
    i = find_body(scene.world, "ring");
    near(mat3_apply(quat_matrix(bodies->q[i]), bodies_clump(bodies, i)->sphere[0]).z, -1);
    i = find_body(scene.world, "heavy");
    assert_same(bodies->mass[i], 7);
    assert_vector(bodies->inertia[i], 1, 2, 3);
    assert_int_equal(scene.world->pending_count, 1);
    const struct clump *pair = bodies->clumps[scene.world->pending[0].body.clump];
    near(pair->centre.x, 1.5);
    near(pair->volume, 2 * PI / 6);
    tear_down(&scene);
}

static void containers_are_built(void **state) {
    (void)state;
    struct scene scene = build(grain_case);
    const struct bodies *bodies = &scene.world->bodies;
    int32_t i = find_body(scene.world, "hollow");
    assert_int_equal(bodies->shape[i], GABION_HOLLOW_SPHERE);
    assert_vector(bodies->x[i], 1, 2, 3);
    assert_same(bodies_hollow(bodies, i)->radius, 50);
    i = find_body(scene.world, "drum");
    const struct hollow *drum = bodies_hollow(bodies, i);
    near(drum->axis.y, 0.6);
    near(drum->axis.z, 0.8);
    assert_same(drum->half_length, 45);
    assert_false(drum->ends);
    assert_int_equal(scene.world->driver_count, 1);
    tear_down(&scene);
}

// Clumps are placed by their centre of mass, within the box.
struct ball {
    vec3 x;
    double r;
};

static struct ball ball_of(const struct bodies *bodies, int32_t i, int32_t k) {
    const struct clump *clump = bodies_clump(bodies, i);
    mat3 axes = quat_matrix(bodies->q[i]);
    return (struct ball){vec3_add(bodies->x[i], mat3_apply(axes, clump->sphere[k])),
                         clump->sphere_radius[k]};
}

// No sphere of clump i overlaps sphere k of clump j.
static void assert_apart(const struct bodies *bodies, int32_t i, int32_t j, int32_t k) {
    struct ball b = ball_of(bodies, j, k);
    for (int32_t m = 0; m < bodies_clump(bodies, i)->count; m++) {
        struct ball a = ball_of(bodies, i, m);
        assert_true(vec3_length(vec3_sub(a.x, b.x)) >= (a.r + b.r) * (1 - 1e-6));
    }
}

static void generators_place_clumps(void **state) {
    (void)state;
    struct scene scene = build(grain_case);
    const struct bodies *bodies = &scene.world->bodies;
    int lattice = 0, fill = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        const char *group = scene.world->groups.name[bodies->group[i]];
        if (strcmp(group, "lattice") == 0) {
            assert_vector(bodies->x[i], 10 + 2 * (lattice % 2), 2 * (lattice / 2), 0);
            lattice++;
        }
        if (strcmp(group, "fill") != 0)
            continue;
        fill++;
        assert_true(bodies->x[i].x >= 20 && bodies->x[i].x <= 24);
        assert_true(bodies->q[i].w != 1);
        for (int32_t j = 0; j < i; j++)
            for (int32_t k = 0;
                 bodies->shape[j] == GABION_CLUMP && k < bodies_clump(bodies, j)->count; k++)
                assert_apart(bodies, i, j, k);
    }
    assert_int_equal(lattice, 4);
    assert_int_equal(fill, 5);
    tear_down(&scene);
}

static void bad_grains_are_rejected(void **state) {
    (void)state;
#define BODY(shape) BASE LAWS "bodies: [{material: grain, position: [0, 0, 0], " shape "}]\n"
#define BOX(shape)                                                                                 \
    BASE LAWS "bodies: [" SPHERE "]\ncontainers: [{name: c, material: wall, " shape "}]\n"
    reject(BODY("bar: {count: 0, radius: 1, spacing: 1}"), "count");
    reject(BODY("torus: {count: 3, radius: 1}"), "ring");
    reject(BODY("clump: {spheres: [[0, 0, 1]]}"), "spheres");
    reject_build(BODY("clump: {spheres: [[0, 0, 0, -1]]}"), "radius above 0");
    reject_build(BODY("bar: {count: 100000, radius: 1, spacing: 1}"), "1 to 32767");
    reject(BODY("disk: {radius: 1}"), "needs the key plane");
    reject(BOX("drum: {centre: [0, 0, 0], axis: [0, 0, 0], radius: 1, length: 1}"), "axis");
    reject(BOX("hollow_sphere: {centre: [0, 0, 0], radius: 1}, walls: [zmin]"),
           "only a box has walls");
    reject(BOX("walls: [zmin]"), "exactly one of box, hollow_sphere, drum");
#undef BODY
#undef BOX
}

// Two dimensions ------------------------------------------------------------------------------

#define FLAT(plane, bodies) BASE LAWS "plane: " plane "\nbodies: [" bodies "]\n"

static void plane_locks(void **state) {
    (void)state;
    struct scene scene = build(FLAT("xz", SPHERE ", {name: late, material: grain, insert_time: 1, "
                                                 "disk: {radius: 0.5, thickness: 2}, position: "
                                                 "[3, 0, 0]}"));
    assert_string_equal(scene.error.text, "");
    unsigned lock = GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ;
    assert_int_equal(scene.world->bodies.lock[0], lock);
    const struct gabion_body *disk = &scene.world->pending[0].body;
    assert_int_equal(disk->lock, lock);
    near(disk->mass, 2500 * PI * 0.25 * 2);
    near(disk->inertia.y, 0.5 * disk->mass * 0.25);
    tear_down(&scene);
    reject(FLAT("xz", "{material: grain, disk: {radius: 1}, position: [0, 0, 0], "
                      "velocity: [1, 2, 0]}"),
           "velocity: expected 0 along y");
    reject(FLAT("xy", "{material: grain, disk: {radius: 1}, position: [0, 0, 0], spin: [1, 0, 0]}"),
           "spin: expected 0 along x");
    reject(FLAT("zx", SPHERE), "plane");
}

// Shaken lattices, random fills and random turns stay in the plane: disks that meet at different
// depths would push each other out of it, and the lock would carry the force.
static void generators_stay_in_plane(void **state) {
    (void)state;
    struct scene scene = build(
        BASE LAWS "plane: xz\n"
                  "generators:\n"
                  "  - {name: a, material: grain, lattice: {origin: [0, 7, 0], spacing: 3, count: "
                  "[3, 1, 3], jitter: 0.1, disk: {radius: 1}}}\n"
                  "  - {name: b, material: grain, fill: {min: [20, 6, 0], max: [40, 8, 20], count: "
                  "10, disk: {radius: 1}}}\n"
                  "  - {name: c, material: grain, lattice: {origin: [0, 7, 30], spacing: 6, count: "
                  "[3, 1, 1], bar: {count: 3, radius: 0.5, spacing: 0.8}, turned: true}}\n");
    assert_string_equal(scene.error.text, "");
    const struct bodies *bodies = &scene.world->bodies;
    int turned = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        assert_same(bodies->x[i].y, 7);
        assert_int_equal(bodies->lock[i], GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ);
        if (bodies->shape[i] != GABION_CLUMP)
            continue;
        const struct clump *bar = bodies_clump(bodies, i);
        vec3 end = mat3_apply(quat_matrix(bodies->q[i]), bar->sphere[0]);
        assert_true(fabs(end.y) < 1e-12);
        turned += fabs(end.z) > 0.01;
    }
    assert_int_equal(bodies->count, 22);
    assert_true(turned > 0);
    tear_down(&scene);
}

// A disk rolls down a slope with 2/3 g sin(alpha), a sphere in a plane with 5/7.
static void disks_roll(void **state) {
    (void)state;
    struct scene scene =
        build(FLAT("xz", "{material: wall, half_space: {normal: [3, 0, 4]}, position: [0, 0, 0]},"
                         "{name: disk, material: grain, disk: {radius: 0.5}, position: "
                         "[0.3, 0, 0.4]}, {name: ball, material: grain, sphere: {radius: 0.5}, "
                         "position: [8.3, 0, -5.6]}"));
    assert_string_equal(scene.error.text, "");
    struct gabion_error error = {0};
    for (int k = 0; k < 1000; k++)
        assert_true(gabion_step(scene.world, &error));
    const struct bodies *bodies = &scene.world->bodies;
    int32_t disk = find_body(scene.world, "disk"), ball = find_body(scene.world, "ball");
    double along = 9.81 * 0.6;
    assert_true(fabs(vec3_length(bodies->v[disk]) - 2.0 / 3 * along) < 1e-3);
    assert_true(fabs(vec3_length(bodies->v[ball]) - 5.0 / 7 * along) < 1e-3);
    assert_same(bodies->x[disk].y, 0);
    assert_same(bodies->v[disk].y, 0);
    tear_down(&scene);
}

// A square of side 1 in x-z that slides off its balance: it tips in the plane and nowhere else.
static void polygons_stay_in_plane(void **state) {
    (void)state;
    struct scene scene =
        build(FLAT("xz", "{material: wall, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]},"
                         "{name: square, material: grain, orientation: [1, 1, 0, 0], prism: "
                         "{polygon: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], height: "
                         "1}, position: [0, 0, 0.8], spin: [0, 2, 0]},"
                         "{name: disk, material: grain, disk: {radius: 0.2}, position: "
                         "[0.1, 0, 1.8]}"));
    assert_string_equal(scene.error.text, "");
    struct gabion_error error = {0};
    for (int k = 0; k < 1500; k++)
        assert_true(gabion_step(scene.world, &error));
    const struct bodies *bodies = &scene.world->bodies;
    int32_t square = find_body(scene.world, "square");
    vec3 axis = mat3_apply(quat_matrix(bodies->q[square]), vec3_make(0, 0, 1));
    near(fabs(axis.y), 1);
    assert_same(bodies->x[square].y, 0);
    assert_true(fabs(bodies->x[square].z - 0.5) < 1e-3); // on one of its sides
    tear_down(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_are_built),
        cmocka_unit_test(containers_are_built),
        cmocka_unit_test(generators_place_clumps),
        cmocka_unit_test(bad_grains_are_rejected),
        cmocka_unit_test(plane_locks),
        cmocka_unit_test(generators_stay_in_plane),
        cmocka_unit_test(disks_roll),
        cmocka_unit_test(polygons_stay_in_plane),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
