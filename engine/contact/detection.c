#include "engine/contact/detection.h"

#include <string.h>

#include "engine/contact/ghosts.h"
#include "engine/contact/shared.h"
#include "engine/motion/midpoint.h"
#include "engine/contact/pairs.h"
#include "geometry/grid.h"
#include "geometry/grid_near.h"
#include "geometry/pair_keep.h"
#include "parallel/check.h"
#include "parallel/memory.h"

#define CHUNK        2048 // bodies
#define NARROW_CHUNK 256  // clipping blocks is worth sharing out sooner

// A wall as the narrow phase asks how far it is from a sphere. Only half-spaces have a normal.
struct near_wall {
    vec3 x, normal;
    double approach; // how far it comes in the step
};

struct detection {
    struct grid *grid;
    struct pair_keep *keep;   // used where one rank has all contacts
    struct near_bodies *near; // used where ranks share the contacts
    struct ghosts *ghosts;    // used where they share the bodies, too
    struct pair_list pairs;   // of finite bodies
    double v_max;             // of any part of a body, before contacts act
    double *reach;            // radius + alert, by finite body
    uint32_t *start;          // first contact of each moving body that this rank follows
    struct near_wall *walls;  // from the first body that is not finite on
    // Contacts of blocks, found while contacts are counted and copied to their places afterwards: a
    // manifold is too dear to be computed twice. One list for each chunk of bodies.
    struct contact_list *stash;
    size_t reach_capacity, start_capacity, wall_capacity, stash_count;
    int32_t finite; // bodies [0, finite); walls follow
    bool renewed;   // pairs were found anew in this step
};

struct detection *detection_create(void) {
    struct detection *detection = memory_allocate(1, sizeof *detection, "detection");
    detection->grid = grid_create();
    detection->keep = pair_keep_create();
    detection->near = near_bodies_create();
    detection->ghosts = ghosts_create();
    return detection;
}

void detection_free(struct detection *detection) {
    if (!detection)
        return;
    grid_free(detection->grid);
    pair_keep_free(detection->keep);
    near_bodies_free(detection->near);
    ghosts_free(detection->ghosts);
    pair_list_free(&detection->pairs);
    memory_free(detection->reach);
    memory_free(detection->start);
    memory_free(detection->walls);
    for (size_t k = 0; k < detection->stash_count; k++)
        contact_list_free(&detection->stash[k]);
    memory_free(detection->stash);
    memory_free(detection);
}

// Alert distance ------------------------------------------------------------------------------

double detection_speed(const struct gabion_world *world, int32_t i) {
    const struct bodies *bodies = &world->bodies;
    vec3 v = bodies->v[i], free = world->midpoint->v_free[i];
    double speed = sqrt(fmax(vec3_dot(v, v), vec3_dot(free, free)));
    if (bodies_shape(bodies, i)->spin_reach) {
        vec3 w = bodies->w[i], s = world->midpoint->s_free[i];
        speed += fmax(bodies->radius[i] * vec3_length(w), vec3_length(s));
    }
    return speed;
}

static void measure_speed(void *context, size_t begin, size_t end, double *out) {
    const struct gabion_world *world = context;
    for (size_t i = begin; i < end; i++)
        out[0] = fmax(out[0], detection_speed(world, (int32_t)i));
}

// A body reaches as far as it can travel in the step. It must also see neighbours that a fast body
// may push it into: v_max h covers that, but one bullet must not blow up every cell, so this part
// stops at a quarter of the body's size. Alert distances below v_max h cost 5-9 % of overlap.
static void fill_reach(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    double h = world->settings.step, asked = world->settings.alert;
    for (size_t i = begin; i < end; i++) {
        double size = bodies_size(&world->bodies, (int32_t)i);
        double pushed = asked >= 0 ? asked : fmin(h * world->detection->v_max, 0.25 * size);
        world->detection->reach[i] =
            world->bodies.radius[i] + fmax(pushed, h * detection_speed(world, (int32_t)i));
    }
}

int32_t detection_finite(const struct bodies *bodies) {
    int32_t finite = bodies->count;
    while (finite > 0 && bodies_is_wall(bodies, finite - 1))
        finite--;
    return finite;
}

const struct pair_list *detection_pairs(const struct gabion_world *world) {
    return &world->detection->pairs;
}

struct grid *detection_grid(const struct gabion_world *world) {
    return world->detection->grid;
}

int32_t detection_first_wall(const struct gabion_world *world, int32_t c) {
    return contacts_own(world->contacts, c) ? detection_finite(&world->bodies)
                                            : world->bodies.count;
}

void detection_pairs_of(const struct gabion_world *world, const vec3 *x, const double *reach,
                        int32_t finite, struct pair_list *pairs) {
    struct detection *detection = world->detection;
    int32_t moving = world->bodies.moving;
    const struct cuts *cuts = &world->contacts->cuts;
    struct near_candidates candidates = {NULL, finite};
    if (world->piece.partial)
        candidates = ghosts_candidates(detection->ghosts);
    if (contacts_are_shared(world->contacts))
        near_bodies_find_pairs(detection->near, detection->grid, world->team, x, reach, candidates,
                               moving, cuts_begin(cuts), cuts_end(cuts, moving), pairs);
    else
        grid_find_pairs(detection->grid, world->team, x, reach, finite, moving, pairs);
}

void detection_reach_all(struct gabion_world *world) {
    piece_for(world, world->detection->finite, CHUNK, fill_reach, world);
}

// Lists the ghosts anew where those that are listed do not suffice. The pieces change on all ranks
// or on none.
static void follow_ghosts(struct gabion_world *world) {
    struct detection *detection = world->detection;
    bool listed = world->piece.partial;
    if (listed && ghosts_suffice(detection->ghosts, world, world->midpoint->x_m, detection->reach))
        return;
    if (listed) {
        piece_leave(world);
        motion_predict(world);
        detection_reach_all(world);
    }
    ghosts_list(detection->ghosts, world, detection->reach);
}

// How much further than asked a search looks whose pairs are kept: as far as the body comes in some
// steps, and a share of its radius, as it may start to move. Nothing is kept where a body comes
// further than MOST_MARGIN radii in these steps. All that the engine ever asks of such a search is
// the pairs of the present step, whatever these numbers are.
#define KEPT_STEPS   8
#define LEAST_MARGIN 0.05
#define MOST_MARGIN  0.5

// Larger scenes do not keep pairs: they would need memory, and spend little on the broad phase.
#define MOST_KEPT 100000 // bodies

// Half of the alert distance is added because it follows the fastest body of the scene.
static double margin_of(const void *context, int32_t i) {
    const struct gabion_world *world = context;
    double radius = world->bodies.radius[i], alert = world->detection->reach[i] - radius;
    double far = KEPT_STEPS * world->settings.step * detection_speed(world, i);
    return far <= MOST_MARGIN * radius ? fmax(far, LEAST_MARGIN * radius) + 0.5 * alert : INFINITY;
}

static void find_pairs(struct gabion_world *world) {
    struct detection *detection = world->detection;
    struct pair_search search = {world->midpoint->x_m, detection->reach, detection->finite,
                                 world->bodies.moving};
    if (contacts_are_shared(world->contacts) || detection->finite > MOST_KEPT)
        detection_pairs_of(world, search.x, search.reach, search.count, &detection->pairs);
    else
        pair_keep_find(detection->keep, detection->grid, world->team, &search, margin_of, world,
                       &detection->pairs);
}

void detection_broad(struct gabion_world *world) {
    struct detection *detection = world->detection;
    CHECK(piece_agrees(world), "a ghost is not as its owner has it");
    joints_list_apart(&world->joints);
    detection->finite = detection_finite(&world->bodies);
    detection->renewed = false;
    detection->reach =
        memory_reserve(detection->reach, &detection->reach_capacity, (size_t)detection->finite,
                       sizeof *detection->reach, "detection");
    piece_max(world, world->bodies.count, 1, measure_speed, world, &detection->v_max);
    detection_reach_all(world);
    if (world->piece.wanted)
        follow_ghosts(world);
    find_pairs(world);
}

void detection_complete(struct gabion_world *world) {
    struct detection *detection = world->detection;
    if (!contacts_are_shared(world->contacts))
        return;
    contacts_complete(world);
    detection_pairs_of(world, world->midpoint->x_m, detection->reach, detection->finite,
                       &detection->pairs);
}

// How far a body can come beyond the reach that the search knew, in radii: a bound against
// velocities of a solve that failed.
#define RENEWED_REACH 8.0

struct renewal {
    struct gabion_world *world;
    velocity_function velocity;
    const void *context;
};

static double reach_needed(const struct renewal *renewal, int32_t i) {
    const struct bodies *bodies = &renewal->world->bodies;
    struct body_velocity u = renewal->velocity(renewal->context, i);
    double speed = vec3_length(u.v), radius = bodies->radius[i];
    if (bodies_shape(bodies, i)->spin_reach)
        speed += vec3_length(u.s);
    double reach = radius + renewal->world->settings.step * speed;
    return fmin(reach, renewal->world->detection->reach[i] + RENEWED_REACH * radius);
}

static void measure_excess(void *context, size_t begin, size_t end, double *out) {
    const struct renewal *renewal = context;
    for (size_t i = begin; i < end; i++)
        if (reach_needed(renewal, (int32_t)i) > renewal->world->detection->reach[i])
            out[0] = 1;
}

static void extend_reach(void *context, size_t begin, size_t end) {
    const struct renewal *renewal = context;
    double *reach = renewal->world->detection->reach;
    for (size_t i = begin; i < end; i++)
        reach[i] = fmax(reach[i], reach_needed(renewal, (int32_t)i));
}

bool detection_outrun(const struct gabion_world *world, velocity_function velocity,
                      const void *context) {
    struct renewal renewal = {(struct gabion_world *)world, velocity, context};
    double beyond;
    piece_max(world, world->bodies.moving, 1, measure_excess, &renewal, &beyond);
    return beyond > 0;
}

bool detection_renewed(const struct gabion_world *world) { return world->detection->renewed; }

bool detection_renew(struct gabion_world *world, velocity_function velocity, const void *context) {
    struct detection *detection = world->detection;
    struct renewal renewal = {world, velocity, context};
    if (!detection_outrun(world, velocity, context))
        return detection->renewed;
    team_for(world->team, (size_t)world->bodies.moving, CHUNK, extend_reach, &renewal);
    detection_pairs_of(world, world->midpoint->x_m, detection->reach, detection->finite,
                       &detection->pairs);
    return detection->renewed = true;
}

// Blocks --------------------------------------------------------------------------------------

double detection_alert(const struct gabion_world *world, int32_t i) {
    const struct detection *detection = world->detection;
    return i < detection->finite ? detection->reach[i] - world->bodies.radius[i]
                                 : detection->walls[i - detection->finite].approach;
}

// A wall that turns comes the faster the further out.
static double alert_of_turn(const struct gabion_world *world, int32_t c, int32_t a) {
    const struct midpoint *midpoint = world->midpoint;
    double angle = world->settings.step * vec3_length(midpoint->s_free[a]);
    double arm = vec3_length(vec3_sub(midpoint->x_m[c], midpoint->x_m[a]));
    return angle * (arm + world->bodies.radius[c]);
}

static inline double alert_between(const struct gabion_world *world, int32_t c, int32_t a) {
    double alert = detection_alert(world, c) + detection_alert(world, a);
    if (a < world->detection->finite || !world->midpoint->axes_m)
        return alert;
    return alert + alert_of_turn(world, c, a);
}

static uint32_t stash_contacts(const struct gabion_world *world, struct contact_list *stash,
                               int32_t c, int32_t a) {
    size_t before = stash->count;
    pairs_find(world, c, a, alert_between(world, c, a), stash);
    return (uint32_t)(stash->count - before);
}

// Narrow phase --------------------------------------------------------------------------------

static void list_walls(struct gabion_world *world) {
    struct detection *detection = world->detection;
    const struct bodies *bodies = &world->bodies;
    size_t walls = (size_t)(bodies->count - detection->finite);
    detection->walls = memory_reserve(detection->walls, &detection->wall_capacity, walls,
                                      sizeof *detection->walls, "detection");
    for (size_t k = 0; k < walls; k++) {
        int32_t i = detection->finite + (int32_t)k;
        struct near_wall *wall = &detection->walls[k];
        wall->x = world->midpoint->x_m[i];
        wall->approach = world->settings.step * detection_speed(world, i);
        if (bodies->shape[i] == GABION_HALF_SPACE)
            wall->normal = bodies_plane_normal(bodies, i, midpoint_axes(world->midpoint, i));
    }
}

// A driven wall comes towards the body by its own speed. This is asked for each body and wall, and
// most are far from each other.
static bool near_half_space(const struct gabion_world *world, int32_t c, int32_t a) {
    const struct near_wall *wall = &world->detection->walls[a - world->detection->finite];
    double radius = world->bodies.radius[c];
    double gap = pair_plane_gap(world->midpoint->x_m[c], radius, wall->x, wall->normal);
    return gap <= alert_between(world, c, a);
}

static void count_contacts(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    const struct bodies *bodies = &world->bodies;
    struct detection *detection = world->detection;
    const struct pair_list *pairs = &detection->pairs;
    struct contact_list *stash = &detection->stash[begin / NARROW_CHUNK];
    stash->count = stash->taken = 0;
    for (size_t k = begin; k < end; k++) {
        int32_t c = piece_body(world, k);
        const struct pair_kind *kinds = pair_kinds[bodies->shape[c]];
        uint32_t count = 0;
        for (uint32_t p = pairs->start[c]; p < pairs->start[c + 1]; p++) {
            int32_t a = pairs->other[p];
            if (joints_part(&world->joints, bodies->id[c], bodies->id[a]))
                continue;
            count += kinds[bodies->shape[a]].direct ? 1 : stash_contacts(world, stash, c, a);
        }
        for (int32_t a = detection_first_wall(world, c); a < bodies->count; a++) {
            if (joints_part(&world->joints, bodies->id[c], bodies->id[a]))
                continue;
            count += kinds[bodies->shape[a]].direct ? (uint32_t)near_half_space(world, c, a)
                                                    : stash_contacts(world, stash, c, a);
        }
        detection->start[k + 1] = count;
    }
}

static struct contact *take_stashed(struct contact_list *stash, int32_t c, int32_t a,
                                    struct contact *out) {
    while (stash->taken < stash->count && stash->list[stash->taken].c == c &&
           stash->list[stash->taken].a == a)
        *out++ = stash->list[stash->taken++];
    return out;
}

static void fill_contacts(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    const struct bodies *bodies = &world->bodies;
    struct detection *detection = world->detection;
    const struct pair_list *pairs = &detection->pairs;
    struct contact_list *stash = &detection->stash[begin / NARROW_CHUNK];
    for (size_t k = begin; k < end; k++) {
        int32_t c = piece_body(world, k);
        const struct pair_kind *kinds = pair_kinds[bodies->shape[c]];
        struct contact *out = &world->contacts->list[detection->start[k]];
        memset(&world->contacts->impulse[detection->start[k]], 0,
               (detection->start[k + 1] - detection->start[k]) * sizeof(vec3));
        for (uint32_t p = pairs->start[c]; p < pairs->start[c + 1]; p++) {
            int32_t a = pairs->other[p];
            if (joints_part(&world->joints, bodies->id[c], bodies->id[a]))
                continue;
            if (!kinds[bodies->shape[a]].direct)
                out = take_stashed(stash, c, a, out);
            else
                *out++ = pair_contact(world, c, a);
        }
        // Most bodies are far from every wall, and have been counted so.
        const struct contact *end_of_c = &world->contacts->list[detection->start[k + 1]];
        for (int32_t a = detection->finite; out < end_of_c; a++) {
            if (joints_part(&world->joints, bodies->id[c], bodies->id[a]))
                continue;
            if (!kinds[bodies->shape[a]].direct)
                out = take_stashed(stash, c, a, out);
            else if (near_half_space(world, c, a))
                *out++ = pair_contact(world, c, a);
        }
    }
}

static void size_stash(struct detection *detection, size_t moving) {
    size_t chunks = (moving + NARROW_CHUNK - 1) / NARROW_CHUNK;
    if (chunks <= detection->stash_count)
        return;
    detection->stash =
        memory_resize(detection->stash, chunks, sizeof *detection->stash, "detection");
    for (size_t k = detection->stash_count; k < chunks; k++)
        detection->stash[k] = (struct contact_list){0};
    detection->stash_count = chunks;
}

void detection_narrow(struct gabion_world *world) {
    struct detection *detection = world->detection;
    size_t moving = piece_count(world, world->bodies.moving);
    detection->start = memory_reserve(detection->start, &detection->start_capacity, moving + 1,
                                      sizeof *detection->start, "detection");
    detection->start[0] = 0;
    list_walls(world);
    size_stash(detection, moving);
    team_for(world->team, moving, NARROW_CHUNK, count_contacts, world);
    for (size_t k = 0; k < moving; k++)
        detection->start[k + 1] += detection->start[k];
    contacts_forget_late(world->contacts);
    contacts_size(world, detection->start[moving]);
    team_for(world->team, moving, NARROW_CHUNK, fill_contacts, world);
}
