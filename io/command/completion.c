// The completion of the command line in bash: lists from the tables, followed by the functions of
// io/command/completion.sh, which use them.
#include <string.h>

#include "io/case/keys.h"
#include "io/command/kinds.h"
#include "io/command/manual.h"
#include "io/command/options_table.h"
#include "io/file/embed.h"

EMBED_FILE(completion_script, "io/command/completion.sh");

static const char *verb_name(int verb) {
    return verb == VERB_NONE ? "" : options_verb((enum verb)verb)->name;
}

// What can be completed in place of an argument that the help calls `name`.
static const char *sort_of(const char *name) {
    static const char *const sorts[][2] = {{"KEY=VALUE", "assigned"}, {"KEY", "explained"},
                                           {"DIR", "folders"},        {"FILE", "files"},
                                           {"PREFIX", "files"},       {"CASE", "files"},
                                           {"PROBLEM", "files"},      {"CHECKPOINT", "files"}};
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++)
        if (strncmp(name, sorts[i][0], strlen(sorts[i][0])) == 0)
            return strchr(name, '|') ? "files" : sorts[i][1];
    return "nothing";
}

// Returns the key of case files that takes the same words as an option; NULL: none.
static const struct key *key_of(const struct option_row *row) {
    static const char *const keys[][2] = {{"solver", "solver.method"},
                                          {"solvers", "solver.method"},
                                          {"local", "solver.local"},
                                          {"measure", "solver.measure"},
                                          {"cone", "solver.cone"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(row->name, keys[i][0]) == 0)
            return key_find_path(&case_keys, keys[i][1]);
    return NULL;
}

static void print_kinds(FILE *stream) {
    for (const struct kind *kind = kinds; kind->name; kind++)
        fprintf(stream, " %s", kind->name);
}

// Prints what the value of an option can be, as _gabion_values of the script reads it.
static void print_values(FILE *stream, const struct option_row *row, bool has_kinds) {
    const struct key *key = key_of(row);
    fputs("echo '", stream);
    if (key)
        fprintf(stream, "words:%s", key->words);
    else if (has_kinds && strcmp(row->argument, "KIND") == 0) {
        fputs("words:", stream);
        print_kinds(stream);
    } else
        fputs(sort_of(row->argument), stream);
    fputs("'", stream);
}

static void print_verbs(FILE *stream) {
    fputs("_gabion_verbs='", stream);
    for (int verb = 0; verb < VERB_COUNT; verb++)
        fprintf(stream, "%s%s", verb ? " " : "", verb_name(verb));
    fputs("'\n", stream);
}

static void print_keys(FILE *stream, const char *name, const char *entry) {
    fprintf(stream, "%s='\n", name);
    case_keys_paths(stream, entry);
    fputs("'\n", stream);
}

// The options of each verb.
static void print_options(FILE *stream) {
    const struct option_row *row;
    fputs("_gabion_options() {\n    case $1 in\n", stream);
    for (int verb = 0; verb <= VERB_NONE; verb++) {
        fprintf(stream, "    '%s') echo '", verb_name(verb));
        for (size_t next = 0; (row = options_next((enum verb)verb, &next));) {
            fprintf(stream, " --%s", row->name);
            if (row->letter)
                fprintf(stream, " -%c", row->letter);
        }
        fputs("' ;;\n", stream);
    }
    fputs("    esac\n}\n", stream);
}

// What each option of each verb takes; nothing is printed for flags.
static void print_takes(FILE *stream) {
    const struct option_row *row;
    fputs("_gabion_takes() {\n    case $1:$2 in\n", stream);
    for (int verb = 0; verb < VERB_COUNT; verb++)
        for (size_t next = 0; (row = options_next((enum verb)verb, &next));) {
            if (!row->argument)
                continue;
            fprintf(stream, "    %s:--%s", verb_name(verb), row->name);
            if (row->letter)
                fprintf(stream, " | %s:-%c", verb_name(verb), row->letter);
            fputs(") ", stream);
            print_values(stream, row, (enum verb)verb == VERB_NEW);
            fputs(" ;;\n", stream);
        }
    fputs("    esac\n}\n", stream);
}

static void print_targets(FILE *stream) {
    fputs("_gabion_target() {\n    case $1 in\n", stream);
    for (int verb = 0; verb < VERB_COUNT; verb++)
        fprintf(stream, "    %s) echo '%s' ;;\n", verb_name(verb),
                sort_of(options_verb((enum verb)verb)->target));
    fputs("    esac\n}\n", stream);
}

void completion_print(FILE *stream) {
    fprintf(stream, "# bash completion for gabion %s; printed by gabion explain --completion\n",
            GABION_VERSION);
    print_verbs(stream);
    print_keys(stream, "_gabion_explained", "");
    print_keys(stream, "_gabion_assignable", ".0");
    print_options(stream);
    print_takes(stream);
    print_targets(stream);
    fputc('\n', stream);
    fputs(completion_script, stream);
}
