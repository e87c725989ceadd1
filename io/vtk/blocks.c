// Blocks in a ParaView frame: as the polygons of their faces, or as polyhedral cells.
#include "io/vtk/drawn.h"
#include "parallel/memory.h"

static int32_t block_parts(const struct frame *frame, int32_t i) {
    return frame->bodies.shape[i] == GABION_POLYHEDRON;
}

static void block_fixed(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->mass[drawn_body(context, k)] == 0;
}

static void block_corner(const void *context, size_t k, double *components) {
    frame_put(components, ((const struct frame *)context)->point[k]);
}

static const struct vtk_array block_arrays[] = {
    {"id", VTK_INT32, "", drawn_id},
    {"material", VTK_UINT16, "", drawn_material},
    {"group", VTK_UINT16, "", drawn_group},
    {"fixed", VTK_UINT8, "", block_fixed},
    {"velocity", VTK_FLOAT32, "xyz", drawn_velocity},
    {"displacement", VTK_FLOAT32, "xyz", drawn_displacement},
    {"angular_velocity", VTK_FLOAT32, "xyz", drawn_spin},
    {"coordination", VTK_INT32, "", drawn_coordination},
    {"mass", VTK_FLOAT32, "", drawn_mass},
};

// The arrays of a topology that is being filled.
struct growth {
    int32_t *corner, *end, *face_word, *face_end;
    size_t cells, points, corners, face_words;
};

// Allocates all arrays in one piece.
static void growth_reserve(struct growth *growth, struct frame *frame) {
    size_t blocks = frame->drawn_count, points = 0, faces = 0, corners = 0;
    for (size_t k = 0; k < blocks; k++) {
        struct gabion_polyhedron shape = frame_polyhedron(frame, frame->drawn[k]);
        points += (size_t)shape.corners;
        faces += (size_t)shape.faces;
        corners += (size_t)shape.face_start[shape.faces];
    }
    size_t cell_corners = frame->solid ? points : corners;
    size_t cells = frame->solid ? blocks : faces;
    size_t face_words = frame->solid ? blocks + faces + corners : 0;
    frame->point = memory_allocate(points, sizeof *frame->point, "a ParaView frame");
    frame->words = memory_allocate(cell_corners + 2 * cells + face_words, sizeof *frame->words,
                                   "a ParaView frame");
    growth->corner = frame->words;
    growth->end = growth->corner + cell_corners;
    growth->face_end = growth->end + cells;
    growth->face_word = growth->face_end + cells;
}

static void grow_polygons(struct growth *growth, const struct gabion_polyhedron *shape) {
    for (int32_t f = 0; f < shape->faces; f++) {
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++)
            growth->corner[growth->corners++] = (int32_t)growth->points + shape->face_corner[k];
        growth->end[growth->cells++] = (int32_t)growth->corners;
    }
}

static void grow_solid(struct growth *growth, const struct gabion_polyhedron *shape) {
    for (int32_t k = 0; k < shape->corners; k++)
        growth->corner[growth->corners++] = (int32_t)growth->points + k;
    growth->face_word[growth->face_words++] = shape->faces;
    for (int32_t f = 0; f < shape->faces; f++) {
        growth->face_word[growth->face_words++] = shape->face_start[f + 1] - shape->face_start[f];
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++)
            growth->face_word[growth->face_words++] =
                (int32_t)growth->points + shape->face_corner[k];
    }
    growth->face_end[growth->cells] = (int32_t)growth->face_words;
    growth->end[growth->cells++] = (int32_t)growth->corners;
}

// Values are stored by cell: repeats each body for each of its faces.
static void repeat_drawn(struct frame *frame) {
    size_t blocks = frame->drawn_count;
    int32_t *block = frame->drawn;
    memory_free(frame->part);
    frame->drawn = frame->part = NULL;
    frame->drawn_count = frame->drawn_capacity = 0;
    for (size_t k = 0; k < blocks; k++)
        drawn_add(frame, block[k], frame_polyhedron(frame, block[k]).faces);
    memory_free(block);
}

void frame_blocks(struct frame *frame, struct vtk_mesh *mesh) {
    const struct gabion_bodies *bodies = &frame->bodies;
    struct growth growth = {0};
    drawn_fill(frame, block_parts);
    growth_reserve(&growth, frame);
    for (size_t k = 0; k < frame->drawn_count; k++) {
        int32_t i = frame->drawn[k];
        struct gabion_polyhedron shape = frame_polyhedron(frame, i);
        mat3 axes = quat_matrix(bodies->orientation[i]);
        (frame->solid ? grow_solid : grow_polygons)(&growth, &shape);
        for (int32_t c = 0; c < shape.corners; c++)
            frame->point[growth.points++] =
                vec3_add(bodies->position[i], mat3_apply(axes, shape.corner[c]));
    }
    if (!frame->solid)
        repeat_drawn(frame);
    frame->topology = (struct vtk_topology){
        .points = growth.points,
        .corners = growth.corners,
        .corner = growth.corner,
        .end = growth.end,
        .solid = frame->solid,
        .face_words = growth.face_words,
        .face_word = growth.face_word,
        .face_end = growth.face_end,
    };
    mesh->cells = growth.cells;
    mesh->topology = &frame->topology;
    mesh->position = block_corner;
    drawn_names(frame, mesh);
    FRAME_CELL_ARRAYS(mesh, block_arrays);
}
