// Polyhedra and clumps as rows of numbers, and back.
#include <string.h>

#include "io/checkpoint/format.h"
#include "parallel/memory.h"

struct shape_table shape_table_reserve(const size_t sizes[ROWS_KINDS]) {
    const char *what = "shapes";
    size_t polyhedra = sizes[ROWS_POLYHEDRA], faces = sizes[ROWS_FACES];
    size_t corners = sizes[ROWS_CORNERS], face_corners = sizes[ROWS_FACE_CORNERS];
    size_t clumps = sizes[ROWS_CLUMPS], spheres = sizes[ROWS_CLUMP_SPHERES];
    struct shape_table shapes = {.polyhedra = polyhedra,
                                 .faces = faces,
                                 .corners = corners,
                                 .face_corners = face_corners,
                                 .clumps = clumps,
                                 .spheres = spheres};
    shapes.corner_count = memory_allocate(polyhedra, sizeof *shapes.corner_count, what);
    shapes.face_count = memory_allocate(polyhedra, sizeof *shapes.face_count, what);
    shapes.centre = memory_allocate(polyhedra, sizeof *shapes.centre, what);
    shapes.axes = memory_allocate(polyhedra, sizeof *shapes.axes, what);
    shapes.face_size = memory_allocate(faces, sizeof *shapes.face_size, what);
    shapes.corner = memory_allocate(corners, sizeof *shapes.corner, what);
    shapes.face_corner = memory_allocate(face_corners, sizeof *shapes.face_corner, what);
    shapes.sphere_count = memory_allocate(clumps, sizeof *shapes.sphere_count, what);
    shapes.clump_volume = memory_allocate(clumps, sizeof *shapes.clump_volume, what);
    shapes.clump_inertia = memory_allocate(clumps, sizeof *shapes.clump_inertia, what);
    shapes.clump_centre = memory_allocate(clumps, sizeof *shapes.clump_centre, what);
    shapes.clump_axes = memory_allocate(clumps, sizeof *shapes.clump_axes, what);
    shapes.sphere = memory_allocate(spheres, sizeof *shapes.sphere, what);
    shapes.sphere_radius = memory_allocate(spheres, sizeof *shapes.sphere_radius, what);
    return shapes;
}

void shape_table_free(struct shape_table *shapes) {
    void *arrays[] = {shapes->corner_count,  shapes->face_count,   shapes->centre,
                      shapes->axes,          shapes->face_size,    shapes->corner,
                      shapes->face_corner,   shapes->sphere_count, shapes->clump_volume,
                      shapes->clump_inertia, shapes->clump_centre, shapes->clump_axes,
                      shapes->sphere,        shapes->sphere_radius};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    *shapes = (struct shape_table){0};
}

static void count_rows(const struct bodies *bodies, size_t sizes[ROWS_KINDS]) {
    sizes[ROWS_POLYHEDRA] = bodies->polyhedron_count;
    for (size_t k = 0; k < bodies->polyhedron_count; k++) {
        const struct polyhedron *polyhedron = bodies->polyhedra[k];
        sizes[ROWS_FACES] += (size_t)polyhedron->face_count;
        sizes[ROWS_CORNERS] += (size_t)polyhedron->corner_count;
        sizes[ROWS_FACE_CORNERS] += (size_t)polyhedron->face_start[polyhedron->face_count];
    }
    sizes[ROWS_CLUMPS] = bodies->clump_count;
    for (size_t k = 0; k < bodies->clump_count; k++)
        sizes[ROWS_CLUMP_SPHERES] += (size_t)bodies->clumps[k]->count;
}

static void put_polyhedra(const struct bodies *bodies, struct shape_table *shapes) {
    size_t faces = 0, corners = 0, face_corners = 0;
    for (size_t k = 0; k < bodies->polyhedron_count; k++) {
        const struct polyhedron *polyhedron = bodies->polyhedra[k];
        size_t n = (size_t)polyhedron->corner_count;
        size_t m = (size_t)polyhedron->face_start[polyhedron->face_count];
        shapes->corner_count[k] = (uint32_t)n;
        shapes->face_count[k] = (uint32_t)polyhedron->face_count;
        shapes->centre[k] = polyhedron->centre;
        shapes->axes[k] = polyhedron->axes;
        for (int32_t f = 0; f < polyhedron->face_count; f++)
            shapes->face_size[faces++] =
                (uint32_t)(polyhedron->face_start[f + 1] - polyhedron->face_start[f]);
        memcpy(shapes->corner + corners, polyhedron->corner, n * sizeof *shapes->corner);
        memcpy(shapes->face_corner + face_corners, polyhedron->face_corner,
               m * sizeof *shapes->face_corner);
        corners += n;
        face_corners += m;
    }
}

static void put_clumps(const struct bodies *bodies, struct shape_table *shapes) {
    size_t spheres = 0;
    for (size_t k = 0; k < bodies->clump_count; k++) {
        const struct clump *clump = bodies->clumps[k];
        size_t n = (size_t)clump->count;
        shapes->sphere_count[k] = (uint32_t)n;
        shapes->clump_volume[k] = clump->volume;
        shapes->clump_inertia[k] = clump->inertia;
        shapes->clump_centre[k] = clump->centre;
        shapes->clump_axes[k] = clump->axes;
        memcpy(shapes->sphere + spheres, clump->sphere, n * sizeof *shapes->sphere);
        memcpy(shapes->sphere_radius + spheres, clump->sphere_radius,
               n * sizeof *shapes->sphere_radius);
        spheres += n;
    }
}

struct shape_table shape_table_make(const struct bodies *bodies) {
    size_t sizes[ROWS_KINDS] = {0};
    count_rows(bodies, sizes);
    struct shape_table shapes = shape_table_reserve(sizes);
    put_polyhedra(bodies, &shapes);
    put_clumps(bodies, &shapes);
    return shapes;
}

// Where the next polyhedron begins in the table.
struct place {
    size_t face, corner, face_corner;
};

// False: the counts lead out of the table, or a face names a corner that the polyhedron has not.
static bool place_fits(const struct shape_table *shapes, size_t k, struct place at) {
    if (shapes->face_count[k] > shapes->faces - at.face ||
        shapes->corner_count[k] > shapes->corners - at.corner)
        return false;
    for (uint32_t f = 0; f < shapes->face_count[k]; f++) {
        uint32_t size = shapes->face_size[at.face + f];
        if (size > shapes->face_corners - at.face_corner)
            return false;
        for (uint32_t c = 0; c < size; c++)
            if ((uint32_t)shapes->face_corner[at.face_corner + c] >= shapes->corner_count[k])
                return false;
        at.face_corner += size;
    }
    return true;
}

static struct polyhedron *restore_one(const struct shape_table *shapes, size_t k, struct place *at,
                                      struct gabion_error *error) {
    int32_t faces = (int32_t)shapes->face_count[k], corners = (int32_t)shapes->corner_count[k];
    int32_t *start = memory_allocate((size_t)faces + 1, sizeof *start, "polyhedra");
    for (int32_t f = 0; f < faces; f++)
        start[f + 1] = start[f] + (int32_t)shapes->face_size[at->face + (size_t)f];
    struct polyhedron *polyhedron = polyhedron_restore(shapes->corner + at->corner, corners, start,
                                                       shapes->face_corner + at->face_corner, faces,
                                                       shapes->centre[k], shapes->axes[k], error);
    at->face += (size_t)faces;
    at->corner += (size_t)corners;
    at->face_corner += (size_t)start[faces];
    memory_free(start);
    return polyhedron;
}

static bool restore_polyhedra(const struct shape_table *shapes, struct bodies *bodies,
                              const char *path, struct gabion_error *error) {
    struct place at = {0};
    bodies->polyhedra = memory_reserve(bodies->polyhedra, &bodies->polyhedron_capacity,
                                       shapes->polyhedra, sizeof *bodies->polyhedra, "polyhedra");
    for (size_t k = 0; k < shapes->polyhedra; k++) {
        if (!place_fits(shapes, k, at))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: group 'polyhedra', polyhedron %zu: its counts do not "
                             "fit the corners and faces there are",
                             path, k);
        struct polyhedron *polyhedron = restore_one(shapes, k, &at, error);
        if (!polyhedron) {
            error->status = GABION_ERROR_INPUT;
            return error_context(error, "%s: damaged: group 'polyhedra', polyhedron %zu", path, k);
        }
        bodies->polyhedra[bodies->polyhedron_count++] = polyhedron;
    }
    bool all = at.face == shapes->faces && at.corner == shapes->corners &&
               at.face_corner == shapes->face_corners;
    return all || error_set(error, GABION_ERROR_INPUT,
                            "%s: damaged: group 'polyhedra' has corners or faces that belong to "
                            "no polyhedron",
                            path);
}

static bool restore_clumps(const struct shape_table *shapes, struct bodies *bodies,
                           const char *path, struct gabion_error *error) {
    size_t next = 0;
    bodies->clumps = memory_reserve(bodies->clumps, &bodies->clump_capacity, shapes->clumps,
                                    sizeof *bodies->clumps, "clumps");
    for (size_t k = 0; k < shapes->clumps; k++) {
        size_t count = shapes->sphere_count[k];
        if (count > shapes->spheres - next)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: damaged: group 'clumps', clump %zu: more spheres than there are",
                             path, k);
        struct clump *clump =
            clump_restore(shapes->sphere + next, shapes->sphere_radius + next, (int32_t)count,
                          shapes->clump_volume[k], shapes->clump_inertia[k],
                          shapes->clump_centre[k], shapes->clump_axes[k], error);
        if (!clump)
            return error_context(error, "%s: damaged: group 'clumps', clump %zu", path, k);
        bodies->clumps[bodies->clump_count++] = clump;
        next += count;
    }
    return next == shapes->spheres ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s: damaged: group 'clumps' has spheres that belong to no clump", path);
}

bool shape_table_restore(const struct shape_table *shapes, struct bodies *bodies, const char *path,
                         struct gabion_error *error) {
    return restore_polyhedra(shapes, bodies, path, error) &&
           restore_clumps(shapes, bodies, path, error);
}
