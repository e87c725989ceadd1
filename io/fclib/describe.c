#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/problem/residual.h"
#include "io/fclib/fclib.h"
#include "parallel/memory.h"

// |W - W^T| / |W|, Frobenius. A block without a partner differs from zero twice.
static double asymmetry(const struct contact_problem *problem) {
    const struct contact_matrix *matrix = &problem->matrix;
    double difference2 = 0, norm2 = 0;
    for (int32_t a = 0; a < problem->contacts; a++)
        for (size_t e = matrix->start[a]; e < matrix->start[a + 1]; e++) {
            size_t mirror = contact_matrix_find(matrix, matrix->column[e], a);
            bool found = mirror != SIZE_MAX;
            for (size_t k = 0; k < 9; k++) {
                size_t i = k / 3, j = k % 3;
                double w = matrix->value[e * CONTACT_BLOCK + 4 * j + i];
                double t = found ? matrix->value[mirror * CONTACT_BLOCK + 4 * i + j] : 0;
                norm2 += w * w;
                difference2 += (w - t) * (w - t) * (found ? 1 : 2);
            }
        }
    return norm2 > 0 ? sqrt(difference2 / norm2) : 0;
}

static void describe_friction(const struct contact_problem *problem, FILE *stream) {
    double low = INFINITY, high = 0;
    for (int32_t a = 0; a < problem->contacts; a++) {
        low = fmin(low, problem->mu[a]);
        high = fmax(high, problem->mu[a]);
    }
    if (problem->contacts > 0)
        fprintf(stream, "friction-min: %.9g\nfriction-max: %.9g\n", low, high);
}

static void describe_solution(const struct contact_problem *problem, const double *r,
                              FILE *stream) {
    fprintf(stream, "solution: %s\n", r ? "yes" : "no");
    if (r == NULL)
        return;
    struct contact_error error = residual_of(problem, r);
    fprintf(stream, "residual-scaled: %.6g\nresidual-fclib: %.6g\n", error.scaled, error.fclib);
}

// A title of several lines would look like further keys.
static void describe_text(const char *path, const char *name, FILE *stream) {
    char *text = fclib_read_text(path, name);
    if (text[0] != '\0')
        fprintf(stream, "%s: %.*s\n", name, (int)strcspn(text, "\r\n"), text);
    memory_free(text);
}

bool fclib_describe(const char *path, FILE *stream, struct gabion_error *error) {
    double *r;
    struct contact_problem *problem = fclib_read(path, &r, error);
    if (problem == NULL)
        return false;
    double difference = asymmetry(problem);
    describe_text(path, "title", stream);
    describe_text(path, "description", stream);
    fprintf(stream, "contacts: %" PRId32 "\nblocks: %zu\n", problem->contacts,
            problem->matrix.start[problem->contacts]);
    // Symmetric but for rounding: sums in another order differ in the last digits.
    fprintf(stream, "symmetric: %s\nasymmetry: %.3g\n", difference < 1e-14 ? "yes" : "no",
            difference);
    describe_friction(problem, stream);
    describe_solution(problem, r, stream);
    contact_problem_free(problem);
    memory_free(r);
    return true;
}
