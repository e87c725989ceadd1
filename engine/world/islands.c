#include "engine/world/islands.h"

#include "parallel/memory.h"

struct islands islands_open(int32_t moving) {
    struct islands islands = {
        memory_allocate((size_t)moving, sizeof *islands.parent, "islands of bodies"), moving};
    for (int32_t i = 0; i < moving; i++)
        islands.parent[i] = i;
    return islands;
}

void islands_close(struct islands *islands) { memory_free(islands->parent); }

int32_t islands_root(const struct islands *islands, int32_t body) {
    int32_t *parent = islands->parent;
    while (parent[body] != body)
        body = parent[body] = parent[parent[body]];
    return body;
}

void islands_join(struct islands *islands, int32_t c, int32_t a) {
    if (c >= islands->moving || a >= islands->moving)
        return;
    c = islands_root(islands, c);
    a = islands_root(islands, a);
    islands->parent[c > a ? c : a] = c < a ? c : a;
}

int32_t islands_between(const struct islands *islands, int32_t c, int32_t a) {
    int32_t body = c < islands->moving ? c : a;
    return body < islands->moving ? islands_root(islands, body) : islands->moving;
}
