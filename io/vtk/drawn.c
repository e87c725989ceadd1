#include "io/vtk/drawn.h"

#include "parallel/memory.h"

void drawn_add(struct frame *frame, int32_t i, int32_t parts) {
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

void drawn_fill(struct frame *frame, int32_t (*parts)(const struct frame *, int32_t)) {
    const struct gabion_bodies *bodies = &frame->bodies;
    frame->drawn_count = 0;
    for (int32_t id = 0; id < bodies->ids; id++) {
        int32_t i = bodies->index_of[id];
        if (i >= 0)
            drawn_add(frame, i, parts(frame, i));
    }
}

static const char *group_name(const void *context, int k) {
    return gabion_group_name(((const struct frame *)context)->world, k);
}

static const char *material_name(const void *context, int k) {
    return gabion_material_name(((const struct frame *)context)->world, k);
}

void drawn_names(struct frame *frame, struct vtk_mesh *mesh) {
    frame->names[0] = (struct vtk_names){"group_names", frame->counts.groups, group_name};
    frame->names[1] = (struct vtk_names){"material_names", frame->counts.materials, material_name};
    mesh->names = frame->names;
    mesh->name_lists = 2;
}

void drawn_id(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->id[drawn_body(context, k)];
}

void drawn_material(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->material[drawn_body(context, k)];
}

void drawn_group(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->group[drawn_body(context, k)];
}

void drawn_mass(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->mass[drawn_body(context, k)];
}

void drawn_displacement(const void *context, size_t k, double *components) {
    const struct gabion_bodies *bodies = frame_bodies_of(context);
    const struct carrier *carrier = &((const struct frame *)context)->carrier;
    int32_t i = drawn_body(context, k);
    vec3 x = bodies->position[i], start = bodies->start[bodies->id[i]];
    vec3 moved = vec3_sub(x, carrier->to), carried = vec3_sub(start, carrier->from);
    frame_put(components, vec3_sub(moved, mat3_apply(carrier->turned, carried)));
    for (int c = 0; carrier->lost && c < 3; c++)
        components[c] = NAN;
}

void drawn_velocity(const void *context, size_t k, double *components) {
    frame_put(components, frame_bodies_of(context)->velocity[drawn_body(context, k)]);
}

void drawn_spin(const void *context, size_t k, double *components) {
    frame_put(components, frame_bodies_of(context)->spin[drawn_body(context, k)]);
}

void drawn_coordination(const void *context, size_t k, double *components) {
    components[0] = ((const struct frame *)context)->sums.coordination[drawn_body(context, k)];
}
