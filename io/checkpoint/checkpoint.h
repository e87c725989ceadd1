// Checkpoints: HDF5 files from which a run can be continued without any other file. Only this
// folder reads and writes the format.
//
// A checkpoint is written to a temporary name, flushed to disk, renamed, and carries a hash of the
// state that is checked on reading: a damaged file is set aside, and the one before it is used.
#ifndef IO_CHECKPOINT_CHECKPOINT_H
#define IO_CHECKPOINT_CHECKPOINT_H

#include "engine/gabion.h"
#include "parallel/error.h"

struct checkpoint; // an open file whose contents were verified

struct checkpoint_note { // what is written beside the state, outside the state hash
    const char *case_text;
    double wall_time;      // s, of the whole run so far
    const char *parent;    // checkpoint resumed from, or ""
    const char *reference; // of displacements (io/vtk/reference.h); NULL or "": none
    const char *rows;      // that history.csv should have and lacks; NULL: none
};

// Writes DIR/checkpoint-<step>.h5 and deletes the oldest ones beyond `keep`.
bool checkpoint_write(const char *directory, const struct gabion_world *world,
                      const struct checkpoint_note *note, int keep, struct gabion_error *error);

// Steps of the files checkpoint-<digits>.h5 of a folder, or frame-<digits>.h5, oldest first; free
// with memory_free.
int64_t *checkpoint_list(const char *directory, size_t *count, struct gabion_error *error);
int64_t *frame_list(const char *directory, size_t *count, struct gabion_error *error);
bool checkpoint_name(const char *directory, int64_t step, char *path, size_t size,
                     struct gabion_error *error);
bool frame_name(const char *directory, int64_t step, char *path, size_t size,
                struct gabion_error *error);

// Writes one file, by way of a temporary name in the same folder.
bool checkpoint_write_as(const char *path, const char *temporary, const struct gabion_world *world,
                         const struct checkpoint_note *note, struct gabion_error *error);

bool checkpoint_recognise(const char *path); // by its name or its first bytes; not verified
struct checkpoint *checkpoint_open(const char *path, struct gabion_error *error);
// Opens the newest good checkpoint of a folder; skips damaged ones and names them in `remarks`.
// Fails at one that cannot be read for another reason (a newer format, missing permission, lack of
// memory), because it may be good.
struct checkpoint *checkpoint_open_newest(const char *directory, char *remarks, size_t size,
                                          struct gabion_error *error);
// Opens the newest good checkpoint of step `last` or before.
struct checkpoint *checkpoint_open_before(const char *directory, int64_t last, char *remarks,
                                          size_t size, struct gabion_error *error);
// Renames the damaged checkpoints beyond `step`, so that a run that goes on from there does not
// replace them: to checkpoint-<step>.h5.damaged, .damaged-2 and so on.
bool checkpoint_set_aside(const char *directory, int64_t step, struct gabion_error *error);
void checkpoint_close(struct checkpoint *checkpoint);

const char *checkpoint_path(const struct checkpoint *checkpoint);
const char *checkpoint_case(const struct checkpoint *checkpoint); // resolved case text
int64_t checkpoint_step(const struct checkpoint *checkpoint);
// Copies the reference of displacements; "" where the run has none.
void checkpoint_reference(const struct checkpoint *checkpoint, char *text, size_t size);
// Returns the rows that history.csv lacked when the checkpoint was written, or NULL; free with
// memory_free.
char *checkpoint_rows(const struct checkpoint *checkpoint);
double checkpoint_wall_time(const struct checkpoint *checkpoint);

// Returns whether the world has the materials and the length of the step that the checkpoint was
// written with.
bool checkpoint_fits(const struct checkpoint *checkpoint, const struct gabion_world *world,
                     struct gabion_error *error);

double checkpoint_time(const struct checkpoint *checkpoint);

// Restores groups, bodies, contact memory, waiting bodies, driver origins, ledger and step into a
// world that has the settings and materials of checkpoint_case. Fails where the state hash differs.
bool checkpoint_restore(const struct checkpoint *checkpoint, struct gabion_world *world,
                        struct gabion_error *error);

// "key: value" lines for `gabion info`: step, time, bodies, contacts, state-hash, ...
void checkpoint_describe(const struct checkpoint *checkpoint, char *text, size_t size);

// Opens a frame, as checkpoint_open opens a checkpoint. It has no case.
struct checkpoint *frame_open_file(const char *path, struct gabion_error *error);
// Restores bodies, joints, contacts, interfaces and counts of probes into a world that has the
// settings, materials and laws of the run, to be measured: it cannot be stepped.
bool frame_restore(const struct checkpoint *frame, struct gabion_world *world,
                   struct gabion_error *error);

// Full-precision frame for analysis, DIR/frames/frame-<step>.h5 (output.frames_every).
bool frame_write(const char *directory, const struct gabion_world *world,
                 struct gabion_error *error);

#endif
