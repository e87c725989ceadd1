// The values that a variable of a study takes.
#ifndef IO_STUDY_VALUES_H
#define IO_STUDY_VALUES_H

#include "io/case/fields.h"
#include "io/study/study.h"

// Fills in the values of a variable from its entry, which agrees with the table of keys. Files are
// looked for beside the study file.
bool values_read(struct study_variable *variable, struct fields entry, const char *study_path,
                 struct gabion_error *error);

char *text_copy(const char *text);

#endif
