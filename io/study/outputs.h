// What a study leaves beside its runs: tables, plots and a page.
#ifndef IO_STUDY_OUTPUTS_H
#define IO_STUDY_OUTPUTS_H

#include "io/study/campaign.h"

// Writes them anew from what is finished. Prints to standard error what could not be drawn.
bool outputs_write(struct campaign *campaign, struct gabion_error *error);

#endif
