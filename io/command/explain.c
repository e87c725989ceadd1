#include "io/case/case.h"
#include "io/case/keys.h"
#include "io/command/commands.h"
#include "io/command/manual.h"
#include "parallel/memory.h"

#define TEXT_SIZE ((size_t)1 << 20)

// Prints the whole table, which leaves nothing to name.
static bool print_table(const struct options *options, const char *option,
                        void (*print)(FILE *stream), struct gabion_error *error) {
    if (options->target != NULL)
        return error_set(error, GABION_ERROR_INPUT, "%s prints all keys: leave \"%s\" away", option,
                         options->target);
    print(stdout);
    return true;
}

static bool print_manual(const char *name, struct gabion_error *error) {
    enum verb verb = VERB_NONE;
    if (name && !options_find_verb(name, &verb, error))
        return false;
    manual_print(verb, stdout);
    return true;
}

bool command_explain(const struct options *options, struct gabion_error *error) {
    if (options->markdown)
        return print_table(options, "--markdown", case_keys_markdown, error);
    if (options->schema)
        return print_table(options, "--schema", case_keys_schema, error);
    if (options->completion)
        return print_table(options, "--completion", completion_print, error);
    if (options->man)
        return print_manual(options->target, error);
    char *text = memory_allocate(TEXT_SIZE, 1, "the explanation of the keys");
    bool known = case_explain(options->target ? options->target : "", text, TEXT_SIZE, error);
    if (known)
        fputs(text, stdout);
    memory_free(text);
    return known;
}
