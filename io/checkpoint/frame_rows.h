// What frames have beside fields of the state, for their writer and their reader.
#ifndef IO_CHECKPOINT_FRAME_ROWS_H
#define IO_CHECKPOINT_FRAME_ROWS_H

#include "engine/world/world.h"
#include "io/file/h5.h"
#include "io/file/seal.h"

// 1.1 called the interfaces of masonry joints, 2.0 had no seal, 2.1 neither masses, groups, joints
// nor walls.
#define FRAME_FORMAT_MAJOR 2
#define FRAME_FORMAT_MINOR 2
extern const struct seal_kind frame_kind;

// Describe the datasets of interfaces, as gabion_measure_interfaces gives them.
#define FRAME_INTERFACE_ROWS 13
void frame_interface_rows(struct gabion_interface *interface, size_t count,
                          struct h5_rows rows[FRAME_INTERFACE_ROWS]);

// Describes the coefficients of friction by pairs of materials, `count` materials squared: those of
// the step, which `resume --set` may have changed since.
struct h5_rows frame_friction(double *friction, int materials);

// Describes the directions in which the impulses of joints are given. They follow from no other
// part of a frame.
struct h5_rows frame_joint_axes(const struct gabion_world *world);

#endif
