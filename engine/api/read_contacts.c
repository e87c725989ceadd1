// Reading what acts between bodies: contacts, joints and interfaces.
#include <stdlib.h>
#include <string.h>

#include "engine/api/entry.h"
#include "engine/contact/contacts.h"
#include "engine/contact/interfaces.h"
#include "engine/contact/shared.h"
#include "parallel/memory.h"

// Contacts ------------------------------------------------------------------------------------

_Static_assert((int)GABION_CONTACT_SLIP == (int)CONTACT_SLIP, "the same statuses, in order");

static struct gabion_contact contact_of(const struct gabion_world *world, size_t k) {
    const struct contact *contact = &world->contacts->list[k];
    const int32_t *id = world->bodies.id;
    vec3 impulse = world->contacts->impulse[k];
    return (struct gabion_contact){
        .body = {id[contact->c], id[contact->a]},
        .index = {contact->c, contact->a},
        .point = contacts_position(world, contact),
        .normal = contact->normal,
        .gap = contact->gap,
        .impulse = impulse,
        .force = vec3_scale(1.0 / world->settings.step, impulse),
        .friction = world->laws.law[contact->law].friction,
        .status = (enum gabion_contact_status)contact->status,
    };
}

int64_t gabion_own_contacts(const struct gabion_world *world) {
    struct gabion_error error = {0};
    return entry_readable(world, &error) ? (int64_t)contacts_own_begin(world->contacts) : 0;
}

int64_t gabion_read_local_contacts(const struct gabion_world *world, int64_t first,
                                   int64_t capacity, struct gabion_contact *contacts,
                                   struct gabion_error *error) {
    if (!entry_readable(world, error))
        return -1;
    int64_t count = (int64_t)world->contacts->count;
    if (first < 0 || first > count) {
        entry_reject(error, "contacts from %lld on: there are %lld", (long long)first,
                     (long long)count);
        return -1;
    }
    if (!entry_capacity(capacity, contacts, "contacts", error))
        return -1;
    int64_t copied = 0;
    for (; copied < capacity && first + copied < count; copied++)
        contacts[copied] = contact_of(world, (size_t)(first + copied));
    return copied;
}

int64_t gabion_read_contacts(const struct gabion_world *world, int64_t first, int64_t capacity,
                             struct gabion_contact *contacts, struct gabion_error *error) {
    return entry_whole(world, error)
               ? gabion_read_local_contacts(world, first, capacity, contacts, error)
               : -1;
}

bool gabion_view_contacts(const struct gabion_world *world, struct gabion_contacts *view,
                          struct gabion_error *error) {
    if (!entry_whole(world, error))
        return false;
    if (!view)
        return entry_missing("contacts", error);
    const struct contact *first = world->contacts->list;
    *view =
        (struct gabion_contacts){.count = (int64_t)world->contacts->count, .stride = sizeof *first};
    if (view->count == 0)
        return true;
    view->first = &first->c;
    view->second = &first->a;
    view->status = &first->status;
    view->gap = &first->gap;
    view->normal = &first->normal;
    view->point = &first->point;
    view->impulse = world->contacts->impulse;
    return true;
}

// Joints --------------------------------------------------------------------------------------

bool gabion_get_joint(const struct gabion_world *world, int joint, struct gabion_joint_state *state,
                      struct gabion_error *error) {
    if (!entry_readable(world, error))
        return false;
    if (!state)
        return entry_missing("state", error);
    if (!entry_index(joint, world->joints.count, "joint", error))
        return false;
    const struct joint *own = &world->joints.list[joint];
    *state =
        (struct gabion_joint_state){.kind = own->kind, .first = own->id[0], .second = own->id[1]};
    state->acts = joints_anchors(world, own, &state->anchor[0], &state->anchor[1]);
    if (!state->acts)
        return true;
    state->force = joints_force(world, own);
    state->moment = joints_moment(world, own, state->anchor[0]);
    state->error = joint_error(world, own);
    return true;
}

// Interfaces ----------------------------------------------------------------------------------

struct survey {
    const struct gabion_world *world;
    struct gabion_interface *interfaces; // malloc: it outlives the work
    size_t count;
};

static void measure(void *context) {
    struct survey *survey = context;
    struct gabion_interface *found = interfaces_measure(survey->world, &survey->count);
    survey->interfaces = malloc((survey->count + 1) * sizeof *found);
    if (!survey->interfaces)
        memory_exhausted(survey->count, sizeof *found, "interfaces");
    memcpy(survey->interfaces, found, survey->count * sizeof *found);
    memory_free(found);
}

struct gabion_interface *gabion_measure_interfaces(const struct gabion_world *world, size_t *count,
                                                   struct gabion_error *error) {
    struct gabion_error ignored = {0};
    struct survey survey = {.world = world};
    if (!entry_whole(world, error))
        return NULL;
    if (!count) {
        entry_missing("count", error);
        return NULL;
    }
    if (!entry_try(measure, &survey, error ? error : &ignored))
        return NULL;
    *count = survey.count;
    return survey.interfaces;
}

void gabion_free(void *array) { free(array); }

static void find_interfaces(struct call *call) {
    if (call->world->step == 0)
        interfaces_find(call->world);
    call->result = 0;
}

bool gabion_find_interfaces(struct gabion_world *world, struct gabion_error *error) {
    return call_run(world, find_interfaces, NULL, error) >= 0;
}
