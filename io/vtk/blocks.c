// Blocks in a ParaView frame: as the polygons of their faces, or as polyhedral cells.
#include "io/vtk/drawn.h"
#include "parallel/memory.h"

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

// The convex part that is drawn k-th.
static struct frame_part part_of(const struct frame *frame, size_t k) {
    return frame_block_part(frame, frame->drawn[k], frame->part[k]);
}

// The arrays of a topology that is being filled.
struct growth {
    int32_t *corner, *end, *face_word, *face_end;
    size_t cells, points, corners, face_words;
};

// Allocates all arrays in one piece.
static void growth_reserve(struct growth *growth, struct frame *frame) {
    size_t blocks = frame->drawn_count, points = 0, faces = 0, corners = 0;
    for (size_t k = 0; k < blocks; k++) {
        struct gabion_polyhedron shape = part_of(frame, k).shape;
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

// Values are stored by cell: repeats each body for each face of its parts.
static void repeat_drawn(struct frame *frame) {
    size_t parts = frame->drawn_count;
    int32_t *block = frame->drawn, *part = frame->part;
    frame->drawn = frame->part = NULL;
    frame->drawn_count = frame->drawn_capacity = 0;
    for (size_t k = 0; k < parts; k++)
        drawn_add(frame, block[k], frame_block_part(frame, block[k], part[k]).shape.faces);
    memory_free(block);
    memory_free(part);
}

void frame_blocks(struct frame *frame, struct vtk_mesh *mesh) {
    struct growth growth = {0};
    drawn_fill(frame, frame_block_parts);
    growth_reserve(&growth, frame);
    for (size_t k = 0; k < frame->drawn_count; k++) {
        struct frame_part part = part_of(frame, k);
        (frame->solid ? grow_solid : grow_polygons)(&growth, &part.shape);
        for (int32_t c = 0; c < part.shape.corners; c++)
            frame->point[growth.points++] = frame_part_corner(&part, c);
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
