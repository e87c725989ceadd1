#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "io/command/commands.h"
#include "io/file/file.h"
#include "io/command/profile.h"
#include "io/command/solving.h"
#include "parallel/memory.h"

static const struct solver_choice default_solvers[] = {{.method = GABION_METHOD_AUTO},
                                                       {.method = GABION_METHOD_NSGS},
                                                       {.method = GABION_METHOD_ANDERSON},
                                                       {.method = GABION_METHOD_NEWTON},
                                                       {.method = GABION_METHOD_IPM}};
static const double default_tolerances[] = {1e-4, 1e-8};

// Short solves are repeated and the fastest counts: the others were disturbed.
#define REPEATS_MOST   5
#define REPEAT_SECONDS 0.2

struct comparison {
    const struct options *options;
    const struct solver_choice *solvers;
    const char **labels;
    int solver_count;
    const double *tolerances;
    int tolerance_count;
    double *seconds; // [tolerance][problem][solver]; INFINITY: not solved
    char *notes;     // lines to print below the table
    size_t notes_length, notes_capacity;
    int problems, unreadable;
    int name_width;
    struct safe_file table; // stream NULL: none
};

// One solve -----------------------------------------------------------------------------------

static struct solving solve_best(struct contact_problem *problem, struct solver_choice choice,
                                 const struct solver_settings *settings, double *r) {
    struct solving best = solving_run(problem, choice, settings, NULL, r);
    double total = best.seconds;
    for (int k = 1; k < REPEATS_MOST && total < REPEAT_SECONDS; k++) {
        struct solving again = solving_run(problem, choice, settings, NULL, r);
        best.seconds = fmin(best.seconds, again.seconds);
        total += again.seconds;
    }
    return best;
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_row(const struct comparison *comparison, const char *path,
                      struct contact_problem *problem, int solver, double tolerance,
                      const struct solving *solving) {
    const char *status = panel_status(solving->result.status);
    printf("%-*s  %8" PRId32 "  %-16s  %9g  %-9s  %10d  %11.4g  %15.3g  %14.3g\n",
           comparison->name_width, name_of(path), problem->contacts, comparison->labels[solver],
           tolerance, status, solving->result.iterations, solving->seconds, solving->error.scaled,
           solving->error.fclib);
    if (comparison->table.stream != NULL)
        fprintf(comparison->table.stream, "\"%s\",%" PRId32 ",%s,%g,%s,%d,%.6g,%.6g,%.6g\n",
                name_of(path), problem->contacts, comparison->labels[solver], tolerance, status,
                solving->result.iterations, solving->seconds, solving->error.scaled,
                solving->error.fclib);
}

// Keeps the note of a solver, such as why it rejects the problem, for below the table: it does not
// fit into a row.
static void keep_note(struct comparison *comparison, const char *path, int solver, double tolerance,
                      const char *note) {
    char line[1024];
    if (note[0] == '\0')
        return;
    int length = snprintf(line, sizeof line, "%.400s, %s, %g: %s\n", name_of(path),
                          comparison->labels[solver], tolerance, note);
    size_t needed = comparison->notes_length + (size_t)length + 1;
    comparison->notes =
        memory_reserve(comparison->notes, &comparison->notes_capacity, needed, 1, "notes");
    memcpy(comparison->notes + comparison->notes_length, line, (size_t)length + 1);
    comparison->notes_length += (size_t)length;
}

static void print_heading(const struct comparison *comparison) {
    printf("%-*s  %8s  %-16s  %9s  %-9s  %10s  %11s  %15s  %14s\n", comparison->name_width,
           "problem", "contacts", "solver", "tolerance", "status", "iterations", "time",
           "residual-scaled", "residual-fclib");
    if (comparison->table.stream != NULL)
        fprintf(comparison->table.stream, "problem,contacts,solver,tolerance,status,iterations,"
                                          "time,residual-scaled,residual-fclib\n");
}

// One problem ---------------------------------------------------------------------------------

static void compare_problem(struct comparison *comparison, const char *path,
                            struct contact_problem *problem) {
    const struct options *options = comparison->options;
    double *r = memory_allocate(contact_problem_size(problem), sizeof *r, "impulses");
    size_t solvers = (size_t)comparison->solver_count, files = (size_t)options->target_count;
    for (int t = 0; t < comparison->tolerance_count; t++)
        for (int s = 0; s < comparison->solver_count; s++) {
            struct solver_settings settings = options->solver;
            settings.tolerance = comparison->tolerances[t];
            struct solving solving = solve_best(problem, comparison->solvers[s], &settings, r);
            print_row(comparison, path, problem, s, settings.tolerance, &solving);
            fflush(stdout);
            keep_note(comparison, path, s, settings.tolerance, solving.result.note);
            size_t place = ((size_t)t * files + (size_t)comparison->problems) * solvers + (size_t)s;
            comparison->seconds[place] = solving.solved ? solving.seconds : INFINITY;
        }
    memory_free(r);
    comparison->problems++;
}

static void compare_files(struct comparison *comparison, struct team *team) {
    const struct options *options = comparison->options;
    comparison->name_width = (int)strlen("problem");
    for (int k = 0; k < options->target_count; k++) {
        int length = (int)strlen(name_of(options->targets[k]));
        comparison->name_width = length > comparison->name_width ? length : comparison->name_width;
    }
    print_heading(comparison);
    for (int k = 0; k < options->target_count; k++) {
        struct gabion_error error = {0};
        struct contact_problem *problem = solving_read(options->targets[k], team, &error);
        if (problem != NULL)
            compare_problem(comparison, options->targets[k], problem);
        else
            fprintf(stderr, "gabion: %s\n", error.text);
        comparison->unreadable += problem == NULL;
        contact_problem_free(problem);
    }
}

// Profiles ------------------------------------------------------------------------------------

static bool write_profiles(const struct comparison *comparison, const struct profile *profiles,
                           struct gabion_error *error) {
    const char *prefix = comparison->options->output;
    char path[4096];
    if (prefix == NULL)
        return true;
    snprintf(path, sizeof path, "%s-profile.csv", prefix);
    if (!profile_write_csv(path, profiles, comparison->tolerance_count, error))
        return false;
    snprintf(path, sizeof path, "%s-profile.svg", prefix);
    const char *title = comparison->options->solver.measure == GABION_MEASURE_SCALED
                            ? "Performance profiles, scaled residual"
                            : "Performance profiles, FCLIB residual";
    return profile_write_svg(path, profiles, comparison->tolerance_count, title, error);
}

static bool make_profiles(const struct comparison *comparison, struct gabion_error *error) {
    struct profile *profiles = memory_allocate((size_t)comparison->tolerance_count,
                                               sizeof *profiles, "performance profiles");
    size_t pitch = (size_t)comparison->options->target_count * (size_t)comparison->solver_count;
    for (int t = 0; t < comparison->tolerance_count; t++) {
        profiles[t] =
            profile_make(comparison->tolerances[t], comparison->problems, comparison->solver_count,
                         comparison->labels, comparison->seconds + (size_t)t * pitch);
        printf("\n");
        profile_print(&profiles[t], stdout);
    }
    bool written = write_profiles(comparison, profiles, error);
    for (int t = 0; t < comparison->tolerance_count; t++)
        profile_free(&profiles[t]);
    memory_free(profiles);
    return written;
}

// The command ---------------------------------------------------------------------------------

static bool open_table(struct comparison *comparison, struct gabion_error *error) {
    char path[4096];
    const char *prefix = comparison->options->output;
    if (prefix == NULL)
        return true;
    int length = snprintf(path, sizeof path, "%s.csv", prefix);
    if (length < 0 || length + 16 >= (int)sizeof path)
        return error_set(error, GABION_ERROR_INPUT, "%.1024s: file name too long", prefix);
    return safe_file_open(&comparison->table, path, error);
}

static bool compare(struct comparison *comparison, struct team *team, struct gabion_error *error) {
    if (!open_table(comparison, error))
        return false;
    compare_files(comparison, team);
    if (comparison->notes_length > 0)
        printf("\nnotes:\n%s", comparison->notes);
    if (comparison->table.stream != NULL && !safe_file_commit(&comparison->table, error))
        return false;
    if (!make_profiles(comparison, error))
        return false;
    printf("\nproblems: %d\nunreadable: %d\n", comparison->problems, comparison->unreadable);
    if (comparison->unreadable > 0)
        return error_set(error, GABION_ERROR_INPUT, "%d of %d files could not be read",
                         comparison->unreadable, comparison->options->target_count);
    return true;
}

static void choose(struct comparison *comparison, struct solver_choice *solvers,
                   char (*labels)[SOLVING_LABEL_SIZE]) {
    const struct options *options = comparison->options;
    for (int s = 0; s < comparison->solver_count; s++) {
        solvers[s] = comparison->solvers[s];
        if (options->local_given && solvers[s].local == GABION_LOCAL_AUTO &&
            solving_has_local(solvers[s].method))
            solvers[s].local = options->solver.local;
        comparison->labels[s] = solving_label(solvers[s], labels[s]);
    }
    comparison->solvers = solvers;
}

bool command_compare(const struct options *options, struct gabion_error *error) {
    struct workers workers;
    struct comparison comparison = {
        .options = options,
        .solvers = options->solver_count > 0 ? options->solvers : default_solvers,
        .solver_count = options->solver_count > 0
                            ? options->solver_count
                            : (int)(sizeof default_solvers / sizeof *default_solvers),
        .tolerances = options->tolerance_count > 0 ? options->tolerances : default_tolerances,
        .tolerance_count = options->tolerance_count > 0 ? options->tolerance_count : 2,
    };
    size_t count = (size_t)comparison.solver_count;
    for (int s = 0; s < comparison.solver_count; s++)
        if (!solving_check(comparison.solvers[s], error))
            return false;
    if (!workers_start(&workers, options->threads, error))
        return false;
    struct solver_choice *solvers = memory_allocate(count, sizeof *solvers, "solvers");
    char(*labels)[SOLVING_LABEL_SIZE] = memory_allocate(count, sizeof *labels, "solvers");
    comparison.labels = memory_allocate(count, sizeof *comparison.labels, "solvers");
    comparison.seconds =
        memory_allocate(count * (size_t)options->target_count * (size_t)comparison.tolerance_count,
                        sizeof *comparison.seconds, "times");
    choose(&comparison, solvers, labels);
    bool done = compare(&comparison, workers.team, error);
    memory_free(comparison.seconds);
    memory_free(comparison.notes);
    memory_free(comparison.labels);
    memory_free(labels);
    memory_free(solvers);
    workers_stop(&workers);
    return done;
}
