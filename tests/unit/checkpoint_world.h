// Worlds filled by hand, with a value of its own in every member of the state, and a folder to
// write them to.
#ifndef TESTS_UNIT_CHECKPOINT_WORLD_H
#define TESTS_UNIT_CHECKPOINT_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/probe/probe.h"
#include "io/checkpoint/format.h"
#include "io/file/file.h"
#include "parallel/memory.h"
#include "parallel/random.h"

static struct team *team;
static char folder[64];

static const struct checkpoint_note note = {
    .case_text = "time:\n  step: 0.001\n", .wall_time = 12.5, .parent = "checkpoint-0.h5"};

// ---- worlds ----

static inline struct gabion_world *empty_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.step = 0.001;
    settings.end = 1;
    struct gabion_world *world = world_create(&settings, team, &error);
    assert_non_null(world);
    gabion_add_material(world, "glass", 2500, NULL);
    gabion_add_material(world, "steel", 7800, NULL);
    return world;
}

static inline double real(struct random_stream *random) { return random_between(random, -10, 10); }

static inline vec3 vector(struct random_stream *random) {
    return vec3_make(real(random), real(random), real(random));
}

// A box and a prism, whose faces and corners differ in number.
static inline void fill_polyhedra(struct gabion_world *world) {
    struct gabion_error error = {0};
    const double triangle[3][2] = {{0, 0}, {2, 0}, {0.5, 1}};
    world_add_polyhedron(world, polyhedron_box(vec3_make(1, 2, 3), &error), &error);
    world_add_polyhedron(world, polyhedron_prism(triangle, 3, -1, 1, &error), &error);
    assert_int_equal(error.status, GABION_OK);
}

static inline void fill_clumps(struct gabion_world *world) {
    struct gabion_error error = {0};
    world_add_clump(world, clump_bar(3, 0.5, 0.8, CLUMP_SUM, &error), &error);
    world_add_clump(world, clump_torus(5, 0.2, 1, CLUMP_UNION, &error), &error);
    assert_int_equal(error.status, GABION_OK);
    struct bodies *bodies = &world->bodies;
    bodies->hollow_count = 2;
    bodies->hollows = memory_reserve(bodies->hollows, &bodies->hollow_capacity, 2,
                                     sizeof *bodies->hollows, "containers");
    bodies->hollows[0] = (struct hollow){.radius = 3};
    bodies->hollows[1] = (struct hollow){{0, 0.6, 0.8}, 4, 5, true};
}

// An L of two boxes, and a box that a prism of another density sticks in, turned.
static inline void fill_compounds(struct gabion_world *world) {
    struct gabion_error error = {0};
    const struct gabion_part ell[] = {{0, {0, 0, 0}, {1, 0, 0, 0}, 0},
                                      {0, {2, 0, 0.5}, {1, 0, 0, 0}, 0}};
    const struct gabion_part spike[] = {{0, {0, 0, 0}, {1, 2, 0, 0}, 1},
                                        {1, {0.3, 1, 0.2}, {0.5, 0.1, 0.2, 0.3}, 2.5}};
    assert_int_equal(gabion_add_compound(world, ell, 2, &error), 0);
    assert_int_equal(gabion_add_compound(world, spike, 2, &error), 1);
}

// A square of two triangles, and a roof beside a single triangle.
static inline void fill_surfaces(struct gabion_world *world) {
    struct gabion_error error = {0};
    const vec3 point[] = {{0, 0, 0},   {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                          {2, 0.5, 1}, {5, 5, 5}, {6, 5, 5}, {5, 6, 5.5}};
    const int64_t triangle[] = {0, 1, 2, 0, 2, 3, 1, 2, 4, 5, 6, 7};
    assert_int_equal(gabion_add_surface(world, point, 4, triangle, 2, &error), 0);
    assert_int_equal(gabion_add_surface(world, point, 8, triangle, 4, &error), 1);
}

// Adds an interface between every fourth body and the next one.
static inline void fill_interfaces(struct gabion_world *world, struct random_stream *random) {
    struct interfaces *interfaces = world->interfaces;
    size_t count = (size_t)world->bodies.count / 4;
    interfaces->list = memory_reserve(interfaces->list, &interfaces->capacity, count,
                                      sizeof *interfaces->list, "interfaces");
    interfaces->corner = memory_reserve(interfaces->corner, &interfaces->corner_capacity, 5 * count,
                                        sizeof *interfaces->corner, "interfaces");
    for (size_t k = 0; k < count; k++) {
        interfaces->list[interfaces->count++] =
            (struct interface){(int32_t)k, (int32_t)k + 1, (uint32_t)interfaces->corner_count,
                               (uint32_t)(3 + k % 3), vector(random)};
        for (size_t c = 0; c < 3 + k % 3; c++)
            interfaces->corner[interfaces->corner_count++] =
                (struct interface_corner){vector(random), vector(random)};
    }
}

static inline void fill_bodies(struct gabion_world *world, int32_t count,
                               struct random_stream *random) {
    struct bodies *bodies = &world->bodies;
    bodies_reserve(bodies, (size_t)count);
    bodies->count = count;
    bodies->moving = count - (count > 2 ? 2 : 0);
    bodies->id_count = 2 * count + 10;
    bodies->index_of = memory_reserve(bodies->index_of, &bodies->id_capacity,
                                      (size_t)bodies->id_count, sizeof(int32_t), "ids");
    for (int32_t id = 0; id < bodies->id_count; id++)
        bodies->index_of[id] = -1;
    bodies->half_space_count = 2;
    bodies->half_spaces = memory_reserve(bodies->half_spaces, &bodies->half_space_capacity, 2,
                                         sizeof *bodies->half_spaces, "half-spaces");
    for (int k = 0; k < 2; k++)
        bodies->half_spaces[k] =
            (struct half_space){vector(random), vector(random), {1.5 + k, 2.5}};
    bodies->start_count = (size_t)bodies->id_count;
    bodies->start_of = memory_reserve(bodies->start_of, &bodies->start_capacity,
                                      bodies->start_count, sizeof(vec3), "starts");
    for (size_t id = 0; id < bodies->start_count; id++)
        bodies->start_of[id] = vector(random);
    for (int32_t i = 0; i < count; i++) {
        bool moving = i < bodies->moving, block = moving && i % 3 == 2,
             clump = moving && i % 6 == 4, compound = moving && i % 6 == 1;
        bodies->id[i] = 2 * (count - 1 - i);
        bodies->index_of[bodies->id[i]] = i;
        bodies->shape[i] = block      ? GABION_POLYHEDRON
                           : clump    ? GABION_CLUMP
                           : compound ? GABION_COMPOUND
                           : moving   ? GABION_SPHERE
                           : i % 2    ? GABION_HALF_SPACE
                           : i % 4    ? GABION_DRUM
                                      : GABION_SURFACE;
        bodies->shape_index[i] = block || clump ? i % 2 : compound ? i / 6 % 2 : moving ? -1 : 1;
        bodies->material[i] = (uint16_t)(i % 2);
        bodies->group[i] = (uint16_t)(i % 3);
        bodies->lock[i] = (uint8_t)(i % 64);
        bodies->radius[i] = moving ? 0.1 + random_unit(random) : 0;
        bodies->mass[i] = moving ? 0.1 + random_unit(random) : 0;
        bodies->inertia[i] =
            moving ? vec3_make(random_unit(random), random_unit(random), 0.25) : vec3_zero();
        bodies->x[i] = vector(random);
        bodies->q[i] = quat_exp(vector(random));
        bodies->v[i] = vector(random);
        bodies->w[i] = vector(random);
    }
}

// Two contacts per body, and none for each fifth one.
static inline void fill_memory(struct gabion_world *world, struct random_stream *random) {
    struct contacts *contacts = world->contacts;
    size_t moving = (size_t)world->bodies.moving;
    contacts->memory_start = memory_reserve(contacts->memory_start, &contacts->start_capacity,
                                            moving + 1, sizeof(uint32_t), "memory");
    contacts->memory = memory_reserve(contacts->memory, &contacts->memory_capacity, 2 * moving,
                                      sizeof *contacts->memory, "memory");
    contacts->memory_collision =
        memory_reserve(contacts->memory_collision, &contacts->memory_collision_capacity, 2 * moving,
                       sizeof *contacts->memory_collision, "memory");
    contacts->memory_count = 0;
    for (size_t c = 0; c < moving; c++) {
        contacts->memory_start[c] = (uint32_t)contacts->memory_count;
        for (int32_t k = 1; k <= 2 && c % 5 > 0 && (int32_t)c + k < world->bodies.count; k++)
            contacts->memory[contacts->memory_count++] = (struct contact_memory){
                (int32_t)c + k, (uint32_t)k << 30, vector(random), vector(random)};
    }
    contacts->memory_start[moving] = (uint32_t)contacts->memory_count;
    for (size_t k = 0; k < contacts->memory_count; k++)
        contacts->memory_collision[k] = k % 3 ? vec3_zero() : vector(random);
}

// Member by member, so that padding stays zero and whole arrays can be compared.
static inline void fill_pending(struct pending_body *pending, int32_t id,
                                struct random_stream *random) {
    struct gabion_body *body = &pending->body;
    pending->id = id;
    body->shape = GABION_HALF_SPACE;
    body->polyhedron = 1;
    body->clump = 1;
    body->compound = 1;
    body->surface = 1;
    body->length = 2.5;
    body->ends = true;
    body->radius = 0.5;
    body->normal = vector(random);
    body->tangent = vector(random);
    body->extent[0] = 3;
    body->extent[1] = 4;
    body->position = vector(random);
    body->orientation = quat_exp(vector(random));
    body->velocity = vector(random);
    body->spin = vector(random);
    body->material = 1;
    body->group = 2;
    body->fixed = true;
    body->lock = 63;
    body->density = 1234;
    body->mass = 5;
    body->inertia = vec3_make(1, 2, 3);
    body->insert_time = 0.75;
}

static inline void fill_joints(struct gabion_world *world, struct random_stream *random) {
    world->joints.count = 2;
    world->joints.list = memory_allocate(2, sizeof *world->joints.list, "joints");
    for (int k = 0; k < 2; k++) {
        struct joint *joint = &world->joints.list[k];
        joint->kind = k ? GABION_JOINT_FIXED : GABION_JOINT_DISTANCE;
        joint->id[0] = 2 * k;
        joint->id[1] = k - 1;
        joint->collide = k;
        for (int i = 0; i < 2; i++) {
            joint->side[i].anchor = vector(random);
            for (int row = 0; row < 3; row++)
                joint->side[i].frame.row[row] = vector(random);
        }
        joint->lever = 0.5;
        joint->length = 2;
        for (int i = 0; i < JOINT_POINTS; i++)
            joint->impulse[i] = vector(random);
    }
}

// Counts of probes that are not defined in this world.
static inline void fill_probes(struct gabion_world *world, struct random_stream *random) {
    struct state state = {.world = world};
    state_flows.reserve(&state, 2);
    state_turns.reserve(&state, 2);
    for (int k = 0; k < 2; k++) {
        world->probes->flows[k] = (struct flow){
            100 + k, real(random), real(random), 7 - k, 3 + k, real(random), 5, real(random)};
        world->probes->turns[k] =
            (struct turn){200 + k, 2 * k, quat_exp(vector(random)), real(random)};
    }
}

static inline struct gabion_world *world_make(int32_t count, int64_t step) {
    struct random_stream random = {(uint64_t)step};
    struct gabion_world *world = empty_world();
    gabion_add_group(world, "grains", NULL);
    gabion_add_group(world, "box.zmin", NULL);
    world->step = step;
    fill_polyhedra(world);
    fill_clumps(world);
    fill_compounds(world);
    fill_surfaces(world);
    fill_bodies(world, count, &random);
    fill_interfaces(world, &random);
    fill_memory(world, &random);
    fill_probes(world, &random);
    world->pending_count = 3;
    world->pending = memory_allocate(3, sizeof *world->pending, "pending");
    for (int32_t k = 0; k < 3; k++)
        fill_pending(&world->pending[k], 2 * k + 1, &random);
    world->pending[0].body.fixed = false;
    world->pending[0].body.shape = GABION_POLYHEDRON;
    world->pending[1].body.shape = GABION_SURFACE;
    world->driven_count = 2;
    world->driven = memory_allocate(2, sizeof *world->driven, "driven");
    for (int32_t k = 0; k < 2; k++) {
        world->driven[k].id = k;
        world->driven[k].origin = vector(&random);
        world->driven[k].orientation = quat_exp(vector(&random));
    }
    world->rest_since = 0.125;
    fill_joints(world, &random);
    world->ledger = (struct ledger){1.5, 2.5,  -3.5, 0.25, 4.5,   5.5, 6.5, 8.5,
                                    7.5, 0.75, 0.5,  0.25, 1e-17, 0,   9.5};
    world->run = (struct gabion_run_report){.steps = step,
                                            .unconverged_steps = 2,
                                            .fallback_steps = 4,
                                            .local_fallbacks = 3,
                                            .sweeps = 5000000000,
                                            .contact_sweeps = 6000000000};
    world->report = (struct gabion_step_report){.bodies = count - 2,
                                                .candidates = 10,
                                                .contacts = 7,
                                                .sweeps = 11,
                                                .colours = 9,
                                                .converged = true,
                                                .residual = 1e-5,
                                                .residual_fclib = 1e-6,
                                                .max_overlap = 1e-7,
                                                .max_overlap_relative = 1e-8,
                                                .mean_overlap = 1e-9,
                                                .joint_error = 1e-9,
                                                .max_speed = 3.25};
    return world;
}

#define SAME(count, array)                                                                         \
    ((count) == 0 || memcmp(left->array, right->array, (count) * sizeof *left->array) == 0)

static inline bool polyhedra_equal(const struct polyhedron *left, const struct polyhedron *right) {
    size_t corners = (size_t)left->corner_count, faces = (size_t)left->face_count;
    return left->corner_count == right->corner_count && left->face_count == right->face_count &&
           left->edge_count == right->edge_count && SAME(corners, corner) &&
           SAME(faces + 1, face_start) && SAME((size_t)left->face_start[faces], face_corner) &&
           SAME(faces, normal) && SAME(faces, offset) && SAME((size_t)left->edge_count, edge) &&
           SAME((size_t)left->face_start[faces], face_edge) &&
           memcmp(&left->volume, &right->volume,
                  sizeof *left - offsetof(struct polyhedron, volume)) == 0;
}

static inline bool clumps_equal(const struct clump *left, const struct clump *right) {
    return left->count == right->count && SAME((size_t)left->count, sphere) &&
           SAME((size_t)left->count, sphere_radius) &&
           memcmp(&left->volume, &right->volume, sizeof *left - offsetof(struct clump, volume)) ==
               0;
}

static inline bool compounds_equal(const struct compound *left, const struct compound *right) {
    if (left->count != right->count || !polyhedra_equal(left->hull, right->hull) ||
        !SAME((size_t)left->hull->corner_count, hull_corner))
        return false;
    for (int32_t k = 0; k < left->count; k++) {
        struct compound_part part = left->part[k], other = right->part[k];
        part.shape = other.shape = NULL; // each world has its own
        if (memcmp(&part, &other, sizeof part) != 0)
            return false;
    }
    return memcmp(&left->hull_axes, &right->hull_axes, sizeof left->hull_axes) == 0 &&
           memcmp(&left->volume, &right->volume,
                  sizeof *left - offsetof(struct compound, volume)) == 0;
}

static inline bool hollows_equal(const struct hollow *left, const struct hollow *right) {
    return memcmp(&left->axis, &right->axis, sizeof left->axis) == 0 &&
           left->radius == right->radius && left->half_length == right->half_length &&
           left->ends == right->ends;
}

static inline bool surfaces_equal(const struct shell *left, const struct shell *right) {
    size_t points = (size_t)left->point_count, groups = (size_t)left->group_count;
    size_t faces = (size_t)left->face_count, corners = (size_t)left->face_start[faces];
    return left->point_count == right->point_count &&
           left->triangle_count == right->triangle_count &&
           left->group_count == right->group_count && left->face_count == right->face_count &&
           left->edge_count == right->edge_count && left->tolerance == right->tolerance &&
           SAME(points, point) && SAME(3 * (size_t)left->triangle_count, triangle) &&
           SAME(groups, normal) && SAME(groups, offset) && SAME((size_t)left->edge_count, edge) &&
           SAME(faces + 1, face_start) && SAME(corners, face_corner) && SAME(corners, face_edge) &&
           SAME(faces, face_group) && SAME(points, point_edge) && SAME(points + 1, spoke_start) &&
           SAME((size_t)left->spoke_start[points], spoke);
}

static inline bool shapes_equal(const struct bodies *left, const struct bodies *right) {
    if (left->polyhedron_count != right->polyhedron_count ||
        left->clump_count != right->clump_count || left->hollow_count != right->hollow_count ||
        left->compound_count != right->compound_count ||
        left->surface_count != right->surface_count)
        return false;
    for (size_t k = 0; k < left->surface_count; k++)
        if (!surfaces_equal(left->surfaces[k], right->surfaces[k]))
            return false;
    for (size_t k = 0; k < left->compound_count; k++)
        if (!compounds_equal(left->compounds[k], right->compounds[k]))
            return false;
    for (size_t k = 0; k < left->clump_count; k++)
        if (!clumps_equal(left->clumps[k], right->clumps[k]))
            return false;
    for (size_t k = 0; k < left->hollow_count; k++)
        if (!hollows_equal(&left->hollows[k], &right->hollows[k]))
            return false;
    for (size_t k = 0; k < left->polyhedron_count; k++)
        if (!polyhedra_equal(left->polyhedra[k], right->polyhedra[k]))
            return false;
    return true;
}

// Every byte of the state, without the table of the format: a member forgotten there shows here.
static inline bool worlds_equal(const struct gabion_world *left, const struct gabion_world *right) {
    size_t n = (size_t)left->bodies.count, ids = (size_t)left->bodies.id_count;
    size_t starts = left->contacts->memory_start ? (size_t)left->bodies.moving + 1 : 0;
    bool nan = isnan(left->rest_since) && isnan(right->rest_since);
    return left->step == right->step && left->bodies.count == right->bodies.count &&
           left->bodies.moving == right->bodies.moving &&
           left->bodies.id_count == right->bodies.id_count && SAME(n, bodies.id) &&
           SAME(n, bodies.shape_index) && SAME(n, bodies.material) && SAME(n, bodies.group) &&
           SAME(n, bodies.shape) && SAME(n, bodies.lock) && SAME(n, bodies.radius) &&
           SAME(n, bodies.mass) && SAME(n, bodies.inertia) && SAME(n, bodies.x) &&
           SAME(n, bodies.q) && SAME(n, bodies.v) && SAME(n, bodies.w) &&
           SAME(ids, bodies.index_of) &&
           left->bodies.half_space_count == right->bodies.half_space_count &&
           SAME(left->bodies.half_space_count, bodies.half_spaces) &&
           shapes_equal(&left->bodies, &right->bodies) &&
           left->bodies.start_count == right->bodies.start_count &&
           SAME(left->bodies.start_count, bodies.start_of) &&
           left->interfaces->count == right->interfaces->count &&
           SAME(left->interfaces->count, interfaces->list) &&
           left->interfaces->corner_count == right->interfaces->corner_count &&
           SAME(left->interfaces->corner_count, interfaces->corner) &&
           left->contacts->memory_count == right->contacts->memory_count &&
           !left->contacts->memory_start == !right->contacts->memory_start &&
           SAME(starts, contacts->memory_start) &&
           SAME(left->contacts->memory_count, contacts->memory) &&
           !left->contacts->memory_collision == !right->contacts->memory_collision &&
           (!left->contacts->memory_collision ||
            SAME(left->contacts->memory_count, contacts->memory_collision)) &&
           left->pending_count == right->pending_count &&
           SAME((size_t)left->pending_count, pending) &&
           left->driven_count == right->driven_count && SAME((size_t)left->driven_count, driven) &&
           left->joints.count == right->joints.count &&
           SAME((size_t)left->joints.count, joints.list) &&
           (nan || left->rest_since == right->rest_since) &&
           memcmp(&left->ledger, &right->ledger, sizeof left->ledger) == 0;
}

static inline bool reports_equal(const struct gabion_world *left,
                                 const struct gabion_world *right) {
    const struct gabion_step_report *a = &left->report, *b = &right->report;
    return left->run.steps == right->run.steps &&
           left->run.unconverged_steps == right->run.unconverged_steps &&
           left->run.fallback_steps == right->run.fallback_steps &&
           left->run.local_fallbacks == right->run.local_fallbacks &&
           left->run.sweeps == right->run.sweeps &&
           left->run.contact_sweeps == right->run.contact_sweeps && a->bodies == b->bodies &&
           a->candidates == b->candidates && a->contacts == b->contacts && a->sweeps == b->sweeps &&
           a->colours == b->colours && a->converged == b->converged && a->residual == b->residual &&
           a->residual_fclib == b->residual_fclib && a->max_overlap == b->max_overlap &&
           a->max_overlap_relative == b->max_overlap_relative &&
           a->mean_overlap == b->mean_overlap && a->max_speed == b->max_speed;
}

// ---- files ----

static inline const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline const char *path_of_step(int64_t step) {
    char name[64];
    snprintf(name, sizeof name, "checkpoint-%09" PRId64 ".h5", step);
    return path_of(name);
}

static inline void folder_clear(void) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlink(path_of(entry->d_name));
    closedir(directory);
}

static inline void write_good(const struct gabion_world *world, int keep) {
    struct gabion_error error = {0};
    if (!checkpoint_write(folder, world, &note, keep, &error))
        fail_msg("%s", error.text);
}

static inline char *bytes_of(const char *path, size_t *size) {
    struct gabion_error error = {0};
    char *bytes = file_read(path, (size_t)1 << 30, size, &error);
    assert_non_null(bytes);
    return bytes;
}

static inline void bytes_write(const char *path, const char *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

// The restored world, or NULL with the reason.
static inline struct gabion_world *read_back(const char *path, struct gabion_error *error) {
    struct checkpoint *checkpoint = checkpoint_open(path, error);
    if (!checkpoint)
        return NULL;
    struct gabion_world *world = empty_world();
    bool good = checkpoint_restore(checkpoint, world, error);
    checkpoint_close(checkpoint);
    if (good)
        return world;
    gabion_destroy(world);
    return NULL;
}

static inline void assert_rejected(const char *path, const char *word) {
    struct gabion_error error = {0};
    struct gabion_world *world = read_back(path, &error);
    if (world || error.status != GABION_ERROR_INPUT || !strstr(error.text, path) ||
        !strstr(error.text, word))
        fail_msg("%s: expected a rejection about '%s', not: %s", path, word,
                 world ? "success" : error.text);
}

// ---- folder and team of a test program ----

static inline int group_setup(void **state) {
    (void)state;
    struct gabion_error error = {0};
    snprintf(folder, sizeof folder, "/tmp/test_checkpoint.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    team = team_create(1, NULL, &error);
    return team ? 0 : -1;
}

static inline int group_teardown(void **state) {
    (void)state;
    folder_clear();
    rmdir(folder);
    team_destroy(team);
    return 0;
}

#endif
