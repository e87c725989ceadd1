#include "engine/solvers/panel.h"

void solver_ipm(struct monitor *monitor, double *r) {
    (void)r;
    monitor_refuse(monitor, "not built yet");
}
