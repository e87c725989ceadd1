// Building a world: the definition half of engine/gabion.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/api/settings.h"
#include "engine/contact/contacts.h"
#include "engine/contact/detection.h"
#include "engine/contact/interfaces.h"
#include "engine/motion/motion.h"
#include "engine/problem/contact_problem.h"
#include "engine/solvers/workspace.h"
#include "engine/world/signal.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

struct gabion_body gabion_default_body(void) {
    return (struct gabion_body){
        .normal = {0, 0, 1},
        .tangent = {1, 0, 0},
        .orientation = {1, 0, 0, 0},
    };
}

struct gabion_world *gabion_create(const struct gabion_settings *settings, struct team *team,
                                   struct gabion_error *error) {
    if (!settings_check(settings, error))
        return NULL;
    struct gabion_world *world = memory_allocate(1, sizeof *world, "world");
    world->settings = *settings;
    world->team = team;
    world->rest_since = NAN;
    world->contacts = memory_allocate(1, sizeof *world->contacts, "contacts");
    world->interfaces = memory_allocate(1, sizeof *world->interfaces, "interfaces");
    world->detection = detection_create();
    world->midpoint = midpoint_create();
    world->workspace = solver_workspace_create();
    world->laws.law = memory_allocate(1, sizeof *world->laws.law, "laws");
    world->laws.count = 1;
    gabion_add_group(world, ""); // group 0: bodies without a name
    return world;
}

static void names_free(struct name_table *table) {
    for (int k = 0; k < table->count; k++)
        memory_free(table->name[k]);
    memory_free(table->name);
}

void gabion_destroy(struct gabion_world *world) {
    if (!world)
        return;
    names_free(&world->materials);
    names_free(&world->groups);
    for (int k = 0; k < world->driver_count; k++)
        signal_free(&world->drivers[k].signal);
    for (int k = 0; k < world->force_count; k++)
        signal_free(&world->forces[k].signal);
    for (int k = 0; k < world->probe_count; k++)
        memory_free(world->probes[k].name);
    void *arrays[] = {world->density, world->laws.of, world->laws.law,
                      world->drivers, world->forces,  world->events,
                      world->probes,  world->pending, world->driven};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    signal_free(&world->tilt);
    bodies_free(&world->bodies);
    interfaces_free(world->interfaces);
    memory_free(world->interfaces);
    contacts_free(world->contacts);
    memory_free(world->contacts);
    joints_free(&world->joints);
    detection_free(world->detection);
    midpoint_free(world->midpoint);
    solver_workspace_free(world->workspace);
    memory_free(world);
}

// Names ---------------------------------------------------------------------------------------

static char *copy_text(const char *text) {
    char *copy = memory_allocate(strlen(text) + 1, 1, "name");
    return strcpy(copy, text);
}

static int find_name(const struct name_table *table, const char *name) {
    for (int k = 0; k < table->count; k++)
        if (strcmp(table->name[k], name) == 0)
            return k;
    return -1;
}

static int add_name(struct name_table *table, const char *name) {
    if (table->count >= UINT16_MAX)
        return -1;
    table->name =
        memory_resize(table->name, (size_t)table->count + 1, sizeof *table->name, "names");
    table->name[table->count] = copy_text(name);
    return table->count++;
}

int gabion_add_group(struct gabion_world *world, const char *name) {
    int found = find_name(&world->groups, name);
    return found >= 0 ? found : add_name(&world->groups, name);
}

int gabion_find_group(const struct gabion_world *world, const char *name) {
    return find_name(&world->groups, name);
}

const char *gabion_group_name(const struct gabion_world *world, int group) {
    return world->groups.name[group];
}

int gabion_find_material(const struct gabion_world *world, const char *name) {
    return find_name(&world->materials, name);
}

double gabion_material_density(const struct gabion_world *world, int material) {
    return world->density[material];
}

// Materials and laws --------------------------------------------------------------------------

static void grow_law_table(struct law_table *laws, int materials) {
    uint16_t *of = memory_allocate((size_t)materials * (size_t)materials, sizeof *of, "laws");
    for (int i = 0; i < laws->materials; i++)
        memcpy(of + i * materials, laws->of + i * laws->materials,
               (size_t)laws->materials * sizeof *of);
    memory_free(laws->of);
    laws->of = of;
    laws->materials = materials;
}

int gabion_add_material(struct gabion_world *world, const char *name, double density) {
    int found = find_name(&world->materials, name);
    int material = found >= 0 ? found : add_name(&world->materials, name);
    if (material < 0)
        return -1;
    world->density = memory_resize(world->density, (size_t)world->materials.count,
                                   sizeof *world->density, "materials");
    world->density[material] = density;
    grow_law_table(&world->laws, world->materials.count);
    return material;
}

static bool check_law(const struct gabion_law *law, enum gabion_scheme scheme,
                      struct gabion_error *error) {
    if (!(law->friction >= 0))
        return error_set(error, GABION_ERROR_INPUT, "friction must not be negative, found %g",
                         law->friction);
    if (!(law->restitution >= 0 && law->restitution <= 1))
        return error_set(error, GABION_ERROR_INPUT, "restitution must be in [0, 1], found %g",
                         law->restitution);
    if (!(law->tangential_restitution >= 0 && law->tangential_restitution <= 1))
        return error_set(error, GABION_ERROR_INPUT,
                         "tangential_restitution must be in [0, 1], found %g",
                         law->tangential_restitution);
    if (scheme == GABION_SCHEME_MOREAU)
        return true;
    if (law->friction > 0 && isfinite(law->friction))
        return error_set(error, GABION_ERROR_INPUT,
                         "time.scheme corrective knows no friction or full sticking (0 or inf), "
                         "found %g",
                         law->friction);
    if (law->tangential_restitution > 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "time.scheme corrective knows no tangential_restitution, found %g",
                         law->tangential_restitution);
    return true;
}

bool gabion_set_default_law(struct gabion_world *world, const struct gabion_law *law,
                            struct gabion_error *error) {
    if (!check_law(law, world->settings.scheme, error))
        return false;
    world->laws.law[0] = *law;
    return true;
}

bool gabion_set_law(struct gabion_world *world, int material_a, int material_b,
                    const struct gabion_law *law, struct gabion_error *error) {
    struct law_table *laws = &world->laws;
    if (!check_law(law, world->settings.scheme, error))
        return false;
    if (material_a < 0 || material_a >= laws->materials || material_b < 0 ||
        material_b >= laws->materials)
        return error_set(error, GABION_ERROR_INPUT, "a law names a material that does not exist");
    if (laws->count >= UINT16_MAX)
        return error_set(error, GABION_ERROR_INPUT, "more than %d pair laws", UINT16_MAX);
    laws->law = memory_resize(laws->law, (size_t)laws->count + 1, sizeof *laws->law, "laws");
    laws->law[laws->count] = *law;
    laws->of[material_a * laws->materials + material_b] = (uint16_t)laws->count;
    laws->of[material_b * laws->materials + material_a] = (uint16_t)laws->count;
    laws->count++;
    return true;
}

// Actions -------------------------------------------------------------------------------------

static bool check_action(const struct gabion_world *world, int group, vec3 direction,
                         const struct gabion_signal *signal, const char *what,
                         struct gabion_error *error) {
    const char *defect = signal_defect(signal);
    if (group < 0 || group >= world->groups.count)
        return error_set(error, GABION_ERROR_INPUT, "%s: the group does not exist", what);
    double length = vec3_length(direction);
    if (!(length > 0 && isfinite(length)))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s on group %s: the direction or axis must not be zero", what,
                         world->groups.name[group]);
    if (defect)
        return error_set(error, GABION_ERROR_INPUT, "%s on group %s: %s", what,
                         world->groups.name[group], defect);
    return true;
}

static bool check_fixed(const struct gabion_world *world, int group, struct gabion_error *error) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == group && bodies->mass[i] > 0)
            return error_set(error, GABION_ERROR_INPUT,
                             "driver on group %s: body %d is not fixed; only fixed bodies can "
                             "follow a path (say fixed: true)",
                             world->groups.name[group], bodies->id[i]);
    for (int k = 0; k < world->pending_count; k++)
        if (world->pending[k].body.group == group && !world->pending[k].body.fixed)
            return error_set(error, GABION_ERROR_INPUT,
                             "driver on group %s: body %d, which enters later, is not fixed; only "
                             "fixed bodies can follow a path",
                             world->groups.name[group], world->pending[k].id);
    return true;
}

static void append_driver(struct gabion_world *world, const struct driver *driver) {
    world->drivers = memory_resize(world->drivers, (size_t)world->driver_count + 1,
                                   sizeof *world->drivers, "drivers");
    struct driver *own = &world->drivers[world->driver_count++];
    *own = *driver;
    own->signal = signal_copy(&driver->signal);
}

bool gabion_add_driver(struct gabion_world *world, int group, vec3 direction,
                       const struct gabion_signal *signal, struct gabion_error *error) {
    if (!check_action(world, group, direction, signal, "driver", error) ||
        !check_fixed(world, group, error))
        return false;
    append_driver(world,
                  &(struct driver){.group = group, .direction = direction, .signal = *signal});
    return true;
}

bool gabion_add_rotation(struct gabion_world *world, int group, vec3 pivot, vec3 axis,
                         const struct gabion_signal *signal, struct gabion_error *error) {
    if (!check_action(world, group, axis, signal, "driver", error) ||
        !check_fixed(world, group, error))
        return false;
    if (!vec3_finite(pivot))
        return error_set(error, GABION_ERROR_INPUT, "driver on group %s: the pivot must be finite",
                         world->groups.name[group]);
    append_driver(world, &(struct driver){.group = group,
                                          .turns = true,
                                          .direction = vec3_scale(1 / vec3_length(axis), axis),
                                          .pivot = pivot,
                                          .signal = *signal});
    return true;
}

bool gabion_set_tilt(struct gabion_world *world, vec3 axis, const struct gabion_signal *signal,
                     struct gabion_error *error) {
    const char *defect = signal_defect(signal);
    double length = vec3_length(axis);
    if (!(length > 0 && isfinite(length)))
        return error_set(error, GABION_ERROR_INPUT, "tilt: the axis must not be zero");
    if (defect)
        return error_set(error, GABION_ERROR_INPUT, "tilt: %s", defect);
    signal_free(&world->tilt);
    world->tilt = signal_copy(signal);
    world->tilt_axis = vec3_scale(1 / length, axis);
    return true;
}

bool gabion_add_force(struct gabion_world *world, int group, vec3 direction,
                      const struct gabion_signal *signal, struct gabion_error *error) {
    if (!check_action(world, group, direction, signal, "force", error))
        return false;
    world->forces = memory_resize(world->forces, (size_t)world->force_count + 1,
                                  sizeof *world->forces, "forces");
    world->forces[world->force_count++] = (struct force){group, direction, signal_copy(signal)};
    return true;
}

static bool add_event(struct gabion_world *world, const struct event *event,
                      struct gabion_error *error) {
    if (event->group < 0 || event->group >= world->groups.count)
        return error_set(error, GABION_ERROR_INPUT, "event: the group does not exist");
    if (!isfinite(event->time) || !vec3_finite(event->velocity) || !vec3_finite(event->spin))
        return error_set(error, GABION_ERROR_INPUT,
                         "event on group %s: time and velocity must be finite",
                         world->groups.name[event->group]);
    world->events = memory_resize(world->events, (size_t)world->event_count + 1,
                                  sizeof *world->events, "events");
    world->events[world->event_count++] = *event;
    return true;
}

bool gabion_add_reset(struct gabion_world *world, int group, double time, vec3 velocity, vec3 spin,
                      struct gabion_error *error) {
    struct event event = {EVENT_RESET, group, time, velocity, spin};
    return add_event(world, &event, error);
}

bool gabion_add_removal(struct gabion_world *world, int group, double time,
                        struct gabion_error *error) {
    struct event event = {EVENT_REMOVAL, group, time, {0, 0, 0}, {0, 0, 0}};
    return add_event(world, &event, error);
}

int gabion_add_probe(struct gabion_world *world, const char *name, int group,
                     enum gabion_quantity quantity, struct gabion_error *error) {
    if (group < 0 || group >= world->groups.count) {
        error_set(error, GABION_ERROR_INPUT, "probe %s: the group does not exist", name);
        return -1;
    }
    world->probes = memory_resize(world->probes, (size_t)world->probe_count + 1,
                                  sizeof *world->probes, "probes");
    world->probes[world->probe_count] = (struct probe){copy_text(name), group, quantity};
    return world->probe_count++;
}
