#include "cases/grain.h"
#include "cases/orientation.h"

static bool check_lattice(const struct lattice_definition *definition, struct gabion_error *error) {
    int64_t sites = 1;
    if (!mixture_check(&definition->grains, error))
        return false;
    if (!vec3_finite(definition->origin))
        return error_set(error, GABION_ERROR_INPUT, "the origin must be three finite numbers");
    for (int axis = 0; axis < 3; axis++) {
        int count = definition->count[axis];
        double spacing = vec3_get(definition->spacing, axis);
        if (count < 1)
            return error_set(error, GABION_ERROR_INPUT, "count along %c is %d; 1 or more is needed",
                             "xyz"[axis], count);
        // A single layer may have the spacing 0.
        if (!isfinite(spacing) || spacing < 0.0 || (spacing == 0.0 && count > 1))
            return error_set(error, GABION_ERROR_INPUT,
                             "spacing along %c is %g; a positive number of metres is needed",
                             "xyz"[axis], spacing);
        if (sites > INT32_MAX / count)
            return error_set(error, GABION_ERROR_INPUT, "more than %d sites", INT32_MAX);
        sites *= count;
    }
    if (!isfinite(definition->jitter) || definition->jitter < 0.0)
        return error_set(error, GABION_ERROR_INPUT, "jitter is %g; a fraction >= 0 is needed",
                         definition->jitter);
    if (definition->limit < 0)
        return error_set(error, GABION_ERROR_INPUT,
                         "limit is %lld; 0 (all sites) or more is needed",
                         (long long)definition->limit);
    return true;
}

// Returns the position of a site. The three shifts are drawn even when the jitter is zero, so that
// the radii do not depend on it.
static vec3 site_position(const struct lattice_definition *definition, int64_t site, unsigned lock,
                          struct random_stream *stream) {
    int64_t index[3] = {site % definition->count[0],
                        site / definition->count[0] % definition->count[1],
                        site / definition->count[0] / definition->count[1]};
    vec3 position = definition->origin;
    for (int axis = 0; axis < 3; axis++) {
        double shift = definition->jitter * random_between(stream, -1.0, 1.0);
        if (lock >> axis & 1)
            shift = 0; // all bodies stay in the plane
        double offset = ((double)index[axis] + shift) * vec3_get(definition->spacing, axis);
        vec3_set(&position, axis, vec3_get(position, axis) + offset);
    }
    return position;
}

static bool add_grain(struct gabion_world *world, const struct lattice_definition *definition,
                      int64_t site, struct grain *grain, struct random_stream *stream,
                      struct gabion_error *error) {
    const struct grain_kind *kind = grain->kind;
    struct gabion_body body;
    vec3 position = site_position(definition, site, kind->template.lock, stream);
    if (!grain_body(world, grain, &body, error))
        return false;
    vec3 own = grain_is_ball(grain) ? vec3_zero() : grain_centre(world, &body);
    orientation_place(&body, own, position, kind->turned, stream);
    return gabion_add_body(world, &body, error) >= 0;
}

static bool add_sites(struct gabion_world *world, const struct lattice_definition *definition,
                      struct gabion_error *error) {
    const struct grain_mixture *mixture = &definition->grains;
    int64_t sites = (int64_t)definition->count[0] * definition->count[1] * definition->count[2];
    if (definition->limit > 0 && definition->limit < sites)
        sites = definition->limit;
    struct random_stream stream = {definition->seed};
    struct grain one, *mixed = NULL;
    if (!mixture_fits_memory(world, mixture, sites, error) ||
        !gabion_reserve_bodies(world, (size_t)sites, error))
        return false;
    if (mixture->kinds > 1) {
        mixed = mixture_draw(world, mixture, sites, &stream, error);
        if (!mixed)
            return false;
    }
    bool good = true;
    for (int64_t site = 0; good && site < sites; site++) {
        struct grain *grain = mixed ? &mixed[site] : &one;
        good = (mixed || grain_draw(world, mixture->kind, &stream, grain, error)) &&
               add_grain(world, definition, site, grain, &stream, error);
        if (!good)
            error_context(error, "site %lld", (long long)site);
    }
    grains_free(mixed, mixed ? sites : 0);
    return good;
}

bool generate_lattice(struct gabion_world *world, const struct lattice_definition *definition,
                      struct gabion_error *error) {
    const struct grain_kind *kind = definition->grains.kind;
    return (check_lattice(definition, error) && add_sites(world, definition, error)) ||
           error_context(error, "lattice '%s'",
                         kind ? gabion_group_name(world, kind->template.group) : "");
}
