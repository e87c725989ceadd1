#include "io/report/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/report/json.h"
#include "parallel/memory.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define COLUMNS_MAX    4096
#define UNSOLVED_MAX   200 // steps that are listed one by one
#define METHODS_MAX    32

// A column's two extremes in each interval, in the order in which they came.
struct column {
    char *name;
    double *low, *high;         // by interval; not a number where there is no value
    uint32_t *low_at, *high_at; // row
    bool used;                  // some value is not zero
};

struct method {
    char name[32];
    long steps;
};

struct table {
    const char *path;
    FILE *file;
    char *line;
    long rows, per_interval, intervals;
    struct column *column;
    int columns;
    int step, time, converged, residual, method; // columns; -1: there is none
    struct method methods[METHODS_MAX];
    int method_count;
    double unsolved[UNSOLVED_MAX][3]; // step, time, residual
    long unsolved_count;
};

// Reads a whole line without its end. Returns false at the end of the file, and at a line that has
// no end yet.
static bool next_line(struct table *table) {
    if (!fgets(table->line, (int)LINE_MAX_BYTES, table->file))
        return false;
    size_t length = strlen(table->line);
    if (length == 0 || table->line[length - 1] != '\n')
        return false;
    table->line[length - 1] = '\0';
    return true;
}

// Cuts the next field off a line. Returns NULL after the last one.
static char *next_field(char **rest) {
    char *field = *rest;
    if (!field)
        return NULL;
    char *comma = strchr(field, ',');
    if (comma)
        *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return field;
}

static int find_column(const struct table *table, const char *name) {
    for (int k = 0; k < table->columns; k++)
        if (strcmp(table->column[k].name, name) == 0)
            return k;
    return -1;
}

static bool read_names(struct table *table, struct gabion_error *error) {
    char *rest = table->line;
    for (char *field; (field = next_field(&rest));) {
        if (table->columns == COLUMNS_MAX)
            return error_set(error, GABION_ERROR_INPUT, "%s:1: more than %d columns", table->path,
                             COLUMNS_MAX);
        size_t size = strlen(field) + 1;
        char *name = memory_allocate(size, 1, "a history");
        memcpy(name, field, size);
        table->column = memory_resize(table->column, (size_t)table->columns + 1,
                                      sizeof *table->column, "a history");
        table->column[table->columns++] = (struct column){.name = name};
    }
    table->step = find_column(table, "step");
    table->time = find_column(table, "time");
    table->converged = find_column(table, "converged");
    table->residual = find_column(table, "residual");
    table->method = find_column(table, "method");
    return table->time >= 0 ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s:1: there is no column \"time\"; this is no history", table->path);
}

static void count_method(struct table *table, const char *name) {
    int k = 0;
    while (k < table->method_count && strcmp(table->methods[k].name, name) != 0)
        k++;
    if (k == METHODS_MAX || strlen(name) >= sizeof table->methods[k].name)
        return;
    if (k == table->method_count)
        strcpy(table->methods[table->method_count++].name, name);
    table->methods[k].steps++;
}

static void take_value(struct column *column, long interval, uint32_t row, double value) {
    if (isnan(value))
        return;
    if (value != 0)
        column->used = true;
    if (!(value >= column->low[interval])) {
        column->low[interval] = value;
        column->low_at[interval] = row;
    }
    if (!(value <= column->high[interval])) {
        column->high[interval] = value;
        column->high_at[interval] = row;
    }
}

static void note_unsolved(struct table *table, const double *value) {
    if (table->converged < 0 || table->step < 0 || table->residual < 0 ||
        value[table->converged] != 0)
        return;
    if (table->unsolved_count < UNSOLVED_MAX) {
        double *row = table->unsolved[table->unsolved_count];
        row[0] = value[table->step];
        row[1] = value[table->time];
        row[2] = value[table->residual];
    }
    table->unsolved_count++;
}

// Returns the interval of a row. The last row has one of its own, so that what a run ended with is
// on the page as it is.
static long interval_of(const struct table *table, long row) {
    return row == table->rows - 1 ? table->intervals - 1 : row / table->per_interval;
}

static bool take_row(struct table *table, long row, double *value, struct gabion_error *error) {
    char *rest = table->line;
    int k = 0;
    for (char *field; k < table->columns && (field = next_field(&rest)); k++) {
        value[k] = strtod(field, NULL);
        if (k == table->method)
            count_method(table, field);
    }
    if (k != table->columns || rest)
        return error_set(error, GABION_ERROR_INPUT, "%s:%ld: %d columns are expected", table->path,
                         row + 2, table->columns);
    for (k = 0; k < table->columns; k++)
        take_value(&table->column[k], interval_of(table, row), (uint32_t)row, value[k]);
    note_unsolved(table, value);
    return true;
}

static void reserve_intervals(struct table *table, int most) {
    long before_last = table->rows > 0 ? table->rows - 1 : 0;
    table->per_interval = table->rows > most ? (before_last + most - 2) / (most - 1) : 1;
    table->intervals =
        (before_last + table->per_interval - 1) / table->per_interval + (table->rows > 0);
    size_t n = (size_t)table->intervals;
    for (int k = 0; k < table->columns; k++) {
        struct column *column = &table->column[k];
        column->low = memory_allocate(n, sizeof *column->low, "a history");
        column->high = memory_allocate(n, sizeof *column->high, "a history");
        column->low_at = memory_allocate(n, sizeof *column->low_at, "a history");
        column->high_at = memory_allocate(n, sizeof *column->high_at, "a history");
        for (size_t i = 0; i < n; i++)
            column->low[i] = column->high[i] = NAN;
    }
}

// The rows are read twice: first they are counted, and what a running run adds later is left out.
static bool read_rows(struct table *table, int most, struct gabion_error *error) {
    off_t begin = ftello(table->file);
    while (table->rows < INT32_MAX && next_line(table))
        table->rows++;
    reserve_intervals(table, most);
    double *value = memory_allocate((size_t)table->columns, sizeof *value, "a history");
    bool good = fseeko(table->file, begin, SEEK_SET) == 0;
    for (long row = 0; good && row < table->rows && next_line(table); row++)
        good = take_row(table, row, value, error);
    memory_free(value);
    return good;
}

// ---- printing ----

// Where an interval has several rows, two values stand for it.
static void print_column(FILE *stream, const struct table *table, const struct column *column) {
    json_text(stream, column->name);
    fputs(":[", stream);
    for (long k = 0; k < table->intervals; k++) {
        bool falls = column->high_at[k] < column->low_at[k];
        fputs(k > 0 ? "," : "", stream);
        json_number(stream, falls ? column->high[k] : column->low[k]);
        if (table->per_interval > 1) {
            fputc(',', stream);
            json_number(stream, falls ? column->low[k] : column->high[k]);
        }
    }
    fputc(']', stream);
}

static bool is_shown(const struct table *table, int k) {
    const struct column *column = &table->column[k];
    return k != table->method && k != table->converged &&
           (column->used || strncmp(column->name, "spent_", 6) != 0);
}

static void print_columns(FILE *stream, const struct table *table) {
    bool first = true;
    fputs("\"columns\":{", stream);
    for (int k = 0; k < table->columns; k++) {
        if (!is_shown(table, k))
            continue;
        fputs(first ? "\n" : ",\n", stream);
        print_column(stream, table, &table->column[k]);
        first = false;
    }
    fputs("}", stream);
}

static void print_unsolved(FILE *stream, const struct table *table) {
    long listed = table->unsolved_count < UNSOLVED_MAX ? table->unsolved_count : UNSOLVED_MAX;
    fprintf(stream, "\"unsolved\":{\"count\":%ld,\"steps\":[", table->unsolved_count);
    for (long k = 0; k < listed; k++) {
        fprintf(stream, "%s[%.0f,", k > 0 ? "," : "", table->unsolved[k][0]);
        json_number(stream, table->unsolved[k][1]);
        fputc(',', stream);
        json_number(stream, table->unsolved[k][2]);
        fputc(']', stream);
    }
    fputs("]}", stream);
}

static void print_table(FILE *stream, const struct table *table) {
    fprintf(stream, "{\"rows\":%ld,\"perInterval\":%ld,\"methods\":{", table->rows,
            table->per_interval);
    for (int k = 0; k < table->method_count; k++) {
        fputs(k > 0 ? "," : "", stream);
        json_text(stream, table->methods[k].name);
        fprintf(stream, ":%ld", table->methods[k].steps);
    }
    fputs("},", stream);
    print_unsolved(stream, table);
    fputc(',', stream);
    print_columns(stream, table);
    fputc('}', stream);
}

static void table_free(struct table *table) {
    for (int k = 0; k < table->columns; k++) {
        struct column *column = &table->column[k];
        void *arrays[] = {column->name, column->low, column->high, column->low_at, column->high_at};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            memory_free(arrays[i]);
    }
    memory_free(table->column);
    memory_free(table->line);
    if (table->file)
        fclose(table->file);
}

bool table_print(FILE *stream, const char *path, int most, long *rows, struct gabion_error *error) {
    struct table table = {.path = path, .per_interval = 1, .method = -1, .converged = -1};
    bool good = true;
    if (file_exists(path)) {
        table.file = file_open(path, error);
        table.line = memory_allocate(LINE_MAX_BYTES, 1, "a history");
        good = table.file && (!next_line(&table) ||
                              (read_names(&table, error) && read_rows(&table, most, error)));
    }
    // What was read before a bad row is shown: a report is for runs that went wrong, too.
    print_table(stream, &table);
    *rows = table.rows;
    table_free(&table);
    return good;
}
