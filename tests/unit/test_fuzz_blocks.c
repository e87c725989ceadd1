// Random worlds of blocks through the public interface: boxes, prisms, hulls and compounds of them
// among spheres, walls and crumpled sheets, fixed, driven and locked ones, some of them stacked so
// that whole faces lie on each other; every method and local solver, both readings of the gap,
// insertions and
// removals. Of every scene must hold, whatever the physics:
//   - the same bits after every step on 1, 2 and 3 threads;
//   - the same bits when the run is cut by a checkpoint half-way;
//   - the books close, no impulse leaves its cone, normals and orientations are unit;
//   - a step that fails leaves no other trace than its error.
// A failing scene prints its seed: GABION_FUZZ_SEED=<seed> runs it alone, GABION_FUZZ_SCENES=<n>
// runs more of them.
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "tests/unit/effort.h"
#include "tests/unit/surface_scene.h"

#include <string.h>
#include <unistd.h>

#include "engine/solvers/panel.h"
#include "io/checkpoint/checkpoint.h"

#define SCENES       80
#define LARGE_EVERY  50 // a scene that is cut into several parts in every loop
#define LARGE_BODIES 700
#define STEPS_MAX    24
#define GROUPS       4
#define SHAPES       8
#define COMPOUNDS    4

struct scene {
    uint64_t seed;
    bool large;
    int steps;
};

static bool chance(struct random_stream *random, double p) { return random_unit(random) < p; }

static int pick(struct random_stream *random, int count) {
    return (int)(random_unit(random) * count);
}

static vec3 random_vector(struct random_stream *random, double size) {
    return (vec3){random_between(random, -size, size), random_between(random, -size, size),
                  random_between(random, -size, size)};
}

// Definition ----------------------------------------------------------------------------------

static struct gabion_settings random_settings(struct random_stream *random, bool large) {
    static const double tolerances[] = {1e-2, 1e-4, 1e-8};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = chance(random, 0.5) ? 1e-3 : 5e-3;
    settings.theta = chance(random, 0.5) ? 0.5 : random_between(random, 0.5, 1);
    settings.tolerance = tolerances[pick(random, 3)];
    settings.max_sweeps = large ? 5 : 1 + pick(random, 100);
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.momentum = chance(random, 0.7);
    scene_draw_solver(random, large, &settings);
    scene_draw_gap(random, &settings);
    scene_draw_projection(random, &settings);
    settings.measure = chance(random, 0.8) ? GABION_MEASURE_SCALED : GABION_MEASURE_FCLIB;
    if (chance(random, 0.2))
        settings.relaxation = random_between(random, 0.5, 1.5);
    settings.gravity = chance(random, 0.3) ? random_vector(random, 10) : vec3_make(0, 0, -9.81);
    if (chance(random, 0.3))
        settings.alert = random_between(random, 0, 0.05);
    return settings;
}

static struct gabion_law random_law(struct random_stream *random, enum gabion_method method) {
    static const double frictions[] = {0, 0.3, 0.7, 2, INFINITY};
    static const double restitutions[] = {0, 0, 0.5, 1};
    return (struct gabion_law){
        .friction = scene_draw_friction(random, frictions, 5, method),
        .restitution = restitutions[pick(random, 4)],
        .tangential_restitution = chance(random, 0.1) ? random_unit(random) : 0,
    };
}

// Polygons around a circle and clouds of points; about 0.2 m in size.
static struct polyhedron *random_shape(struct random_stream *random, struct gabion_error *error) {
    double polygon[12][2];
    vec3 cloud[24];
    int count = 3 + pick(random, 10);
    switch (pick(random, 3)) {
    case 0:
        return polyhedron_box(vec3_make(random_between(random, 0.02, 0.2),
                                        random_between(random, 0.05, 0.2),
                                        random_between(random, 0.05, 0.2)),
                              error);
    case 1:
        for (int k = 0; k < count; k++) {
            double angle = 2 * PI * k / count;
            polygon[k][0] = 0.15 * cos(angle);
            polygon[k][1] = 0.1 * sin(angle);
        }
        return polyhedron_prism((const double(*)[2])polygon, count, -0.1, 0.05, error);
    default:
        count += 3 + pick(random, 8);
        for (int k = 0; k < count; k++)
            cloud[k] = vec3_scale(random_between(random, 0.05, 0.2), scene_random_unit(random));
        return polyhedron_hull(cloud, count, error);
    }
}

static void add_shapes(struct gabion_world *world, struct random_stream *random) {
    struct gabion_error error = {0};
    for (int k = 0; k < SHAPES; k++)
        assert_int_equal(scene_shape(world, random_shape(random, &error)), k);
}

// Parts anywhere: apart, side by side with a whole face in common, or one in the other.
static void add_compounds(struct gabion_world *world, struct random_stream *random) {
    struct gabion_error error = {0};
    for (int k = 0; k < COMPOUNDS; k++) {
        struct gabion_part part[4];
        int count = 2 + pick(random, 3), box = pick(random, SHAPES);
        const struct polyhedron *shape = world->bodies.polyhedra[box];
        for (int p = 0; p < count; p++) {
            part[p] = (struct gabion_part){
                .polyhedron = pick(random, SHAPES),
                .position = random_vector(random, 0.15),
                .orientation = quat_exp(random_vector(random, 3)),
                .density = random_between(random, 0.5, 2),
            };
            if (k % 2 == 0) // copies in a row along their own x
                part[p] = (struct gabion_part){
                    .polyhedron = box,
                    .position = vec3_make(p * (shape->high.x - shape->low.x), 0, 0),
                    .orientation = {1, 0, 0, 0}};
        }
        assert_int_equal(gabion_add_compound(world, part, count, &error), k);
    }
}

static void lock_body(struct random_stream *random, struct gabion_body *body) {
    body->lock = (unsigned)pick(random, 8);
    if (chance(random, 0.5))
        body->lock |= GABION_LOCK_RX | GABION_LOCK_RY | GABION_LOCK_RZ;
    for (int axis = 0; axis < 3; axis++) {
        if (body->lock >> axis & 1)
            vec3_set(&body->velocity, axis, 0);
        if (body->lock >> (axis + 3) & 1)
            vec3_set(&body->spin, axis, 0);
    }
}

static struct gabion_body random_body(struct random_stream *random, double box, double h) {
    vec3 x = random_vector(random, box);
    struct gabion_body body = chance(random, 0.2)
                                  ? scene_sphere_body(x, random_between(random, 0.05, 0.2), 0)
                                  : scene_block_body(pick(random, SHAPES), x);
    body.density = random_between(random, 500, 5000);
    body.material = pick(random, 2);
    body.orientation = quat_exp(random_vector(random, 3));
    body.group = 1 + pick(random, GROUPS - 1); // group 1 may be driven: only fixed bodies there
    body.fixed = body.group == 1 || chance(random, 0.05);
    if (chance(random, 0.1))
        body.insert_time = random_between(random, 0, STEPS_MAX * h);
    if (body.fixed)
        return body;
    body.velocity = random_vector(random, 2);
    body.spin = random_vector(random, 5);
    if (chance(random, 0.15))
        lock_body(random, &body);
    return body;
}

// Bricks on bricks, a little apart or into each other: joints of many points, and long chains.
static void add_wall(struct gabion_world *world, struct random_stream *random, int courses) {
    static const double seams[] = {0, 1e-9, -1e-9, 1e-4, -1e-4};
    vec3 half = {0.1, 0.05, 0.04};
    int shape = scene_box_shape(world, half);
    double pitch = 2 * half.z + seams[pick(random, 5)];
    for (int course = 0; course < courses; course++)
        for (int k = 0; k < 3; k++) {
            vec3 x = {2 * half.x * (k + 0.5 * (course % 2)), 0, half.z + pitch * course};
            struct gabion_body brick = scene_block_body(shape, x);
            brick.group = course == 0 ? 1 : 2 + k % 2;
            brick.fixed = course == 0;
            scene_add(world, &brick);
        }
}

static void add_half_spaces(struct gabion_world *world, struct random_stream *random, double box) {
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side < 2; side += 2) {
            vec3 point = vec3_zero(), normal = vec3_zero();
            vec3_set(&point, axis, side * (box + 0.2));
            vec3_set(&normal, axis, -side);
            struct gabion_body wall = scene_plane_body(point, normal);
            wall.group = chance(random, 0.3) ? 1 : 0;
            if (chance(random, 0.8))
                scene_add(world, &wall);
        }
}

static void add_actions(struct gabion_world *world, struct random_stream *random, double h) {
    struct gabion_error error = {0};
    struct gabion_signal push = {.kind = GABION_SIGNAL_SINE,
                                 .end = INFINITY,
                                 .amplitude = 0.02,
                                 .frequency = random_between(random, 1, 20)};
    if (chance(random, 0.5))
        assert_true(gabion_add_driver(world, 1, random_vector(random, 1), &push, &error));
    if (chance(random, 0.3))
        assert_true(gabion_add_rotation(world, 1, random_vector(random, 1),
                                        random_vector(random, 1), &push, &error));
    if (chance(random, 0.3)) {
        push.amplitude = 500;
        assert_true(gabion_add_force(world, 2, random_vector(random, 1), &push, &error));
    }
    for (int k = pick(random, 3); k > 0; k--) {
        double time = h * pick(random, STEPS_MAX);
        int group = pick(random, GROUPS);
        bool good = chance(random, 0.5)
                        ? gabion_add_removal(world, group, time, &error)
                        : gabion_add_reset(world, group, time, random_vector(random, 1),
                                           random_vector(random, 5), &error);
        assert_true(good);
    }
}

// All that a case says but its bodies: what a resumed run defines before it reads the state.
static struct gabion_world *define(const struct scene *scene, struct team *team) {
    static const char *const names[GROUPS] = {"", "driven", "two", "three"};
    struct random_stream random = {scene->seed};
    struct gabion_error error = {0};
    struct gabion_settings settings = random_settings(&random, scene->large);
    struct gabion_world *world = world_create(&settings, team, &error);
    assert_non_null(world);
    gabion_add_material(world, "body", 1000, NULL);
    gabion_add_material(world, "ground", 1000, NULL);
    struct gabion_law law = random_law(&random, settings.method);
    struct gabion_law other = random_law(&random, settings.method);
    assert_true(gabion_set_default_law(world, &law, &error));
    assert_true(gabion_set_law(world, 0, 1, &other, &error));
    for (int k = 0; k < GROUPS; k++)
        assert_int_equal(gabion_add_group(world, names[k], NULL), k);
    add_actions(world, &random, settings.step);
    return world;
}

// Sheets through the bodies, some of them driven. They have numbers of their own.
static void add_surfaces(struct gabion_world *world, uint64_t seed, double box) {
    struct random_stream random = {seed + 1000003};
    for (int k = 1 + pick(&random, 2); k > 0; k--)
        sheet_crumpled(world, &random, random_between(&random, 1, 3) * box, pick(&random, 2));
}

static struct gabion_world *build(const struct scene *scene, struct team *team) {
    struct random_stream random = {~scene->seed};
    struct gabion_world *world = define(scene, team);
    double h = world->settings.step;
    int bodies = scene->large ? LARGE_BODIES : pick(&random, 25);
    double box = 0.2 * cbrt(bodies + 1.0) * random_between(&random, 0.8, 1.5);
    add_shapes(world, &random);
    bool compounds = scene->seed % 3 == 1;
    struct random_stream others = {scene->seed};
    if (compounds)
        add_compounds(world, &others);
    add_half_spaces(world, &random, box);
    if (scene->seed % 3 == 1)
        add_surfaces(world, scene->seed, box);
    if (chance(&random, 0.4))
        add_wall(world, &random, 2 + pick(&random, 4));
    for (int k = 0; k < bodies; k++) {
        struct gabion_body body = random_body(&random, box, h);
        if (compounds && body.shape == GABION_POLYHEDRON && chance(&others, 0.5)) {
            body.shape = GABION_COMPOUND;
            body.compound = pick(&others, COMPOUNDS);
        }
        scene_add(world, &body);
    }
    return world;
}

// What must hold after any step ---------------------------------------------------------------

static const char *contact_defect(const struct gabion_world *world, const struct contact *contact) {
    vec3 impulse = scene_contact_impulse(world, contact);
    double mu = world->laws.law[contact->law].friction, size = vec3_length(impulse);
    double normal = vec3_dot(impulse, contact->normal);
    vec3 along = vec3_add_scaled(impulse, -normal, contact->normal);
    if (!(fabs(vec3_length(contact->normal) - 1) <= 1e-12))
        return "a normal is not unit";
    if (!isfinite(contact->gap) || !isfinite(vec3_length(contact->point)))
        return "a contact is nowhere";
    if (contact->c >= contact->a || contact->c >= world->bodies.moving)
        return "a contact has its bodies the wrong way round";
    if (!(normal >= -1e-12 * size - 1e-100))
        return "an impulse pulls";
    if (!(mu > 1e100) && !(vec3_length(along) <= (1 + 1e-9) * mu * normal + 1e-12 * size + 1e-100))
        return "an impulse leaves its cone";
    return contact->status == CONTACT_OPEN && size > 0 ? "an open contact carries" : NULL;
}

static const char *body_defect(const struct bodies *bodies, int32_t i) {
    if (bodies->index_of[bodies->id[i]] != i || (i < bodies->moving) != (bodies->mass[i] > 0))
        return "the bodies are out of order";
    if (!isfinite(vec3_length(bodies->x[i])) || !isfinite(vec3_length(bodies->w[i])))
        return "a body is nowhere";
    quat q = bodies->q[i];
    if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) <= 1e-12))
        return "an orientation is not unit";
    for (int axis = 0; axis < 3; axis++)
        if ((bodies->lock[i] >> axis & 1 && vec3_get(bodies->v[i], axis) != 0) ||
            (bodies->lock[i] >> (axis + 3) & 1 && vec3_get(bodies->w[i], axis) != 0))
            return "a locked degree of freedom moves";
    return NULL;
}

static const char *step_defect(const struct gabion_world *world) {
    const char *defect = ledger_failed(&world->ledger) ? "the books do not close" : NULL;
    for (int32_t i = 0; i < world->bodies.count && !defect; i++)
        defect = body_defect(&world->bodies, i);
    for (size_t k = 0; k < world->contacts->count && !defect; k++)
        defect = contact_defect(world, &world->contacts->list[k]);
    return defect;
}

// What is measured between steps must cope with any state too.
static const char *joint_defect(const struct gabion_world *world) {
    size_t count;
    const char *defect = NULL;
    struct gabion_interface *states = interfaces_measure(world, &count);
    for (size_t k = 0; k < count; k++)
        if (!isfinite(vec3_length(states[k].position)) || !isfinite(states[k].normal_force) ||
            !isfinite(vec3_length(states[k].eccentricity)) ||
            !(fabs(vec3_length(states[k].normal) - 1) <= 1e-12))
            defect = "a joint is nowhere";
    memory_free(states);
    return defect;
}

// Running -------------------------------------------------------------------------------------

static char folder[] = "/tmp/test_fuzz_blocks.XXXXXX";

// The world as a resumed run finds it: definitions from the case, state from the file.
static struct gabion_world *reload(const struct scene *scene, struct gabion_world *world) {
    static const struct checkpoint_note note = {.case_text = "time:\n  step: 0.001\n",
                                                .parent = ""};
    struct gabion_error error = {0};
    char path[128];
    struct team *team = world->team;
    snprintf(path, sizeof path, "%s/checkpoint-%09lld.h5", folder, (long long)world->step);
    if (!checkpoint_write(folder, world, &note, 0, &error))
        fail_msg("%s", error.text);
    gabion_destroy(world);
    struct checkpoint *checkpoint = checkpoint_open(path, &error);
    assert_non_null(checkpoint);
    world = define(scene, team);
    if (!checkpoint_restore(checkpoint, world, &error))
        fail_msg("seed %llu: %s", (unsigned long long)scene->seed, error.text);
    checkpoint_close(checkpoint);
    unlink(path);
    return world;
}

// Runs the scene and hands out the hash after every step; a failed step ends the run.
static bool run(const struct scene *scene, int threads, int cut, uint64_t *hash) {
    struct gabion_error error = {0};
    const char *defect = NULL;
    struct team *team = team_create(threads, NULL, &error);
    struct gabion_world *world = build(scene, team);
    for (int k = 0; k < scene->steps && !defect; k++) {
        if (k == cut)
            world = reload(scene, world);
        if (!gabion_step(world, &error)) {
            defect = error.text;
            break;
        }
        hash[k] = gabion_state_hash(world);
        defect = step_defect(world);
        if (!defect && k % 8 == 0)
            defect = joint_defect(world);
    }
    if (defect)
        print_error("seed %llu, step %lld, %d threads, %s:%s: %s (energy error %g, turnover %g)\n",
                    (unsigned long long)scene->seed, (long long)world->step, threads,
                    panel_name(world->settings.method), panel_local_name(world->settings.local),
                    defect, world->ledger.energy_error, world->ledger.turnover);
    gabion_destroy(world);
    team_destroy(team);
    return !defect;
}

// On one, two and three threads, on two of them with a checkpoint half-way.
static bool scene_holds(const struct scene *scene) {
    uint64_t hash[4][STEPS_MAX] = {{0}};
    for (int threads = 1; threads < 4; threads++) {
        int cut = threads == 2 ? scene->steps / 2 : -1;
        if (!run(scene, threads, cut, hash[threads]))
            return false;
        for (int k = 0; k < scene->steps; k++)
            if (hash[threads][k] != hash[1][k]) {
                print_error("seed %llu: step %d differs on %d threads%s\n",
                            (unsigned long long)scene->seed, k + 1, threads,
                            cut >= 0 && k >= cut ? " after a checkpoint" : "");
                return false;
            }
    }
    return true;
}

static void test_random_worlds(void **state) {
    (void)state;
    const char *only = getenv("GABION_FUZZ_SEED"), *more = getenv("GABION_FUZZ_SCENES");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1;
    uint64_t count = only ? 1 : more ? strtoull(more, NULL, 10) : SCENES;
    int failed = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        bool large = seed % LARGE_EVERY == 0;
        failed += !scene_holds(&(struct scene){seed, large, large ? 4 : effort(STEPS_MAX, 8)});
    }
    assert_int_equal(failed, 0);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
