// The frames of a report: some or all of those that a run wrote for ParaView, packed as text, in a
// bounded number of bytes.
#ifndef IO_REPORT_FRAMES_H
#define IO_REPORT_FRAMES_H

#include <stdio.h>

#include "io/text/remarks.h"
#include "parallel/error.h"

struct frames;

// Reads and packs at most `most` frames of a folder, in at most `bytes` bytes: fewer frames, then
// less of each where they would take more. What is left out, and files that are damaged, are listed
// in `remarks`. Returns NULL on an error.
struct frames *frames_read(const char *directory, size_t most, size_t bytes,
                           struct remarks *remarks, struct gabion_error *error);
void frames_free(struct frames *frames);

size_t frames_kept(const struct frames *frames);
size_t frames_there(const struct frames *frames);

// Prints what the frames hold as a JSON object, and the frames themselves as script elements.
void frames_print_contents(FILE *stream, const struct frames *frames);
void frames_print_texts(FILE *stream, const struct frames *frames);

#endif
