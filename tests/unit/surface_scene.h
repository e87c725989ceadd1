// Scenes with surfaces of triangles, on top of scene.h.
#ifndef TESTS_UNIT_SURFACE_SCENE_H
#define TESTS_UNIT_SURFACE_SCENE_H

#include "parallel/memory.h"
#include "tests/unit/scene.h"

// A surface in the making.
struct sheet {
    vec3 point[40000];
    int64_t points;
    int64_t triangle[60000];
    int64_t triangles;
};

static inline struct sheet *sheet_new(void) {
    return memory_allocate(1, sizeof(struct sheet), "a test");
}

static inline int64_t sheet_point(struct sheet *sheet, vec3 p) {
    sheet->point[sheet->points] = p;
    return sheet->points++;
}

static inline void sheet_triangle(struct sheet *sheet, int64_t a, int64_t b, int64_t c) {
    int64_t *corner = sheet->triangle + 3 * sheet->triangles++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static inline void sheet_quad(struct sheet *sheet, vec3 a, vec3 b, vec3 c, vec3 d) {
    int64_t i = sheet_point(sheet, a), j = sheet_point(sheet, b), k = sheet_point(sheet, c);
    int64_t l = sheet_point(sheet, d);
    sheet_triangle(sheet, i, j, k);
    sheet_triangle(sheet, i, k, l);
}

// The parallelogram origin + u [0, 1] + v [0, 1] in n x m cells of two triangles. Points inside are
// shaken within the plane. Triangles are drawn in either sense.
static inline void sheet_grid(struct sheet *sheet, vec3 origin, vec3 u, vec3 v, int n, int m,
                              uint64_t seed) {
    struct random_stream random = {seed};
    int64_t first = sheet->points;
    for (int j = 0; j <= m; j++)
        for (int i = 0; i <= n; i++) {
            bool inside = i > 0 && i < n && j > 0 && j < m;
            double s = i + (inside ? random_between(&random, -0.2, 0.2) : 0);
            double t = j + (inside ? random_between(&random, -0.2, 0.2) : 0);
            sheet_point(sheet, vec3_add_scaled(vec3_add_scaled(origin, s / n, u), t / m, v));
        }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            int64_t a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            if (random_unit(&random) < 0.5) {
                sheet_triangle(sheet, a, b, d);
                sheet_triangle(sheet, a, c, d);
            } else {
                sheet_triangle(sheet, b, a, c);
                sheet_triangle(sheet, d, c, b);
            }
        }
}

// Adds the surface to the world and forgets the sheet. Returns the number of the surface.
static inline int sheet_shape(struct gabion_world *world, struct sheet *sheet) {
    struct gabion_error error = {0};
    int number = gabion_add_surface(world, sheet->point, sheet->points, sheet->triangle,
                                    sheet->triangles, &error);
    if (number < 0)
        fail_msg("%s", error.text);
    memory_free(sheet);
    return number;
}

static inline struct gabion_body surface_body(int surface) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_SURFACE;
    body.surface = surface;
    body.material = SCENE_GROUND;
    body.fixed = true;
    return body;
}

// Adds the surface as a fixed body and forgets the sheet. Returns the id of the body.
static inline int32_t sheet_wall(struct gabion_world *world, struct sheet *sheet) {
    struct gabion_body body = surface_body(sheet_shape(world, sheet));
    return scene_add(world, &body);
}

// Adds a sheet of some `size` m in any position, flat here and bent there, as a fixed body.
static inline int32_t sheet_crumpled(struct gabion_world *world, struct random_stream *random,
                                     double size, int group) {
    struct sheet *sheet = sheet_new();
    int cells = 1 + (int)(6 * random_unit(random));
    double bent = random_unit(random) < 0.3 ? 0 : 0.3 * random_unit(random) * size / cells;
    sheet_grid(sheet, vec3_make(-0.5 * size, -0.5 * size, 0), vec3_make(size, 0, 0),
               vec3_make(0, size, 0), cells, cells, random_bits(random));
    for (int64_t p = 0; p < sheet->points; p++)
        if (random_unit(random) < 0.5)
            sheet->point[p].z = random_between(random, -bent, bent);
    struct gabion_body body = surface_body(sheet_shape(world, sheet));
    body.position = vec3_scale(0.5 * size * random_unit(random), scene_random_unit(random));
    body.orientation = quat_about(scene_random_unit(random), 3 * random_unit(random));
    body.group = group;
    body.insert_time = random_unit(random) < 0.2 ? 0.01 : 0;
    return scene_add(world, &body);
}

static inline int scene_count_contacts(const struct gabion_world *world, int32_t id, int32_t other,
                                       bool loaded) {
    int32_t i = world->bodies.index_of[id], j = world->bodies.index_of[other];
    int count = 0;
    for (size_t k = 0; k < world->contacts->count; k++) {
        const struct contact *contact = &world->contacts->list[k];
        count +=
            contact->c == i && contact->a == j && (!loaded || contacts_carries(world->contacts, k));
    }
    return count;
}

#endif
