// The inside of a donor, shared by the files that take from it. Users include
// io/checkpoint/donor.h.
#ifndef IO_CHECKPOINT_DONOR_STATE_H
#define IO_CHECKPOINT_DONOR_STATE_H

#include "engine/world/world.h"
#include "io/checkpoint/donor.h"

struct donor {
    char path[4096];
    struct gabion_world *world;    // bodies, shapes, joints, names; makes no step
    bool frame;                    // no groups, materials, masses and geometry of walls
    double step;                   // length of its last step, s; 0: not known
    struct kept_contacts contacts; // by its own ids
};

// Bodies by group, for messages: how many, and the first ids.
#define TALLY_IDS 3
struct tally_group {
    int64_t count;
    int32_t id[TALLY_IDS];
};

struct tally {
    const struct name_table *names; // of the groups; NULL: there are none
    int64_t count;
    struct tally_group *group;
};

struct tally tally_start(const struct gabion_world *world, bool grouped);
void tally_add(struct tally *tally, int group, int32_t id);
// Returns text such as "12 bodies (group grains: 10, ids 3, 4, 5 ...; group lid: 2, ids 70, 71)".
#define TALLY_TEXT 1024
const char *tally_print(const struct tally *tally, char text[TALLY_TEXT]);
void tally_free(struct tally *tally);

// Returns the ratio by which impulses change with the length of the step; 1 where it is not known.
double donor_scale(const struct donor_transfer *transfer);

// Returns a velocity or spin without its locked components (bits x, y, z); sets *changed where one
// was not zero.
vec3 donor_unlock(vec3 rate, unsigned lock, bool *changed);

// Keeps the contacts of the donor for the new run: of[id] is the id there of a body of the donor,
// -1 where it has none. Points and impulses are turned and moved. Returns how many have no pair of
// bodies there.
size_t donor_keep_contacts(const struct donor_transfer *transfer, const int32_t *of,
                           const mat3 *turn, vec3 move);

#endif
