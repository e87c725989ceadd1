#include "io/run/runner_together.h"

#include "io/run/runner_failure.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

// Something that the runner does and that may run out of memory.
struct attempt {
    bool (*work)(struct runner *runner, struct gabion_error *error);
    struct runner *runner;
    struct gabion_error *error;
    bool good;
};

static void attempt_make(void *context) {
    struct attempt *attempt = context;
    attempt->good = attempt->work(attempt->runner, attempt->error);
}

bool runner_attempt(struct runner *runner, struct gabion_error *error,
                    bool (*work)(struct runner *runner, struct gabion_error *error)) {
    struct attempt attempt = {work, runner, error, false};
    return memory_try(NULL, attempt_make, &attempt, error) && attempt.good;
}

bool runner_write_alone(struct runner *runner, struct gabion_error *error,
                        bool (*work)(struct runner *runner, struct gabion_error *error)) {
    struct gabion_error own = {0};
    if (runner_is_writer())
        runner_attempt(runner, &own, work);
    return ranks_follow(&own) || error_set(error, own.status, "%s", own.text);
}

bool runner_write_shared(struct runner *runner, struct gabion_error *error,
                         bool (*work)(struct runner *runner, struct gabion_error *error),
                         bool shared) {
    if (!shared)
        return runner_write_alone(runner, error, work);
    bool good = runner_attempt(runner, error, work);
    if (!good && error->status == GABION_ERROR_MEMORY)
        runner_leave_others(runner, error);
    return good;
}

bool runner_gather(struct runner *runner, struct gabion_error *error,
                   bool (*function)(struct gabion_world *, struct gabion_error *)) {
    bool good = function(runner->world, error);
    if (!good && error->status == GABION_ERROR_MEMORY && ranks_count() > 1)
        runner_leave_others(runner, error);
    return good;
}

bool runner_gather_bodies(struct runner *runner, struct gabion_error *error) {
    return runner_gather(runner, error, gabion_gather_bodies);
}
