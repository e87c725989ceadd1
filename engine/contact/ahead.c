#include "engine/contact/ahead.h"

#include "engine/contact/arms.h"
#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/gap.h"
#include "engine/contact/pairs.h"
#include "engine/contact/shared.h"
#include "engine/contact/way.h"
#include "parallel/memory.h"

#define CHUNK 64 // bodies; ways differ much in what they cost

// The overlap, as a share of the smaller body's size, with which a rebound may wait for the next
// step.
#define WAITING 0.25

// Taking ----------------------------------------------------------------------------------------

struct additions {
    struct contact_addition *list;
    size_t count, capacity;
    struct contact_list scratch;
};

static void add(struct additions *additions, struct contact_addition addition) {
    additions->list = memory_reserve(additions->list, &additions->capacity, additions->count + 1,
                                     sizeof *additions->list, "contacts");
    additions->list[additions->count++] = addition;
}

static vec3 point_on_side(const struct contact *contact, double side) {
    double half = contact->flags & CONTACT_SURFACES ? 0.5 * side * contact->gap : 0;
    return vec3_add_scaled(contact->point, half, contact->normal);
}

// What a rebound has to wait for. Bodies that approached before the step rebound in the step at
// whose end they would be inside each other; bodies that were pushed towards each other in it, in
// the next one (engine/contact/gap.c). They may wait unless that leaves them far inside.
struct patience {
    bool shallow; // they are not far inside at the end of their way
    bool outside; // they are not inside at the end of the step
};

static bool waits(const struct gabion_world *world, const struct contact *contact,
                  struct patience patience, double u_before, double u_n) {
    if (!patience.shallow || !gap_rebounds(world, contact, fmin(u_before, u_n)))
        return false;
    return patience.outside || !gap_rebounds(world, contact, u_before);
}

static struct patience patience_of(const struct course *course, double late) {
    double theta = course->world->settings.theta;
    return (struct patience){
        .shallow = course_depth(course, 1) <= WAITING * course->size,
        .outside = late > theta && course_depth(course, theta) <= course->allowed,
    };
}

// Appends a contact, with its flags, unless its rebound waits.
static void add_contact(const struct gabion_world *world, struct contact_addition addition,
                        double u_n, struct patience patience, struct additions *out) {
    struct contact *contact = &addition.contact;
    vec3 before = contact_velocity_now(world, contact, &addition.spread);
    double u_before = vec3_dot(before, contact->normal);
    if (waits(world, contact, patience, u_before, u_n))
        return;
    contact->flags |= CONTACT_ACTIVE;
    if (gap_needs_block(world, contact))
        contact->flags |= CONTACT_GENERAL;
    addition.bias = gap_late_bias(world, contact, u_before);
    add(out, addition);
}

// Adds a contact that was found at the moment tau. Its gap becomes what the bodies may travel along
// the normal from q_m on.
static void add_late(const struct course *course, struct contact contact, double tau,
                     struct patience patience, struct additions *out) {
    const struct way *c = &course->way_c, *a = &course->way_a;
    vec3 arm_c = vec3_sub(point_on_side(&contact, 1), vec3_add_scaled(c->start.x, tau, c->shift));
    vec3 arm_a = vec3_sub(point_on_side(&contact, -1), vec3_add_scaled(a->start.x, tau, a->shift));
    vec3 at_c = vec3_add(c->start.x, arm_c), at_a = vec3_add(a->start.x, arm_a);
    double travelled = vec3_dot(contact.normal, vec3_sub(way_moved(c, arm_c), way_moved(a, arm_a)));
    contact.gap = fmax(contact.gap - tau * travelled, 0);
    contact.point = vec3_scale(0.5, vec3_add(at_c, at_a));
    contact.flags = (uint8_t)((contact.flags & (CONTACT_BALL_C | CONTACT_BALL_A)) | CONTACT_LATE);
    add_contact(course->world, (struct contact_addition){contact, vec3_sub(at_c, at_a), 0},
                travelled / course->world->settings.step, patience, out);
}

// Returns by how much the bodies come further along the normal of a contact than it lets them.
static double excess(const struct course *course, const struct contact *contact, const vec3 *spread,
                     double bias) {
    const struct gabion_world *world = course->world;
    vec3 arm_c, arm_a;
    contact_arms(world->midpoint, contact, spread, &arm_c, &arm_a);
    arm_c = vec3_scale(bodies_spin_radius(&world->bodies, course->c), arm_c);
    arm_a = vec3_scale(bodies_spin_radius(&world->bodies, course->a), arm_a);
    vec3 apart = vec3_sub(way_moved(&course->way_c, arm_c), way_moved(&course->way_a, arm_a));
    return -vec3_dot(contact->normal, apart) - bias * world->settings.step;
}

// Returns whether the solve has left a contact of the pair unsolved by so much that it explains the
// depth: more contacts would not change that.
static bool is_unsolved(const struct course *course, double depth) {
    double limit = 0.5 * (depth - course->initial);
    const struct contacts *contacts = course->world->contacts;
    for (size_t k = contacts_first(contacts, course->c, course->a);
         k < contacts->count && contacts->list[k].c == course->c &&
         contacts->list[k].a == course->a;
         k++)
        if (contacts->list[k].flags & CONTACT_ACTIVE &&
            excess(course, &contacts->list[k], contact_spread(contacts->spread, k),
                   contacts->bias[k]) > limit)
            return true;
    return false;
}

// Returns whether the solution violates one of the contacts found for the pair. Where it obeys them
// all, the bodies leave each other again, and solving with them would change nothing.
static bool any_violated(const struct course *course, const struct additions *additions,
                         size_t first) {
    for (size_t k = first; k < additions->count; k++) {
        const struct contact_addition *addition = &additions->list[k];
        if (excess(course, &addition->contact, &addition->spread, addition->bias) >
            WAY_DEEPENING * course->size)
            return true;
    }
    return false;
}

// A patch may miss the place where two convex parts are deepest inside each other, or be empty: the
// contact along the axis between them then joins it.
static void add_nearest(const struct course *course, const struct pair *pair, double reach) {
    struct contact_list *found = course->scratch;
    double gap = INFINITY;
    size_t count = found->count;
    for (size_t k = 0; k < count; k++)
        gap = fmin(gap, found->list[k].gap);
    pairs_nearest_there(pair, reach, found);
    size_t deepest = count;
    for (size_t k = count + 1; k < found->count; k++)
        if (found->list[k].gap < found->list[deepest].gap)
            deepest = k;
    if (found->count == count)
        return;
    found->list[count] = found->list[deepest];
    found->count = found->list[count].gap >= gap - 0.5 * course->allowed ? count : count + 1;
}

// Takes the contacts of the moment tau. Returns false where they change nothing.
static bool take_contacts(const struct course *course, double tau, struct patience patience,
                          struct additions *out) {
    struct contact_list *found = course->scratch;
    struct pair pair = course_pair(course, tau);
    double reach = WAY_SHALLOW * course->size + (1 - tau) * course->travel;
    found->count = 0;
    pairs_find_there(&pair, reach, found);
    add_nearest(course, &pair, reach);
    size_t before = out->count;
    for (size_t k = 0; k < found->count; k++)
        add_late(course, found->list[k], tau, patience, out);
    if (any_violated(course, out, before))
        return true;
    out->count = before;
    return false;
}

// Contacts are taken as late as they can be, and in every second round at the first touch.
static void take_meeting(const struct course *course, const struct meeting *meeting, bool first,
                         struct additions *out) {
    struct patience patience = patience_of(course, meeting->late);
    if (first || !take_contacts(course, course_last_moment(course, meeting), patience, out))
        take_contacts(course, course_first_moment(course, meeting), patience, out);
}

// Pairs -----------------------------------------------------------------------------------------

struct look {
    struct gabion_world *world;
    velocity_function velocity;
    const void *context;
    bool renewed; // there are pairs that the first solve did not know
    bool first;   // contacts of the first touch are preferred
    struct additions *chunk;
};

static struct way way_in(const struct look *look, int32_t i) {
    return way_of(look->world, i, look->velocity(look->context, i));
}

static void look_at_pair(const struct look *look, const struct way *way_c, int32_t c, int32_t a,
                         struct additions *out) {
    struct course course = {
        .world = look->world,
        .c = c,
        .a = a,
        .way_c = *way_c,
        .way_a = way_in(look, a),
        .scratch = &out->scratch,
    };
    struct meeting meeting = {0};
    if (course_open(&course) && course_meeting(&course, &meeting) &&
        !is_unsolved(&course, meeting.depth))
        take_meeting(&course, &meeting, look->first, out);
}

// Balls, and balls and half-spaces, touch in one place at one normal: the plane between them at q_m
// keeps them apart for good. A pair that the search did not know needs no more than that contact.
static void look_at_direct(const struct look *look, int32_t c, int32_t a, struct additions *out) {
    const struct gabion_world *world = look->world;
    const struct contacts *contacts = world->contacts;
    size_t k = contacts_first(contacts, c, a);
    if (k < contacts->count && contacts->list[k].c == c && contacts->list[k].a == a)
        return;
    struct contact contact = pair_contact(world, c, a);
    vec3 u = vec3_sub(look->velocity(look->context, c).v, look->velocity(look->context, a).v);
    double u_n = vec3_dot(u, contact.normal), h = world->settings.step;
    double size = bodies_smaller_size(&world->bodies, c, a);
    if (!(contact.gap + h * u_n < -WAY_TOLERANCE * size))
        return;
    struct patience patience = {
        .shallow = contact.gap + h * u_n >= -WAITING * size,
        .outside = contact.gap + world->settings.theta * h * u_n >= -WAY_TOLERANCE * size,
    };
    add_contact(world, (struct contact_addition){.contact = contact}, u_n, patience, out);
}

static void look_at(const struct look *look, const struct way *way_c, int32_t c, int32_t a,
                    struct additions *out) {
    const struct bodies *bodies = &look->world->bodies;
    bool direct = pairs_kind(bodies, c, a)->direct;
    if ((direct && !look->renewed) ||
        joints_part(&look->world->joints, bodies->id[c], bodies->id[a]))
        return;
    if (direct)
        look_at_direct(look, c, a, out);
    else
        look_at_pair(look, way_c, c, a, out);
}

static void look_range(void *context, size_t begin, size_t end) {
    const struct look *look = context;
    const struct gabion_world *world = look->world;
    const struct pair_list *pairs = detection_pairs(world);
    struct additions *out = &look->chunk[begin / CHUNK];
    for (size_t k = begin; k < end; k++) {
        int32_t c = piece_body(world, k);
        struct way way_c = {0};
        if (world->midpoint->axes_m)
            way_c = way_in(look, c);
        for (uint32_t p = pairs->start[c]; p < pairs->start[c + 1]; p++)
            look_at(look, &way_c, c, pairs->other[p], out);
        for (int32_t a = detection_first_wall(world, c); a < world->bodies.count; a++)
            look_at(look, &way_c, c, a, out);
    }
}

// Returns how many contacts all ranks add.
static size_t insert(struct gabion_world *world, struct additions *chunk, size_t chunks) {
    struct additions all = {0};
    int64_t before = contacts_total(world);
    for (size_t k = 0; k < chunks; k++)
        for (size_t i = 0; i < chunk[k].count; i++)
            add(&all, chunk[k].list[i]);
    if (contacts_any(world->contacts, all.count > 0))
        contacts_insert(world, all.list, all.count);
    memory_free(all.list);
    return (size_t)(contacts_total(world) - before);
}

size_t ahead_look(struct gabion_world *world, velocity_function velocity, const void *context,
                  int round) {
    size_t moving = piece_count(world, world->bodies.moving);
    size_t chunks = (moving + CHUNK - 1) / CHUNK;
    struct look look = {.world = world,
                        .velocity = velocity,
                        .context = context,
                        .renewed = detection_renew(world, velocity, context),
                        .first = round % 2 == 1};
    if (!look.renewed && !world->midpoint->axes_m)
        return 0;
    look.chunk = memory_allocate(chunks, sizeof *look.chunk, "contacts");
    team_for(world->team, moving, CHUNK, look_range, &look);
    size_t added = insert(world, look.chunk, chunks);
    for (size_t k = 0; k < chunks; k++) {
        memory_free(look.chunk[k].list);
        contact_list_free(&look.chunk[k].scratch);
    }
    memory_free(look.chunk);
    return added;
}
