#include "io/run/runner_messages.h"

#include <inttypes.h>
#include <stdarg.h>

#include "engine/step/watch.h"
#include "engine/world/world.h"
#include "io/run/log.h"
#include "io/run/sharing_lines.h"
#include "io/text/remarks.h"

#define REPORT_SIZE 2200

static void show(struct runner *runner, const char *text) {
    if (!runner_is_writer())
        return;
    progress_clear(&runner->progress);
    fprintf(stderr, "%s\n", text);
}

__attribute__((format(printf, 2, 3))) void runner_report(struct runner *runner, const char *format,
                                                         ...) {
    char text[REPORT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_line(runner->log, "%s", text);
    if (!runner->request->quiet)
        show(runner, text);
}

void runner_report_warning(void *user, const char *text) {
    struct runner *runner = user;
    char line[REPORT_SIZE];
    snprintf(line, sizeof line, "warning: %s", text);
    log_line(runner->log, "%s", line);
    show(runner, line);
}

static const struct remarks *remarks_of(const struct runner *runner) {
    return case_remarks(runner->request->scene->file);
}

// What was found while the scene was built, when there was no log yet.
static void report_remarks(struct runner *runner) {
    const struct remarks *remarks = remarks_of(runner);
    for (size_t k = 0; k < remarks->count; k++)
        if (remarks->list[k].warning)
            runner_report_warning(runner, remarks->list[k].text);
        else
            runner_report(runner, "%s", remarks->list[k].text);
}

int runner_warnings(const struct runner *runner) {
    return runner->world->watches->warnings + remarks_warnings(remarks_of(runner));
}

// The library says at once what there is to say about the threads; what it says later are warnings.
static void report_library(void *user, enum gabion_log_level level, const char *text) {
    struct runner *runner = user;
    (void)level;
    if (runner->begun)
        runner_report_warning(runner, text);
    else
        runner_report(runner, "%s", text);
}

void runner_log_start(struct runner *runner) {
    const struct runner_request *request = runner->request;
    struct gabion_counts counts = {0};
    gabion_read_counts(runner->world, &counts, NULL);
    log_line(runner->log, "gabion %s: steps %" PRId64 " to %" PRId64 ", %d bodies, %d threads",
             GABION_VERSION, runner_step(runner), request->target, counts.moving,
             gabion_threads(runner->world));
    if (request->parent[0] != '\0')
        log_line(runner->log, "%s %s",
                 request->resume ? "resumed from" : "begins with the state of", request->parent);
    report_remarks(runner);
    gabion_set_log(runner->world, GABION_LOG_WARNING, report_library, runner, NULL);
    runner->begun = true;
    if (runner->settings.time_budget > 0)
        runner_report(
            runner, "not reproducible: solver.time_budget stops each step after %g s by the clock",
            runner->settings.time_budget);
}

void runner_report_sharing(struct runner *runner) {
    char text[REPORT_SIZE];
    if (sharing_lines_log(runner->world, text, sizeof text))
        log_line(runner->log, "%s", text);
    if (sharing_lines_advise(runner->world, text, sizeof text))
        runner_report(runner, "%s", text);
}
