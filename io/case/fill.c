// Reads lattices and fills.
#include "io/case/grains.h"
#include "io/case/masonry.h"
#include "io/case/region.h"
#include "parallel/memory.h"

// ---- sizes ----

static void read_classes(struct fields fields, struct size_distribution *size) {
    size_t count = fields_count(fields, "classes");
    size->kind = SIZE_CLASSES;
    size->classes = (int)count;
    size->class_radius = memory_allocate(count, sizeof(double), "size classes");
    size->class_share = memory_allocate(count, sizeof(double), "size classes");
    for (size_t i = 0; i < count; i++) {
        struct fields entry = fields_entry(fields, "classes", i);
        size->class_radius[i] = fields_number(entry, "radius");
        size->class_share[i] = fields_number(entry, "share");
    }
}

static void read_sieve(struct fields fields, struct size_distribution *size) {
    size_t numbers;
    double *point = fields_numbers(fields, "sieve", &numbers);
    size->kind = SIZE_SIEVE;
    size->classes = (int)(numbers / 2);
    size->class_radius = memory_allocate(numbers / 2, sizeof(double), "grading curve");
    size->class_share = memory_allocate(numbers / 2, sizeof(double), "grading curve");
    for (size_t i = 0; i < numbers / 2; i++) {
        size->class_radius[i] = point[2 * i];
        size->class_share[i] = point[2 * i + 1];
    }
    memory_free(point);
}

static void read_cut(struct fields cut, struct size_distribution *size, bool normal) {
    size->kind = normal ? SIZE_NORMAL : SIZE_LOGNORMAL;
    size->mean = fields_number(cut, normal ? "mean" : "median");
    size->deviation = fields_number(cut, normal ? "deviation" : "sigma");
    size->low = fields_number(cut, "low");
    size->high = fields_number(cut, "high");
}

// Reads a number or a distribution.
static struct size_distribution read_size(struct fields grain, const char *key) {
    struct size_distribution size = {.kind = SIZE_EQUAL};
    const struct yaml_node *node = fields_node(grain, key);
    struct fields fields = fields_section(grain, key);
    if (!node || node->kind != YAML_MAPPING) {
        size.radius = fields_number(grain, key);
    } else if (fields_have(fields, "uniform")) {
        double bounds[2];
        fields_components(fields, "uniform", bounds);
        size = (struct size_distribution){SIZE_UNIFORM, .low = bounds[0], .high = bounds[1]};
    } else if (fields_have(fields, "power")) {
        struct fields power = fields_section(fields, "power");
        size = (struct size_distribution){SIZE_POWER, .low = fields_number(power, "low"),
                                          .high = fields_number(power, "high"),
                                          .exponent = fields_number(power, "exponent")};
    } else if (fields_have(fields, "classes")) {
        read_classes(fields, &size);
    } else if (fields_have(fields, "sieve")) {
        read_sieve(fields, &size);
    } else {
        bool normal = fields_have(fields, "normal");
        read_cut(fields_section(fields, normal ? "normal" : "lognormal"), &size, normal);
    }
    return size;
}

// ---- mixtures ----

// Reads what one kind of bodies is. `kind` has the template of the generator.
static bool read_kind(struct fields grain, struct gabion_world *world, struct grain_kind *kind,
                      struct gabion_error *error) {
    kind->turned = fields_boolean(grain, "turned");
    if (fields_have(grain, "radius")) {
        kind->size = read_size(grain, "radius");
    } else if (fields_have(grain, "disk")) {
        struct fields disk = fields_section(grain, "disk");
        kind->form = GRAIN_DISK;
        kind->size = read_size(disk, "radius");
        kind->thickness = fields_number(disk, "thickness");
    } else if (fields_have(grain, "random_hull")) {
        struct fields hull = fields_section(grain, "random_hull");
        kind->form = GRAIN_HULL;
        kind->template.shape = GABION_POLYHEDRON;
        kind->size = read_size(hull, "radius");
        kind->aspect = fields_vector(hull, "aspect");
        kind->points = (int)fields_integer(hull, "points");
    } else {
        kind->form = GRAIN_SHAPE;
        kind->size = read_size(grain, "scale");
        return case_has_grain(grain) ? case_read_grain(grain, &kind->template, world, error)
                                     : case_read_shape(grain, &kind->template, world, error);
    }
    return true;
}

// Reads what a kind of a mixture has of its own.
static bool read_own(struct fields entry, struct gabion_world *world, struct grain_kind *kind,
                     struct gabion_error *error) {
    struct gabion_body *template = &kind->template;
    kind->share = fields_number(entry, "share");
    if (fields_have(entry, "material")) {
        template->material = gabion_find_material(world, fields_text(entry, "material"));
        template->density = gabion_material_density(world, template->material);
    }
    if (fields_have(entry, "density"))
        template->density = fields_number(entry, "density");
    if (fields_have(entry, "name"))
        template->group = gabion_add_group(world, fields_text(entry, "name"), error);
    return template->group >= 0;
}

static void free_kinds(struct grain_kind *kinds, size_t count) {
    for (size_t k = 0; k < count; k++) {
        memory_free(kinds[k].size.class_radius);
        memory_free(kinds[k].size.class_share);
    }
    memory_free(kinds);
}

// Reads what a lattice or fill consists of. The caller frees the kinds with free_kinds, also after
// an error.
static bool read_mixture(struct fields generator, const struct gabion_body *template,
                         struct gabion_world *world, struct grain_mixture *mixture,
                         struct grain_kind **kinds, struct gabion_error *error) {
    bool mixed = fields_have(generator, "mixture");
    size_t count = mixed ? fields_count(generator, "mixture") : 1;
    *kinds = memory_allocate(count, sizeof **kinds, "kinds of bodies");
    // The words of the key are in the order of the enumeration.
    *mixture =
        (struct grain_mixture){*kinds, count, (enum share_by)fields_choice(generator, "shares")};
    for (size_t k = 0; k < count; k++) {
        struct grain_kind *kind = &(*kinds)[k];
        struct fields grain = mixed ? fields_entry(generator, "mixture", k) : generator;
        kind->template = *template;
        if ((mixed && !read_own(grain, world, kind, error)) ||
            !read_kind(grain, world, kind, error))
            return mixed ? yaml_error_context(error, grain.node->at) : false;
    }
    return true;
}

// ---- generators ----

bool case_add_lattice(struct fields entry, const struct gabion_body *template,
                      struct gabion_world *world, struct gabion_error *error) {
    struct fields fields = fields_section(entry, "lattice");
    struct grain_kind *kinds;
    double count[3];
    fields_components(fields, "count", count);
    struct lattice_definition definition = {
        .origin = fields_vector(fields, "origin"),
        .spacing = fields_vector(fields, "spacing"),
        .count = {(int)count[0], (int)count[1], (int)count[2]},
        .jitter = fields_number(fields, "jitter"),
        .limit = fields_integer(fields, "limit"),
        .seed = (uint64_t)fields_integer(fields, "seed"),
    };
    bool good = read_mixture(fields, template, world, &definition.grains, &kinds, error) &&
                generate_lattice(world, &definition, error);
    free_kinds(kinds, definition.grains.kinds);
    return good;
}

static bool read_place(struct fields fields, struct region *region, struct gabion_error *error) {
    *region = (struct region){.kind = REGION_BOX};
    if (fields_have(fields, "region"))
        return case_read_region(fields_section(fields, "region"), region, error);
    region->low = fields_vector(fields, "min");
    region->high = fields_vector(fields, "max");
    return true; // generate_fill checks it
}

bool case_add_fill(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct remarks *remarks,
                   struct gabion_error *error) {
    struct fields fields = fields_section(entry, "fill");
    struct grain_kind *kinds = NULL;
    char note[800] = "", place[400];
    struct fill_definition definition = {
        .name = fields_have(entry, "name") ? fields_text(entry, "name") : NULL,
        .count = fields_integer(fields, "count"),
        .attempts = (int)fields_integer(fields, "attempts"),
        .accept = fields_choice(fields, "if_full") == 1,
        .rate = fields_number(fields, "rate"),
        .seed = (uint64_t)fields_integer(fields, "seed"),
        .note = note,
        .note_size = sizeof note,
    };
    bool good = read_place(fields, &definition.region, error) &&
                read_mixture(fields, template, world, &definition.grains, &kinds, error) &&
                generate_fill(world, &definition, error);
    if (good && note[0]) {
        yaml_print_position(place, sizeof place, entry.node->at);
        remarks_add(remarks, true, "%s: fill: %s", place, note);
    }
    region_free(&definition.region);
    free_kinds(kinds, definition.grains.kinds);
    return good;
}
