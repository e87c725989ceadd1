#include "io/mesh/mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "geometry/decompose.h"
#include "io/file/file.h"
#include "io/mesh/faces.h"
#include "parallel/memory.h"

#define MESH_BYTES_MAX ((size_t)1 << 30)

// What a byte of a file takes in memory: a face of an OBJ file, "f 1 2 3", has three corners, edges
// and pieces of lists.
#define BYTES_PER_BYTE 16.0

// Tolerances for files with 32-bit floats or few decimals. Points closer than MESH_EQUAL times the
// largest coordinate are one point. Faces must be flat and convex to within MESH_FLAT times that
// coordinate and MESH_FLAT_PIECE times the size of the piece.
#define MESH_EQUAL      1e-7
#define MESH_FLAT       1e-5
#define MESH_FLAT_PIECE 5e-5

#define CROWD_MAX 64 // faces at one edge, at most, that are separated into pieces

// -------------------------------------------------------------------------------------------------
// Pieces: faces joined along edges

static int32_t find_root(int32_t *parent, int32_t face) {
    while (parent[face] != face)
        face = parent[face] = parent[parent[face]];
    return face;
}

// Joins the pieces of two faces. The first face of a piece represents it.
static void join(int32_t *parent, int32_t a, int32_t b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Returns the angle inside the body, about the common edge, from one face to the other.
static double inner_angle(const struct surface *surface, const struct half_edge *from,
                          const struct half_edge *to) {
    const int32_t *start = surface->start, *corner = surface->corner;
    vec3 n = surface_area(surface->point, corner + start[from->face],
                          start[from->face + 1] - start[from->face]);
    vec3 other = surface_area(surface->point, corner + start[to->face],
                              start[to->face + 1] - start[to->face]);
    vec3 tail = surface->point[corner[from->index]];
    vec3 head = surface->point[corner[surface_next(start, from->face, from->index)]];
    vec3 edge = vec3_sub(head, tail), along = vec3_cross(n, edge);
    vec3 away = vec3_cross(edge, other);
    double angle =
        atan2(-vec3_dot(away, n) * vec3_length(along), vec3_dot(away, along) * vec3_length(n));
    // Faces back to back belong to two bodies that touch: the angle is a full turn.
    return angle > 1e-6 ? angle : angle + 6.283185307179586;
}

// Joins the faces at an edge along which bodies touch, which has four faces or more. Each face
// continues in the face at the smallest angle inside the body.
static void join_crowded_edge(const struct surface *surface, const struct half_edge *edge,
                              int32_t count, int32_t *parent) {
    for (int32_t i = 0; i < count; i++) {
        if (surface->corner[edge[i].index] != edge[i].low)
            continue;
        double least = INFINITY;
        int32_t best = -1;
        for (int32_t j = 0; j < count; j++) {
            if (surface->corner[edge[j].index] != edge[j].high)
                continue;
            double angle = inner_angle(surface, &edge[i], &edge[j]);
            if (angle < least)
                best = j;
            least = fmin(least, angle);
        }
        if (best >= 0)
            join(parent, edge[i].face, edge[best].face);
    }
}

// Sets parent[f] to the first face of the piece that contains face f.
static void find_pieces(const struct surface *surface, const int32_t *object, int32_t *parent) {
    struct half_edge *edge = surface_half_edges(surface);
    int32_t count = surface->start[surface->faces];
    for (int32_t f = 0; f < surface->faces; f++)
        parent[f] = f;
    for (int32_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count; next++)
            if (edge[next].low != edge[k].low || edge[next].high != edge[k].high ||
                object[edge[next].face] != object[edge[k].face])
                break;
        if (next - k == 2)
            join(parent, edge[k].face, edge[k + 1].face);
        else if (next - k > CROWD_MAX) // not bodies that touch; building the piece reports it
            for (int32_t j = k + 1; j < next; j++)
                join(parent, edge[k].face, edge[j].face);
        else if (next - k > 2)
            join_crowded_edge(surface, edge + k, next - k, parent);
    }
    for (int32_t f = 0; f < surface->faces; f++)
        parent[f] = find_root(parent, f);
    memory_free(edge);
}

// -------------------------------------------------------------------------------------------------

static double largest_coordinate(const struct mesh_faces *mesh) {
    double largest = 0;
    for (size_t k = 0; k < mesh->points; k++)
        for (int axis = 0; axis < 3; axis++)
            largest = fmax(largest, fabs(vec3_get(mesh->point[k], axis)));
    return largest;
}

// Returns the mesh with equal points merged and without faces of zero area. face_number gives the
// number in the mesh of each face that remains.
static struct surface weld_mesh(const struct mesh_faces *mesh, int32_t *object) {
    struct surface surface = {
        .points = (int32_t)mesh->points,
        .point = mesh->point,
        .start = memory_allocate(mesh->faces + 1, sizeof(int32_t), "faces of a mesh"),
        .corner = memory_allocate(mesh->corners, sizeof(int32_t), "faces of a mesh"),
        .face_number = memory_allocate(mesh->faces, sizeof(int32_t), "faces of a mesh"),
    };
    int32_t *same = memory_allocate(mesh->points, sizeof *same, "points of a mesh");
    surface_weld(mesh->point, surface.points, MESH_EQUAL * largest_coordinate(mesh), same);
    for (size_t f = 0; f < mesh->faces; f++)
        if (surface_add_face(&surface, mesh->corner + mesh->start[f],
                             mesh->start[f + 1] - mesh->start[f], same, (int64_t)f))
            object[surface.faces - 1] = mesh->object[f];
    memory_free(same);
    return surface;
}

// -------------------------------------------------------------------------------------------------

// The faces of one piece, as polyhedron_from_drawing expects them.
struct piece {
    vec3 *point;
    int64_t *name, *start, *corner, *place;
    int64_t points, faces;
};

// Adds a face. `local` maps points of the mesh to points of the piece, counted from 1; 0: not yet
// in the piece.
static void piece_add_face(struct piece *piece, const struct mesh_faces *mesh, int32_t face,
                           int32_t *local) {
    int64_t end = piece->start[piece->faces];
    for (int64_t k = mesh->start[face]; k < mesh->start[face + 1]; k++) {
        int64_t point = mesh->corner[k];
        if (local[point] == 0) {
            piece->point[piece->points] = mesh->point[point];
            piece->name[piece->points] = mesh->points_named ? point + 1 : 0;
            local[point] = (int32_t)++piece->points;
        }
        piece->corner[end++] = local[point] - 1;
    }
    piece->place[piece->faces++] = mesh->place[face];
    piece->start[piece->faces] = end;
}

// Convex parts as they are found, and the piece that each belongs to.
struct part_list {
    struct polyhedron **part;
    size_t *piece;
    size_t count, capacity, piece_capacity;
};

static void add_part(struct part_list *list, struct polyhedron *part, size_t piece) {
    list->part =
        memory_reserve(list->part, &list->capacity, list->count + 1, sizeof *list->part, "pieces");
    list->piece = memory_reserve(list->piece, &list->piece_capacity, list->count + 1,
                                 sizeof *list->piece, "pieces");
    list->part[list->count] = part;
    list->piece[list->count++] = piece;
}

// Adds the convex parts of a piece that is not convex. The error is that of the piece itself where
// it cannot be cut because it is no closed surface.
static void add_decomposed(const struct drawing *drawing, int64_t most, size_t number,
                           struct part_list *list, struct gabion_error *error) {
    size_t count = 0;
    struct polyhedron **part = decompose(drawing, most, &count, error);
    for (size_t k = 0; part && k < count; k++)
        add_part(list, part[k], number);
    memory_free(part);
}

// Adds the piece, in at most `most` convex parts.
static void add_piece(const struct piece *piece, const struct mesh_faces *mesh, int64_t most,
                      size_t number, struct part_list *list, struct gabion_error *error) {
    vec3 low, high;
    surface_bounds(piece->point, piece->points, &low, &high);
    double furthest = fmax(vec3_length(low), vec3_length(high));
    double coarsest = MESH_FLAT_PIECE * vec3_length(vec3_sub(high, low)) / 2;
    struct drawing drawing = {
        .point = piece->point,
        .points = piece->points,
        .start = piece->start,
        .corner = piece->corner,
        .faces = piece->faces,
        .name = piece->name,
        .place = piece->place,
        .place_noun = mesh->place_noun,
        .if_hollow = "mesh.decompose: {} cuts it into convex parts, which form one body",
        .tolerance = fmin(MESH_FLAT * furthest, coarsest),
        .tolerance_most = coarsest,
    };
    struct gabion_error refusal = {0};
    struct polyhedron *body = polyhedron_from_drawing(&drawing, &refusal);
    if (body)
        add_part(list, body, number);
    else if (most > 1)
        add_decomposed(&drawing, most, number, list, error);
    else
        *error = refusal;
}

// The pieces of a mesh: faces piece by piece, and where each piece begins.
struct pieces {
    const struct mesh_faces *mesh;
    const int32_t *face;
    const size_t *start;
    size_t count;
    int64_t most; // parts of one piece
};

// Builds piece `number`. `local` has a zero for each point of the mesh.
static void build_piece(const struct pieces *pieces, size_t number, int32_t *local,
                        struct part_list *parts, struct gabion_error *error) {
    const struct mesh_faces *mesh = pieces->mesh;
    const int32_t *list = pieces->face + pieces->start[number];
    size_t count = pieces->start[number + 1] - pieces->start[number];
    size_t corners = 0;
    for (size_t k = 0; k < count; k++)
        corners += (size_t)(mesh->start[list[k] + 1] - mesh->start[list[k]]);
    struct piece piece = {
        .point = memory_allocate(corners, sizeof(vec3), "piece of a mesh"),
        .name = memory_allocate(corners, sizeof(int64_t), "piece of a mesh"),
        .start = memory_allocate(count + 1, sizeof(int64_t), "piece of a mesh"),
        .corner = memory_allocate(corners, sizeof(int64_t), "piece of a mesh"),
        .place = memory_allocate(count, sizeof(int64_t), "piece of a mesh"),
    };
    for (size_t k = 0; k < count; k++)
        piece_add_face(&piece, mesh, list[k], local);
    for (size_t k = 0; k < count; k++)
        for (int64_t c = mesh->start[list[k]]; c < mesh->start[list[k] + 1]; c++)
            local[mesh->corner[c]] = 0;
    add_piece(&piece, mesh, pieces->most, number, parts, error);
    void *arrays[] = {piece.point, piece.name, piece.start, piece.corner, piece.place};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

static void name_piece(const struct mesh_faces *mesh, const char *path, int32_t face, size_t number,
                       size_t pieces, struct gabion_error *error) {
    const struct mesh_object *object = &mesh->objects[mesh->object[face]];
    char name[MESH_NAME_SIZE + 4] = "";
    if (object->name[0])
        snprintf(name, sizeof name, " \"%s\"", object->name);
    error_context(error, "%s: piece %zu of %zu%s, from %s %" PRId64, path, number, pieces, name,
                  mesh->place_noun, mesh->place[face]);
}

// Lists the faces piece by piece. start[p] is where piece p begins. Returns the number of pieces.
static size_t sort_faces(const struct surface *surface, const int32_t *root, int32_t *list,
                         size_t *start) {
    size_t faces = (size_t)surface->faces, pieces = 0;
    size_t *place = memory_allocate(faces + 1, sizeof *place, "pieces of a mesh");
    for (size_t f = 0; f < faces; f++)
        place[root[f]]++;
    for (size_t f = 0, end = 0; f < faces; f++)
        if (root[f] == (int32_t)f) {
            start[pieces++] = end;
            end += place[f];
            place[f] = start[pieces - 1];
            start[pieces] = end;
        }
    for (size_t f = 0; f < faces; f++)
        list[place[root[f]]++] = surface->face_number[f];
    memory_free(place);
    return pieces;
}

static bool build_pieces(const struct pieces *pieces, const char *path, struct part_list *parts,
                         struct gabion_error *error) {
    const struct mesh_faces *mesh = pieces->mesh;
    int32_t *local = memory_allocate(mesh->points, sizeof *local, "points of a mesh");
    for (size_t k = 0; k < pieces->count && error->status == GABION_OK; k++) {
        build_piece(pieces, k, local, parts, error);
        name_piece(mesh, path, pieces->face[pieces->start[k]], k + 1, pieces->count, error);
    }
    memory_free(local);
    if (error->status == GABION_OK)
        return true;
    for (size_t k = 0; k < parts->count; k++)
        polyhedron_free(parts->part[k]);
    memory_free(parts->part);
    memory_free(parts->piece);
    *parts = (struct part_list){0};
    return false;
}

static bool split_mesh(const struct mesh_faces *mesh, const char *path, int64_t most,
                       struct part_list *parts, struct gabion_error *error) {
    if (mesh->faces == 0 || mesh->points > SURFACE_MAX || mesh->corners > SURFACE_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%s: found %zu faces with %zu corners, expected 1 to %d; take a coarser mesh",
                  path, mesh->faces, mesh->corners, SURFACE_MAX);
        return false;
    }
    int32_t *object = memory_allocate(mesh->faces, sizeof *object, "faces of a mesh");
    int32_t *root = memory_allocate(mesh->faces, sizeof *root, "faces of a mesh");
    int32_t *list = memory_allocate(mesh->faces, sizeof *list, "faces of a mesh");
    size_t *start = memory_allocate(mesh->faces + 1, sizeof *start, "pieces of a mesh");
    struct surface surface = weld_mesh(mesh, object);
    find_pieces(&surface, object, root);
    struct pieces pieces = {mesh, list, start, sort_faces(&surface, root, list, start), most};
    bool good = pieces.count == 0
                    ? error_set(error, GABION_ERROR_INPUT, "%s: all faces have zero area", path)
                    : build_pieces(&pieces, path, parts, error);
    surface.point = NULL; // belongs to the mesh
    surface_free(&surface);
    void *arrays[] = {object, root, list, start};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    return good;
}

// -------------------------------------------------------------------------------------------------

static bool parse(struct mesh_faces *mesh, const char *path, struct gabion_error *error) {
    const char *dot = strrchr(path, '.');
    bool obj = dot && strcasecmp(dot, ".obj") == 0, stl = dot && strcasecmp(dot, ".stl") == 0;
    if (!obj && !stl)
        return error_set(error, GABION_ERROR_INPUT, "%s: expected a mesh file *.obj or *.stl",
                         path);
    size_t size = 0;
    char *text = file_read(path, MESH_BYTES_MAX, &size, error);
    if (!text)
        return false;
    bool good = memory_check(BYTES_PER_BYTE * (double)size, "the mesh", error) ||
                error_context(error, "%s", path);
    if (good)
        good = obj ? mesh_read_obj(mesh, path, text, size, error)
                   : mesh_read_stl(mesh, path, text, size, error);
    memory_free(text);
    return good;
}

static bool scale_points(struct mesh_faces *mesh, const char *path, double scale,
                         struct gabion_error *error) {
    if (!(scale > 0) || !isfinite(scale))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s: scale: expected a positive number, found %g", path, scale);
    for (size_t k = 0; k < mesh->points; k++) {
        mesh->point[k] = vec3_scale(scale, mesh->point[k]);
        if (!(vec3_length(mesh->point[k]) <= POLYHEDRON_SIZE_MAX))
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: point %zu is too far from the origin, more than %g m; move the "
                             "mesh there, or give a "
                             "smaller scale",
                             path, k + 1, POLYHEDRON_SIZE_MAX);
    }
    return true;
}

static void free_faces(struct mesh_faces *mesh) {
    void *arrays[] = {mesh->point, mesh->corner, mesh->start,
                      mesh->place, mesh->object, mesh->objects};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

struct polyhedron **mesh_read_parts(const char *path, double scale, int64_t most, size_t *count,
                                    size_t **piece, struct gabion_error *error) {
    struct mesh_faces mesh = {0};
    struct part_list parts = {0};
    if (parse(&mesh, path, error) && scale_points(&mesh, path, scale, error))
        split_mesh(&mesh, path, most, &parts, error);
    free_faces(&mesh);
    *count = parts.count;
    *piece = parts.piece;
    return parts.part;
}

struct polyhedron **mesh_read(const char *path, double scale, size_t *count,
                              struct gabion_error *error) {
    size_t *piece;
    struct polyhedron **part = mesh_read_parts(path, scale, 1, count, &piece, error);
    memory_free(piece);
    return part;
}

// Returns the number that the file gives each point; 0: none.
static int64_t *point_names(const struct mesh_faces *mesh) {
    int64_t *name = memory_allocate(mesh->points, sizeof *name, "points of a mesh");
    for (size_t k = 0; mesh->points_named && k < mesh->points; k++)
        name[k] = (int64_t)k + 1;
    return name;
}

static struct shell *build_surface(const struct mesh_faces *mesh, struct gabion_error *error) {
    int64_t *name = point_names(mesh);
    struct drawing drawing = {
        .point = mesh->point,
        .points = (int64_t)mesh->points,
        .start = mesh->start,
        .corner = mesh->corner,
        .faces = (int64_t)mesh->faces,
        .name = name,
        .place = mesh->place,
        .place_noun = mesh->place_noun,
        .tolerance = MESH_EQUAL * largest_coordinate(mesh),
    };
    struct shell *shell = shell_from_drawing(&drawing, error);
    memory_free(name);
    return shell;
}

struct shell *mesh_read_surface(const char *path, double scale, struct gabion_error *error) {
    struct mesh_faces mesh = {0};
    struct shell *shell = NULL;
    if (parse(&mesh, path, error) && scale_points(&mesh, path, scale, error)) {
        shell = mesh.faces > 0 ? build_surface(&mesh, error) : NULL;
        if (!shell)
            error_set(error, GABION_ERROR_INPUT, "no faces");
        error_context(error, "%s", path);
    }
    free_faces(&mesh);
    return shell;
}

static vec3 *list_triangles(const struct mesh_faces *mesh, size_t *count) {
    size_t triangles = mesh->corners - 2 * mesh->faces, k = 0;
    vec3 *corner = memory_allocate(3 * triangles, sizeof *corner, "triangles of a mesh");
    for (size_t f = 0; f < mesh->faces; f++)
        for (int64_t c = mesh->start[f] + 2; c < mesh->start[f + 1]; c++) {
            corner[k++] = mesh->point[mesh->corner[mesh->start[f]]];
            corner[k++] = mesh->point[mesh->corner[c - 1]];
            corner[k++] = mesh->point[mesh->corner[c]];
        }
    *count = k / 3;
    return corner;
}

vec3 *mesh_read_triangles(const char *path, size_t *count, struct gabion_error *error) {
    struct mesh_faces mesh = {0};
    vec3 *corner = NULL;
    if (parse(&mesh, path, error) && scale_points(&mesh, path, 1, error)) {
        if (mesh.faces == 0 || mesh.corners < 3 * mesh.faces)
            error_set(error, GABION_ERROR_INPUT, "%s: found no triangles", path);
        else
            corner = list_triangles(&mesh, count);
    }
    free_faces(&mesh);
    return corner;
}
