// What one frame of a run shows, read from its ParaView files and reduced to what a page draws.
#ifndef IO_REPORT_DRAWING_H
#define IO_REPORT_DRAWING_H

#include <stdint.h>

#include "io/report/pack.h"
#include "io/vtk/read.h"

// How much of a frame is kept. Later levels are for runs of which too few frames would fit.
enum drawing_detail {
    DRAWING_ALL,    // every array; contacts that carry force
    DRAWING_STRONG, // fewer arrays; contacts that carry more than the mean
};

struct drawing_rule {
    enum drawing_detail detail;
    size_t every;   // 1: all spheres; k: one in k of their ids
    double quantum; // m: positions are whole multiples of it
};

#define DRAWING_KINDS 7
extern const char *const drawing_kinds[DRAWING_KINDS]; // names of the ParaView series

// Adds what the file of a kind holds to a frame.
void drawing_add(struct pack_frame *frame, const char *kind, const struct vtk_content *content,
                 const struct drawing_rule *rule);

// Returns the length of the smallest thing in a file, in metres: of a sphere, an edge or a line;
// INFINITY where there is none. Positions are rounded to a share of it.
double drawing_smallest(const struct vtk_content *content);

#endif
