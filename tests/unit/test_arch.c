// Dry arches at the border between standing and falling (validation 10); tests/validation/arches.c
// has all rows at full length, arch_limit.py beside it computes the references.
#include "cases/generators.h"
#include "tests/unit/scene.h"

#define DEGREE (PI / 180)

static struct gabion_world *world;

static int stop(void **state) {
    (void)state;
    scene_destroy(world);
    return 0;
}

// Radius 1 m, gravity turned by `tilt` degrees. Blocks are bodies 0 ... voussoirs - 1.
static void build_for(enum gabion_method method, int voussoirs, double ratio, double embrace,
                      double friction, double tilt) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_error error = {0};
    settings.method = method;
    settings.tolerance = 1e-8;
    settings.max_sweeps = 2000;
    settings.on_cap = GABION_CAP_ACCEPT; // a falling arch need not be exact
    settings.gravity = vec3_make(9.81 * sin(tilt * DEGREE), 0, -9.81 * cos(tilt * DEGREE));
    world = scene_create(&settings, (struct gabion_law){.friction = friction});
    struct arch_definition arch = {
        .template = gabion_default_body(),
        .name = "arch",
        .radius = 1,
        .thickness = ratio,
        .depth = 0.3,
        .angle = embrace * DEGREE,
        .voussoirs = voussoirs,
    };
    arch.template.material = SCENE_BODY;
    arch.template.density = 2400;
    if (!generate_arch(world, &arch, &error))
        fail_msg("%s", error.text);
}

static void build(int voussoirs, double ratio, double embrace, double friction, double tilt) {
    build_for(scene_method, voussoirs, ratio, embrace, friction, tilt);
}

static double fastest(int voussoirs) {
    double speed = 0;
    for (int k = 0; k < voussoirs; k++)
        speed = fmax(speed, vec3_length(scene_velocity(world, k)));
    return speed;
}

// A block at the crown must not move at all, or must fall ever faster.
static void assert_stands(int voussoirs) {
    vec3 crown = scene_position(world, voussoirs / 2);
    scene_step(world, 1000);
    assert_int_equal(world->run.unconverged_steps, 0);
    assert_vector_near(scene_position(world, voussoirs / 2), crown, 1e-8);
    assert_at_most(fastest(voussoirs), 1e-8);
}

static void assert_falls(int voussoirs) {
    vec3 crown = scene_position(world, voussoirs / 2);
    scene_step(world, 200);
    double speed = fastest(voussoirs);
    assert_at_most(1e-3, speed);
    scene_step(world, 200);
    assert_at_most(1.5 * speed, fastest(voussoirs));
    assert_at_most(1e-3, vec3_length(vec3_sub(scene_position(world, voussoirs / 2), crown)));
}

// ---- 10.1: semicircle of 8, t/R = 0.1000 ----

static void an_arch_stands_above_its_least_thickness(void **state) {
    (void)state;
    build(8, 1.02 * 0.1000, 180, 0.8, 0);
    assert_stands(8);
}

static void an_arch_falls_below_its_least_thickness(void **state) {
    (void)state;
    build(8, 0.98 * 0.1000, 180, 0.8, 0);
    assert_falls(8);
}

// ---- 10.2: below friction 0.3092 no thickness is enough ----

static void an_arch_of_slippery_blocks_falls(void **state) {
    (void)state;
    build(9, 0.3, 180, 0.25, 0);
    assert_falls(9);
}

// ---- 10.3: Oppenheim's arch loses its balance at 20.5 degrees ----

static void an_arch_stands_on_a_tilted_table(void **state) {
    (void)state;
    build(7, 0.15, 157.5, 0.8, 20.3);
    assert_stands(7);
}

static void an_arch_falls_from_a_table_tilted_further(void **state) {
    (void)state;
    build(7, 0.15, 157.5, 0.8, 20.7);
    assert_falls(7);
}

// ---- reactions ----

static int support_force(const char *group) {
    struct gabion_error error = {0};
    return gabion_add_probe(world, group, gabion_find_group(world, group), GABION_FORCE, &error);
}

static double weight_of(int voussoirs) {
    double mass = 0;
    for (int k = 0; k < voussoirs; k++)
        mass += world->bodies.mass[world->bodies.index_of[k]];
    return 9.81 * mass;
}

// A straight-edged voussoir: its centroid lies at this distance from the centre of the arch.
static double centroid_radius(double ratio, double step) {
    double inner = 1 - 0.5 * ratio, outer = 1 + 0.5 * ratio;
    return 2.0 / 3.0 * cos(0.5 * step) * (pow(outer, 3) - pow(inner, 3)) /
           (outer * outer - inner * inner);
}

// 10.4: when the supports part, hinges open at the crown (extrados) and at the haunches (intrados).
// What lies above a haunch turns about it under the horizontal thrust at the crown:
// H (z_crown - z_haunch) = W (x_haunch - x_W). The haunch is the joint that asks for most. Returns
// H of a semicircle of 2 `half` voussoirs, in weights of one, and how many lie between crown and
// haunch.
static double least_thrust(double ratio, int half, int *above) {
    double step = 0.5 * PI / half, r = centroid_radius(ratio, step), moment = 0, thrust = 0;
    for (int j = 1; j <= half; j++) {
        double x = (1 - 0.5 * ratio) * sin(j * step), z = (1 - 0.5 * ratio) * cos(j * step);
        moment += r * sin((j - 0.5) * step);
        double asked = (j * x - moment) / (1 + 0.5 * ratio - z);
        *above = asked > thrust ? j : *above;
        thrust = fmax(thrust, asked);
    }
    return thrust;
}

// How the weight is shared is not determined: an arch on two fixed faces is statically redundant.
static void supports_bear_the_weight(void **state) {
    (void)state;
    build(8, 0.15, 180, 0.8, 0);
    int left = support_force("arch.left"), right = support_force("arch.right");
    double weight = weight_of(8);
    scene_step(world, 5);
    vec3 sum = vec3_add(scene_probe(world, left), scene_probe(world, right));
    assert_vector_near(sum, vec3_make(0, 0, -weight), 1e-6 * weight);
    int above;
    double thrust = scene_probe(world, right).x;
    assert_at_most(least_thrust(0.15, 4, &above) * weight / 8, thrust);
}

// What statics leaves open newton chooses nearest to the impulses before, from zero in the first
// step: an arch that is symmetric in two planes has reactions that are, as the supports part as
// well as at rest. The bound is ten times what the tolerance of 1e-8 lets each of some ten contacts
// of a support be wrong by.
static void a_symmetric_arch_has_symmetric_reactions(void **state) {
    struct gabion_error error = {0};
    (void)state;
    build_for(GABION_METHOD_NEWTON, 8, 0.15, 180, 0.8, 0);
    int left = support_force("arch.left"), right = support_force("arch.right");
    double bound = 1e-6 * weight_of(8);
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, 0.01, 0.1, 2);
    signal.smooth = 0.2;
    for (int side = -1; side < 2; side += 2) {
        int group = gabion_find_group(world, side < 0 ? "arch.left" : "arch.right");
        assert_true(gabion_add_driver(world, group, vec3_make(side, 0, 0), &signal, &error));
    }
    for (int step = 0; step < 300; step++) {
        scene_step(world, 1);
        vec3 l = scene_probe(world, left), r = scene_probe(world, right);
        assert_near(l.y, 0, bound);
        assert_near(r.y, 0, bound);
        assert_near(l.x, -r.x, bound);
        assert_near(l.z, r.z, bound);
    }
}

static double turn_of(int32_t id, const quat *built) {
    quat q;
    assert_true(scene_state(world, id, NULL, &q, NULL, NULL));
    return quat_log(quat_multiply(q, quat_conjugate(built[id]))).y;
}

static void a_spreading_arch_has_its_least_thrust(void **state) {
    struct gabion_error error = {0};
    quat built[8];
    (void)state;
    build(8, 0.15, 180, 0.8, 0);
    for (int k = 0; k < 8; k++)
        scene_state(world, k, NULL, &built[k], NULL, NULL);
    int right = support_force("arch.right");
    struct gabion_signal signal = scene_signal(GABION_SIGNAL_RAMP, 0.02, 0, 2);
    signal.smooth = 0.2;
    assert_true(gabion_add_driver(world, gabion_find_group(world, "arch.right"), vec3_make(1, 0, 0),
                                  &signal, &error));
    scene_step(world, 300); // 2 mm: the geometry has not changed
    double thrust = scene_probe(world, right).x;
    int above = 0;
    double reference = least_thrust(0.15, 4, &above) * weight_of(8) / 8;
    assert_near(thrust, reference, 0.01 * reference);
    // Between crown and haunches the blocks turn, left and right opposite ways; nothing else does.
    double turn = turn_of(3, built);
    assert_at_most(1e-3, turn);
    for (int k = 0; k < 8; k++) {
        int from_crown = k < 4 ? 3 - k : k - 4;
        double expected = from_crown >= above ? 0 : k < 4 ? turn : -turn;
        assert_near(turn_of(k, built), expected, 0.01 * turn);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_arch_stands_above_its_least_thickness, stop),
        cmocka_unit_test_teardown(an_arch_falls_below_its_least_thickness, stop),
        cmocka_unit_test_teardown(an_arch_of_slippery_blocks_falls, stop),
        cmocka_unit_test_teardown(an_arch_stands_on_a_tilted_table, stop),
        cmocka_unit_test_teardown(an_arch_falls_from_a_table_tilted_further, stop),
        cmocka_unit_test_teardown(supports_bear_the_weight, stop),
        cmocka_unit_test_teardown(a_symmetric_arch_has_symmetric_reactions, stop),
        cmocka_unit_test_teardown(a_spreading_arch_has_its_least_thrust, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
