#include "io/report/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/gabion.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/report/frames.h"
#include "io/report/json.h"
#include "io/report/page.h"
#include "io/report/table.h"
#include "parallel/memory.h"

#define TEXT_BYTES_MAX ((size_t)1 << 26) // of a file that is read whole
#define CASE_BYTES     ((size_t)200000)  // that are shown
#define LOG_FIRST      100               // lines that are shown, from the start and from the end
#define LOG_LAST       300
#define LOG_MOST       1000 // with the warnings between them
#define INTERVALS_MAX  1000 // of the history
#define MARK           "<!DOCTYPE html><!-- gabion report -->"

static bool path_of(char path[4096], const char *directory, const char *name,
                    struct gabion_error *error) {
    int length = snprintf(path, 4096, "%s/%s", directory, name);
    return (length > 0 && length < 4096) ||
           error_set(error, GABION_ERROR_INPUT, "the name of the folder is too long: %.60s...",
                     directory);
}

// Returns the text of a file of the run; NULL where it is missing or cannot be read, which the page
// and the command line mention.
static char *read_text(const char *directory, const char *name, struct remarks *remarks) {
    char path[4096], *text = NULL;
    struct gabion_error error = {0};
    if (!path_of(path, directory, name, &error) || !file_exists(path))
        return NULL;
    text = file_read(path, TEXT_BYTES_MAX, NULL, &error);
    if (!text)
        remarks_add(remarks, true, "%s", error.text);
    return text;
}

// ---- case, log and summary ----

static void print_case(FILE *stream, const char *directory, struct remarks *remarks) {
    char *text = read_text(directory, "case.yaml", remarks);
    size_t length = text ? strlen(text) : 0;
    if (length > CASE_BYTES) {
        text[CASE_BYTES] = '\0';
        remarks_add(remarks, false, "the page has the first %zu kB of the %zu kB of case.yaml",
                    CASE_BYTES / 1000, length / 1000);
    }
    fputs("\"case\":", stream);
    json_text(stream, text ? text : "");
    fputs(",\n", stream);
    memory_free(text);
}

// Cuts the next complete line off a text. A last line without its end is being written.
static char *next_line(char **rest) {
    char *line = *rest, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return line;
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void print_log(FILE *stream, const char *directory, struct remarks *remarks) {
    char *text = read_text(directory, "run.log", remarks), *rest = text;
    size_t lines = text ? count_lines(text) : 0, shown = 0;
    fputs("\"log\":[", stream);
    for (size_t k = 0; k < lines; k++) {
        const char *line = next_line(&rest);
        // Warnings are always shown; of long logs the middle of the rest is not.
        bool middle = k >= LOG_FIRST && k + LOG_LAST < lines;
        if (middle && (shown >= LOG_MOST || !strstr(line, "warning: ")))
            continue;
        fputs(shown++ > 0 ? ",\n" : "", stream);
        json_text(stream, line);
    }
    fputs("],\n", stream);
    if (shown < lines)
        remarks_add(remarks, false, "the page has %zu of the %zu lines of run.log", shown, lines);
    memory_free(text);
}

static void print_summary(FILE *stream, const char *directory, struct remarks *remarks) {
    char *text = read_text(directory, "summary.txt", remarks), *rest = text, *line;
    size_t shown = 0;
    fputs("\"summary\":[", stream);
    while (text && (line = next_line(&rest))) {
        char *colon = strstr(line, ": ");
        if (!colon)
            continue;
        *colon = '\0';
        fputs(shown++ > 0 ? "," : "", stream);
        fputc('[', stream);
        json_text(stream, line);
        fputc(',', stream);
        json_text(stream, colon + 2);
        fputc(']', stream);
    }
    fputs("],\n", stream);
    memory_free(text);
}

// ---- the page ----

static void print_history(FILE *stream, const struct report_request *request,
                          struct report_result *result) {
    char path[4096];
    struct gabion_error error = {0};
    int most = request->megabytes < 10 ? 100 * request->megabytes : INTERVALS_MAX;
    fputs("\"history\":", stream);
    if (!path_of(path, request->directory, "history.csv", &error) ||
        !table_print(stream, path, most, &result->rows, &error))
        remarks_add(&result->remarks, true, "%s; the plots end there", error.text);
    fputs(",\n", stream);
    if (result->rows > most)
        remarks_add(&result->remarks, false,
                    "the plots show the %ld rows of history.csv as at most %d intervals with their "
                    "smallest and largest values",
                    result->rows, most);
}

static void print_remarks(FILE *stream, const struct remarks *remarks) {
    fputs("\"remarks\":[", stream);
    for (size_t k = 0; k < remarks->count; k++) {
        fputs(k > 0 ? ",\n" : "", stream);
        json_text(stream, remarks->list[k].text);
    }
    fputs("]", stream);
}

static void print_made(FILE *stream) {
    char made[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(stream, "\"made\":\"%s\",\"version\":\"%s\",", made, GABION_VERSION);
}

static void print_data(FILE *stream, const struct report_request *request,
                       struct report_result *result, const struct frames *frames) {
    fputs("<script type=\"application/json\" id=\"data\">{", stream);
    print_made(stream);
    fputs("\"folder\":", stream);
    json_text(stream, request->directory);
    fprintf(stream, ",\"running\":%s,\n", result->running ? "true" : "false");
    print_case(stream, request->directory, &result->remarks);
    print_log(stream, request->directory, &result->remarks);
    print_summary(stream, request->directory, &result->remarks);
    print_history(stream, request, result);
    fputs("\"scene\":", stream);
    frames_print_contents(stream, frames);
    fputs(",\n", stream);
    print_remarks(stream, &result->remarks);
    fputs("}</script>\n", stream);
    frames_print_texts(stream, frames);
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static void print_part(FILE *stream, const struct page_part *part) {
    bool style = ends_with(part->name, ".css"), script = ends_with(part->name, ".js");
    fputs(style ? "<style>\n" : script ? "<script>\n\"use strict\";\n" : "", stream);
    fwrite(part->bytes, 1, part->size, stream);
    fputs(style ? "</style>\n" : script ? "</script>\n" : "", stream);
}

static void print_page(FILE *stream, const struct report_request *request,
                       struct report_result *result, const struct frames *frames) {
    fputs(MARK "\n", stream);
    print_part(stream, &page_parts[0]);
    print_data(stream, request, result, frames);
    for (size_t k = 1; k < page_part_count; k++)
        print_part(stream, &page_parts[k]);
    fputs("</body></html>\n", stream);
}

// Only an earlier report is replaced.
static bool may_write(const char *path, struct gabion_error *error) {
    char start[sizeof MARK] = "";
    if (!file_exists(path))
        return true;
    FILE *file = file_open(path, error);
    if (!file)
        return false;
    size_t got = fread(start, 1, sizeof MARK - 1, file);
    fclose(file);
    return (got == sizeof MARK - 1 && strcmp(start, MARK) == 0) ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s exists and is not a report; give another file with -o", path);
}

static bool check_folder(const char *directory, struct gabion_error *error) {
    static const char *const signs[] = {"case.yaml", "history.csv", "run.log"};
    char path[4096];
    if (!folder_is_directory(directory))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s is not a folder; give the folder of a run (-o of gabion run)",
                         directory);
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        if (!path_of(path, directory, signs[k], error))
            return false;
        if (file_exists(path))
            return true;
    }
    return error_set(error, GABION_ERROR_INPUT,
                     "%s holds no run: there is no case.yaml, history.csv or run.log", directory);
}

static bool write_page(const struct report_request *request, struct report_result *result,
                       const struct frames *frames, struct gabion_error *error) {
    struct safe_file file;
    if (!safe_file_open(&file, result->path, error))
        return false;
    print_page(file.stream, request, result, frames);
    off_t bytes = ftello(file.stream);
    result->bytes = bytes > 0 ? (size_t)bytes : 0;
    return safe_file_commit(&file, error);
}

// A fifth of the page is left to all that is not a frame.
bool report_write(const struct report_request *request, struct report_result *result,
                  struct gabion_error *error) {
    *result = (struct report_result){0};
    if (!check_folder(request->directory, error))
        return false;
    if (request->output)
        snprintf(result->path, sizeof result->path, "%s", request->output);
    else if (!path_of(result->path, request->directory, "report.html", error))
        return false;
    if (!may_write(result->path, error))
        return false;
    result->running = folder_in_use(request->directory);
    struct frames *frames =
        frames_read(request->directory, (size_t)request->frames,
                    (size_t)request->megabytes * 800000, &result->remarks, error);
    if (!frames)
        return false;
    bool written = write_page(request, result, frames, error);
    result->frames = frames_kept(frames);
    result->frames_there = frames_there(frames);
    frames_free(frames);
    return written;
}
