#include "engine/contact/parts.h"

#include "geometry/patch.h"
#include "parallel/memory.h"

// Normals that differ by less than this are those of faces in one plane.
#define SAME_NORMAL 1e-9

// Shares of the smaller body's size: contacts of one normal whose points are SAME_LEVEL apart along
// it may be those of one face; they are if their gaps differ by less than SAME_PLANE from those of
// a plane. Points closer than SAME_PLACE are one.
#define SAME_LEVEL 1e-2
#define SAME_PLANE 1e-6
#define SAME_PLACE 1e-6

struct parts parts_of(const struct pair *pair, int32_t i) {
    const struct bodies *bodies = &pair->world->bodies;
    const struct pose *at = i == pair->first ? &pair->at : &pair->beside;
    struct parts parts = {.count = 1, .whole = {NULL, at->x, at->axes}, .loose = pair->loose};
    if (bodies->shape[i] == GABION_COMPOUND) {
        parts.whole.shape = bodies_compound(bodies, i);
        parts.count = parts.whole.shape->count;
    } else
        parts.single = bodies_polyhedron(bodies, i);
    return parts;
}

static struct placed place_at(const struct placed_compound *whole, const struct polyhedron *shape,
                              vec3 x, const mat3 *axes) {
    struct placed placed = {.shape = shape, .x = vec3_add(whole->x, mat3_apply(whole->axes, x))};
    for (int row = 0; row < 3; row++)
        placed.axes.row[row] = mat3_apply_transposed(*axes, whole->axes.row[row]);
    return placed;
}

struct placed parts_place(const struct parts *parts, int32_t k) {
    const struct placed_compound *whole = &parts->whole;
    if (parts->single)
        return placed_alone(parts->single, whole->x, whole->axes);
    const struct compound_part *part = &whole->shape->part[k];
    struct placed placed = place_at(whole, part->shape, part->x, &part->axes);
    placed.whole = parts->loose ? NULL : whole;
    placed.part = k;
    return placed;
}

struct placed parts_hull(const struct parts *parts) {
    if (parts->single)
        return parts_place(parts, 0);
    const struct compound *shape = parts->whole.shape;
    return place_at(&parts->whole, shape->hull, shape->hull->centre, &shape->hull_axes);
}

bool parts_near(const struct parts *parts, int32_t k, vec3 centre, double radius, double reach) {
    if (parts->single)
        return true; // that is known of the body
    const struct compound_part *part = &parts->whole.shape->part[k];
    vec3 x = vec3_add(parts->whole.x, mat3_apply(parts->whole.axes, part->x));
    vec3 d = vec3_sub(x, centre);
    double limit = part->shape->radius + radius + reach;
    return vec3_dot(d, d) <= limit * limit;
}

uint32_t parts_name(const struct parts *parts, int32_t k, uint32_t half) {
    if (parts->single)
        return half;
    const struct compound *shape = parts->whole.shape;
    const struct compound_part *part = &shape->part[k];
    if (half == FEATURE_FACE)
        return FEATURE_EDGE | (uint32_t)(shape->edge_count + k);
    return half & FEATURE_EDGE ? half + (uint32_t)part->first_edge
                               : half + (uint32_t)part->first_corner;
}

// Joining ---------------------------------------------------------------------------------------

// Moves contact k of the list to place `to`, and those between one further.
static void move_contact(struct contact *list, size_t k, size_t to) {
    struct contact contact = list[k];
    for (; k > to; k--)
        list[k] = list[k - 1];
    list[to] = contact;
}

// Gathers the contacts that have the normal of the first one behind it, and gives them that very
// normal. Returns their number.
static size_t gather_normal(struct contact *list, size_t count) {
    size_t same = 1;
    for (size_t k = 1; k < count; k++) {
        if (vec3_length(vec3_sub(list[k].normal, list[0].normal)) > SAME_NORMAL)
            continue;
        list[k].normal = list[0].normal;
        move_contact(list, k, same++);
    }
    return same;
}

// Gathers the contacts on the level of the first one behind it. Returns their number.
static size_t gather_level(struct contact *list, size_t count, double size) {
    size_t same = 1;
    for (size_t k = 1; k < count; k++) {
        vec3 between = vec3_sub(list[k].point, list[0].point);
        if (fabs(vec3_dot(list[0].normal, between)) <= SAME_LEVEL * size)
            move_contact(list, k, same++);
    }
    return same;
}

static const struct contact *contact_at(const struct contact *list, size_t count, vec3 point) {
    size_t k = 0;
    while (k + 1 < count && vec3_length(vec3_sub(list[k].point, point)) > 0)
        k++;
    return &list[k];
}

// The gap over a patch as a linear function of the place: gap + slope.(point - origin).
struct gap_plane {
    vec3 origin, slope;
    double gap;
};

// Returns the function that the contacts at some corners of the patch have.
static struct gap_plane gap_plane_of(const struct contact *list, size_t count, const vec3 *corner,
                                     int corners) {
    const struct contact *a = contact_at(list, count, corner[0]);
    const struct contact *b = contact_at(list, count, corner[corners / 3]);
    const struct contact *c = contact_at(list, count, corner[2 * corners / 3]);
    struct gap_plane plane = {a->point, vec3_zero(), a->gap};
    vec3 n = a->normal, ab = vec3_sub(b->point, a->point), ac = vec3_sub(c->point, a->point);
    if (corners == 2)
        plane.slope = vec3_scale((c->gap - a->gap) / vec3_dot(ac, ac), ac);
    if (corners < 3)
        return plane;
    vec3 slope = vec3_scale(b->gap - a->gap, vec3_cross(ac, n));
    slope = vec3_add_scaled(slope, c->gap - a->gap, vec3_cross(n, ab));
    plane.slope = vec3_scale(1 / vec3_dot(n, vec3_cross(ab, ac)), slope);
    return plane;
}

static bool gaps_flat(const struct contact *list, size_t count, const struct gap_plane *plane,
                      double tolerance) {
    for (size_t k = 0; k < count; k++) {
        double rise = vec3_dot(plane->slope, vec3_sub(list[k].point, plane->origin));
        if (!(fabs(list[k].gap - plane->gap - rise) <= tolerance))
            return false;
    }
    return true;
}

// Keeps the corners of the hull of contacts with one normal. Returns how many there are.
static size_t keep_hull(struct contact *list, size_t count, double size) {
    vec3 corner[PATCH_POINTS_MAX];
    if (count < 2 || count > PATCH_POINTS_MAX)
        return count;
    for (size_t k = 0; k < count; k++)
        corner[k] = list[k].point;
    int corners = patch_hull(corner, (int)count, list[0].normal, SAME_PLACE * size);
    struct gap_plane plane = gap_plane_of(list, count, corner, corners);
    if (!gaps_flat(list, count, &plane, SAME_PLANE * size))
        return count;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < corners; c++)
            if (vec3_length(vec3_sub(corner[c], list[k].point)) == 0) {
                corner[c] = corner[--corners]; // a corner has one contact
                list[kept++] = list[k];
                break;
            }
    return kept;
}

void parts_join_contacts(const struct pair *pair, size_t begin, struct contact_list *list) {
    double size = bodies_smaller_size(&pair->world->bodies, pair->first, pair->second);
    size_t kept = begin, normal_end = begin;
    for (size_t k = begin, same; k < list->count; k += same) {
        if (k == normal_end)
            normal_end = k + gather_normal(&list->list[k], list->count - k);
        same = gather_level(&list->list[k], normal_end - k, size);
        size_t hull = keep_hull(&list->list[k], same, size);
        for (size_t j = 0; j < hull; j++)
            list->list[kept++] = list->list[k + j];
    }
    list->count = kept;
}
