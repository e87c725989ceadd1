#include "io/vtk/vtk.h"

#include <stdio.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "io/file/file.h"
#include "io/vtk/pvd.h"
#include "io/vtk/frame.h"
#include "parallel/memory.h"

enum kind {
    KIND_BODIES,
    KIND_WALLS,
    KIND_CONTACTS,
    KIND_JOINTS, // only where there are joints between bodies
    KIND_BLOCKS, // this and the following only where there are blocks
    KIND_INTERFACES,
    KIND_THRUST,
    KIND_COUNT
};

static const struct {
    const char *name;
    void (*describe)(struct frame *, struct vtk_mesh *);
} kinds[KIND_COUNT] = {
    [KIND_BODIES] = {"bodies", frame_bodies},
    [KIND_WALLS] = {"walls", frame_walls},
    [KIND_CONTACTS] = {"contacts", frame_contacts},
    [KIND_BLOCKS] = {"blocks", frame_blocks},
    [KIND_JOINTS] = {"joints", frame_joints},
    [KIND_INTERFACES] = {"interfaces", frame_interfaces},
    [KIND_THRUST] = {"thrust", frame_thrust},
};

struct vtk_series {
    char directory[PVD_PATH_MAX];
    struct pvd pvd[KIND_COUNT];
};

// Frames.

static void frame_sum_contacts(struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    const struct contacts *contacts = frame->world->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        if (vec3_dot(contact->impulse, contact->normal) > 0) {
            frame->coordination[contact->c]++;
            frame->coordination[contact->a]++;
        }
        if (bodies_is_wall(bodies, contact->a)) {
            vec3 *impulse = &frame->wall_impulse[contact->a];
            *impulse = vec3_sub(*impulse, contact->impulse);
        }
    }
}

struct box {
    vec3 low, high;
};

static void box_add(struct box *box, vec3 x, double r) {
    vec3 low = box->low, high = box->high;
    box->low = vec3_make(fmin(low.x, x.x - r), fmin(low.y, x.y - r), fmin(low.z, x.z - r));
    box->high = vec3_make(fmax(high.x, x.x + r), fmax(high.y, x.y + r), fmax(high.z, x.z + r));
}

static void box_add_block(struct box *box, const struct bodies *bodies, int32_t i) {
    const struct polyhedron *shape = bodies_polyhedron(bodies, i);
    mat3 axes = quat_matrix(bodies->q[i]);
    for (int32_t c = 0; c < shape->corner_count; c++)
        box_add(box, vec3_add(bodies->x[i], mat3_apply(axes, shape->corner[c])), 0);
}

static void frame_measure(struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    vec3 far = {INFINITY, INFINITY, INFINITY};
    struct box box = {far, vec3_negate(far)};
    for (int32_t i = 0; i < bodies->count; i++) {
        if (bodies->shape[i] == GABION_SPHERE || bodies->shape[i] == GABION_CLUMP)
            box_add(&box, bodies->x[i], bodies->radius[i]);
        else if (bodies->shape[i] == GABION_POLYHEDRON)
            box_add_block(&box, bodies, i);
    }
    if (box.low.x > box.high.x) // nothing: a metre around the origin
        box = (struct box){{-1, -1, -1}, {1, 1, 1}};
    frame->centre = vec3_scale(0.5, vec3_add(box.low, box.high));
    frame->reach = vec3_scale(0.5, vec3_sub(box.high, box.low));
}

static bool is_round(int shape) { return shape == GABION_SPHERE || shape == GABION_CLUMP; }

static bool has_spheres(const struct gabion_world *world) {
    bool found = false;
    for (int32_t i = 0; i < world->bodies.count && !found; i++)
        found = is_round(world->bodies.shape[i]);
    for (int k = 0; k < world->pending_count && !found; k++)
        found = is_round(world->pending[k].body.shape);
    return found;
}

// Masonry has no series of spheres, and grains none of blocks. A series once begun goes on.
static bool kind_exists(const struct vtk_series *series, const struct gabion_world *world,
                        enum kind kind) {
    bool blocks = world->bodies.polyhedron_count > 0;
    if (kind >= KIND_BLOCKS)
        return blocks;
    if (kind == KIND_JOINTS)
        return world->joints.count > 0;
    return kind != KIND_BODIES || !blocks || series->pvd[kind].count > 0 || has_spheres(world);
}

static void frame_free_kind(struct frame *frame) {
    void *arrays[] = {frame->drawn, frame->part, frame->point, frame->words, frame->thrust};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    frame->drawn = frame->part = frame->words = NULL;
    frame->point = NULL;
    frame->thrust = NULL;
    frame->drawn_count = frame->drawn_capacity = 0;
}

static bool kind_write(struct frame *frame, enum kind kind, struct pvd *pvd,
                       struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct vtk_mesh mesh = {
        .context = frame, .time = world_time(frame->world), .step = frame->world->step};
    frame->solid = strcmp(pvd->extension, "vtu") == 0;
    kinds[kind].describe(frame, &mesh);
    bool written = pvd_frame_path(pvd, mesh.step, path, error) &&
                   vtk_xml_write(path, &mesh, frame->world->team, error);
    frame_free_kind(frame);
    if (!written)
        return false;
    pvd_add(pvd, mesh.time, mesh.step);
    return pvd_write(pvd, error);
}

bool vtk_write(struct vtk_series *series, const struct gabion_world *world,
               struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    const char *what = "a ParaView frame";
    struct frame frame = {
        .world = world,
        .h = world->settings.step,
        .coordination = memory_allocate((size_t)bodies->count, sizeof *frame.coordination, what),
        .wall_impulse = memory_allocate((size_t)bodies->count, sizeof *frame.wall_impulse, what),
    };
    if (bodies->polyhedron_count > 0)
        frame.interface = interfaces_measure(world, &frame.interface_count);
    frame_sum_contacts(&frame);
    frame_measure(&frame);
    bool written = true;
    for (int kind = 0; written && kind < KIND_COUNT; kind++) {
        // A resumed run may ask again for the frame it stopped at. The one there is the better one:
        // the list of contacts does not survive a restart.
        if (kind_exists(series, world, kind) && !pvd_has(&series->pvd[kind], world->step))
            written = kind_write(&frame, kind, &series->pvd[kind], error);
    }
    memory_free(frame.coordination);
    memory_free(frame.wall_impulse);
    memory_free(frame.interface);
    return written;
}

// Series.

struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            enum vtk_blocks blocks, struct gabion_error *error) {
    struct vtk_series *series = memory_allocate(1, sizeof *series, "a ParaView series");
    char frames[PVD_PATH_MAX];
    int length = snprintf(frames, sizeof frames, "%s/vtk", directory);
    bool opened = length < (int)sizeof frames
                      ? file_make_directory(frames, error)
                      : error_set(error, GABION_ERROR_RUN,
                                  "%s: the name of the output folder is too long", directory);
    if (opened)
        strcpy(series->directory, directory);

    // A new run drops all that another one may have left here.
    double latest = resume ? world_time(world) + 1e-6 * world->settings.step : -INFINITY;
    for (int kind = 0; opened && kind < KIND_COUNT; kind++) {
        struct pvd *pvd = &series->pvd[kind];
        bool solid = kind == KIND_BLOCKS && blocks == VTK_BLOCKS_SOLID;
        *pvd = (struct pvd){.directory = series->directory, .kind = kinds[kind].name};
        opened = pvd_read(pvd, error) && pvd_drop_after(pvd, latest, error);
        if (pvd->count == 0)
            strcpy(pvd->extension, solid ? "vtu" : "vtp");
    }
    if (opened)
        return series;
    vtk_close(series);
    return NULL;
}

void vtk_close(struct vtk_series *series) {
    if (!series)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        pvd_free(&series->pvd[kind]);
    memory_free(series);
}
