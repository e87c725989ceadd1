// The contacts that the next sweeps of healing (engine/step/healing.h) visit: those of bodies that
// moved lately. They are visited in order, there or back, and a body that moves in a sweep adds its
// contacts to what is left of this sweep and to the next one. The cost follows what moves, not how
// many contacts there are.
#ifndef ENGINE_STEP_AGENDA_H
#define ENGINE_STEP_AGENDA_H

#include "engine/contact/contacts.h"

struct agenda {
    size_t count;         // of the contacts
    uint32_t *start;      // of each moving body, where its contacts begin
    uint32_t *contact;    // by body
    uint64_t *now, *next; // a bit for each contact: of this sweep, and of the one after it
};

struct agenda agenda_open(const struct contact *list, size_t count, int32_t moving);
void agenda_close(struct agenda *agenda);

// Adds the contacts of a moving body.
void agenda_add(struct agenda *agenda, int32_t body);

// Ends a sweep.
void agenda_turn(struct agenda *agenda);

// Return the first contact of the sweep from k on, and the last one before k; `count` if there is
// none.
size_t agenda_from(const struct agenda *agenda, size_t k);
size_t agenda_before(const struct agenda *agenda, size_t k);

#endif
