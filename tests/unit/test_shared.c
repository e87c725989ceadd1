// Contacts and bodies that ranks share, through the library. `make unit` runs this program as one
// rank, which has all contacts; tests/cli/test_ranks.sh runs it under mpirun.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/contact/shared.h"
#include "engine/gabion.h"
#include "engine/step/solve.h"
#include "engine/world/world.h"
#include "parallel/random.h"
#include "parallel/ranks.h"

#define RADIUS 0.1
#define SIDE   16 // spheres along a side of the bed

static void add(struct gabion_world *world, double x, double y, double z) {
    struct gabion_body body = gabion_default_body();
    body.radius = RADIUS;
    body.density = 2000;
    body.position = (gabion_vec3){x, y, z};
    assert_true(gabion_add_body(world, &body, NULL) >= 0);
}

static void add_floor(struct gabion_world *world) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    assert_true(gabion_add_body(world, &body, NULL) >= 0);
}

// A bed of spheres that touch each other and the floor, and as many far above that touch nothing.
static struct gabion_world *make_world(void) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    settings.method = GABION_METHOD_NSGS;
    settings.tolerance = 1e-8;
    struct gabion_world *world = gabion_create(&settings, 1, &error);
    assert_non_null(world);
    assert_int_equal(gabion_add_material(world, "stone", 2000, &error), 0);
    assert_true(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.5}, &error));
    add_floor(world);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            add(world, 1.99 * RADIUS * i, 1.99 * RADIUS * j, 0.99 * RADIUS);
            add(world, 5 * RADIUS * i, 5 * RADIUS * j, 100);
        }
    return world;
}

static void run(struct gabion_world *world, int64_t steps) {
    struct gabion_error error = {0};
    assert_int_equal(gabion_run(world, steps, &error), steps);
    assert_string_equal(error.text, "");
}

static void assert_same_on_all_ranks(uint64_t value) {
    uint64_t bits[] = {value, ~value};
    ranks_or(bits, 2);
    assert_true(bits[0] == value && bits[1] == ~value);
}

static void assert_asks_to_gather(bool failed, const struct gabion_error *error) {
    assert_true(failed);
    assert_int_equal(error->status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error->text, "call gabion_gather on all ranks"));
}

// Each function that reads contacts asks for them to be gathered, and works once they are.
static void test_readers(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    struct gabion_contact first[1];
    struct gabion_contacts view;
    struct gabion_counts counts;
    struct gabion_step_report report;
    double values[9];
    size_t count;
    struct gabion_probe load = gabion_default_probe();
    load.name = "load";
    load.quantity = GABION_COORDINATION;
    int probe = gabion_define_probe(world, &load, NULL);
    assert_true(probe >= 0);
    run(world, 3);
    if (ranks_count() > 1) {
        struct gabion_error errors[7] = {0};
        struct gabion_bodies bodies;
        struct gabion_body_state body;
        assert_true(world->piece.partial);
        assert_asks_to_gather(gabion_read_contacts(world, 0, 1, first, &errors[0]) < 0, &errors[0]);
        assert_asks_to_gather(!gabion_view_contacts(world, &view, &errors[1]), &errors[1]);
        assert_asks_to_gather(!gabion_measure_interfaces(world, &count, &errors[2]), &errors[2]);
        assert_asks_to_gather(gabion_probe_read(world, probe, values, 9, &errors[3]) < 0,
                              &errors[3]);
        assert_asks_to_gather(!gabion_view_bodies(world, &bodies, &errors[4]), &errors[4]);
        assert_asks_to_gather(!gabion_get_body(world, 1, &body, &errors[5]), &errors[5]);
        assert_asks_to_gather(gabion_read_bodies(world, &body, 1, &errors[6]) < 0, &errors[6]);
    }
    assert_true(gabion_gather_bodies(world, NULL));
    assert_int_equal(gabion_read_bodies(world, NULL, 0, NULL), 2 * SIDE * SIDE + 1);
    if (ranks_count() > 1)
        assert_true(contacts_are_shared(world->contacts));
    assert_true(gabion_gather(world, NULL));
    assert_int_equal(gabion_read_contacts(world, 0, 1, first, NULL), 1);
    assert_true(gabion_view_contacts(world, &view, NULL));
    assert_int_equal(gabion_probe_read(world, probe, values, 9, NULL), 4);
    assert_true(gabion_read_counts(world, &counts, NULL));
    assert_true(gabion_read_step_report(world, &report, NULL));
    assert_int_equal(counts.contacts, report.candidates);
    // The floor bears each sphere of the bed, and those do not push each other.
    assert_int_equal(report.contacts, SIDE * SIDE);
    assert_int_equal(report.candidates, SIDE * SIDE + 2 * SIDE * (SIDE - 1));
    assert_same_on_all_ranks(gabion_state_hash(world));
    gabion_destroy(world);
}

static void choose(struct gabion_world *world, enum gabion_method method) {
    struct gabion_settings settings;
    assert_true(gabion_get_settings(world, &settings, NULL));
    settings.method = method;
    assert_true(gabion_set_settings(world, &settings, NULL));
}

// A method that needs all contacts on one rank goes on from the impulses of all ranks.
static void test_other_method(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int gathers = 0; gathers < 2; gathers++) {
        struct gabion_world *world = make_world();
        run(world, 4);
        if (gathers)
            assert_true(gabion_gather(world, NULL));
        choose(world, GABION_METHOD_NEWTON);
        run(world, 1);
        choose(world, GABION_METHOD_NSGS);
        run(world, 2);
        assert_true(gabion_gather(world, NULL));
        hash[gathers] = gabion_state_hash(world);
        assert_same_on_all_ranks(hash[gathers]);
        gabion_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// What the rank has to do: contacts, and bodies.
static double largest_share(const struct gabion_world *world) {
    const struct contacts *contacts = world->contacts;
    int32_t moving = world->bodies.moving;
    double bodies = cuts_end(&contacts->cuts, moving) - cuts_begin(&contacts->cuts);
    double own = (double)(contacts->count - contacts_own_begin(contacts)) + bodies;
    ranks_max(&own, 1);
    return own * ranks_count() / ((double)contacts_total(world) + moving);
}

// Cuts move to where the contacts are, and stay there.
static void test_balance(void **state) {
    (void)state;
    struct gabion_world *world = make_world();
    run(world, 1);
    double first = largest_share(world);
    run(world, 1);
    if (ranks_count() > 1) {
        assert_true(contacts_are_shared(world->contacts));
        assert_true(first > 1.3);
        assert_true(largest_share(world) < 1.1);
        int32_t begin = cuts_begin(&world->contacts->cuts);
        run(world, 70);
        assert_int_equal(cuts_begin(&world->contacts->cuts), begin);
    }
    gabion_destroy(world);
}

// Ghosts ------------------------------------------------------------------------------------------

#define STORM 600 // small spheres
#define BOX   2.0

static void add_wall(struct gabion_world *world, gabion_vec3 position, gabion_vec3 normal) {
    struct gabion_body body = gabion_default_body();
    body.shape = GABION_HALF_SPACE;
    body.fixed = true;
    body.position = position;
    body.normal = normal;
    assert_true(gabion_add_body(world, &body, NULL) >= 0);
}

static void add_sphere(struct gabion_world *world, double radius, gabion_vec3 position,
                       gabion_vec3 velocity, double time) {
    struct gabion_body body = gabion_default_body();
    body.radius = radius;
    body.density = 2000;
    body.position = position;
    body.velocity = velocity;
    body.insert_time = time;
    assert_true(gabion_add_body(world, &body, NULL) >= 0);
}

// A cloud of fast spheres in a box; one that is as large as a quarter of the box, one that crosses
// all of it in four steps, and some that arrive later.
static struct gabion_world *make_storm(int projection) {
    struct gabion_settings settings = gabion_default_settings();
    struct random_stream random = {7};
    settings.method = GABION_METHOD_NSGS;
    settings.step = 1e-3;
    settings.max_sweeps = 20;
    settings.on_cap = GABION_CAP_ACCEPT;
    settings.projection = projection;
    struct gabion_world *world = gabion_create(&settings, 1, NULL);
    assert_non_null(world);
    assert_int_equal(gabion_add_material(world, "stone", 2000, NULL), 0);
    assert_true(gabion_set_default_law(world, &(struct gabion_law){.friction = 0.3}, NULL));
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            vec3 position = vec3_zero(), normal = vec3_zero();
            vec3_set(&position, axis, side * BOX);
            vec3_set(&normal, axis, 1 - 2 * side);
            add_wall(world, position, normal);
        }
    for (int k = 0; k < STORM; k++) {
        double speed = k % 3 == 0 ? 6 : 1;
        vec3 position = vec3_make(random_between(&random, 0.03, BOX - 0.03),
                                  random_between(&random, 0.03, BOX - 0.03),
                                  random_between(&random, 0.03, 0.9));
        vec3 velocity =
            vec3_make(random_between(&random, -speed, speed),
                      random_between(&random, -speed, speed), random_between(&random, -speed, 0));
        add_sphere(world, 0.03, position, velocity, k % 200 == 0 ? 0.011 + 1e-4 * k : 0);
    }
    add_sphere(world, 0.25 * BOX, vec3_make(1, 1, 1.45), vec3_make(0, 0, -5), 0);
    add_sphere(world, 0.02, vec3_make(0.02, 0.3, 0.3), vec3_make(500, 100, 100), 0);
    return world;
}

static void see_nothing(struct step_observer *observer, struct contact_problem *problem,
                        const vec3 *start) {
    (void)observer;
    (void)problem;
    (void)start;
}

// Runs the storm and hashes it after each part. An observer sees whole problems, so that every rank
// computes all steps.
static void run_storm(uint64_t *hash, int parts, int projection, bool whole) {
    struct gabion_world *world = make_storm(projection);
    struct step_observer observer = {see_nothing};
    int64_t listings = 0, ghosts = 0, steps = 0, partial = 0;
    if (whole)
        world->observer = &observer;
    for (int part = 0; part < parts; part++) {
        for (int k = 0; k < 20; k++) {
            run(world, 1);
            assert_true(piece_agrees(world));
            partial += world->piece.partial;
            ghosts += (int64_t)world->piece.ghosts;
            steps++;
        }
        assert_true(gabion_gather(world, NULL));
        hash[part] = gabion_state_hash(world);
        assert_same_on_all_ranks(hash[part]);
    }
    listings = world->piece.listings;
    if (!whole && ranks_count() > 1) {
        assert_true(partial > steps / 2);
        assert_true(listings > 4 && listings < steps);
        assert_true(ghosts > 0 && ghosts < steps * STORM);
    }
    gabion_destroy(world);
}

// Ghosts that change often give the bits of steps that every rank computes whole.
static void test_storm(void **state) {
    (void)state;
    uint64_t shared[4], whole[4];
    for (int projection = GABION_AUTOMATIC; projection <= 0; projection++) {
        run_storm(shared, 4, projection, false);
        run_storm(whole, 4, projection, true);
        for (int part = 0; part < 4; part++)
            assert_true(shared[part] == whole[part]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_other_method),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_storm),
    };
    ranks_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    // The others may be waiting for a rank whose test failed.
    if (failed > 0)
        ranks_abort("a test failed");
    return ranks_end(0);
}
