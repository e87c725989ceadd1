#include "io/run/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "io/file/file.h"
#include "parallel/memory.h"

struct run_log {
    FILE *stream;
};

struct run_log *log_open(const char *directory, struct gabion_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/run.log", directory);
    FILE *stream = file_open_to_write(path, "a", error);
    if (stream == NULL)
        return NULL;
    struct run_log *log = memory_allocate(1, sizeof *log, "the log");
    log->stream = stream;
    return log;
}

void log_line(struct run_log *log, const char *format, ...) {
    if (log == NULL)
        return;
    char stamp[32];
    time_t now = time(NULL);
    struct tm utc;
    va_list arguments;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(log->stream, "%s  ", stamp);
    va_start(arguments, format);
    vfprintf(log->stream, format, arguments);
    va_end(arguments);
    fputc('\n', log->stream);
    fflush(log->stream);
}

void log_close(struct run_log *log) {
    if (log == NULL)
        return;
    fclose(log->stream);
    memory_free(log);
}
