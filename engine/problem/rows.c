#include "engine/problem/rows.h"

#include <float.h>
#include <string.h>

#include "engine/contact/arms.h"
#include "engine/problem/weigh.h"
#include "parallel/memory.h"

// One row -------------------------------------------------------------------------------------

double row_friction(const struct gabion_law *law) { return fmin(law->friction, DBL_MAX); }

void row_of_contact(const struct contact_views *views, size_t k, struct contact_row *row,
                    struct row_law *law) {
    const struct contact *contact = &views->contacts[k];
    const struct gabion_law *pair = &views->laws[contact->law];
    double e_t = pair->tangential_restitution;
    *row = (struct contact_row){
        .c = contact->c, .a = contact->a, .axis = {contact->normal}, .slot = (uint32_t)k};
    vec3_tangents(contact->normal, &row->axis[1], &row->axis[2]);
    contact_arms(views->midpoint, contact, contact_spread(views->spread, k), &row->arm_c,
                 &row->arm_a);
    vec3 before = e_t > 0 ? views->before[k] : vec3_zero();
    *law = (struct row_law){.mu = row_friction(pair),
                            .b = {views->bias ? views->bias[k] : 0,
                                  e_t * vec3_dot(row->axis[1], before),
                                  e_t * vec3_dot(row->axis[2], before)}};
}

static double inverse_sum(const struct inverse_mass *mass) {
    return mass->inv_m.x + mass->inv_m.y + mass->inv_m.z + mass->k.xx + mass->k.yy + mass->k.zz;
}

void row_of_joint(const struct contact_views *views, const struct joint_block *block,
                  uint32_t point, struct contact_row *row, mat3 *W, struct row_law *law) {
    const struct joint_point *at = &views->joints->points[point];
    struct inverse_mass c = midpoint_inverse(views->midpoint, block->c);
    struct inverse_mass a = midpoint_inverse(views->midpoint, block->a);
    *row = (struct contact_row){.c = block->c,
                                .a = block->a,
                                .arm_c = at->arm_c,
                                .arm_a = at->arm_a,
                                .slot = (uint32_t)views->count + point};
    memcpy(row->axis, block->axis, sizeof row->axis);
    *W = contact_weigh(row, &c, &a);
    law->mu = 0;
    law->held = hold_possible(at->held, W, inverse_sum(&c) + inverse_sum(&a));
    law->b = hold_keep(law->held, at->bias);
}

// Contacts keep their impulse in world axes, points of joints in the frame of the row.
vec3 row_from_slot(const struct contact_views *views, const struct contact_row *row, vec3 slot) {
    if (row->slot >= views->count)
        return slot;
    return vec3_make(vec3_dot(row->axis[0], slot), vec3_dot(row->axis[1], slot),
                     vec3_dot(row->axis[2], slot));
}

vec3 row_to_slot(const struct contact_views *views, const struct contact_row *row, vec3 r) {
    return row->slot >= views->count ? r : contact_row_impulse(row, r);
}

// All rows ------------------------------------------------------------------------------------

struct contact_problem *contact_problem_of_views(const struct contact_views *views,
                                                 struct least_speeds least, struct team *team) {
    struct contact_problem *problem = memory_allocate(1, sizeof *problem, "contact problem");
    problem->views = *views;
    problem->least = least;
    problem->team = team;
    return problem;
}

void contact_problem_keep_rho(struct contact_problem *problem) {
    problem->slot_rho = memory_allocate(contact_problem_slots(problem), sizeof *problem->slot_rho,
                                        "contact problem");
}

size_t contact_problem_slots(const struct contact_problem *problem) {
    return problem->views.midpoint ? problem->views.count + problem->views.joints->count
                                   : (size_t)problem->contacts;
}

// Numbers the moving bodies in the order in which rows use them.
struct source {
    struct contact_problem *problem;
    int32_t *number; // of the rows, by body of the midpoint
    int32_t bodies, rows;
};

static int32_t name_body(struct source *source, int32_t body) {
    if (body >= source->problem->views.midpoint->moving)
        return CONTACT_FIXED;
    if (source->number[body] == CONTACT_FIXED)
        source->number[body] = source->bodies++;
    return source->number[body];
}

static struct body_velocity free_velocity(const struct midpoint *midpoint, int32_t i) {
    return (struct body_velocity){midpoint->v_free[i], midpoint->s_free[i]};
}

static vec3 velocity_at(struct body_velocity u, vec3 arm) {
    return vec3_add(u.v, vec3_cross(u.s, arm));
}

static void add_row(struct source *source, struct contact_row row, const struct row_law *law) {
    struct contact_problem *problem = source->problem;
    const struct midpoint *midpoint = problem->views.midpoint;
    struct body_velocity c = free_velocity(midpoint, row.c), a = free_velocity(midpoint, row.a);
    int32_t k = source->rows++;
    vec3 u = vec3_sub(velocity_at(c, row.arm_c), velocity_at(a, row.arm_a));
    vec3 q = {vec3_dot(row.axis[0], u), vec3_dot(row.axis[1], u), vec3_dot(row.axis[2], u)};
    row.c = name_body(source, row.c);
    row.a = name_body(source, row.a);
    problem->bodies.rows[k] = row;
    problem->mu[k] = law->mu;
    if (problem->slot_rho)
        problem->rho[k] = problem->slot_rho[row.slot];
    contact_set(problem->q, k, vec3_add(q, law->b));
    if (law->held)
        contact_problem_hold(problem, k, law->held);
}

static void add_rows(struct source *source) {
    const struct contact_views *views = &source->problem->views;
    struct contact_row row;
    struct row_law law;
    mat3 W;
    for (size_t k = 0; k < views->count; k++)
        if (views->contacts[k].flags & CONTACT_ACTIVE) {
            row_of_contact(views, k, &row, &law);
            add_row(source, row, &law);
        }
    for (size_t j = 0; j < views->joints->block_count; j++) {
        const struct joint_block *block = &views->joints->blocks[j];
        for (uint32_t k = 0; k < block->count; k++) {
            row_of_joint(views, block, block->begin + k, &row, &W, &law);
            add_row(source, row, &law);
        }
    }
}

static void put_drift(const struct contact_views *views, int32_t i, double *six) {
    const struct midpoint *midpoint = views->midpoint;
    vec3 v = vec3_sub(views->v[i], midpoint->v_free[i]);
    vec3 s = vec3_sub(vec3_scale(midpoint->radius[i], views->w[i]), midpoint->s_free[i]);
    memcpy(six, &v, sizeof v);
    memcpy(six + 3, &s, sizeof s);
}

static void fill_bodies(struct source *source) {
    const struct contact_views *views = &source->problem->views;
    struct contact_bodies *bodies = &source->problem->bodies;
    bodies->count = source->bodies;
    bodies->drift = memory_allocate(6 * (size_t)source->bodies, sizeof(double), "velocities");
    for (int32_t i = 0; i < views->midpoint->moving; i++) {
        int32_t number = source->number[i];
        if (number == CONTACT_FIXED)
            continue;
        bodies->inverse[number] = midpoint_inverse(views->midpoint, i);
        put_drift(views, i, bodies->drift + 6 * (size_t)number);
    }
}

static int32_t count_rows(const struct contact_views *views) {
    size_t rows = views->joints->count;
    for (size_t k = 0; k < views->count; k++)
        rows += views->contacts[k].flags & CONTACT_ACTIVE;
    return (int32_t)rows;
}

void contact_problem_materialise(struct contact_problem *problem) {
    if (problem->mu)
        return;
    int32_t moving = problem->views.midpoint->moving;
    struct source source = {.problem = problem};
    contact_problem_make_rows(problem, count_rows(&problem->views), moving);
    source.number = memory_allocate((size_t)moving, sizeof *source.number, "bodies");
    for (int32_t i = 0; i < moving; i++)
        source.number[i] = CONTACT_FIXED;
    add_rows(&source);
    fill_bodies(&source);
    memory_free(source.number);
    contact_problem_join(problem);
    contact_problem_finish(problem);
}

// Vectors -------------------------------------------------------------------------------------

void contact_problem_to_rows(const struct contact_problem *problem, const vec3 *slots, double *r) {
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct contact_row *row = &problem->bodies.rows[k];
        contact_set(r, k, row_from_slot(&problem->views, row, slots[row->slot]));
    }
}

void contact_problem_from_rows(const struct contact_problem *problem, const double *r,
                               vec3 *slots) {
    memset(slots, 0, contact_problem_slots(problem) * sizeof *slots);
    for (int32_t k = 0; k < problem->contacts; k++) {
        const struct contact_row *row = &problem->bodies.rows[k];
        slots[row->slot] = row_to_slot(&problem->views, row, contact_get(r, k));
    }
}
