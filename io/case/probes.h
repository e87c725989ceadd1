// Probes of a case file, and of a file of probes alone (gabion measure).
#ifndef IO_CASE_PROBES_H
#define IO_CASE_PROBES_H

#include "engine/gabion.h"
#include "io/case/check.h"
#include "io/case/fields.h"

// Reports keys that the quantity of a probe needs or does not take, and directions of length 0.
void case_check_probe(struct problems *problems, struct fields probe);

// Probes that are given after a run: those of a file (NULL: none) and of arguments, each one probe
// as a YAML mapping with or without its braces. Returns NULL with an error where something is wrong
// with them; the caller frees the document with probe_document_free.
struct probe_document *probe_document_read(const char *path, const char *const *arguments,
                                           int count, struct gabion_error *error);
bool probe_document_define(const struct probe_document *document, struct gabion_world *world,
                           struct gabion_error *error);
void probe_document_free(struct probe_document *document);

#endif
