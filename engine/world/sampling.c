#include "engine/world/sampling.h"

#include <math.h>

#define PI 3.14159265358979323846

// Sines ---------------------------------------------------------------------------------------

// The mean over all phases. The line through the samples has (sin(x)/x)^2 of the sine, x = pi f h,
// and a mean square of (2 + cos(2 x)) / 3 of its own.
static double sine_loss(double frequency, double step) {
    double x = PI * frequency * step;
    if (x < 1e-3)
        return 0;
    double kept = sin(x) / x;
    return sqrt(1 - 2 * kept * kept + (2 + cos(2 * x)) / 3);
}

// Tables --------------------------------------------------------------------------------------

// A table as a function of the time of the run that is linear between its points.
struct polyline {
    const double *time, *value;
    int points;
    double offset; // from the table's time to that of the run
};

static double time_of(const struct polyline *line, int k) { return line->time[k] + line->offset; }

// Returns the value at a time between points k and k + 1, and that of the nearer one outside.
static double value_at(const struct polyline *line, int k, double time) {
    double from = time_of(line, k), to = time_of(line, k + 1);
    double share = fmin(fmax((time - from) / (to - from), 0), 1);
    return line->value[k] + share * (line->value[k + 1] - line->value[k]);
}

// Returns the integral of the square of a function that is linear over `length`.
static double square_integral(double from, double to, double length) {
    return length * (from * from + from * to + to * to) / 3;
}

static double variation(const struct polyline *line) {
    double length = line->time[line->points - 1] - line->time[0], sum = 0, squares = 0;
    for (int k = 0; k + 1 < line->points; k++)
        sum += 0.5 * (line->value[k] + line->value[k + 1]) * (line->time[k + 1] - line->time[k]);
    for (int k = 0; k + 1 < line->points; k++)
        squares += square_integral(line->value[k] - sum / length, line->value[k + 1] - sum / length,
                                   line->time[k + 1] - line->time[k]);
    return squares;
}

// A step, and the points of a table that are inside it.
struct interval {
    double begin, end; // s
    int first, last;
};

static double interval_loss(const struct polyline *line, const struct interval *interval) {
    int before = interval->first > 0 ? interval->first - 1 : 0;
    int after = interval->last < line->points - 1 ? interval->last : line->points - 2;
    double from = value_at(line, before, interval->begin);
    double to = value_at(line, after, interval->end);
    double slope = (to - from) / (interval->end - interval->begin);
    double time = interval->begin, difference = 0, squares = 0;
    for (int k = interval->first; k <= interval->last; k++) {
        double next_time = time_of(line, k);
        double next = line->value[k] - from - slope * (next_time - interval->begin);
        squares += square_integral(difference, next, next_time - time);
        time = next_time;
        difference = next;
    }
    return squares + square_integral(difference, 0, interval->end - time);
}

// Only steps that have points of the table inside them lose anything, so only these are visited.
static double polyline_loss(const struct polyline *line, double step) {
    double whole = variation(line), lost = 0;
    if (!(whole > 0))
        return 0;
    for (int k = 0; k < line->points;) {
        double begin = step * floor(time_of(line, k) / step);
        struct interval interval = {begin, begin + step, k, k};
        while (interval.last + 1 < line->points && time_of(line, interval.last + 1) < interval.end)
            interval.last++;
        lost += interval_loss(line, &interval);
        k = interval.last + 1;
    }
    return sqrt(lost / whole);
}

// ---------------------------------------------------------------------------------------------

double sampling_loss(const struct signal *signal, double step) {
    const struct gabion_signal *given = &signal->given;
    double offset = given->kind == GABION_SIGNAL_RECORD ? given->start : 0, loss = 0;
    struct polyline line = {signal->time, signal->value, given->points, offset};
    if (given->amplitude == 0)
        return 0;
    if (given->kind == GABION_SIGNAL_SINE)
        loss = sine_loss(given->frequency, step);
    else if (given->kind == GABION_SIGNAL_TABLE || given->kind == GABION_SIGNAL_RECORD)
        loss = polyline_loss(&line, step);
    return fmin(loss, 1);
}

double sampling_step(const struct signal *signal, double step) {
    for (int halvings = 0; halvings < 60 && sampling_loss(signal, step) > SAMPLING_LOSS; halvings++)
        step *= 0.5;
    return step;
}
