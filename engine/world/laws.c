#include "engine/world/laws.h"

#include "parallel/memory.h"

struct material_use {
    size_t bodies, moving;
};

static void count_body(struct material_use *use, int material, bool moving) {
    use[material].bodies++;
    use[material].moving += moving;
}

static void count_bodies(const struct gabion_world *world, struct material_use *use) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->count; i++)
        count_body(use, bodies->material[i], bodies->mass[i] > 0);
    for (int k = 0; k < world->pending_count; k++)
        count_body(use, world->pending[k].body.material, !world->pending[k].body.fixed);
}

static bool is_missing(const struct law_table *laws, const struct material_use *use, int a, int b) {
    bool touch = use[a].bodies && use[b].bodies && use[a].moving + use[b].moving > 0 &&
                 (a != b || use[a].bodies > 1);
    return touch && laws->of[a * laws->materials + b] == 0;
}

bool laws_find_missing(const struct gabion_world *world, int *first, int *second) {
    int materials = world->materials.count;
    bool found = false;
    if (world->laws.has_default)
        return false;
    struct material_use *use = memory_allocate((size_t)materials, sizeof *use, "materials");
    count_bodies(world, use);
    for (int a = 0; a < materials && !found; a++)
        for (int b = a; b < materials && !found; b++)
            if (is_missing(&world->laws, use, a, b)) {
                *first = a;
                *second = b;
                found = true;
            }
    memory_free(use);
    return found;
}
