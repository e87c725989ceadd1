// Rules that tie several keys together, and values that a range cannot describe.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/api/settings.h"
#include "io/case/case_file.h"
#include "io/case/check.h"
#include "io/case/grains.h"
#include "io/case/probes.h"
#include "io/case/region.h"
#include "io/text/number.h"
#include "parallel/memory.h"

static void require_below(struct problems *problems, struct fields fields, const char *low,
                          const char *high) {
    double a[3], b[3];
    int size = key_find(fields.section, low)->size;
    if (size) {
        fields_components(fields, low, a);
        fields_components(fields, high, b);
    } else {
        a[0] = fields_number(fields, low);
        b[0] = fields_number(fields, high);
        size = 1;
    }
    for (int i = 0; i < size; i++)
        if (!(a[i] < b[i])) {
            const struct yaml_node *node = fields_node(fields, high);
            problems_add(problems, node ? node->at : fields.node->at,
                         "expected %s above %s, found %g and %g", high, low, b[i], a[i]);
            return;
        }
}

static void require_direction(struct problems *problems, struct fields fields, const char *key) {
    vec3 direction = fields_vector(fields, key);
    double length = vec3_length(direction);
    if (!(length > 0.0 && isfinite(length)))
        problems_add(problems, fields_node(fields, key)->at,
                     "%s: expected a direction, found a vector of length %g", key, length);
}

static int compare_names(const void *a, const void *b) {
    const struct yaml_node *const *left = a, *const *right = b;
    int order = strcmp((*left)->text, (*right)->text);
    // Equal names keep the order of the file, so that the second one is reported.
    return order ? order : (*left)->at.line - (*right)->at.line;
}

static void require_unique_names(struct problems *problems, struct fields file, const char *list) {
    size_t count = fields_count(file, list);
    const struct yaml_node **names = memory_allocate(count, sizeof *names, "names");
    for (size_t i = 0; i < count; i++)
        names[i] = fields_node(fields_entry(file, list, i), "name");
    if (count)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1]->text, names[i]->text) == 0)
            problems_add(problems, names[i]->at,
                         "%s: the name \"%s\" is already taken, in line %d; give another", list,
                         names[i]->text, names[i - 1]->at.line);
    memory_free(names);
}

// ---- laws ----

static size_t material_index(const struct yaml_node *materials, const char *name) {
    size_t i = 0;
    while (strcmp(materials->item[i]->key, name) != 0)
        i++;
    return i;
}

static void check_laws(struct problems *problems, struct fields file) {
    const struct yaml_node *materials = fields_node(file, "materials");
    size_t side = materials->count;
    // The node that set the law of each pair; the last entry is for the default law.
    const struct yaml_node **setter = memory_allocate(side * side + 1, sizeof *setter, "laws");
    for (size_t i = 0; i < fields_count(file, "laws"); i++) {
        const struct yaml_node *pair = fields_node(fields_entry(file, "laws", i), "between");
        size_t place = side * side, mirror = place;
        if (pair->kind == YAML_LIST) {
            size_t a = material_index(materials, pair->item[0]->text);
            size_t b = material_index(materials, pair->item[1]->text);
            place = a * side + b;
            mirror = b * side + a;
        }
        if (setter[place])
            problems_add(
                problems, pair->at,
                "laws[%zu].between: this pair already has a law, in line %d; remove one of them", i,
                setter[place]->at.line);
        setter[place] = setter[mirror] = pair;
    }
    memory_free(setter);
}

// ---- bodies ----

static void check_density(struct problems *problems, struct fields file, struct fields body) {
    const struct yaml_node *material = fields_node(body, "material");
    const struct yaml_node *about = yaml_find(fields_node(file, "materials"), material->text);
    if (fields_boolean(body, "fixed") || fields_have(body, "density") ||
        fields_have(body, "mass") || yaml_find(about, "density"))
        return;
    problems_add(problems, material->at,
                 "a moving body needs a density; add one to materials.%s or to the body",
                 material->text);
}

// Reports a tangent along the axis of its section, where one is given.
static void require_tangent(struct problems *problems, struct fields fields, const char *axis,
                            const char *along) {
    if (!fields_have(fields, "tangent"))
        return;
    vec3 normal = fields_vector(fields, axis), t = fields_vector(fields, "tangent");
    double scale = vec3_length(normal) * vec3_length(t);
    if (!(vec3_length(vec3_cross(normal, t)) > 1e-9 * scale) || !isfinite(scale))
        problems_add(problems, fields_node(fields, "tangent")->at,
                     "tangent: expected a direction %s, not along its %s", along, axis);
}

static void require_orientation(struct problems *problems, struct fields fields) {
    double q[4], sum = 0.0;
    fields_components(fields, "orientation", q);
    for (int i = 0; i < 4; i++)
        sum += q[i] * q[i];
    if (!(sum > 0.0 && isfinite(sum)))
        problems_add(problems, fields_node(fields, "orientation")->at,
                     "orientation: expected a quaternion, found one of length %g", sqrt(sum));
}

static void check_half_space(struct problems *problems, struct fields body) {
    struct fields half_space = fields_section(body, "half_space");
    require_direction(problems, half_space, "normal");
    if (fields_have(body, "fixed") && !fields_boolean(body, "fixed"))
        problems_add(problems, fields_node(body, "fixed")->at,
                     "a half-space is always fixed; remove this key");
    if (fields_have(body, "orientation"))
        problems_add(problems, fields_node(body, "orientation")->at,
                     "a half-space is placed by its normal and tangent; remove this key");
    require_tangent(problems, half_space, "normal", "along the plane");
}

static void check_body(struct problems *problems, struct fields file, struct fields body) {
    require_orientation(problems, body);
    if (fields_have(body, "half_space"))
        check_half_space(problems, body);
    else
        check_density(problems, file, body);
}

// Directions of drums, plates, funnels, cones, cylinders and mesh files.
static void check_directions(struct problems *problems, struct fields container) {
    static const char *const about_axis[] = {"drum", "funnel", "cone", "cylinder"};
    for (size_t k = 0; k < sizeof about_axis / sizeof *about_axis; k++)
        if (fields_have(container, about_axis[k]))
            require_direction(problems, fields_section(container, about_axis[k]), "axis");
    if (fields_have(container, "cylinder"))
        require_tangent(problems, fields_section(container, "cylinder"), "axis", "across");
    if (fields_have(container, "surface"))
        require_orientation(problems, fields_section(container, "surface"));
    if (!fields_have(container, "plate"))
        return;
    require_direction(problems, fields_section(container, "plate"), "normal");
    require_tangent(problems, fields_section(container, "plate"), "normal", "along the plate");
}

static void check_container(struct problems *problems, struct fields container) {
    if (fields_have(container, "box"))
        require_below(problems, fields_section(container, "box"), "min", "max");
    else if (fields_have(container, "walls"))
        problems_add(problems, fields_node(container, "walls")->at,
                     "only a box has walls; remove this key");
    check_directions(problems, container);
}

static const struct yaml_node *find_disk_of(const struct yaml_node *grains) {
    const struct yaml_node *disk = yaml_find(grains, "disk");
    const struct yaml_node *mixture = yaml_find(grains, "mixture");
    for (size_t k = 0; !disk && mixture && k < mixture->count; k++)
        disk = yaml_find(mixture->item[k], "disk");
    return disk;
}

static const struct yaml_node *find_disk(const struct yaml_node *entry) {
    static const char *const inside[] = {"lattice", "fill"};
    const struct yaml_node *disk = yaml_find(entry, "disk");
    for (size_t k = 0; !disk && k < sizeof inside / sizeof *inside; k++)
        disk = find_disk_of(yaml_find(entry, inside[k]));
    return disk;
}

// Reports disks without a plane, and velocities and spins that lead out of the plane.
static void check_plane(struct problems *problems, struct fields file, const char *list) {
    static const char *const rates[] = {"velocity", "spin"};
    bool plane = fields_have(file, "plane");
    unsigned lock = case_plane_lock(file);
    for (size_t i = 0; i < fields_count(file, list); i++) {
        struct fields body = fields_entry(file, list, i);
        const struct yaml_node *disk = find_disk(body.node);
        if (disk && !plane)
            problems_add(problems, disk->key_at, "a disk needs the key plane (xy, xz or yz)");
        for (int rate = 0; rate < 2; rate++)
            for (int axis = 0; axis < 3; axis++)
                if (lock >> (axis + 3 * rate) & 1 &&
                    vec3_get(fields_vector(body, rates[rate]), axis) != 0) {
                    problems_add(problems, fields_node(body, rates[rate])->at,
                                 "%s: expected 0 along %c, which leads out of plane %s",
                                 rates[rate], "xyz"[axis], fields_text(file, "plane"));
                    break;
                }
    }
}

static void check_size(struct problems *problems, struct fields grain, const char *key) {
    if (!fields_have(grain, key) || fields_node(grain, key)->kind != YAML_MAPPING)
        return;
    struct fields size = fields_section(grain, key);
    if (fields_have(size, "uniform")) {
        double bounds[2];
        fields_components(size, "uniform", bounds);
        if (bounds[0] > bounds[1])
            problems_add(problems, fields_node(size, "uniform")->at,
                         "uniform: expected [low, high], found %g above %g", bounds[0], bounds[1]);
    }
    if (fields_have(size, "normal"))
        require_below(problems, fields_section(size, "normal"), "low", "high");
    if (fields_have(size, "lognormal"))
        require_below(problems, fields_section(size, "lognormal"), "low", "high");
    if (fields_have(size, "power"))
        require_below(problems, fields_section(size, "power"), "low", "high");
    if (fields_have(size, "classes") && fields_count(size, "classes") == 0)
        problems_add(problems, fields_node(size, "classes")->at,
                     "classes: expected one entry {radius, share} or more");
}

// Checks one kind of bodies of a lattice or fill.
static void check_kind(struct problems *problems, struct fields grain) {
    static const char *const round[] = {"radius", "disk", "random_hull"};
    check_size(problems, grain, "radius");
    check_size(problems, grain, "scale");
    if (fields_have(grain, "disk"))
        check_size(problems, fields_section(grain, "disk"), "radius");
    if (fields_have(grain, "random_hull"))
        check_size(problems, fields_section(grain, "random_hull"), "radius");
    for (size_t k = 0; k < sizeof round / sizeof *round; k++)
        if (fields_have(grain, round[k]) && fields_have(grain, "scale"))
            problems_add(problems, fields_node(grain, "scale")->at,
                         "scale: %s has a radius of its own; change that and remove this key",
                         round[k]);
}

static void check_grains(struct problems *problems, struct fields generator) {
    static const char *const own[] = {"scale", "turned"};
    check_kind(problems, generator);
    if (!fields_have(generator, "mixture"))
        return;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (fields_have(generator, own[k]))
            problems_add(problems, fields_node(generator, own[k])->at,
                         "%s: give it inside the entries of the mixture", own[k]);
    if (fields_count(generator, "mixture") == 0)
        problems_add(problems, fields_node(generator, "mixture")->at,
                     "mixture: expected one entry with a share or more");
    for (size_t i = 0; i < fields_count(generator, "mixture"); i++)
        check_kind(problems, fields_entry(generator, "mixture", i));
}

static void check_fill(struct problems *problems, struct fields fill) {
    bool low = fields_have(fill, "min"), high = fields_have(fill, "max");
    struct fields region = fields_section(fill, "region");
    check_grains(problems, fill);
    if (region.node ? low || high : !low || !high) {
        problems_add(problems, region.node ? region.node->at : fill.node->at,
                     "fill: expected either region or both min and max");
        return;
    }
    if (!region.node) {
        require_below(problems, fill, "min", "max");
        return;
    }
    case_check_region(problems, region);
    if (fields_have(region, "half_space") || fields_boolean(region, "outside"))
        problems_add(problems, region.node->at,
                     "region: bodies cannot be placed at random in a region without an end; give "
                     "a box, sphere, cylinder, cone or mesh without outside");
}

static void require_name(struct problems *problems, struct fields generator, const char *why) {
    if (!fields_have(generator, "name"))
        problems_add(problems, generator.node->at, "missing key \"name\": %s", why);
}

static void check_masonry(struct problems *problems, struct fields generator) {
    struct fields arch = fields_section(generator, "arch"),
                  vault = fields_section(generator, "vault"),
                  dome = fields_section(generator, "dome"),
                  stack = fields_section(generator, "stack");
    if (fields_have(generator, "slabs")) {
        require_name(problems, generator, "slabs are the groups NAME.1, NAME.2 ...");
        if (fields_have(generator, "fixed") && !fields_boolean(generator, "fixed"))
            problems_add(problems, fields_node(generator, "fixed")->at,
                         "slabs are always fixed; remove this key");
    }
    if (arch.node && fields_boolean(arch, "abutments"))
        require_name(problems, generator,
                     "the abutments are the groups NAME.left and NAME.right; or give abutments: "
                     "false");
    if (vault.node && fields_boolean(vault, "abutments"))
        require_name(problems, generator,
                     "the abutments are the groups NAME.left and NAME.right; or give abutments: "
                     "false");
    if (dome.node && fields_boolean(dome, "base"))
        require_name(problems, generator, "the base is the group NAME.base");
    if (dome.node)
        require_below(problems, dome, "from", "to");
    if (fields_have(stack, "overhang") && fields_have(stack, "harmonic"))
        problems_add(problems, fields_node(stack, "harmonic")->at,
                     "harmonic and overhang exclude each other; remove one of them");
}

static void check_generator(struct problems *problems, struct fields file,
                            struct fields generator) {
    if (!fields_have(generator, "slabs"))
        check_density(problems, file, generator);
    if (fields_have(generator, "fill")) {
        check_fill(problems, fields_section(generator, "fill"));
    } else if (fields_have(generator, "lattice")) {
        check_grains(problems, fields_section(generator, "lattice"));
    } else {
        check_masonry(problems, generator);
    }
}

// ---- actions ----

// Reports where the displacement or angle of a table jumps: the body would have to be in two places
// at one time.
static void check_jumps(struct problems *problems, struct fields action) {
    const struct yaml_node *points = yaml_find(yaml_find(action.node, "table"), "points");
    double before = -INFINITY, time = 0;
    for (size_t i = 0; points && i < points->count; i++) {
        const struct yaml_node *point = points->item[i];
        number_parse(point->item[0]->text, &time);
        if (time == before) {
            problems_add(problems, point->at,
                         "table: point %zu has the time of the one before it (%g s), but a "
                         "displacement or angle cannot jump; give the jump some time",
                         i + 1, time);
            return;
        }
        before = time;
    }
}

static void check_signal(struct problems *problems, struct fields action) {
    static const char *const tables[] = {"table", "record"};
    require_below(problems, action, "start", "end");
    if (fields_have(action, "ramp") && isinf(fields_number(action, "end")))
        problems_add(problems, fields_node(action, "ramp")->at,
                     "a ramp needs an end; add the key end beside it");
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        const struct yaml_node *file = yaml_find(yaml_find(action.node, tables[k]), "file");
        if (file)
            problems_add(problems, file->at,
                         "%s: a resolved case contains the points, not the name of a file",
                         tables[k]);
    }
}

// Checks that an action names its bodies, by group or groups.
static void check_groups(struct problems *problems, struct fields action, const char *list,
                         bool optional) {
    bool one = fields_have(action, "group"), several = fields_have(action, "groups");
    if (one && several)
        problems_add(problems, fields_node(action, "groups")->at,
                     "%s: group and groups exclude each other; remove one of them", list);
    if (!one && !several && !optional)
        problems_add(problems, action.node->at,
                     "missing key \"group\" in %s; expected the name of a group, or groups with a "
                     "list of names",
                     list);
}

static void check_removal(struct problems *problems, struct fields removal) {
    bool region = fields_have(removal, "region"), from = fields_have(removal, "from");
    check_groups(problems, removal, "removals", region);
    if (region)
        case_check_region(problems, fields_section(removal, "region"));
    if (from && !region)
        problems_add(problems, fields_node(removal, "from")->at,
                     "from: a removal without region takes place once; give time instead");
    if (fields_have(removal, "until") && !from)
        problems_add(problems, fields_node(removal, "until")->at,
                     "until: only a removal with from goes on; remove this key, or give from "
                     "instead of time");
    if (from)
        require_below(problems, removal, "from", "until");
}

static void check_force(struct problems *problems, struct fields force) {
    check_groups(problems, force, "forces", false);
    require_direction(problems, force, "direction");
    check_signal(problems, force);
}

// Reports a key in metres of a turning driver, or in degrees of one that moves along a direction.
static void report_unit(struct problems *problems, struct fields fields, const char *key,
                        const char *instead, bool turns) {
    if (fields_have(fields, key))
        problems_add(problems, fields_node(fields, key)->at,
                     "%s cannot be combined with %s; give %s instead", key,
                     turns ? "turn" : "direction", instead);
}

static void check_driver(struct problems *problems, struct fields driver) {
    bool turns = fields_have(driver, "turn");
    check_groups(problems, driver, "drivers", false);
    struct fields ramp = fields_section(driver, "ramp");
    if (turns)
        require_direction(problems, fields_section(driver, "turn"), "axis");
    else
        require_direction(problems, driver, "direction");
    report_unit(problems, driver, turns ? "velocity" : "rate",
                turns ? "rate (deg/s)" : "velocity (m/s)", turns);
    report_unit(problems, ramp, turns ? "distance" : "angle",
                turns ? "angle (deg)" : "distance (m)", turns);
    check_signal(problems, driver);
    check_jumps(problems, driver);
}

static void check_tilt(struct problems *problems, struct fields tilt) {
    require_direction(problems, tilt, "axis");
    check_signal(problems, tilt);
    check_jumps(problems, tilt);
}

static void check_stop(struct problems *problems, struct fields stop) {
    if (fields_have(stop, "fall_group") && !fields_have(stop, "fall_distance") &&
        !fields_have(stop, "fall_speed"))
        problems_add(problems, fields_node(stop, "fall_group")->at,
                     "stop.fall_group: needs stop.fall_distance or stop.fall_speed");
}

// ---- settings ----

// Finds the node at a path such as "solver.budget", or else the innermost mapping on the way to it.
static const struct yaml_node *find_nearest(const struct yaml_node *node, const char *path,
                                            bool *found) {
    char part[64];
    size_t length = strcspn(path, ".");
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    const struct yaml_node *child = yaml_find(node, part);
    *found = child && path[length] == '\0';
    return child && path[length] ? find_nearest(child, path + length + 1, found)
                                 : (child ? child : node);
}

static void check_settings(struct problems *problems, const struct yaml_node *root,
                           const struct gabion_settings *settings) {
    char text[SETTINGS_RULE_SIZE];
    for (size_t k = 0; k < settings_rule_count; k++) {
        const struct settings_rule *rule = &settings_rules[k];
        bool given;
        const struct yaml_node *place = find_nearest(root, rule->key, &given);
        if (rule->broken(settings) && (given || !rule->if_given))
            problems_add(problems, place->at, "%s", settings_rule_describe(rule, settings, text));
    }
}

// Reports the laws that time.scheme corrective does not support.
static void check_corrective_laws(struct problems *problems, struct fields file) {
    for (size_t i = 0; i < fields_count(file, "laws"); i++) {
        struct fields law = fields_entry(file, "laws", i);
        double friction = fields_number(law, "friction");
        if (friction > 0 && isfinite(friction))
            problems_add(problems, fields_node(law, "friction")->at,
                         "laws[%zu].friction: time.scheme corrective supports only 0 and sticking, "
                         "found %g; time.scheme moreau takes any",
                         i, friction);
        if (fields_number(law, "tangential_restitution") > 0)
            problems_add(
                problems, fields_node(law, "tangential_restitution")->at,
                "laws[%zu].tangential_restitution: time.scheme corrective supports only 0; "
                "remove this key",
                i);
    }
}

static void check_joint(struct problems *problems, struct fields joint) {
    struct fields hinge = fields_section(joint, "hinge"),
                  distance = fields_section(joint, "distance");
    if (hinge.node)
        require_direction(problems, hinge, "axis");
    if (distance.node && !(vec3_length(vec3_sub(fields_vector(distance, "from"),
                                                fields_vector(distance, "to"))) > 0.0))
        problems_add(problems, fields_node(distance, "to")->at,
                     "from and to coincide; a distance needs two different points; use ball to "
                     "join them in one");
}

void case_check_probe_rules(struct fields file, struct problems *problems) {
    require_unique_names(problems, file, "probes");
    for (size_t i = 0; i < fields_count(file, "probes"); i++)
        case_check_probe(problems, fields_entry(file, "probes", i));
}

static void check_import(struct problems *problems, struct fields import) {
    bool kept = fields_choices(import, "keep") & 1; // materials
    if (!kept && !fields_have(import, "material"))
        problems_add(problems, import.node->at,
                     "missing key \"material\"; or let the bodies of a checkpoint keep theirs with "
                     "keep: [materials]");
    require_orientation(problems, import);
}

void case_check_rules(const struct yaml_node *root, struct problems *problems) {
    struct fields file = {root, &case_keys};
    const struct gabion_settings settings = case_read_settings(root);
    check_settings(problems, root, &settings);
    if (fields_have(file, "tilt"))
        check_tilt(problems, fields_section(file, "tilt"));
    if (fields_have(file, "stop"))
        check_stop(problems, fields_section(file, "stop"));
    check_laws(problems, file);
    if (settings.scheme == GABION_SCHEME_CORRECTIVE)
        check_corrective_laws(problems, file);
    for (size_t i = 0; i < fields_count(file, "bodies"); i++)
        check_body(problems, file, fields_entry(file, "bodies", i));
    for (size_t i = 0; i < fields_count(file, "containers"); i++)
        check_container(problems, fields_entry(file, "containers", i));
    check_plane(problems, file, "bodies");
    check_plane(problems, file, "generators");
    check_plane(problems, file, "imports");
    require_unique_names(problems, file, "containers");
    for (size_t i = 0; i < fields_count(file, "generators"); i++)
        check_generator(problems, file, fields_entry(file, "generators", i));
    for (size_t i = 0; i < fields_count(file, "imports"); i++)
        check_import(problems, fields_entry(file, "imports", i));
    for (size_t i = 0; i < fields_count(file, "joints"); i++)
        check_joint(problems, fields_entry(file, "joints", i));
    for (size_t i = 0; i < fields_count(file, "drivers"); i++)
        check_driver(problems, fields_entry(file, "drivers", i));
    for (size_t i = 0; i < fields_count(file, "forces"); i++)
        check_force(problems, fields_entry(file, "forces", i));
    for (size_t i = 0; i < fields_count(file, "resets"); i++)
        check_groups(problems, fields_entry(file, "resets", i), "resets", false);
    for (size_t i = 0; i < fields_count(file, "removals"); i++)
        check_removal(problems, fields_entry(file, "removals", i));
    case_check_probe_rules(file, problems);
}
