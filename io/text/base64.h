// Base64 text, as VTK files and reports hold bytes.
#ifndef IO_TEXT_BASE64_H
#define IO_TEXT_BASE64_H

#include <stdbool.h>
#include <stddef.h>

// Writes four letters for each group of three bytes.
void base64_encode(const unsigned char *bytes, size_t groups, char *text);
// Writes the four letters of a last group that has one or two bytes.
void base64_encode_rest(const unsigned char *bytes, size_t count, char text[4]);

// Returns the number of letters that `bytes` bytes take, with their padding.
static inline size_t base64_length(size_t bytes) { return (bytes + 2) / 3 * 4; }

// Reads `count` bytes from base64_length(count) letters. Returns false where a letter is none of
// base64's or the padding is not where it must be.
bool base64_decode(const char *text, unsigned char *bytes, size_t count);

#endif
