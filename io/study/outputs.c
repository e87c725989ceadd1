#include "io/study/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/file.h"
#include "io/study/ensemble.h"
#include "io/study/plots.h"
#include "parallel/memory.h"

struct outputs {
    struct campaign *campaign;
    const struct study *study;
    const char *folder;
    struct sheet table, thresholds, groups, fits;
    struct plots plots;
};

static bool write_sheet(const struct outputs *outputs, const struct sheet *sheet, const char *name,
                        struct gabion_error *error) {
    char path[STUDY_PATH_MAX];
    snprintf(path, sizeof path, "%.3000s/%s", outputs->folder, name);
    return sheet_write(sheet, path, error);
}

// ---- the table of members ----

static void variable_columns(const struct study *study, struct sheet *sheet) {
    for (size_t v = 0; v < study->variable_count; v++)
        sheet_column(sheet, study->variables[v].name);
}

static void variable_cells(const struct study *study, size_t point, struct sheet *sheet) {
    for (size_t v = 0; v < study->variable_count; v++)
        sheet_cell(sheet, "%s", study_value_at(study, v, point)->label);
}

static void summary_cell(const struct member *member, const char *key, struct sheet *sheet) {
    char value[128] = "";
    if (member->summary)
        member_summary(member, key, value, sizeof value);
    sheet_cell(sheet, "%s", value);
}

static const char *event_text(enum answer event) {
    return event == ANSWER_YES ? "1" : event == ANSWER_NO ? "0" : "";
}

// The column that equal runs differ in, wall_time, comes last.
static void fill_table(struct outputs *outputs) {
    const struct study *study = outputs->study;
    struct sheet *sheet = &outputs->table;
    size_t count;
    struct member **members = campaign_shown(outputs->campaign, &count);
    sheet_column(sheet, "member");
    variable_columns(study, sheet);
    if (study->has_threshold)
        sheet_column(sheet, study->threshold_name);
    sheet_column(sheet, "status");
    sheet_column(sheet, "event");
    sheet_column(sheet, "steps");
    sheet_column(sheet, "time");
    for (size_t r = 0; r < study->result_count; r++)
        sheet_column(sheet, study->results[r].name);
    sheet_column(sheet, "state_hash");
    sheet_column(sheet, "case_sha256");
    sheet_column(sheet, "wall_time");
    for (size_t i = 0; i < count; i++) {
        const struct member *member = members[i];
        bool finished = member->state == MEMBER_FINISHED;
        sheet_cell(sheet, "%zu", i + 1);
        variable_cells(study, member->point, sheet);
        if (study->has_threshold)
            sheet_cell(sheet, "%s", member->threshold);
        sheet_cell(sheet, "%s", member->status[0] ? member->status : "waiting");
        sheet_cell(sheet, "%s", finished ? event_text(member->event) : "");
        summary_cell(member, "steps", sheet);
        summary_cell(member, "time", sheet);
        for (size_t r = 0; r < study->result_count; r++)
            sheet_number(sheet, finished ? member->results[r] : NAN);
        summary_cell(member, "state-hash", sheet);
        sheet_cell(sheet, "%s", member->sha256);
        summary_cell(member, "wall-time-total", sheet);
    }
    memory_free(members);
}

// ---- thresholds ----

static const char *search_text(const struct search *search) {
    switch (search->status) {
    case SEARCH_OPEN:
        return "unfinished";
    case SEARCH_FAILED:
        return "failed";
    case SEARCH_SAME:
        return search->at_from == ANSWER_YES ? "event at both ends" : "event at neither end";
    case SEARCH_FOUND:
        return "found";
    }
    return "";
}

static double threshold_of(const struct study *study, const struct search *search) {
    return search->status == SEARCH_FOUND
               ? search_middle(&study->threshold, search->low, search->high)
               : NAN;
}

static void fill_thresholds(struct outputs *outputs) {
    const struct study *study = outputs->study;
    struct sheet *sheet = &outputs->thresholds;
    variable_columns(study, sheet);
    sheet_column(sheet, "search");
    sheet_column(sheet, study->threshold_name);
    sheet_column(sheet, "low");
    sheet_column(sheet, "high");
    sheet_column(sheet, "event_at_from");
    sheet_column(sheet, "event_at_to");
    sheet_column(sheet, "runs");
    for (size_t point = 0; point < study->point_count; point++) {
        struct search search = campaign_search(outputs->campaign, point);
        bool found = search.status == SEARCH_FOUND;
        variable_cells(study, point, sheet);
        sheet_cell(sheet, "%s", search_text(&search));
        sheet_number(sheet, threshold_of(study, &search));
        sheet_number(sheet, found ? fmin(search.low, search.high) : NAN);
        sheet_number(sheet, found ? fmax(search.low, search.high) : NAN);
        sheet_cell(sheet, "%s", event_text(search.at_from));
        sheet_cell(sheet, "%s", event_text(search.at_to));
        sheet_cell(sheet, "%d", search.visited_count);
    }
}

// ---- ensembles ----

static size_t take_members(const struct outputs *outputs, struct sample *samples) {
    size_t count = 0;
    for (size_t i = 0; i < outputs->campaign->member_count; i++) {
        const struct member *member = outputs->campaign->members[i];
        if (member->state == MEMBER_FINISHED)
            samples[count++] = (struct sample){member->point, member->event, member->results};
    }
    return count;
}

static size_t take_searches(const struct outputs *outputs, struct sample *samples, double *values) {
    size_t count = 0;
    for (size_t point = 0; point < outputs->study->point_count; point++) {
        struct search search = campaign_search(outputs->campaign, point);
        if (search.status != SEARCH_FOUND)
            continue;
        values[count] = threshold_of(outputs->study, &search);
        samples[count] = (struct sample){point, ANSWER_UNKNOWN, &values[count]};
        count++;
    }
    return count;
}

static bool plot_groups(struct outputs *outputs, const struct ensemble_request *request,
                        struct gabion_error *error) {
    const struct study *study = outputs->study;
    if (study->ensemble.against < 0)
        return true;
    struct plot_columns columns = {
        .sheet = &outputs->groups,
        .x = sheet_find(&outputs->groups, study->variables[study->ensemble.against].name),
        .by = -1};
    for (size_t v = 0; v < study->variable_count; v++)
        if (!study->ensemble.over[v] && (int)v != study->ensemble.against)
            columns.by = sheet_find(&outputs->groups, study->variables[v].name);
    for (size_t r = 0; r < request->result_count; r++) {
        char column[300], name[64];
        snprintf(column, sizeof column, "%.200s_mean", request->result_names[r]);
        snprintf(name, sizeof name, "mean-%zu", r + 1);
        columns.y = sheet_find(&outputs->groups, column);
        columns.low = columns.y + 2;
        columns.high = columns.y + 3;
        if (!plots_columns(&outputs->plots, name, &columns, error))
            return false;
    }
    return true;
}

static bool fill_curves(struct outputs *outputs, const struct ensemble_request *request,
                        struct gabion_error *error) {
    size_t count;
    struct ensemble_curve *curves = ensemble_curves(request, &count);
    ensemble_fits(request, curves, count, &outputs->fits);
    bool good = write_sheet(outputs, &outputs->fits, "fit.csv", error) &&
                plots_fragility(&outputs->plots, outputs->study, curves, count, error);
    ensemble_curves_free(curves, count);
    return good;
}

static bool fill_ensemble(struct outputs *outputs, struct gabion_error *error) {
    const struct study *study = outputs->study;
    size_t result_count = study->has_threshold ? 1 : study->result_count;
    struct sample *samples = memory_allocate(study->point_count, sizeof *samples, "samples");
    double *values = memory_allocate(study->point_count, sizeof *values, "thresholds");
    const char **names = memory_allocate(result_count, sizeof *names, "results");
    for (size_t r = 0; r < result_count; r++)
        names[r] = study->has_threshold ? study->threshold_name : study->results[r].name;
    struct ensemble_request request = {
        .study = study,
        .samples = samples,
        .count = study->has_threshold ? take_searches(outputs, samples, values)
                                      : take_members(outputs, samples),
        .result_names = names,
        .result_count = result_count,
    };
    ensemble_groups(&request, &outputs->groups);
    bool good = write_sheet(outputs, &outputs->groups, "ensemble.csv", error) &&
                plot_groups(outputs, &request, error) &&
                (!study->ensemble.fit || fill_curves(outputs, &request, error));
    memory_free(samples);
    memory_free(values);
    memory_free(names);
    return good;
}

// ---- plots and page ----

static bool plot_thresholds(struct outputs *outputs, struct gabion_error *error) {
    const struct study *study = outputs->study;
    if (study->variable_count == 0)
        return true;
    const struct sheet *sheet = &outputs->thresholds;
    struct plot_columns columns = {
        .sheet = sheet,
        .x = sheet_find(sheet, study->variables[study->variable_count - 1].name),
        .y = sheet_find(sheet, study->threshold_name),
        .low = sheet_find(sheet, "low"),
        .high = sheet_find(sheet, "high"),
        .by = study->variable_count > 1 ? sheet_find(sheet, study->variables[0].name) : -1};
    return plots_columns(&outputs->plots, "threshold", &columns, error);
}

static bool plot_asked(struct outputs *outputs, struct gabion_error *error) {
    for (size_t i = 0; i < outputs->study->plot_count; i++) {
        const struct study_plot *plot = &outputs->study->plots[i];
        char name[64];
        struct plot_columns columns = {.sheet = &outputs->table,
                                       .x = sheet_find(&outputs->table, plot->x),
                                       .y = sheet_find(&outputs->table, plot->y),
                                       .low = -1,
                                       .high = -1,
                                       .by = plot->by ? sheet_find(&outputs->table, plot->by) : -1};
        snprintf(name, sizeof name, "plot-%zu", i + 1);
        if (!plots_columns(&outputs->plots, name, &columns, error))
            return false;
    }
    return true;
}

static void print_section(FILE *stream, const char *title, const struct sheet *sheet,
                          const char *file) {
    if (sheet->column_count == 0)
        return;
    fprintf(stream, "<h2>%s</h2>\n<p><a href=\"%s\">%s</a></p>\n", title, file, file);
    sheet_print_html(sheet, 500, stream);
}

static bool write_page(struct outputs *outputs, struct gabion_error *error) {
    char path[STUDY_PATH_MAX];
    struct safe_file file;
    const char *title = outputs->study->title[0] ? outputs->study->title : outputs->study->path;
    snprintf(path, sizeof path, "%.3000s/index.html", outputs->folder);
    if (!safe_file_open(&file, path, error))
        return false;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", file.stream);
    html_print(file.stream, title);
    fputs("</title>\n<style>body{font-family:sans-serif;max-width:72em;margin:2em auto;padding:0 "
          "1em}figure{margin:1em 0}img{max-width:100%}.table{overflow-x:auto}table{border-collapse:"
          "collapse;font-size:small}th,td{border:1px solid #ccc;padding:.2em .5em;text-align:right}"
          "</style></head>\n<body><h1>",
          file.stream);
    html_print(file.stream, title);
    fputs("</h1>\n", file.stream);
    for (int k = 0; k < outputs->plots.count; k++) {
        fprintf(file.stream, "<figure><img src=\"plots/%s.svg\" alt=\"", outputs->plots.names[k]);
        html_print(file.stream, outputs->plots.captions[k]);
        fputs("\"><figcaption>", file.stream);
        html_print(file.stream, outputs->plots.captions[k]);
        fputs("</figcaption></figure>\n", file.stream);
    }
    print_section(file.stream, "Fragility", &outputs->fits, "fit.csv");
    print_section(file.stream, "Ensemble", &outputs->groups, "ensemble.csv");
    print_section(file.stream, "Thresholds", &outputs->thresholds, "thresholds.csv");
    print_section(file.stream, "Members", &outputs->table, "table.csv");
    fputs("</body></html>\n", file.stream);
    return safe_file_commit(&file, error);
}

static bool write_all(struct outputs *outputs, struct gabion_error *error) {
    const struct study *study = outputs->study;
    char path[STUDY_PATH_MAX];
    snprintf(path, sizeof path, "%.3000s/plots", outputs->folder);
    fill_table(outputs);
    if (!file_make_directory(path, error) ||
        !write_sheet(outputs, &outputs->table, "table.csv", error))
        return false;
    if (study->has_threshold) {
        fill_thresholds(outputs);
        if (!write_sheet(outputs, &outputs->thresholds, "thresholds.csv", error) ||
            !plot_thresholds(outputs, error))
            return false;
    }
    return (!study->ensemble.given || fill_ensemble(outputs, error)) &&
           plot_asked(outputs, error) && write_page(outputs, error);
}

bool outputs_write(struct campaign *campaign, struct gabion_error *error) {
    struct outputs outputs = {.campaign = campaign,
                              .study = campaign->study,
                              .folder = campaign->request->folder,
                              .plots = {.folder = campaign->request->folder}};
    bool good = write_all(&outputs, error);
    if (outputs.plots.no_gnuplot)
        fprintf(
            stderr,
            "gnuplot is not installed: the plots are not drawn; their scripts are in %s/plots\n",
            outputs.folder);
    sheet_free(&outputs.table);
    sheet_free(&outputs.thresholds);
    sheet_free(&outputs.groups);
    sheet_free(&outputs.fits);
    return good;
}
