#include "io/text/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/memory.h"

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = memory_allocate(size, 1, "case text");
    memcpy(copy, text, size);
    return copy;
}

struct yaml_node *yaml_create(enum yaml_kind kind, struct yaml_position at) {
    struct yaml_node *node = memory_allocate(1, sizeof *node, "case node");
    node->kind = kind;
    node->at = node->key_at = at;
    return node;
}

struct yaml_node *yaml_create_scalar(const char *text, struct yaml_position at) {
    struct yaml_node *node = yaml_create(YAML_SCALAR, at);
    node->text = copy_text(text);
    return node;
}

void yaml_free(struct yaml_node *node) {
    if (!node)
        return;
    for (size_t i = 0; i < node->count; i++)
        yaml_free(node->item[i]);
    memory_free(node->item);
    memory_free(node->key);
    memory_free(node->text);
    memory_free(node);
}

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key) {
    if (!mapping || mapping->kind != YAML_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->item[i]->key, key) == 0)
            return mapping->item[i];
    return NULL;
}

void yaml_append(struct yaml_node *parent, struct yaml_node *child) {
    parent->item = memory_reserve(parent->item, &parent->capacity, parent->count + 1,
                                  sizeof *parent->item, "case nodes");
    parent->item[parent->count++] = child;
}

void yaml_name(struct yaml_node *node, const char *key) {
    char *name = copy_text(key);
    memory_free(node->key);
    node->key = name;
}

void yaml_put(struct yaml_node *mapping, const char *key, struct yaml_node *value) {
    yaml_name(value, key);
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->item[i]->key, value->key) == 0) {
            yaml_free(mapping->item[i]);
            mapping->item[i] = value;
            return;
        }
    yaml_append(mapping, value);
}

struct yaml_node *yaml_take(struct yaml_node *parent, size_t index) {
    struct yaml_node *node = parent->item[index];
    parent->count--;
    memmove(&parent->item[index], &parent->item[index + 1],
            (parent->count - index) * sizeof *parent->item);
    return node;
}

void yaml_remove(struct yaml_node *mapping, const char *key) {
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->item[i]->key, key) == 0) {
            yaml_free(yaml_take(mapping, i));
            return;
        }
}

int yaml_print_position(char *text, size_t size, struct yaml_position at) {
    if (at.line == 0)
        return snprintf(text, size, "%s", at.origin);
    return snprintf(text, size, "%s:%d:%d", at.origin, at.line, at.column);
}

bool yaml_error(struct gabion_error *error, struct yaml_position at, const char *format, ...) {
    char message[1500], where[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    yaml_print_position(where, sizeof where, at);
    return error_set(error, GABION_ERROR_INPUT, "%s: %s", where, message);
}

bool yaml_error_context(struct gabion_error *error, struct yaml_position at) {
    char where[512];
    yaml_print_position(where, sizeof where, at);
    return error_context(error, "%s", where);
}

// Returns whether a text can be written without quotes: letters, digits and a few signs that have
// no meaning in YAML anywhere in a plain scalar.
static bool is_plain(const char *text) {
    if (*text == '\0' || strcmp(text, "-") == 0 || strncmp(text, "--", 2) == 0 ||
        strncmp(text, "..", 2) == 0)
        return false;
    for (const char *c = text; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr("_-+./", *c)))
            return false;
    return true;
}

static void emit_scalar(FILE *stream, const char *text) {
    if (is_plain(text)) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', stream);
        if (*c == '\n')
            fputs("\\n", stream);
        else if (*c == '\t')
            fputs("\\t", stream);
        else
            fputc(*c, stream);
    }
    fputc('"', stream);
}

static void emit_indent(FILE *stream, int indent) { fprintf(stream, "%*s", indent, ""); }

static bool is_flow(const struct yaml_node *node) {
    if (node->kind == YAML_MAPPING)
        return node->count == 0;
    for (size_t i = 0; i < node->count; i++)
        if (node->item[i]->kind != YAML_SCALAR)
            return false;
    return true;
}

static void emit_flow(FILE *stream, const struct yaml_node *node) {
    if (node->kind == YAML_SCALAR) {
        emit_scalar(stream, node->text);
        return;
    }
    fputc(node->kind == YAML_LIST ? '[' : '{', stream);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i ? ", " : "", stream);
        emit_scalar(stream, node->item[i]->text);
    }
    fputc(node->kind == YAML_LIST ? ']' : '}', stream);
}

// Writes a list or mapping with its keys or dashes at `indent`. With `inline_first` the first one
// is already indented.
static void emit_block(FILE *stream, const struct yaml_node *node, int indent, bool inline_first) {
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->item[i];
        if (i > 0 || !inline_first)
            emit_indent(stream, indent);
        if (node->kind == YAML_MAPPING) {
            emit_scalar(stream, item->key);
            fputc(':', stream);
        } else {
            fputc('-', stream);
        }
        if (is_flow(item)) {
            fputc(' ', stream);
            emit_flow(stream, item);
            fputc('\n', stream);
        } else if (node->kind == YAML_LIST) {
            fputc(' ', stream);
            emit_block(stream, item, indent + 2, true);
        } else {
            fputc('\n', stream);
            emit_block(stream, item, indent + 2, false);
        }
    }
}

struct emission {
    const char *text;
    size_t length;
    char *copy;
};

static void copy_emission(void *context) {
    struct emission *emission = context;
    emission->copy = memory_allocate(emission->length + 1, 1, "case text");
    memcpy(emission->copy, emission->text, emission->length + 1);
}

char *yaml_emit(const struct yaml_node *root, size_t *size) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (is_flow(root)) {
        emit_flow(stream, root);
        fputc('\n', stream);
    } else {
        emit_block(stream, root, 0, false);
    }
    fclose(stream);
    // Copies the text, because callers free it with memory_free.
    struct emission emission = {text, length, NULL};
    struct gabion_error error = {0};
    bool copied = memory_try(memory_account_current(), copy_emission, &emission, &error);
    free(text);
    if (!copied)
        memory_raise(&error);
    *size = length;
    return emission.copy;
}
