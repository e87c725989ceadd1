#include "io/text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, double *value) {
    // strtod also accepts hexadecimal, inf, nan and leading blanks; these characters exclude them.
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    char *end;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

#define SUGGESTION_LENGTH (SUGGESTION_SIZE - 1)

// Returns the Damerau-Levenshtein distance (optimal string alignment): a swap of neighbours counts
// once.
static size_t edit_distance(const char *a, const char *b) {
    size_t d[SUGGESTION_LENGTH + 1][SUGGESTION_LENGTH + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > SUGGESTION_LENGTH || lb > SUGGESTION_LENGTH)
        return SUGGESTION_LENGTH;
    for (size_t i = 0; i <= la; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= lb; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= la; i++)
        for (size_t j = 1; j <= lb; j++) {
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[la][lb];
}

struct suggestion suggestion_start(const char *word) {
    size_t length = strlen(word);
    // A third of the letters may differ, and at least one.
    return (struct suggestion){.word = word, .distance = length < 4 ? 2 : length / 3 + 1};
}

void suggestion_consider(struct suggestion *suggestion, const char *candidate) {
    size_t distance = edit_distance(suggestion->word, candidate);
    if (distance < suggestion->distance && distance < strlen(candidate)) {
        suggestion->distance = distance;
        snprintf(suggestion->best, sizeof suggestion->best, "%s", candidate);
    }
}

const char *suggestion_print(const struct suggestion *suggestion, char *text, size_t size) {
    text[0] = '\0';
    if (suggestion->best[0])
        snprintf(text, size, "; did you mean \"%s\"?", suggestion->best);
    return text;
}
