// The bodies of another run become bodies of this one.
#include <inttypes.h>
#include <string.h>

#include "engine/api/define.h"
#include "io/checkpoint/donor_state.h"
#include "parallel/memory.h"

struct importing {
    const struct donor_transfer *transfer;
    const struct donor_choice *choice;
    mat3 turn;
    bool placed;                                // the bodies are turned or moved
    int *group, *polyhedron, *clump, *compound; // numbers there -> here; -1: none yet
    bool *chosen;                               // by group there
    int32_t *of;                                // id there -> id here
    int64_t added;
    struct tally walls, shapes, locked, waiting;
};

// Choice --------------------------------------------------------------------------------------

static bool reject(const struct importing *importing, struct gabion_error *error, const char *what,
                   const char *name) {
    return error_set(error, GABION_ERROR_INPUT, "%s: %s%s%s%s", importing->transfer->donor->path,
                     what, name ? " \"" : "", name ? name : "", name ? "\"" : "");
}

static bool choose_groups(struct importing *importing, struct gabion_error *error) {
    const struct donor_choice *choice = importing->choice;
    const struct donor *donor = importing->transfer->donor;
    if (donor->frame && (choice->groups || choice->keep_groups || choice->keep_materials))
        return reject(importing, error,
                      "a frame has no groups and no materials; import the checkpoint of that step, "
                      "or leave out groups and keep",
                      NULL);
    for (size_t k = 0; k < choice->group_count; k++) {
        int group = gabion_find_group(donor->world, choice->groups[k]);
        if (group < 0)
            return reject(importing, error, "it has no group", choice->groups[k]);
        importing->chosen[group] = true;
    }
    for (int g = 0; !choice->groups && g < donor->world->groups.count; g++)
        importing->chosen[g] = true;
    return true;
}

static bool check_ids(const struct importing *importing, struct gabion_error *error) {
    const struct bodies *bodies = &importing->transfer->donor->world->bodies;
    for (size_t k = 0; k < importing->choice->id_count; k++) {
        double id = importing->choice->ids[k];
        if (!(id >= 0 && id < bodies->id_count) || bodies->index_of[(int32_t)id] < 0)
            return error_set(error, GABION_ERROR_INPUT, "%s: it has no body %.0f",
                             importing->transfer->donor->path, id);
    }
    return true;
}

static bool is_chosen(const struct importing *importing, int32_t id, int group) {
    const struct donor_choice *choice = importing->choice;
    if (!importing->chosen[group])
        return false;
    for (size_t k = 0; k < choice->id_count; k++)
        if (choice->ids[k] == id)
            return true;
    return !choice->ids;
}

// Names ---------------------------------------------------------------------------------------

// Finds the material of a body of the donor in the case.
static bool find_material(const struct importing *importing, int32_t j, struct gabion_body *body,
                          struct gabion_error *error) {
    const struct gabion_world *other = importing->transfer->donor->world;
    const char *name = other->materials.name[other->bodies.material[j]];
    if (!importing->choice->keep_materials)
        return true;
    body->material = gabion_find_material(importing->transfer->world, name);
    return body->material >= 0 ||
           reject(importing, error, "keep materials: the case has no material", name);
}

// Adds a group of the donor to the case when the first body of it comes.
static bool find_group(struct importing *importing, int32_t j, struct gabion_body *body,
                       struct gabion_error *error) {
    const struct gabion_world *other = importing->transfer->donor->world;
    int there = other->bodies.group[j];
    if (!importing->choice->keep_groups || there == 0)
        return true;
    if (importing->group[there] < 0)
        importing->group[there] =
            gabion_add_group(importing->transfer->world, other->groups.name[there], error);
    body->group = importing->group[there];
    return body->group >= 0;
}

// Shapes --------------------------------------------------------------------------------------

static int copy_polyhedron(struct gabion_world *world, const struct polyhedron *from,
                           struct gabion_error *error) {
    return world_add_polyhedron(
        world,
        polyhedron_restore(from->corner, from->corner_count, from->face_start, from->face_corner,
                           from->face_count, from->centre, from->axes, error),
        error);
}

static int copy_clump(struct gabion_world *world, const struct clump *from,
                      struct gabion_error *error) {
    return world_add_clump(world,
                           clump_restore(from->sphere, from->sphere_radius, from->count,
                                         from->volume, from->inertia, from->centre, from->axes,
                                         error),
                           error);
}

// Returns the number here of a polyhedron of the donor.
static int take_polyhedron(struct importing *importing, int32_t index, struct gabion_error *error) {
    const struct bodies *from = &importing->transfer->donor->world->bodies;
    if (importing->polyhedron[index] < 0)
        importing->polyhedron[index] =
            copy_polyhedron(importing->transfer->world, from->polyhedra[index], error);
    return importing->polyhedron[index];
}

static int copy_compound(struct importing *importing, const struct compound *from,
                         struct gabion_error *error) {
    struct gabion_world *world = importing->transfer->world;
    struct compound_part *part =
        memory_allocate((size_t)from->count, sizeof *part, "parts of a compound");
    struct compound *compound = NULL;
    int32_t taken = 0;
    for (; taken < from->count; taken++) {
        part[taken] = from->part[taken];
        part[taken].polyhedron = take_polyhedron(importing, from->part[taken].polyhedron, error);
        if (part[taken].polyhedron < 0)
            break;
        part[taken].shape = world->bodies.polyhedra[part[taken].polyhedron];
    }
    if (taken == from->count)
        compound = compound_restore(part, from->count, from->centre, from->axes, error);
    memory_free(part);
    return compound ? world_add_compound(world, compound, error) : -1;
}

// Bodies are given by the frame that their shape was drawn in, whose centre and axes these are.
static void place_drawing(struct gabion_body *body, vec3 centre, quat axes) {
    body->orientation = quat_multiply(body->orientation, quat_conjugate(axes));
    mat3 turn = quat_matrix(body->orientation);
    body->position = vec3_sub(body->position, mat3_apply(turn, centre));
}

// Gives the body the shape of body j of the donor. Returns false with an error, or without one
// where such shapes cannot be imported.
static bool give_shape(struct importing *importing, int32_t j, struct gabion_body *body,
                       struct gabion_error *error) {
    struct gabion_world *world = importing->transfer->world;
    const struct bodies *from = &importing->transfer->donor->world->bodies;
    int32_t index = from->shape_index[j];
    body->shape = (enum gabion_shape)from->shape[j];
    body->radius = from->radius[j];
    switch (body->shape) {
    case GABION_SPHERE:
        return true;
    case GABION_POLYHEDRON: {
        const struct polyhedron *shape = from->polyhedra[index];
        body->polyhedron = take_polyhedron(importing, index, error);
        place_drawing(body, shape->centre, shape->axes);
        return body->polyhedron >= 0;
    }
    case GABION_CLUMP: {
        const struct clump *shape = from->clumps[index];
        if (importing->clump[index] < 0)
            importing->clump[index] = copy_clump(world, shape, error);
        body->clump = importing->clump[index];
        place_drawing(body, shape->centre, shape->axes);
        return body->clump >= 0;
    }
    case GABION_COMPOUND: {
        const struct compound *shape = from->compounds[index];
        if (importing->compound[index] < 0)
            importing->compound[index] = copy_compound(importing, shape, error);
        body->compound = importing->compound[index];
        place_drawing(body, shape->centre, shape->axes);
        return body->compound >= 0;
    }
    default:
        return false;
    }
}

// Bodies --------------------------------------------------------------------------------------

static vec3 turned(const struct importing *importing, vec3 rate) {
    return importing->placed ? mat3_apply(importing->turn, rate) : rate;
}

static void give_motion(struct importing *importing, int32_t j, struct gabion_body *body) {
    const struct bodies *from = &importing->transfer->donor->world->bodies;
    bool changed = false;
    body->velocity = body->spin = vec3_zero();
    if (body->fixed)
        return;
    body->lock |= from->lock[j];
    body->velocity = donor_unlock(turned(importing, from->v[j]), body->lock, &changed);
    body->spin = donor_unlock(turned(importing, from->w[j]), body->lock >> 3, &changed);
    if (changed)
        tally_add(&importing->locked, from->group[j], from->id[j]);
}

// Where the body is in this run, to the bit where nothing is turned or moved.
static void find_place(const struct importing *importing, int32_t j, vec3 *x, quat *q) {
    const struct bodies *from = &importing->transfer->donor->world->bodies;
    *x = from->x[j];
    *q = from->q[j];
    if (!importing->placed)
        return;
    *x = vec3_add(importing->choice->position, mat3_apply(importing->turn, *x));
    *q = quat_normalize(quat_multiply(importing->choice->orientation, *q));
}

static bool define_body(struct importing *importing, int32_t j, struct gabion_body *body,
                        struct gabion_error *error) {
    const struct donor *donor = importing->transfer->donor;
    const struct bodies *from = &donor->world->bodies;
    *body = importing->choice->template;
    if (!importing->choice->fixed_given)
        body->fixed = !donor->frame && from->mass[j] == 0;
    if (!body->fixed && from->mass[j] > 0) {
        body->mass = from->mass[j];
        body->inertia = from->inertia[j];
    }
    find_place(importing, j, &body->position, &body->orientation);
    give_motion(importing, j, body);
    return find_material(importing, j, body, error) && find_group(importing, j, body, error);
}

static bool add_body(struct importing *importing, int32_t id, int32_t j,
                     struct gabion_error *error) {
    struct bodies *bodies = &importing->transfer->world->bodies;
    int group = importing->transfer->donor->world->bodies.group[j];
    struct gabion_body body;
    vec3 x;
    quat q;
    if (!define_body(importing, j, &body, error))
        return false;
    find_place(importing, j, &x, &q);
    struct memory_account *before = memory_account_use(importing->transfer->world->account);
    bool shaped = give_shape(importing, j, &body, error);
    memory_account_use(before);
    if (!shaped) {
        tally_add(&importing->shapes, group, id);
        return error->status == GABION_OK;
    }
    int32_t here = gabion_add_body(importing->transfer->world, &body, error);
    if (here < 0)
        return error_context(error, "%s: its body %" PRId32, importing->transfer->donor->path, id);
    importing->of[id] = here;
    importing->added++;
    if (bodies->index_of[here] >= 0) { // the way through the drawing rounds
        bodies->x[bodies->index_of[here]] = bodies->start_of[here] = x;
        bodies->q[bodies->index_of[here]] = q;
    }
    return true;
}

// Walls are those of the case. One of the same group and shape stands for that of the donor, so
// that the impulses on it are kept.
static void find_wall(struct importing *importing, int32_t id, int32_t j) {
    const struct gabion_world *world = importing->transfer->world;
    const struct gabion_world *other = importing->transfer->donor->world;
    const struct bodies *here = &world->bodies, *there = &other->bodies;
    const char *name = other->groups.name[there->group[j]];
    int group = importing->placed || name[0] == '\0' ? -1 : gabion_find_group(world, name);
    tally_add(&importing->walls, there->group[j], id);
    for (int32_t i = 0; group >= 0 && i < here->count && importing->of[id] < 0; i++)
        if (here->group[i] == group && here->shape[i] == there->shape[j])
            importing->of[id] = here->id[i];
}

static bool add_bodies(struct importing *importing, struct gabion_error *error) {
    const struct bodies *from = &importing->transfer->donor->world->bodies;
    for (int32_t id = 0; id < from->id_count; id++) {
        int32_t j = from->index_of[id];
        if (j < 0 || !is_chosen(importing, id, from->group[j]))
            continue;
        if (bodies_is_wall(from, j))
            find_wall(importing, id, j);
        else if (!add_body(importing, id, j, error))
            return false;
    }
    return importing->added > 0 || reject(importing, error, "contains no bodies", NULL);
}

static void count_waiting(struct importing *importing) {
    const struct gabion_world *from = importing->transfer->donor->world;
    for (int k = 0; k < from->pending_count; k++)
        if (is_chosen(importing, from->pending[k].id, from->pending[k].body.group))
            tally_add(&importing->waiting, from->pending[k].body.group, from->pending[k].id);
}

// Reports -------------------------------------------------------------------------------------

static void report(const struct importing *importing, size_t kept, size_t lost) {
    struct remarks *remarks = importing->transfer->remarks;
    const struct donor *donor = importing->transfer->donor;
    char text[TALLY_TEXT];
    remarks_add(remarks, false, "import of %s: bodies: %" PRId64 "; impulses taken: %zu of %zu",
                donor->path, importing->added, kept, kept + lost);
    if (importing->walls.count > 0)
        remarks_add(remarks, false, "import of %s: walls, left to the case: %s", donor->path,
                    tally_print(&importing->walls, text));
    if (importing->shapes.count > 0)
        remarks_add(remarks, true, "import of %s: of a shape that cannot be imported, left out: %s",
                    donor->path, tally_print(&importing->shapes, text));
    if (importing->locked.count > 0)
        remarks_add(remarks, true,
                    "import of %s: in motion there along what the entry locks, and that motion is "
                    "left out (let go of it: lock): %s",
                    donor->path, tally_print(&importing->locked, text));
    if (importing->waiting.count > 0)
        remarks_add(remarks, true,
                    "import of %s: waiting to enter that run, and left out (define them in the "
                    "case, with insert_time): %s",
                    donor->path, tally_print(&importing->waiting, text));
}

static void import_joints(const struct importing *importing) {
    const struct donor_choice *choice = importing->choice;
    struct donor_placing placing = {importing->turn, choice->position};
    if (choice->joints)
        donor_add_joints(importing->transfer, importing->of, importing->placed ? &placing : NULL,
                         NULL, "import of");
}

static bool import_all(struct importing *importing, struct gabion_error *error) {
    const struct donor_transfer *transfer = importing->transfer;
    size_t before = transfer->kept->count;
    if (!choose_groups(importing, error) || !check_ids(importing, error) ||
        !add_bodies(importing, error))
        return false;
    size_t lost =
        donor_keep_contacts(transfer, importing->of, importing->placed ? &importing->turn : NULL,
                            importing->choice->position);
    count_waiting(importing);
    report(importing, transfer->kept->count - before, lost);
    import_joints(importing);
    return true;
}

static int *numbers(size_t count) {
    int *list = memory_allocate(count, sizeof *list, "numbers of an import");
    for (size_t k = 0; k < count; k++)
        list[k] = -1;
    return list;
}

bool donor_import(const struct donor_transfer *transfer, const struct donor_choice *choice,
                  struct gabion_error *error) {
    const struct gabion_world *other = transfer->donor->world;
    quat q = choice->orientation;
    vec3 p = choice->position;
    struct importing importing = {
        .transfer = transfer,
        .choice = choice,
        .turn = quat_matrix(q),
        .placed = p.x != 0 || p.y != 0 || p.z != 0 || q.x != 0 || q.y != 0 || q.z != 0,
        .group = numbers((size_t)other->groups.count),
        .polyhedron = numbers(other->bodies.polyhedron_count),
        .clump = numbers(other->bodies.clump_count),
        .compound = numbers(other->bodies.compound_count),
        .chosen = memory_allocate((size_t)other->groups.count, sizeof(bool), "chosen groups"),
        .of = numbers((size_t)other->bodies.id_count),
        .walls = tally_start(other, !transfer->donor->frame),
        .shapes = tally_start(other, !transfer->donor->frame),
        .locked = tally_start(other, !transfer->donor->frame),
        .waiting = tally_start(other, !transfer->donor->frame),
    };
    bool good = import_all(&importing, error);
    memory_free(importing.group);
    memory_free(importing.polyhedron);
    memory_free(importing.clump);
    memory_free(importing.compound);
    memory_free(importing.chosen);
    memory_free(importing.of);
    tally_free(&importing.walls);
    tally_free(&importing.shapes);
    tally_free(&importing.locked);
    tally_free(&importing.waiting);
    return good;
}
