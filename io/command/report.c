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
    if (!report_write(&request, &result, error))
        return false;
    for (size_t k = 0; k < result.remarks.count; k++)
        fprintf(stderr, "gabion: %s\n", result.remarks.text[k]);
    if (result.remarks.unlisted > 0)
        fprintf(stderr, "gabion: and %zu more remarks of this kind\n", result.remarks.unlisted);
    printf("report: %s\nrunning: %s\nrows: %ld\nframes: %zu of %zu\nmegabytes: %.2f\n", result.path,
           result.running ? "yes" : "no", result.rows, result.frames, result.frames_there,
           (double)result.bytes / 1e6);
    return true;
}
