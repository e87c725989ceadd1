#include "io/text/yaml.h"

#include <libfyaml.h>
#include <stdint.h>
#include <string.h>

#include "parallel/memory.h"

// ---- the filter in front of the parser ----

// Returns the length of the UTF-8 character at s. Returns 0 for characters that a case file must
// not contain: control characters other than tab and line ends, surrogates, non-characters and
// overlong forms.
static size_t character_length(const unsigned char *s, size_t left) {
    if (s[0] < 0x80)
        return (s[0] >= 0x20 && s[0] != 0x7f) || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || left < length)
        return 0;
    uint32_t code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    bool bad = code < lowest[length] || code > 0x10ffff || (code >= 0x80 && code < 0xa0) ||
               (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe || code == 0xfeff ||
               code == 0x2028 || code == 0x2029;
    return bad ? 0 : length;
}

static bool text_check(const char *text, size_t size, const char *origin,
                       struct gabion_error *error) {
    struct yaml_position at = {origin, 1, 1};
    for (size_t i = 0; i < size;) {
        size_t length = character_length((const unsigned char *)text + i, size - i);
        if (length == 0)
            return yaml_error(error, at,
                              "byte 0x%02x is not allowed in a case file, which must be UTF-8 text "
                              "without control characters",
                              (unsigned char)text[i]);
        at.column++;
        if (text[i] == '\n') {
            at.line++;
            at.column = 1;
        }
        i += length;
    }
    return true;
}

// ---- events to tree ----

struct anchor {
    char *name;
    struct yaml_node *node;
};

struct builder {
    const char *origin;
    struct gabion_error *error;
    struct yaml_node *root;
    struct yaml_node *open[YAML_DEPTH_MAX];
    int depth;
    char *key; // has been read, its value has not
    struct yaml_position key_at;
    struct anchor *anchors;
    size_t anchor_count, anchor_capacity;
    size_t nodes, aliased;
    int documents;
};

static struct yaml_position event_position(struct builder *b, struct fy_event *event) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (!mark) // an empty value: its key is the nearest place
        return b->key ? b->key_at : (struct yaml_position){b->origin, 1, 1};
    return (struct yaml_position){b->origin, mark->line + 1, mark->column + 1};
}

// Returns a NUL-terminated copy. Rejects control characters that are written as escapes: returns
// NULL and reports an error.
static char *token_text(struct builder *b, struct fy_token *token, struct yaml_position at) {
    size_t size = 0;
    const char *text = token ? fy_token_get_text(token, &size) : "";
    for (size_t i = 0; text && i < size;) {
        size_t length = character_length((const unsigned char *)text + i, size - i);
        if (length == 0 || text[i] == '\r') {
            yaml_error(b->error, at, "escaped control characters are not allowed");
            return NULL;
        }
        i += length;
    }
    char *copy = memory_allocate(size + 1, 1, "case text");
    if (text && size)
        memcpy(copy, text, size);
    return copy;
}

static bool add_anchor(struct builder *b, struct fy_token *token, struct yaml_node *node) {
    if (!token)
        return true;
    char *name = token_text(b, token, node->at);
    if (!name)
        return false;
    b->anchors = memory_reserve(b->anchors, &b->anchor_capacity, b->anchor_count + 1,
                                sizeof *b->anchors, "case anchors");
    b->anchors[b->anchor_count++] = (struct anchor){name, node};
    return true;
}

static struct yaml_node *parent_of(struct builder *b) {
    return b->depth ? b->open[b->depth - 1] : NULL;
}

static bool wants_key(struct builder *b) {
    return b->depth && parent_of(b)->kind == YAML_MAPPING && !b->key;
}

// Adds the node to the open container. Takes ownership of the node, even on an error.
static bool place(struct builder *b, struct yaml_node *node) {
    struct yaml_node *parent = parent_of(b);
    if (++b->nodes > YAML_NODES_MAX) {
        yaml_error(b->error, node->at,
                   "too many values; put bodies in bulk into a CSV or HDF5 "
                   "file and name it under `imports`");
        yaml_free(node);
        return false;
    }
    if (parent && parent->kind == YAML_MAPPING) {
        node->key = b->key;
        node->key_at = b->key_at;
        b->key = NULL;
    }
    if (parent)
        yaml_append(parent, node);
    else
        b->root = node;
    return true;
}

static bool add_key(struct builder *b, char *key, struct yaml_position at) {
    const struct yaml_node *mapping = parent_of(b), *old = yaml_find(mapping, key);
    b->key = key;
    b->key_at = at;
    if (old)
        return yaml_error(b->error, at, "duplicate key \"%s\"; it is already given in line %d", key,
                          old->key_at.line);
    if (mapping->count >= YAML_KEYS_MAX)
        return yaml_error(b->error, at, "more than %d keys in one mapping", YAML_KEYS_MAX);
    return true;
}

static bool add_scalar(struct builder *b, struct fy_event *event) {
    struct yaml_position at = event_position(b, event);
    if (event->scalar.tag)
        return yaml_error(b->error, at, "tags (!...) are not used in case files; remove it");
    char *text = token_text(b, event->scalar.value, at);
    if (!text)
        return false;
    if (wants_key(b))
        return add_key(b, text, at);
    struct yaml_node *node = yaml_create(YAML_SCALAR, at);
    node->text = text;
    return place(b, node) && add_anchor(b, event->scalar.anchor, node);
}

static bool open_container(struct builder *b, struct fy_event *event, enum yaml_kind kind,
                           struct fy_token *anchor, struct fy_token *tag) {
    struct yaml_position at = event_position(b, event);
    if (wants_key(b))
        return yaml_error(b->error, at, "a key must be a name, not a list or mapping");
    if (tag)
        return yaml_error(b->error, at, "tags (!...) are not used in case files; remove it");
    if (b->depth == YAML_DEPTH_MAX)
        return yaml_error(b->error, at, "nested more than %d deep", YAML_DEPTH_MAX);
    struct yaml_node *node = yaml_create(kind, at);
    if (!place(b, node))
        return false;
    b->open[b->depth++] = node;
    return add_anchor(b, anchor, node);
}

static struct yaml_node *copy_node(struct builder *b, const struct yaml_node *node, int depth) {
    if (++b->aliased > YAML_ALIASED_MAX || depth > YAML_DEPTH_MAX) {
        yaml_error(b->error, node->at,
                   "aliases (*name) expand to more than %d values or nest too "
                   "deep",
                   YAML_ALIASED_MAX);
        return NULL;
    }
    struct yaml_node *copy = node->kind == YAML_SCALAR ? yaml_create_scalar(node->text, node->at)
                                                       : yaml_create(node->kind, node->at);
    for (size_t i = 0; i < node->count; i++) {
        struct yaml_node *item = copy_node(b, node->item[i], depth + 1);
        if (!item) {
            yaml_free(copy);
            return NULL;
        }
        item->key_at = node->item[i]->key_at;
        if (node->item[i]->key)
            yaml_name(item, node->item[i]->key);
        yaml_append(copy, item);
    }
    return copy;
}

static bool add_alias(struct builder *b, struct fy_event *event) {
    struct yaml_position at = event_position(b, event);
    if (wants_key(b))
        return yaml_error(b->error, at, "a key must be a name, not an alias");
    char *name = token_text(b, event->alias.anchor, at);
    if (!name)
        return false;
    const struct yaml_node *source = NULL;
    for (size_t i = b->anchor_count; i-- > 0 && !source;)
        if (strcmp(b->anchors[i].name, name) == 0)
            source = b->anchors[i].node;
    bool known = source != NULL;
    for (int i = 0; i < b->depth; i++)
        if (b->open[i] == source)
            source = NULL; // the node would contain itself
    if (!source)
        yaml_error(b->error, at,
                   known ? "alias *%s is inside its own anchor" : "alias *%s has no anchor &%s",
                   name, name);
    memory_free(name);
    struct yaml_node *copy = source ? copy_node(b, source, b->depth) : NULL;
    return copy && place(b, copy);
}

static bool add_event(struct builder *b, struct fy_event *event) {
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++b->documents > 1)
            return yaml_error(b->error, event_position(b, event),
                              "a second document (---); a case file has only one");
        return true;
    case FYET_SCALAR:
        return add_scalar(b, event);
    case FYET_ALIAS:
        return add_alias(b, event);
    case FYET_MAPPING_START:
        return open_container(b, event, YAML_MAPPING, event->mapping_start.anchor,
                              event->mapping_start.tag);
    case FYET_SEQUENCE_START:
        return open_container(b, event, YAML_LIST, event->sequence_start.anchor,
                              event->sequence_start.tag);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        b->depth--;
        return true;
    default:
        return true;
    }
}

static bool syntax_error(const struct builder *b, struct fy_diag *diag) {
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
    if (!first || !first->msg)
        return yaml_error(b->error, (struct yaml_position){b->origin, 0, 0}, "is not valid YAML");
    struct yaml_position at = {b->origin, first->line, first->column};
    return yaml_error(b->error, at, "%s", first->msg);
}

// What libfyaml holds while the tree grows, to be released even when memory runs out.
struct parse {
    struct builder *builder;
    struct fy_parser *parser;
    struct fy_diag *diag;
    struct fy_event *event;
    bool good;
};

static void take_events(void *context) {
    struct parse *parse = context;
    bool ended = false;
    do {
        parse->event = fy_parser_parse(parse->parser);
        if (!parse->event) {
            parse->good = syntax_error(parse->builder, parse->diag);
            return;
        }
        ended = parse->event->type == FYET_STREAM_END;
        parse->good = add_event(parse->builder, parse->event);
        fy_parser_event_free(parse->parser, parse->event);
        parse->event = NULL;
    } while (parse->good && !ended);
}

static bool read_events(struct builder *b, const char *text, size_t size) {
    struct fy_diag_cfg diag_settings;
    fy_diag_cfg_default(&diag_settings);
    diag_settings.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_settings);
    if (!diag)
        return error_set(b->error, GABION_ERROR_RUN, "%s: the YAML parser did not start",
                         b->origin);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg settings = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
                                             FYPCF_DEFAULT_VERSION_1_2,
                                    .diag = diag};
    struct parse parse = {b, fy_parser_create(&settings), diag, NULL, false};
    struct gabion_error exhausted = {0};
    bool done = true;
    if (parse.parser && fy_parser_set_string(parse.parser, text, size) == 0)
        done = memory_try(memory_account_current(), take_events, &parse, &exhausted);
    if (parse.event)
        fy_parser_event_free(parse.parser, parse.event);
    if (parse.parser)
        fy_parser_destroy(parse.parser);
    fy_diag_destroy(diag);
    if (!done)
        memory_raise(&exhausted);
    return parse.good;
}

struct yaml_node *yaml_parse(const char *text, size_t size, const char *origin,
                             struct gabion_error *error) {
    if (size > YAML_SIZE_MAX) {
        error_set(error, GABION_ERROR_INPUT,
                  "%s: larger than %zu MiB; put bodies in bulk into a CSV or HDF5 file and name it "
                  "under `imports`",
                  origin, YAML_SIZE_MAX >> 20);
        return NULL;
    }
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // byte order mark of some editors
        text += 3;
        size -= 3;
    }
    if (!text_check(text, size, origin, error))
        return NULL;
    struct builder b = {.origin = origin, .error = error};
    bool good = read_events(&b, text, size);
    if (good && !b.root)
        good = error_set(error, GABION_ERROR_INPUT, "%s: is empty", origin);
    for (size_t i = 0; i < b.anchor_count; i++)
        memory_free(b.anchors[i].name);
    memory_free(b.anchors);
    memory_free(b.key);
    if (good)
        return b.root;
    yaml_free(b.root);
    return NULL;
}
