// Pictures of a study, drawn by gnuplot where it is installed. Each is a script plots/NAME.gp with
// its data inside, so that it can be drawn later or changed, and plots/NAME.svg.
#ifndef IO_STUDY_PLOTS_H
#define IO_STUDY_PLOTS_H

#include "io/study/ensemble.h"

#define PLOTS_MAX 64

struct plots {
    const char *folder; // of the study
    char names[PLOTS_MAX][64];
    char captions[PLOTS_MAX][256];
    int count, drawn;
    bool no_gnuplot;
};

// A plot of two columns of a sheet, with bounds of y and a line for each value of `by` (-1: one).
struct plot_columns {
    const struct sheet *sheet;
    int x, y, low, high, by; // low, high: -1 for none
    const char *y_label;     // NULL: the name of the column
};

bool plots_columns(struct plots *plots, const char *name, const struct plot_columns *columns,
                   struct gabion_error *error);
bool plots_fragility(struct plots *plots, const struct study *study,
                     const struct ensemble_curve *curves, size_t count, struct gabion_error *error);

#endif
