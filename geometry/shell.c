#include "geometry/shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parallel/memory.h"

// A triangle whose height is less than this many tolerances has no plane that could be trusted.
#define LEAST_HEIGHT 4.0

void shell_free(struct shell *shell) {
    if (!shell)
        return;
    void *arrays[] = {shell->point,      shell->triangle,   shell->normal,      shell->offset,
                      shell->edge,       shell->face_start, shell->face_corner, shell->face_edge,
                      shell->face_group, shell->point_edge, shell->spoke_start, shell->spoke};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    box_tree_free(shell->tree);
    memory_free(shell);
}

// Names ---------------------------------------------------------------------------------------

static struct surface_name triangle_name(const struct shell_draft *draft, int32_t triangle) {
    struct surface_name name;
    if (draft->names)
        return surface_face_name(draft->names, draft->face[triangle]);
    snprintf(name.text, sizeof name.text, "triangle %" PRId32, triangle + 1);
    return name;
}

static struct surface_name point_name(const struct shell_draft *draft, int32_t point) {
    struct surface_name name;
    if (draft->names)
        return surface_corner_name(draft->names, draft->origin[point]);
    snprintf(name.text, sizeof name.text, "point %" PRId32, point + 1);
    return name;
}

// Checks --------------------------------------------------------------------------------------

static bool measure_triangle(struct shell_draft *draft, int32_t t, struct gabion_error *error) {
    const struct shell *shell = draft->shell;
    const int32_t *corner = shell->triangle + 3 * (size_t)t;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest =
            fmax(longest,
                 vec3_length(vec3_sub(shell->point[corner[(k + 1) % 3]], shell->point[corner[k]])));
    draft->area[t] = surface_area(shell->point, corner, 3);
    double area = vec3_length(draft->area[t]);
    if (longest > 0 && isfinite(area) && area > LEAST_HEIGHT * shell->tolerance * longest)
        return true;
    return error_set(error, GABION_ERROR_INPUT,
                     "%s has no area: it is %g m long and %g m high; remove it",
                     triangle_name(draft, t).text, longest, longest > 0 ? area / longest : 0);
}

static bool measure_triangles(struct shell_draft *draft, struct gabion_error *error) {
    for (int32_t t = 0; t < draft->shell->triangle_count; t++)
        if (!measure_triangle(draft, t, error))
            return false;
    return true;
}

// Returns the corner of the triangle that is not on the half-edge.
static int32_t apex_of(const struct shell *shell, int32_t h) {
    return shell->triangle[shell_next(shell_next(h))];
}

static bool check_edge(const struct shell_draft *draft, const struct half_edge *edge, int32_t count,
                       struct gabion_error *error) {
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = i + 1; j < count && j < i + 3; j++)
            if (apex_of(draft->shell, edge[i].index) == apex_of(draft->shell, edge[j].index))
                return error_set(error, GABION_ERROR_INPUT,
                                 "%s and %s have the same corners; remove one of them",
                                 triangle_name(draft, edge[i].face).text,
                                 triangle_name(draft, edge[j].face).text);
    if (count <= 2)
        return true;
    return error_set(error, GABION_ERROR_INPUT,
                     "the edge between %s and %s belongs to %" PRId32
                     " faces, %s among them: a surface has one or two at every edge; draw the "
                     "others as a surface of their own",
                     point_name(draft, edge->low).text, point_name(draft, edge->high).text, count,
                     triangle_name(draft, edge->face).text);
}

static bool pair_edges(struct shell_draft *draft, struct gabion_error *error) {
    struct shell *shell = draft->shell;
    int32_t triangles = shell->triangle_count, count = 3 * triangles;
    struct surface view = {.faces = triangles, .corner = shell->triangle};
    view.start = memory_allocate((size_t)triangles + 1, sizeof *view.start, "a surface");
    for (int32_t t = 0; t <= triangles; t++)
        view.start[t] = 3 * t;
    struct half_edge *list = surface_half_edges(&view);
    bool good = true;
    for (int32_t k = 0, next; k < count && good; k = next) {
        for (next = k + 1; next < count; next++)
            if (list[next].low != list[k].low || list[next].high != list[k].high)
                break;
        good = check_edge(draft, list + k, next - k, error);
        draft->twin[list[k].index] = next - k > 1 ? list[k + 1].index : -1;
        if (next - k > 1)
            draft->twin[list[k + 1].index] = list[k].index;
    }
    memory_free(list);
    memory_free(view.start);
    return good;
}

// Building ------------------------------------------------------------------------------------

// Lists the neighbours of every point along the edges of triangles.
static void find_spokes(struct shell_draft *draft) {
    struct shell *shell = draft->shell;
    size_t points = (size_t)shell->point_count, sides = 3 * (size_t)shell->triangle_count;
    int32_t *start = memory_allocate(points + 2, sizeof *start, "a surface");
    shell->spoke = memory_allocate(2 * sides, sizeof *shell->spoke, "a surface");
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t h = 0; h < (int32_t)sides; h++) {
            int32_t ends[2] = {shell->triangle[h], shell->triangle[shell_next(h)]};
            if (draft->twin[h] >= 0 && draft->twin[h] < h)
                continue;
            for (int k = 0; k < 2; k++)
                if (pass == 0)
                    start[ends[k] + 2]++;
                else
                    shell->spoke[start[ends[k] + 1]++] = ends[!k];
        }
        for (size_t p = 0; pass == 0 && p < points; p++)
            start[p + 2] += start[p + 1];
    }
    shell->spoke_start = start;
}

static void build_tree(struct shell *shell) {
    struct tree_box *box =
        memory_allocate((size_t)shell->face_count, sizeof *box, "a tree of boxes");
    for (int32_t f = 0; f < shell->face_count; f++) {
        vec3 low = shell->point[shell->face_corner[shell->face_start[f]]], high = low;
        for (int32_t k = shell->face_start[f]; k < shell->face_start[f + 1]; k++) {
            vec3 p = shell->point[shell->face_corner[k]];
            low = vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
        box[f] = (struct tree_box){low, high};
    }
    shell->tree = box_tree_create(box, shell->face_count);
    memory_free(box);
}

static bool build(struct shell_draft *draft, struct gabion_error *error) {
    struct shell *shell = draft->shell;
    size_t triangles = (size_t)shell->triangle_count;
    draft->area = memory_allocate(triangles, sizeof *draft->area, "a surface");
    draft->twin = memory_allocate(3 * triangles, sizeof *draft->twin, "a surface");
    draft->group = memory_allocate(triangles, sizeof *draft->group, "a surface");
    draft->turned = memory_allocate(triangles, sizeof *draft->turned, "a surface");
    surface_bounds(shell->point, shell->point_count, &shell->low, &shell->high);
    if (!measure_triangles(draft, error) || !pair_edges(draft, error))
        return false;
    find_spokes(draft);
    shell_find_groups(draft);
    shell_find_edges(draft);
    shell_find_faces(draft);
    build_tree(shell);
    return true;
}

static struct shell *finish(struct shell_draft *draft, bool good) {
    void *arrays[] = {draft->face,  draft->origin, draft->twin, draft->area,
                      draft->group, draft->turned, draft->edge};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    if (good)
        return draft->shell;
    shell_free(draft->shell);
    return NULL;
}

// From a drawing ------------------------------------------------------------------------------

// What a triangle takes while a surface is built, in bytes: half-edges, edges, faces, boxes.
#define BYTES_PER_TRIANGLE 700.0

// Cuts a face into triangles about its first corner.
static bool cut_face(struct shell_draft *draft, int32_t f, struct gabion_error *error) {
    const struct surface *surface = draft->names;
    struct shell *shell = draft->shell;
    const int32_t *corner = surface->corner + surface->start[f];
    int32_t count = surface->start[f + 1] - surface->start[f];
    vec3 whole = surface_area(surface->point, corner, count);
    for (int32_t k = 1; k + 1 < count; k++) {
        const int32_t own[3] = {corner[0], corner[k], corner[k + 1]};
        if (count > 3 && !(vec3_dot(surface_area(surface->point, own, 3), whole) > 0))
            return error_set(error, GABION_ERROR_INPUT, "%s is not convex; cut it into triangles",
                             surface_face_name(surface, f).text);
        draft->face[shell->triangle_count] = f;
        memcpy(shell->triangle + 3 * (size_t)shell->triangle_count++, own, sizeof own);
    }
    return true;
}

// Keeps the points that are corners of triangles, in their order.
static void keep_points(struct shell_draft *draft) {
    struct shell *shell = draft->shell;
    int32_t points = draft->names->points;
    size_t corners = 3 * (size_t)shell->triangle_count;
    int32_t *number = memory_allocate((size_t)points, sizeof *number, "a surface");
    shell->point = memory_allocate((size_t)points, sizeof *shell->point, "a surface");
    draft->origin = memory_allocate((size_t)points, sizeof *draft->origin, "a surface");
    for (size_t k = 0; k < corners; k++)
        number[shell->triangle[k]] = 1;
    for (int32_t p = 0; p < points; p++) {
        if (!number[p])
            continue;
        number[p] = shell->point_count;
        draft->origin[shell->point_count] = p;
        shell->point[shell->point_count++] = draft->names->point[p];
    }
    for (size_t k = 0; k < corners; k++)
        shell->triangle[k] = number[shell->triangle[k]];
    memory_free(number);
}

static bool take_triangles(struct shell_draft *draft, struct gabion_error *error) {
    const struct surface *surface = draft->names;
    size_t room = (size_t)surface->start[surface->faces]; // no fewer than triangles
    draft->shell->triangle = memory_allocate(3 * room, sizeof(int32_t), "a surface");
    draft->face = memory_allocate(room, sizeof *draft->face, "a surface");
    for (int32_t f = 0; f < surface->faces; f++)
        if (!cut_face(draft, f, error))
            return false;
    keep_points(draft);
    return true;
}

struct shell *shell_from_drawing(const struct drawing *drawing, struct gabion_error *error) {
    struct drawing open = *drawing;
    struct surface surface = {0};
    open.open = true;
    struct shell *shell = NULL;
    if (memory_check(BYTES_PER_TRIANGLE * (double)drawing->faces, "the surface", error) &&
        surface_from_drawing(&surface, &open, error)) {
        struct shell_draft draft = {.names = &surface};
        draft.shell = memory_allocate(1, sizeof *draft.shell, "a surface");
        draft.shell->tolerance = surface.tolerance;
        shell = finish(&draft, take_triangles(&draft, error) && build(&draft, error));
    }
    surface_free(&surface);
    return shell;
}

// From a checkpoint ---------------------------------------------------------------------------

static bool corners_exist(const int32_t *triangle, int32_t triangles, int32_t points,
                          struct gabion_error *error) {
    for (int64_t k = 0; k < 3 * (int64_t)triangles; k++)
        if (triangle[k] < 0 || triangle[k] >= points)
            return error_set(error, GABION_ERROR_INPUT,
                             "triangle %" PRId64 " names point %" PRId32
                             "; there are points 0 to %" PRId32,
                             k / 3 + 1, triangle[k], points - 1);
    return true;
}

struct shell *shell_restore(const vec3 *point, int32_t points, const int32_t *triangle,
                            int32_t triangles, double tolerance, struct gabion_error *error) {
    if (points < 3 || triangles < 1 || points > SURFACE_MAX || triangles > SURFACE_MAX / 3 ||
        !(tolerance > 0)) {
        error_set(error, GABION_ERROR_INPUT,
                  "%" PRId32 " points, %" PRId32 " triangles and a tolerance of %g m are no "
                  "surface",
                  points, triangles, tolerance);
        return NULL;
    }
    if (!corners_exist(triangle, triangles, points, error) ||
        !memory_check(BYTES_PER_TRIANGLE * (double)triangles, "the surface", error))
        return NULL;
    struct shell_draft draft = {.shell = memory_allocate(1, sizeof *draft.shell, "a surface")};
    struct shell *shell = draft.shell;
    shell->point_count = points;
    shell->triangle_count = triangles;
    shell->tolerance = tolerance;
    shell->point = memory_allocate((size_t)points, sizeof *point, "a surface");
    shell->triangle = memory_allocate(3 * (size_t)triangles, sizeof *triangle, "a surface");
    memcpy(shell->point, point, (size_t)points * sizeof *point);
    memcpy(shell->triangle, triangle, 3 * (size_t)triangles * sizeof *triangle);
    return finish(&draft, build(&draft, error));
}
