// `gabion new`: writes a commented starting case.
#include <string.h>

#include "io/command/commands.h"
#include "io/command/kinds.h"
#include "io/file/file.h"
#include "io/file/folder.h"

struct target {
    char stem[FOLDER_PATH_MAX]; // the path without ".yaml"
    const char *name;           // its last part
    char path[FOLDER_PATH_MAX + 8];
    char table[FOLDER_PATH_MAX + 8];
};

// The name is written into comments and into file names of the case. Bytes above 127 are parts of
// letters of other alphabets.
static bool is_good_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c > 127 || c == '_' || c == '-' || c == '.';
}

static bool check_name(const char *name, struct gabion_error *error) {
    size_t good = 0;
    while (is_good_letter(name[good]))
        good++;
    if (good == 0 && name[0] == '\0')
        return error_set(error, GABION_ERROR_INPUT,
                         "gabion new needs the NAME of a case, not a "
                         "folder");
    return (name[good] == '\0' && name[0] != '.') ||
           error_set(error, GABION_ERROR_INPUT,
                     "the name of a case has letters, digits, \"_\", \"-\" and \".\", and does not "
                     "begin with \".\"; found \"%.60s\"",
                     name);
}

static bool find_target(struct target *target, const char *given, struct gabion_error *error) {
    size_t length = strlen(given);
    if (length > 5 && strcmp(given + length - 5, ".yaml") == 0)
        length -= 5;
    if (length >= sizeof target->stem)
        return error_set(error, GABION_ERROR_INPUT, "the name is too long: %.60s...", given);
    memcpy(target->stem, given, length);
    target->stem[length] = '\0';
    const char *slash = strrchr(target->stem, '/');
    target->name = slash ? slash + 1 : target->stem;
    snprintf(target->path, sizeof target->path, "%s.yaml", target->stem);
    snprintf(target->table, sizeof target->table, "%s.csv", target->stem);
    return check_name(target->name, error);
}

static bool check_absent(const char *path, bool force, struct gabion_error *error) {
    if (folder_is_directory(path))
        return error_set(error, GABION_ERROR_INPUT, "%s is a folder; choose another name", path);
    return force || !file_exists(path) ||
           error_set(error, GABION_ERROR_INPUT,
                     "%s exists; give --force to replace it, or choose another name", path);
}

// Writes a text with the name of the case in the place of @NAME@.
static bool write_text(const char *path, const char *text, const char *name,
                       struct gabion_error *error) {
    static const char mark[] = "@NAME@";
    struct safe_file file;
    if (!safe_file_open(&file, path, error))
        return false;
    for (const char *next; (next = strstr(text, mark)); text = next + strlen(mark))
        fprintf(file.stream, "%.*s%s", (int)(next - text), text, name);
    fputs(text, file.stream);
    return safe_file_commit(&file, error);
}

// The table comes first: a case that exists is complete.
static bool write_case(const struct target *target, const struct kind *kind,
                       struct gabion_error *error) {
    if (kind->table && !write_text(target->table, kind->table, target->name, error))
        return false;
    if (!write_text(target->path, kind->text, target->name, error))
        return false;
    printf("case: %s\n", target->path);
    if (kind->table)
        printf("table: %s\n", target->table);
    printf("kind: %s\n", kind->name);
    printf("next: gabion run %s\n", target->path);
    return true;
}

bool command_new(const struct options *options, struct gabion_error *error) {
    const struct kind *kind = options->kind ? kind_find(options->kind) : &kinds[0];
    struct target target;
    return find_target(&target, options->target, error) &&
           check_absent(target.path, options->force, error) &&
           (!kind->table || check_absent(target.table, options->force, error)) &&
           write_case(&target, kind, error);
}
