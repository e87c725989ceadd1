// The state of an earlier run that a new one takes over: settle once, then vary.
//
// A donor is a checkpoint or a frame of another run, read into a world of its own. A new run either
// takes the state of the bodies that it defines itself (donor_take) or adds the bodies of the donor
// to its own (donor_import). What cannot be taken is reported, never left out in silence.
#ifndef IO_CHECKPOINT_DONOR_H
#define IO_CHECKPOINT_DONOR_H

#include "engine/contact/adopt.h"
#include "engine/gabion.h"
#include "io/text/remarks.h"
#include "parallel/error.h"

struct donor;

// Opens a checkpoint or a frame, or the newest good checkpoint of a folder.
struct donor *donor_open(const char *path, struct remarks *remarks, struct gabion_error *error);
void donor_close(struct donor *donor);

// Returns whether the file is a checkpoint or a frame by its seal; fails where a sealed file is
// damaged.
bool donor_recognise(const char *path, bool *ours, struct gabion_error *error);

// Writes the path of the file that donor_open would open: of a folder, its newest good checkpoint.
bool donor_find(const char *path, char *file, size_t size, struct remarks *remarks,
                struct gabion_error *error);

// How bodies find each other. By group: the first body of a group takes the state of the first one
// of the group with the same name, and so on. Frames have no groups: there it is by id.
enum donor_match { DONOR_BY_GROUP, DONOR_BY_ID }; // in the order of the words of from.match

// What a new run takes from a donor. Contacts wait in `kept` until all bodies are defined
// (contacts_adopt).
struct donor_transfer {
    const struct donor *donor;
    struct gabion_world *world; // no step made yet
    struct kept_contacts *kept;
    struct remarks *remarks;
};

// Gives the bodies of the world the position, orientation, velocity and spin that they have in the
// donor, and joints their impulses. Joints that the world does not have are added where that is
// wanted, else reported. Fails where no body is taken.
bool donor_take(const struct donor_transfer *transfer, enum donor_match match, bool add_joints,
                struct gabion_error *error);

// The bodies that donor_import adds, and what it gives them.
struct donor_choice {
    struct gabion_body template;      // what the donor does not have
    bool fixed_given;                 // template.fixed decides, not the donor
    bool joints;                      // joints between these bodies are added
    bool keep_materials, keep_groups; // by name
    char *const *groups;              // NULL: all
    size_t group_count;
    const double *ids; // whole numbers; NULL: all
    size_t id_count;
    vec3 position; // bodies are turned about the origin, then moved
    quat orientation;
};

// Adds the bodies of the donor to the world: all shapes but walls. Fails where there are none.
bool donor_import(const struct donor_transfer *transfer, const struct donor_choice *choice,
                  struct gabion_error *error);

#endif
