#include "io/case/grains.h"

#include "cases/grain.h"
#include "engine/api/define.h"
#include "engine/world/world.h"
#include "geometry/clump.h"
#include "parallel/memory.h"

// Shapes --------------------------------------------------------------------------------------

static enum clump_mass mass_of(struct fields fields) {
    return (enum clump_mass)fields_choice(fields, "inertia_of"); // words in the order of the enum
}

static struct clump *read_clump(struct fields fields, struct gabion_error *error) {
    size_t numbers;
    double *four = fields_numbers(fields, "spheres", &numbers);
    size_t count = numbers / 4;
    vec3 *centre = memory_allocate(count, sizeof *centre, "clump");
    double *radius = memory_allocate(count, sizeof *radius, "clump");
    for (size_t k = 0; k < count; k++) {
        centre[k] = vec3_make(four[4 * k], four[4 * k + 1], four[4 * k + 2]);
        radius[k] = four[4 * k + 3];
    }
    struct clump *clump = clump_create(centre, radius, (int64_t)count, mass_of(fields), error);
    memory_free(four);
    memory_free(centre);
    memory_free(radius);
    return clump;
}

static struct clump *read_bar(struct fields fields, struct gabion_error *error) {
    return clump_bar(fields_integer(fields, "count"), fields_number(fields, "radius"),
                     fields_number(fields, "spacing"), mass_of(fields), error);
}

static struct clump *read_torus(struct fields fields, struct gabion_error *error) {
    return clump_torus(fields_integer(fields, "count"), fields_number(fields, "radius"),
                       fields_number(fields, "ring"), mass_of(fields), error);
}

static const struct {
    const char *key;
    struct clump *(*read)(struct fields, struct gabion_error *);
} clumps[] = {{"clump", read_clump}, {"bar", read_bar}, {"torus", read_torus}};
#define CLUMPS (sizeof clumps / sizeof *clumps)

static void read_disk(struct fields disk, struct gabion_body *body) {
    body->shape = GABION_SPHERE;
    body->radius = fields_number(disk, "radius");
    grain_weigh_disk(body, fields_number(disk, "thickness"));
}

bool case_has_grain(struct fields entry) {
    bool has = fields_have(entry, "disk");
    for (size_t k = 0; k < CLUMPS; k++)
        has |= fields_have(entry, clumps[k].key);
    return has;
}

bool case_read_grain(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    size_t k = 0;
    if (fields_have(entry, "disk")) {
        read_disk(fields_section(entry, "disk"), body);
        return true;
    }
    while (!fields_have(entry, clumps[k].key)) // the check found exactly one
        k++;
    struct clump *clump = clumps[k].read(fields_section(entry, clumps[k].key), error);
    body->shape = GABION_CLUMP;
    body->clump = clump ? world_add_clump(world, clump, error) : -1;
    return body->clump >= 0 || error_context(error, "%s", clumps[k].key);
}

// Containers ----------------------------------------------------------------------------------

bool case_add_hollow(struct fields container, struct gabion_world *world,
                     struct gabion_error *error) {
    struct gabion_body body = gabion_default_body();
    bool drum = fields_have(container, "drum");
    struct fields hollow = fields_section(container, drum ? "drum" : "hollow_sphere");
    body.shape = drum ? GABION_DRUM : GABION_HOLLOW_SPHERE;
    body.fixed = true;
    body.material = gabion_find_material(world, fields_text(container, "material"));
    body.group = gabion_add_group(world, fields_text(container, "name"), error);
    body.position = fields_vector(hollow, "centre");
    body.radius = fields_number(hollow, "radius");
    if (drum) {
        vec3 axis = fields_vector(hollow, "axis");
        body.normal = vec3_scale(1 / vec3_length(axis), axis);
        body.length = fields_number(hollow, "length");
        body.ends = fields_boolean(hollow, "ends");
    }
    return body.group >= 0 && gabion_add_body(world, &body, error) >= 0;
}

// Two dimensions ------------------------------------------------------------------------------

unsigned case_plane_lock(struct fields file) {
    static const unsigned lock[] = {
        GABION_LOCK_Z | GABION_LOCK_RX | GABION_LOCK_RY, // xy
        GABION_LOCK_Y | GABION_LOCK_RX | GABION_LOCK_RZ, // xz
        GABION_LOCK_X | GABION_LOCK_RY | GABION_LOCK_RZ, // yz
    };
    return fields_have(file, "plane") ? lock[fields_choice(file, "plane")] : 0;
}
