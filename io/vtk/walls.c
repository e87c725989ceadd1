// Walls in a ParaView frame: a rectangle for each half-space, quads for hollow spheres and drums,
// the triangles of surfaces.
#include "io/vtk/drawn.h"
#include "parallel/memory.h"

static int32_t wall_parts(const struct frame *frame, int32_t i) {
    if (frame->bodies.shape[i] == GABION_HALF_SPACE)
        return 1;
    if (!frame_is_wall(&frame->bodies, i))
        return 0;
    if (frame->bodies.shape[i] == GABION_SURFACE)
        return frame_surface(frame, i).triangles;
    struct gabion_hollow hollow = frame_hollow(frame, i);
    return frame_hollow_pieces(&hollow);
}

// Returns half the side of the rectangle along `axis`, and how far its middle lies from the
// position.
static double wall_half_side(const struct frame *frame, vec3 x, vec3 axis, double extent,
                             double *shift) {
    const double margin = 1.1;
    *shift = 0;
    if (extent > 0)
        return extent;
    *shift = vec3_dot(axis, vec3_sub(frame->centre, x));
    return margin * (fabs(axis.x) * frame->reach.x + fabs(axis.y) * frame->reach.y +
                     fabs(axis.z) * frame->reach.z);
}

// Returns the rotation that takes z to the axis of a drum, about the normal of both.
static quat turn_to(vec3 axis) {
    quat turn = {1 + axis.z, -axis.y, axis.x, 0};
    return turn.w > 1e-9 ? quat_normalize(turn) : (quat){0, 1, 0, 0};
}

static void hollow_corner(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    int32_t i = drawn_body(context, k / 4);
    struct gabion_hollow hollow = frame_hollow(context, i);
    vec3 own = frame_hollow_corner(&hollow, drawn_part(context, k / 4), (int)(k % 4));
    if (bodies->shape[i] == GABION_DRUM)
        own = mat3_apply(quat_matrix(turn_to(hollow.axis)), own);
    frame_put(components,
              vec3_add(bodies->position[i], mat3_apply(quat_matrix(bodies->orientation[i]), own)));
}

// The corners are in counter-clockwise order, seen from outside the solid.
static void plane_corner(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    int32_t i = drawn_body(context, k / 4);
    struct gabion_plane wall = {0};
    gabion_get_plane(((const struct frame *)context)->world, bodies->shape_index[i], &wall, NULL);
    const mat3 axes = quat_matrix(bodies->orientation[i]);
    vec3 n = mat3_apply(axes, wall.normal), tangent = mat3_apply(axes, wall.tangent);
    vec3 s = vec3_add_scaled(tangent, -vec3_dot(tangent, n), n), axis[2];
    double length = vec3_length(s);
    if (length > 1e-6)
        axis[0] = vec3_scale(1.0 / length, s);
    else // the case gives no direction
        vec3_tangents(n, &axis[0], &axis[1]);
    axis[1] = vec3_cross(n, axis[0]);

    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    vec3 corner = bodies->position[i];
    for (int side = 0; side < 2; side++) {
        double shift, half = wall_half_side(context, bodies->position[i], axis[side],
                                            wall.extent[side], &shift);
        corner = vec3_add_scaled(corner, shift + sign[k % 4][side] * half, axis[side]);
    }
    frame_put(components, corner);
}

static void wall_corner(const void *context, size_t k, double *components) {
    bool plane = frame_bodies_of(context)->shape[drawn_body(context, k / 4)] == GABION_HALF_SPACE;
    (plane ? plane_corner : hollow_corner)(context, k, components);
}

static void wall_force(const void *context, size_t k, double *components) {
    const struct frame *frame = context;
    frame_put(components,
              vec3_scale(1.0 / frame->h, frame->sums.wall_impulse[drawn_body(context, k)]));
}

static const struct vtk_array wall_arrays[] = {
    {"id", VTK_INT32, "", drawn_id},           {"material", VTK_UINT16, "", drawn_material},
    {"group", VTK_UINT16, "", drawn_group},    {"velocity", VTK_FLOAT32, "xyz", drawn_velocity},
    {"force", VTK_FLOAT32, "xyz", wall_force},
};

// Surfaces ------------------------------------------------------------------------------------

static bool is_surface(const struct frame *frame, size_t cell) {
    return frame->bodies.shape[frame->drawn[cell]] == GABION_SURFACE;
}

static void add_corner(struct frame *frame, vec3 p) { frame->point[frame->topology.points++] = p; }

static void reserve_cells(struct frame *frame) {
    size_t cells = frame->drawn_count, points = 0;
    for (size_t k = 0; k < cells; k++)
        if (!is_surface(frame, k))
            points += 4;
        else if (frame->part[k] == 0)
            points += (size_t)frame_surface(frame, frame->drawn[k]).points;
    frame->point = memory_allocate(points, sizeof *frame->point, "a ParaView frame");
    frame->words = memory_allocate(5 * cells, sizeof *frame->words, "a ParaView frame");
    frame->topology =
        (struct vtk_topology){.corner = frame->words, .end = frame->words + 4 * cells};
}

// Triangles share the points of their surface, which come before the first of them.
static size_t add_triangle(struct frame *frame, size_t cell, size_t first) {
    const struct gabion_bodies *bodies = &frame->bodies;
    int32_t i = frame->drawn[cell], part = frame->part[cell];
    struct gabion_surface shape = frame_surface(frame, i);
    mat3 axes = quat_matrix(bodies->orientation[i]);
    if (part == 0) {
        first = frame->topology.points;
        for (int32_t p = 0; p < shape.points; p++)
            add_corner(frame, vec3_add(bodies->position[i], mat3_apply(axes, shape.point[p])));
    }
    for (int k = 0; k < 3; k++)
        frame->words[frame->topology.corners++] = (int32_t)first + shape.triangle[3 * part + k];
    return first;
}

static void add_quad(struct frame *frame, size_t cell) {
    double x[3];
    for (size_t k = 0; k < 4; k++) {
        wall_corner(frame, 4 * cell + k, x);
        frame->words[frame->topology.corners++] = (int32_t)frame->topology.points;
        add_corner(frame, vec3_make(x[0], x[1], x[2]));
    }
}

static void surface_corner(const void *context, size_t k, double *components) {
    frame_put(components, ((const struct frame *)context)->point[k]);
}

// Cells of three and of four corners need a list of them.
static void list_cells(struct frame *frame, struct vtk_mesh *mesh) {
    size_t first = 0;
    reserve_cells(frame);
    int32_t *end = frame->words + 4 * frame->drawn_count;
    for (size_t k = 0; k < frame->drawn_count; k++) {
        if (is_surface(frame, k))
            first = add_triangle(frame, k, first);
        else
            add_quad(frame, k);
        end[k] = (int32_t)frame->topology.corners;
    }
    mesh->corners = 0;
    mesh->topology = &frame->topology;
    mesh->position = surface_corner;
}

void frame_walls(struct frame *frame, struct vtk_mesh *mesh) {
    drawn_fill(frame, wall_parts);
    mesh->cells = frame->drawn_count;
    mesh->corners = 4;
    mesh->position = wall_corner;
    if (frame->counts.surfaces > 0)
        list_cells(frame, mesh);
    drawn_names(frame, mesh);
    FRAME_CELL_ARRAYS(mesh, wall_arrays);
}
