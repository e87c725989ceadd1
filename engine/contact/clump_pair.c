#include "engine/contact/clump_pair.h"

#include "engine/contact/parts.h"
#include "engine/motion/midpoint.h"
#include "geometry/shell_touch.h"
#include "parallel/memory.h"

// Balls ---------------------------------------------------------------------------------------

// The balls of a body somewhere in the world.
struct balls {
    struct shape_balls own;
    int32_t count;
    vec3 x;
    mat3 axes;
    double bound; // radius of the sphere about x that holds all
};

static struct balls balls_of(const struct gabion_world *world, int32_t i, const struct pose *at) {
    const struct bodies *bodies = &world->bodies;
    struct shape_balls own = bodies_shape(bodies, i)->balls(bodies, i);
    return (struct balls){own, own.count, at->x, at->axes, bodies->radius[i]};
}

static struct balls first_balls(const struct pair *pair) {
    return balls_of(pair->world, pair->first, &pair->at);
}

static struct balls second_balls(const struct pair *pair) {
    return balls_of(pair->world, pair->second, &pair->beside);
}

static struct ball ball_of(const struct balls *balls, int32_t k) {
    const struct shape_balls *own = &balls->own;
    vec3 arm = own->centre ? mat3_apply(balls->axes, own->centre[k]) : vec3_zero();
    return (struct ball){vec3_add(balls->x, arm), own->radii ? own->radii[k] : own->radius, k};
}

// Finding -------------------------------------------------------------------------------------

struct finding {
    const struct pair *pair;
    double reach;
    struct contact_list *out;
};

// The point of the contact lies between the two surfaces.
static uint8_t arm_flags(const struct pair *pair) {
    const struct bodies *bodies = &pair->world->bodies;
    bool first = bodies_shape(bodies, pair->first)->ball;
    bool second = bodies_shape(bodies, pair->second)->ball;
    uint8_t ball_first = pair->swapped ? CONTACT_BALL_A : CONTACT_BALL_C;
    uint8_t ball_second = pair->swapped ? CONTACT_BALL_C : CONTACT_BALL_A;
    return (uint8_t)(CONTACT_SURFACES | (first ? ball_first : 0) | (second ? ball_second : 0));
}

static void add_contact(const struct finding *finding, const struct ball *ball, uint32_t part,
                        vec3 normal, double gap) {
    struct contact contact = pair_blank(finding->pair, normal);
    contact.feature = MANIFOLD_FEATURE(ball->index, part);
    contact.flags = arm_flags(finding->pair);
    contact.gap = gap;
    contact.point = vec3_add_scaled(ball->centre, -(ball->radius + 0.5 * gap), normal);
    *contact_list_add(finding->out) = contact;
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
static void touch_balls(const struct finding *finding, const struct balls *first,
                        const struct balls *second) {
    struct contact_list *out = finding->out;
    size_t near = 0;
    vec3 normal;
    out->near = memory_reserve(out->near, &out->near_capacity, (size_t)second->count,
                               sizeof *out->near, "contacts");
    for (int32_t k = 0; k < second->count; k++) {
        out->near[near] = ball_of(second, k);
        near += in_reach(&out->near[near], first->x, first->bound + finding->reach);
    }
    for (int32_t k = 0; near > 0 && k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        if (!in_reach(&ball, second->x, second->bound + finding->reach))
            continue;
        for (size_t other = 0; other < near; other++) {
            if (!in_reach(&ball, out->near[other].centre, out->near[other].radius + finding->reach))
                continue;
            double gap = ball_gap(&ball, &out->near[other], &normal);
            add_contact(finding, &ball, (uint32_t)out->near[other].index, normal, gap);
        }
    }
}

static void touch_plane(const struct finding *finding, const struct balls *first, vec3 x,
                        vec3 normal) {
    if (vec3_dot(vec3_sub(first->x, x), normal) - first->bound > finding->reach)
        return;
    for (int32_t k = 0; k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        double gap = vec3_dot(vec3_sub(ball.centre, x), normal) - ball.radius;
        if (gap <= finding->reach)
            add_contact(finding, &ball, 0, normal, gap);
    }
}

// Part by part, so that contacts of one normal follow each other.
static void touch_hollow(const struct finding *finding, const struct balls *first,
                         const struct placed_hollow *hollow) {
    struct touch touch;
    for (enum hollow_part part = 0; part < HOLLOW_PARTS; part++) {
        if (hollow_touch(hollow, part, first->x, first->bound, &touch) &&
            touch.gap > finding->reach)
            continue;
        for (int32_t k = 0; k < first->count; k++) {
            struct ball ball = ball_of(first, k);
            if (hollow_touch(hollow, part, ball.centre, ball.radius, &touch) &&
                touch.gap <= finding->reach)
                add_contact(finding, &ball, part, touch.normal, touch.gap);
        }
    }
}

static struct placed_hollow second_hollow(const struct pair *pair) {
    const struct hollow *shape = bodies_hollow(&pair->world->bodies, pair->second);
    return (struct placed_hollow){shape, pair->beside.x,
                                  mat3_apply(pair->beside.axes, shape->axis)};
}

void clump_find_balls(const struct pair *pair, double reach, struct contact_list *out) {
    struct balls first = first_balls(pair), second = second_balls(pair);
    touch_balls(&(struct finding){pair, reach, out}, &first, &second);
}

// The contacts of the balls with one convex part.
static void touch_part(const struct finding *finding, const struct balls *first,
                       const struct parts *parts, int32_t part) {
    struct placed block = parts_place(parts, part);
    uint32_t name = parts_name(parts, part, 0);
    struct manifold manifold;
    for (int32_t k = 0; k < first->count; k++) {
        struct ball ball = ball_of(first, k);
        if (!in_reach(&ball, block.x, block.shape->radius + finding->reach))
            continue;
        manifold_sphere(&block, ball.centre, ball.radius, finding->reach, &manifold);
        if (manifold.count > 0)
            add_contact(finding, &ball, name, vec3_negate(manifold.normal), manifold.point[0].gap);
    }
}

void clump_find_faces(const struct pair *pair, double reach, struct contact_list *out) {
    struct finding finding = {pair, reach, out};
    struct balls first = first_balls(pair);
    struct parts parts = parts_of(pair, pair->second);
    size_t begin = out->count;
    for (int32_t k = 0; k < parts.count; k++)
        if (parts_near(&parts, k, first.x, first.bound, reach))
            touch_part(&finding, &first, &parts, k);
    if (parts.count > 1)
        parts_join_contacts(pair, begin, out);
}

void clump_find_plane(const struct pair *pair, double reach, struct contact_list *out) {
    struct balls first = first_balls(pair);
    vec3 normal = bodies_plane_normal(&pair->world->bodies, pair->second, &pair->beside.axes);
    touch_plane(&(struct finding){pair, reach, out}, &first, pair->beside.x, normal);
}

void clump_find_hollow(const struct pair *pair, double reach, struct contact_list *out) {
    struct balls first = first_balls(pair);
    struct placed_hollow hollow = second_hollow(pair);
    touch_hollow(&(struct finding){pair, reach, out}, &first, &hollow);
}

// A ball that touches a surface.
struct surfacing {
    const struct finding *finding;
    const struct ball *ball;
    size_t first; // contact of the ball
};

// Two contacts of a ball whose normals differ by less than this (1 - cosine) are one: what is
// further away lies behind the other, or rounding has let an edge and its face claim the ball.
#define SAME_NORMAL 1e-11

static void see_touch(void *context, const struct shell_point *point) {
    const struct surfacing *surfacing = context;
    const struct finding *finding = surfacing->finding;
    struct contact_list *out = finding->out;
    bool swapped = finding->pair->swapped;
    vec3 normal = swapped ? vec3_negate(point->normal) : point->normal;
    for (size_t k = surfacing->first; k < out->count; k++) {
        if (vec3_dot(out->list[k].normal, normal) < 1 - SAME_NORMAL)
            continue;
        if (out->list[k].gap <= point->gap)
            return;
        out->list[k] = out->list[--out->count];
        break;
    }
    add_contact(finding, surfacing->ball, shell_part_name(point->part), point->normal, point->gap);
}

static void see_face(void *context, const struct shell_point *point) {
    const struct surfacing *surfacing = context;
    add_contact(surfacing->finding, surfacing->ball, shell_part_name(point->part), point->normal,
                point->gap);
}

static struct placed_shell second_surface(const struct pair *pair) {
    return (struct placed_shell){bodies_surface(&pair->world->bodies, pair->second), pair->beside.x,
                                 pair->beside.axes};
}

typedef void (*ball_search)(const struct placed_shell *, vec3, double, double, shell_function,
                            void *);

static void touch_surface(const struct pair *pair, double reach, struct contact_list *out,
                          ball_search search, shell_function see) {
    struct finding finding = {pair, reach, out};
    struct balls first = first_balls(pair);
    struct placed_shell surface = second_surface(pair);
    vec3 own = mat3_apply_transposed(surface.axes, vec3_sub(first.x, surface.x));
    if (!shell_is_near(surface.shape, own, first.bound + reach))
        return;
    for (int32_t k = 0; k < first.count; k++) {
        struct ball ball = ball_of(&first, k);
        struct surfacing surfacing = {&finding, &ball, out->count};
        search(&surface, ball.centre, ball.radius, reach, see, &surfacing);
    }
}

void clump_find_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, shell_touch_ball, see_touch);
}

void clump_nearest_surface(const struct pair *pair, double reach, struct contact_list *out) {
    touch_surface(pair, reach, out, shell_nearest_ball, see_face);
}

// Gaps of contacts that are known ---------------------------------------------------------------

static struct ball first_ball(const struct pair *pair, const struct contact *contact) {
    struct balls first = first_balls(pair);
    return ball_of(&first, (int32_t)(contact->feature >> 16));
}

double clump_gap_balls(const struct pair *pair, const struct contact *contact) {
    struct balls second = second_balls(pair);
    struct ball ball = first_ball(pair, contact);
    struct ball other = ball_of(&second, (int32_t)(contact->feature & 0xffff));
    vec3 normal;
    return ball_gap(&ball, &other, &normal);
}

double clump_gap_plane(const struct pair *pair, const struct contact *contact) {
    struct ball ball = first_ball(pair, contact);
    vec3 normal = bodies_plane_normal(&pair->world->bodies, pair->second, &pair->beside.axes);
    return vec3_dot(vec3_sub(ball.centre, pair->beside.x), normal) - ball.radius;
}

double clump_gap_hollow(const struct pair *pair, const struct contact *contact) {
    struct ball ball = first_ball(pair, contact);
    struct placed_hollow hollow = second_hollow(pair);
    struct touch touch;
    enum hollow_part part = (enum hollow_part)(contact->feature & 0xffff);
    return hollow_touch(&hollow, part, ball.centre, ball.radius, &touch)
               ? touch.gap
               : INFINITY; // it has left an open drum
}

// A ball that is further away than the contact was found, by a part of its radius, has left.
double clump_gap_surface(const struct pair *pair, const struct contact *contact) {
    struct ball ball = first_ball(pair, contact);
    struct placed_shell surface = second_surface(pair);
    double reach = fmax(contact->gap, 0) + 0.25 * ball.radius;
    return shell_gap_ball(&surface, ball.centre, ball.radius, reach, contact->feature & 0xffff);
}
