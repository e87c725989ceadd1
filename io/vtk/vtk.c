#include "io/vtk/vtk.h"

#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/vtk/frame.h"
#include "io/vtk/pvd.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

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

// What another thread writes of one frame. All of it is in the account.
struct copy {
    struct memory_account *account;
    struct document *kind[KIND_COUNT]; // NULL: the frame has none of this kind
    double time;
    int64_t step;
};

struct vtk_series {
    char directory[PVD_PATH_MAX];
    struct team *team;             // computes and compresses what is written
    struct background *background; // writes copies; NULL: frames are written at once
    struct copy copy;
    struct vtk_reference reference;
    struct pvd pvd[KIND_COUNT];
    struct frame_sums sums; // of the step whose contacts the ranks have written in pieces
    int64_t pieces_step;
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

static bool in_pieces(const struct vtk_series *series, int64_t step) {
    return series->sums.coordination != NULL && series->pieces_step == step;
}

// Returns a name of this kind's piece, without its folder.
static const char *piece_name(const void *context, int piece, char *name) {
    const struct frame *frame = context;
    char path[PVD_PATH_MAX];
    struct gabion_error ignored = {0};
    name[0] = '\0';
    if (pvd_piece_path(frame->series, gabion_step_number(frame->world), piece, path, &ignored))
        snprintf(name, VTK_PIECE_NAME, "%s", strrchr(path, '/') + 1);
    return name;
}

static struct vtk_mesh kind_describe(struct vtk_series *series, struct frame *frame,
                                     enum kind kind) {
    struct vtk_mesh mesh = {.context = frame,
                            .time = gabion_time(frame->world),
                            .step = gabion_step_number(frame->world)};
    frame->solid = strcmp(series->pvd[kind].extension, "vtu") == 0;
    frame->series = &series->pvd[kind];
    kinds[kind].describe(frame, &mesh);
    if (kind == KIND_CONTACTS && in_pieces(series, mesh.step)) {
        mesh.cells = 0;
        mesh.pieces = ranks_count();
        mesh.piece = piece_name;
    }
    return mesh;
}

static bool kind_write(struct vtk_series *series, struct frame *frame, enum kind kind,
                       struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct vtk_mesh mesh = kind_describe(series, frame, kind);
    series->pvd[kind].pieces = mesh.pieces > 0;
    bool written = pvd_frame_path(&series->pvd[kind], mesh.step, path, error) &&
                   vtk_xml_write(path, &mesh, series->team, error);
    frame_release_kind(frame);
    return written && pvd_append(&series->pvd[kind], mesh.time, mesh.step, error);
}

static bool kind_record(struct vtk_series *series, struct frame *frame, enum kind kind,
                        struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct vtk_mesh mesh = kind_describe(series, frame, kind);
    series->pvd[kind].pieces = mesh.pieces > 0;
    if (pvd_frame_path(&series->pvd[kind], mesh.step, path, error))
        series->copy.kind[kind] = vtk_xml_record(path, &mesh, series->team, error);
    frame_release_kind(frame);
    return series->copy.kind[kind] != NULL;
}

// Does something for every series that the frame belongs to.
static bool each_kind(struct vtk_series *series, const struct gabion_world *world,
                      bool (*work)(struct vtk_series *series, struct frame *frame, enum kind kind,
                                   struct gabion_error *error),
                      struct gabion_error *error) {
    struct frame frame;
    int64_t step = gabion_step_number(world);
    const struct frame_sums *sums = in_pieces(series, step) ? &series->sums : NULL;
    if (!frame_open(&frame, world, &series->reference, sums, error))
        return false;
    bool done = true;
    for (int kind = 0; done && kind < KIND_COUNT; kind++) {
        // A resumed run asks again for the frame that it stopped at. The one on disk is kept,
        // because the list of contacts does not survive a restart.
        if (kind_exists(series, &frame, kind) && !pvd_has(&series->pvd[kind], step))
            done = work(series, &frame, kind, error);
    }
    frame_close(&frame);
    return done;
}

// Frames that another thread writes.

struct recording {
    struct vtk_series *series;
    const struct gabion_world *world;
    struct gabion_error *error;
    bool good;
};

static void record(void *context) {
    struct recording *recording = context;
    recording->good = each_kind(recording->series, recording->world, kind_record, recording->error);
}

static void copy_drop(struct copy *copy) {
    memory_account_destroy(copy->account);
    *copy = (struct copy){0};
}

// Copies what the files of the frame hold. Returns false with GABION_ERROR_MEMORY where there is no
// room for it.
static bool copy_make(struct vtk_series *series, const struct gabion_world *world,
                      struct gabion_error *error) {
    struct copy *copy = &series->copy;
    struct recording recording = {series, world, error, false};
    copy->account = memory_account_create(error);
    copy->time = gabion_time(world);
    copy->step = gabion_step_number(world);
    if (copy->account && memory_try(copy->account, record, &recording, error) && recording.good)
        return true;
    copy_drop(copy);
    return false;
}

// As an array lies in its file: floats, ids and indices. A grain has five contacts that are drawn,
// as in a dense packing; a block ten, and the faces, corners and interfaces of a brick.
#define COPY_PER_BODY    92.0
#define COPY_PER_CONTACT 109.0
#define COPY_PER_BLOCK   2800.0

static double copy_bytes(int shape) {
    return frame_shape_is_block(shape) ? COPY_PER_BLOCK : COPY_PER_BODY + 5 * COPY_PER_CONTACT;
}

double vtk_copy_bytes(const struct gabion_world *world) {
    struct gabion_bodies bodies;
    struct gabion_counts counts;
    double sum = 0;
    if (!gabion_view_bodies(world, &bodies, NULL) || !gabion_read_counts(world, &counts, NULL))
        return 0;
    for (int32_t i = 0; i < bodies.count; i++)
        sum += copy_bytes(bodies.shape[i]);
    for (int32_t k = 0; k < counts.waiting; k++) {
        struct gabion_body body = {0};
        int32_t id;
        if (gabion_get_waiting(world, k, &id, &body, NULL))
            sum += copy_bytes(body.shape);
    }
    return sum;
}

static bool copy_write(void *context, struct gabion_error *error) {
    struct vtk_series *series = context;
    const struct copy *copy = &series->copy;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (copy->kind[kind] && !(document_write(copy->kind[kind], error) &&
                                  pvd_append(&series->pvd[kind], copy->time, copy->step, error)))
            return false;
    return true;
}

static bool write_beside(struct vtk_series *series, const struct gabion_world *world, bool *done,
                         struct gabion_error *error) {
    struct gabion_error problem = {0};
    *done = false;
    if (!background_wait(series->background, error))
        return false;
    copy_drop(&series->copy);
    if (copy_make(series, world, &problem)) {
        *done = true;
        return background_start(series->background, copy_write, series, error);
    }
    return problem.status == GABION_ERROR_MEMORY ||
           error_set(error, problem.status, "%s", problem.text);
}

bool vtk_write(struct vtk_series *series, const struct gabion_world *world,
               struct gabion_error *error) {
    bool done = false;
    if (series->background && !write_beside(series, world, &done, error))
        return false;
    return done || each_kind(series, world, kind_write, error);
}

// Pieces.

static bool write_piece(struct vtk_series *series, struct frame *frame,
                        struct gabion_error *error) {
    char path[PVD_PATH_MAX];
    struct vtk_mesh mesh = {.context = frame,
                            .time = gabion_time(frame->world),
                            .step = gabion_step_number(frame->world)};
    frame_contacts(frame, &mesh);
    return pvd_piece_path(&series->pvd[KIND_CONTACTS], mesh.step, ranks_me(), path, error) &&
           vtk_xml_write(path, &mesh, series->team, error);
}

bool vtk_write_pieces(struct vtk_series *series, const struct gabion_world *world,
                      struct gabion_error *error) {
    struct frame frame;
    struct gabion_error own = {0};
    frame_sums_free(&series->sums);
    if (frame_open_own(&frame, world, &own)) { // on all ranks, or on none
        frame_sum_shared(&frame, &series->sums);
        series->pieces_step = gabion_step_number(world);
        write_piece(series, &frame, &own);
        frame_close(&frame);
    }
    return ranks_agree(&own) || error_set(error, own.status, "%s", own.text);
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

struct vtk_series *vtk_open_beside(const char *directory, const struct gabion_world *world,
                                   struct gabion_error *error) {
    struct vtk_series *series = memory_allocate(1, sizeof *series, "a ParaView series");
    snprintf(series->directory, sizeof series->directory, "%s", directory);
    series->pvd[KIND_CONTACTS] = (struct pvd){
        .directory = series->directory, .kind = kinds[KIND_CONTACTS].name, .extension = "vtp"};
    series->team = team_create(gabion_threads(world), NULL, error);
    if (series->team)
        return series;
    vtk_close(series);
    return NULL;
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

void vtk_write_beside(struct vtk_series *series, struct background *background) {
    series->background = background;
}

bool vtk_drop(struct vtk_series *series, int64_t step, struct gabion_error *error) {
    if (series->background && !background_wait(series->background, error))
        return false;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (!pvd_drop_from(&series->pvd[kind], step, error))
            return false;
    return true;
}

void vtk_close(struct vtk_series *series) {
    if (!series)
        return;
    struct gabion_error ignored = {0};
    if (series->background)
        background_wait(series->background, &ignored);
    copy_drop(&series->copy);
    frame_sums_free(&series->sums);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        pvd_free(&series->pvd[kind]);
    if (series->team)
        team_destroy(series->team);
    memory_free(series);
}
