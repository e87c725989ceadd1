// CSV rows, one at a time, so that a table of any length needs no memory. Blank lines and lines
// that start with # are passed over; fields are trimmed and may be quoted, but not hold commas.
#ifndef IO_TEXT_CSV_H
#define IO_TEXT_CSV_H

#include <stdio.h>

#include "parallel/error.h"

#define CSV_FIELDS_MAX 64
#define CSV_LINE_MAX   (1 << 18)

struct csv {
    FILE *stream;
    const char *path;
    long line; // of the current row, from 1
    int count;
    char *field[CSV_FIELDS_MAX];
    char *buffer;
    size_t begin, end; // unread part of the buffer
};

enum csv_result { CSV_ROW, CSV_END, CSV_BAD };

bool csv_open(struct csv *csv, const char *path,
              struct gabion_error *error); // path must outlive it
enum csv_result csv_next(struct csv *csv, struct gabion_error *error);
void csv_close(struct csv *csv);

#endif
