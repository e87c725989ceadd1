// What a checkpoint file holds: the table of the state (engine/api/state.h), and names.
// The file is sealed (io/file/seal.h).
#ifndef IO_CHECKPOINT_FORMAT_H
#define IO_CHECKPOINT_FORMAT_H

#include "engine/api/state.h"
#include "io/checkpoint/checkpoint.h"
#include "io/file/h5.h"
#include "io/file/seal.h"

#define CHECKPOINT_FORMAT "gabion-checkpoint"
// 1: spheres only; 2: no joints, clumps, hollows or projection; 3: only blocks have a start, no
// memory of the solver; 5.0: no change of the step; 5.1: no compounds, surfaces or counts of
// probes
#define CHECKPOINT_FORMAT_MAJOR   5
#define CHECKPOINT_FORMAT_MINOR   2
#define CHECKPOINT_LATER          "compounds" // a group that earlier minor versions do not have
#define CHECKPOINT_TEMPORARY      "checkpoint.h5.tmp"
#define CHECKPOINT_CASE           "case"
#define CHECKPOINT_REFERENCE      "displacement_of"
#define CHECKPOINT_ROWS           "history"
#define CHECKPOINT_GROUP_NAMES    "groups/name"
#define CHECKPOINT_MATERIAL_NAMES "materials/name"

// An open file whose seal was verified.
struct checkpoint {
    struct h5_file file;
    bool frame;    // not a checkpoint: it has the fields of the state that frames show
    bool measured; // a frame, and fields that are only measured are read too
    char *case_text;
    double time, wall_time;
    uint64_t state_hash;
    struct gabion_world numbers; // only single numbers of the state are set
};

enum h5_type checkpoint_type(enum state_type type);
struct h5_rows checkpoint_view(const struct state *state, const struct state_part *part,
                               const struct state_field *field);

// Where ranks write a file together, makes the rows of a part those that this rank writes. Returns
// false where rank 0 writes all of them.
bool checkpoint_own_rows(const struct state *state, const struct state_part *part,
                         struct h5_rows *rows);

extern const struct seal_kind checkpoint_kind;

// Opens a frame, and fills an empty world with its bodies and their shapes: material, group, lock
// and mass are zero where it has none, walls have no geometry. The time is that of its attributes.
struct checkpoint *framed_open(const char *path, struct gabion_error *error);
bool framed_restore(const struct checkpoint *frame, struct gabion_world *world,
                    struct gabion_error *error);

// Opens a file as checkpoint_open does; *damaged is that of seal_verify.
struct checkpoint *checkpoint_open_judged(const char *path, bool *damaged,
                                          struct gabion_error *error);

// Reads the single numbers of the state that the file has, step and time.
bool checkpoint_read_numbers(struct checkpoint *checkpoint, struct gabion_error *error);

// Restores all of the state that the file has, and does not compare hashes.
bool checkpoint_restore_parts(const struct checkpoint *checkpoint, struct gabion_world *world,
                              struct gabion_error *error);

// Returns whether the file should have a field of the state.
static inline bool checkpoint_has(const struct checkpoint *checkpoint,
                                  const struct state_field *field) {
    unsigned wanted = STATE_FRAMED | (checkpoint->measured ? STATE_MEASURED : 0);
    return !checkpoint->frame || field->flags & wanted;
}

#endif
