#include <stdio.h>
#include <stdlib.h>

#include "cases/crowd.h"
#include "cases/grain.h"
#include "cases/orientation.h"
#include "engine/api/define.h"
#include "engine/contact/trial.h"
#include "parallel/memory.h"

// Random sequential addition: places bodies one after the other, largest first, each at the first
// random position where it overlaps nothing. Equal spheres jam near a volume fraction of 0.38.

#define ATTEMPTS_DEFAULT 10000
#define DRAWS_INSIDE     10000 // positions drawn, at most, to find one inside the region
#define FAILURES         30    // bodies in a row without a place
#define SLACK            1e-9  // overlap that counts as touching, as a share of the radius

// What was in the way of the body that is being placed.
struct obstacles {
    int64_t outside, own;
    int64_t *group; // by group of the world
    bool any;       // one of those is not 0
};

struct packing {
    struct gabion_world *world;
    const struct fill_definition *definition;
    struct grain *grains;
    int64_t next;     // grain to be placed
    int64_t placed;   // grains [0, placed) have a place
    int64_t failed;   // in a row
    double too_large; // grains of this radius or more find no place
    struct trial trial;
    struct crowd crowd;
    int32_t ball, other; // balls of the trial, to be resized
    int32_t *wall;       // walls of the trial
    int32_t walls;
    struct obstacles met;
    double largest; // radius of the largest grain
    // The grain that is being placed: its body, its number in the trial, its slack.
    struct gabion_body body;
    int32_t tried;
    double slack;
};

// The world around ------------------------------------------------------------------------------

static bool at_start(const struct packing *packing) {
    return !(packing->definition->grains.kind[0].template.insert_time > 0);
}

// Returns whether a body of the world is where it is now when the fill enters. Bodies that move
// will have left their place when a later fill enters.
static bool stays(const struct packing *packing, int32_t i) {
    return at_start(packing) || packing->world->bodies.mass[i] == 0;
}

static bool enters_with(const struct packing *packing, const struct gabion_body *body) {
    double time = packing->definition->grains.kind[0].template.insert_time;
    return !shape_kinds[body->shape].wall &&
           (body->insert_time == time || (body->fixed && body->insert_time < time));
}

// Adds the bodies that wait to the trial; they follow those of the world.
static void add_waiting(struct packing *packing) {
    const struct gabion_world *world = packing->world;
    for (int k = 0; k < world->pending_count; k++)
        if (enters_with(packing, &world->pending[k].body))
            trial_add(&packing->trial, &world->pending[k].body);
}

static bool is_near(const struct region *region, vec3 x, double radius) {
    for (int axis = 0; axis < 3; axis++)
        if (vec3_get(x, axis) + radius < vec3_get(region->low, axis) ||
            vec3_get(x, axis) - radius > vec3_get(region->high, axis))
            return false;
    return true;
}

// Lists the walls and the bodies near the region. Returns how many of the latter there are.
static int32_t list_bodies(struct packing *packing, int32_t *near) {
    const struct bodies *bodies = &packing->trial.view.bodies;
    int32_t count = 0;
    for (int32_t i = 0; i < bodies->count; i++) {
        if (i < packing->world->bodies.count && !stays(packing, i))
            continue;
        if (bodies_is_wall(bodies, i))
            packing->wall[packing->walls++] = i;
        else if (is_near(&packing->definition->region, bodies->x[i], bodies->radius[i]))
            near[count++] = i;
    }
    return count;
}

static void gather_crowd(struct packing *packing, const int32_t *near, int32_t count) {
    const struct fill_definition *definition = packing->definition;
    const struct bodies *bodies = &packing->trial.view.bodies;
    size_t grains = (size_t)definition->count;
    double *radius = memory_allocate((size_t)count + grains, sizeof *radius, "sizes of bodies");
    for (int32_t k = 0; k < count; k++)
        radius[k] = bodies->radius[near[k]];
    for (size_t i = 0; i < grains; i++) {
        radius[(size_t)count + i] = packing->grains[i].radius;
        packing->largest = fmax(packing->largest, packing->grains[i].radius);
    }
    crowd_open(&packing->crowd, definition->region.low, definition->region.high, radius,
               (size_t)count + grains);
    for (int32_t k = 0; k < count; k++) {
        int32_t i = near[k];
        crowd_add(&packing->crowd, bodies->x[i], bodies->radius[i],
                  bodies_shape(bodies, i)->ball ? -1 : i, bodies->group[i]);
    }
    memory_free(radius);
}

static void look_around(struct packing *packing) {
    struct gabion_body ball = packing->definition->grains.kind[0].template;
    trial_open(&packing->trial, packing->world);
    add_waiting(packing);
    size_t count = (size_t)packing->trial.view.bodies.count;
    int32_t *near = memory_allocate(count, sizeof *near, "bodies near a fill");
    packing->wall = memory_allocate(count, sizeof *packing->wall, "walls near a fill");
    packing->met.group =
        memory_allocate((size_t)packing->world->groups.count, sizeof *packing->met.group, "groups");
    gather_crowd(packing, near, list_bodies(packing, near));
    memory_free(near);
    ball.shape = GABION_SPHERE;
    ball.radius = 1;
    packing->ball = trial_add(&packing->trial, &ball);
    packing->other = trial_add(&packing->trial, &ball);
}

static void forget(struct packing *packing) {
    if (!packing->wall)
        return;
    trial_close(&packing->trial);
    crowd_close(&packing->crowd);
    memory_free(packing->wall);
    memory_free(packing->met.group);
}

// One place ---------------------------------------------------------------------------------------

// Draws a position inside the bounds of the region; along a locked axis it is the middle.
static vec3 draw_once(const struct packing *packing, const struct grain *grain,
                      struct random_stream *stream) {
    const struct region *region = &packing->definition->region;
    vec3 position;
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_get(region->low, axis), high = vec3_get(region->high, axis);
        double place = random_between(stream, low + grain->core, high - grain->core);
        bool locked = grain->kind->template.lock >> axis & 1;
        vec3_set(&position, axis, locked ? 0.5 * (low + high) : place);
    }
    return position;
}

// Draws positions until one is inside the region itself.
static vec3 draw_position(const struct packing *packing, const struct grain *grain,
                          struct random_stream *stream) {
    const struct region *region = &packing->definition->region;
    vec3 position = draw_once(packing, grain, stream);
    for (int k = 0; k < DRAWS_INSIDE && region->kind != REGION_BOX; k++) {
        if (region_depth(region, position) >= grain->core)
            break;
        position = draw_once(packing, grain, stream);
    }
    return position;
}

// Returns whether the body lies in the region: its spheres, its corners in a convex region (of a
// compound those of its hull), the sphere that holds it elsewhere.
static bool is_inside(const struct packing *packing) {
    const struct region *region = &packing->definition->region;
    const struct bodies *bodies = &packing->trial.view.bodies;
    int32_t i = packing->tried;
    struct shape_balls balls = bodies_shape(bodies, i)->balls(bodies, i);
    mat3 axes = quat_matrix(bodies->q[i]);
    if (bodies_shape(bodies, i)->block && !region_is_convex(region))
        return region_depth(region, bodies->x[i]) >= bodies->radius[i] - packing->slack;
    for (int32_t k = 0; k < balls.count; k++) {
        double radius = balls.radii ? balls.radii[k] : balls.radius;
        vec3 own = balls.centre ? balls.centre[k] : vec3_zero();
        vec3 centre = vec3_add(bodies->x[i], mat3_apply(axes, own));
        if (!(region_depth(region, centre) >= radius - packing->slack))
            return false;
    }
    return true;
}

// Returns whether the body that is tried meets a member of the crowd whose sphere it meets.
static bool meets_member(void *context, const struct crowd_member *member) {
    struct packing *packing = context;
    bool ball = packing->tried == packing->ball;
    if (member->body >= 0)
        return trial_meets(&packing->trial, packing->tried, member->body, packing->slack);
    if (ball)
        return true;
    trial_move(&packing->trial, packing->other, member->x, (quat){1, 0, 0, 0});
    trial_resize(&packing->trial, packing->other, member->radius);
    return trial_meets(&packing->trial, packing->tried, packing->other, packing->slack);
}

// Returns how far a body has come after `time` when nothing holds it up.
static vec3 fall(const struct packing *packing, const struct grain *grain, double time) {
    vec3 way = vec3_scale(time, grain->kind->template.velocity);
    return vec3_add_scaled(way, 0.5 * time * time, packing->world->settings.gravity);
}

// Returns whether the body meets one that entered before it, where that is now if it fell freely.
static bool meets_rain(const struct packing *packing, vec3 x, double radius) {
    const struct region *region = &packing->definition->region;
    double beyond = vec3_length(vec3_sub(region->high, region->low)) + 2 * packing->largest;
    for (int64_t i = packing->placed - 1; i >= 0; i--) {
        const struct grain *before = &packing->grains[i];
        double time = (double)(packing->placed - i) / packing->definition->rate;
        vec3 way = fall(packing, before, time), d = vec3_sub(x, vec3_add(before->position, way));
        double reach = radius + before->radius;
        if (vec3_dot(d, d) < reach * reach)
            return true;
        if (vec3_length(way) > beyond)
            return false;
    }
    return false;
}

static bool is_clear(struct packing *packing, const struct grain *grain, vec3 x) {
    struct obstacles *met = &packing->met;
    bool made_inside = grain_is_ball(grain) && packing->definition->region.kind == REGION_BOX;
    met->any = true;
    if (!made_inside && !is_inside(packing)) {
        met->outside++;
        return false;
    }
    const struct crowd_member *member =
        crowd_find(&packing->crowd, x, grain->radius, meets_member, packing);
    if (member || (packing->definition->rate > 0 && meets_rain(packing, x, grain->radius))) {
        if (member && member->group >= 0)
            met->group[member->group]++;
        else
            met->own++;
        return false;
    }
    for (int32_t k = 0; k < packing->walls; k++)
        if (trial_meets(&packing->trial, packing->tried, packing->wall[k], packing->slack)) {
            met->group[packing->trial.view.bodies.group[packing->wall[k]]]++;
            return false;
        }
    return true;
}

// One body ----------------------------------------------------------------------------------------

// Puts the body into the trial.
static bool try_grain(struct packing *packing, struct grain *grain, struct gabion_error *error) {
    if (packing->met.any) {
        struct obstacles *met = &packing->met;
        met->outside = met->own = 0;
        for (int k = 0; k < packing->world->groups.count; k++)
            met->group[k] = 0;
        met->any = false;
    }
    packing->slack = SLACK * grain->radius;
    packing->tried = packing->ball;
    if (grain_is_ball(grain)) {
        trial_resize(&packing->trial, packing->ball, grain->radius);
        return true;
    }
    if (!grain_body(packing->world, grain, &packing->body, error))
        return false;
    packing->tried = trial_add(&packing->trial, &packing->body);
    return true;
}

// Moves the body in the trial to a position of its centre of mass. Bodies that are not round get an
// orientation.
static void move_grain(struct packing *packing, const struct grain *grain, vec3 own, vec3 position,
                       struct random_stream *stream) {
    vec3 x;
    quat q;
    double radius;
    if (grain_is_ball(grain)) {
        trial_move(&packing->trial, packing->ball, position, (quat){1, 0, 0, 0});
        return;
    }
    orientation_place(&packing->body, own, position, grain->kind->turned, stream);
    bodies_place(&packing->world->bodies, &packing->body, &x, &q, &radius);
    trial_move(&packing->trial, packing->tried, x, q);
}

// Keeps the place of a grain, which joins those that have one.
static void keep_grain(struct packing *packing, struct grain *grain, vec3 position) {
    bool ball = grain_is_ball(grain);
    grain->position = position;
    if (!(packing->definition->rate > 0))
        crowd_add(&packing->crowd, position, grain->radius, ball ? -1 : packing->tried, -1);
    if (!ball)
        grain->orientation = packing->body.orientation;
    struct grain placed = *grain;
    *grain = packing->grains[packing->placed];
    packing->grains[packing->placed++] = placed;
    packing->failed = 0;
}

// Lets go of a grain without a place. After some failures those of its size are not tried any more:
// each costs all its attempts.
static void drop_grain(struct packing *packing, struct grain *grain) {
    if (!grain_is_ball(grain))
        trial_drop(&packing->trial);
    grain_withdraw(packing->world, grain);
    if (++packing->failed >= FAILURES && !(packing->definition->rate > 0)) {
        packing->too_large = 0.9 * grain->radius;
        packing->failed = 0;
    }
}

static int attempts_of(const struct fill_definition *definition) {
    return definition->attempts == 0 ? ATTEMPTS_DEFAULT : definition->attempts;
}

// Places the next grain. Returns false where there is no place for it.
static bool place_grain(struct packing *packing, struct random_stream *stream) {
    struct grain *grain = &packing->grains[packing->next];
    bool ball = grain_is_ball(grain);
    vec3 own = ball ? vec3_zero() : grain_centre(packing->world, &packing->body);
    for (int attempt = 0; attempt < attempts_of(packing->definition); attempt++) {
        vec3 position = draw_position(packing, grain, stream);
        move_grain(packing, grain, own, position, stream);
        if (is_clear(packing, grain, position)) {
            keep_grain(packing, grain, position);
            return true;
        }
    }
    return false;
}

// The end -----------------------------------------------------------------------------------------

static double fraction_placed(const struct packing *packing) {
    double volume = 0.0;
    for (int64_t i = 0; i < packing->placed; i++)
        volume += packing->grains[i].volume;
    return volume / region_volume(&packing->definition->region);
}

static int busiest_group(const struct packing *packing) {
    int most = 0;
    for (int k = 1; k < packing->world->groups.count; k++)
        if (packing->met.group[k] > packing->met.group[most])
            most = k;
    return most;
}

// Says how many bodies there are and what was in the way of a grain.
static void describe_jam(const struct packing *packing, const struct grain *grain, char *text,
                         size_t size) {
    const struct fill_definition *definition = packing->definition;
    int group = busiest_group(packing);
    const char *name = gabion_group_name(packing->world, group);
    snprintf(text, size,
             "no free place for %s %lld of %lld (radius %g m) in %d attempts; %lld are placed, "
             "volume fraction %.3f of the region. In its way were bodies of this fill (%lld "
             "times), group %s (%lld), the boundary of the region (%lld)",
             grain->kind->form == GRAIN_BALL ? "sphere" : "body", (long long)packing->next + 1,
             (long long)definition->count, grain->radius, attempts_of(definition),
             (long long)packing->placed, fraction_placed(packing), (long long)packing->met.own,
             name && name[0] ? name : "(unnamed)", (long long)packing->met.group[group],
             (long long)packing->met.outside);
}

static bool report_jam(const struct packing *packing, const struct grain *grain,
                       struct gabion_error *error) {
    char text[600];
    describe_jam(packing, grain, text, sizeof text);
    return error_set(error, GABION_ERROR_INPUT,
                     "%s. Random places jam near 0.38 for equal spheres, in a plane near half of "
                     "the area for equal disks: enlarge the region, ask for fewer or smaller "
                     "bodies, or give if_full: accept",
                     text);
}

// Says in the end how many bodies there are; why not more was said of the first without a place.
static void note_jam(const struct packing *packing, const char *first) {
    const struct fill_definition *definition = packing->definition;
    if (definition->note && packing->placed < definition->count)
        snprintf(definition->note, definition->note_size,
                 "placed %lld of %lld bodies, volume fraction %.3f of the region; of the first "
                 "that did not "
                 "fit: %s",
                 (long long)packing->placed, (long long)definition->count, fraction_placed(packing),
                 first);
}

static bool place_all(struct packing *packing, struct random_stream *stream,
                      struct gabion_error *error) {
    char first[600] = "";
    packing->too_large = INFINITY;
    for (; packing->next < packing->definition->count; packing->next++) {
        struct grain *grain = &packing->grains[packing->next];
        if (grain->radius >= packing->too_large)
            continue;
        if (!try_grain(packing, grain, error))
            return false;
        if (place_grain(packing, stream))
            continue;
        if (!packing->definition->accept)
            return report_jam(packing, grain, error);
        if (!first[0])
            describe_jam(packing, grain, first, sizeof first);
        drop_grain(packing, grain);
    }
    note_jam(packing, first);
    return true;
}

static bool add_grains(const struct packing *packing, struct random_stream *stream,
                       struct gabion_error *error) {
    struct gabion_world *world = packing->world;
    double rate = packing->definition->rate;
    struct gabion_body body;
    if (!gabion_reserve_bodies(world, (size_t)packing->placed, error))
        return false;
    for (int64_t i = 0; i < packing->placed; i++) {
        struct grain *grain = &packing->grains[i];
        bool ball = grain_is_ball(grain);
        if (!grain_body(world, grain, &body, error))
            return false;
        vec3 own = ball ? vec3_zero() : grain_centre(world, &body);
        orientation_place(&body, own, grain->position, ball && grain->kind->turned, stream);
        if (rate > 0)
            body.insert_time += (double)i / rate;
        if (gabion_add_body(world, &body, error) < 0)
            return error_context(error, "body %lld", (long long)i + 1);
    }
    return true;
}

// The beginning -----------------------------------------------------------------------------------

static bool check_region(const struct region *region, struct gabion_error *error) {
    if (!region_is_bounded(region))
        return error_set(error, GABION_ERROR_INPUT,
                         "the region has no end; a box, sphere, cylinder, cone or mesh is needed, "
                         "and not what is outside of it");
    if (!vec3_finite(region->low) || !vec3_finite(region->high))
        return error_set(error, GABION_ERROR_INPUT, "min and max must be finite numbers");
    for (int axis = 0; axis < 3; axis++) {
        double low = vec3_get(region->low, axis), high = vec3_get(region->high, axis);
        if (!(low < high))
            return error_set(error, GABION_ERROR_INPUT,
                             "the box is empty: along %c it goes from %g to %g m", "xyz"[axis], low,
                             high);
        if (!isfinite(high - low))
            return error_set(error, GABION_ERROR_INPUT,
                             "the box is too large: along %c it goes from %g to %g m, a length "
                             "beyond the range of numbers",
                             "xyz"[axis], low, high);
    }
    return true;
}

static bool falls(const struct fill_definition *definition, const struct gabion_world *world) {
    for (size_t k = 0; k < definition->grains.kinds; k++) {
        vec3 v = definition->grains.kind[k].template.velocity, g = world->settings.gravity;
        if (!(vec3_length(v) + vec3_length(g) > 0))
            return false;
    }
    return true;
}

static bool check_fill(const struct gabion_world *world, const struct fill_definition *definition,
                       struct gabion_error *error) {
    if (!mixture_check(&definition->grains, error))
        return false;
    if (definition->count < 1 || definition->count > INT32_MAX)
        return error_set(error, GABION_ERROR_INPUT, "count is %lld; 1 to %d is needed",
                         (long long)definition->count, INT32_MAX);
    if (definition->attempts < 0)
        return error_set(error, GABION_ERROR_INPUT, "attempts is %d; 0 (default) or more is needed",
                         definition->attempts);
    if (!(definition->rate >= 0 && isfinite(definition->rate)))
        return error_set(error, GABION_ERROR_INPUT,
                         "rate is %g; 0 (all at once) or more bodies per second are needed",
                         definition->rate);
    if (definition->rate > 0 && !falls(definition, world))
        return error_set(error, GABION_ERROR_INPUT,
                         "rate: bodies that enter one after the other make room for the next by "
                         "moving on; they need a velocity, or gravity");
    return check_region(&definition->region, error);
}

static bool check_room(const struct packing *packing, struct gabion_error *error) {
    const struct region *region = &packing->definition->region;
    for (int64_t i = 0; i < packing->definition->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double diameter = 2.0 * packing->grains[i].core;
            double side = vec3_get(region->high, axis) - vec3_get(region->low, axis);
            if (side < diameter)
                return error_set(error, GABION_ERROR_INPUT,
                                 "a sphere of diameter %g m does not fit into the region, %g m "
                                 "along %c",
                                 diameter, side, "xyz"[axis]);
        }
    return true;
}

static int compare_grains(const void *left, const void *right) {
    const struct grain *a = left, *b = right;
    if (a->radius != b->radius)
        return a->radius < b->radius ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool pack(struct packing *packing, struct gabion_error *error) {
    const struct fill_definition *definition = packing->definition;
    struct random_stream stream = {definition->seed};
    packing->grains =
        mixture_draw(packing->world, &definition->grains, definition->count, &stream, error);
    if (!packing->grains || !check_room(packing, error))
        return false;
    if (!(definition->rate > 0))
        qsort(packing->grains, (size_t)definition->count, sizeof *packing->grains, compare_grains);
    look_around(packing);
    return place_all(packing, &stream, error) && add_grains(packing, &stream, error);
}

bool generate_fill(struct gabion_world *world, const struct fill_definition *definition,
                   struct gabion_error *error) {
    struct packing packing = {.world = world, .definition = definition};
    const struct grain_kind *kind = definition->grains.kind;
    if (definition->note)
        definition->note[0] = '\0';
    bool done = check_fill(world, definition, error) &&
                mixture_fits_memory(world, &definition->grains, definition->count, error) &&
                pack(&packing, error);
    forget(&packing);
    grains_free(packing.grains, definition->count);
    const char *name = definition->name ? definition->name
                       : kind           ? gabion_group_name(world, kind->template.group)
                                        : "";
    return done || error_context(error, "fill '%s'", name);
}
