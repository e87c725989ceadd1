// A .pvd series, the file that ParaView opens: it lists the frames under DIR/vtk with their times.
#ifndef IO_VTK_PVD_H
#define IO_VTK_PVD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "parallel/error.h"

struct pvd_frame {
    double time;
    int64_t step;
    bool pieces; // the file is a .pvtp, the index of pieces that ranks have written
};

struct pvd {
    // DIR/kind.pvd and DIR/vtk/kind_<step>.EXTENSION. The caller keeps both texts.
    const char *directory, *kind;
    char extension[4];        // vtp or vtu; a series that exists keeps its own
    struct pvd_frame *frames; // in order of time
    size_t count, capacity;
    bool pieces; // frames that are added have pieces
    off_t end;   // of the last frame's line in the file that was written last; 0: there is none
};

bool pvd_exists(const struct pvd *pvd); // there is a file DIR/kind.pvd
// Reads what pvd_write wrote. A missing file is an empty series.
bool pvd_read(struct pvd *pvd, struct gabion_error *error);
bool pvd_write(struct pvd *pvd, struct gabion_error *error);
void pvd_free(struct pvd *pvd);

bool pvd_has(const struct pvd *pvd, int64_t step);
// Adds a frame to the list and to the file. Writes no more than its line where this program wrote
// the file: a series of thousands of frames is not written anew for each of them.
bool pvd_append(struct pvd *pvd, double time, int64_t step, struct gabion_error *error);

// Takes the frames of `step` and later out of the series and removes their files.
bool pvd_drop_from(struct pvd *pvd, int64_t step, struct gabion_error *error);

#define PVD_PATH_MAX 4096
// Returns the file of a frame, which need not be listed yet.
bool pvd_frame_path(const struct pvd *pvd, int64_t step, char path[PVD_PATH_MAX],
                    struct gabion_error *error);
// Returns a piece of a frame, in the folder of its index. Pieces are numbered from 0.
bool pvd_piece_path(const struct pvd *pvd, int64_t step, int piece, char path[PVD_PATH_MAX],
                    struct gabion_error *error);

#endif
