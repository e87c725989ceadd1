#include "io/run/summary.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "io/run/scene.h"

static double peak_memory_mb(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

// What scripts rely on, in this order; the rest is for people.
static void print_contract(const struct summary *summary, const struct gabion_world *world,
                           FILE *stream) {
    fprintf(stream, "status: %s\n", summary->status);
    fprintf(stream, "steps: %" PRId64 "\n", world->step);
    fprintf(stream, "time: %.12g\n", world_time(world));
    fprintf(stream, "contacts: %" PRId64 "\n", world->report.contacts);
    fprintf(stream, "residual: %.6e\n", world->report.residual);
    fprintf(stream, "unconverged-steps: %" PRId64 "\n", world->run.unconverged_steps);
    fprintf(stream, "state-hash: %016" PRIx64 "\n", gabion_state_hash(world));
    fprintf(stream, "wall-time: %.3f\n", summary->wall_time);
}

void summary_print(const struct summary *summary, const struct gabion_world *world, FILE *stream) {
    const struct gabion_step_report *report = &world->report;
    const struct gabion_run_report *run = &world->run;
    int64_t contact_sweeps = run->contact_sweeps - summary->before.contact_sweeps;
    double solve = world->phase_time[PHASE_SOLVE];
    print_contract(summary, world, stream);
    fprintf(stream, "wall-time-total: %.3f\n", summary->wall_time_total);
    fprintf(stream, "bodies: %" PRId32 "\n", scene_moving_bodies(world));
    fprintf(stream, "candidates: %" PRId64 "\n", report->candidates);
    fprintf(stream, "sweeps: %" PRId64 "\n", run->sweeps);
    fprintf(stream, "ns-per-contact-sweep: %.2f\n",
            contact_sweeps > 0 ? 1e9 * solve / (double)contact_sweeps : 0.0);
    fprintf(stream, "max-overlap: %.6e\n", report->max_overlap);
    fprintf(stream, "energy-error: %.6e\n", world->ledger.energy_error);
    fprintf(stream, "local-fallbacks: %" PRId64 "\n", run->local_fallbacks);
    fprintf(stream, "threads: %d\n", team_size(world->team));
    if (world->settings.time_budget > 0)
        fprintf(stream, "reproducible: no (solver.time_budget)\n");
    fprintf(stream, "peak-memory-mb: %.1f\n", peak_memory_mb());
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        fprintf(stream, "time-%s: %.3f\n", phase_names[phase], world->phase_time[phase]);
    fprintf(stream, "folder: %s\n", summary->directory);
}
