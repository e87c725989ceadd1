// The types that the public interface shares with all folders. engine/gabion.h includes this file;
// `make install` copies its text into the installed gabion.h, which then needs no other header.
#ifndef PARALLEL_TYPES_H
#define PARALLEL_TYPES_H

typedef struct gabion_vec3 {
    double x, y, z;
} gabion_vec3;

// (w, x, y, z), a rotation from body axes to world axes.
typedef struct gabion_quat {
    double w, x, y, z;
} gabion_quat;

enum gabion_status {
    GABION_OK = 0,
    GABION_ERROR_RUN = 1,     // the run failed: the disk is full, a step did not converge
    GABION_ERROR_INPUT = 2,   // bad usage or bad input
    GABION_ERROR_MEMORY = 3,  // out of memory
    GABION_ERROR_STOPPED = 4, // the stop function of the program abandoned a step
};

// What went wrong. Zero it before the first call; it keeps the first error until the caller zeroes
// it again.
struct gabion_error {
    enum gabion_status status;
    char text[2048]; // where it happened, what was expected and what to do
};

#endif
