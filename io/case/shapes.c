#include "engine/api/define.h"
#include "geometry/polyhedron.h"
#include "io/case/masonry.h"
#include "io/case/units.h"
#include "io/mesh/mesh.h"
#include "parallel/memory.h"

// Shapes ----------------------------------------------------------------------------------------

static struct polyhedron *read_box(struct fields box, struct gabion_error *error) {
    return polyhedron_box(vec3_scale(0.5, fields_vector(box, "size")), error);
}

static struct polyhedron *read_prism(struct fields prism, struct gabion_error *error) {
    size_t numbers;
    double *polygon = fields_numbers(prism, "polygon", &numbers);
    double half = 0.5 * fields_number(prism, "height");
    struct polyhedron *shape =
        polyhedron_prism((const double(*)[2])polygon, (int)(numbers / 2), -half, half, error);
    memory_free(polygon);
    return shape;
}

static struct polyhedron *read_wedge(struct fields wedge, struct gabion_error *error) {
    return generate_voussoir(fields_number(wedge, "radius"), fields_number(wedge, "thickness"),
                             fields_number(wedge, "depth"), fields_angle(wedge, "angle"), error);
}

static struct polyhedron *read_hull(struct fields hull, struct gabion_error *error) {
    size_t numbers;
    double *points = fields_numbers(hull, "points", &numbers);
    // vec3 is three doubles in a row.
    struct polyhedron *shape = polyhedron_hull((const vec3 *)points, (int64_t)(numbers / 3), error);
    memory_free(points);
    return shape;
}

static const struct {
    const char *key;
    struct polyhedron *(*read)(struct fields, struct gabion_error *);
} shapes[] = {{"box", read_box}, {"prism", read_prism}, {"wedge", read_wedge}, {"hull", read_hull}};

// Pieces ----------------------------------------------------------------------------------------

// Convex polyhedra, those of one body next to each other.
struct pieces {
    struct polyhedron **shape;
    size_t *body; // by shape: which body it belongs to
    size_t count, bodies;
    double largest; // side of any of them
};

static void pieces_free(struct pieces *pieces) {
    for (size_t k = 0; k < pieces->count; k++)
        polyhedron_free(pieces->shape[k]);
    memory_free(pieces->shape);
    memory_free(pieces->body);
    *pieces = (struct pieces){0};
}

// Reads the pieces of a mesh. Those that are not convex become several shapes of one body where the
// case asks for that.
static bool read_mesh(struct fields mesh, struct pieces *pieces, struct gabion_error *error) {
    bool decompose = fields_have(mesh, "decompose");
    int64_t parts = decompose ? fields_integer(fields_section(mesh, "decompose"), "parts") : 1;
    pieces->shape = mesh_read_parts(fields_text(mesh, "file"), fields_number(mesh, "scale"), parts,
                                    &pieces->count, &pieces->body, error);
    if (!pieces->shape)
        return false;
    if (fields_boolean(mesh, "glue"))
        for (size_t k = 0; k < pieces->count; k++)
            pieces->body[k] = 0;
    pieces->bodies = pieces->body[pieces->count - 1] + 1;
    for (size_t k = 0; k < pieces->count; k++) {
        vec3 size = vec3_sub(pieces->shape[k]->high, pieces->shape[k]->low);
        pieces->largest = fmax(pieces->largest, fmax(size.x, fmax(size.y, size.z)));
    }
    return true;
}

static bool read_shape(struct fields entry, size_t kind, struct pieces *pieces,
                       struct gabion_error *error) {
    struct polyhedron *shape = shapes[kind].read(fields_section(entry, shapes[kind].key), error);
    if (!shape)
        return false;
    pieces->shape = memory_allocate(1, sizeof *pieces->shape, "shapes");
    pieces->body = memory_allocate(1, sizeof *pieces->body, "shapes");
    pieces->shape[0] = shape;
    pieces->count = pieces->bodies = 1;
    return true;
}

static bool read_pieces(struct fields entry, struct pieces *pieces, struct gabion_error *error) {
    *pieces = (struct pieces){0};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (fields_have(entry, shapes[k].key))
            return read_shape(entry, k, pieces, error);
    return read_mesh(fields_section(entry, "mesh"), pieces, error);
}

// Returns the key that describes the shape of an entry.
static const char *shape_key(struct fields entry) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (fields_have(entry, shapes[k].key))
            return shapes[k].key;
    return fields_have(entry, "compound") ? "compound" : "mesh";
}

// Bodies ----------------------------------------------------------------------------------------

// The parts of a compound as they are read.
struct part_list {
    struct gabion_part *part;
    size_t count, capacity;
};

static void add_part(struct part_list *list, struct gabion_part part) {
    list->part = memory_reserve(list->part, &list->capacity, list->count + 1, sizeof *list->part,
                                "parts of a compound");
    list->part[list->count++] = part;
}

// Gives the shape to the world, which then owns it, and appends it as a part like `like`.
static bool hand_over(struct pieces *pieces, size_t k, struct gabion_part like,
                      struct gabion_world *world, struct part_list *list,
                      struct gabion_error *error) {
    struct polyhedron *shape = pieces->shape[k];
    pieces->shape[k] = NULL;
    like.polyhedron = world_add_polyhedron(world, shape, error);
    add_part(list, like);
    return like.polyhedron >= 0;
}

// Gives the body the shape that the parts make.
static bool join_parts(const struct part_list *list, struct gabion_body *body,
                       struct gabion_world *world, struct gabion_error *error) {
    body->shape = GABION_POLYHEDRON;
    body->polyhedron = list->part[0].polyhedron;
    if (list->count == 1)
        return true;
    body->shape = GABION_COMPOUND;
    body->compound = gabion_add_compound(world, list->part, (int64_t)list->count, error);
    return body->compound >= 0;
}

static const struct gabion_part in_place = {.orientation = {1, 0, 0, 0}, .density = 1};

// Adds the bodies that the pieces form, until one is rejected.
static bool add_pieces(struct pieces *pieces, struct gabion_body *body, struct gabion_world *world,
                       struct gabion_error *error) {
    struct part_list list = {0};
    bool good = pieces->bodies == 1 || body->mass == 0.0 ||
                error_set(error, GABION_ERROR_INPUT,
                          "mass: the mesh has %zu pieces, which cannot all have that mass; give a "
                          "density, or glue: true for one body",
                          pieces->bodies);
    for (size_t k = 0; good && k < pieces->count; k++) {
        good = hand_over(pieces, k, in_place, world, &list, error);
        bool last = k + 1 == pieces->count || pieces->body[k + 1] != pieces->body[k];
        if (good && last) {
            good = (join_parts(&list, body, world, error) &&
                    gabion_add_body(world, body, error) >= 0) ||
                   (pieces->bodies > 1 && error_context(error, "piece %zu", pieces->body[k] + 1));
            list.count = 0;
        }
    }
    memory_free(list.part);
    return good;
}

// Appends what one entry under `parts` describes.
static bool read_part(struct fields entry, struct gabion_world *world, struct part_list *list,
                      struct gabion_error *error) {
    struct pieces pieces;
    double q[4];
    fields_components(entry, "orientation", q);
    struct gabion_part like = {
        .position = fields_vector(entry, "position"),
        .orientation = {q[0], q[1], q[2], q[3]},
        .density = fields_number(entry, "relative_density"),
    };
    bool good = read_pieces(entry, &pieces, error);
    for (size_t k = 0; good && k < pieces.count; k++)
        good = hand_over(&pieces, k, like, world, list, error);
    pieces_free(&pieces);
    return good || error_context(error, "%s", shape_key(entry));
}

static bool read_compound(struct fields compound, struct gabion_body *body,
                          struct gabion_world *world, struct gabion_error *error) {
    struct part_list list = {0};
    bool good = true;
    for (size_t k = 0; good && k < fields_count(compound, "parts"); k++)
        good = read_part(fields_entry(compound, "parts", k), world, &list, error) ||
               error_context(error, "part %zu", k + 1);
    if (good && list.count == 0)
        good = error_set(error, GABION_ERROR_INPUT, "parts: expected one part or more, found none");
    body->shape = GABION_COMPOUND;
    body->compound = good ? gabion_add_compound(world, list.part, (int64_t)list.count, error) : -1;
    memory_free(list.part);
    return body->compound >= 0;
}

// Gives the body the shape that the pieces of an entry make together.
static bool read_joined(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                        struct gabion_error *error) {
    struct pieces pieces;
    struct part_list list = {0};
    bool good = read_pieces(entry, &pieces, error);
    if (good && pieces.bodies > 1)
        good = error_set(error, GABION_ERROR_INPUT,
                         "the mesh has %zu pieces, and each body that is placed is one; give glue: "
                         "true for one body of them all, or a file for each piece",
                         pieces.bodies);
    for (size_t k = 0; good && k < pieces.count; k++)
        good = hand_over(&pieces, k, in_place, world, &list, error);
    good = good && join_parts(&list, body, world, error);
    pieces_free(&pieces);
    memory_free(list.part);
    return good;
}

bool case_read_shape(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    bool good = fields_have(entry, "compound")
                    ? read_compound(fields_section(entry, "compound"), body, world, error)
                    : read_joined(entry, body, world, error);
    return good || error_context(error, "%s", shape_key(entry));
}

bool case_add_block(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                    struct remarks *remarks, struct gabion_error *error) {
    struct pieces pieces = {0};
    bool good = fields_have(entry, "compound")
                    ? read_compound(fields_section(entry, "compound"), body, world, error) &&
                          gabion_add_body(world, body, error) >= 0
                    : read_pieces(entry, &pieces, error) && add_pieces(&pieces, body, world, error);
    if (good && fields_have(entry, "mesh"))
        case_note_mesh(fields_section(entry, "mesh"), pieces.largest, remarks);
    pieces_free(&pieces);
    return good || error_context(error, "%s", shape_key(entry));
}
