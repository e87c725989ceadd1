#include "io/command/commands.h"
#include "io/report/report.h"

bool command_report(const struct options *options, struct gabion_error *error) {
    struct report_request request = {
        .directory = options->target,
        .output = options->output,
        .frames = options->frames,
        .megabytes = options->megabytes,
    };
    struct report_result result;
    bool written = report_write(&request, &result, error);
    for (size_t k = 0; k < result.remarks.count; k++)
        fprintf(stderr, "gabion: %s\n", result.remarks.list[k].text);
    if (written)
        printf("report: %s\nrunning: %s\nrows: %ld\nframes: %zu of %zu\nmegabytes: %.2f\n",
               result.path, result.running ? "yes" : "no", result.rows, result.frames,
               result.frames_there, (double)result.bytes / 1e6);
    remarks_free(&result.remarks);
    return written;
}
