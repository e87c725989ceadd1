#include "io/text/base64.h"

#include <string.h>

void base64_encode(const unsigned char *bytes, size_t groups, char *text) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; groups > 0; groups--, bytes += 3) {
        unsigned group = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
        for (int k = 0; k < 4; k++)
            *text++ = letters[group >> (18 - 6 * k) & 63];
    }
}

void base64_encode_rest(const unsigned char *bytes, size_t count, char text[4]) {
    unsigned char group[3] = {0};
    memcpy(group, bytes, count);
    base64_encode(group, 1, text);
    memset(text + 1 + count, '=', 3 - count);
}

static int letter_value(char letter) {
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

// Reads one group of `count` bytes, 1 to 3.
static bool decode_group(const char *text, unsigned char *bytes, size_t count) {
    unsigned group = 0;
    for (size_t k = 0; k < 4; k++) {
        int value = k <= count ? letter_value(text[k]) : text[k] == '=' ? 0 : -1;
        if (value < 0)
            return false;
        group = group << 6 | (unsigned)value;
    }
    for (size_t k = 0; k < count; k++)
        bytes[k] = (unsigned char)(group >> (16 - 8 * k));
    return true;
}

bool base64_decode(const char *text, unsigned char *bytes, size_t count) {
    for (; count > 0; text += 4) {
        size_t some = count < 3 ? count : 3;
        if (!decode_group(text, bytes, some))
            return false;
        bytes += some;
        count -= some;
    }
    return true;
}
