// Polyhedra, clumps and compounds as rows of numbers, and back.
#include "engine/world/world_state.h"
#include "parallel/hash.h"
#include "parallel/memory.h"

// The hash ------------------------------------------------------------------------------------

#define HASH_ARRAY(hash, array, count) hash_bytes(hash, array, (size_t)(count) * sizeof *(array))

// What a polyhedron is made of; the rest follows from it.
static uint64_t hash_polyhedron(uint64_t hash, const struct polyhedron *polyhedron) {
    int32_t faces = polyhedron->face_count, counts[2] = {polyhedron->corner_count, faces};
    hash = HASH_ARRAY(hash, counts, 2);
    hash = HASH_ARRAY(hash, polyhedron->corner, polyhedron->corner_count);
    hash = HASH_ARRAY(hash, polyhedron->face_start, faces + 1);
    hash = HASH_ARRAY(hash, polyhedron->face_corner, polyhedron->face_start[faces]);
    hash = HASH_ARRAY(hash, &polyhedron->centre, 1);
    return HASH_ARRAY(hash, &polyhedron->axes, 1);
}

static uint64_t hash_clump(uint64_t hash, const struct clump *clump) {
    hash = HASH_ARRAY(hash, &clump->count, 1);
    hash = HASH_ARRAY(hash, clump->sphere, clump->count);
    hash = HASH_ARRAY(hash, clump->sphere_radius, clump->count);
    hash = HASH_ARRAY(hash, &clump->volume, 1);
    hash = HASH_ARRAY(hash, &clump->inertia, 1);
    hash = HASH_ARRAY(hash, &clump->centre, 1);
    return HASH_ARRAY(hash, &clump->axes, 1);
}

static uint64_t hash_compound(uint64_t hash, const struct compound *compound) {
    hash = HASH_ARRAY(hash, &compound->count, 1);
    for (int32_t k = 0; k < compound->count; k++) {
        const struct compound_part *part = &compound->part[k];
        hash = HASH_ARRAY(hash, &part->polyhedron, 1);
        hash = HASH_ARRAY(hash, &part->x, 1);
        hash = HASH_ARRAY(hash, &part->q, 1);
        hash = HASH_ARRAY(hash, &part->density, 1);
    }
    hash = HASH_ARRAY(hash, &compound->centre, 1);
    return HASH_ARRAY(hash, &compound->axes, 1);
}

static uint64_t hash_compounds(uint64_t hash, const struct bodies *bodies) {
    for (size_t k = 0; k < bodies->compound_count; k++)
        hash = hash_compound(hash, bodies->compounds[k]);
    return hash;
}

static uint64_t hash_polyhedra(uint64_t hash, const struct bodies *bodies) {
    for (size_t k = 0; k < bodies->polyhedron_count; k++)
        hash = hash_polyhedron(hash, bodies->polyhedra[k]);
    return hash;
}

static uint64_t hash_clumps(uint64_t hash, const struct bodies *bodies) {
    for (size_t k = 0; k < bodies->clump_count; k++)
        hash = hash_clump(hash, bodies->clumps[k]);
    return hash;
}

// Rows ----------------------------------------------------------------------------------------

#define SHAPES(member) STATE_ARRAY(struct flat_shapes, member)

static void *shapes_of(const struct state *state) { return (void *)&state->shapes; }

static size_t count_polyhedra(const struct state *state) { return state->shapes.polyhedra; }

static void reserve_polyhedra(struct state *state, size_t rows) {
    state->shapes.polyhedra = rows;
    state_allocate_arrays(&state_polyhedra, &state->shapes, rows);
}

// `centre` and `axes` lead back to the frame that the corners were drawn in.
static const struct state_field polyhedron_fields[] = {
    {"polyhedra/corner_count", "1", STATE_COUNT, VALUE_CORNER_COUNT, SHAPES(corner_count),
     STATE_FRAMED},
    {"polyhedra/face_count", "1", STATE_COUNT, VALUE_FACE_COUNT, SHAPES(face_count), STATE_FRAMED},
    {"polyhedra/centre", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(centre), STATE_FRAMED},
    {"polyhedra/axes", "1", STATE_QUATERNION, VALUE_FINITE, SHAPES(axes), STATE_FRAMED},
};
const struct state_part state_polyhedra = {
    .group = "polyhedra",
    STATE_FIELDS(polyhedron_fields),
    .most = INT32_MAX,
    .owner = shapes_of,
    .rows = count_polyhedra,
    .reserve = reserve_polyhedra,
    .hash_shapes = hash_polyhedra,
};

static size_t count_faces(const struct state *state) { return state->shapes.faces; }

static void reserve_faces(struct state *state, size_t rows) {
    state->shapes.faces = rows;
    state_allocate_arrays(&state_faces, &state->shapes, rows);
}

static const struct state_field face_fields[] = {
    {"polyhedra/face_size", "1", STATE_COUNT, VALUE_FACE_SIZE, SHAPES(face_size), STATE_FRAMED},
};
const struct state_part state_faces = {
    .group = "polyhedra",
    STATE_FIELDS(face_fields),
    .most = SIZE_MAX,
    .owner = shapes_of,
    .rows = count_faces,
    .reserve = reserve_faces,
};

static size_t count_corners(const struct state *state) { return state->shapes.corners; }

static void reserve_corners(struct state *state, size_t rows) {
    state->shapes.corners = rows;
    state_allocate_arrays(&state_corners, &state->shapes, rows);
}

// In the own axes of the polyhedron.
static const struct state_field corner_fields[] = {
    {"polyhedra/corner", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(corner), STATE_FRAMED},
};
const struct state_part state_corners = {
    .group = "polyhedra",
    STATE_FIELDS(corner_fields),
    .most = SIZE_MAX,
    .owner = shapes_of,
    .rows = count_corners,
    .reserve = reserve_corners,
};

static size_t count_face_corners(const struct state *state) { return state->shapes.face_corners; }

static void reserve_face_corners(struct state *state, size_t rows) {
    state->shapes.face_corners = rows;
    state_allocate_arrays(&state_face_corners, &state->shapes, rows);
}

// Counted from 0 in each polyhedron, counter-clockwise seen from outside.
static const struct state_field face_corner_fields[] = {
    {"polyhedra/face_corner", "1", STATE_INTEGER, VALUE_CORNER, SHAPES(face_corner), STATE_FRAMED},
};
const struct state_part state_face_corners = {
    .group = "polyhedra",
    STATE_FIELDS(face_corner_fields),
    .most = SIZE_MAX,
    .owner = shapes_of,
    .rows = count_face_corners,
    .reserve = reserve_face_corners,
};

static size_t count_clumps(const struct state *state) { return state->shapes.clumps; }

static void reserve_clumps(struct state *state, size_t rows) {
    state->shapes.clumps = rows;
    state_allocate_arrays(&state_clumps, &state->shapes, rows);
}

// Volume and inertia are those of the body of density 1.
static const struct state_field clump_fields[] = {
    {"clumps/sphere_count", "1", STATE_COUNT, VALUE_SPHERE_COUNT, SHAPES(sphere_count),
     STATE_FRAMED},
    {"clumps/volume", "m3", STATE_REAL, VALUE_NOT_NEGATIVE, SHAPES(clump_volume), STATE_FRAMED},
    {"clumps/inertia", "m5", STATE_VECTOR, VALUE_NOT_NEGATIVE, SHAPES(clump_inertia), STATE_FRAMED},
    {"clumps/centre", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(clump_centre), STATE_FRAMED},
    {"clumps/axes", "1", STATE_QUATERNION, VALUE_FINITE, SHAPES(clump_axes), STATE_FRAMED},
};
const struct state_part state_clumps = {
    .group = "clumps",
    STATE_FIELDS(clump_fields),
    .most = INT32_MAX,
    .owner = shapes_of,
    .rows = count_clumps,
    .reserve = reserve_clumps,
    .hash_shapes = hash_clumps,
};

static size_t count_spheres(const struct state *state) { return state->shapes.spheres; }

static void reserve_spheres(struct state *state, size_t rows) {
    state->shapes.spheres = rows;
    state_allocate_arrays(&state_clump_spheres, &state->shapes, rows);
}

static const struct state_field sphere_fields[] = {
    {"clumps/sphere", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(sphere), STATE_FRAMED},
    {"clumps/sphere_radius", "m", STATE_REAL, VALUE_NOT_NEGATIVE, SHAPES(sphere_radius),
     STATE_FRAMED},
};
const struct state_part state_clump_spheres = {
    .group = "clumps",
    STATE_FIELDS(sphere_fields),
    .most = SIZE_MAX,
    .owner = shapes_of,
    .rows = count_spheres,
    .reserve = reserve_spheres,
};

static size_t count_compounds(const struct state *state) { return state->shapes.compounds; }

static void reserve_compounds(struct state *state, size_t rows) {
    state->shapes.compounds = rows;
    state_allocate_arrays(&state_compounds, &state->shapes, rows);
}

static const struct state_field compound_fields[] = {
    {"compounds/part_count", "1", STATE_COUNT, VALUE_PART_COUNT, SHAPES(part_count),
     STATE_FRAMED | STATE_LATER},
    {"compounds/centre", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(compound_centre),
     STATE_FRAMED | STATE_LATER},
    {"compounds/axes", "1", STATE_QUATERNION, VALUE_FINITE, SHAPES(compound_axes),
     STATE_FRAMED | STATE_LATER},
};
const struct state_part state_compounds = {
    .group = "compounds",
    STATE_FIELDS(compound_fields),
    .most = INT32_MAX,
    .owner = shapes_of,
    .rows = count_compounds,
    .reserve = reserve_compounds,
    .hash_shapes = hash_compounds,
};

static size_t count_parts(const struct state *state) { return state->shapes.parts; }

static void reserve_parts(struct state *state, size_t rows) {
    state->shapes.parts = rows;
    state_allocate_arrays(&state_compound_parts, &state->shapes, rows);
}

// The own axes of a polyhedron in those of the compound; densities are relative to the body's.
static const struct state_field part_fields[] = {
    {"compounds/part_polyhedron", "1", STATE_INTEGER, VALUE_POLYHEDRON, SHAPES(part_polyhedron),
     STATE_FRAMED | STATE_LATER},
    {"compounds/part_position", "m", STATE_VECTOR, VALUE_FINITE, SHAPES(part_position),
     STATE_FRAMED | STATE_LATER},
    {"compounds/part_orientation", "1", STATE_QUATERNION, VALUE_FINITE, SHAPES(part_orientation),
     STATE_FRAMED | STATE_LATER},
    {"compounds/part_density", "1", STATE_REAL, VALUE_NOT_NEGATIVE, SHAPES(part_density),
     STATE_FRAMED | STATE_LATER},
};
const struct state_part state_compound_parts = {
    .group = "compounds",
    STATE_FIELDS(part_fields),
    .most = SIZE_MAX,
    .owner = shapes_of,
    .rows = count_parts,
    .reserve = reserve_parts,
};

static const struct state_part *const flat_parts[] = {
    &state_polyhedra, &state_faces,         &state_corners,   &state_face_corners,
    &state_clumps,    &state_clump_spheres, &state_compounds, &state_compound_parts,
};
#define FLAT_PARTS (sizeof flat_parts / sizeof *flat_parts)

void flat_shapes_free(struct flat_shapes *shapes) {
    for (size_t k = 0; k < FLAT_PARTS; k++)
        state_free_arrays(flat_parts[k], shapes);
    *shapes = (struct flat_shapes){0};
}

// Filling -------------------------------------------------------------------------------------

static void reserve_rows(struct state *state) {
    const struct bodies *bodies = &state->world->bodies;
    size_t faces = 0, corners = 0, face_corners = 0, spheres = 0, parts = 0;
    for (size_t k = 0; k < bodies->polyhedron_count; k++) {
        const struct polyhedron *polyhedron = bodies->polyhedra[k];
        faces += (size_t)polyhedron->face_count;
        corners += (size_t)polyhedron->corner_count;
        face_corners += (size_t)polyhedron->face_start[polyhedron->face_count];
    }
    for (size_t k = 0; k < bodies->clump_count; k++)
        spheres += (size_t)bodies->clumps[k]->count;
    for (size_t k = 0; k < bodies->compound_count; k++)
        parts += (size_t)bodies->compounds[k]->count;
    reserve_polyhedra(state, bodies->polyhedron_count);
    reserve_faces(state, faces);
    reserve_corners(state, corners);
    reserve_face_corners(state, face_corners);
    reserve_clumps(state, bodies->clump_count);
    reserve_spheres(state, spheres);
    reserve_compounds(state, bodies->compound_count);
    reserve_parts(state, parts);
}

static void put_polyhedra(const struct bodies *bodies, struct flat_shapes *shapes) {
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

static void put_clumps(const struct bodies *bodies, struct flat_shapes *shapes) {
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

static void put_compounds(const struct bodies *bodies, struct flat_shapes *shapes) {
    size_t parts = 0;
    for (size_t k = 0; k < bodies->compound_count; k++) {
        const struct compound *compound = bodies->compounds[k];
        shapes->part_count[k] = (uint32_t)compound->count;
        shapes->compound_centre[k] = compound->centre;
        shapes->compound_axes[k] = compound->axes;
        for (int32_t p = 0; p < compound->count; p++, parts++) {
            shapes->part_polyhedron[parts] = compound->part[p].polyhedron;
            shapes->part_position[parts] = compound->part[p].x;
            shapes->part_orientation[parts] = compound->part[p].q;
            shapes->part_density[parts] = compound->part[p].density;
        }
    }
}

void flat_shapes_fill(struct state *state) {
    reserve_rows(state);
    put_polyhedra(&state->world->bodies, &state->shapes);
    put_clumps(&state->world->bodies, &state->shapes);
    put_compounds(&state->world->bodies, &state->shapes);
}

// Restoring -----------------------------------------------------------------------------------

// Where the next polyhedron begins in the table.
struct place {
    size_t face, corner, face_corner;
};

// False: the counts lead out of the table, or a face names a corner that the polyhedron has not.
static bool place_fits(const struct flat_shapes *shapes, size_t k, struct place at) {
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

static struct polyhedron *restore_one(const struct flat_shapes *shapes, size_t k, struct place *at,
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

static bool restore_polyhedra(const struct flat_shapes *shapes, struct bodies *bodies,
                              struct gabion_error *error) {
    struct place at = {0};
    bodies->polyhedra = memory_reserve(bodies->polyhedra, &bodies->polyhedron_capacity,
                                       shapes->polyhedra, sizeof *bodies->polyhedra, "polyhedra");
    for (size_t k = 0; k < shapes->polyhedra; k++) {
        if (!place_fits(shapes, k, at))
            return error_set(error, GABION_ERROR_INPUT,
                             "group 'polyhedra', polyhedron %zu: its counts do not fit the corners "
                             "and faces there are",
                             k);
        struct polyhedron *polyhedron = restore_one(shapes, k, &at, error);
        if (!polyhedron) {
            error->status = GABION_ERROR_INPUT;
            return error_context(error, "group 'polyhedra', polyhedron %zu", k);
        }
        bodies->polyhedra[bodies->polyhedron_count++] = polyhedron;
    }
    bool all = at.face == shapes->faces && at.corner == shapes->corners &&
               at.face_corner == shapes->face_corners;
    return all || error_set(error, GABION_ERROR_INPUT,
                            "group 'polyhedra' has corners or faces that belong to no polyhedron");
}

static bool restore_clumps(const struct flat_shapes *shapes, struct bodies *bodies,
                           struct gabion_error *error) {
    size_t next = 0;
    bodies->clumps = memory_reserve(bodies->clumps, &bodies->clump_capacity, shapes->clumps,
                                    sizeof *bodies->clumps, "clumps");
    for (size_t k = 0; k < shapes->clumps; k++) {
        size_t count = shapes->sphere_count[k];
        if (count > shapes->spheres - next)
            return error_set(error, GABION_ERROR_INPUT,
                             "group 'clumps', clump %zu: more spheres than there are", k);
        struct clump *clump =
            clump_restore(shapes->sphere + next, shapes->sphere_radius + next, (int32_t)count,
                          shapes->clump_volume[k], shapes->clump_inertia[k],
                          shapes->clump_centre[k], shapes->clump_axes[k], error);
        if (!clump)
            return error_context(error, "group 'clumps', clump %zu", k);
        bodies->clumps[bodies->clump_count++] = clump;
        next += count;
    }
    return next == shapes->spheres ||
           error_set(error, GABION_ERROR_INPUT,
                     "group 'clumps' has spheres that belong to no clump");
}

// Restores the compound whose parts begin at row `next`. Its polyhedra have been restored.
static struct compound *restore_compound(const struct flat_shapes *shapes, size_t k, size_t next,
                                         const struct bodies *bodies, struct gabion_error *error) {
    size_t count = shapes->part_count[k];
    struct compound_part *part = memory_allocate(count, sizeof *part, "compounds");
    for (size_t p = 0; p < count; p++)
        part[p] = (struct compound_part){
            .polyhedron = shapes->part_polyhedron[next + p],
            .shape = bodies->polyhedra[shapes->part_polyhedron[next + p]],
            .x = shapes->part_position[next + p],
            .q = shapes->part_orientation[next + p],
            .density = shapes->part_density[next + p],
        };
    struct compound *compound = compound_restore(part, (int64_t)count, shapes->compound_centre[k],
                                                 shapes->compound_axes[k], error);
    memory_free(part);
    return compound;
}

static bool restore_compounds(const struct flat_shapes *shapes, struct bodies *bodies,
                              struct gabion_error *error) {
    size_t next = 0;
    bodies->compounds = memory_reserve(bodies->compounds, &bodies->compound_capacity,
                                       shapes->compounds, sizeof *bodies->compounds, "compounds");
    for (size_t k = 0; k < shapes->compounds; k++) {
        if (shapes->part_count[k] > shapes->parts - next || bodies->polyhedron_count == 0)
            return error_set(error, GABION_ERROR_INPUT,
                             "group 'compounds', compound %zu: more parts than there are", k);
        struct compound *compound = restore_compound(shapes, k, next, bodies, error);
        if (!compound) {
            error->status = GABION_ERROR_INPUT;
            return error_context(error, "group 'compounds', compound %zu", k);
        }
        bodies->compounds[bodies->compound_count++] = compound;
        next += shapes->part_count[k];
    }
    return next == shapes->parts ||
           error_set(error, GABION_ERROR_INPUT,
                     "group 'compounds' has parts that belong to no compound");
}

bool flat_shapes_restore(const struct flat_shapes *shapes, struct bodies *bodies,
                         struct gabion_error *error) {
    return restore_polyhedra(shapes, bodies, error) && restore_clumps(shapes, bodies, error) &&
           restore_compounds(shapes, bodies, error);
}
