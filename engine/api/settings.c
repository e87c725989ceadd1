#include "engine/api/settings.h"
#include "engine/solvers/panel.h"
#include "parallel/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEMBER(member_) KEY_MEMBER(struct gabion_settings, member_)

static const struct key_range theta_range = {.low = 0.5, .high = 1};
static const struct key_range relaxation_range = {0, 2, .low_open = true, .high_open = true};
static const struct key_range sides_range = {.low = 3, .high = 64};

// Keys without a default belong to sections that may be absent: their members are then 0.

static const struct key gravity_ramp_keys[] = {
    {"start", KEY_NUMBER, MEMBER(gravity_ramp_start), .unit = "s", KEY_DEFAULT(0),
     .help = "gravity is zero until then"},
    {"end", KEY_NUMBER, MEMBER(gravity_ramp_end), .required = true, .unit = "s",
     .help = "full gravity from then on"},
};
const struct key_section settings_gravity_ramp_keys = KEY_SECTION_OF(gravity_ramp_keys);

static const struct key time_keys[] = {
    {"step", KEY_NUMBER, MEMBER(step), .required = true, .unit = "s", KEY_DEFAULT(1e-3),
     .range = &key_positive, .help = "time step h"},
    {"end", KEY_NUMBER, MEMBER(end), .required = true, .unit = "s", KEY_DEFAULT(1),
     .range = &key_not_negative, .help = "the run ends when this time is reached"},
    {"theta", KEY_NUMBER, MEMBER(theta), KEY_DEFAULT(0.5), .range = &theta_range,
     .help = "weight of the new state; 0.5 keeps energy exactly, 1 is implicit Euler"},
    {"scheme", KEY_CHOICE, MEMBER(scheme), .initial = "moreau", .words = "moreau corrective",
     .help = "moreau: one implicit contact problem per step; corrective: accelerations, positions "
             "and velocities corrected one after another (docs/solvers.md)",
     .state = "the impulses that a step starts from are those of the scheme"},
};
const struct key_section settings_time_keys = KEY_SECTION_OF(time_keys);

static const struct key contact_keys[] = {
    {"gap", KEY_CHOICE, MEMBER(gap), .initial = "gap", .words = "moreau gap stabilized",
     .help = "gap: bodies arrive exactly; moreau: a contact acts once its predicted gap closes; "
             "stabilized: overlaps are pushed out too (Anitescu 2003)"},
    {"alert", KEY_NUMBER, MEMBER(alert), .unit = "m", .initial = "auto", .range = &key_not_negative,
     .words = "auto",
     .help = "contacts are looked for within this distance; auto follows the speeds"},
    {"restitution_cutoff", KEY_NUMBER, MEMBER(restitution_cutoff), .unit = "m/s", .initial = "auto",
     .range = &key_not_negative, .words = "auto",
     .help = "with gap and stabilized: slower approaches do not rebound; auto is twice gravity "
             "times step"},
    {"gamma", KEY_NUMBER, MEMBER(gamma), KEY_DEFAULT(1), .range = &key_share_above,
     .help = "with stabilized: the part of a gap or overlap that one step may close"},
    {"restitution_velocity", KEY_CHOICE, MEMBER(restitution_velocity), .initial = "corrected",
     .words = "corrected uncorrected",
     .help = "with stabilized: rebounds are a part of the velocity before the collision step, or, "
             "as in Anitescu's figure 1, of what that step left of it"},
    {"joint_correction", KEY_NUMBER, MEMBER(joint_correction), KEY_DEFAULT(1), .range = &key_share,
     .help = "share of a joint's position error that a step takes off; 0 lets joints drift"},
    {"projection", KEY_INTEGER, MEMBER(projection), .initial = "auto", .range = &key_whole,
     .words = "auto off",
     .help = "moves overlapping bodies apart after a step. auto: with gap, those that overlap by "
             "more than a thousandth of the smaller one's size; a number: all, in so many "
             "iterations; off: none"},
};
const struct key_section settings_contact_keys = KEY_SECTION_OF(contact_keys);

// "nsgs psor ... auto".
#define METHOD_WORD(id, name, joints, slots) #name " "
#define METHOD_WORDS                         SOLVER_METHODS(METHOD_WORD)

static const struct key solver_keys[] = {
    {"method", KEY_CHOICE, MEMBER(method), .initial = "auto", .words = METHOD_WORDS,
     .help = "auto: sweeps, factorisations or both, as the problem asks for; nsgs: block "
             "Gauss-Seidel over the coloured contact graph; newton: proximal Newton with sparse "
             "factors, for masonry; the others in docs/solvers.md"},
    {"local", KEY_CHOICE, MEMBER(local), .initial = "auto",
     .words = "auto explicit newton lemke qp exact",
     .help = "one-contact solver of nsgs; auto: explicit between spheres, newton elsewhere"},
    {"tolerance", KEY_NUMBER, MEMBER(tolerance), KEY_DEFAULT(1e-4), .range = &key_positive,
     .help = "a step is solved when its residual is below"},
    {"measure", KEY_CHOICE, MEMBER(measure), .initial = "scaled", .words = "scaled fclib",
     .help = "the residual that is compared with the tolerance"},
    {"max_sweeps", KEY_INTEGER, MEMBER(max_sweeps), KEY_DEFAULT(10000), .range = &key_counting,
     .help = "cap on the sweeps of one step, or on its factorisations or pivots, as the method "
             "counts; with auto on its sweeps, from which the other caps follow (docs/solvers.md)"},
    {"budget", KEY_INTEGERS, .size = 3, MEMBER(budget), KEY_DEFAULT(100, 100, 100),
     .range = &key_whole,
     .help = "with time.scheme corrective: iterations on [positions, velocities, accelerations]"},
    {"relaxation", KEY_NUMBER, MEMBER(relaxation), KEY_DEFAULT(1), .range = &relaxation_range,
     .help = "over- or under-relaxation of the sweeps"},
    {"momentum", KEY_BOOLEAN, MEMBER(momentum), KEY_DEFAULT(true),
     .help = "accelerate the sweeps by extrapolation; false gives plain Gauss-Seidel"},
    {"cone", KEY_CHOICE, MEMBER(cone.outer), .initial = "inner", .words = "inner outer",
     .help = "polygon of lemke and qp: corners on Coulomb's circle, or sides outside it"},
    {"cone_sides", KEY_INTEGER, MEMBER(cone.sides), KEY_DEFAULT(8), .range = &sides_range,
     .help = "corners of that polygon"},
    {"cone_angle", KEY_NUMBER, MEMBER(cone.angle), .in_radians = true, .unit = "deg",
     KEY_DEFAULT(0), .help = "turns that polygon's first corner from the contact's first tangent"},
    {"on_cap", KEY_CHOICE, MEMBER(on_cap), .initial = "warn", .words = "accept warn stop",
     .help = "what a step that reaches the cap unsolved does"},
    {"time_budget", KEY_NUMBER, MEMBER(time_budget), .unit = "s", KEY_DEFAULT(0),
     .range = &key_not_negative,
     .help = "wall-clock time after which a step stops iterating; 0: none. Such runs cannot be "
             "reproduced"},
};
const struct key_section settings_solver_keys = KEY_SECTION_OF(solver_keys);

static const struct key stop_keys[] = {
    {"rest_speed", KEY_NUMBER, MEMBER(rest_speed), .unit = "m/s", .range = &key_positive,
     .help = "the run ends at rest once every body is slower than this and nothing is scheduled "
             "any more"},
    {"rest_duration", KEY_NUMBER, MEMBER(rest_duration), .unit = "s", .range = &key_positive,
     .help = "for this long"},
    {"fall_distance", KEY_NUMBER, MEMBER(fall_distance), .unit = "m", .range = &key_positive,
     .help = "the run ends as collapsed once a body has fallen by this from where it entered the "
             "run, along the gravity that acts now"},
    {"fall_speed", KEY_NUMBER, MEMBER(fall_speed), .unit = "m/s", .range = &key_positive,
     .help = "or falls at this speed"},
    {"fall_group", KEY_NAME,
     .help = "only bodies of this group count; without it, every moving body"},
};
const struct key_section settings_stop_keys = KEY_SECTION_OF(stop_keys);

static const struct key watch_keys[] = {
    {"policy", KEY_CHOICE, MEMBER(watch), .initial = "warn", .words = "warn stop",
     .help = "what a warning about doubtful results does: the run goes on, or it ends after that "
             "step with a checkpoint and exit status 1 (docs/output-files.md lists the watches)"},
};
const struct key_section settings_watch_keys = KEY_SECTION_OF(watch_keys);

static const struct key top_keys[] = {SETTINGS_KEYS};
const struct key_section settings_keys = KEY_SECTION_OF(top_keys);

struct gabion_settings gabion_default_settings(void) {
    struct gabion_settings settings;
    memset(&settings, 0, sizeof settings);
    key_store_defaults(&settings_keys, &settings);
    return settings;
}

// ---- rules ----

static bool is_corrective(const struct gabion_settings *s) {
    return s->scheme == GABION_SCHEME_CORRECTIVE;
}

static bool method_lacks_scheme(const struct gabion_settings *s) {
    return is_corrective(s) && s->method != GABION_METHOD_BICG;
}

static bool positions_twice(const struct gabion_settings *s) {
    return is_corrective(s) && s->projection > 0;
}

static bool stabilized_accelerations(const struct gabion_settings *s) {
    return is_corrective(s) && s->gap == GABION_GAP_STABILIZED;
}

static bool timed_corrections(const struct gabion_settings *s) {
    return is_corrective(s) && s->time_budget > 0;
}

static bool unused_budget(const struct gabion_settings *s) { return !is_corrective(s); }

static bool unused_stabilization(const struct gabion_settings *s) {
    return s->gap != GABION_GAP_STABILIZED;
}

static bool ramp_backwards(const struct gabion_settings *s) {
    return s->gravity_ramp_end <= s->gravity_ramp_start;
}

static bool rest_of_no_duration(const struct gabion_settings *s) {
    return s->rest_speed > 0 && !(s->rest_duration > 0);
}

static bool rest_at_no_speed(const struct gabion_settings *s) {
    return s->rest_duration > 0 && !(s->rest_speed > 0);
}

static bool has_no_down(const struct gabion_settings *s) {
    return s->gravity.x == 0 && s->gravity.y == 0 && s->gravity.z == 0;
}

static bool falls_nowhere(const struct gabion_settings *s) {
    return s->fall_distance > 0 && has_no_down(s);
}

static bool speeds_nowhere(const struct gabion_settings *s) {
    return s->fall_speed > 0 && has_no_down(s);
}

const struct settings_rule settings_rules[] = {
    {"time.scheme", "solver.method", .broken = method_lacks_scheme,
     .text = "corrective needs solver.method bicg"},
    {"contact.projection", "time.scheme", .broken = positions_twice,
     .text = "time.scheme corrective has a position pass of its own; give its iterations as the "
             "first number of solver.budget instead"},
    {"contact.gap", "time.scheme", .broken = stabilized_accelerations,
     .text = "stabilized needs time.scheme moreau"},
    {"solver.time_budget", "time.scheme", .broken = timed_corrections,
     .text = "time.scheme corrective counts iterations, not time; give solver.budget instead"},
    {"solver.budget", "time.scheme", .if_given = true, .broken = unused_budget,
     .text = "only time.scheme corrective has a budget of iterations; remove it"},
    {"contact.gamma", "contact.gap", .if_given = true, .broken = unused_stabilization,
     .text = "only contact.gap stabilized has it; remove it"},
    {"contact.restitution_velocity", "contact.gap", .if_given = true,
     .broken = unused_stabilization, .text = "only contact.gap stabilized has it; remove it"},
    {"gravity_ramp.end", "gravity_ramp.start", .if_given = true, .broken = ramp_backwards,
     .text = "expected a time after gravity_ramp.start"},
    {"stop.rest_speed", "stop.rest_duration", .broken = rest_of_no_duration,
     .text = "needs stop.rest_duration, how long the bodies have to be so slow"},
    {"stop.rest_duration", "stop.rest_speed", .broken = rest_at_no_speed,
     .text = "needs stop.rest_speed, below which a body is at rest"},
    {"stop.fall_distance", "gravity", .broken = falls_nowhere,
     .text = "bodies fall along gravity, and there is none"},
    {"stop.fall_speed", "gravity", .broken = speeds_nowhere,
     .text = "bodies fall along gravity, and there is none"},
};
const size_t settings_rule_count = sizeof settings_rules / sizeof *settings_rules;

const char *settings_rule_describe(const struct settings_rule *rule,
                                   const struct gabion_settings *settings,
                                   char text[SETTINGS_RULE_SIZE]) {
    char value[KEY_TEXT_SIZE], other[KEY_TEXT_SIZE];
    key_print(key_find_path(&settings_keys, rule->key), settings, value);
    key_print(key_find_path(&settings_keys, rule->other), settings, other);
    snprintf(text, SETTINGS_RULE_SIZE, "%s: %s (found %s: %s, %s: %s)", rule->key, rule->text,
             rule->key, value, rule->other, other);
    return text;
}

static bool differs_from_default(const char *path, const struct gabion_settings *settings) {
    const struct gabion_settings defaults = gabion_default_settings();
    const struct key *key = key_find_path(&settings_keys, path);
    double value[KEY_SIZE_MAX], initial[KEY_SIZE_MAX];
    key_load(key, settings, value);
    key_load(key, &defaults, initial);
    for (int i = 0; i < key_components(key); i++)
        if (value[i] != initial[i])
            return true;
    return false;
}

static bool check_rules(const struct gabion_settings *settings, struct gabion_error *error) {
    char text[SETTINGS_RULE_SIZE];
    for (size_t k = 0; k < settings_rule_count; k++) {
        const struct settings_rule *rule = &settings_rules[k];
        if (rule->broken(settings) &&
            (!rule->if_given || differs_from_default(rule->key, settings)))
            return error_set(error, GABION_ERROR_INPUT, "%s",
                             settings_rule_describe(rule, settings, text));
    }
    return true;
}

// ---- ranges ----

// `section` is called `name`, "" at the top.
static bool check_ranges(const struct key_section *section, const char *name,
                         const struct gabion_settings *settings, struct gabion_error *error) {
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];
        char expected[256], found[KEY_TEXT_SIZE];
        if (key->section && !check_ranges(key->section, key->name, settings, error))
            return false;
        if (key->width && !key_check(key, settings))
            return error_set(error, GABION_ERROR_INPUT, "%s%s%s: expected %s, found %s", name,
                             name[0] ? "." : "", key->name,
                             key_describe(key, expected, sizeof expected),
                             key_print(key, settings, found));
    }
    return true;
}

bool settings_check(const struct gabion_settings *settings, struct gabion_error *error) {
    return check_ranges(&settings_keys, "", settings, error) && check_rules(settings, error);
}
