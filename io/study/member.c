#include "io/study/member.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/case/fields.h"
#include "io/file/file.h"
#include "io/run/summary.h"
#include "io/study/values.h"
#include "io/text/csv.h"
#include "io/text/number.h"
#include "parallel/memory.h"

#define SUMMARY_SIZE_MAX ((size_t)1 << 20)

// ---- the case ----

struct overrides {
    char **text;
    int count;
};

static void add_override(struct overrides *overrides, const char *key, const char *value) {
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = memory_allocate(size, 1, "an override");
    snprintf(text, size, "%s=%s", key, value);
    overrides->text = memory_resize(overrides->text, (size_t)overrides->count + 1,
                                    sizeof *overrides->text, "overrides");
    overrides->text[overrides->count++] = text;
}

static void add_all(struct overrides *overrides, const struct yaml_node *keys, const char *value) {
    for (size_t k = 0; k < study_text_count(keys); k++)
        add_override(overrides, study_text(keys, k), value);
}

static struct overrides member_overrides(const struct study *study, const struct member *member) {
    struct overrides overrides = {0};
    const struct yaml_node *set = yaml_find(study->root, "set");
    for (size_t i = 0; set && i < set->count; i++) {
        size_t size;
        char *value = yaml_emit(set->item[i], &size);
        add_override(&overrides, set->item[i]->key, value);
        memory_free(value);
    }
    for (size_t v = 0; v < study->variable_count; v++)
        add_all(&overrides, study->variables[v].keys,
                study_value_at(study, v, member->point)->text);
    if (study->has_threshold)
        add_all(&overrides, study->threshold_keys, member->threshold);
    return overrides;
}

const char *member_describe(const struct study *study, const struct member *member, char *text,
                            size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t v = 0; v < study->variable_count; v++) {
        length += (size_t)snprintf(text + length, size - length, "%s%s=%s", v ? " " : "",
                                   study->variables[v].name,
                                   study_value_at(study, v, member->point)->label);
        if (length >= size)
            return text;
    }
    if (study->has_threshold)
        snprintf(text + length, size - length, "%s%s=%s", length ? " " : "", study->threshold_name,
                 member->threshold);
    return text;
}

struct case_file *member_case(const struct study *study, const struct member *member,
                              struct gabion_error *error) {
    char label[1024];
    struct overrides overrides = member_overrides(study, member);
    struct case_file *file =
        case_load(study->case_path, (const char *const *)overrides.text, overrides.count, error);
    for (int i = 0; i < overrides.count; i++)
        memory_free(overrides.text[i]);
    memory_free(overrides.text);
    if (!file)
        error_context(error, "member %s", member_describe(study, member, label, sizeof label));
    return file;
}

bool member_write_case(const struct study *study, const struct member *member, const char *path,
                       struct gabion_error *error) {
    struct safe_file file;
    if (file_exists(path))
        return true;
    struct case_file *resolved = member_case(study, member, error);
    bool good = resolved && safe_file_open(&file, path, error);
    if (good) {
        fputs(case_text(resolved), file.stream);
        good = safe_file_commit(&file, error);
    }
    case_free(resolved);
    return good;
}

static bool check_history(const struct study *study, const struct case_file *file,
                          struct gabion_error *error) {
    for (size_t r = 0; r < study->result_count; r++)
        if (study->results[r].column && case_output(file)->history_every == 0)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: the result %s needs history.csv, but output.history_every of the "
                             "case is 0; set it under `set`",
                             study->path, study->results[r].name);
    return true;
}

// A search for the beginning of a collapse needs a case that can end so.
static bool check_event(const struct study *study, const struct case_file *file,
                        struct gabion_error *error) {
    const struct gabion_settings *settings = case_settings(file);
    bool collapse = study->event.result < 0 &&
                    study->event.statuses == 1u << word_index(STUDY_STATUSES, "collapsed");
    if (!study->has_threshold || !collapse || settings->fall_distance > 0 ||
        settings->fall_speed > 0)
        return true;
    return error_set(error, GABION_ERROR_INPUT,
                     "%s: the threshold is that of status collapsed, but the case has neither "
                     "stop.fall_distance nor stop.fall_speed, so that no run ends so; give one, "
                     "also under `set`, or another `event`",
                     study->path);
}

struct member *member_create(const struct study *study, size_t point, const char *threshold,
                             struct gabion_error *error) {
    struct member *member = memory_allocate(1, sizeof *member, "a member");
    member->point = point;
    snprintf(member->threshold, sizeof member->threshold, "%s", threshold);
    member->results = memory_allocate(study->result_count, sizeof *member->results, "results");
    struct case_file *file = member_case(study, member, error);
    bool good = file && check_history(study, file, error) && check_event(study, file, error);
    if (good) {
        const char *text = case_text(file);
        const struct gabion_settings *settings = case_settings(file);
        sha256_text(text, strlen(text), member->sha256);
        snprintf(member->name, sizeof member->name, "%.16s", member->sha256);
        member->steps_estimate = (int64_t)fmin(ceil(settings->end / settings->step), 1e15);
    }
    case_free(file);
    if (good)
        return member;
    member_free(member);
    return NULL;
}

void member_free(struct member *member) {
    memory_free(member->results);
    memory_free(member->summary);
    memory_free(member);
}

// ---- the folder ----

static void join(const char *folder, const char *under, const char *name, const char *end,
                 char path[STUDY_PATH_MAX]) {
    snprintf(path, STUDY_PATH_MAX, "%.3000s/%s/%s%s", folder, under, name, end);
}

void member_path(const char *folder, const struct member *member, const char *file,
                 char path[STUDY_PATH_MAX]) {
    char end[80];
    snprintf(end, sizeof end, "%s%s", file[0] ? "/" : "", file);
    join(folder, "members", member->name, end, path);
}

void member_case_path(const char *folder, const struct member *member, char path[STUDY_PATH_MAX]) {
    join(folder, "cases", member->name, ".yaml", path);
}

bool member_summary(const struct member *member, const char *key, char *value, size_t size) {
    size_t length = strlen(key);
    value[0] = '\0';
    for (const char *line = member->summary; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && strncmp(line + length, ": ", 2) == 0) {
            const char *start = line + length + 2;
            snprintf(value, size, "%.*s", (int)strcspn(start, "\n"), start);
            return true;
        }
    }
    return false;
}

// ---- results ----

struct reducer {
    size_t count;
    double last, low, high, sum;
};

static void reduce(struct reducer *reducer, double value) {
    reducer->low = reducer->count ? fmin(reducer->low, value) : value;
    reducer->high = reducer->count ? fmax(reducer->high, value) : value;
    reducer->last = value;
    reducer->sum += value;
    reducer->count++;
}

static double reduced(const struct reducer *reducer, enum reduction reduction) {
    if (reducer->count == 0)
        return NAN;
    switch (reduction) {
    case REDUCE_LAST:
        return reducer->last;
    case REDUCE_MAX:
        return reducer->high;
    case REDUCE_MIN:
        return reducer->low;
    case REDUCE_MEAN:
        return reducer->sum / (double)reducer->count;
    case REDUCE_AMPLITUDE:
        return fmax(fabs(reducer->low), fabs(reducer->high));
    }
    return NAN;
}

static bool find_columns(const struct study *study, const struct csv *csv, int *column,
                         struct gabion_error *error) {
    for (size_t r = 0; r < study->result_count; r++) {
        const char *name = study->results[r].column;
        struct suggestion suggestion = suggestion_start(name ? name : "");
        char hint[128];
        column[r] = -1;
        for (int i = 0; name && i < csv->count; i++) {
            suggestion_consider(&suggestion, csv->field[i]);
            if (strcmp(csv->field[i], name) == 0)
                column[r] = i;
        }
        if (name && column[r] < 0)
            return error_set(error, GABION_ERROR_INPUT, "%s has no column \"%.60s\"%s", csv->path,
                             name, suggestion_print(&suggestion, hint, sizeof hint));
    }
    return true;
}

static bool read_rows(const struct study *study, struct csv *csv, struct reducer *reducers,
                      int *column, struct gabion_error *error) {
    enum csv_result result = csv_next(csv, error);
    if (result != CSV_ROW || !find_columns(study, csv, column, error))
        return result == CSV_END;
    while ((result = csv_next(csv, error)) == CSV_ROW)
        for (size_t r = 0; r < study->result_count; r++) {
            double value;
            if (column[r] >= 0 && column[r] < csv->count &&
                number_parse(csv->field[column[r]], &value))
                reduce(&reducers[r], value);
        }
    return result == CSV_END;
}

static bool read_history(const struct study *study, const char *path, double *results,
                         struct gabion_error *error) {
    struct csv csv;
    size_t count = study->result_count;
    if (!csv_open(&csv, path, error))
        return false;
    struct reducer *reducers = memory_allocate(count, sizeof *reducers, "results");
    int *column = memory_allocate(count, sizeof *column, "columns");
    bool good = read_rows(study, &csv, reducers, column, error);
    for (size_t r = 0; good && r < count; r++)
        if (study->results[r].column)
            results[r] = reduced(&reducers[r], study->results[r].reduction);
    memory_free(reducers);
    memory_free(column);
    csv_close(&csv);
    return good;
}

#define KEYS_SIZE 800 // of a list of keys in an error

// Rejects a key that no run prints, and names those that there are.
static bool reject_key(const char *path, const struct member *member, const char *key,
                       struct gabion_error *error) {
    struct suggestion suggestion = suggestion_start(key);
    char hint[128], keys[KEYS_SIZE] = "";
    size_t length = 0;
    for (const char *line = member->summary; line && *line; line += strspn(line, "\n")) {
        int width = (int)strcspn(line, ":\n");
        char name[SUGGESTION_SIZE];
        snprintf(name, sizeof name, "%.*s", width, line);
        suggestion_consider(&suggestion, name);
        if (length < sizeof keys)
            length += (size_t)snprintf(keys + length, sizeof keys - length, "%s%.*s",
                                       length ? ", " : "", width, line);
        line += strcspn(line, "\n");
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "%s has no key \"%.60s\" for summary of results%s; the keys are %s. Members "
                     "that are finished are kept",
                     path, key, suggestion_print(&suggestion, hint, sizeof hint), keys);
}

// Reads one value of the summary; "nan" and keys of this run's kind that others do not print are
// empty cells.
static bool read_key(const char *path, const struct member *member, const char *key, double *result,
                     struct gabion_error *error) {
    char value[128];
    *result = NAN;
    if (!member_summary(member, key, value, sizeof value))
        return summary_comes_and_goes(key) || reject_key(path, member, key, error);
    return number_parse(value, result) || strcmp(value, "nan") == 0 ||
           error_set(
               error, GABION_ERROR_INPUT,
               "%s: summary of results: \"%.60s: %.60s\" is not a number; choose another key, "
               "the table has status and state_hash anyway",
               path, key, value);
}

static bool read_results(const struct study *study, const char *folder, struct member *member,
                         struct gabion_error *error) {
    char path[STUDY_PATH_MAX];
    bool history = false;
    member_path(folder, member, "result.txt", path);
    for (size_t r = 0; r < study->result_count; r++) {
        const char *key = study->results[r].summary;
        member->results[r] = NAN;
        history |= study->results[r].column != NULL;
        if (key && !read_key(path, member, key, &member->results[r], error))
            return false;
    }
    member_path(folder, member, "history.csv", path);
    return !history || read_history(study, path, member->results, error);
}

// A result that is not known, such as a maximum of nothing, is neither above nor below.
static enum answer judge(const struct study_event *event, const struct member *member) {
    bool yes;
    if (event->result < 0) {
        int status = word_index(STUDY_STATUSES, member->status);
        yes = status >= 0 && (event->statuses >> status & 1);
    } else {
        double value = member->results[event->result];
        if (isnan(value))
            return ANSWER_FAILED;
        yes = (isnan(event->above) || value > event->above) &&
              (isnan(event->below) || value < event->below);
    }
    return yes ? ANSWER_YES : ANSWER_NO;
}

bool member_refresh(const struct study *study, const char *folder, struct member *member,
                    struct gabion_error *error) {
    char path[STUDY_PATH_MAX];
    member_path(folder, member, "result.txt", path);
    if (!file_exists(path))
        return true;
    memory_free(member->summary);
    member->summary = file_read(path, SUMMARY_SIZE_MAX, NULL, error);
    if (!member->summary)
        return false;
    if (!member_summary(member, "status", member->status, sizeof member->status))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s has no line `status`; remove the file, and the member is run again",
                         path);
    if (!read_results(study, folder, member, error))
        return false;
    member->event = judge(&study->event, member);
    member->state = MEMBER_FINISHED;
    return true;
}
