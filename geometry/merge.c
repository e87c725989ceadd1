// Merges coplanar adjacent faces of a surface into one polygon each.
#include <stdlib.h>
#include <string.h>

#include "geometry/surface.h"
#include "parallel/memory.h"

struct seed {
    double size;
    int32_t face;
};

struct merge {
    struct surface *surface;
    int32_t *face_of; // face of each half-edge
    int32_t *region;  // region of each face, named by the first face of the region
    int32_t *stack;
    vec3 *area;
};

static void merge_create(struct merge *merge, struct surface *surface) {
    size_t faces = (size_t)surface->faces, edges = (size_t)surface->start[faces];
    *merge = (struct merge){
        .surface = surface,
        .face_of = memory_allocate(edges, sizeof(int32_t), "faces of edges"),
        .region = memory_allocate(faces, sizeof(int32_t), "coplanar faces"),
        .stack = memory_allocate(faces, sizeof(int32_t), "coplanar faces"),
        .area = memory_allocate(faces, sizeof(vec3), "areas of faces"),
    };
    for (int32_t f = 0; f < surface->faces; f++) {
        int32_t begin = surface->start[f], end = surface->start[f + 1];
        merge->region[f] = -1;
        merge->area[f] = surface_area(surface->point, surface->corner + begin, end - begin);
        for (int32_t k = begin; k < end; k++)
            merge->face_of[k] = f;
    }
}

static void merge_free(struct merge *merge) {
    memory_free(merge->face_of);
    memory_free(merge->region);
    memory_free(merge->stack);
    memory_free(merge->area);
}

static int compare_seeds(const void *left, const void *right) {
    const struct seed *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

// Whether a face lies in the plane within the tolerance and faces the same way. The other side of a
// thin plate lies in it too, but faces the other way.
static bool in_plane(const struct merge *merge, int32_t face, vec3 normal, vec3 origin) {
    const struct surface *surface = merge->surface;
    double perimeter = 0;
    for (int32_t k = surface->start[face]; k < surface->start[face + 1]; k++) {
        vec3 p = surface->point[surface->corner[k]];
        vec3 q = surface->point[surface->corner[surface_next(surface->start, face, k)]];
        if (fabs(vec3_dot(normal, vec3_sub(p, origin))) > surface->tolerance)
            return false;
        perimeter += vec3_length(vec3_sub(q, p));
    }
    return vec3_dot(normal, merge->area[face]) >= -perimeter * surface->tolerance;
}

// Collects all faces that can be reached from `seed` without leaving its plane.
static void grow_region(struct merge *merge, int32_t seed) {
    const struct surface *surface = merge->surface;
    double size = vec3_length(merge->area[seed]);
    vec3 normal = size > 0 ? vec3_scale(1 / size, merge->area[seed]) : vec3_zero();
    vec3 origin = surface->point[surface->corner[surface->start[seed]]];
    int32_t height = 0;
    merge->region[seed] = seed;
    merge->stack[height++] = seed;
    while (height > 0 && size > 0) {
        int32_t face = merge->stack[--height];
        for (int32_t k = surface->start[face]; k < surface->start[face + 1]; k++) {
            int32_t other = merge->face_of[surface->twin[k]];
            if (merge->region[other] < 0 && in_plane(merge, other, normal, origin)) {
                merge->region[other] = seed;
                merge->stack[height++] = other;
            }
        }
    }
}

// Starts regions from large faces, whose planes are the most accurate.
static void find_regions(struct merge *merge) {
    int32_t faces = merge->surface->faces;
    struct seed *seeds = memory_allocate((size_t)faces, sizeof *seeds, "coplanar faces");
    for (int32_t f = 0; f < faces; f++)
        seeds[f] = (struct seed){vec3_length(merge->area[f]), f};
    qsort(seeds, (size_t)faces, sizeof *seeds, compare_seeds);
    for (int32_t k = 0; k < faces; k++)
        if (merge->region[seeds[k].face] < 0)
            grow_region(merge, seeds[k].face);
    memory_free(seeds);
}

static bool is_boundary(const struct merge *merge, int32_t k) {
    int32_t other = merge->face_of[merge->surface->twin[k]];
    return merge->region[other] != merge->region[merge->face_of[k]];
}

// Appends the boundary of the region of half-edge `first` to `corner` and returns its length.
static int32_t walk_boundary(const struct merge *merge, int32_t first, int32_t *corner) {
    const struct surface *surface = merge->surface;
    int32_t count = 0, k = first;
    do {
        corner[count++] = surface->corner[k];
        k = surface_next(surface->start, merge->face_of[k], k);
        while (!is_boundary(merge, k)) {
            k = surface->twin[k];
            k = surface_next(surface->start, merge->face_of[k], k);
        }
    } while (k != first);
    return count;
}

// Writes each region as one face. Its boundary must be a single closed line.
static bool outline_regions(struct merge *merge, int32_t *start, int32_t *corner, int32_t *number,
                            int32_t *count, struct gabion_error *error) {
    struct surface *surface = merge->surface;
    int32_t *boundary = memory_allocate((size_t)surface->faces, sizeof *boundary, "boundaries");
    int32_t *first = memory_allocate((size_t)surface->faces, sizeof *first, "boundaries");
    for (int32_t k = surface->start[surface->faces] - 1; k >= 0; k--)
        if (is_boundary(merge, k)) {
            boundary[merge->region[merge->face_of[k]]]++;
            first[merge->region[merge->face_of[k]]] = k;
        }
    *count = 0;
    start[0] = 0;
    for (int32_t f = 0; f < surface->faces && error->status == GABION_OK; f++) {
        int32_t seed = merge->region[f];
        if (boundary[seed] == 0) // written already, or all is one flat region
            continue;
        int32_t length = walk_boundary(merge, first[seed], corner + start[*count]);
        if (length != boundary[seed])
            error_set(error, GABION_ERROR_INPUT,
                      "the plane of %s has a hole or falls apart: the body is not convex%s",
                      surface_face_name(surface, f).text, surface_remedy(surface).text);
        boundary[seed] = 0;
        number[*count] = surface->face_number[f];
        start[*count + 1] = start[*count] + length;
        ++*count;
    }
    memory_free(boundary);
    memory_free(first);
    return error->status == GABION_OK;
}

// Removes points with two faces, which lie inside an edge, and faces with two corners, which are an
// edge. Each removal may create more of them.
static void drop_flat_corners(struct surface *surface) {
    int32_t *valence = memory_allocate((size_t)surface->points, sizeof *valence, "corners");
    for (int32_t before = -1; before != surface->start[surface->faces];) {
        before = surface->start[surface->faces];
        memset(valence, 0, (size_t)surface->points * sizeof *valence);
        for (int32_t k = 0; k < before; k++)
            valence[surface->corner[k]]++;
        int32_t faces = 0, begin = 0, end = 0;
        for (int32_t f = 0, next; f < surface->faces; f++, begin = next) {
            next = surface->start[f + 1];
            int32_t kept = end;
            for (int32_t k = begin; k < next; k++)
                if (valence[surface->corner[k]] > 2)
                    surface->corner[end++] = surface->corner[k];
            if (end - kept < 3) {
                end = kept;
                continue;
            }
            surface->face_number[faces++] = surface->face_number[f];
            surface->start[faces] = end;
        }
        surface->faces = faces;
    }
    memory_free(valence);
}

// Removes points that no face uses any more; the others keep their order.
static void drop_unused_points(struct surface *surface) {
    int32_t *place = memory_allocate((size_t)surface->points, sizeof *place, "corners");
    int32_t corners = surface->start[surface->faces], points = 0;
    for (int32_t k = 0; k < corners; k++)
        place[surface->corner[k]] = 1;
    for (int32_t k = 0; k < surface->points; k++)
        if (place[k]) {
            surface->point[points] = surface->point[k];
            surface->point_number[points] = surface->point_number[k];
            place[k] = points++;
        }
    for (int32_t k = 0; k < corners; k++)
        surface->corner[k] = place[surface->corner[k]];
    surface->points = points;
    memory_free(place);
}

bool surface_merge_faces(struct surface *surface, struct gabion_error *error) {
    struct merge merge;
    merge_create(&merge, surface);
    find_regions(&merge);
    size_t corners = (size_t)surface->start[surface->faces];
    int32_t *start = memory_allocate((size_t)surface->faces + 1, sizeof *start, "merged faces");
    int32_t *corner = memory_allocate(corners, sizeof *corner, "merged faces");
    int32_t *number = memory_allocate((size_t)surface->faces, sizeof *number, "merged faces");
    int32_t faces = 0;
    bool good = outline_regions(&merge, start, corner, number, &faces, error);
    merge_free(&merge);
    memory_free(surface->start);
    memory_free(surface->corner);
    memory_free(surface->face_number);
    surface->start = start;
    surface->corner = corner;
    surface->face_number = number;
    surface->faces = faces;
    if (!good)
        return false;
    drop_flat_corners(surface);
    drop_unused_points(surface);
    return true;
}
