// Reads regions of a case: where fills place bodies, where bodies leave.
#ifndef IO_CASE_REGION_H
#define IO_CASE_REGION_H

#include "geometry/region.h"
#include "io/case/check.h"
#include "io/case/fields.h"

// Reads a region and prepares it. The caller frees it with region_free, also after an error.
bool case_read_region(struct fields fields, struct region *region, struct gabion_error *error);

// Reports what is wrong with a region that its keys alone do not tell.
void case_check_region(struct problems *problems, struct fields fields);

#endif
