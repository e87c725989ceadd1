#include "io/text/remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parallel/memory.h"

#define LINE_SIZE 2048

void remarks_add(struct remarks *remarks, bool warning, const char *format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct memory_account *before = memory_account_use(remarks->account);
    remarks->list = memory_reserve(remarks->list, &remarks->capacity, remarks->count + 1,
                                   sizeof *remarks->list, "remarks");
    char *text = memory_allocate(strlen(line) + 1, 1, "remarks");
    memcpy(text, line, strlen(line) + 1);
    remarks->list[remarks->count++] = (struct remark){text, warning};
    memory_account_use(before);
}

int remarks_warnings(const struct remarks *remarks) {
    int warnings = 0;
    for (size_t k = 0; k < remarks->count; k++)
        warnings += remarks->list[k].warning;
    return warnings;
}

void remarks_free(struct remarks *remarks) {
    for (size_t k = 0; k < remarks->count; k++)
        memory_free(remarks->list[k].text);
    memory_free(remarks->list);
    *remarks = (struct remarks){0};
}
