// Mass splitting: a big grain with hundreds of contacts is solved as copies that share its mass.
// The answer must be that of the whole body, judged by code that knows nothing of copies.
#include "engine/solvers/sweep/conflict.h"
#include "engine/contact/contacts.h"
#include "tests/unit/scene.h"

#define GRAVITY 10.0
#define STEP    1e-2
#define BIG_R   20.0
#define MU      0.3

// Small grains close in on a big one from all around (Fibonacci points, as far up as `top`), each
// pushed by another from behind: chains of two contacts, hundreds of which end at the big grain.
// Contacts stick, slip and open. Nothing is fixed: grains wedged between a big one and a wall have
// impulses that creep for ever, with any sweep, and no velocities to compare to 1e-8.
#define NEST_POINTS 1050

struct nest {
    struct gabion_world *world;
    struct team *team;
    int32_t big;
    vec3 *v, *w; // before the step, by id
};

static vec3 nest_direction(int k) {
    double z = -1 + (2 * k + 1) / (double)NEST_POINTS, turn = PI * (3 - sqrt(5)) * k;
    double radius = sqrt(1 - z * z);
    return vec3_make(radius * cos(turn), radius * sin(turn), z);
}

static vec3 random_vector(struct random_stream *random, double size) {
    return vec3_scale(random_between(random, 0, size), scene_random_unit(random));
}

static struct gabion_body nest_grain(vec3 centre, double radius) {
    return scene_sphere_body(centre, radius, 4.0 / 3.0 * PI * radius * radius * radius);
}

static void nest_fill(struct nest *nest, double top, bool backed) {
    struct random_stream random = {7};
    struct gabion_body big = nest_grain(vec3_zero(), BIG_R);
    big.velocity = vec3_make(0.03, 0.01, -0.05);
    big.spin = vec3_make(0.002, 0.004, -0.003);
    nest->big = scene_add(nest->world, &big);
    for (int k = 0; k < NEST_POINTS; k++) {
        vec3 direction = nest_direction(k);
        if (direction.z > top)
            break;
        struct gabion_body small = nest_grain(vec3_scale(BIG_R + 1, direction), 1);
        small.velocity = vec3_add_scaled(random_vector(&random, 0.05), -0.03, direction);
        small.spin = random_vector(&random, 0.05);
        scene_add(nest->world, &small);
        struct gabion_body back = nest_grain(vec3_scale(BIG_R + 3, direction), 1);
        back.velocity = vec3_add_scaled(random_vector(&random, 0.05), -0.1, direction);
        if (backed)
            scene_add(nest->world, &back);
    }
}

static struct nest nest_create(const struct gabion_settings *settings, int threads, double top,
                               bool backed) {
    struct nest nest = {0};
    struct gabion_error error = {0};
    nest.world = scene_create(settings, (struct gabion_law){.friction = MU});
    team_destroy(nest.world->team);
    nest.world->team = nest.team = team_create(threads, NULL, &error);
    assert_non_null(nest.team);
    nest_fill(&nest, top, backed);
    return nest;
}

static void nest_free(struct nest *nest) {
    scene_destroy(nest->world);
    free(nest->v);
    free(nest->w);
}

// One step, with the velocities before it kept.
static void nest_step(struct nest *nest) {
    const struct bodies *bodies = &nest->world->bodies;
    size_t count = (size_t)bodies->id_count;
    nest->v = realloc(nest->v, count * sizeof *nest->v);
    nest->w = realloc(nest->w, count * sizeof *nest->w);
    for (int32_t i = 0; i < bodies->count; i++) {
        nest->v[bodies->id[i]] = bodies->v[i];
        nest->w[bodies->id[i]] = bodies->w[i];
    }
    scene_step(nest->world, 1);
}

static struct gabion_settings nest_settings(void) {
    struct gabion_settings settings = scene_settings(STEP, 0.5);
    settings.gravity = vec3_make(0, 0, -GRAVITY);
    return settings;
}

// Reference ------------------------------------------------------------------------------------

// Bodies as they are, one row each.
struct reference_body {
    vec3 v, w;
    double inv_m, inv_i, radius;
};

struct reference {
    const struct gabion_world *world;
    struct reference_body *body;
    vec3 *impulse; // of each contact
};

// At the free velocities of the step that was made.
static struct reference reference_create(const struct nest *nest) {
    const struct bodies *bodies = &nest->world->bodies;
    struct reference reference = {nest->world, NULL, NULL};
    reference.body = calloc((size_t)bodies->count, sizeof *reference.body);
    reference.impulse = calloc(nest->world->contacts->count, sizeof *reference.impulse);
    for (int32_t i = 0; i < bodies->count; i++) {
        struct reference_body *body = &reference.body[i];
        body->radius = bodies->radius[i];
        if (i >= bodies->moving)
            continue;
        body->v = vec3_add(nest->v[bodies->id[i]], vec3_make(0, 0, -GRAVITY * STEP));
        body->w = nest->w[bodies->id[i]];
        body->inv_m = 1 / bodies->mass[i];
        body->inv_i = 2.5 * body->inv_m / (body->radius * body->radius);
    }
    return reference;
}

static void reference_free(struct reference *reference) {
    free(reference->body);
    free(reference->impulse);
}

static void reference_push(struct reference_body *body, vec3 arm, vec3 p) {
    body->v = vec3_add_scaled(body->v, body->inv_m, p);
    body->w = vec3_add_scaled(body->w, body->inv_i, vec3_cross(arm, p));
}

static void reference_apply(struct reference *reference, const struct contact *contact, vec3 p) {
    struct reference_body *c = &reference->body[contact->c], *a = &reference->body[contact->a];
    reference_push(c, vec3_scale(-c->radius, contact->normal), p);
    reference_push(a, vec3_scale(a->radius, contact->normal), vec3_negate(p));
}

// Relative velocity at the contact, with what the gap allows on top of the normal part.
static vec3 reference_velocity(const struct reference *reference, const struct contact *contact) {
    const struct reference_body *c = &reference->body[contact->c];
    const struct reference_body *a = &reference->body[contact->a];
    vec3 n = contact->normal;
    vec3 at_c = vec3_add(c->v, vec3_cross(c->w, vec3_scale(-c->radius, n)));
    vec3 at_a = vec3_add(a->v, vec3_cross(a->w, vec3_scale(a->radius, n)));
    return vec3_add_scaled(vec3_sub(at_c, at_a), fmax(contact->gap, 0) / STEP, n);
}

static void reference_block(const struct reference *reference, const struct contact *contact,
                            double *w_n, double *w_t) {
    const struct reference_body *c = &reference->body[contact->c];
    const struct reference_body *a = &reference->body[contact->a];
    *w_n = c->inv_m + a->inv_m;
    *w_t = *w_n + c->radius * c->radius * c->inv_i + a->radius * a->radius * a->inv_i;
}

static double friction_of(const struct gabion_world *world, const struct contact *contact) {
    return world->laws.law[contact->law].friction;
}

// The one-contact problem with a diagonal block: clip the normal, project the tangent.
static double reference_solve(struct reference *reference, size_t k) {
    const struct contact *contact = &reference->world->contacts->list[k];
    vec3 n = contact->normal, u = reference_velocity(reference, contact);
    vec3 p = reference->impulse[k];
    double w_n, w_t, u_n = vec3_dot(u, n), p_n = vec3_dot(p, n);
    reference_block(reference, contact, &w_n, &w_t);
    double normal = fmax(0, p_n - u_n / w_n);
    vec3 u_t = vec3_add_scaled(u, -u_n, n), p_t = vec3_add_scaled(p, -p_n, n);
    vec3 t = vec3_add_scaled(p_t, -1 / w_t, u_t);
    double length = vec3_length(t), limit = friction_of(reference->world, contact) * normal;
    if (length > limit)
        t = vec3_scale(limit / length, t);
    vec3 change = vec3_sub(vec3_add_scaled(t, normal, n), p);
    reference->impulse[k] = vec3_add(p, change);
    reference_apply(reference, contact, change);
    return vec3_length(change) * w_t;
}

// Plain serial Gauss-Seidel over the contacts of the step, one after the other.
static void reference_sweep_until(struct reference *reference, double tolerance) {
    double change = INFINITY;
    for (int sweep = 0; sweep < 2000000 && change > tolerance; sweep++) {
        change = 0;
        for (size_t k = 0; k < reference->world->contacts->count; k++)
            change = fmax(change, reference_solve(reference, k));
    }
    assert_at_most(change, tolerance);
}

static void assert_velocities(const struct reference *reference, double tolerance) {
    const struct bodies *bodies = &reference->world->bodies;
    for (int32_t i = 0; i < bodies->moving; i++) {
        const struct reference_body *body = &reference->body[i];
        assert_vector_near(bodies->v[i], body->v, tolerance);
        assert_vector_near(vec3_scale(body->radius, bodies->w[i]),
                           vec3_scale(body->radius, body->w), tolerance);
    }
}

// Splitting ------------------------------------------------------------------------------------

static int degree_of(const struct gabion_world *world, int32_t index) {
    int degree = 0;
    for (size_t k = 0; k < world->contacts->count; k++)
        degree += (world->contacts->list[k].flags & CONTACT_ACTIVE) != 0 &&
                  (world->contacts->list[k].c == index || world->contacts->list[k].a == index);
    return degree;
}

// The big body alone is split, into as many copies as its contacts ask for, and they have met.
static void assert_split(const struct nest *nest, int degree_least) {
    const struct sweep_plan *plan = scene_plan(nest->world);
    int32_t index = nest->world->bodies.index_of[nest->big];
    int degree = degree_of(nest->world, index);
    assert_true(degree >= degree_least);
    assert_int_equal(plan->split_count, 1);
    const struct split_body *split = &plan->splits[0];
    assert_int_equal(split->body, index);
    assert_int_equal(split->copies, (degree + COLOUR_DEGREE_MAX - 1) / COLOUR_DEGREE_MAX);
    assert_true(plan->colours <= COLOUR_MAX);
    for (int32_t j = 0; j < split->copies - 1; j++) {
        const struct solver_body *copy = &plan->bodies[split->first_copy + j];
        assert_memory_equal(copy->v, plan->bodies[index].v, sizeof copy->v);
        assert_memory_equal(copy->s, plan->bodies[index].s, sizeof copy->s);
    }
}

static void check_solution(enum gabion_local local, bool backed, double top, int degree_least) {
    struct gabion_settings settings = nest_settings();
    settings.local = local;
    struct nest nest = nest_create(&settings, 1, top, backed);
    nest_step(&nest);
    assert_split(&nest, degree_least);
    struct reference reference = reference_create(&nest);
    reference_sweep_until(&reference, 1e-13);
    assert_velocities(&reference, 1e-8);
    reference_free(&reference);
    nest_free(&nest);
}

// Small grains fly into the big one: each impulse is that of its own contact.
static void test_impact(void **state) {
    (void)state;
    check_solution(GABION_LOCAL_AUTO, false, 0, 300);
    check_solution(GABION_LOCAL_EXACT, false, 0, 300);
}

// Pushed from behind: impulses pass through chains.
static void test_chains(void **state) {
    (void)state;
    check_solution(GABION_LOCAL_AUTO, true, 0, 300);
    check_solution(GABION_LOCAL_EXACT, true, 0, 300);
}

// The velocity of the whole body is what all impulses on it give to its real mass.
static void test_momentum(void **state) {
    (void)state;
    struct gabion_settings settings = nest_settings();
    settings.max_sweeps = 5;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct nest nest = nest_create(&settings, 1, 1, true);
    for (int step = 0; step < 3; step++) { // warm-started ones too
        nest_step(&nest);
        assert_split(&nest, 1000);
        struct reference reference = reference_create(&nest);
        for (size_t k = 0; k < nest.world->contacts->count; k++)
            reference_apply(&reference, &nest.world->contacts->list[k],
                            nest.world->contacts->impulse[k]);
        assert_velocities(&reference, 1e-12);
        reference_free(&reference);
    }
    nest_free(&nest);
}

// Residual -------------------------------------------------------------------------------------

// |r - P_K(r - rho (u + mu |u_t| n))| / rho
static double natural_error(vec3 r, vec3 u, vec3 n, double rho, double mu) {
    double u_n = vec3_dot(u, n);
    vec3 u_t = vec3_add_scaled(u, -u_n, n);
    vec3 z = vec3_add_scaled(vec3_add_scaled(r, -rho, u), -rho * mu * vec3_length(u_t), n);
    double z_n = vec3_dot(z, n), length = vec3_length(vec3_add_scaled(z, -z_n, n));
    vec3 projected = z;
    if (mu * length <= -z_n) {
        projected = vec3_zero();
    } else if (length > mu * z_n) {
        double p_n = (mu * length + z_n) / (1 + mu * mu);
        vec3 along = vec3_scale(1 / length, vec3_add_scaled(z, -z_n, n));
        projected = vec3_add_scaled(vec3_scale(p_n, n), mu * p_n, along);
    }
    return vec3_length(vec3_sub(r, projected)) / rho;
}

// Returns the residual of the step as a user sees it, from contacts and body velocities.
static double true_residual(const struct nest *nest) {
    const struct gabion_world *world = nest->world;
    struct reference reference = reference_create(nest);
    double closing2 = 0, error2 = 0, w_n, w_t;
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        vec3 q = reference_velocity(&reference, contact);
        if ((contact->flags & CONTACT_ACTIVE) && vec3_dot(q, contact->normal) < 0)
            closing2 += vec3_dot(q, q);
    }
    for (int32_t i = 0; i < world->bodies.moving; i++) {
        reference.body[i].v = world->bodies.v[i];
        reference.body[i].w = world->bodies.w[i];
    }
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        if (!(contact->flags & CONTACT_ACTIVE))
            continue;
        reference_block(&reference, contact, &w_n, &w_t);
        vec3 u = reference_velocity(&reference, contact);
        double error = natural_error(world->contacts->impulse[k], u, contact->normal, 1 / w_t,
                                     friction_of(world, contact));
        error2 += error * error;
    }
    reference_free(&reference);
    return sqrt(error2) / fmax(sqrt(closing2), GRAVITY * STEP);
}

static void check_residual(enum gabion_local local) {
    struct gabion_settings settings = nest_settings();
    settings.local = local;
    settings.on_cap = GABION_CAP_ACCEPT;
    for (int sweeps = 1; sweeps <= 16; sweeps *= 4) {
        settings.max_sweeps = sweeps;
        struct nest nest = nest_create(&settings, 1, 1, true);
        nest_step(&nest);
        nest_step(&nest);
        double residual = nest.world->report.residual;
        assert_true(residual > 1e-7);
        assert_near(residual / true_residual(&nest), 1, 1e-8);
        nest_free(&nest);
    }
}

static void test_residual(void **state) {
    (void)state;
    check_residual(GABION_LOCAL_AUTO);
    check_residual(GABION_LOCAL_EXACT);
}

// Threads --------------------------------------------------------------------------------------

static uint64_t nest_hash(int threads, enum gabion_local local) {
    struct gabion_settings settings = nest_settings();
    settings.local = local;
    settings.max_sweeps = 20;
    settings.on_cap = GABION_CAP_ACCEPT;
    struct nest nest = nest_create(&settings, threads, 1, true);
    for (int step = 0; step < 10; step++)
        nest_step(&nest);
    assert_true(scene_plan(nest.world)->active > 2000); // fewer are left to one or two threads
    assert_split(&nest, 500);
    uint64_t hash = gabion_state_hash(nest.world);
    nest_free(&nest);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        enum gabion_local local = exact ? GABION_LOCAL_EXACT : GABION_LOCAL_AUTO;
        uint64_t one = nest_hash(1, local);
        assert_int_equal(one, nest_hash(2, local));
        assert_int_equal(one, nest_hash(3, local));
    }
}

// Looks at the plan while it is open: it holds its contacts no longer than that.
struct colour_observer {
    struct step_observer observer;
    const struct gabion_world *world;
    int seen;
};

// No two nodes of a colour share a moving body or a copy of one; the search finds it where they do.
static void see_colours(struct step_observer *observer, struct contact_problem *problem,
                        const vec3 *start) {
    struct colour_observer *mine = (struct colour_observer *)observer;
    struct sweep_plan plan = *scene_plan(mine->world);
    (void)problem, (void)start;
    mine->seen++;
    assert_int_equal(conflict_find(&plan), CONFLICT_NONE);
    assert_true(plan.colours > 1);
    // Two colours made one.
    uint32_t second = plan.colour_start[1];
    plan.colour_start[1] = plan.colour_start[2];
    assert_true(conflict_find(&plan) >= 0);
    plan.colour_start[1] = second;
    // A body that does not exist.
    plan.solver_body_count = plan.moving;
    assert_int_equal(conflict_find(&plan), CONFLICT_OUTSIDE);
}

static void check_colours(enum gabion_local local) {
    struct gabion_settings settings = nest_settings();
    settings.local = local;
    struct nest nest = nest_create(&settings, 1, 1, true);
    struct colour_observer observer = {.observer = {see_colours}, .world = nest.world};
    nest.world->observer = &observer.observer;
    nest_step(&nest);
    nest.world->observer = NULL;
    assert_int_equal(observer.seen, 1);
    nest_free(&nest);
}

static void test_colours(void **state) {
    (void)state;
    check_colours(GABION_LOCAL_AUTO);
    check_colours(GABION_LOCAL_EXACT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact),   cmocka_unit_test(test_chains),
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_residual),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
