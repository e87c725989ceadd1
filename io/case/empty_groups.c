#include "io/case/empty_groups.h"

#include <string.h>

#include "engine/world/world.h"

static bool has_bodies(const struct gabion_world *world, int group) {
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (world->bodies.group[i] == group)
            return true;
    for (int k = 0; k < world->pending_count; k++)
        if (world->pending[k].body.group == group)
            return true;
    return false;
}

// Returns how many parts of the mixture of a generator have a name; 0 also where there is no
// mixture, or one of them has none.
static size_t named_parts(const struct yaml_node *generator) {
    const struct yaml_node *fill = yaml_find(generator, "fill");
    const struct yaml_node *grains = fill ? fill : yaml_find(generator, "lattice");
    const struct yaml_node *mixture = yaml_find(grains, "mixture");
    for (size_t k = 0; mixture && k < mixture->count; k++)
        if (!yaml_find(mixture->item[k], "name"))
            return 0;
    return mixture ? mixture->count : 0;
}

static bool is_of_named_parts(struct fields file, const char *name) {
    for (size_t i = 0; i < fields_count(file, "generators"); i++) {
        struct fields generator = fields_entry(file, "generators", i);
        if (fields_have(generator, "name") && named_parts(generator.node) > 0 &&
            strcmp(fields_text(generator, "name"), name) == 0)
            return true;
    }
    return false;
}

static void look_at(struct fields file, const struct yaml_node *name, const char *key,
                    const struct gabion_world *world, struct remarks *remarks) {
    char place[400];
    int group = name->kind == YAML_SCALAR ? gabion_find_group(world, name->text) : -1;
    if (group < 0 || has_bodies(world, group))
        return;
    yaml_print_position(place, sizeof place, name->at);
    remarks_add(remarks, true, "%s: %s: no body belongs to \"%s\"%s", place, key, name->text,
                is_of_named_parts(file, name->text)
                    ? ": all parts of its mixture have a name, and a body has one group; give the "
                      "names of the parts here, or leave the name of a part out"
                    : "; give a group with bodies");
}

static void look_at_entry(struct fields file, const struct yaml_node *entry,
                          const struct gabion_world *world, struct remarks *remarks) {
    static const char *const keys[] = {"group", "groups", "against"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct yaml_node *node = yaml_find(entry, keys[k]);
        if (node && node->kind == YAML_SCALAR)
            look_at(file, node, keys[k], world, remarks);
        for (size_t i = 0; node && node->kind == YAML_LIST && i < node->count; i++)
            look_at(file, node->item[i], keys[k], world, remarks);
    }
}

void case_note_empty_groups(struct fields file, const struct gabion_world *world,
                            struct remarks *remarks) {
    static const char *const lists[] = {"drivers", "forces", "resets", "removals", "probes"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < fields_count(file, lists[k]); i++)
            look_at_entry(file, fields_entry(file, lists[k], i).node, world, remarks);
}
