// Islands: sets of moving bodies that act on each other. An island is known by its lowest body, the
// root. Bodies that do not move belong to none and connect nothing.
#ifndef ENGINE_WORLD_ISLANDS_H
#define ENGINE_WORLD_ISLANDS_H

#include <stdint.h>

struct islands {
    int32_t *parent; // of each moving body: itself, or a lower one of its island
    int32_t moving;
};

// Makes every moving body an island of its own.
struct islands islands_open(int32_t moving);
void islands_close(struct islands *islands);

void islands_join(struct islands *islands, int32_t c, int32_t a);

// Returns the root of a moving body's island.
int32_t islands_root(const struct islands *islands, int32_t body);

// Returns the root of the island that two bodies act in; the number of moving bodies where neither
// moves.
int32_t islands_between(const struct islands *islands, int32_t c, int32_t a);

#endif
