#include "io/case/region.h"

#include "io/case/sections.h"
#include "parallel/memory.h"

// ---- keys ----

static const struct key box_keys[] = {
    {"min", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "lower corner"},
    {"max", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "upper corner"},
};
const struct key_section box_section = KEY_SECTION_OF(box_keys);

static const struct key half_space_keys[] = {
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "a point of the plane"},
    {"normal", KEY_VECTOR, .required = true, .size = 3,
     .help = "out of the region; any length but 0"},
};
static const struct key_section half_space_section = KEY_SECTION_OF(half_space_keys);

#define RADIUS_KEY(help_)                                                                          \
    { "radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive, .help = help_ }
#define INNER_KEY                                                                                  \
    {                                                                                              \
        "inner_radius", KEY_NUMBER, .unit = "m", .initial = "0", .range = &key_not_negative,       \
                                    .help = "what is nearer to the middle is left out"             \
    }
#define AXIS_KEY(help_)                                                                            \
    { "axis", KEY_VECTOR, .size = 3, .initial = "0 0 1", .help = help_ }
#define LENGTH_KEY                                                                                 \
    {                                                                                              \
        "length", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,               \
                              .help = "along the axis"                                             \
    }

static const struct key sphere_keys[] = {
    {"centre", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "of the sphere"},
    RADIUS_KEY("of the sphere"),
    INNER_KEY,
};
static const struct key_section sphere_section = KEY_SECTION_OF(sphere_keys);

static const struct key cylinder_keys[] = {
    {"centre", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "middle of its axis"},
    AXIS_KEY("any length but 0"),
    RADIUS_KEY("of the cylinder"),
    INNER_KEY,
    LENGTH_KEY,
};
static const struct key_section cylinder_section = KEY_SECTION_OF(cylinder_keys);

static const struct key cone_keys[] = {
    {"base", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "where the axis begins"},
    AXIS_KEY("from the base to the other end; any length but 0"),
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_not_negative,
     .help = "at the base"},
    {"end_radius", KEY_NUMBER, .unit = "m", .initial = "0", .range = &key_not_negative,
     .help = "at the other end; 0 is a tip"},
    LENGTH_KEY,
};
static const struct key_section cone_section = KEY_SECTION_OF(cone_keys);

static const struct key mesh_keys[] = {
    {"file", KEY_TEXT, .one_of = true,
     .help = "OBJ or STL, one closed surface of any shape; relative to this file"},
    {"triangles", KEY_CORNERS, .one_of = true, .size = 9, .unit = "m",
     .help = "[[x, y, z of three corners], ...], all turned the same way; a resolved case has "
             "these in the place of the file"},
    {"scale", KEY_NUMBER, .initial = "1", .range = &key_positive,
     .help = "factor on the lengths; 0.001 when they are in millimetres"},
    {"position", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0",
     .help = "where the origin of the mesh is"},
};
static const struct key_section solid_section = KEY_SECTION_OF(mesh_keys);

static const struct key region_keys[] = {
    {"box", KEY_SECTION, .one_of = true, .section = &box_section, .help = "between two corners"},
    {"half_space", KEY_SECTION, .one_of = true, .section = &half_space_section,
     .help = "one side of a plane; not for fills"},
    {"sphere", KEY_SECTION, .one_of = true, .section = &sphere_section,
     .help = "a ball, or a shell"},
    {"cylinder", KEY_SECTION, .one_of = true, .section = &cylinder_section,
     .help = "a cylinder, or a tube"},
    {"cone", KEY_SECTION, .one_of = true, .section = &cone_section,
     .help = "a cone, or a part of one"},
    {"mesh", KEY_SECTION, .one_of = true, .section = &solid_section,
     .help = "the inside of a closed mesh"},
    {"outside", KEY_BOOLEAN, .initial = "false", .help = "all but that; not for fills"},
};
const struct key_section region_section = KEY_SECTION_OF(region_keys);

// ---- reading ----

static void read_mesh(struct fields fields, struct region *region) {
    size_t numbers;
    double *nine = fields_numbers(fields, "triangles", &numbers);
    double scale = fields_number(fields, "scale");
    region->triangles = (int64_t)(numbers / 9);
    region->corner = memory_allocate(numbers / 3, sizeof *region->corner, "triangles of a region");
    for (size_t k = 0; k < numbers / 3; k++) {
        vec3 corner = {nine[3 * k], nine[3 * k + 1], nine[3 * k + 2]};
        region->corner[k] = vec3_add_scaled(fields_vector(fields, "position"), scale, corner);
    }
    memory_free(nine);
}

static void read_box(struct fields fields, struct region *region) {
    region->low = fields_vector(fields, "min");
    region->high = fields_vector(fields, "max");
}

static void read_half_space(struct fields fields, struct region *region) {
    region->position = fields_vector(fields, "position");
    region->axis = fields_vector(fields, "normal");
}

static void read_sphere(struct fields fields, struct region *region) {
    region->position = fields_vector(fields, "centre");
    region->radius = fields_number(fields, "radius");
    region->inner = fields_number(fields, "inner_radius");
}

static void read_cylinder(struct fields fields, struct region *region) {
    read_sphere(fields, region);
    region->axis = fields_vector(fields, "axis");
    region->length = fields_number(fields, "length");
}

static void read_cone(struct fields fields, struct region *region) {
    region->position = fields_vector(fields, "base");
    region->axis = fields_vector(fields, "axis");
    region->radius = fields_number(fields, "radius");
    region->end_radius = fields_number(fields, "end_radius");
    region->length = fields_number(fields, "length");
}

static const struct {
    const char *key;
    enum region_kind kind;
    void (*read)(struct fields, struct region *);
} kinds[] = {
    {"box", REGION_BOX, read_box},          {"half_space", REGION_HALF_SPACE, read_half_space},
    {"sphere", REGION_SPHERE, read_sphere}, {"cylinder", REGION_CYLINDER, read_cylinder},
    {"cone", REGION_CONE, read_cone},       {"mesh", REGION_MESH, read_mesh}};

// Reads a region. Returns what is wrong with it; NULL: nothing.
static const char *read_region(struct fields fields, struct region *region, const char **key) {
    size_t k = 0;
    while (!fields_have(fields, kinds[k].key)) // the check found exactly one
        k++;
    *key = kinds[k].key;
    *region = (struct region){.kind = kinds[k].kind, .outside = fields_boolean(fields, "outside")};
    kinds[k].read(fields_section(fields, *key), region);
    return region_prepare(region);
}

bool case_read_region(struct fields fields, struct region *region, struct gabion_error *error) {
    const char *key, *defect = read_region(fields, region, &key);
    return !defect || yaml_error(error, fields_node(fields, key)->at, "%s: %s", key, defect);
}

void case_check_region(struct problems *problems, struct fields fields) {
    struct region region;
    const struct yaml_node *file = yaml_find(fields_node(fields, "mesh"), "file");
    if (file) {
        problems_add(problems, file->at,
                     "mesh: a resolved case contains the triangles, not the name of a file");
        return;
    }
    const char *key, *defect = read_region(fields, &region, &key);
    if (defect)
        problems_add(problems, fields_node(fields, key)->at, "%s: %s", key, defect);
    region_free(&region);
}
