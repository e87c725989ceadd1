#include "io/command/inspect.h"

#include <inttypes.h>
#include <stdarg.h>

#include "engine/contact/standing.h"
#include "engine/step/healing.h"
#include "engine/step/watch.h"
#include "engine/world/footprint.h"
#include "engine/world/hollow_fit.h"
#include "engine/world/schedule.h"
#include "io/text/remarks.h"
#include "io/vtk/vtk.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

static int warnings;
static FILE *facts; // NULL: nobody asked for them

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...) {
    va_list arguments;
    warnings++;
    if (ranks_me() != 0)
        return;
    va_start(arguments, format);
    fputs("warning: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

__attribute__((format(printf, 1, 2))) static void state(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (facts != NULL)
        vfprintf(facts, format, arguments);
    va_end(arguments);
}

// Ranges of sizes, speeds and positions of the bodies, without walls.
struct extremes {
    int32_t count;       // of moving bodies, as are the next six
    double small, large; // sizes: radii, half thicknesses of blocks
    int32_t small_id;
    double speed; // largest, relative to the size: 1/s
    int32_t speed_id;
    double mass;    // together
    vec3 low, high; // corners of the box around all spheres and blocks, the fixed ones too
};

static void extend_box(struct extremes *found, vec3 centre, double radius) {
    for (int axis = 0; axis < 3; axis++) {
        double x = vec3_get(centre, axis);
        vec3_set(&found->low, axis, fmin(vec3_get(found->low, axis), x - radius));
        vec3_set(&found->high, axis, fmax(vec3_get(found->high, axis), x + radius));
    }
}

static void extend_box_to(struct extremes *found, const struct bodies *bodies, int32_t i) {
    struct shape_balls corners = bodies_shape(bodies, i)->balls(bodies, i);
    mat3 axes = quat_matrix(bodies->q[i]);
    for (int32_t k = 0; k < corners.count; k++)
        extend_box(found, vec3_add(bodies->x[i], mat3_apply(axes, corners.centre[k])), 0.0);
}

static void extend_extremes(struct extremes *found, const struct bodies *bodies) {
    for (int32_t i = 0; i < bodies->count; i++) {
        double size = bodies_size(bodies, i), speed = vec3_length(bodies->v[i]) / size;
        if (bodies_shape(bodies, i)->block)
            extend_box_to(found, bodies, i);
        else if (!bodies_is_wall(bodies, i))
            extend_box(found, bodies->x[i], bodies->radius[i]);
        if (bodies->mass[i] == 0.0)
            continue;
        found->count++;
        found->mass += bodies->mass[i];
        if (size < found->small) {
            found->small = size;
            found->small_id = bodies->id[i];
        }
        if (size > found->large) {
            found->large = size;
        }
        if (speed > found->speed) {
            found->speed = speed;
            found->speed_id = bodies->id[i];
        }
    }
}

// Returns no bodies, and copies of the lists of shapes: bodies that are added may add to them.
static struct bodies borrow_shapes(const struct bodies *bodies) {
    struct bodies copy = {.polyhedron_count = bodies->polyhedron_count,
                          .clump_count = bodies->clump_count,
                          .compound_count = bodies->compound_count};
    copy.polyhedra = memory_reserve(NULL, &copy.polyhedron_capacity, copy.polyhedron_count,
                                    sizeof *copy.polyhedra, "polyhedra");
    copy.clumps =
        memory_reserve(NULL, &copy.clump_capacity, copy.clump_count, sizeof *copy.clumps, "clumps");
    copy.compounds = memory_reserve(NULL, &copy.compound_capacity, copy.compound_count,
                                    sizeof *copy.compounds, "compounds");
    for (size_t k = 0; k < copy.compound_count; k++)
        copy.compounds[k] = bodies->compounds[k];
    for (size_t k = 0; k < copy.polyhedron_count; k++)
        copy.polyhedra[k] = bodies->polyhedra[k];
    for (size_t k = 0; k < copy.clump_count; k++)
        copy.clumps[k] = bodies->clumps[k];
    return copy;
}

// Frees the copy without the shapes that it borrowed, which come first in its lists.
static void return_shapes(struct bodies *copy, const struct bodies *bodies) {
    copy->polyhedron_count -= bodies->polyhedron_count;
    copy->clump_count -= bodies->clump_count;
    copy->compound_count -= bodies->compound_count;
    for (size_t k = 0; k < copy->polyhedron_count; k++)
        copy->polyhedra[k] = copy->polyhedra[bodies->polyhedron_count + k];
    for (size_t k = 0; k < copy->clump_count; k++)
        copy->clumps[k] = copy->clumps[bodies->clump_count + k];
    for (size_t k = 0; k < copy->compound_count; k++)
        copy->compounds[k] = copy->compounds[bodies->compound_count + k];
    bodies_free(copy);
}

// Finds the extremes of the bodies in the run and of those that enter later.
static struct extremes find_extremes(const struct gabion_world *world) {
    struct extremes found = {.small = INFINITY,
                             .low = {INFINITY, INFINITY, INFINITY},
                             .high = {-INFINITY, -INFINITY, -INFINITY}};
    struct bodies waiting = borrow_shapes(&world->bodies);
    for (int k = 0; k < world->pending_count; k++)
        bodies_append(&waiting, bodies_new_id(&waiting), &world->pending[k].body);
    for (int k = 0; k < world->pending_count; k++)
        waiting.id[k] = world->pending[k].id; // as messages name them
    extend_extremes(&found, &world->bodies);
    extend_extremes(&found, &waiting);
    return_shapes(&waiting, &world->bodies);
    return found;
}

static void print_extremes(const struct extremes *found) {
    if (found->count > 0)
        state("size-min: %.6g\nsize-max: %.6g\nmass: %.6g\n", found->small, found->large,
              found->mass);
    if (found->high.x >= found->low.x) {
        vec3 extent = vec3_sub(found->high, found->low);
        state("extent: %.6g %.6g %.6g\n", extent.x, extent.y, extent.z);
    }
}

static void check_sizes(const struct extremes *found) {
    if (found->large > 1e4 * found->small)
        warn("sizes span %g to %g m (the smallest is that of body %" PRId32
             "); lengths are in metres, "
             "and the smallest bodies decide how short time.step has to be",
             found->small, found->large, found->small_id);
}

static void check_friction(const struct gabion_world *world) {
    for (int i = 0; i < world->laws.count; i++) {
        double friction = world->laws.law[i].friction;
        if (isfinite(friction) && friction > 5.0)
            warn("a friction coefficient of %g is unusual (an angle of %.1f degrees); "
                 "a coefficient is meant, not an angle",
                 friction, atan(friction) * 57.29577951308232);
    }
}

static void check_times(const struct gabion_settings *settings, const struct extremes *found) {
    double g = vec3_length(settings->gravity), h = settings->step;
    if (settings->theta < 0.5 || settings->theta > 1.0)
        warn("time.theta is %g; between 0.5 and 1 the scheme is stable", settings->theta);
    if (settings->end < h)
        warn("time.end (%g s) is less than one step of time.step (%g s): there will be one step",
             settings->end, h);
    if (settings->tolerance > 1e-2)
        warn(
            "solver.tolerance is %g; above 1e-2 contact forces are hardly solved for; leave it out "
            "for the default",
            settings->tolerance);
    if (settings->time_budget > 0)
        warn(
            "solver.time_budget is %g s: what a step computes depends on the speed of the machine, "
            "and the run cannot be reproduced",
            settings->time_budget);
    if (found->count == 0)
        return;
    // Falling from rest a body moves g h^2 in its first step.
    if (g > 0.0 && h > 0.1 * sqrt(found->small / g))
        warn("time.step (%g s) is long for body %" PRId32 ": %.3g s is a tenth of sqrt(size/g)", h,
             found->small_id, 0.1 * sqrt(found->small / g));
    if (found->speed * h > 0.5)
        warn("body %" PRId32
             " moves %.3g times its size in one step of %g s; a shorter time.step resolves "
             "its impacts",
             found->speed_id, found->speed * h, h);
}

// Returns what becomes of an overlap that is worth a warning.
static const char *overlap_treatment(const struct gabion_settings *settings) {
    if (settings->gap == GABION_GAP_STABILIZED)
        return "contact.gap stabilized pushes it out within a step, at a speed of contact.gamma "
               "overlap/step";
    if (settings->scheme == GABION_SCHEME_CORRECTIVE || settings->projection > 0)
        return "the first steps push it out";
    if (settings->projection == 0)
        return "contact.projection is off, and contact does not push it out again; leave it out "
               "(auto), or move them apart";
    if (settings->gap == GABION_GAP_MOREAU)
        return "contact.gap moreau leaves it; contact.projection with a number moves them apart";
    return "contact.projection moves them apart in the first steps";
}

// Returns the share of the smaller body's size from which on an overlap is worth a warning. What
// `contact.projection: auto` leaves is in the state of any run, and does no harm in the next one.
static double overlap_allowed(const struct gabion_settings *settings) {
    bool healed = settings->projection == GABION_AUTOMATIC && settings->gap == GABION_GAP_GAP &&
                  settings->scheme != GABION_SCHEME_CORRECTIVE;
    return healed ? HEALING_BOUND : 1e-4;
}

static void check_overlap(struct gabion_world *world) {
    struct overlap overlap = standing_initial_overlap(world);
    if (overlap.first < 0) {
        state("overlap: 0\n");
        return;
    }
    state("overlap: %.6g\noverlap-relative: %.6g\n", overlap.depth, overlap.relative);
    if (overlap.relative > overlap_allowed(&world->settings))
        warn("bodies %" PRId32 " and %" PRId32 " overlap by %.3g of the smaller body's size at the "
             "start, the deepest overlap is %.3g m; %s",
             overlap.first, overlap.second, overlap.relative, overlap.depth,
             overlap_treatment(&world->settings));
}

// Checks that bodies fit into hollow bodies. The bodies must be sorted, as check_overlap leaves
// them. Bodies that enter later are checked in their step.
static void check_fit(const struct gabion_world *world) {
    struct gabion_error error = {0};
    if (!hollow_fit_check(world, &error))
        warn("%s; the run will stop", error.text);
}

static const char *name_group(const struct gabion_world *world, int group) {
    return group < 0 ? "(all bodies)" : gabion_group_name(world, group);
}

// Entries without effect are most often a slip in a name or a time.
static bool is_too_late(const struct scene *scene, double time, int64_t steps) {
    struct gabion_error ignored = {0};
    int64_t step;
    return !scene_steps_until(scene, time, &step, &ignored) || step >= steps;
}

static void check_groups(const struct gabion_world *world) {
    bool *moves = memory_allocate((size_t)world->groups.count, sizeof *moves, "groups");
    for (int32_t i = 0; i < world->bodies.count; i++)
        moves[world->bodies.group[i]] |= world->bodies.mass[i] > 0.0;
    for (int k = 0; k < world->pending_count; k++)
        moves[world->pending[k].body.group] |= !world->pending[k].body.fixed;
    for (int k = 0; k < world->force_count; k++)
        if (!moves[world->forces[k].group])
            warn("a force on group %s has no effect: none of its bodies can move; take fixed: true "
                 "from "
                 "them, or remove the force",
                 gabion_group_name(world, world->forces[k].group));
    for (int k = 0; k < world->event_count; k++)
        if (world->events[k].kind == EVENT_RESET && !moves[world->events[k].group])
            warn("a reset of group %s has no effect: none of its bodies can move; give them a "
                 "driver "
                 "instead, or remove the reset",
                 gabion_group_name(world, world->events[k].group));
    memory_free(moves);
}

static void check_events(const struct scene *scene, int64_t steps) {
    const struct gabion_world *world = scene->world;
    double end = world->settings.end, first = INFINITY;
    int late = 0;
    for (int k = 0; k < world->event_count; k++) {
        const struct event *event = &world->events[k];
        if (is_too_late(scene, event->time, steps))
            warn("the %s of group %s at %g s has no effect: the run ends at %g s; check its time, "
                 "or "
                 "raise time.end",
                 event->kind == EVENT_RESET ? "reset" : "removal", name_group(world, event->group),
                 event->time, end);
    }
    for (int k = 0; k < world->pending_count; k++) {
        double time = world->pending[k].body.insert_time;
        if (is_too_late(scene, time, steps)) {
            late++;
            first = fmin(first, time);
        }
    }
    if (late > 0)
        warn("bodies that never enter: %d, with an insert_time of %g s or later; the run ends at "
             "%g s; check their insert_time, or raise time.end",
             late, first, end);
}

// "driver of group plate", as in "stop waits for the ...".
static const char *describe_entry(const struct gabion_world *world, const struct scheduled *entry,
                                  char *text, size_t size) {
    static const char *const names[] = {
        [SCHEDULE_DRIVER] = "driver of",         [SCHEDULE_FORCE] = "force on",
        [SCHEDULE_RESET] = "reset of",           [SCHEDULE_REMOVAL] = "removal of",
        [SCHEDULE_INSERTION] = "insertions",     [SCHEDULE_TILT] = "tilt",
        [SCHEDULE_GRAVITY_RAMP] = "gravity ramp"};
    if (entry->kind < SCHEDULE_INSERTION)
        snprintf(text, size, "%s group %s", names[entry->kind], name_group(world, entry->group));
    else
        snprintf(text, size, "%s", names[entry->kind]);
    return text;
}

// Says what a stop at rest waits for, and warns where the run cannot end that way.
static void check_rest(const struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    double last = 0;
    char text[256];
    if (!(settings->rest_speed > 0))
        return;
    for (int k = 0; k < schedule_count(world); k++) {
        struct scheduled entry = schedule_entry(world, k);
        last = fmax(last, entry.until);
        if (entry.until == INFINITY)
            warn("stop.rest_speed: the run never ends at rest, because the %s never ends; give it "
                 "an end, or remove the stop",
                 describe_entry(world, &entry, text, sizeof text));
        else if (entry.until > 0)
            state("stop-rest: waits for the %s until t = %.6g s\n",
                  describe_entry(world, &entry, text, sizeof text), entry.until);
    }
    if (last == INFINITY)
        state("stop-rest: never\n");
    else
        state("stop-rest: from t = %.6g s on\n", last + settings->rest_duration);
    if (last < INFINITY && last + settings->rest_duration >= settings->end)
        warn("stop.rest_speed: the run ends at %g s, before it can end at rest: what is scheduled "
             "ends at %g s, and stop.rest_duration is %g s",
             settings->end, last, settings->rest_duration);
}

static bool is_watched(const struct gabion_world *world, int group, bool moves) {
    return moves && (world->fall_group < 0 || group == world->fall_group);
}

static void check_fall(const struct gabion_world *world) {
    const struct gabion_settings *settings = &world->settings;
    const char *group = world->fall_group < 0 ? "" : gabion_group_name(world, world->fall_group);
    bool any = false;
    if (settings->fall_distance > 0)
        state("stop-fall-distance: %.6g\n", settings->fall_distance);
    if (settings->fall_speed > 0)
        state("stop-fall-speed: %.6g\n", settings->fall_speed);
    for (int32_t i = 0; i < world->bodies.count; i++)
        any |= is_watched(world, world->bodies.group[i], world->bodies.mass[i] > 0);
    for (int k = 0; k < world->pending_count; k++)
        any |= is_watched(world, world->pending[k].body.group, !world->pending[k].body.fixed);
    if (!any && group[0] != '\0')
        warn("stop.fall_group: no body of group %s can fall: none of them can move; name another "
             "group, or take fixed: true from them",
             group);
}

// ParaView frames are copied, so that they are written while the next steps are computed.
static void check_memory(const struct scene *scene) {
    struct gabion_error error = {0};
    bool drawn = case_output(scene->file)->vtk_every > 0;
    double bytes = footprint_estimate(scene->world) + (drawn ? vtk_copy_bytes(scene->world) : 0);
    state("memory-estimate-mb: %.0f\n", 1e-6 * bytes);
    if (!memory_check(bytes, "the run", &error))
        warn("%s", error.text);
}

static void warn_of(void *user, const char *text) {
    (void)user;
    warn("%s", text);
}

// What the watches of a run would say at its start.
static void check_watches(struct gabion_world *world) {
    char found[WATCH_FOUND_SIZE] = "";
    watch_signals(world, warn_of, NULL, found);
    watch_start(world, warn_of, NULL);
}

static void check_remarks(const struct scene *scene) {
    const struct remarks *remarks = case_remarks(scene->file);
    for (size_t k = 0; k < remarks->count; k++)
        if (remarks->list[k].warning)
            warn("%s", remarks->list[k].text);
}

int inspect_scene(const struct scene *scene, int64_t steps, FILE *stream) {
    struct gabion_world *world = scene->world;
    warnings = 0;
    facts = stream;
    check_remarks(scene);
    struct extremes found = find_extremes(world);
    check_memory(scene);
    print_extremes(&found);
    if (found.count == 0)
        warn("nothing can move: there is no body that is not fixed; take fixed: true from those "
             "that should");
    check_overlap(world);
    check_fit(world);
    check_sizes(&found);
    check_friction(world);
    check_times(&world->settings, &found);
    check_groups(world);
    check_events(scene, steps);
    check_rest(world);
    check_fall(world);
    check_watches(world);
    return warnings;
}
