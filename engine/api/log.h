// Sends lines to the log function of the program that uses the library (gabion_set_log).
#ifndef ENGINE_API_LOG_H
#define ENGINE_API_LOG_H

#include "engine/gabion.h"

__attribute__((format(printf, 3, 4))) void
world_log(const struct gabion_world *world, enum gabion_log_level level, const char *format, ...);

#endif
