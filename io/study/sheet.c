#include "io/study/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "io/file/file.h"
#include "parallel/memory.h"

static char *copy_cell(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = memcpy(memory_allocate(size, 1, "a cell"), text, size);
    for (char *c = copy; *c; c++)
        if (strchr(",\"\r\n", *c))
            *c = ' ';
    return copy;
}

void sheet_free(struct sheet *sheet) {
    for (size_t i = 0; i < sheet->column_count; i++)
        memory_free(sheet->columns[i]);
    for (size_t i = 0; i < sheet->cell_count; i++)
        memory_free(sheet->cells[i]);
    memory_free(sheet->columns);
    memory_free(sheet->cells);
    *sheet = (struct sheet){0};
}

void sheet_column(struct sheet *sheet, const char *name) {
    sheet->columns =
        memory_resize(sheet->columns, sheet->column_count + 1, sizeof *sheet->columns, "columns");
    sheet->columns[sheet->column_count++] = copy_cell(name);
}

void sheet_cell(struct sheet *sheet, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sheet->cells = memory_reserve(sheet->cells, &sheet->cell_capacity, sheet->cell_count + 1,
                                  sizeof *sheet->cells, "cells");
    sheet->cells[sheet->cell_count++] = copy_cell(text);
}

void sheet_number(struct sheet *sheet, double number) {
    if (isnan(number))
        sheet_cell(sheet, "%s", "");
    else
        sheet_cell(sheet, "%.12g", number);
}

size_t sheet_rows(const struct sheet *sheet) {
    return sheet->column_count > 0 ? sheet->cell_count / sheet->column_count : 0;
}

const char *sheet_at(const struct sheet *sheet, size_t row, size_t column) {
    return sheet->cells[row * sheet->column_count + column];
}

int sheet_find(const struct sheet *sheet, const char *column) {
    for (size_t i = 0; i < sheet->column_count; i++)
        if (strcmp(sheet->columns[i], column) == 0)
            return (int)i;
    return -1;
}

bool sheet_write(const struct sheet *sheet, const char *path, struct gabion_error *error) {
    struct safe_file file;
    if (!safe_file_open(&file, path, error))
        return false;
    for (size_t i = 0; i < sheet->column_count; i++)
        fprintf(file.stream, "%s%s", i ? "," : "", sheet->columns[i]);
    for (size_t i = 0; i < sheet->cell_count; i++)
        fprintf(file.stream, "%s%s", i % sheet->column_count ? "," : "\n", sheet->cells[i]);
    fputc('\n', file.stream);
    return safe_file_commit(&file, error);
}

void html_print(FILE *stream, const char *text) {
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '"')
            fputs("&quot;", stream);
        else
            fputc(*text, stream);
}

void sheet_print_html(const struct sheet *sheet, size_t rows_max, FILE *stream) {
    size_t rows = sheet_rows(sheet), shown = rows < rows_max ? rows : rows_max;
    fputs("<div class=\"table\"><table>\n<tr>", stream);
    for (size_t i = 0; i < sheet->column_count; i++) {
        fputs("<th>", stream);
        html_print(stream, sheet->columns[i]);
        fputs("</th>", stream);
    }
    for (size_t i = 0; i < shown * sheet->column_count; i++) {
        fputs(i % sheet->column_count ? "<td>" : "</tr>\n<tr><td>", stream);
        html_print(stream, sheet->cells[i]);
        fputs("</td>", stream);
    }
    fputs("</tr>\n</table></div>\n", stream);
    if (shown < rows)
        fprintf(stream, "<p>The first %zu of %zu rows.</p>\n", shown, rows);
}
