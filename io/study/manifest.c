#include "io/study/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/file.h"
#include "io/text/csv.h"
#include "parallel/memory.h"

#define PATH_SIZE 4096

static void path_of(const char *folder, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%.3000s/manifest.csv", folder);
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct manifest_entry *)a)->label,
                  ((const struct manifest_entry *)b)->label);
}

static bool is_hash(const char *text) {
    return strlen(text) == SHA256_TEXT_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == SHA256_TEXT_SIZE - 1;
}

static bool read_row(struct manifest *manifest, size_t *capacity, const struct csv *csv,
                     struct gabion_error *error) {
    if (csv->count != 2 || !is_hash(csv->field[0]) || !is_hash(csv->field[1]))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s:%ld: expected two SHA-256 hashes; remove the file to do without the "
                         "check of what changed",
                         csv->path, csv->line);
    manifest->old = memory_reserve(manifest->old, capacity, manifest->old_count + 1,
                                   sizeof *manifest->old, "the manifest");
    struct manifest_entry *entry = &manifest->old[manifest->old_count++];
    snprintf(entry->label, sizeof entry->label, "%s", csv->field[0]);
    snprintf(entry->sha256, sizeof entry->sha256, "%s", csv->field[1]);
    return true;
}

bool manifest_read(struct manifest *manifest, const char *folder, struct gabion_error *error) {
    char path[PATH_SIZE];
    struct csv csv;
    size_t capacity = 0;
    *manifest = (struct manifest){0};
    path_of(folder, path);
    if (!file_exists(path))
        return true;
    if (!csv_open(&csv, path, error))
        return false;
    enum csv_result result = csv_next(&csv, error); // the header
    while (result == CSV_ROW && (result = csv_next(&csv, error)) == CSV_ROW)
        if (!read_row(manifest, &capacity, &csv, error))
            result = CSV_BAD;
    csv_close(&csv);
    if (manifest->old_count > 0)
        qsort(manifest->old, manifest->old_count, sizeof *manifest->old, compare);
    return result == CSV_END;
}

void manifest_free(struct manifest *manifest) {
    memory_free(manifest->old);
    memory_free(manifest->added);
    *manifest = (struct manifest){0};
}

static struct manifest_entry make_entry(const char *description, const char *sha256) {
    struct manifest_entry entry;
    sha256_text(description, strlen(description), entry.label);
    snprintf(entry.sha256, sizeof entry.sha256, "%s", sha256);
    return entry;
}

static struct manifest_entry *find_old(const struct manifest *manifest,
                                       const struct manifest_entry *entry) {
    return manifest->old_count == 0
               ? NULL
               : bsearch(entry, manifest->old, manifest->old_count, sizeof *manifest->old, compare);
}

const char *manifest_find(const struct manifest *manifest, const char *description) {
    struct manifest_entry entry = make_entry(description, "");
    const struct manifest_entry *found = find_old(manifest, &entry);
    return found ? found->sha256 : NULL;
}

void manifest_add(struct manifest *manifest, const char *description, const char *sha256) {
    struct manifest_entry entry = make_entry(description, sha256),
                          *old = find_old(manifest, &entry);
    if (old && strcmp(old->sha256, sha256) == 0)
        return;
    if (old)
        *old = entry;
    manifest->added =
        memory_reserve(manifest->added, &manifest->added_capacity, manifest->added_count + 1,
                       sizeof *manifest->added, "the manifest");
    manifest->added[manifest->added_count++] = entry;
}

bool manifest_write(struct manifest *manifest, const char *folder, struct gabion_error *error) {
    char path[PATH_SIZE];
    struct safe_file file;
    if (manifest->written_count == manifest->added_count)
        return true;
    path_of(folder, path);
    if (!safe_file_open(&file, path, error))
        return false;
    fputs("values_sha256,case_sha256\n", file.stream);
    for (size_t i = 0; i < manifest->old_count; i++)
        fprintf(file.stream, "%s,%s\n", manifest->old[i].label, manifest->old[i].sha256);
    for (size_t i = 0; i < manifest->added_count; i++)
        if (!find_old(manifest, &manifest->added[i]))
            fprintf(file.stream, "%s,%s\n", manifest->added[i].label, manifest->added[i].sha256);
    manifest->written_count = manifest->added_count;
    return safe_file_commit(&file, error);
}
