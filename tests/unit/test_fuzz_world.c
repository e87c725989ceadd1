// Random worlds through the public interface: any mixture of sizes, fixed spheres, clumps,
// compounds, hollow spheres and drums, surfaces of triangles, locks, unequal inertia, laws, joints,
// drivers that move and turn, tilted gravity, forces, timed insertions, removals and resets, theta,
// gap mode, method and local solver. These conditions must hold in every scene, whatever the
// physics:
//   - the same bits after every step on 1, 2 and 3 threads and with every kernel;
//   - the books close: energy_error <= 1e-9 of the turnover;
//   - locked degrees of freedom and fixed bodies stay where they are, impulses push;
//   - a step that fails leaves no other trace than its error.
// A failing scene prints its seed: GABION_FUZZ_SEED=<seed> runs it alone, GABION_FUZZ_SCENES=<n>
// runs more of them.
#include "engine/contact/contacts.h"
#include "engine/solvers/panel.h"
#include "tests/unit/clump_scene.h"
#include "tests/unit/compound_scene.h"
#include "tests/unit/effort.h"
#include "tests/unit/surface_scene.h"

#include "geometry/mass.h"

#define SCENES       50
#define LARGE_EVERY  25 // a scene with enough contacts for every loop to be cut into several parts
#define LARGE_BODIES 2500
#define VARIANTS     5
#define STEPS_MAX    40 // the last event is drawn before
#define GROUPS       4
#define CLUMPS       3
#define COMPOUNDS    3

struct scene {
    uint64_t seed;
    bool large;
    int steps;
};

// Every second scene has contacts of the sphere kernels alone; some are flat, with all bodies
// locked to a plane; some have clumps, in a hollow sphere or a drum as often as not, and some of
// these have compounds.
struct kinds {
    bool plain, plane, large, clumps, compounds;
};

static const struct variant {
    int threads;
    const char *kernel; // GABION_KERNEL; NULL: the best
} variants[VARIANTS] = {{1, NULL}, {2, NULL}, {3, NULL}, {1, "avx2"}, {1, "baseline"}};

static bool chance(struct random_stream *random, double p) { return random_unit(random) < p; }

static int pick(struct random_stream *random, int count) {
    return (int)(random_unit(random) * count);
}

static vec3 random_vector(struct random_stream *random, double size) {
    return (vec3){random_between(random, -size, size), random_between(random, -size, size),
                  random_between(random, -size, size)};
}

static struct gabion_settings random_settings(struct random_stream *random, struct kinds kinds) {
    static const double thetas[] = {0.5, 0.5, 0.6, 0.75, 1};
    static const double tolerances[] = {1e-2, 1e-4, 1e-8};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = chance(random, 0.5) ? 1e-3 : 5e-3;
    settings.theta = thetas[pick(random, 5)];
    settings.tolerance = tolerances[pick(random, 3)];
    settings.max_sweeps = 1 + pick(random, 100);
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.momentum = chance(random, 0.8);
    scene_draw_gap(random, &settings);
    if (kinds.clumps && settings.gap == GABION_GAP_STABILIZED)
        settings.gamma *= 0.02; // they begin deep in one another
    scene_draw_solver(random, kinds.large || kinds.clumps, &settings); // clumps: many contacts
    scene_draw_scheme(random, &settings);
    if (kinds.plain &&
        (settings.local == GABION_LOCAL_NEWTON || settings.local == GABION_LOCAL_EXACT))
        settings.local = GABION_LOCAL_EXPLICIT; // those need blocks
    settings.measure = chance(random, 0.8) ? GABION_MEASURE_SCALED : GABION_MEASURE_FCLIB;
    if (chance(random, 0.3))
        settings.relaxation = random_between(random, 0.5, 1.5);
    settings.gravity = chance(random, 0.2) ? vec3_zero() : random_vector(random, 10);
    if (chance(random, 0.3))
        settings.gravity_ramp_end = 20 * settings.step;
    if (chance(random, 0.3))
        settings.alert = random_between(random, 0, 0.1);
    return settings;
}

static struct gabion_law random_law(struct random_stream *random, struct kinds kinds,
                                    enum gabion_method method) {
    static const double frictions[] = {0, 0.3, 0.8, 5, INFINITY};
    static const double restitutions[] = {0, 0, 0.5, 1};
    return (struct gabion_law){
        .friction = scene_draw_friction(random, frictions, 5, method),
        .restitution = restitutions[pick(random, 4)],
        .tangential_restitution = !kinds.plain && chance(random, 0.15) ? random_unit(random) : 0,
    };
}

static struct gabion_signal random_signal(struct random_stream *random, double h) {
    static double times[] = {0, 0.01, 0.02, 0.05}, values[] = {0, 1, -0.5, 0};
    struct gabion_signal signal = {
        .kind = (enum gabion_signal_kind)pick(random, 6),
        .start = chance(random, 0.5) ? 0 : random_between(random, 0, 20 * h),
        .amplitude = random_between(random, -0.05, 0.05),
        .frequency = random_between(random, 0, 20),
        .smooth = chance(random, 0.5) ? 0 : 5 * h,
        .points = 4,
        .table_time = times,
        .table_value = values,
    };
    signal.end = signal.start + random_between(random, 1, 60) * h;
    if (chance(random, 0.3) && signal.kind != GABION_SIGNAL_RAMP)
        signal.end = INFINITY;
    return signal;
}

static struct gabion_body random_sphere(struct random_stream *random, struct kinds kinds,
                                        double box, double h) {
    vec3 x = random_vector(random, box);
    if (kinds.plane)
        x.z = 0;
    struct gabion_body body = scene_sphere_body(x, random_between(random, 0.1, 0.3), 0);
    body.density = random_between(random, 100, 5000);
    body.material = pick(random, 2);
    body.group = 1 + pick(random, GROUPS - 1); // group 1 may be driven: only fixed bodies there
    body.fixed = body.group == 1 || chance(random, 0.05);
    body.orientation = quat_exp(random_vector(random, 3));
    if (chance(random, 0.02))
        body.radius *= 8; // busy: it is split
    if (kinds.clumps && chance(random, 0.5)) {
        body.shape = GABION_CLUMP;
        body.clump = pick(random, CLUMPS);
    }
    if (kinds.compounds && chance(random, 0.5)) {
        body.shape = GABION_COMPOUND;
        body.compound = pick(random, COMPOUNDS);
    }
    if (chance(random, 0.1))
        body.insert_time = random_between(random, 0, 30 * h);
    if (body.fixed)
        return body;
    body.velocity = random_vector(random, 2);
    body.spin = random_vector(random, 5);
    double moment = 0.4 * sphere_mass(body.radius, body.density) * body.radius * body.radius;
    if (!kinds.plain && chance(random, 0.15) && body.shape == GABION_SPHERE)
        body.inertia = vec3_make(moment, moment * random_between(random, 0.6, 1.5),
                                 moment * random_between(random, 0.6, 1.5));
    if (kinds.plane)
        body.lock = GABION_LOCK_Z | GABION_LOCK_RX | GABION_LOCK_RY;
    else if (!kinds.plain && chance(random, 0.15))
        body.lock = (unsigned)pick(random, 64);
    for (int axis = 0; axis < 3; axis++) {
        if (body.lock >> axis & 1)
            vec3_set(&body.velocity, axis, 0);
        if (body.lock >> (axis + 3) & 1)
            vec3_set(&body.spin, axis, 0);
    }
    return body;
}

// A row, a ring that others may link with, and three spheres of very different sizes.
static void add_clumps(struct gabion_world *world) {
    const vec3 centre[] = {{0, 0, 0}, {0.12, 0.05, 0}, {0.1, -0.1, 0.1}};
    const double radius[] = {0.15, 0.05, 0.01};
    struct gabion_error error = {0};
    clump_scene_bar(world, 4, 0.06, 0.1); // no sphere in the centre: locked, it could not give way
    clump_scene_torus(world, 14, 0.04, 0.16);
    clump_scene_shape(world, clump_create(centre, radius, 3, CLUMP_UNION, &error));
}

// An L whose parts share a face, a C, and three bars that cross each other.
static void add_compounds(struct gabion_world *world) {
    const struct compound_box ell[] = {{{0.15, 0.08, 0.05}, {0, 0, 0}},
                                       {{0.05, 0.08, 0.1}, {-0.1, 0, 0.15}}};
    const struct compound_box cee[] = {{{0.04, 0.1, 0.2}, {0, 0, 0}},
                                       {{0.1, 0.1, 0.04}, {0.14, 0, 0.16}},
                                       {{0.1, 0.1, 0.04}, {0.14, 0, -0.16}}};
    const struct compound_box star[] = {{{0.2, 0.04, 0.04}, {0, 0, 0}},
                                        {{0.04, 0.2, 0.04}, {0, 0, 0}},
                                        {{0.04, 0.04, 0.2}, {0, 0, 0}}};
    compound_scene_boxes(world, ell, 2);
    compound_scene_boxes(world, cee, 3);
    compound_scene_boxes(world, star, 3);
}

static void add_hollow(struct gabion_world *world, struct random_stream *random, double box) {
    vec3 axis = scene_random_unit(random);
    double radius = 3 + 1.2 * box, length = random_between(random, 1, 2) * radius;
    struct gabion_body body = chance(random, 0.5)
                                  ? clump_scene_hollow(radius)
                                  : clump_scene_drum(radius, length, axis, chance(random, 0.7));
    body.group = chance(random, 0.5) ? 1 : 0;
    scene_add(world, &body);
}

static void add_walls(struct gabion_world *world, struct random_stream *random, double box) {
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side < 2; side += 2) {
            vec3 point = vec3_zero(), normal = vec3_zero();
            vec3_set(&point, axis, side * (box + 0.3));
            vec3_set(&normal, axis, -side);
            struct gabion_body wall = scene_plane_body(point, normal);
            wall.group = chance(random, 0.3) ? 1 : 0;
            if (chance(random, 0.9))
                scene_add(world, &wall);
        }
}

// Crumpled sheets through the bodies, some of them driven. They have numbers of their own.
static void add_surfaces(struct gabion_world *world, uint64_t seed, double box) {
    struct random_stream random = {seed + 1000003};
    for (int k = 1 + pick(&random, 3); k > 0; k--)
        sheet_crumpled(world, &random, random_between(&random, 1, 3) * box, pick(&random, 2));
}

static void add_actions(struct gabion_world *world, struct random_stream *random,
                        struct kinds kinds, double h) {
    struct gabion_error error = {0};
    for (int k = pick(random, 3); k > 0; k--) {
        struct gabion_signal signal = random_signal(random, h);
        vec3 direction = random_vector(random, 1);
        if (kinds.plane)
            direction.z = 0;
        assert_true(gabion_add_driver(world, 1, direction, &signal, &error));
    }
    for (int k = kinds.plain ? 0 : pick(random, 3); k > 0; k--) {
        struct gabion_signal signal = random_signal(random, h);
        vec3 axis = kinds.plane ? vec3_make(0, 0, 1) : random_vector(random, 1);
        signal.amplitude *= 10;
        assert_true(gabion_add_rotation(world, 1, random_vector(random, 1), axis, &signal, &error));
    }
    if (chance(random, 0.3)) {
        struct gabion_signal signal = random_signal(random, h);
        signal.amplitude *= 30;
        assert_true(gabion_set_tilt(world, random_vector(random, 1), &signal, &error));
    }
    for (int k = pick(random, 3); k > 0; k--) {
        struct gabion_signal signal = random_signal(random, h);
        signal.amplitude *= 1e4;
        assert_true(gabion_add_force(world, 2 + pick(random, GROUPS - 2), random_vector(random, 1),
                                     &signal, &error));
    }
    for (int k = pick(random, 3); k > 0; k--) {
        double time = h * pick(random, 40);
        int group = pick(random, GROUPS);
        bool good = chance(random, 0.5)
                        ? gabion_add_removal(world, group, time, &error)
                        : gabion_add_reset(world, group, time, random_vector(random, 1),
                                           random_vector(random, 5), &error);
        assert_true(good);
    }
}

// Joints of any kind between any bodies, loops and more of them than bodies can obey included;
// those that cannot be are rejected. Not with drivers: joints that contradict them ask for infinite
// impulses.
static void add_joints(struct gabion_world *world, struct random_stream *random, double box) {
    struct gabion_error error = {0};
    int32_t bodies = world->bodies.id_count;
    if (!panel_takes_joints(world->settings.method) || bodies < 2 || world->driver_count > 0)
        return;
    world->settings.joint_correction = chance(random, 0.7) ? 1 : random_unit(random);
    for (int k = pick(random, bodies); k > 0; k--) {
        struct gabion_joint joint = {
            .kind = (enum gabion_joint_kind)pick(random, GABION_JOINT_COUNT),
            .first = pick(random, bodies),
            .second = chance(random, 0.2) ? -1 : pick(random, bodies),
            .anchor = random_vector(random, box),
            .anchor_second = random_vector(random, box),
            .axis = random_vector(random, 1),
            .collide = chance(random, 0.3),
        };
        gabion_add_joint(world, &joint, &error);
    }
}

static struct gabion_world *build(const struct scene *scene, struct team *team) {
    struct random_stream random = {scene->seed};
    struct gabion_error error = {0};
    struct kinds kinds = {
        .plain = scene->seed % 2, .plane = scene->seed % 6 == 0, .large = scene->large};
    kinds.clumps = scene->seed % 4 == 2 && !kinds.plane && !kinds.large;
    kinds.compounds = kinds.clumps && scene->seed % 8 == 2;
    struct gabion_settings settings = random_settings(&random, kinds);
    if (scene->large)
        settings.max_sweeps = 10;
    struct gabion_world *world = world_create(&settings, team, &error);
    assert_non_null(world);
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    for (int k = 0; k < 3; k++) { // equal materials, unequal ones; the default for the rest
        struct gabion_law law =
            scene_suit_law(&settings, random_law(&random, kinds, settings.method));
        bool good = k < 2 ? gabion_set_law(world, 0, k, &law, &error)
                          : gabion_set_default_law(world, &law, &error);
        assert_true(good);
    }
    static const char *const names[GROUPS] = {"", "driven", "two", "three"};
    for (int k = 0; k < GROUPS; k++)
        assert_int_equal(gabion_add_group(world, names[k], NULL), k);
    int bodies = scene->large ? LARGE_BODIES : chance(&random, 0.1) ? 0 : pick(&random, 60);
    // About as many grains as fit, overlaps included.
    double box = 0.2 * (kinds.plane ? sqrt(bodies + 1.0) : cbrt(bodies + 1.0)) *
                 random_between(&random, 0.8, 1.6);
    if (kinds.clumps)
        add_clumps(world);
    if (kinds.compounds)
        add_compounds(world);
    if (kinds.clumps && chance(&random, 0.5))
        add_hollow(world, &random, box);
    else
        add_walls(world, &random, box);
    if (!kinds.plain && scene->seed % 3 == 1)
        add_surfaces(world, scene->seed, box);
    for (int k = 0; k < bodies; k++) {
        struct gabion_body body = random_sphere(&random, kinds, box, settings.step);
        scene_add(world, &body);
    }
    add_actions(world, &random, kinds, settings.step);
    add_joints(world, &random, box);
    return world;
}

// What must hold after any step; the text says what does not.
static const char *step_defect(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    const struct ledger *ledger = &world->ledger;
    double energies = fabs(ledger->kinetic) + fabs(ledger->potential);
    if (!(fabs(ledger->energy_error) <=
          1e-9 * ledger->turnover + 1e-14 * energies * (double)world->step))
        return "the books do not close";
    for (int32_t i = 0; i < bodies->count; i++) {
        if (bodies->index_of[bodies->id[i]] != i || (i < bodies->moving) != (bodies->mass[i] > 0))
            return "the bodies are out of order";
        for (int axis = 0; axis < 3; axis++)
            if ((bodies->lock[i] >> axis & 1 && vec3_get(bodies->v[i], axis) != 0) ||
                (bodies->lock[i] >> (axis + 3) & 1 && vec3_get(bodies->w[i], axis) != 0))
                return "a locked degree of freedom moves";
    }
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double size = vec3_length(scene_contact_impulse(world, contact));
        if (!(vec3_dot(scene_contact_impulse(world, contact), contact->normal) >= -1e-12 * size))
            return "an impulse pulls";
        if (contact->status == CONTACT_OPEN && size > 0)
            return "an open contact carries an impulse";
    }
    return NULL;
}

// Runs one variant and hands out the hash after every step; a failed step ends the run.
static const char *run(const struct scene *scene, const struct variant *variant, uint64_t *hash) {
    struct gabion_error error = {0};
    const char *defect = NULL;
    if (variant->kernel)
        setenv("GABION_KERNEL", variant->kernel, 1);
    struct team *team = team_create(variant->threads, NULL, &error);
    struct gabion_world *world = build(scene, team);
    for (int k = 0; k < scene->steps && !defect; k++) {
        uint64_t before = gabion_state_hash(world);
        int64_t steps = world->step;
        bool well = gabion_step(world, &error);
        hash[k] = gabion_state_hash(world);
        // A watch ends the run after a complete step: such a scene has exploded.
        bool exploded = !well && world->step == steps + 1 && strstr(error.text, "explosion");
        if (well || exploded)
            defect = step_defect(world);
        else
            defect = before != hash[k] ? "a failed step changed the state" : error.text;
        if (exploded)
            break;
    }
    if (defect)
        print_error("seed %llu, step %lld, %d threads: %s (energy error %g, turnover %g)\n",
                    (unsigned long long)scene->seed, (long long)world->step, variant->threads,
                    defect, world->ledger.energy_error, world->ledger.turnover);
    gabion_destroy(world);
    team_destroy(team);
    unsetenv("GABION_KERNEL");
    return defect ? "failed" : NULL;
}

static bool scene_holds(const struct scene *scene) {
    uint64_t hash[VARIANTS][STEPS_MAX] = {{0}};
    for (int v = 0; v < VARIANTS; v++) {
        if (run(scene, &variants[v], hash[v]))
            return false;
        for (int k = 0; k < scene->steps; k++)
            if (hash[v][k] != hash[0][k]) {
                print_error("seed %llu: step %d differs on %d threads, kernel %s\n",
                            (unsigned long long)scene->seed, k + 1, variants[v].threads,
                            variants[v].kernel ? variants[v].kernel : "best");
                return false;
            }
    }
    return true;
}

static struct scene make_scene(uint64_t seed) {
    bool large = seed % LARGE_EVERY == 0;
    return (struct scene){seed, large, large ? 5 : effort(STEPS_MAX, 12)};
}

static void test_random_worlds(void **state) {
    (void)state;
    const char *only = getenv("GABION_FUZZ_SEED"), *more = getenv("GABION_FUZZ_SCENES");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1;
    uint64_t count = only ? 1 : more ? strtoull(more, NULL, 10) : SCENES;
    int failed = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct scene scene = make_scene(seed);
        failed += !scene_holds(&scene);
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
