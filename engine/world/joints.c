#include "engine/world/joints.h"

#include "engine/problem/block.h"
#include "engine/problem/problem.h"
#include "parallel/memory.h"

void joints_free(struct joints *joints) {
    memory_free(joints->list);
    memory_free(joints->apart);
    *joints = (struct joints){0};
}

// Points ----------------------------------------------------------------------------------------

static const uint8_t held_by[GABION_JOINT_COUNT][JOINT_POINTS] = {
    [GABION_JOINT_BALL] = {HOLD_ALL},
    [GABION_JOINT_HINGE] = {HOLD_ALL, HOLD_POINT | HOLD_N | HOLD_S},
    [GABION_JOINT_FIXED] = {HOLD_ALL, HOLD_POINT | HOLD_N | HOLD_S, HOLD_POINT | HOLD_N},
    [GABION_JOINT_DISTANCE] = {HOLD_POINT | HOLD_N},
};

int joint_points(const struct joint *joint) {
    int count = 0;
    while (count < JOINT_POINTS && held_by[joint->kind][count])
        count++;
    return count;
}

// A side of a joint in space.
struct placed_side {
    vec3 centre;
    vec3 arm;     // from the centre to the anchor
    vec3 axis[3]; // n, s, t
};

static struct placed_side place(const struct joint_side *side, vec3 centre, const mat3 *axes) {
    struct placed_side placed = {.centre = centre, .arm = mat3_apply(*axes, side->anchor)};
    for (int i = 0; i < 3; i++) {
        const vec3 *row = side->frame.row;
        vec3 column = {vec3_get(row[0], i), vec3_get(row[1], i), vec3_get(row[2], i)};
        placed.axis[i] = mat3_apply(*axes, column);
    }
    return placed;
}

// The second point lies along t, the third along s: a turn about t moves that along n.
static vec3 arm_of(const struct joint *joint, const struct placed_side *side, int k) {
    return k == 0 ? side->arm
                  : vec3_add_scaled(side->arm, joint->lever, side->axis[k == 1 ? 2 : 1]);
}

static const mat3 no_turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// By the state, or at q_m.
static void place_now(const struct gabion_world *world, const struct joint *joint,
                      const int32_t *body, struct placed_side *placed) {
    const struct bodies *bodies = &world->bodies;
    for (int i = 0; i < 2; i++) {
        bool is_world = body[i] == bodies->count;
        mat3 axes = is_world ? no_turn : quat_matrix(bodies->q[body[i]]);
        placed[i] = place(&joint->side[i], is_world ? vec3_zero() : bodies->x[body[i]], &axes);
    }
}

static void place_middle(const struct gabion_world *world, const struct joint *joint,
                         struct placed_side *placed) {
    const struct problem *problem = world->problem;
    for (int i = 0; i < 2; i++) {
        int32_t body = joint->body[i];
        bool is_world = body == world->bodies.count;
        placed[i] = place(&joint->side[i], is_world ? vec3_zero() : problem->x_m[body],
                          is_world ? &no_turn : &problem->axes_m[body]);
    }
}

static vec3 separation(const struct joint *joint, const struct placed_side *placed, int k) {
    vec3 first = vec3_add(placed[0].centre, arm_of(joint, &placed[0], k));
    vec3 second = vec3_add(placed[1].centre, arm_of(joint, &placed[1], k));
    return vec3_sub(first, second);
}

// A joint's frame turns with its second body; that of a distance follows the line.
static void find_axes(const struct joint *joint, const struct placed_side *placed, vec3 *axis) {
    for (int i = 0; i < 3; i++)
        axis[i] = placed[1].axis[i];
    if (joint->kind != GABION_JOINT_DISTANCE)
        return;
    vec3 line = separation(joint, placed, 0);
    double length = vec3_length(line);
    if (length > 0)
        axis[0] = vec3_scale(1 / length, line);
    vec3_tangents(axis[0], &axis[1], &axis[2]);
}

// g of point k in the directions `axis`.
static vec3 error_at(const struct joint *joint, const struct placed_side *placed, const vec3 *axis,
                     int k) {
    vec3 apart = separation(joint, placed, k);
    if (joint->kind == GABION_JOINT_DISTANCE)
        return vec3_make(vec3_length(apart) - joint->length, 0, 0);
    vec3 g = {vec3_dot(axis[0], apart), vec3_dot(axis[1], apart), vec3_dot(axis[2], apart)};
    return hold_keep(held_by[joint->kind][k], g);
}

// The step ----------------------------------------------------------------------------------------

static bool find_bodies(const struct gabion_world *world, const struct joint *joint,
                        int32_t *body) {
    for (int i = 0; i < 2; i++)
        body[i] = joint->id[i] < 0 ? world->bodies.count : world->bodies.index_of[joint->id[i]];
    return body[0] >= 0 && body[1] >= 0;
}

static void add_moment(const struct joint *joint, const struct placed_side *placed,
                       const int32_t *body, int32_t moving, vec3 *moment) {
    vec3 axis[3];
    find_axes(joint, placed, axis);
    for (int k = 0; k < joint_points(joint); k++) {
        vec3 p = vec3_zero();
        for (int i = 0; i < 3; i++)
            p = vec3_add_scaled(p, vec3_get(joint->impulse[k], i), axis[i]);
        for (int i = 0; i < 2; i++)
            if (body[i] < moving)
                moment[body[i]] = vec3_add_scaled(moment[body[i]], i == 0 ? 1 : -1,
                                                  vec3_cross(arm_of(joint, &placed[i], k), p));
    }
}

void joints_expect(struct gabion_world *world) {
    struct problem *problem = world->problem;
    int32_t moving = world->bodies.moving;
    problem->joint_moment = memory_reserve(problem->joint_moment, &problem->joint_moment_capacity,
                                           (size_t)moving, sizeof *problem->joint_moment, "joints");
    for (int32_t i = 0; i < moving; i++)
        problem->joint_moment[i] = vec3_zero();
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        struct placed_side placed[2];
        int32_t body[2];
        if (!find_bodies(world, joint, body))
            continue;
        place_now(world, joint, body, placed);
        add_moment(joint, placed, body, moving, problem->joint_moment);
    }
}

size_t joints_begin(struct gabion_world *world) {
    size_t points = 0;
    for (int k = 0; k < world->joints.count; k++) {
        struct joint *joint = &world->joints.list[k];
        struct placed_side placed[2];
        joint->slot = SLOT_NONE;
        if (!find_bodies(world, joint, joint->body))
            continue;
        joint->swapped = joint->body[1] < joint->body[0];
        joint->slot = 0;
        place_middle(world, joint, placed);
        find_axes(joint, placed, joint->axis);
        points += (size_t)joint_points(joint);
    }
    return points;
}

void joint_start_block(const struct joint *joint, struct block *block) {
    block->n = joint->axis[0];
    block->s = joint->axis[1];
    block->t = joint->axis[2];
    block->count = (uint32_t)joint_points(joint);
}

static struct solver_velocity velocity_before(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    if (i == bodies->count)
        return (struct solver_velocity){vec3_zero(), vec3_zero()};
    double R = bodies_spin_radius(bodies, i);
    return (struct solver_velocity){bodies->v[i], vec3_scale(R, bodies->w[i])};
}

static double spin_radius(const struct gabion_world *world, int32_t i) {
    return i == world->bodies.count ? 1 : bodies_spin_radius(&world->bodies, i);
}

// H v- at q_i, in the joint's own axes there.
static vec3 velocity_at_start(const struct gabion_world *world, const struct joint *joint, int k,
                              const struct placed_side *placed) {
    const struct bodies *bodies = &world->bodies;
    vec3 u = vec3_zero(), axis[3];
    for (int i = 0; i < 2; i++) {
        int32_t body = joint->body[i];
        if (body == bodies->count)
            continue;
        vec3 arm = arm_of(joint, &placed[i], k);
        vec3 v = vec3_add(bodies->v[body], vec3_cross(bodies->w[body], arm));
        u = vec3_add_scaled(u, i == 0 ? 1 : -1, v);
    }
    find_axes(joint, placed, axis);
    return vec3_make(vec3_dot(axis[0], u), vec3_dot(axis[1], u), vec3_dot(axis[2], u));
}

// A joint that is far apart (its bodies came late, or drivers pull it open) comes together by a
// hundredth of its size in a step: all at once would be a shot.
#define PULL 0.01

static vec3 correctable(const struct joint *joint, vec3 g) {
    double length = vec3_length(g), most = PULL * joint->lever;
    return length > most ? vec3_scale(most / length, g) : g;
}

// The law is u+ + bias = 0.
static vec3 bias(const struct gabion_world *world, const struct joint *joint, int k,
                 const struct block *block, const struct block_point *point) {
    const struct gabion_settings *settings = &world->settings;
    double theta = settings->theta, sign = joint->swapped ? -1 : 1;
    struct placed_side now[2];
    struct solver_velocity c = velocity_before(world, joint->body[joint->swapped]);
    struct solver_velocity a = velocity_before(world, joint->body[!joint->swapped]);
    place_now(world, joint, joint->body, now);
    vec3 g = correctable(joint, error_at(joint, now, joint->axis, k));
    vec3 start = vec3_scale(sign, velocity_at_start(world, joint, k, now));
    vec3 turn = vec3_sub(block_velocity(block, point, &c, &a), start);
    vec3 b = vec3_add_scaled(vec3_scale((1 - theta) / theta, turn), 1 - theta, start);
    return vec3_add_scaled(b, sign * settings->joint_correction / settings->step, g);
}

void joint_fill_point(const struct gabion_world *world, const struct joint *joint, int k,
                      const struct block *block, struct block_point *point) {
    struct placed_side placed[2];
    vec3 arm[2];
    place_middle(world, joint, placed);
    for (int i = 0; i < 2; i++)
        arm[i] = vec3_scale(1 / spin_radius(world, joint->body[i]), arm_of(joint, &placed[i], k));
    *point = (struct block_point){.arm_c = arm[joint->swapped], .arm_a = arm[!joint->swapped]};
    block_weigh(world->problem, block, point);
    point->held = hold_possible(held_by[joint->kind][k], &point->W);
    point->b = hold_keep(point->held, bias(world, joint, k, block, point));
    vec3 r = joint->swapped ? vec3_negate(joint->impulse[k]) : joint->impulse[k];
    point->r = hold_keep(point->held, r);
}

void joints_stand(struct gabion_world *world) {
    struct problem *problem = world->problem;
    size_t points = joints_begin(world);
    problem->points = memory_reserve_aligned(problem->points, &problem->point_capacity, points,
                                             sizeof *problem->points, "joints");
    problem->point_count = 0;
    for (int i = 0; i < world->joints.count; i++) {
        struct joint *joint = &world->joints.list[i];
        if (joint->slot == SLOT_NONE)
            continue;
        struct block block = {
            .c = joint->body[joint->swapped], .a = joint->body[!joint->swapped], .joint = i};
        joint_start_block(joint, &block);
        joint->slot = (uint32_t)problem->point_count;
        for (uint32_t k = 0; k < block.count; k++)
            joint_fill_point(world, joint, (int)k, &block, &problem->points[joint->slot + k]);
        problem->point_count += block.count;
    }
}

vec3 joint_gap(const struct gabion_world *world, const struct joint *joint, int k) {
    struct placed_side now[2];
    place_now(world, joint, joint->body, now);
    return vec3_scale(joint->swapped ? -1 : 1, error_at(joint, now, joint->axis, k));
}

// The directions that a joint holds, point after point.
struct held_row {
    const struct block_point *point;
    int axis;
};

static int list_rows(const struct block_point *points, uint32_t count, struct held_row *rows) {
    int n = 0;
    for (uint32_t k = 0; k < count; k++)
        for (int axis = 0; axis < 3; axis++)
            if (points[k].held >> axis & 1)
                rows[n++] = (struct held_row){&points[k], axis};
    return n;
}

void joint_fill_inverse(const struct problem *problem, const struct joint *joint,
                        const struct block *block, struct joint_inverse *inverse) {
    struct held_row rows[HOLD_MOST];
    int n = list_rows(&problem->points[joint->slot], block->count, rows);
    double trace = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            inverse->a[i][j] = inverse->a[j][i] = block_coupling(
                problem, block, rows[i].point, rows[i].axis, rows[j].point, rows[j].axis);
    for (int i = 0; i < n; i++)
        trace += inverse->a[i][i];
    hold_invert(inverse->a, n, HOLD_FLOOR * trace);
}

void joints_remember(struct gabion_world *world) {
    for (int k = 0; k < world->joints.count; k++) {
        struct joint *joint = &world->joints.list[k];
        for (int i = 0; i < JOINT_POINTS; i++) {
            bool works = joint->slot != SLOT_NONE && i < joint_points(joint);
            vec3 r = works ? world->problem->points[joint->slot + (uint32_t)i].r : vec3_zero();
            joint->impulse[i] = joint->swapped ? vec3_negate(r) : r;
        }
    }
}

static vec3 world_impulse(const struct joint *joint, int k) {
    vec3 sum = vec3_zero();
    for (int i = 0; i < 3; i++)
        sum = vec3_add_scaled(sum, vec3_get(joint->impulse[k], i), joint->axis[i]);
    return sum;
}

vec3 joints_force(const struct gabion_world *world, const struct joint *joint) {
    vec3 sum = vec3_zero();
    for (int k = 0; k < joint_points(joint); k++)
        sum = vec3_add(sum, world_impulse(joint, k));
    return vec3_scale(1 / world->settings.step, sum);
}

vec3 joints_moment(const struct gabion_world *world, const struct joint *joint, vec3 about) {
    struct placed_side placed[2];
    int32_t body[2];
    vec3 sum = vec3_zero();
    if (!find_bodies(world, joint, body))
        return sum;
    place_now(world, joint, body, placed);
    for (int k = 0; k < joint_points(joint); k++) {
        vec3 point = vec3_add(placed[0].centre, arm_of(joint, &placed[0], k));
        sum = vec3_add(sum, vec3_cross(vec3_sub(point, about), world_impulse(joint, k)));
    }
    return vec3_scale(1 / world->settings.step, sum);
}

// Books -------------------------------------------------------------------------------------------

// Velocities before and after the step, summed.
static struct solver_velocity velocity_sum(const struct gabion_world *world, int32_t i) {
    struct solver_velocity before = velocity_before(world, i);
    struct solver_velocity after = solver_velocity(&world->problem->bodies[i]);
    return (struct solver_velocity){vec3_add(before.v, after.v), vec3_add(before.s, after.s)};
}

void joints_work(const struct gabion_world *world, double *work, double *driven) {
    *work = *driven = 0;
    for (int k = 0; k < world->joints.count; k++) {
        const struct joint *joint = &world->joints.list[k];
        if (joint->slot == SLOT_NONE)
            continue;
        struct block frame;
        joint_start_block(joint, &frame);
        int32_t body_a = joint->body[!joint->swapped];
        struct solver_velocity c = velocity_sum(world, joint->body[joint->swapped]);
        struct solver_velocity still = {vec3_zero(), vec3_zero()};
        struct solver_velocity a = velocity_sum(world, body_a);
        for (uint32_t i = 0; i < frame.count; i++) {
            const struct block_point *point = &world->problem->points[joint->slot + i];
            *work += 0.5 * vec3_dot(block_velocity(&frame, point, &c, &a), point->r);
            if (body_a >= world->bodies.moving)
                *driven -= 0.5 * vec3_dot(block_velocity(&frame, point, &still, &a), point->r);
        }
    }
}

double joint_error(const struct gabion_world *world, const struct joint *joint) {
    int32_t body[2];
    struct placed_side placed[2];
    vec3 axis[3];
    double most = 0;
    if (!find_bodies(world, joint, body))
        return 0;
    place_now(world, joint, body, placed);
    find_axes(joint, placed, axis);
    for (int k = 0; k < joint_points(joint); k++)
        most = fmax(most, vec3_length(error_at(joint, placed, axis, k)));
    return most;
}

double joints_error(const struct gabion_world *world) {
    double most = 0;
    for (int k = 0; k < world->joints.count; k++)
        most = fmax(most, joint_error(world, &world->joints.list[k]));
    return most;
}

bool joints_anchors(const struct gabion_world *world, const struct joint *joint, vec3 *first,
                    vec3 *second) {
    int32_t body[2];
    struct placed_side placed[2];
    if (!find_bodies(world, joint, body))
        return false;
    place_now(world, joint, body, placed);
    *first = vec3_add(placed[0].centre, placed[0].arm);
    *second = vec3_add(placed[1].centre, placed[1].arm);
    return true;
}

// Collisions --------------------------------------------------------------------------------------

bool joints_listed(const struct joints *joints, uint64_t key) {
    size_t low = 0, high = joints->apart_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (joints->apart[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < joints->apart_count && joints->apart[low] == key;
}
