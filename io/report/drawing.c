#include "io/report/drawing.h"

#include <math.h>
#include <string.h>

#include "parallel/memory.h"

const char *const drawing_kinds[DRAWING_KINDS] = {"bodies",     "walls",  "blocks", "contacts",
                                                  "interfaces", "thrust", "joints"};

// Arrays that a page does not show: vectors that are no colour, and what drawing has used up.
static const char *const never_shown[] = {"orientation", "impulse", "point",  "normal",
                                          "anchor",      "middle",  "sliding"};
// And those that are left out first.
static const char *const shown_at_will[] = {"angular_velocity", "mass", "gap", "eccentricity",
                                            "displacement"};

static bool is_one_of(const char *name, const char *const *list, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (strcmp(list[k], name) == 0)
            return true;
    return false;
}
#define ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof *(list))

// The cells or points that are kept, by their numbers.
struct choice {
    size_t *index;
    size_t count;
};

static struct choice choose_all(size_t count) {
    struct choice choice = {memory_allocate(count, sizeof *choice.index, "a report"), count};
    for (size_t k = 0; k < count; k++)
        choice.index[k] = k;
    return choice;
}

static void add_column(struct pack_frame *frame, const char *kind, const struct vtk_column *column,
                       const struct choice *choice, enum drawing_detail detail) {
    bool real = column->type == VTK_FLOAT32;
    if (ONE_OF(column->name, never_shown) ||
        (detail > DRAWING_ALL && ONE_OF(column->name, shown_at_will)))
        return;
    uint32_t *number =
        pack_add(frame, kind, column->name, column->components, real ? 2 : 4, choice->count);
    for (size_t k = 0; k < choice->count; k++)
        for (int c = 0; c < column->components; c++) {
            double value = vtk_number(column, choice->index[k], c);
            *number++ = real ? pack_real(value) : (uint32_t)(int32_t)value;
        }
}

static void add_columns(struct pack_frame *frame, const char *kind,
                        const struct vtk_content *content, enum vtk_section section,
                        const struct choice *choice, enum drawing_detail detail) {
    for (size_t k = 0; k < content->columns; k++)
        if (content->column[k].section == section)
            add_column(frame, kind, &content->column[k], choice, detail);
}

static uint32_t whole(double value, double quantum) {
    double number = nearbyint(value / quantum);
    if (!(number >= INT32_MIN)) // not a number, too
        number = INT32_MIN;
    return (uint32_t)(int32_t)fmin(number, INT32_MAX);
}

// Adds the points of the chosen cells, `corners` of each.
static void add_points(struct pack_frame *frame, const char *kind,
                       const struct vtk_content *content, const struct choice *choice,
                       size_t corners, double quantum) {
    const float *point = vtk_find(content, VTK_POINTS, "Points")->value;
    uint32_t *number = pack_add(frame, kind, "position", 3, 4, choice->count * corners);
    for (size_t k = 0; k < choice->count; k++)
        for (size_t c = 0; c < 3 * corners; c++)
            *number++ = whole(point[3 * corners * choice->index[k] + c], quantum);
}

// ---- points and lines ----

// One in `every` of the bodies, by id, so that a body that is shown is shown in every frame.
static struct choice choose_spheres(const struct vtk_content *content, size_t every) {
    const struct vtk_column *id = vtk_find(content, VTK_POINT_DATA, "id");
    struct choice choice = choose_all(content->points);
    if (every <= 1 || !id)
        return choice;
    choice.count = 0;
    for (size_t k = 0; k < content->points; k++)
        if ((uint64_t)vtk_number(id, k, 0) % every == 0)
            choice.index[choice.count++] = k;
    return choice;
}

// Contacts that carry force, or more than the mean of those that do.
static struct choice choose_contacts(const struct vtk_content *content,
                                     enum drawing_detail detail) {
    const struct vtk_column *force = vtk_find(content, VTK_CELL_DATA, "normal_force");
    struct choice choice = choose_all(content->cells);
    double sum = 0;
    size_t loaded = 0;
    if (!force)
        return choice;
    choice.count = 0;
    for (size_t k = 0; k < content->cells; k++)
        if (vtk_number(force, k, 0) > 0) {
            sum += vtk_number(force, k, 0);
            loaded++;
        }
    double least = detail > DRAWING_ALL && loaded > 0 ? sum / (double)loaded : 0;
    for (size_t k = 0; k < content->cells; k++)
        if (vtk_number(force, k, 0) > least)
            choice.index[choice.count++] = k;
    return choice;
}

static void add_lines(struct pack_frame *frame, const char *kind, const struct vtk_content *content,
                      const struct drawing_rule *rule) {
    if (content->points != 2 * content->cells)
        return;
    struct choice choice = strcmp(kind, "contacts") == 0 ? choose_contacts(content, rule->detail)
                                                         : choose_all(content->cells);
    add_points(frame, kind, content, &choice, 2, rule->quantum);
    add_columns(frame, kind, content, VTK_CELL_DATA, &choice, rule->detail);
    memory_free(choice.index);
}

static void add_spheres(struct pack_frame *frame, const char *kind,
                        const struct vtk_content *content, const struct drawing_rule *rule) {
    bool bodies = strcmp(kind, "bodies") == 0;
    struct choice choice = choose_spheres(content, bodies ? rule->every : 1);
    add_points(frame, kind, content, &choice, 1, rule->quantum);
    add_columns(frame, kind, content, VTK_POINT_DATA, &choice, rule->detail);
    memory_free(choice.index);
}

// ---- surfaces ----

// Polygons of a mesh by body: the corners of each polygon, and how many polygons each body has.
struct surface {
    int32_t *corner, *sides; // by corner, by polygon
    size_t corners, polygons, corner_capacity, polygon_capacity;
    struct choice first; // the first cell of each body
    int32_t *faces;      // polygons of each body
};

static void surface_polygon(struct surface *surface, const int32_t *corner, size_t sides) {
    surface->corner = memory_reserve(surface->corner, &surface->corner_capacity,
                                     surface->corners + sides, sizeof *corner, "a report");
    surface->sides = memory_reserve(surface->sides, &surface->polygon_capacity,
                                    surface->polygons + 1, sizeof *surface->sides, "a report");
    memcpy(surface->corner + surface->corners, corner, sides * sizeof *corner);
    surface->corners += sides;
    surface->sides[surface->polygons++] = (int32_t)sides;
}

// Adds the polygons of one cell and returns how many there are.
static int32_t surface_cell(struct surface *surface, const struct vtk_content *content, size_t k) {
    bool solid = content->solid;
    const int32_t *word = vtk_find(content, VTK_TOPOLOGY, solid ? "faces" : "connectivity")->value;
    const int32_t *end = vtk_find(content, VTK_TOPOLOGY, solid ? "faceoffsets" : "offsets")->value;
    size_t begin = k > 0 ? (size_t)end[k - 1] : 0;
    if (!solid) {
        surface_polygon(surface, word + begin, (size_t)end[k] - begin);
        return 1;
    }
    int32_t faces = word[begin++];
    for (int32_t face = 0; face < faces; face++) {
        surface_polygon(surface, word + begin + 1, (size_t)word[begin]);
        begin += 1 + (size_t)word[begin];
    }
    return faces;
}

// The cells of a body follow each other.
static struct surface surface_make(const struct vtk_content *content) {
    struct surface surface = {.first = choose_all(content->cells)};
    const struct vtk_column *id = vtk_find(content, VTK_CELL_DATA, "id");
    surface.faces = memory_allocate(content->cells, sizeof *surface.faces, "a report");
    surface.first.count = 0;
    for (size_t k = 0; k < content->cells; k++) {
        if (k == 0 || !id || vtk_number(id, k, 0) != vtk_number(id, k - 1, 0))
            surface.first.index[surface.first.count++] = k;
        surface.faces[surface.first.count - 1] += surface_cell(&surface, content, k);
    }
    return surface;
}

static void add_ints(struct pack_frame *frame, const char *kind, const char *name,
                     const int32_t *value, size_t count) {
    uint32_t *number = pack_add(frame, kind, name, 1, 4, count);
    for (size_t k = 0; k < count; k++)
        number[k] = (uint32_t)value[k];
}

static void add_surface(struct pack_frame *frame, const char *kind,
                        const struct vtk_content *content, const struct drawing_rule *rule) {
    struct surface surface = surface_make(content);
    struct choice points = choose_all(content->points);
    add_points(frame, kind, content, &points, 1, rule->quantum);
    add_ints(frame, kind, "corner", surface.corner, surface.corners);
    add_ints(frame, kind, "sides", surface.sides, surface.polygons);
    add_ints(frame, kind, "faces", surface.faces, surface.first.count);
    add_columns(frame, kind, content, VTK_CELL_DATA, &surface.first, rule->detail);
    void *arrays[] = {points.index, surface.corner, surface.sides, surface.faces,
                      surface.first.index};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
}

void drawing_add(struct pack_frame *frame, const char *kind, const struct vtk_content *content,
                 const struct drawing_rule *rule) {
    static const char *const surfaces[] = {"walls", "blocks"}, *const points[] = {"bodies",
                                                                                  "interfaces"};
    if (ONE_OF(kind, surfaces))
        add_surface(frame, kind, content, rule);
    else if (ONE_OF(kind, points))
        add_spheres(frame, kind, content, rule);
    else
        add_lines(frame, kind, content, rule);
}

// ---- sizes ----

static double smallest_radius(const struct vtk_content *content, const struct vtk_column *radius) {
    double least = INFINITY;
    for (size_t k = 0; k < content->points; k++)
        if (vtk_number(radius, k, 0) > 0)
            least = fmin(least, vtk_number(radius, k, 0));
    return least;
}

static double distance(const float *a, const float *b) {
    return sqrt(pow((double)a[0] - b[0], 2) + pow((double)a[1] - b[1], 2) +
                pow((double)a[2] - b[2], 2));
}

static double smallest_edge(const struct vtk_content *content) {
    const float *point = vtk_find(content, VTK_POINTS, "Points")->value;
    struct surface surface = surface_make(content);
    double least = INFINITY;
    size_t begin = 0;
    for (size_t k = 0; k < surface.polygons; begin += (size_t)surface.sides[k++])
        for (size_t c = 0; c + 1 < (size_t)surface.sides[k]; c++) {
            const int32_t *corner = surface.corner + begin + c;
            double length = distance(point + 3 * corner[0], point + 3 * corner[1]);
            least = length > 0 ? fmin(least, length) : least;
        }
    void *arrays[] = {surface.corner, surface.sides, surface.faces, surface.first.index};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    return least;
}

double drawing_smallest(const struct vtk_content *content) {
    const struct vtk_column *radius = vtk_find(content, VTK_POINT_DATA, "radius");
    return radius ? smallest_radius(content, radius) : smallest_edge(content);
}
