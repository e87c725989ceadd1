// Groups that are named but have no bodies.
#ifndef IO_CASE_EMPTY_GROUPS_H
#define IO_CASE_EMPTY_GROUPS_H

#include "io/case/fields.h"
#include "io/text/remarks.h"

struct gabion_world;

// Warns of actions and probes whose group has no bodies, neither in the run nor waiting: that of a
// mixture, say, all of whose parts have names of their own. Bodies must have been added.
void case_note_empty_groups(struct fields file, const struct gabion_world *world,
                            struct remarks *remarks);

#endif
