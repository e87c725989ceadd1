#include "io/study/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double search_middle(const struct search_settings *settings, double low, double high) {
    double middle = 0.5 * low + 0.5 * high; // half by half: their sum may be too large
    if (settings->logarithmic)
        middle = copysign(sqrt(fabs(low)) * sqrt(fabs(high)), low);
    char text[40];
    snprintf(text, sizeof text, "%.12g", middle);
    return strtod(text, NULL);
}

bool search_is_close(const struct search_settings *settings, double low, double high) {
    double width = fabs(high - low), middle = search_middle(settings, low, high);
    return (settings->tolerance > 0 && width <= settings->tolerance) ||
           (settings->relative > 0 && width <= settings->relative * fabs(middle)) ||
           middle == low || middle == high;
}

static void visit(struct search *search, double point) {
    if (search->visited_count < SEARCH_VISITS_MAX)
        search->visited[search->visited_count++] = point;
}

static void want(struct search *search, double point, int limit) {
    if (search->wanted_count < limit && search->wanted_count < SEARCH_WANTED_MAX)
        search->wanted[search->wanted_count++] = point;
}

// Looks at both ends. Returns whether bisection may begin.
static bool look_at_ends(struct search *search, const struct search_settings *settings,
                         search_look *look, void *context) {
    const double ends[2] = {settings->from, settings->to};
    enum answer *answers[2] = {&search->at_from, &search->at_to};
    for (int k = 0; k < 2; k++) {
        *answers[k] = look(context, ends[k]);
        if (*answers[k] == ANSWER_UNKNOWN)
            want(search, ends[k], 2);
        else
            visit(search, ends[k]);
    }
    search->needed_count = search->wanted_count;
    if (search->at_from == ANSWER_FAILED || search->at_to == ANSWER_FAILED)
        search->status = SEARCH_FAILED;
    else if (search->wanted_count == 0 && search->at_from == search->at_to)
        search->status = SEARCH_SAME;
    else
        return search->wanted_count == 0;
    search->wanted_count = search->needed_count = 0;
    return false;
}

struct bracket {
    double low, high;
};

// Wants the middle of the bracket, then the middles of its halves, and so on: with three free cores
// a round does the work of two.
static void want_ahead(struct search *search, const struct search_settings *settings, int limit,
                       search_look *look, void *context) {
    struct bracket queue[2 * SEARCH_WANTED_MAX + 2] = {{search->low, search->high}};
    int count = 1;
    for (int k = 0; k < count && search->wanted_count < limit && count <= 2 * SEARCH_WANTED_MAX;
         k++) {
        double low = queue[k].low, high = queue[k].high;
        if (search_is_close(settings, low, high))
            continue;
        double middle = search_middle(settings, low, high);
        enum answer answer = look(context, middle);
        if (answer == ANSWER_UNKNOWN)
            want(search, middle, limit);
        if (answer == ANSWER_UNKNOWN || answer != search->at_from)
            queue[count++] = (struct bracket){low, middle};
        if (answer == ANSWER_UNKNOWN || answer == search->at_from)
            queue[count++] = (struct bracket){middle, high};
    }
}

struct search search_walk(const struct search_settings *settings, int limit, search_look *look,
                          void *context) {
    struct search search = {.low = settings->from, .high = settings->to};
    if (!look_at_ends(&search, settings, look, context))
        return search;
    while (!search_is_close(settings, search.low, search.high)) {
        double middle = search_middle(settings, search.low, search.high);
        enum answer answer = look(context, middle);
        if (answer == ANSWER_FAILED) {
            search.status = SEARCH_FAILED;
            return search;
        }
        if (answer == ANSWER_UNKNOWN) {
            want_ahead(&search, settings, limit > 1 ? limit : 1, look, context);
            search.needed_count = 1;
            return search;
        }
        visit(&search, middle);
        *(answer == search.at_from ? &search.low : &search.high) = middle;
    }
    search.status = SEARCH_FOUND;
    return search;
}

static enum answer rises(void *context, double point) {
    const struct search_settings *settings = context;
    return point == settings->to ? ANSWER_YES : ANSWER_NO;
}

int search_runs(const struct search_settings *settings) {
    struct search_settings copy = *settings;
    return search_walk(settings, 1, rises, &copy).visited_count;
}
