#include "engine/solvers/newton/resolvent.h"

#include <string.h>

#include "engine/solvers/newton/block_matrix.h"
#include "engine/solvers/sweep/workspace.h"
#include "parallel/memory.h"
#include "parallel/wide.h"

struct resolvent {
    const struct contact_problem *problem;
    struct block_matrix *matrix;
    bool kept; // the matrix is the workspace's
    double cost;
    bool split;             // x = right y
    mat3 *left, *right;     // FACE_BODIES: kept for the solutions; left alone is D
    double *f;              // FACE_BODIES: right times the right-hand side
    double *v;              // FACE_BODIES: velocities of the bodies
    struct node_mass *mass; // FACE_BODIES
    // FACE_MATRIX: blocks of W in each pair, row_of[k] the row of the first; none: SIZE_MAX
    size_t *forward, *backward;
    int32_t *row_of;
    size_t pairs;
    double *columns; // of `left`, four numbers each
};

// M of a body; a locked degree of freedom keeps its velocity.
struct node_mass {
    vec3 m;          // along each axis; 1 where locked
    sym3 inertia;    // R^-2 I; 1 on the diagonal where locked
    unsigned locked; // bits of the six
};

// Preparation ---------------------------------------------------------------------------------

static struct node_mass mass_of(struct inverse_mass inverse) {
    double *diagonal[3] = {&inverse.k.xx, &inverse.k.yy, &inverse.k.zz};
    struct node_mass mass = {0};
    for (int axis = 0; axis < 3; axis++) {
        double inv_m = vec3_get(inverse.inv_m, axis);
        vec3_set(&mass.m, axis, inv_m > 0 ? 1 / inv_m : 1);
        mass.locked |= (inv_m > 0 ? 0u : 1u) << axis;
        mass.locked |= (*diagonal[axis] > 0 ? 0u : 1u) << (axis + 3);
        if (!(*diagonal[axis] > 0))
            *diagonal[axis] = 1;
    }
    sym3 k = inverse.k;
    mat3 full = {{{k.xx, k.xy, k.xz}, {k.xy, k.yy, k.yz}, {k.xz, k.yz, k.zz}}};
    mass.inertia = sym3_inverse(&full, 0);
    return mass;
}

static void prepare_bodies(struct resolvent *resolvent) {
    const struct contact_bodies *bodies = &resolvent->problem->bodies;
    size_t count = (size_t)bodies->count, contacts = (size_t)resolvent->problem->contacts;
    resolvent->cost =
        216.0 * (double)block_matrix_pattern(resolvent->matrix, bodies->count, bodies->first,
                                             bodies->second, bodies->pair_count);
    resolvent->left = memory_allocate(contacts, sizeof *resolvent->left, "resolvent");
    resolvent->right = memory_allocate(contacts, sizeof *resolvent->right, "resolvent");
    resolvent->f = memory_allocate(3 * contacts, sizeof *resolvent->f, "resolvent");
    resolvent->v = memory_allocate(6 * count, sizeof *resolvent->v, "resolvent");
    resolvent->mass = memory_allocate(count, sizeof *resolvent->mass, "resolvent");
    for (size_t b = 0; b < count; b++)
        resolvent->mass[b] = mass_of(bodies->inverse[b]);
}

// The pattern of W, made symmetric.
static void prepare_matrix(struct resolvent *resolvent) {
    const struct contact_problem *problem = resolvent->problem;
    const struct contact_matrix *W = &problem->matrix;
    size_t most = W->start[problem->contacts], pairs = 0;
    int32_t *first = memory_allocate(most, sizeof *first, "resolvent");
    int32_t *second = memory_allocate(most, sizeof *second, "resolvent");
    resolvent->forward = memory_allocate(most, sizeof(size_t), "resolvent");
    resolvent->backward = memory_allocate(most, sizeof(size_t), "resolvent");
    for (int32_t a = 0; a < problem->contacts; a++)
        for (size_t e = W->start[a]; e < W->start[a + 1]; e++) {
            int32_t b = W->column[e];
            size_t other = b == a ? e : contact_matrix_find(W, b, a);
            if (b == a || (b < a && other != SIZE_MAX))
                continue;
            first[pairs] = a;
            second[pairs] = b;
            resolvent->forward[pairs] = e;
            resolvent->backward[pairs++] = other;
        }
    resolvent->pairs = pairs;
    resolvent->cost = 27.0 * (double)block_matrix_pattern(resolvent->matrix, problem->contacts,
                                                          first, second, pairs);
    resolvent->row_of = first;
    memory_free(second);
    size_t capacity = 0;
    resolvent->columns =
        memory_reserve_aligned(NULL, &capacity, CONTACT_BLOCK * (size_t)problem->contacts,
                               sizeof *resolvent->columns, "resolvent");
}

static struct resolvent *create_in(struct block_matrix *matrix,
                                   const struct contact_problem *problem) {
    struct resolvent *resolvent = memory_allocate(1, sizeof *resolvent, "resolvent");
    resolvent->problem = problem;
    resolvent->matrix = matrix;
    if (problem->face == FACE_BODIES)
        prepare_bodies(resolvent);
    else
        prepare_matrix(resolvent);
    return resolvent;
}

struct resolvent *resolvent_create(const struct contact_problem *problem) {
    int side = problem->face == FACE_BODIES ? 6 : 3;
    return create_in(block_matrix_create(side), problem);
}

static void free_matrix(void *matrix) { block_matrix_free(matrix); }

struct resolvent *resolvent_create_kept(struct solver_workspace *workspace,
                                        const struct contact_problem *problem) {
    if (problem->face == FACE_MATRIX)
        return resolvent_create(problem);
    struct solver_keep *keep = solver_workspace_keep(workspace);
    if (!keep->data)
        *keep = (struct solver_keep){block_matrix_create(6), free_matrix};
    struct resolvent *resolvent = create_in(keep->data, problem);
    resolvent->kept = true;
    return resolvent;
}

void resolvent_free(struct resolvent *resolvent) {
    if (!resolvent)
        return;
    if (!resolvent->kept)
        block_matrix_free(resolvent->matrix);
    memory_free(resolvent->left);
    memory_free(resolvent->right);
    memory_free(resolvent->f);
    memory_free(resolvent->v);
    memory_free(resolvent->mass);
    memory_free(resolvent->forward);
    memory_free(resolvent->backward);
    memory_free(resolvent->row_of);
    memory_free(resolvent->columns);
    memory_free(resolvent);
}

double resolvent_cost(const struct resolvent *resolvent) { return resolvent->cost; }

#define SIX BLOCK_STRIDE(6)

// Into functions that are compiled for several processors.
#define INLINE __attribute__((always_inline)) static inline

// Contacts ------------------------------------------------------------------------------------

// Columns of a 3x3 matrix, with zeros at the end.
struct columns {
    lanes4 n, s, t;
};

// out = left W_ab right, W by columns of four, out by rows of four, both with zeros at the end; no
// right: the identity.
INLINE void put_product(const struct columns *left, const double *w, const mat3 *right,
                        double *out) {
    const lanes4 *W = (const lanes4 *)w, none = {0};
    lanes4 a = left->n * W[0][0] + left->s * W[0][1] + left->t * W[0][2]; // columns of left W
    lanes4 b = left->n * W[1][0] + left->s * W[1][1] + left->t * W[1][2];
    lanes4 c = left->n * W[2][0] + left->s * W[2][1] + left->t * W[2][2];
    if (right) {
        vec3 x = right->row[0], y = right->row[1], z = right->row[2];
        lanes4 from_a = a, from_b = b, from_c = c;
        a = from_a * x.x + from_b * y.x + from_c * z.x;
        b = from_a * x.y + from_b * y.y + from_c * z.y;
        c = from_a * x.z + from_b * y.z + from_c * z.z;
    }
    lanes4 even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    lanes4 odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    lanes4 c_even = __builtin_shufflevector(c, none, 0, 4, 2, 6);
    lanes4 c_odd = __builtin_shufflevector(c, none, 1, 5, 3, 7);
    lanes4 *rows = (lanes4 *)out;
    rows[0] = __builtin_shufflevector(even, c_even, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(odd, c_odd, 0, 1, 4, 5);
    rows[2] = __builtin_shufflevector(even, c_even, 2, 3, 6, 7);
}

WIDE static void put_blocks(const struct resolvent *resolvent, const mat3 *D, const mat3 *right) {
    const struct contact_problem *problem = resolvent->problem;
    const struct contact_matrix *W = &problem->matrix;
    struct block_matrix *matrix = resolvent->matrix;
    struct columns *left = (struct columns *)resolvent->columns;
    for (int32_t a = 0; a < problem->contacts; a++) {
        vec3 l = D[a].row[0], m = D[a].row[1], n = D[a].row[2];
        left[a] = (struct columns){{l.x, m.x, n.x, 0}, {l.y, m.y, n.y, 0}, {l.z, m.z, n.z, 0}};
    }
    for (int32_t a = 0; a < problem->contacts; a++) {
        double *block = block_matrix_diagonal(matrix, a);
        put_product(&left[a], W->value + W->diagonal[a] * CONTACT_BLOCK, right ? &right[a] : NULL,
                    block);
        for (int i = 0; i < 3; i++)
            block[4 * i + i] += 1;
    }
    for (size_t k = 0; k < resolvent->pairs; k++) {
        size_t e = resolvent->forward[k], f = resolvent->backward[k];
        int32_t b = W->column[e], a = resolvent->row_of[k];
        put_product(&left[a], W->value + e * CONTACT_BLOCK, right ? &right[b] : NULL,
                    block_matrix_forward(matrix, k));
        if (f != SIZE_MAX)
            put_product(&left[b], W->value + f * CONTACT_BLOCK, right ? &right[a] : NULL,
                        block_matrix_backward(matrix, k));
    }
}

static bool factorise_matrix(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    block_matrix_clear(resolvent->matrix);
    put_blocks(resolvent, left, right);
    return block_matrix_factor(resolvent->matrix, resolvent->problem->team);
}

// Bodies --------------------------------------------------------------------------------------

INLINE void put_six(double *to, vec3 v, vec3 s) {
    const double six[6] = {v.x, v.y, v.z, s.x, s.y, s.z};
    memcpy(to, six, sizeof six);
}

// D in world axes.
INLINE mat3 world_axes(const struct contact_row *row, const mat3 *D) {
    mat3 half, out;
    for (int i = 0; i < 3; i++)
        half.row[i] = contact_row_impulse(row, D->row[i]);
    for (int i = 0; i < 3; i++)
        out.row[i] =
            vec3_add_scaled(vec3_add_scaled(vec3_scale(vec3_get(row->axis[0], i), half.row[0]),
                                            vec3_get(row->axis[1], i), half.row[1]),
                            vec3_get(row->axis[2], i), half.row[2]);
    return out;
}

// D [1, [arm]x^T]: impulses from the velocity of a body with the contact at `arm`. A row is two
// registers, as in a block: what was stored number by number could not be fetched as lanes at once.
struct half_row {
    lanes4 low, high;
};
struct half_slope {
    struct half_row x, y, z;
};

INLINE void half_row(vec3 d, vec3 arm, struct half_row *half) {
    vec3 turn = vec3_cross(arm, d);
    half->low = (lanes4){d.x, d.y, d.z, turn.x};
    half->high = (lanes4){turn.y, turn.z, 0, 0};
}

INLINE void take_velocity(const mat3 *D, vec3 arm, struct half_slope *half) {
    half_row(D->row[0], arm, &half->x);
    half_row(D->row[1], arm, &half->y);
    half_row(D->row[2], arm, &half->z);
}

INLINE void add_row(lanes4 *to, double sign, const struct half_row *half) {
    to[0] += sign * half->low;
    to[1] += sign * half->high;
}

INLINE void add_difference(lanes4 *to, double a, const struct half_row *x, double b,
                           const struct half_row *y) {
    to[0] += a * x->low - b * y->low;
    to[1] += a * x->high - b * y->high;
}

// block += sign [1; [arm]x] half
INLINE void add_slope(double *block, double sign, const struct half_slope *half, vec3 arm) {
    lanes4 *to = (lanes4 *)block;
    vec3 a = vec3_scale(sign, arm);
    add_row(to, sign, &half->x);
    add_row(to + 2, sign, &half->y);
    add_row(to + 4, sign, &half->z);
    add_difference(to + 6, a.y, &half->z, a.z, &half->y);
    add_difference(to + 8, a.z, &half->x, a.x, &half->z);
    add_difference(to + 10, a.x, &half->y, a.y, &half->x);
}

INLINE mat3 slope_of(const struct resolvent *resolvent, int32_t contact) {
    const mat3 *left = &resolvent->left[contact], *right = &resolvent->right[contact];
    if (!resolvent->split)
        return *left;
    mat3 D;
    for (int i = 0; i < 3; i++)
        D.row[i] = mat3_apply_transposed(*left, right->row[i]);
    return D;
}

INLINE bool is_zero(const mat3 *D) {
    for (int i = 0; i < 3; i++)
        if (D->row[i].x != 0 || D->row[i].y != 0 || D->row[i].z != 0)
            return false;
    return true;
}

INLINE void add_contact(struct resolvent *resolvent, int32_t contact) {
    const struct contact_bodies *bodies = &resolvent->problem->bodies;
    const struct contact_row *row = &bodies->rows[contact];
    struct block_matrix *matrix = resolvent->matrix;
    mat3 own = slope_of(resolvent, contact);
    if (is_zero(&own))
        return;
    mat3 D = world_axes(row, &own);
    struct half_slope half_c = {0}, half_a = {0};
    take_velocity(&D, row->arm_c, &half_c);
    take_velocity(&D, row->arm_a, &half_a);
    if (row->c >= 0)
        add_slope(block_matrix_diagonal(matrix, row->c), 1, &half_c, row->arm_c);
    if (row->a >= 0)
        add_slope(block_matrix_diagonal(matrix, row->a), 1, &half_a, row->arm_a);
    if (bodies->pair[contact] < 0)
        return;
    size_t pair = (size_t)bodies->pair[contact];
    add_slope(block_matrix_forward(matrix, pair), -1, &half_a, row->arm_c);
    add_slope(block_matrix_backward(matrix, pair), -1, &half_c, row->arm_a);
}

WIDE static void add_contacts(struct resolvent *resolvent) {
    for (int32_t k = 0; k < resolvent->problem->contacts; k++)
        add_contact(resolvent, k);
}

static void add_mass(double *block, const struct node_mass *mass) {
    const sym3 *k = &mass->inertia;
    const double turning[3][3] = {
        {k->xx, k->xy, k->xz}, {k->xy, k->yy, k->yz}, {k->xz, k->yz, k->zz}};
    for (int i = 0; i < 3; i++) {
        block[SIX * i + i] += vec3_get(mass->m, i);
        for (int j = 0; j < 3; j++)
            block[SIX * (i + 3) + j + 3] += turning[i][j];
    }
}

static void lock_rows(double *block, unsigned locked, double diagonal) {
    for (int i = 0; i < 6 && locked; i++)
        for (int j = 0; j < 6 && locked >> i & 1; j++)
            block[SIX * i + j] = i == j ? diagonal : 0;
}

static bool factorise_bodies(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    const struct contact_bodies *bodies = &resolvent->problem->bodies;
    struct block_matrix *matrix = resolvent->matrix;
    size_t bytes = (size_t)resolvent->problem->contacts * sizeof *left;
    memcpy(resolvent->left, left, bytes);
    if (right)
        memcpy(resolvent->right, right, bytes);
    block_matrix_clear(matrix);
    add_contacts(resolvent);
    for (int32_t b = 0; b < bodies->count; b++) {
        double *block = block_matrix_diagonal(matrix, b);
        add_mass(block, &resolvent->mass[b]);
        lock_rows(block, resolvent->mass[b].locked, 1);
    }
    for (size_t k = 0; k < bodies->pair_count; k++) {
        lock_rows(block_matrix_forward(matrix, k), resolvent->mass[bodies->first[k]].locked, 0);
        lock_rows(block_matrix_backward(matrix, k), resolvent->mass[bodies->second[k]].locked, 0);
    }
    return block_matrix_factor(matrix, resolvent->problem->team);
}

static void times_mass(const struct node_mass *mass, const double *v, double *six) {
    put_six(six, vec3_times(mass->m, vec3_make(v[0], v[1], v[2])),
            sym3_apply(mass->inertia, vec3_make(v[3], v[4], v[5])));
}

static void solve_bodies(const struct resolvent *resolvent, const double *f, double share,
                         const double *v, double *x) {
    const struct contact_problem *problem = resolvent->problem;
    const struct contact_bodies *bodies = &problem->bodies;
    const double *impulses = f;
    for (int32_t k = 0; k < problem->contacts && resolvent->split; k++) {
        contact_set(resolvent->f, k, mat3_apply(resolvent->right[k], contact_get(f, k)));
        impulses = resolvent->f;
    }
    for (int32_t b = 0; b < bodies->count; b++) {
        vec3 push = {0}, turn = {0};
        for (size_t e = bodies->start[b]; e < bodies->start[b + 1]; e++)
            contact_gather(bodies, bodies->incident[e], impulses, &push, &turn);
        double *six = resolvent->v + 6 * b;
        put_six(six, push, turn);
        double more[6];
        if (share > 0)
            times_mass(&resolvent->mass[b], v + 6 * b, more);
        for (int axis = 0; axis < 6 && share > 0; axis++)
            six[axis] += share * more[axis];
        for (int axis = 0; axis < 6; axis++)
            if (resolvent->mass[b].locked >> axis & 1)
                six[axis] = 0;
    }
    block_matrix_solve(resolvent->matrix, resolvent->problem->team, resolvent->v);
    for (int32_t k = 0; k < problem->contacts; k++) {
        vec3 u = contact_row_velocity(&bodies->rows[k], resolvent->v);
        contact_set(x, k, vec3_sub(contact_get(f, k), mat3_apply(resolvent->left[k], u)));
    }
}

// Either --------------------------------------------------------------------------------------

static bool factorise(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    resolvent->split = right != NULL;
    return resolvent->problem->face == FACE_BODIES ? factorise_bodies(resolvent, left, right)
                                                   : factorise_matrix(resolvent, left, right);
}

bool resolvent_factorise(struct resolvent *resolvent, const mat3 *D) {
    return factorise(resolvent, D, NULL);
}

bool resolvent_factorise_split(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    return factorise(resolvent, left, right);
}

void resolvent_solve_with(const struct resolvent *resolvent, const double *f, double share,
                          const double *v, double *x) {
    if (resolvent->problem->face == FACE_BODIES) {
        solve_bodies(resolvent, f, share, v, x);
        return;
    }
    memcpy(x, f, contact_problem_size(resolvent->problem) * sizeof *x);
    block_matrix_solve(resolvent->matrix, resolvent->problem->team, x);
}

void resolvent_solve(const struct resolvent *resolvent, const double *f, double *x) {
    resolvent_solve_with(resolvent, f, 0, NULL, x);
}

double resolvent_energy(const struct resolvent *resolvent, const double *v) {
    double sum = 0, six[6];
    for (int32_t b = 0; b < resolvent->problem->bodies.count; b++) {
        times_mass(&resolvent->mass[b], v + 6 * b, six);
        for (int i = 0; i < 6; i++)
            sum += six[i] * v[6 * b + i];
    }
    return sum;
}
