// Dry arches against limit analysis (validation, section 10):
//   arches [PREFIX]   runs the rows whose name begins with PREFIX, all without one
//   arches --list     prints the references, which arch_limit.py computes anew
// One row is one world. Prints a line per row and ends with "N passed, M failed".
//
// Radius 1 m, full three dimensions, newton method. Arches within 2 % of the border are mechanisms
// with hardly any stability to spare, so the solver's error must not decide: tolerance 1e-8 leaves
// velocities near 1e-9 m/s, and what stands may move by a millionth of the radius in ten seconds.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/generators.h"
#include "engine/api/define.h"
#include "engine/world/world.h"
#include "parallel/memory.h"

#define PI      3.14159265358979323846
#define DEGREE  (PI / 180)
#define DENSITY 2400.0
#define ROUGH   0.8 // friction that no row without sliding uses up
#define STEP    1e-3
#define JUDGED  10.0 // s
#define FIRM    1e-6 // m and m/s: what stands moves less
#define FALLEN  0.25 // m: what falls moves more
#define UNSTUCK 1e-5 // m or rad: a mechanism has begun to move
#define CAP     2000 // factorisations or sweeps of a step

// References ----------------------------------------------------------------------------------

struct thickness_row {
    int voussoirs;
    double friction, ratio; // t/R; 0: none
};

static const struct thickness_row thickness_rows[] = {
    {8, INFINITY, 0.1000},  {9, INFINITY, 0.1016},  {12, INFINITY, 0.1049}, {13, INFINITY, 0.1025},
    {16, INFINITY, 0.1071}, {17, INFINITY, 0.1055}, {20, INFINITY, 0.1074}, {21, INFINITY, 0.1067},
    {27, INFINITY, 0.1068}, {28, INFINITY, 0.1067}, {40, INFINITY, 0.1074}, {60, INFINITY, 0.1075},
    {27, 0.38, 0.121},      {27, 0.35, 0.151},      {27, 0.32, 0.184},      {27, 0.31, 0.196},
    {27, 0.30, 0},
};

struct tilt_row {
    int voussoirs;
    double embrace, ratio, tilt; // degrees
};

static const struct tilt_row tilt_rows[] = {
    {7, 157.5, 0.15, 20.5}, {16, 180, 0.12, 2.91},  {16, 180, 0.15, 8.53},  {16, 180, 0.20, 16.04},
    {20, 180, 0.12, 2.78},  {20, 180, 0.15, 8.49},  {20, 180, 0.20, 15.94}, {27, 180, 0.12, 2.77},
    {27, 180, 0.15, 8.27},  {27, 180, 0.20, 15.87},
};

struct spread_row {
    int voussoirs;
    double ratio, hinge, thrust, spread, drop; // hinge in degrees; H/W_half; in radii
};

static const struct spread_row spread_rows[] = {
    {16, 0.15, 56.25, 0.353, 0.118, 0.091}, {16, 0.20, 56.25, 0.308, 0.235, 0.188},
    {20, 0.15, 54, 0.351, 0.108, 0.086},    {28, 0.15, 57.86, 0.352, 0.126, 0.096},
    {28, 0.20, 57.86, 0.308, 0.249, 0.196}, {40, 0.15, 58.5, 0.352, 0.130, 0.098},
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void list_references(void) {
    for (size_t k = 0; k < COUNT(thickness_rows); k++) {
        const struct thickness_row *row = &thickness_rows[k];
        printf("thickness %d %g %g\n", row->voussoirs, row->friction, row->ratio);
    }
    for (size_t k = 0; k < COUNT(tilt_rows); k++) {
        const struct tilt_row *row = &tilt_rows[k];
        printf("tilt %d %g %g %g\n", row->voussoirs, row->embrace, row->ratio, row->tilt);
    }
    for (size_t k = 0; k < COUNT(spread_rows); k++) {
        const struct spread_row *row = &spread_rows[k];
        printf("spread %d %g %g %g %g %g\n", row->voussoirs, row->ratio, row->hinge, row->thrust,
               row->spread, row->drop);
    }
}

// Rows ----------------------------------------------------------------------------------------

static const char *prefix = "";
static int passed, failed;

static bool wanted(const char *name) { return strncmp(name, prefix, strlen(prefix)) == 0; }

__attribute__((format(printf, 4, 5))) static void
report(bool good, const char *name, const char *reference, const char *measured, ...) {
    va_list arguments;
    *(good ? &passed : &failed) += 1;
    printf("%s  %-32s reference %-8s measured ", good ? "PASS" : "FAIL", name, reference);
    va_start(arguments, measured);
    vprintf(measured, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

static void stop(const struct gabion_error *error) {
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

// Arch ----------------------------------------------------------------------------------------

struct arch {
    struct team *team;
    struct gabion_world *world;
    int voussoirs; // bodies 0 ... voussoirs - 1, then the abutments
    double ratio, embrace;
    vec3 *x; // as built
    quat *q;
    double largest_residual;
};

static void block_state(const struct gabion_world *world, int32_t id, vec3 *x, quat *q) {
    struct gabion_body_state state;
    struct gabion_error error = {0};
    if (!gabion_get_body(world, id, &state, &error))
        stop(&error);
    if (x)
        *x = state.position;
    if (q)
        *q = state.orientation;
}

static vec3 probe_value(const struct gabion_world *world, int probe) {
    struct gabion_error error = {0};
    vec3 value;
    if (!gabion_probe_value(world, probe, &value, &error))
        stop(&error);
    return value;
}

static struct arch arch_open(int voussoirs, double ratio, double embrace, double friction,
                             enum gabion_method method) {
    struct gabion_error error = {0};
    struct gabion_settings settings = gabion_default_settings();
    struct gabion_law law = {.friction = fmin(friction, ROUGH)};
    struct arch arch = {.voussoirs = voussoirs, .ratio = ratio, .embrace = embrace};
    settings.step = STEP;
    settings.method = method;
    settings.tolerance = 1e-8;
    settings.max_sweeps = CAP;
    settings.on_cap = GABION_CAP_ACCEPT;
    if (!(arch.team = team_create(1, NULL, &error)) ||
        !(arch.world = world_create(&settings, arch.team, &error)))
        stop(&error);
    struct arch_definition definition = {
        .template = gabion_default_body(),
        .name = "arch",
        .radius = 1,
        .thickness = ratio,
        .depth = 0.3,
        .angle = embrace,
        .voussoirs = voussoirs,
    };
    definition.template.material = gabion_add_material(arch.world, "stone", DENSITY, NULL);
    definition.template.density = DENSITY;
    if (!gabion_set_default_law(arch.world, &law, &error) ||
        !generate_arch(arch.world, &definition, &error))
        stop(&error);
    arch.x = memory_allocate((size_t)voussoirs + 2, sizeof *arch.x, "arch");
    arch.q = memory_allocate((size_t)voussoirs + 2, sizeof *arch.q, "arch");
    for (int k = 0; k < voussoirs + 2; k++)
        block_state(arch.world, k, &arch.x[k], &arch.q[k]);
    return arch;
}

static void arch_close(struct arch *arch) {
    gabion_destroy(arch->world);
    team_destroy(arch->team);
    memory_free(arch->x);
    memory_free(arch->q);
}

static void arch_step(struct arch *arch) {
    struct gabion_error error = {0};
    if (!gabion_step(arch->world, &error))
        stop(&error);
    arch->largest_residual = fmax(arch->largest_residual, arch->world->report.residual);
}

// How far the block that moved most has moved.
static double arch_moved(const struct arch *arch) {
    double most = 0;
    for (int k = 0; k < arch->voussoirs; k++) {
        vec3 x;
        block_state(arch->world, k, &x, NULL);
        most = fmax(most, vec3_length(vec3_sub(x, arch->x[k])));
    }
    return most;
}

// Where a point of the arch as built is now, if it belongs to block k.
static vec3 arch_point(const struct arch *arch, int k, vec3 built) {
    vec3 x;
    quat q;
    block_state(arch->world, k, &x, &q);
    vec3 own = mat3_apply_transposed(quat_matrix(arch->q[k]), vec3_sub(built, arch->x[k]));
    return vec3_add(x, mat3_apply(quat_matrix(q), own));
}

// The turn of block k about the y axis since the arch was built.
static double arch_turn(const struct arch *arch, int k) {
    quat q;
    block_state(arch->world, k, NULL, &q);
    return quat_log(quat_multiply(q, quat_conjugate(arch->q[k]))).y;
}

// Joint j lies between blocks j - 1 and j; the first and the last are the springings.
static double joint_angle(const struct arch *arch, int j) {
    return ((double)j / arch->voussoirs - 0.5) * arch->embrace / DEGREE;
}

static double joint_turn(const struct arch *arch, int j) {
    double left = j > 0 ? arch_turn(arch, j - 1) : 0;
    double right = j < arch->voussoirs ? arch_turn(arch, j) : 0;
    return right - left;
}

// Joints that have turned by more than a tenth of the one that turned most: "-90 -56.2 0 56.2 90".
static const char *arch_hinges(const struct arch *arch) {
    static char line[256];
    double most = 0;
    line[0] = 0;
    for (int j = 0; j <= arch->voussoirs; j++)
        most = fmax(most, fabs(joint_turn(arch, j)));
    for (int j = 0; j <= arch->voussoirs; j++)
        if (fabs(joint_turn(arch, j)) > 0.1 * most)
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s%.4g", *line ? " " : "",
                     joint_angle(arch, j));
    return line;
}

static const char *arch_effort(const struct arch *arch) {
    static char line[128];
    const struct gabion_run_report *run = &arch->world->run;
    bool newton = arch->world->settings.method == GABION_METHOD_NEWTON;
    snprintf(
        line, sizeof line, "%.1f %s a step, %lld steps at the cap, %lld by fallback, residual %.1e",
        (double)run->sweeps / (double)run->steps, newton ? "factorisations" : "sweeps",
        (long long)run->unconverged_steps, (long long)run->fallback_steps, arch->largest_residual);
    return line;
}

// 10.1 and 10.2: minimum thickness ------------------------------------------------------------

static void judge_stands(struct arch *arch, const char *name, const char *reference) {
    double moved = 0;
    while (gabion_time(arch->world) < JUDGED - 0.5 * STEP && moved < FALLEN) {
        arch_step(arch);
        moved = arch_moved(arch);
    }
    double speed = arch->world->report.max_speed;
    const struct gabion_run_report *run = &arch->world->run;
    bool good =
        moved <= FIRM && speed <= FIRM && run->unconverged_steps == 0 && run->fallback_steps == 0;
    report(good, name, reference, "%s, moved %.1e R, %.1e m/s; %s",
           moved <= FIRM ? "stands" : "moves", moved, speed, arch_effort(arch));
}

// Falls: some block moves far, and faster than at first.
static void judge_falls(struct arch *arch, const char *name, const char *reference) {
    double moved = 0, early = 0;
    const char *hinges = "none";
    while (gabion_time(arch->world) < JUDGED - 0.5 * STEP && moved < FALLEN) {
        arch_step(arch);
        moved = arch_moved(arch);
        if (early == 0 && moved >= 0.2 * FALLEN) {
            early = arch->world->ledger.kinetic;
            hinges = arch_hinges(arch);
        }
    }
    bool good = moved >= FALLEN && arch->world->ledger.kinetic > early;
    report(good, name, reference, "%s after %.2f s, hinges %s; %s",
           good ? "falls" : "does not fall", gabion_time(arch->world), hinges, arch_effort(arch));
}

static void run_thickness(const struct thickness_row *row, double ratio, const char *factor,
                          bool stands, enum gabion_method method) {
    char name[64], friction[24] = "", reference[16] = "none";
    const char *sweeps = method == GABION_METHOD_NSGS ? " by sweeps" : "";
    if (isfinite(row->friction))
        snprintf(friction, sizeof friction, " mu=%.2f", row->friction);
    if (row->ratio > 0)
        snprintf(reference, sizeof reference, "%.4f", row->ratio);
    snprintf(name, sizeof name, "%s N=%d%s%s %s at %s", *friction ? "10.2" : "10.1", row->voussoirs,
             friction, sweeps, stands ? "stands" : "falls", factor);
    if (!wanted(name))
        return;
    struct arch arch = arch_open(row->voussoirs, ratio, PI, row->friction, method);
    (stands ? judge_stands : judge_falls)(&arch, name, reference);
    arch_close(&arch);
}

static void run_thickness_rows(void) {
    for (size_t k = 0; k < COUNT(thickness_rows); k++) {
        const struct thickness_row *row = &thickness_rows[k];
        if (row->ratio > 0) {
            run_thickness(row, 1.02 * row->ratio, "1.02", true, GABION_METHOD_NEWTON);
            run_thickness(row, 0.98 * row->ratio, "0.98", false, GABION_METHOD_NEWTON);
        } else { // no thickness is enough
            run_thickness(row, 0.2, "t/R 0.2", false, GABION_METHOD_NEWTON);
            run_thickness(row, 0.3, "t/R 0.3", false, GABION_METHOD_NEWTON);
        }
    }
}

// Twenty times closer to the border than asked, with both solvers: what there is to spare.
static void run_close_rows(void) {
    const struct thickness_row row = {16, INFINITY, 0.10708};
    const enum gabion_method methods[] = {GABION_METHOD_NEWTON, GABION_METHOD_NSGS};
    for (int k = 0; k < 2; k++) {
        run_thickness(&row, 1.001 * row.ratio, "1.001", true, methods[k]);
        run_thickness(&row, 0.999 * row.ratio, "0.999", false, methods[k]);
    }
}

// 10.3: tilting table -------------------------------------------------------------------------

// Gravity turns quickly to half a degree below the reference, then slowly. Nothing moves before the
// arch does, so that the rate does not matter until then.
#define QUICK 0.2  // s
#define RATE  0.25 // degrees per second

static double tilt_at(const struct tilt_row *row, double time) {
    double start = row->tilt - 0.5;
    return time < QUICK ? start * time / QUICK : start + RATE * (time - QUICK);
}

static void add_tilt(struct arch *arch, const struct tilt_row *row) {
    struct gabion_error error = {0};
    double time[] = {0, QUICK, JUDGED}, value[3];
    struct gabion_signal signal = {
        .kind = GABION_SIGNAL_TABLE,
        .end = INFINITY,
        .amplitude = DEGREE,
        .points = 3,
        .table_time = time,
        .table_value = value,
    };
    for (int k = 0; k < 3; k++)
        value[k] = tilt_at(row, time[k]);
    if (!gabion_set_tilt(arch->world, vec3_make(0, 1, 0), &signal, &error))
        stop(&error);
}

static void run_tilt(const struct tilt_row *row) {
    double moved = 0, tilt = NAN;
    char name[64], reference[16];
    snprintf(name, sizeof name, "10.3 N=%d %g deg t/R=%.2f", row->voussoirs, row->embrace,
             row->ratio);
    snprintf(reference, sizeof reference, "%.2f", row->tilt);
    if (!wanted(name))
        return;
    struct arch arch = arch_open(row->voussoirs, row->ratio, row->embrace * DEGREE, INFINITY,
                                 GABION_METHOD_NEWTON);
    add_tilt(&arch, row);
    while (gabion_time(arch.world) < JUDGED && moved < FALLEN) {
        double time = gabion_time(arch.world);
        arch_step(&arch);
        moved = arch_moved(&arch);
        if (isnan(tilt) && moved > UNSTUCK)
            tilt = tilt_at(row, time);
    }
    bool good = fabs(tilt - row->tilt) <= 0.2 && moved >= FALLEN;
    report(good, name, reference, "%.2f deg, then %s, hinges %s; %s", tilt,
           moved >= FALLEN ? "falls" : "stops", arch_hinges(&arch), arch_effort(&arch));
    arch_close(&arch);
}

// 10.4: spreading supports --------------------------------------------------------------------

#define SPREAD_SPEED 0.02 // m/s: inertia is a thousandth of the weight
#define SPREAD_START 0.1  // s

struct spreading {
    int thrust;            // probe
    double weight;         // N, of half the arch
    double sample[2];      // H/W_half at two small spreads
    double collapse, drop; // spread and fall of the crown when the springings begin to turn
    char hinges[256];      // half-way there
};

static double spread_of(const struct arch *arch) {
    int right = arch->voussoirs + 1;
    vec3 x;
    block_state(arch->world, right, &x, NULL);
    return x.x - arch->x[right].x;
}

static double crown_drop(const struct arch *arch) {
    vec3 crown = {0, 0, 1 + 0.5 * arch->ratio};
    return crown.z - arch_point(arch, arch->voussoirs / 2, crown).z;
}

static void start_spreading(struct arch *arch, struct spreading *spreading) {
    struct gabion_error error = {0};
    int right = gabion_find_group(arch->world, "arch.right");
    struct gabion_signal signal = {
        .kind = GABION_SIGNAL_RAMP,
        .start = SPREAD_START,
        .end = SPREAD_START + 1 / SPREAD_SPEED,
        .amplitude = 1,
        .smooth = 0.2,
    };
    spreading->thrust = gabion_add_probe(arch->world, "thrust", right, GABION_FORCE, &error);
    if (!gabion_add_driver(arch->world, right, vec3_make(1, 0, 0), &signal, &error))
        stop(&error);
    for (int k = 0; k < arch->voussoirs; k++)
        spreading->weight += 0.5 * 9.81 * arch->world->bodies.mass[arch->world->bodies.index_of[k]];
}

// The thrust where spreading starts, from two spreads by when the run-in is over.
static const double sample_at[2] = {0.005, 0.01};

static void sample(const struct arch *arch, double before, struct spreading *spreading) {
    double now = spread_of(arch);
    for (int k = 0; k < 2; k++)
        if (before < sample_at[k] && now >= sample_at[k])
            spreading->sample[k] =
                probe_value(arch->world, spreading->thrust).x / spreading->weight;
}

// Until the crown has fallen far below where statics loses it.
static bool spread_until_it_falls(struct arch *arch, const struct spread_row *row,
                                  struct spreading *spreading) {
    double before = 0;
    spreading->collapse = NAN;
    while (before < 1.5 * row->spread && crown_drop(arch) < row->drop + FALLEN) {
        arch_step(arch);
        sample(arch, before, spreading);
        if (before < 0.5 * row->spread)
            snprintf(spreading->hinges, sizeof spreading->hinges, "%s", arch_hinges(arch));
        double turn = fmax(fabs(joint_turn(arch, 0)), fabs(joint_turn(arch, arch->voussoirs)));
        before = spread_of(arch);
        if (isnan(spreading->collapse) && turn > UNSTUCK) {
            spreading->collapse = before;
            spreading->drop = crown_drop(arch);
        }
    }
    return crown_drop(arch) >= row->drop + FALLEN;
}

// The tolerance of what is measured at collapse, which comes early in experiments too.
static bool near_collapse(double value, double reference) {
    return value >= 0.85 * reference && value <= 1.02 * reference;
}

static void report_spread(const struct arch *arch, const struct spread_row *row,
                          const struct spreading *spreading, bool falls) {
    char name[64], reference[64];
    double slope = (spreading->sample[1] - spreading->sample[0]) / (sample_at[1] - sample_at[0]);
    double thrust = spreading->sample[0] - slope * sample_at[0];
    snprintf(name, sizeof name, "10.4 N=%d t/R=%.2f hinges", row->voussoirs, row->ratio);
    snprintf(reference, sizeof reference, "-%.4g 0 %.4g", row->hinge, row->hinge);
    report(strcmp(reference, spreading->hinges) == 0, name, reference, "%s", spreading->hinges);
    snprintf(name, sizeof name, "10.4 N=%d t/R=%.2f thrust", row->voussoirs, row->ratio);
    snprintf(reference, sizeof reference, "%.3f", row->thrust);
    report(fabs(thrust - row->thrust) <= 0.01 * row->thrust, name, reference,
           "%.4f of half the weight", thrust);
    snprintf(name, sizeof name, "10.4 N=%d t/R=%.2f spread", row->voussoirs, row->ratio);
    snprintf(reference, sizeof reference, "%.3f", row->spread);
    report(near_collapse(spreading->collapse, row->spread) && falls, name, reference,
           "%.4f R, then %s; %s", spreading->collapse, falls ? "falls" : "stops",
           arch_effort(arch));
    snprintf(name, sizeof name, "10.4 N=%d t/R=%.2f crown drop", row->voussoirs, row->ratio);
    snprintf(reference, sizeof reference, "%.3f", row->drop);
    report(near_collapse(spreading->drop, row->drop), name, reference, "%.4f R", spreading->drop);
}

static void run_spread(const struct spread_row *row) {
    struct spreading spreading = {0};
    char name[64];
    snprintf(name, sizeof name, "10.4 N=%d t/R=%.2f", row->voussoirs, row->ratio);
    if (!wanted(name))
        return;
    struct arch arch = arch_open(row->voussoirs, row->ratio, PI, INFINITY, GABION_METHOD_NEWTON);
    start_spreading(&arch, &spreading);
    bool falls = spread_until_it_falls(&arch, row, &spreading);
    report_spread(&arch, row, &spreading, falls);
    arch_close(&arch);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        list_references();
        return 0;
    }
    if (argc > 1)
        prefix = argv[1];
    run_thickness_rows();
    run_close_rows();
    for (size_t k = 0; k < COUNT(tilt_rows); k++)
        run_tilt(&tilt_rows[k]);
    for (size_t k = 0; k < COUNT(spread_rows); k++)
        run_spread(&spread_rows[k]);
    if (passed + failed == 0)
        fprintf(stderr, "no row begins with '%s'\n", prefix);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
