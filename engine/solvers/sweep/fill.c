// Fills the lanes, blocks and points of a sweep plan (engine/solvers/sweep/plan.h).
#include "engine/problem/rows.h"
#include "engine/problem/weigh.h"
#include "engine/solvers/local/alart_curnier.h"
#include "engine/solvers/local/local.h"
#include "engine/solvers/sweep/lane_block.h"
#include "engine/solvers/sweep/layout.h"
#include "geometry/eigen.h"
#include "parallel/team.h"

struct filling {
    struct sweep_plan *plan;
    const vec3 *r; // start impulses over the slots of the views
};

// Lanes ---------------------------------------------------------------------------------------

static void set_lane(struct sphere_group *group, uint32_t lane, int32_t c, int32_t a, vec3 n,
                     vec3 p, double b) {
    group->c[lane] = c;
    group->a[lane] = a;
    lane_set(&group->n, lane, n);
    lane_set(&group->p, lane, p);
    group->b[lane] = b;
}

static void fill_lane(const struct filling *filling, size_t node, uint32_t slot) {
    struct sweep_plan *plan = filling->plan;
    const struct layout *layout = plan->layout;
    uint32_t k = layout->contact[node];
    plan->slot[k] = slot;
    set_lane(&plan->groups[slot / LANES], slot % LANES, layout->first[node], layout->second[node],
             plan->views->contacts[k].normal, filling->r[k], plan->views->bias[k]);
}

static void fill_unused_lanes(struct sweep_plan *plan) {
    int32_t null_body = plan->solver_body_count - 1;
    for (size_t k = 0; k < plan->batch_count; k++) {
        const struct batch *batch = &plan->batches[k];
        if (batch->kind != BATCH_SPHERE_PAIR && batch->kind != BATCH_SPHERE_FIXED)
            continue;
        for (uint32_t lane = batch->lanes; lane < LANES; lane++)
            set_lane(&plan->groups[batch->end - 1], lane, null_body, null_body, vec3_zero(),
                     vec3_zero(), 0);
    }
}

// Blocks --------------------------------------------------------------------------------------

// Returns the number of contacts of a node, active or not.
static size_t node_span(const struct sweep_plan *plan, size_t node) {
    size_t first = plan->layout->contact[node], span = 1;
    const struct contact *contact = &plan->views->contacts[first];
    while (first + span < plan->views->count && layout_same_node(contact, &contact[span]))
        span++;
    return span;
}

// The points of a block are placed later: `begin` keeps its first contact until then.
static void start_block(const struct sweep_plan *plan, size_t node, struct block *block) {
    const struct layout *layout = plan->layout;
    *block = (struct block){.c = layout->first[node], .a = layout->second[node], .joint = -1};
    if (node >= layout->joints) {
        block->joint = (int32_t)layout->contact[node];
        const struct joint_block *joint = &plan->views->joints->blocks[block->joint];
        block->n = joint->axis[0];
        block->s = joint->axis[1];
        block->t = joint->axis[2];
        block->count = joint->count;
        return;
    }
    const struct contact *contact = &plan->views->contacts[layout->contact[node]];
    block_frame(block, contact->normal);
    block->begin = layout->contact[node];
    block->count = layout->points[node];
}

// The other members follow from those of all lanes.
static void start_lane(const struct sweep_plan *plan, size_t node, uint32_t slot) {
    const struct layout *layout = plan->layout;
    struct lane_block *block = &plan->lane_blocks[slot / LANES];
    uint32_t lane = slot % LANES, contact = layout->contact[node];
    block->c[lane] = layout->first[node];
    block->a[lane] = layout->second[node];
    block->first[lane] = contact;
    block->points[lane] = (uint16_t)layout->points[node];
    lane_set(&block->n, lane, plan->views->contacts[contact].normal);
}

static void clear_slots(void *context, size_t begin, size_t end) {
    struct sweep_plan *plan = context;
    for (size_t k = begin; k < end; k++)
        plan->slot[k] = SLOT_NONE;
}

static void fill_nodes(void *context, int thread, int threads) {
    const struct filling *filling = context;
    struct sweep_plan *plan = filling->plan;
    struct layout *layout = plan->layout;
    uint32_t *place = layout->histogram + (size_t)thread * layout_bins(plan);
    size_t begin, end;
    team_share(0, plan->nodes, thread, threads, &begin, &end);
    for (size_t node = begin; node < end; node++) {
        uint32_t bin = layout_bin(plan, node), slot = place[bin]++;
        enum batch_kind kind = layout_kind(plan, bin);
        if (kind == BATCH_BLOCK)
            start_block(plan, node, &plan->blocks[slot]);
        else if (kind == BATCH_LANES)
            start_lane(plan, node, slot);
        else
            fill_lane(filling, node, slot);
    }
}

// Numbers the active contacts from the given one on: the first gets `slot`, each other one a slot
// that is `stride` further.
static void number_contacts(struct sweep_plan *plan, uint32_t contact, uint32_t count,
                            uint32_t slot, uint32_t stride) {
    for (; count > 0; contact++)
        if (plan->views->contacts[contact].flags & CONTACT_ACTIVE) {
            plan->slot[contact] = slot;
            slot += stride;
            count--;
        }
}

// Replaces `begin` of each block, its first contact until now, by its first point.
static void place_points(struct sweep_plan *plan) {
    plan->point_count = 0;
    for (size_t k = 0; k < plan->block_count; k++) {
        struct block *block = &plan->blocks[k];
        uint32_t contact = block->begin, point = (uint32_t)plan->point_count;
        block->begin = point;
        plan->point_count += block->count;
        if (block->joint >= 0)
            plan->joint_slot[block->joint] = point;
        else
            number_contacts(plan, contact, block->count, SLOT_POINT | point, 1);
    }
    plan->points = memory_reserve_aligned(plan->points, &plan->point_capacity, plan->point_count,
                                          sizeof *plan->points, "contact points");
    plan->general = plan->point_count;
    plan->general_nodes = plan->block_count;
}

static void place_lane_block(struct sweep_plan *plan, struct lane_block *block, uint32_t lanes) {
    block->begin = (uint32_t)plan->lane_point_count;
    lane_block_close(plan, block, lanes);
    plan->lane_point_count += block->count;
    plan->general_nodes += lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        plan->general += block->points[lane];
        number_contacts(plan, block->first[lane], block->points[lane],
                        SLOT_LANE | (block->begin * LANES + lane), LANES);
    }
}

static void place_lane_points(struct sweep_plan *plan) {
    plan->lane_point_count = 0;
    for (size_t k = 0; k < plan->batch_count; k++) {
        const struct batch *batch = &plan->batches[k];
        for (uint32_t b = batch->begin; batch->kind == BATCH_LANES && b < batch->end; b++)
            place_lane_block(plan, &plan->lane_blocks[b],
                             b + 1 < batch->end ? LANES : batch->lanes);
    }
    plan->lane_points =
        memory_reserve_aligned(plan->lane_points, &plan->lane_point_capacity,
                               plan->lane_point_count, sizeof *plan->lane_points, "contact points");
    for (size_t k = 0; k < plan->lane_block_count; k++)
        lane_block_clear(&plan->lane_blocks[k], plan->lane_points);
}

// Points --------------------------------------------------------------------------------------

// Computes W and rho of a point. W is that of the copies of split bodies, which the sweep moves;
// rho scales the residual and is that of the whole bodies.
static void weigh(const struct sweep_plan *plan, const struct contact_row *row, int32_t c,
                  int32_t a, struct block_point *point) {
    point->W = contact_weigh(row, &plan->inverse[c], &plan->inverse[a]);
    mat3 whole = point->W;
    double copies_c = solver_copies(plan, c), copies_a = solver_copies(plan, a);
    if (copies_c * copies_a > 1) {
        struct inverse_mass mass_c = inverse_mass_scale(1 / copies_c, plan->inverse[c]);
        struct inverse_mass mass_a = inverse_mass_scale(1 / copies_a, plan->inverse[a]);
        whole = contact_weigh(row, &mass_c, &mass_a);
    }
    double norm = mat3_largest(whole);
    point->rho = norm > 0 ? 1 / norm : 0;
}

static void fill_point(const struct sweep_plan *plan, const struct block *block,
                       const struct contact_row *row, const struct row_law *law, vec3 impulse,
                       struct block_point *point) {
    *point = (struct block_point){.arm_c = row->arm_c,
                                  .arm_a = row->arm_a,
                                  .b = law->b,
                                  .held = law->held,
                                  .r = row_from_slot(plan->views, row, impulse)};
    weigh(plan, row, block->c, block->a, point);
    if (plan->slot_rho)
        plan->slot_rho[row->slot] = point->rho;
    if (law->held) {
        point->r = hold_keep(law->held, point->r);
        return;
    }
    point->inverse = alart_curnier_inverse(&point->W);
    point->local = (uint8_t)local_choose(plan->local, false);
}

// The directions that a joint holds, point after point.
struct held_row {
    const struct block_point *point;
    int axis;
};

static int list_rows(const struct block_point *points, uint32_t count, struct held_row *rows) {
    int n = 0;
    for (uint32_t k = 0; k < count; k++)
        for (int axis = 0; axis < 3; axis++)
            if (points[k].held >> axis & 1)
                rows[n++] = (struct held_row){&points[k], axis};
    return n;
}

// Returns the velocity along the axis of row k that a unit impulse along that of row l causes.
static double coupling(const struct sweep_plan *plan, const struct block *block,
                       const struct held_row *k, const struct held_row *l) {
    vec3 axes[3] = {block->n, block->s, block->t}, along = axes[k->axis], p = axes[l->axis];
    return vec3_dot(along, contact_respond(&plan->inverse[block->c], k->point->arm_c,
                                           l->point->arm_c, p)) +
           vec3_dot(along,
                    contact_respond(&plan->inverse[block->a], k->point->arm_a, l->point->arm_a, p));
}

static void invert_joint(const struct sweep_plan *plan, const struct block *block,
                         const struct block_point *points, struct joint_inverse *inverse) {
    struct held_row rows[HOLD_MOST];
    int n = list_rows(points, block->count, rows);
    double trace = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            inverse->a[i][j] = inverse->a[j][i] = coupling(plan, block, &rows[i], &rows[j]);
    for (int i = 0; i < n; i++)
        trace += inverse->a[i][i];
    hold_invert(inverse->a, n, HOLD_FLOOR * trace);
}

static void fill_joint(const struct filling *filling, const struct block *block) {
    struct sweep_plan *plan = filling->plan;
    const struct joint_block *joint = &plan->views->joints->blocks[block->joint];
    struct block_point *points = &plan->points[plan->joint_slot[block->joint]];
    struct contact_row row;
    struct row_law law;
    mat3 W;
    for (uint32_t k = 0; k < block->count; k++) {
        row_of_joint(plan->views, joint, joint->begin + k, &row, &W, &law);
        fill_point(plan, block, &row, &law, filling->r[row.slot], &points[k]);
    }
    invert_joint(plan, block, points, &plan->joint_inverses[block->joint]);
}

static void fill_contacts(const struct filling *filling, size_t node, const struct block *block) {
    struct sweep_plan *plan = filling->plan;
    const struct layout *layout = plan->layout;
    uint32_t first = layout->contact[node];
    struct contact_row row;
    struct row_law law;
    size_t end = first + node_span(plan, node);
    for (size_t k = first; k < end; k++) {
        uint32_t slot = plan->slot[k];
        struct block_point point;
        if (slot == SLOT_NONE || !(slot & (SLOT_POINT | SLOT_LANE)))
            continue;
        row_of_contact(plan->views, k, &row, &law);
        fill_point(plan, block, &row, &law, filling->r[k], &point);
        if (slot & SLOT_POINT)
            plan->points[slot & ~SLOT_POINT] = point;
        else
            lane_point_put(plan, k, block, &point);
    }
}

static void fill_points(void *context, int thread, int threads) {
    const struct filling *filling = context;
    const struct layout *layout = filling->plan->layout;
    size_t begin, end;
    team_share(0, filling->plan->nodes, thread, threads, &begin, &end);
    for (size_t node = begin; node < end; node++) {
        struct block block;
        start_block(filling->plan, node, &block);
        if (node >= layout->joints)
            fill_joint(filling, &block);
        else
            fill_contacts(filling, node, &block);
    }
}

void layout_fill(struct sweep_plan *plan, const vec3 *r) {
    struct filling filling = {plan, r};
    team_for(plan->team, plan->views->count, CHUNK, clear_slots, plan);
    fill_unused_lanes(plan);
    team_run(plan->team, plan->layout->threads, fill_nodes, &filling);
    place_points(plan);
    place_lane_points(plan);
    if (plan->general > 0)
        team_run(plan->team, plan->layout->threads, fill_points, &filling);
}
