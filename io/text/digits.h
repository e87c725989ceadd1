// Numbers as text, many times as fast as printf: a row of a table has some sixty of them.
#ifndef IO_TEXT_DIGITS_H
#define IO_TEXT_DIGITS_H

#include <stdint.h>

#define DIGITS_SIZE 32 // of a text that holds any number, its final NUL included

// Writes what printf does for "%.17g", to the character: reading it gives the same bits. Returns
// the length.
int digits_real(double real, char text[DIGITS_SIZE]);

// Writes what printf does for "%lld". Returns the length.
int digits_integer(int64_t integer, char text[DIGITS_SIZE]);

#endif
