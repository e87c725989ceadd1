// Merges the case file, its includes, the overrides and the tables into one self-contained
// document.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/case/case_file.h"
#include "io/checkpoint/donor.h"
#include "io/text/csv.h"
#include "io/file/file.h"
#include "io/mesh/mesh.h"
#include "io/text/number.h"
#include "parallel/memory.h"

// Includes and tables multiply: what they add up to is bounded as one document is.
#define INCLUDE_DEPTH_MAX 16
#define INCLUDE_FILES_MAX 1000
#define TABLE_POINTS_MAX  100000
#define POINTS_MAX        500000 // of all tables
#define TRIANGLES_MAX     20000  // of all meshes of regions

const char *text_list_add(struct text_list *list, const char *text) {
    size_t size = strlen(text) + 1;
    list->text =
        memory_reserve(list->text, &list->capacity, list->count + 1, sizeof *list->text, "names");
    char *copy = memory_allocate(size, 1, "names");
    memcpy(copy, text, size);
    list->text[list->count++] = copy;
    return copy;
}

void text_list_free(struct text_list *list) {
    for (size_t i = 0; i < list->count; i++)
        memory_free(list->text[i]);
    memory_free(list->text);
    *list = (struct text_list){0};
}

// ---- include ----

// A case on its way to one document.
struct resolver {
    const char *path; // of the case file
    struct text_list *origins;
    struct remarks *remarks;                // NULL: no reference is resolved
    size_t files, bytes, points, triangles; // read so far
    struct gabion_error *error;
};

struct include_chain { // the files being read, innermost first
    const char *path;
    const struct include_chain *outer;
    int depth;
};

// Merges `over` into `base`: mappings are merged, lists of entries are joined (base first), and any
// other value of `over` replaces that of `base`. Consumes `over`.
static void merge(struct yaml_node *base, struct yaml_node *over,
                  const struct key_section *section) {
    while (over->count) {
        struct yaml_node *value = yaml_take(over, 0), *old = yaml_find(base, value->key);
        const struct key *key = section ? key_find(section, value->key) : NULL;
        if (old && old->kind == YAML_MAPPING && value->kind == YAML_MAPPING) {
            merge(old, value, NULL);
        } else if (old && key && key->type == KEY_ENTRIES && old->kind == YAML_LIST &&
                   value->kind == YAML_LIST) {
            for (size_t i = 0; i < value->count; i++)
                yaml_append(old, value->item[i]);
            value->count = 0;
            yaml_free(value);
        } else {
            char *name = value->key;
            value->key = NULL;
            yaml_put(base, name, value);
            memory_free(name);
        }
    }
    yaml_free(over);
}

static struct yaml_node *load(struct resolver *resolver, const char *path,
                              const struct include_chain *outer);

static bool load_include(struct resolver *resolver, const struct yaml_node *name,
                         const struct include_chain *chain, struct yaml_node *base) {
    char path[PATH_MAX], real[PATH_MAX];
    struct gabion_error *error = resolver->error;
    if (name->kind != YAML_SCALAR)
        return yaml_error(error, name->at, "include: expected a file name or a list of them");
    if (!file_beside(path, sizeof path, name->at.origin, name->text) || !realpath(path, real))
        return yaml_error(error, name->at,
                          "include: cannot find \"%s\"; a name is relative to the file that has it",
                          name->text);
    if (chain->depth >= INCLUDE_DEPTH_MAX)
        return yaml_error(error, name->at, "include: nested more than %d deep", INCLUDE_DEPTH_MAX);
    if (resolver->files > INCLUDE_FILES_MAX)
        return yaml_error(error, name->at,
                          "include: more than %d files, counted as often as they "
                          "are included",
                          INCLUDE_FILES_MAX);
    for (const struct include_chain *link = chain; link; link = link->outer) {
        char seen[PATH_MAX];
        if (realpath(link->path, seen) && strcmp(seen, real) == 0)
            return yaml_error(error, name->at, "include: \"%s\" includes itself", name->text);
    }
    struct yaml_node *included = load(resolver, path, chain);
    if (included)
        merge(base, included, &case_keys);
    return included != NULL;
}

static bool load_includes(struct resolver *resolver, const struct yaml_node *names,
                          const struct include_chain *chain, struct yaml_node *base) {
    if (names->kind != YAML_LIST)
        return load_include(resolver, names, chain, base);
    for (size_t i = 0; i < names->count; i++)
        if (!load_include(resolver, names->item[i], chain, base))
            return false;
    return true;
}

// Returns the text of one file, as long as all files together are no longer than one may be.
static char *read_text(struct resolver *resolver, const char *path, size_t *size) {
    char *text = file_read(path, YAML_SIZE_MAX, size, resolver->error);
    if (!text)
        return NULL;
    resolver->files++;
    resolver->bytes += *size;
    if (resolver->bytes <= YAML_SIZE_MAX)
        return text;
    memory_free(text);
    error_set(resolver->error, GABION_ERROR_INPUT,
              "%s: the case with its included files is larger than %zu MiB; put bodies in bulk "
              "into a CSV or HDF5 file and name it under `imports`",
              path, YAML_SIZE_MAX >> 20);
    return NULL;
}

static struct yaml_node *load(struct resolver *resolver, const char *path,
                              const struct include_chain *outer) {
    size_t size;
    char *text = read_text(resolver, path, &size);
    if (!text)
        return NULL;
    const char *origin = text_list_add(resolver->origins, path);
    struct yaml_node *root = yaml_parse(text, size, origin, resolver->error);
    memory_free(text);
    if (!root)
        return NULL;
    if (root->kind != YAML_MAPPING) {
        yaml_error(resolver->error, root->at, "a case file is a mapping (key: value)");
        yaml_free(root);
        return NULL;
    }
    const struct include_chain chain = {path, outer, outer ? outer->depth + 1 : 0};
    const struct yaml_node *names = yaml_find(root, "include");
    struct yaml_node *base = yaml_create(YAML_MAPPING, root->at);
    if (names && !load_includes(resolver, names, &chain, base)) {
        yaml_free(base);
        yaml_free(root);
        return NULL;
    }
    yaml_remove(root, "include");
    merge(base, root, &case_keys);
    return base;
}

// ---- --set ----

// Moves *place to its child `part`, which is created if absent. `value`, if not NULL, becomes that
// child.
static bool set_part(struct yaml_node **place, const char *part, struct yaml_node *value,
                     const char *origin, struct gabion_error *error) {
    struct yaml_position at = {origin, 0, 0};
    struct yaml_node *parent = *place;
    if (parent->kind == YAML_LIST) {
        double index;
        if (number_parse(part, &index) && index == (double)parent->count && value) {
            yaml_append(parent, value);
            *place = value;
            return true;
        }
        if (!number_parse(part, &index) || !(index >= 0 && index < (double)parent->count) ||
            index != (double)(size_t)index)
            return yaml_error(error, at, "\"%s\" is not an entry of a list of %zu (counted from 0)",
                              part, parent->count);
        struct yaml_node **entry = &parent->item[(size_t)index];
        if (value) {
            yaml_free(*entry);
            *entry = value;
        }
        *place = *entry;
        return true;
    }
    if (parent->kind != YAML_MAPPING)
        return yaml_error(error, at, "\"%s\" does not exist inside a single value", part);
    struct yaml_node *child = yaml_find(parent, part);
    if (value || !child) {
        child = value ? value : yaml_create(YAML_MAPPING, at);
        yaml_put(parent, part, child);
    }
    *place = child;
    return true;
}

// Sets the value at `path`, which is cut into parts. Takes ownership of the value.
static bool set_value(struct yaml_node *root, char *path, struct yaml_node *value,
                      const char *origin, struct gabion_error *error) {
    struct yaml_node *place = root;
    char *rest = path;
    while (*rest) {
        size_t length = strcspn(rest, ".[]");
        char *part = rest;
        rest += length;
        rest += strspn(rest, ".[]"); // laws[2].friction and laws.2.friction are the same
        part[length] = '\0';
        if (!set_part(&place, part, *rest ? NULL : value, origin, error)) {
            yaml_free(value);
            return false;
        }
    }
    return true;
}

bool case_override(struct yaml_node *root, const char *argument, struct text_list *origins,
                   struct gabion_error *error) {
    char name[512], path[256];
    const char *equals = strchr(argument, '=');
    int shown = (int)strcspn(argument, "\n"); // values of studies end with a line break
    snprintf(name, sizeof name, "--set %.*s", shown < 400 ? shown : 400, argument);
    const char *origin = text_list_add(origins, name);
    size_t length = equals ? (size_t)(equals - argument) : 0;
    if (length == 0 || length >= sizeof path || strchr(".[]", argument[0]))
        return error_set(error, GABION_ERROR_INPUT, "%s: expected key.key=value", origin);
    struct yaml_node *value = yaml_parse(equals + 1, strlen(equals + 1), origin, error);
    if (!value)
        return false;
    yaml_set_origin(value, origin);
    snprintf(path, sizeof path, "%.*s", (int)length, argument);
    return set_value(root, path, value, origin, error);
}

// ---- files that the case names ----

// Finds the file that a name in the document refers to, relative to the file that contains the
// name.
static bool find_named(const struct yaml_node *name, const char *case_path, char real[PATH_MAX],
                       struct gabion_error *error) {
    char path[PATH_MAX];
    const char *from = name->at.line ? name->at.origin : case_path;
    if (file_beside(path, sizeof path, from, name->text) && realpath(path, real))
        return true;
    return yaml_error(error, name->at,
                      "cannot find the file \"%s\"; a name is relative to the file that has it",
                      name->text);
}

// Appends a point, which stands in this row of the file as far as messages are concerned.
static bool read_table_row(const struct csv *csv, bool first, struct yaml_node *points,
                           const char *origin, struct gabion_error *error) {
    struct yaml_position at = {origin, (int)csv->line, 1};
    double number;
    if (csv->count != 2)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%ld: expected 2 columns (time, value), found %d", csv->path, csv->line,
                         csv->count);
    bool numbers = number_parse(csv->field[0], &number) && number_parse(csv->field[1], &number);
    if (!numbers && first) // a header
        return true;
    if (!numbers)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%ld: expected two numbers, found \"%s\", \"%s\"", csv->path, csv->line,
                         csv->field[0], csv->field[1]);
    if (points->count == TABLE_POINTS_MAX)
        return error_set(
            error, GABION_ERROR_INPUT,
            "%s:%ld: more than %d points in a table; leave rows out, or cut the record", csv->path,
            csv->line, TABLE_POINTS_MAX);
    struct yaml_node *point = yaml_create(YAML_LIST, at);
    yaml_append(point, yaml_create_scalar(csv->field[0], at));
    yaml_append(point, yaml_create_scalar(csv->field[1], at));
    yaml_append(points, point);
    return true;
}

static bool read_table(const char *path, struct yaml_node *points, struct text_list *origins,
                       struct yaml_position at, struct gabion_error *error) {
    struct csv csv;
    const char *origin = text_list_add(origins, path);
    if (!csv_open(&csv, path, error))
        return error_context(error, "%s", at.origin);
    enum csv_result result = CSV_ROW;
    for (bool first = true; result == CSV_ROW; first = false) {
        result = csv_next(&csv, error);
        if (result == CSV_ROW && !read_table_row(&csv, first, points, origin, error))
            result = CSV_BAD;
    }
    csv_close(&csv);
    if (result == CSV_END && points->count == 0)
        return error_set(error, GABION_ERROR_INPUT, "%s: the table has no points", path);
    return result == CSV_END;
}

static bool inline_points(struct resolver *resolver, struct yaml_node *table) {
    struct yaml_node *name = yaml_find(table, "file");
    struct gabion_error *error = resolver->error;
    char path[PATH_MAX];
    if (!name || name->kind != YAML_SCALAR || (yaml_find(table, "points") && name->at.line > 0))
        return true; // nothing to do, or an error that the check reports
    if (!find_named(name, resolver->path, path, error))
        return false;
    struct yaml_node *points = yaml_create(YAML_LIST, name->at);
    if (!read_table(path, points, resolver->origins, name->at, error)) {
        yaml_free(points);
        return false;
    }
    resolver->points += points->count;
    if (resolver->points > POINTS_MAX)
        yaml_error(error, name->at, "more than %d points in all tables", POINTS_MAX);
    yaml_remove(table, "file");
    yaml_put(table, "points", points);
    return error->status == GABION_OK;
}

static bool inline_tables(struct resolver *resolver, struct yaml_node *action) {
    return inline_points(resolver, yaml_find(action, "table")) &&
           inline_points(resolver, yaml_find(action, "record"));
}

// Makes a reference absolute, because the resolved case is read again from other folders.
static bool anchor_file(struct resolver *resolver, struct yaml_node *mapping) {
    struct yaml_node *name = yaml_find(mapping, "file");
    char path[PATH_MAX];
    if (!name || name->kind != YAML_SCALAR)
        return true;
    if (!find_named(name, resolver->path, path, resolver->error))
        return false;
    struct yaml_node *anchored = yaml_create_scalar(path, name->at);
    anchored->key_at = name->key_at;
    yaml_put(mapping, "file", anchored);
    return true;
}

// Names the very file of a run that is a folder, because its newest checkpoint changes.
static bool anchor_source(struct resolver *resolver, struct yaml_node *from) {
    char path[PATH_MAX];
    if (!from || from->kind != YAML_MAPPING)
        return true;
    if (!anchor_file(resolver, from))
        return false;
    struct yaml_node *name = yaml_find(from, "file");
    if (!name || name->kind != YAML_SCALAR)
        return true;
    if (!donor_find(name->text, path, sizeof path, resolver->remarks, resolver->error))
        return yaml_error_context(resolver->error, name->at);
    yaml_put(from, "file", yaml_create_scalar(path, name->at));
    return true;
}

// Writes a number such that reading it gives the same bits.
static struct yaml_node *number_node(double value, struct yaml_position at) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return yaml_create_scalar(text, at);
}

static struct yaml_node *triangle_node(const vec3 corner[3], struct yaml_position at) {
    struct yaml_node *triangle = yaml_create(YAML_LIST, at);
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            yaml_append(triangle, number_node(vec3_get(corner[k], axis), at));
    return triangle;
}

// Replaces the mesh file of a region by its triangles: a resumed run must remove the bodies that
// the first one would have removed, whatever has become of the file.
static bool inline_region(struct resolver *resolver, struct yaml_node *entry) {
    struct yaml_node *mesh = yaml_find(yaml_find(entry, "region"), "mesh");
    struct yaml_node *name = yaml_find(mesh, "file");
    struct gabion_error *error = resolver->error;
    char path[PATH_MAX];
    size_t count = 0;
    if (!name || name->kind != YAML_SCALAR || yaml_find(mesh, "triangles"))
        return true; // nothing to do, or an error that the check reports
    if (!find_named(name, resolver->path, path, error))
        return false;
    vec3 *corner = mesh_read_triangles(path, &count, error);
    if (!corner)
        return yaml_error_context(error, name->at);
    resolver->triangles += count;
    if (resolver->triangles > TRIANGLES_MAX) {
        memory_free(corner);
        return yaml_error(error, name->at,
                          "mesh: more than %d triangles in all regions; take a coarser mesh",
                          TRIANGLES_MAX);
    }
    struct yaml_node *triangles = yaml_create(YAML_LIST, name->at);
    for (size_t k = 0; k < count; k++)
        yaml_append(triangles, triangle_node(corner + 3 * k, name->at));
    memory_free(corner);
    yaml_remove(mesh, "file");
    yaml_put(mesh, "triangles", triangles);
    return true;
}

static bool anchor_surface(struct resolver *resolver, struct yaml_node *container) {
    struct yaml_node *surface = yaml_find(container, "surface");
    return !surface || anchor_file(resolver, surface);
}

static bool for_entries(struct resolver *resolver, struct yaml_node *root, const char *key,
                        bool (*f)(struct resolver *, struct yaml_node *)) {
    struct yaml_node *list = yaml_find(root, key);
    for (size_t i = 0; list && list->kind == YAML_LIST && i < list->count; i++)
        if (!f(resolver, list->item[i]))
            return false;
    return true;
}

static bool anchor_mesh(struct resolver *resolver, struct yaml_node *shape) {
    struct yaml_node *mesh = yaml_find(shape, "mesh");
    return !mesh || anchor_file(resolver, mesh);
}

static bool anchor_body(struct resolver *resolver, struct yaml_node *body) {
    struct yaml_node *compound = yaml_find(body, "compound");
    return anchor_mesh(resolver, body) &&
           (!compound || for_entries(resolver, compound, "parts", anchor_mesh));
}

static bool anchor_mixture(struct resolver *resolver, struct yaml_node *grains) {
    return !grains ||
           (anchor_body(resolver, grains) && for_entries(resolver, grains, "mixture", anchor_body));
}

static bool anchor_generator(struct resolver *resolver, struct yaml_node *generator) {
    return anchor_mixture(resolver, yaml_find(generator, "lattice")) &&
           anchor_mixture(resolver, yaml_find(generator, "fill")) &&
           inline_region(resolver, yaml_find(generator, "fill"));
}

static bool inline_actions(struct resolver *resolver, struct yaml_node *root) {
    return inline_tables(resolver, yaml_find(root, "tilt")) &&
           for_entries(resolver, root, "drivers", inline_tables) &&
           for_entries(resolver, root, "forces", inline_tables) &&
           for_entries(resolver, root, "removals", inline_region) &&
           for_entries(resolver, root, "probes", inline_region);
}

bool case_inline_tables(struct yaml_node *root, const char *path, struct text_list *origins,
                        struct gabion_error *error) {
    struct resolver resolver = {.path = path, .origins = origins, .error = error};
    return inline_actions(&resolver, root);
}

struct yaml_node *case_resolve(const char *path, const char *const *overrides, int override_count,
                               struct text_list *origins, struct remarks *remarks,
                               struct gabion_error *error) {
    struct resolver resolver = {
        .path = path, .origins = origins, .remarks = remarks, .error = error};
    struct yaml_node *root = load(&resolver, path, NULL);
    if (!root)
        return NULL;
    bool good = true;
    for (int i = 0; good && i < override_count; i++)
        good = case_override(root, overrides[i], origins, error);
    good = good && inline_actions(&resolver, root) &&
           anchor_source(&resolver, yaml_find(root, "from")) &&
           for_entries(&resolver, root, "imports", anchor_file) &&
           for_entries(&resolver, root, "generators", anchor_generator) &&
           for_entries(&resolver, root, "bodies", anchor_body) &&
           for_entries(&resolver, root, "containers", anchor_surface);
    if (good)
        return root;
    yaml_free(root);
    return NULL;
}
