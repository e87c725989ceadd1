#include "tests/bench/race.h"

size_t siconos_entrants(const struct entrant **entrants) {
    *entrants = NULL;
    return 0;
}
