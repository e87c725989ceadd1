// Performance profiles of Dolan and More against counts by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>

#include "io/file/file.h"
#include "io/command/profile.h"
#include "parallel/memory.h"

static const char *labels[] = {"fast<", "steady"};

// Best times 1, 2, 4; the last problem is solved by nobody and counts for all.
static const double seconds[4][2] = {{1, 3}, {8, 2}, {INFINITY, 4}, {INFINITY, INFINITY}};

static void test_fractions(void **state) {
    (void)state;
    struct profile profile = profile_make(1e-4, 4, 2, labels, seconds[0]);
    const struct {
        double tau, fast, steady;
    } expected[] = {{1, 0.25, 0.5}, {2.999, 0.25, 0.5}, {3, 0.25, 0.75},      {3.999, 0.25, 0.75},
                    {4, 0.5, 0.75}, {1e300, 0.5, 0.75}, {INFINITY, 0.5, 0.75}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        assert_true(profile_fraction(&profile, 0, expected[k].tau) == expected[k].fast);
        assert_true(profile_fraction(&profile, 1, expected[k].tau) == expected[k].steady);
    }
    assert_true(profile_largest(&profile) == 4);
    profile_free(&profile);
}

static void test_empty(void **state) {
    (void)state;
    struct profile profile = profile_make(1e-4, 0, 2, labels, NULL);
    assert_true(profile_fraction(&profile, 1, INFINITY) == 0);
    assert_true(profile_largest(&profile) == 1);
    profile_free(&profile);
}

static void test_files(void **state) {
    (void)state;
    char name[] = "/tmp/gabion-profile-XXXXXX";
    struct gabion_error error = {0};
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct profile profile = profile_make(1e-4, 4, 2, labels, seconds[0]);
    assert_true(profile_write_csv(name, &profile, 1, &error));
    char *text = file_read(name, 1 << 20, NULL, &error);
    assert_string_equal(text, "tolerance,solver,tau,fraction\n"
                              "0.0001,fast<,1,0.25\n0.0001,fast<,4,0.5\n"
                              "0.0001,steady,1,0.5\n0.0001,steady,3,0.75\n");
    memory_free(text);
    assert_true(profile_write_svg(name, &profile, 1, "a & b", &error));
    text = file_read(name, 1 << 20, NULL, &error);
    assert_non_null(strstr(text, "a &amp; b"));
    assert_non_null(strstr(text, ">fast&lt;<"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    memory_free(text);
    profile_free(&profile);
    unlink(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fractions),
                                       cmocka_unit_test(test_empty), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
