#include "engine/signal.h"

#include <string.h>

#include "parallel/memory.h"

#define TWO_PI 6.28318530717958647692

double signal_smooth_step(double s) {
    if (s <= 0)
        return 0;
    if (s >= 1)
        return 1;
    return s * s * s * (10 + s * (6 * s - 15));
}

// Integral of the smooth step from 0 to s, for s in [0, 1].
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

// sin(2 pi cycles) with the bits of every processor: the C library's last bit is not portable.
static double sine(double cycles) {
    double angle = TWO_PI * (cycles - floor(cycles));
    return quat_exp(vec3_make(0, 0, 2 * angle)).z;
}

static double sine_value(const struct gabion_signal *signal, double time) {
    double t = time - signal->start, envelope = 1;
    if (signal->smooth > 0) {
        envelope = signal_smooth_step(t / signal->smooth);
        if (isfinite(signal->end))
            envelope *= signal_smooth_step((signal->end - time) / signal->smooth);
    }
    return envelope * signal->amplitude * sine(signal->frequency * t + signal->phase / TWO_PI);
}

static double table_value(const struct gabion_signal *signal, double time) {
    const double *t = signal->table_time, *y = signal->table_value;
    int low = 0, high = signal->points - 1;
    if (time <= t[low])
        return y[low];
    if (time >= t[high])
        return y[high];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return y[low] + (y[high] - y[low]) * ((time - t[low]) / (t[high] - t[low]));
}

double signal_value(const struct gabion_signal *signal, double time) {
    time = fmin(fmax(time, signal->start), signal->end);
    switch (signal->kind) {
    case GABION_SIGNAL_CONSTANT:
        return signal->amplitude;
    case GABION_SIGNAL_LINEAR:
        return signal->amplitude * (time - signal->start);
    case GABION_SIGNAL_SINE:
        return sine_value(signal, time);
    case GABION_SIGNAL_RAMP:
        return signal->amplitude *
               ramp_value(time - signal->start, signal->end - signal->start, signal->smooth);
    case GABION_SIGNAL_TABLE:
        return signal->amplitude * table_value(signal, time);
    case GABION_SIGNAL_RECORD:
        break;
    }
    return 0;
}

const char *signal_defect(const struct gabion_signal *signal) {
    if (!isfinite(signal->start) || isnan(signal->end) || signal->end < signal->start)
        return "start must be finite and not after end";
    if (!isfinite(signal->amplitude) || !isfinite(signal->phase))
        return "amplitude and phase must be finite";
    if (!(signal->smooth >= 0) || !(signal->frequency >= 0) || !isfinite(signal->frequency))
        return "frequency and smooth must be finite and not negative";
    if (signal->kind == GABION_SIGNAL_RAMP && !(signal->end > signal->start))
        return "a ramp needs an end after its start";
    if (signal->kind == GABION_SIGNAL_RAMP && !isfinite(signal->end))
        return "a ramp needs a finite end";
    if (signal->kind != GABION_SIGNAL_TABLE)
        return NULL;
    if (signal->points < 2)
        return "a table needs at least two points";
    for (int k = 0; k < signal->points; k++) {
        if (!isfinite(signal->table_time[k]) || !isfinite(signal->table_value[k]))
            return "a table holds a value that is not finite";
        if (k > 0 && !(signal->table_time[k] > signal->table_time[k - 1]))
            return "the times of a table must increase";
    }
    return NULL;
}

struct gabion_signal signal_copy(const struct gabion_signal *signal) {
    struct gabion_signal copy = *signal;
    if (signal->kind == GABION_SIGNAL_TABLE) {
        size_t points = (size_t)signal->points, bytes = points * sizeof(double);
        copy.table_time = memory_allocate(points, sizeof(double), "table");
        copy.table_value = memory_allocate(points, sizeof(double), "table");
        memcpy(copy.table_time, signal->table_time, bytes);
        memcpy(copy.table_value, signal->table_value, bytes);
    }
    return copy;
}

void signal_free(struct gabion_signal *signal) {
    if (signal->kind == GABION_SIGNAL_TABLE) {
        memory_free(signal->table_time);
        memory_free(signal->table_value);
    }
}
