#include "parallel/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct gabion_error *error, enum gabion_status status, const char *format, ...) {
    if (error->status != GABION_OK)
        return false;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

bool error_context(struct gabion_error *error, const char *format, ...) {
    if (error->status == GABION_OK)
        return false;
    char below[sizeof error->text];
    memcpy(below, error->text, sizeof below);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    // A text that is too long loses its end: its beginning says where the error is.
    size_t length = strlen(error->text);
    size_t room = sizeof error->text - length;
    if (snprintf(error->text + length, room, ": %s", below) >= (int)room)
        error->text[sizeof error->text - 1] = '\0';
    return false;
}
