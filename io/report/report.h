// `gabion report`: one HTML page about a run, with all that it shows inside.
#ifndef IO_REPORT_REPORT_H
#define IO_REPORT_REPORT_H

#include "io/text/remarks.h"
#include "parallel/error.h"

#define REPORT_FRAMES    100 // unless asked for otherwise
#define REPORT_MEGABYTES 20

struct report_request {
    const char *directory;
    const char *output; // NULL: DIRECTORY/report.html
    int frames, megabytes;
};

struct report_result {
    char path[4096];
    size_t frames, frames_there, bytes;
    long rows;
    bool running;
    struct remarks remarks; // what is left out or cannot be read; the caller frees it
};

// Writes the report of a folder. Nothing else in it is changed, and a run that is at work there is
// not disturbed.
bool report_write(const struct report_request *request, struct report_result *result,
                  struct gabion_error *error);

#endif
