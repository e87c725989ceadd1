// The library in bad hands: every function with every bad value of every argument and of every
// member of a struct. Each call must fail with an error that names what is wrong, and leave the
// world as it was. tests/cli/test_library.sh checks that every function of the header is here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gabion.h"

// The world under attack, and what it was before.
struct bench {
    struct gabion_world *world;
    struct gabion_error *error; // of the present call; NULL in every other one
    int calls, failures;
};

static struct gabion_body sphere(void) {
    struct gabion_body body = gabion_default_body();
    body.radius = 0.1;
    body.density = 2000;
    return body;
}

static void check(bool good, const struct gabion_error *error) {
    if (!good)
        fail_msg("%s", error->text);
}

// One of everything: bodies 0 to 4, of which 4 waits, group 1, joint 0, probe 0.
static struct gabion_world *make_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    struct gabion_body body = sphere();
    gabion_vec3 centre[2] = {{0, 0, 0}, {0.1, 0, 0}};
    double radius[2] = {0.1, 0.1};
    gabion_vec3 flat[3] = {{0, 0, -9}, {1, 0, -9}, {0, 1, -9}};
    check(world && gabion_add_material(world, "stone", 2000, &error) == 0, &error);
    check(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.5}, &error), &error);
    check(gabion_add_group(world, "group", &error) == 1, &error);
    check(gabion_add_box(world, (gabion_vec3){1, 1, 1}, &error) == 0, &error);
    check(gabion_add_clump(world, centre, radius, 2, GABION_CLUMP_SUM, &error) == 0, &error);
    const struct gabion_part part[2] = {{0, {0, 0, 0}, {1, 0, 0, 0}, 0},
                                        {0, {1, 0, 0.5}, {1, 0, 0, 0}, 2}};
    check(gabion_add_compound(world, part, 2, &error) == 0, &error);
    check(gabion_add_surface(world, flat, 3, (const int64_t[]){0, 1, 2}, 1, &error) == 0, &error);
    check(gabion_add_body(world, &body, &error) == 0, &error);
    body.shape = GABION_POLYHEDRON;
    body.position.x = 3;
    check(gabion_add_body(world, &body, &error) == 1, &error);
    body.shape = GABION_CLUMP;
    body.position.x = 6;
    check(gabion_add_body(world, &body, &error) == 2, &error);
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.group = 1;
    body.position = (gabion_vec3){0, 0, -1};
    check(gabion_add_body(world, &body, &error) == 3, &error);
    body = sphere();
    body.position.x = 9;
    body.insert_time = 1;
    check(gabion_add_body(world, &body, &error) == 4, &error);
    struct gabion_joint joint = {.first = 0, .second = -1};
    check(gabion_add_joint(world, &joint, &error) == 0, &error);
    check(gabion_add_probe(world, "probe", 1, GABION_FORCE, &error) == 0, &error);
    return world;
}

// Judging -------------------------------------------------------------------------------------

// Everything of a world that a rejected call could have changed.
struct snapshot {
    uint64_t hash;
    struct gabion_counts counts;
    struct gabion_settings settings;
    double density;
};

static struct snapshot snapshot_of(const struct gabion_world *world) {
    struct snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot); // padding is compared, too
    snapshot.hash = gabion_state_hash(world);
    gabion_read_counts(world, &snapshot.counts, NULL);
    gabion_get_settings(world, &snapshot.settings, NULL);
    snapshot.density = gabion_material_density(world, 0);
    return snapshot;
}

static void complain(struct bench *bench, const char *call, const char *what, const char *text) {
    print_error("%s: %s (%s)\n", call, what, text);
    bench->failures++;
}

static void judge(struct bench *bench, const char *call, const char *names, bool failed,
                  const struct gabion_error *error, const struct snapshot *before) {
    struct snapshot after = snapshot_of(bench->world);
    bench->calls++;
    if (!failed)
        complain(bench, call, "was accepted", names);
    else if (bench->error && error->status != GABION_ERROR_INPUT)
        complain(bench, call, "has another status than GABION_ERROR_INPUT", error->text);
    else if (bench->error && !strstr(error->text, names))
        complain(bench, call, names, error->text);
    if (memcmp(before, &after, sizeof after) != 0)
        complain(bench, call, "changed the world", names);
}

// REJECTS(names, failed): evaluates `failed`, a call with `error` as its last argument, once with
// an error and once without. `names` is what the error must name.
#define REJECTS(names_, failed_)                                                                   \
    do {                                                                                           \
        for (int pass_ = 0; pass_ < 2; pass_++) {                                                  \
            struct gabion_error own_ = {0}, *error = pass_ == 0 ? &own_ : NULL;                    \
            struct snapshot before_ = snapshot_of(bench->world);                                   \
            bench->error = error;                                                                  \
            bool result_ = (failed_);                                                              \
            judge(bench, #failed_, names_, result_, &own_, &before_);                              \
        }                                                                                          \
    } while (0)

// A function without an error returns that there is nothing.
#define ANSWERS(good_)                                                                             \
    do {                                                                                           \
        bench->calls++;                                                                            \
        if (!(good_))                                                                              \
            complain(bench, #good_, "is not so", "");                                              \
    } while (0)

// Bad values of members -----------------------------------------------------------------------

enum kind {
    FINITE,       // double
    POSITIVE,     // double
    NOT_NEGATIVE, // double
    FRICTION,     // double, may be infinite
    SHARE,        // double in [0, 1]
    ENDING,       // double, may be infinite
    CHOICE,       // enum
    INDEX,        // int
    AT_LEAST_1,   // int
    AT_LEAST_0,   // int
};

static const double bad_numbers[][6] = {
    [FINITE] = {NAN, INFINITY, -INFINITY, NAN, NAN, NAN},
    [POSITIVE] = {NAN, INFINITY, -INFINITY, -1e-3, 0, NAN},
    [NOT_NEGATIVE] = {NAN, INFINITY, -INFINITY, -2, -1e-3, NAN},
    [FRICTION] = {NAN, -INFINITY, -1, NAN, NAN, NAN},
    [SHARE] = {NAN, INFINITY, -INFINITY, -0.5, 1.5, 1e308},
    [ENDING] = {NAN, -INFINITY, NAN, NAN, NAN, NAN},
};
static const int bad_integers[][4] = {
    [CHOICE] = {-1, 100, INT_MAX, INT_MIN},
    [INDEX] = {-2, 100, INT_MAX, INT_MIN},
    [AT_LEAST_1] = {0, -2, INT_MIN, -1000},
    [AT_LEAST_0] = {-2, INT_MIN, -1000, -77},
};

struct member {
    size_t offset;
    enum kind kind;
    const char *names; // in the error
};

#define MEMBER(type_, member_, kind_, names_)                                                      \
    { offsetof(type_, member_), kind_, names_ }
#define VECTOR(type_, member_, kind_, names_)                                                      \
    MEMBER(type_, member_.x, kind_, names_), MEMBER(type_, member_.y, kind_, names_),              \
        MEMBER(type_, member_.z, kind_, names_)

// Calls a function with a struct in which one member is bad.
typedef bool (*call_function)(struct bench *bench, const void *object, struct gabion_error *error);

static void spoil(const struct member *member, int k, char *object) {
    if (member->kind >= CHOICE)
        memcpy(object + member->offset, &bad_integers[member->kind][k], sizeof(int));
    else
        memcpy(object + member->offset, &bad_numbers[member->kind][k], sizeof(double));
}

static void spoil_each(struct bench *bench, const char *name, const struct member *members,
                       size_t count, const void *good, size_t size, call_function call) {
    char object[sizeof(struct gabion_settings) + sizeof(struct gabion_body)];
    assert_true(size <= sizeof object);
    for (size_t m = 0; m < count; m++)
        for (int k = 0; k < (members[m].kind >= CHOICE ? 4 : 6); k++) {
            struct gabion_error own = {0};
            char text[120];
            struct snapshot before = snapshot_of(bench->world);
            memcpy(object, good, size);
            spoil(&members[m], k, object);
            bench->error = k % 2 == 0 ? &own : NULL;
            bool failed = !call(bench, object, bench->error);
            snprintf(text, sizeof text, "%s: member %zu (%s), value %d", name, m, members[m].names,
                     k);
            judge(bench, text, members[m].names, failed, &own, &before);
        }
}

#define SPOIL(name_, members_, good_, call_)                                                       \
    spoil_each(bench, name_, members_, sizeof(members_) / sizeof *(members_), &(good_),            \
               sizeof(good_), call_)

// Settings ------------------------------------------------------------------------------------

#define S(member_, kind_, names_) MEMBER(struct gabion_settings, member_, kind_, names_)

static const struct member settings_members[] = {
    S(step, POSITIVE, "time.step"),
    S(end, NOT_NEGATIVE, "time.end"),
    S(theta, POSITIVE, "time.theta"),
    VECTOR(struct gabion_settings, gravity, FINITE, "gravity"),
    S(gravity_ramp_start, FINITE, "gravity_ramp"),
    S(gravity_ramp_end, FINITE, "gravity_ramp"),
    S(scheme, CHOICE, "time.scheme"),
    S(budget.positions, AT_LEAST_0, "solver.budget"),
    S(budget.velocities, AT_LEAST_0, "solver.budget"),
    S(budget.accelerations, AT_LEAST_0, "solver.budget"),
    S(gap, CHOICE, "contact.gap"),
    S(alert, NOT_NEGATIVE, "contact.alert"),
    S(restitution_cutoff, NOT_NEGATIVE, "contact.restitution_cutoff"),
    S(projection, AT_LEAST_0, "contact.projection"),
    S(gamma, POSITIVE, "contact.gamma"),
    S(restitution_velocity, CHOICE, "contact.restitution_velocity"),
    S(joint_correction, SHARE, "contact.joint_correction"),
    S(method, CHOICE, "solver.method"),
    S(local, CHOICE, "solver.local"),
    S(tolerance, POSITIVE, "solver.tolerance"),
    S(measure, CHOICE, "solver.measure"),
    S(max_sweeps, AT_LEAST_1, "solver.max_sweeps"),
    S(relaxation, POSITIVE, "solver.relaxation"),
    S(cone.sides, AT_LEAST_1, "solver.cone_sides"),
    S(cone.angle, FINITE, "solver.cone_angle"),
    S(on_cap, CHOICE, "solver.on_cap"),
    S(time_budget, NOT_NEGATIVE, "solver.time_budget"),
    S(rest_speed, NOT_NEGATIVE, "stop.rest_speed"),
    S(rest_duration, NOT_NEGATIVE, "stop.rest_duration"),
    S(fall_distance, NOT_NEGATIVE, "stop.fall_distance"),
    S(fall_speed, NOT_NEGATIVE, "stop.fall_speed"),
};

static bool call_create(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_world *world = gabion_create(object, 1, error);
    (void)bench;
    gabion_destroy(world);
    return world != NULL;
}

static bool call_set_settings(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_set_settings(bench->world, object, error);
}

static void attack_settings(struct bench *bench) {
    struct gabion_settings good = gabion_default_settings();
    SPOIL("gabion_create", settings_members, good, call_create);
    SPOIL("gabion_set_settings", settings_members, good, call_set_settings);
    REJECTS("settings", !gabion_create(NULL, 1, error));
    REJECTS("threads", !gabion_create(&good, -1, error));
    REJECTS("threads", !gabion_create(&good, 1025, error));
    REJECTS("threads", !gabion_create(&good, INT_MAX, error));
    REJECTS("threads", !gabion_create(&good, INT_MIN, error));
    REJECTS("world", !gabion_set_settings(NULL, &good, error));
    REJECTS("settings", !gabion_set_settings(bench->world, NULL, error));
    REJECTS("world", !gabion_get_settings(NULL, &good, error));
    REJECTS("settings", !gabion_get_settings(bench->world, NULL, error));
    for (int k = 0; k < 4; k++) {
        ANSWERS(!gabion_method_name((enum gabion_method)bad_integers[CHOICE][k]));
        ANSWERS(!gabion_local_name((enum gabion_local)bad_integers[CHOICE][k]));
    }
    ANSWERS(gabion_threads(NULL) == -1);
    ANSWERS(gabion_version() != NULL);
    gabion_destroy(NULL);
    gabion_free(NULL);
}

// Materials, groups and laws ------------------------------------------------------------------

#define L(member_, kind_, names_) MEMBER(struct gabion_law, member_, kind_, names_)

static const struct member law_members[] = {
    L(friction, FRICTION, "friction"),
    L(restitution, SHARE, "restitution"),
    L(tangential_restitution, SHARE, "tangential_restitution"),
};

static bool call_set_law(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_set_law(bench->world, 0, 0, object, error);
}

static bool call_set_default_law(struct bench *bench, const void *object,
                                 struct gabion_error *error) {
    return gabion_set_default_law(bench->world, object, error);
}

static void attack_names(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_law law = {.friction = 0.5};
    SPOIL("gabion_set_law", law_members, law, call_set_law);
    SPOIL("gabion_set_default_law", law_members, law, call_set_default_law);
    REJECTS("law", !gabion_set_law(world, 0, 0, NULL, error));
    REJECTS("law", !gabion_set_default_law(world, NULL, error));
    REJECTS("world", !gabion_set_law(NULL, 0, 0, &law, error));
    REJECTS("world", !gabion_set_default_law(NULL, &law, error));
    for (int k = 0; k < 4; k++) {
        int bad = bad_integers[INDEX][k];
        REJECTS("material", !gabion_set_law(world, bad, 0, &law, error));
        REJECTS("material", !gabion_set_law(world, 0, bad, &law, error));
        ANSWERS(!gabion_material_name(world, bad) && isnan(gabion_material_density(world, bad)));
        ANSWERS(!gabion_group_name(world, bad) && !gabion_probe_name(world, bad));
    }
    for (int k = 0; k < 4; k++) // 0 is no density, of bodies that have a mass
        REJECTS("density", gabion_add_material(world, "b", bad_numbers[POSITIVE][k], error) < 0);
    REJECTS("name", gabion_add_material(world, NULL, 1, error) < 0);
    REJECTS("world", gabion_add_material(NULL, "b", 1, error) < 0);
    REJECTS("name", gabion_add_group(world, NULL, error) < 0);
    REJECTS("world", gabion_add_group(NULL, "b", error) < 0);
    ANSWERS(gabion_find_material(world, NULL) == -1 && gabion_find_material(NULL, "b") == -1);
    ANSWERS(gabion_find_group(world, NULL) == -1 && gabion_find_group(NULL, "b") == -1);
    ANSWERS(gabion_find_probe(world, NULL) == -1 && gabion_find_probe(NULL, "b") == -1);
    ANSWERS(!gabion_material_name(NULL, 0) && isnan(gabion_material_density(NULL, 0)));
    ANSWERS(!gabion_group_name(NULL, 0) && !gabion_probe_name(NULL, 0));
}

// A name without end, within reason, is a name like any other; one with format characters, too.
static void attack_long_names(struct bench *bench) {
    size_t length = 1 << 20;
    char *name = malloc(length);
    memset(name, '%', length - 1);
    name[length - 1] = '\0';
    REJECTS("density", gabion_add_material(bench->world, name, NAN, error) < 0);
    REJECTS("group", gabion_add_probe(bench->world, name, 99, GABION_FORCE, error) < 0);
    REJECTS("path", !gabion_write_checkpoint(bench->world, name, error));
    REJECTS("%%%", !gabion_restore_checkpoint(bench->world, name, error));
    ANSWERS(gabion_find_group(bench->world, name) == -1);
    free(name);
}

// Shapes --------------------------------------------------------------------------------------

static const int64_t starts[] = {0, 3, 6, 9, 12},
                     tetrahedron[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const gabion_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double radii[] = {0.1, 0.1, 0.1, 0.1};

static bool adds_polyhedron(struct bench *bench, gabion_vec3 first, int64_t start, int64_t corner,
                            struct gabion_error *error) {
    gabion_vec3 place[4];
    int64_t begin[5], face[12];
    memcpy(place, corners, sizeof place);
    memcpy(begin, starts, sizeof begin);
    memcpy(face, tetrahedron, sizeof face);
    place[0] = first;
    begin[1] = start;
    face[4] = corner;
    return gabion_add_polyhedron(bench->world, place, 4, begin, face, 4, error) >= 0;
}

static bool adds_cloud(struct bench *bench, gabion_vec3 first, double radius, bool clump,
                       struct gabion_error *error) {
    gabion_vec3 place[4];
    double size[4];
    memcpy(place, corners, sizeof place);
    memcpy(size, radii, sizeof size);
    place[0] = first;
    size[2] = radius;
    if (!clump)
        return gabion_add_hull(bench->world, place, 4, error) >= 0;
    return gabion_add_clump(bench->world, place, size, 4, GABION_CLUMP_UNION, error) >= 0;
}

static const struct member part_members[] = {
    MEMBER(struct gabion_part, polyhedron, INDEX, "polyhedron"),
    VECTOR(struct gabion_part, position, FINITE, "position"),
    MEMBER(struct gabion_part, orientation.w, FINITE, "orientation"),
    VECTOR(struct gabion_part, orientation, FINITE, "orientation"),
    MEMBER(struct gabion_part, density, NOT_NEGATIVE, "density"),
};

static bool call_add_compound(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_part part[2] = {{0, {1, 0, 0}, {1, 0, 0, 0}, 1},
                                  *(const struct gabion_part *)object};
    return gabion_add_compound(bench->world, part, 2, error) >= 0;
}

static const int64_t bad_counts[] = {0, -1, INT64_MAX, INT64_MIN};

static void attack_surfaces(struct bench *bench) {
    struct gabion_world *world = bench->world;
    gabion_vec3 point[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int64_t triangle[9] = {0, 1, 2, 0, 1, 3, 1, 2, 3};
    for (int k = 0; k < 4; k++) {
        int64_t bad = bad_counts[k];
        REJECTS("points", gabion_add_surface(world, point, bad, triangle, 3, error) < 0);
        REJECTS("triangles", gabion_add_surface(world, point, 4, triangle, bad, error) < 0);
    }
    REJECTS("points", gabion_add_surface(world, point, 2, triangle, 1, error) < 0);
    for (int k = 0; k < 3; k++) {
        point[k].y = bad_numbers[FINITE][k];
        REJECTS("finite", gabion_add_surface(world, point, 4, triangle, 3, error) < 0);
        point[k].y = k == 2;
    }
    for (int k = 1; k < 4; k++) {
        triangle[4] = bad_counts[k];
        REJECTS("corner", gabion_add_surface(world, point, 4, triangle, 3, error) < 0);
    }
    triangle[4] = 0;
    REJECTS("no area", gabion_add_surface(world, point, 4, triangle, 3, error) < 0);
    triangle[4] = 2;
    triangle[5] = 1;
    REJECTS("same corners", gabion_add_surface(world, point, 4, triangle, 3, error) < 0);
    const int64_t fan[] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    const gabion_vec3 leaf[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    REJECTS("3 faces", gabion_add_surface(world, leaf, 5, fan, 3, error) < 0);
    const gabion_vec3 thin[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-12, 0}};
    REJECTS("no area", gabion_add_surface(world, thin, 3, fan, 1, error) < 0);
    REJECTS("point", gabion_add_surface(world, NULL, 4, triangle, 3, error) < 0);
    REJECTS("triangle", gabion_add_surface(world, point, 4, NULL, 3, error) < 0);
    REJECTS("world", gabion_add_surface(NULL, point, 4, triangle, 3, error) < 0);
}

static void attack_shapes(struct bench *bench) {
    struct gabion_world *world = bench->world;
    gabion_vec3 origin = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 3; k++) {
            double bad = bad_numbers[FINITE][k];
            gabion_vec3 place = {axis == 0 ? bad : 0, axis == 1 ? bad : 0, axis == 2 ? bad : 0};
            REJECTS("finite", !adds_polyhedron(bench, place, 3, 1, error));
            REJECTS("finite", !adds_cloud(bench, place, 0.1, false, error));
            REJECTS("finite", !adds_cloud(bench, place, 0.1, true, error));
        }
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 5; k++) {
            double bad = bad_numbers[POSITIVE][k];
            gabion_vec3 size = {axis == 0 ? bad : 1, axis == 1 ? bad : 1, axis == 2 ? bad : 1};
            REJECTS("size", gabion_add_box(world, size, error) < 0);
            REJECTS("radi", !adds_cloud(bench, origin, bad, true, error));
        }
    for (int k = 0; k < 4; k++) {
        int64_t bad = bad_counts[k];
        REJECTS("points",
                gabion_add_polyhedron(world, corners, bad, starts, tetrahedron, 4, error) < 0);
        REJECTS("face",
                gabion_add_polyhedron(world, corners, 4, starts, tetrahedron, bad, error) < 0);
        REJECTS("face_start", !adds_polyhedron(bench, origin, bad, 1, error));
        REJECTS("point", gabion_add_hull(world, corners, bad, error) < 0);
        REJECTS("sphere",
                gabion_add_clump(world, corners, radii, bad, GABION_CLUMP_SUM, error) < 0);
        REJECTS("mass",
                gabion_add_clump(world, corners, radii, 4,
                                 (enum gabion_clump_mass)bad_integers[CHOICE][k], error) < 0);
    }
    for (int k = 1; k < 4; k++)
        REJECTS("corner", !adds_polyhedron(bench, origin, 3, bad_counts[k], error));
    REJECTS("corner", gabion_add_polyhedron(world, NULL, 4, starts, tetrahedron, 4, error) < 0);
    REJECTS("face_start",
            gabion_add_polyhedron(world, corners, 4, NULL, tetrahedron, 4, error) < 0);
    REJECTS("face_corner", gabion_add_polyhedron(world, corners, 4, starts, NULL, 4, error) < 0);
    REJECTS("point", gabion_add_hull(world, NULL, 4, error) < 0);
    attack_surfaces(bench);
    REJECTS("centre", gabion_add_clump(world, NULL, radii, 4, GABION_CLUMP_SUM, error) < 0);
    REJECTS("radius", gabion_add_clump(world, corners, NULL, 4, GABION_CLUMP_SUM, error) < 0);
    REJECTS("world", gabion_add_polyhedron(NULL, corners, 4, starts, tetrahedron, 4, error) < 0);
    REJECTS("world", gabion_add_hull(NULL, corners, 4, error) < 0);
    REJECTS("world", gabion_add_clump(NULL, corners, radii, 4, GABION_CLUMP_SUM, error) < 0);
    REJECTS("world", gabion_add_box(NULL, corners[1], error) < 0);
    const struct gabion_part good = {0, {0, 0, 0}, {1, 0, 0, 0}, 1};
    const struct gabion_part still = {0, {0, 0, 0}, {0, 0, 0, 0}, 1};
    SPOIL("part", part_members, good, call_add_compound);
    REJECTS("orientation", !call_add_compound(bench, &still, error));
    for (int k = 0; k < 4; k++)
        REJECTS("parts", gabion_add_compound(world, &good, bad_counts[k], error) < 0);
    REJECTS("part", gabion_add_compound(world, NULL, 1, error) < 0);
    REJECTS("world", gabion_add_compound(NULL, &good, 1, error) < 0);
}

// Bodies and joints ---------------------------------------------------------------------------

#define B(member_, kind_, names_) MEMBER(struct gabion_body, member_, kind_, names_)

static const struct member body_members[] = {
    B(shape, CHOICE, "shape"),
    VECTOR(struct gabion_body, position, FINITE, "position"),
    B(orientation.w, FINITE, "orientation"),
    VECTOR(struct gabion_body, orientation, FINITE, "orientation"),
    VECTOR(struct gabion_body, velocity, FINITE, "velocity"),
    VECTOR(struct gabion_body, spin, FINITE, "spin"),
    B(material, INDEX, "material"),
    B(group, INDEX, "group"),
    B(lock, INDEX, "lock"),
    B(density, NOT_NEGATIVE, "density"),
    B(mass, NOT_NEGATIVE, "mass"),
    VECTOR(struct gabion_body, inertia, NOT_NEGATIVE, "inertia"),
    B(insert_time, FINITE, "insert_time"),
};
static const struct member radius_members[] = {B(radius, POSITIVE, "radius")};
static const struct member plane_members[] = {
    VECTOR(struct gabion_body, normal, FINITE, "normal"),
    VECTOR(struct gabion_body, tangent, FINITE, "tangent"),
    B(extent[0], NOT_NEGATIVE, "extent"),
    B(extent[1], NOT_NEGATIVE, "extent"),
};
static const struct member drum_members[] = {
    B(radius, POSITIVE, "radius"),
    B(length, POSITIVE, "length"),
    VECTOR(struct gabion_body, normal, FINITE, "axis"),
};
static const struct member polyhedron_members[] = {B(polyhedron, INDEX, "polyhedron")};
static const struct member clump_members[] = {B(clump, INDEX, "clump")};
static const struct member compound_members[] = {B(compound, INDEX, "compound")};
static const struct member surface_members[] = {B(surface, INDEX, "surface")};

static bool call_add_body(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_add_body(bench->world, object, error) >= 0;
}

static void attack_bodies(struct bench *bench) {
    struct gabion_body good = sphere();
    SPOIL("sphere", body_members, good, call_add_body);
    SPOIL("sphere", radius_members, good, call_add_body);
    good.mass = 1;
    good.inertia = (gabion_vec3){1, 1, 1};
    SPOIL("sphere with a mass", body_members, good, call_add_body);
    good = sphere();
    good.shape = GABION_POLYHEDRON;
    SPOIL("polyhedron", body_members, good, call_add_body);
    SPOIL("polyhedron", polyhedron_members, good, call_add_body);
    good.shape = GABION_CLUMP;
    SPOIL("clump", body_members, good, call_add_body);
    SPOIL("clump", clump_members, good, call_add_body);
    good.shape = GABION_COMPOUND;
    SPOIL("compound", body_members, good, call_add_body);
    SPOIL("compound", compound_members, good, call_add_body);
    good.fixed = true;
    good.shape = GABION_HALF_SPACE;
    SPOIL("half-space", body_members, good, call_add_body);
    SPOIL("half-space", plane_members, good, call_add_body);
    good.shape = GABION_HOLLOW_SPHERE;
    SPOIL("hollow sphere", radius_members, good, call_add_body);
    good.shape = GABION_DRUM;
    good.length = 1;
    SPOIL("drum", drum_members, good, call_add_body);
    good.shape = GABION_SURFACE;
    SPOIL("surface", body_members, good, call_add_body);
    SPOIL("surface", surface_members, good, call_add_body);
    good.fixed = false;
    REJECTS("fixed", gabion_add_body(bench->world, &good, error) < 0);
    REJECTS("body", gabion_add_body(bench->world, NULL, error) < 0);
    REJECTS("world", gabion_add_body(NULL, &good, error) < 0);
    REJECTS("bodies", !gabion_reserve_bodies(bench->world, SIZE_MAX, error));
    REJECTS("bodies", !gabion_reserve_bodies(bench->world, INT32_MAX, error));
    REJECTS("world", !gabion_reserve_bodies(NULL, 1, error));
}

#define J(member_, kind_, names_) MEMBER(struct gabion_joint, member_, kind_, names_)

static const struct member joint_members[] = {
    J(kind, CHOICE, "kind"),
    J(first, INDEX, "body"),
    J(second, INDEX, "body"),
    VECTOR(struct gabion_joint, anchor, FINITE, "anchor"),
    VECTOR(struct gabion_joint, anchor_second, FINITE, "anchor"),
    VECTOR(struct gabion_joint, axis, FINITE, "axis"),
};

static bool call_add_joint(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_add_joint(bench->world, object, error) >= 0;
}

static void attack_joints(struct bench *bench) {
    struct gabion_joint good = {.first = 0,
                                .second = 1,
                                .anchor = {1, 0, 0},
                                .anchor_second = {2, 0, 0},
                                .axis = {1, 0, 0}};
    for (int kind = 0; kind < GABION_JOINT_COUNT; kind++) {
        good.kind = (enum gabion_joint_kind)kind;
        SPOIL("joint", joint_members, good, call_add_joint);
    }
    good.second = 0;
    REJECTS("different", gabion_add_joint(bench->world, &good, error) < 0);
    REJECTS("joint", gabion_add_joint(bench->world, NULL, error) < 0);
    REJECTS("world", gabion_add_joint(NULL, &good, error) < 0);
}

// Signals and what they drive -------------------------------------------------------------------

#define G(member_, kind_, names_) MEMBER(struct gabion_signal, member_, kind_, names_)

static const struct member signal_members[] = {
    G(kind, CHOICE, "kind"),
    G(start, FINITE, "start"),
    G(end, ENDING, "end"),
    G(amplitude, FINITE, "amplitude"),
    G(phase, FINITE, "phase"),
    G(frequency, NOT_NEGATIVE, "frequency"),
    G(smooth, NOT_NEGATIVE, "smooth"),
};
static const struct member table_members[] = {G(points, AT_LEAST_1, "points")};

static bool call_add_driver(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_add_driver(bench->world, 1, (gabion_vec3){1, 0, 0}, object, error);
}
static bool call_add_rotation(struct bench *bench, const void *object, struct gabion_error *error) {
    gabion_vec3 axis = {1, 0, 0};
    return gabion_add_rotation(bench->world, 1, axis, axis, object, error);
}
static bool call_add_force(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_add_force(bench->world, 0, (gabion_vec3){1, 0, 0}, object, error);
}
static bool call_set_tilt(struct bench *bench, const void *object, struct gabion_error *error) {
    return gabion_set_tilt(bench->world, (gabion_vec3){1, 0, 0}, object, error);
}

static const struct member vector_members[] = {VECTOR(
    struct { gabion_vec3 v; }, v, FINITE, "")};

// Spoils one component of a vector at a time; the call knows what to do with it.
static bool force_along(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    return gabion_add_force(bench->world, 0, *(const gabion_vec3 *)object, &signal, error);
}
static bool drive_along(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    return gabion_add_driver(bench->world, 1, *(const gabion_vec3 *)object, &signal, error);
}
static bool turn_about(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    return gabion_add_rotation(bench->world, 1, (gabion_vec3){0, 0, 0},
                               *(const gabion_vec3 *)object, &signal, error);
}
static bool turn_at(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    return gabion_add_rotation(bench->world, 1, *(const gabion_vec3 *)object,
                               (gabion_vec3){1, 0, 0}, &signal, error);
}
static bool tilt_about(struct bench *bench, const void *object, struct gabion_error *error) {
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    return gabion_set_tilt(bench->world, *(const gabion_vec3 *)object, &signal, error);
}
static bool reset_to(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_add_reset(bench->world, 0, 1, *v, (gabion_vec3){0, 0, 0}, error);
}
static bool reset_spin(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_add_reset(bench->world, 0, 1, (gabion_vec3){0, 0, 0}, *v, error);
}
static bool set_velocity(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_set_velocity(bench->world, 0, *v, (gabion_vec3){0, 0, 0}, error);
}
static bool set_spin(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_set_velocity(bench->world, 0, (gabion_vec3){0, 0, 0}, *v, error);
}
static bool apply_force(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_apply_force(bench->world, 0, *v, (gabion_vec3){0, 0, 0}, error);
}
static bool apply_moment(struct bench *bench, const void *object, struct gabion_error *error) {
    const gabion_vec3 *v = object;
    return gabion_apply_force(bench->world, 0, (gabion_vec3){0, 0, 0}, *v, error);
}

static void attack_vectors(struct bench *bench) {
    static const struct {
        const char *name;
        call_function call;
    } calls[] = {
        {"gabion_add_force", force_along},    {"gabion_add_driver", drive_along},
        {"gabion_add_rotation", turn_about},  {"gabion_add_rotation", turn_at},
        {"gabion_set_tilt", tilt_about},      {"gabion_add_reset", reset_to},
        {"gabion_add_reset", reset_spin},     {"gabion_set_velocity", set_velocity},
        {"gabion_set_velocity", set_spin},    {"gabion_apply_force", apply_force},
        {"gabion_apply_force", apply_moment},
    };
    gabion_vec3 good = {1, 0, 0};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        SPOIL(calls[k].name, vector_members, good, calls[k].call);
}

static void attack_signals(struct bench *bench) {
    static const call_function calls[] = {call_add_driver, call_add_rotation, call_add_force,
                                          call_set_tilt};
    double time[] = {0, 1, 2}, value[] = {1, 2, 3};
    for (int kind = 0; kind <= GABION_SIGNAL_RECORD; kind++) {
        struct gabion_signal good = {.kind = (enum gabion_signal_kind)kind,
                                     .end = 1,
                                     .amplitude = 1,
                                     .points = 3,
                                     .table_time = time,
                                     .table_value = value};
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
            SPOIL("signal", signal_members, good, calls[k]);
        if (kind < GABION_SIGNAL_TABLE)
            continue;
        SPOIL("table", table_members, good, call_add_force);
        for (int k = 0; k < 3; k++) {
            time[1] = bad_numbers[FINITE][k];
            REJECTS("table", !call_add_force(bench, &good, error));
            time[1] = 1;
            value[2] = bad_numbers[FINITE][k];
            REJECTS("table", !call_add_force(bench, &good, error));
            value[2] = 3;
        }
        time[2] = 0.5;
        REJECTS("increase", !call_add_force(bench, &good, error));
        time[2] = 2;
        good.table_time = NULL;
        REJECTS("points", !call_add_force(bench, &good, error));
        good.table_time = time;
        good.table_value = NULL;
        REJECTS("points", !call_add_force(bench, &good, error));
    }
}

static void attack_regions(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_region region = {.kind = GABION_REGION_SPHERE, .radius = 1}, bad;
    for (int k = 0; k < 4; k++) {
        int group = bad_integers[INDEX][k];
        if (group != -1) // all moving bodies
            REJECTS("group", !gabion_add_region_removal(world, group, &region, 0, 1, error));
        bad = region;
        bad.kind = (enum gabion_region_kind)bad_integers[CHOICE][k];
        REJECTS("kind", !gabion_add_region_removal(world, 0, &bad, 0, 1, error));
    }
    for (int k = 0; k < 3; k++) {
        double number = bad_numbers[FINITE][k];
        REJECTS("", !gabion_add_region_removal(world, 0, &region, number, 1, error));
        bad = region;
        bad.position.y = number;
        REJECTS("", !gabion_add_region_removal(world, 0, &bad, 0, 1, error));
        bad = region;
        bad.radius = number;
        REJECTS("", !gabion_add_region_removal(world, 0, &bad, 0, 1, error));
    }
    REJECTS("region", !gabion_add_region_removal(world, 0, NULL, 0, 1, error));
    REJECTS("world", !gabion_add_region_removal(NULL, 0, &region, 0, 1, error));
}

static void attack_probes(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_probe good = gabion_default_probe(), bad;
    double values[4];
    good.name = "c";
    for (int k = 0; k < 4; k++) {
        bad = good;
        bad.group = bad_integers[INDEX][k];
        if (bad.group != -1) // all moving bodies
            REJECTS("group", gabion_define_probe(world, &bad, error) < 0);
        bad = good;
        bad.quantity = (enum gabion_quantity)bad_integers[CHOICE][k];
        REJECTS("quantity", gabion_define_probe(world, &bad, error) < 0);
        int probe = bad_integers[INDEX][k];
        REJECTS("probe", gabion_probe_read(world, probe, values, 4, error) < 0);
        assert_int_equal(gabion_probe_components(world, probe), -1);
        assert_null(gabion_probe_component(world, probe, 0));
    }
    bad = good;
    bad.name = NULL;
    REJECTS("name", gabion_define_probe(world, &bad, error) < 0);
    bad = good;
    bad.quantity = GABION_ANGLE; // about no axis
    bad.group = 0;
    REJECTS("axis", gabion_define_probe(world, &bad, error) < 0);
    bad = good;
    bad.window = NAN;
    REJECTS("", gabion_define_probe(world, &bad, error) < 0);
    REJECTS("probe", gabion_define_probe(world, NULL, error) < 0);
    REJECTS("world", gabion_define_probe(NULL, &good, error) < 0);
    REJECTS("world", gabion_probe_read(NULL, 0, values, 4, error) < 0);
    assert_int_equal(gabion_probe_components(NULL, 0), -1);
    assert_null(gabion_probe_component(NULL, 0, 0));
}

static void attack_actions(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_signal signal = {.end = 1, .amplitude = 1};
    gabion_vec3 x = {1, 0, 0}, zero = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        int bad = bad_integers[INDEX][k];
        REJECTS("group", !gabion_add_driver(world, bad, x, &signal, error));
        REJECTS("group", !gabion_add_rotation(world, bad, x, x, &signal, error));
        REJECTS("group", !gabion_add_force(world, bad, x, &signal, error));
        REJECTS("group", !gabion_add_reset(world, bad, 1, x, x, error));
        REJECTS("group", !gabion_add_removal(world, bad, 1, error));
        REJECTS("group", !gabion_watch_fall(world, bad, error));
        REJECTS("group", gabion_add_probe(world, "b", bad, GABION_FORCE, error) < 0);
        REJECTS("quantity",
                gabion_add_probe(world, "b", 0, (enum gabion_quantity)bad_integers[CHOICE][k],
                                 error) < 0);
        REJECTS("body", !gabion_set_velocity(world, bad, x, x, error));
        REJECTS("body", !gabion_apply_force(world, bad, x, x, error));
        REJECTS("level", !gabion_set_log(world, (enum gabion_log_level)bad_integers[CHOICE][k],
                                         NULL, NULL, error));
    }
    for (int k = 0; k < 3; k++) {
        REJECTS("time", !gabion_add_reset(world, 0, bad_numbers[FINITE][k], x, x, error));
        REJECTS("time", !gabion_add_removal(world, 0, bad_numbers[FINITE][k], error));
    }
    REJECTS("direction", !gabion_add_driver(world, 1, zero, &signal, error));
    REJECTS("axis", !gabion_add_rotation(world, 1, x, zero, &signal, error));
    REJECTS("direction", !gabion_add_force(world, 0, zero, &signal, error));
    REJECTS("axis", !gabion_set_tilt(world, zero, &signal, error));
    REJECTS("not fixed", !gabion_add_driver(world, 0, x, &signal, error));
    REJECTS("not in the run", !gabion_set_velocity(world, 4, x, x, error));
    REJECTS("fixed", !gabion_apply_force(world, 3, x, x, error));
    REJECTS("signal", !gabion_add_driver(world, 1, x, NULL, error));
    REJECTS("signal", !gabion_add_rotation(world, 1, x, x, NULL, error));
    REJECTS("signal", !gabion_add_force(world, 0, x, NULL, error));
    REJECTS("signal", !gabion_set_tilt(world, x, NULL, error));
    REJECTS("name", gabion_add_probe(world, NULL, 0, GABION_FORCE, error) < 0);
    REJECTS("world", !gabion_add_driver(NULL, 1, x, &signal, error));
    REJECTS("world", !gabion_add_rotation(NULL, 1, x, x, &signal, error));
    REJECTS("world", !gabion_add_force(NULL, 0, x, &signal, error));
    REJECTS("world", !gabion_add_reset(NULL, 0, 1, x, x, error));
    REJECTS("world", !gabion_add_removal(NULL, 0, 1, error));
    REJECTS("world", !gabion_set_tilt(NULL, x, &signal, error));
    REJECTS("world", !gabion_watch_fall(NULL, 0, error));
    REJECTS("world", gabion_add_probe(NULL, "b", 0, GABION_FORCE, error) < 0);
    REJECTS("world", !gabion_set_velocity(NULL, 0, x, x, error));
    REJECTS("world", !gabion_apply_force(NULL, 0, x, x, error));
}

// Running and reading -------------------------------------------------------------------------

static void attack_running(struct bench *bench) {
    struct gabion_world *world = bench->world;
    REJECTS("steps", gabion_run(world, -1, error) < 0);
    REJECTS("steps", gabion_run(world, INT64_MIN, error) < 0);
    REJECTS("world", gabion_run(NULL, 1, error) < 0);
    REJECTS("world", !gabion_step(NULL, error));
    REJECTS("world", !gabion_set_step_function(NULL, NULL, NULL, error));
    REJECTS("world", !gabion_set_stop_function(NULL, NULL, NULL, error));
    REJECTS("world", !gabion_set_log(NULL, GABION_LOG_INFO, NULL, NULL, error));
    REJECTS("path", !gabion_write_checkpoint(world, NULL, error));
    REJECTS("path", !gabion_restore_checkpoint(world, NULL, error));
    REJECTS("world", !gabion_write_checkpoint(NULL, "a", error));
    REJECTS("world", !gabion_restore_checkpoint(NULL, "a", error));
    REJECTS("nowhere", !gabion_restore_checkpoint(world, "/nowhere/a", error));
    REJECTS("world", !gabion_find_interfaces(NULL, error));
    REJECTS("world", !gabion_gather(NULL, error));
    REJECTS("world", !gabion_gather_bodies(NULL, error));
}

static void attack_cases(struct bench *bench) {
    const char *const missing[] = {NULL}, *const wrong[] = {"solver.tolerance=no"};
    const char *path = "cases/pendulum.yaml";
    REJECTS("path", !gabion_load_case(NULL, NULL, 0, 1, error));
    REJECTS("nowhere", !gabion_load_case("/nowhere/a.yaml", NULL, 0, 1, error));
    REJECTS("overrides", !gabion_load_case(path, NULL, 1, 1, error));
    REJECTS("overrides", !gabion_load_case(path, NULL, -1, 1, error));
    REJECTS("overrides", !gabion_load_case(path, missing, 1, 1, error));
    REJECTS("solver.tolerance", !gabion_load_case(path, wrong, 1, 1, error));
    REJECTS("threads", !gabion_load_case(path, NULL, 0, -1, error));
}

static void attack_reading(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_fall fall;
    size_t count;
    ANSWERS(gabion_step_number(NULL) == -1 && isnan(gabion_time(NULL)));
    ANSWERS(!gabion_at_rest(NULL) && !gabion_collapsed(NULL, &fall) &&
            !gabion_collapsed(NULL, NULL));
    ANSWERS(gabion_state_hash(NULL) == 0);
    REJECTS("counts", !gabion_read_counts(world, NULL, error));
    REJECTS("world", !gabion_read_counts(NULL, &(struct gabion_counts){0}, error));
    REJECTS("report", !gabion_read_step_report(world, NULL, error));
    REJECTS("world", !gabion_read_step_report(NULL, &(struct gabion_step_report){0}, error));
    REJECTS("report", !gabion_read_run_report(world, NULL, error));
    REJECTS("world", !gabion_read_run_report(NULL, &(struct gabion_run_report){0}, error));
    REJECTS("energies", !gabion_read_energies(world, NULL, error));
    REJECTS("world", !gabion_read_energies(NULL, &(struct gabion_energies){0}, error));
    REJECTS("timings", gabion_read_timings(world, NULL, INT_MAX, error) < 0);
    REJECTS("capacity", gabion_read_timings(world, NULL, -1, error) < 0);
    REJECTS("world", gabion_read_timings(NULL, NULL, 0, error) < 0);
    REJECTS("bodies", !gabion_view_bodies(world, NULL, error));
    REJECTS("world", !gabion_view_bodies(NULL, &(struct gabion_bodies){0}, error));
    REJECTS("states", gabion_read_bodies(world, NULL, INT32_MAX, error) < 0);
    REJECTS("capacity", gabion_read_bodies(world, NULL, -1, error) < 0);
    REJECTS("world", gabion_read_bodies(NULL, NULL, 0, error) < 0);
    REJECTS("world", !gabion_gather(NULL, error));
    REJECTS("world", !gabion_gather_bodies(NULL, error));
    REJECTS("contacts", gabion_read_contacts(world, 0, INT64_MAX, NULL, error) < 0);
    REJECTS("contacts", gabion_read_contacts(world, 0, -1, NULL, error) < 0);
    REJECTS("contacts", gabion_read_contacts(world, -1, 0, NULL, error) < 0);
    REJECTS("contacts", gabion_read_contacts(world, INT64_MAX, 0, NULL, error) < 0);
    REJECTS("world", gabion_read_contacts(NULL, 0, 0, NULL, error) < 0);
    REJECTS("contacts", gabion_read_local_contacts(world, 0, INT64_MAX, NULL, error) < 0);
    REJECTS("contacts", gabion_read_local_contacts(world, -1, 0, NULL, error) < 0);
    REJECTS("world", gabion_read_local_contacts(NULL, 0, 0, NULL, error) < 0);
    assert_int_equal(gabion_own_contacts(NULL), 0);
    REJECTS("contacts", !gabion_view_contacts(world, NULL, error));
    REJECTS("world", !gabion_view_contacts(NULL, &(struct gabion_contacts){0}, error));
    REJECTS("count", !gabion_measure_interfaces(world, NULL, error));
    REJECTS("world", !gabion_measure_interfaces(NULL, &count, error));
}

static void attack_indices(struct bench *bench) {
    struct gabion_world *world = bench->world;
    struct gabion_body body;
    struct gabion_body_state state;
    struct gabion_polyhedron polyhedron;
    struct gabion_clump clump;
    struct gabion_compound compound;
    struct gabion_compound_part part;
    struct gabion_plane plane;
    struct gabion_hollow hollow;
    struct gabion_surface surface;
    struct gabion_joint_state joint;
    gabion_vec3 value;
    int32_t id;
    for (int k = 0; k < 4; k++) {
        int bad = bad_integers[INDEX][k];
        REJECTS("body", !gabion_get_body(world, bad, &state, error));
        REJECTS("waiting body", !gabion_get_waiting(world, bad, &id, &body, error));
        REJECTS("polyhedron", !gabion_get_polyhedron(world, bad, &polyhedron, error));
        REJECTS("clump", !gabion_get_clump(world, bad, &clump, error));
        REJECTS("compound", !gabion_get_compound(world, bad, &compound, error));
        REJECTS("compound", !gabion_get_compound_part(world, bad, 0, &part, error));
        REJECTS("part", !gabion_get_compound_part(world, 0, bad, &part, error));
        REJECTS("plane", !gabion_get_plane(world, bad, &plane, error));
        REJECTS("hollow", !gabion_get_hollow(world, bad, &hollow, error));
        REJECTS("surface", !gabion_get_surface(world, bad, &surface, error));
        REJECTS("joint", !gabion_get_joint(world, bad, &joint, error));
        REJECTS("probe", !gabion_probe_value(world, bad, &value, error));
    }
    REJECTS("state", !gabion_get_body(world, 0, NULL, error));
    REJECTS("world", !gabion_get_body(NULL, 0, &state, error));
    REJECTS("id", !gabion_get_waiting(world, 0, NULL, &body, error));
    REJECTS("body", !gabion_get_waiting(world, 0, &id, NULL, error));
    REJECTS("world", !gabion_get_waiting(NULL, 0, &id, &body, error));
    REJECTS("polyhedron", !gabion_get_polyhedron(world, 0, NULL, error));
    REJECTS("world", !gabion_get_polyhedron(NULL, 0, &polyhedron, error));
    REJECTS("clump", !gabion_get_clump(world, 0, NULL, error));
    REJECTS("world", !gabion_get_clump(NULL, 0, &clump, error));
    REJECTS("compound", !gabion_get_compound(world, 0, NULL, error));
    REJECTS("world", !gabion_get_compound(NULL, 0, &compound, error));
    REJECTS("compound", !gabion_get_compound_part(world, 0, 0, NULL, error));
    REJECTS("world", !gabion_get_compound_part(NULL, 0, 0, &part, error));
    REJECTS("plane", !gabion_get_plane(world, 0, NULL, error));
    REJECTS("world", !gabion_get_plane(NULL, 0, &plane, error));
    REJECTS("hollow", !gabion_get_hollow(world, 0, NULL, error));
    REJECTS("world", !gabion_get_hollow(NULL, 0, &hollow, error));
    REJECTS("surface", !gabion_get_surface(world, 0, NULL, error));
    REJECTS("world", !gabion_get_surface(NULL, 0, &surface, error));
    REJECTS("state", !gabion_get_joint(world, 0, NULL, error));
    REJECTS("world", !gabion_get_joint(NULL, 0, &joint, error));
    REJECTS("value", !gabion_probe_value(world, 0, NULL, error));
    REJECTS("world", !gabion_probe_value(NULL, 0, &value, error));
}

// One problem ---------------------------------------------------------------------------------

#define P(member_, kind_, names_) MEMBER(struct gabion_solver, member_, kind_, names_)

static const struct member solver_members[] = {
    P(method, CHOICE, "method"),
    P(local, CHOICE, "local"),
    P(tolerance, POSITIVE, "tolerance"),
    P(measure, CHOICE, "measure"),
    P(max_iterations, AT_LEAST_1, "max_iterations"),
    P(relaxation, POSITIVE, "relaxation"),
    P(cone.sides, AT_LEAST_1, "cone"),
    P(cone.angle, FINITE, "cone"),
    P(time_budget, NOT_NEGATIVE, "time budget"),
    P(threads, AT_LEAST_0, "threads"),
};

// A problem of two contacts, held apart so that each of its arrays can be spoiled.
struct task {
    int64_t start[3];
    int32_t column[2];
    double block[18], q[6], mu[2], r[6];
};

static struct task good_task(void) {
    struct task task = {.start = {0, 1, 2}, .column = {0, 1}, .mu = {0.5, 0.5}};
    for (int k = 0; k < 18; k++)
        task.block[k] = k % 9 % 4 == 0;
    return task;
}

static bool solves(struct task *task, const struct gabion_solver *solver,
                   struct gabion_error *error) {
    struct gabion_problem problem = {2, task->start, task->column, task->block, task->q, task->mu};
    struct gabion_solution solution;
    return gabion_solve(&problem, solver, task->r, &solution, error);
}

static bool call_solve(struct bench *bench, const void *object, struct gabion_error *error) {
    struct task task = good_task();
    (void)bench;
    return solves(&task, object, error);
}

static void attack_problem(struct bench *bench) {
    struct gabion_solver solver = gabion_default_solver();
    struct task task = good_task();
    for (int k = 0; k < 3; k++) {
        double bad = bad_numbers[FINITE][k], *spoiled[] = {&task.q[4], &task.block[13], &task.r[5]};
        const char *names[] = {"q", "block", "impulses"};
        for (int m = 0; m < 3; m++) {
            task = good_task();
            *spoiled[m] = bad;
            REJECTS(names[m], !solves(&task, &solver, error));
        }
        task = good_task();
        task.mu[1] = bad_numbers[FRICTION][k];
        REJECTS("mu", !solves(&task, &solver, error));
    }
    for (int k = 0; k < 4; k++) {
        task = good_task();
        task.column[1] = bad_integers[INDEX][k];
        REJECTS("column", !solves(&task, &solver, error));
        for (int m = 0; m < 2; m++) { // the last start is the length of arrays: nobody can check it
            task = good_task();
            task.start[m] = bad_counts[k] == 0 && m == 0 ? 1 : bad_counts[k];
            REJECTS("contact", !solves(&task, &solver, error));
        }
    }
}

static void attack_solve(struct bench *bench) {
    struct gabion_solver solver = gabion_default_solver();
    struct task task = good_task();
    struct gabion_solution answer;
    const struct gabion_problem good = {2, task.start, task.column, task.block, task.q, task.mu};
    struct gabion_problem bad = good;
    SPOIL("gabion_solve", solver_members, solver, call_solve);
    solver.threads = INT_MAX;
    REJECTS("threads", !gabion_solve(&good, &solver, task.r, &answer, error));
    solver.threads = 1;
    solver.cone.sides = INT_MAX;
    solver.method = GABION_METHOD_LEMKE;
    REJECTS("cone", !gabion_solve(&good, &solver, task.r, &answer, error));
    solver = gabion_default_solver();
    REJECTS("problem", !gabion_solve(NULL, &solver, task.r, &answer, error));
    REJECTS("solver", !gabion_solve(&good, NULL, task.r, &answer, error));
    REJECTS("r or solution", !gabion_solve(&good, &solver, NULL, &answer, error));
    REJECTS("solution", !gabion_solve(&good, &solver, task.r, NULL, error));
    bad.row_start = NULL;
    REJECTS("row_start", !gabion_solve(&bad, &solver, task.r, &answer, error));
    bad = good, bad.column = NULL;
    REJECTS("column", !gabion_solve(&bad, &solver, task.r, &answer, error));
    bad = good, bad.block = NULL;
    REJECTS("block", !gabion_solve(&bad, &solver, task.r, &answer, error));
    bad = good, bad.q = NULL;
    REJECTS("q", !gabion_solve(&bad, &solver, task.r, &answer, error));
    bad = good, bad.mu = NULL;
    REJECTS("mu", !gabion_solve(&bad, &solver, task.r, &answer, error));
    for (int32_t k = -2; k <= 0; k++) {
        bad = good, bad.contacts = k == -2 ? INT32_MIN : k;
        REJECTS("contact", !gabion_solve(&bad, &solver, task.r, &answer, error));
    }
}

// ---------------------------------------------------------------------------------------------

static void run_attack(void (*attack)(struct bench *bench)) {
    struct bench bench = {.world = make_world()};
    attack(&bench);
    print_message("%d bad calls, %d complaints\n", bench.calls, bench.failures);
    assert_int_equal(bench.failures, 0);
    // Nothing that was rejected is in the way of a step.
    struct gabion_error error = {0};
    check(gabion_run(bench.world, 2, &error) == 2, &error);
    gabion_destroy(bench.world);
}

#define ATTACK(name_)                                                                              \
    static void test_##name_(void **state) {                                                       \
        (void)state;                                                                               \
        run_attack(attack_##name_);                                                                \
    }
ATTACK(settings)
ATTACK(names)
ATTACK(long_names)
ATTACK(shapes)
ATTACK(bodies)
ATTACK(joints)
ATTACK(vectors)
ATTACK(signals)
ATTACK(actions)
ATTACK(regions)
ATTACK(probes)
ATTACK(running)
ATTACK(cases)
ATTACK(reading)
ATTACK(indices)
ATTACK(problem)
ATTACK(solve)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_names), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bodies),     cmocka_unit_test(test_joints),
        cmocka_unit_test(test_vectors),    cmocka_unit_test(test_signals),
        cmocka_unit_test(test_actions),    cmocka_unit_test(test_running),
        cmocka_unit_test(test_regions),    cmocka_unit_test(test_probes),
        cmocka_unit_test(test_cases),      cmocka_unit_test(test_reading),
        cmocka_unit_test(test_indices),    cmocka_unit_test(test_problem),
        cmocka_unit_test(test_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
