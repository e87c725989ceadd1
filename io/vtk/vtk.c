#include "io/vtk/vtk.h"

#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/vtk/frame.h"
#include "io/vtk/pvd.h"
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
    struct team *team; // compresses what is written
    struct vtk_reference reference;
    struct pvd pvd[KIND_COUNT];
};

// Frames.

static bool is_round(int shape) {
    return !frame_shape_is_wall(shape) && !frame_shape_is_block(shape);
}

static bool has_spheres(const struct frame *frame) {
    for (int32_t i = 0; i < frame->bodies.count; i++)
        if (is_round(frame->bodies.shape[i]))
            return true;
    for (int32_t k = 0; k < frame->counts.waiting; k++) {
        struct gabion_body body = {0};
        int32_t id;
        if (gabion_get_waiting(frame->world, k, &id, &body, NULL) && is_round(body.shape))
            return true;
    }
    return false;
}

// Masonry has no series of spheres, and grains have none of blocks. A series that was begun goes
// on.
static bool kind_exists(const struct vtk_series *series, const struct frame *frame,
                        enum kind kind) {
    bool blocks = frame->counts.polyhedra > 0;
    if (kind >= KIND_BLOCKS)
        return blocks;
    if (kind == KIND_JOINTS)
        return frame->counts.joints > 0;
    return kind != KIND_BODIES || !blocks || series->pvd[kind].count > 0 || has_spheres(frame);
}

static bool kind_write(struct vtk_series *series, struct frame *frame, enum kind kind,
                       struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct pvd *pvd = &series->pvd[kind];
    struct vtk_mesh mesh = {.context = frame,
                            .time = gabion_time(frame->world),
                            .step = gabion_step_number(frame->world)};
    frame->solid = strcmp(pvd->extension, "vtu") == 0;
    kinds[kind].describe(frame, &mesh);
    bool written = pvd_frame_path(pvd, mesh.step, path, error) &&
                   vtk_xml_write(path, &mesh, series->team, error);
    frame_release_kind(frame);
    if (!written)
        return false;
    pvd_add(pvd, mesh.time, mesh.step);
    return pvd_write(pvd, error);
}

bool vtk_write(struct vtk_series *series, const struct gabion_world *world,
               struct gabion_error *error) {
    struct frame frame;
    if (!frame_open(&frame, world, &series->reference, error))
        return false;
    int64_t step = gabion_step_number(world);
    bool written = true;
    for (int kind = 0; written && kind < KIND_COUNT; kind++) {
        // A resumed run asks again for the frame that it stopped at. The one on disk is kept,
        // because the list of contacts does not survive a restart.
        if (kind_exists(series, &frame, kind) && !pvd_has(&series->pvd[kind], step))
            written = kind_write(series, &frame, kind, error);
    }
    frame_close(&frame);
    return written;
}

// Series.

static bool make_folder(struct vtk_series *series, const char *directory,
                        struct gabion_error *error) {
    char frames[PVD_PATH_MAX];
    int length = snprintf(frames, sizeof frames, "%s/vtk", directory);
    if (length >= (int)sizeof frames)
        return error_set(error, GABION_ERROR_RUN, "%s: the name of the output folder is too long",
                         directory);
    series->reference.body = -1;
    strcpy(series->directory, directory);
    return file_make_directory(frames, error);
}

// Frames of the step `next` and later are dropped.
static bool open_kind(struct vtk_series *series, enum kind kind, int64_t next, bool solid,
                      struct gabion_error *error) {
    struct pvd *pvd = &series->pvd[kind];
    *pvd = (struct pvd){.directory = series->directory, .kind = kinds[kind].name};
    if (!pvd_read(pvd, error) || !pvd_drop_from(pvd, next, error))
        return false;
    if (pvd->count == 0)
        strcpy(pvd->extension, solid && kind == KIND_BLOCKS ? "vtu" : "vtp");
    return true;
}

static bool open_series(struct vtk_series *series, const char *directory,
                        const struct gabion_world *world, bool resume, enum vtk_blocks blocks,
                        struct gabion_error *error) {
    if (!make_folder(series, directory, error))
        return false;
    // The threads of the process, which the world's own team uses between frames.
    series->team = team_create(gabion_threads(world), NULL, error);
    if (!series->team)
        return false;
    // A new run drops all that another one may have left here.
    int64_t next = resume ? gabion_step_number(world) + 1 : INT64_MIN;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (!open_kind(series, kind, next, blocks == VTK_BLOCKS_SOLID, error))
            return false;
    return true;
}

struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            enum vtk_blocks blocks, struct gabion_error *error) {
    struct vtk_series *series = memory_allocate(1, sizeof *series, "a ParaView series");
    if (open_series(series, directory, world, resume, blocks, error))
        return series;
    vtk_close(series);
    return NULL;
}

void vtk_refer(struct vtk_series *series, const struct vtk_reference *reference) {
    series->reference = *reference;
}

bool vtk_drop(struct vtk_series *series, int64_t step, struct gabion_error *error) {
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (!pvd_drop_from(&series->pvd[kind], step, error))
            return false;
    return true;
}

void vtk_close(struct vtk_series *series) {
    if (!series)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        pvd_free(&series->pvd[kind]);
    if (series->team)
        team_destroy(series->team);
    memory_free(series);
}
