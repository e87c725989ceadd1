// How bodies are arranged: directions of contacts and numbers of neighbours.
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "parallel/memory.h"

void probe_fabric(const struct gabion_world *world, const struct probe *probe, double *values) {
    double sum[6] = {0}, count = 0;
    for (size_t k = 0; k < world->contacts->count; k++) {
        if (!probe_has_contact(world, probe, k))
            continue;
        vec3 n = world->contacts->list[k].normal;
        const double product[6] = {n.x * n.x, n.x * n.y, n.x * n.z,
                                   n.y * n.y, n.y * n.z, n.z * n.z};
        for (int c = 0; c < 6; c++)
            sum[c] += product[c];
        count++;
    }
    for (int c = 0; c < 6; c++)
        values[c] = sum[c] / count; // not a number where there are no contacts
    values[6] = count;
}

// Counts the neighbours of every body: bodies with which a contact carries force. Contacts of a
// pair lie together.
static int32_t *count_neighbours(const struct gabion_world *world) {
    const struct contacts *contacts = world->contacts;
    const struct contact *list = contacts->list;
    int32_t *neighbours =
        memory_allocate((size_t)world->bodies.count, sizeof *neighbours, "neighbours");
    for (size_t begin = 0, end; begin < contacts->count; begin = end) {
        bool carries = false;
        for (end = begin;
             end < contacts->count && list[end].c == list[begin].c && list[end].a == list[begin].a;
             end++)
            carries |= contacts_carries(contacts, end);
        neighbours[list[begin].c] += carries;
        neighbours[list[begin].a] += carries;
    }
    return neighbours;
}

// A body with less than two neighbours does not carry: it is a rattler (Thornton 2000).
void probe_coordination(const struct gabion_world *world, const struct probe *probe,
                        double *values) {
    int32_t *neighbours = count_neighbours(world);
    double bodies = 0, rattlers = 0, all = 0, carried = 0;
    for (int32_t i = 0; i < world->bodies.count; i++) {
        if (!(world->bodies.mass[i] > 0) || !probe_has_body(world, probe, i))
            continue;
        bodies++;
        all += neighbours[i];
        if (neighbours[i] < 2)
            rattlers++;
        else
            carried += neighbours[i];
    }
    memory_free(neighbours);
    values[0] = all / bodies; // not a number where there are no bodies
    values[1] = carried / (bodies - rattlers);
    values[2] = bodies;
    values[3] = rattlers;
}
