#include "io/report/json.h"

#include <math.h>
#include <string.h>

// Returns the number of bytes of the UTF-8 character at `text`; 0: it is none. The caller's text
// ends with a NUL, which is no continuation byte, so nothing beyond it is read.
static int character_bytes(const unsigned char *text) {
    int bytes = text[0] < 0x80             ? 1
                : (text[0] & 0xe0) == 0xc0 ? 2
                : (text[0] & 0xf0) == 0xe0 ? 3
                : (text[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
    for (int k = 1; k < bytes; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

static void print_character(FILE *stream, const unsigned char *text, int bytes) {
    if (bytes == 0)
        fputc('?', stream);
    else if (bytes == 1 && (text[0] < 0x20 || strchr("\"\\<>&\x7f", text[0])))
        fprintf(stream, "\\u%04x", text[0]);
    else
        fwrite(text, 1, (size_t)bytes, stream);
}

void json_text(FILE *stream, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', stream);
    while (*at) {
        int bytes = character_bytes(at);
        print_character(stream, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
    fputc('"', stream);
}

void json_number(FILE *stream, double number) {
    if (isfinite(number))
        fprintf(stream, "%.7g", number);
    else
        fputs("null", stream);
}
