#include "engine/interfaces.h"

#include "parallel/memory.h"

void interfaces_free(struct interfaces *interfaces) {
    memory_free(interfaces->list);
    memory_free(interfaces->corner);
    *interfaces = (struct interfaces){0};
}
