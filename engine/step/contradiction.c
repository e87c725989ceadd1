#include "engine/step/contradiction.h"

#include <stdio.h>
#include <string.h>

#include "engine/contact/contacts.h"
#include "engine/step/solve.h"
#include "parallel/memory.h"

// The joints contradict each other where the least error of all motions is above these shares: of
// the largest velocity that they ask for, and, as a distance per step, of the joint's size. Loops
// of hinges ask for more than is free, and miss it by the square of the angle turned.
#define LEFT_OF_DEMAND 0.01
#define LEFT_OF_SIZE   1e-6

// What is left is an error of no motion at all, and not of too few iterations, where W changes it
// by less than this share.
#define NO_MOTION 1e-6

#define MOST_ITERATIONS 2000

// The joints' rows u = W x + b, of the directions that they hold.
struct demand {
    struct contact_problem *problem;
    size_t size;
    double *left; // -u
};

static void keep_held(const struct demand *demand, double *x) {
    for (int32_t k = 0; k < demand->problem->contacts; k++)
        contact_set(x, k, hold_keep(contact_held(demand->problem, k), contact_get(x, k)));
}

static void product(const struct demand *demand, const double *x, double *Wx) {
    contact_problem_product(demand->problem, x, Wx);
    keep_held(demand, Wx);
}

static double dot(const struct demand *demand, const double *x, const double *y) {
    return contact_problem_dot(demand->problem, x, y);
}

static void add(const struct demand *demand, double f, const double *x, double *y) {
    for (size_t i = 0; i < demand->size; i++)
        y[i] += f * x[i];
}

static double largest(const struct demand *demand, const double *x) {
    double most = 0;
    for (int32_t k = 0; k < demand->problem->contacts; k++)
        most = fmax(most, vec3_length(contact_get(x, k)));
    return most;
}

static double *vector(const struct demand *demand) {
    return memory_allocate(demand->size, sizeof(double), "joints");
}

// Conjugate residuals: of all x in the Krylov space that with the least |W x + b|, also where W is
// singular and b is not in its range. Only the error is followed, not x: -(W x + b) is in `left`.
static void minimise(struct demand *demand) {
    double *Wp = vector(demand), *Wleft = vector(demand);
    product(demand, demand->left, Wleft);
    memcpy(Wp, Wleft, demand->size * sizeof *Wp);
    double curvature = dot(demand, demand->left, Wleft),
           first = dot(demand, demand->left, demand->left);
    for (int k = 0; k < MOST_ITERATIONS && k < 2 * (int)demand->size; k++) {
        double square = dot(demand, Wp, Wp);
        if (!(curvature > 0 && square > 0) ||
            dot(demand, demand->left, demand->left) <= 1e-20 * first)
            break;
        add(demand, -curvature / square, Wp, demand->left);
        product(demand, demand->left, Wleft);
        double before = curvature;
        curvature = dot(demand, demand->left, Wleft);
        for (size_t i = 0; i < demand->size; i++)
            Wp[i] = Wleft[i] + curvature / before * Wp[i];
    }
    memory_free(Wp);
    memory_free(Wleft);
}

// Returns whether no motion changes what is left.
static bool is_final(const struct demand *demand) {
    double *Wleft = vector(demand), stiffest = 0;
    product(demand, demand->left, Wleft);
    for (int32_t k = 0; k < demand->problem->contacts; k++)
        for (int i = 0; i < 3; i++)
            stiffest = fmax(stiffest, vec3_get(demand->problem->diagonal[k].row[i], i));
    double change = dot(demand, Wleft, Wleft), left = dot(demand, demand->left, demand->left);
    memory_free(Wleft);
    return change <= NO_MOTION * NO_MOTION * stiffest * stiffest * left;
}

// Returns the velocity that impulses must take away. Moving bodies can always come to rest, so that
// what is left of it is due to prescribed ones. What the law asks for beyond, to follow a smooth
// motion and to close gaps, may be impossible for a mechanism that is at its end, and is no
// contradiction: it is small, and the next steps ask anew.
static vec3 must_change(const struct gabion_world *world, const struct contact_problem *problem,
                        int32_t k) {
    uint8_t held = contact_held(problem, k);
    vec3 asked = hold_keep(held, world->contacts->joints.points[k].bias);
    return hold_keep(held, vec3_sub(asked, contact_get(problem->q, k)));
}

static struct demand demand_open(const struct gabion_world *world, double *most) {
    struct contact_problem *problem = solve_joints(world);
    contact_problem_materialise(problem);
    struct demand demand = {problem, contact_problem_size(problem), NULL};
    demand.left = vector(&demand);
    for (int32_t k = 0; k < problem->contacts; k++)
        contact_set(demand.left, k, must_change(world, problem, k));
    *most = largest(&demand, demand.left);
    minimise(&demand);
    if (!is_final(&demand))
        memset(demand.left, 0, demand.size * sizeof *demand.left);
    return demand;
}

// Directions along which no impulse moves the bodies have no row: there everything is left.
static void add_immovable(const struct gabion_world *world, struct demand *demand) {
    const struct joint_points *joints = &world->contacts->joints;
    for (int32_t k = 0; k < demand->problem->contacts; k++) {
        uint8_t lost = joints->points[k].held & (uint8_t)~contact_held(demand->problem, k);
        vec3 unmet = hold_keep(lost, contact_get(demand->problem->q, k));
        contact_set(demand->left, k, vec3_sub(contact_get(demand->left, k), unmet));
    }
}

static double block_left(const struct demand *demand, const struct joint_block *block) {
    double most = 0;
    for (uint32_t i = block->begin; i < block->begin + block->count; i++)
        most = fmax(most, vec3_length(contact_get(demand->left, (int32_t)i)));
    return most;
}

static bool is_broken(const struct gabion_world *world, const struct demand *demand,
                      const struct joint_block *block, double most) {
    double left = block_left(demand, block), size = world->joints.list[block->joint].lever;
    return left > LEFT_OF_DEMAND * most && left * world->settings.step > LEFT_OF_SIZE * size;
}

#define NAMED 3

// Names the joints where most is left.
static int list_joints(const struct gabion_world *world, const struct demand *demand, double most,
                       char *text, size_t size) {
    const struct joint_points *joints = &world->contacts->joints;
    double worst = largest(demand, demand->left);
    int count = 0;
    for (size_t k = 0; k < joints->block_count; k++) {
        const struct joint_block *block = &joints->blocks[k];
        if (!is_broken(world, demand, block, most) || block_left(demand, block) < 0.3 * worst)
            continue;
        size_t length = strlen(text);
        if (count++ < NAMED)
            snprintf(text + length, size - length, "%sjoints[%d]", count > 1 ? ", " : "",
                     (int)block->joint);
        else if (count == NAMED + 2)
            snprintf(text + length, size - length, " and others");
    }
    return count;
}

static bool reject(const struct gabion_world *world, const struct demand *demand, double most,
                   struct gabion_error *error) {
    char names[120] = "";
    int count = list_joints(world, demand, most, names, sizeof names);
    if (count == 0)
        return true;
    return error_set(error, GABION_ERROR_RUN,
                     "step %lld: no motion of their bodies keeps %s: %.3g m/s are left between "
                     "the points that %s. Remove a joint, or change the drivers and locks of the "
                     "bodies it joins; the state of the last complete step is kept",
                     (long long)world->step + 1, names, largest(demand, demand->left),
                     count > 1 ? "they hold together" : "it holds together");
}

bool contradiction_check(const struct gabion_world *world, struct gabion_error *error) {
    if (world->joints.count == 0 || (world->report.converged && !joint_points_open(world)))
        return true;
    double most;
    struct demand demand = demand_open(world, &most);
    add_immovable(world, &demand);
    bool good = reject(world, &demand, fmax(most, largest(&demand, demand.left)), error);
    contact_problem_free(demand.problem);
    memory_free(demand.left);
    return good;
}
