// Interfaces between blocks: which there are, how far they have opened and slid, and where their
// force acts. Positions and contacts made by hand, and a stack that statics knows the answer for.
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "tests/unit/contact_list.h"
#include "tests/unit/scene.h"

#include "parallel/memory.h"

#define H 0.5

// A floor (id 0) and two boxes of 2 x 1 x 1 m, one on the other (ids 1, 2), the upper one further
// along x by 0.5 m: it lies on x in [-0.5, 1].
enum { FLOOR, LOWER, UPPER };

static struct gabion_world *make_stack(void) {
    struct gabion_settings settings = scene_settings(H, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    assert_int_equal(scene_floor(world), FLOOR);
    int box = scene_box_shape(world, vec3_make(1, 0.5, 0.5));
    assert_int_equal(scene_block(world, box, vec3_make(0, 0, 0.5)), LOWER);
    assert_int_equal(scene_block(world, box, vec3_make(0.5, 0, 1.5)), UPPER);
    interfaces_find(world);
    return world;
}

static struct gabion_interface measure(const struct gabion_world *world, int32_t a, int32_t b) {
    size_t count;
    struct gabion_interface *states = interfaces_measure(world, &count), found = {.a = -1};
    for (size_t k = 0; k < count; k++)
        if (states[k].a == a && states[k].b == b)
            found = states[k];
    memory_free(states);
    return found;
}

static size_t count_interfaces(const struct gabion_world *world) {
    size_t count;
    memory_free(interfaces_measure(world, &count));
    return count;
}

static vec3 *position_of(struct gabion_world *world, int32_t id) {
    return &world->bodies.x[world->bodies.index_of[id]];
}

// A contact of two bodies, by id; the force acts on `id`, from `other`.
static void add_contact(struct gabion_world *world, int32_t id, int32_t other, vec3 point,
                        vec3 normal, vec3 impulse, enum contact_status status) {
    struct contact contact = {.c = world->bodies.index_of[id],
                              .a = world->bodies.index_of[other],
                              .feature = (uint32_t)world->contacts->count + 1,
                              .status = (uint8_t)status,
                              .normal = normal,
                              .point = point};
    contact_list_add(world, contact, impulse);
}

static void finds_patches(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    const struct interfaces *found = world->interfaces;
    assert_int_equal(found->count, 2);
    assert_int_equal(found->list[0].a, FLOOR);
    assert_int_equal(found->list[0].b, LOWER);
    assert_int_equal(found->list[1].a, LOWER);
    assert_int_equal(found->list[1].b, UPPER);
    for (size_t k = 0; k < 2; k++) { // from the upper of the two bodies down to the lower
        assert_int_equal(found->list[k].corners, 4);
        assert_vector_near(found->list[k].normal, vec3_make(0, 0, -1), 1e-12);
    }
    for (size_t k = 0; k < 4; k++) {
        struct interface_corner corner = found->corner[found->list[1].begin + k];
        assert_near(fabs(corner.in_a.x - 0.25), 0.75, 1e-12);
        assert_near(fabs(corner.in_a.y), 0.5, 1e-12);
        assert_near(corner.in_a.z, 0.5, 1e-12);
        assert_vector_near(vec3_sub(corner.in_a, corner.in_b), vec3_make(0.5, 0, 1), 1e-12);
    }
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_true(interface.initial);
    assert_int_equal(interface.status, GABION_INTERFACE_OPEN); // no step has been made
    assert_vector_near(interface.middle, vec3_make(0.25, 0, 1), 1e-12);
    assert_near(interface.opening, 0, 1e-12);
    assert_at_most(vec3_length(interface.sliding), 1e-12);
    scene_destroy(world);
}

// Blocks that share an edge or a corner have no interface, nor have fixed ones, nor blocks apart by
// more than rounding.
static void finds_nothing_else(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(H, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int cube = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    scene_block(world, cube, vec3_make(0, 0, 0));
    scene_block(world, cube, vec3_make(1, 1, 0));         // an edge
    scene_block(world, cube, vec3_make(-1, 1, 1));        // an edge, a corner
    scene_block(world, cube, vec3_make(0, -1 - 1e-3, 0)); // a gap
    scene_fixed_block(world, cube, vec3_make(0, 0, -1));  // under 0
    scene_fixed_block(world, cube, vec3_make(1, 0, -1));  // beside it; an edge of 0 and of 1
    scene_plane(world, vec3_make(0, 0, -1.5), vec3_make(0, 0, 1)); // under the fixed ones
    struct gabion_body edge = scene_block_body(cube, vec3_make(0, -0.1, 0.5 + sqrt(0.5)));
    edge.orientation = quat_exp(vec3_make(0, PI / 4, 0)); // stands on 0
    scene_add(world, &edge);
    interfaces_find(world);
    assert_int_equal(world->interfaces->count, 1);
    assert_int_equal(world->interfaces->list[0].a, 0);
    assert_int_equal(world->interfaces->list[0].b, 4);
    scene_destroy(world);
}

// A wall may have the higher id: then the normal points out of it, to the block.
static void walls_may_come_second(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(H, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int cube = scene_box_shape(world, vec3_make(0.5, 0.5, 0.5));
    scene_block(world, cube, vec3_make(0, 0, 0.5));
    scene_floor(world);
    interfaces_find(world);
    assert_int_equal(world->interfaces->count, 1);
    *position_of(world, 0) = vec3_make(0.125, 0, 0.75);
    struct gabion_interface interface = measure(world, 0, 1);
    assert_vector_near(interface.normal, vec3_make(0, 0, 1), 1e-15);
    assert_near(interface.opening, 0.25, 1e-12);
    assert_vector_near(interface.sliding, vec3_make(0.125, 0, 0), 1e-12);
    scene_destroy(world);
}

static void shifts_slide_and_open(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    *position_of(world, UPPER) = vec3_add(*position_of(world, UPPER), vec3_make(0.01, -0.02, 0.03));
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_near(interface.opening, 0.03, 1e-12);
    // The displacement of the lower block relative to the upper one.
    assert_vector_near(interface.sliding, vec3_make(-0.01, 0.02, 0), 1e-12);
    assert_vector_near(interface.middle, vec3_make(0.255, -0.01, 1.015), 1e-12);
    interface = measure(world, FLOOR, LOWER);
    assert_near(interface.opening, 0, 1e-12);
    *position_of(world, UPPER) = vec3_make(0.5, 0, 1.45); // 5 cm into the lower one
    assert_near(measure(world, LOWER, UPPER).opening, -0.05, 1e-12);
    scene_destroy(world);
}

// The upper box turned by an angle about the far edge of the interface, x = 1: a hinge. It gapes at
// the other edge, 1.5 m away, by 1.5 sin(angle) measured along the normal of the upper block's
// face, and has not slid.
static void hinge_opens_without_sliding(void **state) {
    (void)state;
    const double angles[] = {1e-4, 0.02, 0.3};
    for (int k = 0; k < 3; k++) {
        struct gabion_world *world = make_stack();
        int32_t i = world->bodies.index_of[UPPER];
        quat turn = quat_normalize(quat_exp(vec3_make(0, angles[k], 0)));
        vec3 hinge = {1, 0, 1}, arm = vec3_sub(world->bodies.x[i], hinge);
        world->bodies.x[i] = vec3_add(hinge, mat3_apply(quat_matrix(turn), arm));
        world->bodies.q[i] = turn;
        struct gabion_interface interface = measure(world, LOWER, UPPER);
        assert_near(interface.opening, 1.5 * sin(angles[k]), 1e-12);
        assert_at_most(vec3_length(interface.sliding), 2e-6 * angles[k]);
        vec3 down = {-sin(angles[k]), 0, -cos(angles[k])};
        assert_vector_near(interface.normal, down, 1e-12);
        scene_destroy(world);
    }
}

// A turn about the normal through the middle of the interface: nothing opens, and sliding of the
// corners cancels.
static void twist_does_not_open(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    int32_t i = world->bodies.index_of[UPPER];
    quat turn = quat_normalize(quat_exp(vec3_make(0, 0, 0.2)));
    vec3 middle = {0.25, 0, 1}, arm = vec3_sub(world->bodies.x[i], middle);
    world->bodies.x[i] = vec3_add(middle, mat3_apply(quat_matrix(turn), arm));
    world->bodies.q[i] = turn;
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_near(interface.opening, 0, 1e-12);
    assert_at_most(vec3_length(interface.sliding), 1e-9);
    scene_destroy(world);
}

// Forces at the four corners of the interface [-0.5, 1] x [-0.5, 0.5], whose middle is (0.25, 0).
static void pressure_acts_at_its_centre(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    const double share[4] = {4, 3, 2, 1};
    const vec3 corner[4] = {{1, 0.5, 1}, {1, -0.5, 1}, {-0.5, 0.5, 1}, {-0.5, -0.5, 1}};
    vec3 up = {0, 0, 1};
    add_contact(world, LOWER, FLOOR, vec3_zero(), up, vec3_make(0, 0, 7), CONTACT_STICK);
    for (int k = 0; k < 4; k++) // the impulse on the lower one, pressed down
        add_contact(world, LOWER, UPPER, corner[k], vec3_make(0, 0, -1),
                    vec3_make(0.1 * share[k], 0, -share[k]), CONTACT_SLIP);
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_int_equal(interface.status, GABION_INTERFACE_SLIP);
    assert_near(interface.normal_force, 10 / H, 1e-12);
    assert_vector_near(interface.force, vec3_make(1 / H, 0, -10 / H), 1e-12);
    // x: (7 * 1 - 3 * 0.5) / 10; y: 0.5 (6 - 4) / 10.
    assert_vector_near(interface.position, vec3_make(0.55, 0.1, 1), 1e-12);
    assert_vector_near(interface.eccentricity, vec3_make(0.3, 0.1, 0), 1e-12);
    assert_near(interface.relative_eccentricity, 0.3 / 0.75, 1e-12);
    world->contacts->list[3].status = CONTACT_STICK;
    assert_int_equal(measure(world, LOWER, UPPER).status, GABION_INTERFACE_STICK);

    // All of it at one corner: on the rim.
    for (int k = 0; k < 4; k++)
        world->contacts->impulse[1 + k] = vec3_make(0, 0, k == 0 ? -1 : 0);
    assert_near(measure(world, LOWER, UPPER).relative_eccentricity, 1, 1e-12);
    // The same seen from the other body.
    world->contacts->count = 1;
    add_contact(world, UPPER, LOWER, corner[0], up, vec3_make(0.5, 0, 2), CONTACT_SLIP);
    interface = measure(world, LOWER, UPPER);
    assert_vector_near(interface.force, vec3_make(-0.5 / H, 0, -2 / H), 1e-12);
    assert_near(interface.normal_force, 2 / H, 1e-12);
    scene_destroy(world);
}

// Points of contacts are those of the middle of the step; bodies are at its end.
static void pressure_moves_with_the_bodies(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    vec3 v = {3, 0, 0};
    for (int32_t id = LOWER; id <= UPPER; id++) {
        int32_t i = world->bodies.index_of[id];
        world->bodies.v[i] = v;
        world->bodies.x[i] = vec3_add_scaled(world->bodies.x[i], H, v);
    }
    vec3 middle = vec3_add_scaled(vec3_make(0.25, 0, 1), 0.5 * H, v);
    add_contact(world, LOWER, UPPER, middle, vec3_make(0, 0, -1), vec3_make(0, 0, -1),
                CONTACT_STICK);
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_at_most(vec3_length(interface.eccentricity), 1e-12);
    assert_vector_near(interface.position, vec3_add_scaled(vec3_make(0.25, 0, 1), H, v), 1e-12);
    scene_destroy(world);
}

// A pair that came together later is reported while it carries force, with the patch that its
// contacts span.
static void later_pairs_are_reported_under_load(void **state) {
    (void)state;
    struct gabion_world *world = make_stack();
    vec3 up = {0, 0, 1}, none = vec3_zero();
    const vec3 corner[3] = {{0, 0, 0}, {6, 0, 0}, {0, 3, 0}};
    for (int k = 0; k < 3; k++)
        add_contact(world, UPPER, FLOOR, corner[k], up, none, CONTACT_OPEN);
    assert_int_equal(count_interfaces(world), 2);
    world->contacts->impulse[0] = vec3_make(0, 0, 1);
    world->contacts->impulse[1] = vec3_make(0, 0, 1);
    world->contacts->list[0].status = world->contacts->list[1].status = CONTACT_STICK;
    assert_int_equal(count_interfaces(world), 3);
    struct gabion_interface interface = measure(world, FLOOR, UPPER);
    assert_false(interface.initial);
    assert_vector_near(interface.normal, vec3_make(0, 0, -1), 1e-15);
    assert_vector_near(interface.middle, vec3_make(2, 1, 0), 1e-12);
    assert_vector_near(interface.position, vec3_make(3, 0, 0), 1e-12);
    assert_near(interface.relative_eccentricity, 1, 1e-12);
    assert_near(interface.opening, 0, 0);
    assert_vector_near(interface.force, vec3_make(0, 0, -2 / H), 1e-12);
    // A sphere has no face to lie on.
    world->bodies.shape[world->bodies.index_of[UPPER]] = GABION_SPHERE;
    assert_int_equal(measure(world, FLOOR, UPPER).a, -1);
    world->bodies.shape[world->bodies.index_of[UPPER]] = GABION_POLYHEDRON;
    scene_destroy(world);
}

static void removed_bodies_have_none(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    struct gabion_error error = {0};
    scene_floor(world);
    int box = scene_box_shape(world, vec3_make(1, 0.5, 0.5));
    scene_block(world, box, vec3_make(0, 0, 0.5));
    struct gabion_body top = scene_block_body(box, vec3_make(0, 0, 1.5));
    top.group = gabion_add_group(world, "top", NULL);
    scene_add(world, &top);
    assert_true(gabion_add_removal(world, top.group, 2e-3, &error));
    scene_step(world, 2);
    assert_int_equal(count_interfaces(world), 2);
    scene_step(world, 1);
    assert_int_equal(count_interfaces(world), 1);
    assert_int_equal(measure(world, FLOOR, LOWER).b, LOWER);
    assert_int_equal(world->interfaces->count, 2); // what the run began with is not forgotten
    scene_destroy(world);
}

// Two equal blocks, the upper one shifted by e = 0.5 m: by statics the interface between them
// carries W under the middle of the upper one, the floor 2 W at e / 2, however the points share it.
// The interface is 1.5 m long and its middle 0.25 m off, so W acts at a third of the way to the
// rim.
static void stack_has_the_pressure_of_statics(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    double w = 1000 * 2 * 9.81;
    scene_floor(world);
    int box = scene_box_shape(world, vec3_make(1, 0.5, 0.5));
    scene_block(world, box, vec3_make(0, 0, 0.5));
    scene_block(world, box, vec3_make(0.5, 0, 1.5));
    scene_step(world, 50);
    struct gabion_interface interface = measure(world, LOWER, UPPER);
    assert_int_equal(interface.status, GABION_INTERFACE_STICK);
    assert_near(interface.normal_force, w, 1e-6 * w);
    assert_vector_near(interface.position, vec3_make(0.5, 0, 1), 1e-6);
    assert_vector_near(interface.force, vec3_make(0, 0, -w), 1e-6 * w);
    assert_near(interface.relative_eccentricity, 1.0 / 3, 1e-6);
    assert_near(interface.opening, 0, 1e-9);
    interface = measure(world, FLOOR, LOWER);
    assert_near(interface.normal_force, 2 * w, 1e-6 * w);
    assert_vector_near(interface.position, vec3_make(0.25, 0, 0), 1e-6);
    assert_near(interface.relative_eccentricity, 0.25, 1e-6);
    scene_destroy(world);
}

// Displacements are counted from where a block entered the run.
static void starts_are_remembered(void **state) {
    (void)state;
    struct gabion_settings settings = scene_settings(1e-3, 0.5);
    struct gabion_world *world = scene_create(&settings, (struct gabion_law){.friction = 0.5});
    int box = scene_box_shape(world, vec3_make(1, 0.5, 0.5));
    scene_sphere(world, vec3_make(0, 0, 9), 0.1, 1, vec3_zero());
    scene_block(world, box, vec3_make(0, 0, 1));
    struct gabion_body late = scene_block_body(box, vec3_make(5, 6, 7));
    late.insert_time = 3e-3;
    scene_add(world, &late);
    scene_step(world, 10);
    const struct bodies *bodies = &world->bodies;
    assert_int_equal(bodies->start_count, 3);
    assert_vector_near(bodies->start_of[1], vec3_make(0, 0, 1), 0);
    assert_vector_near(bodies->start_of[2], vec3_make(5, 6, 7), 0);
    // Free fall for 10 and for 7 steps.
    assert_near(scene_position(world, 1).z, 1 - 0.5 * 9.81 * 1e-4, 1e-12);
    assert_near(scene_position(world, 2).z, 7 - 0.5 * 9.81 * 0.49e-4, 1e-12);
    scene_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_patches),
        cmocka_unit_test(finds_nothing_else),
        cmocka_unit_test(walls_may_come_second),
        cmocka_unit_test(shifts_slide_and_open),
        cmocka_unit_test(hinge_opens_without_sliding),
        cmocka_unit_test(twist_does_not_open),
        cmocka_unit_test(pressure_acts_at_its_centre),
        cmocka_unit_test(pressure_moves_with_the_bodies),
        cmocka_unit_test(later_pairs_are_reported_under_load),
        cmocka_unit_test(removed_bodies_have_none),
        cmocka_unit_test(stack_has_the_pressure_of_statics),
        cmocka_unit_test(starts_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
