// The case file: YAML read with libfyaml behind one key table (io/case/keys.h).
//
// Loading resolves includes, overrides and referenced tables into one document, whose text
// (case_text) alone defines the run: it is stored in every checkpoint.
#ifndef IO_CASE_CASE_H
#define IO_CASE_CASE_H

#include "engine/gabion.h"
#include "io/vtk/vtk.h"
#include "parallel/error.h"

struct case_file;

struct output_settings { // every N steps; 0 switches off
    int vtk_every, checkpoint_every, history_every, frames_every;
    int checkpoint_keep;
    enum vtk_blocks blocks;
};

// overrides: "a.b=value" each, as given to --set.
struct case_file *case_load(const char *path, const char *const *overrides, int override_count,
                            struct gabion_error *error);
// A resolved text, as a checkpoint holds it. Overrides may only change how the run goes on (solver,
// contact, output, stop, time.end): bodies, materials and the step are part of the state.
struct case_file *case_parse(const char *resolved_text, const char *origin,
                             const char *const *overrides, int override_count,
                             struct gabion_error *error);
void case_free(struct case_file *file);

const char *case_text(const struct case_file *file);  // resolved YAML
const char *case_title(const struct case_file *file); // "" when absent
const struct gabion_settings *case_settings(const struct case_file *file);
const struct output_settings *case_output(const struct case_file *file);

// A new run calls all three in this order; a resumed one takes the bodies from the checkpoint.
bool case_define_materials(const struct case_file *file, struct gabion_world *world,
                           struct gabion_error *error);
// With the joints between them.
bool case_add_bodies(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error);
// Drivers, forces, resets, removals, probes.
bool case_add_actions(const struct case_file *file, struct gabion_world *world,
                      struct gabion_error *error);

// Text about one key ("solver.tolerance"), a section, or all of them ("").
bool case_explain(const char *key, char *text, size_t size, struct gabion_error *error);

#endif
