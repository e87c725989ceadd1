// Blocks and masonry in case files: what an entry builds, and how the errors of a bad one are
// reported.
#include "tests/unit/case_text.h"

#define CUBE(x0, x1)                                                                               \
    "v " x0 " 0 0\nv " x1 " 0 0\nv " x1 " 1 0\nv " x0 " 1 0\n"                                     \
    "v " x0 " 0 1\nv " x1 " 0 1\nv " x1 " 1 1\nv " x0 " 1 1\n"                                     \
    "f -8 -5 -6 -7\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n"

static const char *const block_case = BASE LAWS
    "bodies:\n"
    "- {name: box, material: grain, box: {size: [1, 2, 4]}, position: [1, 2, 3]}\n"
    "- {name: prism, material: grain, position: [0, 0, 5],\n"
    "   prism: {polygon: [[0, 0], [3, 0], [0, 3]], height: 2}}\n"
    "- {name: wedge, material: grain, position: [0, 0, 7], orientation: [1, 0, 0, 0],\n"
    "   wedge: {radius: 2, thickness: 0.5, depth: 3, angle: 60}}\n"
    "- {name: hull, material: grain, position: [9, 0, 0],\n"
    "   hull: {points: [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]]}}\n"
    "- {name: mesh, material: grain, position: [0, 9, 0], mesh: {file: two.obj, scale: 0.5}}\n"
    "generators:\n"
    "- {name: wall, material: grain, wall: {block: [2, 1, 1], courses: 2, blocks: 3,\n"
    "   openings: [{x: 2, width: 2, courses: 1, lintel: 1}],\n"
    "   mark: [{name: foot, blocks: [2, 1]}, {name: lintel, blocks: 4}]}}\n"
    "- {name: ground, material: wall, slabs: {widths: [3, 4], depth: 1, thickness: 2}}\n"
    "- {name: arch, material: grain, arch: {radius: 4, thickness: 1, depth: 1, angle: 90,\n"
    "   voussoirs: 3}}\n"
    "- {name: dome, material: grain, dome: {radius: 4, thickness: 1, from: 30, to: 60,\n"
    "   blocks: 5}}\n"
    "- {name: tower, material: grain, tower: {block: [2, 1, 1], blocks: 1, courses: 2}}\n"
    "- {name: stack, material: grain, stack: {block: [2, 1, 1], count: 3, overhang: [0.5, -0.25]}}"
    "\n- {name: table, material: grain, stack: {block: [2, 1, 1], count: 2, harmonic: 0.5}}\n";

static void assert_near_vector(vec3 v, double x, double y, double z) {
    double off = vec3_length(vec3_sub(v, vec3_make(x, y, z)));
    if (!(off < 1e-14))
        fail_msg("%.17g %.17g %.17g is not %g %g %g", v.x, v.y, v.z, x, y, z);
}

static int count_bodies(const struct gabion_world *world, const char *group) {
    int count = 0;
    for (int32_t i = 0; i < world->bodies.count; i++)
        count += strcmp(world->groups.name[world->bodies.group[i]], group) == 0;
    return count;
}

static struct scene build_blocks(void) {
    write_file("two.obj", CUBE("0", "1") CUBE("3", "5"));
    struct scene scene = build(block_case);
    assert_string_equal(scene.error.text, "");
    return scene;
}

static void blocks_are_built(void **state) {
    (void)state;
    struct scene scene = build_blocks();
    const struct gabion_world *world = scene.world;
    const struct bodies *bodies = &world->bodies;
    int32_t i = find_body(world, "box");
    assert_int_equal(bodies->shape[i], GABION_POLYHEDRON);
    assert_vector(bodies->x[i], 1, 2, 3);
    assert_vector(bodies_polyhedron(bodies, i)->high, 0.5, 1, 2);
    assert_same(bodies->mass[i], 2500 * 8);
    i = find_body(world, "prism");
    assert_near_vector(bodies->x[i], 1, 1, 5);
    assert_true(fabs(bodies->mass[i] - 2500 * 9) < 1e-9);
    i = find_body(world, "wedge");
    assert_true(bodies->x[i].z > 7 + 1.75 * cos(acos(-1.0) / 6) && bodies->x[i].z < 9.25);
    // Half of sin(60) times the difference of the squares, 2.25^2 - 1.75^2 = 2.
    assert_true(fabs(bodies->mass[i] - 2500 * 3 * sqrt(3) / 2) < 1e-9);
    i = find_body(world, "hull");
    assert_near_vector(bodies->x[i], 10, 1, 1);
    i = find_body(world, "mesh");
    assert_int_equal(count_bodies(world, "mesh"), 2);
    assert_near_vector(bodies->x[i], 0.25, 9.25, 0.25);
    assert_near_vector(bodies->x[i + 1], 2, 9.25, 0.25);
    tear_down(&scene);
}

static void masonry_is_built(void **state) {
    (void)state;
    struct scene scene = build_blocks();
    const struct gabion_world *world = scene.world;
    const struct bodies *bodies = &world->bodies;
    // Two blocks beside the opening; half a block and a block at either end of the lintel's 4 m.
    assert_int_equal(count_bodies(world, "foot"), 2);
    assert_near_vector(bodies->x[find_body(world, "lintel")], 3, 0.5, 1.5);
    assert_int_equal(count_bodies(world, "wall"), 2);
    assert_int_equal(gabion_find_group(world, "ground"), -1);
    assert_near_vector(bodies->x[find_body(world, "ground.2")], 5, 0.5, -1);
    assert_same(bodies->mass[find_body(world, "ground.2")], 0);
    assert_int_equal(count_bodies(world, "arch"), 3);
    // The springing of an arch of 90 degrees: the abutment is half a thickness beyond.
    double s = sqrt(0.5);
    assert_near_vector(bodies->x[find_body(world, "arch.right")], 4.5 * s, 0, 3.5 * s);
    assert_int_equal(count_bodies(world, "dome"), 5);
    vec3 block = bodies->x[find_body(world, "dome")];
    double tangent = block.z / hypot(block.x, block.y); // of a latitude from 30 to 60 degrees
    assert_true(tangent > sqrt(1.0 / 3) && tangent < sqrt(3));
    assert_int_equal(count_bodies(world, "tower"), 8);
    int32_t stack = find_body(world, "stack");
    assert_near_vector(bodies->x[stack + 1], 0.5, 0, 1.5);
    assert_near_vector(bodies->x[stack + 2], 0.25, 0, 2.5);
    // Half of 2/2 for the upper one, of 2/4 for the lower one, over the edge.
    assert_near_vector(bodies->x[find_body(world, "table") + 1], -1 + 0.25 + 0.5, 0, 1.5);
    tear_down(&scene);
}

static void bad_blocks_are_rejected(void **state) {
    (void)state;
    write_file("two.obj", CUBE("0", "1") CUBE("3", "5"));
    write_file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    reject_build(BASE LAWS "bodies: [{material: grain, position: [0, 0, 0], mass: 3,\n"
                           "  mesh: {file: two.obj}}]\n",
                 "case.yaml:4:10: mesh: mass: the mesh has 2 pieces");
    reject_build(BASE LAWS "bodies: [{material: grain, position: [0, 0, 0],\n"
                           "  mesh: {file: open.obj}}]\n",
                 "open.obj");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0], mesh: {file: gone.obj}}]\n",
           "case.yaml:3:62: cannot find the file \"gone.obj\"");
    reject(BASE "bodies: [{material: wall, position: [0, 0, 0], box: {size: [1, 1, 1]}}]\n",
           "a moving body needs a density");
    reject_build(BASE LAWS
                 "generators: [{name: w, material: grain,\n"
                 "  wall: {block: [1, 1, 1], courses: 1, blocks: 1, interface_width: 1}}]\n",
                 "case.yaml:4:14: wall 'w': interface_width: expected 0 or more and less than a "
                 "block (1 m), found 1 m");
    reject(BASE "generators: [{material: grain, wall: {block: [1, 1, 1], courses: 1, blocks: 1,\n"
                "  mark: [{name: a, blocks: []}]}}]\n",
           "mark[0].blocks: expected one or a list of whole numbers >= 1, found a list of 0");
    reject(BASE "generators: [{material: grain, name: a, stack: {block: [1, 1, 1], count: 2,\n"
                "  overhang: far}}]\n",
           "overhang: expected one or a list of numbers (m), found \"far\"");
}

// An L drawn as one surface of polygons, two of which are not convex: 3 x 1 and 1 x 1, 2 deep.
static const char ell[] =
    "v 0 0 0\nv 3 0 0\nv 3 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\n"
    "v 0 2 0\nv 3 2 0\nv 3 2 1\nv 1 2 1\nv 1 2 2\nv 0 2 2\n"
    "f 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\n"
    "f 6 5 11 12\nf 1 6 12 7\n";

static void compounds_are_built(void **state) {
    (void)state;
    write_file("two.obj", CUBE("0", "1") CUBE("3", "5"));
    write_file("ell.obj", ell);
    struct scene scene =
        build(BASE LAWS
              "bodies:\n"
              "- {name: given, material: grain, position: [0, 0, 0], orientation: [1, 0, 0, 1],\n"
              "   compound: {parts: [{box: {size: [3, 2, 1]}, position: [1.5, 1, 0.5]},\n"
              "     {prism: {polygon: [[0, 0], [1, 0], [1, 2], [0, 2]], height: 1},\n"
              "      position: [0, 0, 1.5]}]}}\n"
              "- {name: cut, material: grain, position: [0, 0, 9], mass: 6,\n"
              "   mesh: {file: ell.obj, decompose: {parts: 2}}}\n"
              "- {name: glued, material: grain, position: [0, 0, 20], mesh: {file: two.obj, glue: "
              "true}}\n"
              "- {name: heavy, material: grain, position: [0, 0, 30],\n"
              "   compound: {parts: [{mesh: {file: two.obj}, position: [0, 0, 1]},\n"
              "     {mesh: {file: ell.obj, decompose: {}}, orientation: [0, 0, 0, 1],\n"
              "      relative_density: 2}]}}\n");
    assert_string_equal(scene.error.text, "");
    const struct bodies *bodies = &scene.world->bodies;
    int32_t i = find_body(scene.world, "given");
    assert_int_equal(bodies->shape[i], GABION_COMPOUND);
    assert_int_equal(bodies_compound(bodies, i)->count, 2);
    assert_true(fabs(bodies->mass[i] - 2500 * 8) < 1e-9);
    assert_near_vector(bodies->x[i], -1, 1.25, 0.75); // a quarter turn about z
    i = find_body(scene.world, "cut");
    assert_int_equal(bodies_compound(bodies, i)->count, 2);
    assert_same(bodies->mass[i], 6);
    assert_near_vector(bodies->x[i], 1.25, 1, 9.75);
    i = find_body(scene.world, "glued");
    assert_int_equal(count_bodies(scene.world, "glued"), 1);
    assert_true(fabs(bodies->mass[i] - 2500 * 3) < 1e-9);
    assert_near_vector(bodies->x[i], (0.5 + 2 * 4) / 3, 0.5, 20.5);
    i = find_body(scene.world, "heavy");
    assert_int_equal(bodies_compound(bodies, i)->count, 4);
    assert_true(fabs(bodies->mass[i] - 2500 * (3 + 16)) < 1e-9);
    assert_near_vector(bodies->x[i], (8.5 - 16 * 1.25) / 19, (1.5 - 16) / 19,
                       30 + (3 * 1.5 + 16 * 0.75) / 19);
    tear_down(&scene);
}

static void bad_compounds_are_rejected(void **state) {
    (void)state;
    write_file("two.obj", CUBE("0", "1") CUBE("3", "5"));
    write_file("ell.obj", ell);
    reject_build(BASE LAWS "bodies: [{material: grain, position: [0, 0, 0],\n"
                           "  mesh: {file: ell.obj, decompose: {parts: 1}}}]\n",
                 "not convex");
    reject_build(BASE LAWS "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: [\n"
                           "  {box: {size: [1, 1, 1]}}, {mesh: {file: ell.obj}}]}}]\n",
                 "case.yaml:4:10: compound: part 2: mesh: ");
    reject_build(BASE LAWS "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: [\n"
                           "  {box: {size: [1, 1, 1]}, orientation: [0, 0, 0, 0]}]}}]\n",
                 "part 1: the orientation");
    reject_build(BASE LAWS
                 "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: []}}]\n",
                 "compound: parts: expected one part or more");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: [{}]}}]\n",
           "expected exactly one of box, prism, wedge, hull, mesh, found 0");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: [\n"
                "  {mesh: {file: gone.obj}}]}}]\n",
           "cannot find the file \"gone.obj\"");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0], compound: {parts: [\n"
                "  {box: {size: [1, 1, 1]}, relative_density: 0}]}}]\n",
           "relative_density");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_built),           cmocka_unit_test(masonry_is_built),
        cmocka_unit_test(bad_blocks_are_rejected),    cmocka_unit_test(compounds_are_built),
        cmocka_unit_test(bad_compounds_are_rejected),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
