#include "cases/size.h"

// A radius decides where bodies fit, so it must have the same bits on every processor. The C
// library's sqrt, frexp, ldexp and floor guarantee that; its log, exp, sin and cos do not, because
// their last bit depends on the instructions available. Hence the two series below.
#define LN2 0x1.62e42fefa39efp-1

// Returns ln x for x > 0: x = 2^e m with m near 1, ln m = 2 artanh((m - 1)/(m + 1)).
static double logarithm(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        e--;
    }
    double s = (m - 1.0) / (m + 1.0), s2 = s * s, sum = 0.0;
    for (int k = 25; k >= 1; k -= 2) // s2 < 0.03: the first term left out is below 1e-19
        sum = sum * s2 + 1.0 / k;
    return (double)e * LN2 + 2.0 * s * sum;
}

// Returns exp x for |x| < 700: x = k ln 2 + r, Taylor series in r.
static double exponential(double x) {
    double k = floor(x / LN2 + 0.5), r = x - k * LN2, sum = 1.0;
    for (int i = 16; i >= 1; i--) // |r| < 0.35: the first term left out is below 1e-22
        sum = 1.0 + sum * r / i;
    return ldexp(sum, (int)k);
}

// Draws a standard normal deviate by Marsaglia's polar method, which needs no sine. The second
// deviate of the pair is discarded, so that a radius depends on nothing but the state of the
// stream.
static double normal_deviate(struct random_stream *stream) {
    double u, v, s;
    do {
        u = random_between(stream, -1.0, 1.0);
        v = random_between(stream, -1.0, 1.0);
        s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return u * sqrt(-2.0 * logarithm(s) / s);
}

static double draw_class(const struct size_distribution *size, struct random_stream *stream) {
    double total = 0.0;
    for (int k = 0; k < size->classes; k++)
        total += size->class_share[k];
    double u = total * random_unit(stream), sum = 0.0;
    int chosen = 0;
    for (int k = 0; k < size->classes && sum <= u; k++) {
        if (size->class_share[k] > 0.0)
            chosen = k;
        sum += size->class_share[k];
    }
    return size->class_radius[chosen];
}

// Draws from a density ~ radius^-exponent by inverting the share of smaller radii.
static double draw_power(const struct size_distribution *size, struct random_stream *stream) {
    double u = random_unit(stream), low = logarithm(size->low), high = logarithm(size->high);
    double n = 1.0 - size->exponent;
    if (fabs(n * (high - low)) < 1e-9)
        return exponential(low + u * (high - low));
    // Relative to the lower bound: r^n = 1 + u (R^n - 1).
    double ratio = exponential(n * (high - low));
    return size->low * exponential(logarithm(1.0 + u * (ratio - 1.0)) / n);
}

// Draws from a grading curve, which is linear between its points over the logarithm of the radius.
// The curve gives shares of the volume; an interval has a number of bodies in proportion to its
// share over the mean volume of a body in it, and inside an interval the density is ~ radius^-4.
// For the radii a and b of the ends, the integral of that density times r^3 is ln(b/a), and without
// r^3 it is (a^-3 - b^-3)/3.
static double sieve_number(const struct size_distribution *size, int k) {
    double a = size->class_radius[k], b = size->class_radius[k + 1], q = a / b;
    double first = size->class_radius[0] / a; // volumes relative to the smallest radius
    double share = size->class_share[k + 1] - size->class_share[k];
    return share * first * first * first * (1 - q * q * q) / (3 * (logarithm(b) - logarithm(a)));
}

static double draw_sieve(const struct size_distribution *size, struct random_stream *stream) {
    double total = 0.0, sum = 0.0;
    int chosen = 0;
    for (int k = 0; k + 1 < size->classes; k++)
        total += sieve_number(size, k);
    double u = total * random_unit(stream);
    for (int k = 0; k + 1 < size->classes && sum <= u; k++) {
        double number = sieve_number(size, k);
        if (number > 0.0)
            chosen = k;
        sum += number;
    }
    struct size_distribution interval = {
        .low = size->class_radius[chosen], .high = size->class_radius[chosen + 1], .exponent = 4.0};
    return draw_power(&interval, stream);
}

static double draw_uncut(const struct size_distribution *size, struct random_stream *stream) {
    switch (size->kind) {
    case SIZE_POWER:
        return draw_power(size, stream);
    case SIZE_SIEVE:
        return draw_sieve(size, stream);
    case SIZE_UNIFORM:
        return random_between(stream, size->low, size->high);
    case SIZE_NORMAL:
        return size->mean + size->deviation * normal_deviate(stream);
    case SIZE_LOGNORMAL:
        return size->mean * exponential(size->deviation * normal_deviate(stream));
    case SIZE_CLASSES:
        return draw_class(size, stream);
    case SIZE_EQUAL:
        break;
    }
    return size->radius;
}

// Draws again while the radius is outside the bounds, which keeps the shape of the distribution
// between them; clamping would accumulate values at the bounds. A normal distribution needs it even
// without bounds, because of its negative tail.
#define REDRAW_LIMIT 10000

bool size_draw(const struct size_distribution *size, struct random_stream *stream, double *radius,
               struct gabion_error *error) {
    for (int attempt = 0; attempt < REDRAW_LIMIT; attempt++) {
        double r = draw_uncut(size, stream);
        bool inside = size->high <= 0.0 || (r >= size->low && r <= size->high);
        if (r > 0.0 && isfinite(r) && inside) {
            *radius = r;
            return true;
        }
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "size distribution: no radius between %g and %g m in %d draws; widen the "
                     "bounds or move the mean (%g m) between them",
                     size->low, size->high, REDRAW_LIMIT, size->mean);
}

static bool positive(double value) { return isfinite(value) && value > 0.0; }

static bool check_positive(double value, const char *what, struct gabion_error *error) {
    if (positive(value))
        return true;
    return error_set(error, GABION_ERROR_INPUT, "%s is %g; a positive number of metres is needed",
                     what, value);
}

static bool check_bounds(const struct size_distribution *size, struct gabion_error *error) {
    if (size->high == 0.0 && size->low == 0.0)
        return true;
    if (isfinite(size->low) && positive(size->high) && size->low >= 0.0 && size->low <= size->high)
        return true;
    return error_set(error, GABION_ERROR_INPUT,
                     "radius bounds are %g and %g; 0 <= low <= high with high > 0 is needed",
                     size->low, size->high);
}

static bool check_classes(const struct size_distribution *size, struct gabion_error *error) {
    double total = 0.0;
    if (size->classes < 1)
        return error_set(error, GABION_ERROR_INPUT, "a size distribution by classes has no class");
    for (int k = 0; k < size->classes; k++) {
        if (!check_positive(size->class_radius[k], "class radius", error))
            return false;
        if (!isfinite(size->class_share[k]) || size->class_share[k] < 0.0)
            return error_set(error, GABION_ERROR_INPUT,
                             "the share of class %d is %g; it must be >= 0", k + 1,
                             size->class_share[k]);
        total += size->class_share[k];
    }
    if (!positive(total))
        return error_set(error, GABION_ERROR_INPUT, "the shares of the size classes sum to %g",
                         total);
    return true;
}

static bool check_power(const struct size_distribution *size, struct gabion_error *error) {
    if (!check_positive(size->low, "smallest radius", error) || !check_bounds(size, error))
        return false;
    return (isfinite(size->exponent) && fabs(size->exponent) <= 20.0 &&
            size->high <= 1e6 * size->low) ||
           error_set(error, GABION_ERROR_INPUT,
                     "a power law with the exponent %g from %g to %g m; an exponent of -20 to 20 "
                     "and a ratio of radii up to 1e6 are needed",
                     size->exponent, size->low, size->high);
}

static bool check_sieve(const struct size_distribution *size, struct gabion_error *error) {
    if (size->classes < 2)
        return error_set(error, GABION_ERROR_INPUT, "a grading curve has 2 points or more");
    for (int k = 0; k < size->classes; k++)
        if (!check_positive(size->class_radius[k], "radius of the grading curve", error))
            return false;
    for (int k = 1; k < size->classes; k++)
        if (!(size->class_radius[k] > size->class_radius[k - 1]) ||
            !(size->class_share[k] >= size->class_share[k - 1]))
            return error_set(error, GABION_ERROR_INPUT,
                             "point %d of the grading curve: radii must increase, and shares "
                             "finer must not decrease",
                             k + 1);
    return (size->class_share[0] == 0.0 && positive(size->class_share[size->classes - 1])) ||
           error_set(error, GABION_ERROR_INPUT,
                     "a grading curve begins with a share finer of 0 and ends above that, found %g "
                     "and %g",
                     size->class_share[0], size->class_share[size->classes - 1]);
}

bool size_check(const struct size_distribution *size, struct gabion_error *error) {
    switch (size->kind) {
    case SIZE_POWER:
        return check_power(size, error);
    case SIZE_SIEVE:
        return check_sieve(size, error);
    case SIZE_EQUAL:
        return check_positive(size->radius, "radius", error);
    case SIZE_UNIFORM:
        return check_positive(size->low, "smallest radius", error) && check_bounds(size, error);
    case SIZE_NORMAL:
    case SIZE_LOGNORMAL:
        if (!check_positive(size->mean, "mean radius", error) || !check_bounds(size, error))
            return false;
        // With a larger deviation of the logarithm, radii overflow.
        if (size->deviation >= 0.0 &&
            (size->kind == SIZE_NORMAL ? isfinite(size->deviation) : size->deviation <= 10.0))
            return true;
        return error_set(error, GABION_ERROR_INPUT,
                         "the deviation of the radius is %g; it must be >= 0%s", size->deviation,
                         size->kind == SIZE_LOGNORMAL ? " and at most 10 (of the logarithm)" : "");
    case SIZE_CLASSES:
        return check_classes(size, error) && check_bounds(size, error);
    }
    return error_set(error, GABION_ERROR_INPUT, "unknown kind of size distribution");
}
