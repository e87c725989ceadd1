#include "engine/step/validate.h"

#include "engine/contact/contacts.h"
#include "engine/motion/midpoint.h"
#include "parallel/check.h"

#define UNIT_SLACK 1e-9 // of lengths that are 1
#define CONE_SLACK 1e-9 // of friction times the normal impulse

static bool is_unit(double length2) { return fabs(length2 - 1) <= UNIT_SLACK; }

static double quat_length2(quat q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }

// Bodies --------------------------------------------------------------------------------------

static bool mass_is_valid(const struct bodies *bodies, int32_t i) {
    double mass = bodies->mass[i];
    return i < bodies->moving ? mass > 0 && isfinite(mass) : mass == 0;
}

static const char *body_defect(const struct bodies *bodies, int32_t i) {
    int32_t id = bodies->id[i];
    if (id < 0 || id >= bodies->id_count || bodies->index_of[id] != i)
        return "its id does not lead back to it";
    if (!bodies_shape_fits(bodies, i))
        return "its shape does not exist";
    if (!bodies_has_start(bodies, i))
        return "it is not known where it entered the run";
    if (!mass_is_valid(bodies, i))
        return i < bodies->moving ? "it moves without a mass" : "it is fixed and has a mass";
    if (!vec3_finite(bodies->inertia[i]))
        return "its inertia is not finite";
    if (!vec3_finite(bodies->x[i]))
        return "its position is not finite";
    if (!vec3_finite(bodies->v[i]) || !vec3_finite(bodies->w[i]))
        return "its velocity is not finite";
    if (!is_unit(quat_length2(bodies->q[i])))
        return "its quaternion is not of length 1";
    return NULL;
}

bool validate_bodies(const struct bodies *bodies, struct gabion_error *error) {
    if (bodies->moving < 0 || bodies->moving > bodies->count)
        return error_set(error, GABION_ERROR_RUN, "%d moving bodies of %d", bodies->moving,
                         bodies->count);
    for (int32_t i = 0; i < bodies->count; i++) {
        const char *defect = body_defect(bodies, i);
        if (defect)
            return error_set(error, GABION_ERROR_RUN, "body %d (index %d): %s", bodies->id[i], i,
                             defect);
    }
    return true;
}

// Midpoint ------------------------------------------------------------------------------------

static bool axes_finite(const mat3 *axes) {
    return vec3_finite(axes->row[0]) && vec3_finite(axes->row[1]) && vec3_finite(axes->row[2]);
}

bool validate_midpoint(const struct gabion_world *world, struct gabion_error *error) {
    const struct midpoint *midpoint = world->midpoint;
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (!vec3_finite(midpoint->x_m[i]) || !vec3_finite(midpoint->v_free[i]) ||
            !vec3_finite(midpoint->s_free[i]) ||
            (bodies_have_axes(&world->bodies) && !axes_finite(&midpoint->axes_m[i])))
            return error_set(error, GABION_ERROR_RUN,
                             "body %d (index %d): its midpoint or free velocity is not finite",
                             world->bodies.id[i], i);
    return true;
}

// Contacts ------------------------------------------------------------------------------------

static bool in_order(const struct contact *before, const struct contact *contact) {
    return before->c < contact->c || (before->c == contact->c && before->a <= contact->a);
}

static const char *contact_defect(const struct gabion_world *world, size_t k) {
    const struct contact *contact = &world->contacts->list[k];
    if (contact->c < 0 || contact->c >= world->bodies.moving)
        return "its first body does not move";
    if (contact->a <= contact->c || contact->a >= world->bodies.count)
        return "its second body is not one that comes after the first";
    if (k > 0 && !in_order(contact - 1, contact))
        return "it should come before the contact in front of it";
    if (contact->law >= world->laws.count)
        return "its law does not exist";
    if (!is_unit(vec3_dot(contact->normal, contact->normal)))
        return "its normal is not of length 1";
    if (!isfinite(contact->gap) || !vec3_finite(contact->point))
        return "its gap or its point is not finite";
    return NULL;
}

static bool contact_error(const struct gabion_world *world, size_t k, const char *defect,
                          struct gabion_error *error) {
    const struct contact *contact = &world->contacts->list[k];
    return error_set(error, GABION_ERROR_RUN, "contact %zu (indices %d and %d): %s", k, contact->c,
                     contact->a, defect);
}

bool validate_contacts(const struct gabion_world *world, struct gabion_error *error) {
    for (size_t k = 0; k < world->contacts->count; k++) {
        const char *defect = contact_defect(world, k);
        if (defect)
            return contact_error(world, k, defect, error);
    }
    return true;
}

// Impulses ------------------------------------------------------------------------------------

// The corners of an outer polygon lie outside the circle. Only some methods use a polygon; the
// others are held to the same bound.
static double cone_reach(const struct gabion_cone *cone) {
    return cone->outer ? 1 / cos(3.14159265358979323846 / cone->sides) : 1;
}

// An over-relaxed contact that opens leaves a share of its impulse in every sweep, and after
// hundreds of them a number without meaning.
#define VANISHING 1e-100

static bool in_cone(vec3 impulse, vec3 n, double friction) {
    if (vec3_length(impulse) < VANISHING)
        return true;
    double normal = vec3_dot(impulse, n);
    vec3 along = vec3_add_scaled(impulse, -normal, n);
    double rounding = CONE_SLACK * vec3_length(impulse);
    if (normal < -rounding)
        return false;
    return isinf(friction) || vec3_length(along) <= friction * normal + rounding;
}

bool validate_impulses(const struct gabion_world *world, struct gabion_error *error) {
    const struct contacts *contacts = world->contacts;
    double reach = cone_reach(&world->settings.cone);
    for (size_t k = 0; k < contacts->count; k++) {
        const struct contact *contact = &contacts->list[k];
        double friction = reach * world->laws.law[contact->law].friction;
        if (!in_cone(contacts->impulse[k], contact->normal, friction))
            return contact_error(world, k, "its impulse is outside the friction cone", error);
    }
    return true;
}

// Phases --------------------------------------------------------------------------------------

bool validate_phase(const struct gabion_world *world, enum phase phase,
                    struct gabion_error *error) {
    switch (phase) {
    case PHASE_EVENTS:
    case PHASE_INTEGRATE:
    case PHASE_PROJECT:
        return validate_bodies(&world->bodies, error);
    case PHASE_BROAD: // what is predicted is complete only after the last of several functions
        return validate_midpoint(world, error);
    case PHASE_NARROW:
    case PHASE_CONTACTS:
        return validate_contacts(world, error);
    case PHASE_SOLVE:
        return validate_contacts(world, error) && validate_impulses(world, error);
    case PHASE_PREDICT:
    case PHASE_PROBLEM:
    case PHASE_LEDGER:
    case PHASE_COUNT:
        break;
    }
    return true;
}

void validate_after(const struct gabion_world *world, enum phase phase) {
    struct gabion_error error = {0};
    CHECK(validate_phase(world, phase, &error), "step %lld, after %s: %s",
          (long long)world->step + 1, phase_names[phase], error.text);
}
