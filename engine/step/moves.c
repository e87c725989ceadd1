#include "engine/step/moves.h"

// A move that matters, as a share of the body's size: a million of them are a thousandth of it.
// What a body at rest has by rounding is less.
#define MOVE 1e-9

// Returns the square of the angle that a body turns in a step. The orientation of a sphere with
// equal moments does not matter: its angle is 0.
static double turn_square(const struct gabion_world *world, int32_t i, vec3 spin) {
    const struct bodies *bodies = &world->bodies;
    if (bodies_shape(bodies, i)->ball && bodies_isotropic(bodies, i))
        return 0;
    double h = world->settings.step;
    return h * h * vec3_dot(spin, spin);
}

static bool rounds_away(double x, double move) { return move != 0 && x + move == x; }

static bool is_stuck(const struct gabion_world *world, int32_t i, vec3 velocity) {
    const struct bodies *bodies = &world->bodies;
    vec3 x = bodies->x[i], move = vec3_scale(world->settings.step, velocity);
    if (!rounds_away(x.x, move.x) && !rounds_away(x.y, move.y) && !rounds_away(x.z, move.z))
        return false;
    double least = MOVE * bodies_size(bodies, i);
    for (int axis = 0; axis < 3; axis++)
        if (rounds_away(vec3_get(x, axis), vec3_get(move, axis)) &&
            fabs(vec3_get(move, axis)) >= least)
            return true;
    return false;
}

enum { MOVES_SPEED, MOVES_TURN, MOVES_STUCK, MOVES_COUNT };

struct measuring {
    const struct gabion_world *world;
    velocity_function velocity;
    const void *context;
};

static void measure_moves(void *context, size_t begin, size_t end, double *out) {
    const struct measuring *measuring = context;
    const struct gabion_world *world = measuring->world;
    for (size_t k = begin; k < end; k++) {
        int32_t i = (int32_t)k;
        struct body_velocity u = measuring->velocity(measuring->context, i);
        if (!isfinite(body_velocity_square(u))) {
            out[MOVES_SPEED] = NAN;
            return;
        }
        vec3 spin = vec3_scale(1 / world->bodies.radius[i], u.s);
        out[MOVES_SPEED] = fmax(out[MOVES_SPEED], vec3_dot(u.v, u.v));
        out[MOVES_TURN] = fmax(out[MOVES_TURN], turn_square(world, i, spin));
        if (is_stuck(world, i, u.v))
            out[MOVES_STUCK] = 1;
    }
}

void moves_measure(const struct gabion_world *world, velocity_function velocity,
                   const void *context, struct gabion_step_report *report) {
    struct measuring measuring = {world, velocity, context};
    double most[MOVES_COUNT];
    piece_max(world, world->bodies.moving, MOVES_COUNT, measure_moves, &measuring, most);
    report->max_speed = sqrt(most[MOVES_SPEED]);
    report->max_turn = sqrt(most[MOVES_TURN]);
    report->stuck = most[MOVES_STUCK] > 0;
}

struct body_velocity moves_present(const void *context, int32_t body) {
    const struct gabion_world *world = context;
    const struct bodies *bodies = &world->bodies;
    return (struct body_velocity){bodies->v[body],
                                  vec3_scale(bodies->radius[body], bodies->w[body])};
}

int32_t moves_find_turning(const struct gabion_world *world) {
    int32_t found = -1;
    double most = 0;
    for (int32_t i = 0; i < world->bodies.moving; i++) {
        double turn = turn_square(world, i, world->bodies.w[i]);
        if (turn > most) {
            most = turn;
            found = i;
        }
    }
    return found;
}

int32_t moves_find_stuck(const struct gabion_world *world) {
    for (int32_t i = 0; i < world->bodies.moving; i++)
        if (is_stuck(world, i, world->bodies.v[i]))
            return i;
    return -1;
}
