// Spheres, walls and blocks of a ParaView frame.
#include "io/vtk/frame.h"
#include "parallel/memory.h"

static int32_t drawn_of(const void *context, size_t k) {
    return ((const struct frame *)context)->drawn[k];
}

static int32_t part_of(const void *context, size_t k) {
    return ((const struct frame *)context)->part[k];
}

static void draw(struct frame *frame, int32_t i, int32_t parts) {
    size_t wanted = frame->drawn_count + (size_t)parts, capacity = frame->drawn_capacity;
    frame->part =
        memory_reserve(frame->part, &capacity, wanted, sizeof *frame->part, "a ParaView frame");
    frame->drawn = memory_reserve(frame->drawn, &frame->drawn_capacity, wanted,
                                  sizeof *frame->drawn, "a ParaView frame");
    for (int32_t part = 0; part < parts; part++) {
        frame->part[frame->drawn_count] = part;
        frame->drawn[frame->drawn_count++] = i;
    }
}

// The parts of all bodies of a kind, in order of id.
static void draw_all(struct frame *frame, int32_t (*parts)(const struct bodies *, int32_t)) {
    const struct bodies *bodies = &frame->world->bodies;
    frame->drawn_count = 0;
    for (int32_t id = 0; id < bodies->id_count; id++) {
        int32_t i = bodies->index_of[id];
        if (i >= 0)
            draw(frame, i, parts(bodies, i));
    }
}

static int32_t sphere_parts(const struct bodies *bodies, int32_t i) {
    return bodies->shape[i] == GABION_CLUMP ? bodies_clump(bodies, i)->count
                                            : bodies->shape[i] == GABION_SPHERE;
}

static int32_t wall_parts(const struct bodies *bodies, int32_t i) {
    if (bodies->shape[i] == GABION_HALF_SPACE)
        return 1;
    return bodies_is_wall(bodies, i) ? frame_hollow_pieces(bodies_hollow(bodies, i)) : 0;
}

static int32_t block_parts(const struct bodies *bodies, int32_t i) {
    return bodies->shape[i] == GABION_POLYHEDRON;
}

// From the centre of the body to that of its sphere.
static vec3 sphere_arm(const void *context, size_t k) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k);
    if (bodies->shape[i] != GABION_CLUMP)
        return vec3_zero();
    return mat3_apply(quat_matrix(bodies->q[i]),
                      bodies_clump(bodies, i)->sphere[part_of(context, k)]);
}

static void sphere_position(const void *context, size_t k, double *components) {
    vec3 x = frame_world_bodies(context)->x[drawn_of(context, k)];
    frame_put(components, vec3_add(x, sphere_arm(context, k)));
}

static void sphere_velocity(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k);
    frame_put(components, vec3_add(bodies->v[i], vec3_cross(bodies->w[i], sphere_arm(context, k))));
}

static void sphere_radius(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k);
    components[0] = bodies->shape[i] == GABION_CLUMP
                        ? bodies_clump(bodies, i)->sphere_radius[part_of(context, k)]
                        : bodies->radius[i];
}

static void body_id(const void *context, size_t k, double *components) {
    components[0] = frame_world_bodies(context)->id[drawn_of(context, k)];
}

static void body_material(const void *context, size_t k, double *components) {
    components[0] = frame_world_bodies(context)->material[drawn_of(context, k)];
}

static void body_group(const void *context, size_t k, double *components) {
    components[0] = frame_world_bodies(context)->group[drawn_of(context, k)];
}

static void body_velocity(const void *context, size_t k, double *components) {
    frame_put(components, frame_world_bodies(context)->v[drawn_of(context, k)]);
}

static void body_angular_velocity(const void *context, size_t k, double *components) {
    frame_put(components, frame_world_bodies(context)->w[drawn_of(context, k)]);
}

static void body_orientation(const void *context, size_t k, double *components) {
    quat q = frame_world_bodies(context)->q[drawn_of(context, k)];
    components[0] = q.w;
    frame_put(components + 1, vec3_make(q.x, q.y, q.z));
}

static void body_coordination(const void *context, size_t k, double *components) {
    components[0] = ((const struct frame *)context)->coordination[drawn_of(context, k)];
}

// One half of the rectangle's sides along `axis`, and how far its middle lies from the position.
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

// The turn that takes z to the axis of a drum, about the normal of both.
static quat turn_to(vec3 axis) {
    quat turn = {1 + axis.z, -axis.y, axis.x, 0};
    return turn.w > 1e-9 ? quat_normalize(turn) : (quat){0, 1, 0, 0};
}

static void hollow_corner(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k / 4);
    const struct hollow *hollow = bodies_hollow(bodies, i);
    vec3 own = frame_hollow_corner(hollow, part_of(context, k / 4), (int)(k % 4));
    if (hollow_is_drum(hollow))
        own = mat3_apply(quat_matrix(turn_to(hollow->axis)), own);
    frame_put(components, vec3_add(bodies->x[i], mat3_apply(quat_matrix(bodies->q[i]), own)));
}

// Corners go round counter-clockwise seen from outside the solid.
static void plane_corner(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k / 4);
    const struct half_space *wall = bodies_half_space(bodies, i);
    const mat3 axes = quat_matrix(bodies->q[i]);
    vec3 n = bodies_plane_normal(bodies, i, &axes), tangent = mat3_apply(axes, wall->tangent);
    vec3 s = vec3_add_scaled(tangent, -vec3_dot(tangent, n), n), axis[2];
    double length = vec3_length(s);
    if (length > 1e-6)
        axis[0] = vec3_scale(1.0 / length, s);
    else // no direction was asked for
        vec3_tangents(n, &axis[0], &axis[1]);
    axis[1] = vec3_cross(n, axis[0]);

    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    vec3 corner = bodies->x[i];
    for (int side = 0; side < 2; side++) {
        double shift,
            half = wall_half_side(context, bodies->x[i], axis[side], wall->extent[side], &shift);
        corner = vec3_add_scaled(corner, shift + sign[k % 4][side] * half, axis[side]);
    }
    frame_put(components, corner);
}

static void wall_corner(const void *context, size_t k, double *components) {
    bool plane = frame_world_bodies(context)->shape[drawn_of(context, k / 4)] == GABION_HALF_SPACE;
    (plane ? plane_corner : hollow_corner)(context, k, components);
}

static void wall_force(const void *context, size_t k, double *components) {
    const struct frame *frame = context;
    frame_put(components, vec3_scale(1.0 / frame->h, frame->wall_impulse[drawn_of(context, k)]));
}

static void body_fixed(const void *context, size_t k, double *components) {
    components[0] = frame_world_bodies(context)->mass[drawn_of(context, k)] == 0;
}

static void block_displacement(const void *context, size_t k, double *components) {
    const struct bodies *bodies = frame_world_bodies(context);
    int32_t i = drawn_of(context, k);
    frame_put(components, vec3_sub(bodies->x[i], bodies->start_of[bodies->id[i]]));
}

static void block_corner(const void *context, size_t k, double *components) {
    frame_put(components, ((const struct frame *)context)->point[k]);
}

static const struct vtk_array body_arrays[] = {
    {"radius", VTK_FLOAT32, "", sphere_radius},
    {"id", VTK_INT32, "", body_id},
    {"material", VTK_UINT16, "", body_material},
    {"group", VTK_UINT16, "", body_group},
    {"velocity", VTK_FLOAT32, "xyz", sphere_velocity},
    {"angular_velocity", VTK_FLOAT32, "xyz", body_angular_velocity},
    {"orientation", VTK_FLOAT32, "wxyz", body_orientation},
    {"coordination", VTK_INT32, "", body_coordination},
};

static const struct vtk_array wall_arrays[] = {
    {"id", VTK_INT32, "", body_id},
    {"material", VTK_UINT16, "", body_material},
    {"group", VTK_UINT16, "", body_group},
    {"velocity", VTK_FLOAT32, "xyz", body_velocity},
    {"force", VTK_FLOAT32, "xyz", wall_force},
};

static const struct vtk_array block_arrays[] = {
    {"id", VTK_INT32, "", body_id},
    {"material", VTK_UINT16, "", body_material},
    {"group", VTK_UINT16, "", body_group},
    {"fixed", VTK_UINT8, "", body_fixed},
    {"velocity", VTK_FLOAT32, "xyz", body_velocity},
    {"displacement", VTK_FLOAT32, "xyz", block_displacement},
    {"angular_velocity", VTK_FLOAT32, "xyz", body_angular_velocity},
    {"coordination", VTK_INT32, "", body_coordination},
};

void frame_bodies(struct frame *frame, struct vtk_mesh *mesh) {
    draw_all(frame, sphere_parts);
    mesh->cells = frame->drawn_count;
    mesh->corners = 1;
    mesh->position = sphere_position;
    FRAME_POINT_ARRAYS(mesh, body_arrays);
}

void frame_walls(struct frame *frame, struct vtk_mesh *mesh) {
    draw_all(frame, wall_parts);
    mesh->cells = frame->drawn_count;
    mesh->corners = 4;
    mesh->position = wall_corner;
    FRAME_CELL_ARRAYS(mesh, wall_arrays);
}

// Blocks.

// Arrays of a topology while it grows.
struct growth {
    int32_t *corner, *end, *face_word, *face_end;
    size_t cells, points, corners, face_words;
};

// Room for all, in one piece.
static void growth_reserve(struct growth *growth, struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    size_t blocks = frame->drawn_count, points = 0, faces = 0, corners = 0;
    for (size_t k = 0; k < blocks; k++) {
        const struct polyhedron *shape = bodies_polyhedron(bodies, frame->drawn[k]);
        points += (size_t)shape->corner_count;
        faces += (size_t)shape->face_count;
        corners += (size_t)shape->face_start[shape->face_count];
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

static void grow_polygons(struct growth *growth, const struct polyhedron *shape) {
    for (int32_t f = 0; f < shape->face_count; f++) {
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++)
            growth->corner[growth->corners++] = (int32_t)growth->points + shape->face_corner[k];
        growth->end[growth->cells++] = (int32_t)growth->corners;
    }
}

static void grow_solid(struct growth *growth, const struct polyhedron *shape) {
    for (int32_t k = 0; k < shape->corner_count; k++)
        growth->corner[growth->corners++] = (int32_t)growth->points + k;
    growth->face_word[growth->face_words++] = shape->face_count;
    for (int32_t f = 0; f < shape->face_count; f++) {
        growth->face_word[growth->face_words++] = shape->face_start[f + 1] - shape->face_start[f];
        for (int32_t k = shape->face_start[f]; k < shape->face_start[f + 1]; k++)
            growth->face_word[growth->face_words++] =
                (int32_t)growth->points + shape->face_corner[k];
    }
    growth->face_end[growth->cells] = (int32_t)growth->face_words;
    growth->end[growth->cells++] = (int32_t)growth->corners;
}

// Values are by cell: polygons repeat those of their body.
static void repeat_drawn(struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    size_t blocks = frame->drawn_count;
    int32_t *block = frame->drawn;
    memory_free(frame->part);
    frame->drawn = frame->part = NULL;
    frame->drawn_count = frame->drawn_capacity = 0;
    for (size_t k = 0; k < blocks; k++)
        draw(frame, block[k], bodies_polyhedron(bodies, block[k])->face_count);
    memory_free(block);
}

void frame_blocks(struct frame *frame, struct vtk_mesh *mesh) {
    const struct bodies *bodies = &frame->world->bodies;
    struct growth growth = {0};
    draw_all(frame, block_parts);
    growth_reserve(&growth, frame);
    for (size_t k = 0; k < frame->drawn_count; k++) {
        int32_t i = frame->drawn[k];
        const struct polyhedron *shape = bodies_polyhedron(bodies, i);
        mat3 axes = quat_matrix(bodies->q[i]);
        (frame->solid ? grow_solid : grow_polygons)(&growth, shape);
        for (int32_t c = 0; c < shape->corner_count; c++)
            frame->point[growth.points++] =
                vec3_add(bodies->x[i], mat3_apply(axes, shape->corner[c]));
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
    FRAME_CELL_ARRAYS(mesh, block_arrays);
}
