#include "engine/contact/clump_pair.h"

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"
#include "parallel/memory.h"

// Balls ---------------------------------------------------------------------------------------

// What a body touches others with, somewhere in the world.
struct balls {
    int32_t count;
    const vec3 *own;     // centres in own axes; NULL: the one at x
    const double *radii; // NULL: all of them
    double radius;       // have this one
    vec3 x;
    mat3 axes;
    double bound; // radius of the sphere about x that holds all
};

static struct balls balls_of(const struct bodies *bodies, int32_t i, vec3 x, const mat3 *axes) {
    struct balls balls = {.count = 1, .x = x, .bound = bodies->radius[i]};
    if (bodies->shape[i] == GABION_SPHERE) {
        balls.radius = bodies->radius[i];
        return balls;
    }
    balls.axes = *axes;
    if (bodies->shape[i] == GABION_CLUMP) {
        const struct clump *clump = bodies_clump(bodies, i);
        balls.count = clump->count;
        balls.own = clump->sphere;
        balls.radii = clump->sphere_radius;
    } else {
        const struct polyhedron *polyhedron = bodies_polyhedron(bodies, i);
        balls.count = polyhedron->corner_count;
        balls.own = polyhedron->corner;
    }
    return balls;
}

static struct ball ball_of(const struct balls *balls, int32_t k) {
    vec3 own = balls->own ? mat3_apply(balls->axes, balls->own[k]) : vec3_zero();
    return (struct ball){vec3_add(balls->x, own), balls->radii ? balls->radii[k] : balls->radius,
                         k};
}

// Pairs ---------------------------------------------------------------------------------------

struct clump_pair {
    const struct gabion_world *world;
    int32_t first, second; // bodies: balls are of the first one, balls or walls of the second
    bool swapped;          // the first one is the antagonist
    double reach;
    struct contact_list *out;
};

// Walls and polyhedra come second, clumps before spheres, and of two clumps the one with the lower
// id first: a contact keeps its feature when bodies are sorted anew.
static bool comes_first(const struct bodies *bodies, int32_t i, int32_t j) {
    static const int rank[] = {
        [GABION_CLUMP] = 0, [GABION_SPHERE] = 1,        [GABION_POLYHEDRON] = 2,
        [GABION_DRUM] = 3,  [GABION_HOLLOW_SPHERE] = 3, [GABION_HALF_SPACE] = 3,
    };
    int of_i = rank[bodies->shape[i]], of_j = rank[bodies->shape[j]];
    return of_i != of_j ? of_i < of_j : bodies->id[i] < bodies->id[j];
}

// The point of the contact lies between the two surfaces.
static uint8_t arm_flags(const struct bodies *bodies, int32_t c, int32_t a) {
    return (uint8_t)(CONTACT_SURFACES | (bodies->shape[c] == GABION_SPHERE ? CONTACT_BALL_C : 0) |
                     (bodies->shape[a] == GABION_SPHERE ? CONTACT_BALL_A : 0));
}

// The normal points from the second body to the first.
static void add_contact(const struct clump_pair *pair, const struct ball *ball, uint32_t part,
                        vec3 normal, double gap) {
    int32_t c = pair->swapped ? pair->second : pair->first;
    int32_t a = pair->swapped ? pair->first : pair->second;
    *contact_list_add(pair->out) = (struct contact){
        .c = c,
        .a = a,
        .law = world_law(pair->world, c, a),
        .feature = MANIFOLD_FEATURE(ball->index, part),
        .flags = arm_flags(&pair->world->bodies, c, a),
        .gap = gap,
        .normal = pair->swapped ? vec3_negate(normal) : normal,
        .point = vec3_add_scaled(ball->centre, -(ball->radius + 0.5 * gap), normal),
    };
}

static double ball_gap(const struct ball *ball, const struct ball *other, vec3 *normal) {
    vec3 d = vec3_sub(ball->centre, other->centre);
    double length = vec3_length(d);
    *normal = length > 0 ? vec3_scale(1 / length, d) : vec3_make(0, 0, 1);
    return length - (ball->radius + other->radius);
}

static bool in_reach(const struct ball *ball, vec3 x, double reach) {
    vec3 d = vec3_sub(ball->centre, x);
    double limit = ball->radius + reach;
    return vec3_dot(d, d) <= limit * limit;
}

// Only balls within reach of the sphere that holds the other body are compared one by one.
static void touch_balls(const struct clump_pair *pair, const struct balls *first,
                        const struct balls *second) {
    struct contact_list *out = pair->out;
    size_t near = 0;
    vec3 normal;
    out->near = memory_reserve(out->near, &out->near_capacity, (size_t)second->count,
                               sizeof *out->near, "contacts");
    for (int32_t k = 0; k < second->count; k++) {
        out->near[near] = ball_of(second, k);
        near += in_reach(&out->near[near], first->x, first->bound + pair->reach);
    }
    for (int32_t k = 0; near > 0 && k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        if (!in_reach(&ball, second->x, second->bound + pair->reach))
            continue;
        for (size_t other = 0; other < near; other++) {
            if (!in_reach(&ball, out->near[other].centre, out->near[other].radius + pair->reach))
                continue;
            double gap = ball_gap(&ball, &out->near[other], &normal);
            add_contact(pair, &ball, (uint32_t)out->near[other].index, normal, gap);
        }
    }
}

static void touch_faces(const struct clump_pair *pair, const struct balls *first) {
    const struct midpoint *midpoint = pair->world->midpoint;
    struct placed block = {bodies_polyhedron(&pair->world->bodies, pair->second),
                           midpoint->x_m[pair->second], midpoint->axes_m[pair->second]};
    struct manifold manifold;
    for (int32_t k = 0; k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        if (!in_reach(&ball, block.x, block.shape->radius + pair->reach))
            continue;
        manifold_sphere(&block, ball.centre, ball.radius, pair->reach, &manifold);
        if (manifold.count > 0)
            add_contact(pair, &ball, 0, vec3_negate(manifold.normal), manifold.point[0].gap);
    }
}

static void touch_plane(const struct clump_pair *pair, const struct balls *first, vec3 x,
                        vec3 normal) {
    if (vec3_dot(vec3_sub(first->x, x), normal) - first->bound > pair->reach)
        return;
    for (int32_t k = 0; k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        double gap = vec3_dot(vec3_sub(ball.centre, x), normal) - ball.radius;
        if (gap <= pair->reach)
            add_contact(pair, &ball, 0, normal, gap);
    }
}

// Part by part, so that contacts of one normal follow each other.
static void touch_hollow(const struct clump_pair *pair, const struct balls *first,
                         const struct placed_hollow *hollow) {
    struct touch touch;
    for (enum hollow_part part = 0; part < HOLLOW_PARTS; part++) {
        if (hollow_touch(hollow, part, first->x, first->bound, &touch) && touch.gap > pair->reach)
            continue;
        for (int32_t k = 0; k < first->count; k++) {
            struct ball ball = ball_of(first, k);
            if (hollow_touch(hollow, part, ball.centre, ball.radius, &touch) &&
                touch.gap <= pair->reach)
                add_contact(pair, &ball, part, touch.normal, touch.gap);
        }
    }
}

static struct placed_hollow place_hollow(const struct bodies *bodies, int32_t i, vec3 x,
                                         const mat3 *axes) {
    const struct hollow *shape = bodies_hollow(bodies, i);
    return (struct placed_hollow){shape, x, mat3_apply(*axes, shape->axis)};
}

void clump_pair_find(const struct gabion_world *world, int32_t c, int32_t a, double reach,
                     struct contact_list *out) {
    const struct bodies *bodies = &world->bodies;
    const struct midpoint *midpoint = world->midpoint;
    bool swapped = !comes_first(bodies, c, a);
    struct clump_pair pair = {world, swapped ? a : c, swapped ? c : a, swapped, reach, out};
    int32_t i = pair.first, j = pair.second;
    vec3 x = midpoint->x_m[j];
    const mat3 *axes = &midpoint->axes_m[j];
    struct balls first = balls_of(bodies, i, midpoint->x_m[i], &midpoint->axes_m[i]), second;
    struct placed_hollow hollow;
    switch ((enum gabion_shape)bodies->shape[j]) {
    case GABION_SPHERE:
    case GABION_CLUMP:
        second = balls_of(bodies, j, x, axes);
        touch_balls(&pair, &first, &second);
        break;
    case GABION_POLYHEDRON:
        touch_faces(&pair, &first);
        break;
    case GABION_HALF_SPACE:
        touch_plane(&pair, &first, x, bodies_plane_normal(bodies, j, axes));
        break;
    case GABION_HOLLOW_SPHERE:
    case GABION_DRUM:
        hollow = place_hollow(bodies, j, x, axes);
        touch_hollow(&pair, &first, &hollow);
        break;
    }
}

// Now -----------------------------------------------------------------------------------------

bool clump_pair_gap(const struct bodies *bodies, const struct contact *contact, double *gap) {
    bool swapped = !comes_first(bodies, contact->c, contact->a);
    int32_t i = swapped ? contact->a : contact->c, j = swapped ? contact->c : contact->a;
    uint32_t part = contact->feature & 0xffff;
    mat3 axes_i = quat_matrix(bodies->q[i]), axes_j = quat_matrix(bodies->q[j]);
    struct balls first = balls_of(bodies, i, bodies->x[i], &axes_i), second;
    struct ball ball = ball_of(&first, (int32_t)(contact->feature >> 16)), other;
    struct placed_hollow hollow;
    struct touch touch;
    vec3 normal;
    switch ((enum gabion_shape)bodies->shape[j]) {
    case GABION_SPHERE:
    case GABION_CLUMP:
        second = balls_of(bodies, j, bodies->x[j], &axes_j);
        other = ball_of(&second, (int32_t)part);
        *gap = ball_gap(&ball, &other, &normal);
        return true;
    case GABION_HALF_SPACE:
        normal = bodies_plane_normal(bodies, j, &axes_j);
        *gap = vec3_dot(vec3_sub(ball.centre, bodies->x[j]), normal) - ball.radius;
        return true;
    case GABION_HOLLOW_SPHERE:
    case GABION_DRUM:
        hollow = place_hollow(bodies, j, bodies->x[j], &axes_j);
        *gap = hollow_touch(&hollow, (enum hollow_part)part, ball.centre, ball.radius, &touch)
                   ? touch.gap
                   : INFINITY; // it has left an open drum
        return true;
    case GABION_POLYHEDRON:
        break;
    }
    return false;
}

double clump_pair_radius(const struct bodies *bodies, const struct contact *contact, int32_t i) {
    int32_t other = i == contact->c ? contact->a : contact->c;
    if (bodies->shape[i] == GABION_SPHERE)
        return bodies->radius[i];
    if (bodies->shape[i] != GABION_CLUMP)
        return 0;
    bool first = comes_first(bodies, i, other);
    uint32_t ball = first ? contact->feature >> 16 : contact->feature & 0xffff;
    return bodies_clump(bodies, i)->sphere_radius[ball];
}
