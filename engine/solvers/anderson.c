#include "engine/solvers/panel.h"

void solver_anderson(struct monitor *monitor, double *r) {
    (void)r;
    monitor_refuse(monitor, "not built yet");
}
