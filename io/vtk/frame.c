#include "io/vtk/frame.h"

#include "parallel/memory.h"
#include "parallel/ranks.h"

static void count_contacts(const struct frame *frame, int32_t *coordination) {
    for (size_t k = 0; k < (size_t)frame->counts.contacts; k++) {
        struct gabion_contact contact = frame_contact(frame, k);
        if (frame_normal_impulse(&contact) > 0) {
            coordination[contact.index[0]]++;
            coordination[contact.index[1]]++;
        }
    }
}

static void sum_impulses(const struct frame *frame, vec3 *wall_impulse) {
    for (size_t k = 0; k < (size_t)frame->counts.contacts; k++) {
        struct gabion_contact contact = frame_contact(frame, k);
        vec3 *impulse = &wall_impulse[contact.index[1]];
        if (frame_is_wall(&frame->bodies, contact.index[1]))
            *impulse = vec3_sub(*impulse, contact.impulse);
    }
}

static struct frame_sums sums_allocate(size_t bodies) {
    return (struct frame_sums){
        memory_allocate(bodies, sizeof(int32_t), "a ParaView frame"),
        memory_allocate(bodies, sizeof(vec3), "a ParaView frame"),
    };
}

void frame_sums_free(struct frame_sums *sums) {
    memory_free(sums->coordination);
    memory_free(sums->wall_impulse);
    *sums = (struct frame_sums){0};
}

// Adds up what all ranks have counted.
static void add_counts(int32_t *counts, size_t bodies) {
    int64_t *wide = memory_allocate(bodies, sizeof *wide, "a ParaView frame");
    for (size_t i = 0; i < bodies; i++)
        wide[i] = counts[i];
    ranks_sum_signed(wide, bodies);
    for (size_t i = 0; i < bodies; i++)
        counts[i] = (int32_t)wide[i];
    memory_free(wide);
}

// Impulses are added in the order of the contacts, as one process adds them: each rank goes on from
// what those before it have.
void frame_sum_shared(struct frame *frame, struct frame_sums *sums) {
    size_t bodies = (size_t)frame->bodies.count, wall = 0;
    *sums = sums_allocate(bodies);
    count_contacts(frame, sums->coordination);
    add_counts(sums->coordination, bodies);
    while (wall < bodies && !frame_is_wall(&frame->bodies, (int32_t)wall))
        wall++;
    for (int rank = 0; rank < ranks_count(); rank++) {
        if (rank == ranks_me())
            sum_impulses(frame, sums->wall_impulse);
        ranks_broadcast(sums->wall_impulse + wall, (bodies - wall) * sizeof(vec3), rank);
    }
}

struct box {
    vec3 low, high;
};

static void box_add(struct box *box, vec3 x, double r) {
    vec3 low = box->low, high = box->high;
    box->low = vec3_make(fmin(low.x, x.x - r), fmin(low.y, x.y - r), fmin(low.z, x.z - r));
    box->high = vec3_make(fmax(high.x, x.x + r), fmax(high.y, x.y + r), fmax(high.z, x.z + r));
}

static void box_add_block(struct box *box, const struct frame *frame, int32_t i) {
    for (int32_t k = 0; k < frame_block_parts(frame, i); k++) {
        struct frame_part part = frame_block_part(frame, i, k);
        for (int32_t c = 0; c < part.shape.corners; c++)
            box_add(box, frame_part_corner(&part, c), 0);
    }
}

static void measure(struct frame *frame) {
    const struct gabion_bodies *bodies = &frame->bodies;
    vec3 far = {INFINITY, INFINITY, INFINITY};
    struct box box = {far, vec3_negate(far)};
    for (int32_t i = 0; i < bodies->count; i++) {
        if (frame_shape_is_block(bodies->shape[i]))
            box_add_block(&box, frame, i);
        else if (!frame_is_wall(bodies, i))
            box_add(&box, bodies->position[i], bodies->radius[i]);
    }
    if (box.low.x > box.high.x) // nothing: a metre around the origin
        box = (struct box){{-1, -1, -1}, {1, 1, 1}};
    frame->centre = vec3_scale(0.5, vec3_add(box.low, box.high));
    frame->reach = vec3_scale(0.5, vec3_sub(box.high, box.low));
}

static bool read_world(struct frame *frame, struct gabion_error *error) {
    struct gabion_settings settings;
    if (!gabion_view_bodies(frame->world, &frame->bodies, error) ||
        !gabion_read_counts(frame->world, &frame->counts, error) ||
        !gabion_get_settings(frame->world, &settings, error))
        return false;
    frame->h = settings.step;
    if (frame->counts.polyhedra == 0)
        return true;
    frame->interface = gabion_measure_interfaces(frame->world, &frame->interface_count, error);
    return frame->interface != NULL;
}

static void find_carrier(struct frame *frame, const struct vtk_reference *reference) {
    const struct gabion_bodies *bodies = &frame->bodies;
    int32_t id = reference->body;
    frame->carrier = (struct carrier){.turned = quat_matrix((quat){1, 0, 0, 0})};
    if (id < 0)
        return;
    int32_t i = id < bodies->ids ? bodies->index_of[id] : -1;
    frame->carrier.lost = i < 0;
    if (i < 0)
        return;
    quat turn = quat_multiply(bodies->orientation[i], quat_conjugate(reference->start));
    frame->carrier = (struct carrier){.from = bodies->start[id],
                                      .to = bodies->position[i],
                                      .turned = quat_matrix(quat_normalize(turn))};
}

bool frame_open(struct frame *frame, const struct gabion_world *world,
                const struct vtk_reference *reference, const struct frame_sums *sums,
                struct gabion_error *error) {
    *frame = (struct frame){.world = world, .lent = sums != NULL};
    if (!read_world(frame, error))
        return false;
    find_carrier(frame, reference);
    frame->sums = sums ? *sums : sums_allocate((size_t)frame->bodies.count);
    if (!sums) {
        count_contacts(frame, frame->sums.coordination);
        sum_impulses(frame, frame->sums.wall_impulse);
    }
    measure(frame);
    return true;
}

bool frame_open_own(struct frame *frame, const struct gabion_world *world,
                    struct gabion_error *error) {
    *frame = (struct frame){.world = world, .lent = true};
    if (!read_world(frame, error))
        return false;
    frame->own_begin = gabion_own_contacts(world);
    frame->counts.contacts -= frame->own_begin;
    return true;
}

void frame_close(struct frame *frame) {
    if (!frame->lent)
        frame_sums_free(&frame->sums);
    gabion_free(frame->interface);
}

void frame_release_kind(struct frame *frame) {
    void *arrays[] = {frame->drawn, frame->part, frame->point, frame->words, frame->thrust};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    frame->drawn = frame->part = frame->words = NULL;
    frame->point = NULL;
    frame->thrust = NULL;
    frame->drawn_count = frame->drawn_capacity = 0;
}
