// Every method of the panel on every kind of degenerate problem: a right answer or an honest word,
// never a number that is none, never `converged` where the law does not hold.
//
// Residuals are computed here by the formulas of FCLIB and of the scaled measure on a dense W, with
// no code of the engine but the method that is asked.
#include "engine/solvers/panel.h"

#include <string.h>

#include "tests/unit/problem_maker.h"

// Independent residual --------------------------------------------------------------------------

// P_K of (N, T1, T2)
static void project_cone(double mu, const double *a, double *p) {
    double N = a[0], T = sqrt(a[1] * a[1] + a[2] * a[2]);
    memcpy(p, a, 3 * sizeof *p);
    if (mu * T <= -N) {
        p[0] = p[1] = p[2] = 0;
    } else if (T > mu * N) {
        p[0] = (mu * T + N) / (1 + mu * mu);
        p[1] = mu * p[0] * a[1] / T;
        p[2] = mu * p[0] * a[2] / T;
    }
}

// What is left of the law of one contact, squared, in units of velocity.
static double law2(double mu, double rho, const double *r, const double *u) {
    double a[3], p[3], sum = 0, slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    if (mu >= 1e100) { // sticking: normal law, and u_T or r_T vanishes with it
        double push = r[0] - rho * u[0], normal = fmin(u[0], r[0] / rho);
        double stuck = push > 0 ? slip : sqrt(r[1] * r[1] + r[2] * r[2]) / rho;
        return normal * normal + stuck * stuck;
    }
    for (int i = 0; i < 3; i++)
        a[i] = r[i] - rho * (u[i] + (i == 0 ? mu * slip : 0));
    if (hypot(a[1], a[2]) <= mu * a[0]) // r - a as it is: large impulses would drown it
        return (u[0] + mu * slip) * (u[0] + mu * slip) + slip * slip;
    project_cone(mu, a, p);
    for (int i = 0; i < 3; i++)
        sum += (r[i] - p[i]) * (r[i] - p[i]) / (rho * rho);
    return sum;
}

// Over the closing part of q. Where W_aa vanishes rho is the largest of the others, or 1.
static double residual(const struct contact_problem *problem, const double *W, const double *r,
                       const double *u) {
    double sum = 0, closing2 = 0, spare = 0;
    for (int32_t a = 0; a < problem->contacts; a++) {
        double norm = maker_block_norm(problem, W, a);
        spare = norm > 0 ? fmax(spare, 1 / norm) : spare;
    }
    for (int32_t a = 0; a < problem->contacts; a++) {
        const double *q = problem->q + 3 * a;
        double norm = maker_block_norm(problem, W, a);
        double rho = norm > 0 ? 1 / norm : spare > 0 ? spare : 1;
        closing2 += q[0] < 0 ? q[0] * q[0] + q[1] * q[1] + q[2] * q[2] : 0;
        sum += law2(problem->mu[a], rho, r + 3 * a, u + 3 * a);
    }
    return sqrt(sum) / (closing2 > 0 ? sqrt(closing2) : 1);
}

// Problems --------------------------------------------------------------------------------------

static struct contact_problem *finished(struct contact_problem *problem) {
    if (problem->face == FACE_BODIES)
        contact_problem_join(problem);
    contact_problem_finish(problem);
    return problem;
}

// Balls of radius 1 above each other on the floor, of these masses, with one contact between
// neighbours; all fall at 1 and the lowest slips at `slip`.
static struct contact_problem *column(int32_t balls, const double *masses, double mu, double slip) {
    struct contact_problem *problem = contact_problem_with_bodies(balls, balls);
    vec3 up = {0, 0, 1};
    for (int32_t k = 0; k < balls; k++) {
        problem->bodies.inverse[k] = maker_ball(masses[k]);
        problem->bodies.rows[k] =
            maker_row(k, k > 0 ? k - 1 : CONTACT_FIXED, up, vec3_negate(up), up);
        problem->mu[k] = mu;
    }
    contact_set(problem->q, 0, vec3_make(-1, slip, 0));
    return finished(problem);
}

static struct contact_problem *zero_friction(void) { return maker_pile(21, 6, 12, 0); }
static struct contact_problem *infinite_pile(void) { return maker_pile(22, 6, 8, INFINITY); }
static struct contact_problem *rough_pile(void) { return maker_pile(23, 6, 8, 0.4); }
static struct contact_problem *hyperstatic_pile(void) { return maker_pile(24, 3, 24, 0.4); }

static struct contact_problem *infinite_friction(void) {
    return column(3, (double[]){1, 1, 1}, INFINITY, 50);
}

static struct contact_problem *huge_friction(void) {
    return column(3, (double[]){1, 1, 1}, 1e300, 50);
}

static struct contact_problem *heavy_on_light(void) {
    return column(2, (double[]){1, 1e8}, 0.5, 0);
}

static struct contact_problem *light_on_heavy(void) {
    return column(2, (double[]){1e8, 1}, 0.5, 0);
}

static struct contact_problem *smooth_heavy_on_light(void) {
    return column(2, (double[]){1, 1e8}, 0, 0);
}

// One ball and ten times the same contact with the floor: W has rank 3 of 30.
static struct contact_problem *repeated(double mu, double slip) {
    struct contact_problem *problem = contact_problem_with_bodies(10, 1);
    vec3 up = {0, 0, 1};
    problem->bodies.inverse[0] = maker_ball(1);
    for (int32_t k = 0; k < 10; k++) {
        problem->bodies.rows[k] = maker_row(0, CONTACT_FIXED, up, vec3_negate(up), up);
        problem->mu[k] = mu;
        contact_set(problem->q, k, vec3_make(-1, slip, 0));
    }
    return finished(problem);
}

static struct contact_problem *redundant_sticking(void) { return repeated(0.5, 0.2); }
static struct contact_problem *redundant_sliding(void) { return repeated(0.5, 10); }
static struct contact_problem *redundant_smooth(void) { return repeated(0, 10); }

static struct contact_problem *no_contacts(void) {
    return finished(contact_problem_with_bodies(0, 0));
}

static struct contact_problem *one_sliding(void) { return column(1, (double[]){1}, 0.3, 10); }
static struct contact_problem *one_sticking(void) { return column(1, (double[]){1}, 0.3, 0.2); }
static struct contact_problem *one_smooth(void) { return column(1, (double[]){1}, 0, 10); }

// A ball on the floor, and two prescribed bodies that meet at q_n.
static struct contact_problem *fixed_pair(double q_n, double mu) {
    struct contact_problem *problem = contact_problem_with_bodies(2, 1);
    vec3 up = {0, 0, 1};
    problem->bodies.inverse[0] = maker_ball(1);
    problem->bodies.rows[0] = maker_row(0, CONTACT_FIXED, up, vec3_negate(up), up);
    problem->bodies.rows[1] = maker_row(CONTACT_FIXED, CONTACT_FIXED, up, up, up);
    problem->mu[0] = problem->mu[1] = mu;
    contact_set(problem->q, 0, vec3_make(-1, 0.2, 0));
    contact_set(problem->q, 1, vec3_make(q_n, 0.3, 0));
    return finished(problem);
}

static struct contact_problem *zero_block_parting(void) { return fixed_pair(0.5, 0.5); }
static struct contact_problem *zero_block_touching(void) { return fixed_pair(0, 0); }
static struct contact_problem *zero_block_closing(void) { return fixed_pair(-0.5, 0.5); }

static struct contact_problem *at_rest(void) {
    struct contact_problem *problem = column(3, (double[]){1, 2, 3}, 0.3, 0);
    memset(problem->q, 0, contact_problem_size(problem) * sizeof *problem->q);
    return problem;
}

static struct contact_problem *zero_W(double q_n) {
    const double W[36] = {0}, q[6] = {q_n, 0.1, 0, 2 * q_n, 0, 0.1}, mu[2] = {0.3, 0.3};
    return maker_matrix(2, W, q, mu);
}

static struct contact_problem *zero_W_parting(void) { return zero_W(1); }
static struct contact_problem *zero_W_closing(void) { return zero_W(-1); }

// A ball between two prescribed plates that both come at it.
static struct contact_problem *squeezed(double mu) {
    struct contact_problem *problem = contact_problem_with_bodies(2, 1);
    vec3 up = {0, 0, 1}, down = {0, 0, -1};
    problem->bodies.inverse[0] = maker_ball(1);
    problem->bodies.rows[0] = maker_row(0, CONTACT_FIXED, up, down, up);
    problem->bodies.rows[1] = maker_row(0, CONTACT_FIXED, down, up, down);
    for (int32_t k = 0; k < 2; k++) {
        problem->mu[k] = mu;
        contact_set(problem->q, k, vec3_make(-1, 0, 0));
    }
    return finished(problem);
}

static struct contact_problem *squeezed_rough(void) { return squeezed(0.3); }
static struct contact_problem *squeezed_smooth(void) { return squeezed(0); }

static struct contact_problem *not_a_number(void) {
    struct contact_problem *problem = one_sliding();
    problem->q[1] = NAN;
    return problem;
}

// W = B^T B + 1 with a skew part of a tenth; q puts the first contact at rest inside its cone, lets
// the second slide and opens the third. W is positive definite.
static const double unsymmetric_u[9] = {0, 0, 0, 0, 0.8, 0, 0.5, 0.1, 0.2};

static struct contact_problem *unsymmetric(void) {
    const double r[9] = {1, 0.1, 0, 1, -0.3, 0, 0, 0, 0}, mu[3] = {0.3, 0.3, 0.3};
    struct random_stream random = {9};
    double B[81], W[81], q[9];
    for (int k = 0; k < 81; k++)
        B[k] = random_between(&random, -0.5, 0.5);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            W[9 * i + j] = (i == j) + (i < j ? 0.1 : i > j ? -0.1 : 0);
            for (int k = 0; k < 9; k++)
                W[9 * i + j] += B[9 * k + i] * B[9 * k + j];
        }
    for (int i = 0; i < 9; i++) {
        q[i] = unsymmetric_u[i];
        for (int j = 0; j < 9; j++)
            q[i] -= W[9 * i + j] * r[j];
    }
    return maker_matrix(3, W, q, mu);
}

// What each method owes -------------------------------------------------------------------------
//
//   C  converges        N  must not say so: there is no answer
//   R  rejects          .  may do either, honestly
//
// psor rejects friction, lemke and qp see sliding through their polygon, and plain sweeps have no
// chance against a mass ratio of 1e8, nor has prox that is made of them, within the cap.
struct sample {
    const char *name;
    struct contact_problem *(*make)(void);
    double tolerance;
    const char *expected; // by enum gabion_method
    const double *u;      // or NULL: not known in closed form
};

static const double zeros[30] = {0};
static const double sliding_u[3] = {0, 10 - 3.5 * 0.3, 0}; // r_n = 1, |r_t| = 0.3, W_tt = 3.5
static const double smooth_u[3] = {0, 10, 0};
static const double parting_u[6] = {0, 0, 0, 0.5, 0.3, 0};
static const double touching_u[6] = {0, 0.2, 0, 0, 0.3, 0};
static const double zero_W_u[6] = {1, 0.1, 0, 2, 0, 0.1};
// ten contacts that share r_n = 1 and slide together
static const double shared_u[30] = {0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0,
                                    0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0, 0, 8.25, 0};
static const double smooth_shared_u[30] = {0, 10, 0, 0, 10, 0, 0, 10, 0, 0, 10, 0, 0, 10, 0,
                                           0, 10, 0, 0, 10, 0, 0, 10, 0, 0, 10, 0, 0, 10, 0};

static const struct sample samples[] = {
    // nsgs psor cpg lemke qp newton bicg anderson ipm prox admm auto
    {"zero friction", zero_friction, 1e-8, "CCCCCCCCCC.C", NULL},
    {"infinite friction", infinite_friction, 1e-8, "CRC..CCCCCCC", zeros},
    {"friction 1e300", huge_friction, 1e-8, "CRC..CCCCCCC", zeros},
    {"infinite friction, pile", infinite_pile, 1e-8, "CRC..CCC.C.C", NULL},
    {"rough pile", rough_pile, 1e-8, "CRC..CCCCC.C", NULL},
    {"hyperstatic pile", hyperstatic_pile, 1e-8, ".R...C..C..C", NULL},
    {"heavy on light", heavy_on_light, 1e-6, ".RCCCCCCC..C", zeros},
    {"light on heavy", light_on_heavy, 1e-8, "CRCCCCCCCCCC", zeros},
    {"heavy on light, smooth", smooth_heavy_on_light, 1e-6, "..CCCCCCC..C", zeros},
    {"redundant, sticking", redundant_sticking, 1e-8, "CRCCCCCCCCCC", zeros},
    {"redundant, sliding", redundant_sliding, 1e-8, "CRC..CCCCCCC", shared_u},
    {"redundant, smooth", redundant_smooth, 1e-8, "CCCCCCCCCCCC", smooth_shared_u},
    {"no contacts", no_contacts, 1e-8, "CCCCCCCCCCCC", zeros},
    {"one sliding", one_sliding, 1e-8, "CRC..CCCCCCC", sliding_u},
    {"one sticking", one_sticking, 1e-8, "CRCCCCCCCCCC", zeros},
    {"one smooth", one_smooth, 1e-8, "CCCCCCCCCCCC", smooth_u},
    {"zero block, parting", zero_block_parting, 1e-8, "CRCCCCCCCCCC", parting_u},
    {"zero block, touching", zero_block_touching, 1e-8, "CCCCCCCCCCCC", touching_u},
    {"zero block, closing", zero_block_closing, 1e-8, "NNNNNNNNNNNN", NULL},
    {"at rest", at_rest, 1e-8, "CCCCCCCCCCCC", zeros},
    {"W zero, parting", zero_W_parting, 1e-8, "CCCCCCCCCCCC", zero_W_u},
    {"W zero, closing", zero_W_closing, 1e-8, "NNNNNNNNNNNN", NULL},
    {"squeezed", squeezed_rough, 1e-8, "NNNNNNNNNNNN", NULL},
    {"squeezed, smooth", squeezed_smooth, 1e-8, "NNNNNNNNNNNN", NULL},
    {"not a number", not_a_number, 1e-8, "NNNNNNNNNNNN", NULL},
    {"unsymmetric W", unsymmetric, 1e-8, "CRC..CCCCC.C", unsymmetric_u},
};
#define SAMPLES (sizeof samples / sizeof *samples)

// Runs ------------------------------------------------------------------------------------------

struct run {
    const struct contact_problem *problem;
    double *W, *r, *u;
    struct solver_result result;
};

static struct solver_settings settings_of(double tolerance) {
    return (struct solver_settings){.tolerance = tolerance,
                                    .measure = GABION_MEASURE_SCALED,
                                    .max_iterations = 5000,
                                    .relaxation = 1,
                                    .cone = {.sides = 8}};
}

static struct run run_open(struct contact_problem *problem, enum gabion_method method,
                           double tolerance) {
    size_t n = contact_problem_size(problem);
    struct solver_settings settings = settings_of(tolerance);
    struct run run = {.problem = problem};
    run.r = memory_allocate(n, sizeof *run.r, "test");
    run.u = memory_allocate(n, sizeof *run.u, "test");
    run.W = maker_dense(problem);
    run.result = panel_solve(problem, method, &settings, NULL, run.r);
    maker_velocity(problem, run.W, run.r, run.u);
    return run;
}

static void run_close(struct run *run) {
    memory_free(run->W);
    memory_free(run->r);
    memory_free(run->u);
}

// Why a run is not what it should be, or NULL.
static const char *blame(const struct run *run, const struct sample *sample, char expected) {
    size_t n = contact_problem_size(run->problem);
    enum solver_status status = run->result.status;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(run->r[i]))
            return "impulses that are not numbers";
    if (expected == 'N' && status == SOLVER_CONVERGED)
        return "claims to have solved what has no answer";
    if (expected == 'C' && status != SOLVER_CONVERGED)
        return "should converge";
    if (expected == 'R' && status != SOLVER_REJECTED)
        return "should reject";
    if (status == SOLVER_REJECTED && run->result.note[0] == '\0')
        return "rejects without a word";
    if (status != SOLVER_CONVERGED)
        return NULL;
    if (!(residual(run->problem, run->W, run->r, run->u) <= 1.001 * sample->tolerance))
        return "says converged and is not";
    for (size_t i = 0; i < n && sample->u; i++)
        if (!(fabs(run->u[i] - sample->u[i]) <= 100 * sample->tolerance))
            return "wrong velocity";
    return NULL;
}

static int count_bad(const struct sample *sample, struct contact_problem *problem,
                     const char *face) {
    int bad = 0;
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        struct run run = run_open(problem, (enum gabion_method)method, sample->tolerance);
        const char *why = blame(&run, sample, sample->expected[method]);
        if (why)
            print_error("%s on %s (%s): %s; status %s after %d, residual %.3g, measured %.3g %s\n",
                        panel_name((enum gabion_method)method), sample->name, face, why,
                        panel_status(run.result.status), run.result.iterations,
                        residual(problem, run.W, run.r, run.u), run.result.error.scaled,
                        run.result.note);
        bad += why != NULL;
        run_close(&run);
    }
    return bad;
}

static void test_degenerate(void **state) {
    (void)state;
    int bad = 0;
    for (size_t k = 0; k < SAMPLES; k++) {
        struct contact_problem *problem = samples[k].make();
        struct contact_problem *matrix = contact_problem_assemble(problem);
        assert_int_equal(strlen(samples[k].expected), GABION_METHOD_COUNT);
        bad += problem->face == FACE_BODIES ? count_bad(&samples[k], problem, "bodies") : 0;
        bad += count_bad(&samples[k], matrix, "matrix");
        contact_problem_free(problem);
        contact_problem_free(matrix);
    }
    assert_int_equal(bad, 0);
}

// The table itself: velocities in closed form obey the law, and the residual sees when not.
static void test_table(void **state) {
    (void)state;
    struct contact_problem *problem = unsymmetric();
    double *W = maker_dense(problem), u[9];
    double r[9] = {1, 0.1, 0, 1, -0.3, 0, 0, 0, 0};
    maker_velocity(problem, W, r, u);
    assert_at_most(residual(problem, W, r, u), 1e-14);
    for (int i = 0; i < 9; i++) {
        assert_near(u[i], unsymmetric_u[i], 1e-14);
        r[i] += 1e-3;
        maker_velocity(problem, W, r, u);
        assert_true(residual(problem, W, r, u) > 1e-5);
        r[i] -= 1e-3;
        maker_velocity(problem, W, r, u);
    }
    memory_free(W);
    contact_problem_free(problem);
}

// Agreement -------------------------------------------------------------------------------------

// Methods that say converged at 1e-10 have the same velocities; how many did.
static int count_agreeing(struct contact_problem *problem, double *reference, bool *known) {
    size_t n = contact_problem_size(problem);
    int agreeing = 0;
    for (int method = 0; method < GABION_METHOD_COUNT; method++) {
        struct run run = run_open(problem, (enum gabion_method)method, 1e-10);
        if (run.result.status == SOLVER_CONVERGED) {
            if (!*known)
                memcpy(reference, run.u, n * sizeof *reference);
            *known = true;
            for (size_t i = 0; i < n; i++)
                if (!(fabs(run.u[i] - reference[i]) <= 1e-7))
                    fail_msg("%s: u[%zu] = %.10g, others %.10g",
                             panel_name((enum gabion_method)method), i, run.u[i], reference[i]);
            agreeing++;
        }
        run_close(&run);
    }
    return agreeing;
}

static void test_agreement(void **state) {
    (void)state;
    int agreeing = 0, problems = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct contact_problem *bodies = maker_pile(seed, 5, 9, seed % 3 == 0 ? 0 : 0.25);
        struct contact_problem *matrix = contact_problem_assemble(bodies);
        double reference[27];
        bool known = false;
        agreeing += count_agreeing(bodies, reference, &known);
        agreeing += count_agreeing(matrix, reference, &known);
        assert_true(known);
        problems += 2;
        contact_problem_free(bodies);
        contact_problem_free(matrix);
    }
    print_message("%d answers to %d problems agree\n", agreeing, problems);
    assert_true(agreeing >= 6 * problems); // a third are frictionless, where all owe one
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
