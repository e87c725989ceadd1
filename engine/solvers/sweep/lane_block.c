#include "engine/solvers/sweep/lane_block.h"

#include "engine/problem/weigh.h"
#include "engine/solvers/local/alart_curnier.h"
#include "engine/solvers/local/exact.h"

static bool moves(const struct sweep_plan *plan, int32_t body) {
    return body < plan->moving || body >= plan->body_count;
}

void lane_block_close(const struct sweep_plan *plan, struct lane_block *block, uint32_t lanes) {
    block->used = (uint8_t)((1u << lanes) - 1);
    block->count = block->moves = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        block->moves |= (uint8_t)((unsigned)moves(plan, block->a[lane]) << lane);
        block->count = block->points[lane] > block->count ? block->points[lane] : block->count;
    }
    for (uint32_t lane = lanes; lane < LANES; lane++) {
        block->c[lane] = block->c[0];
        block->a[lane] = block->a[0];
        block->points[lane] = 0;
        lane_set(&block->n, lane, vec3_zero());
    }
}

void lane_block_clear(const struct lane_block *block, struct lane_point *points) {
    for (uint32_t p = 0; p < block->count; p++)
        for (int lane = 0; lane < LANES; lane++)
            if (block->points[lane] <= p) {
                points[block->begin + p] = (struct lane_point){0};
                break;
            }
}

// Points --------------------------------------------------------------------------------------

// How the kernel sees the block W of a contact.
struct lane_weight {
    double inverse_n, w_s, w_t, p_ss, p_st, p_tt;
};

// A contact that the kernel leaves to the scalar solver: always, or unless it is open.
static const struct lane_weight always_alone = {.inverse_n = NAN};

static void leave_closed_alone(struct lane_weight *weight) {
    weight->p_ss = weight->p_st = weight->p_tt = NAN;
}

// Speed along a locked direction that may be rounding, relative to the velocities that it is the
// difference of.
#define ROUNDING (16 * DBL_EPSILON)

// Returns whether the bodies slide along a locked direction of the contact. That velocity follows
// from the free velocities, because no impulse of any contact changes it.
static bool slides_locked(const struct exact_block *exact, vec3 free, double size) {
    double share = free.x / exact->w_nn;
    double c[2] = {exact->cosine * free.y - exact->sine * free.z - exact->w[0] * share,
                   exact->sine * free.y + exact->cosine * free.z - exact->w[1] * share};
    for (int i = 0; i < 2; i++)
        if (exact->l[i] == 0 && !(fabs(c[i]) <= ROUNDING * size))
            return true;
    return false;
}

// Where a direction is locked S has no inverse. Any positive number serves as that of its
// eigenvalue: there is nothing to be stopped there, and rounding errors decay. Contacts that slide
// there are left to the scalar solver.
static struct lane_weight weight_of(const mat3 *W, vec3 free, double size) {
    struct exact_block exact;
    exact_prepare(W, &exact);
    if (!(exact.w_nn > 0))
        return always_alone;
    double g = 1 / exact.w_nn, l[2];
    for (int i = 0; i < 2; i++)
        l[i] = exact.l[i] > 0 ? exact.l[i] : exact.l[1 - i] > 0 ? exact.l[1 - i] : exact.w_nn;
    double c = exact.cosine, s = exact.sine, i0 = 1 / l[0], i1 = 1 / l[1];
    struct lane_weight weight = {.inverse_n = g,
                                 .w_s = exact.W.row[0].y * g,
                                 .w_t = exact.W.row[0].z * g,
                                 .p_ss = c * c * i0 + s * s * i1,
                                 .p_st = c * s * (i1 - i0),
                                 .p_tt = s * s * i0 + c * c * i1};
    if (slides_locked(&exact, free, size))
        leave_closed_alone(&weight);
    return weight;
}

static double reach(const struct body_velocity *velocity, vec3 arm) {
    return vec3_length(velocity->v) + vec3_length(velocity->s) * vec3_length(arm);
}

static struct body_velocity free_velocity(const struct sweep_plan *plan, int32_t body) {
    const struct midpoint *midpoint = plan->views->midpoint;
    return (struct body_velocity){midpoint->v_free[body], midpoint->s_free[body]};
}

static void put_weight(struct lane_point *to, uint32_t lane, const struct lane_weight *weight) {
    to->inverse_n[lane] = weight->inverse_n;
    to->w_s[lane] = weight->w_s;
    to->w_t[lane] = weight->w_t;
    to->p_ss[lane] = weight->p_ss;
    to->p_st[lane] = weight->p_st;
    to->p_tt[lane] = weight->p_tt;
}

void lane_point_put(struct sweep_plan *plan, size_t contact, const struct block *block,
                    const struct block_point *point) {
    uint32_t slot = plan->slot[contact] & ~SLOT_LANE, lane = slot % LANES;
    struct lane_point *to = &plan->lane_points[slot / LANES];
    struct body_velocity c = free_velocity(plan, plan->views->contacts[contact].c);
    struct body_velocity a = free_velocity(plan, plan->views->contacts[contact].a);
    vec3 free = vec3_add(block_velocity(block, point, &c, &a), point->b);
    double size = reach(&c, point->arm_c) + reach(&a, point->arm_a) + fabs(point->b.x);
    struct lane_weight weight = weight_of(&point->W, free, size);
    put_weight(to, lane, &weight);
    lane_set(&to->arm_c, lane, point->arm_c);
    lane_set(&to->arm_a, lane, point->arm_a);
    lane_set(&to->r, lane, point->r);
    lane_set(&to->last, lane, point->last);
    to->b[lane] = point->b.x;
    to->size[lane] = point->rho > 0 ? 1 / point->rho : 0;
}

// Reading -------------------------------------------------------------------------------------

struct block lane_block_get(const struct lane_block *block, uint32_t lane) {
    struct block one = {.c = block->c[lane],
                        .a = block->a[lane],
                        .begin = block->begin,
                        .count = block->points[lane],
                        .joint = -1};
    block_frame(&one, lane_get(&block->n, lane));
    return one;
}

struct block_point lane_point_get(const struct lane_point *point, uint32_t lane) {
    return (struct block_point){
        .arm_c = lane_get(&point->arm_c, lane),
        .arm_a = lane_get(&point->arm_a, lane),
        .r = lane_get(&point->r, lane),
        .last = lane_get(&point->last, lane),
        .b = {point->b[lane], 0, 0},
        .rho = point->size[lane] > 0 ? 1 / point->size[lane] : 0,
        .local = GABION_LOCAL_NEWTON,
    };
}

mat3 lane_point_weigh(const struct inverse_mass *inverse, const struct block *block,
                      const struct block_point *point) {
    struct contact_row row = {
        .axis = {block->n, block->s, block->t}, .arm_c = point->arm_c, .arm_a = point->arm_a};
    return contact_weigh(&row, &inverse[block->c], &inverse[block->a]);
}

bool lane_point_solve(const struct sweep_plan *plan, const struct lane_block *lanes,
                      const struct lane_point *lane_point, uint32_t lane, double mu, vec3 u,
                      vec3 *r) {
    struct block block = lane_block_get(lanes, lane);
    struct block_point point = lane_point_get(lane_point, lane);
    mat3 W = lane_point_weigh(plan->inverse, &block, &point);
    sym3 inverse = alart_curnier_inverse(&W);
    return alart_curnier_solve(&W, &inverse, u, mu, r, &point.k);
}
