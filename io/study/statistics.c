#include "io/study/statistics.h"

#include <math.h>
#include <stdlib.h>

#define TAIL (-30.0) // below it the share is too small to divide by

double normal_share(double z) { return 0.5 * erfc(-z * M_SQRT1_2); }

double normal_log_share(double z) {
    if (z > TAIL)
        return log(normal_share(z));
    return -0.5 * z * z - log(-z * sqrt(2 * M_PI)) - 1 / (z * z); // asymptotic series
}

double normal_hazard(double z) {
    if (z > TAIL)
        return exp(-0.5 * z * z) / sqrt(2 * M_PI) / normal_share(z);
    return -z / (1 - 1 / (z * z));
}

// Finds where a rising function reaches a share, by halving: slow and safe.
static double invert(double (*function)(double, double), double parameter, double share) {
    double low = -1, high = 1;
    while (function(low, parameter) > share && low > -1e150)
        low *= 2;
    while (function(high, parameter) < share && high < 1e150)
        high *= 2;
    for (int k = 0; k < 200 && high - low > 0; k++) {
        double middle = low + 0.5 * (high - low);
        if (middle == low || middle == high)
            break;
        if (function(middle, parameter) < share)
            low = middle;
        else
            high = middle;
    }
    return low + 0.5 * (high - low);
}

static double normal_of(double z, double unused) {
    (void)unused;
    return normal_share(z);
}

double normal_quantile(double share) {
    return share > 0.5 ? -invert(normal_of, 0, 1 - share) : invert(normal_of, 0, share);
}

// The continued fraction of the incomplete beta function (Abramowitz, Stegun 26.5.8), by the
// modified method of Lentz.
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double product = d;
    for (int m = 1; m < 1000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            double term = k == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            product *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return product;
}

static double beta_share(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_share(double t, double freedom) {
    double tail = 0.5 * beta_share(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    return t > 0 ? 1 - tail : tail;
}

double student_quantile(double share, double freedom) {
    return share > 0.5 ? -invert(student_share, freedom, 1 - share)
                       : invert(student_share, freedom, share);
}

struct bounds wilson_bounds(size_t events, size_t trials, double confidence) {
    if (trials == 0)
        return (struct bounds){0, 1};
    double n = (double)trials, p = (double)events / n;
    double z = normal_quantile(0.5 + 0.5 * confidence), scale = 1 / (1 + z * z / n);
    double middle = scale * (p + z * z / (2 * n));
    double half = scale * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    // Rounding must not leave a share of 1e-17 where there were no events.
    return (struct bounds){events == 0 ? 0 : middle - half, events == trials ? 1 : middle + half};
}

struct moments moments_of(const double *values, size_t count, double confidence) {
    struct moments found = {count, NAN, NAN, {NAN, NAN}};
    if (count == 0)
        return found;
    double sum = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    found.mean = sum / n;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - found.mean) * (values[i] - found.mean);
    if (count < 2)
        return found;
    found.deviation = sqrt(squares / (n - 1));
    double half = student_quantile(0.5 + 0.5 * confidence, n - 1) * found.deviation / sqrt(n);
    found.bounds = (struct bounds){found.mean - half, found.mean + half};
    return found;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void values_sort(double *values, size_t count) { qsort(values, count, sizeof *values, compare); }

double sorted_quantile(const double *sorted, size_t count, double share) {
    if (count == 0)
        return NAN;
    double place = share * (double)(count - 1);
    size_t left = (size_t)place;
    if (left + 1 >= count)
        return sorted[count - 1];
    return sorted[left] + (place - (double)left) * (sorted[left + 1] - sorted[left]);
}
