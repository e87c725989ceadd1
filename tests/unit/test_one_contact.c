// Validation 2.2: exact values of one contact, and of a chain of them.
#include "engine/contact/contacts.h"
#include "engine/solvers/local/exact.h"
#include "engine/solvers/local/alart_curnier.h"
#include "tests/unit/scene.h"

// Delassus blocks ------------------------------------------------------------------------------

// One step without gravity of spheres of mass m and radius R that are on top of each other: one on
// the plane, or two in the air. The general path shows its W.
static struct gabion_world *pair_create(bool two, double m, double R, vec3 velocity, vec3 spin) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    settings.local = GABION_LOCAL_EXACT;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 1e6});
    if (two)
        scene_sphere(world, vec3_make(0, 0, -R), R, m, vec3_zero());
    else
        scene_floor(world);
    struct gabion_body body = scene_sphere_body(vec3_make(0, 0, R), R, m);
    body.velocity = velocity;
    body.spin = spin;
    scene_add(world, &body);
    scene_step(world, 1);
    return world;
}

static void assert_block(const struct gabion_world *world, double m, double w_n, double w_t) {
    assert_int_equal(scene_plan(world)->point_count, 1);
    mat3 W = scene_plan(world)->points[0].W;
    double reference[3] = {w_n, w_t, w_t};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(m * vec3_get(W.row[i], j), i == j ? reference[i] : 0, 1e-14);
}

static void test_delassus_blocks(void **state) {
    (void)state;
    const double masses[] = {1, 0.3, 1e4}, radii[] = {1, 0.02, 7};
    vec3 down = {0, 0, -1};
    for (int k = 0; k < 3; k++) {
        struct gabion_world *plane = pair_create(false, masses[k], radii[k], down, vec3_zero());
        assert_block(plane, masses[k], 1, 3.5);
        scene_destroy(plane);
        struct gabion_world *pair = pair_create(true, masses[k], radii[k], down, vec3_zero());
        assert_block(pair, masses[k], 2, 7);
        scene_destroy(pair);
    }
}

// The impulse that stops the contact point from free velocity u_free is r = -W^-1 u_free; its
// differences with u_free are -W^-1, whatever the engine holds as W. The tangential part comes from
// spin, which does not move the spheres and so leaves the normal alone.
static void assert_differences(bool two, double w_n, double w_t) {
    const double m = 0.7, R = 0.3;
    const vec3 from[] = {{0, 0, -1}, {0.25, 0, -1}, {0, 0.25, -1}, {0, 0, -1.25}};
    double w[3] = {w_t, w_t, w_n};
    vec3 base = vec3_zero();
    for (int k = 0; k < 4; k++) {
        vec3 spin = {from[k].y / R, -from[k].x / R, 0}; // spin x (-R n) is the tangential part
        struct gabion_world *world = pair_create(two, m, R, vec3_make(0, 0, from[k].z), spin);
        vec3 r = scene_impulse(world, 1, 0);
        if (k == 0)
            base = r;
        vec3 d_u = vec3_sub(from[0], from[k]), d_r = vec3_sub(r, base);
        for (int axis = 0; axis < 3; axis++)
            assert_near(w[axis] / m * vec3_get(d_r, axis), vec3_get(d_u, axis), 1e-10);
        scene_destroy(world);
    }
}

static void test_delassus_by_differences(void **state) {
    (void)state;
    assert_differences(false, 1, 3.5);
    assert_differences(true, 2, 7);
}

// Free flight -----------------------------------------------------------------------------------

static void test_free_flight(void **state) {
    (void)state;
    const double thetas[] = {0.5, 0.6, 0.75, 1}, g = 9.81, m = 2.5, h = 1e-3;
    for (int k = 0; k < 4; k++) {
        struct gabion_settings settings = scene_settings(h, thetas[k]);
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int32_t ball = scene_sphere(world, vec3_zero(), 0.1, m, vec3_make(1, -2, 3));
        double start = 0.5 * m * 14;
        scene_step(world, 1000);
        assert_vector_near(scene_velocity(world, ball), vec3_make(1, -2, 3 - g), 1e-13 * g);
        double drift = scene_energy(world) - start, rate = -(thetas[k] - 0.5) * m * g * g * h;
        assert_near(drift, rate, 1e-13 * m * g * g); // after one second
        scene_assert_ledger(world);
        scene_destroy(world);
    }
}

// Oblique impact --------------------------------------------------------------------------------

struct impact {
    double e, mu;
    vec3 velocity, spin;
    enum gabion_local local;
};

static void assert_impact(const struct impact *impact, bool *stuck) {
    const double m = 1.7, R = 0.25;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    settings.gravity = vec3_zero();
    settings.gap = GABION_GAP_MOREAU;
    settings.local = impact->local;
    struct gabion_world *world = scene_create(
        &settings, (struct gabion_law){.friction = impact->mu, .restitution = impact->e});
    int32_t plane = scene_floor(world);
    struct gabion_body body = scene_sphere_body(vec3_make(0, 0, R), R, m);
    body.velocity = impact->velocity;
    body.spin = impact->spin;
    int32_t ball = scene_add(world, &body);
    scene_step(world, 1);

    vec3 n = {0, 0, 1}, arm = vec3_scale(-R, n);
    vec3 u = vec3_add(impact->velocity, vec3_cross(impact->spin, arm));
    vec3 u_t = vec3_make(u.x, u.y, 0);
    double r_n = m * (1 + impact->e) * fabs(impact->velocity.z), slip = vec3_length(u_t);
    *stuck = slip <= 3.5 * impact->mu * (1 + impact->e) * fabs(impact->velocity.z);
    vec3 r_t = *stuck || slip == 0 ? vec3_scale(-2.0 / 7 * m, u_t)
                                   : vec3_scale(-impact->mu * r_n / slip, u_t);
    vec3 r = vec3_add_scaled(r_t, r_n, n);
    assert_vector_near(scene_impulse(world, ball, plane), r, 1e-12);
    vec3 v = vec3_add_scaled(impact->velocity, 1 / m, r);
    vec3 w = vec3_add_scaled(impact->spin, 1 / (0.4 * m * R * R), vec3_cross(arm, r));
    assert_vector_near(scene_velocity(world, ball), v, 1e-12);
    assert_vector_near(scene_spin(world, ball), w, 1e-12 / R);
    if (*stuck) { // leaves rolling
        vec3 after = vec3_add(v, vec3_cross(w, arm));
        assert_near(vec3_length(vec3_make(after.x, after.y, 0)), 0, 1e-12);
    }
    enum contact_status status = scene_contact(world, ball, plane)->status;
    assert_int_equal(status, *stuck ? CONTACT_STICK : CONTACT_SLIP);
    scene_assert_ledger(world);
    scene_destroy(world);
}

// Slip speeds from far inside the cone to far outside; the critical one is 7/2 mu (1 + e) |v_n|.
static void test_oblique_impact(void **state) {
    (void)state;
    const double shares[] = {0.05, 0.5, 0.999, 1.001, 2, 20}, es[] = {0, 0.5, 1};
    const double mus[] = {0.05, 0.3, 1};
    struct random_stream random = {1};
    int stuck_count = 0, slipped_count = 0;
    for (int run = 0; run < 2 * 6 * 3 * 3; run++) {
        double e = es[run / 2 % 3], mu = mus[run / 6 % 3], share = shares[run / 18];
        double angle = random_between(&random, 0, 2 * PI), v_n = random_between(&random, 0.5, 3);
        double slip = share * 3.5 * mu * (1 + e) * v_n;
        vec3 spin = vec3_scale(4, scene_random_unit(&random));
        // v_t + spin x (-R n) must be the slip wanted
        vec3 turn = vec3_cross(spin, vec3_make(0, 0, -0.25));
        struct impact impact = {
            .e = e,
            .mu = mu,
            .velocity = {slip * cos(angle) - turn.x, slip * sin(angle) - turn.y, -v_n},
            .spin = spin,
            .local = run % 2 ? GABION_LOCAL_EXACT : GABION_LOCAL_EXPLICIT,
        };
        bool stuck;
        assert_impact(&impact, &stuck);
        assert_int_equal(stuck, share < 1);
        stuck_count += stuck;
        slipped_count += !stuck;
    }
    assert_int_equal(stuck_count, slipped_count);
}

// Frictionless and sticking laws are the ends of the same sweep.
static void test_extreme_friction(void **state) {
    (void)state;
    for (int local = GABION_LOCAL_EXPLICIT; local <= GABION_LOCAL_EXACT; local++) {
        struct impact impact = {0.5, INFINITY, {30, -40, -1e-3}, {1, 2, 3}, local};
        bool stuck;
        assert_impact(&impact, &stuck);
        assert_true(stuck);
        struct gabion_settings settings = scene_settings(1e-3, 0.5);
        settings.gap = GABION_GAP_MOREAU;
        settings.gravity = vec3_zero();
        settings.local = local;
        struct gabion_world *world = scene_create(&settings, (struct gabion_law){0});
        int32_t plane = scene_floor(world);
        int32_t ball =
            scene_sphere(world, vec3_make(0, 0, 0.25), 0.25, 1.7, vec3_make(30, -40, -1));
        scene_step(world, 1);
        assert_vector_near(scene_velocity(world, ball), vec3_make(30, -40, 0), 1e-12);
        assert_vector_near(scene_spin(world, ball), vec3_zero(), 1e-12);
        assert_near(scene_normal_impulse(world, ball, plane), 1.7, 1e-12);
        scene_destroy(world);
    }
}

// Static chain ----------------------------------------------------------------------------------

static int chain_sweeps(int n, enum gabion_local local, bool momentum) {
    const double m = 3, R = 0.5, h = 1e-3;
    struct gabion_settings settings = scene_settings(h, 0.5);
    settings.local = local;
    settings.momentum = momentum;
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.3});
    int32_t below = scene_floor(world);
    for (int k = 0; k < n; k++)
        scene_sphere(world, vec3_make(0, 0, (2 * k + 1) * R), R, m, vec3_zero());
    scene_step(world, 1);
    for (int k = 0; k < n; k++) {
        double carried = (n - k) * m * 9.81 * h;
        assert_near(scene_normal_impulse(world, 1 + k, below) / carried, 1, 1e-8);
        below = 1 + k;
    }
    int sweeps = world->report.sweeps;
    scene_destroy(world);
    return sweeps;
}

// Cold start, sweeps alone: about 4 N^2 / pi^2 sweeps per factor e of the error, so N^2 growth. The
// error that has to fall is that of the slowest mode, from 1 to 1e-10.
static void test_static_chain(void **state) {
    (void)state;
    const int lengths[] = {10, 20, 40};
    int previous = 0;
    for (int k = 0; k < 3; k++) {
        int n = lengths[k], sweeps = chain_sweeps(n, GABION_LOCAL_AUTO, false);
        double per_factor = 4.0 * n * n / (PI * PI);
        int accelerated = chain_sweeps(n, GABION_LOCAL_AUTO, true);
        print_message("chain of %d spheres: %d sweeps, %.1f factors e at 4 N^2/pi^2; %d with "
                      "momentum\n",
                      n, sweeps, sweeps / per_factor, accelerated);
        assert_true(accelerated < sweeps);
        assert_true(sweeps <= log(1e10) * per_factor * 1.5);
        if (previous > 0) {
            assert_true(sweeps > 3 * previous);
            assert_true(sweeps < 5 * previous);
        }
        previous = sweeps;
    }
    chain_sweeps(10, GABION_LOCAL_EXACT, false);
    chain_sweeps(10, GABION_LOCAL_EXACT, true);
}

// The exact local solver ------------------------------------------------------------------------

static double get(const mat3 *W, int i, int j) { return vec3_get(W->row[i], j); }

// The contact law, condition by condition, to a share of the velocities in the problem.
static void assert_law(const mat3 *W, vec3 b, double mu, vec3 r, double tolerance) {
    vec3 u = vec3_add(mat3_apply(*W, r), b);
    double w = get(W, 0, 0) + get(W, 1, 1) + get(W, 2, 2);
    double scale = vec3_length(b) + w * vec3_length(r);
    double r_t = hypot(r.y, r.z), u_t = hypot(u.y, u.z), limit = mu * r.x;
    assert_true(vec3_finite(r));
    assert_true(r.x >= 0);
    assert_at_most(-u.x, tolerance * scale);
    assert_at_most(r.x * u.x, tolerance * scale * vec3_length(r));
    assert_at_most(r_t, limit * (1 + 1e-14));
    if (r_t < limit * (1 - 1e-9)) { // sticks
        assert_at_most(u_t, tolerance * scale);
    } else { // slides: u_t = -k r_t, k >= 0
        assert_at_most(u.y * r.y + u.z * r.z, tolerance * scale * r_t);
        assert_at_most(fabs(u.y * r.z - u.z * r.y), tolerance * scale * r_t);
    }
}

static mat3 random_block(struct random_stream *random, int rank) {
    double a[3][3], scale[3];
    mat3 W;
    for (int i = 0; i < 3; i++) {
        scale[i] = pow(10, random_between(random, -2, 2));
        for (int k = 0; k < 3; k++)
            a[i][k] = k < rank ? random_between(random, -1, 1) : 0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += a[i][k] * a[j][k];
            vec3_set(&W.row[i], j, scale[i] * scale[j] * sum);
        }
    return W;
}

static void test_exact_fuzz(void **state) {
    (void)state;
    struct random_stream random = {2};
    const double frictions[] = {0, 0.01, 0.3, 1, 5};
    for (int run = 0; run < 200000; run++) {
        mat3 W = random_block(&random, 3);
        double size = pow(10, random_between(&random, -6, 3));
        vec3 b = {random_between(&random, -size, 0.2 * size), random_between(&random, -size, size),
                  random_between(&random, -size, size)};
        vec3 r = vec3_zero();
        double mu = frictions[run % 5], k = run % 3 ? random_between(&random, 0, 10) : 0;
        assert_true(exact_solve(&W, b, mu, &r, &k));
        assert_law(&W, b, mu, r, 1e-9);
    }
}

// Newton's method, from the solution of a neighbouring problem or from anywhere.
static void test_newton_fuzz(void **state) {
    (void)state;
    struct random_stream random = {3};
    const double frictions[] = {0, 0.01, 0.3, 1, 5};
    int slides = 0, by_newton = 0;
    for (int run = 0; run < 200000; run++) {
        bool singular = run % 50 == 0;
        mat3 W = random_block(&random, singular ? 2 : 3);
        double size = pow(10, random_between(&random, -6, 3)), k = 0, mu = frictions[run % 5];
        vec3 b = {random_between(&random, -size, 0.2 * size), random_between(&random, -size, size),
                  random_between(&random, -size, size)};
        vec3 r = vec3_scale(size / get(&W, 0, 0), scene_random_unit(&random));
        r.x = fabs(r.x);
        if (run % 2)
            exact_solve(&W, vec3_add_scaled(b, 0.1 * size, scene_random_unit(&random)), mu, &r, &k);
        sym3 inverse = alart_curnier_inverse(&W);
        k = -1; // until the exact solver writes it
        bool solved = alart_curnier_solve(&W, &inverse, vec3_add(mat3_apply(W, r), b), mu, &r, &k);
        assert_true(vec3_finite(r));
        if (!singular) {
            bool slid = mu > 0 && r.x > 0 && hypot(r.y, r.z) > mu * r.x * (1 - 1e-9);
            slides += slid;
            by_newton += slid && k == -1;
            assert_true(solved);
            assert_law(&W, b, mu, r, 1e-9);
        }
    }
    print_message("%d of %d sliding contacts without the exact solver\n", by_newton, slides);
    assert_true(by_newton > slides / 2);
}

// Locked degrees of freedom: rows and columns of W vanish, the law still holds.
static void test_exact_locked(void **state) {
    (void)state;
    struct random_stream random = {3};
    for (int run = 0; run < 30000; run++) {
        mat3 W = random_block(&random, 3);
        int locked = run % 3; // s, t, or both
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                bool out = locked == 2 ? i > 0 || j > 0 : i == locked + 1 || j == locked + 1;
                if (out)
                    vec3_set(&W.row[i], j, 0);
            }
        vec3 b = {random_between(&random, -1, 0), random_between(&random, -1, 1),
                  random_between(&random, -1, 1)};
        vec3 r = vec3_zero();
        double k = 0;
        assert_true(exact_solve(&W, b, 0.4, &r, &k));
        assert_law(&W, b, 0.4, r, 1e-9);
    }
}

// Nothing can move: no impulse helps, and the solver says so.
static void test_exact_immovable(void **state) {
    (void)state;
    mat3 W = {0};
    vec3 r = {1, 2, 3};
    double k = 0;
    assert_false(exact_solve(&W, vec3_make(-1, 1, 0), 0.5, &r, &k));
    assert_vector_near(r, vec3_zero(), 0);
    r = vec3_make(1, 2, 3);
    assert_true(exact_solve(&W, vec3_make(1, 1, 0), 0.5, &r, &k));
    assert_vector_near(r, vec3_zero(), 0);
}

// Sticking: any tangential impulse that stops the point. Along a locked direction nothing can stop
// it: the answer must stay finite and stop the directions that can be stopped.
static void test_exact_sticking(void **state) {
    (void)state;
    mat3 W = {{{1, 0, 0}, {0, 3.5, 0}, {0, 0, 3.5}}};
    vec3 b = {-1e-3, 400, -300}, r = vec3_zero();
    double k = 0;
    assert_true(exact_solve(&W, b, DBL_MAX, &r, &k));
    assert_vector_near(vec3_add(mat3_apply(W, r), b), vec3_zero(), 1e-12);
    W.row[2].z = 0;
    r = vec3_zero();
    exact_solve(&W, b, DBL_MAX, &r, &k);
    assert_true(vec3_finite(r));
    assert_near(3.5 * r.y, -400, 1e-9);
    assert_near(r.x, 1e-3, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delassus_blocks),  cmocka_unit_test(test_delassus_by_differences),
        cmocka_unit_test(test_free_flight),      cmocka_unit_test(test_oblique_impact),
        cmocka_unit_test(test_extreme_friction), cmocka_unit_test(test_static_chain),
        cmocka_unit_test(test_exact_fuzz),       cmocka_unit_test(test_newton_fuzz),
        cmocka_unit_test(test_exact_locked),     cmocka_unit_test(test_exact_immovable),
        cmocka_unit_test(test_exact_sticking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
