// The table of case-file keys: the reader, the checks, `gabion explain` and the manual all read it.
// The rows of the settings come from engine/api/settings.h.
#ifndef IO_CASE_KEYS_H
#define IO_CASE_KEYS_H

#include <stdio.h>

#include "engine/api/key.h"
#include "parallel/error.h"

extern const struct key_section case_keys;        // the whole file
extern const struct key_section case_output_keys; // its section `output`: struct output_settings

// Prints the path of every key, one per line. `entry` follows the name of a list of mappings: ".0"
// gives paths as --set takes them, "" as `gabion explain` does. Where the path needs a name that a
// case chooses, a material's, --set cannot list it.
void case_keys_paths(FILE *stream, const char *entry);

// The keys of a file that has probes and nothing else (io/case/probes.c).
extern const struct key_section case_probes_keys;

// The functions below serve every table of keys. `noun` is what users call the file: "case".

// Explains one key ("solver.tolerance"), a section, or all keys ("").
bool keys_explain(const struct key_section *section, const char *noun, const char *path, char *text,
                  size_t size, struct gabion_error *error);
// Prints the keys as tables for the manual.
void keys_markdown(const struct key_section *section, FILE *stream);
// Prints the keys as a JSON Schema.
void keys_schema(const struct key_section *section, const char *noun, FILE *stream);

#endif
