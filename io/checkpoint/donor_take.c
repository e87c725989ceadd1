// The bodies that a case defines take the state that they have in another run.
#include <inttypes.h>

#include "io/checkpoint/donor_state.h"
#include "parallel/memory.h"

// Who is who ----------------------------------------------------------------------------------

// Ids of a world by group, ascending: those of group g are id[start[g]] to id[start[g + 1]].
struct roll {
    size_t *start;
    int32_t *id;
    bool gaps; // some have left the run
};

// Returns the group of a body that is in the run or waits to enter; -1: it has left.
static int *list_groups(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    int *group = memory_allocate((size_t)bodies->id_count, sizeof *group, "groups of bodies");
    for (int32_t id = 0; id < bodies->id_count; id++)
        group[id] = bodies->index_of[id] < 0 ? -1 : bodies->group[bodies->index_of[id]];
    for (int k = 0; k < world->pending_count; k++)
        group[world->pending[k].id] = world->pending[k].body.group;
    return group;
}

static struct roll roll_call(const struct gabion_world *world) {
    int32_t ids = world->bodies.id_count;
    int groups = world->groups.count, *group = list_groups(world);
    struct roll roll = {
        memory_allocate((size_t)groups + 1, sizeof *roll.start, "bodies by group"),
        memory_allocate((size_t)ids, sizeof *roll.id, "bodies by group"),
        false,
    };
    for (int32_t id = 0; id < ids; id++)
        if (group[id] >= 0)
            roll.start[group[id] + 1]++;
        else
            roll.gaps = true;
    for (int g = 0; g < groups; g++)
        roll.start[g + 1] += roll.start[g];
    size_t *next = memory_allocate((size_t)groups, sizeof *next, "bodies by group");
    for (int32_t id = 0; id < ids; id++)
        if (group[id] >= 0)
            roll.id[roll.start[group[id]] + next[group[id]]++] = id;
    memory_free(next);
    memory_free(group);
    return roll;
}

static void roll_free(struct roll *roll) {
    memory_free(roll->start);
    memory_free(roll->id);
}

// Pairs the bodies of one group. Where some of them have left the other run it is not known which:
// the ids, counted from the first one, then say more than the order.
static void pair_group(const int32_t *here, size_t count, const int32_t *there, size_t others,
                       bool gaps, int32_t *partner) {
    size_t k = 0;
    for (size_t r = 0; r < count; r++) {
        if (!gaps || count == others) {
            if (r < others)
                partner[here[r]] = there[r];
            continue;
        }
        int32_t wanted = there[0] + (here[r] - here[0]);
        while (k < others && there[k] < wanted)
            k++;
        if (k < others && there[k] == wanted)
            partner[here[r]] = wanted;
    }
}

static void pair_by_group(const struct gabion_world *world, const struct gabion_world *other,
                          int32_t *partner) {
    struct roll here = roll_call(world), there = roll_call(other);
    for (int g = 0; g < world->groups.count; g++) {
        int h = gabion_find_group(other, world->groups.name[g]);
        size_t count = here.start[g + 1] - here.start[g];
        size_t others = h < 0 ? 0 : there.start[h + 1] - there.start[h];
        if (count > 0 && others > 0)
            pair_group(here.id + here.start[g], count, there.id + there.start[h], others,
                       there.gaps, partner);
    }
    roll_free(&here);
    roll_free(&there);
}

// Returns the id in the donor of every body of the world; -1: it has none.
static int32_t *pair_bodies(const struct donor_transfer *transfer, enum donor_match match) {
    const struct gabion_world *world = transfer->world, *other = transfer->donor->world;
    int32_t ids = world->bodies.id_count;
    int32_t *partner = memory_allocate((size_t)ids, sizeof *partner, "pairs of bodies");
    for (int32_t id = 0; id < ids; id++)
        partner[id] = match == DONOR_BY_ID && id < other->bodies.id_count ? id : -1;
    if (match == DONOR_BY_GROUP)
        pair_by_group(world, other, partner);
    return partner;
}

// Shapes --------------------------------------------------------------------------------------

#define SAME_LENGTH 1e-9 // of the radius: another compiler may round a shape differently

// Compounds touch planes with the corners of their hull; two with one hull may differ in their
// parts.
static bool are_same_parts(const struct compound *a, const struct compound *b, double slack) {
    if (a->count != b->count)
        return false;
    for (int32_t k = 0; k < a->count; k++) {
        const struct compound_part *here = &a->part[k], *there = &b->part[k];
        if (!(vec3_length(vec3_sub(here->low, there->low)) <= slack) ||
            !(vec3_length(vec3_sub(here->high, there->high)) <= slack) ||
            here->shape->corner_count != there->shape->corner_count)
            return false;
    }
    return true;
}

static bool is_same_shape(const struct bodies *a, int32_t i, const struct bodies *b, int32_t j) {
    const struct shape_kind *kind = bodies_shape(a, i);
    if (kind != bodies_shape(b, j))
        return false;
    if (kind->wall)
        return true;
    double slack = SAME_LENGTH * a->radius[i];
    if (!(fabs(a->radius[i] - b->radius[j]) <= slack))
        return false;
    if (!kind->balls)
        return true;
    if (a->shape[i] == GABION_COMPOUND &&
        !are_same_parts(bodies_compound(a, i), bodies_compound(b, j), slack))
        return false;
    struct shape_balls here = kind->balls(a, i), there = kind->balls(b, j);
    if (here.count != there.count)
        return false;
    for (int32_t k = 0; here.centre && k < here.count; k++) {
        double r = here.radii ? here.radii[k] - there.radii[k] : 0;
        if (!(vec3_length(vec3_sub(here.centre[k], there.centre[k])) <= slack) ||
            !(fabs(r) <= slack))
            return false;
    }
    return true;
}

// Taking --------------------------------------------------------------------------------------

// What was not taken of bodies, and why.
enum untaken {
    MISSING,       // not in the donor
    MISSING_FIXED, // likewise, and never moves
    MISFIT,        // of another shape or size
    MOVED,         // fixed, and elsewhere
    EXTRA,         // in the donor alone
    EXTRA_FIXED,   // likewise, and never moves
    WEIGHT,        // its mass
    LOCKED,        // motion that the case locks
    UNTAKEN
};

static const struct {
    bool warning, there; // there: counted among the groups of the donor
    const char *text;
} untaken_rows[UNTAKEN] = {
    [MISSING] = {true, false,
                 "not in it, and left where the case puts them (compare the case with that of the "
                 "file; `--match id` pairs by id)"},
    [MISSING_FIXED] = {false, false, "fixed, and only in the case"},
    [MISFIT] = {true, false,
                "of another shape or size than in it, and left where the case puts "
                "them (make the shapes of the case those of the file)"},
    [MOVED] = {false, false, "fixed, and elsewhere in the case than in it; the case holds"},
    [EXTRA] = {true, true,
               "in it, but not in the case, and left out (define them in the case, or "
               "import them: imports)"},
    [EXTRA_FIXED] = {false, true, "fixed, and only in it; left out"},
    [WEIGHT] = {false, false, "of another mass there; that of the case holds"},
    [LOCKED] = {true, false,
                "in motion there along what the case locks, and that motion is left out (let go of "
                "it: lock, plane)"},
};

// What becomes of the bodies of a world that takes the state of others.
struct taking {
    const struct donor_transfer *transfer;
    int32_t *partner; // id here -> id there
    int32_t *of;      // id there -> id here
    int64_t taken, entered;
    struct tally untaken[UNTAKEN];
};

// Lets the bodies that wait, and that are in the other run, enter at once.
static void enter_now(struct taking *taking) {
    struct gabion_world *world = taking->transfer->world;
    const struct bodies *from = &taking->transfer->donor->world->bodies;
    struct memory_account *before = memory_account_use(world->account);
    int left = 0;
    for (int k = 0; k < world->pending_count; k++) {
        int32_t id = world->pending[k].id, there = taking->partner[id];
        if (there >= 0 && from->index_of[there] >= 0) {
            bodies_append(&world->bodies, id, &world->pending[k].body);
            taking->entered++;
        } else {
            world->pending[left++] = world->pending[k];
        }
    }
    world->pending_count = left;
    memory_account_use(before);
}

static bool is_placed(const struct bodies *bodies, int32_t i, vec3 x, quat q) {
    vec3 y = bodies->x[i];
    quat p = bodies->q[i];
    return x.x == y.x && x.y == y.y && x.z == y.z && q.w == p.w && q.x == p.x && q.y == p.y &&
           q.z == p.z;
}

// Returns whether the case puts a fixed body where the other run first had it, before its drivers
// moved it.
static bool stood_here(const struct taking *taking, int32_t i, int32_t there) {
    const struct bodies *here = &taking->transfer->world->bodies;
    const struct gabion_world *other = taking->transfer->donor->world;
    for (int k = 0; k < other->driven_count; k++)
        if (other->driven[k].id == there)
            return is_placed(here, i, other->driven[k].origin, other->driven[k].orientation);
    return false;
}

static void put_body(struct bodies *to, int32_t i, const struct bodies *from, int32_t j) {
    to->x[i] = from->x[j];
    to->q[i] = from->q[j];
    to->start_of[to->id[i]] = from->x[j];
}

// A fixed body goes where drivers have moved it. Where the case puts it elsewhere than the other
// run first did, the case holds: that is what was varied.
static void take_fixed(struct taking *taking, int32_t i, int32_t j) {
    struct bodies *to = &taking->transfer->world->bodies;
    const struct bodies *from = &taking->transfer->donor->world->bodies;
    if (is_placed(to, i, from->x[j], from->q[j]))
        return;
    if (stood_here(taking, i, from->id[j]))
        put_body(to, i, from, j);
    else
        tally_add(&taking->untaken[MOVED], to->group[i], to->id[i]);
}

static void take_motion(struct taking *taking, int32_t i, int32_t j) {
    struct bodies *to = &taking->transfer->world->bodies;
    const struct bodies *from = &taking->transfer->donor->world->bodies;
    bool changed = false;
    put_body(to, i, from, j);
    if (to->mass[i] == 0) // fixed here, and free there
        return;
    to->v[i] = donor_unlock(from->v[j], to->lock[i], &changed);
    to->w[i] = donor_unlock(from->w[j], to->lock[i] >> 3, &changed);
    if (changed)
        tally_add(&taking->untaken[LOCKED], to->group[i], to->id[i]);
    if (!taking->transfer->donor->frame && to->mass[i] != from->mass[j])
        tally_add(&taking->untaken[WEIGHT], to->group[i], to->id[i]);
}

static bool stands_still(const struct taking *taking, int32_t i, int32_t j) {
    const struct bodies *to = &taking->transfer->world->bodies;
    const struct donor *donor = taking->transfer->donor;
    bool fixed_there = !donor->frame && donor->world->bodies.mass[j] == 0;
    return bodies_is_wall(to, i) || (to->mass[i] == 0 && (fixed_there || donor->frame));
}

static void take_body(struct taking *taking, int32_t id) {
    const struct bodies *to = &taking->transfer->world->bodies;
    const struct bodies *from = &taking->transfer->donor->world->bodies;
    int32_t there = taking->partner[id], j = there < 0 ? -1 : from->index_of[there];
    int32_t i = to->index_of[id];
    if (i < 0)
        return; // it waits, here and there
    if (j < 0) {
        bool fixed = to->mass[i] == 0;
        tally_add(&taking->untaken[fixed ? MISSING_FIXED : MISSING], to->group[i], id);
        return;
    }
    if (!is_same_shape(to, i, from, j)) {
        tally_add(&taking->untaken[MISFIT], to->group[i], id);
        return;
    }
    taking->of[there] = id;
    if (stands_still(taking, i, j)) {
        take_fixed(taking, i, j);
    } else {
        take_motion(taking, i, j);
        taking->taken++;
    }
}

// Bodies there that no body here is paired with.
static void count_extra(struct taking *taking) {
    const struct donor *donor = taking->transfer->donor;
    const struct bodies *bodies = &donor->world->bodies;
    bool *paired = memory_allocate((size_t)bodies->id_count, sizeof *paired, "pairs of bodies");
    for (int32_t id = 0; id < taking->transfer->world->bodies.id_count; id++)
        if (taking->partner[id] >= 0)
            paired[taking->partner[id]] = true;
    for (int32_t id = 0; id < bodies->id_count; id++) {
        int32_t i = bodies->index_of[id];
        if (i < 0 || paired[id])
            continue;
        bool fixed = bodies_is_wall(bodies, i) || (!donor->frame && bodies->mass[i] == 0);
        tally_add(&taking->untaken[fixed ? EXTRA_FIXED : EXTRA], bodies->group[i], id);
    }
    memory_free(paired);
}

// Returns the joint here that is the same as one of the donor, of the same kind between the same
// bodies, and is not used yet; -1: there is none.
static int find_joint(const struct taking *taking, const struct joint *from, const bool *used) {
    const struct joints *here = &taking->transfer->world->joints;
    int32_t id[2];
    for (int i = 0; i < 2; i++) {
        id[i] = from->id[i] < 0 ? -1 : taking->of[from->id[i]];
        if (from->id[i] >= 0 && id[i] < 0)
            return -1;
    }
    for (int m = 0; m < here->count; m++) {
        const struct joint *to = &here->list[m];
        if (!used[m] && to->kind == from->kind && to->id[0] == id[0] && to->id[1] == id[1])
            return m;
    }
    return -1;
}

// Joints that both have take their impulses. The others are added, or reported.
static void take_joints(struct taking *taking, bool add) {
    const struct donor_transfer *transfer = taking->transfer;
    struct joints *here = &transfer->world->joints;
    const struct joints *there = &transfer->donor->world->joints;
    double scale = donor_scale(transfer);
    struct joint_list left = {0};
    bool *used = memory_allocate((size_t)here->count, sizeof *used, "joints");
    bool *had = memory_allocate((size_t)there->count, sizeof *had, "joints");
    for (int k = 0; k < there->count; k++) {
        const struct joint *from = &there->list[k];
        int m = find_joint(taking, from, used);
        had[k] = m >= 0;
        if (!had[k])
            joint_list_add(&left, from);
        for (int p = 0; had[k] && p < JOINT_POINTS; p++)
            here->list[m].impulse[p] = vec3_scale(scale, from->impulse[p]);
        if (had[k])
            used[m] = true;
    }
    if (add) {
        donor_add_joints(transfer, taking->of, NULL, had, "from");
    } else {
        joints_report_unread(transfer, "from");
        joint_list_report(&left, transfer, "from",
                          "joints that the case does not have, left out (from.joints: add adds "
                          "them)");
    }
    memory_free(used);
    memory_free(had);
}

// Reports -------------------------------------------------------------------------------------

static void report_untaken(const struct taking *taking) {
    char text[TALLY_TEXT];
    for (int k = 0; k < UNTAKEN; k++)
        if (taking->untaken[k].count > 0)
            remarks_add(taking->transfer->remarks, untaken_rows[k].warning, "from %s: %s: %s",
                        taking->transfer->donor->path, untaken_rows[k].text,
                        tally_print(&taking->untaken[k], text));
}

static void report(const struct taking *taking, size_t kept, size_t lost, enum donor_match match) {
    struct remarks *remarks = taking->transfer->remarks;
    const char *path = taking->transfer->donor->path;
    remarks_add(remarks, false,
                "from %s: bodies taken, by %s: %" PRId64 "; impulses taken: %zu of %zu", path,
                match == DONOR_BY_ID ? "id" : "group", taking->taken, kept, kept + lost);
    if (taking->entered > 0)
        remarks_add(remarks, false,
                    "from %s: bodies that the case lets enter later and that are in it from the "
                    "start: %" PRId64,
                    path, taking->entered);
    report_untaken(taking);
    if (lost > 0)
        remarks_add(remarks, false,
                    "from %s: impulses between bodies that were not both taken, and dropped: %zu",
                    path, lost);
}

static bool take_all(struct taking *taking, enum donor_match match, bool add_joints,
                     struct gabion_error *error) {
    const struct donor_transfer *transfer = taking->transfer;
    size_t before = transfer->kept->count;
    enter_now(taking);
    for (int32_t id = 0; id < transfer->world->bodies.id_count; id++)
        take_body(taking, id);
    count_extra(taking);
    if (taking->taken == 0) {
        char text[TALLY_TEXT];
        return error_set(error, GABION_ERROR_INPUT,
                         "from %s: no body of the case is in it (by %s); it has %s",
                         transfer->donor->path, match == DONOR_BY_ID ? "id" : "group",
                         tally_print(&taking->untaken[EXTRA], text));
    }
    size_t lost = donor_keep_contacts(transfer, taking->of, NULL, vec3_zero());
    transfer->world->memory = transfer->donor->world->memory;
    report(taking, transfer->kept->count - before, lost, match);
    take_joints(taking, add_joints);
    return true;
}

bool donor_take(const struct donor_transfer *transfer, enum donor_match match, bool add_joints,
                struct gabion_error *error) {
    const struct gabion_world *other = transfer->donor->world;
    bool grouped = !transfer->donor->frame;
    if (!grouped)
        match = DONOR_BY_ID;
    struct taking taking = {
        .transfer = transfer,
        .partner = pair_bodies(transfer, match),
        .of = memory_allocate((size_t)other->bodies.id_count, sizeof *taking.of, "pairs of bodies"),
    };
    for (int32_t id = 0; id < other->bodies.id_count; id++)
        taking.of[id] = -1;
    for (int k = 0; k < UNTAKEN; k++)
        taking.untaken[k] = untaken_rows[k].there ? tally_start(other, grouped)
                                                  : tally_start(transfer->world, true);
    bool good = take_all(&taking, match, add_joints, error);
    memory_free(taking.partner);
    memory_free(taking.of);
    for (int k = 0; k < UNTAKEN; k++)
        tally_free(&taking.untaken[k]);
    return good;
}
