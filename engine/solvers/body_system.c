#include "engine/solvers/body_system.h"

#include <string.h>

#include "engine/solvers/block_matrix.h"
#include "parallel/memory.h"

#define FIXED      (-1)
#define FIXED_PAIR SIZE_MAX

// A contact of spheres or of blocks.
struct contact_row {
    int32_t c, a;  // nodes; FIXED: prescribed
    size_t pair;   // of nodes; FIXED_PAIR: none
    uint32_t slot; // where its impulse is kept
    vec3 axis[3];  // n, s, t
    vec3 arm_c, arm_a;
    vec3 b;           // bias, with the velocity of a prescribed body
    double mu, norm;  // norm of W
    double stiffness; // 1 / alpha
    vec3 reference, r, kept;
    vec3 w;       // reference - u / alpha
    double limit; // of friction, frozen
};

struct node_mass {
    vec3 m;          // along each axis; 1 where locked
    sym3 inertia;    // R^-2 I; 1 on the diagonal where locked
    sym3 k;          // its inverse
    unsigned locked; // bits of the six
};

struct body_system {
    int32_t nodes;
    int32_t *node_of; // by body
    struct node_mass *mass;
    double *v_free;
    struct contact_row *rows;
    int32_t *first, *second; // pairs of nodes
    size_t row_count, pair_count;
    size_t node_capacity, mass_capacity, v_free_capacity, row_capacity, first_capacity,
        second_capacity;
    struct block_matrix *matrix;
};

struct body_system *body_system_create(void) {
    struct body_system *system = memory_allocate(1, sizeof *system, "body system");
    system->matrix = block_matrix_create();
    return system;
}

void body_system_free(struct body_system *system) {
    if (!system)
        return;
    void *arrays[] = {system->node_of, system->mass,  system->v_free,
                      system->rows,    system->first, system->second};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    block_matrix_free(system->matrix);
    memory_free(system);
}

size_t body_system_size(const struct body_system *system) {
    return (size_t)system->nodes * BLOCK_SIDE;
}

static vec3 linear(const double *six) { return vec3_make(six[0], six[1], six[2]); }
static vec3 angular(const double *six) { return vec3_make(six[3], six[4], six[5]); }

static void put_six(double *to, vec3 v, vec3 s) {
    const double six[BLOCK_SIDE] = {v.x, v.y, v.z, s.x, s.y, s.z};
    memcpy(to, six, sizeof six);
}

// Preparation ---------------------------------------------------------------------------------

static struct solver_tensor tensor_of(const struct problem *problem, int32_t body) {
    const struct solver_body *round = &problem->bodies[body];
    struct solver_tensor tensor = {{round->inv_m, round->inv_m, round->inv_m},
                                   {round->k, round->k, round->k, 0, 0, 0}};
    if (problem->tensor_needed)
        tensor = problem->tensors[body];
    return solver_tensor_scale(1 / solver_copies(problem, body), tensor);
}

static sym3 sym3_invert(sym3 a) {
    mat3 m = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    vec3 x, y, z;
    mat3_solve(m, vec3_make(1, 0, 0), &x);
    mat3_solve(m, vec3_make(0, 1, 0), &y);
    mat3_solve(m, vec3_make(0, 0, 1), &z);
    return (sym3){x.x, y.y, z.z, y.x, z.x, z.y};
}

static struct node_mass mass_of(const struct problem *problem, int32_t body) {
    struct solver_tensor tensor = tensor_of(problem, body);
    double *diagonal[3] = {&tensor.k.xx, &tensor.k.yy, &tensor.k.zz};
    struct node_mass mass = {0};
    for (int axis = 0; axis < 3; axis++) {
        double inv_m = vec3_get(tensor.inv_m, axis);
        vec3_set(&mass.m, axis, inv_m > 0 ? 1 / inv_m : 1);
        mass.locked |= (inv_m > 0 ? 0u : 1u) << axis;
        mass.locked |= (*diagonal[axis] > 0 ? 0u : 1u) << (axis + 3);
        if (!(*diagonal[axis] > 0))
            *diagonal[axis] = 1;
    }
    mass.k = tensor.k;
    mass.inertia = sym3_invert(tensor.k);
    return mass;
}

struct row_source {
    struct body_system *system;
    const struct gabion_world *world;
    const int32_t *whole; // the body that each copy is a part of
};

static int32_t node_of(const struct row_source *source, int32_t solver_body) {
    struct body_system *system = source->system;
    int32_t body = source->whole[solver_body];
    if (body >= source->world->bodies.moving)
        return FIXED;
    if (system->node_of[body] == FIXED) {
        int32_t node = system->nodes++;
        system->node_of[body] = node;
        system->mass = memory_reserve(system->mass, &system->mass_capacity, (size_t)node + 1,
                                      sizeof *system->mass, "body system");
        system->mass[node] = mass_of(source->world->problem, body);
    }
    return system->node_of[body];
}

static vec3 in_frame(const struct contact_row *row, vec3 v) {
    return vec3_make(vec3_dot(row->axis[0], v), vec3_dot(row->axis[1], v),
                     vec3_dot(row->axis[2], v));
}

static size_t add_pair(struct body_system *system, int32_t c, int32_t a) {
    size_t k = system->pair_count++;
    system->first = memory_reserve(system->first, &system->first_capacity, k + 1, sizeof(int32_t),
                                   "body system");
    system->second = memory_reserve(system->second, &system->second_capacity, k + 1,
                                    sizeof(int32_t), "body system");
    system->first[k] = c;
    system->second[k] = a;
    return k;
}

// The velocity of a prescribed body is a bias like any other.
static void add_row(const struct row_source *source, struct contact_row row, int32_t c, int32_t a,
                    bool new_pair) {
    struct body_system *system = source->system;
    const struct problem *problem = source->world->problem;
    row.c = node_of(source, c);
    row.a = node_of(source, a);
    row.pair = FIXED_PAIR;
    if (row.a == FIXED) {
        int32_t body = source->whole[a];
        vec3 v = vec3_add(problem->v_free[body], vec3_cross(problem->s_free[body], row.arm_a));
        row.b = vec3_sub(row.b, in_frame(&row, v));
    } else {
        row.pair = new_pair ? add_pair(system, row.c, row.a) : system->pair_count - 1;
    }
    system->rows = memory_reserve(system->rows, &system->row_capacity, system->row_count + 1,
                                  sizeof row, "body system");
    system->rows[system->row_count++] = row;
}

static void add_block(const struct row_source *source, const struct block *block, double mu) {
    const struct problem *problem = source->world->problem;
    for (uint32_t k = 0; k < block->count; k++) {
        const struct block_point *point = &problem->points[block->begin + k];
        struct contact_row row = {
            .slot = SLOT_POINT | (block->begin + k),
            .axis = {block->n, block->s, block->t},
            .arm_c = point->arm_c,
            .arm_a = point->arm_a,
            .b = point->b,
            .mu = mu,
            .norm = point->rho > 0 ? 1 / point->rho : 1,
        };
        add_row(source, row, block->c, block->a, k == 0);
    }
}

static void add_lane(const struct row_source *source, uint32_t group_index, uint32_t lane,
                     double mu) {
    const struct problem *problem = source->world->problem;
    const struct sphere_group *group = &problem->groups[group_index];
    int32_t c = group->c[lane], a = group->a[lane];
    const struct solver_body *bodies = problem->bodies;
    struct contact_row row = {
        .slot = group_index * LANES + lane,
        .axis = {lane_get(&group->n, lane)},
        .b = {group->b[lane], 0, 0},
        .mu = mu,
        .norm = (bodies[c].inv_m + bodies[c].k) / solver_copies(problem, c) +
                (bodies[a].inv_m + bodies[a].k) / solver_copies(problem, a),
    };
    vec3_tangents(row.axis[0], &row.axis[1], &row.axis[2]);
    row.arm_c = vec3_negate(row.axis[0]);
    row.arm_a = row.axis[0];
    add_row(source, row, c, a, true);
}

static void list_rows(const struct row_source *source) {
    const struct problem *problem = source->world->problem;
    for (size_t k = 0; k < problem->batch_count; k++) {
        const struct batch *batch = &problem->batches[k];
        for (uint32_t i = batch->begin; i < batch->end; i++) {
            uint32_t used = i + 1 == batch->end ? batch->lanes : LANES;
            if (batch->kind == BATCH_BLOCK)
                add_block(source, &problem->blocks[i], batch->mu);
            for (uint32_t lane = 0; batch->kind != BATCH_BLOCK && lane < used; lane++)
                add_lane(source, i, lane, batch->mu);
        }
    }
}

static int32_t *whole_bodies(const struct problem *problem) {
    int32_t *whole =
        memory_allocate((size_t)problem->solver_body_count, sizeof *whole, "body system");
    for (int32_t i = 0; i < problem->solver_body_count; i++)
        whole[i] = i;
    for (size_t k = 0; k < problem->split_count; k++)
        for (int32_t j = 0; j < problem->splits[k].copies - 1; j++)
            whole[problem->splits[k].first_copy + j] = problem->splits[k].body;
    return whole;
}

void body_system_prepare(struct body_system *system, const struct gabion_world *world) {
    const struct problem *problem = world->problem;
    size_t moving = (size_t)world->bodies.moving;
    int32_t *whole = whole_bodies(problem);
    system->node_of = memory_reserve(system->node_of, &system->node_capacity, moving,
                                     sizeof(int32_t), "body system");
    for (size_t i = 0; i < moving; i++)
        system->node_of[i] = FIXED;
    system->nodes = 0;
    system->row_count = system->pair_count = 0;
    list_rows(&(struct row_source){system, world, whole});
    memory_free(whole);
    system->v_free = memory_reserve(system->v_free, &system->v_free_capacity,
                                    body_system_size(system), sizeof(double), "body system");
    for (size_t i = 0; i < moving; i++)
        if (system->node_of[i] != FIXED)
            put_six(system->v_free + BLOCK_SIDE * system->node_of[i], problem->v_free[i],
                    problem->s_free[i]);
    block_matrix_pattern(system->matrix, system->nodes, system->first, system->second,
                         system->pair_count);
}

void body_system_start(const struct body_system *system, const struct gabion_world *world,
                       double *v) {
    const struct bodies *bodies = &world->bodies;
    for (int32_t i = 0; i < bodies->moving; i++)
        if (system->node_of[i] != FIXED)
            put_six(v + BLOCK_SIDE * system->node_of[i], bodies->v[i],
                    vec3_scale(bodies->radius[i], bodies->w[i]));
}

// Impulses ------------------------------------------------------------------------------------

static vec3 row_impulse(const struct contact_row *row, vec3 r) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(r.x, row->axis[0]), r.y, row->axis[1]), r.z,
                           row->axis[2]);
}

static vec3 get_impulse(const struct contact_row *row, const struct problem *problem) {
    if (row->slot & SLOT_POINT)
        return problem->points[row->slot & ~SLOT_POINT].r;
    return in_frame(row, lane_get(&problem->groups[row->slot / LANES].p, row->slot % LANES));
}

static void set_impulse(const struct contact_row *row, vec3 r, struct problem *problem) {
    if (row->slot & SLOT_POINT)
        problem->points[row->slot & ~SLOT_POINT].r = r;
    else
        lane_set(&problem->groups[row->slot / LANES].p, row->slot % LANES, row_impulse(row, r));
}

void body_system_refer(struct body_system *system, const struct problem *problem,
                       double compliance) {
    for (size_t k = 0; k < system->row_count; k++) {
        struct contact_row *row = &system->rows[k];
        row->stiffness = 1 / (compliance * row->norm);
        row->reference = get_impulse(row, problem);
    }
}

void body_system_store(const struct body_system *system, struct problem *problem) {
    for (size_t k = 0; k < system->row_count; k++)
        set_impulse(&system->rows[k], system->rows[k].r, problem);
}

void body_system_keep(struct body_system *system, const struct problem *problem) {
    for (size_t k = 0; k < system->row_count; k++)
        system->rows[k].kept = get_impulse(&system->rows[k], problem);
}

void body_system_restore(const struct body_system *system, struct problem *problem) {
    for (size_t k = 0; k < system->row_count; k++)
        set_impulse(&system->rows[k], system->rows[k].kept, problem);
}

// The equation --------------------------------------------------------------------------------

static vec3 velocity_at(const double *v, int32_t node, vec3 arm) {
    if (node == FIXED)
        return vec3_zero();
    const double *six = v + BLOCK_SIDE * node;
    return vec3_add(linear(six), vec3_cross(angular(six), arm));
}

// Frozen friction does not end where the contact opens: r would jump there.
static double friction_limit(const struct contact_row *row, enum friction friction) {
    return friction == FRICTION_FROZEN ? row->limit : row->mu * fmax(row->w.x, 0);
}

void body_system_freeze(struct body_system *system) {
    for (size_t k = 0; k < system->row_count; k++)
        system->rows[k].limit = friction_limit(&system->rows[k], FRICTION_COUPLED);
}

static void update_row(struct contact_row *row, const double *v, enum friction friction) {
    vec3 u = vec3_sub(velocity_at(v, row->c, row->arm_c), velocity_at(v, row->a, row->arm_a));
    vec3 w = vec3_add_scaled(row->reference, -row->stiffness, vec3_add(in_frame(row, u), row->b));
    double length = sqrt(w.y * w.y + w.z * w.z);
    row->w = w;
    double limit = friction_limit(row, friction), shrink = length > limit ? limit / length : 1;
    row->r = vec3_make(fmax(w.x, 0), shrink * w.y, shrink * w.z);
}

static void add_impulse(double *sum, int32_t node, vec3 arm, vec3 p) {
    if (node == FIXED)
        return;
    double *six = sum + BLOCK_SIDE * node;
    put_six(six, vec3_add(linear(six), p), vec3_add(angular(six), vec3_cross(arm, p)));
}

// M^-1 of a sum of impulses, zero along what is locked.
static void apply_inverse_mass(const struct node_mass *mass, double *six) {
    for (int axis = 0; axis < BLOCK_SIDE; axis++)
        if (mass->locked >> axis & 1)
            six[axis] = 0;
    vec3 v = linear(six);
    put_six(six, vec3_make(v.x / mass->m.x, v.y / mass->m.y, v.z / mass->m.z),
            sym3_apply(mass->k, angular(six)));
}

double body_system_product(const struct body_system *system, const double *x, const double *y) {
    double sum = 0;
    for (int32_t i = 0; i < system->nodes; i++, x += BLOCK_SIDE, y += BLOCK_SIDE) {
        const struct node_mass *mass = &system->mass[i];
        sum += vec3_dot(vec3_times(mass->m, linear(x)), linear(y)) +
               vec3_dot(sym3_apply(mass->inertia, angular(x)), angular(y));
    }
    return sum;
}

double body_system_evaluate(struct body_system *system, const double *v, enum friction friction,
                            double *out, double *scale2) {
    size_t size = body_system_size(system);
    memset(out, 0, size * sizeof *out);
    for (size_t k = 0; k < system->row_count; k++) {
        struct contact_row *row = &system->rows[k];
        update_row(row, v, friction);
        vec3 p = row_impulse(row, row->r);
        add_impulse(out, row->c, row->arm_c, p);
        add_impulse(out, row->a, row->arm_a, vec3_negate(p));
    }
    for (int32_t i = 0; i < system->nodes; i++)
        apply_inverse_mass(&system->mass[i], out + BLOCK_SIDE * i);
    *scale2 = body_system_product(system, out, out);
    for (size_t i = 0; i < size; i++)
        out[i] = v[i] - system->v_free[i] - out[i];
    return body_system_product(system, out, out);
}

// The Newton matrix ---------------------------------------------------------------------------

// -dr/du on the piece of P that the contact is on, in world axes. False: none.
static bool row_slope(const struct contact_row *row, enum friction friction, mat3 *D) {
    double f = row->stiffness, length = sqrt(row->w.y * row->w.y + row->w.z * row->w.z);
    double limit = friction_limit(row, friction), pressed = row->w.x > 0 ? f : 0;
    if (!(pressed > 0) && !(limit > 0))
        return false;
    // D = pressed (n + coupling) n^T + across (s' s'^T) + along (t' t'^T), s' across the slip, t'
    // along.
    double t[2] = {1, 0}, along = f, across = f, coupling = 0;
    if (length > limit) {
        t[0] = row->w.y / length;
        t[1] = row->w.z / length;
        across = f * limit / length;
        along = 0;
        coupling = friction == FRICTION_FROZEN ? 0 : row->mu;
    }
    vec3 n = row->axis[0];
    vec3 slip = vec3_add_scaled(vec3_scale(t[0], row->axis[1]), t[1], row->axis[2]);
    vec3 other = vec3_cross(n, slip), push = vec3_add_scaled(n, coupling, slip);
    for (int i = 0; i < 3; i++)
        D->row[i] = vec3_add_scaled(vec3_add_scaled(vec3_scale(pressed * vec3_get(push, i), n),
                                                    across * vec3_get(other, i), other),
                                    along * vec3_get(slip, i), slip);
    return true;
}

// block += sign [1; [left]x] D [1, [right]x^T]: impulses at `left` from velocities at `right`.
static void add_slope(double *restrict block, double sign, const mat3 *D, vec3 left, vec3 right) {
    double half[3][BLOCK_SIDE];
    for (int i = 0; i < 3; i++)
        put_six(half[i], vec3_scale(sign, D->row[i]),
                vec3_scale(sign, vec3_cross(right, D->row[i])));
    for (int j = 0; j < BLOCK_SIDE; j++) {
        for (int i = 0; i < 3; i++)
            block[BLOCK_SIDE * i + j] += half[i][j];
        block[BLOCK_SIDE * 3 + j] += left.y * half[2][j] - left.z * half[1][j];
        block[BLOCK_SIDE * 4 + j] += left.z * half[0][j] - left.x * half[2][j];
        block[BLOCK_SIDE * 5 + j] += left.x * half[1][j] - left.y * half[0][j];
    }
}

static void add_row_slope(struct block_matrix *matrix, const struct contact_row *row,
                          enum friction friction) {
    mat3 D;
    if (!row_slope(row, friction, &D))
        return;
    add_slope(block_matrix_diagonal(matrix, row->c), 1, &D, row->arm_c, row->arm_c);
    if (row->a == FIXED)
        return;
    add_slope(block_matrix_diagonal(matrix, row->a), 1, &D, row->arm_a, row->arm_a);
    add_slope(block_matrix_forward(matrix, row->pair), -1, &D, row->arm_c, row->arm_a);
    add_slope(block_matrix_backward(matrix, row->pair), -1, &D, row->arm_a, row->arm_c);
}

static void add_mass(double *block, const struct node_mass *mass) {
    const sym3 *k = &mass->inertia;
    const double turning[3][3] = {
        {k->xx, k->xy, k->xz}, {k->xy, k->yy, k->yz}, {k->xz, k->yz, k->zz}};
    for (int i = 0; i < 3; i++) {
        block[BLOCK_SIDE * i + i] += vec3_get(mass->m, i);
        for (int j = 0; j < 3; j++)
            block[BLOCK_SIDE * (i + 3) + j + 3] += turning[i][j];
    }
}

// A locked degree of freedom keeps its velocity: its row is that of the unit matrix.
static void lock_rows(double *block, unsigned locked, double diagonal) {
    for (int i = 0; i < BLOCK_SIDE && locked; i++)
        for (int j = 0; j < BLOCK_SIDE && locked >> i & 1; j++)
            block[BLOCK_SIDE * i + j] = i == j ? diagonal : 0;
}

bool body_system_factorise(struct body_system *system, enum friction friction) {
    struct block_matrix *matrix = system->matrix;
    block_matrix_clear(matrix);
    for (size_t k = 0; k < system->row_count; k++)
        add_row_slope(matrix, &system->rows[k], friction);
    for (int32_t i = 0; i < system->nodes; i++) {
        double *block = block_matrix_diagonal(matrix, i);
        add_mass(block, &system->mass[i]);
        lock_rows(block, system->mass[i].locked, 1);
    }
    for (size_t k = 0; k < system->pair_count; k++) {
        lock_rows(block_matrix_forward(matrix, k), system->mass[system->first[k]].locked, 0);
        lock_rows(block_matrix_backward(matrix, k), system->mass[system->second[k]].locked, 0);
    }
    return block_matrix_factor(matrix);
}

void body_system_solve(const struct body_system *system, double *x) {
    for (int32_t i = 0; i < system->nodes; i++) {
        const struct node_mass *mass = &system->mass[i];
        double *six = x + BLOCK_SIDE * i;
        put_six(six, vec3_times(mass->m, linear(six)), sym3_apply(mass->inertia, angular(six)));
        for (int axis = 0; axis < BLOCK_SIDE; axis++)
            if (mass->locked >> axis & 1)
                six[axis] = 0;
    }
    block_matrix_solve(system->matrix, x);
}
