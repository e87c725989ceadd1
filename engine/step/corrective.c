#include "engine/step/corrective.h"

#include <string.h>

#include "engine/contact/arms.h"
#include "engine/contact/pairs.h"
#include "engine/contact/contacts.h"
#include "engine/contact/gap.h"
#include "engine/problem/residual.h"
#include "engine/step/solve.h"
#include "engine/problem/rows.h"
#include "engine/step/projection.h"
#include "engine/step/step.h"
#include "engine/world/islands.h"
#include "parallel/memory.h"

// The gap up to which bodies touch, as a share of the smaller body's size. A position pass leaves
// gaps of either sign in the last digit, and contacts that carry a load must not come and go with
// them.
#define TOUCHING 1e-6

// The state before the step, restored if the step fails after bodies have moved.
struct past {
    vec3 *x, *v, *w;
    quat *q;
    struct ledger ledger;
};

struct galizzi {
    struct past past;
    // The contacts at the start of the step, with their impulses h f and those of the joints.
    struct contact *start;
    vec3 *start_impulse;
    size_t start_count, start_points;
    struct body_velocity *velocity; // of each body, after the last correction
    struct correction positions;
    bool moves; // positions are found
};

// Keeping the past ----------------------------------------------------------------------------

static void *copy_of(const void *array, size_t count, size_t size) {
    return memcpy(memory_allocate(count, size, "state"), array, count * size);
}

void corrective_keep_past(struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    size_t count = (size_t)bodies->count;
    world->galizzi->past = (struct past){
        copy_of(bodies->x, count, sizeof *bodies->x), copy_of(bodies->v, count, sizeof *bodies->v),
        copy_of(bodies->w, count, sizeof *bodies->w), copy_of(bodies->q, count, sizeof *bodies->q),
        world->ledger};
}

void corrective_restore_past(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    const struct past *past = &world->galizzi->past;
    size_t count = (size_t)bodies->count;
    if (!past->x)
        return; // it has not been left
    memcpy(bodies->x, past->x, count * sizeof *bodies->x);
    memcpy(bodies->v, past->v, count * sizeof *bodies->v);
    memcpy(bodies->w, past->w, count * sizeof *bodies->w);
    memcpy(bodies->q, past->q, count * sizeof *bodies->q);
    world->ledger = past->ledger;
}

static void scratch_free(struct galizzi *scratch) {
    const struct past *past = &scratch->past;
    void *arrays[] = {past->x,          past->v,        past->w,
                      past->q,          scratch->start, scratch->start_impulse,
                      scratch->velocity};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    if (scratch->moves)
        correction_close(&scratch->positions);
    memory_free(scratch);
}

// Velocities and accelerations at contacts and joints ------------------------------------------

typedef struct body_velocity (*level_function)(const struct gabion_world *, int32_t);

static struct body_velocity before(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    return (struct body_velocity){bodies->v[i],
                                  vec3_scale(bodies_spin_radius(bodies, i), bodies->w[i])};
}

static struct body_velocity without_contacts(const struct gabion_world *world, int32_t i) {
    return (struct body_velocity){world->midpoint->v_free[i], world->midpoint->s_free[i]};
}

// Returns h times the acceleration that loads alone cause.
static struct body_velocity acceleration(const struct gabion_world *world, int32_t i) {
    struct body_velocity from = before(world, i), to = without_contacts(world, i);
    return (struct body_velocity){vec3_sub(to.v, from.v), vec3_sub(to.s, from.s)};
}

static vec3 in_frame(const struct contact_row *row, vec3 u) {
    return vec3_make(vec3_dot(row->axis[0], u), vec3_dot(row->axis[1], u),
                     vec3_dot(row->axis[2], u));
}

// Returns the velocity or acceleration of a body at a point; zero for the world, which joints treat
// as a body.
static vec3 at_point(const struct gabion_world *world, int32_t i, vec3 arm,
                     level_function velocity) {
    if (i == world->bodies.count)
        return vec3_zero();
    struct body_velocity body = velocity(world, i);
    return vec3_add(body.v, vec3_cross(body.s, arm));
}

static vec3 relative(const struct gabion_world *world, const struct correction *correction,
                     int32_t k, level_function velocity) {
    const struct contact_row *row = &correction->problem->bodies.rows[k];
    const struct correction_row *about = &correction->rows[k];
    return in_frame(row, vec3_sub(at_point(world, about->c, row->arm_c, velocity),
                                  at_point(world, about->a, row->arm_a, velocity)));
}

// w x (w x r) of eq. 2.4. Where a sphere touches, of a clump or by itself, the point that counts is
// its centre: the row of eq. 2.5 is the same for it, the normal passing through it, and a ball that
// rolls does not leave the floor.
static vec3 centripetal(const struct gabion_world *world, const struct correction_row *about,
                        int32_t i, vec3 arm) {
    const struct bodies *bodies = &world->bodies;
    if (i == bodies->count)
        return vec3_zero();
    vec3 w = bodies->w[i], r = vec3_scale(bodies_spin_radius(bodies, i), arm);
    if (about->point < 0) {
        const struct contact *contact = &world->contacts->list[about->index];
        double radius = pairs_ball_radius(bodies, contact, i);
        r = vec3_add_scaled(r, i == contact->c ? radius : -radius, contact->normal);
    }
    return vec3_cross(w, vec3_cross(w, r));
}

// Returns the term of a distance joint that comes from the rotation of its line.
static double turning(const struct gabion_world *world, const struct correction *correction,
                      int32_t k) {
    const struct correction_row *about = &correction->rows[k];
    if (about->point < 0)
        return 0;
    int32_t index = world->contacts->joints.blocks[about->index].joint;
    const struct joint *joint = &world->joints.list[index];
    if (joint->kind != GABION_JOINT_DISTANCE)
        return 0;
    vec3 u = relative(world, correction, k, before);
    return (u.y * u.y + u.z * u.z) / joint->length;
}

// Returns h times J a + c of eq. 2.6.
static vec3 closing_acceleration(const struct gabion_world *world,
                                 const struct correction *correction, int32_t k) {
    const struct contact_row *row = &correction->problem->bodies.rows[k];
    const struct correction_row *about = &correction->rows[k];
    vec3 c = in_frame(row, vec3_sub(centripetal(world, about, about->c, row->arm_c),
                                    centripetal(world, about, about->a, row->arm_a)));
    c.x += turning(world, correction, k);
    return vec3_add_scaled(relative(world, correction, k, acceleration), world->settings.step, c);
}

// What the corrections do ---------------------------------------------------------------------

static double touching_gap(const struct gabion_world *world, const struct contact *contact) {
    return TOUCHING * bodies_smaller_size(&world->bodies, contact->c, contact->a);
}

static const struct gabion_law *law_of(const struct gabion_world *world,
                                       const struct correction_row *row) {
    return &world->laws.law[world->contacts->list[row->index].law];
}

static void set_friction(const struct gabion_world *world, struct correction *correction) {
    for (int32_t k = 0; k < correction->problem->contacts; k++)
        if (correction->rows[k].point < 0)
            correction->problem->mu[k] = row_friction(law_of(world, &correction->rows[k]));
}

struct body_velocity corrective_velocity(const struct gabion_world *world, int32_t body) {
    return world->galizzi->velocity[body];
}

// Finds the velocities from the free ones and the impulses found.
static void set_velocities(struct gabion_world *world, const struct correction *correction) {
    struct midpoint *midpoint = world->midpoint;
    double *change = correction_motion(correction);
    for (int32_t i = 0; i < midpoint->count; i++) {
        struct body_velocity u = {vec3_zero(), vec3_zero()}; // of the world itself
        if (i < world->bodies.count)
            u = without_contacts(world, i);
        const double *six = change + 6 * (size_t)i;
        if (i < world->bodies.moving) {
            u.v = vec3_add(u.v, vec3_make(six[0], six[1], six[2]));
            u.s = vec3_add(u.s, vec3_make(six[3], six[4], six[5]));
        }
        world->galizzi->velocity[i] = u;
    }
    memory_free(change);
}

static vec3 *impulse_of(const struct gabion_world *world, const struct correction_row *row) {
    const struct contacts *contacts = world->contacts;
    if (row->point < 0)
        return &contacts->impulse[row->index];
    size_t point = contacts->joints.blocks[row->index].begin + (uint32_t)row->point;
    return &contacts->impulse[contacts->count + point];
}

static void set_impulses(struct gabion_world *world, const struct correction *correction) {
    for (int32_t k = 0; k < correction->problem->contacts; k++) {
        const struct correction_row *about = &correction->rows[k];
        vec3 r = contact_get(correction->x, k);
        if (about->point < 0)
            r = contact_row_impulse(&correction->problem->bodies.rows[k], r);
        *impulse_of(world, about) = r;
    }
}

// Accelerations -------------------------------------------------------------------------------

// Chooses the contacts that are closed and that the present velocities do not open before the end
// of the step: one that has just rebounded is not held, although its gap is zero.
static bool *choose_resting(const struct gabion_world *world) {
    const struct contacts *contacts = world->contacts;
    bool *chosen = memory_allocate(contacts->count, sizeof *chosen, "contacts");
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        double u_n = vec3_dot(contact->normal, contact_velocity_now(world, contact, NULL));
        double gap = contact->gap + world->settings.step * fmax(u_n, 0);
        chosen[k] = gap <= touching_gap(world, contact);
    }
    return chosen;
}

static void count_iterations(struct gabion_world *world, int iterations) {
    world->report.sweeps += iterations;
    world->report.spent[GABION_METHOD_BICG] += iterations;
}

static void keep_start(struct gabion_world *world) {
    struct galizzi *scratch = world->galizzi;
    const struct contacts *contacts = world->contacts;
    scratch->start_count = contacts->count;
    scratch->start_points = contacts->joints.count;
    scratch->start = copy_of(contacts->list, contacts->count, sizeof *scratch->start);
    scratch->start_impulse =
        copy_of(contacts->impulse, contacts->count + contacts->joints.count, sizeof(vec3));
}

void corrective_accelerations(struct gabion_world *world) {
    bool *chosen = choose_resting(world);
    struct correction correction = correction_open(world, world->contacts->list, chosen);
    for (int32_t k = 0; k < correction.problem->contacts; k++)
        contact_set(correction.problem->q, k, closing_acceleration(world, &correction, k));
    set_friction(world, &correction);
    correction_solve(&correction, world, world->settings.budget.accelerations);
    set_velocities(world, &correction);
    set_impulses(world, &correction);
    keep_start(world);
    world->report =
        (struct gabion_step_report){.converged = true, .finished_by = GABION_METHOD_BICG};
    count_iterations(world, correction.iterations);
    correction_close(&correction);
    memory_free(chosen);
}

// Positions -----------------------------------------------------------------------------------

void corrective_positions(struct gabion_world *world) {
    struct galizzi *scratch = world->galizzi;
    scratch->positions =
        projection_find(world, world->contacts->list, world->settings.budget.positions);
    scratch->moves = true;
    count_iterations(world, scratch->positions.iterations);
}

void corrective_move_apart(struct gabion_world *world) {
    projection_move(world, &world->galizzi->positions);
}

// Velocities ----------------------------------------------------------------------------------

// Chooses the contacts that were found closed, and those that the correction of positions closes.
static bool *choose_closed(const struct gabion_world *world) {
    const struct correction *positions = &world->galizzi->positions;
    size_t count = world->contacts->count;
    bool *chosen = memory_allocate(count, sizeof *chosen, "contacts");
    double *gap = memory_allocate(contact_problem_size(positions->problem), sizeof *gap, "gaps");
    contact_problem_velocity(positions->problem, positions->x, gap);
    for (size_t k = 0; k < count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        chosen[k] = contact->gap <= touching_gap(world, contact);
    }
    for (int32_t k = 0; k < positions->problem->contacts; k++) { // not all contacts have a row
        const struct correction_row *row = &positions->rows[k];
        if (row->point < 0 && gap[3 * k] <= touching_gap(world, &world->contacts->list[row->index]))
            chosen[row->index] = true;
    }
    memory_free(gap);
    return chosen;
}

static void set_velocity_errors(const struct gabion_world *world, struct correction *correction) {
    struct contact_problem *problem = correction->problem;
    problem->least = solve_least_speeds(world);
    for (int32_t k = 0; k < problem->contacts; k++)
        contact_set(problem->q, k, relative(world, correction, k, without_contacts));
    set_friction(world, correction);
}

static void report_residual(struct gabion_world *world, const struct correction *correction) {
    struct contact_error error = residual_of(correction->problem, correction->x);
    struct gabion_step_report *report = &world->report;
    bool fclib = world->settings.measure == GABION_MEASURE_FCLIB;
    report->residual = error.scaled;
    report->residual_fclib = error.fclib;
    report->residual_worst = error.worst;
    report->worst_body_a = report->worst_body_b = -1;
    report->converged = (fclib ? error.fclib : error.scaled) <= world->settings.tolerance;
}

// Poisson's restitution as in section 6: p becomes (1 + e) p, all three components of a contact
// that sticks alike, which is what keeps the energy from growing. Contacts that approach more
// slowly than the cut-off speed do not rebound. Returns e.
static double rebound_contact(const struct gabion_world *world, struct correction *correction,
                              int32_t k) {
    vec3 p = contact_get(correction->x, k);
    double speed = p.x * correction->problem->diagonal[k].row[0].x;
    if (!(speed > gap_restitution_cutoff(&world->settings)))
        return 0;
    double e = law_of(world, &correction->rows[k])->restitution;
    contact_set(correction->x, k, vec3_scale(1 + e, p));
    return e;
}

static struct islands islands_of(const struct gabion_world *world,
                                 const struct correction *correction) {
    struct islands islands = islands_open(world->bodies.moving);
    for (int32_t k = 0; k < correction->problem->contacts; k++)
        if (vec3_length(contact_get(correction->x, k)) > 0)
            islands_join(&islands, correction->rows[k].c, correction->rows[k].a);
    return islands;
}

static int32_t island_of(const struct islands *islands, const struct correction_row *row) {
    return islands_between(islands, row->c, row->a);
}

// Scales the impulses of contacts and joints by the rebound: joints transmit it, and hold as before
// when they are scaled like the contacts. A joint is scaled by the largest e among the contacts of
// the bodies that impulses connect it with.
static void rebound(const struct gabion_world *world, struct correction *correction) {
    struct islands islands = islands_of(world, correction);
    double *most = memory_allocate((size_t)islands.moving + 1, sizeof *most, "rebounds");
    for (int32_t k = 0; k < correction->problem->contacts; k++) {
        double *e = &most[island_of(&islands, &correction->rows[k])];
        if (correction->rows[k].point < 0)
            *e = fmax(*e, rebound_contact(world, correction, k));
    }
    for (int32_t k = 0; k < correction->problem->contacts; k++) {
        double e = most[island_of(&islands, &correction->rows[k])];
        if (correction->rows[k].point >= 0)
            contact_set(correction->x, k, vec3_scale(1 + e, contact_get(correction->x, k)));
    }
    memory_free(most);
    islands_close(&islands);
}

void corrective_velocities(struct gabion_world *world) {
    bool *chosen = choose_closed(world);
    struct correction correction = correction_open(world, world->contacts->list, chosen);
    set_velocity_errors(world, &correction);
    correction_solve(&correction, world, world->settings.budget.velocities);
    report_residual(world, &correction);
    rebound(world, &correction);
    set_velocities(world, &correction);
    set_impulses(world, &correction);
    count_iterations(world, correction.iterations);
    world->report.rows = correction.problem->contacts;
    correction_close(&correction);
    memory_free(chosen);
}

void corrective_take_velocities(struct gabion_world *world) {
    struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->moving; i++) {
        struct body_velocity u = corrective_velocity(world, i);
        double R = bodies->radius[i];
        bodies->v[i] = u.v;
        bodies->w[i] = vec3_make(u.s.x / R, u.s.y / R, u.s.z / R);
    }
}

// The sum of both kinds of impulses, for output and warm start ----------------------------------

static bool comes_before(const struct contact *x, const struct contact *y) {
    return x->c != y->c ? x->c < y->c : x->a < y->a;
}

// Returns an impulse rotated with its normal, so that its normal part stays normal.
static vec3 turned_impulse(vec3 impulse, vec3 from, vec3 to) {
    double normal = vec3_dot(impulse, from);
    vec3 along = vec3_add_scaled(impulse, -normal, from);
    return vec3_add_scaled(along, normal - vec3_dot(along, to), to);
}

// Adds the impulses of the start. Both lists are in canonical order; impulses of vanished contacts
// are dropped.
void corrective_add_start(struct gabion_world *world) {
    const struct galizzi *scratch = world->galizzi;
    struct contacts *contacts = world->contacts;
    size_t first = 0;
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        while (first < scratch->start_count && comes_before(&scratch->start[first], contact))
            first++;
        for (size_t j = first;
             j < scratch->start_count && !comes_before(contact, &scratch->start[j]); j++)
            if (scratch->start[j].feature == contact->feature)
                contacts->impulse[k] =
                    vec3_add(contacts->impulse[k],
                             turned_impulse(scratch->start_impulse[j], scratch->start[j].normal,
                                            contact->normal));
    }
    for (size_t k = 0; k < scratch->start_points; k++) {
        vec3 *r = &contacts->impulse[contacts->count + k];
        *r = vec3_add(*r, scratch->start_impulse[scratch->start_count + k]);
    }
}

// The scratch of a step -------------------------------------------------------------------------

void corrective_begin(struct gabion_world *world) {
    size_t bodies = (size_t)world->bodies.count + (size_t)world->pending_count + 1; // and the world
    world->galizzi = memory_allocate(1, sizeof *world->galizzi, "corrective step");
    world->galizzi->velocity =
        memory_allocate(bodies, sizeof *world->galizzi->velocity, "corrective step");
}

void corrective_end(struct gabion_world *world) {
    scratch_free(world->galizzi);
    world->galizzi = NULL;
}
