#include "engine/world/state.h"

#include <math.h>

#include "parallel/hash.h"
#include "parallel/memory.h"

size_t state_type_size(enum state_type type) {
    static const size_t size[] = {
        [STATE_UINT8] = 1,  [STATE_UINT16] = 2, [STATE_INT32] = 4,
        [STATE_UINT32] = 4, [STATE_INT64] = 8,  [STATE_FLOAT64] = 8,
    };
    return size[type];
}

int64_t state_integer(enum state_type type, const void *value) {
    switch (type) {
    case STATE_UINT8:
        return *(const uint8_t *)value;
    case STATE_UINT16:
        return *(const uint16_t *)value;
    case STATE_UINT32:
        return *(const uint32_t *)value;
    case STATE_INT64:
        return *(const int64_t *)value;
    default:
        return *(const int32_t *)value;
    }
}

size_t state_rows(const struct state_part *part, const struct state *state) {
    return part->rows ? part->rows(state) : 1;
}

char *state_address(const struct state_part *part, const struct state_field *field,
                    const struct state *state) {
    char *owner = part->owner(state);
    char *base = part->rows ? state_array(owner, field) : owner;
    return base ? base + field->offset : NULL;
}

void state_allocate_arrays(const struct state_part *part, void *owner, size_t rows) {
    for (size_t k = 0; k < part->fields; k++)
        state_set_array(owner, &part->field[k],
                        memory_allocate(rows, part->field[k].stride, part->group));
}

void state_free_arrays(const struct state_part *part, void *owner) {
    for (size_t k = 0; k < part->fields; k++)
        memory_free(state_array(owner, &part->field[k]));
}

// The hash ------------------------------------------------------------------------------------

static size_t field_size(const struct state_field *field) {
    return (size_t)field->columns * state_type_size(field->type);
}

// A piece is an array of the type of its first field; integers joined to it are widened.
#define PIECE_MAX 64 // numbers

struct piece {
    enum state_type type;
    size_t size; // bytes
    char bytes[8 * PIECE_MAX];
};

static void piece_put(struct piece *piece, const void *value) {
    size_t size = state_type_size(piece->type);
    memcpy(piece->bytes + piece->size, value, size);
    piece->size += size;
}

static double real_of(const struct state_field *field, const char *value) {
    double real;
    if (field->type != STATE_FLOAT64)
        return (double)state_integer(field->type, value);
    memcpy(&real, value, sizeof real);
    return isnan(real) ? -1 : real; // the bits of a NAN are not the same everywhere
}

static void piece_add(struct piece *piece, const struct state_field *field, const char *value) {
    size_t size = state_type_size(field->type);
    for (int k = 0; k < field->columns; k++, value += size) {
        double real = real_of(field, value);
        int32_t word = size < sizeof word ? (int32_t)real : 0;
        if (piece->type == STATE_FLOAT64)
            piece_put(piece, &real);
        else
            piece_put(piece, size < state_type_size(piece->type) ? (const char *)&word : value);
    }
}

static uint64_t hash_row(uint64_t hash, const struct state_part *part, const struct state *state,
                         size_t row) {
    struct piece piece;
    for (size_t k = 0; k < part->fields;) {
        piece.type = part->field[k].type;
        piece.size = 0;
        do {
            const struct state_field *field = &part->field[k++];
            piece_add(&piece, field, state_address(part, field, state) + row * field->stride);
        } while (k < part->fields && part->field[k].flags & STATE_JOINED);
        hash = hash_bytes(hash, piece.bytes, piece.size);
    }
    return hash;
}

uint64_t state_hash_part(uint64_t hash, const struct state_part *part, const struct state *state) {
    size_t rows = state_rows(part, state);
    if (part->hash == STATE_HASH_TABLE)
        return hash_bytes(hash, state_array(part->owner(state), part->field),
                          rows * part->field->stride);
    for (size_t k = 0; part->hash == STATE_HASH_FIELDS && k < part->fields; k++)
        hash = hash_bytes(hash, state_address(part, &part->field[k], state),
                          rows * field_size(&part->field[k]));
    for (size_t row = 0; part->hash == STATE_HASH_ROWS && row < rows; row++)
        hash = hash_row(hash, part, state, row);
    return hash;
}
