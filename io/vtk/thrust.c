// Thrust lines in a ParaView frame: a line through each moving block between the two interfaces
// that carry it.
#include "io/vtk/frame.h"
#include "parallel/memory.h"

static const struct thrust *thrust_of(const void *context, size_t k) {
    return &((const struct frame *)context)->thrust[k];
}

static void thrust_end(const void *context, size_t k, double *components) {
    frame_put(components, thrust_of(context, k / 2)->end[k % 2]);
}

static void thrust_force_of_end(const void *context, size_t k, double *components) {
    components[0] = thrust_of(context, k / 2)->force[k % 2];
}

static void thrust_force(const void *context, size_t k, double *components) {
    components[0] = 0.5 * (thrust_of(context, k)->force[0] + thrust_of(context, k)->force[1]);
}

static void thrust_id(const void *context, size_t k, double *components) {
    components[0] = frame_bodies_of(context)->id[thrust_of(context, k)->body];
}

static const struct vtk_array thrust_end_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", thrust_force_of_end},
};

static const struct vtk_array thrust_arrays[] = {
    {"id", VTK_INT32, "", thrust_id},
    {"normal_force", VTK_FLOAT32, "", thrust_force},
};

static void add_thrust(struct thrust *piece, int32_t *loaded,
                       const struct gabion_interface *interface) {
    if (*loaded < 2) {
        piece->end[*loaded] = interface->position;
        piece->force[*loaded] = interface->normal_force;
    }
    ++*loaded;
}

// Collects the two loaded interfaces of each body; a third one only counts.
static void collect(const struct frame *frame, struct thrust *piece, int32_t *loaded) {
    const struct gabion_bodies *bodies = &frame->bodies;
    for (size_t k = 0; k < frame->interface_count; k++) {
        const struct gabion_interface *interface = &frame->interface[k];
        int32_t pair[2] = {bodies->index_of[interface->a], bodies->index_of[interface->b]};
        for (int side = 0; side < 2 && interface->normal_force > 0; side++)
            add_thrust(&piece[pair[side]], &loaded[pair[side]], interface);
    }
}

// Keeps the pieces of moving blocks with exactly two loaded interfaces, in order of id.
static void keep(struct frame *frame, struct thrust *piece, const int32_t *loaded) {
    const struct gabion_bodies *bodies = &frame->bodies;
    frame->thrust_count = 0;
    for (int32_t id = 0; id < bodies->ids; id++) {
        int32_t i = bodies->index_of[id];
        if (i < 0 || loaded[i] != 2 || bodies->mass[i] == 0)
            continue;
        piece[i].body = i;
        frame->thrust[frame->thrust_count++] = piece[i];
    }
}

void frame_thrust(struct frame *frame, struct vtk_mesh *mesh) {
    size_t n = (size_t)frame->bodies.count;
    struct thrust *piece = memory_allocate(n, sizeof *piece, "a ParaView frame");
    int32_t *loaded = memory_allocate(n, sizeof *loaded, "a ParaView frame");
    frame->thrust = memory_allocate(n, sizeof *frame->thrust, "a ParaView frame");
    collect(frame, piece, loaded);
    keep(frame, piece, loaded);
    memory_free(piece);
    memory_free(loaded);
    mesh->cells = frame->thrust_count;
    mesh->corners = 2;
    mesh->position = thrust_end;
    FRAME_POINT_ARRAYS(mesh, thrust_end_arrays);
    FRAME_CELL_ARRAYS(mesh, thrust_arrays);
}
