// Validation 7.1, 9.4, 9.5: the impact law of Moreau with Newton's coefficient.
#include "tests/unit/scene.h"

static struct gabion_settings impact_settings(double h, double theta) {
    struct gabion_settings settings = scene_settings(h, theta);
    settings.gap = GABION_GAP_MOREAU;
    settings.gravity = vec3_zero();
    return settings;
}

// 7.1 (Anitescu 2003, III.D): x = 0, v = 1, wall at 1, no gravity. The scheme leaves with -e for
// every h, and its position is late by (1 + e) h at most.
static void assert_wall(double h, double e, double theta, enum gabion_local local) {
    struct gabion_settings settings = impact_settings(h, theta);
    settings.local = local;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = e});
    scene_plane(world, vec3_make(1, 0, 0), vec3_make(-1, 0, 0));
    int32_t ball = scene_sphere(world, vec3_make(-0.5, 0, 0), 0.5, 1, vec3_make(1, 0, 0));
    double t = 0;
    while (t < 2) {
        scene_step(world, 1);
        t = gabion_time(world);
        double v = scene_velocity(world, ball).x, x = scene_position(world, ball).x + 0.5;
        if (t < 1 - h)
            assert_near(v, 1, 1e-14);
        if (t > 1 + h) {
            assert_near(v, -e, 1e-14);
            assert_near(x, 1 - e * (t - 1), (1 + e) * h);
        }
    }
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_wall(void **state) {
    (void)state;
    const double steps[] = {0.05, 0.03, 0.011, 0.007, 0.003}, es[] = {0, 0.25, 0.5, 0.8, 1};
    const double thetas[] = {0.5, 0.75, 1};
    for (int k = 0; k < 5 * 5 * 3; k++) {
        assert_wall(steps[k % 5], es[k / 5 % 5], thetas[k / 25], GABION_LOCAL_AUTO);
        assert_wall(steps[k % 5], es[k / 5 % 5], thetas[k / 25], GABION_LOCAL_EXACT);
    }
}

// Tangential restitution: u_t becomes -e_t u_t inside the cone, with r_t = 2/7 m (1 + e_t) |u_t|;
// at the limit mu r_n outside.
static void test_tangential_restitution(void **state) {
    (void)state;
    const double m = 0.8, R = 0.2, e = 0.5, v_n = 2, e_ts[] = {0.3, 0.7, 1}, mus[] = {0.1, 5};
    for (int k = 0; k < 6; k++) {
        double e_t = e_ts[k % 3], mu = mus[k / 3];
        struct gabion_settings settings = impact_settings(1e-3, 0.5);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){mu, e, e_t});
        int32_t plane = scene_floor(world);
        struct gabion_body body = scene_sphere_body(vec3_make(0, 0, R), R, m);
        body.velocity = vec3_make(1.5, -0.5, -v_n);
        body.spin = vec3_make(3, 4, 5);
        int32_t ball = scene_add(world, &body);
        scene_step(world, 1);
        vec3 arm = {0, 0, -R}, u = vec3_add(body.velocity, vec3_cross(body.spin, arm));
        vec3 u_t = {u.x, u.y, 0};
        double r_n = m * (1 + e) * v_n, wanted = 2.0 / 7 * m * (1 + e_t) * vec3_length(u_t);
        double r_t = fmin(wanted, mu * r_n);
        vec3 r = vec3_add_scaled(vec3_make(0, 0, r_n), -r_t / vec3_length(u_t), u_t);
        assert_vector_near(scene_impulse(world, ball, plane), r, 1e-12);
        vec3 after =
            vec3_add(scene_velocity(world, ball), vec3_cross(scene_spin(world, ball), arm));
        if (wanted < mu * r_n)
            assert_vector_near(after, vec3_add_scaled(vec3_make(0, 0, e * v_n), -e_t, u_t), 1e-12);
        else
            assert_int_equal(k / 3, 0);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// 9.4: drop from H = 1 m. Total time sqrt(2 H / g) (1 + e) / (1 - e), path H (1 + e^2)/(1 - e^2),
// n-th rebound speed e^n sqrt(2 g H).
static void assert_bouncing(double e, double time, double path) {
    const double h = 1e-4, g = 9.81, R = 0.1;
    struct gabion_settings settings = scene_settings(h, 0.5);
    settings.gap = GABION_GAP_MOREAU;
    settings.restitution_cutoff = 0; // must not need one to come to rest
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = e});
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 1 + R), R, 1, vec3_zero());
    double t_moving = 0, travelled = 0, z = 1, v = 0, apex = 0;
    int impacts = 0, apexes = 0;
    for (int k = 0; k < (int)(1.3 * time / h); k++) {
        scene_step(world, 1);
        double z_next = scene_position(world, ball).z - R, v_next = scene_velocity(world, ball).z;
        travelled += fabs(z_next - z);
        if (v < 0 && v_next > 0 && impacts < 4) {
            impacts++;
            assert_near(v_next / (pow(e, impacts) * sqrt(2 * g)), 1, 0.01);
        }
        apex = v_next > 0 ? fmax(apex, z_next) : apex;
        if (v > 0 && v_next <= 0 && impacts == 1 && apexes++ == 0)
            assert_near(apex / (e * e), 1, 1e-3);
        if (fabs(v_next) > 2 * g * h)
            t_moving = gabion_time(world);
        z = z_next;
        v = v_next;
    }
    assert_int_equal(impacts, 4);
    assert_int_equal(apexes, 1);
    assert_near(t_moving / time, 1, 0.01);
    assert_near(travelled / path, 1, 0.01);
    assert_near(v, 0, 1e-12);
    scene_assert_ledger(world);
    scene_destroy(world);
}

static void test_bouncing_ball(void **state) {
    (void)state;
    assert_bouncing(0.5, 1.354571, 1.666667);
    assert_bouncing(0.8, 4.063713, 4.555556);
}

static void test_elastic_apex(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-4, 0.5);
    settings.gap = GABION_GAP_MOREAU;
    settings.tolerance = 1e-14;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = 1});
    scene_floor(world);
    int32_t ball = scene_sphere(world, vec3_make(0, 0, 1.1), 0.1, 1, vec3_zero());
    double apex = 0, v = 0;
    int apexes = 0;
    for (int k = 0; k < 100000; k++) {
        scene_step(world, 1);
        double z = scene_position(world, ball).z - 0.1, v_next = scene_velocity(world, ball).z;
        apex = v_next < 0 && v >= 0 && k > 0 ? z : fmax(apex, z);
        if (v > 0 && v_next <= 0) {
            apexes++;
            assert_near(apex, 1, 1e-3);
            assert_near(z, 1, 1e-7); // sampling alone: g h^2 / 8
        }
        v = v_next;
    }
    assert_int_equal(apexes, 11);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// 9.5: n equal balls in a free row, the first arrives with speed 1.
static struct gabion_world *row_create(int n, double e, double gap, double h) {
    struct gabion_settings settings = impact_settings(h, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.restitution = e});
    for (int k = 0; k < n; k++)
        scene_sphere(world, vec3_make(k == 0 ? -0.0625 : k + k * gap, 0, 0), 0.5, 1,
                     vec3_make(k == 0, 0, 0));
    return world;
}

// In contact, Moreau's law acts on all contacts at once: (1 - (n-1) e)/n, and (1 + e)/n for all the
// others. A known limit of the law.
static void test_cradle_in_contact(void **state) {
    (void)state;
    const int ns[] = {3, 5};
    const double es[] = {0, 0.5, 1};
    const double first[2][3] = {{1.0 / 3, 0, -1.0 / 3}, {0.2, -0.2, -0.6}};
    const double others[2][3] = {{1.0 / 3, 0.5, 2.0 / 3}, {0.2, 0.3, 0.4}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            struct gabion_world *world = row_create(ns[i], es[j], 0, 0.01);
            scene_step(world, 20);
            assert_near(scene_velocity(world, 0).x, first[i][j], 1e-10);
            for (int k = 1; k < ns[i]; k++)
                assert_near(scene_velocity(world, k).x, others[i][j], 1e-10);
            scene_assert_ledger(world);
            scene_destroy(world);
        }
}

// Gaps larger than the distance travelled per step: one impact after the other, (0, ..., 0, 1).
static void test_cradle_with_gaps(void **state) {
    (void)state;
    for (int n = 3; n <= 5; n += 2) {
        struct gabion_world *world = row_create(n, 1, 0.025, 0.01);
        scene_step(world, 60);
        for (int k = 0; k < n; k++)
            assert_near(scene_velocity(world, k).x, k == n - 1, 1e-10);
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_tangential_restitution),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_elastic_apex),
        cmocka_unit_test(test_cradle_in_contact),
        cmocka_unit_test(test_cradle_with_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
