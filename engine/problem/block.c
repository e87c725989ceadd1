#include "engine/problem/block.h"

#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/contact/pair.h"
#include "engine/solvers/local/alart_curnier.h"
#include "geometry/eigen.h"

static vec3 arm_of(const struct gabion_world *world, int32_t i, vec3 point) {
    double scale = 1 / bodies_spin_radius(&world->bodies, i);
    return vec3_scale(scale, vec3_sub(point, world->problem->x_m[i]));
}

// The arms of balls end on their surfaces; of the contacts of clumps the point between the surfaces
// is known.
static vec3 ball_arm(const struct gabion_world *world, const struct contact *contact, int32_t i,
                     double side) {
    if (world->bodies.shape[i] == GABION_SPHERE)
        return vec3_scale(-side, contact->normal);
    return arm_of(world, i,
                  vec3_add_scaled(contact->point, 0.5 * side * contact->gap, contact->normal));
}

// The arms of round bodies are known without rounding: an impulse through the centre turns nothing,
// exactly. Blocks meet in the point of the contact.
void block_arms(const struct gabion_world *world, const struct contact *contact, vec3 *arm_c,
                vec3 *arm_a) {
    const uint8_t *shape = world->bodies.shape;
    bool blocks = pair_has_block(&world->bodies, contact->c, contact->a);
    if (!pair_has_manifold(&world->bodies, contact->c, contact->a)) {
        *arm_c = ball_arm(world, contact, contact->c, 1);
        *arm_a = ball_arm(world, contact, contact->a, -1);
        return;
    }
    *arm_c = blocks ? arm_of(world, contact->c, contact->point) : vec3_negate(contact->normal);
    *arm_a = blocks || shape[contact->a] == GABION_HALF_SPACE
                 ? arm_of(world, contact->a, contact->point)
                 : contact->normal;
}

static vec3 velocity_at(const struct bodies *bodies, int32_t i, vec3 arm) {
    vec3 s = vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i]);
    return vec3_add(bodies->v[i], vec3_cross(s, arm));
}

vec3 block_velocity_now(const struct gabion_world *world, const struct contact *contact) {
    vec3 arm_c, arm_a;
    block_arms(world, contact, &arm_c, &arm_a);
    return vec3_sub(velocity_at(&world->bodies, contact->c, arm_c),
                    velocity_at(&world->bodies, contact->a, arm_a));
}

void block_frame(struct block *block, vec3 normal) {
    block->n = normal;
    vec3_tangents(normal, &block->s, &block->t);
}

// Adds one body's part of W: 1/m + [arm]x^T K [arm]x, in the local frame.
static void add_body_part(struct solver_tensor tensor, vec3 arm, const vec3 *axis, double w[3][3]) {
    for (int j = 0; j < 3; j++) {
        vec3 spin = sym3_apply(tensor.k, vec3_cross(arm, axis[j]));
        vec3 u = vec3_add(vec3_times(tensor.inv_m, axis[j]), vec3_cross(spin, arm));
        for (int i = 0; i < 3; i++)
            w[i][j] += vec3_dot(axis[i], u);
    }
}

static double respond(struct solver_tensor tensor, vec3 arm, vec3 axis, vec3 arm_from, vec3 p) {
    vec3 spin = sym3_apply(tensor.k, vec3_cross(arm_from, p));
    return vec3_dot(axis, vec3_add(vec3_times(tensor.inv_m, p), vec3_cross(spin, arm)));
}

double block_coupling(const struct problem *problem, const struct block *block,
                      const struct block_point *k, int i, const struct block_point *l, int j) {
    vec3 axis[3] = {block->n, block->s, block->t};
    return respond(problem->tensors[block->c], k->arm_c, axis[i], l->arm_c, axis[j]) +
           respond(problem->tensors[block->a], k->arm_a, axis[i], l->arm_a, axis[j]);
}

void block_weigh(const struct problem *problem, const struct block *block,
                 struct block_point *point) {
    double w[3][3] = {{0}};
    vec3 axis[3] = {block->n, block->s, block->t};
    // The local solver must see the copies that the sweep moves; the residual's scale is that of
    // the true bodies.
    struct solver_tensor tensor_c = problem->tensors[block->c],
                         tensor_a = problem->tensors[block->a];
    add_body_part(tensor_c, point->arm_c, axis, w);
    add_body_part(tensor_a, point->arm_a, axis, w);
    for (int i = 0; i < 3; i++)
        point->W.row[i] = vec3_make(w[i][0], w[i][1], w[i][2]);
    double copies_c = solver_copies(problem, block->c), copies_a = solver_copies(problem, block->a);
    if (copies_c * copies_a > 1) {
        memset(w, 0, sizeof w);
        add_body_part(solver_tensor_scale(1 / copies_c, tensor_c), point->arm_c, axis, w);
        add_body_part(solver_tensor_scale(1 / copies_a, tensor_a), point->arm_a, axis, w);
    }
    double norm = eigen_largest(w);
    point->rho = norm > 0 ? 1 / norm : 0;
}

void block_fill(const struct gabion_world *world, const struct contact *contact,
                const struct block *block, double b, struct block_point *point) {
    double e_t = world->laws.law[contact->law].tangential_restitution;
    *point = (struct block_point){0};
    block_arms(world, contact, &point->arm_c, &point->arm_a);
    block_weigh(world->problem, block, point);
    point->inverse = newton_inverse(&point->W);
    vec3 before = e_t > 0 ? block_velocity_now(world, contact) : vec3_zero();
    point->b = vec3_make(b, e_t * vec3_dot(block->s, before), e_t * vec3_dot(block->t, before));
    point->r = vec3_make(vec3_dot(block->n, contact->impulse), vec3_dot(block->s, contact->impulse),
                         vec3_dot(block->t, contact->impulse));
}
