// The history of a run as a report shows it: every column at a bounded number of places.
#ifndef IO_REPORT_TABLE_H
#define IO_REPORT_TABLE_H

#include <stdio.h>

#include "parallel/error.h"

// Prints history.csv of a folder as a JSON object. More rows than `most` are drawn together into
// intervals, of which each column keeps the smallest and the largest value, so that no peak is
// lost. A last row without its end is passed over: a run may be writing it. *rows is how many were
// read; a file that is missing gives a table without rows.
bool table_print(FILE *stream, const char *path, int most, long *rows, struct gabion_error *error);

#endif
