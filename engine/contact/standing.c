#include "engine/contact/standing.h"

#include "engine/contact/detection.h"
#include "engine/contact/pairs.h"
#include "engine/contact/shared.h"
#include "engine/world/order.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

#define CHUNK 256 // bodies

// What an overlap may be off, as a share of the smaller body's size.
#define ACCURACY 1e-6

// Angles (rad) above which two terms of the series of a rotation are not enough.
#define SMALL_TURN 0.1

// Positions -----------------------------------------------------------------------------------

static void fill_axes(void *context, size_t begin, size_t end) {
    const struct standing *standing = context;
    for (size_t i = begin; i < end; i++)
        standing->axes[i] = quat_matrix(standing->view.bodies.q[i]);
}

void standing_follow(struct standing *standing) {
    const struct gabion_world *view = &standing->view;
    if (standing->axes)
        piece_for(view, view->bodies.count, CHUNK, fill_axes, standing);
}

static void place_bodies(struct standing *standing, struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    *standing = (struct standing){.view = *world, .place = *world->midpoint};
    standing->finite = detection_finite(bodies);
    if (bodies_have_axes(bodies) || world->midpoint->axes_m)
        standing->axes = memory_allocate((size_t)bodies->count, sizeof *standing->axes, "bodies");
    standing->place.x_m = bodies->x;
    standing->place.axes_m = standing->axes;
    standing->view.midpoint = &standing->place;
}

// From here on the view is that of one rank that has all bodies, whose state must be known.
static void view_all(struct standing *standing) {
    standing->contacts = *standing->view.contacts;
    standing->contacts.shared = false;
    standing->view.contacts = &standing->contacts;
    standing->view.piece = (struct piece){0};
}

static double margin_of(const struct bodies *bodies, int32_t i, double share) {
    return i < bodies->moving ? share * bodies_size(bodies, i) : 0;
}

static void find_pairs(struct standing *standing, double share) {
    struct gabion_world *view = &standing->view;
    const struct bodies *bodies = &view->bodies;
    double *reach = memory_allocate((size_t)standing->finite, sizeof *reach, "bodies");
    for (int32_t i = 0; i < standing->finite; i++)
        reach[i] = bodies->radius[i] + margin_of(bodies, i, share);
    detection_pairs_of(view, bodies->x, reach, standing->finite, &standing->pairs);
    memory_free(reach);
}

void standing_open(struct standing *standing, struct gabion_world *world, double share) {
    joints_list_apart(&world->joints);
    place_bodies(standing, world);
    view_all(standing);
    standing_follow(standing);
    find_pairs(standing, share);
}

void standing_close(struct standing *standing) {
    memory_free(standing->axes);
    pair_list_free(&standing->pairs);
}

// Visiting pairs ------------------------------------------------------------------------------

// A function that sees the pairs of a range of the bodies of a piece one after the other, in
// canonical order.
typedef void (*pair_function)(void *context, int32_t c, int32_t a);

static void visit_pairs(const struct standing *standing, const struct pair_list *pairs,
                        size_t begin, size_t end, pair_function visit, void *context) {
    const struct gabion_world *view = &standing->view;
    const struct bodies *bodies = &view->bodies;
    for (size_t k = begin; k < end; k++) {
        int32_t c = piece_body(view, k);
        for (uint32_t p = pairs->start[c]; p < pairs->start[c + 1]; p++)
            if (!joints_part(&view->joints, bodies->id[c], bodies->id[pairs->other[p]]))
                visit(context, c, pairs->other[p]);
        for (int32_t a = detection_first_wall(view, c); a < bodies->count; a++)
            if (!joints_part(&view->joints, bodies->id[c], bodies->id[a]))
                visit(context, c, a);
    }
}

static double direct_gap(const struct standing *standing, int32_t c, int32_t a) {
    vec3 normal;
    const struct gabion_world *view = &standing->view;
    return pair_gap(&view->bodies, view->bodies.x, midpoint_axes(&standing->place, a), c, a,
                    &normal);
}

// Contacts ------------------------------------------------------------------------------------

struct finding {
    const struct standing *standing;
    double share;
    struct contact_list *list; // one for each chunk
};

struct finding_chunk {
    const struct finding *finding;
    struct contact_list *out;
};

static void find_pair(void *context, int32_t c, int32_t a) {
    const struct finding_chunk *chunk = context;
    const struct finding *finding = chunk->finding;
    const struct gabion_world *view = &finding->standing->view;
    const struct bodies *bodies = &view->bodies;
    double reach = margin_of(bodies, c, finding->share) + margin_of(bodies, a, finding->share);
    if (!pairs_kind(bodies, c, a)->direct)
        pairs_find(view, c, a, reach, chunk->out);
    else if (direct_gap(finding->standing, c, a) <= reach)
        *contact_list_add(chunk->out) = pair_contact(view, c, a);
}

static void find_chunk(void *context, size_t begin, size_t end) {
    const struct finding *finding = context;
    struct finding_chunk chunk = {finding, &finding->list[begin / CHUNK]};
    visit_pairs(finding->standing, &finding->standing->pairs, begin, end, find_pair, &chunk);
}

void standing_find(const struct standing *standing, double share, struct contact_list *out) {
    size_t moving = (size_t)standing->view.bodies.moving, chunks = (moving + CHUNK - 1) / CHUNK;
    struct finding finding = {standing, share,
                              memory_allocate(chunks, sizeof *finding.list, "contacts")};
    team_for(standing->view.team, moving, CHUNK, find_chunk, &finding);
    for (size_t k = 0; k < chunks; k++) {
        for (size_t j = 0; j < finding.list[k].count; j++)
            *contact_list_add(out) = finding.list[k].list[j];
        contact_list_free(&finding.list[k]);
    }
    memory_free(finding.list);
}

// How far bodies moved since q_m --------------------------------------------------------------

// The motion of a body: its displacement, and the vector of its rotation. The angle is not a number
// where it is not small.
struct shift {
    vec3 by, turn;
};

static struct shift shift_of(const struct gabion_world *world, const struct standing *standing,
                             int32_t i) {
    const struct midpoint *midpoint = world->midpoint;
    struct shift shift = {vec3_sub(world->bodies.x[i], midpoint->x_m[i]), vec3_zero()};
    if (!standing->axes || bodies_shape(&world->bodies, i)->ball)
        return shift;
    const vec3 *now = standing->axes[i].row, *then = midpoint->axes_m[i].row;
    shift.turn = vec3_scale(0.5, vec3_make(vec3_dot(now[2], then[1]) - vec3_dot(now[1], then[2]),
                                           vec3_dot(now[0], then[2]) - vec3_dot(now[2], then[0]),
                                           vec3_dot(now[1], then[0]) - vec3_dot(now[0], then[1])));
    double trace =
        vec3_dot(now[0], then[0]) + vec3_dot(now[1], then[1]) + vec3_dot(now[2], then[2]);
    if (!(trace > 3 - SMALL_TURN * SMALL_TURN))
        shift.turn.x = NAN;
    return shift;
}

// Returns whether the body left the space in which the step looked for its partners.
static bool went_beyond(const struct gabion_world *world, int32_t i, const struct shift *shift) {
    const struct shape_kind *shape = bodies_shape(&world->bodies, i);
    double moved = vec3_length(shift->by), turned = vec3_length(shift->turn);
    double turn_limit = world->settings.step * vec3_length(world->midpoint->s_free[i]);
    if (shape->wall)
        return !(moved <= detection_alert(world, i)) || !(turned <= turn_limit);
    if (shape->spin_reach)
        moved += (1 + SMALL_TURN) * turned * world->bodies.radius[i];
    return !(moved <= detection_alert(world, i));
}

// Returns a bound on how far any point of c moved relative to a; not a number where the rotations
// are too large for it.
static double relative_motion(const struct gabion_world *world, const struct shift *shift,
                              int32_t c, int32_t a) {
    double R = world->bodies.radius[c];
    vec3 arm = vec3_sub(world->midpoint->x_m[c], world->midpoint->x_m[a]);
    vec3 carried = vec3_add(shift[a].by, vec3_cross(shift[a].turn, arm));
    double turn_c = vec3_dot(shift[c].turn, shift[c].turn);
    double turn_a = vec3_dot(shift[a].turn, shift[a].turn);
    return vec3_length(vec3_sub(shift[c].by, carried)) +
           R * vec3_length(vec3_sub(shift[c].turn, shift[a].turn)) + R * turn_c +
           (R + vec3_length(arm)) * turn_a;
}

// Overlaps ------------------------------------------------------------------------------------

struct measuring {
    const struct gabion_world *world;
    const struct standing *standing;
    const struct pair_list *pairs;
    struct shift *shift;   // by body; NULL: not known, or not needed
    struct overlap *worst; // one for each chunk
};

struct measuring_chunk {
    const struct measuring *measuring;
    struct overlap worst;
    struct contact_list scratch;
    size_t next; // contact of the step's list: none of the pairs to come is before it
};

static struct overlap no_overlap(void) { return (struct overlap){0, 0, -1, -1}; }

static void deepen(struct overlap *worst, const struct overlap *other) {
    worst->depth = fmax(worst->depth, other->depth);
    if (!(other->relative > worst->relative))
        return;
    worst->relative = other->relative;
    worst->first = other->first;
    worst->second = other->second;
}

static bool comes_before(const struct contact *contact, int32_t c, int32_t a) {
    return contact->c < c || (contact->c == c && contact->a < a);
}

// Returns the smallest gap that the step found between two bodies; INFINITY: no contact.
static double gap_in_step(struct measuring_chunk *chunk, int32_t c, int32_t a) {
    const struct contacts *contacts = chunk->measuring->world->contacts;
    double gap = INFINITY;
    while (chunk->next < contacts->count && comes_before(&contacts->list[chunk->next], c, a))
        chunk->next++;
    for (size_t k = chunk->next; k < contacts->count && contacts->list[k].c == c; k++) {
        if (contacts->list[k].a != a)
            break;
        gap = fmin(gap, contacts->list[k].gap);
    }
    return gap;
}

// Returns whether the gap that the step found is accurate enough still: depths are Lipschitz
// functions of positions, so that they change by no more than points move. Only gaps near zero and
// above are used.
static bool unchanged(struct measuring_chunk *chunk, int32_t c, int32_t a, double *gap) {
    const struct measuring *measuring = chunk->measuring;
    if (!measuring->shift)
        return false;
    double limit = 0.5 * ACCURACY * bodies_smaller_size(&measuring->world->bodies, c, a);
    if (!(relative_motion(measuring->world, measuring->shift, c, a) <= limit))
        return false;
    *gap = gap_in_step(chunk, c, a);
    return *gap >= -limit;
}

static double deepest_gap(struct measuring_chunk *chunk, int32_t c, int32_t a) {
    const struct standing *standing = chunk->measuring->standing;
    double gap;
    if (pairs_kind(&standing->view.bodies, c, a)->direct)
        return direct_gap(standing, c, a);
    if (unchanged(chunk, c, a, &gap))
        return gap;
    gap = INFINITY;
    chunk->scratch.count = 0;
    pairs_find(&standing->view, c, a, 0, &chunk->scratch);
    for (size_t k = 0; k < chunk->scratch.count; k++)
        gap = fmin(gap, chunk->scratch.list[k].gap);
    return gap;
}

static void measure_pair(void *context, int32_t c, int32_t a) {
    struct measuring_chunk *chunk = context;
    const struct bodies *bodies = &chunk->measuring->standing->view.bodies;
    double gap = deepest_gap(chunk, c, a);
    if (gap >= 0)
        return;
    struct overlap overlap = {-gap, -gap / bodies_smaller_size(bodies, c, a), bodies->id[c],
                              bodies->id[a]};
    deepen(&chunk->worst, &overlap);
}

// Returns the first contact of the list whose body c is not below `c`.
static size_t first_contact(const struct contacts *contacts, int32_t c) {
    size_t low = 0, high = contacts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (contacts->list[middle].c < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void measure_chunk(void *context, size_t begin, size_t end) {
    struct measuring *measuring = context;
    struct measuring_chunk chunk = {.measuring = measuring, .worst = no_overlap()};
    if (measuring->shift)
        chunk.next = first_contact(measuring->world->contacts,
                                   piece_body(&measuring->standing->view, begin));
    visit_pairs(measuring->standing, measuring->pairs, begin, end, measure_pair, &chunk);
    measuring->worst[begin / CHUNK] = chunk.worst;
    contact_list_free(&chunk.scratch);
}

// Returns the deepest of what the ranks found among their own pairs. Their bodies are in the order
// of the ranks, so that of equal overlaps the first one counts, as in a list of all pairs.
static struct overlap deepest_of_ranks(struct overlap mine) {
    struct overlap worst = no_overlap();
    size_t *offsets = memory_allocate((size_t)ranks_count() + 1, sizeof *offsets, "overlaps");
    struct overlap *all = memory_allocate((size_t)ranks_count(), sizeof *all, "overlaps");
    ranks_offsets(sizeof mine, offsets);
    ranks_gather_all(&mine, offsets, all);
    for (int rank = 0; rank < ranks_count(); rank++)
        deepen(&worst, &all[rank]);
    memory_free(all);
    memory_free(offsets);
    return worst;
}

static struct overlap measure(struct measuring *measuring) {
    struct overlap worst = no_overlap();
    const struct gabion_world *view = &measuring->standing->view;
    size_t moving = piece_count(view, view->bodies.moving), chunks = (moving + CHUNK - 1) / CHUNK;
    measuring->worst = memory_allocate(chunks, sizeof *measuring->worst, "overlaps");
    team_for(measuring->world->team, moving, CHUNK, measure_chunk, measuring);
    for (size_t k = 0; k < chunks; k++)
        deepen(&worst, &measuring->worst[k]);
    memory_free(measuring->worst);
    return contacts_are_shared(measuring->world->contacts) ? deepest_of_ranks(worst) : worst;
}

static void find_shifts(void *context, size_t begin, size_t end, double *out) {
    struct measuring *measuring = context;
    for (size_t i = begin; i < end; i++) {
        struct shift shift = shift_of(measuring->world, measuring->standing, (int32_t)i);
        if (went_beyond(measuring->world, (int32_t)i, &shift))
            out[0] = 1;
        if (measuring->shift)
            measuring->shift[i] = shift;
    }
}

// Bodies that this rank does not follow are looked at as they are now: how far they moved is not
// known.
static void look_further(struct measuring *measuring, struct standing *standing,
                         struct gabion_world *world) {
    size_t known = piece_count(world, world->bodies.moving);
    if (world->piece.partial) {
        bool *follows = memory_allocate((size_t)world->bodies.moving, sizeof *follows, "overlaps");
        for (size_t k = 0; k < known; k++)
            follows[piece_body(world, k)] = true;
        for (int32_t i = 0; i < world->bodies.moving; i++)
            if (!follows[i])
                measuring->shift[i].turn.x = NAN;
        memory_free(follows);
        piece_gather(world);
        standing->view.piece = (struct piece){0};
        standing_follow(standing);
    }
    find_pairs(standing, 0);
}

// Overlaps of contacts ------------------------------------------------------------------------

// Returns whether the shapes of the scene are spheres and half-spaces alone.
static bool all_direct(const struct bodies *bodies) {
    for (size_t k = 0; k < GABION_SHAPE_COUNT; k++)
        if (shape_kinds[k].count && shape_kinds[k].count(bodies) > 0 &&
            !pair_kinds[GABION_SPHERE][k].direct)
            return false;
    return true;
}

// Returns whether the contacts of the step are all pairs that its search found. A direct pair in
// reach has one contact, always.
static bool pairs_are_contacts(const struct gabion_world *world) {
    return all_direct(&world->bodies) && !world->galizzi && !detection_renewed(world) &&
           !contacts_are_shared(world->contacts);
}

struct deepest {
    const struct gabion_world *world;
    const double *depth;
    struct overlap *worst; // one for each chunk
};

static void find_deepest(void *context, size_t begin, size_t end) {
    const struct deepest *deepest = context;
    const struct bodies *bodies = &deepest->world->bodies;
    struct overlap worst = no_overlap();
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &deepest->world->contacts->list[k];
        double depth = deepest->depth[k];
        if (!(depth > 0))
            continue;
        struct overlap overlap = {depth,
                                  depth / bodies_smaller_size(bodies, contact->c, contact->a),
                                  bodies->id[contact->c], bodies->id[contact->a]};
        deepen(&worst, &overlap);
    }
    deepest->worst[begin / CHUNK] = worst;
}

static struct overlap deepest_of_contacts(const struct gabion_world *world, const double *depth) {
    struct overlap worst = no_overlap();
    size_t count = world->contacts->count, chunks = (count + CHUNK - 1) / CHUNK;
    struct deepest deepest = {world, depth,
                              memory_allocate(chunks, sizeof *deepest.worst, "overlaps")};
    team_for(world->team, count, CHUNK, find_deepest, &deepest);
    for (size_t k = 0; k < chunks; k++)
        deepen(&worst, &deepest.worst[k]);
    memory_free(deepest.worst);
    return worst;
}

// ---------------------------------------------------------------------------------------------

struct overlap standing_overlap(struct gabion_world *world, const double *depth) {
    struct standing standing;
    struct overlap worst;
    size_t count = (size_t)world->bodies.count;
    bool listed = pairs_are_contacts(world);
    double beyond;
    place_bodies(&standing, world);
    standing_follow(&standing);
    struct measuring measuring = {.world = world, .standing = &standing};
    if (!listed)
        measuring.shift = memory_borrow(count * sizeof *measuring.shift, "overlaps");
    piece_max(world, world->bodies.count, 1, find_shifts, &measuring, &beyond);
    if (beyond > 0)
        look_further(&measuring, &standing, world);
    measuring.pairs = beyond > 0 ? &standing.pairs : detection_pairs(world);
    if (listed && !(beyond > 0))
        worst = deepest_of_contacts(world, depth);
    else
        worst = measure(&measuring);
    memory_return(measuring.shift);
    standing_close(&standing);
    return worst;
}

struct overlap standing_initial_overlap(struct gabion_world *world) {
    struct standing standing;
    int32_t old_moving = world->bodies.moving, *new_index = order_bodies(world);
    contacts_reorder(world, new_index, old_moving);
    memory_free(new_index);
    standing_open(&standing, world, 0);
    struct measuring measuring = {.world = world, .standing = &standing, .pairs = &standing.pairs};
    struct overlap worst = measure(&measuring);
    standing_close(&standing);
    return worst;
}
