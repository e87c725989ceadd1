// Adds shapes that bodies share, given as arrays, and reads them back.
#include <inttypes.h>

#include "engine/api/define.h"
#include "engine/api/entry.h"
#include "parallel/memory.h"

// Adding --------------------------------------------------------------------------------------

int world_add_polyhedron(struct gabion_world *world, struct polyhedron *polyhedron,
                         struct gabion_error *error) {
    struct bodies *bodies = &world->bodies;
    if (!polyhedron || bodies->polyhedron_count >= INT32_MAX) {
        polyhedron_free(polyhedron);
        error_set(error, GABION_ERROR_INPUT,
                  "the polyhedron does not exist, or there are too many");
        return -1;
    }
    bodies->polyhedra =
        memory_reserve(bodies->polyhedra, &bodies->polyhedron_capacity,
                       bodies->polyhedron_count + 1, sizeof *bodies->polyhedra, "polyhedra");
    bodies->polyhedra[bodies->polyhedron_count] = polyhedron;
    return (int)bodies->polyhedron_count++;
}

int world_add_clump(struct gabion_world *world, struct clump *clump, struct gabion_error *error) {
    struct bodies *bodies = &world->bodies;
    if (!clump || bodies->clump_count >= INT32_MAX) {
        clump_free(clump);
        error_set(error, GABION_ERROR_INPUT, "the clump does not exist, or there are too many");
        return -1;
    }
    bodies->clumps = memory_reserve(bodies->clumps, &bodies->clump_capacity,
                                    bodies->clump_count + 1, sizeof *bodies->clumps, "clumps");
    bodies->clumps[bodies->clump_count] = clump;
    return (int)bodies->clump_count++;
}

int world_add_compound(struct gabion_world *world, struct compound *compound,
                       struct gabion_error *error) {
    struct bodies *bodies = &world->bodies;
    if (!compound || bodies->compound_count >= INT32_MAX) {
        compound_free(compound);
        error_set(error, GABION_ERROR_INPUT, "the compound does not exist, or there are too many");
        return -1;
    }
    bodies->compounds =
        memory_reserve(bodies->compounds, &bodies->compound_capacity, bodies->compound_count + 1,
                       sizeof *bodies->compounds, "compounds");
    bodies->compounds[bodies->compound_count] = compound;
    return (int)bodies->compound_count++;
}

void world_drop_shape(struct gabion_world *world, enum gabion_shape shape) {
    struct bodies *bodies = &world->bodies;
    if (shape == GABION_COMPOUND)
        compound_free(bodies->compounds[--bodies->compound_count]);
    else if (shape == GABION_CLUMP)
        clump_free(bodies->clumps[--bodies->clump_count]);
    else
        polyhedron_free(bodies->polyhedra[--bodies->polyhedron_count]);
}

struct surface_request {
    const vec3 *corner;
    int64_t corners;
    const int64_t *face_start, *face_corner;
    int64_t faces;
};

// Returns whether there can be so many faces: the length of face_start is the caller's word, and is
// not read beyond what a closed surface of so many points has at most (Euler).
static bool faces_fit(const struct surface_request *surface, struct gabion_error *error) {
    if (surface->corners < 4)
        return error_set(error, GABION_ERROR_INPUT,
                         "a polyhedron has at least four points, found %" PRId64, surface->corners);
    return surface->faces / 2 + surface->faces % 2 <= surface->corners - 2 ||
           error_set(error, GABION_ERROR_INPUT,
                     "%" PRId64 " faces are too many for a closed surface of %" PRId64 " points",
                     surface->faces, surface->corners);
}

// Returns whether face starts ascend. The builder of polyhedra checks everything else.
static bool starts_ascend(const struct surface_request *surface, struct gabion_error *error) {
    bool ascend = surface->faces >= 1 && surface->face_start[0] == 0;
    for (int64_t f = 0; ascend && f < surface->faces; f++)
        ascend = surface->face_start[f] < surface->face_start[f + 1];
    return ascend || error_set(error, GABION_ERROR_INPUT,
                               "face_start must begin with 0 and increase from face to face");
}

static void add_surface(struct call *call) {
    const struct surface_request *surface = call->arguments;
    if (!faces_fit(surface, call->error) || !starts_ascend(surface, call->error))
        return;
    struct polyhedron *polyhedron =
        polyhedron_surface(surface->corner, surface->corners, surface->face_start,
                           surface->face_corner, surface->faces, call->error);
    call->result = world_add_polyhedron(call->world, polyhedron, call->error);
}

int gabion_add_polyhedron(struct gabion_world *world, const vec3 *corner, int64_t corners,
                          const int64_t *face_start, const int64_t *face_corner, int64_t faces,
                          struct gabion_error *error) {
    struct surface_request surface = {corner, corners, face_start, face_corner, faces};
    if (!corner || !face_start || !face_corner) {
        entry_missing("corner, face_start or face_corner", error);
        return -1;
    }
    return (int)call_run(world, add_surface, &surface, error);
}

static void add_hull(struct call *call) {
    const struct surface_request *cloud = call->arguments;
    struct polyhedron *polyhedron = polyhedron_hull(cloud->corner, cloud->corners, call->error);
    call->result = world_add_polyhedron(call->world, polyhedron, call->error);
}

int gabion_add_hull(struct gabion_world *world, const vec3 *point, int64_t points,
                    struct gabion_error *error) {
    struct surface_request cloud = {.corner = point, .corners = points};
    if (!point || points < 0) {
        entry_missing("point", error);
        return -1;
    }
    return (int)call_run(world, add_hull, &cloud, error);
}

static void add_box(struct call *call) {
    const vec3 *size = call->arguments;
    if (!(size->x > 0 && size->y > 0 && size->z > 0 && vec3_finite(*size))) {
        error_set(call->error, GABION_ERROR_INPUT,
                  "the size of a box: expected three positive lengths, found %g, %g, %g", size->x,
                  size->y, size->z);
        return;
    }
    struct polyhedron *polyhedron = polyhedron_box(vec3_scale(0.5, *size), call->error);
    call->result = world_add_polyhedron(call->world, polyhedron, call->error);
}

int gabion_add_box(struct gabion_world *world, vec3 size, struct gabion_error *error) {
    return (int)call_run(world, add_box, &size, error);
}

struct clump_request {
    const vec3 *centre;
    const double *radius;
    int64_t spheres;
    enum gabion_clump_mass mass;
};

static void add_clump(struct call *call) {
    const struct clump_request *request = call->arguments;
    struct clump *clump =
        clump_create(request->centre, request->radius, request->spheres,
                     request->mass == GABION_CLUMP_UNION ? CLUMP_UNION : CLUMP_SUM, call->error);
    call->result = world_add_clump(call->world, clump, call->error);
}

int gabion_add_clump(struct gabion_world *world, const vec3 *centre, const double *radius,
                     int64_t spheres, enum gabion_clump_mass mass, struct gabion_error *error) {
    struct clump_request request = {centre, radius, spheres, mass};
    if (!centre || !radius) {
        entry_missing("centre or radius", error);
        return -1;
    }
    if ((unsigned)mass > GABION_CLUMP_UNION) {
        entry_reject(error, "the distribution of mass %d of a clump does not exist", (int)mass);
        return -1;
    }
    return (int)call_run(world, add_clump, &request, error);
}

struct compound_request {
    const struct gabion_part *part;
    int64_t parts;
};

// Returns the parts with the polyhedra that they name; NULL with an error where one does not exist.
static struct compound_source *find_parts(const struct compound_request *request,
                                          const struct bodies *bodies, struct gabion_error *error) {
    struct compound_source *source =
        memory_allocate((size_t)request->parts, sizeof *source, "compound");
    for (int64_t k = 0; k < request->parts; k++) {
        const struct gabion_part *part = &request->part[k];
        if (part->polyhedron < 0 || (size_t)part->polyhedron >= bodies->polyhedron_count) {
            error_set(error, GABION_ERROR_INPUT,
                      "part %" PRId64 ": polyhedron %d does not exist; the world has %zu", k + 1,
                      part->polyhedron, bodies->polyhedron_count);
            memory_free(source);
            return NULL;
        }
        source[k] = (struct compound_source){
            .polyhedron = part->polyhedron,
            .shape = bodies->polyhedra[part->polyhedron],
            .position = part->position,
            .orientation = part->orientation,
            .density = part->density == 0 ? 1 : part->density,
        };
    }
    return source;
}

static void add_compound(struct call *call) {
    const struct compound_request *request = call->arguments;
    if (request->parts < 1 || request->parts > COMPOUND_PARTS_MAX) {
        error_set(call->error, GABION_ERROR_INPUT, "%" PRId64 " parts; a compound has 1 to %d",
                  request->parts, COMPOUND_PARTS_MAX);
        return;
    }
    struct compound_source *source = find_parts(request, &call->world->bodies, call->error);
    if (!source)
        return;
    struct compound *compound = compound_create(source, request->parts, call->error);
    memory_free(source);
    call->result = world_add_compound(call->world, compound, call->error);
}

int gabion_add_compound(struct gabion_world *world, const struct gabion_part *part, int64_t parts,
                        struct gabion_error *error) {
    struct compound_request request = {part, parts};
    if (!part) {
        entry_missing("part", error);
        return -1;
    }
    return (int)call_run(world, add_compound, &request, error);
}

// Reading -------------------------------------------------------------------------------------

// Returns whether a table of `count` shapes has this index and `target` is not NULL; false with an
// error if not.
static bool shape_exists(int index, size_t count, const char *what, const void *target,
                         struct gabion_error *error) {
    if (!target)
        return entry_missing(what, error);
    return entry_index(index, (int64_t)count, what, error);
}

bool gabion_get_polyhedron(const struct gabion_world *world, int index,
                           struct gabion_polyhedron *polyhedron, struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.polyhedron_count, "polyhedron", polyhedron, error))
        return false;
    const struct polyhedron *own = world->bodies.polyhedra[index];
    *polyhedron = (struct gabion_polyhedron){
        .corners = own->corner_count,
        .faces = own->face_count,
        .corner = own->corner,
        .face_start = own->face_start,
        .face_corner = own->face_corner,
        .volume = own->volume,
        .centre = own->centre,
        .axes = own->axes,
    };
    return true;
}

bool gabion_get_clump(const struct gabion_world *world, int index, struct gabion_clump *clump,
                      struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.clump_count, "clump", clump, error))
        return false;
    const struct clump *own = world->bodies.clumps[index];
    *clump = (struct gabion_clump){
        .spheres = own->count,
        .sphere = own->sphere,
        .radius = own->sphere_radius,
        .volume = own->volume,
        .centre = own->centre,
        .axes = own->axes,
    };
    return true;
}

bool gabion_get_compound(const struct gabion_world *world, int index,
                         struct gabion_compound *compound, struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.compound_count, "compound", compound, error))
        return false;
    const struct compound *own = world->bodies.compounds[index];
    *compound = (struct gabion_compound){
        .parts = own->count,
        .volume = own->volume,
        .mass = own->mass,
        .centre = own->centre,
        .axes = own->axes,
    };
    return true;
}

bool gabion_get_compound_part(const struct gabion_world *world, int index, int32_t part,
                              struct gabion_compound_part *state, struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.compound_count, "compound", state, error) ||
        !entry_index(part, world->bodies.compounds[index]->count, "part", error))
        return false;
    const struct compound_part *own = &world->bodies.compounds[index]->part[part];
    *state = (struct gabion_compound_part){own->polyhedron, own->x, own->q, own->density};
    return true;
}

bool gabion_get_plane(const struct gabion_world *world, int index, struct gabion_plane *plane,
                      struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.half_space_count, "plane", plane, error))
        return false;
    const struct half_space *own = &world->bodies.half_spaces[index];
    *plane = (struct gabion_plane){own->normal, own->tangent, {own->extent[0], own->extent[1]}};
    return true;
}

bool gabion_get_hollow(const struct gabion_world *world, int index, struct gabion_hollow *hollow,
                       struct gabion_error *error) {
    if (!entry_readable(world, error) ||
        !shape_exists(index, world->bodies.hollow_count, "hollow", hollow, error))
        return false;
    const struct hollow *own = &world->bodies.hollows[index];
    *hollow = (struct gabion_hollow){own->axis, own->radius, own->half_length, own->ends};
    return true;
}
