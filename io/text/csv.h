// Reads CSV files row by row, so that memory does not grow with the table. Blank lines and lines
// that start with # are skipped. Fields are trimmed and may be quoted, but cannot contain commas.
#ifndef IO_TEXT_CSV_H
#define IO_TEXT_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "parallel/error.h"

#define CSV_FIELDS_MAX 1024
#define CSV_LINE_MAX   (1 << 18)

struct csv {
    FILE *stream;
    const char *path;
    uint64_t size; // bytes of the file
    long line;     // number of the current line, from 1
    int count;
    char *field[CSV_FIELDS_MAX];
    char *buffer;
    size_t begin, end; // unread part of the buffer
};

enum csv_result { CSV_ROW, CSV_END, CSV_BAD };

bool csv_open(struct csv *csv, const char *path,
              struct gabion_error *error); // path must outlive csv
enum csv_result csv_next(struct csv *csv, struct gabion_error *error);
void csv_close(struct csv *csv);

#endif
