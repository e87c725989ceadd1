// The table of settings: one row per member of struct gabion_settings, with its key, default,
// range, unit and explanation, and one list of the rules that tie several settings together. A new
// setting is a member of the struct and a row in engine/api/settings.c.
#ifndef ENGINE_API_SETTINGS_H
#define ENGINE_API_SETTINGS_H

#include "engine/api/key.h"
#include "engine/gabion.h"

extern const struct key_section settings_keys; // the rows of SETTINGS_KEYS

// The rows at the top of a case file. A macro, because the case file has more keys beside them.
#define SETTINGS_KEYS                                                                              \
    {"gravity",                                                                                    \
     KEY_VECTOR,                                                                                   \
     .size = 3,                                                                                    \
     KEY_MEMBER(struct gabion_settings, gravity),                                                  \
     .unit = "m/s2",                                                                               \
     KEY_DEFAULT(0, 0, -9.81),                                                                     \
     .help = "acceleration"},                                                                      \
        {"gravity_ramp", KEY_SECTION, .section = &settings_gravity_ramp_keys,                      \
         .help = "lets gravity grow smoothly from zero"},                                          \
        {"time", KEY_SECTION, .required = true, .section = &settings_time_keys,                    \
         .help = "time stepping"},                                                                 \
        {"contact", KEY_SECTION, .section = &settings_contact_keys, .help = "contact model"},      \
        {"solver", KEY_SECTION, .section = &settings_solver_keys, .help = "contact solver"},       \
        {"stop", KEY_SECTION, .section = &settings_stop_keys, .help = "ends the run early"}, {     \
        "watch", KEY_SECTION, .section = &settings_watch_keys, .help = "warnings during the run"   \
    }
extern const struct key_section settings_gravity_ramp_keys, settings_time_keys,
    settings_contact_keys, settings_solver_keys, settings_stop_keys, settings_watch_keys;

// A rule between two settings that are each valid but may contradict each other.
struct settings_rule {
    const char *key;   // the setting to report; the case reader gives its place in the file
    const char *other; // the setting that it contradicts
    bool if_given; // the rule applies only where the key is given: its default contradicts nothing
    bool (*broken)(const struct gabion_settings *settings);
    const char *text; // what is expected
};
extern const struct settings_rule settings_rules[];
extern const size_t settings_rule_count;

// Writes the message of a broken rule: "key: what is expected (found ...)".
#define SETTINGS_RULE_SIZE 512
const char *settings_rule_describe(const struct settings_rule *rule,
                                   const struct gabion_settings *settings,
                                   char text[SETTINGS_RULE_SIZE]);

// Checks ranges and rules, as gabion_create does, and reports the first defect. A setting counts as
// given when it differs from its default.
bool settings_check(const struct gabion_settings *settings, struct gabion_error *error);

#endif
