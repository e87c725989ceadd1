#include "io/report/remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void remarks_add(struct remarks *remarks, const char *format, ...) {
    char text[REMARK_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t k = 0; k < remarks->count; k++)
        if (strcmp(remarks->text[k], text) == 0)
            return;
    if (remarks->count == REMARKS_MAX)
        remarks->unlisted++;
    else
        strcpy(remarks->text[remarks->count++], text);
}
