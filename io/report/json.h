// Prints JSON that may stand inside a script element of an HTML page: no text of a run can end the
// element, because every < is written as an escape.
#ifndef IO_REPORT_JSON_H
#define IO_REPORT_JSON_H

#include <stdio.h>

// Prints a text in quotes. Bytes that are not UTF-8 become question marks.
void json_text(FILE *stream, const char *text);
// Prints a number with seven digits, and null for one that JSON does not have.
void json_number(FILE *stream, double number);

#endif
