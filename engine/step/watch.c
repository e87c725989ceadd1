#include "engine/step/watch.h"

#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/solvers/panel.h"
#include "engine/step/moves.h"
#include "engine/world/sampling.h"

// Words ---------------------------------------------------------------------------------------

struct words {
    char text[WATCH_TEXT_SIZE];
};

__attribute__((format(printf, 2, 3))) static void say(struct words *words, const char *format,
                                                      ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words->text, sizeof words->text, format, arguments);
    va_end(arguments);
}

#define NAME_SIZE 128

// Writes "7 (bricks)".
static const char *name_body(const struct gabion_world *world, int32_t id, char text[NAME_SIZE]) {
    int32_t i = id >= 0 && id < world->bodies.id_count ? world->bodies.index_of[id] : -1;
    int group = i >= 0 ? world->bodies.group[i] : 0;
    snprintf(text, NAME_SIZE, group > 0 ? "%" PRId32 " (%s)" : "%" PRId32, id,
             world->groups.name[group]);
    return text;
}

// Spin ----------------------------------------------------------------------------------------

static double measure_turn(const struct gabion_world *world) { return world->report.max_turn; }

static void describe_turn(const struct gabion_world *world, double bound, struct words *words) {
    char name[NAME_SIZE];
    int32_t i = moves_find_turning(world);
    double spin = i < 0 ? 0 : vec3_length(world->bodies.w[i]), h = world->settings.step;
    say(words,
        "after step %" PRId64
        " (t = %.6g s) body %s has a spin of %.4g rad/s and turns by %.3g rad "
        "in a time.step of %g s; above %g rad its rotation and contacts are not followed; take a "
        "time.step of at most %.2g s",
        world->step, world_time(world), i < 0 ? "?" : name_body(world, world->bodies.id[i], name),
        spin, world->report.max_turn, h, bound, bound / spin);
}

static void conclude_turn(const struct gabion_world *world, const struct watch_record *record,
                          struct words *words) {
    say(words,
        "%" PRId64 " of %" PRId64
        " steps ended with bodies that turn by more than they can follow; "
        "the largest angle is %.3g rad in a step, in step %" PRId64,
        record->steps, world->watches->steps, record->most, record->worst_step);
}

// Positions -----------------------------------------------------------------------------------

static double measure_stuck(const struct gabion_world *world) { return world->report.stuck; }

static double coarseness(vec3 x) {
    double most = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z));
    return nextafter(most, INFINITY) - most;
}

static void describe_stuck(const struct gabion_world *world, double bound, struct words *words) {
    (void)bound;
    char name[NAME_SIZE];
    int32_t i = moves_find_stuck(world);
    if (i < 0) { // it has been moved apart from another body since
        say(words, "in step %" PRId64 " a body was too far from the origin to be moved",
            world->step);
        return;
    }
    vec3 x = world->bodies.x[i];
    double speed = vec3_length(world->bodies.v[i]), h = world->settings.step;
    say(words,
        "after step %" PRId64
        " (t = %.6g s) body %s at (%.6g, %.6g, %.6g) m does not move with its "
        "velocity of %.3g m/s: a step takes it %.2g m, and numbers of that size are %.2g m apart; "
        "put the origin of coordinates near the bodies",
        world->step, world_time(world), name_body(world, world->bodies.id[i], name), x.x, x.y, x.z,
        speed, h * speed, coarseness(x));
}

static void conclude_stuck(const struct gabion_world *world, const struct watch_record *record,
                           struct words *words) {
    say(words,
        "%" PRId64 " of %" PRId64 " steps left bodies where they were, because they are too far "
        "from the origin of coordinates",
        record->steps, world->watches->steps);
}

// Unsolved steps ------------------------------------------------------------------------------

static double measure_unsolved(const struct gabion_world *world) {
    if (world->report.converged || world->settings.on_cap == GABION_CAP_ACCEPT)
        return 0;
    return fmax(world->report.residual, DBL_MIN);
}

// Where an unsolved step stopped, and what helps.
struct remedy {
    char stopped[80];
    const char *advice;
};

static struct remedy remedy_of(const struct gabion_settings *settings) {
    const char *budget = settings->time_budget > 0 ? " or their time budget" : "";
    struct remedy remedy = {
        .advice = "solver.method auto tries others; raise solver.max_sweeps or solver.tolerance"};
    if (settings->method == GABION_METHOD_AUTO) {
        snprintf(remedy.stopped, sizeof remedy.stopped, "after all stages of solver.method auto%s",
                 budget);
        remedy.advice = "take a smaller time.step, or raise solver.tolerance (1e-3 for grains that "
                        "flow) or solver.max_sweeps";
    } else {
        snprintf(remedy.stopped, sizeof remedy.stopped, "at the cap of %d sweeps%s",
                 settings->max_sweeps, budget);
    }
    return remedy;
}

static void describe_unsolved(const struct gabion_world *world, double bound, struct words *words) {
    (void)bound;
    struct remedy remedy = remedy_of(&world->settings);
    say(words,
        "step %" PRId64 " stopped %s, residual %.2e (asked: %.2e, solver.tolerance); %s; further "
        "such steps are counted",
        world->step, remedy.stopped, world->report.residual, world->settings.tolerance,
        remedy.advice);
}

static void conclude_unsolved(const struct gabion_world *world, const struct watch_record *record,
                              struct words *words) {
    struct remedy remedy = remedy_of(&world->settings);
    say(words,
        "%" PRId64 " of %" PRId64 " steps stopped %s, largest residual %.2e (asked: %.2e); %s; "
        "solver.on_cap: accept silences this",
        record->steps, world->watches->steps, remedy.stopped, record->worst.residual,
        world->settings.tolerance, remedy.advice);
}

// Substituted local solvers -------------------------------------------------------------------

static double measure_substitutions(const struct gabion_world *world) {
    return (double)world->report.substitutions;
}

static void describe_substitutions(const struct gabion_world *world, double bound,
                                   struct words *words) {
    (void)bound;
    say(words,
        "step %" PRId64 ": solver.local %s cannot serve %" PRId64 " contacts whose blocks are not "
        "diagonal, and newton does it; solver.local: auto chooses so by itself",
        world->step, panel_local_name(world->settings.local), world->report.substitutions);
}

// Overlaps ------------------------------------------------------------------------------------

static double measure_overlap(const struct gabion_world *world) {
    return world->report.max_overlap_relative;
}

static const char *overlap_remedy(const struct gabion_settings *settings) {
    if (settings->gap == GABION_GAP_STABILIZED || settings->scheme == GABION_SCHEME_CORRECTIVE)
        return "is a body put where another one is (position, insert_time)? If not, try a smaller "
               "time.step";
    if (settings->projection == 0)
        return "contact.projection: auto moves them apart; is a body put where another one is "
               "(position, insert_time)? If not, a smaller time.step leaves less overlap";
    return "contact.projection moves them apart as far as there is room; is a body put where "
           "another one is (position, insert_time), or pressed by a driver? If not, try a smaller "
           "time.step or more solver.max_sweeps";
}

static void describe_overlap(const struct gabion_world *world, double bound, struct words *words) {
    (void)bound;
    char first[NAME_SIZE], second[NAME_SIZE];
    say(words,
        "after step %" PRId64 " (t = %.6g s) bodies %s and %s overlap by %.3g %% of the smaller "
        "one's size; %s",
        world->step, world_time(world), name_body(world, world->report.overlap_body_a, first),
        name_body(world, world->report.overlap_body_b, second),
        100 * world->report.max_overlap_relative, overlap_remedy(&world->settings));
}

static void conclude_overlap(const struct gabion_world *world, const struct watch_record *record,
                             struct words *words);

// Explosions ----------------------------------------------------------------------------------

#define EXPLOSION 1e3 // times all other energy
#define THROWN    10  // radii of a body, or radians, in a step

// Returns the first body that a step throws out of reach of everything near it, or -1.
static int32_t find_thrown(const struct gabion_world *world) {
    const struct bodies *bodies = &world->bodies;
    double h = world->settings.step;
    int32_t i = piece_begin(world), end = piece_end(world);
    while (i < end && !(h * vec3_length(bodies->v[i]) > THROWN * bodies_size(bodies, i) ||
                        h * vec3_length(bodies->w[i]) > THROWN))
        i++;
    int32_t first = piece_first(world, i < end ? i : bodies->moving);
    return first < bodies->moving ? first : -1;
}

// What closing contacts and joints has brought in, by velocities, by moving bodies, and by the time
// integration of what follows.
static double created_energy(const struct ledger *ledger) {
    return ledger->contact_work + ledger->joint_work + ledger->projection_work + ledger->theta_work;
}

// That is little next to the energy that is there, is driven or is applied. Where it is much more,
// bodies that were only set down badly still move by parts of their size.
static double measure_explosion(const struct gabion_world *world) {
    const struct ledger *ledger = &world->ledger;
    double created = created_energy(ledger);
    double rest = fabs(ledger->kinetic + ledger->potential - created) + fabs(ledger->driver_work) +
                  fabs(ledger->applied_work) + fabs(ledger->removed_energy);
    if (!(created > EXPLOSION * rest) || find_thrown(world) < 0)
        return 0;
    return created / rest;
}

static const char *explosion_remedy(const struct gabion_settings *settings) {
    if (settings->scheme == GABION_SCHEME_CORRECTIVE)
        return "a smaller time.step, more iterations (solver.budget), and bodies and joints that "
               "begin without overlaps and gaps";
    return "a smaller time.step, a lower solver.tolerance with more solver.max_sweeps, "
           "contact.projection: 10 where there are joints, and bodies that begin without overlaps";
}

static void describe_explosion(const struct gabion_world *world, double bound,
                               struct words *words) {
    (void)bound;
    char name[NAME_SIZE];
    say(words,
        "step %" PRId64
        " (t = %.6g s): closing contacts and joints has brought in %.3g J, more than %g times "
        "all other energy, and throw body %s by more than %d times its size or radians in a step: "
        "the motion has exploded. What was computed before the energy rose (history.csv) stands; "
        "run again with %s",
        world->step, world_time(world), created_energy(&world->ledger), bound,
        name_body(world, world->bodies.id[find_thrown(world)], name), THROWN,
        explosion_remedy(&world->settings));
}

// Gains ---------------------------------------------------------------------------------------

// At rest no work is done, and contacts still bear: their gain is compared with what they did.
static double measure_contact_gain(const struct gabion_world *world) {
    if (world->settings.on_cap == GABION_CAP_ACCEPT)
        return 0;
    return world->ledger.contact_gain / world->ledger.gain_scale;
}

static void describe_contact_gain(const struct gabion_world *world, double bound,
                                  struct words *words) {
    (void)bound;
    say(words,
        "contacts gave bodies %.3g J beyond their law, %.2g %% of what they did; lower "
        "solver.tolerance, or contact.gamma with contact.gap: stabilized",
        world->ledger.contact_gain, 100 * measure_contact_gain(world));
}

static double measure_impact_gain(const struct gabion_world *world) {
    return world->ledger.impact_gain / world->ledger.turnover;
}

static void describe_impact_gain(const struct gabion_world *world, double bound,
                                 struct words *words) {
    (void)bound;
    say(words,
        "impacts with friction created %.3g J, %.2g %% of all work done: Newton's restitution does "
        "not exclude it (docs/granular.md); take a smaller restitution, or time.scheme: "
        "corrective, whose restitution is Poisson's",
        world->ledger.impact_gain, 100 * measure_impact_gain(world));
}

// Joints may only lose energy, to the time integration and in impacts. All work done is no scale
// for what they bring in: they take and give it back in every swing.
static double measure_joint_gain(const struct gabion_world *world) {
    return world->ledger.joint_work / world->watches->most_kinetic;
}

static void describe_joint_gain(const struct gabion_world *world, double bound,
                                struct words *words) {
    (void)bound;
    say(words,
        "joints brought in %.3g J, %.2g %% of the largest kinetic energy, by taking off their "
        "position errors (contact.joint_correction); set contact.projection: 10, which closes "
        "joints without a change of velocities, or take a smaller time.step",
        world->ledger.joint_work, 100 * measure_joint_gain(world));
}

// The table -----------------------------------------------------------------------------------

struct watch {
    const char *name;
    double bound;   // larger measures are reported
    double lasting; // and those above this that last for LASTING steps; 0: none
    // Measures the last step; a watch without it has another time to look.
    double (*measure)(const struct gabion_world *world);
    void (*describe)(const struct gabion_world *world, double bound, struct words *words);
    void (*conclude)(const struct gabion_world *world, const struct watch_record *record,
                     struct words *words); // at the end; NULL: nothing is counted
    bool at_end;                           // measured over the whole run
    bool ends;                             // what it sees ends the run under any policy
};

#define LASTING 100 // steps

// Healing removes an overlap of a hundredth within a step or two; where it stays, there is no room
// for the bodies or nothing heals.
static const struct watch watches[WATCH_KINDS] = {
    // The share of a driver, force or tilt that lies between the steps.
    [WATCH_SIGNAL] = {.name = "signal", .bound = SAMPLING_LOSS},
    // The angle that a body turns in a step, rad.
    [WATCH_SPIN] = {.name = "spin",
                    .bound = 1,
                    .measure = measure_turn,
                    .describe = describe_turn,
                    .conclude = conclude_turn},
    // Whether a body is too far out to be moved by a step.
    [WATCH_POSITION] = {.name = "position",
                        .measure = measure_stuck,
                        .describe = describe_stuck,
                        .conclude = conclude_stuck},
    // The residual of a step that did not converge.
    [WATCH_UNSOLVED] = {.name = "unsolved",
                        .measure = measure_unsolved,
                        .describe = describe_unsolved,
                        .conclude = conclude_unsolved},
    // Contacts that another local solver had to serve.
    [WATCH_SUBSTITUTION] = {.name = "substitution",
                            .measure = measure_substitutions,
                            .describe = describe_substitutions},
    // The largest overlap after a step, as a share of the smaller body's size.
    [WATCH_OVERLAP] = {.name = "overlap",
                       .bound = 0.2,
                       .lasting = 0.01,
                       .measure = measure_overlap,
                       .describe = describe_overlap,
                       .conclude = conclude_overlap},
    // Energy that closing contacts and joints brought in, over all other energy, where bodies fly
    // apart.
    [WATCH_EXPLOSION] = {.name = "explosion",
                         .bound = EXPLOSION,
                         .measure = measure_explosion,
                         .describe = describe_explosion,
                         .ends = true},
    // Energy that contacts gave beyond their law, as a share of what they did.
    [WATCH_CONTACT_GAIN] = {.name = "contact-gain",
                            .bound = 1e-3,
                            .measure = measure_contact_gain,
                            .describe = describe_contact_gain,
                            .at_end = true},
    // Energy that impacts created, as a share of all work.
    [WATCH_IMPACT_GAIN] = {.name = "impact-gain",
                           .bound = 1e-2,
                           .measure = measure_impact_gain,
                           .describe = describe_impact_gain,
                           .at_end = true},
    // Energy that joints brought in, as a share of the largest kinetic energy.
    [WATCH_JOINT_GAIN] = {.name = "joint-gain",
                          .bound = 0.05,
                          .measure = measure_joint_gain,
                          .describe = describe_joint_gain,
                          .at_end = true},
};

// The bound from which on steps are counted.
static double counted_from(const struct watch *watch) {
    return watch->lasting > 0 ? watch->lasting : watch->bound;
}

static void conclude_overlap(const struct gabion_world *world, const struct watch_record *record,
                             struct words *words) {
    char first[NAME_SIZE], second[NAME_SIZE];
    say(words,
        "%" PRId64 " of %" PRId64 " steps ended with bodies that overlap by more than %g %% of the "
        "smaller one's size; the largest share is %.3g %%, of bodies %s and %s in step %" PRId64,
        record->steps, world->watches->steps, 100 * counted_from(&watches[WATCH_OVERLAP]),
        100 * record->most, name_body(world, record->worst.overlap_body_a, first),
        name_body(world, record->worst.overlap_body_b, second), record->worst_step);
}

// Signals -------------------------------------------------------------------------------------

static bool is_over(const struct gabion_world *world, const struct signal *signal) {
    return signal_force_end(signal) <= world_time(world);
}

// `owner` is "driver of group plate".
static bool describe_signal(const struct gabion_world *world, const struct signal *signal,
                            const char *owner, struct words *words) {
    double h = world->settings.step, loss = sampling_loss(signal, h);
    double frequency = signal->given.frequency, needed = sampling_step(signal, h);
    if (!(loss > watches[WATCH_SIGNAL].bound) || is_over(world, signal))
        return false;
    if (signal->given.kind != GABION_SIGNAL_SINE)
        say(words,
            "the %s has points closer than the time.step of %g s: %.0f %% of it (root mean square) "
            "lies between the steps and is lost; take a time.step of at most %.2g s, or smooth and "
            "thin the %s",
            owner, h, 100 * loss, needed,
            signal->given.kind == GABION_SIGNAL_RECORD ? "record" : "table");
    else if (frequency * h >= 0.5)
        say(words,
            "the %s has a sine of %g Hz, which is not below half the sampling frequency of a "
            "time.step of %g s (%g Hz): the steps see nothing of it, or another frequency; take a "
            "time.step of at most %.2g s",
            owner, frequency, h, 0.5 / h, needed);
    else
        say(words,
            "the %s has a sine of %g Hz, of which a time.step of %g s sees %.2g points per period: "
            "%.0f %% of it (root mean square) lies between the steps and is lost; take a time.step "
            "of at most %.2g s",
            owner, frequency, h, 1 / (frequency * h), 100 * loss, needed);
    return true;
}

struct reporting {
    struct gabion_world *world;
    watch_listener listener;
    void *user;
    char *found;
};

static void warn(const struct reporting *reporting, const struct words *words) {
    reporting->world->watches->warnings++;
    reporting->listener(reporting->user, words->text);
}

static void note(const struct reporting *reporting, enum watch_kind kind,
                 const struct words *words) {
    if (reporting->found[0] == '\0' || watches[kind].ends)
        snprintf(reporting->found, WATCH_FOUND_SIZE, "watch %s: %s", watches[kind].name,
                 words->text);
}

static void watch_signal(const struct reporting *reporting, const struct signal *signal,
                         const char *kind, int group) {
    const struct gabion_world *world = reporting->world;
    char owner[NAME_SIZE];
    struct words words;
    snprintf(owner, sizeof owner, group < 0 ? "%s" : "%s group %s", kind,
             group < 0 ? "" : world->groups.name[group]);
    if (!describe_signal(world, signal, owner, &words))
        return;
    warn(reporting, &words);
    note(reporting, WATCH_SIGNAL, &words);
}

void watch_signals(struct gabion_world *world, watch_listener listener, void *user,
                   char found[WATCH_FOUND_SIZE]) {
    struct reporting reporting = {world, listener, user, found};
    struct watch_log *log = world->watches;
    for (; log->drivers < world->driver_count; log->drivers++) {
        const struct driver *driver = &world->drivers[log->drivers];
        watch_signal(&reporting, &driver->signal, "driver of", driver->group);
    }
    for (; log->forces < world->force_count; log->forces++) {
        const struct force *force = &world->forces[log->forces];
        watch_signal(&reporting, &force->signal, "force on", force->group);
    }
    if (!log->tilt && world->tilt.given.amplitude != 0)
        watch_signal(&reporting, &world->tilt, "tilt", -1);
    log->tilt = true;
}

// Steps ---------------------------------------------------------------------------------------

static bool is_worth(const struct watch *watch, const struct watch_record *record, double measure) {
    return measure > watch->bound || (watch->lasting > 0 && record->in_a_row >= LASTING);
}

static void count(struct gabion_world *world, struct watch_record *record, double measure) {
    record->steps++;
    record->in_a_row++;
    if (record->steps > 1 && !(measure > record->most))
        return;
    record->most = measure;
    record->worst = world->report;
    record->worst_step = world->step;
}

static void look(const struct reporting *reporting, enum watch_kind kind) {
    struct gabion_world *world = reporting->world;
    const struct watch *watch = &watches[kind];
    struct watch_record *record = &world->watches->of[kind];
    double measure = watch->measure(world);
    if (!(measure > counted_from(watch))) {
        record->in_a_row = 0;
        return;
    }
    count(world, record, measure);
    world->watches->hopeless |= watch->ends;
    if (!is_worth(watch, record, measure) ||
        (record->reported && world->settings.watch == GABION_WATCH_WARN && !watch->ends))
        return;
    struct words words;
    piece_gather(world);
    watch->describe(world, watch->bound, &words);
    note(reporting, kind, &words);
    if (record->reported)
        return;
    record->reported = true;
    warn(reporting, &words);
}

void watch_start(struct gabion_world *world, watch_listener listener, void *user) {
    char found[WATCH_FOUND_SIZE] = "";
    struct reporting reporting = {world, listener, user, found};
    moves_measure(world, moves_present, world, &world->report);
    look(&reporting, WATCH_SPIN);
    look(&reporting, WATCH_POSITION);
}

void watch_step(struct gabion_world *world, watch_listener listener, void *user,
                char found[WATCH_FOUND_SIZE]) {
    struct reporting reporting = {world, listener, user, found};
    world->watches->steps++;
    world->watches->most_kinetic = fmax(world->watches->most_kinetic, world->ledger.kinetic);
    for (int kind = 0; kind < WATCH_KINDS; kind++)
        if (watches[kind].measure && !watches[kind].at_end)
            look(&reporting, kind);
}

void watch_end(struct gabion_world *world, watch_listener listener, void *user) {
    char found[WATCH_FOUND_SIZE] = "";
    struct reporting reporting = {world, listener, user, found};
    for (int kind = 0; kind < WATCH_KINDS; kind++) {
        const struct watch_record *record = &world->watches->of[kind];
        struct words words;
        if (watches[kind].at_end)
            look(&reporting, kind);
        else if (record->reported && watches[kind].conclude) {
            watches[kind].conclude(world, record, &words);
            listener(user, words.text);
        }
    }
}
