#include "io/run/summary.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "io/run/columns.h"
#include "io/file/file.h"
#include "io/run/host.h"
#include "io/run/sharing_lines.h"

#define PHASES_MAX 16
#define SPENT      "spent-"

static double peak_memory_mb(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

// What has to be read from the world before lines are printed. The timings are those of this
// command, because they begin with the world.
struct numbers {
    struct gabion_settings settings;
    struct gabion_counts counts;
    struct gabion_step_report report;
    struct gabion_run_report run;
    struct gabion_energies energies;
    struct gabion_timing timing[PHASES_MAX];
    int phases;
};

static bool read_numbers(const struct gabion_world *world, struct numbers *numbers) {
    *numbers = (struct numbers){0};
    numbers->phases = gabion_read_timings(world, numbers->timing, PHASES_MAX, NULL);
    return numbers->phases >= 0 && numbers->phases <= PHASES_MAX &&
           gabion_get_settings(world, &numbers->settings, NULL) &&
           gabion_read_counts(world, &numbers->counts, NULL) &&
           gabion_read_step_report(world, &numbers->report, NULL) &&
           gabion_read_run_report(world, &numbers->run, NULL) &&
           gabion_read_energies(world, &numbers->energies, NULL);
}

static double solve_time(const struct numbers *numbers) {
    for (int k = 0; k < numbers->phases; k++)
        if (strcmp(numbers->timing[k].phase, "solve") == 0)
            return numbers->timing[k].seconds;
    return 0;
}

// The lines that scripts rely on, in this order; the other lines are for people.
static void print_contract(const struct summary *summary, const struct gabion_world *world,
                           const struct numbers *numbers, FILE *stream) {
    fprintf(stream, "status: %s\n", summary->status);
    fprintf(stream, "steps: %" PRId64 "\n", gabion_step_number(world));
    fprintf(stream, "time: %.12g\n", gabion_time(world));
    fprintf(stream, "contacts: %" PRId64 "\n", numbers->report.contacts);
    fprintf(stream, "residual: %.6e\n", numbers->report.residual);
    fprintf(stream, "unconverged-steps: %" PRId64 "\n", numbers->run.unconverged_steps);
    fprintf(stream, "state-hash: %016" PRIx64 "\n", summary->state_hash);
    fprintf(stream, "wall-time: %.3f\n", summary->wall_time);
}

static void print_fall(const struct gabion_world *world, FILE *stream) {
    struct gabion_fall fall;
    if (gabion_collapsed(world, &fall))
        fprintf(stream, "fallen-body: %" PRId32 "\nfallen-distance: %.6g\nfallen-speed: %.6g\n",
                fall.body, fall.distance, fall.speed);
}

// Iterations are those of a method, and mean something else in each: sweeps, factorisations,
// pivots.
static void print_spent(const struct gabion_run_report *run, FILE *stream) {
    fprintf(stream, "sweeps: %" PRId64 "\n", run->sweeps);
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        if (run->spent[method] > 0)
            fprintf(stream, SPENT "%s: %" PRId64 "\n",
                    gabion_method_name((enum gabion_method)method), run->spent[method]);
}

// Returns whether the time of solving is that of sweeps.
static bool only_sweeps(const struct gabion_run_report *run) {
    int64_t all = 0;
    for (int method = 0; method < GABION_METHOD_COUNT; method++)
        all += run->spent[method];
    return all == run->sweeps;
}

void summary_print(const struct summary *summary, const struct gabion_world *world, FILE *stream) {
    struct numbers numbers;
    if (!read_numbers(world, &numbers))
        return; // a world that ran out of memory; the error says so
    int64_t contact_sweeps = numbers.run.contact_sweeps - summary->contact_sweeps;
    print_contract(summary, world, &numbers, stream);
    if (summary->collapsed)
        print_fall(world, stream);
    fprintf(stream, "warnings: %d\n", summary->warnings);
    columns_print_summary(stream, world);
    fprintf(stream, "wall-time-total: %.3f\n", summary->wall_time_total);
    fprintf(stream, "bodies: %" PRId32 "\n", numbers.counts.finite);
    fprintf(stream, "moving-bodies: %" PRId32 "\n", numbers.counts.moving);
    fprintf(stream, "candidates: %" PRId64 "\n", numbers.report.candidates);
    print_spent(&numbers.run, stream);
    if (only_sweeps(&numbers.run))
        fprintf(stream, "ns-per-contact-sweep: %.2f\n",
                contact_sweeps > 0 ? 1e9 * solve_time(&numbers) / (double)contact_sweeps : 0.0);
    fprintf(stream, "max-overlap: %.6e\n", numbers.report.max_overlap);
    fprintf(stream, "max-overlap-relative: %.6e\n", numbers.report.max_overlap_relative);
    if (numbers.report.overlap_body_a >= 0)
        fprintf(stream, "max-overlap-bodies: %" PRId32 " %" PRId32 "\n",
                numbers.report.overlap_body_a, numbers.report.overlap_body_b);
    fprintf(stream, "energy-error: %.6e\n", numbers.energies.energy_error);
    fprintf(stream, "contact-gain: %.6e\n", numbers.energies.contact_gain);
    fprintf(stream, "impact-gain: %.6e\n", numbers.energies.impact_gain);
    fprintf(stream, "fallback-steps: %" PRId64 "\n", numbers.run.fallback_steps);
    fprintf(stream, "local-fallbacks: %" PRId64 "\n", numbers.run.local_fallbacks);
    fprintf(stream, "threads: %d\n", gabion_threads(world));
    if (numbers.settings.time_budget > 0)
        fprintf(stream, "reproducible: no (solver.time_budget)\n");
    fprintf(stream, "peak-memory-mb: %.1f\n", peak_memory_mb());
    for (int k = 0; k < numbers.phases; k++)
        fprintf(stream, "time-%s: %.3f\n", numbers.timing[k].phase, numbers.timing[k].seconds);
    fprintf(stream, "time-output: %.3f\n", summary->output_times.all);
    fprintf(stream, "time-output-waited: %.3f\n", summary->output_times.waited);
    fprintf(stream, "time-output-beside: %.3f\n", summary->output_times.beside);
    sharing_lines_print(world, stream);
    fprintf(stream, "folder: %s\n", summary->directory);
}

bool summary_comes_and_goes(const char *key) {
    static const char *const keys[] = {"fallen-body", "fallen-distance", "fallen-speed",
                                       "ns-per-contact-sweep"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(key, keys[k]) == 0)
            return true;
    for (int method = 0; strncmp(key, SPENT, strlen(SPENT)) == 0 && method < GABION_METHOD_COUNT;
         method++)
        if (strcmp(key + strlen(SPENT), gabion_method_name((enum gabion_method)method)) == 0)
            return true;
    return false;
}

bool summary_write(const struct summary *summary, const struct gabion_world *world,
                   struct gabion_error *error) {
    char path[4096];
    struct safe_file file;
    int length = snprintf(path, sizeof path, "%s/summary.txt", summary->directory);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, GABION_ERROR_INPUT, "%s: folder name too long", summary->directory);
    if (!safe_file_open(&file, path, error))
        return false;
    summary_print(summary, world, file.stream);
    host_print(file.stream);
    // While the run goes on the file is for people who look at it: nothing depends on it.
    return strcmp(summary->status, SUMMARY_RUNNING) == 0 ? safe_file_commit_unsynced(&file, error)
                                                         : safe_file_commit(&file, error);
}
