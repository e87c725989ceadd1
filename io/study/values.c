#include "io/study/values.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "parallel/memory.h"
#include "parallel/random.h"

char *text_copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(memory_allocate(size, 1, "a text of the study"), text, size);
}

// Takes both texts.
static void add_value(struct study_variable *variable, char *text, char *label) {
    variable->values = memory_reserve(variable->values, &variable->capacity, variable->count + 1,
                                      sizeof *variable->values, "values");
    variable->values[variable->count++] = (struct study_value){text, label};
}

static void add_number(struct study_variable *variable, double number) {
    char text[40];
    snprintf(text, sizeof text, "%.12g", number);
    add_value(variable, text_copy(text), text_copy(text));
}

// A label is one cell of a CSV table.
static char *make_label(const char *text) {
    char *label = text_copy(text), *out = label;
    for (const char *in = label; *in; in++)
        if (*in == '\n')
            *out++ = ';';
        else if (*in != ',' && *in != '"')
            *out++ = *in;
    *out = '\0';
    return label;
}

static char *emit(const struct yaml_node *node) {
    size_t size;
    char *text = yaml_emit(node, &size);
    if (size > 0 && text[size - 1] == '\n')
        text[size - 1] = '\0';
    return text;
}

static void add_nodes(struct study_variable *variable, const struct yaml_node *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_node *node = list->item[i];
        char *text = emit(node);
        add_value(variable, text, make_label(node->kind == YAML_SCALAR ? node->text : text));
    }
}

// ---- ranges ----

struct range {
    double from, to;
    size_t count;
    bool logarithmic;
};

static double range_at(const struct range *range, double share) {
    if (!range->logarithmic)
        return range->from + share * (range->to - range->from);
    return range->from * pow(range->to / range->from, share);
}

static bool read_range(struct fields entry, bool logarithmic, struct range *range,
                       struct gabion_error *error) {
    *range = (struct range){fields_number(entry, "from"), fields_number(entry, "to"),
                            (size_t)fields_integer(entry, "count"), logarithmic};
    if (logarithmic && !(range->from * range->to > 0))
        return yaml_error(error, entry.node->at,
                          "logarithmic spacing needs from and to of one sign, and not 0");
    return true;
}

static bool add_range(struct study_variable *variable, struct fields entry, bool logarithmic,
                      struct gabion_error *error) {
    struct range range;
    if (!read_range(entry, logarithmic, &range, error))
        return false;
    double parts = range.count > 1 ? (double)(range.count - 1) : 1;
    for (size_t i = 0; i < range.count; i++) // the last one exactly
        add_number(variable,
                   i > 0 && i + 1 == range.count ? range.to : range_at(&range, (double)i / parts));
    return true;
}

// The stream of a variable depends on its name: two variables with one seed are independent, and a
// new variable does not change the others (FNV-1a).
static struct random_stream start_stream(const char *name, int64_t seed) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return (struct random_stream){hash ^ ((uint64_t)seed * 0x9e3779b97f4a7c15u)};
}

// A random order of 0 .. count-1 (Fisher, Yates).
static size_t *shuffle(struct random_stream *stream, size_t count) {
    size_t *order = memory_allocate(count, sizeof *order, "an order of values");
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)(random_unit(stream) * (double)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static bool add_random(struct study_variable *variable, struct fields entry, bool latin,
                       struct gabion_error *error) {
    struct range range;
    if (!read_range(entry, fields_choice(entry, "spacing") == 1, &range, error))
        return false;
    struct random_stream stream = start_stream(variable->name, fields_integer(entry, "seed"));
    size_t *order = latin ? shuffle(&stream, range.count) : NULL;
    for (size_t i = 0; i < range.count; i++) {
        double share = random_unit(&stream);
        if (latin)
            share = ((double)order[i] + share) / (double)range.count;
        add_number(variable, range_at(&range, share));
    }
    memory_free(order);
    return true;
}

static void add_seeds(struct study_variable *variable, struct fields entry) {
    int64_t first = fields_integer(entry, "first"), count = fields_integer(entry, "count");
    for (int64_t i = 0; i < count; i++) {
        char text[40];
        snprintf(text, sizeof text, "%lld", (long long)(first + i));
        add_value(variable, text_copy(text), text_copy(text));
    }
}

// ---- files ----

static char *quote(const char *text) {
    struct yaml_node *node = yaml_create_scalar(text, (struct yaml_position){"", 0, 0});
    char *quoted = emit(node);
    yaml_free(node);
    return quoted;
}

static bool add_files(struct study_variable *variable, const struct yaml_node *names,
                      const char *study_path, struct gabion_error *error) {
    for (size_t i = 0; i < study_text_count(names); i++) {
        char pattern[STUDY_PATH_MAX];
        const char *name = study_text(names, i);
        glob_t found = {0};
        if (!file_beside(pattern, sizeof pattern, study_path, name) ||
            glob(pattern, 0, NULL, &found) != 0) {
            globfree(&found);
            return yaml_error(error, names->at, "files: no file is named \"%s\"", name);
        }
        size_t folder = strlen(pattern) - strlen(name); // labels are relative to it
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const char *path = found.gl_pathv[k];
            char *real = realpath(path, NULL);
            add_value(variable, quote(real ? real : path), make_label(path + folder));
            free(real);
        }
        globfree(&found);
    }
    return true;
}

// ---- artificial records ----

#define RECORD_POINTS_MAX  20000
#define RECORDS_POINTS_MAX 5000000 // of all records of a variable

struct sine {
    double frequency, phase, amplitude;
};

// Writes [[time, acceleration], ...] with the largest acceleration of `peak`, and 0 at both ends.
static char *record_text(const struct sine *sines, size_t count, double duration, size_t points,
                         double peak) {
    double *motion = memory_allocate(points, sizeof *motion, "a record"), largest = 0;
    for (size_t i = 0; i < points; i++) {
        double share = (double)i / (double)(points - 1), envelope = sin(M_PI * share), sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += sines[k].amplitude *
                   sin(2 * M_PI * sines[k].frequency * share * duration + sines[k].phase);
        motion[i] = i == 0 || i + 1 == points ? 0 : envelope * envelope * sum;
        largest = fmax(largest, fabs(motion[i]));
    }
    char *text = memory_allocate(points * 48 + 3, 1, "a record"), *out = text;
    for (size_t i = 0; i < points; i++)
        out += snprintf(out, 48, "%s%.9g, %.9g]", i ? ", [" : "[[",
                        duration * (double)i / (double)(points - 1),
                        largest > 0 ? peak * motion[i] / largest : 0.0);
    strcpy(out, "]");
    memory_free(motion);
    return text;
}

static bool add_synthetic(struct study_variable *variable, struct fields entry,
                          struct gabion_error *error) {
    double band[2], duration = fields_number(entry, "duration");
    size_t count = (size_t)fields_integer(entry, "count");
    size_t sine_count = (size_t)fields_integer(entry, "sines");
    double intervals = round(duration / fields_number(entry, "spacing"));
    fields_components(entry, "frequencies", band);
    if (!(intervals >= 2 && intervals < RECORD_POINTS_MAX))
        return yaml_error(error, entry.node->at, "synthetic: duration over spacing must be 2 to %d",
                          RECORD_POINTS_MAX);
    if ((double)count * intervals > RECORDS_POINTS_MAX)
        return yaml_error(error, entry.node->at, "synthetic: more than %d points in all records",
                          RECORDS_POINTS_MAX);
    if (!(band[0] <= band[1]))
        return yaml_error(error, entry.node->at, "synthetic: frequencies are [lowest, highest]");
    struct random_stream stream = start_stream(variable->name, fields_integer(entry, "seed"));
    struct sine *sines = memory_allocate(sine_count, sizeof *sines, "sines");
    for (size_t i = 0; i < count; i++) {
        char label[24];
        for (size_t k = 0; k < sine_count; k++) {
            sines[k].frequency = random_between(&stream, band[0], band[1]);
            sines[k].phase = random_between(&stream, 0, 2 * M_PI);
            sines[k].amplitude = random_unit(&stream);
        }
        snprintf(label, sizeof label, "%zu", i + 1);
        add_value(variable,
                  record_text(sines, sine_count, duration, (size_t)intervals + 1,
                              fields_number(entry, "peak")),
                  text_copy(label));
    }
    memory_free(sines);
    return true;
}

bool values_read(struct study_variable *variable, struct fields entry, const char *study_path,
                 struct gabion_error *error) {
    if (fields_have(entry, "linear"))
        return add_range(variable, fields_section(entry, "linear"), false, error);
    if (fields_have(entry, "log"))
        return add_range(variable, fields_section(entry, "log"), true, error);
    if (fields_have(entry, "random"))
        return add_random(variable, fields_section(entry, "random"), false, error);
    if (fields_have(entry, "latin"))
        return add_random(variable, fields_section(entry, "latin"), true, error);
    if (fields_have(entry, "files"))
        return add_files(variable, fields_node(entry, "files"), study_path, error);
    if (fields_have(entry, "synthetic"))
        return add_synthetic(variable, fields_section(entry, "synthetic"), error);
    if (fields_have(entry, "seeds"))
        add_seeds(variable, fields_section(entry, "seeds"));
    else
        add_nodes(variable, fields_node(entry, "values"));
    return true;
}
