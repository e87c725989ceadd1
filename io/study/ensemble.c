#include "io/study/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/memory.h"

// ---- classes of samples ----

// Variables that tell samples apart: those of a group, a curve, or a unit of the bootstrap.
enum view { VIEW_GROUP, VIEW_CURVE, VIEW_UNIT };

static bool is_in_view(const struct study *study, enum view view, size_t variable) {
    bool over = study->ensemble.over[variable];
    if (view == VIEW_UNIT)
        return over;
    return !over && (view == VIEW_GROUP || (int)variable != study->ensemble.against);
}

static bool same_class(const struct study *study, enum view view, size_t a, size_t b) {
    for (size_t v = 0; v < study->variable_count; v++)
        if (is_in_view(study, view, v) &&
            strcmp(study_value_at(study, v, a)->label, study_value_at(study, v, b)->label) != 0)
            return false;
    return true;
}

struct classes {
    size_t *of;    // class of each sample
    size_t *first; // first sample of each class
    size_t count;
};

// Numbers the classes in the order in which they appear.
static struct classes classify(const struct ensemble_request *request, enum view view) {
    struct classes classes = {memory_allocate(request->count, sizeof *classes.of, "classes"),
                              memory_allocate(request->count, sizeof *classes.first, "classes"), 0};
    for (size_t i = 0; i < request->count; i++) {
        size_t k = 0;
        while (k < classes.count &&
               !same_class(request->study, view, request->samples[classes.first[k]].point,
                           request->samples[i].point))
            k++;
        classes.of[i] = k;
        if (k == classes.count)
            classes.first[classes.count++] = i;
    }
    return classes;
}

static void classes_free(struct classes *classes) {
    memory_free(classes->of);
    memory_free(classes->first);
}

// ---- groups ----

static void view_columns(const struct study *study, enum view view, struct sheet *sheet) {
    for (size_t v = 0; v < study->variable_count; v++)
        if (is_in_view(study, view, v))
            sheet_column(sheet, study->variables[v].name);
}

static void view_cells(const struct study *study, enum view view, size_t point,
                       struct sheet *sheet) {
    for (size_t v = 0; v < study->variable_count; v++)
        if (is_in_view(study, view, v))
            sheet_cell(sheet, "%s", study_value_at(study, v, point)->label);
}

static void group_columns(const struct ensemble_request *request, struct sheet *sheet) {
    static const char *const fixed[] = {"members", "events", "probability", "probability_low",
                                        "probability_high"};
    static const char *const ends[] = {"mean", "deviation", "low", "high"};
    view_columns(request->study, VIEW_GROUP, sheet);
    sheet_column(sheet, fixed[0]);
    for (size_t k = 1; k < 5 && !request->study->has_threshold; k++)
        sheet_column(sheet, fixed[k]);
    for (size_t r = 0; r < request->result_count; r++)
        for (size_t k = 0; k < 4; k++) {
            char name[300];
            snprintf(name, sizeof name, "%.200s_%s", request->result_names[r], ends[k]);
            sheet_column(sheet, name);
        }
}

static void probability_cells(const struct ensemble_request *request, const struct classes *groups,
                              size_t group, struct sheet *sheet) {
    size_t events = 0, trials = 0;
    for (size_t i = 0; i < request->count; i++)
        if (groups->of[i] == group) {
            enum answer event = request->samples[i].event;
            events += event == ANSWER_YES;
            trials += event == ANSWER_YES || event == ANSWER_NO;
        }
    struct bounds bounds = wilson_bounds(events, trials, request->study->ensemble.confidence);
    sheet_cell(sheet, "%zu", events);
    sheet_number(sheet, trials > 0 ? (double)events / (double)trials : NAN);
    sheet_number(sheet, bounds.low);
    sheet_number(sheet, bounds.high);
}

static void mean_cells(const struct ensemble_request *request, const struct classes *groups,
                       size_t group, size_t result, double *values, struct sheet *sheet) {
    size_t count = 0;
    for (size_t i = 0; i < request->count; i++)
        if (groups->of[i] == group && !isnan(request->samples[i].results[result]))
            values[count++] = request->samples[i].results[result];
    struct moments found = moments_of(values, count, request->study->ensemble.confidence);
    sheet_number(sheet, found.mean);
    sheet_number(sheet, found.deviation);
    sheet_number(sheet, found.bounds.low);
    sheet_number(sheet, found.bounds.high);
}

void ensemble_groups(const struct ensemble_request *request, struct sheet *sheet) {
    struct classes groups = classify(request, VIEW_GROUP);
    double *values = memory_allocate(request->count, sizeof *values, "values");
    group_columns(request, sheet);
    for (size_t g = 0; g < groups.count; g++) {
        size_t members = 0;
        for (size_t i = 0; i < request->count; i++)
            members += groups.of[i] == g;
        view_cells(request->study, VIEW_GROUP, request->samples[groups.first[g]].point, sheet);
        sheet_cell(sheet, "%zu", members);
        if (!request->study->has_threshold)
            probability_cells(request, &groups, g, sheet);
        for (size_t r = 0; r < request->result_count; r++)
            mean_cells(request, &groups, g, r, values, sheet);
    }
    memory_free(values);
    classes_free(&groups);
}

// ---- curves ----

static double level_of(const struct ensemble_request *request, size_t sample) {
    const struct study *study = request->study;
    return strtod(
        study_value_at(study, (size_t)study->ensemble.against, request->samples[sample].point)
            ->label,
        NULL);
}

static size_t distinct(double *values, size_t count) {
    size_t kept = 0;
    values_sort(values, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

static size_t index_of(const double *levels, size_t count, double level) {
    size_t k = 0;
    while (k + 1 < count && levels[k] < level)
        k++;
    return k;
}

// Somewhat beyond the levels on both sides, with equal ratios.
static void make_grid(struct ensemble_curve *curve, const double *levels, size_t count) {
    double low = 0.7 * levels[0], high = 1.3 * levels[count - 1];
    for (size_t g = 0; g < ENSEMBLE_GRID; g++)
        curve->grid[g] = low * pow(high / low, (double)g / (ENSEMBLE_GRID - 1));
}

static void describe_curve(const struct study *study, size_t point, char *label, size_t size) {
    size_t length = 0;
    label[0] = '\0';
    for (size_t v = 0; v < study->variable_count && length < size; v++)
        if (is_in_view(study, VIEW_CURVE, v))
            length +=
                (size_t)snprintf(label + length, size - length, "%s%s = %s", length ? ", " : "",
                                 study->variables[v].name, study_value_at(study, v, point)->label);
}

// Counts the units of one curve from 0.
static size_t renumber(struct observation *observations, size_t count, size_t classes) {
    size_t *number = memory_allocate(classes + 1, sizeof *number, "units"), units = 0;
    for (size_t k = 0; k < count; k++) {
        size_t *mine = &number[observations[k].unit];
        if (*mine == 0)
            *mine = ++units;
        observations[k].unit = *mine - 1;
    }
    memory_free(number);
    return units;
}

static void fit_curve(const struct ensemble_request *request, const struct classes *curves,
                      const struct classes *units, size_t which, struct ensemble_curve *curve) {
    const struct study_ensemble *settings = &request->study->ensemble;
    double *levels = memory_allocate(request->count, sizeof *levels, "levels");
    struct observation *observations =
        memory_allocate(request->count, sizeof *observations, "observations");
    size_t count = 0;
    curve->first = curves->first[which];
    describe_curve(request->study, request->samples[curve->first].point, curve->label,
                   sizeof curve->label);
    for (size_t i = 0; i < request->count; i++)
        if (curves->of[i] == which)
            levels[count++] = level_of(request, i);
    size_t level_count = distinct(levels, count);
    count = 0;
    for (size_t i = 0; i < request->count; i++) {
        enum answer event = request->samples[i].event;
        if (curves->of[i] == which && (event == ANSWER_YES || event == ANSWER_NO))
            observations[count++] =
                (struct observation){index_of(levels, level_count, level_of(request, i)),
                                     units->of[i], event == ANSWER_YES};
    }
    make_grid(curve, levels, level_count);
    struct bootstrap_request drawn = {
        .levels = levels,
        .level_count = level_count,
        .observations = observations,
        .observation_count = count,
        .unit_count = renumber(observations, count, units->count),
        .samples = settings->samples,
        .seed = (uint64_t)settings->seed,
        .confidence = settings->confidence,
        .grid = curve->grid,
        .grid_count = ENSEMBLE_GRID,
    };
    curve->stripes = memory_allocate(level_count, sizeof *curve->stripes, "stripes");
    curve->stripe_count = level_count;
    curve->observation_count = count;
    curve->unit_count = drawn.unit_count;
    fragility_stripes(&drawn, NULL, curve->stripes);
    curve->fit = lognormal_fit(curve->stripes, level_count);
    curve->bounds = fragility_bootstrap(&drawn);
    memory_free(levels);
    memory_free(observations);
}

struct ensemble_curve *ensemble_curves(const struct ensemble_request *request, size_t *count) {
    struct classes curves = classify(request, VIEW_CURVE), units = classify(request, VIEW_UNIT);
    struct ensemble_curve *list = memory_allocate(curves.count, sizeof *list, "curves");
    for (size_t k = 0; k < curves.count; k++)
        fit_curve(request, &curves, &units, k, &list[k]);
    *count = curves.count;
    classes_free(&curves);
    classes_free(&units);
    return list;
}

void ensemble_curves_free(struct ensemble_curve *curves, size_t count) {
    for (size_t k = 0; k < count; k++) {
        memory_free(curves[k].stripes);
        memory_free(curves[k].bounds.curve);
    }
    memory_free(curves);
}

void ensemble_fits(const struct ensemble_request *request, const struct ensemble_curve *curves,
                   size_t count, struct sheet *sheet) {
    static const char *const names[] = {
        "fit",       "median",        "median_low",     "median_high",
        "deviation", "deviation_low", "deviation_high", "log_likelihood",
        "members",   "repetitions",   "samples",        "steps"};
    static const char *const kinds[] = {
        [FIT_NONE] = "none", [FIT_STEP] = "step", [FIT_REGULAR] = "lognormal"};
    view_columns(request->study, VIEW_CURVE, sheet);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        sheet_column(sheet, names[k]);
    for (size_t k = 0; k < count; k++) {
        const struct ensemble_curve *curve = &curves[k];
        bool found = curve->fit.kind != FIT_NONE;
        view_cells(request->study, VIEW_CURVE, request->samples[curve->first].point, sheet);
        sheet_cell(sheet, "%s", kinds[curve->fit.kind]);
        sheet_number(sheet, found ? curve->fit.median : NAN);
        sheet_number(sheet, curve->bounds.median.low);
        sheet_number(sheet, curve->bounds.median.high);
        sheet_number(sheet, found ? curve->fit.deviation : NAN);
        sheet_number(sheet, curve->bounds.deviation.low);
        sheet_number(sheet, curve->bounds.deviation.high);
        sheet_number(sheet, curve->fit.likelihood);
        sheet_cell(sheet, "%zu", curve->observation_count);
        sheet_cell(sheet, "%zu", curve->unit_count);
        sheet_cell(sheet, "%d", curve->bounds.fits);
        sheet_cell(sheet, "%d", curve->bounds.steps);
    }
}
