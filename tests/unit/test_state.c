// The tables of state fields, shapes and pairs of shapes.
#include "tests/unit/checkpoint_world.h"

#include "engine/contact/pairs.h"

// ---- state fields ----

static bool is_hashed(const struct state_part *part) { return part->hash != STATE_HASH_NONE; }

static bool is_flat(const struct state_part *part, const struct state *state) {
    return part->owner(state) == (void *)&state->shapes;
}

static void assert_hash_differs(const struct gabion_world *world, uint64_t before,
                                const char *name) {
    if (gabion_state_hash(world) == before)
        fail_msg("two states that differ in '%s' have the same hash", name);
}

// Changes the last number of the last row, and puts it back.
static void change_field(const struct state *state, const struct state_part *part,
                         const struct state_field *field) {
    size_t size = state_type_size(field->type), row = state_rows(part, state) - 1;
    uint64_t before = gabion_state_hash(state->world);
    char *number = state_address(part, field, state) + row * field->stride +
                   (size_t)(field->columns - 1) * size;
    *number ^= 1;
    assert_hash_differs(state->world, before, field->name);
    *number ^= 1;
    assert_int_equal(gabion_state_hash(state->world), before);
}

static void test_every_field_is_hashed(void **state) {
    (void)state;
    struct gabion_world *world = world_make(12, 1);
    struct state stored = {.world = world};
    size_t waiting = 0;
    // The numbers of bodies are changed too, and say how long these arrays are.
    bodies_reserve(&world->bodies, (size_t)world->bodies.count + 2);
    size_t starts = (size_t)world->bodies.moving + 2;
    world->contacts->memory_start = memory_resize(world->contacts->memory_start, starts,
                                                  sizeof *world->contacts->memory_start, "test");
    world->contacts->memory_start[starts - 1] = 0;
    for (size_t p = 0; p < STATE_PARTS; p++) {
        const struct state_part *part = state_parts[p];
        for (size_t k = 0; is_hashed(part) && !is_flat(part, &stored) && k < part->fields; k++) {
            assert_true(state_rows(part, &stored) > 0);
            change_field(&stored, part, &part->field[k]);
            waiting += part == &state_pending;
        }
    }
    assert_int_equal(waiting, 22); // members of struct gabion_body, and the id
    gabion_destroy(world);
}

#define CHANGE(world, number)                                                                      \
    do {                                                                                           \
        uint64_t before = gabion_state_hash(world);                                                \
        *(unsigned char *)&(number) ^= 1;                                                          \
        assert_hash_differs(world, before, #number);                                               \
        *(unsigned char *)&(number) ^= 1;                                                          \
        assert_int_equal(gabion_state_hash(world), before);                                        \
    } while (0)

static void test_shapes_are_hashed(void **state) {
    (void)state;
    struct gabion_world *world = world_make(12, 1);
    struct polyhedron *polyhedron = world->bodies.polyhedra[1];
    struct clump *clump = world->bodies.clumps[1];
    struct compound *compound = world->bodies.compounds[1];
    CHANGE(world, polyhedron->corner[polyhedron->corner_count - 1].z);
    CHANGE(world, polyhedron->face_corner[polyhedron->face_start[polyhedron->face_count] - 1]);
    CHANGE(world, polyhedron->face_start[1]);
    CHANGE(world, polyhedron->centre.z);
    CHANGE(world, polyhedron->axes.w);
    CHANGE(world, clump->sphere[clump->count - 1].z);
    CHANGE(world, clump->sphere_radius[clump->count - 1]);
    CHANGE(world, clump->volume);
    CHANGE(world, clump->inertia.z);
    CHANGE(world, clump->centre.z);
    CHANGE(world, clump->axes.w);
    CHANGE(world, compound->part[1].polyhedron);
    CHANGE(world, compound->part[1].x.z);
    CHANGE(world, compound->part[1].q.z);
    CHANGE(world, compound->part[1].density);
    CHANGE(world, compound->centre.z);
    CHANGE(world, compound->axes.w);
    gabion_destroy(world);
}

// What is not state must not be in the hash: a resumed run has other reports.
static void test_reports_are_not_hashed(void **state) {
    (void)state;
    struct gabion_world *world = world_make(12, 1);
    uint64_t before = gabion_state_hash(world);
    world->run.sweeps++;
    world->report.residual += 1;
    assert_int_equal(gabion_state_hash(world), before);
    gabion_destroy(world);
}

// Rows that are hashed as one piece must be made of their fields alone.
static void test_tables_have_no_padding(void **state) {
    (void)state;
    for (size_t p = 0; p < STATE_PARTS; p++) {
        const struct state_part *part = state_parts[p];
        size_t size = 0;
        for (size_t k = 0; k < part->fields; k++)
            size += (size_t)part->field[k].columns * state_type_size(part->field[k].type);
        if (part->hash == STATE_HASH_TABLE)
            assert_int_equal(size, part->field->stride);
        for (size_t k = 0; part->hash == STATE_HASH_FIELDS && k < part->fields; k++)
            assert_int_equal((size_t)part->field[k].columns * state_type_size(part->field[k].type),
                             part->field[k].stride);
    }
}

static void test_names_are_unique(void **state) {
    (void)state;
    for (size_t p = 0; p < STATE_PARTS; p++)
        for (size_t k = 0; k < state_parts[p]->fields; k++)
            for (size_t q = 0; state_parts[p]->rows && q < STATE_PARTS; q++)
                for (size_t l = 0; l < state_parts[q]->fields; l++)
                    assert_true((p == q && k == l) || strcmp(state_parts[p]->field[k].name,
                                                             state_parts[q]->field[l].name) != 0);
}

// ---- shapes ----

static void test_shapes_are_complete(void **state) {
    (void)state;
    for (int k = 0; k < GABION_SHAPE_COUNT; k++) {
        const struct shape_kind *kind = &shape_kinds[k];
        assert_non_null(kind->name);
        assert_non_null(kind->defect);
        assert_non_null(kind->place);
        assert_true(kind->wall == !kind->weigh);
        assert_true(!kind->count == !(kind->add || kind->shared));
        assert_true(!kind->axes || kind->count); // bodies_have_axes counts them
        assert_true(kind->wall || kind->ball || kind->size);
    }
}

// ---- pairs ----

// Every body that can move touches every other: without a row it would pass through.
static void test_pairs_are_complete(void **state) {
    (void)state;
    for (int c = 0; c < GABION_SHAPE_COUNT; c++)
        for (int a = 0; a < GABION_SHAPE_COUNT; a++) {
            const struct pair_kind *kind = &pair_kinds[c][a], *other = &pair_kinds[a][c];
            bool touch = kind->direct || kind->find;
            assert_int_equal(touch, !shape_kinds[c].wall);
            if (!touch)
                continue;
            assert_true(kind->direct != (kind->find != NULL));
            if (kind->direct || shape_kinds[a].wall)
                continue;
            // The same body comes first, and the same functions are called, in both orders.
            static const enum pair_order mirrored[] = {PAIR_ANTAGONIST, PAIR_CANDIDATE,
                                                       PAIR_LOWER_ID};
            assert_int_equal(other->order, mirrored[kind->order]);
            assert_int_equal(kind->order == PAIR_LOWER_ID, c == a);
            assert_true(kind->find == other->find && kind->gap == other->gap);
            assert_true(kind->one_normal == other->one_normal && kind->boxes == other->boxes);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_is_hashed),
        cmocka_unit_test(test_shapes_are_hashed),
        cmocka_unit_test(test_reports_are_not_hashed),
        cmocka_unit_test(test_tables_have_no_padding),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_shapes_are_complete),
        cmocka_unit_test(test_pairs_are_complete),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
