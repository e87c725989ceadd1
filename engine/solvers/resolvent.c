#include "engine/solvers/resolvent.h"

#include <string.h>

#include "engine/solvers/block_matrix.h"
#include "parallel/memory.h"

struct resolvent {
    const struct friction_problem *problem;
    struct block_matrix *matrix;
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
};

// M of a body; a locked degree of freedom keeps its velocity.
struct node_mass {
    vec3 m;          // along each axis; 1 where locked
    sym3 inertia;    // R^-2 I; 1 on the diagonal where locked
    unsigned locked; // bits of the six
};

// Preparation ---------------------------------------------------------------------------------

static sym3 invert(sym3 a) {
    mat3 m = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    vec3 x, y, z;
    mat3_solve(m, vec3_make(1, 0, 0), &x);
    mat3_solve(m, vec3_make(0, 1, 0), &y);
    mat3_solve(m, vec3_make(0, 0, 1), &z);
    return (sym3){x.x, y.y, z.z, y.x, z.x, z.y};
}

static struct node_mass mass_of(struct solver_tensor inverse) {
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
    mass.inertia = invert(inverse.k);
    return mass;
}

static void prepare_bodies(struct resolvent *resolvent) {
    const struct friction_bodies *bodies = &resolvent->problem->bodies;
    size_t count = (size_t)bodies->count, contacts = (size_t)resolvent->problem->contacts;
    resolvent->matrix = block_matrix_create(6);
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
static size_t find_block(const struct friction_matrix *W, int32_t row, int32_t column) {
    size_t low = W->start[row], high = W->start[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (W->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < W->start[row + 1] && W->column[low] == column ? low : SIZE_MAX;
}

static void prepare_matrix(struct resolvent *resolvent) {
    const struct friction_problem *problem = resolvent->problem;
    const struct friction_matrix *W = &problem->matrix;
    size_t most = W->start[problem->contacts], pairs = 0;
    int32_t *first = memory_allocate(most, sizeof *first, "resolvent");
    int32_t *second = memory_allocate(most, sizeof *second, "resolvent");
    resolvent->forward = memory_allocate(most, sizeof(size_t), "resolvent");
    resolvent->backward = memory_allocate(most, sizeof(size_t), "resolvent");
    for (int32_t a = 0; a < problem->contacts; a++)
        for (size_t e = W->start[a]; e < W->start[a + 1]; e++) {
            int32_t b = W->column[e];
            size_t other = b == a ? e : find_block(W, b, a);
            if (b == a || (b < a && other != SIZE_MAX))
                continue;
            first[pairs] = a;
            second[pairs] = b;
            resolvent->forward[pairs] = e;
            resolvent->backward[pairs++] = other;
        }
    resolvent->pairs = pairs;
    resolvent->matrix = block_matrix_create(3);
    resolvent->cost = 27.0 * (double)block_matrix_pattern(resolvent->matrix, problem->contacts,
                                                          first, second, pairs);
    resolvent->row_of = first;
    memory_free(second);
}

struct resolvent *resolvent_create(const struct friction_problem *problem) {
    struct resolvent *resolvent = memory_allocate(1, sizeof *resolvent, "resolvent");
    resolvent->problem = problem;
    if (problem->face == FACE_BODIES)
        prepare_bodies(resolvent);
    else
        prepare_matrix(resolvent);
    return resolvent;
}

void resolvent_free(struct resolvent *resolvent) {
    if (!resolvent)
        return;
    block_matrix_free(resolvent->matrix);
    memory_free(resolvent->left);
    memory_free(resolvent->right);
    memory_free(resolvent->f);
    memory_free(resolvent->v);
    memory_free(resolvent->mass);
    memory_free(resolvent->forward);
    memory_free(resolvent->backward);
    memory_free(resolvent->row_of);
    memory_free(resolvent);
}

double resolvent_cost(const struct resolvent *resolvent) { return resolvent->cost; }

// Contacts ------------------------------------------------------------------------------------

// out = left W_ab right, W by columns of four, out by rows of four; no right: the identity.
static void put_product(const mat3 *left, const double *w, const mat3 *right, double *out) {
    for (int i = 0; i < 3; i++) {
        vec3 l = left->row[i];
        vec3 row =
            vec3_make(l.x * w[0] + l.y * w[1] + l.z * w[2], l.x * w[4] + l.y * w[5] + l.z * w[6],
                      l.x * w[8] + l.y * w[9] + l.z * w[10]);
        if (right)
            row = mat3_apply_transposed(*right, row);
        memcpy(out + 4 * i, &row, sizeof row);
    }
}

static bool factorise_matrix(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    const struct friction_problem *problem = resolvent->problem;
    const struct friction_matrix *W = &problem->matrix;
    struct block_matrix *matrix = resolvent->matrix;
    block_matrix_clear(matrix);
    for (int32_t a = 0; a < problem->contacts; a++) {
        double *block = block_matrix_diagonal(matrix, a);
        put_product(&left[a], W->value + W->diagonal[a] * FRICTION_BLOCK, right ? &right[a] : NULL,
                    block);
        for (int i = 0; i < 3; i++)
            block[4 * i + i] += 1;
    }
    for (size_t k = 0; k < resolvent->pairs; k++) {
        size_t e = resolvent->forward[k], f = resolvent->backward[k];
        int32_t b = W->column[e], a = resolvent->row_of[k];
        put_product(&left[a], W->value + e * FRICTION_BLOCK, right ? &right[b] : NULL,
                    block_matrix_forward(matrix, k));
        if (f != SIZE_MAX)
            put_product(&left[b], W->value + f * FRICTION_BLOCK, right ? &right[a] : NULL,
                        block_matrix_backward(matrix, k));
    }
    return block_matrix_factor(matrix);
}

// Bodies --------------------------------------------------------------------------------------

static void put_six(double *to, vec3 v, vec3 s) {
    const double six[6] = {v.x, v.y, v.z, s.x, s.y, s.z};
    memcpy(to, six, sizeof six);
}

// D in world axes.
static mat3 world_axes(const struct friction_row *row, const mat3 *D) {
    mat3 half, out;
    for (int i = 0; i < 3; i++)
        half.row[i] = friction_row_impulse(row, D->row[i]);
    for (int i = 0; i < 3; i++)
        out.row[i] =
            vec3_add_scaled(vec3_add_scaled(vec3_scale(vec3_get(row->axis[0], i), half.row[0]),
                                            vec3_get(row->axis[1], i), half.row[1]),
                            vec3_get(row->axis[2], i), half.row[2]);
    return out;
}

// block += sign [1; [left]x] D [1, [right]x^T]: impulses at `left` from velocities at `right`.
static void add_slope(double *restrict block, double sign, const mat3 *D, vec3 left, vec3 right) {
    double half[3][6];
    for (int i = 0; i < 3; i++)
        put_six(half[i], vec3_scale(sign, D->row[i]),
                vec3_scale(sign, vec3_cross(right, D->row[i])));
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 3; i++)
            block[6 * i + j] += half[i][j];
        block[6 * 3 + j] += left.y * half[2][j] - left.z * half[1][j];
        block[6 * 4 + j] += left.z * half[0][j] - left.x * half[2][j];
        block[6 * 5 + j] += left.x * half[1][j] - left.y * half[0][j];
    }
}

static mat3 slope_of(const struct resolvent *resolvent, int32_t contact) {
    const mat3 *left = &resolvent->left[contact], *right = &resolvent->right[contact];
    if (!resolvent->split)
        return *left;
    mat3 D;
    for (int i = 0; i < 3; i++)
        D.row[i] = mat3_apply_transposed(*left, right->row[i]);
    return D;
}

static bool is_zero(const mat3 *D) {
    for (int i = 0; i < 3; i++)
        if (D->row[i].x != 0 || D->row[i].y != 0 || D->row[i].z != 0)
            return false;
    return true;
}

static void add_contact(struct resolvent *resolvent, int32_t contact) {
    const struct friction_bodies *bodies = &resolvent->problem->bodies;
    const struct friction_row *row = &bodies->rows[contact];
    struct block_matrix *matrix = resolvent->matrix;
    mat3 own = slope_of(resolvent, contact);
    if (is_zero(&own))
        return;
    mat3 D = world_axes(row, &own);
    if (row->c >= 0)
        add_slope(block_matrix_diagonal(matrix, row->c), 1, &D, row->arm_c, row->arm_c);
    if (row->a >= 0)
        add_slope(block_matrix_diagonal(matrix, row->a), 1, &D, row->arm_a, row->arm_a);
    if (bodies->pair[contact] < 0)
        return;
    size_t pair = (size_t)bodies->pair[contact];
    add_slope(block_matrix_forward(matrix, pair), -1, &D, row->arm_c, row->arm_a);
    add_slope(block_matrix_backward(matrix, pair), -1, &D, row->arm_a, row->arm_c);
}

static void add_mass(double *block, const struct node_mass *mass) {
    const sym3 *k = &mass->inertia;
    const double turning[3][3] = {
        {k->xx, k->xy, k->xz}, {k->xy, k->yy, k->yz}, {k->xz, k->yz, k->zz}};
    for (int i = 0; i < 3; i++) {
        block[6 * i + i] += vec3_get(mass->m, i);
        for (int j = 0; j < 3; j++)
            block[6 * (i + 3) + j + 3] += turning[i][j];
    }
}

static void lock_rows(double *block, unsigned locked, double diagonal) {
    for (int i = 0; i < 6 && locked; i++)
        for (int j = 0; j < 6 && locked >> i & 1; j++)
            block[6 * i + j] = i == j ? diagonal : 0;
}

static bool factorise_bodies(struct resolvent *resolvent, const mat3 *left, const mat3 *right) {
    const struct friction_bodies *bodies = &resolvent->problem->bodies;
    struct block_matrix *matrix = resolvent->matrix;
    size_t bytes = (size_t)resolvent->problem->contacts * sizeof *left;
    memcpy(resolvent->left, left, bytes);
    if (right)
        memcpy(resolvent->right, right, bytes);
    block_matrix_clear(matrix);
    for (int32_t k = 0; k < resolvent->problem->contacts; k++)
        add_contact(resolvent, k);
    for (int32_t b = 0; b < bodies->count; b++) {
        double *block = block_matrix_diagonal(matrix, b);
        add_mass(block, &resolvent->mass[b]);
        lock_rows(block, resolvent->mass[b].locked, 1);
    }
    for (size_t k = 0; k < bodies->pair_count; k++) {
        lock_rows(block_matrix_forward(matrix, k), resolvent->mass[bodies->first[k]].locked, 0);
        lock_rows(block_matrix_backward(matrix, k), resolvent->mass[bodies->second[k]].locked, 0);
    }
    return block_matrix_factor(matrix);
}

static void solve_bodies(const struct resolvent *resolvent, const double *f, double *x) {
    const struct friction_problem *problem = resolvent->problem;
    const struct friction_bodies *bodies = &problem->bodies;
    const double *impulses = f;
    for (int32_t k = 0; k < problem->contacts && resolvent->split; k++) {
        friction_set(resolvent->f, k, mat3_apply(resolvent->right[k], friction_get(f, k)));
        impulses = resolvent->f;
    }
    for (int32_t b = 0; b < bodies->count; b++) {
        vec3 push = {0}, turn = {0};
        for (size_t e = bodies->start[b]; e < bodies->start[b + 1]; e++)
            friction_gather(bodies, bodies->incident[e], impulses, &push, &turn);
        double *six = resolvent->v + 6 * b;
        put_six(six, push, turn);
        for (int axis = 0; axis < 6; axis++)
            if (resolvent->mass[b].locked >> axis & 1)
                six[axis] = 0;
    }
    block_matrix_solve(resolvent->matrix, resolvent->v);
    for (int32_t k = 0; k < problem->contacts; k++) {
        vec3 u = friction_row_velocity(&bodies->rows[k], resolvent->v);
        friction_set(x, k, vec3_sub(friction_get(f, k), mat3_apply(resolvent->left[k], u)));
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

void resolvent_solve(const struct resolvent *resolvent, const double *f, double *x) {
    if (resolvent->problem->face == FACE_BODIES) {
        solve_bodies(resolvent, f, x);
        return;
    }
    memcpy(x, f, friction_problem_size(resolvent->problem) * sizeof *x);
    block_matrix_solve(resolvent->matrix, x);
}
