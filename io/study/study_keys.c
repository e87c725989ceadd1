#include <math.h>

#include "io/study/study.h"

static const struct key_range exact_integers = {.low = 0.0, .high = 9007199254740992.0};
static const struct key_range values_range = {.low = 1, .high = STUDY_MEMBERS_MAX};
static const struct key_range inside = {0, 1, .low_open = true, .high_open = true};
static const struct key_range sample_range = {.low = 0, .high = 100000};
static const struct key_range sine_range = {.low = 1, .high = 1000};
static const struct key_range thread_range = {.low = 1, .high = 4096};

#define RANGE_KEYS                                                                                 \
    {"from", KEY_NUMBER, .required = true, .help = "first value"},                                 \
        {"to", KEY_NUMBER, .required = true, .help = "last value"}, {                              \
        "count", KEY_INTEGER, .required = true, .range = &values_range, .help = "values"           \
    }
#define SEED_KEY                                                                                   \
    {                                                                                              \
        "seed", KEY_INTEGER, .initial = "1", .range = &exact_integers,                             \
                             .help = "of the random numbers, which also depend on the name of "    \
                                     "the variable"                                                \
    }

static const struct key range_keys[] = {RANGE_KEYS};
static const struct key_section range_section = KEY_SECTION_OF(range_keys);

static const struct key random_keys[] = {
    RANGE_KEYS,
    SEED_KEY,
    {"spacing", KEY_CHOICE, .initial = "linear", .words = "linear log",
     .help = "uniform in the value or in its logarithm"},
};
static const struct key_section random_section = KEY_SECTION_OF(random_keys);

static const struct key seeds_keys[] = {
    {"first", KEY_INTEGER, .initial = "1", .range = &exact_integers, .help = "first seed"},
    {"count", KEY_INTEGER, .required = true, .range = &values_range, .help = "seeds"},
};
static const struct key_section seeds_section = KEY_SECTION_OF(seeds_keys);

static const struct key synthetic_keys[] = {
    {"count", KEY_INTEGER, .required = true, .range = &values_range, .help = "records"},
    SEED_KEY,
    {"duration", KEY_NUMBER, .required = true, .unit = "s", .range = &key_positive,
     .help = "of a record"},
    {"spacing", KEY_NUMBER, .initial = "0.02", .unit = "s", .range = &key_positive,
     .help = "between points"},
    {"frequencies", KEY_VECTOR, .size = 2, .required = true, .unit = "Hz", .range = &key_positive,
     .help = "[lowest, highest] of the sines"},
    {"sines", KEY_INTEGER, .initial = "24", .range = &sine_range, .help = "summed in a record"},
    {"peak", KEY_NUMBER, .initial = "1", .unit = "m/s2", .range = &key_positive,
     .help = "largest acceleration"},
};
static const struct key_section synthetic_section = KEY_SECTION_OF(synthetic_keys);

#define VARIABLE_KEYS                                                                              \
    {"name", KEY_NAME, .help = "column of the table; the key unless given"},                       \
        {"key", KEY_TEXTS,                                                                         \
         .help = "a key of the case as after --set, such as laws.0.friction; all keys of a list "  \
                 "get the same value"},                                                            \
        {"values", KEY_VALUES, .one_of = true, .help = "any values that the key takes"},           \
        {"linear", KEY_SECTION, .one_of = true, .section = &range_section,                         \
         .help = "evenly spaced numbers"},                                                         \
        {"log", KEY_SECTION, .one_of = true, .section = &range_section,                            \
         .help = "numbers with equal ratios"},                                                     \
        {"random", KEY_SECTION, .one_of = true, .section = &random_section,                        \
         .help = "random numbers"},                                                                \
        {"latin", KEY_SECTION, .one_of = true, .section = &random_section,                         \
         .help = "random numbers, one in each of count equal parts of the range, in random "       \
                 "order: several of them in together are a Latin hypercube"},                      \
        {"seeds", KEY_SECTION, .one_of = true, .section = &seeds_section,                          \
         .help = "whole numbers one after the other"},                                             \
        {"files", KEY_TEXTS, .one_of = true,                                                       \
         .help = "names or patterns (records/*.csv), relative to the study file; in the order of " \
                 "the names"},                                                                     \
    {                                                                                              \
        "synthetic", KEY_SECTION, .one_of = true, .section = &synthetic_section,                   \
                                  .help = "artificial accelerograms for a key record.points: "     \
                                          "sines of random frequency, phase and amplitude under "  \
                                          "the envelope sin2(pi t/duration)"                       \
    }

static const struct key variable_keys[] = {VARIABLE_KEYS};
static const struct key_section variable_section = KEY_SECTION_OF(variable_keys);

static const struct key vary_keys[] = {
    VARIABLE_KEYS,
    {"together", KEY_ENTRIES, .one_of = true, .section = &variable_section,
     .help = "variables of equal length that go through their values side by side"},
};
static const struct key_section vary_section = KEY_SECTION_OF(vary_keys);

static const struct key result_keys[] = {
    {"name", KEY_NAME, .help = "column of the table; else made of the other keys"},
    {"summary", KEY_TEXT, .one_of = true, .help = "a key of the summary, such as max-overlap"},
    {"column", KEY_TEXT, .one_of = true, .help = "a column of history.csv, such as PROBE.x"},
    {"of", KEY_CHOICE, .initial = "last", .words = "last max min mean amplitude",
     .help = "which value of the column; mean: of the rows; amplitude: the largest without sign"},
};
static const struct key_section result_section = KEY_SECTION_OF(result_keys);

static const struct key event_keys[] = {
    {"status", KEY_CHOICES, .one_of = true, .words = STUDY_STATUSES,
     .help = "the event is a run that ends with one of these"},
    {"result", KEY_NAME, .one_of = true, .help = "the event is a result in the range below"},
    {"above", KEY_NUMBER, .help = "with result: larger than this"},
    {"below", KEY_NUMBER, .help = "with result: smaller than this"},
};
static const struct key_section event_section = KEY_SECTION_OF(event_keys);

static const struct key threshold_keys[] = {
    {"name", KEY_NAME, .help = "column of the table; the key unless given"},
    {"key", KEY_TEXTS, .required = true,
     .help = "a key of the case that takes a number; all keys of a list get the same value"},
    {"from", KEY_NUMBER, .required = true, .help = "one end of the bracket"},
    {"to", KEY_NUMBER, .required = true,
     .help = "the other end; the event must occur at one end and not at the other"},
    {"tolerance", KEY_NUMBER, .range = &key_positive, .help = "width of the bracket at the end"},
    {"relative_tolerance", KEY_NUMBER, .range = &inside,
     .help = "the same over the middle of the bracket"},
    {"spacing", KEY_CHOICE, .initial = "linear", .words = "linear log",
     .help = "halves differences or ratios"},
};
static const struct key_section threshold_section = KEY_SECTION_OF(threshold_keys);

static const struct key ensemble_keys[] = {
    {"over", KEY_TEXTS, .required = true,
     .help = "names of variables whose values are repetitions, such as seeds and records"},
    {"against", KEY_NAME, .help = "name of the variable that curves are drawn against"},
    {"fit", KEY_CHOICE, .initial = "none", .words = "none lognormal",
     .help = "fragility curve: the probability of the event as a lognormal distribution of "
             "against, by the largest likelihood (Baker 2015)"},
    {"confidence", KEY_NUMBER, .initial = "0.95", .range = &inside, .help = "of all bounds"},
    {"samples", KEY_INTEGER, .initial = "1000", .range = &sample_range,
     .help = "of the bootstrap that bounds the fit; 0: none"},
    {"seed", KEY_INTEGER, .initial = "1", .range = &exact_integers, .help = "of the bootstrap"},
};
static const struct key_section ensemble_section = KEY_SECTION_OF(ensemble_keys);

static const struct key plot_keys[] = {
    {"x", KEY_NAME, .required = true, .help = "a column of the table"},
    {"y", KEY_NAME, .required = true, .help = "a column of the table"},
    {"by", KEY_NAME, .help = "a line for each value of this column"},
};
static const struct key_section plot_section = KEY_SECTION_OF(plot_keys);

static const struct key slurm_keys[] = {
    {"options", KEY_TEXTS, .required = true,
     .help = "options of sbatch for each task, such as --time=2:00:00"},
};
static const struct key_section slurm_section = KEY_SECTION_OF(slurm_keys);

static const struct key file_keys[] = {
    {"title", KEY_TEXT, .initial = "", .help = "one line about the study"},
    {"case", KEY_TEXT, .required = true, .help = "the base case; relative to this file"},
    {"set", KEY_ASSIGNMENTS, .help = "values of the case that all members replace, as --set does"},
    {"vary", KEY_ENTRIES, .section = &vary_section,
     .help = "what varies: members are all combinations of the entries, the last running fastest"},
    {"threads", KEY_INTEGER, .initial = "1", .range = &thread_range, .help = "of each member"},
    {"results", KEY_ENTRIES, .section = &result_section,
     .help = "columns of the table beside status, steps, time and hashes"},
    {"event", KEY_SECTION, .section = &event_section,
     .help = "what thresholds and probabilities are about; else a collapse"},
    {"threshold", KEY_SECTION, .section = &threshold_section,
     .help = "searches by bisection, for each combination of vary, where the event sets in"},
    {"ensemble", KEY_SECTION, .section = &ensemble_section,
     .help = "probabilities and means over members, with confidence bounds"},
    {"plots", KEY_ENTRIES, .section = &plot_section, .help = "pictures of the table"},
    {"slurm", KEY_SECTION, .section = &slurm_section, .help = "for --slurm"},
};
const struct key_section study_keys = KEY_SECTION_OF(file_keys);
