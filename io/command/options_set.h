// One function per option of the table in io/command/options.c: checks the value given on the
// command line and stores it. The value is NULL for a flag.
#ifndef IO_COMMAND_OPTIONS_SET_H
#define IO_COMMAND_OPTIONS_SET_H

#include "io/command/options.h"

bool set_output(struct options *options, const char *value, struct gabion_error *error);
bool set_threads(struct options *options, const char *value, struct gabion_error *error);
bool set_steps(struct options *options, const char *value, struct gabion_error *error);
bool set_until(struct options *options, const char *value, struct gabion_error *error);
bool set_override(struct options *options, const char *value, struct gabion_error *error);
bool set_from(struct options *options, const char *value, struct gabion_error *error);
bool set_match(struct options *options, const char *value, struct gabion_error *error);
bool set_force(struct options *options, const char *value, struct gabion_error *error);
bool set_quiet(struct options *options, const char *value, struct gabion_error *error);
bool set_strict(struct options *options, const char *value, struct gabion_error *error);
bool set_markdown(struct options *options, const char *value, struct gabion_error *error);
bool set_schema(struct options *options, const char *value, struct gabion_error *error);
bool set_man(struct options *options, const char *value, struct gabion_error *error);
bool set_completion(struct options *options, const char *value, struct gabion_error *error);
bool set_kind(struct options *options, const char *value, struct gabion_error *error);
bool set_help(struct options *options, const char *value, struct gabion_error *error);
bool set_version(struct options *options, const char *value, struct gabion_error *error);
bool set_check(struct options *options, const char *value, struct gabion_error *error);
bool set_collect(struct options *options, const char *value, struct gabion_error *error);
bool set_slurm(struct options *options, const char *value, struct gabion_error *error);
bool set_member(struct options *options, const char *value, struct gabion_error *error);
bool set_repeat(struct options *options, const char *value, struct gabion_error *error);
bool set_step(struct options *options, const char *value, struct gabion_error *error);
bool set_prefix(struct options *options, const char *value, struct gabion_error *error);
bool set_fclib(struct options *options, const char *value, struct gabion_error *error);
bool set_history(struct options *options, const char *value, struct gabion_error *error);
bool set_warm(struct options *options, const char *value, struct gabion_error *error);
bool set_plain(struct options *options, const char *value, struct gabion_error *error);
bool set_save(struct options *options, const char *value, struct gabion_error *error);
bool set_solver(struct options *options, const char *value, struct gabion_error *error);
bool set_solvers(struct options *options, const char *value, struct gabion_error *error);
bool set_tolerance(struct options *options, const char *value, struct gabion_error *error);
bool set_tolerances(struct options *options, const char *value, struct gabion_error *error);
bool set_local(struct options *options, const char *value, struct gabion_error *error);
bool set_measure(struct options *options, const char *value, struct gabion_error *error);
bool set_max(struct options *options, const char *value, struct gabion_error *error);
bool set_relaxation(struct options *options, const char *value, struct gabion_error *error);
bool set_cone(struct options *options, const char *value, struct gabion_error *error);
bool set_cone_sides(struct options *options, const char *value, struct gabion_error *error);
bool set_cone_angle(struct options *options, const char *value, struct gabion_error *error);
bool set_frames(struct options *options, const char *value, struct gabion_error *error);
bool set_size(struct options *options, const char *value, struct gabion_error *error);

#endif
