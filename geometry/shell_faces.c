// The flat groups of a surface of triangles, the sharp edges between them, and the convex faces
// that groups are cut into.
#include <stdlib.h>

#include "geometry/shell.h"
#include "parallel/memory.h"

// The plane of a group is fitted and the group grown anew, at most this often: the first triangle
// of a fine mesh of few digits does not know the plane well.
#define FITS 4

// Triangles whose normals differ by more than this (cosine) are not one flat part, however thin
// they are.
#define FLAT_COSINE 0.9

static vec3 divided(vec3 a, double length) {
    return vec3_make(a.x / length, a.y / length, a.z / length);
}

// Groups --------------------------------------------------------------------------------------

struct plane {
    vec3 normal;
    double offset;
};

struct growth {
    struct shell_draft *draft;
    int32_t group;
    int32_t *member; // triangles of the group
    int32_t count;
};

static bool in_plane(const struct shell_draft *draft, int32_t t, bool turned,
                     const struct plane *plane) {
    const struct shell *shell = draft->shell;
    vec3 area = turned ? vec3_negate(draft->area[t]) : draft->area[t];
    if (!(vec3_dot(area, plane->normal) > FLAT_COSINE * vec3_length(area)))
        return false;
    for (int k = 0; k < 3; k++) {
        vec3 p = shell->point[shell->triangle[3 * t + k]];
        if (!(fabs(vec3_dot(plane->normal, p) - plane->offset) <= shell->tolerance))
            return false;
    }
    return true;
}

static void take(struct growth *growth, int32_t t, bool turned) {
    growth->draft->group[t] = growth->group;
    growth->draft->turned[t] = turned;
    growth->member[growth->count++] = t;
}

// Grows the group from its first triangle over neighbours in the plane.
static void grow(struct growth *growth, int32_t seed, const struct plane *plane) {
    struct shell_draft *draft = growth->draft;
    const int32_t *corner = draft->shell->triangle;
    for (int32_t k = 0; k < growth->count; k++)
        draft->group[growth->member[k]] = -1;
    growth->count = 0;
    take(growth, seed, false);
    for (int32_t k = 0; k < growth->count; k++) {
        int32_t t = growth->member[k];
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            int32_t twin = draft->twin[h], other = twin / 3;
            if (twin < 0 || draft->group[other] >= 0)
                continue;
            // Two neighbours of one sense pass their edge in opposite directions.
            bool turned = draft->turned[t] ^ (corner[twin] == corner[h]);
            if (in_plane(draft, other, turned, plane))
                take(growth, other, turned);
        }
    }
}

// The normal is the mean by area, and the plane lies midway between the outermost points. Points of
// equal height stay exactly in it.
static struct plane fit(const struct growth *growth) {
    const struct shell_draft *draft = growth->draft;
    const struct shell *shell = draft->shell;
    vec3 sum = vec3_zero();
    double low = INFINITY, high = -INFINITY;
    for (int32_t k = 0; k < growth->count; k++) {
        int32_t t = growth->member[k];
        sum = vec3_add_scaled(sum, draft->turned[t] ? -1 : 1, draft->area[t]);
    }
    vec3 normal = divided(sum, vec3_length(sum));
    for (int32_t k = 0; k < growth->count; k++)
        for (int c = 0; c < 3; c++) {
            int32_t p = shell->triangle[3 * growth->member[k] + c];
            double height = vec3_dot(normal, shell->point[p]);
            low = fmin(low, height);
            high = fmax(high, height);
        }
    return (struct plane){normal, 0.5 * (low + high)};
}

static void find_group(struct growth *growth, int32_t seed) {
    struct shell *shell = growth->draft->shell;
    growth->count = 0;
    take(growth, seed, false);
    for (int k = 0; k < FITS; k++) {
        struct plane plane = fit(growth);
        int32_t before = growth->count;
        grow(growth, seed, &plane);
        if (growth->count <= before && k > 0)
            break;
    }
    struct plane plane = fit(growth);
    shell->normal[shell->group_count] = plane.normal;
    shell->offset[shell->group_count++] = plane.offset;
}

struct seed {
    double area;
    int32_t triangle;
};

static int compare_seeds(const void *left, const void *right) {
    const struct seed *a = left, *b = right;
    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// Groups begin at the largest triangles, whose planes are known best.
void shell_find_groups(struct shell_draft *draft) {
    struct shell *shell = draft->shell;
    size_t triangles = (size_t)shell->triangle_count;
    struct seed *seed = memory_allocate(triangles, sizeof *seed, "a surface");
    struct growth growth = {.draft = draft};
    growth.member = memory_allocate(triangles, sizeof *growth.member, "a surface");
    shell->normal = memory_allocate(triangles, sizeof *shell->normal, "a surface");
    shell->offset = memory_allocate(triangles, sizeof *shell->offset, "a surface");
    for (size_t t = 0; t < triangles; t++) {
        seed[t] = (struct seed){vec3_length(draft->area[t]), (int32_t)t};
        draft->group[t] = -1;
    }
    qsort(seed, triangles, sizeof *seed, compare_seeds);
    for (size_t k = 0; k < triangles; k++) {
        if (draft->group[seed[k].triangle] >= 0)
            continue;
        growth.group = shell->group_count;
        find_group(&growth, seed[k].triangle);
    }
    memory_free(seed);
    memory_free(growth.member);
}

// Sharp edges ---------------------------------------------------------------------------------

// Sharp edges of triangles in the making of straight ones. A side is named by the lower of its two
// half-edges.
struct ridges {
    const struct shell_draft *draft;
    int32_t *parent;  // by half-edge: leads to the first side of the straight edge
    int32_t (*at)[2]; // by point: two sharp sides
    int32_t *count;   // by point: how many there are
};

static int32_t group_beyond(const struct shell_draft *draft, int32_t h) {
    return draft->twin[h] < 0 ? -1 : draft->group[draft->twin[h] / 3];
}

static bool is_sharp(const struct shell_draft *draft, int32_t h) {
    return group_beyond(draft, h) != draft->group[h / 3];
}

static int32_t side_of(const struct shell_draft *draft, int32_t h) {
    return draft->twin[h] >= 0 && draft->twin[h] < h ? draft->twin[h] : h;
}

static int32_t root_of(int32_t *parent, int32_t h) {
    while (parent[h] != h)
        h = parent[h] = parent[parent[h]];
    return h;
}

static bool same_groups(const struct shell_draft *draft, int32_t g, int32_t h) {
    int32_t a = draft->group[g / 3], b = group_beyond(draft, g);
    int32_t c = draft->group[h / 3], d = group_beyond(draft, h);
    return (a == c && b == d) || (a == d && b == c);
}

static int32_t other_end(const struct shell *shell, int32_t h, int32_t point) {
    int32_t tail = shell->triangle[h], head = shell->triangle[shell_next(h)];
    return tail == point ? head : tail;
}

// Returns whether p lies between a and b on the line through them.
static bool is_between(const struct shell *shell, int32_t a, int32_t p, int32_t b) {
    vec3 to_a = vec3_sub(shell->point[a], shell->point[p]);
    vec3 to_b = vec3_sub(shell->point[b], shell->point[p]);
    double length = vec3_length(vec3_sub(to_b, to_a));
    return vec3_dot(to_a, to_b) < 0 &&
           vec3_length(vec3_cross(to_a, to_b)) <= shell->tolerance * length;
}

// Returns whether a point is one of a straight sharp edge and not its end.
static bool is_inside_edge(const struct ridges *ridges, int32_t point) {
    const struct shell *shell = ridges->draft->shell;
    const int32_t *side = ridges->at[point];
    return ridges->count[point] == 2 && same_groups(ridges->draft, side[0], side[1]) &&
           is_between(shell, other_end(shell, side[0], point), point,
                      other_end(shell, side[1], point));
}

static void list_sides(struct ridges *ridges) {
    const struct shell *shell = ridges->draft->shell;
    for (int32_t h = 0; h < 3 * shell->triangle_count; h++) {
        ridges->parent[h] = h;
        if (side_of(ridges->draft, h) != h || !is_sharp(ridges->draft, h))
            continue;
        int32_t ends[2] = {shell->triangle[h], shell->triangle[shell_next(h)]};
        for (int k = 0; k < 2; k++) {
            int32_t place = ridges->count[ends[k]]++;
            if (place < 2)
                ridges->at[ends[k]][place] = h;
        }
    }
}

static void join_sides(struct ridges *ridges) {
    struct shell *shell = ridges->draft->shell;
    for (int32_t p = 0; p < shell->point_count; p++) {
        if (ridges->count[p] == 0)
            shell->point_edge[p] = SHELL_FLAT;
        else if (!is_inside_edge(ridges, p))
            shell->point_edge[p] = SHELL_VERTEX;
        else {
            int32_t a = root_of(ridges->parent, ridges->at[p][0]);
            int32_t b = root_of(ridges->parent, ridges->at[p][1]);
            ridges->parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static vec3 wing_of(const struct shell_draft *draft, int32_t h) {
    const struct shell *shell = draft->shell;
    vec3 tail = shell->point[shell->triangle[h]];
    vec3 along = vec3_sub(shell->point[shell->triangle[shell_next(h)]], tail);
    vec3 apex = shell->point[shell->triangle[shell_next(shell_next(h))]];
    vec3 wing = vec3_cross(shell->normal[draft->group[h / 3]], along);
    double length = vec3_length(wing);
    return divided(wing, vec3_dot(wing, vec3_sub(apex, tail)) < 0 ? -length : length);
}

static void add_edge(const struct shell_draft *draft, int32_t h) {
    struct shell *shell = draft->shell;
    struct shell_edge *edge = &shell->edge[shell->edge_count++];
    edge->wing[edge->wings++] = wing_of(draft, h);
    if (draft->twin[h] >= 0)
        edge->wing[edge->wings++] = wing_of(draft, draft->twin[h]);
}

// Numbers straight edges in the order of their first sides. `number` is by half-edge.
static void number_edges(struct ridges *ridges, int32_t *number) {
    const struct shell_draft *draft = ridges->draft;
    struct shell *shell = draft->shell;
    for (int32_t h = 0; h < 3 * shell->triangle_count; h++) {
        int32_t side = side_of(draft, h), root = root_of(ridges->parent, side);
        number[h] = SHELL_FLAT;
        if (!is_sharp(draft, h))
            continue;
        if (root == h) {
            number[h] = shell->edge_count;
            add_edge(draft, h);
        }
        number[h] = number[root];
    }
    for (int32_t p = 0; p < shell->point_count; p++)
        if (ridges->count[p] > 0 && shell->point_edge[p] != SHELL_VERTEX)
            shell->point_edge[p] = number[ridges->at[p][0]];
}

void shell_find_edges(struct shell_draft *draft) {
    struct shell *shell = draft->shell;
    size_t points = (size_t)shell->point_count, sides = 3 * (size_t)shell->triangle_count;
    struct ridges ridges = {.draft = draft};
    ridges.parent = memory_allocate(sides, sizeof *ridges.parent, "a surface");
    ridges.at = memory_allocate(points, sizeof *ridges.at, "a surface");
    ridges.count = memory_allocate(points, sizeof *ridges.count, "a surface");
    shell->point_edge = memory_allocate(points, sizeof *shell->point_edge, "a surface");
    shell->edge = memory_allocate(sides, sizeof *shell->edge, "a surface");
    draft->edge = memory_allocate(sides, sizeof *draft->edge, "a surface");
    list_sides(&ridges);
    join_sides(&ridges);
    number_edges(&ridges, draft->edge);
    shell->edge =
        memory_resize(shell->edge, (size_t)shell->edge_count, sizeof *shell->edge, "a surface");
    memory_free(ridges.parent);
    memory_free(ridges.at);
    memory_free(ridges.count);
}

// Faces ---------------------------------------------------------------------------------------

// Groups while they are cut into polygons. A polygon is a ring of half-edges, counter-clockwise
// about the normal of its group.
struct cutting {
    struct shell_draft *draft;
    int32_t *next, *before; // by half-edge
    int32_t *parent;        // by triangle: leads to the first one of its polygon
    bool *gone;             // by half-edge: lies inside a polygon
    int32_t *leaving;       // by point: a half-edge of an outline that begins there, or -1
    size_t corner_capacity;
    int32_t corners; // of the faces so far
};

static int32_t tail_of(const struct shell_draft *draft, int32_t h) {
    return draft->shell->triangle[draft->turned[h / 3] ? shell_next(h) : h];
}

static int32_t head_of(const struct shell_draft *draft, int32_t h) {
    return draft->shell->triangle[draft->turned[h / 3] ? h : shell_next(h)];
}

// Returns how far the point c is on the left of the line from a to b, times the length of that.
static double left_turn(const struct cutting *cutting, int32_t group, int32_t a, int32_t b,
                        int32_t c) {
    const struct shell *shell = cutting->draft->shell;
    vec3 along = vec3_sub(shell->point[b], shell->point[a]);
    vec3 onward = vec3_sub(shell->point[c], shell->point[b]);
    return vec3_dot(vec3_cross(along, onward), shell->normal[group]);
}

// Returns whether the polygon does not bend to the right where half-edge h follows g.
static bool bends_left(const struct cutting *cutting, int32_t g, int32_t h) {
    const struct shell_draft *draft = cutting->draft;
    const struct shell *shell = draft->shell;
    int32_t a = tail_of(draft, g), b = head_of(draft, g), c = head_of(draft, h);
    double length = vec3_length(vec3_sub(shell->point[b], shell->point[a]));
    return left_turn(cutting, draft->group[h / 3], a, b, c) >= -shell->tolerance * length;
}

// Returns whether the point between half-edges g and h is a corner of their polygon: not where a
// side goes straight on that is all of one edge, or all of none.
static bool is_corner(const struct cutting *cutting, int32_t g, int32_t h) {
    const struct shell_draft *draft = cutting->draft;
    const struct shell *shell = draft->shell;
    int32_t p = tail_of(draft, h);
    if (draft->edge[g] != draft->edge[h] || shell->point_edge[p] == SHELL_VERTEX)
        return true;
    return draft->edge[h] == SHELL_FLAT &&
           !is_between(shell, tail_of(draft, g), p, head_of(draft, h));
}

// Returns the number of corners of the polygon that half-edge h belongs to, one more than there may
// be at most.
static int32_t count_corners(const struct cutting *cutting, int32_t h) {
    int32_t count = 0, g = h;
    do {
        count += is_corner(cutting, cutting->before[g], g);
        g = cutting->next[g];
    } while (g != h && count <= SHELL_FACE_MAX);
    return count;
}

static void add_face(struct cutting *cutting, int32_t h) {
    struct shell_draft *draft = cutting->draft;
    struct shell *shell = draft->shell;
    int32_t g = h, f = shell->face_count++;
    shell->face_group[f] = draft->group[h / 3];
    do {
        if (is_corner(cutting, cutting->before[g], g)) {
            size_t needed = (size_t)cutting->corners + 1, room = cutting->corner_capacity;
            shell->face_corner = memory_reserve(shell->face_corner, &room, needed,
                                                sizeof *shell->face_corner, "a surface");
            shell->face_edge = memory_reserve(shell->face_edge, &cutting->corner_capacity, needed,
                                              sizeof *shell->face_edge, "a surface");
            shell->face_corner[cutting->corners] = tail_of(draft, g);
            shell->face_edge[cutting->corners++] = draft->edge[g];
        }
        g = cutting->next[g];
    } while (g != h);
    shell->face_start[f + 1] = cutting->corners;
}

// Links the outline of a group into a ring. Returns one of its half-edges, or -1 where it has
// several rings or touches itself.
static int32_t link_outline(struct cutting *cutting, const int32_t *member, int32_t count) {
    const struct shell_draft *draft = cutting->draft;
    int32_t sides = 0, first = -1, walked = 0;
    bool simple = true;
    for (int32_t h, k = 0; k < 3 * count; k++) {
        h = 3 * member[k / 3] + k % 3;
        if (!is_sharp(draft, h))
            continue;
        simple &= cutting->leaving[tail_of(draft, h)] < 0;
        cutting->leaving[tail_of(draft, h)] = h;
        first = first < 0 ? h : first;
        sides++;
    }
    int32_t h = simple ? first : -1;
    for (int32_t next; h >= 0 && walked <= sides; h = next) {
        next = cutting->leaving[head_of(draft, h)];
        if (next < 0)
            break;
        cutting->next[h] = next;
        cutting->before[next] = h;
        walked++;
        if (next == first)
            break;
    }
    for (int32_t k = 0; k < 3 * count; k++)
        cutting->leaving[tail_of(draft, 3 * member[k / 3] + k % 3)] = -1;
    return simple && walked == sides ? first : -1;
}

static bool ring_is_convex(const struct cutting *cutting, int32_t first) {
    int32_t h = first;
    do {
        if (!bends_left(cutting, cutting->before[h], h))
            return false;
        h = cutting->next[h];
    } while (h != first);
    return count_corners(cutting, first) <= SHELL_FACE_MAX;
}

// Starts with every triangle as a polygon of its own.
static void link_triangles(struct cutting *cutting, const int32_t *member, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        int32_t t = member[k];
        bool turned = cutting->draft->turned[t];
        cutting->parent[t] = t;
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            int32_t other = shell_next(h);
            cutting->next[turned ? other : h] = turned ? h : other;
            cutting->before[turned ? h : other] = turned ? other : h;
            cutting->gone[h] = false;
        }
    }
}

// The way along which two polygons meet.
struct seam {
    int32_t first, last; // half-edges of one polygon
};

static struct seam find_seam(const struct cutting *cutting, int32_t h) {
    const int32_t *twin = cutting->draft->twin, *next = cutting->next, *before = cutting->before;
    const struct shell_draft *draft = cutting->draft;
    struct seam seam = {h, h};
    for (int32_t e = next[h]; !is_sharp(draft, e) && twin[e] == before[twin[seam.last]] && e != h;
         e = next[e])
        seam.last = e;
    for (int32_t e = before[h]; !is_sharp(draft, e) && twin[e] == next[twin[seam.first]] && e != h;
         e = before[e])
        seam.first = e;
    return seam;
}

static void link(struct cutting *cutting, int32_t g, int32_t h) {
    cutting->next[g] = h;
    cutting->before[h] = g;
}

// Makes one polygon of the two beside half-edge h where that is convex and has no more corners than
// a face may have (S. Hertel and K. Mehlhorn, "Fast triangulation of simple polygons", 1983, for
// polygons that may share several sides in a row). Returns whether it did.
static bool merge_across(struct cutting *cutting, int32_t h) {
    const int32_t *twin = cutting->draft->twin;
    int32_t a = root_of(cutting->parent, h / 3), b = root_of(cutting->parent, twin[h] / 3);
    if (cutting->gone[h] || a == b)
        return false;
    struct seam seam = find_seam(cutting, h);
    int32_t in = cutting->before[seam.first], out = cutting->next[seam.last];
    int32_t other_in = cutting->before[twin[seam.last]];
    int32_t other_out = cutting->next[twin[seam.first]];
    if (!bends_left(cutting, in, other_out) || !bends_left(cutting, other_in, out))
        return false;
    link(cutting, in, other_out);
    link(cutting, other_in, out);
    if (count_corners(cutting, out) > SHELL_FACE_MAX) {
        link(cutting, in, seam.first);
        link(cutting, seam.last, out);
        link(cutting, other_in, twin[seam.last]);
        link(cutting, twin[seam.first], other_out);
        return false;
    }
    for (int32_t e = seam.first;; e = cutting->next[e]) {
        cutting->gone[e] = cutting->gone[twin[e]] = true;
        if (e == seam.last)
            break;
    }
    cutting->parent[a > b ? a : b] = a > b ? b : a;
    return true;
}

// Goes over all sides inside the group until no two polygons make a larger one.
static void merge_group(struct cutting *cutting, const int32_t *member, int32_t count) {
    for (bool merged = true; merged;) {
        merged = false;
        for (int32_t k = 0; k < 3 * count; k++) {
            int32_t h = 3 * member[k / 3] + k % 3;
            if (!is_sharp(cutting->draft, h) && side_of(cutting->draft, h) == h)
                merged |= merge_across(cutting, h);
        }
    }
}

static void cut_group(struct cutting *cutting, const int32_t *member, int32_t count) {
    int32_t first = link_outline(cutting, member, count);
    if (first >= 0 && ring_is_convex(cutting, first)) {
        add_face(cutting, first);
        return;
    }
    link_triangles(cutting, member, count);
    merge_group(cutting, member, count);
    for (int32_t k = 0; k < 3 * count; k++) {
        int32_t h = 3 * member[k / 3] + k % 3, g = h;
        if (cutting->gone[h])
            continue;
        add_face(cutting, h);
        do
            cutting->gone[g] = true;
        while ((g = cutting->next[g]) != h);
    }
}

// Lists the triangles group by group. start[g] is where group g begins.
static void list_members(const struct shell_draft *draft, int32_t *start, int32_t *member) {
    const struct shell *shell = draft->shell;
    for (int32_t t = 0; t < shell->triangle_count; t++)
        start[draft->group[t] + 2]++;
    for (int32_t g = 0; g < shell->group_count; g++)
        start[g + 2] += start[g + 1];
    for (int32_t t = 0; t < shell->triangle_count; t++)
        member[start[draft->group[t] + 1]++] = t;
}

void shell_find_faces(struct shell_draft *draft) {
    struct shell *shell = draft->shell;
    size_t triangles = (size_t)shell->triangle_count, groups = (size_t)shell->group_count;
    struct cutting cutting = {.draft = draft};
    cutting.next = memory_allocate(3 * triangles, sizeof(int32_t), "a surface");
    cutting.before = memory_allocate(3 * triangles, sizeof(int32_t), "a surface");
    cutting.parent = memory_allocate(triangles, sizeof(int32_t), "a surface");
    cutting.gone = memory_allocate(3 * triangles, sizeof(bool), "a surface");
    cutting.leaving = memory_allocate((size_t)shell->point_count, sizeof(int32_t), "a surface");
    shell->face_start = memory_allocate(triangles + 1, sizeof(int32_t), "a surface");
    shell->face_group = memory_allocate(triangles, sizeof(int32_t), "a surface");
    int32_t *start = memory_allocate(groups + 2, sizeof *start, "a surface");
    int32_t *member = memory_allocate(triangles, sizeof *member, "a surface");
    for (int32_t p = 0; p < shell->point_count; p++)
        cutting.leaving[p] = -1;
    list_members(draft, start, member);
    for (size_t g = 0; g < groups; g++)
        cut_group(&cutting, member + start[g], start[g + 1] - start[g]);
    void *arrays[] = {cutting.next,    cutting.before, cutting.parent, cutting.gone,
                      cutting.leaving, start,          member};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}
