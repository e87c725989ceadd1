#include "engine/step/heal_rows.h"

#include "engine/contact/arms.h"
#include "engine/problem/weigh.h"
#include "parallel/memory.h"

struct heal_side heal_side_of(const struct midpoint *midpoint, int32_t body, vec3 arm, vec3 push) {
    struct heal_side side = {.body = body};
    if (body >= midpoint->moving)
        return side;
    struct inverse_mass inverse = midpoint_inverse(midpoint, body);
    side.response = (struct body_velocity){vec3_times(inverse.inv_m, push),
                                           sym3_apply(inverse.k, vec3_cross(arm, push))};
    side.weight = vec3_dot(push, contact_respond(&inverse, arm, arm, push));
    return side;
}

struct heal_rows heal_rows_open(const struct midpoint *midpoint, size_t contacts) {
    return (struct heal_rows){.midpoint = midpoint,
                              .place = memory_allocate(contacts, sizeof(uint32_t), "overlaps")};
}

void heal_rows_close(struct heal_rows *rows) {
    memory_free(rows->place);
    memory_free(rows->list);
    memory_free(rows->turns);
}

// Returns whether impulses along the normal turn neither body and move them along the normal.
static bool is_straight(const struct midpoint *midpoint, const struct contact *contact) {
    bool ball_c = contact->flags & CONTACT_BALL_C, ball_a = contact->flags & CONTACT_BALL_A;
    return !midpoint->general && ball_c && (ball_a || contact->a >= midpoint->moving);
}

static uint32_t add_turn(struct heal_rows *rows, struct heal_turn turn) {
    rows->turns = memory_reserve(rows->turns, &rows->turn_capacity, rows->turn_count + 1,
                                 sizeof *rows->turns, "overlaps");
    rows->turns[rows->turn_count] = turn;
    return (uint32_t)rows->turn_count++;
}

struct heal_row *heal_rows_add(struct heal_rows *rows, const struct contact *contact, size_t k) {
    const struct midpoint *midpoint = rows->midpoint;
    struct heal_turn turn;
    contact_arms(midpoint, contact, NULL, &turn.arm_c, &turn.arm_a);
    turn.c = heal_side_of(midpoint, contact->c, turn.arm_c, contact->normal);
    turn.a = heal_side_of(midpoint, contact->a, turn.arm_a, vec3_negate(contact->normal));
    rows->list = memory_reserve(rows->list, &rows->capacity, rows->count + 1, sizeof *rows->list,
                                "overlaps");
    struct heal_row *row = &rows->list[rows->count++];
    *row = (struct heal_row){.c = contact->c,
                             .a = contact->a < midpoint->moving ? contact->a : midpoint->moving,
                             .turn = HEAL_STRAIGHT,
                             .axis = contact->normal,
                             .moves_c = turn.c.weight > 0,
                             .moves_a = turn.a.weight > 0,
                             .weight = turn.c.weight + turn.a.weight};
    if (!is_straight(midpoint, contact))
        row->turn = add_turn(rows, turn);
    rows->place[k] = (uint32_t)rows->count;
    return row;
}

static void push_side(const struct heal_side *side, double change, struct body_velocity *by) {
    by[side->body].v = vec3_add_scaled(by[side->body].v, change, side->response.v);
    by[side->body].s = vec3_add_scaled(by[side->body].s, change, side->response.s);
}

static void push_centre(double change, double inverse, vec3 axis, struct body_velocity *by) {
    by->v = vec3_add_scaled(by->v, change, vec3_scale(inverse, axis));
}

void heal_row_push(const struct heal_rows *rows, const struct heal_row *row, double change,
                   struct body_velocity *by) {
    bool straight = row->turn == HEAL_STRAIGHT;
    const struct heal_turn *turn = straight ? NULL : &rows->turns[row->turn];
    if (row->moves_c && straight)
        push_centre(change, 1 / rows->midpoint->mass[row->c], row->axis, &by[row->c]);
    else if (row->moves_c)
        push_side(&turn->c, change, by);
    if (row->moves_a && straight)
        push_centre(change, -1 / rows->midpoint->mass[row->a], row->axis, &by[row->a]);
    else if (row->moves_a)
        push_side(&turn->a, change, by);
}
