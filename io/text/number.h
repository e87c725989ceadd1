// Parses numbers strictly, and suggests corrections of misspelt words.
#ifndef IO_TEXT_NUMBER_H
#define IO_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

// Parses a text that is one finite decimal number. Rejects hexadecimal, "nan", blanks and trailing
// characters.
bool number_parse(const char *text, double *value);

// Finds the candidate nearest to a misspelt word, if one is near enough.
#define SUGGESTION_SIZE 41
struct suggestion {
    const char *word;           // misspelt
    char best[SUGGESTION_SIZE]; // "": none is near enough
    size_t distance;
};
struct suggestion suggestion_start(const char *word);
void suggestion_consider(struct suggestion *suggestion, const char *candidate);
// Writes `; did you mean "x"?` or "".
const char *suggestion_print(const struct suggestion *suggestion, char *text, size_t size);

#endif
