#include "engine/contact/gap.h"

#include "engine/contact/contacts.h"
#include "engine/contact/arms.h"
#include "engine/contact/pairs.h"
#include "engine/motion/motion.h"
#include "parallel/memory.h"

// Returns the velocity of c relative to a before the step. Where all bodies are spheres their spin
// is left out, because it has no normal component.
static vec3 velocity_before(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    if (world->midpoint->axes_m)
        return contact_velocity_now(world, contact, NULL);
    return vec3_sub(bodies->v[contact->c], bodies->v[contact->a]);
}

double gap_restitution_cutoff(const struct gabion_settings *settings) {
    if (settings->restitution_cutoff >= 0)
        return settings->restitution_cutoff;
    return 2 * vec3_length(settings->gravity) * settings->step;
}

bool gap_rebounds(const struct gabion_world *world, const struct contact *contact, double u_n) {
    return world->laws.law[contact->law].restitution > 0 &&
           u_n < -gap_restitution_cutoff(&world->settings);
}

// The gap up to which blocks count as touching: a millionth of their thickness. Gaps of the points
// of one face differ by rounding; used as they are, noise divided by h would prescribe different
// velocities, which rigid blocks cannot follow, and the solver would shift the whole load from
// corner to corner. Spheres have one point and touch at gap zero.
#define TOUCHING 2e-6 // of half the thickness

static double touching_gap(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    if (pairs_kind(bodies, contact->c, contact->a)->direct)
        return 0;
    return TOUCHING * bodies_smaller_size(bodies, contact->c, contact->a);
}

// Stabilized ----------------------------------------------------------------------------------

static vec3 *collision_of(const struct gabion_world *world, const struct contact *contact) {
    return &world->contacts->collision[contacts_index(world->contacts, contact)];
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

// ---------------------------------------------------------------------------------------------

// `moreau`: restitution acts on contacts whose predicted gap closes. `gap`: the body may travel
// just as far as the gap; a contact that bounces is treated as `moreau` in that step, because
// restitution added to the gap term is wrong both ways (Anitescu 2003, section III.D).
static bool find_bias(const struct gabion_world *world, const struct contact *contact, double *b) {
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
    if (exact && !gap_rebounds(world, contact, u_before)) {
        bool open = contact->gap > 0 && contact->gap > touching_gap(world, contact);
        *b = open ? contact->gap / h : 0;
        return true;
    }
    *b = e * u_before;
    double gap = contact->gap - touching_gap(world, contact);
    return gap + settings->theta * h * u_before <= 0;
}

double gap_late_bias(const struct gabion_world *world, const struct contact *contact,
                     double u_before) {
    double e = world->laws.law[contact->law].restitution;
    bool exact = world->settings.gap == GABION_GAP_GAP;
    return exact && !gap_rebounds(world, contact, u_before)
               ? fmax(contact->gap, 0) / world->settings.step
               : e * fmin(u_before, 0);
}

// Activation ----------------------------------------------------------------------------------

#define CHUNK 1024

bool gap_needs_block(const struct gabion_world *world, const struct contact *contact) {
    const struct bodies *bodies = &world->bodies;
    int32_t c = contact->c, a = contact->a;
    if (!world->midpoint->general)
        return false;
    vec3 s = world->midpoint->s_free[a];
    return !pairs_kind(bodies, c, a)->direct ||
           world->laws.law[contact->law].tangential_restitution > 0 ||
           motion_needs_tensor(bodies, c) || motion_needs_tensor(bodies, a) ||
           (bodies_is_wall(bodies, a) && vec3_dot(s, s) > 0);
}

static void activate_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    struct contacts *contacts = world->contacts;
    for (size_t k = begin; k < end; k++) {
        struct contact *contact = &contacts->list[k];
        bool active = find_bias(world, contact, &contacts->bias[k]);
        if (contacts->before)
            contacts->before[k] = contact_velocity_now(world, contact, NULL);
        contact->flags |= (uint8_t)((active ? CONTACT_ACTIVE : 0) |
                                    (contacts_carries(contacts, k) ? CONTACT_PUSHED : 0) |
                                    (gap_needs_block(world, contact) ? CONTACT_GENERAL : 0));
        if (!active)
            contacts->impulse[k] = vec3_zero();
    }
}

static bool any_tangential_restitution(const struct gabion_world *world) {
    for (int k = 0; k < world->laws.count; k++)
        if (world->laws.law[k].tangential_restitution > 0)
            return true;
    return false;
}

static void forget_before(struct contacts *contacts) {
    memory_free(contacts->before);
    contacts->before = NULL;
    contacts->before_capacity = 0;
}

void gap_activate(struct gabion_world *world) {
    struct contacts *contacts = world->contacts;
    contacts->bias = memory_reserve_aligned(contacts->bias, &contacts->bias_capacity,
                                            contacts->count, sizeof *contacts->bias, "contacts");
    if (any_tangential_restitution(world))
        contacts->before =
            memory_reserve_aligned(contacts->before, &contacts->before_capacity, contacts->count,
                                   sizeof *contacts->before, "contacts");
    else
        forget_before(contacts); // a law may have changed since the last step
    team_for(world->team, contacts->count, CHUNK, activate_range, world);
}

// Collisions ----------------------------------------------------------------------------------

// A collision: the gap was open and the contact pushes, so the body arrives in this step (section
// III). By (2.9) the gap of a contact that pushed in the last step is zero now up to rounding, so
// its sign means nothing. Therefore the test is that the contact did not push in the last step; it
// also covers a body that came to touch at the very end of that step.
static void note_range(void *context, size_t begin, size_t end) {
    struct gabion_world *world = context;
    const struct contacts *contacts = world->contacts;
    for (size_t k = begin; k < end; k++) {
        const struct contact *contact = &contacts->list[k];
        bool arrives = !(contact->flags & CONTACT_PUSHED) &&
                       vec3_dot(contacts->impulse[k], contact->normal) > 0;
        contacts->collision[k] = arrives ? velocity_before(world, contact) : vec3_zero();
    }
}

void gap_note_collisions(struct gabion_world *world) {
    if (world->settings.gap == GABION_GAP_STABILIZED)
        team_for(world->team, world->contacts->count, CHUNK, note_range, world);
}
