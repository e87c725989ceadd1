// A sweep is a map g(r) whose fixed points are the solutions. Anderson acceleration (1965; Walker
// and Ni 2011) takes the combination of the last sweeps whose change F = D (g(r) - r) would vanish
// if g were affine: with the differences dF, dG between consecutive sweeps as columns,
//
//   (dF^T dF + 1e-12 tr I) y = dF^T F,   r = g - dG y.
//
// It is affine while no contact changes between open, sticking and sliding and none slides round a
// bend. D = sqrt(tr W_aa/3) makes |F|^2 an energy. r may leave the cones: the sweep brings it back.
#include "engine/solvers/krylov/acceleration.h"

#include <string.h>

#include "parallel/memory.h"
#include "parallel/team.h"
#include "parallel/wide.h"

#define MEMORY         ACCELERATION_MEMORY
#define REGULARISATION 1e-12
#define SUMS           (2 * MEMORY + 1) // columns with the newest, columns with F, |F|^2
#define CHUNK          1024             // numbers; a multiple of the lanes

// When |F| is this much larger than the least so far, the sweeps kept mislead.
#define RESTART 2.0

static double *allocate(size_t count) {
    size_t capacity = 0;
    return memory_reserve_aligned(NULL, &capacity, count, sizeof(double), "anderson");
}

static double *allocate_zeros(size_t count) {
    double *vector = allocate(count);
    memset(vector, 0, count * sizeof *vector);
    return vector;
}

struct acceleration acceleration_open(const struct contact_problem *problem,
                                      const struct solver_settings *settings, const double *r) {
    size_t numbers = contact_problem_size(problem);
    struct acceleration a = {.size = (numbers + 3) / 4 * 4, .least2 = INFINITY};
    double **vectors[] = {&a.r, &a.before, &a.answer, &a.change, &a.scale};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = allocate_zeros(a.size);
    // Whoever adds a column writes all of it, and nobody reads one before.
    a.changes = allocate(MEMORY * a.size);
    a.answers = allocate(MEMORY * a.size);
    a.partial = allocate((a.size / CHUNK + 1) * SUMS);
    memcpy(a.r, r, numbers * sizeof *r);
    memcpy(a.before, r, numbers * sizeof *r);
    for (int32_t k = 0; k < problem->contacts; k++) {
        const mat3 *W = &problem->diagonal[k];
        double scale = sqrt((W->row[0].x + W->row[1].y + W->row[2].z) / 3);
        contact_set(a.scale, k, vec3_make(scale, scale, scale));
    }
    struct solver_settings exact = *settings; // the others would only be slower
    exact.local = GABION_LOCAL_EXACT;
    a.sweeps = row_sweep_open(problem, &exact, a.r);
    return a;
}

int64_t acceleration_close(struct acceleration *a) {
    int64_t fallbacks = row_sweep_close(&a->sweeps);
    double *vectors[] = {a->r,     a->before,  a->answer,  a->change,
                         a->scale, a->changes, a->answers, a->partial};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        memory_free(vectors[k]);
    return fallbacks;
}

static void restart(struct acceleration *a) {
    a->columns = a->place = 0;
    a->least2 = INFINITY;
}

void acceleration_forget(struct acceleration *a) {
    restart(a);
    a->begun = false;
}

// Passes over the vectors, chunk by chunk ------------------------------------------------------

static void for_chunks(struct acceleration *a, range_function f) {
    struct team *team = a->sweeps.state.problem->team;
    if (team) {
        team_for(team, a->size, CHUNK, f, a);
        return;
    }
    for (size_t begin = 0; begin < a->size; begin += CHUNK)
        f(a, begin, begin + CHUNK < a->size ? begin + CHUNK : a->size);
}

static lanes4 *lanes(double *vector) { return (lanes4 *)vector; }

static double *newest(double *columns, const struct acceleration *a) {
    return columns + (size_t)a->place * a->size;
}

static double total(const lanes4 *sum) { return ((*sum)[0] + (*sum)[1]) + ((*sum)[2] + (*sum)[3]); }

// F, and the differences with the sweep before as the newest column.
WIDE static void differ(struct acceleration *a, size_t begin, size_t end, double *change2) {
    const lanes4 *r = lanes(a->r), *before = lanes(a->before), *scale = lanes(a->scale);
    lanes4 *answer = lanes(a->answer), *change = lanes(a->change), sum = {0};
    lanes4 *dF = lanes(newest(a->changes, a)), *dG = lanes(newest(a->answers, a));
    for (size_t i = begin / 4; i < end / 4; i++) {
        lanes4 F = scale[i] * (r[i] - before[i]);
        dF[i] = F - change[i];
        dG[i] = r[i] - answer[i];
        change[i] = F;
        answer[i] = r[i];
        sum += F * F;
    }
    *change2 = total(&sum);
}

// Columns j and k with the newest and with F. Two at a time: one would wait for its own sums.
WIDE static void multiply(struct acceleration *a, int j, int k, size_t begin, size_t end,
                          double *sums) {
    const lanes4 *F = lanes(a->change), *dF = lanes(newest(a->changes, a));
    const lanes4 *one = lanes(a->changes + (size_t)j * a->size);
    const lanes4 *two = lanes(a->changes + (size_t)k * a->size);
    lanes4 gram[2] = {{0}}, right[2] = {{0}};
    for (size_t i = begin / 4; i < end / 4; i++) {
        gram[0] += one[i] * dF[i];
        right[0] += one[i] * F[i];
        gram[1] += two[i] * dF[i];
        right[1] += two[i] * F[i];
    }
    sums[j] = total(&gram[0]);
    sums[k] = total(&gram[1]);
    sums[MEMORY + j] = total(&right[0]);
    sums[MEMORY + k] = total(&right[1]);
}

static void compare_range(void *context, size_t begin, size_t end) {
    struct acceleration *a = context;
    double *sums = a->partial + begin / CHUNK * SUMS;
    differ(a, begin, end, &sums[2 * MEMORY]);
    for (int j = 0; j < a->columns; j += 2)
        multiply(a, j, j + 1 < a->columns ? j + 1 : j, begin, end, sums);
}

WIDE static void extrapolate(struct acceleration *a, size_t begin, size_t end) {
    const lanes4 *answer = lanes(a->answer), *columns = lanes(a->answers);
    lanes4 *r = lanes(a->r), *before = lanes(a->before);
    size_t stride = a->size / 4;
    for (size_t i = begin / 4; i < end / 4; i++) {
        lanes4 sum = answer[i];
        for (int j = 0; j < a->columns; j++)
            sum -= columns[(size_t)j * stride + i] * a->share[j];
        r[i] = before[i] = sum;
    }
}

static void extrapolate_range(void *context, size_t begin, size_t end) {
    extrapolate(context, begin, end);
}

// The small system ----------------------------------------------------------------------------

// The newest column's row and column of dF^T dF; dF^T F.
static void update(struct acceleration *a) {
    double sums[SUMS] = {0};
    for (size_t chunk = 0; chunk * CHUNK < a->size; chunk++)
        for (int k = 0; k < SUMS; k++)
            sums[k] += a->partial[chunk * SUMS + (size_t)k];
    for (int j = 0; j < a->columns; j++) {
        a->gram[j][a->place] = a->gram[a->place][j] = sums[j];
        a->right[j] = sums[MEMORY + j];
    }
    a->change2 = sums[2 * MEMORY];
}

// L D L^T, in place of the square roots of Cholesky. False: the columns depend on each other.
static bool combine(struct acceleration *a) {
    double L[MEMORY][MEMORY], inverse[MEMORY], trace = 0;
    for (int i = 0; i < a->columns; i++)
        trace += a->gram[i][i];
    for (int i = 0; i < a->columns; i++) {
        double y = a->right[i];
        for (int j = 0; j <= i; j++) {
            L[i][j] = a->gram[i][j] + (i == j ? REGULARISATION * trace : 0);
            for (int k = 0; k < j; k++)
                L[i][j] -= L[i][k] * inverse[k] * L[j][k];
        }
        if (!(L[i][i] > 0))
            return false;
        inverse[i] = 1 / L[i][i];
        for (int k = 0; k < i; k++)
            y -= L[i][k] * inverse[k] * a->share[k];
        a->share[i] = y;
    }
    for (int i = a->columns - 1; i >= 0; i--) {
        double y = a->share[i];
        for (int k = i + 1; k < a->columns; k++)
            y -= L[k][i] * a->share[k];
        a->share[i] = y * inverse[i];
    }
    return true;
}

double acceleration_sweep(struct acceleration *a) {
    row_sweep_refresh(&a->sweeps);
    row_sweep_once(&a->sweeps);
    if (a->begun) {
        a->place = a->columns == 0 ? 0 : (a->place + 1) % MEMORY;
        a->columns += a->columns < MEMORY;
    }
    for_chunks(a, compare_range);
    update(a);
    bool misleads = !(a->change2 <= RESTART * RESTART * a->least2);
    a->least2 = fmin(a->least2, a->change2);
    if (misleads || !combine(a))
        restart(a);
    a->begun = true;
    for_chunks(a, extrapolate_range);
    return sqrt(a->change2);
}
