// Numbers and words as a person writes them: nothing is guessed, nothing is half read.
#ifndef IO_TEXT_NUMBER_H
#define IO_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

// The whole text is one finite decimal number. No hexadecimal, no "nan", no blanks.
bool number_parse(const char *text, double *value);

// The candidate nearest to a misspelt word, if it is near enough to be meant.
#define SUGGESTION_SIZE 41
struct suggestion {
    const char *word;           // misspelt
    char best[SUGGESTION_SIZE]; // "": nothing near
    size_t distance;
};
struct suggestion suggestion_start(const char *word);
void suggestion_consider(struct suggestion *suggestion, const char *candidate);
// `; did you mean "x"?` or "".
const char *suggestion_print(const struct suggestion *suggestion, char *text, size_t size);

#endif
