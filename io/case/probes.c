#include "io/case/probes.h"

#include <stdio.h>
#include <string.h>

#include "engine/probe/quantities.h"
#include "engine/world/given_region.h"
#include "io/case/case_file.h"
#include "io/case/region.h"
#include "io/case/sections.h"
#include "io/file/file.h"
#include "parallel/memory.h"

// ---- keys ----

static const struct key_range bins_range = {.low = 0, .high = PROBE_BINS_MAX};

static const struct key plane_keys[] = {
    {"point", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "of the plane"},
    {"normal", KEY_VECTOR, .required = true, .size = 3,
     .help = "what crosses along it counts as positive; any length but 0"},
    {"radius", KEY_NUMBER, .unit = "m", .range = &key_positive,
     .help = "only a disc of this radius about the point"},
    {"size", KEY_VECTOR, .size = 2, .unit = "m", .range = &key_positive,
     .help = "only a rectangle with these sides about the point; needs tangent"},
    {"tangent", KEY_VECTOR, .size = 3, .help = "direction of the first side of the rectangle"},
};
static const struct key_section plane_section = KEY_SECTION_OF(plane_keys);

static const struct key probe_keys[] = {
    {"name", KEY_NAME, .required = true, .help = "column in history.csv"},
    {"quantity", KEY_CHOICE, .required = true, .words = PROBE_WORDS,
     .help = "what is measured; docs/measuring.md has components, formulas and signs"},
    {"group", KEY_NAME,
     .help = "whose bodies: a body name, or CONTAINER.WALL; without it all moving bodies, where "
             "the quantity allows that"},
    {"region", KEY_SECTION, .section = &region_section,
     .help = "only bodies whose centre, and contacts whose point, is in it"},
    {"against", KEY_NAME,
     .help = "a second group. displacement: relative to it; opening, sliding: of the interfaces "
             "between the two groups"},
    {"axis", KEY_VECTOR, .size = 3,
     .help = "angle: the axis, by the right-hand rule; any length but 0"},
    {"plane", KEY_SECTION, .section = &plane_section,
     .help = "flow: what is crossed; reaction: where its point lies (default: the plane of the "
             "group's half-space, or a level one through its mean position); surface: what heights "
             "are counted from, and which columns (default: z = 0, all)"},
    {"window", KEY_NUMBER, .unit = "s", .initial = "0", .range = &key_not_negative,
     .help = "flow: the rate is the mean over the last complete window; 0: over the last step"},
    {"kinetic", KEY_BOOLEAN, .initial = "false",
     .help = "stress: add the part of the velocities about their mean"},
    {"bins", KEY_INTEGER, .initial = "0", .range = &bins_range,
     .help = "network: classes of the histogram of normal forces over their mean"},
    {"bins_to", KEY_NUMBER, .initial = "5", .range = &key_positive,
     .help = "network: end of the last class, as a multiple of the mean"},
    {"column", KEY_NUMBER, .unit = "m", .range = &key_positive,
     .help = "surface: width of the square columns over which heights are measured"},
};
const struct key_section probe_section = KEY_SECTION_OF(probe_keys);

static const struct key document_keys[] = {
    {"probes", KEY_ENTRIES, .required = true, .section = &probe_section,
     .help = "what is measured, as in a case"},
};
const struct key_section case_probes_keys = KEY_SECTION_OF(document_keys);

// ---- checks ----

static unsigned given_parts(struct fields probe) {
    unsigned given = 0;
    for (unsigned part = 1; part < PROBE_PLACE; part *= 2)
        if (fields_have(probe, probe_part_name((enum probe_part)part)))
            given |= part;
    return fields_have(probe, "bins_to") ? given | PROBE_BINS : given;
}

static void check_direction(struct problems *problems, struct fields fields, const char *key) {
    double length = vec3_length(fields_vector(fields, key));
    if (!(length > 0 && isfinite(length)))
        problems_add(problems, fields_node(fields, key)->at,
                     "%s: expected a direction, found a vector of length %g", key, length);
}

static void check_plane(struct problems *problems, struct fields plane) {
    bool sides = fields_have(plane, "size");
    check_direction(problems, plane, "normal");
    if (sides != fields_have(plane, "tangent"))
        problems_add(problems, plane.node->at,
                     "plane: a rectangle needs both size and tangent, found only one of them");
    else if (sides)
        check_direction(problems, plane, "tangent");
    if (sides && fields_have(plane, "radius"))
        problems_add(problems, fields_node(plane, "radius")->at,
                     "plane: radius and size exclude each other; remove one of them");
}

void case_check_probe(struct problems *problems, struct fields probe) {
    char text[128];
    // The words of the key table are in the order of enum gabion_quantity.
    enum gabion_quantity quantity = (enum gabion_quantity)fields_choice(probe, "quantity");
    unsigned part = probe_parts_defect(quantity, given_parts(probe), text, sizeof text);
    const struct yaml_node *node =
        part ? fields_node(probe, probe_part_name((enum probe_part)part)) : NULL;
    if (part)
        problems_add(problems, (node ? node : probe.node)->at, "probe %s: %s",
                     fields_text(probe, "name"), text);
    if (fields_have(probe, "axis"))
        check_direction(problems, probe, "axis");
    if (fields_have(probe, "plane"))
        check_plane(problems, fields_section(probe, "plane"));
    if (fields_have(probe, "region"))
        case_check_region(problems, fields_section(probe, "region"));
}

// ---- reading ----

static bool read_group(struct fields probe, const char *key, const struct gabion_world *world,
                       int *group, struct gabion_error *error) {
    *group = -1;
    return !fields_have(probe, key) ||
           case_find_group(fields_node(probe, key), world, group, error);
}

static struct gabion_section read_plane(struct fields fields) {
    struct gabion_section plane = {.point = fields_vector(fields, "point"),
                                   .normal = fields_vector(fields, "normal")};
    if (fields_have(fields, "radius"))
        plane.radius = fields_number(fields, "radius");
    if (fields_have(fields, "size")) {
        fields_components(fields, "size", plane.size);
        plane.tangent = fields_vector(fields, "tangent");
    }
    return plane;
}

static bool define(struct fields fields, struct gabion_probe *probe, struct gabion_world *world,
                   struct gabion_error *error) {
    struct region region = {0};
    struct gabion_region given;
    bool good = true;
    if (fields_have(fields, "region")) {
        good = case_read_region(fields_section(fields, "region"), &region, error);
        given = region_give(&region);
        probe->region = &given;
    }
    good = good && gabion_define_probe(world, probe, error) >= 0;
    region_free(&region);
    return good || yaml_error_context(error, fields.node->at);
}

static bool add_probe(struct fields fields, struct gabion_world *world,
                      struct gabion_error *error) {
    struct gabion_probe probe = gabion_default_probe();
    probe.name = fields_text(fields, "name");
    probe.quantity = (enum gabion_quantity)fields_choice(fields, "quantity");
    if (!read_group(fields, "group", world, &probe.group, error) ||
        !read_group(fields, "against", world, &probe.against, error))
        return false;
    if (fields_have(fields, "axis"))
        probe.axis = fields_vector(fields, "axis");
    if (fields_have(fields, "plane"))
        probe.plane = read_plane(fields_section(fields, "plane"));
    probe.window = fields_number(fields, "window");
    probe.kinetic = fields_boolean(fields, "kinetic");
    probe.bins = (int)fields_integer(fields, "bins");
    if (probe.bins > 0)
        probe.bins_to = fields_number(fields, "bins_to");
    if (fields_have(fields, "column"))
        probe.column = fields_number(fields, "column");
    return define(fields, &probe, world, error);
}

static bool add_probes(struct fields file, struct gabion_world *world, struct gabion_error *error) {
    for (size_t i = 0; i < fields_count(file, "probes"); i++)
        if (!add_probe(fields_entry(file, "probes", i), world, error))
            return false;
    return true;
}

bool case_define_probes(const struct case_file *file, struct gabion_world *world,
                        struct gabion_error *error) {
    return add_probes(case_fields(file), world, error);
}

// ---- documents of probes alone ----

struct probe_document {
    struct text_list origins;
    struct yaml_node *root;
};

static bool read_file(struct probe_document *document, const char *path,
                      struct gabion_error *error) {
    size_t size;
    char *text = file_read(path, YAML_SIZE_MAX, &size, error);
    if (!text)
        return false;
    document->root = yaml_parse(text, size, text_list_add(&document->origins, path), error);
    memory_free(text);
    return document->root != NULL;
}

// Parses one probe, written with or without the braces of a YAML mapping.
static struct yaml_node *read_argument(struct probe_document *document, const char *argument,
                                       struct gabion_error *error) {
    size_t length = strlen(argument) + 16;
    char *text = memory_allocate(length, 1, "a probe");
    snprintf(text, length, "--probe %s", argument);
    const char *origin = text_list_add(&document->origins, text);
    bool braces = argument[strspn(argument, " ")] == '{';
    snprintf(text, length, braces ? "%s" : "{%s}", argument);
    struct yaml_node *probe = yaml_parse(text, strlen(text), origin, error);
    memory_free(text);
    if (probe)
        yaml_set_origin(probe, origin);
    return probe;
}

static bool add_argument(struct probe_document *document, const char *argument,
                         struct gabion_error *error) {
    struct yaml_node *probe = read_argument(document, argument, error);
    if (!probe)
        return false;
    if (!document->root)
        document->root = yaml_create(YAML_MAPPING, probe->at);
    if (!yaml_find(document->root, "probes"))
        yaml_put(document->root, "probes", yaml_create(YAML_LIST, probe->at));
    yaml_append(yaml_find(document->root, "probes"), probe);
    return true;
}

struct probe_document *probe_document_read(const char *path, const char *const *arguments,
                                           int count, struct gabion_error *error) {
    struct probe_document *document = memory_allocate(1, sizeof *document, "probes");
    bool good = !path || read_file(document, path, error);
    if (good && path) // before probes of the command line are added to its list
        good = case_check_probes(document->root, error);
    for (int k = 0; good && k < count; k++)
        good = add_argument(document, arguments[k], error);
    if (good && case_check_probes(document->root, error))
        return document;
    probe_document_free(document);
    return NULL;
}

bool probe_document_define(const struct probe_document *document, struct gabion_world *world,
                           struct gabion_error *error) {
    return add_probes((struct fields){document->root, &case_probes_keys}, world, error);
}

void probe_document_free(struct probe_document *document) {
    if (!document)
        return;
    yaml_free(document->root);
    text_list_free(&document->origins);
    memory_free(document);
}
