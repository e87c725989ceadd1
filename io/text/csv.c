#include "io/text/csv.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file/file.h"
#include "parallel/memory.h"

bool csv_open(struct csv *csv, const char *path, struct gabion_error *error) {
    struct stat about;
    *csv = (struct csv){.path = path, .stream = file_open(path, error)};
    if (!csv->stream)
        return false;
    if (fstat(fileno(csv->stream), &about) == 0 && about.st_size == 0) {
        csv_close(csv);
        return error_set(error, GABION_ERROR_INPUT, "%s: is empty", path);
    }
    csv->size = (uint64_t)about.st_size;
    csv->buffer = memory_allocate(CSV_LINE_MAX, 1, "CSV buffer");
    return true;
}

void csv_close(struct csv *csv) {
    if (csv->stream)
        fclose(csv->stream);
    memory_free(csv->buffer);
    csv->stream = NULL;
    csv->buffer = NULL;
}

// Returns the next line in the buffer, NUL-terminated and without its line end. Returns NULL at the
// end of the file or on an error.
static char *next_line(struct csv *csv, size_t *size, struct gabion_error *error) {
    char *end = memchr(csv->buffer + csv->begin, '\n', csv->end - csv->begin);
    if (!end) {
        memmove(csv->buffer, csv->buffer + csv->begin, csv->end - csv->begin);
        csv->end -= csv->begin;
        csv->begin = 0;
        // One byte stays free for the NUL after a last line without line end.
        csv->end += fread(csv->buffer + csv->end, 1, CSV_LINE_MAX - 1 - csv->end, csv->stream);
        if (ferror(csv->stream)) {
            error_set(error, GABION_ERROR_INPUT, "cannot read %s: %s", csv->path, strerror(errno));
            return NULL;
        }
        if (csv->end == 0)
            return NULL;
        end = memchr(csv->buffer, '\n', csv->end);
        if (!end && csv->end == CSV_LINE_MAX - 1) {
            error_set(error, GABION_ERROR_INPUT,
                      "%s:%ld: line longer than %d bytes; is this a CSV file?", csv->path,
                      csv->line + 1, CSV_LINE_MAX - 2);
            return NULL;
        }
    }
    char *start = csv->buffer + csv->begin;
    size_t next = end ? (size_t)(end + 1 - csv->buffer) : csv->end;
    end = end ? end : csv->buffer + csv->end;
    *end = '\0';
    csv->begin = next;
    csv->line++;
    *size = (size_t)(end - start);
    return start;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static char *trim(char *start, char *end) {
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') {
        start++;
        end--;
    }
    *end = '\0';
    return start;
}

static bool split(struct csv *csv, char *line, size_t size, struct gabion_error *error) {
    csv->count = 0;
    for (char *start = line, *last = line + size; start <= last;) {
        char *end = memchr(start, ',', (size_t)(last - start));
        end = end ? end : last;
        if (csv->count == CSV_FIELDS_MAX)
            return error_set(error, GABION_ERROR_INPUT, "%s:%ld: more than %d columns", csv->path,
                             csv->line, CSV_FIELDS_MAX);
        csv->field[csv->count++] = trim(start, end);
        start = end + 1;
    }
    return true;
}

enum csv_result csv_next(struct csv *csv, struct gabion_error *error) {
    for (;;) {
        size_t size = 0;
        char *line = next_line(csv, &size, error);
        if (!line)
            return error->status == GABION_OK ? CSV_END : CSV_BAD;
        if (memchr(line, '\0', size)) {
            error_set(error, GABION_ERROR_INPUT,
                      "%s:%ld: expected a CSV table or an HDF5 file, found binary data", csv->path,
                      csv->line);
            return CSV_BAD;
        }
        if (csv->line == 1 && size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
            line += 3; // byte order mark of some editors
            size -= 3;
        }
        size_t blanks = strspn(line, " \t\r");
        if (line[blanks] == '\0' || line[blanks] == '#')
            continue;
        return split(csv, line, size, error) ? CSV_ROW : CSV_BAD;
    }
}
