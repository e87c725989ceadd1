// Programs that a study starts: its members, which are this program again, and gnuplot.
#ifndef IO_STUDY_CHILD_H
#define IO_STUDY_CHILD_H

#include <sys/types.h>

#include "parallel/error.h"

#define CHILD_ARGUMENTS_MAX 16

struct child_request {
    const char *program; // a path, or a name to be looked for in PATH; NULL: this program
    const char *arguments[CHILD_ARGUMENTS_MAX]; // after the program's name; ends with NULL
    const char *output, *messages; // files for standard output and error; NULL: as the parent's
    const char *folder;            // to work in; NULL: as the parent's
};

#define CHILD_NOT_STARTED 127 // exit status of a child whose program could not be executed

// Starts a program in a process group of its own, so that Ctrl-C of a terminal reaches the parent
// alone, which decides what its children do. If the parent dies, however it dies, the child is
// asked to stop (SIGTERM). Returns -1 on an error.
pid_t child_start(const struct child_request *request, struct gabion_error *error);

// Returns whether the child has ended, and its wait status.
bool child_ended(pid_t pid, int *status);

// Starts a program and waits for it. Returns its exit status; -1 where it was killed or could not
// be started.
int child_run(const struct child_request *request, struct gabion_error *error);

#endif
