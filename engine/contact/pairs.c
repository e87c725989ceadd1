#include "engine/contact/pairs.h"

#include "engine/contact/arms.h"
#include "engine/contact/block_pair.h"
#include "engine/contact/clump_pair.h"
#include "engine/motion/midpoint.h"

// clang-format off
#define DIRECT {.direct = true, .one_normal = true}
#define BLOCK_ON_BALL(by) {.find = block_find_sphere, .order = by, .one_normal = true, .boxes = true}
#define BLOCK_ON_BLOCK {.find = block_find_block, .nearest = block_nearest_block, .order = PAIR_LOWER_ID, \
                        .one_normal = true, .boxes = true}
#define PARTS_ON_BALL(by) {.find = block_find_sphere, .order = by, .boxes = true}
#define PARTS_ON_PARTS(by) {.find = block_find_block, .nearest = block_nearest_block, .order = by, .boxes = true}
#define BLOCK_ON_PLANE {.find = block_find_half_space, .one_normal = true}
#define BALLS(by) {.find = clump_find_balls, .gap = clump_gap_balls, .order = by}
#define FACES(by) {.find = clump_find_faces, .order = by, .boxes = true}
#define BALLS_ON_PLANE {.find = clump_find_plane, .gap = clump_gap_plane}
#define BALLS_IN_HOLLOW {.find = clump_find_hollow, .gap = clump_gap_hollow}
#define BALLS_ON_SURFACE {.find = clump_find_surface, .nearest = clump_nearest_surface, \
                          .gap = clump_gap_surface}
#define BLOCK_ON_SURFACE {.find = block_find_surface, .nearest = block_nearest_surface}
// clang-format on

const struct pair_kind pair_kinds[GABION_SHAPE_COUNT][GABION_SHAPE_COUNT] = {
    [GABION_SPHERE] =
        {
            [GABION_SPHERE] = DIRECT,
            [GABION_HALF_SPACE] = DIRECT,
            [GABION_POLYHEDRON] = BLOCK_ON_BALL(PAIR_ANTAGONIST),
            [GABION_CLUMP] = BALLS(PAIR_ANTAGONIST),
            [GABION_HOLLOW_SPHERE] = BALLS_IN_HOLLOW,
            [GABION_DRUM] = BALLS_IN_HOLLOW,
            [GABION_COMPOUND] = PARTS_ON_BALL(PAIR_ANTAGONIST),
            [GABION_SURFACE] = BALLS_ON_SURFACE,
        },
    [GABION_POLYHEDRON] =
        {
            [GABION_SPHERE] = BLOCK_ON_BALL(PAIR_CANDIDATE),
            [GABION_HALF_SPACE] = BLOCK_ON_PLANE,
            [GABION_POLYHEDRON] = BLOCK_ON_BLOCK,
            [GABION_CLUMP] = FACES(PAIR_ANTAGONIST),
            [GABION_HOLLOW_SPHERE] = BALLS_IN_HOLLOW,
            [GABION_DRUM] = BALLS_IN_HOLLOW,
            [GABION_COMPOUND] = PARTS_ON_PARTS(PAIR_ANTAGONIST),
            [GABION_SURFACE] = BLOCK_ON_SURFACE,
        },
    [GABION_CLUMP] =
        {
            [GABION_SPHERE] = BALLS(PAIR_CANDIDATE),
            [GABION_HALF_SPACE] = BALLS_ON_PLANE,
            [GABION_POLYHEDRON] = FACES(PAIR_CANDIDATE),
            [GABION_CLUMP] = BALLS(PAIR_LOWER_ID),
            [GABION_HOLLOW_SPHERE] = BALLS_IN_HOLLOW,
            [GABION_DRUM] = BALLS_IN_HOLLOW,
            [GABION_COMPOUND] = FACES(PAIR_CANDIDATE),
            [GABION_SURFACE] = BALLS_ON_SURFACE,
        },
    [GABION_COMPOUND] =
        {
            [GABION_SPHERE] = PARTS_ON_BALL(PAIR_CANDIDATE),
            [GABION_HALF_SPACE] = BLOCK_ON_PLANE,
            [GABION_POLYHEDRON] = PARTS_ON_PARTS(PAIR_CANDIDATE),
            [GABION_CLUMP] = FACES(PAIR_ANTAGONIST),
            [GABION_HOLLOW_SPHERE] = BALLS_IN_HOLLOW,
            [GABION_DRUM] = BALLS_IN_HOLLOW,
            [GABION_COMPOUND] = PARTS_ON_PARTS(PAIR_LOWER_ID),
            [GABION_SURFACE] = BLOCK_ON_SURFACE,
        },
};

static bool antagonist_is_first(const struct bodies *bodies, int32_t c, int32_t a) {
    enum pair_order order = pairs_kind(bodies, c, a)->order;
    return order == PAIR_LOWER_ID ? bodies->id[a] < bodies->id[c] : order == PAIR_ANTAGONIST;
}

struct pair pairs_place(const struct gabion_world *world, int32_t c, int32_t a, struct pose at_c,
                        struct pose at_a) {
    bool swapped = antagonist_is_first(&world->bodies, c, a);
    return (struct pair){world,   swapped ? a : c,       swapped ? c : a,
                         swapped, swapped ? at_a : at_c, swapped ? at_c : at_a,
                         false};
}

static struct pose pose_at_midpoint(const struct gabion_world *world, int32_t i) {
    return (struct pose){world->midpoint->x_m[i], world->midpoint->axes_m[i]};
}

static const struct pair_kind *kind_of(const struct pair *pair) {
    return pair->swapped ? pairs_kind(&pair->world->bodies, pair->second, pair->first)
                         : pairs_kind(&pair->world->bodies, pair->first, pair->second);
}

void pairs_find_there(const struct pair *pair, double reach, struct contact_list *out) {
    const struct pair_kind *kind = kind_of(pair);
    if (!kind->boxes || block_boxes_meet(pair, reach))
        kind->find(pair, reach, out);
}

void pairs_nearest_there(const struct pair *pair, double reach, struct contact_list *out) {
    const struct pair_kind *kind = kind_of(pair);
    if (!kind->boxes || block_boxes_meet(pair, reach))
        (kind->nearest ? kind->nearest : kind->find)(pair, reach, out);
}

void pairs_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                struct contact_list *out) {
    struct pair pair =
        pairs_place(world, c, a, pose_at_midpoint(world, c), pose_at_midpoint(world, a));
    pairs_find_there(&pair, reach, out);
}

// Now -----------------------------------------------------------------------------------------

static struct pose pose_now(const struct gabion_world *world, int32_t i) {
    return (struct pose){world->bodies.x[i], quat_matrix(world->bodies.q[i])};
}

// How far a point of a body has come since q_m.
static vec3 moved_since(const struct gabion_world *world, int32_t i, vec3 point) {
    const struct midpoint *midpoint = world->midpoint;
    vec3 arm = vec3_sub(point, midpoint->x_m[i]);
    vec3 own = mat3_apply_transposed(midpoint->axes_m[i], arm);
    vec3 turned = mat3_apply(quat_matrix(world->bodies.q[i]), own);
    return vec3_add(vec3_sub(world->bodies.x[i], midpoint->x_m[i]), vec3_sub(turned, arm));
}

// A late contact holds what the bodies may travel from q_m on, along lever arms that do not turn.
static double late_gap(const struct gabion_world *world, const struct contact *contact) {
    const struct contacts *contacts = world->contacts;
    const vec3 *spread = &contacts->spread[contacts_index(contacts, contact)];
    double u_n = vec3_dot(contact_velocity_now(world, contact, spread), contact->normal);
    return contact->gap + world->settings.theta * world->settings.step * u_n;
}

static double moved_gap(const struct gabion_world *world, const struct contact *contact) {
    if (contact->flags & CONTACT_LATE)
        return late_gap(world, contact);
    vec3 point = contact->point;
    vec3 moved =
        vec3_sub(moved_since(world, contact->c, point), moved_since(world, contact->a, point));
    return contact->gap + vec3_dot(moved, contact->normal);
}

static double direct_gap(const struct bodies *bodies, const struct contact *contact, vec3 *normal) {
    mat3 axes;
    if (bodies_is_wall(bodies, contact->a))
        axes = quat_matrix(bodies->q[contact->a]);
    return pair_gap(bodies, bodies->x, &axes, contact->c, contact->a, normal);
}

double pairs_gap(const struct gabion_world *world, const struct contact *contact, vec3 *normal) {
    const struct pair_kind *kind = pairs_kind(&world->bodies, contact->c, contact->a);
    if (kind->direct)
        return direct_gap(&world->bodies, contact, normal);
    *normal = contact->normal;
    if (!kind->gap)
        return moved_gap(world, contact);
    struct pair pair = pairs_place(world, contact->c, contact->a, pose_now(world, contact->c),
                                   pose_now(world, contact->a));
    return kind->gap(&pair, contact);
}

double pairs_ball_radius(const struct bodies *bodies, const struct contact *contact, int32_t i) {
    if (!bodies_shape(bodies, i)->balls)
        return 0;
    struct shape_balls balls = bodies_shape(bodies, i)->balls(bodies, i);
    if (!balls.radii)
        return balls.radius;
    bool swapped = antagonist_is_first(bodies, contact->c, contact->a);
    bool first = i == (swapped ? contact->a : contact->c);
    return balls.radii[first ? contact->feature >> 16 : contact->feature & 0xffff];
}
