#include "io/case/masonry.h"

#include "parallel/memory.h"

// Reads the marks of all entries, one per block. The caller frees the array.
static bool read_marks(struct fields kind, struct gabion_world *world, struct block_marks *marks,
                       struct block_mark **array, struct gabion_error *error) {
    size_t count = 0, capacity = 0;
    *array = NULL;
    for (size_t i = 0; i < fields_count(kind, "mark"); i++) {
        struct fields mark = fields_entry(kind, "mark", i);
        int group = gabion_add_group(world, fields_text(mark, "name"), error);
        if (group < 0)
            return false;
        size_t blocks;
        double *block = fields_numbers(mark, "blocks", &blocks);
        *array = memory_reserve(*array, &capacity, count + blocks, sizeof **array, "marks");
        for (size_t k = 0; k < blocks; k++)
            (*array)[count++] = (struct block_mark){group, (int64_t)block[k]};
        memory_free(block);
    }
    *marks = (struct block_marks){*array, count};
    return true;
}

static struct wall_opening *read_openings(struct fields wall, size_t *count) {
    *count = fields_count(wall, "openings");
    struct wall_opening *openings = memory_allocate(*count, sizeof *openings, "openings");
    for (size_t i = 0; i < *count; i++) {
        struct fields opening = fields_entry(wall, "openings", i);
        openings[i] = (struct wall_opening){
            .x = fields_number(opening, "x"),
            .width = fields_number(opening, "width"),
            .course = (int)fields_integer(opening, "course"),
            .courses = (int)fields_integer(opening, "courses"),
            .bearing = fields_number(opening, "lintel"),
        };
    }
    return openings;
}

bool case_add_wall(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error) {
    struct fields wall = fields_section(entry, "wall");
    struct block_mark *marks;
    struct wall_definition definition = {
        .template = *template,
        .origin = fields_vector(wall, "origin"),
        .block = fields_vector(wall, "block"),
        .courses = (int)fields_integer(wall, "courses"),
        .blocks = (int)fields_integer(wall, "blocks"),
        .interface_width = fields_number(wall, "interface_width"),
    };
    struct wall_opening *openings = read_openings(wall, &definition.openings);
    definition.opening = openings;
    bool good = read_marks(wall, world, &definition.marks, &marks, error) &&
                generate_wall(world, &definition, error);
    memory_free(openings);
    memory_free(marks);
    return good;
}

bool case_add_slabs(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields slabs = fields_section(entry, "slabs");
    struct slabs_definition definition = {
        .template = *template,
        .name = fields_text(entry, "name"),
        .origin = fields_vector(slabs, "origin"),
        .depth = fields_number(slabs, "depth"),
        .thickness = fields_number(slabs, "thickness"),
    };
    double *width = fields_numbers(slabs, "widths", &definition.count);
    definition.width = width;
    bool good = generate_slabs(world, &definition, error);
    memory_free(width);
    return good;
}

bool case_add_arch(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error) {
    struct fields arch = fields_section(entry, "arch");
    struct block_mark *marks;
    struct arch_definition definition = {
        .template = *template,
        .name = fields_boolean(arch, "abutments") ? fields_text(entry, "name") : NULL,
        .origin = fields_vector(arch, "origin"),
        .radius = fields_number(arch, "radius"),
        .thickness = fields_number(arch, "thickness"),
        .depth = fields_number(arch, "depth"),
        .angle = fields_angle(arch, "angle"),
        .voussoirs = (int)fields_integer(arch, "voussoirs"),
    };
    bool good = read_marks(arch, world, &definition.marks, &marks, error) &&
                generate_arch(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_dome(struct fields entry, const struct gabion_body *template,
                   struct gabion_world *world, struct gabion_error *error) {
    struct fields dome = fields_section(entry, "dome");
    struct block_mark *marks;
    struct dome_definition definition = {
        .template = *template,
        .name = fields_boolean(dome, "base") ? fields_text(entry, "name") : NULL,
        .origin = fields_vector(dome, "origin"),
        .radius = fields_number(dome, "radius"),
        .thickness = fields_number(dome, "thickness"),
        .from = fields_angle(dome, "from"),
        .to = fields_angle(dome, "to"),
        .rings = (int)fields_integer(dome, "rings"),
        .blocks = (int)fields_integer(dome, "blocks"),
    };
    bool good = read_marks(dome, world, &definition.marks, &marks, error) &&
                generate_dome(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_tower(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields tower = fields_section(entry, "tower");
    struct block_mark *marks;
    struct tower_definition definition = {
        .template = *template,
        .origin = fields_vector(tower, "origin"),
        .block = fields_vector(tower, "block"),
        .blocks = (int)fields_integer(tower, "blocks"),
        .courses = (int)fields_integer(tower, "courses"),
    };
    bool good = read_marks(tower, world, &definition.marks, &marks, error) &&
                generate_tower(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_stack(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields stack = fields_section(entry, "stack");
    struct block_mark *marks;
    struct stack_definition definition = {
        .template = *template,
        .origin = fields_vector(stack, "origin"),
        .block = fields_vector(stack, "block"),
        .count = (int)fields_integer(stack, "count"),
        .harmonic = fields_number(stack, "harmonic"),
    };
    double *overhang = fields_numbers(stack, "overhang", &definition.overhangs);
    definition.overhang = overhang;
    bool good = read_marks(stack, world, &definition.marks, &marks, error) &&
                generate_stack(world, &definition, error);
    memory_free(overhang);
    memory_free(marks);
    return good;
}

// Returns the number that a key gives, or another one where it says auto.
static double number_or(struct fields fields, const char *key, double automatic) {
    double value = fields_number(fields, key);
    return value == GABION_AUTOMATIC ? automatic : value;
}

bool case_add_cards(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields cards = fields_section(entry, "cards");
    struct block_mark *marks;
    struct cards_definition definition = {
        .template = *template,
        .origin = fields_vector(cards, "origin"),
        .card = fields_vector(cards, "card"),
        .angle = fields_angle(cards, "angle"),
        .storeys = (int)fields_integer(cards, "storeys"),
    };
    definition.tents = (int)number_or(cards, "tents", definition.storeys);
    definition.gap = number_or(cards, "gap", 0.1 * definition.card.x);
    bool good = read_marks(cards, world, &definition.marks, &marks, error) &&
                generate_cards(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_drums(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields drums = fields_section(entry, "drums");
    struct block_mark *marks;
    struct drums_definition definition = {
        .template = *template,
        .origin = fields_vector(drums, "origin"),
        .radius = fields_number(drums, "radius"),
        .height = fields_number(drums, "height"),
        .drums = (int)fields_integer(drums, "count"),
        .sides = (int)fields_integer(drums, "sides"),
        .plinth = fields_vector(drums, "plinth"),
        .capital = fields_vector(drums, "capital"),
    };
    definition.top_radius = number_or(drums, "top_radius", definition.radius);
    bool good = read_marks(drums, world, &definition.marks, &marks, error) &&
                generate_drums(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_vault(struct fields entry, const struct gabion_body *template,
                    struct gabion_world *world, struct gabion_error *error) {
    struct fields vault = fields_section(entry, "vault");
    struct block_mark *marks;
    struct vault_definition definition = {
        .template = *template,
        .name = fields_boolean(vault, "abutments") ? fields_text(entry, "name") : NULL,
        .origin = fields_vector(vault, "origin"),
        .radius = fields_number(vault, "radius"),
        .thickness = fields_number(vault, "thickness"),
        .length = fields_number(vault, "length"),
        .angle = fields_angle(vault, "angle"),
        .courses = (int)fields_integer(vault, "courses"),
        .blocks = (int)fields_integer(vault, "blocks"),
    };
    bool good = read_marks(vault, world, &definition.marks, &marks, error) &&
                generate_vault(world, &definition, error);
    memory_free(marks);
    return good;
}

bool case_add_stairs(struct fields entry, const struct gabion_body *template,
                     struct gabion_world *world, struct gabion_error *error) {
    struct fields stairs = fields_section(entry, "stairs");
    struct block_mark *marks;
    struct stairs_definition definition = {
        .template = *template,
        .origin = fields_vector(stairs, "origin"),
        .steps = (int)fields_integer(stairs, "steps"),
        .tread = fields_number(stairs, "tread"),
        .rise = fields_number(stairs, "rise"),
        .width = fields_number(stairs, "width"),
    };
    definition.stone = number_or(stairs, "stone", 2 * definition.tread);
    bool good = read_marks(stairs, world, &definition.marks, &marks, error) &&
                generate_stairs(world, &definition, error);
    memory_free(marks);
    return good;
}
