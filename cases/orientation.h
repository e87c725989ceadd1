// Random orientations, uniformly distributed, for grains that are not round.
#ifndef CASES_ORIENTATION_H
#define CASES_ORIENTATION_H

#include "engine/gabion.h"
#include "geometry/vec.h"
#include "parallel/random.h"

#define ORIENTATION_HALF_TURN 3.14159265358979323846

// Draws a point of the cube in four dimensions until it lies inside the unit ball, and normalises
// it.
static inline quat orientation_draw(struct random_stream *stream) {
    for (;;) {
        quat q = {random_between(stream, -1, 1), random_between(stream, -1, 1),
                  random_between(stream, -1, 1), random_between(stream, -1, 1)};
        double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square > 0.01 && square < 1)
            return quat_normalize(q);
    }
}

// Draws an orientation that the locks allow: a body that can turn about one axis only, as in a
// plane, is turned about that axis.
static inline quat orientation_free(unsigned lock, struct random_stream *stream) {
    unsigned locked = lock >> 3;
    vec3 axis = {!(locked & 1), !(locked & 2), !(locked & 4)};
    if (axis.x + axis.y + axis.z != 1)
        return orientation_draw(stream);
    return quat_about(axis, random_between(stream, -ORIENTATION_HALF_TURN, ORIENTATION_HALF_TURN));
}

// Places a body such that its centre of mass, `own` in its drawing frame, is at `centre`.
static inline void orientation_place(struct gabion_body *body, vec3 own, vec3 centre, bool turned,
                                     struct random_stream *stream) {
    if (turned)
        body->orientation = orientation_free(body->lock, stream);
    mat3 axes = quat_matrix(quat_normalize(body->orientation));
    body->position = vec3_sub(centre, mat3_apply(axes, own));
}

#endif
