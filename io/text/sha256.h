// Computes the SHA-256 (FIPS 180-4) of a text, so that a stored case can be compared with
// `sha256sum`.
#ifndef IO_TEXT_SHA256_H
#define IO_TEXT_SHA256_H

#include <stddef.h>

#define SHA256_TEXT_SIZE 65 // 64 hexadecimal digits and a NUL

void sha256_text(const char *bytes, size_t size, char text[SHA256_TEXT_SIZE]);

#endif
