#include "engine/world/piece.h"

#include "engine/world/world.h"
#include "parallel/hash.h"
#include "parallel/memory.h"
#include "parallel/ranks.h"

void piece_free(struct piece *piece) {
    memory_free(piece->ghost);
    memory_free(piece->sent);
    memory_free(piece->peer);
    *piece = (struct piece){0};
}

void piece_forget(struct piece *piece) {
    piece->partial = piece->listed = false;
    piece->ghosts = piece->below = piece->sent_count = piece->peers = 0;
}

// Gathering ---------------------------------------------------------------------------------------

void piece_gather_array(struct piece *piece, void *array, size_t size) {
    const struct cuts *cuts = piece->cuts;
    size_t *offsets = memory_allocate((size_t)cuts->ranks + 1, sizeof *offsets, "bodies");
    for (int rank = 0; rank <= cuts->ranks; rank++)
        offsets[rank] = (size_t)cuts->first[rank] * size;
    ranks_gather_all((char *)array + offsets[cuts->me], offsets, array);
    piece->bytes += (int64_t)(offsets[cuts->me + 1] - offsets[cuts->me]) * (cuts->ranks - 1);
    memory_free(offsets);
}

// What moves of a body; the rest of its state is the same on all ranks.
void piece_gather(struct gabion_world *world) {
    struct piece *piece = &world->piece;
    struct bodies *bodies = &world->bodies;
    if (!piece->stale)
        return;
    piece_gather_array(piece, bodies->x, sizeof *bodies->x);
    piece_gather_array(piece, bodies->q, sizeof *bodies->q);
    piece_gather_array(piece, bodies->v, sizeof *bodies->v);
    piece_gather_array(piece, bodies->w, sizeof *bodies->w);
    piece->stale = false;
    piece->gathers++;
}

void piece_leave(struct gabion_world *world) {
    piece_gather(world);
    world->piece.partial = false;
}

// Ghosts ------------------------------------------------------------------------------------------

struct exchange *piece_exchange(const struct piece *piece, size_t stride, size_t bytes) {
    struct exchange *exchange = exchange_create(1, stride, bytes);
    exchange_set(exchange, 0, piece->peer, piece->peers);
    return exchange;
}

static uint64_t hash_body(const struct bodies *bodies, int32_t i) {
    uint64_t hash = hash_bytes(HASH_START, &bodies->x[i], sizeof *bodies->x);
    hash = hash_bytes(hash, &bodies->q[i], sizeof *bodies->q);
    hash = hash_bytes(hash, &bodies->v[i], sizeof *bodies->v);
    return hash_bytes(hash, &bodies->w[i], sizeof *bodies->w);
}

bool piece_agrees(const struct gabion_world *world) {
    const struct piece *piece = &world->piece;
    bool agrees = true;
    if (!piece->partial)
        return true;
    uint64_t *hash = memory_allocate((size_t)world->bodies.moving, sizeof *hash, "ghosts");
    struct exchange *exchange = piece_exchange(piece, sizeof *hash, sizeof *hash);
    for (size_t k = 0; k < piece->sent_count; k++)
        hash[piece->sent[k]] = hash_body(&world->bodies, (int32_t)piece->sent[k]);
    exchange_start(exchange, 0, hash);
    exchange_finish(exchange, 0, hash);
    for (size_t k = 0; k < piece->ghosts; k++)
        agrees = agrees && hash[piece->ghost[k]] == hash_body(&world->bodies, piece->ghost[k]);
    exchange_free(exchange);
    memory_free(hash);
    return ranks_all(agrees);
}

// Loops -------------------------------------------------------------------------------------------

int32_t piece_begin(const struct gabion_world *world) {
    return world->piece.partial ? cuts_begin(world->piece.cuts) : 0;
}

int32_t piece_end(const struct gabion_world *world) {
    int32_t moving = world->bodies.moving;
    return world->piece.partial ? cuts_end(world->piece.cuts, moving) : moving;
}

static size_t moving_count(const struct gabion_world *world) {
    size_t own = (size_t)(piece_end(world) - piece_begin(world));
    return own + (world->piece.partial ? world->piece.ghosts : 0);
}

size_t piece_count(const struct gabion_world *world, int32_t end) {
    return moving_count(world) + (size_t)(end - world->bodies.moving);
}

int32_t piece_body(const struct gabion_world *world, size_t k) {
    const struct piece *piece = &world->piece;
    if (!piece->partial)
        return (int32_t)k;
    size_t own = (size_t)(piece_end(world) - piece_begin(world)), known = own + piece->ghosts;
    if (k < piece->below)
        return piece->ghost[k];
    if (k < piece->below + own)
        return piece_begin(world) + (int32_t)(k - piece->below);
    return k < known ? piece->ghost[k - own] : world->bodies.moving + (int32_t)(k - known);
}

// A loop over the bodies of a rank: only one of the functions is given.
struct loop {
    const struct gabion_world *world;
    range_function each;
    max_function max;
    void *context;
};

// Returns the end of the longest run of consecutive bodies from the k-th on.
static size_t run_end(const struct gabion_world *world, size_t k, size_t end) {
    int32_t first = piece_body(world, k);
    size_t length = 1;
    if (!world->piece.partial)
        return end;
    while (k + length < end && piece_body(world, k + length) == first + (int32_t)length)
        length++;
    return k + length;
}

static void visit(const struct loop *loop, size_t begin, size_t end, double *out) {
    for (size_t k = begin, next; k < end; k = next) {
        size_t first = (size_t)piece_body(loop->world, k);
        next = run_end(loop->world, k, end);
        if (loop->each)
            loop->each(loop->context, first, first + (next - k));
        else
            loop->max(loop->context, first, first + (next - k), out);
    }
}

static void visit_range(void *context, size_t begin, size_t end) {
    visit(context, begin, end, NULL);
}

static void visit_max(void *context, size_t begin, size_t end, double *out) {
    visit(context, begin, end, out);
}

void piece_for(const struct gabion_world *world, int32_t end, size_t chunk, range_function f,
               void *context) {
    struct loop loop = {.world = world, .each = f, .context = context};
    team_for(world->team, piece_count(world, end), chunk, visit_range, &loop);
}

void piece_max(const struct gabion_world *world, int32_t end, int width, max_function f,
               void *context, double *total) {
    struct loop loop = {.world = world, .max = f, .context = context};
    team_max(world->team, piece_count(world, end), width, visit_max, &loop, total);
    if (world->piece.partial)
        ranks_max(total, (size_t)width);
}

// Sums --------------------------------------------------------------------------------------------

struct own_sum {
    size_t first;
    sum_function f;
    void *context;
};

static void add_own(void *context, size_t begin, size_t end, struct binned_sum *out) {
    const struct own_sum *own = context;
    own->f(own->context, own->first + begin, own->first + end, out);
}

static void merge_sums(void *total, const void *part) { binned_merge(total, part); }

void piece_sum_range(struct team *team, size_t begin, size_t end, bool merged, int width,
                     sum_function f, void *context, double *total) {
    struct own_sum own = {begin, f, context};
    struct binned_sum sum[TEAM_WIDTH_MAX] = {0};
    team_collect(team, end - begin, width, add_own, &own, sum);
    if (merged)
        ranks_merge(sum, (size_t)width, sizeof *sum, merge_sums);
    for (int k = 0; k < width; k++)
        total[k] = binned_value(&sum[k]);
}

void piece_sum(const struct gabion_world *world, int width, sum_function f, void *context,
               double *total) {
    piece_sum_range(world->team, (size_t)piece_begin(world), (size_t)piece_end(world),
                    world->piece.partial, width, f, context, total);
}

bool piece_any(const struct gabion_world *world, bool mine) {
    return world->piece.partial ? ranks_any(mine) : mine;
}

int32_t piece_first(const struct gabion_world *world, int32_t mine) {
    double least = mine;
    if (world->piece.partial)
        ranks_min(&least, 1);
    return (int32_t)least;
}
