// Probes: what is measured of a world, and what some of them count from step to step.
//
// Most probes are computed when they are read. The flow through a plane and an angle that goes on
// over whole turns are counted by every step (engine/probe/tracks.h): these counts are state, and
// are found again by the key of their probe when a run is taken up.
#ifndef ENGINE_PROBE_PROBE_H
#define ENGINE_PROBE_PROBE_H

#include "engine/world/world.h"
#include "geometry/region.h"

#define PROBE_BINS_MAX       64
#define PROBE_COMPONENTS_MAX (PROBE_BINS_MAX + 16)
#define PROBE_COMPONENT_SIZE 16

struct probe {
    char *name;
    enum gabion_quantity quantity;
    int group, against; // -1: none
    bool in_region;
    struct region region;
    vec3 axis;                   // unit
    struct gabion_section plane; // normal and tangent: unit, or zero
    double window;
    bool kinetic;
    int bins;
    double bins_to;
    double column;
    int64_t key; // a hash of all that is above
    int components;
    char component[PROBE_COMPONENTS_MAX][PROBE_COMPONENT_SIZE];
    // Of a quantity of contacts: what it was as the step in progress began, for when that fails.
    int64_t kept_step; // -1: nothing is kept
    double kept[PROBE_COMPONENTS_MAX];
};

// What went through the plane of a flow, along its normal.
struct flow {
    int64_t key; // of its probe
    double mass; // kg, net
    double back_mass;
    int64_t count, back_count;
    double window_mass;   // since the window began
    int64_t window_steps; // likewise
    double rate;          // kg/s, of the last complete window
};

// How far a body has turned.
struct turn {
    int64_t key; // of its probe
    int32_t id;
    quat start;   // its orientation when counting began
    double angle; // rad
};

struct probes {
    struct probe *list;
    int count;
    size_t capacity;
    struct flow *flows; // in order of key
    size_t flow_count, flow_capacity;
    struct turn *turns; // in order of key and id
    size_t turn_count, turn_capacity;
    bool stale; // probes or their counts have changed: the next step compares them
    // Of the step in progress, for flows.
    vec3 *before; // positions of the bodies as the step began
    size_t before_capacity;
};

void probes_free(struct probes *probes);

// Defines a probe, whose groups exist and whose name is not NULL. Returns its number, -1 with an
// error.
int probes_add(struct gabion_world *world, const struct gabion_probe *probe,
               struct gabion_error *error);

// Keeps what probes measure of contacts; called before a step changes anything. The contacts of the
// last complete step are gone once a step has failed.
void probes_keep(struct gabion_world *world);

// Return whether a probe, or some probe of the world, measures contacts or interfaces.
bool probe_reads_contacts(const struct probe *probe);
bool probes_read_contacts(const struct gabion_world *world);

// Computes the components of a probe. Needs memory.
void probe_measure(const struct gabion_world *world, const struct probe *probe, double *values);

#endif
