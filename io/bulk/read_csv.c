#include <string.h>

#include "engine/api/key.h"
#include "engine/world/footprint.h"
#include "io/bulk/columns.h"
#include "io/text/csv.h"
#include "io/text/number.h"

#define AT(member) offsetof(struct gabion_body, member)

static const struct bulk_column columns[] = {
    {"x", AT(position.x), 1, true, false},   {"y", AT(position.y), 1, true, false},
    {"z", AT(position.z), 1, true, false},   {"radius", AT(radius), 1, true, true},
    {"vx", AT(velocity.x), 1, false, false}, {"vy", AT(velocity.y), 1, false, false},
    {"vz", AT(velocity.z), 1, false, false}, {"wx", AT(spin.x), 1, false, false},
    {"wy", AT(spin.y), 1, false, false},     {"wz", AT(spin.z), 1, false, false},
    {"mass", AT(mass), 1, false, true},      {"density", AT(density), 1, false, true},
};
#define COLUMNS ((int)(sizeof columns / sizeof *columns))
#define NAMES   "x y z radius vx vy vz wx wy wz material mass density"

struct header {
    int fields;
    int column[CSV_FIELDS_MAX]; // index into `columns` of each field; COLUMNS for the material
    bool given[COLUMNS + 1];
};

static int find_column(const char *name) {
    if (strcmp(name, "material") == 0)
        return COLUMNS;
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

static bool unknown_column(const struct csv *csv, const char *name, struct gabion_error *error) {
    char hint[128], word[WORD_SIZE];
    struct suggestion suggestion = suggestion_start(name);
    for (const char *rest = NAMES; word_take(&rest, word);)
        suggestion_consider(&suggestion, word);
    return error_set(error, GABION_ERROR_INPUT,
                     "%s:%ld: unknown column \"%.60s\"; the first row names the columns: x y z "
                     "radius, and optionally vx vy vz wx wy wz material mass density%s",
                     csv->path, csv->line, name, suggestion_print(&suggestion, hint, sizeof hint));
}

static bool read_header(struct csv *csv, const struct gabion_body *template, struct header *header,
                        struct gabion_error *error) {
    *header = (struct header){0};
    enum csv_result result = csv_next(csv, error);
    if (result != CSV_ROW)
        return result == CSV_END
                   ? error_set(error, GABION_ERROR_INPUT, "%s: contains no rows", csv->path)
                   : false;
    header->fields = csv->count;
    for (int i = 0; i < csv->count; i++) {
        int column = header->column[i] = find_column(csv->field[i]);
        if (column < 0)
            return unknown_column(csv, csv->field[i], error);
        if (header->given[column])
            return error_set(error, GABION_ERROR_INPUT, "%s:%ld: column \"%s\" is given twice",
                             csv->path, csv->line, csv->field[i]);
        header->given[column] = true;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].required && !header->given[i] &&
            !(columns[i].positive && template->radius > 0.0))
            return error_set(
                error, GABION_ERROR_INPUT,
                "%s:%ld: the column \"%s\" is missing; the first row names the columns: x y z "
                "radius, and others as needed",
                csv->path, csv->line, columns[i].name);
    return true;
}

static bool add_row(const struct csv *csv, const struct header *header,
                    const struct gabion_body *template, struct gabion_world *world,
                    struct gabion_error *error) {
    struct gabion_body body = *template;
    if (csv->count != header->fields)
        return error_set(error, GABION_ERROR_INPUT, "expected %d columns, found %d", header->fields,
                         csv->count);
    for (int i = 0; i < csv->count; i++) {
        int k = header->column[i];
        double value;
        if (k == COLUMNS) {
            if (!bulk_set_material(world, template, csv->field[i],
                                   header->given[find_column("density")], &body, error))
                return false;
        } else if (number_parse(csv->field[i], &value) && bulk_accept(&columns[k], value)) {
            *bulk_value(&columns[k], &body) = value;
        } else {
            return error_set(error, GABION_ERROR_INPUT, "%s: expected %s, found \"%.60s\"",
                             columns[k].name, bulk_expected(&columns[k]), csv->field[i]);
        }
    }
    return gabion_add_body(world, &body, error) >= 0;
}

// After this many rows the size of the file says how many there are, about.
#define ROWS_SAMPLED 1000

// Rejects a table with more rows than there is memory for. Later rows may be longer than the first
// ones, so that only half as many are expected.
static bool check_room(const struct csv *csv, long row, const struct gabion_body *template,
                       const struct gabion_world *world, struct gabion_error *error) {
    double read = (double)ftello(csv->stream) - (double)(csv->end - csv->begin);
    if (row != ROWS_SAMPLED || !(read > 0))
        return true;
    double left = 0.5 * (double)row * ((double)csv->size / read - 1);
    return footprint_check(world, left, template->shape, error);
}

bool bulk_add_csv(struct gabion_world *world, const char *path, const struct gabion_body *template,
                  struct gabion_error *error) {
    struct csv csv;
    struct header header;
    if (!csv_open(&csv, path, error))
        return false;
    bool good = read_header(&csv, template, &header, error);
    enum csv_result result = CSV_ROW;
    for (long row = 1; good && result == CSV_ROW; row++) {
        result = csv_next(&csv, error);
        if (result == CSV_ROW && !(check_room(&csv, row, template, world, error) &&
                                   add_row(&csv, &header, template, world, error)))
            good = error_context(error, "%s:%ld", path, csv.line);
    }
    csv_close(&csv);
    return good && result == CSV_END;
}
