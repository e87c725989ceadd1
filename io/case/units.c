#include "io/case/units.h"

#include "engine/world/world.h"

#define GRAVITY_MOST  100.0   // m/s2
#define DENSITY_LEAST 50.0    // kg/m3
#define DENSITY_MOST  30000.0 // kg/m3
#define SIZE_LEAST    1e-6    // m, of a moving body: a radius or half a thickness
#define SIZE_MOST     100.0
#define MESH_MOST     50.0 // m, length of a piece
// Steps in which a body falls by its own size, at most: more are a step for much smaller bodies.
#define STEPS_MOST 3e4

#define PLACE_SIZE 400

static const char *place_of(const struct yaml_node *node, char text[PLACE_SIZE]) {
    yaml_print_position(text, PLACE_SIZE, node->at);
    return text;
}

static void note_gravity(struct fields file, const struct gabion_world *world,
                         struct remarks *remarks) {
    const struct yaml_node *gravity = fields_node(file, "gravity");
    double g = vec3_length(world->settings.gravity);
    char place[PLACE_SIZE];
    if (gravity && g > GRAVITY_MOST)
        remarks_add(remarks, true,
                    "%s: gravity is %g m/s2, that of the Earth is 9.81; lengths are in metres, so "
                    "divide by 100 if this is in centimetres, by 1000 if in millimetres",
                    place_of(gravity, place), g);
}

static void note_density(const struct yaml_node *density, double value, struct remarks *remarks) {
    char place[PLACE_SIZE];
    if (value < DENSITY_LEAST)
        remarks_add(
            remarks, true,
            "%s: a density of %g kg/m3 (stone has 2600, water 1000); multiply by 1000 if it "
            "is in g/cm3 or t/m3",
            place_of(density, place), value);
    if (value > DENSITY_MOST)
        remarks_add(
            remarks, true,
            "%s: a density of %g kg/m3 (stone has 2600, lead 11300); give kg/m3, and lengths "
            "in metres",
            place_of(density, place), value);
}

static void note_densities(struct fields file, struct remarks *remarks) {
    static const char *const lists[] = {"bodies", "generators", "imports"};
    const struct yaml_node *materials = fields_node(file, "materials");
    for (size_t i = 0; i < materials->count; i++) {
        struct fields material = {materials->item[i], key_find(file.section, "materials")->section};
        if (fields_have(material, "density"))
            note_density(fields_node(material, "density"), fields_number(material, "density"),
                         remarks);
    }
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < fields_count(file, lists[k]); i++) {
            struct fields body = fields_entry(file, lists[k], i);
            if (fields_have(body, "density"))
                note_density(fields_node(body, "density"), fields_number(body, "density"), remarks);
        }
}

// Finds the smallest and the largest moving body; false where there is none.
static bool find_sizes(const struct bodies *bodies, int32_t *small, int32_t *large) {
    *small = *large = -1;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (bodies->mass[i] == 0)
            continue;
        if (*small < 0 || bodies_size(bodies, i) < bodies_size(bodies, *small))
            *small = i;
        if (*large < 0 || bodies_size(bodies, i) > bodies_size(bodies, *large))
            *large = i;
    }
    return *small >= 0;
}

// The step must fit the sizes: bodies a thousand times too large would fall for a thousand times as
// many steps.
static void note_step(struct fields file, double size, const struct gabion_world *world,
                      struct remarks *remarks) {
    const struct yaml_node *time = fields_node(file, "time"), *step = yaml_find(time, "step");
    double g = vec3_length(world->settings.gravity), h = world->settings.step;
    char place[PLACE_SIZE];
    if (time && g > 0 && sqrt(size / g) > STEPS_MOST * h)
        remarks_add(
            remarks, true,
            "%s: time.step is %g s, but even the smallest body (size %g m) takes %.2g steps "
            "to fall by its own size; lengths are in metres, so check radii and sizes, or "
            "take a longer step",
            place_of(step ? step : time, place), h, size, sqrt(size / g) / h);
}

static void note_sizes(struct fields file, const struct gabion_world *world,
                       struct remarks *remarks) {
    const struct bodies *bodies = &world->bodies;
    int32_t small, large;
    if (!find_sizes(bodies, &small, &large))
        return;
    double least = bodies_size(bodies, small), most = bodies_size(bodies, large);
    if (least < SIZE_LEAST)
        remarks_add(remarks, true,
                    "body %d of group %s has a size (radius, or half a thickness) of %g m; lengths "
                    "are in metres",
                    bodies->id[small], world->groups.name[bodies->group[small]], least);
    if (most > SIZE_MOST)
        remarks_add(remarks, true,
                    "body %d of group %s has a size (radius, or half a thickness) of %g m; lengths "
                    "are in metres: divide its radius, size or spacing by 1000 if they are in "
                    "millimetres",
                    bodies->id[large], world->groups.name[bodies->group[large]], most);
    note_step(file, least, world, remarks);
}

void case_note_units(struct fields file, const struct gabion_world *world,
                     struct remarks *remarks) {
    note_gravity(file, world, remarks);
    note_densities(file, remarks);
    note_sizes(file, world, remarks);
}

void case_note_mesh(struct fields mesh, double length, struct remarks *remarks) {
    char place[PLACE_SIZE];
    if (length > MESH_MOST)
        remarks_add(remarks, true,
                    "%s: mesh: a piece of the mesh is %g m long; give scale: 0.001 if the file is "
                    "in millimetres",
                    place_of(mesh.node, place), length);
}
