// The command `gabion study`: what it does with a study file.
#ifndef IO_STUDY_CONDUCT_H
#define IO_STUDY_CONDUCT_H

#include "io/study/study.h"

struct study_request {
    const char *path;   // of the study file
    const char *folder; // of the study
    int cores;          // 0: all
    bool force, quiet;
    bool collect;       // write tables and plots of what is finished, and run nothing
    size_t only;        // --member, from 1; 0: all
    const char *repeat; // --repeat; NULL: none
};

// Runs the study, or goes on with it. Ends with `key: value` lines on standard output.
bool study_conduct(const struct study_request *request, struct gabion_error *error);

// Runs one finished member again, into repeats/NAME of the folder, and compares the state hash.
bool study_repeat(const struct study_request *request, struct gabion_error *error);

// Reads the study, resolves every member and prints what it would do. Writes nothing.
bool study_check(const struct study_request *request, struct gabion_error *error);

// Writes a job script for Slurm with a task for each member, or each search.
bool study_slurm(const struct study_request *request, struct gabion_error *error);

#endif
