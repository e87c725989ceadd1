// Makes the rows of a contact problem from its views (engine/problem/contact_problem.h): turns
// contacts and points of joints into frames, lever arms and right-hand sides. No other file does
// that.
#ifndef ENGINE_PROBLEM_ROWS_H
#define ENGINE_PROBLEM_ROWS_H

#include "engine/problem/contact_problem.h"

// The law of a row: what a solver needs beside frame and arms.
struct row_law {
    double mu;
    vec3 b;       // u + b obeys the law, (n, s, t)
    uint8_t held; // directions that a point of a joint holds (engine/world/hold.h); 0: a contact
};

// Fills the row and the law of contact k. Body numbers are those of the midpoint.
void row_of_contact(const struct contact_views *views, size_t k, struct contact_row *row,
                    struct row_law *law);

// Does the same for a point of a joint and computes the row's own 3x3 block W. Directions along
// which no impulse can move the bodies (across the plane, for bodies locked to a plane) are not
// held.
void row_of_joint(const struct contact_views *views, const struct joint_block *block,
                  uint32_t point, struct contact_row *row, mat3 *W, struct row_law *law);

// Convert an impulse from its slot to the frame of its row, and back.
vec3 row_from_slot(const struct contact_views *views, const struct contact_row *row, vec3 slot);
vec3 row_to_slot(const struct contact_views *views, const struct contact_row *row, vec3 r);

// Allocates the rows of a FACE_BODIES problem; the caller fills them.
void contact_problem_make_rows(struct contact_problem *problem, int32_t contacts, int32_t bodies);

// Returns the friction coefficient of a law, with DBL_MAX in place of infinity so that 0 *
// mu = 0.
double row_friction(const struct gabion_law *law);

#endif
