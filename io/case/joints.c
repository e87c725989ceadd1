// Joints of a case: their keys, and how they are added to the world.
#include "engine/solvers/panel.h"
#include "engine/world/world.h"
#include "io/case/case_file.h"
#include "io/case/sections.h"

static const struct key ball_keys[] = {
    {"anchor", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "the point that both bodies share, where they stand at the start"},
};
static const struct key_section ball_section = KEY_SECTION_OF(ball_keys);

static const struct key hinge_keys[] = {
    {"anchor", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "a point of the axis"},
    {"axis", KEY_VECTOR, .required = true, .size = 3, .help = "any length but 0"},
};
static const struct key_section hinge_section = KEY_SECTION_OF(hinge_keys);

static const struct key fixed_keys[] = {
    {"anchor", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "where the forces are exchanged and reported"},
};
static const struct key_section fixed_section = KEY_SECTION_OF(fixed_keys);

static const struct key distance_keys[] = {
    {"from", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "point of first"},
    {"to", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "point of second, or of the world"},
};
static const struct key_section distance_section = KEY_SECTION_OF(distance_keys);

static const struct key joint_keys[] = {
    {"first", KEY_NAME, .required = true, .help = "name of one body"},
    {"second", KEY_NAME, .help = "name of another; without it first is joined to the world"},
    {"ball", KEY_SECTION, .one_of = true, .section = &ball_section,
     .help = "the bodies turn freely about a point"},
    {"hinge", KEY_SECTION, .one_of = true, .section = &hinge_section,
     .help = "the bodies turn about an axis"},
    {"fixed", KEY_SECTION, .one_of = true, .section = &fixed_section,
     .help = "the bodies move as one"},
    {"distance", KEY_SECTION, .one_of = true, .section = &distance_section,
     .help = "two points stay as far apart as they are: a rod without mass"},
    {"collide", KEY_BOOLEAN, .initial = "false", .help = "whether joined bodies also touch"},
};
const struct key_section joint_section = KEY_SECTION_OF(joint_keys);

// Finds the body that a joint names: the only one of its group.
static bool find_body(struct fields joint, const char *key, struct gabion_world *world, int32_t *id,
                      struct gabion_error *error) {
    const struct yaml_node *name = fields_node(joint, key);
    const struct bodies *bodies = &world->bodies;
    int group, found = 0;
    if (!case_find_group(name, world, &group, error))
        return false;
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->group[i] == group) {
            *id = bodies->id[i];
            found++;
        }
    for (int k = 0; k < world->pending_count; k++)
        if (world->pending[k].body.group == group) {
            *id = world->pending[k].id;
            found++;
        }
    return found == 1 || yaml_error(error, name->at,
                                    "%s: \"%s\" is a group of %d bodies; a joint needs one, with "
                                    "a name of its own",
                                    key, name->text, found);
}

static void read_kind(struct fields fields, struct gabion_joint *joint) {
    static const char *const kinds[] = {"ball", "hinge", "fixed", "distance"};
    int kind = 0;
    while (!fields_have(fields, kinds[kind])) // the check found exactly one
        kind++;
    struct fields about = fields_section(fields, kinds[kind]);
    bool distance = kind == GABION_JOINT_DISTANCE;
    joint->kind = (enum gabion_joint_kind)kind;
    joint->anchor = fields_vector(about, distance ? "from" : "anchor");
    if (distance)
        joint->anchor_second = fields_vector(about, "to");
    if (kind == GABION_JOINT_HINGE)
        joint->axis = fields_vector(about, "axis");
}

// Warns where an import has brought the joint already.
static void note_twice(const struct case_file *file, struct fields fields, int imported,
                       const struct gabion_joint *joint, const struct gabion_world *world) {
    char place[400];
    for (int k = 0; k < imported; k++) {
        const struct joint *other = &world->joints.list[k];
        if (other->kind != joint->kind || other->id[0] != joint->first ||
            other->id[1] != joint->second)
            continue;
        yaml_print_position(place, sizeof place, fields.node->at);
        remarks_add(
            file->remarks, true,
            "%s: joint: these bodies are joined so by an import already; remove this joint, "
            "or give joints: false in the import",
            place);
        return;
    }
}

static bool add_joint(const struct case_file *file, struct fields fields, int imported,
                      struct gabion_world *world, struct gabion_error *error) {
    struct gabion_joint joint = {.second = -1, .collide = fields_boolean(fields, "collide")};
    if (!find_body(fields, "first", world, &joint.first, error) ||
        (fields_have(fields, "second") &&
         !find_body(fields, "second", world, &joint.second, error)))
        return false;
    read_kind(fields, &joint);
    note_twice(file, fields, imported, &joint, world);
    return gabion_add_joint(world, &joint, error) >= 0 ||
           yaml_error_context(error, fields.node->at);
}

bool case_add_joints(const struct case_file *file, struct gabion_world *world,
                     struct gabion_error *error) {
    struct fields top = case_fields(file);
    int imported = world->joints.count;
    for (size_t i = 0; i < fields_count(top, "joints"); i++)
        if (!add_joint(file, fields_entry(top, "joints", i), imported, world, error))
            return false;
    return true;
}

bool case_check_joints(const struct case_file *file, const struct gabion_world *world,
                       struct gabion_error *error) {
    static const char *const sources[] = {"joints", "imports", "from"};
    struct fields top = case_fields(file);
    enum gabion_method method = world->settings.method;
    size_t k = 0;
    if (world->joints.count == 0 || panel_takes_joints(method))
        return true;
    while (!fields_have(top, sources[k]))
        k++;
    return yaml_error(error, fields_node(top, sources[k])->key_at,
                      "solver.method %s takes no joints; use nsgs or newton", panel_name(method));
}
