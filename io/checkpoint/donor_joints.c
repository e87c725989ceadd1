// Joints of another run, with their impulses, between bodies that this one has from it.
#include <inttypes.h>
#include <stdio.h>

#include "io/checkpoint/donor_state.h"
#include "parallel/memory.h"

// Points of a joint that stand apart by less than this share of its lever are together.
#define TOGETHER 1e-9

// Lists for messages ----------------------------------------------------------------------------

static const char *kind_name(enum gabion_joint_kind kind) {
    static const char *const names[GABION_JOINT_COUNT] = {
        [GABION_JOINT_BALL] = "ball",
        [GABION_JOINT_HINGE] = "hinge",
        [GABION_JOINT_FIXED] = "fixed",
        [GABION_JOINT_DISTANCE] = "distance",
    };
    return names[kind];
}

void joint_list_add(struct joint_list *list, const struct joint *joint) {
    const char *separator = list->count > 0 ? ", " : "";
    if (list->count < JOINT_LIST_NAMED && joint->id[1] < 0)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                       "%s%s of %" PRId32 " and the world", separator,
                                       kind_name(joint->kind), joint->id[0]);
    else if (list->count < JOINT_LIST_NAMED)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                       "%s%s of %" PRId32 " and %" PRId32, separator,
                                       kind_name(joint->kind), joint->id[0], joint->id[1]);
    else if (list->count == JOINT_LIST_NAMED)
        list->used +=
            (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, " ...");
    list->count++;
}

void joints_report_unread(const struct donor_transfer *transfer, const char *verb) {
    if (transfer->donor->unread_joints > 0)
        remarks_add(transfer->remarks, true,
                    "%s %s: joints, which are taken from checkpoints alone, left out: %zu (take "
                    "the checkpoint)",
                    verb, transfer->donor->path, transfer->donor->unread_joints);
}

void joint_list_report(const struct joint_list *list, const struct donor_transfer *transfer,
                       const char *verb, const char *what) {
    if (list->count > 0)
        remarks_add(transfer->remarks, true, "%s %s: %s: %" PRId64 " (by ids there: %s)", verb,
                    transfer->donor->path, what, list->count, list->text);
}

// Joints ----------------------------------------------------------------------------------------

static int32_t id_here(const int32_t *of, int32_t id) { return id < 0 ? -1 : of[id]; }

static bool is_here(const int32_t *of, int32_t id) { return id < 0 || of[id] >= 0; }

static bool moves(const struct gabion_world *world, int32_t id) {
    int32_t i = id < 0 ? -1 : world->bodies.index_of[id];
    for (int k = 0; i < 0 && k < world->pending_count; k++)
        if (world->pending[k].id == id)
            return !world->pending[k].body.fixed;
    return i >= 0 && world->bodies.mass[i] > 0;
}

static mat3 turn_columns(const mat3 *turn, const mat3 *frame) {
    mat3 turned;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            vec3 column = {vec3_get(frame->row[0], j), vec3_get(frame->row[1], j),
                           vec3_get(frame->row[2], j)};
            vec3_set(&turned.row[i], j, vec3_dot(turn->row[i], column));
        }
    return turned;
}

// Returns a joint of the donor as it is here: in the axes of its bodies nothing changes, and the
// side of the world turns and moves with them. Impulses are in axes that turn with the second side.
static struct joint carry(const struct donor_transfer *transfer, const struct joint *from,
                          const int32_t *of, const struct donor_placing *placing) {
    struct joint joint = *from;
    double scale = donor_scale(transfer);
    for (int i = 0; i < 2; i++) {
        joint.id[i] = id_here(of, from->id[i]);
        if (joint.id[i] >= 0 || !placing)
            continue;
        struct joint_side *side = &joint.side[i];
        side->anchor = vec3_add(placing->move, mat3_apply(placing->turn, side->anchor));
        side->frame = turn_columns(&placing->turn, &side->frame);
    }
    for (int p = 0; p < JOINT_POINTS; p++)
        joint.impulse[p] = vec3_scale(scale, from->impulse[p]);
    return joint;
}

static void append(struct gabion_world *world, const struct joint *joint) {
    struct joints *joints = &world->joints;
    struct memory_account *before = memory_account_use(world->account);
    joints->list =
        memory_resize(joints->list, (size_t)joints->count + 1, sizeof *joints->list, "joints");
    joints->list[joints->count++] = *joint;
    memory_account_use(before);
}

void donor_add_joints(const struct donor_transfer *transfer, const int32_t *of,
                      const struct donor_placing *placing, const bool *had, const char *verb) {
    const struct gabion_world *other = transfer->donor->world;
    struct joint_list parted = {0}, fixed = {0}, torn = {0};
    int64_t added = 0;
    for (int k = 0; k < other->joints.count; k++) {
        const struct joint *from = &other->joints.list[k];
        bool first = is_here(of, from->id[0]), second = is_here(of, from->id[1]);
        bool concerned = first || (second && from->id[1] >= 0);
        if ((had && had[k]) || !concerned)
            continue;
        if (!first || !second) {
            joint_list_add(&parted, from);
            continue;
        }
        struct joint joint = carry(transfer, from, of, placing);
        double slack = TOGETHER * joint.lever + joint_error(other, from) * (1 + TOGETHER);
        if (!moves(transfer->world, joint.id[0]) && !moves(transfer->world, joint.id[1])) {
            joint_list_add(&fixed, from);
        } else if (!(joint_error(transfer->world, &joint) <= slack)) {
            joint_list_add(&torn, from);
        } else {
            append(transfer->world, &joint);
            added++;
        }
    }
    joints_report_unread(transfer, verb);
    if (added > 0)
        remarks_add(transfer->remarks, false, "%s %s: joints added, with their impulses: %" PRId64,
                    verb, transfer->donor->path, added);
    joint_list_report(&parted, transfer, verb,
                      "joints left out, because only one of their bodies was taken");
    joint_list_report(&fixed, transfer, verb,
                      "joints left out, because both of their bodies are fixed here");
    joint_list_report(&torn, transfer, verb,
                      "joints left out, because a body of them stands elsewhere here");
}
