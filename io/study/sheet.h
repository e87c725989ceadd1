// A table of texts with named columns, as CSV files and pages show it.
#ifndef IO_STUDY_SHEET_H
#define IO_STUDY_SHEET_H

#include <stdio.h>

#include "parallel/error.h"

struct sheet {
    char **columns;
    size_t column_count;
    char **cells; // row by row
    size_t cell_count, cell_capacity;
};

void sheet_free(struct sheet *sheet);
void sheet_column(struct sheet *sheet, const char *name);
// Adds the next cell; a row is full when it has as many as there are columns. Commas, quotes and
// line ends become blanks.
__attribute__((format(printf, 2, 3))) void sheet_cell(struct sheet *sheet, const char *format, ...);
void sheet_number(struct sheet *sheet, double number); // empty where it is not one

size_t sheet_rows(const struct sheet *sheet);
const char *sheet_at(const struct sheet *sheet, size_t row, size_t column);
int sheet_find(const struct sheet *sheet, const char *column); // -1: none

bool sheet_write(const struct sheet *sheet, const char *path, struct gabion_error *error);
void sheet_print_html(const struct sheet *sheet, size_t rows_max, FILE *stream);
void html_print(FILE *stream, const char *text); // with its special characters escaped

#endif
