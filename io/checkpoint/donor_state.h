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
    size_t unread_joints;          // of a frame
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

// Joints of the donor, for messages: how many, and the first ones.
#define JOINT_LIST_NAMED 3
struct joint_list {
    int64_t count;
    char text[256];
    size_t used;
};
void joint_list_add(struct joint_list *list, const struct joint *joint);
// Adds a warning such as "VERB FILE: WHAT: 2 (by ids there: ball of 3 and 4, hinge of 7 and the
// world)" where there are any.
void joint_list_report(const struct joint_list *list, const struct donor_transfer *transfer,
                       const char *verb, const char *what);
// Adds a warning where the donor is a frame with joints: they are not read.
void joints_report_unread(const struct donor_transfer *transfer, const char *verb);

// How all bodies of a donor are placed here: turned about the origin, then moved.
struct donor_placing {
    mat3 turn;
    vec3 move;
};

// Adds the joints of the donor between bodies that are here, with their impulses, and reports those
// that it leaves out; `of` is as above. placing is NULL where nothing is turned or moved. had[k]:
// joint k is here already, or not wanted; NULL: none is. Messages begin with the verb.
void donor_add_joints(const struct donor_transfer *transfer, const int32_t *of,
                      const struct donor_placing *placing, const bool *had, const char *verb);

#endif
