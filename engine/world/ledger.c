#include "engine/world/ledger.h"

#include "engine/contact/contacts.h"
#include "engine/problem/block.h"
#include "engine/motion/motion.h"
#include "engine/problem/problem.h"
#include "parallel/memory.h"

// Energy --------------------------------------------------------------------------------------

struct energy_context {
    const struct gabion_world *world;
    vec3 gravity;
};

static double spin_energy(const struct bodies *bodies, int32_t i) {
    vec3 w = bodies->w[i], inertia = bodies->inertia[i];
    if (!bodies_isotropic(bodies, i))
        w = mat3_apply_transposed(quat_matrix(bodies->q[i]), w);
    return 0.5 * vec3_dot(vec3_times(inertia, w), w);
}

static double kinetic_energy(const struct bodies *bodies, int32_t i) {
    return 0.5 * bodies->mass[i] * vec3_dot(bodies->v[i], bodies->v[i]) + spin_energy(bodies, i);
}

static void add_energy(void *context, size_t begin, size_t end, double *out) {
    const struct energy_context *energy = context;
    const struct bodies *bodies = &energy->world->bodies;
    for (size_t i = begin; i < end; i++) {
        out[0] += kinetic_energy(bodies, (int32_t)i);
        out[1] -= bodies->mass[i] * vec3_dot(energy->gravity, bodies->x[i]);
    }
}

static void measure_energy(const struct gabion_world *world, double time, double *kinetic,
                           double *potential) {
    struct energy_context energy = {world, motion_gravity(world, time)};
    double sum[2];
    team_sum(world->team, (size_t)world->bodies.moving, 2, add_energy, &energy, sum);
    *kinetic = sum[0];
    *potential = sum[1];
}

void ledger_events(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double before = ledger->kinetic + ledger->potential;
    measure_energy(world, world_time(world), &ledger->kinetic, &ledger->potential);
    if (world->step == 0)
        return;
    double change = ledger->kinetic + ledger->potential - before;
    ledger->removed_energy += change;
    ledger->turnover += fabs(change);
}

void ledger_set_velocity(struct gabion_world *world, int32_t i, vec3 velocity, vec3 spin) {
    struct ledger *ledger = &world->ledger;
    double before = kinetic_energy(&world->bodies, i);
    world->bodies.v[i] = velocity;
    world->bodies.w[i] = spin;
    if (world->step == 0) // the first step counts from what it finds
        return;
    double change = kinetic_energy(&world->bodies, i) - before;
    ledger->kinetic += change;
    ledger->removed_energy += change;
    ledger->turnover += fabs(change);
}

// Work ----------------------------------------------------------------------------------------

struct work_context {
    const struct gabion_world *world;
    vec3 gravity, gravity_now, gravity_next; // theta-average, at t, at t + h
    const vec3 *group_force;
};

enum { WORK_APPLIED, WORK_THETA, WORK_COUNT };

// What the gyroscopic term did because the contact impulse came after it: with the spin W_free
// that the free rotation reached (with what joints were expected to do) and W+ that the contacts
// left, -h/2 (W+ - W_free).(Wm x I Wm).
static double gyroscopic_work(const struct gabion_world *world, int32_t i, vec3 w_after) {
    const struct bodies *bodies = &world->bodies;
    if (bodies_isotropic(bodies, i) || bodies->lock[i] >> 3)
        return 0;
    mat3 axes = motion_midpoint_axes(world, i);
    double scale = 1 / bodies->radius[i];
    vec3 before = mat3_apply_transposed(axes, bodies->w[i]);
    vec3 free = mat3_apply_transposed(axes, vec3_scale(scale, world->problem->s_free[i]));
    vec3 after = mat3_apply_transposed(axes, w_after);
    free = vec3_add(free, motion_expected_turn(world, i, &axes));
    vec3 middle = vec3_scale(0.5, vec3_add(before, free));
    vec3 turn = vec3_cross(middle, vec3_times(bodies->inertia[i], middle));
    return -0.5 * world->settings.step * vec3_dot(vec3_sub(after, free), turn);
}

// Of what the program applied, by the mean velocity and the mean spin of the step.
static double applied_power(const struct gabion_world *world, int32_t i, vec3 velocity,
                            const struct solver_body *solved) {
    struct applied applied = motion_applied(world, i);
    vec3 after = vec3_scale(1 / world->bodies.radius[i], solver_s(solved));
    vec3 spin = vec3_scale(0.5, vec3_add(world->bodies.w[i], after));
    return vec3_dot(applied.force, velocity) + vec3_dot(applied.moment, spin);
}

static void add_body_work(void *context, size_t begin, size_t end, double *out) {
    const struct work_context *work = context;
    const struct gabion_world *world = work->world;
    const struct bodies *bodies = &world->bodies;
    double h = world->settings.step, theta = world->settings.theta;
    for (size_t i = begin; i < end; i++) {
        const struct solver_body *body = &world->problem->bodies[i];
        vec3 before = bodies->v[i], after = solver_v(body);
        vec3 mean = vec3_scale(0.5, vec3_add(before, after));
        double m = bodies->mass[i];
        if (work->group_force)
            out[WORK_APPLIED] += h * vec3_dot(work->group_force[bodies->group[i]], mean);
        if (world->applied)
            out[WORK_APPLIED] += h * applied_power(world, (int32_t)i, mean, body);
        out[WORK_THETA] -= (theta - 0.5) * h * m * vec3_dot(work->gravity, vec3_sub(after, before));
        out[WORK_THETA] +=
            gyroscopic_work(world, (int32_t)i, vec3_scale(1 / bodies->radius[i], solver_s(body)));
        // Under a ramp the potential -m g(t).x changes with g as well as with x.
        vec3 moved = vec3_add_scaled(vec3_add_scaled(bodies->x[i], (1 - theta) * h, before),
                                     theta * h, after);
        out[WORK_APPLIED] -=
            m * (vec3_dot(vec3_sub(work->gravity_next, work->gravity), moved) -
                 vec3_dot(vec3_sub(work->gravity_now, work->gravity), bodies->x[i]));
    }
}

// 1/2 (u+ + u-).r of each contact, and the part of it that a prescribed body paid for.
static void add_contact_work(void *context, size_t begin, size_t end, double *out) {
    const struct gabion_world *world = context;
    const struct bodies *bodies = &world->bodies;
    const struct solver_body *solved = world->problem->bodies;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        int32_t c = contact->c, a = contact->a;
        if (!contacts_carries(contact))
            continue;
        double R_c = bodies_spin_radius(bodies, c), R_a = bodies_spin_radius(bodies, a);
        vec3 arm_a, arm_c;
        block_arms(world, contact, &arm_c, &arm_a);
        vec3 v_c = vec3_add(bodies->v[c], solver_v(&solved[c]));
        vec3 v_a = vec3_add(bodies->v[a], solver_v(&solved[a]));
        vec3 s_c = vec3_add_scaled(solver_s(&solved[c]), R_c, bodies->w[c]);
        vec3 s_a = vec3_add_scaled(solver_s(&solved[a]), R_a, bodies->w[a]);
        vec3 at_c = vec3_add(v_c, vec3_cross(s_c, arm_c));
        vec3 at_a = vec3_add(v_a, vec3_cross(s_a, arm_a));
        out[0] += 0.5 * vec3_dot(vec3_sub(at_c, at_a), contact->impulse);
        if (a >= bodies->moving)
            out[1] += 0.5 * vec3_dot(at_a, contact->impulse);
    }
}

void ledger_work(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double t = world_time(world), body[WORK_COUNT];
    struct work_context work = {
        .world = world,
        .gravity = motion_step_gravity(world),
        .gravity_now = motion_gravity(world, t),
        .gravity_next = motion_gravity(world, t + world->settings.step),
        .group_force = world->force_count > 0 ? world->problem->group_force : NULL,
    };
    team_sum(world->team, (size_t)world->bodies.moving, WORK_COUNT, add_body_work, &work, body);
    ledger->applied_work += body[WORK_APPLIED];
    ledger->theta_work += body[WORK_THETA];
    ledger->explained = body[WORK_APPLIED] + body[WORK_THETA];
    ledger->turnover += fabs(body[WORK_APPLIED]) + fabs(body[WORK_THETA]);
    ledger_impulses(world);
}

void ledger_impulses(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double contact[2], joint, driven;
    team_sum(world->team, world->contacts->count, 2, add_contact_work, world, contact);
    joints_work(world, &joint, &driven);
    driven += contact[1];
    ledger->contact_work += contact[0];
    ledger->joint_work += joint;
    ledger->driver_work += driven;
    ledger->explained += contact[0] + joint + driven;
    ledger->turnover += fabs(contact[0]) + fabs(joint) + fabs(driven);
}

// Closing -------------------------------------------------------------------------------------

struct overlaps {
    const struct gabion_world *world;
    double *gap; // of each contact at the end of the step
};

static void measure_overlap(void *context, size_t begin, size_t end, double *out) {
    const struct overlaps *overlaps = context;
    const struct gabion_world *world = overlaps->world;
    vec3 normal;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &world->contacts->list[k];
        double gap = overlaps->gap[k] = contacts_gap_after(world, contact, &normal);
        out[0] = fmax(out[0], -gap);
        out[1] = fmax(out[1], -gap / bodies_smaller_size(&world->bodies, contact->c, contact->a));
    }
}

// From the gaps that measure_overlap found.
static void add_overlap(void *context, size_t begin, size_t end, double *out) {
    const struct overlaps *overlaps = context;
    for (size_t k = begin; k < end; k++) {
        bool carries = contacts_carries(&overlaps->world->contacts->list[k]);
        double gap = overlaps->gap[k];
        out[0] -= gap < 0 ? gap : 0;
        out[1] += gap < 0 || carries;
        out[2] += carries;
    }
}

void ledger_close(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double kinetic = ledger->kinetic, potential = ledger->potential;
    double end = (double)(world->step + 1) * world->settings.step;
    measure_energy(world, end, &ledger->kinetic, &ledger->potential);
    double d_kinetic = ledger->kinetic - kinetic, d_potential = ledger->potential - potential;
    ledger->energy_error += d_kinetic + d_potential - ledger->explained;
    ledger->turnover += fabs(d_kinetic) + fabs(d_potential);
}

void ledger_projection(struct gabion_world *world) {
    struct ledger *ledger = &world->ledger;
    double before = ledger->kinetic + ledger->potential;
    double end = (double)(world->step + 1) * world->settings.step;
    measure_energy(world, end, &ledger->kinetic, &ledger->potential);
    double change = ledger->kinetic + ledger->potential - before;
    ledger->projection_work += change;
    ledger->turnover += fabs(change);
}

void ledger_contacts(struct gabion_world *world) {
    size_t count = world->contacts->count;
    struct overlaps overlaps = {world, memory_allocate(count, sizeof *overlaps.gap, "overlaps")};
    double most[2], sum[3];
    team_max(world->team, count, 2, measure_overlap, &overlaps, most);
    team_sum(world->team, count, 3, add_overlap, &overlaps, sum);
    memory_free(overlaps.gap);
    world->report.contacts = (int64_t)sum[2];
    world->report.max_overlap = most[0];
    world->report.max_overlap_relative = most[1];
    world->report.mean_overlap = sum[1] > 0 ? sum[0] / sum[1] : 0;
    world->report.joint_error = joints_error(world);
}

// Rounding of the energies themselves, step after step, is allowed for beside the turnover.
bool ledger_failed(const struct ledger *ledger) {
    double scale = ledger->turnover + fabs(ledger->kinetic) + fabs(ledger->potential);
    return !(fabs(ledger->energy_error) <= 1e-9 * scale);
}
