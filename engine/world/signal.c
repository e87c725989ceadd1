#include "engine/world/signal.h"

#include <string.h>

#include "geometry/vec.h"
#include "parallel/memory.h"

#define TWO_PI 6.28318530717958647692

double signal_smooth_step(double s) {
    if (s <= 0)
        return 0;
    if (s >= 1)
        return 1;
    return s * s * s * (10 + s * (6 * s - 15));
}

// Returns the integral of the smooth step from 0 to s, for s in [0, 1].
static double smooth_step_integral(double s) {
    double s2 = s * s;
    return s2 * s2 * (2.5 + s * (s - 3));
}

// From 0 to 1 over `length` at constant speed but for a smooth run-in and run-out of `smooth`
// each. Without run-in the speed would jump, and bodies resting on a driver feel an impact.
static double ramp_value(double t, double length, double smooth) {
    if (t <= 0)
        return 0;
    if (t >= length)
        return 1;
    smooth = fmin(smooth, 0.5 * length);
    double speed = 1.0 / (length - smooth);
    if (t < smooth)
        return speed * smooth * smooth_step_integral(t / smooth);
    if (t > length - smooth)
        return 1.0 - speed * smooth * smooth_step_integral((length - t) / smooth);
    return speed * (t - 0.5 * smooth);
}

// Returns sin(2 pi cycles), with the same bits on every processor: the last bit of the C library's
// sine is not portable.
static double sine(double cycles) {
    double angle = TWO_PI * (cycles - floor(cycles));
    return quat_exp(vec3_make(0, 0, 2 * angle)).z;
}

static double sine_value(const struct signal *signal, double time) {
    double t = time - signal->given.start, envelope = 1;
    if (signal->given.smooth > 0) {
        envelope = signal_smooth_step(t / signal->given.smooth);
        if (isfinite(signal->given.end))
            envelope *= signal_smooth_step((signal->given.end - time) / signal->given.smooth);
    }
    return envelope * signal->given.amplitude *
           sine(signal->given.frequency * t + signal->given.phase / TWO_PI);
}

// The interval [k, k + 1] that holds the time, which lies between the first and the last point.
static int table_interval(const struct signal *signal, double time) {
    int low = 0, high = signal->given.points - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (signal->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double table_value(const struct signal *signal, double time) {
    const double *t = signal->time, *y = signal->value;
    int last = signal->given.points - 1;
    if (time <= t[0])
        return y[0];
    if (time >= t[last])
        return y[last];
    int k = table_interval(signal, time);
    return y[k] + (y[k + 1] - y[k]) * ((time - t[k]) / (t[k + 1] - t[k]));
}

// Records -------------------------------------------------------------------------------------

struct motion {
    double velocity, displacement;
};

// From the k-th point on: the acceleration is linear in s, so this is its integral. Between two
// points of the same time, where it jumps, nothing happens.
static struct motion record_motion(const struct signal *signal, int k, double s) {
    const double *t = signal->time, *a = signal->value;
    double v = signal->velocity[k], length = t[k + 1] - t[k];
    double slope = length > 0 ? (a[k + 1] - a[k]) / length : 0;
    return (struct motion){
        v + s * (a[k] + s * (slope / 2)),
        signal->displacement[k] + s * (v + s * (a[k] / 2 + s * (slope / 6))),
    };
}

// Returns the displacement of a record: at rest before the first point, at the final speed after
// the last.
static double record_value(const struct signal *signal, double time) {
    const double *t = signal->time;
    int last = signal->given.points - 1;
    if (time <= t[0])
        return 0;
    if (time >= t[last])
        return signal->displacement[last] + signal->velocity[last] * (time - t[last]);
    int k = table_interval(signal, time);
    return record_motion(signal, k, time - t[k]).displacement;
}

static void record_integrate(struct signal *signal) {
    for (int k = 0; k + 1 < signal->given.points; k++) {
        struct motion next = record_motion(signal, k, signal->time[k + 1] - signal->time[k]);
        signal->velocity[k + 1] = next.velocity;
        signal->displacement[k + 1] = next.displacement;
    }
}

// Adds c0 + c1 s to the accelerations, s from the first point, so that the record ends at rest and
// where it began: v + c0 T + c1 T^2 / 2 = 0 and d + c0 T^2 / 2 + c1 T^3 / 6 = 0.
static void record_correct(struct signal *signal) {
    int last = signal->given.points - 1;
    double first = signal->time[0], T = signal->time[last] - first;
    double v = signal->velocity[last], d = signal->displacement[last];
    double c0 = (2 * v * T - 6 * d) / (T * T), c1 = (12 * d - 6 * v * T) / (T * T * T);
    for (int k = 0; k <= last; k++)
        signal->value[k] += c0 + c1 * (signal->time[k] - first);
    record_integrate(signal);
    signal->velocity[last] = signal->displacement[last] = 0; // but for rounding
}

// Values --------------------------------------------------------------------------------------

double signal_value(const struct signal *signal, double time) {
    time = fmin(fmax(time, signal->given.start), signal->given.end);
    switch (signal->given.kind) {
    case GABION_SIGNAL_CONSTANT:
        return signal->given.amplitude;
    case GABION_SIGNAL_LINEAR:
        return signal->given.amplitude * (time - signal->given.start);
    case GABION_SIGNAL_SINE:
        return sine_value(signal, time);
    case GABION_SIGNAL_RAMP:
        return signal->given.amplitude * ramp_value(time - signal->given.start,
                                                    signal->given.end - signal->given.start,
                                                    signal->given.smooth);
    case GABION_SIGNAL_TABLE:
        return signal->given.amplitude * table_value(signal, time);
    case GABION_SIGNAL_RECORD:
        return signal->given.amplitude * record_value(signal, time - signal->given.start);
    }
    return 0;
}

double signal_change(const struct signal *signal, double time) {
    return signal_value(signal, time) - signal_value(signal, signal->given.start);
}

// Ends ----------------------------------------------------------------------------------------

#define RECORD_DRIFT 1e-9 // of the record's largest speed: rounding of its integral

// A table may hold its last value over several points.
static double table_end(const struct signal *signal) {
    int k = signal->given.points - 1;
    while (k > 0 && signal->value[k] == signal->value[k - 1])
        k--;
    return k > 0 ? signal->time[k] : -INFINITY;
}

// A record that does not end at rest goes on for ever.
static double record_end(const struct signal *signal) {
    int last = signal->given.points - 1;
    double largest = 0;
    for (int k = 0; k <= last; k++)
        largest = fmax(largest, fabs(signal->velocity[k]));
    bool rests = fabs(signal->velocity[last]) <= RECORD_DRIFT * largest;
    return rests ? signal->given.start + signal->time[last] : INFINITY;
}

// An oscillation of frequency 0 is a constant, but for its run-in and run-out.
static double sine_end(const struct signal *signal) {
    const struct gabion_signal *given = &signal->given;
    if (given->frequency > 0 || (given->smooth > 0 && isfinite(given->end)))
        return given->end;
    return given->smooth > 0 ? given->start + given->smooth : -INFINITY;
}

// The last change of the signal, as if it had no end.
static double last_change(const struct signal *signal) {
    switch (signal->given.kind) {
    case GABION_SIGNAL_CONSTANT:
        return -INFINITY;
    case GABION_SIGNAL_LINEAR:
        return INFINITY;
    case GABION_SIGNAL_SINE:
        return sine_end(signal);
    case GABION_SIGNAL_RAMP:
        return signal->given.end;
    case GABION_SIGNAL_TABLE:
        return table_end(signal);
    case GABION_SIGNAL_RECORD:
        return record_end(signal);
    }
    return -INFINITY;
}

double signal_path_end(const struct signal *signal) {
    double last = last_change(signal);
    if (signal->given.amplitude == 0 || last <= signal->given.start)
        return -INFINITY;
    return fmin(last, signal->given.end);
}

double signal_force_end(const struct signal *signal) {
    if (signal->given.amplitude == 0)
        return -INFINITY;
    if (isfinite(signal->given.end))
        return signal->given.end;
    return fmax(signal->given.start, last_change(signal));
}

// Definition ----------------------------------------------------------------------------------

static bool has_points(const struct gabion_signal *signal) {
    return signal->kind == GABION_SIGNAL_TABLE || signal->kind == GABION_SIGNAL_RECORD;
}

const char *signal_defect(const struct gabion_signal *signal) {
    if (!signal)
        return "the signal is a null pointer";
    if ((unsigned)signal->kind > GABION_SIGNAL_RECORD)
        return "the kind of the signal does not exist";
    if (!isfinite(signal->start) || isnan(signal->end) || signal->end < signal->start)
        return "start must be finite and not after end";
    if (!isfinite(signal->amplitude) || !isfinite(signal->phase))
        return "amplitude and phase must be finite";
    if (!(signal->smooth >= 0 && isfinite(signal->smooth)) ||
        !(signal->frequency >= 0 && isfinite(signal->frequency)))
        return "frequency and smooth must be finite and not negative";
    if (signal->kind == GABION_SIGNAL_RAMP && !(signal->end > signal->start))
        return "a ramp needs an end after its start";
    if (signal->kind == GABION_SIGNAL_RAMP && !isfinite(signal->end))
        return "a ramp needs a finite end";
    if (!has_points(signal))
        return NULL;
    if (signal->points < 2 || !signal->table_time || !signal->table_value)
        return "a table or record needs at least two points";
    for (int k = 0; k < signal->points; k++) {
        if (!isfinite(signal->table_time[k]) || !isfinite(signal->table_value[k]))
            return "a table or record holds a value that is not finite";
        if (k > 0 && !(signal->table_time[k] >= signal->table_time[k - 1]))
            return "the times of a table or record must increase";
        if (k > 1 && signal->table_time[k] == signal->table_time[k - 2])
            return "more than two points of a table or record have the same time";
    }
    if (!(signal->table_time[signal->points - 1] > signal->table_time[0]))
        return "all points of a table or record have the same time";
    if (signal->kind == GABION_SIGNAL_RECORD && signal->table_time[0] < 0)
        return "the times of a record count from start and must not be negative";
    return NULL;
}

bool signal_jumps(const struct gabion_signal *signal) {
    for (int k = 1; signal->kind == GABION_SIGNAL_TABLE && k < signal->points; k++)
        if (signal->table_time[k] == signal->table_time[k - 1])
            return true;
    return false;
}

static double *copy_numbers(const double *numbers, int count) {
    double *copy = memory_allocate((size_t)count, sizeof *copy, "table");
    if (numbers)
        memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}

struct signal signal_copy(const struct gabion_signal *given) {
    struct signal copy = {.given = *given};
    copy.given.table_time = copy.given.table_value = NULL; // the caller's
    if (!has_points(given))
        return copy;
    copy.time = copy_numbers(given->table_time, given->points);
    copy.value = copy_numbers(given->table_value, given->points);
    if (given->kind == GABION_SIGNAL_RECORD) {
        copy.velocity = copy_numbers(NULL, given->points);
        copy.displacement = copy_numbers(NULL, given->points);
        record_integrate(&copy);
        if (given->returns)
            record_correct(&copy);
    }
    return copy;
}

void signal_free(struct signal *signal) {
    memory_free(signal->time);
    memory_free(signal->value);
    memory_free(signal->velocity);
    memory_free(signal->displacement);
}
