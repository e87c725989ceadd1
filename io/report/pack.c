#include "io/report/pack.h"

#include <string.h>
#include <zlib.h>

#include "io/report/json.h"
#include "io/text/base64.h"
#include "parallel/memory.h"

uint32_t *pack_add(struct pack_frame *frame, const char *kind, const char *name, int components,
                   int bytes, size_t count) {
    frame->array = memory_reserve(frame->array, &frame->capacity, frame->arrays + 1,
                                  sizeof *frame->array, "a report");
    struct pack_array *array = &frame->array[frame->arrays++];
    *array =
        (struct pack_array){.kind = kind, .components = components, .bytes = bytes, .count = count};
    snprintf(array->name, sizeof array->name, "%s", name);
    array->number = memory_allocate(count * (size_t)components, sizeof *array->number, "a report");
    return array->number;
}

void pack_free(struct pack_frame *frame) {
    for (size_t k = 0; k < frame->arrays; k++)
        memory_free(frame->array[k].number);
    memory_free(frame->array);
    *frame = (struct pack_frame){0};
}

size_t pack_bytes(const struct pack_frame *frame) {
    size_t bytes = 0;
    for (size_t k = 0; k < frame->arrays; k++)
        bytes +=
            frame->array[k].count * (size_t)(frame->array[k].components * frame->array[k].bytes);
    return bytes;
}

uint32_t pack_real(double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if ((bits & 0x7f800000) == 0x7f800000) // not finite
        return bits >> 16;
    uint32_t rounded = bits + 0x8000;
    return ((rounded & 0x7f800000) == 0x7f800000 ? bits : rounded) >> 16;
}

static size_t numbers_of(const struct pack_array *array) {
    return array->count * (size_t)array->components;
}

// Returns the same array of the frame before; NULL where it has another size.
static const struct pack_array *find_before(const struct pack_frame *before,
                                            const struct pack_array *array) {
    for (size_t k = 0; before && k < before->arrays; k++) {
        const struct pack_array *other = &before->array[k];
        if (strcmp(other->kind, array->kind) == 0 && strcmp(other->name, array->name) == 0)
            return other->components == array->components && other->bytes == array->bytes &&
                           other->count == array->count
                       ? other
                       : NULL;
    }
    return NULL;
}

// Writes the lowest bytes of all differences, then the next ones. Returns the end.
static unsigned char *write_planes(const struct pack_array *array, const struct pack_array *before,
                                   unsigned char *out) {
    size_t n = numbers_of(array);
    for (int plane = 0; plane < array->bytes; plane++)
        for (size_t k = 0; k < n; k++) {
            uint32_t difference = array->number[k] - (before ? before->number[k] : 0);
            *out++ = (unsigned char)(difference >> (8 * plane));
        }
    return out;
}

static char *to_base64(const unsigned char *bytes, size_t count, size_t *letters) {
    size_t groups = count / 3, rest = count % 3;
    *letters = base64_length(count);
    char *text = memory_allocate(*letters + 1, 1, "a report");
    base64_encode(bytes, groups, text);
    if (rest > 0)
        base64_encode_rest(bytes + 3 * groups, rest, text + 4 * groups);
    return text;
}

char *pack_text(const struct pack_frame *frame, const struct pack_frame *before, size_t *letters,
                struct gabion_error *error) {
    size_t bytes = pack_bytes(frame);
    uLongf packed_bytes = compressBound(bytes);
    unsigned char *raw = memory_allocate(bytes, 1, "a report"), *end = raw;
    unsigned char *packed = memory_allocate(packed_bytes, 1, "a report");
    for (size_t k = 0; k < frame->arrays; k++)
        end = write_planes(&frame->array[k], find_before(before, &frame->array[k]), end);
    int status = compress2(packed, &packed_bytes, raw, bytes, 6);
    char *text = NULL;
    if (status == Z_OK)
        text = to_base64(packed, packed_bytes, letters);
    else
        error_set(error, GABION_ERROR_RUN, "cannot pack a frame of the report: %s", zError(status));
    memory_free(raw);
    memory_free(packed);
    return text;
}

void pack_print(FILE *stream, const struct pack_frame *frame) {
    fputc('[', stream);
    for (size_t k = 0; k < frame->arrays; k++) {
        const struct pack_array *array = &frame->array[k];
        fputs(k > 0 ? ",[" : "[", stream);
        json_text(stream, array->kind);
        fputc(',', stream);
        json_text(stream, array->name);
        fprintf(stream, ",%d,%d,%zu]", array->bytes, array->components, array->count);
    }
    fputc(']', stream);
}
