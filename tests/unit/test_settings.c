// The table of settings: its rows agree with the struct and the enums, and the C interface and the
// case reader give the same values and the same messages.
#include "io/case/keys.h"
#include "tests/unit/case_text.h"

#include "engine/api/settings.h"
#include "engine/solvers/panel.h"

// Calls `visit` for every row that describes a member.
static void for_members(const struct key_section *section,
                        void (*visit)(const struct key *key, void *context), void *context) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        if (key->section)
            for_members(key->section, visit, context);
        if (key->width)
            visit(key, context);
    }
}

static void check_width(const struct key *key, void *context) {
    (void)context;
    size_t width = key->width / (size_t)key_components(key);
    switch (key->type) {
    case KEY_NUMBER:
    case KEY_VECTOR:
        assert_int_equal(width, sizeof(double));
        break;
    case KEY_INTEGER:
    case KEY_INTEGERS:
        assert_int_equal(width, sizeof(int));
        break;
    case KEY_BOOLEAN:
        assert_int_equal(width, sizeof(bool));
        break;
    case KEY_CHOICE:
        assert_true(width == sizeof(int) || width == sizeof(bool));
        break;
    default:
        fail_msg("%s: a member cannot have this type", key->name);
    }
    assert_true(key_components(key) <= KEY_SIZE_MAX);
}

static void rows_fit_their_members(void **state) {
    (void)state;
    for_members(&settings_keys, check_width, NULL);
    for_members(&case_output_keys, check_width, NULL);
}

// Every byte of the struct but its padding belongs to a row: no member was forgotten.
static void mark_bytes(const struct key *key, void *context) {
    for (size_t k = 0; k < key->width; k++) {
        unsigned char *byte = (unsigned char *)context + key->offset + k;
        if (*byte)
            fail_msg("%s: another row has the same member", key->name);
        *byte = 1;
    }
}

static void every_member_has_one_row(void **state) {
    (void)state;
    unsigned char covered[sizeof(struct gabion_settings)] = {0};
    size_t bare = 0, longest = 0;
    for_members(&settings_keys, mark_bytes, covered);
    for (size_t k = 0; k < sizeof covered; k++) {
        bare = covered[k] ? 0 : bare + 1;
        longest = bare > longest ? bare : longest;
    }
    // Less than any member that is not a bool: only padding is left.
    assert_true(longest < sizeof(double));
}

static void check_default(const struct key *key, void *context) {
    if (!key_check(key, context))
        fail_msg("%s: the default is not in the range", key->name);
    if (!key->initial)
        return;
    if (key->type == KEY_CHOICE)
        assert_true(word_index(key->words, key->initial) >= 0);
    char text[KEY_TEXT_SIZE], words[KEY_TEXT_SIZE] = {0}, word[WORD_SIZE];
    const char *list = key->initial;
    if (key->type == KEY_NUMBER || key->type == KEY_VECTOR) // 1e-4 prints as 0.0001
        return;
    for (int i = 0; word_take(&list, word); i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s",
                 i ? ", " : (key->size ? "[" : ""), word);
    strcat(words, key->size ? "]" : "");
    assert_string_equal(key_print(key, context, text), words);
}

static void defaults_are_in_range(void **state) {
    (void)state;
    struct gabion_settings settings = gabion_default_settings();
    struct output_settings output = {0};
    for_members(&settings_keys, check_default, &settings);
    key_store_defaults(&case_output_keys, &output);
    for_members(&case_output_keys, check_default, &output);
    struct gabion_error error = {0};
    assert_true(settings_check(&settings, &error));
    assert_same(settings.step, 1e-3);
    assert_same(settings.gravity.z, -9.81);
    assert_same(settings.tolerance, 1e-4);
    assert_same(settings.alert, GABION_AUTOMATIC);
    assert_int_equal(settings.gap, GABION_GAP_GAP);
    assert_int_equal(settings.on_cap, GABION_CAP_WARN);
    assert_int_equal(settings.budget.accelerations, 100);
    assert_true(settings.momentum);
}

static void compare_members(const struct key *key, void *context) {
    const struct gabion_settings *pair = context;
    char first[KEY_TEXT_SIZE], second[KEY_TEXT_SIZE];
    if (memcmp((const char *)&pair[0] + key->offset, (const char *)&pair[1] + key->offset,
               key->width) != 0)
        fail_msg("%s: %s in the engine, %s from a case", key->name, key_print(key, &pair[0], first),
                 key_print(key, &pair[1], second));
}

static void an_empty_case_has_the_defaults(void **state) {
    (void)state;
    // An empty section gives nothing either.
    struct case_file *file = load_good("time: {step: 1e-3, end: 1}\nmaterials: {}\nsolver: {}\n");
    struct gabion_settings pair[] = {gabion_default_settings(), *case_settings(file)};
    for_members(&settings_keys, compare_members, pair);
    case_free(file);
}

// ---- words of choices ----

static void check_words(const char *path, const char *const *expected, int count) {
    const char *rest = key_find_path(&settings_keys, path)->words;
    char word[WORD_SIZE];
    for (int k = 0; k < count; k++) {
        assert_true(word_take(&rest, word));
        assert_string_equal(word, expected[k]);
    }
    assert_false(word_take(&rest, word));
}

static void words_are_in_the_order_of_the_enums(void **state) {
    (void)state;
    const char *method[GABION_METHOD_COUNT], *local[GABION_LOCAL_COUNT];
    for (int k = 0; k < GABION_METHOD_COUNT; k++)
        method[k] = panel_name((enum gabion_method)k);
    for (int k = 0; k < GABION_LOCAL_COUNT; k++)
        local[k] = panel_local_name((enum gabion_local)k);
    check_words("solver.method", method, GABION_METHOD_COUNT);
    check_words("solver.local", local, GABION_LOCAL_COUNT);
    check_words("time.scheme",
                (const char *[]){
                    [GABION_SCHEME_MOREAU] = "moreau", [GABION_SCHEME_CORRECTIVE] = "corrective"},
                2);
    check_words("contact.gap",
                (const char *[]){[GABION_GAP_MOREAU] = "moreau",
                                 [GABION_GAP_GAP] = "gap",
                                 [GABION_GAP_STABILIZED] = "stabilized"},
                3);
    check_words("contact.restitution_velocity",
                (const char *[]){[GABION_RESTITUTION_CORRECTED] = "corrected",
                                 [GABION_RESTITUTION_UNCORRECTED] = "uncorrected"},
                2);
    check_words(
        "solver.measure",
        (const char *[]){[GABION_MEASURE_SCALED] = "scaled", [GABION_MEASURE_FCLIB] = "fclib"}, 2);
    check_words("solver.cone", (const char *[]){[false] = "inner", [true] = "outer"}, 2);
    check_words(
        "solver.on_cap",
        (const char *[]){
            [GABION_CAP_ACCEPT] = "accept", [GABION_CAP_WARN] = "warn", [GABION_CAP_STOP] = "stop"},
        3);
}

// ---- the same messages from C and from a case ----

#define TIME "materials: {}\ntime: {step: 1, end: 2}\n"

static void reject_both(const struct gabion_settings *settings, const char *text,
                        const char *message) {
    struct gabion_error error = {0};
    assert_null(gabion_create(settings, 1, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_string_equal(error.text, message);
    reject(text, message);
}

static void ranges_are_rejected_in_the_same_words(void **state) {
    (void)state;
    struct gabion_settings settings = gabion_default_settings();
    settings.tolerance = 0;
    reject_both(&settings, TIME "solver: {tolerance: 0}\n",
                "solver.tolerance: expected a number > 0, found 0");
    settings = gabion_default_settings();
    settings.step = -0.5;
    reject_both(&settings, "materials: {}\ntime: {step: -0.5, end: 2}\n",
                "time.step: expected a number > 0 (s), found -0.5");
    settings = gabion_default_settings();
    settings.theta = 0.25;
    reject_both(&settings, "materials: {}\ntime: {step: 1, end: 2, theta: 0.25}\n",
                "time.theta: expected a number in [0.5, 1], found 0.25");
    settings = gabion_default_settings();
    settings.relaxation = 2;
    reject_both(&settings, TIME "solver: {relaxation: 2}\n",
                "solver.relaxation: expected a number in (0, 2), found 2");
    settings = gabion_default_settings();
    settings.max_sweeps = 0;
    reject_both(&settings, TIME "solver: {max_sweeps: 0}\n",
                "solver.max_sweeps: expected a whole number >= 1, found 0");
    settings = gabion_default_settings();
    settings.cone.sides = 65;
    reject_both(&settings, TIME "solver: {cone_sides: 65}\n",
                "solver.cone_sides: expected a whole number in [3, 64], found 65");
    settings = gabion_default_settings();
    settings.alert = -2;
    reject_both(&settings, TIME "contact: {alert: -2}\n",
                "contact.alert: expected a number >= 0 (m), or auto, found -2");
    settings = gabion_default_settings();
    settings.rest_speed = -1;
    reject_both(&settings, TIME "stop: {rest_speed: -1, rest_duration: 1}\n",
                "stop.rest_speed: expected a number > 0 (m/s), found -1");
}

static void reject_settings(const struct gabion_settings *settings, const char *message) {
    struct gabion_error error = {0};
    assert_null(gabion_create(settings, 1, &error));
    assert_string_equal(error.text, message);
}

// Values that a case file cannot even express.
static void values_without_meaning_are_rejected(void **state) {
    (void)state;
    struct gabion_settings settings = gabion_default_settings();
    settings.step = INFINITY;
    reject_settings(&settings, "time.step: expected a number > 0 (s), found inf");
    settings = gabion_default_settings();
    settings.gravity.y = NAN;
    reject_settings(&settings,
                    "gravity: expected a list of 3 numbers (m/s2), found [0, nan, -9.81]");
    settings = gabion_default_settings();
    settings.budget.velocities = -1;
    reject_settings(&settings, "solver.budget: expected a list of 3 whole numbers >= 0, found "
                               "[100, -1, 100]");
    settings = gabion_default_settings();
    settings.gap = (enum gabion_gap)3;
    reject_settings(&settings, "contact.gap: expected one of moreau, gap, stabilized, found 3");
    // -1 is how the C interface says auto; a case says auto.
    reject(TIME "contact: {alert: -1}\n", "found -1");
}

static void rules_are_reported_in_the_same_words(void **state) {
    (void)state;
    struct gabion_settings corrective = gabion_default_settings();
    corrective.scheme = GABION_SCHEME_CORRECTIVE;
    const char *scheme = "materials: {}\ntime: {step: 1, end: 2, scheme: corrective}\n";
    reject_both(&corrective, scheme,
                "time.scheme: corrective needs solver.method bicg (found time.scheme: corrective, "
                "solver.method: auto)");
    corrective.method = GABION_METHOD_BICG;
    char text[256];
    struct gabion_settings settings = corrective;
    settings.projection = 3;
    snprintf(text, sizeof text, "%ssolver: {method: bicg}\ncontact: {projection: 3}\n", scheme);
    reject_both(&settings, text,
                "contact.projection: time.scheme corrective has a position pass of its own; give "
                "its iterations as the first number of solver.budget instead (found "
                "contact.projection: 3, time.scheme: corrective)");
    settings = corrective;
    settings.gap = GABION_GAP_STABILIZED;
    snprintf(text, sizeof text, "%ssolver: {method: bicg}\ncontact: {gap: stabilized}\n", scheme);
    reject_both(&settings, text,
                "contact.gap: stabilized needs time.scheme moreau (found contact.gap: stabilized, "
                "time.scheme: corrective)");
    settings = corrective;
    settings.time_budget = 2;
    snprintf(text, sizeof text, "%ssolver: {method: bicg, time_budget: 2}\n", scheme);
    reject_both(&settings, text,
                "solver.time_budget: time.scheme corrective counts iterations, not time; give "
                "solver.budget instead (found solver.time_budget: 2, time.scheme: corrective)");
    settings = gabion_default_settings();
    settings.budget.positions = 5;
    reject_both(&settings, TIME "solver: {budget: [5, 100, 100]}\n",
                "solver.budget: only time.scheme corrective has a budget of iterations; remove it "
                "(found solver.budget: [5, 100, 100], time.scheme: moreau)");
    settings = gabion_default_settings();
    settings.gamma = 0.5;
    reject_both(&settings, TIME "contact: {gamma: 0.5}\n",
                "contact.gamma: only contact.gap stabilized has it; remove it (found "
                "contact.gamma: 0.5, contact.gap: gap)");
    settings = gabion_default_settings();
    settings.restitution_velocity = GABION_RESTITUTION_UNCORRECTED;
    reject_both(&settings, TIME "contact: {restitution_velocity: uncorrected}\n",
                "contact.restitution_velocity: only contact.gap stabilized has it; remove it "
                "(found contact.restitution_velocity: uncorrected, contact.gap: gap)");
    settings = gabion_default_settings();
    settings.gravity_ramp_start = 2;
    settings.gravity_ramp_end = 1;
    reject_both(&settings, TIME "gravity_ramp: {start: 2, end: 1}\n",
                "gravity_ramp.end: expected a time after gravity_ramp.start (found "
                "gravity_ramp.end: 1, gravity_ramp.start: 2)");
    settings = gabion_default_settings();
    settings.rest_speed = 2;
    reject_both(&settings, TIME "stop: {rest_speed: 2}\n",
                "stop.rest_speed: needs stop.rest_duration, how long the bodies have to be so slow "
                "(found stop.rest_speed: 2, stop.rest_duration: 0)");
    settings = gabion_default_settings();
    settings.rest_duration = 2;
    reject_both(&settings, TIME "stop: {rest_duration: 2}\n",
                "stop.rest_duration: needs stop.rest_speed, below which a body is at rest (found "
                "stop.rest_duration: 2, stop.rest_speed: 0)");
    settings = gabion_default_settings();
    settings.gravity = vec3_zero();
    settings.fall_distance = 2;
    reject_both(&settings, TIME "gravity: [0, 0, 0]\nstop: {fall_distance: 2}\n",
                "stop.fall_distance: bodies fall along gravity, and there is none (found "
                "stop.fall_distance: 2, gravity: [0, 0, 0])");
    settings.fall_distance = 0;
    settings.fall_speed = 2;
    reject_both(&settings, TIME "gravity: [0, 0, 0]\nstop: {fall_speed: 2}\n",
                "stop.fall_speed: bodies fall along gravity, and there is none (found "
                "stop.fall_speed: 2, gravity: [0, 0, 0])");
}

static void rules_name_keys_of_the_table(void **state) {
    (void)state;
    for (size_t k = 0; k < settings_rule_count; k++) {
        const struct settings_rule *rule = &settings_rules[k];
        assert_non_null(key_find_path(&settings_keys, rule->key));
        assert_non_null(key_find_path(&settings_keys, rule->other));
    }
}

// ---- renamed keys ----

// A former name is free, and it leads to one key.
static void check_former_names(const struct key_section *section) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        if (key->formerly) {
            assert_null(key_find(section, key->formerly));
            assert_ptr_equal(key_find_former(section, key->formerly), key);
        }
        if (key->section)
            check_former_names(key->section);
    }
}

static void renamed_keys_are_reported(void **state) {
    (void)state;
    static char text[4096];
    struct gabion_error error = {0};
    check_former_names(&case_keys);
    reject(BASE LAWS "generators:\n- material: grain\n  wall: {block: [1, 1, 1], courses: 1, "
                     "blocks: 1, joint: 0.1}\n",
           "case.yaml:6:51: generators[0].wall: joint is now interface_width; rename this key");
    reject_override(BASE LAWS "generators: [{material: grain, wall: {block: [1, 1, 1], "
                              "courses: 1, blocks: 1}}]\n",
                    "generators[0].wall.joint=0.1", "joint is now interface_width");
    assert_false(
        keys_explain(&case_keys, "case", "generators.wall.joint", text, sizeof text, &error));
    assert_string_equal(error.text, "wall: joint is now interface_width");
    assert_true(keys_explain(&case_keys, "case", "generators.wall.interface_width", text,
                             sizeof text, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_fit_their_members),
        cmocka_unit_test(every_member_has_one_row),
        cmocka_unit_test(defaults_are_in_range),
        cmocka_unit_test(an_empty_case_has_the_defaults),
        cmocka_unit_test(words_are_in_the_order_of_the_enums),
        cmocka_unit_test(ranges_are_rejected_in_the_same_words),
        cmocka_unit_test(values_without_meaning_are_rejected),
        cmocka_unit_test(rules_are_reported_in_the_same_words),
        cmocka_unit_test(rules_name_keys_of_the_table),
        cmocka_unit_test(renamed_keys_are_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
