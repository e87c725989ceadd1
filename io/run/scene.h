// A case or a checkpoint ready to run: the case file and the world.
#ifndef IO_RUN_SCENE_H
#define IO_RUN_SCENE_H

#include <stdio.h>

#include "engine/gabion.h"
#include "io/case/case.h"
#include "io/checkpoint/checkpoint.h"

struct scene {
    struct case_file *file;
    struct gabion_world *world;
    int changes; // that resume --set has made in all
};

struct scene_request {
    const char *case_path;
    const char *const *overrides; // "key=value"
    int override_count;
    int threads;       // 0: one per physical core
    const char *from;  // another run whose state the bodies of a case take; NULL: none
    const char *match; // from.match; NULL: as the case says
};

// Opens a case, or the case of a checkpoint with the state stored there. On failure nothing is left
// open. Overrides of a checkpoint may change the definitions of its run, but not its state.
bool scene_open_case(struct scene *scene, const struct scene_request *request,
                     struct gabion_error *error);
bool scene_open_checkpoint(struct scene *scene, const struct checkpoint *checkpoint,
                           const struct scene_request *request, struct gabion_error *error);
void scene_close(struct scene *scene);

// Finds the number of the first step that ends at `time` or later, within rounding.
bool scene_steps_until(const struct scene *scene, double time, int64_t *steps,
                       struct gabion_error *error);

// Prints what the scene holds as "key: value" lines.
void scene_describe(const struct scene *scene, FILE *stream);

#endif
