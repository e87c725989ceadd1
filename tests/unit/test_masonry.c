// Masonry generators: every block where cases/generators.h says, neighbours that share their faces.
#include <string.h>

#include "cases/generators.h"
#include "tests/unit/scene.h"

static struct gabion_world *world;

static int start(void **state) {
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    (void)state;
    world = scene_create(&settings, (struct gabion_law){0.6, 0, 0});
    return 0;
}

static int stop(void **state) {
    (void)state;
    scene_destroy(world);
    return 0;
}

static struct gabion_body stone(const char *name) {
    struct gabion_body body = gabion_default_body();
    body.material = SCENE_BODY;
    body.density = 2000;
    body.group = gabion_add_group(world, name, NULL);
    return body;
}

// ---- what was built ----

static vec3 corner_of(int32_t i, int32_t k) {
    const struct bodies *bodies = &world->bodies;
    return vec3_add(bodies->x[i],
                    mat3_apply(quat_matrix(bodies->q[i]), bodies_polyhedron(bodies, i)->corner[k]));
}

static double volume_of(int32_t i) { return bodies_polyhedron(&world->bodies, i)->volume; }

static void box_of(int32_t i, vec3 *low, vec3 *high) {
    *low = *high = corner_of(i, 0);
    for (int32_t k = 1; k < bodies_polyhedron(&world->bodies, i)->corner_count; k++)
        for (int axis = 0; axis < 3; axis++) {
            double x = vec3_get(corner_of(i, k), axis);
            vec3_set(low, axis, fmin(vec3_get(*low, axis), x));
            vec3_set(high, axis, fmax(vec3_get(*high, axis), x));
        }
}

static void assert_box(int32_t i, vec3 low, vec3 high) {
    vec3 its_low, its_high;
    box_of(i, &its_low, &its_high);
    assert_vector_near(its_low, low, 1e-13);
    assert_vector_near(its_high, high, 1e-13);
}

static double sum_of_volumes(void) {
    double sum = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        sum += volume_of(i);
    return sum;
}

// Boxes along the axes: how deep the worst pair overlaps.
static double worst_overlap(void) {
    int32_t count = world->bodies.count;
    vec3 *low = calloc((size_t)count, sizeof *low), *high = calloc((size_t)count, sizeof *high);
    double worst = 0;
    for (int32_t i = 0; i < count; i++)
        box_of(i, &low[i], &high[i]);
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++) {
            double depth = INFINITY;
            for (int axis = 0; axis < 3; axis++) {
                double from = fmax(vec3_get(low[i], axis), vec3_get(low[j], axis));
                double to = fmin(vec3_get(high[i], axis), vec3_get(high[j], axis));
                depth = fmin(depth, to - from);
            }
            worst = fmax(worst, depth);
        }
    free(low);
    free(high);
    return worst;
}

static int shared_corners(int32_t i, int32_t j, double tolerance) {
    int shared = 0;
    for (int32_t a = 0; a < bodies_polyhedron(&world->bodies, i)->corner_count; a++)
        for (int32_t b = 0; b < bodies_polyhedron(&world->bodies, j)->corner_count; b++)
            shared += vec3_length(vec3_sub(corner_of(i, a), corner_of(j, b))) <= tolerance;
    return shared;
}

// All corners on the side of the plane through `point` that `normal` points to.
static void assert_beyond(int32_t i, vec3 point, vec3 normal) {
    for (int32_t k = 0; k < bodies_polyhedron(&world->bodies, i)->corner_count; k++)
        assert_at_most(-vec3_dot(vec3_sub(corner_of(i, k), point), normal), 1e-14);
}

static const char *group_of(int32_t i) { return gabion_group_name(world, world->bodies.group[i]); }

static void assert_rejected(bool good, const struct gabion_error *error, const char *words) {
    assert_false(good);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    if (!strstr(error->text, words))
        fail_msg("no '%s' in: %s", words, error->text);
}

// ---- wall ----

static struct wall_definition gombert(void) {
    return (struct wall_definition){
        .template = stone("wall"),
        .origin = {1, -2, 0.5},
        .block = {0.2, 0.1, 0.1},
        .courses = 12,
        .blocks = 24,
    };
}

static void build_wall(const struct wall_definition *wall) {
    struct gabion_error error = {0};
    if (!generate_wall(world, wall, &error))
        fail_msg("%s", error.text);
}

static void a_wall_fills_its_rectangle(void **state) {
    struct wall_definition wall = gombert();
    (void)state;
    build_wall(&wall);
    assert_int_equal(world->bodies.count, 294);
    assert_int_equal(world->bodies.polyhedron_count, 2);
    // 12 courses of 4.8 m, 0.1 m high and deep.
    assert_near(sum_of_volumes(), 4.8 * 1.2 * 0.1, 1e-13);
    assert_at_most(worst_overlap(), 1e-14);
    double mass = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        mass += world->bodies.mass[i];
    assert_near(mass, 2000 * 0.576, 1e-9);
}

static void courses_alternate(void **state) {
    struct wall_definition wall = gombert();
    (void)state;
    build_wall(&wall);
    assert_box(0, vec3_make(1, -2, 0.5), vec3_make(1.2, -1.9, 0.6));
    assert_box(23, vec3_make(5.6, -2, 0.5), vec3_make(5.8, -1.9, 0.6));
    assert_box(24, vec3_make(1, -2, 0.6), vec3_make(1.1, -1.9, 0.7));
    assert_box(25, vec3_make(1.1, -2, 0.6), vec3_make(1.3, -1.9, 0.7));
    assert_box(48, vec3_make(5.7, -2, 0.6), vec3_make(5.8, -1.9, 0.7));
    assert_box(49, vec3_make(1, -2, 0.7), vec3_make(1.2, -1.9, 0.8));
    assert_box(293, vec3_make(5.7, -2, 1.6), vec3_make(5.8, -1.9, 1.7));
    // Neighbours of a course share four corners.
    for (int32_t i = 0; i < 48; i++)
        assert_int_equal(shared_corners(i, i + 1, 1e-14), i == 23 ? 0 : 4);
}

static void interfaces_have_a_width(void **state) {
    struct wall_definition wall = gombert();
    (void)state;
    wall.origin = vec3_zero();
    wall.block = vec3_make(0.2, 0.1, 0.05);
    wall.courses = 2;
    wall.blocks = 3;
    wall.interface_width = 0.02;
    build_wall(&wall);
    assert_int_equal(world->bodies.count, 7);
    // 3 blocks and 2 interfaces: 0.64 m. Interfaces of the second course stand over the middle of
    // blocks.
    assert_box(1, vec3_make(0.22, 0, 0), vec3_make(0.42, 0.1, 0.05));
    assert_box(2, vec3_make(0.44, 0, 0), vec3_make(0.64, 0.1, 0.05));
    assert_box(3, vec3_make(0, 0, 0.05), vec3_make(0.09, 0.1, 0.1));
    assert_box(4, vec3_make(0.11, 0, 0.05), vec3_make(0.31, 0.1, 0.1));
    assert_box(6, vec3_make(0.55, 0, 0.05), vec3_make(0.64, 0.1, 0.1));
}

static struct wall_definition small_wall(void) {
    struct wall_definition wall = gombert();
    wall.origin = vec3_zero();
    wall.courses = 5;
    wall.blocks = 6;
    return wall;
}

static void openings_cut_blocks(void **state) {
    struct wall_definition wall = small_wall();
    struct wall_opening openings[] = {{.x = 0.35, .width = 0.3, .course = 2, .courses = 2},
                                      {.x = 0.9, .width = 0.3, .course = 1, .courses = 1}};
    (void)state;
    wall.opening = openings;
    wall.openings = 2;
    build_wall(&wall);
    assert_near(sum_of_volumes(), 0.1 * (1.2 * 0.5 - 0.3 * 0.2 - 0.3 * 0.1), 1e-14);
    assert_at_most(worst_overlap(), 1e-14);
    // By hand: the courses have 5, 7, 5, 7 and 6 pieces.
    assert_int_equal(world->bodies.count, 30);
    assert_box(4, vec3_make(0.8, 0, 0), vec3_make(0.9, 0.1, 0.1));
    assert_box(5, vec3_make(0, 0, 0.1), vec3_make(0.1, 0.1, 0.2));
    assert_box(7, vec3_make(0.3, 0, 0.1), vec3_make(0.35, 0.1, 0.2));
    assert_box(8, vec3_make(0.65, 0, 0.1), vec3_make(0.7, 0.1, 0.2));
    assert_box(13, vec3_make(0.2, 0, 0.2), vec3_make(0.35, 0.1, 0.3));
    assert_box(14, vec3_make(0.65, 0, 0.2), vec3_make(0.8, 0.1, 0.3));
}

static void a_lintel_spans_the_opening(void **state) {
    struct wall_definition wall = small_wall();
    struct wall_opening opening = {
        .x = 0.4, .width = 0.4, .course = 1, .courses = 3, .bearing = 0.1};
    (void)state;
    wall.opening = &opening;
    wall.openings = 1;
    build_wall(&wall);
    assert_near(sum_of_volumes(), 0.1 * (1.2 * 0.5 - 0.4 * 0.3), 1e-14);
    assert_at_most(worst_overlap(), 1e-14);
    // Courses 1 and 3: 4 blocks; course 2: half, 0.1-0.3, 0.3-0.4 and the same again.
    int32_t fourth = 4 + 6 + 4;
    assert_box(fourth + 1, vec3_make(0.1, 0, 0.3), vec3_make(0.3, 0.1, 0.4));
    assert_box(fourth + 2, vec3_make(0.3, 0, 0.3), vec3_make(0.9, 0.1, 0.4));
    assert_box(fourth + 3, vec3_make(0.9, 0, 0.3), vec3_make(1.1, 0.1, 0.4));
    assert_int_equal(world->bodies.count, fourth + 5 + 6);
}

static void reject_opening(struct wall_opening opening, const char *words) {
    struct gabion_error error = {0};
    struct wall_definition wall = small_wall();
    struct wall_opening openings[] = {{.x = 0.8, .width = 0.2, .course = 4, .courses = 1}, opening};
    wall.opening = openings;
    wall.openings = 2;
    assert_rejected(generate_wall(world, &wall, &error), &error, words);
    assert_non_null(strstr(error.text, "wall 'wall': opening 2: "));
}

static void bad_openings_are_rejected(void **state) {
    (void)state;
    reject_opening((struct wall_opening){1.1, 0.2, 1, 1, 0}, "inside the wall, 0 to 1.2 m");
    reject_opening((struct wall_opening){-0.1, 0.2, 1, 1, 0}, "inside the wall");
    reject_opening((struct wall_opening){0.1, NAN, 1, 1, 0}, "inside the wall");
    reject_opening((struct wall_opening){0.1, 0.2, 5, 2, 0}, "the wall has the courses 1 to 5");
    reject_opening((struct wall_opening){0.1, 0.2, 0, 2, 0}, "the wall has the courses 1 to 5");
    reject_opening((struct wall_opening){0.1, 0.2, 4, 2, 0.1}, "leave one above the opening");
    reject_opening((struct wall_opening){0.1, 0.2, 1, 2, 0.2}, "out of the wall");
    reject_opening((struct wall_opening){0.5, 0.2, 1, 3, 0.2}, "meets opening 1");
    reject_opening((struct wall_opening){0.5, 0.2, 1, 3, INFINITY}, "a bearing of inf");
    assert_int_equal(world->bodies.count, 0);
}

static void bad_walls_are_rejected(void **state) {
    struct gabion_error error[4] = {{0}};
    struct wall_definition wall = gombert();
    (void)state;
    wall.block.y = -0.1;
    assert_rejected(generate_wall(world, &wall, &error[0]), &error[0], "three positive lengths");
    wall = gombert();
    wall.courses = 0;
    assert_rejected(generate_wall(world, &wall, &error[1]), &error[1], "0 courses of 24 blocks");
    wall = gombert();
    wall.interface_width = 0.2;
    assert_rejected(
        generate_wall(world, &wall, &error[2]), &error[2],
        "interface_width: expected 0 or more and less than a block (0.2 m), found 0.2 m");
    wall = gombert();
    wall.origin.z = NAN;
    assert_rejected(generate_wall(world, &wall, &error[3]), &error[3], "origin");
}

// ---- marks ----

static void marks_put_blocks_into_groups(void **state) {
    struct wall_definition wall = gombert();
    int odd = gabion_add_group(world, "odd", NULL), last = gabion_add_group(world, "last", NULL);
    struct block_mark marks[] = {{last, 294}, {odd, 7}, {odd, 1}};
    (void)state;
    wall.marks = (struct block_marks){marks, 3};
    build_wall(&wall);
    for (int32_t i = 0; i < 294; i++)
        assert_string_equal(group_of(i), i == 293 ? "last" : i == 0 || i == 6 ? "odd" : "wall");
}

static void bad_marks_are_rejected(void **state) {
    struct gabion_error error[3] = {{0}};
    struct wall_definition wall = gombert();
    struct block_mark marks[] = {{0, 295}, {0, 3}};
    (void)state;
    wall.marks = (struct block_marks){marks, 2};
    assert_rejected(generate_wall(world, &wall, &error[0]), &error[0],
                    "wall 'wall': mark: there is no block 295; the blocks are numbered 1 to 294");
    marks[0].block = 3;
    assert_rejected(generate_wall(world, &wall, &error[1]), &error[1], "block 3 is named twice");
    marks[0].block = 0;
    assert_rejected(generate_wall(world, &wall, &error[2]), &error[2], "block 0 does not exist");
}

// ---- slabs ----

static void slabs_meet_at_their_edges(void **state) {
    struct gabion_error error = {0};
    double width[] = {2.4, 1.6, 0.8};
    struct slabs_definition slabs = {
        .template = stone("unused"),
        .name = "ground",
        .origin = {-0.5, 0, 0.25},
        .width = width,
        .count = 3,
        .depth = 0.6,
        .thickness = 0.3,
    };
    (void)state;
    assert_true(generate_slabs(world, &slabs, &error));
    assert_int_equal(world->bodies.count, 3);
    assert_box(0, vec3_make(-0.5, 0, -0.05), vec3_make(1.9, 0.6, 0.25));
    assert_box(1, vec3_make(1.9, 0, -0.05), vec3_make(3.5, 0.6, 0.25));
    assert_box(2, vec3_make(3.5, 0, -0.05), vec3_make(4.3, 0.6, 0.25));
    assert_int_equal(shared_corners(0, 1, 1e-14), 4);
    for (int32_t i = 0; i < 3; i++)
        assert_near(world->bodies.mass[i], 0, 0);
    assert_string_equal(group_of(0), "ground.1");
    assert_string_equal(group_of(2), "ground.3");
    width[1] = 0;
    assert_rejected(generate_slabs(world, &slabs, &error), &error, "slab 2: a block of 0 x 0.6");
}

// ---- arch ----

static struct arch_definition semicircle(void) {
    return (struct arch_definition){
        .template = stone("arch"),
        .origin = {0.3, 0.1, 0.2},
        .radius = 1.5,
        .thickness = 0.24,
        .depth = 0.5,
        .angle = PI,
        .voussoirs = 15,
    };
}

static void build_arch(const struct arch_definition *arch) {
    struct gabion_error error = {0};
    if (!generate_arch(world, arch, &error))
        fail_msg("%s", error.text);
}

static void voussoirs_share_radial_interfaces(void **state) {
    struct arch_definition arch = semicircle();
    (void)state;
    build_arch(&arch);
    assert_int_equal(world->bodies.count, 15);
    assert_int_equal(world->bodies.polyhedron_count, 1);
    double step = PI / 15, inner = 1.38, outer = 1.62;
    // Two triangles with the centre as their apex, one cut from the other.
    double area = 0.5 * sin(step) * (outer * outer - inner * inner);
    for (int32_t i = 0; i < 15; i++) {
        double angle = PI - i * step; // of the left interface, from the x axis
        assert_near(volume_of(i), 0.5 * area, 1e-15);
        assert_int_equal(bodies_polyhedron(&world->bodies, i)->face_count, 6);
        assert_beyond(i, arch.origin, vec3_make(sin(angle), 0, -cos(angle)));
        angle -= step;
        assert_beyond(i, arch.origin, vec3_make(-sin(angle), 0, cos(angle)));
        if (i > 0)
            assert_int_equal(shared_corners(i, i - 1, 2e-15), 4);
        for (int32_t k = 0; k < 8; k++) {
            vec3 p = vec3_sub(corner_of(i, k), arch.origin);
            double r = hypot(p.x, p.z);
            assert_near(fabs(r - 1.5), 0.12, 1e-14);
            assert_near(fabs(p.y), 0.25, 1e-15);
        }
    }
}

static void an_arch_is_symmetric(void **state) {
    struct arch_definition arch = semicircle();
    (void)state;
    arch.origin = vec3_zero();
    build_arch(&arch);
    for (int32_t i = 0; i < 15; i++) {
        vec3 a = world->bodies.x[i], b = world->bodies.x[14 - i];
        assert_vector_near(a, vec3_make(-b.x, b.y, b.z), 1e-15);
    }
    assert_near(world->bodies.x[7].x, 0, 1e-16);
}

static void abutments_bear_the_springings(void **state) {
    struct arch_definition arch = semicircle();
    (void)state;
    arch.name = "arch";
    arch.angle = 2.0;
    build_arch(&arch);
    assert_int_equal(world->bodies.count, 17);
    for (int side = -1; side <= 1; side += 2) {
        int32_t i = side < 0 ? 15 : 16;
        int on_plane = 0;
        vec3 out = {side * cos(1.0), 0, -sin(1.0)}, along = {side * sin(1.0), 0, cos(1.0)};
        double low = INFINITY, high = 0;
        assert_string_equal(group_of(i), side < 0 ? "arch.left" : "arch.right");
        assert_near(world->bodies.mass[i], 0, 0);
        assert_beyond(i, arch.origin, out);
        for (int32_t k = 0; k < 8; k++) {
            vec3 p = vec3_sub(corner_of(i, k), arch.origin);
            on_plane += fabs(vec3_dot(p, out)) < 1e-14;
            low = fmin(low, vec3_dot(p, along));
            high = fmax(high, vec3_dot(p, along));
        }
        assert_int_equal(on_plane, 4);
        assert_near(low, 1.5 - 0.24, 1e-14); // half a thickness beyond the interface
        assert_near(high, 1.5 + 0.24, 1e-14);
    }
}

static void bad_arches_are_rejected(void **state) {
    struct gabion_error error[4] = {{0}};
    struct arch_definition arch = semicircle();
    (void)state;
    arch.thickness = 3;
    assert_rejected(generate_arch(world, &arch, &error[0]), &error[0], "the inner radius too");
    arch = semicircle();
    arch.voussoirs = 0;
    assert_rejected(generate_arch(world, &arch, &error[1]), &error[1], "0 voussoirs");
    arch = semicircle();
    arch.voussoirs = 1;
    assert_rejected(generate_arch(world, &arch, &error[2]), &error[2], "less than 180");
    arch = semicircle();
    arch.angle = 7;
    assert_rejected(generate_arch(world, &arch, &error[3]), &error[3], "less than 360");
}

// ---- dome ----

static struct dome_definition cap(void) {
    return (struct dome_definition){
        .template = stone("dome"),
        .origin = {0.1, -0.2, 0.3},
        .radius = 2,
        .thickness = 0.3,
        .from = 0.2,
        .to = 1.1,
        .rings = 4,
        .blocks = 10,
    };
}

static vec3 ray(double latitude, double azimuth) {
    return vec3_make(cos(latitude) * cos(azimuth), cos(latitude) * sin(azimuth), sin(latitude));
}

// Volume of the pyramid from the centre to the flat quadrilateral of four rays of unit length.
static double pyramid(double low, double high, double azimuth) {
    vec3 a = ray(low, 0), b = ray(low, azimuth), c = ray(high, azimuth), d = ray(high, 0);
    double abc = vec3_dot(vec3_cross(a, b), c), acd = vec3_dot(vec3_cross(a, c), d);
    return (fabs(abc) + fabs(acd)) / 6;
}

static void dome_blocks_share_flat_faces(void **state) {
    struct gabion_error error = {0};
    struct dome_definition dome = cap();
    (void)state;
    dome.name = "dome";
    if (!generate_dome(world, &dome, &error))
        fail_msg("%s", error.text);
    assert_int_equal(world->bodies.count, 50);
    double height = 0.9 / 4, width = 2 * PI / 10;
    for (int32_t i = 0; i < 50; i++) {
        int ring = i < 40 ? i / 10 : -1, k = i % 10;
        double low = 0.2 + ring * height, high = low + height, at = k * width;
        assert_string_equal(group_of(i), i < 40 ? "dome" : "dome.base");
        assert_true((world->bodies.mass[i] == 0) == (i >= 40));
        assert_int_equal(bodies_polyhedron(&world->bodies, i)->face_count, 6);
        assert_near(volume_of(i), (pow(2.15, 3) - pow(1.85, 3)) * pyramid(low, high, width), 1e-13);
        // The planes of its interfaces, through the centre.
        assert_beyond(i, dome.origin, vec3_make(-sin(at), cos(at), 0));
        assert_beyond(i, dome.origin, vec3_make(sin(at + width), -cos(at + width), 0));
        assert_beyond(i, dome.origin, vec3_cross(ray(low, at), ray(low, at + width)));
        assert_beyond(i, dome.origin, vec3_cross(ray(high, at + width), ray(high, at)));
        assert_int_equal(shared_corners(i, i - k + (k + 1) % 10, 4e-15), 4);
        if (ring < 3)
            assert_int_equal(shared_corners(i, (ring + 1) * 10 + k, 4e-15), 4);
    }
}

static void bad_domes_are_rejected(void **state) {
    struct gabion_error error[3] = {{0}};
    struct dome_definition dome = cap();
    (void)state;
    dome.to = PI / 2;
    assert_rejected(generate_dome(world, &dome, &error[0]), &error[0], "0 <= from < to < 90");
    dome = cap();
    dome.blocks = 2;
    assert_rejected(generate_dome(world, &dome, &error[1]), &error[1], "3 blocks or more");
    dome = cap();
    dome.thickness = 0;
    assert_rejected(generate_dome(world, &dome, &error[2]), &error[2], "dome 'dome': a thickness");
}

// ---- tower and stack ----

static void a_tower_is_hollow_and_closed(void **state) {
    struct gabion_error error = {0};
    struct tower_definition tower = {
        .template = stone("tower"),
        .origin = {1, 2, 3},
        .block = {0.4, 0.2, 0.15},
        .blocks = 3,
        .courses = 4,
    };
    (void)state;
    assert_true(generate_tower(world, &tower, &error));
    assert_int_equal(world->bodies.count, 48);
    assert_int_equal(world->bodies.polyhedron_count, 2);
    // 3 x 0.4 + 0.2 wide outside, 1.0 inside.
    assert_near(sum_of_volumes(), 4 * 0.15 * (1.4 * 1.4 - 1.0), 1e-14);
    assert_at_most(worst_overlap(), 1e-14);
    for (int32_t i = 0; i < 48; i++) {
        vec3 p = vec3_sub(world->bodies.x[i], tower.origin);
        assert_near(fmax(fabs(p.x), fabs(p.y)), 0.6, 1e-14); // in the middle of a wall
    }
    assert_box(0, vec3_make(0.3, 1.3, 3), vec3_make(0.7, 1.5, 3.15));
    assert_box(3, vec3_make(1.5, 1.3, 3), vec3_make(1.7, 1.7, 3.15));
    assert_box(12, vec3_make(1.3, 1.3, 3.15), vec3_make(1.7, 1.5, 3.3)); // mirrored
    tower.block.y = 1.3;
    assert_rejected(generate_tower(world, &tower, &error), &error, "nothing is left inside");
}

static struct stack_definition stack_of(int count) {
    return (struct stack_definition){
        .template = stone("stack"),
        .origin = {0.5, 1, 2},
        .block = {1, 0.5, 0.25},
        .count = count,
    };
}

static void stacks_overhang_as_defined(void **state) {
    struct gabion_error error = {0};
    struct stack_definition stack = stack_of(4);
    double overhang[] = {0.1, -0.2, 0.4};
    (void)state;
    assert_true(generate_stack(world, &stack, &error));
    stack.overhang = overhang;
    stack.overhangs = 1;
    assert_true(generate_stack(world, &stack, &error));
    stack.overhangs = 3;
    assert_true(generate_stack(world, &stack, &error));
    static const double x[3][4] = {{0, 0, 0, 0}, {0, 0.1, 0.2, 0.3}, {0, 0.1, -0.1, 0.3}};
    for (int32_t i = 0; i < 12; i++)
        assert_vector_near(world->bodies.x[i],
                           vec3_make(0.5 + x[i / 4][i % 4], 1, 2.125 + 0.25 * (i % 4)), 1e-15);
    stack.overhangs = 2;
    assert_rejected(generate_stack(world, &stack, &error), &error, "2 overhangs for 4 blocks");
}

// Validation 9.8: 0.5, 0.75, 0.916667, 1.041667 for one to four blocks of length 1.
static void the_harmonic_stack_reaches_its_sum(void **state) {
    static const double reach[] = {0.5, 0.75, 11.0 / 12, 25.0 / 24};
    (void)state;
    for (int count = 1; count <= 4; count++) {
        struct gabion_error error = {0};
        struct stack_definition stack = stack_of(count);
        int32_t first = world->bodies.count;
        vec3 low, high;
        stack.harmonic = 0.999;
        assert_true(generate_stack(world, &stack, &error));
        box_of(first + count - 1, &low, &high);
        assert_near(high.x - 0.5, 0.999 * reach[count - 1], 1e-15);
        box_of(first, &low, &high); // the lowest over the edge
        assert_near(high.x - 0.5, 0.999 * 0.5 / count, 1e-15);
        assert_near(low.z, 2, 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wall_fills_its_rectangle, start, stop),
        cmocka_unit_test_setup_teardown(courses_alternate, start, stop),
        cmocka_unit_test_setup_teardown(interfaces_have_a_width, start, stop),
        cmocka_unit_test_setup_teardown(openings_cut_blocks, start, stop),
        cmocka_unit_test_setup_teardown(a_lintel_spans_the_opening, start, stop),
        cmocka_unit_test_setup_teardown(bad_openings_are_rejected, start, stop),
        cmocka_unit_test_setup_teardown(bad_walls_are_rejected, start, stop),
        cmocka_unit_test_setup_teardown(marks_put_blocks_into_groups, start, stop),
        cmocka_unit_test_setup_teardown(bad_marks_are_rejected, start, stop),
        cmocka_unit_test_setup_teardown(slabs_meet_at_their_edges, start, stop),
        cmocka_unit_test_setup_teardown(voussoirs_share_radial_interfaces, start, stop),
        cmocka_unit_test_setup_teardown(an_arch_is_symmetric, start, stop),
        cmocka_unit_test_setup_teardown(abutments_bear_the_springings, start, stop),
        cmocka_unit_test_setup_teardown(bad_arches_are_rejected, start, stop),
        cmocka_unit_test_setup_teardown(dome_blocks_share_flat_faces, start, stop),
        cmocka_unit_test_setup_teardown(bad_domes_are_rejected, start, stop),
        cmocka_unit_test_setup_teardown(a_tower_is_hollow_and_closed, start, stop),
        cmocka_unit_test_setup_teardown(stacks_overhang_as_defined, start, stop),
        cmocka_unit_test_setup_teardown(the_harmonic_stack_reaches_its_sum, start, stop),
    };
    return cmocka_run_group_tests_name("masonry", tests, NULL, NULL);
}
