// The sections of the table of keys that have files of their own. io/case/keys.c holds the table.
#ifndef IO_CASE_SECTIONS_H
#define IO_CASE_SECTIONS_H

#include "io/case/keys.h"

// io/case/masonry_keys.c
extern const struct key_section box_shape_section, prism_section, wedge_section, hull_section,
    mesh_section, compound_section;
extern const struct key_section wall_section, slabs_section, arch_section, dome_section,
    tower_section, stack_section, cards_section, drums_section, vault_section, stairs_section;

// io/case/grain_keys.c
extern const struct key_section clump_section, bar_section, torus_section, disk_section;
extern const struct key_section hollow_sphere_section, drum_section;

// io/case/fill_keys.c
extern const struct key_section lattice_section, fill_section;

// io/case/region.c
extern const struct key_section box_section, region_section;

// io/case/action_keys.c
extern const struct key_section driver_section, tilt_section, force_section, reset_section,
    removal_section, probe_section;

// io/case/joints.c
extern const struct key_section joint_section;

#endif
