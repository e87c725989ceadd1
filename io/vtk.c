#include "io/vtk.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "engine/world.h"
#include "io/file.h"
#include "io/pvd.h"
#include "io/vtk_xml.h"
#include "parallel/memory.h"

enum kind { KIND_BODIES, KIND_WALLS, KIND_CONTACTS, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = {"bodies", "walls", "contacts"};

struct vtk_series {
    char directory[PVD_PATH_MAX];
    struct pvd pvd[KIND_COUNT];
};

// What the values of a frame are computed from.
struct frame {
    const struct gabion_world *world;
    double h;
    int32_t *drawn; // indices of the spheres, or of the half-spaces, in order of id: a body keeps
    size_t drawn_count;    // its place in the file from frame to frame
    int32_t *coordination; // by body index: contacts that carry force
    vec3 *wall_impulse;    // by half-space
    vec3 centre, reach;    // box around the spheres: its middle and half sides
};

static void put(double *components, vec3 a) {
    components[0] = a.x;
    components[1] = a.y;
    components[2] = a.z;
}

static const struct bodies *bodies_of(const void *context) {
    return &((const struct frame *)context)->world->bodies;
}

static int32_t drawn_of(const void *context, size_t k) {
    return ((const struct frame *)context)->drawn[k];
}

// Bodies and walls.

static void body_position(const void *context, size_t k, double *components) {
    put(components, bodies_of(context)->x[drawn_of(context, k)]);
}

static void body_radius(const void *context, size_t k, double *components) {
    components[0] = bodies_of(context)->radius[drawn_of(context, k)];
}

static void body_id(const void *context, size_t k, double *components) {
    components[0] = bodies_of(context)->id[drawn_of(context, k)];
}

static void body_material(const void *context, size_t k, double *components) {
    components[0] = bodies_of(context)->material[drawn_of(context, k)];
}

static void body_group(const void *context, size_t k, double *components) {
    components[0] = bodies_of(context)->group[drawn_of(context, k)];
}

static void body_velocity(const void *context, size_t k, double *components) {
    put(components, bodies_of(context)->v[drawn_of(context, k)]);
}

static void body_angular_velocity(const void *context, size_t k, double *components) {
    put(components, bodies_of(context)->w[drawn_of(context, k)]);
}

static void body_orientation(const void *context, size_t k, double *components) {
    quat q = bodies_of(context)->q[drawn_of(context, k)];
    components[0] = q.w;
    put(components + 1, vec3_make(q.x, q.y, q.z));
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

// Corners go round counter-clockwise seen from outside the solid.
static void wall_corner(const void *context, size_t k, double *components) {
    const struct bodies *bodies = bodies_of(context);
    int32_t i = drawn_of(context, k / 4);
    const struct half_space *wall = bodies_half_space(bodies, i);
    vec3 n = wall->normal, axis[2];
    vec3 s = vec3_add_scaled(wall->tangent, -vec3_dot(wall->tangent, n), n);
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
    put(components, corner);
}

static void wall_force(const void *context, size_t k, double *components) {
    const struct frame *frame = context;
    int32_t place = bodies_of(context)->shape_index[drawn_of(context, k)];
    put(components, vec3_scale(1.0 / frame->h, frame->wall_impulse[place]));
}

static const struct vtk_array body_arrays[] = {
    {"radius", VTK_FLOAT32, "", body_radius},
    {"id", VTK_INT32, "", body_id},
    {"material", VTK_UINT16, "", body_material},
    {"group", VTK_UINT16, "", body_group},
    {"velocity", VTK_FLOAT32, "xyz", body_velocity},
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

// Contacts: one line for each candidate contact point of the last step.

static const struct contact *contact_of(const void *context, size_t k) {
    const struct frame *frame = context;
    return &frame->world->contacts.list[k];
}

static double contact_normal_impulse(const struct contact *contact) {
    return vec3_dot(contact->impulse, contact->normal);
}

// A wall has no centre worth drawing to: the line ends where it meets the wall, as the wall stands
// now (the gap of the contact is that of the midpoint configuration).
static void contact_end(const void *context, size_t k, double *components) {
    const struct bodies *bodies = bodies_of(context);
    const struct contact *contact = contact_of(context, k / 2);
    vec3 n = contact->normal, end = bodies->x[contact->c];
    if (k % 2 == 1) {
        vec3 other = bodies->x[contact->a];
        end = bodies->shape[contact->a] == GABION_HALF_SPACE
                  ? vec3_add_scaled(end, -vec3_dot(n, vec3_sub(end, other)), n)
                  : other;
    }
    put(components, end);
}

static void contact_normal_force(const void *context, size_t k, double *components) {
    double force =
        contact_normal_impulse(contact_of(context, k)) / ((const struct frame *)context)->h;
    // A force below the range of a float is still one: readers count what is above zero.
    components[0] = force > 0 && force < FLT_TRUE_MIN ? FLT_TRUE_MIN : force;
}

static void contact_normal_force_of_end(const void *context, size_t k, double *components) {
    contact_normal_force(context, k / 2, components);
}

static void contact_force(const void *context, size_t k, double *components) {
    put(components,
        vec3_scale(1.0 / ((const struct frame *)context)->h, contact_of(context, k)->impulse));
}

static void contact_impulse(const void *context, size_t k, double *components) {
    put(components, contact_of(context, k)->impulse);
}

// On the surface of the candidate sphere.
static void contact_point(const void *context, size_t k, double *components) {
    const struct bodies *bodies = bodies_of(context);
    const struct contact *contact = contact_of(context, k);
    put(components,
        vec3_add_scaled(bodies->x[contact->c], -bodies->radius[contact->c], contact->normal));
}

static void contact_direction(const void *context, size_t k, double *components) {
    put(components, contact_of(context, k)->normal);
}

static void contact_gap(const void *context, size_t k, double *components) {
    components[0] = contact_of(context, k)->gap;
}

static void contact_body_a(const void *context, size_t k, double *components) {
    const struct bodies *bodies = bodies_of(context);
    components[0] = bodies->id[contact_of(context, k)->c];
}

static void contact_body_b(const void *context, size_t k, double *components) {
    const struct bodies *bodies = bodies_of(context);
    components[0] = bodies->id[contact_of(context, k)->a];
}

static void contact_state(const void *context, size_t k, double *components) {
    components[0] = contact_of(context, k)->status;
}

static const struct vtk_array contact_end_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", contact_normal_force_of_end},
};

static const struct vtk_array contact_arrays[] = {
    {"normal_force", VTK_FLOAT32, "", contact_normal_force},
    {"force", VTK_FLOAT32, "xyz", contact_force},
    {"impulse", VTK_FLOAT32, "xyz", contact_impulse},
    {"point", VTK_FLOAT32, "xyz", contact_point},
    {"normal", VTK_FLOAT32, "xyz", contact_direction},
    {"gap", VTK_FLOAT32, "", contact_gap},
    {"body_a", VTK_INT32, "", contact_body_a},
    {"body_b", VTK_INT32, "", contact_body_b},
    {"status", VTK_UINT8, "", contact_state},
};

// Frames.

static struct vtk_poly_data frame_poly_data(const struct frame *frame, enum kind kind) {
    struct vtk_poly_data data = {
        .context = frame, .time = world_time(frame->world), .step = frame->world->step};
    switch (kind) {
    case KIND_BODIES:
        data.cells = frame->drawn_count;
        data.corners = 1;
        data.position = body_position;
        data.point_arrays = body_arrays;
        data.point_array_count = sizeof body_arrays / sizeof *body_arrays;
        break;
    case KIND_WALLS:
        data.cells = frame->drawn_count;
        data.corners = 4;
        data.position = wall_corner;
        data.cell_arrays = wall_arrays;
        data.cell_array_count = sizeof wall_arrays / sizeof *wall_arrays;
        break;
    default:
        data.cells = frame->world->contacts.count;
        data.corners = 2;
        data.position = contact_end;
        data.point_arrays = contact_end_arrays;
        data.point_array_count = sizeof contact_end_arrays / sizeof *contact_end_arrays;
        data.cell_arrays = contact_arrays;
        data.cell_array_count = sizeof contact_arrays / sizeof *contact_arrays;
        break;
    }
    return data;
}

static void frame_draw(struct frame *frame, enum gabion_shape shape) {
    const struct bodies *bodies = &frame->world->bodies;
    frame->drawn_count = 0;
    for (int32_t id = 0; id < bodies->id_count; id++) {
        int32_t i = bodies->index_of[id];
        if (i >= 0 && bodies->shape[i] == shape)
            frame->drawn[frame->drawn_count++] = i;
    }
}

static void frame_sum_contacts(struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    const struct contacts *contacts = &frame->world->contacts;
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        if (contact_normal_impulse(contact) > 0) {
            frame->coordination[contact->c]++;
            frame->coordination[contact->a]++;
        }
        if (bodies->shape[contact->a] == GABION_HALF_SPACE) {
            vec3 *impulse = &frame->wall_impulse[bodies->shape_index[contact->a]];
            *impulse = vec3_sub(*impulse, contact->impulse);
        }
    }
}

static void frame_measure(struct frame *frame) {
    const struct bodies *bodies = &frame->world->bodies;
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = vec3_negate(low);
    for (int32_t i = 0; i < bodies->count; i++) {
        if (bodies->shape[i] != GABION_SPHERE)
            continue;
        vec3 x = bodies->x[i];
        double r = bodies->radius[i];
        low = vec3_make(fmin(low.x, x.x - r), fmin(low.y, x.y - r), fmin(low.z, x.z - r));
        high = vec3_make(fmax(high.x, x.x + r), fmax(high.y, x.y + r), fmax(high.z, x.z + r));
    }
    if (low.x > high.x) { // no spheres: a metre around the origin
        low = vec3_make(-1, -1, -1);
        high = vec3_make(1, 1, 1);
    }
    frame->centre = vec3_scale(0.5, vec3_add(low, high));
    frame->reach = vec3_scale(0.5, vec3_sub(high, low));
}

static bool kind_write(const struct frame *frame, enum kind kind, struct pvd *pvd,
                       struct error *error) {
    char path[PVD_PATH_MAX];
    struct vtk_poly_data data = frame_poly_data(frame, kind);
    if (!pvd_frame_path(pvd, data.step, path, error) ||
        !vtk_xml_write(path, &data, frame->world->team, error))
        return false;
    pvd_add(pvd, data.time, data.step);
    return pvd_write(pvd, error);
}

bool vtk_write(struct vtk_series *series, const struct gabion_world *world, struct error *error) {
    const struct bodies *bodies = &world->bodies;
    const char *what = "a ParaView frame";
    struct frame frame = {
        .world = world,
        .h = world->settings.step,
        .drawn = memory_allocate((size_t)bodies->count, sizeof *frame.drawn, what),
        .coordination = memory_allocate((size_t)bodies->count, sizeof *frame.coordination, what),
        .wall_impulse = memory_allocate(bodies->half_space_count, sizeof *frame.wall_impulse, what),
    };
    frame_sum_contacts(&frame);
    frame_measure(&frame);
    bool written = true;
    for (int kind = 0; written && kind < KIND_COUNT; kind++) {
        // A resumed run may ask again for the frame it stopped at. The one there is the better one:
        // the list of contacts does not survive a restart.
        if (pvd_has(&series->pvd[kind], world->step))
            continue;
        if (kind != KIND_CONTACTS)
            frame_draw(&frame, kind == KIND_WALLS ? GABION_HALF_SPACE : GABION_SPHERE);
        written = kind_write(&frame, kind, &series->pvd[kind], error);
    }
    memory_free(frame.drawn);
    memory_free(frame.coordination);
    memory_free(frame.wall_impulse);
    return written;
}

// Series.

struct vtk_series *vtk_open(const char *directory, const struct gabion_world *world, bool resume,
                            struct error *error) {
    struct vtk_series *series = memory_allocate(1, sizeof *series, "a ParaView series");
    char frames[PVD_PATH_MAX];
    int length = snprintf(frames, sizeof frames, "%s/vtk", directory);
    bool opened = length < (int)sizeof frames
                      ? file_make_directory(frames, error)
                      : error_set(error, ERROR_RUN, "%s: the name of the output folder is too long",
                                  directory);
    if (opened)
        strcpy(series->directory, directory);

    // A new run drops all that another one may have left here.
    double latest = resume ? world_time(world) + 1e-6 * world->settings.step : -INFINITY;
    for (int kind = 0; opened && kind < KIND_COUNT; kind++) {
        struct pvd *pvd = &series->pvd[kind];
        *pvd = (struct pvd){.directory = series->directory, .kind = kind_names[kind]};
        opened = pvd_read(pvd, error) && pvd_drop_after(pvd, latest, error);
    }
    if (opened)
        return series;
    vtk_close(series);
    return NULL;
}

void vtk_close(struct vtk_series *series) {
    if (!series)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        pvd_free(&series->pvd[kind]);
    memory_free(series);
}
