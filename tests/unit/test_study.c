// Study files: values of variables, combinations, members and their hashes, rejected files.
#include "tests/unit/case_text.h"

#include "io/study/member.h"
#include "io/study/search.h"
#include "io/study/study.h"

#define CASE BASE LAWS "bodies: [" SPHERE "]\n"

static struct study *read_study(const char *text, struct gabion_error *error) {
    *error = (struct gabion_error){0};
    write_file("base.yaml", CASE);
    return study_load(write_file("study.yaml", text), error);
}

static struct study *good_study(const char *text) {
    struct gabion_error error;
    struct study *study = read_study(text, &error);
    if (!study)
        fail_msg("%s", error.text);
    return study;
}

static void reject_study(const char *text, const char *part) {
    struct gabion_error error;
    struct study *study = read_study(text, &error);
    if (study)
        fail_msg("accepted: %s", text);
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("message: %s\nexpected part: %s", error.text, part);
}

static void assert_label(const struct study *study, size_t variable, size_t point,
                         const char *label) {
    assert_string_equal(study_value_at(study, variable, point)->label, label);
}

static void products_run_the_last_entry_fastest(void **state) {
    (void)state;
    struct study *study =
        good_study("case: base.yaml\n"
                   "vary:\n"
                   "  - {key: laws.0.friction, values: [0.1, 0.2]}\n"
                   "  - together:\n"
                   "      - {name: end, key: time.end, values: [1, 2, 3]}\n"
                   "      - {name: h, key: time.step, values: [1e-3, 2e-3, 3e-3]}\n"
                   "  - {name: g, key: gravity, values: [[0, 0, -1], [0, 0, -2]]}\n");
    assert_int_equal(study->point_count, 12);
    assert_int_equal(study->variable_count, 4);
    assert_string_equal(study->variables[0].name, "laws.0.friction");
    assert_label(study, 0, 5, "0.1");
    assert_label(study, 0, 6, "0.2");
    assert_label(study, 1, 5, "3");
    assert_label(study, 2, 5, "3e-3");
    assert_label(study, 3, 5, "[0 0 -2]");
    assert_label(study, 1, 0, "1");
    assert_label(study, 3, 6, "[0 0 -1]");
    study_free(study);
}

static void ranges_are_even(void **state) {
    (void)state;
    struct study *study =
        good_study("case: base.yaml\n"
                   "vary:\n"
                   "  - {name: a, key: time.end, linear: {from: 1, to: 2, count: 5}}\n"
                   "  - {name: b, key: time.step, log: {from: 1e-4, to: 1e-2, count: 3}}\n"
                   "  - {name: c, key: time.theta, linear: {from: 0.7, to: 1, count: 1}}\n"
                   "  - {name: d, key: laws.0.friction, seeds: {first: 7, count: 2}}\n");
    assert_int_equal(study->point_count, 30);
    assert_label(study, 0, 29, "2");
    assert_label(study, 0, 6, "1.25");
    assert_label(study, 1, 2, "0.001");
    assert_label(study, 1, 4, "0.01");
    assert_label(study, 2, 0, "0.7");
    assert_label(study, 3, 0, "7");
    assert_label(study, 3, 1, "8");
    study_free(study);
}

// Every one of the equal parts of the range is met once in each variable; the orders of the two
// variables differ, and a second reading gives the same numbers.
static void latin_samples_meet_every_part_once(void **state) {
    (void)state;
    const char *text = "case: base.yaml\n"
                       "vary:\n"
                       "  - together:\n"
                       "    - {name: a, key: time.end, latin: {from: 2, to: 4, count: 20}}\n"
                       "    - {name: b, key: time.step, latin: {from: 1e-4, to: 1e-2, count: 20, "
                       "spacing: log}}\n"
                       "    - {name: c, key: time.theta, random: {from: 0.5, to: 1, count: 20}}\n";
    struct study *study = good_study(text), *again = good_study(text);
    bool met[2][20] = {{false}};
    int equal = 0;
    assert_int_equal(study->point_count, 20);
    for (size_t i = 0; i < 20; i++) {
        double a = strtod(study_value_at(study, 0, i)->label, NULL);
        double b = strtod(study_value_at(study, 1, i)->label, NULL);
        double c = strtod(study_value_at(study, 2, i)->label, NULL);
        int part_a = (int)((a - 2) * 10), part_b = (int)(log10(b / 1e-4) * 10);
        met[0][part_a] = met[1][part_b] = true;
        equal += part_a == part_b;
        assert_true(c >= 0.5 && c < 1);
        for (size_t v = 0; v < 3; v++)
            assert_label(again, v, i, study_value_at(study, v, i)->label);
    }
    for (int i = 0; i < 20; i++)
        assert_true(met[0][i] && met[1][i]);
    assert_true(equal < 10);
    study_free(study);
    study_free(again);
}

static void files_are_found_in_the_order_of_their_names(void **state) {
    (void)state;
    make_sub();
    write_file("sub/b.csv", "0,0\n1,1\n");
    write_file("sub/a.csv", "0,0\n1,2\n");
    struct study *study = good_study("case: base.yaml\n"
                                     "vary: [{name: r, key: imports.0.file, files: sub/*.csv}]\n");
    assert_int_equal(study->point_count, 2);
    assert_label(study, 0, 0, "sub/a.csv");
    assert_label(study, 0, 1, "sub/b.csv");
    assert_true(study_value_at(study, 0, 0)->text[0] == '/');
    study_free(study);
    reject_study("case: base.yaml\nvary: [{key: imports.0.file, files: [sub/x*.csv]}]\n",
                 "study.yaml:2:37: files: no file is named");
}

// Zero at both ends, the peak as asked, and other records for another seed.
static void artificial_records_have_their_peak(void **state) {
    (void)state;
    struct study *study = good_study("case: base.yaml\n"
                                     "vary:\n"
                                     "  - {name: a, key: x, synthetic: {count: 2, duration: 2, "
                                     "frequencies: [1, 3], peak: 2.5, spacing: 0.1}}\n"
                                     "  - {name: b, key: y, synthetic: {count: 1, duration: 2, "
                                     "frequencies: [1, 3], peak: 2.5, spacing: 0.1, seed: 2}}\n");
    struct gabion_error error = {0};
    for (size_t i = 0; i < 2; i++) {
        const char *text = study_value_at(study, 0, i)->text;
        struct yaml_node *points = yaml_parse(text, strlen(text), "record", &error);
        double largest = 0;
        assert_non_null(points);
        assert_int_equal(points->count, 21);
        for (size_t k = 0; k < points->count; k++) {
            double value = strtod(points->item[k]->item[1]->text, NULL);
            assert_true(fabs(strtod(points->item[k]->item[0]->text, NULL) - 0.1 * (double)k) <
                        1e-8);
            largest = fmax(largest, fabs(value));
            assert_true((k > 0 && k < 20) || value == 0);
        }
        assert_same(largest, 2.5);
        yaml_free(points);
    }
    assert_string_not_equal(study_value_at(study, 0, 0)->text, study_value_at(study, 0, 1)->text);
    assert_string_not_equal(study_value_at(study, 0, 0)->text, study_value_at(study, 1, 0)->text);
    study_free(study);
}

// The hash of a member is that of the case by hand, and follows from its values alone.
static void members_are_named_by_their_case(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct study *study =
        good_study("case: base.yaml\n"
                   "set: {solver.tolerance: 1e-7, gravity: [0, 0, -2]}\n"
                   "vary: [{name: mu, key: laws.0.friction, values: [0.5, 0.7]}]\n");
    const char *by_hand[] = {"solver.tolerance=1e-7", "gravity=[0, 0, -2]", "laws.0.friction=0.7"};
    struct case_file *file = case_load(study->case_path, by_hand, 3, &error);
    struct member *first = member_create(study, 0, "", &error);
    struct member *second = member_create(study, 1, "", &error);
    char hash[SHA256_TEXT_SIZE], label[64];
    assert_non_null(file);
    assert_true(first && second);
    sha256_text(case_text(file), strlen(case_text(file)), hash);
    assert_string_equal(second->sha256, hash);
    assert_string_not_equal(first->sha256, hash);
    assert_string_equal(member_describe(study, second, label, sizeof label), "mu=0.7");
    assert_int_equal(second->steps_estimate, 2000);
    member_free(first);
    member_free(second);
    case_free(file);
    study_free(study);
}

static void members_that_are_no_case_are_rejected(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct study *study = good_study("case: base.yaml\n"
                                     "vary: [{name: mu, key: laws.0.frictoin, values: [0.5]}]\n");
    assert_null(member_create(study, 0, "", &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    assert_non_null(strstr(error.text, "member mu=0.5: --set laws.0.frictoin=0.5"));
    assert_non_null(strstr(error.text, "did you mean \"friction\"?"));
    study_free(study);
    study = good_study("case: base.yaml\nset: {output.history_every: 0}\n"
                       "vary: [{key: time.end, values: [1]}]\n"
                       "results: [{column: max_speed, of: max}]\n");
    error = (struct gabion_error){0};
    assert_null(member_create(study, 0, "", &error));
    assert_non_null(strstr(error.text, "max_speed_max needs history.csv"));
    study_free(study);
}

#define VARY "case: base.yaml\nvary: [{name: mu, key: laws.0.friction, values: [0.5, 0.7]}]\n"

static void wrong_studies_are_rejected_with_their_place(void **state) {
    (void)state;
    reject_study("vary: [{key: time.end, values: [1]}]\n",
                 "missing key \"case\" in the study file");
    reject_study("case: nowhere.yaml\nvary: [{key: time.end, values: [1]}]\n",
                 "study.yaml:1:7: case: cannot find \"nowhere.yaml\"");
    reject_study("case: base.yaml\n", "nothing varies");
    reject_study("case: base.yaml\nvery: []\n", "did you mean \"vary\"?");
    reject_study("case: base.yaml\nvary: [{key: time.end, valeus: [1]}]\n",
                 "study.yaml:2:24: unknown key \"valeus\" in vary[0]");
    reject_study("case: base.yaml\nvary: [{key: time.end}]\n", "expected exactly one of values");
    reject_study("case: base.yaml\nvary: [{values: [1]}]\n", "missing key \"key\"");
    reject_study("case: base.yaml\nvary: [{key: time.end, values: []}]\n", "a list of values");
    reject_study("case: base.yaml\nvary: [{key: [], values: [1]}]\n", "a text or a list of texts");
    reject_study("case: base.yaml\nvary: [{key: a=b, values: [1]}]\n", "found \"a=b\"");
    reject_study("case: base.yaml\nvary: [{name: time, key: time.end, values: [1]}]\n",
                 "has a column \"time\" already");
    reject_study("case: base.yaml\nvary: [{together: [{key: a, values: [1, 2]}, {key: b, values: "
                 "[1]}]}]\n",
                 "a has 2 values and b has 1");
    reject_study("case: base.yaml\nvary: [{together: []}]\n", "found none");
    reject_study("case: base.yaml\nvary: [{key: c, together: [{key: a, values: [1]}]}]\n",
                 "key and name belong");
    reject_study("case: base.yaml\nvary: [{key: a, log: {from: -1, to: 1, count: 3}}]\n",
                 "logarithmic spacing");
    reject_study("case: base.yaml\nvary: [{key: a, linear: {from: 0, to: 1, count: 400}}, {key: b, "
                 "linear: {from: 0, to: 1, count: 400}}]\n",
                 "more than 100000 combinations");
    reject_study("case: base.yaml\nset: [1]\nvary: [{key: a, values: [1]}]\n",
                 "set: expected a mapping from keys to values");
    reject_study("case: base.yaml\nvary: [{key: a, synthetic: {count: 1, duration: 1, frequencies: "
                 "[2, 1]}}]\n",
                 "[lowest, highest]");
    reject_study("case: base.yaml\nvary: [{key: a, synthetic: {count: 100000, duration: 1e2, "
                 "frequencies: [1, 2]}}]\n",
                 "points in all records");
    reject_study(VARY "event: {result: sway, above: 1}\n", "no entry of results is named \"sway\"");
    reject_study(VARY "event: {status: [collapsed], above: 1}\n", "belong to result");
    reject_study(VARY "results: [{summary: steps, name: n}]\nevent: {result: n}\n", "needs above");
    reject_study(VARY "results: [{summary: steps, of: max}]\n", "the summary has one value");
    reject_study(VARY "results: [{summary: mu}]\n", "has a column \"mu\" already");
    reject_study(VARY "threshold: {key: time.end, from: 1, to: 2}\n", "expected tolerance");
    reject_study(VARY "threshold: {key: time.end, from: 1, to: 1, tolerance: 1}\n", "are equal");
    reject_study(VARY "threshold: {key: time.end, from: -1, to: 1, tolerance: 1, spacing: log}\n",
                 "of one sign");
    reject_study(VARY "ensemble: {over: nu}\n", "no variable under vary is named \"nu\"");
    reject_study(VARY "ensemble: {over: mu, against: mu}\n", "under over and under against");
    reject_study(VARY "ensemble: {over: mu, fit: lognormal}\n", "against names");
    reject_study("case: base.yaml\nvary: [{name: a, key: x, values: [1, -1]}, {name: b, key: y, "
                 "values: [1]}]\nensemble: {over: b, against: a, fit: lognormal}\n",
                 "positive numbers, found -1");
    reject_study(VARY "plots: [{x: mu, y: nothing}]\n", "has no column \"nothing\"");
}

// ---- searches ----

struct step_function {
    double threshold;
    double known[64];
    int count;
};

static enum answer step_look(void *context, double point) {
    const struct step_function *step = context;
    for (int i = 0; i < step->count; i++)
        if (step->known[i] == point)
            return point >= step->threshold ? ANSWER_YES : ANSWER_NO;
    return ANSWER_UNKNOWN;
}

// Runs what is wanted, in rounds of at most `width`. Returns the rounds.
static int search_all(const struct search_settings *settings, struct step_function *step, int width,
                      struct search *search) {
    for (int rounds = 0;; rounds++) {
        *search = search_walk(settings, width, step_look, step);
        if (search->status != SEARCH_OPEN)
            return rounds;
        assert_true(search->wanted_count > 0 && search->needed_count <= search->wanted_count);
        for (int k = 0; k < search->wanted_count; k++)
            step->known[step->count++] = search->wanted[k];
    }
}

// Halving 8 down to 1/8 takes six runs beside the ends. With free cores there are fewer rounds, and
// the bracket and the visited points are the same.
static void bisection_is_the_same_for_any_number_of_cores(void **state) {
    (void)state;
    const struct search_settings settings = {.from = 0, .to = 8, .tolerance = 0.125};
    struct step_function one = {.threshold = 3.3}, three = {.threshold = 3.3};
    struct search alone, ahead;
    assert_int_equal(search_all(&settings, &one, 1, &alone), 7);
    assert_int_equal(alone.status, SEARCH_FOUND);
    assert_same(alone.low, 3.25);
    assert_same(alone.high, 3.375);
    assert_int_equal(alone.visited_count, 8);
    assert_int_equal(search_runs(&settings), 8);
    assert_int_equal(search_all(&settings, &three, 3, &ahead), 4);
    assert_same(ahead.low, alone.low);
    assert_same(ahead.high, alone.high);
    assert_int_equal(ahead.visited_count, alone.visited_count);
    assert_memory_equal(ahead.visited, alone.visited, sizeof(double) * 8);
    // Whichever half the threshold is in.
    struct step_function low = {.threshold = 0.1}, high = {.threshold = 7.9};
    assert_int_equal(search_all(&settings, &low, 3, &ahead), 4);
    assert_int_equal(search_all(&settings, &high, 3, &ahead), 4);
}

static void brackets_without_a_change_are_reported(void **state) {
    (void)state;
    const struct search_settings settings = {.from = 1, .to = 2, .relative = 0.01};
    struct step_function low = {.threshold = 0}, high = {.threshold = 9};
    struct search search;
    search_all(&settings, &low, 4, &search);
    assert_int_equal(search.status, SEARCH_SAME);
    assert_int_equal(search.at_from, ANSWER_YES);
    assert_int_equal(low.count, 2);
    search_all(&settings, &high, 4, &search);
    assert_int_equal(search.status, SEARCH_SAME);
    assert_int_equal(search.at_to, ANSWER_NO);
}

// From the other side, and with ratios: 1, 100 are halved at 10.
static void brackets_may_fall_and_have_ratios(void **state) {
    (void)state;
    const struct search_settings falls = {.from = 8, .to = 0, .tolerance = 0.125};
    const struct search_settings ratios = {
        .from = 1, .to = 100, .relative = 0.05, .logarithmic = true};
    struct step_function first = {.threshold = 3.3}, second = {.threshold = 20};
    struct search search;
    search_all(&falls, &first, 1, &search);
    assert_same(search.low, 3.375);
    assert_same(search.high, 3.25);
    search_all(&ratios, &second, 1, &search);
    assert_same(search.visited[2], 10);
    assert_true(search.low < 20 && search.high >= 20 && search.high - search.low <= 1);
}

static enum answer failing_look(void *context, double point) {
    (void)context;
    return point == 1.5 ? ANSWER_FAILED : point > 1.5 ? ANSWER_YES : ANSWER_NO;
}

// Nothing is concluded from a run that failed; a tolerance below the rounding of points ends.
static void failures_and_tiny_tolerances_end_a_search(void **state) {
    (void)state;
    const struct search_settings settings = {.from = 1, .to = 2, .tolerance = 0.01};
    const struct search_settings tiny = {.from = 1, .to = 1.5, .tolerance = 1e-300};
    assert_int_equal(search_walk(&settings, 1, failing_look, NULL).status, SEARCH_FAILED);
    assert_int_equal(search_walk(&tiny, 1, failing_look, NULL).status, SEARCH_FAILED);
    assert_true(search_runs(&tiny) < SEARCH_VISITS_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_run_the_last_entry_fastest),
        cmocka_unit_test(ranges_are_even),
        cmocka_unit_test(latin_samples_meet_every_part_once),
        cmocka_unit_test(files_are_found_in_the_order_of_their_names),
        cmocka_unit_test(artificial_records_have_their_peak),
        cmocka_unit_test(members_are_named_by_their_case),
        cmocka_unit_test(members_that_are_no_case_are_rejected),
        cmocka_unit_test(wrong_studies_are_rejected_with_their_place),
        cmocka_unit_test(bisection_is_the_same_for_any_number_of_cores),
        cmocka_unit_test(brackets_without_a_change_are_reported),
        cmocka_unit_test(brackets_may_fall_and_have_ratios),
        cmocka_unit_test(failures_and_tiny_tolerances_end_a_search),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
