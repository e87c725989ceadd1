// Creating and destroying a world, and its settings.
#include "engine/api/define.h"
#include "engine/api/entry.h"
#include "engine/api/log.h"
#include "engine/api/machine.h"
#include "engine/api/materials.h"
#include "engine/api/settings.h"
#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/interfaces.h"
#include "engine/motion/midpoint.h"
#include "engine/probe/probe.h"
#include "engine/solvers/panel.h"
#include "engine/solvers/sweep/workspace.h"
#include "engine/step/watch.h"
#include "parallel/memory.h"

const char *gabion_version(void) { return GABION_VERSION; }

const char *gabion_method_name(enum gabion_method method) {
    return (unsigned)method < GABION_METHOD_COUNT ? panel_name(method) : NULL;
}

const char *gabion_local_name(enum gabion_local local) {
    return (unsigned)local < GABION_LOCAL_COUNT ? panel_local_name(local) : NULL;
}

// Creation ------------------------------------------------------------------------------------

struct gabion_world *world_create(const struct gabion_settings *settings, struct team *team,
                                  struct gabion_error *error) {
    if (!settings_check(settings, error))
        return NULL;
    struct gabion_world *world = memory_allocate(1, sizeof *world, "world");
    world->settings = *settings;
    world->team = team;
    world->rest_since = NAN;
    world->fall_group = -1;
    world->report.overlap_body_a = world->report.overlap_body_b = -1;
    world->contacts = memory_allocate(1, sizeof *world->contacts, "contacts");
    world->interfaces = memory_allocate(1, sizeof *world->interfaces, "interfaces");
    world->probes = memory_allocate(1, sizeof *world->probes, "probes");
    world->detection = detection_create();
    world->midpoint = midpoint_create();
    world->workspace = solver_workspace_create();
    world->watches = memory_allocate(1, sizeof *world->watches, "watches");
    world->laws.law = memory_allocate(1, sizeof *world->laws.law, "laws");
    world->laws.count = 1;
    if (gabion_add_group(world, "", error) == 0) // group 0: bodies without a name
        return world;
    gabion_destroy(world);
    return NULL;
}

struct creation {
    const struct gabion_settings *settings;
    struct machine machine;
    struct gabion_world *world;
    struct gabion_error *error;
};

static void create(void *context) {
    struct creation *creation = context;
    creation->world = world_create(creation->settings, creation->machine.team, creation->error);
    if (!creation->world)
        return;
    creation->world->machine = memory_allocate(1, sizeof creation->machine, "world");
    *creation->world->machine = creation->machine;
    creation->world->account = memory_account_current();
}

struct gabion_world *gabion_create(const struct gabion_settings *settings, int threads,
                                   struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct creation creation = {.settings = settings, .error = error ? error : &ignored};
    if (!settings) {
        entry_missing("settings", error);
        return NULL;
    }
    if (!machine_start(&creation.machine, threads, creation.error))
        return NULL;
    struct memory_account *account = memory_account_create(creation.error);
    if (account && memory_try(account, create, &creation, creation.error) && creation.world)
        return creation.world;
    memory_account_destroy(account);
    machine_stop(&creation.machine);
    return NULL;
}

int gabion_threads(const struct gabion_world *world) { return world ? team_size(world->team) : -1; }

// Destruction ---------------------------------------------------------------------------------

static void names_free(struct name_table *table) {
    for (int k = 0; k < table->count; k++)
        memory_free(table->name[k]);
    memory_free(table->name);
}

static void definitions_free(struct gabion_world *world) {
    names_free(&world->materials);
    names_free(&world->groups);
    for (int k = 0; k < world->driver_count; k++)
        signal_free(&world->drivers[k].signal);
    for (int k = 0; k < world->force_count; k++)
        signal_free(&world->forces[k].signal);
    for (int k = 0; k < world->event_count; k++)
        region_free(&world->events[k].region);
    probes_free(world->probes);
    signal_free(&world->tilt);
    void *arrays[] = {world->density, world->laws.of, world->laws.law, world->drivers,
                      world->forces,  world->events,  world->probes};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static void world_free(struct gabion_world *world) {
    definitions_free(world);
    bodies_free(&world->bodies);
    interfaces_free(world->interfaces);
    memory_free(world->interfaces);
    piece_free(&world->piece);
    contacts_free(world->contacts);
    memory_free(world->contacts);
    joints_free(&world->joints);
    memory_free(world->pending);
    memory_free(world->driven);
    memory_free(world->applied);
    memory_free(world->watches);
    detection_free(world->detection);
    midpoint_free(world->midpoint);
    solver_workspace_free(world->workspace);
    memory_free(world);
}

void gabion_destroy(struct gabion_world *world) {
    if (!world)
        return;
    if (entry_inside(world)) {
        world_log(world, GABION_LOG_WARNING,
                  "the world was not destroyed: a function that changes it has not returned yet");
        return;
    }
    struct memory_account *account = world->account;
    struct machine machine = {0};
    if (account)
        machine = *world->machine;
    // What was made when memory ran out cannot be trusted: the account holds all of it.
    if (world->condition == WORLD_SOUND)
        world_free(world);
    if (!account)
        return;
    memory_account_destroy(account);
    machine_stop(&machine);
}

// Settings ------------------------------------------------------------------------------------

bool gabion_get_settings(const struct gabion_world *world, struct gabion_settings *settings,
                         struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    if (!settings)
        return entry_missing("settings", error);
    *settings = world->settings;
    return true;
}

static const char *change_defect(const struct gabion_world *world,
                                 const struct gabion_settings *settings) {
    if (world->step > 0 && settings->scheme != world->settings.scheme)
        return "time.scheme cannot change after the first step; begin a new run with the state of "
               "this "
               "one (from)";
    return NULL;
}

// Times go on from the present one. Positions and velocities are those of the same moment in both
// schemes, so that they stay as they are; impulses, from which the next solve starts, are forces
// times the length of the step.
static void change_step(struct gabion_world *world, double step) {
    struct contacts *contacts = world->contacts;
    double before = world->settings.step, scale = step / before;
    world->pace = (struct pace){world->step, world_time(world), before};
    world->settings.step = step;
    for (size_t k = 0; k < contacts->memory_count; k++)
        contacts->memory[k].impulse = vec3_scale(scale, contacts->memory[k].impulse);
    for (int k = 0; k < world->joints.count; k++)
        for (int p = 0; p < JOINT_POINTS; p++)
            world->joints.list[k].impulse[p] = vec3_scale(scale, world->joints.list[k].impulse[p]);
}

static bool changes_gravity(const struct gabion_settings *before,
                            const struct gabion_settings *after) {
    return vec3_length(vec3_sub(before->gravity, after->gravity)) > 0 ||
           before->gravity_ramp_start != after->gravity_ramp_start ||
           before->gravity_ramp_end != after->gravity_ramp_end;
}

static bool laws_fit(const struct gabion_world *world, enum gabion_scheme scheme,
                     struct gabion_error *error) {
    for (int k = 0; k < world->laws.count; k++)
        if (!law_check(&world->laws.law[k], scheme, error))
            return false;
    return true;
}

static void set_settings(struct call *call) {
    struct gabion_world *world = call->world;
    const struct gabion_settings *settings = call->arguments;
    if (!settings_check(settings, call->error))
        return;
    const char *defect = change_defect(world, settings);
    if (defect) {
        error_set(call->error, GABION_ERROR_INPUT, "%s", defect);
        return;
    }
    if (!laws_fit(world, settings->scheme, call->error))
        return;
    bool loads = changes_gravity(&world->settings, settings);
    if (world->step > 0 && settings->step != world->settings.step)
        change_step(world, settings->step);
    world->settings = *settings;
    if (loads)
        world->rest_since = NAN;
    if (loads && world->step > 0)
        ledger_events(world);
    call->result = 0;
}

bool gabion_set_settings(struct gabion_world *world, const struct gabion_settings *settings,
                         struct gabion_error *error) {
    if (!settings)
        return entry_missing("settings", error);
    return call_run(world, set_settings, settings, error) >= 0;
}
