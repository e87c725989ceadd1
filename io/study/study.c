#include "io/study/study.h"

#include <math.h>
#include <string.h>

#include "io/case/check.h"
#include "io/case/fields.h"
#include "io/file/file.h"
#include "io/study/values.h"
#include "io/text/number.h"
#include "parallel/memory.h"

size_t study_text_count(const struct yaml_node *node) {
    return node->kind == YAML_SCALAR ? 1 : node->count;
}

const char *study_text(const struct yaml_node *node, size_t index) {
    return node->kind == YAML_SCALAR ? node->text : node->item[index]->text;
}

static struct fields study_fields(const struct study *study) {
    return (struct fields){study->root, &study_keys};
}

// ---- variables ----

static int find_variable(const struct study *study, const char *name) {
    for (size_t v = 0; v < study->variable_count; v++)
        if (strcmp(study->variables[v].name, name) == 0)
            return (int)v;
    return -1;
}

static bool report_unknown(const struct study *study, struct yaml_position at, const char *name,
                           struct gabion_error *error) {
    char hint[128];
    struct suggestion suggestion = suggestion_start(name);
    for (size_t v = 0; v < study->variable_count; v++)
        suggestion_consider(&suggestion, study->variables[v].name);
    return yaml_error(error, at, "no variable under vary is named \"%.60s\"%s", name,
                      suggestion_print(&suggestion, hint, sizeof hint));
}

static int find_result(const struct study *study, const char *name) {
    for (size_t r = 0; r < study->result_count; r++)
        if (strcmp(study->results[r].name, name) == 0)
            return (int)r;
    return -1;
}

static bool has_column(const struct study *study, const char *name) {
    static const char own[] = "member status event steps time state_hash case_sha256 wall_time";
    return word_index(own, name) >= 0 || find_variable(study, name) >= 0 ||
           find_result(study, name) >= 0 ||
           (study->has_threshold && strcmp(study->threshold_name, name) == 0);
}

static bool reject_taken(const struct study *study, const char *name, struct yaml_position at,
                         struct gabion_error *error) {
    if (!has_column(study, name))
        return true;
    return yaml_error(error, at, "the table has a column \"%.60s\" already; give another name",
                      name);
}

// A column of a CSV table cannot have a comma in its name.
static bool check_keys(const struct yaml_node *keys, struct gabion_error *error) {
    for (size_t k = 0; k < study_text_count(keys); k++) {
        const char *key = study_text(keys, k);
        if (!key[0] || strpbrk(key, " \t\r\n,;\"'={}") || strchr(".[]", key[0]))
            return yaml_error(error, keys->at,
                              "key: expected a key of the case such as laws.0.friction, found "
                              "\"%.60s\"",
                              key);
    }
    return true;
}

static bool add_variable(struct study *study, struct fields entry, struct gabion_error *error) {
    const struct yaml_node *keys = fields_node(entry, "key");
    if (!keys)
        return yaml_error(error, entry.node->at,
                          "missing key \"key\": which key of the case varies?");
    if (!check_keys(keys, error))
        return false;
    struct study_variable variable = {
        .name = fields_have(entry, "name") ? fields_text(entry, "name") : study_text(keys, 0),
        .keys = keys,
        .axis = study->axis_count,
    };
    if (!reject_taken(study, variable.name, entry.node->at, error))
        return false;
    study->variables = memory_resize(study->variables, study->variable_count + 1,
                                     sizeof *study->variables, "variables");
    study->variables[study->variable_count] = variable;
    return values_read(&study->variables[study->variable_count++], entry, study->path, error);
}

// Reads one entry of vary: a variable, or several that vary together.
static bool add_axis(struct study *study, struct fields entry, struct gabion_error *error) {
    size_t first = study->variable_count, together = fields_count(entry, "together");
    if (together && (fields_have(entry, "key") || fields_have(entry, "name")))
        return yaml_error(error, entry.node->at,
                          "together: key and name belong into the entries of its list");
    if (!together && !add_variable(study, entry, error))
        return false;
    for (size_t i = 0; i < together; i++)
        if (!add_variable(study, fields_entry(entry, "together", i), error))
            return false;
    size_t length = study->variables[first].count;
    for (size_t v = first + 1; v < study->variable_count; v++)
        if (study->variables[v].count != length)
            return yaml_error(error, entry.node->at,
                              "together: %s has %zu values and %s has %zu; they must be as many",
                              study->variables[first].name, length, study->variables[v].name,
                              study->variables[v].count);
    study->axis_length = memory_resize(study->axis_length, study->axis_count + 1,
                                       sizeof *study->axis_length, "axes");
    study->axis_length[study->axis_count++] = length;
    study->point_count *= length;
    return study->point_count <= STUDY_MEMBERS_MAX ||
           yaml_error(error, entry.node->at, "vary: more than %d combinations", STUDY_MEMBERS_MAX);
}

static bool read_vary(struct study *study, struct gabion_error *error) {
    struct fields top = study_fields(study);
    study->point_count = 1;
    for (size_t i = 0; i < fields_count(top, "vary"); i++) {
        struct fields entry = fields_entry(top, "vary", i);
        const struct yaml_node *together = fields_node(entry, "together");
        if (together && together->count == 0)
            return yaml_error(error, together->at, "together: expected variables, found none");
        if (!add_axis(study, entry, error))
            return false;
    }
    return true;
}

const struct study_value *study_value_at(const struct study *study, size_t variable, size_t point) {
    const struct study_variable *one = &study->variables[variable];
    for (size_t axis = study->axis_count; axis-- > one->axis + 1;)
        point /= study->axis_length[axis];
    return &one->values[point % study->axis_length[one->axis]];
}

// ---- results and event ----

static bool read_result(struct study *study, struct fields entry, struct gabion_error *error) {
    struct study_result *result = &study->results[study->result_count];
    char name[300];
    result->summary = fields_have(entry, "summary") ? fields_text(entry, "summary") : NULL;
    result->column = fields_have(entry, "column") ? fields_text(entry, "column") : NULL;
    result->reduction = (enum reduction)fields_choice(entry, "of");
    if (result->summary && fields_have(entry, "of"))
        return yaml_error(error, fields_node(entry, "of")->at,
                          "of: the summary has one value; only columns have several");
    if (fields_have(entry, "name"))
        snprintf(name, sizeof name, "%s", fields_text(entry, "name"));
    else if (result->summary)
        snprintf(name, sizeof name, "%.250s", result->summary);
    else
        snprintf(name, sizeof name, "%.250s_%s", result->column, fields_text(entry, "of"));
    if (!reject_taken(study, name, entry.node->at, error))
        return false;
    result->name = text_copy(name);
    study->result_count++;
    return true;
}

static bool read_results(struct study *study, struct gabion_error *error) {
    struct fields top = study_fields(study);
    size_t count = fields_count(top, "results");
    study->results = memory_allocate(count, sizeof *study->results, "results");
    for (size_t i = 0; i < count; i++)
        if (!read_result(study, fields_entry(top, "results", i), error))
            return false;
    return true;
}

static bool read_event(struct study *study, struct gabion_error *error) {
    struct fields event = fields_section(study_fields(study), "event");
    study->event = (struct study_event){
        .statuses = 1u << word_index(STUDY_STATUSES, "collapsed"), -1, NAN, NAN};
    if (!event.node)
        return true;
    bool ranged = fields_have(event, "above") || fields_have(event, "below");
    if (fields_have(event, "status")) {
        study->event.statuses = fields_choices(event, "status");
        return !ranged || yaml_error(error, event.node->at,
                                     "event: above and below belong to result, not to status");
    }
    if (!ranged)
        return yaml_error(error, event.node->at, "event: result needs above, below, or both");
    const struct yaml_node *name = fields_node(event, "result");
    study->event.result = find_result(study, name->text);
    if (study->event.result < 0)
        return yaml_error(error, name->at, "event: no entry of results is named \"%.60s\"",
                          name->text);
    study->event.statuses = 0;
    study->event.above = fields_have(event, "above") ? fields_number(event, "above") : NAN;
    study->event.below = fields_have(event, "below") ? fields_number(event, "below") : NAN;
    return true;
}

// ---- threshold, ensemble, plots ----

static bool read_threshold(struct study *study, struct gabion_error *error) {
    struct fields fields = fields_section(study_fields(study), "threshold");
    if (!fields.node)
        return true;
    struct search_settings *settings = &study->threshold;
    study->threshold_keys = fields_node(fields, "key");
    if (!check_keys(study->threshold_keys, error))
        return false;
    const char *name = fields_have(fields, "name") ? fields_text(fields, "name")
                                                   : study_text(study->threshold_keys, 0);
    if (!reject_taken(study, name, fields.node->at, error))
        return false;
    study->threshold_name = name;
    study->has_threshold = true;
    *settings = (struct search_settings){
        .from = fields_number(fields, "from"),
        .to = fields_number(fields, "to"),
        .tolerance = fields_have(fields, "tolerance") ? fields_number(fields, "tolerance") : 0,
        .relative = fields_have(fields, "relative_tolerance")
                        ? fields_number(fields, "relative_tolerance")
                        : 0,
        .logarithmic = fields_choice(fields, "spacing") == 1,
    };
    if (settings->from == settings->to)
        return yaml_error(error, fields.node->at, "threshold: from and to are equal");
    if (settings->logarithmic && !(settings->from * settings->to > 0))
        return yaml_error(error, fields.node->at,
                          "threshold: spacing log needs from and to of one sign, and not 0");
    return settings->tolerance > 0 || settings->relative > 0 ||
           yaml_error(error, fields.node->at,
                      "threshold: expected tolerance or relative_tolerance");
}

static bool read_over(struct study *study, const struct yaml_node *names,
                      struct gabion_error *error) {
    struct study_ensemble *ensemble = &study->ensemble;
    ensemble->over = memory_allocate(study->variable_count, sizeof *ensemble->over, "variables");
    for (size_t k = 0; k < study_text_count(names); k++) {
        int v = find_variable(study, study_text(names, k));
        if (v < 0)
            return report_unknown(study, names->at, study_text(names, k), error);
        ensemble->over[v] = true;
    }
    return true;
}

// A curve is drawn against positive numbers.
static bool check_levels(const struct study *study, struct yaml_position at,
                         struct gabion_error *error) {
    const struct study_variable *variable = &study->variables[study->ensemble.against];
    for (size_t i = 0; i < variable->count; i++) {
        double number;
        if (!number_parse(variable->values[i].label, &number) || !(number > 0))
            return yaml_error(error, at,
                              "ensemble.fit: a lognormal curve needs positive numbers, found %.60s "
                              "among the values of %s",
                              variable->values[i].label, variable->name);
    }
    return true;
}

static bool read_ensemble(struct study *study, struct gabion_error *error) {
    struct fields fields = fields_section(study_fields(study), "ensemble");
    struct study_ensemble *ensemble = &study->ensemble;
    ensemble->against = -1;
    if (!fields.node)
        return true;
    ensemble->given = true;
    ensemble->fit = fields_choice(fields, "fit") == 1;
    ensemble->confidence = fields_number(fields, "confidence");
    ensemble->samples = (int)fields_integer(fields, "samples");
    ensemble->seed = fields_integer(fields, "seed");
    if (!read_over(study, fields_node(fields, "over"), error))
        return false;
    const struct yaml_node *against = fields_node(fields, "against");
    if (against && (ensemble->against = find_variable(study, against->text)) < 0)
        return report_unknown(study, against->at, against->text, error);
    if (against && ensemble->over[ensemble->against])
        return yaml_error(error, against->at, "ensemble: %s is under over and under against",
                          against->text);
    if (!ensemble->fit)
        return true;
    if (study->has_threshold)
        return yaml_error(error, fields.node->at,
                          "ensemble.fit: with threshold there are no probabilities to fit");
    return against ? check_levels(study, against->at, error)
                   : yaml_error(error, fields.node->at,
                                "ensemble.fit: against names the variable of the curve");
}

static bool check_plot(const struct study *study, struct fields entry, struct gabion_error *error) {
    static const char *const keys[] = {"x", "y", "by"};
    for (size_t k = 0; k < 3; k++) {
        const struct yaml_node *name = fields_node(entry, keys[k]);
        if (name && !has_column(study, name->text))
            return yaml_error(error, name->at, "%s: the table has no column \"%.60s\"", keys[k],
                              name->text);
    }
    return true;
}

static bool read_plots(struct study *study, struct gabion_error *error) {
    struct fields top = study_fields(study);
    study->plot_count = fields_count(top, "plots");
    study->plots = memory_allocate(study->plot_count, sizeof *study->plots, "plots");
    for (size_t i = 0; i < study->plot_count; i++) {
        struct fields entry = fields_entry(top, "plots", i);
        if (!check_plot(study, entry, error))
            return false;
        study->plots[i] =
            (struct study_plot){fields_text(entry, "x"), fields_text(entry, "y"),
                                fields_have(entry, "by") ? fields_text(entry, "by") : NULL};
    }
    return true;
}

// ---- the file ----

bool study_recognise(const char *path) {
    struct gabion_error ignored = {0};
    size_t size;
    char *text = file_read(path, YAML_SIZE_MAX, &size, &ignored);
    struct yaml_node *root = text ? yaml_parse(text, size, path, &ignored) : NULL;
    bool found = yaml_find(root, "case") != NULL;
    memory_free(text);
    yaml_free(root);
    return found;
}

static bool read_study(struct study *study, struct gabion_error *error) {
    struct problems problems = {0};
    struct fields top = study_fields(study);
    keys_check(&study_keys, "the study file", study->root, &problems);
    if (!problems_report(&problems, error))
        return false;
    study->title = fields_text(top, "title");
    study->threads = (int)fields_integer(top, "threads");
    study->slurm_options = fields_node(fields_section(top, "slurm"), "options");
    if (!read_vary(study, error) || !read_results(study, error) || !read_event(study, error) ||
        !read_threshold(study, error) || !read_ensemble(study, error) || !read_plots(study, error))
        return false;
    if (study->variable_count == 0 && !study->has_threshold)
        return yaml_error(error, study->root->at, "nothing varies: expected vary or threshold");
    const struct yaml_node *name = fields_node(top, "case");
    return file_beside(study->case_path, sizeof study->case_path, study->path, name->text) ||
           yaml_error(error, name->at, "case: the name is too long");
}

struct study *study_parse(const char *text, size_t size, const char *path,
                          struct gabion_error *error) {
    struct study *study = memory_allocate(1, sizeof *study, "study");
    if (snprintf(study->path, sizeof study->path, "%s", path) >= (int)sizeof study->path)
        error_set(error, GABION_ERROR_INPUT, "the name of the study is too long");
    else
        study->root = yaml_parse(text, size, study->path, error);
    if (study->root && read_study(study, error))
        return study;
    study_free(study);
    return NULL;
}

struct study *study_load(const char *path, struct gabion_error *error) {
    size_t size;
    char *text = file_read(path, YAML_SIZE_MAX, &size, error);
    struct study *study = text ? study_parse(text, size, path, error) : NULL;
    memory_free(text);
    if (!study || file_exists(study->case_path))
        return study;
    const struct yaml_node *name = yaml_find(study->root, "case");
    yaml_error(error, name->at, "case: cannot find \"%s\"", name->text);
    study_free(study);
    return NULL;
}

void study_free(struct study *study) {
    for (size_t v = 0; v < study->variable_count; v++) {
        for (size_t i = 0; i < study->variables[v].count; i++) {
            memory_free(study->variables[v].values[i].text);
            memory_free(study->variables[v].values[i].label);
        }
        memory_free(study->variables[v].values);
    }
    for (size_t r = 0; r < study->result_count; r++)
        memory_free((char *)study->results[r].name);
    memory_free(study->variables);
    memory_free(study->axis_length);
    memory_free(study->results);
    memory_free(study->ensemble.over);
    memory_free(study->plots);
    yaml_free(study->root);
    memory_free(study);
}
