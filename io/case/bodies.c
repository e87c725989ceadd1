#include <string.h>

#include "engine/contact/adopt.h"
#include "engine/world/laws.h"
#include "io/case/case_file.h"
#include "io/case/empty_groups.h"
#include "io/case/grains.h"
#include "io/case/masonry.h"
#include "io/case/precision.h"
#include "io/case/surfaces.h"
#include "io/case/units.h"

// Reads the keys that bodies, generators and imports share. `plane` holds the degrees of freedom
// that the case locks for all moving bodies.
static bool read_template(struct fields fields, unsigned plane, struct gabion_world *world,
                          struct gabion_body *body, struct gabion_error *error) {
    *body = gabion_default_body();
    if (fields_have(fields, "material")) // else each body of an import has its own
        body->material = gabion_find_material(world, fields_text(fields, "material"));
    body->velocity = fields_vector(fields, "velocity");
    body->spin = fields_vector(fields, "spin");
    body->fixed = fields_boolean(fields, "fixed");
    body->lock = fields_choices(fields, "lock"); // the words are in the order of enum gabion_lock
    if (!body->fixed)
        body->lock |= plane;
    body->density = fields_have(fields, "density") ? fields_number(fields, "density")
                                                   : gabion_material_density(world, body->material);
    body->insert_time = fields_number(fields, "insert_time");
    // Each slab has a group of its own; a group for all of them would stay empty.
    bool named = fields_have(fields, "name") && !fields_have(fields, "slabs");
    body->group = named ? gabion_add_group(world, fields_text(fields, "name"), error) : 0;
    return body->group >= 0;
}

static void read_half_space(struct fields fields, struct gabion_body *body) {
    vec3 normal = fields_vector(fields, "normal"), s, t;
    normal = vec3_scale(1.0 / vec3_length(normal), normal);
    vec3_tangents(normal, &s, &t);
    if (fields_have(fields, "tangent")) {
        s = fields_vector(fields, "tangent");
        s = vec3_add_scaled(s, -vec3_dot(s, normal), normal);
        s = vec3_scale(1.0 / vec3_length(s), s);
    }
    body->shape = GABION_HALF_SPACE;
    body->fixed = true;
    body->normal = normal;
    body->tangent = s;
    fields_components(fields, "extent", body->extent);
}

static bool add_body(struct fields fields, const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error) {
    struct gabion_body body;
    double q[4];
    if (!read_template(fields, case_plane_lock(case_fields(file)), world, &body, error))
        return false;
    body.position = fields_vector(fields, "position");
    fields_components(fields, "orientation", q);
    body.orientation = quat_normalize((quat){q[0], q[1], q[2], q[3]});
    if (fields_have(fields, "mass"))
        body.mass = fields_number(fields, "mass");
    if (fields_have(fields, "inertia"))
        body.inertia = fields_vector(fields, "inertia");
    if (fields_have(fields, "half_space"))
        read_half_space(fields_section(fields, "half_space"), &body);
    else if (fields_have(fields, "sphere"))
        body.radius = fields_number(fields_section(fields, "sphere"), "radius");
    else if (case_has_grain(fields)) {
        if (!case_read_grain(fields, &body, world, error))
            return false;
    } else
        return case_add_block(fields, &body, world, file->remarks, error);
    return gabion_add_body(world, &body, error) >= 0;
}

static bool add_container(struct fields fields, const struct case_file *file,
                          struct gabion_world *world, struct gabion_error *error) {
    (void)file;
    if (case_has_surface(fields))
        return case_add_surface(fields, world, error);
    if (!fields_have(fields, "box"))
        return case_add_hollow(fields, world, error);
    struct fields box = fields_section(fields, "box");
    struct container_definition definition = {
        .name = fields_text(fields, "name"),
        .material = gabion_find_material(world, fields_text(fields, "material")),
        .low = fields_vector(box, "min"),
        .high = fields_vector(box, "max"),
        .walls = fields_choices(fields, "walls"),
    };
    return generate_container(world, &definition, error);
}

static bool add_generated(struct fields fields, const struct case_file *file,
                          struct gabion_world *world, struct gabion_error *error) {
    static const struct {
        const char *key;
        bool (*add)(struct fields, const struct gabion_body *, struct gabion_world *,
                    struct gabion_error *);
    } kinds[] = {
        {"lattice", case_add_lattice}, {"wall", case_add_wall},    {"slabs", case_add_slabs},
        {"arch", case_add_arch},       {"dome", case_add_dome},    {"tower", case_add_tower},
        {"stack", case_add_stack},     {"cards", case_add_cards},  {"drums", case_add_drums},
        {"vault", case_add_vault},     {"stairs", case_add_stairs}};
    struct gabion_body template;
    if (!read_template(fields, case_plane_lock(case_fields(file)), world, &template, error))
        return false;
    if (fields_have(fields, "fill"))
        return case_add_fill(fields, &template, world, file->remarks, error);
    size_t kind = 0;
    while (!fields_have(fields, kinds[kind].key)) // the check found exactly one
        kind++;
    return kinds[kind].add(fields, &template, world, error);
}

static bool add_imports(const struct case_file *file, struct gabion_world *world,
                        struct kept_contacts *kept, struct gabion_error *error) {
    struct fields top = case_fields(file);
    unsigned plane = case_plane_lock(top);
    for (size_t i = 0; i < fields_count(top, "imports"); i++) {
        struct fields entry = fields_entry(top, "imports", i);
        struct gabion_body template;
        if (!read_template(entry, plane, world, &template, error))
            return yaml_error_context(error, entry.node->at);
        if (fields_have(entry, "radius"))
            template.radius = fields_number(entry, "radius");
        if (!case_import(file, entry, &template, world, kept, error))
            return yaml_error_context(error, entry.node->at);
    }
    return true;
}

// ---- laws of the pairs that can touch ----

bool case_check_laws(const struct case_file *case_file, const struct gabion_world *world,
                     struct gabion_error *error) {
    struct fields file = case_fields(case_file);
    int a, b;
    if (!laws_find_missing(world, &a, &b))
        return true;
    const char *first = world->materials.name[a], *second = world->materials.name[b];
    const struct yaml_node *laws = fields_node(file, "laws");
    return yaml_error(error, laws ? laws->key_at : file.node->at,
                      "no law for %s on %s; add to laws: - {between: [%s, %s], friction: 0.5, "
                      "restitution: 0} with your values, or a law with between: default",
                      first, second, first, second);
}

bool case_add_bodies(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error) {
    static const struct {
        const char *list;
        bool (*add)(struct fields, const struct case_file *, struct gabion_world *,
                    struct gabion_error *);
    } sources[] = {
        {"bodies", add_body}, {"containers", add_container}, {"generators", add_generated}};
    struct fields top = case_fields(file);
    struct kept_contacts kept = {0};
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (size_t i = 0; i < fields_count(top, sources[k].list); i++) {
            struct fields entry = fields_entry(top, sources[k].list, i);
            if (!sources[k].add(entry, file, world, error))
                return yaml_error_context(error, entry.node->at);
        }
    bool good = add_imports(file, world, &kept, error) && case_add_joints(file, world, error) &&
                case_take_state(file, world, &kept, error) &&
                case_check_joints(file, world, error) && case_check_laws(file, world, error);
    kept_contacts_free(&kept);
    if (good) {
        case_note_units(top, world, file->remarks);
        case_note_empty_groups(top, world, file->remarks);
        case_note_precision(top, world, file->remarks);
    }
    return good;
}
