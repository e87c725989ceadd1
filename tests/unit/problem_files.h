// Contact problems in files: those shipped in tests/problems, and those of other codes in the
// folder $GABION_FCLIB (../shared/fclib unless set), which need not be there. No test depends on
// the latter alone.
#ifndef TESTS_UNIT_PROBLEM_FILES_H
#define TESTS_UNIT_PROBLEM_FILES_H

#include <stdlib.h>

#include "io/fclib/fclib.h"
#include "parallel/memory.h"
#include "tests/unit/scene.h"

#define SHIPPED_PROBLEMS "tests/problems"
#define SHIPPED_LEAST    20

static inline const char *other_problems(void) {
    const char *folder = getenv("GABION_FCLIB");
    return folder ? folder : "../shared/fclib";
}

// Returns the matrix of a problem; NULL where it is of another code and not there.
static inline struct contact_problem *read_problem(const char *name, bool shipped) {
    char path[1000];
    struct gabion_error error = {0};
    double *solution = NULL;
    snprintf(path, sizeof path, "%s/%s.hdf5", shipped ? SHIPPED_PROBLEMS : other_problems(), name);
    FILE *file = fopen(path, "rb");
    if (!file && !shipped)
        return NULL;
    if (file)
        fclose(file);
    struct contact_problem *problem = fclib_read(path, &solution, &error);
    if (!problem)
        fail_msg("%s", error.text);
    memory_free(solution);
    return problem;
}

#endif
