// Search for a threshold by bisection, as a function of what is known so far: after a stop it goes
// on where it was, because runs that are finished are known.
//
// Where cores are free, points that only one of the next outcomes will ask for are wanted too. What
// is found, and the points that it rests on, are those of plain bisection for any number of cores.
#ifndef IO_STUDY_SEARCH_H
#define IO_STUDY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES, ANSWER_FAILED };

struct search_settings {
    double from, to;
    double tolerance; // of the bracket at the end; 0: not given
    double relative;  // the same over the middle of the bracket; 0: not given
    bool logarithmic; // halves ratios instead of differences
};

enum search_status {
    SEARCH_OPEN,   // runs are wanted
    SEARCH_FOUND,  // the answer changes between `from` and `to`, which are close enough
    SEARCH_SAME,   // both ends have the same answer: there is nothing to bisect
    SEARCH_FAILED, // a run that bisection needs has failed
};

#define SEARCH_VISITS_MAX 128
#define SEARCH_WANTED_MAX 64

struct search {
    enum search_status status;
    double low, high; // the bracket, low being on the side of `from`
    enum answer at_from, at_to;
    double visited[SEARCH_VISITS_MAX]; // points of the bisection that are known, in order
    int visited_count;
    double wanted[SEARCH_WANTED_MAX]; // points to run next, the needed ones first
    int wanted_count;
    int needed_count; // of them: whatever the other outcomes are
};

typedef enum answer search_look(void *context, double point);

// Bisects as far as answers are known. Wants at most `limit` points, and all that it needs.
struct search search_walk(const struct search_settings *settings, int limit, search_look *look,
                          void *context);

// Returns the middle of a bracket, rounded to what a table shows.
double search_middle(const struct search_settings *settings, double low, double high);
bool search_is_close(const struct search_settings *settings, double low, double high);

// Returns how many runs bisection takes where the ends differ.
int search_runs(const struct search_settings *settings);

#endif
