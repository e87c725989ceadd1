// Grains that are not round: random orientations, all equally likely.
#ifndef CASES_ORIENTATION_H
#define CASES_ORIENTATION_H

#include "engine/gabion.h"
#include "parallel/random.h"

// A point of the ball in four dimensions, drawn again until it lies inside, put on its surface.
static inline quat orientation_draw(struct random_stream *stream) {
    for (;;) {
        quat q = {random_between(stream, -1, 1), random_between(stream, -1, 1),
                  random_between(stream, -1, 1), random_between(stream, -1, 1)};
        double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square > 0.01 && square < 1)
            return quat_normalize(q);
    }
}

// Puts the centre of mass of a clump, `own` in its drawing frame, to `centre`.
static inline void orientation_place(struct gabion_body *body, vec3 own, vec3 centre, bool turned,
                                     struct random_stream *stream) {
    if (turned)
        body->orientation = orientation_draw(stream);
    mat3 axes = quat_matrix(quat_normalize(body->orientation));
    body->position = vec3_sub(centre, mat3_apply(axes, own));
}

#endif
