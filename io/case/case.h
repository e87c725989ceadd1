// Case files: YAML, checked against the table of keys (io/case/keys.h).
//
// Loading resolves includes, overrides and referenced tables into one document. Its text
// (case_text) defines the run completely, and every checkpoint stores it.
#ifndef IO_CASE_CASE_H
#define IO_CASE_CASE_H

#include "engine/gabion.h"
#include "io/vtk/vtk.h"
#include "parallel/error.h"

struct case_file;
struct remarks; // io/text/remarks.h

// How often each output is written, in steps or minutes; 0 switches it off. Every member has a row
// in io/case/keys.c.
struct output_settings {
    int vtk_every, checkpoint_every, history_every, frames_every;
    double checkpoint_minutes; // of wall-clock time
    int checkpoint_keep;
    enum vtk_blocks blocks;
};

// Loads a case file. Each override has the form "a.b=value", as given to --set. Returns NULL on an
// error, which names file, line and column; the caller frees the case with case_free.
struct case_file *case_load(const char *path, const char *const *overrides, int override_count,
                            struct gabion_error *error);
// Reads a resolved text from a checkpoint. Overrides may not change what is part of the state: the
// keys whose row in the table says why (struct key, state). Files that they name are relative to
// the working folder.
struct case_file *case_parse(const char *resolved_text, const char *origin,
                             const char *const *overrides, int override_count,
                             struct gabion_error *error);
void case_free(struct case_file *file);

// Returns whether overrides of a resolved text change the mechanics and not only how a step is
// computed or what is written; *before are the settings without them.
bool case_varied(const struct case_file *file, struct gabion_settings *before);
// Notes under `changes` of the case that its overrides hold from this step on. Returns how many
// changes the case has seen.
int case_note_changes(struct case_file *file, int64_t step, double time);

const char *case_text(const struct case_file *file);   // resolved YAML
const char *case_source(const struct case_file *file); // from.file, or ""
const char *case_title(const struct case_file *file);  // "" when absent
const struct gabion_settings *case_settings(const struct case_file *file);
const struct output_settings *case_output(const struct case_file *file);
// Finds the group that displacements in ParaView frames are given against; -1: there is none.
bool case_displacement_group(const struct case_file *file, const struct gabion_world *world,
                             int *group, struct gabion_error *error);

// Defines the world of a new run: calls the three functions below. What they allocate belongs to
// the world, which owns some of it; where memory runs out, the world is all that is left to free.
bool case_build(const struct case_file *file, struct gabion_world *world,
                struct gabion_error *error);
// What was found while bodies were added and states taken over, for the log.
const struct remarks *case_remarks(const struct case_file *file);

// Define the world. A new run calls all three in this order; a resumed run takes the bodies from
// the checkpoint.
bool case_define_materials(const struct case_file *file, struct gabion_world *world,
                           struct gabion_error *error);
// Adds the bodies and the joints between them.
bool case_add_bodies(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error);
// Reports the first pair of materials that can touch and has no law.
bool case_check_laws(const struct case_file *file, const struct gabion_world *world,
                     struct gabion_error *error);
// Adds drivers, forces, resets, removals and probes.
bool case_add_actions(const struct case_file *file, struct gabion_world *world,
                      struct gabion_error *error);

// Adds the probes alone.
bool case_define_probes(const struct case_file *file, struct gabion_world *world,
                        struct gabion_error *error);

#endif
