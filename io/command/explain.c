#include <string.h>

#include "io/case/keys.h"
#include "io/command/commands.h"
#include "io/command/manual.h"
#include "io/study/study.h"
#include "parallel/memory.h"

#define TEXT_SIZE ((size_t)1 << 20)

// The keys of study files begin with "study".
static bool is_of_study(const char *path) {
    return path && strncmp(path, "study", 5) == 0 && strchr(".", path[5]);
}

// Prints a whole table, which leaves nothing else to name.
static bool check_whole(const struct options *options, const char *option,
                        struct gabion_error *error) {
    const char *path = options->target;
    return path == NULL || strcmp(path, "study") == 0 ||
           error_set(error, GABION_ERROR_INPUT, "%s prints all keys: leave \"%s\" away", option,
                     path);
}

static bool print_manual(const char *name, struct gabion_error *error) {
    enum verb verb = VERB_NONE;
    if (name && !options_find_verb(name, &verb, error))
        return false;
    manual_print(verb, stdout);
    return true;
}

bool command_explain(const struct options *options, struct gabion_error *error) {
    bool study = is_of_study(options->target);
    const struct key_section *keys = study ? &study_keys : &case_keys;
    const char *noun = study ? "study" : "case", *path = options->target ? options->target : "";
    const char *option = options->markdown     ? "--markdown"
                         : options->schema     ? "--schema"
                         : options->completion ? "--completion"
                                               : NULL;
    if (option && !check_whole(options, option, error))
        return false;
    if (options->markdown)
        keys_markdown(keys, stdout);
    if (options->schema)
        keys_schema(keys, noun, stdout);
    if (options->completion)
        completion_print(stdout);
    if (options->markdown || options->schema || options->completion)
        return true;
    if (options->man)
        return print_manual(options->target, error);
    char *text = memory_allocate(TEXT_SIZE, 1, "the explanation of the keys");
    bool known =
        keys_explain(keys, noun, study ? path + strlen(path[5] ? "study." : "study") : path, text,
                     TEXT_SIZE, error);
    if (known)
        fputs(text, stdout);
    memory_free(text);
    return known;
}
