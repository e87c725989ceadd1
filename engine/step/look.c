#include "engine/step/look.h"

#include "engine/contact/ahead.h"
#include "engine/contact/detection.h"
#include "engine/step/step.h"
#include "engine/step/whole.h"
#include "parallel/clock.h"
#include "parallel/stop.h"

// The most times that a step is solved again. What is still missed then is reported, and is a
// contact of the next step.
#define MOST_ROUNDS 24

void look_begin(struct gabion_world *world) {
    world->report.rounds = 0;
    world->report.late = 0;
    world->looked = world->jammed = false;
}

// Anitescu's scheme has bounds of its own on what a step may leave, and pushes overlaps out.
static bool looks(const struct gabion_world *world) {
    bool late = stop_seen() || clock_past(world->deadline);
    return world->settings.gap != GABION_GAP_STABILIZED && !world->report.rejection[0] &&
           world->report.rounds < MOST_ROUNDS && !late;
}

void look_ahead(struct gabion_world *world) {
    struct gabion_step_report *report = &world->report;
    bool look = looks(world);
    if (look && world->piece.partial && detection_outrun(world, step_velocity, world))
        whole_bodies(world);
    size_t added = look ? ahead_look(world, step_velocity, world, (int)report->rounds) : 0;
    report->late += (int64_t)added;
    report->rounds += added > 0;
    world->looked = added == 0;
}

bool look_found(const struct gabion_world *world) { return !world->looked; }
