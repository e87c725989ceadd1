// Sends lines to the log function of the program that uses the library (gabion_set_log).
#ifndef ENGINE_API_LOG_H
#define ENGINE_API_LOG_H

#include "engine/gabion.h"

__attribute__((format(printf, 3, 4))) void
world_log(const struct gabion_world *world, enum gabion_log_level level, const char *format, ...);

// Keeps a warning about a definition until the next step begins, which sends it to the log.
__attribute__((format(printf, 2, 3))) void world_note(struct gabion_world *world,
                                                      const char *format, ...);

// Passes these warnings to a function and forgets them.
void world_send_notes(struct gabion_world *world, void (*send)(void *user, const char *text),
                      void *user);

#endif
