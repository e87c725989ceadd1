#include "engine/contact/way.h"

#include "engine/contact/pairs.h"

// Two bodies may cut through each other unseen between two looks at their way; these are no further
// apart than GLANCE of the smaller body's size, as long as MOST_GLANCES are enough for that.
#define GLANCE        2e-3
#define MOST_GLANCES  64
#define MOST_HALVINGS 24
#define FINEST        1e-4 // of the way: the first touch is found as exactly

// Ways ------------------------------------------------------------------------------------------

// Balls and hollow spheres look the same however they turn, drums if they turn about their axis.
static vec3 swing_of(const struct gabion_world *world, int32_t i, vec3 turn) {
    const struct bodies *bodies = &world->bodies;
    if (bodies_shape(bodies, i)->ball || bodies->shape[i] == GABION_HOLLOW_SPHERE)
        return vec3_zero();
    if (bodies->shape[i] != GABION_DRUM)
        return turn;
    vec3 axis = mat3_apply(world->midpoint->axes_m[i], bodies_hollow(bodies, i)->axis);
    return vec3_add_scaled(turn, -vec3_dot(turn, axis), axis);
}

struct way way_of(const struct gabion_world *world, int32_t i, struct body_velocity u) {
    double h = world->settings.step;
    vec3 turn = vec3_scale(h / bodies_spin_radius(&world->bodies, i), u.s);
    return (struct way){.start = {world->midpoint->x_m[i], world->midpoint->axes_m[i]},
                        .shift = vec3_scale(h, u.v),
                        .turn = turn,
                        .swing = swing_of(world, i, turn),
                        .lever = world->bodies.radius[i]};
}

static struct pose pose_on(const struct way *way, double tau) {
    if (tau == 0)
        return way->start;
    mat3 turn = quat_matrix(quat_normalize(quat_exp(vec3_scale(tau, way->turn)))), axes;
    for (int axis = 0; axis < 3; axis++)
        axes.row[axis] = mat3_apply_transposed(way->start.axes, turn.row[axis]);
    return (struct pose){vec3_add_scaled(way->start.x, tau, way->shift), axes};
}

struct pair course_pair(const struct course *course, double tau) {
    return pairs_place(course->world, course->c, course->a, pose_on(&course->way_c, tau),
                       pose_on(&course->way_a, tau));
}

// How far a wall reaches depends on the body that it meets.
static void measure_travel(struct course *course) {
    struct way *c = &course->way_c, *a = &course->way_a;
    double along = vec3_length(vec3_sub(c->shift, a->shift));
    double swing = vec3_length(c->swing) * c->lever;
    if (bodies_is_wall(&course->world->bodies, course->a))
        a->lever = vec3_length(vec3_sub(c->start.x, a->start.x)) + c->lever + along;
    course->travel = along + swing + vec3_length(a->swing) * a->lever;
}

bool course_open(struct course *course) {
    course->size = bodies_smaller_size(&course->world->bodies, course->c, course->a);
    course->allowed = WAY_TOLERANCE * course->size;
    measure_travel(course);
    if (!(course->travel > course->allowed && isfinite(course->travel)))
        return false;
    vec3 between = vec3_sub(course->way_c.start.x, course->way_a.start.x);
    double reach = course->way_c.lever + course->way_a.lever + course->travel;
    return vec3_dot(between, between) <= reach * reach;
}

// Returns the most by which the bodies can come nearer along the normal, from a to c, on the whole
// way. The wall of a hollow is on no one side of a plane: there, any way counts.
static double closing(const struct course *course, vec3 normal) {
    const struct way *c = &course->way_c, *a = &course->way_a;
    if (bodies_shape(&course->world->bodies, course->a)->room)
        return course->travel;
    return vec3_dot(normal, vec3_sub(a->shift, c->shift)) +
           vec3_length(vec3_cross(c->swing, normal)) * c->lever +
           vec3_length(vec3_cross(a->swing, normal)) * a->lever;
}

// Looking ---------------------------------------------------------------------------------------

struct glance {
    double depth; // of the deepest overlap; negative: the bodies are apart
    double clear; // until then it does not get deeper than is allowed
};

static struct glance glance_at(const struct course *course, double tau) {
    struct contact_list *found = course->scratch;
    struct pair pair = course_pair(course, tau);
    struct glance glance = {-INFINITY, 1};
    found->count = 0;
    pairs_nearest_there(&pair, (1 - tau) * course->travel, found);
    for (size_t k = 0; k < found->count; k++) {
        double rate = closing(course, found->list[k].normal);
        double left = fmax(found->list[k].gap + course->allowed, 0);
        glance.depth = fmax(glance.depth, -found->list[k].gap);
        if (rate > left) // it may happen before the end of the way
            glance.clear = fmin(glance.clear, tau + left / rate);
    }
    return glance;
}

double course_depth(const struct course *course, double tau) {
    return glance_at(course, tau).depth;
}

bool course_meeting(struct course *course, struct meeting *meeting) {
    double least = fmax(1.0 / MOST_GLANCES, GLANCE * course->size / course->travel);
    struct glance glance = glance_at(course, 0);
    course->initial = fmax(glance.depth, 0);
    course->allowed = fmax(course->allowed, course->initial + WAY_DEEPENING * course->size);
    for (double tau = 0; tau < 1 && glance.clear < 1; tau = meeting->late) {
        meeting->early = tau;
        meeting->late = fmin(fmax(glance.clear, tau + least), 1);
        glance = glance_at(course, meeting->late);
        meeting->depth = glance.depth;
        if (glance.depth > course->allowed)
            return true;
    }
    return false;
}

// Returns a moment between `clear` and `deep` at which the bodies are inside by more than is
// allowed and by no more than `shallow`.
static double halve(const struct course *course, double clear, double deep, double shallow) {
    for (int k = 0; k < MOST_HALVINGS; k++) {
        double middle = 0.5 * (clear + deep), depth = course_depth(course, middle);
        if (depth > course->allowed && depth <= shallow)
            return middle;
        *(depth > shallow ? &deep : &clear) = middle;
    }
    return deep;
}

double course_first_moment(const struct course *course, const struct meeting *meeting) {
    double early = meeting->early, late = meeting->late;
    for (int k = 0; k < MOST_HALVINGS && late - early > FINEST; k++) {
        double middle = 0.5 * (early + late);
        *(course_depth(course, middle) > course->allowed ? &late : &early) = middle;
    }
    return late;
}

// Bodies that touch and turn may dip into each other slowly and leave again: returns a moment on
// the way down.
static double dip_moment(const struct course *course, const struct meeting *meeting,
                         double shallow) {
    double moment = meeting->late, depth = meeting->depth, length = moment - meeting->early;
    for (double next = moment + length; next < 1; next += length) {
        double there = course_depth(course, next);
        if (there <= depth || there > shallow)
            break;
        moment = next;
        depth = there;
        length *= 2;
    }
    return moment;
}

double course_last_moment(const struct course *course, const struct meeting *meeting) {
    double shallow = fmax(WAY_SHALLOW * course->size, 2 * course->allowed);
    if (meeting->depth > shallow)
        return halve(course, meeting->early, meeting->late, shallow);
    double end = course_depth(course, 1);
    if (end > shallow)
        return halve(course, meeting->late, 1, shallow);
    return end > course->allowed ? 1 : dip_moment(course, meeting, shallow);
}
