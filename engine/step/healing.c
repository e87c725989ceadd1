#include "engine/step/healing.h"

#include "engine/contact/arms.h"
#include "engine/contact/pairs.h"
#include "engine/contact/standing.h"
#include "engine/motion/motion.h"
#include "engine/problem/rows.h"
#include "engine/step/agenda.h"
#include "engine/step/heal_rows.h"
#include "engine/step/projection.h"
#include "engine/world/islands.h"
#include "parallel/memory.h"

// Gaps are not linear in positions: a pass has several rounds, each with contacts detected anew,
// and in each of them no point of a body moves by more than ROUND_SHARE of the body's size.
#define ROUNDS      4
#define ROUND_SHARE 0.05

#define TARGET        (0.5 * HEALING_BOUND) // of the smaller body's size: overlap that is left
#define NEGLIGIBLE    (0.05 * TARGET)       // errors that are not worth a displacement
#define SWEEPS        200                   // of what moved bodies touch are a round's cost,
#define LEAST_VISITS  100000                // and so many visits more, for small but slow stacks
#define PASS_VISITS   10000000              // are the cost of all rounds, or, where these are more,
#define PASS_SWEEPS   20                    // so many sweeps of all: a pass cannot be interrupted
#define MOST_GROWTH   1.05 // of the largest overlap, in a round that is not dropped
#define PARTING_STEPS 10
#define THROUGH       0.25 // of a sphere's radius: overlap of clumps that are more than wedged
#define STRAIGHT      0.01 // of the size: displacements whose square is below the target

struct healing {
    struct gabion_world *world;
    struct standing standing;
    struct contact_views views; // of the present contacts
    double *push;               // multiplier of each contact, >= 0
    struct heal_rows rows;      // of the contacts that have been visited
    struct agenda agenda;       // of the sweeps after the first one
    struct body_velocity *by;   // displacement of each moving body, and its angle times its radius;
                                // one more, of zero, for all that do not move
    int *moved_in;              // last sweep that moved it
    int sweep;
    size_t visits;     // of the round
    size_t all_visits; // of the rounds before it
    bool moved;        // in this sweep some body was
    bool straight;     // all displacements of the round are small
};

bool healing_needed(const struct gabion_world *world) {
    return world->settings.projection == GABION_AUTOMATIC &&
           world->settings.gap == GABION_GAP_GAP &&
           world->report.max_overlap_relative > HEALING_BOUND;
}

// One row -------------------------------------------------------------------------------------

static vec3 point_moved(const struct healing *healing, int32_t body, vec3 arm) {
    if (body >= healing->world->bodies.moving)
        return vec3_zero();
    return vec3_add(healing->by[body].v, vec3_cross(healing->by[body].s, arm));
}

static double row_moved(const struct healing *healing, const struct contact_row *row, vec3 axis) {
    return vec3_dot(axis, vec3_sub(point_moved(healing, row->c, row->arm_c),
                                   point_moved(healing, row->a, row->arm_a)));
}

// Notes that a sweep moves a body.
static void note_moved(struct healing *healing, int32_t body) {
    if (healing->moved_in[body] == healing->sweep)
        return;
    healing->moved_in[body] = healing->sweep;
    healing->moved = true;
    agenda_add(&healing->agenda, body);
}

static void push_side(struct healing *healing, const struct heal_side *side, double push) {
    if (!(side->weight > 0))
        return;
    struct body_velocity *by = &healing->by[side->body];
    by->v = vec3_add_scaled(by->v, push, side->response.v);
    by->s = vec3_add_scaled(by->s, push, side->response.s);
    note_moved(healing, side->body);
}

// Takes off the error of the row of a joint.
static void correct(struct healing *healing, const struct contact_row *row, vec3 axis,
                    double error) {
    const struct midpoint *midpoint = healing->views.midpoint;
    struct heal_side c = heal_side_of(midpoint, row->c, row->arm_c, axis);
    struct heal_side a = heal_side_of(midpoint, row->a, row->arm_a, vec3_negate(axis));
    if (!(c.weight + a.weight > 0))
        return;
    double change = -error / (c.weight + a.weight);
    push_side(healing, &c, change);
    push_side(healing, &a, change);
}

// Sweeps --------------------------------------------------------------------------------------

static double size_of(const struct healing *healing, const struct contact *contact) {
    return bodies_smaller_size(&healing->world->bodies, contact->c, contact->a);
}

static bool has_moved(const struct healing *healing, int32_t body) {
    return body < healing->world->bodies.moving && healing->moved_in[body] >= 0;
}

static bool moved_lately(const struct healing *healing, int32_t body) {
    return has_moved(healing, body) && healing->moved_in[body] >= healing->sweep - 1;
}

static double normal_velocity(const struct healing *healing, const struct contact *contact) {
    return vec3_dot(contact->normal, contact_velocity_now(&healing->standing.view, contact, NULL));
}

// Returns whether the bodies leave each other within a few steps by themselves after a rebound,
// which may end inside. To move them apart would add to the height that they rebound to.
static bool rebounds(const struct healing *healing, const struct contact *contact) {
    double step = healing->world->settings.step;
    return healing->world->laws.law[contact->law].restitution > 0 &&
           PARTING_STEPS * step * normal_velocity(healing, contact) > -contact->gap;
}

// Returns how far two bodies may be pushed towards each other. Those that are about to meet have
// their way to the next midpoint planned already (engine/contact/ahead.h): what it takes of the gap
// is not free.
static double room_between(const struct healing *healing, const struct contact *contact) {
    const struct gabion_settings *settings = &healing->world->settings;
    double approach = (1 - settings->theta) * settings->step * normal_velocity(healing, contact);
    return fmax(contact->gap + fmin(approach, 0), 0);
}

// Returns how far a round can move two bodies apart.
static double most_apart(const struct healing *healing, const struct contact *contact) {
    const struct bodies *bodies = &healing->world->bodies;
    return ROUND_SHARE * (bodies_size(bodies, contact->c) +
                          (contact->a < bodies->moving ? bodies_size(bodies, contact->a) : 0));
}

static struct heal_row *row_of(struct healing *healing, size_t k) {
    const struct contact *contact = &healing->views.contacts[k];
    struct heal_row *row = heal_rows_get(&healing->rows, k);
    if (row)
        return row;
    row = heal_rows_add(&healing->rows, contact, k);
    double size = size_of(healing, contact);
    double gap = contact->gap > 0 ? room_between(healing, contact) : contact->gap;
    double left = fmin(0, fmax(gap, -TARGET * size));
    row->start = fmax(gap - left, -most_apart(healing, contact));
    row->negligible = NEGLIGIBLE * size;
    return row;
}

// Takes off the error of a contact, as far as its multiplier can become less.
static void correct_contact(struct healing *healing, size_t k, const struct heal_row *row,
                            double error) {
    if (!(row->weight > 0))
        return;
    double change = fmax(-error / row->weight, -healing->push[k]);
    heal_row_push(&healing->rows, row, change, healing->by);
    if (row->moves_c)
        note_moved(healing, row->c);
    if (row->moves_a)
        note_moved(healing, row->a);
    healing->push[k] += change;
}

static void visit_contact(struct healing *healing, size_t k) {
    healing->visits++;
    const struct heal_row *row = row_of(healing, k);
    double error = row->start + heal_row_moved(&healing->rows, row, healing->by);
    if (error < -row->negligible || (error > row->negligible && healing->push[k] > 0))
        correct_contact(healing, k, row, error);
}

// Points of joints stay together.
static void visit_joint(struct healing *healing, const struct joint_block *block) {
    struct contact_row row;
    struct row_law law;
    mat3 W;
    if (!moved_lately(healing, block->c) && !moved_lately(healing, block->a))
        return;
    healing->visits += block->count;
    for (uint32_t k = 0; k < block->count; k++) {
        row_of_joint(&healing->views, block, block->begin + k, &row, &W, &law);
        for (int axis = 0; axis < 3; axis++) {
            double error = row_moved(healing, &row, row.axis[axis]);
            if ((law.held >> axis & 1) && error != 0)
                correct(healing, &row, row.axis[axis], error);
        }
    }
}

// Visits the overlaps to be removed.
static void sweep_overlaps(struct healing *healing) {
    for (size_t k = 0; k < healing->views.count; k++) {
        const struct contact *contact = &healing->views.contacts[k];
        if (contact->gap < -HEALING_BOUND * size_of(healing, contact) &&
            !rebounds(healing, contact))
            visit_contact(healing, k);
    }
}

// Visits what moved bodies touch: there and back, as loads go up and down a stack.
static void sweep_agenda(struct healing *healing) {
    const struct agenda *agenda = &healing->agenda;
    size_t count = healing->views.count;
    if (healing->sweep % 2 == 0)
        for (size_t k = agenda_from(agenda, 0); k < count; k = agenda_from(agenda, k + 1))
            visit_contact(healing, k);
    else
        for (size_t k = agenda_before(agenda, count); k < count; k = agenda_before(agenda, k))
            visit_contact(healing, k);
}

static void sweep_all(struct healing *healing) {
    healing->moved = false;
    if (healing->sweep == 0)
        sweep_overlaps(healing);
    else
        sweep_agenda(healing);
    for (size_t j = 0; j < healing->views.joints->block_count; j++)
        visit_joint(healing, &healing->views.joints->blocks[j]);
    agenda_turn(&healing->agenda);
}

// Returns how many visits of contacts and points of joints the round may take. Contacts that were
// visited have rows.
static size_t budget(const struct healing *healing) {
    size_t joints = healing->views.joints->count, all = healing->views.count + joints;
    size_t pass = PASS_SWEEPS * all > PASS_VISITS ? PASS_SWEEPS * all : PASS_VISITS;
    size_t left = pass > healing->all_visits ? pass - healing->all_visits : 0;
    size_t round = LEAST_VISITS + SWEEPS * (healing->rows.count + joints);
    return round < left ? round : left;
}

// Projected Gauss-Seidel, only where something moves: the cost follows the overlaps, not the scene.
// Returns false when there was nothing to do.
static bool sweep(struct healing *healing) {
    healing->visits = 0;
    for (healing->sweep = 0; healing->visits < budget(healing); healing->sweep++) {
        sweep_all(healing);
        if (!healing->moved)
            break;
    }
    healing->all_visits += healing->visits;
    return healing->sweep > 0;
}

// Limits --------------------------------------------------------------------------------------

static double length_of(struct body_velocity by) { return vec3_length(by.v) + vec3_length(by.s); }

static void join_groups(const struct healing *healing, struct islands *islands) {
    for (size_t k = 0; k < healing->views.count; k++)
        if (healing->push[k] > 0)
            islands_join(islands, healing->views.contacts[k].c, healing->views.contacts[k].a);
    for (size_t j = 0; j < healing->views.joints->block_count; j++)
        islands_join(islands, healing->views.joints->blocks[j].c,
                     healing->views.joints->blocks[j].a);
}

// Bodies that push each other are a group. Its values are at its root.
struct groups {
    struct islands islands;
    double *factor;         // of the displacements of its bodies
    double *before, *after; // its largest overlap, as a share of the smaller body's size
};

static struct groups groups_open(const struct healing *healing) {
    size_t moving = (size_t)healing->world->bodies.moving;
    struct groups groups = {islands_open(healing->world->bodies.moving),
                            memory_allocate(moving, sizeof *groups.factor, "overlaps"),
                            memory_allocate(moving, sizeof *groups.before, "overlaps"),
                            memory_allocate(moving, sizeof *groups.after, "overlaps")};
    join_groups(healing, &groups.islands);
    for (size_t i = 0; i < moving; i++)
        groups.factor[i] = 1;
    return groups;
}

static void groups_close(struct groups *groups) {
    islands_close(&groups->islands);
    memory_free(groups->factor);
    memory_free(groups->before);
    memory_free(groups->after);
}

// No displacement may exceed the limit of the round. Every part of a solution keeps the contacts
// that it keeps as a whole, since their conditions are convex, and takes off the same part of every
// overlap.
static void find_factors(const struct healing *healing, struct groups *groups) {
    const struct bodies *bodies = &healing->world->bodies;
    for (int32_t i = 0; i < bodies->moving; i++) {
        double length = length_of(healing->by[i]), limit = ROUND_SHARE * bodies_size(bodies, i);
        double *factor = &groups->factor[islands_root(&groups->islands, i)];
        *factor = length > limit ? fmin(*factor, limit / length) : *factor;
    }
}

static void shorten(struct healing *healing, const struct groups *groups) {
    for (int32_t i = 0; i < healing->world->bodies.moving; i++) {
        double factor = groups->factor[islands_root(&groups->islands, i)];
        healing->by[i].v = vec3_scale(factor, healing->by[i].v);
        healing->by[i].s = vec3_scale(factor, healing->by[i].s);
    }
}

static void note_overlap(const struct healing *healing, struct groups *groups, int32_t body,
                         double before, double after) {
    if (body >= healing->world->bodies.moving)
        return;
    int32_t root = islands_root(&groups->islands, body);
    groups->before[root] = fmax(groups->before[root], before);
    groups->after[root] = fmax(groups->after[root], after);
}

// Where there is no room, overlaps cannot all be removed, and the sweeps end with bodies pushed
// from one side to the other. Groups whose largest overlap would grow stay where they are.
static void find_failures(struct healing *healing, struct groups *groups) {
    const struct contact_views *views = &healing->views;
    for (size_t k = 0; k < views->count; k++) {
        const struct contact *contact = &views->contacts[k];
        if (!has_moved(healing, contact->c) && !has_moved(healing, contact->a))
            continue;
        const struct heal_row *row = row_of(healing, k);
        double size = size_of(healing, contact), gap = contact->gap;
        double after = gap + heal_row_moved(&healing->rows, row, healing->by);
        note_overlap(healing, groups, contact->c, -gap / size, -after / size);
        note_overlap(healing, groups, contact->a, -gap / size, -after / size);
    }
    for (int32_t i = 0; i < healing->world->bodies.moving; i++)
        groups->factor[i] = groups->after[i] <= MOST_GROWTH * groups->before[i] ? 1 : 0;
}

static void limit_displacements(struct healing *healing) {
    struct groups groups = groups_open(healing);
    find_factors(healing, &groups);
    shorten(healing, &groups);
    find_failures(healing, &groups);
    shorten(healing, &groups);
    groups_close(&groups);
}

// Clumps that go through a block ----------------------------------------------------------------

// Returns whether the sphere of a contact is deeper in a block than that of a clump which is merely
// wedged, and on the far side of the block, seen from the centre of the clump.
static bool goes_through(const struct bodies *bodies, const struct contact *contact) {
    int32_t c = contact->c, a = contact->a;
    if (!pairs_kind(bodies, c, a)->boxes || pairs_kind(bodies, c, a)->one_normal ||
        bodies->shape[c] == GABION_COMPOUND || bodies->shape[a] == GABION_COMPOUND)
        return false; // a compound has no far side: a clump may be in a bay of it
    double radius = pairs_ball_radius(bodies, contact, c) + pairs_ball_radius(bodies, contact, a);
    return -contact->gap > THROUGH * radius &&
           vec3_dot(contact->normal, vec3_sub(bodies->x[c], bodies->x[a])) < 0;
}

// A clump that goes through a thin plate has spheres that would leave it on either side, and would
// be held in it for ever. All are pushed to the side on which its centre is.
static void choose_sides(const struct bodies *bodies, struct contact_list *list) {
    for (size_t k = 0; k < list->count; k++) {
        struct contact *contact = &list->list[k];
        if (!goes_through(bodies, contact))
            continue;
        contact->normal = vec3_negate(contact->normal);
        contact->gap = -bodies_smaller_size(bodies, contact->c, contact->a);
    }
}

// Rounds --------------------------------------------------------------------------------------

// The spin stays as it is. Where its energy would grow, because a body with unequal moments turns
// under it, it is shortened.
static void keep_energy(struct bodies *bodies, int32_t i, double before) {
    double after = ledger_spin_energy(bodies, i);
    if (after > before)
        bodies->w[i] = vec3_scale(sqrt(before / after), bodies->w[i]);
}

static void move_bodies(struct healing *healing) {
    struct bodies *bodies = &healing->world->bodies;
    healing->straight = true;
    for (int32_t i = 0; i < bodies->moving; i++) {
        if (!has_moved(healing, i))
            continue;
        double before = ledger_spin_energy(bodies, i);
        projection_displace(bodies, i, healing->by[i]);
        keep_energy(bodies, i, before);
        if (length_of(healing->by[i]) > STRAIGHT * bodies_size(bodies, i))
            healing->straight = false;
    }
}

static void forget_round(struct healing *healing) {
    for (int32_t i = 0; i < healing->world->bodies.moving; i++) {
        healing->by[i] = (struct body_velocity){vec3_zero(), vec3_zero()};
        healing->moved_in[i] = -2;
    }
}

// Returns false when no overlap was left that is worth a displacement.
static bool do_round(struct healing *healing) {
    const struct gabion_world *view = &healing->standing.view;
    struct contact_list list = {0};
    standing_find(&healing->standing, ROUND_SHARE, &list);
    choose_sides(&view->bodies, &list);
    healing->views = (struct contact_views){.midpoint = view->midpoint,
                                            .contacts = list.list,
                                            .count = list.count,
                                            .joints = &view->contacts->joints,
                                            .laws = view->laws.law,
                                            .law_count = view->laws.count};
    healing->push = memory_allocate(list.count, sizeof *healing->push, "overlaps");
    healing->rows = heal_rows_open(view->midpoint, list.count);
    healing->agenda = agenda_open(list.list, list.count, view->bodies.moving);
    forget_round(healing);
    bool moved = sweep(healing);
    limit_displacements(healing);
    move_bodies(healing);
    standing_follow(&healing->standing);
    agenda_close(&healing->agenda);
    heal_rows_close(&healing->rows);
    memory_free(healing->push);
    contact_list_free(&list);
    return moved;
}

void healing_apply(struct gabion_world *world) {
    piece_gather(world);
    motion_gather_masses(world);
    size_t moving = (size_t)world->bodies.moving;
    struct healing healing = {
        .world = world,
        .by = memory_allocate(moving + 1, sizeof *healing.by, "overlaps"),
        .moved_in = memory_allocate(moving, sizeof *healing.moved_in, "overlaps"),
    };
    standing_open(&healing.standing, world, (ROUNDS + 1) * ROUND_SHARE);
    for (int round = 0; round < ROUNDS && do_round(&healing); round++)
        if (healing.straight)
            break;
    standing_close(&healing.standing);
    memory_free(healing.by);
    memory_free(healing.moved_in);
}
