// The commands, one function per verb. Each returns false on failure; the error says why, and its
// status is the exit status.
#ifndef IO_COMMAND_COMMANDS_H
#define IO_COMMAND_COMMANDS_H

#include "io/command/options.h"

bool command_run(const struct options *options, struct gabion_error *error);
bool command_resume(const struct options *options, struct gabion_error *error);
bool command_check(const struct options *options, struct gabion_error *error);
bool command_info(const struct options *options, struct gabion_error *error);
bool command_explain(const struct options *options, struct gabion_error *error);
bool command_solve(const struct options *options, struct gabion_error *error);
bool command_export(const struct options *options, struct gabion_error *error);
bool command_report(const struct options *options, struct gabion_error *error);
bool command_compare(const struct options *options, struct gabion_error *error);
bool command_new(const struct options *options, struct gabion_error *error);
bool command_study(const struct options *options, struct gabion_error *error);

#endif
