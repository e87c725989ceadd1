#include "geometry/polyhedron.h"

#include "parallel/memory.h"

void polyhedron_free(struct polyhedron *polyhedron) {
    if (!polyhedron)
        return;
    void *arrays[] = {polyhedron->corner,    polyhedron->face_start, polyhedron->face_corner,
                      polyhedron->face_edge, polyhedron->normal,     polyhedron->offset,
                      polyhedron->edge};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_free(arrays[k]);
    memory_free(polyhedron);
}
