// Materials, groups and contact laws.
#include "engine/api/materials.h"

#include <string.h>

#include "engine/api/entry.h"
#include "engine/world/laws.h"
#include "parallel/memory.h"

// Names ---------------------------------------------------------------------------------------

char *name_copy(const char *name) {
    char *copy = memory_allocate(strlen(name) + 1, 1, "name");
    return strcpy(copy, name);
}

static int find_name(const struct name_table *table, const char *name) {
    for (int k = 0; k < table->count; k++)
        if (strcmp(table->name[k], name) == 0)
            return k;
    return -1;
}

static const char *name_of(const struct name_table *table, int k) {
    return k >= 0 && k < table->count ? table->name[k] : NULL;
}

// Returns the number of a name, which is added if it is new; -1 where there are too many.
static int use_name(struct name_table *table, const char *name, const char *what,
                    struct gabion_error *error) {
    int found = find_name(table, name);
    if (found >= 0)
        return found;
    if (table->count >= UINT16_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%s '%.100s': there are %d already, and no room for more", what, name,
                  UINT16_MAX);
        return -1;
    }
    table->name =
        memory_resize(table->name, (size_t)table->count + 1, sizeof *table->name, "names");
    table->name[table->count] = name_copy(name);
    return table->count++;
}

static void add_group(struct call *call) {
    call->result = use_name(&call->world->groups, call->arguments, "group", call->error);
}

int gabion_add_group(struct gabion_world *world, const char *name, struct gabion_error *error) {
    if (!name) {
        entry_missing("the name of the group", error);
        return -1;
    }
    return (int)call_run(world, add_group, name, error);
}

int gabion_find_group(const struct gabion_world *world, const char *name) {
    return name && entry_readable(world, NULL) ? find_name(&world->groups, name) : -1;
}

const char *gabion_group_name(const struct gabion_world *world, int group) {
    return entry_readable(world, NULL) ? name_of(&world->groups, group) : NULL;
}

int gabion_find_material(const struct gabion_world *world, const char *name) {
    return name && entry_readable(world, NULL) ? find_name(&world->materials, name) : -1;
}

const char *gabion_material_name(const struct gabion_world *world, int material) {
    return entry_readable(world, NULL) ? name_of(&world->materials, material) : NULL;
}

double gabion_material_density(const struct gabion_world *world, int material) {
    return gabion_material_name(world, material) ? world->density[material] : NAN;
}

// Materials -----------------------------------------------------------------------------------

struct material {
    const char *name;
    double density;
};

static void grow_law_table(struct law_table *laws, int materials) {
    uint16_t *of = memory_allocate((size_t)materials * (size_t)materials, sizeof *of, "laws");
    for (int i = 0; i < laws->materials; i++)
        memcpy(of + i * materials, laws->of + i * laws->materials,
               (size_t)laws->materials * sizeof *of);
    memory_free(laws->of);
    laws->of = of;
    laws->materials = materials;
}

static void add_material(struct call *call) {
    struct gabion_world *world = call->world;
    const struct material *material = call->arguments;
    call->result = use_name(&world->materials, material->name, "material", call->error);
    if (call->result < 0)
        return;
    world->density = memory_resize(world->density, (size_t)world->materials.count,
                                   sizeof *world->density, "materials");
    world->density[call->result] = material->density;
    grow_law_table(&world->laws, world->materials.count);
}

int gabion_add_material(struct gabion_world *world, const char *name, double density,
                        struct gabion_error *error) {
    if (!name) {
        entry_missing("the name of the material", error);
        return -1;
    }
    if (!(density >= 0 && isfinite(density))) {
        entry_reject(error, "material %.100s: the density must be finite and not negative", name);
        return -1;
    }
    struct material material = {name, density};
    return (int)call_run(world, add_material, &material, error);
}

// Laws ----------------------------------------------------------------------------------------

bool law_check(const struct gabion_law *law, enum gabion_scheme scheme,
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
                         "time.scheme corrective supports only friction 0 or infinite (inf), "
                         "found %g; time.scheme moreau takes any",
                         law->friction);
    if (law->tangential_restitution > 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "time.scheme corrective supports no tangential_restitution, found %g; "
                         "time.scheme moreau does",
                         law->tangential_restitution);
    return true;
}

#define ALL_MATERIALS (-1)

struct pair_law {
    int material[2];
    const struct gabion_law *law;
};

static bool pair_exists(const struct gabion_world *world, const struct pair_law *pair) {
    for (int k = 0; k < 2; k++)
        if (pair->material[k] < 0 || pair->material[k] >= world->materials.count)
            return false;
    return true;
}

static void append_law(struct law_table *laws, const struct pair_law *pair) {
    laws->law = memory_resize(laws->law, (size_t)laws->count + 1, sizeof *laws->law, "laws");
    laws->law[laws->count] = *pair->law;
    laws->of[pair->material[0] * laws->materials + pair->material[1]] = (uint16_t)laws->count;
    laws->of[pair->material[1] * laws->materials + pair->material[0]] = (uint16_t)laws->count;
    laws->count++;
}

static void set_law(struct call *call) {
    struct gabion_world *world = call->world;
    const struct pair_law *pair = call->arguments;
    if (!law_check(pair->law, world->settings.scheme, call->error))
        return;
    if (pair->material[0] == ALL_MATERIALS) {
        world->laws.law[0] = *pair->law;
        world->laws.has_default = true;
    } else if (!pair_exists(world, pair)) {
        error_set(call->error, GABION_ERROR_INPUT, "a law names a material that does not exist");
        return;
    } else if (world->laws.count >= UINT16_MAX) {
        error_set(call->error, GABION_ERROR_INPUT, "more than %d pair laws", UINT16_MAX);
        return;
    } else
        append_law(&world->laws, pair);
    call->result = 0;
}

bool gabion_set_default_law(struct gabion_world *world, const struct gabion_law *law,
                            struct gabion_error *error) {
    struct pair_law pair = {{ALL_MATERIALS, ALL_MATERIALS}, law};
    if (!law)
        return entry_missing("the law", error);
    return call_run(world, set_law, &pair, error) >= 0;
}

bool gabion_set_law(struct gabion_world *world, int material_a, int material_b,
                    const struct gabion_law *law, struct gabion_error *error) {
    struct pair_law pair = {{material_a, material_b}, law};
    if (!law)
        return entry_missing("the law", error);
    if (material_a < 0)
        return entry_reject(error, "a law names a material that does not exist");
    return call_run(world, set_law, &pair, error) >= 0;
}

static void look_for_laws(struct call *call) {
    struct gabion_world *world = call->world;
    int a, b;
    if (laws_find_missing(world, &a, &b)) {
        error_set(call->error, GABION_ERROR_INPUT,
                  "bodies of %s and %s can touch and have no law; give one with gabion_set_law or "
                  "gabion_set_default_law before the first step",
                  world->materials.name[a], world->materials.name[b]);
        return;
    }
    world->laws.complete = true;
    call->result = 0;
}

bool laws_check(struct gabion_world *world, struct gabion_error *error) {
    return world->laws.complete || call_run(world, look_for_laws, NULL, error) >= 0;
}
