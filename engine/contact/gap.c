#include "engine/contact/gap.h"

#include "engine/contact/contacts.h"
#include "engine/problem/block.h"
#include "engine/contact/pair.h"
#include "engine/problem/problem.h"

// Of c against a before the step, as far as the normal sees it: the spin of a sphere does not move
// its surface along the normal.
static vec3 velocity_before(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    if (world->problem->axes_m)
        return block_velocity_now(world, contact);
    return vec3_sub(bodies->v[contact->c], bodies->v[contact->a]);
}

double gap_restitution_cutoff(const struct gabion_settings *settings) {
    if (settings->restitution_cutoff >= 0)
        return settings->restitution_cutoff;
    return 2 * vec3_length(settings->gravity) * settings->step;
}

// Points of a face whose gaps differ by rounding must not ask for different velocities: rigid
// blocks cannot obey, and the solver would shift its whole load from corner to corner after noise
// divided by h. So blocks touch from a gap of a millionth of their thickness on; spheres, which
// have one point, exactly.
#define TOUCHING 2e-6 // of half the thickness

static double touching_gap(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    if (!pair_has_block(bodies, contact->c, contact->a))
        return 0;
    return TOUCHING * bodies_smaller_size(bodies, contact->c, contact->a);
}

// Stabilized ----------------------------------------------------------------------------------

static vec3 *collision_of(const struct gabion_world *world, const struct contact *contact) {
    return &world->contacts->collision[contact - world->contacts->list];
}

// Anitescu's (4.10): Lambda = e v_n where a collision occurred in the step before and v_n < -TOL,
// else 0. v_n is along the present normal, but of the velocity before that step: what the step left
// of it is cut to the distance that there was to go, which may be anything (section III.D).
static double restitution_term(const struct gabion_world *world, const struct contact *contact) {
    const struct gabion_settings *settings = &world->settings;
    vec3 collision = *collision_of(world, contact);
    if (collision.x == 0 && collision.y == 0 && collision.z == 0)
        return 0;
    if (settings->restitution_velocity == GABION_RESTITUTION_UNCORRECTED)
        collision = velocity_before(world, contact);
    double v_n = vec3_dot(collision, contact->normal);
    double e = world->laws.law[contact->law].restitution;
    return v_n < -gap_restitution_cutoff(settings) ? e * v_n : 0;
}

// u_n + gamma g/h + Lambda >= 0 (Anitescu's (2.9) and section IV). Overlaps of blocks are pushed
// out down to the one that counts as touching, without a jump there.
static double stabilized_bias(const struct gabion_world *world, const struct contact *contact) {
    double touching = touching_gap(world, contact), g = contact->gap;
    double rest = g > touching ? g : fmin(g + touching, 0);
    return world->settings.gamma * rest / world->settings.step + restitution_term(world, contact);
}

// A collision: the gap was open and the contact pushes, so the body arrives in this step (section
// III). By (2.9) the gap of a contact that pushed in the step before is zero now, and only rounding
// could say on which side: that it did not push tells the same, and takes in the body that touched
// at the very end of that step.
void gap_note_collision(struct gabion_world *world, const struct contact *contact, vec3 impulse) {
    bool arrives = !contacts_carries(contact) && vec3_dot(impulse, contact->normal) > 0;
    *collision_of(world, contact) = arrives ? velocity_before(world, contact) : vec3_zero();
}

// ---------------------------------------------------------------------------------------------

// `moreau`: restitution acts on contacts whose predicted gap closes. `gap`: the body may travel
// just as far as the gap; a contact that bounces is treated as `moreau` in that step, because
// restitution added to the gap term is wrong both ways (Anitescu 2003, section III.D).
bool gap_bias(const struct gabion_world *world, const struct contact *contact, double *b) {
    const struct gabion_settings *settings = &world->settings;
    if (settings->gap == GABION_GAP_STABILIZED) {
        *b = stabilized_bias(world, contact);
        return true;
    }
    double e = world->laws.law[contact->law].restitution;
    bool exact = settings->gap == GABION_GAP_GAP;
    double h = settings->step, u_before = 0; // not looked at where nothing rebounds
    if (e > 0 || !exact)
        u_before = vec3_dot(velocity_before(world, contact), contact->normal);
    bool bounces = e > 0 && u_before < -gap_restitution_cutoff(settings);
    double touching = touching_gap(world, contact);
    if (exact && !bounces) {
        *b = contact->gap > touching ? contact->gap / h : 0;
        return true;
    }
    *b = e * u_before;
    return contact->gap - touching + settings->theta * h * u_before <= 0;
}
