#include "io/study/fragility.h"

#include <math.h>

#include "parallel/memory.h"
#include "parallel/random.h"

#define ITERATIONS_MAX 200

// P = normal_share(a + b x), x being the logarithm of the level, shifted and scaled.
struct probit {
    double a, b;
    double shift, scale;
};

static double place_of(const struct probit *probit, double level) {
    return (log(level) - probit->shift) / probit->scale;
}

static double likelihood_of(const struct probit *probit, const struct stripe *stripes,
                            size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double z = probit->a + probit->b * place_of(probit, stripes[i].level);
        size_t events = stripes[i].events, others = stripes[i].trials - events;
        sum += events ? (double)events * normal_log_share(z) : 0;
        sum += others ? (double)others * normal_log_share(-z) : 0;
    }
    return sum;
}

// Returns the step of Fisher's scoring: the gradient through the inverse of the expected curvature.
static void scoring_step(const struct probit *probit, const struct stripe *stripes, size_t count,
                         double step[2]) {
    double gradient[2] = {0, 0}, curvature[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        double x = place_of(probit, stripes[i].level), z = probit->a + probit->b * x;
        double up = normal_hazard(z), down = normal_hazard(-z);
        double n = (double)stripes[i].trials, events = (double)stripes[i].events;
        double slope = events * up - (n - events) * down, weight = n * up * down;
        gradient[0] += slope;
        gradient[1] += slope * x;
        curvature[0] += weight;
        curvature[1] += weight * x;
        curvature[2] += weight * x * x;
    }
    double determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
    step[0] = (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
    step[1] = (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
}

static void centre(struct probit *probit, const struct stripe *stripes, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(stripes[i].level);
    probit->shift = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += pow(log(stripes[i].level) - probit->shift, 2);
    probit->scale = sqrt(squares / (double)count);
}

static struct lognormal maximise(const struct stripe *stripes, size_t count) {
    struct probit probit = {0};
    centre(&probit, stripes, count);
    double best = likelihood_of(&probit, stripes, count);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        double step[2], factor = 1, value;
        scoring_step(&probit, stripes, count, step);
        struct probit next;
        do {
            next = probit;
            next.a += factor * step[0];
            next.b += factor * step[1];
            value = likelihood_of(&next, stripes, count);
            factor *= 0.5;
        } while (!(value >= best) && factor > 1e-12);
        if (!(value >= best))
            break; // within rounding of the maximum
        bool done = fabs(next.a - probit.a) + fabs(next.b - probit.b) <
                    1e-12 * (1 + fabs(next.a) + fabs(next.b));
        probit = next;
        best = value;
        if (done)
            break;
    }
    if (!(probit.b > 0))
        return (struct lognormal){.kind = FIT_NONE, .likelihood = NAN};
    return (struct lognormal){FIT_REGULAR, exp(probit.shift - probit.scale * probit.a / probit.b),
                              probit.scale / probit.b, best};
}

struct lognormal lognormal_fit(const struct stripe *stripes, size_t count) {
    struct lognormal none = {.kind = FIT_NONE, .likelihood = NAN};
    size_t first_event = count, first_other = count, last_other = 0;
    for (size_t i = count; i-- > 0;) {
        first_event = stripes[i].events > 0 ? i : first_event;
        first_other = stripes[i].trials > stripes[i].events ? i : first_other;
    }
    for (size_t i = 0; i < count; i++)
        last_other = stripes[i].trials > stripes[i].events ? i : last_other;
    if (first_event == count || first_other == count)
        return none;
    if (first_event >= last_other) // a threshold parts the outcomes
        return (struct lognormal){
            FIT_STEP, sqrt(stripes[first_event].level * stripes[last_other].level), 0, NAN};
    return maximise(stripes, count);
}

double lognormal_share(const struct lognormal *fit, double level) {
    if (fit->deviation > 0)
        return normal_share(log(level / fit->median) / fit->deviation);
    return level < fit->median ? 0 : level > fit->median ? 1 : 0.5;
}

void fragility_stripes(const struct bootstrap_request *request, const size_t *unit_weights,
                       struct stripe *stripes) {
    for (size_t i = 0; i < request->level_count; i++)
        stripes[i] = (struct stripe){.level = request->levels[i]};
    for (size_t k = 0; k < request->observation_count; k++) {
        const struct observation *one = &request->observations[k];
        size_t weight = unit_weights ? unit_weights[one->unit] : 1;
        stripes[one->level].trials += weight;
        stripes[one->level].events += one->event ? weight : 0;
    }
}

static void draw_units(const struct bootstrap_request *request, struct random_stream *stream,
                       size_t *weights) {
    for (size_t u = 0; u < request->unit_count; u++)
        weights[u] = 0;
    for (size_t u = 0; u < request->unit_count; u++)
        weights[(size_t)(random_unit(stream) * (double)request->unit_count)]++;
}

static struct bounds percentiles(double *values, size_t count, double confidence) {
    values_sort(values, count);
    return (struct bounds){sorted_quantile(values, count, 0.5 - 0.5 * confidence),
                           sorted_quantile(values, count, 0.5 + 0.5 * confidence)};
}

// Leaves out the levels that a sample has nothing of.
static size_t keep_tried(struct stripe *stripes, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (stripes[i].trials > 0)
            stripes[kept++] = stripes[i];
    return kept;
}

struct bootstrap fragility_bootstrap(const struct bootstrap_request *request) {
    struct bootstrap found = {{NAN, NAN}, {NAN, NAN}, NULL, 0, 0};
    size_t samples = (size_t)request->samples, grid = request->grid_count;
    struct lognormal *fits = memory_allocate(samples, sizeof *fits, "bootstrap samples");
    struct stripe *stripes = memory_allocate(request->level_count, sizeof *stripes, "stripes");
    size_t *weights = memory_allocate(request->unit_count, sizeof *weights, "bootstrap units");
    double *values = memory_allocate(samples, sizeof *values, "bootstrap values");
    found.curve = memory_allocate(grid, sizeof *found.curve, "bounds of a curve");
    struct random_stream stream = {request->seed};
    for (size_t s = 0; s < samples; s++) {
        draw_units(request, &stream, weights);
        fragility_stripes(request, weights, stripes);
        struct lognormal fit = lognormal_fit(stripes, keep_tried(stripes, request->level_count));
        if (fit.kind == FIT_NONE)
            continue;
        found.steps += fit.kind == FIT_STEP;
        fits[found.fits++] = fit;
    }
    size_t count = (size_t)found.fits;
    for (size_t s = 0; s < count; s++)
        values[s] = fits[s].median;
    found.median = percentiles(values, count, request->confidence);
    for (size_t s = 0; s < count; s++)
        values[s] = fits[s].deviation;
    found.deviation = percentiles(values, count, request->confidence);
    for (size_t g = 0; g < grid; g++) {
        for (size_t s = 0; s < count; s++)
            values[s] = lognormal_share(&fits[s], request->grid[g]);
        found.curve[g] = percentiles(values, count, request->confidence);
    }
    memory_free(fits);
    memory_free(stripes);
    memory_free(weights);
    memory_free(values);
    return found;
}
