#include "io/command/profile.h"

#include <math.h>
#include <stdlib.h>

#include "io/file/file.h"
#include "parallel/memory.h"

static int compare_ratios(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static const double *ratios_of(const struct profile *profile, int solver) {
    return profile->ratio + (size_t)solver * (size_t)profile->problems;
}

struct profile profile_make(double tolerance, int problems, int solvers, const char **labels,
                            const double *seconds) {
    struct profile profile = {tolerance, problems, solvers, labels, NULL};
    size_t p = (size_t)problems, s = (size_t)solvers;
    profile.ratio = memory_allocate(p * s, sizeof *profile.ratio, "performance profile");
    for (size_t i = 0; i < p; i++) {
        double best = INFINITY;
        for (size_t j = 0; j < s; j++)
            best = fmin(best, seconds[i * s + j]);
        for (size_t j = 0; j < s; j++) {
            double time = seconds[i * s + j];
            profile.ratio[j * p + i] = isinf(time) || best <= 0 ? time : time / best;
        }
    }
    for (size_t j = 0; j < s; j++)
        qsort(profile.ratio + j * p, p, sizeof *profile.ratio, compare_ratios);
    return profile;
}

void profile_free(struct profile *profile) {
    memory_free(profile->ratio);
    profile->ratio = NULL;
}

double profile_fraction(const struct profile *profile, int solver, double tau) {
    const double *ratio = ratios_of(profile, solver);
    int within = 0;
    while (within < profile->problems && isfinite(ratio[within]) && ratio[within] <= tau)
        within++;
    return profile->problems > 0 ? (double)within / profile->problems : 0;
}

double profile_largest(const struct profile *profile) {
    double largest = 1;
    for (int k = 0; k < profile->problems * profile->solvers; k++)
        if (isfinite(profile->ratio[k]))
            largest = fmax(largest, profile->ratio[k]);
    return largest;
}

void profile_print(const struct profile *profile, FILE *stream) {
    static const double taus[] = {1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, INFINITY};
    fprintf(stream, "profile at tolerance %g: fraction of %d problems within tau of the best\n",
            profile->tolerance, profile->problems);
    fprintf(stream, "%8s", "tau");
    for (int s = 0; s < profile->solvers; s++)
        fprintf(stream, "  %12s", profile->labels[s]);
    fprintf(stream, "\n");
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++) {
        fprintf(stream, "%8g", taus[k]);
        for (int s = 0; s < profile->solvers; s++)
            fprintf(stream, "  %12.3f", profile_fraction(profile, s, taus[k]));
        fprintf(stream, "\n");
    }
}

// One row for each place where a curve rises.
bool profile_write_csv(const char *path, const struct profile *profiles, int count,
                       struct gabion_error *error) {
    struct safe_file file;
    if (!safe_file_open(&file, path, error))
        return false;
    fprintf(file.stream, "tolerance,solver,tau,fraction\n");
    for (int k = 0; k < count; k++)
        for (int s = 0; s < profiles[k].solvers; s++) {
            const double *ratio = ratios_of(&profiles[k], s);
            fprintf(file.stream, "%g,%s,1,%.6g\n", profiles[k].tolerance, profiles[k].labels[s],
                    profile_fraction(&profiles[k], s, 1));
            for (int i = 0; i < profiles[k].problems && isfinite(ratio[i]); i++)
                if (ratio[i] > 1)
                    fprintf(file.stream, "%g,%s,%.9g,%.6g\n", profiles[k].tolerance,
                            profiles[k].labels[s], ratio[i],
                            profile_fraction(&profiles[k], s, ratio[i]));
        }
    return safe_file_commit(&file, error);
}
