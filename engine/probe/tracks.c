#include "engine/probe/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "parallel/memory.h"

#define TURN 6.28318530717958647693

static bool has(const struct probes *probes, enum gabion_quantity quantity) {
    for (int k = 0; k < probes->count; k++)
        if (probes->list[k].quantity == quantity)
            return true;
    return false;
}

// Places for counts -----------------------------------------------------------------------------

static int compare_flows(const void *left, const void *right) {
    const struct flow *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static int compare_turns(const void *left, const void *right) {
    const struct turn *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                            : (a->id > b->id) - (a->id < b->id);
}

static struct flow *find_flow(const struct probes *probes, int64_t key) {
    struct flow wanted = {.key = key};
    return probes->flow_count == 0
               ? NULL
               : bsearch(&wanted, probes->flows, probes->flow_count, sizeof wanted, compare_flows);
}

static struct turn *find_turn(const struct probes *probes, int64_t key, int32_t id) {
    struct turn wanted = {.key = key, .id = id};
    return probes->turn_count == 0
               ? NULL
               : bsearch(&wanted, probes->turns, probes->turn_count, sizeof wanted, compare_turns);
}

const struct flow *tracks_flow(const struct probes *probes, const struct probe *probe) {
    return find_flow(probes, probe->key);
}

const struct turn *tracks_turn(const struct probes *probes, const struct probe *probe, int32_t id) {
    return find_turn(probes, probe->key, id);
}

// Two probes defined alike, which only programs can make, share their counts.
static void place_flows(struct probes *probes) {
    struct probes next = {0};
    for (int k = 0; k < probes->count; k++) {
        const struct probe *probe = &probes->list[k];
        if (probe->quantity != GABION_FLOW || find_flow(&next, probe->key))
            continue;
        const struct flow *old = find_flow(probes, probe->key);
        next.flows = memory_reserve(next.flows, &next.flow_capacity, next.flow_count + 1,
                                    sizeof *next.flows, "flows");
        next.flows[next.flow_count++] = old ? *old : (struct flow){.key = probe->key};
        qsort(next.flows, next.flow_count, sizeof *next.flows, compare_flows);
    }
    memory_free(probes->flows);
    probes->flows = next.flows;
    probes->flow_count = next.flow_count;
    probes->flow_capacity = next.flow_capacity;
}

static bool is_repeated(const struct probes *probes, int k) {
    for (int j = 0; j < k; j++)
        if (probes->list[j].key == probes->list[k].key)
            return true;
    return false;
}

static void place_turns(struct gabion_world *world) {
    struct probes *probes = world->probes, next = {0};
    const struct bodies *bodies = &world->bodies;
    for (int k = 0; k < probes->count; k++) {
        const struct probe *probe = &probes->list[k];
        if (probe->quantity != GABION_ANGLE || is_repeated(probes, k))
            continue;
        for (int32_t i = 0; i < bodies->count; i++) {
            if (!probe_has_body(world, probe, i))
                continue;
            const struct turn *old = find_turn(probes, probe->key, bodies->id[i]);
            next.turns = memory_reserve(next.turns, &next.turn_capacity, next.turn_count + 1,
                                        sizeof *next.turns, "turns");
            next.turns[next.turn_count++] =
                old ? *old : (struct turn){probe->key, bodies->id[i], bodies->q[i], 0};
        }
    }
    if (next.turn_count > 1)
        qsort(next.turns, next.turn_count, sizeof *next.turns, compare_turns);
    memory_free(probes->turns);
    probes->turns = next.turns;
    probes->turn_count = next.turn_count;
    probes->turn_capacity = next.turn_capacity;
}

// What is counted of bodies may be in any piece.
static void gather_bodies(struct gabion_world *world) {
    if (has(world->probes, GABION_FLOW) || has(world->probes, GABION_ANGLE))
        piece_gather(world);
}

void tracks_begin(struct gabion_world *world) {
    struct probes *probes = world->probes;
    size_t count = (size_t)world->bodies.count;
    gather_bodies(world);
    if (probes->stale)
        place_flows(probes);
    if (probes->stale || world->entered || world->changed)
        place_turns(world);
    probes->stale = false;
    if (!has(probes, GABION_FLOW))
        return;
    probes->before = memory_reserve(probes->before, &probes->before_capacity, count,
                                    sizeof *probes->before, "positions of a step");
    memcpy(probes->before, world->bodies.x, count * sizeof *probes->before);
}

// Flows -----------------------------------------------------------------------------------------

// Returns whether a point of the plane is in the part of it that counts.
static bool in_section(const struct gabion_section *plane, vec3 point) {
    vec3 away = vec3_sub(point, plane->point);
    if (plane->radius > 0)
        return vec3_dot(away, away) <= plane->radius * plane->radius;
    if (!(plane->size[0] > 0))
        return true;
    vec3 other = vec3_cross(plane->normal, plane->tangent);
    return 2 * fabs(vec3_dot(away, plane->tangent)) <= plane->size[0] &&
           2 * fabs(vec3_dot(away, other)) <= plane->size[1];
}

// Returns 1 where a centre that moves on a straight line crosses the plane along its normal, -1
// where it crosses it backwards. A centre that stops on the plane has crossed it.
static int crossing(const struct gabion_section *plane, vec3 from, vec3 to) {
    double before = vec3_dot(plane->normal, vec3_sub(from, plane->point));
    double after = vec3_dot(plane->normal, vec3_sub(to, plane->point));
    if ((before < 0) == (after < 0))
        return 0;
    vec3 at = vec3_add_scaled(from, before / (before - after), vec3_sub(to, from));
    if (!in_section(plane, at))
        return 0;
    return before < 0 ? 1 : -1;
}

static void close_window(const struct gabion_world *world, const struct probe *probe,
                         struct flow *flow) {
    double length = (double)++flow->window_steps * world->settings.step;
    if (length < probe->window * (1 - 1e-9))
        return;
    flow->rate = flow->window_mass / length;
    flow->window_mass = 0;
    flow->window_steps = 0;
}

static void count_flow(const struct gabion_world *world, const struct probe *probe,
                       struct flow *flow) {
    const struct bodies *bodies = &world->bodies;
    double net = 0;
    for (int32_t i = 0; i < bodies->moving; i++) {
        int sign = probe_in_group(world, probe, i)
                       ? crossing(&probe->plane, world->probes->before[i], bodies->x[i])
                       : 0;
        if (sign == 0)
            continue;
        net += sign * bodies->mass[i];
        flow->count += sign;
        if (sign < 0) {
            flow->back_mass += bodies->mass[i];
            flow->back_count++;
        }
    }
    flow->mass += net;
    flow->window_mass += net;
    close_window(world, probe, flow);
}

void probe_flow(const struct gabion_world *world, const struct probe *probe, double *values) {
    const struct flow *found = tracks_flow(world->probes, probe);
    struct flow flow = found ? *found : (struct flow){0};
    values[0] = flow.rate;
    values[1] = flow.mass;
    values[2] = (double)flow.count;
    values[3] = flow.back_mass;
    values[4] = (double)flow.back_count;
}

// Turns -----------------------------------------------------------------------------------------

// Returns the angle of a rotation about an axis, in [-pi, pi]: of the two rotations that it is made
// of, one about the axis and one about a line across it, that of the first. 0 where that is not
// defined. The arc tangent is that of quat_log, which is the same on every machine.
static double twist(quat q, vec3 axis) {
    double along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    if (q.w == 0 && along == 0)
        return 0;
    quat about = quat_normalize((quat){q.w, along * axis.x, along * axis.y, along * axis.z});
    return vec3_dot(quat_log(about), axis);
}

// Of the angles that differ by whole turns, the one nearest to where the spin leads is taken: steps
// of more than half a turn are followed as long as the spin is steady.
static void count_turn(const struct gabion_world *world, const struct probe *probe,
                       struct turn *turn) {
    const struct bodies *bodies = &world->bodies;
    int32_t i = bodies->index_of[turn->id];
    double angle = twist(quat_multiply(bodies->q[i], quat_conjugate(turn->start)), probe->axis);
    double expected = turn->angle + world->settings.step * vec3_dot(bodies->w[i], probe->axis);
    turn->angle = angle + TURN * floor((expected - angle) / TURN + 0.5);
}

static void count_turns(struct gabion_world *world, const struct probe *probe) {
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (probe_has_body(world, probe, i))
            count_turn(world, probe, find_turn(world->probes, probe->key, world->bodies.id[i]));
}

void tracks_end(struct gabion_world *world) {
    struct probes *probes = world->probes;
    gather_bodies(world);
    for (int k = 0; k < probes->count; k++) {
        const struct probe *probe = &probes->list[k];
        if (is_repeated(probes, k))
            continue;
        if (probe->quantity == GABION_FLOW)
            count_flow(world, probe, find_flow(probes, probe->key));
        else if (probe->quantity == GABION_ANGLE)
            count_turns(world, probe);
    }
}

void probe_angle(const struct gabion_world *world, const struct probe *probe, double *values) {
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (!probe_has_body(world, probe, i))
            continue;
        const struct turn *turn = tracks_turn(world->probes, probe, world->bodies.id[i]);
        sum += turn ? turn->angle : 0;
        count++;
    }
    values[0] = sum / count; // not a number while none of them is in the run
}
