// Performance profiles (Dolan, More, "Benchmarking optimization software with performance
// profiles", Math. Program. 91, 2002): rho_s(tau) is the fraction of the problems that solver s
// solves within tau times the time of the fastest. rho_s(1) is how often it is the fastest, the
// limit for large tau how often it solves the problem at all.
#ifndef IO_COMMAND_PROFILE_H
#define IO_COMMAND_PROFILE_H

#include <stdio.h>

#include "parallel/error.h"

struct profile {
    double tolerance;
    int problems, solvers;
    const char **labels; // of the solvers; the caller's
    double *ratio;       // time over the best, [solver][problem] ascending; INFINITY: not solved
};

// Makes the profile from seconds[problem][solver]; INFINITY: not solved. A problem that no solver
// solves counts as well.
struct profile profile_make(double tolerance, int problems, int solvers, const char **labels,
                            const double *seconds);
void profile_free(struct profile *profile);

double profile_fraction(const struct profile *profile, int solver, double tau);
double profile_largest(const struct profile *profile); // finite ratio; 1 if there is none

void profile_print(const struct profile *profile, FILE *stream);
bool profile_write_csv(const char *path, const struct profile *profiles, int count,
                       struct gabion_error *error);
bool profile_write_svg(const char *path, const struct profile *profiles, int count,
                       const char *title, struct gabion_error *error);

#endif
