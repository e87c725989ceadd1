#include "engine/probe/probe.h"

#include <stdio.h>
#include <string.h>

#include "engine/contact/shared.h"
#include "engine/probe/heights.h"
#include "engine/probe/quantities.h"
#include "engine/world/given_region.h"
#include "parallel/hash.h"
#include "parallel/memory.h"

void probes_free(struct probes *probes) {
    for (int k = 0; k < probes->count; k++) {
        memory_free(probes->list[k].name);
        region_free(&probes->list[k].region);
    }
    memory_free(probes->list);
    memory_free(probes->flows);
    memory_free(probes->turns);
    memory_free(probes->before);
    *probes = (struct probes){0};
}

// Definition ------------------------------------------------------------------------------------

static unsigned given_parts(const struct gabion_probe *probe) {
    unsigned parts = 0;
    parts |= probe->group >= 0 ? PROBE_GROUP : 0;
    parts |= probe->region ? PROBE_REGION : 0;
    parts |= probe->against >= 0 ? PROBE_AGAINST : 0;
    parts |= vec3_length(probe->axis) != 0 ? PROBE_AXIS : 0;
    parts |= vec3_length(probe->plane.normal) != 0 ? PROBE_PLANE : 0;
    parts |= probe->window != 0 ? PROBE_WINDOW : 0;
    parts |= probe->kinetic ? PROBE_KINETIC : 0;
    parts |= probe->bins != 0 || probe->bins_to != 0 ? PROBE_BINS : 0;
    parts |= probe->column != 0 ? PROBE_COLUMN : 0;
    return parts;
}

static const char *unit(vec3 *direction) {
    double length = vec3_length(*direction);
    if (!isfinite(length))
        return "the axis or normal must be finite";
    if (length > 0)
        *direction = vec3_scale(1 / length, *direction);
    return NULL;
}

static bool not_negative(double value) { return value >= 0 && isfinite(value); }

// The tangent of a rectangle is turned into the plane.
static const char *prepare_section(struct gabion_section *plane) {
    bool sides = plane->size[0] != 0 || plane->size[1] != 0;
    const char *defect = unit(&plane->normal);
    if (defect)
        return defect;
    if (!vec3_finite(plane->point))
        return "the point of the plane must be finite";
    if (!not_negative(plane->radius))
        return "the radius of the plane must be a number > 0";
    if (!sides)
        return NULL;
    if (!not_negative(plane->size[0]) || !not_negative(plane->size[1]) || plane->size[0] == 0 ||
        plane->size[1] == 0)
        return "the size of the plane must be two numbers > 0";
    if (plane->radius > 0)
        return "a plane has a radius or a size, not both";
    double length = vec3_length(plane->tangent);
    plane->tangent =
        vec3_add_scaled(plane->tangent, -vec3_dot(plane->tangent, plane->normal), plane->normal);
    if (!(vec3_length(plane->tangent) > 1e-9 * length))
        return "the tangent of the plane must be a direction along it";
    return unit(&plane->tangent);
}

static const char *prepare_region(struct probe *probe, const struct gabion_region *region) {
    if ((unsigned)region->kind >= GABION_REGION_COUNT)
        return "there is no such kind of region";
    if (region->kind == GABION_REGION_MESH && region->triangles > 0 && !region->corner)
        return "the region has no corners";
    probe->in_region = true;
    probe->region = region_take(region);
    const char *defect = region_prepare(&probe->region);
    if (!defect && probe->quantity == GABION_STRESS && !region_is_bounded(&probe->region))
        defect = "a stress needs a region with a volume";
    return defect;
}

static const char *prepare(struct probe *own, const struct gabion_probe *probe) {
    const char *defect = probe->region ? prepare_region(own, probe->region) : NULL;
    if (!defect)
        defect = prepare_section(&own->plane);
    if (!defect)
        defect = unit(&own->axis);
    if (!defect && !not_negative(own->window))
        defect = "the window must be a time >= 0";
    if (!defect && (own->bins < 0 || own->bins > PROBE_BINS_MAX))
        defect = "bins must be a number from 0 to 64";
    if (!defect && !not_negative(own->bins_to))
        defect = "the histogram must end at a number > 0";
    if (!defect && !not_negative(own->column))
        defect = "the width of a column must be a number > 0";
    if (!defect && own->column > 0 &&
        heights_within(&own->plane, own->column) > HEIGHTS_COLUMNS_MAX)
        defect = "the plane has more than 4194304 columns; make them wider";
    return defect;
}

// Keys ------------------------------------------------------------------------------------------

static uint64_t hash_numbers(uint64_t hash, const double *number, size_t count) {
    return hash_bytes(hash, number, count * sizeof *number);
}

static uint64_t hash_vector(uint64_t hash, vec3 a) {
    const double number[] = {a.x, a.y, a.z};
    return hash_numbers(hash, number, 3);
}

static uint64_t hash_section(uint64_t hash, const struct gabion_section *plane) {
    const double number[] = {plane->radius, plane->size[0], plane->size[1]};
    hash = hash_vector(hash_vector(hash, plane->point), plane->normal);
    return hash_numbers(hash_vector(hash, plane->tangent), number, 3);
}

// Counts go on where a probe is defined as before: what a flow and an angle depend on.
static int64_t key_of(const struct probe *probe) {
    const int32_t integer[] = {(int32_t)probe->quantity, probe->group};
    uint64_t hash = hash_bytes(HASH_START, probe->name, strlen(probe->name));
    hash = hash_bytes(hash, integer, sizeof integer);
    hash = hash_vector(hash_section(hash, &probe->plane), probe->axis);
    return (int64_t)(hash_numbers(hash, &probe->window, 1) >> 1);
}

static void name_components(struct probe *probe) {
    const char *rest = probe_quantities[probe->quantity].components;
    do {
        size_t length = strcspn(rest, " ");
        snprintf(probe->component[probe->components++], PROBE_COMPONENT_SIZE, "%.*s", (int)length,
                 rest);
        rest += length;
        rest += *rest == ' ';
    } while (*rest);
    for (int k = 0; k < probe->bins; k++)
        snprintf(probe->component[probe->components++], PROBE_COMPONENT_SIZE, "h%d", k + 1);
}

static void keep(struct probes *probes, const struct probe *probe) {
    probes->list = memory_reserve(probes->list, &probes->capacity, (size_t)probes->count + 1,
                                  sizeof *probes->list, "probes");
    struct probe *own = &probes->list[probes->count];
    *own = *probe;
    own->name = memory_allocate(strlen(probe->name) + 1, 1, "probes");
    strcpy(own->name, probe->name);
    own->region = region_copy(&probe->region);
    own->key = key_of(own);
    name_components(own);
    probes->count++;
    probes->stale = true;
}

int probes_add(struct gabion_world *world, const struct gabion_probe *probe,
               struct gabion_error *error) {
    struct probe own = {
        .name = (char *)probe->name,
        .quantity = probe->quantity,
        .group = probe->group,
        .against = probe->against,
        .axis = probe->axis,
        .plane = probe->plane,
        .window = probe->window,
        .kinetic = probe->kinetic,
        .bins = probe->bins,
        .bins_to = probe->bins_to > 0 || probe->bins == 0 ? probe->bins_to : 5,
        .column = probe->column,
        .kept_step = -1,
    };
    char text[128];
    const char *defect = prepare(&own, probe);
    if (!defect && probe_parts_defect(probe->quantity, given_parts(probe), text, sizeof text))
        defect = text;
    if (defect) {
        error_set(error, GABION_ERROR_INPUT, "probe %.100s: %s", probe->name, defect);
        return -1;
    }
    keep(world->probes, &own);
    return world->probes->count - 1;
}

// Reading ---------------------------------------------------------------------------------------

bool probe_reads_contacts(const struct probe *probe) {
    return probe_quantities[probe->quantity].sources & (PROBE_CONTACTS | PROBE_INTERFACES);
}

bool probes_read_contacts(const struct gabion_world *world) {
    const struct probes *probes = world->probes;
    for (int k = 0; k < probes->count; k++)
        if (probe_reads_contacts(&probes->list[k]))
            return true;
    return false;
}

static bool is_of_contacts(const struct probe *probe) {
    return probe_quantities[probe->quantity].sources & PROBE_CONTACTS;
}

void probes_keep(struct gabion_world *world) {
    struct probes *probes = world->probes;
    if (probes_read_contacts(world)) {
        contacts_complete(world);
        piece_gather(world);
    }
    for (int k = 0; k < probes->count && !world->contacts->lost; k++)
        if (is_of_contacts(&probes->list[k])) {
            probe_measure(world, &probes->list[k], probes->list[k].kept);
            probes->list[k].kept_step = world->step;
        }
}

// After a step that failed, forces are those that were kept as it began; not a number where it was
// the first one of a world that was restored.
void probe_measure(const struct gabion_world *world, const struct probe *probe, double *values) {
    if (!world->contacts->lost || !is_of_contacts(probe)) {
        probe_quantities[probe->quantity].measure(world, probe, values);
        return;
    }
    for (int k = 0; k < probe->components; k++)
        values[k] = probe->kept_step == world->step ? probe->kept[k] : NAN;
}
