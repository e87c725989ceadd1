#include "io/run/sharing_lines.h"

#include <inttypes.h>

#include "engine/step/solve.h"
#include "engine/world/world.h"
#include "parallel/ranks.h"

// Of all ranks together.
static double per_sweep(const struct sharing *sharing, int64_t count) {
    return sharing->sweeps > 0 ? (double)count / (double)sharing->sweeps : 0;
}

static double per_step(const struct sharing *sharing, int64_t count) {
    return (double)count / (double)sharing->shared_steps;
}

static double waiting_share(const struct sharing *sharing) {
    return sharing->solving > 0 ? sharing->waiting / sharing->solving : 0;
}

static double imbalance(const struct sharing *sharing) {
    double all = (double)sharing->contacts;
    return all > 0 ? (double)sharing->most_contacts * ranks_count() / all : 1;
}

void sharing_lines_print(const struct gabion_world *world, FILE *stream) {
    const struct sharing *sharing = &world->sharing;
    if (ranks_count() == 1)
        return;
    fprintf(stream, "ranks: %d\n", ranks_count());
    fprintf(stream, "shared-steps: %" PRId64 "\n", sharing->shared_steps);
    fprintf(stream, "whole-steps: %" PRId64 "\n", sharing->whole_steps);
    if (sharing->shared_steps == 0)
        return;
    fprintf(stream, "messages-per-sweep: %.1f\n", per_sweep(sharing, sharing->messages));
    fprintf(stream, "bytes-per-sweep: %.0f\n", per_sweep(sharing, sharing->bytes));
    fprintf(stream, "contacts-imbalance: %.3f\n", imbalance(sharing));
    fprintf(stream, "cut-moves: %" PRId64 "\n", world->contacts->moves);
    fprintf(stream, "ghosts: %.0f\n", per_step(sharing, sharing->ghosts) / ranks_count());
    fprintf(stream, "ghost-listings: %" PRId64 "\n", world->piece.listings);
    fprintf(stream, "body-gathers: %" PRId64 "\n", world->piece.gathers);
    fprintf(stream, "bytes-per-step: %.0f\n", per_step(sharing, sharing->body_bytes));
    fprintf(stream, "time-exchange: %.3f\n", sharing->waiting / ranks_count());
    fprintf(stream, "exchange-share: %.3f\n", waiting_share(sharing));
}

bool sharing_lines_log(const struct gabion_world *world, char *text, size_t size) {
    const struct sharing *sharing = &world->sharing;
    if (sharing->shared_steps == 0)
        return false;
    snprintf(text, size,
             "%d ranks shared the contacts of %" PRId64 " steps and each computed %" PRId64
             " whole; %.1f messages and %.0f bytes a sweep, %.1f %% of solving waited for "
             "messages, most contacts of a rank over the mean %.3f, cuts moved %" PRId64 " times",
             ranks_count(), sharing->shared_steps, sharing->whole_steps,
             per_sweep(sharing, sharing->messages), per_sweep(sharing, sharing->bytes),
             100 * waiting_share(sharing), imbalance(sharing), world->contacts->moves);
    return true;
}

bool sharing_lines_advise(const struct gabion_world *world, char *text, size_t size) {
    const struct sharing *sharing = &world->sharing;
    const char *advice = solve_sharing_advice(&world->settings);
    if (!advice || sharing->whole_steps <= sharing->shared_steps)
        return false;
    snprintf(text, size, "every rank computed %" PRId64 " of %" PRId64 " steps whole: %s",
             sharing->whole_steps, sharing->whole_steps + sharing->shared_steps, advice);
    return true;
}
