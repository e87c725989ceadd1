// One frame of a report as text: arrays as differences from the frame before, byte by byte, packed
// by zlib and written in base64. Bodies that hardly move then take hardly any room.
#ifndef IO_REPORT_PACK_H
#define IO_REPORT_PACK_H

#include <stdint.h>
#include <stdio.h>

#include "parallel/error.h"

// An array of a frame, of whole numbers of 2 or 4 bytes. It is found in the frame before by kind
// and name.
struct pack_array {
    const char *kind; // the caller keeps it
    char name[64];
    int components, bytes; // of a number
    size_t count;          // values, each of `components` numbers
    uint32_t *number;
};

struct pack_frame {
    struct pack_array *array;
    size_t arrays, capacity;
};

// Adds an array of zeros and returns its numbers.
uint32_t *pack_add(struct pack_frame *frame, const char *kind, const char *name, int components,
                   int bytes, size_t count);
void pack_free(struct pack_frame *frame);

// Packs the frame against the one before it (NULL: none) and returns its text, which the caller
// frees with memory_free; NULL with an error.
char *pack_text(const struct pack_frame *frame, const struct pack_frame *before, size_t *letters,
                struct gabion_error *error);
// Prints what the text holds, in its order, as JSON: lists of kind, name, bytes, components, count.
void pack_print(FILE *stream, const struct pack_frame *frame);
// Returns the bytes that the frame takes once a browser has unpacked it.
size_t pack_bytes(const struct pack_frame *frame);

// The upper half of a single-precision number, rounded: two or three digits over the whole range.
uint32_t pack_real(double value);

#endif
