// Contact problems with everything in them that is awkward: several points between the same two
// bodies, locked degrees of freedom, prescribed bodies, and a contact between two of those.
#ifndef TESTS_UNIT_RANDOM_PROBLEM_H
#define TESTS_UNIT_RANDOM_PROBLEM_H

#include "engine/problem/contact_problem.h"
#include "tests/unit/scene.h"

// Drawn one by one: the order in which arguments are evaluated is the compiler's choice.
static inline vec3 random_vector(struct random_stream *random) {
    double z = random_between(random, -1, 1);
    double y = random_between(random, -1, 1);
    double x = random_between(random, -1, 1);
    return vec3_make(x, y, z);
}

static inline struct inverse_mass random_inverse(struct random_stream *random) {
    quat q = quat_exp(vec3_scale(2, random_vector(random)));
    double m = random_between(random, 0.5, 2);
    vec3 d = {random_between(random, 1, 9), random_between(random, 1, 9),
              random_between(random, 1, 9)};
    return (struct inverse_mass){{m, m, m}, sym3_from_principal(quat_matrix(q), d)};
}

static inline struct contact_row random_row(struct random_stream *random, int32_t c, int32_t a) {
    quat q = quat_exp(vec3_scale(3, random_vector(random)));
    mat3 axes = quat_matrix(q);
    return (struct contact_row){.c = c,
                                .a = a,
                                .axis = {axes.row[0], axes.row[1], axes.row[2]},
                                .arm_c = vec3_scale(0.3, random_vector(random)),
                                .arm_a = vec3_scale(0.3, random_vector(random))};
}

// Free velocities of the bodies, not of the contacts: those may contradict each other, and then the
// problem has no solution. The prescribed bodies of the last contact part.
static inline void random_velocities(struct random_stream *random,
                                     struct contact_problem *problem) {
    double *v = calloc(6 * (size_t)problem->bodies.count, sizeof *v);
    for (int32_t i = 0; i < 6 * problem->bodies.count; i++)
        v[i] = random_between(random, -1, 1);
    v[6 + 1] = v[12 + 3] = v[12 + 4] = 0; // locked below
    for (int32_t a = 0; a < problem->contacts; a++)
        contact_set(problem->q, a, contact_row_velocity(&problem->bodies.rows[a], v));
    problem->q[3 * (problem->contacts - 1)] = 1;
    free(v);
}

#define RANDOM_POINTS 3 // of each pair

// A ring of bodies, each also on the ground; the last contact is between prescribed bodies. Many of
// the impulses are redundant.
static inline struct contact_problem *random_problem(struct random_stream *random, int32_t bodies,
                                                     double mu) {
    int32_t contacts = 2 * RANDOM_POINTS * bodies + 1, k = 0;
    struct contact_problem *problem = contact_problem_with_bodies(contacts, bodies);
    for (int32_t b = 0; b < bodies; b++) {
        problem->bodies.inverse[b] = random_inverse(random);
        int32_t others[2] = {(b + 1) % bodies, CONTACT_FIXED};
        for (int side = 0; side < 2; side++)
            for (int point = 0; point < RANDOM_POINTS; point++)
                problem->bodies.rows[k++] = random_row(random, b, others[side]);
    }
    problem->bodies.inverse[1].inv_m.y = 0;
    problem->bodies.inverse[2].k = (sym3){.zz = 2};
    problem->bodies.rows[k++] = random_row(random, CONTACT_FIXED, CONTACT_FIXED);
    random_velocities(random, problem);
    for (int32_t a = 0; a < contacts; a++)
        problem->mu[a] = mu;
    contact_problem_join(problem);
    contact_problem_finish(problem);
    return problem;
}

#endif
