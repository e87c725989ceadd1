// What the parts of the key table share. io/case/keys.c holds the table itself; families of
// sections have files of their own.
#ifndef IO_CASE_SECTIONS_H
#define IO_CASE_SECTIONS_H

#include <math.h>

#include "io/case/keys.h"

static const struct key_range positive = {0.0, INFINITY, .low_open = true};
static const struct key_range not_negative = {.low = 0.0, .high = INFINITY};
static const struct key_range counting = {.low = 1.0, .high = 2147483647.0};

#define SECTION(keys_)                                                                             \
    { (keys_), sizeof(keys_) / sizeof(keys_)[0] }

// io/case/masonry_keys.c
extern const struct key_section box_shape_section, prism_section, wedge_section, hull_section,
    mesh_section;
extern const struct key_section wall_section, slabs_section, arch_section, dome_section,
    tower_section, stack_section;

// io/case/grain_keys.c
extern const struct key_section clump_section, bar_section, torus_section, disk_section;
extern const struct key_section hollow_sphere_section, drum_section;

// io/case/action_keys.c
extern const struct key_section driver_section, tilt_section, force_section, reset_section,
    removal_section, probe_section;

// io/case/joints.c
extern const struct key_section joint_section;

#endif
