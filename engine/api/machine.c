#include "engine/api/machine.h"

#include "parallel/memory.h"

struct start {
    struct machine *machine;
    int threads;
    struct gabion_error *error;
};

static void load_topology(void *context) {
    struct start *start = context;
    start->machine->topology = topology_load(start->error);
}

static void create_team(void *context) {
    struct start *start = context;
    start->machine->team = team_create(start->threads, start->machine->topology, start->error);
}

// Two guards: the topology holds more than memory and has to be freed as what it is.
bool machine_start(struct machine *machine, int threads, struct gabion_error *error) {
    struct start start = {machine, threads, error};
    *machine = (struct machine){.account = memory_account_create(error)};
    if (machine->account && memory_try(machine->account, load_topology, &start, error) &&
        machine->topology && memory_try(machine->account, create_team, &start, error) &&
        machine->team)
        return true;
    machine_stop(machine);
    return false;
}

void machine_stop(struct machine *machine) {
    team_destroy(machine->team);
    topology_free(machine->topology);
    memory_account_destroy(machine->account);
    *machine = (struct machine){0};
}
