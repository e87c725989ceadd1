#include "io/case/case.h"
#include "io/case/keys.h"
#include "io/command/commands.h"
#include "parallel/memory.h"

#define TEXT_SIZE ((size_t)1 << 20)

bool command_explain(const struct options *options, struct gabion_error *error) {
    if (options->markdown) {
        if (options->target != NULL)
            return error_set(error, GABION_ERROR_INPUT,
                             "--markdown prints all keys: leave \"%s\" away", options->target);
        case_keys_markdown(stdout);
        return true;
    }
    char *text = memory_allocate(TEXT_SIZE, 1, "the explanation of the keys");
    bool known = case_explain(options->target ? options->target : "", text, TEXT_SIZE, error);
    if (known)
        fputs(text, stdout);
    memory_free(text);
    return known;
}
