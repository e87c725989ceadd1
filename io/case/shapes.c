#include "engine/api/define.h"
#include "geometry/polyhedron.h"
#include "io/case/masonry.h"
#include "io/case/units.h"
#include "io/mesh/mesh.h"
#include "parallel/memory.h"

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

static bool take_shape(struct polyhedron *shape, struct gabion_body *body,
                       struct gabion_world *world, struct gabion_error *error) {
    body->shape = GABION_POLYHEDRON;
    body->polyhedron = world_add_polyhedron(world, shape, error);
    return body->polyhedron >= 0;
}

static bool add_piece(struct polyhedron *shape, struct gabion_body *body,
                      struct gabion_world *world, struct gabion_error *error) {
    return take_shape(shape, body, world, error) && gabion_add_body(world, body, error) >= 0;
}

// Adds the pieces until one is rejected, and frees those after it.
static bool add_pieces(struct polyhedron **piece, size_t count, struct gabion_body *body,
                       struct gabion_world *world, struct gabion_error *error) {
    bool good = count == 1 || body->mass == 0.0 ||
                error_set(error, GABION_ERROR_INPUT,
                          "mass: the mesh has %zu pieces, which cannot all have that mass; give a "
                          "density",
                          count);
    for (size_t k = 0; k < count; k++)
        if (good)
            good =
                add_piece(piece[k], body, world, error) || error_context(error, "piece %zu", k + 1);
        else
            polyhedron_free(piece[k]);
    return good;
}

static bool add_mesh(struct fields mesh, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    size_t count;
    struct polyhedron **piece =
        mesh_read(fields_text(mesh, "file"), fields_number(mesh, "scale"), &count, error);
    double largest = 0;
    for (size_t k = 0; piece && k < count; k++)
        largest = fmax(largest, piece[k]->radius);
    bool good = piece && add_pieces(piece, count, body, world, error);
    if (good)
        case_note_mesh(mesh, largest, world);
    memory_free(piece);
    return good || error_context(error, "mesh");
}

bool case_read_shape(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                     struct gabion_error *error) {
    size_t k = 0;
    while (!fields_have(entry, shapes[k].key)) // the check found exactly one
        k++;
    struct fields fields = fields_section(entry, shapes[k].key);
    return take_shape(shapes[k].read(fields, error), body, world, error) ||
           error_context(error, "%s", shapes[k].key);
}

bool case_add_block(struct fields entry, struct gabion_body *body, struct gabion_world *world,
                    struct gabion_error *error) {
    if (fields_have(entry, "mesh"))
        return add_mesh(fields_section(entry, "mesh"), body, world, error);
    return case_read_shape(entry, body, world, error) && gabion_add_body(world, body, error) >= 0;
}
