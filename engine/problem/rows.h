// Rows of a problem from its views: the one place that turns contacts and points of joints into
// frames, arms and right-hand sides.
#ifndef ENGINE_PROBLEM_ROWS_H
#define ENGINE_PROBLEM_ROWS_H

#include "engine/problem/contact_problem.h"

// What the law of a row asks for beside its frame and arms.
struct row_law {
    double mu;
    vec3 b;       // u + b obeys the law, (n, s, t)
    uint8_t held; // of the point of a joint: what it holds; 0: a contact
};

// Fills row and law of contact k. Bodies are those of the midpoint.
void row_of_contact(const struct contact_views *views, size_t k, struct contact_row *row,
                    struct row_law *law);

// The same for a point of a joint; W is the row's own block. Directions along which no impulse
// moves anything, as bodies in a plane have across it, are not held.
void row_of_joint(const struct contact_views *views, const struct joint_block *block,
                  uint32_t point, struct contact_row *row, mat3 *W, struct row_law *law);

// Returns the impulse of a slot in the frame of its row, and back.
vec3 row_from_slot(const struct contact_views *views, const struct contact_row *row, vec3 slot);
vec3 row_to_slot(const struct contact_views *views, const struct contact_row *row, vec3 r);

// Makes the rows of a FACE_BODIES problem of the given sizes, for the caller to fill.
void contact_problem_make_rows(struct contact_problem *problem, int32_t contacts, int32_t bodies);

// Friction as kernels take it: sticking is a finite number, so that 0 * mu = 0.
double row_friction(const struct gabion_law *law);

#endif
