// What healing (engine/step/healing.h) must know of a contact to push its bodies apart. All of it
// stays as it is during a round, in which a contact may be visited a hundred times: it is computed
// when the contact is visited first.
#ifndef ENGINE_STEP_HEAL_ROWS_H
#define ENGINE_STEP_HEAL_ROWS_H

#include <stdbool.h>

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"

// What a unit of the multiplier does to one of the two bodies of a row.
struct heal_side {
    int32_t body;
    double weight; // displacement of the row's point along its axis; 0: it does not move
    struct body_velocity response;
};

struct heal_side heal_side_of(const struct midpoint *midpoint, int32_t body, vec3 arm, vec3 push);

// Arms and responses of a contact where a body turns when it is pushed.
struct heal_turn {
    vec3 arm_c, arm_a;
    struct heal_side c, a;
};

// A contact in the size of one cache line. Two balls, or a ball and a half-space, are pushed
// through their centres.
struct heal_row {
    int32_t c, a; // bodies; `moving` for any that does not move
    uint32_t turn;
    bool moves_c, moves_a;
    vec3 axis;
    double weight;     // of both sides
    double start;      // what is to be taken off the gap when no body has moved yet
    double negligible; // errors up to this are not worth a displacement
};
#define HEAL_STRAIGHT UINT32_MAX // turn: there is none
_Static_assert(sizeof(struct heal_row) == 64, "as small as a cache line");

struct heal_rows {
    const struct midpoint *midpoint;
    uint32_t *place; // by contact: 1 + its row; 0: none yet
    struct heal_row *list;
    struct heal_turn *turns;
    size_t count, capacity, turn_count, turn_capacity;
};

struct heal_rows heal_rows_open(const struct midpoint *midpoint, size_t contacts);
void heal_rows_close(struct heal_rows *rows);

// Adds the row of a contact; `start` and `negligible` are the caller's.
struct heal_row *heal_rows_add(struct heal_rows *rows, const struct contact *contact, size_t k);

// Returns the row of contact k; NULL: it has none yet.
static inline struct heal_row *heal_rows_get(const struct heal_rows *rows, size_t k) {
    return rows->place[k] > 0 ? &rows->list[rows->place[k] - 1] : NULL;
}

// Returns how far the contact has opened, with the displacements `by` of the bodies. Those after
// the last moving one are zero.
static inline double heal_row_moved(const struct heal_rows *rows, const struct heal_row *row,
                                    const struct body_velocity *by) {
    const struct body_velocity *c = &by[row->c], *a = &by[row->a];
    vec3 arm_c = vec3_negate(row->axis), arm_a = row->axis;
    if (row->turn != HEAL_STRAIGHT) {
        arm_c = rows->turns[row->turn].arm_c;
        arm_a = rows->turns[row->turn].arm_a;
    }
    return vec3_dot(row->axis, vec3_sub(vec3_add(c->v, vec3_cross(c->s, arm_c)),
                                        vec3_add(a->v, vec3_cross(a->s, arm_a))));
}

// Displaces those bodies that the row moves by `change` of the multiplier.
void heal_row_push(const struct heal_rows *rows, const struct heal_row *row, double change,
                   struct body_velocity *by);

#endif
