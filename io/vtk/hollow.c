// Quads that hollow spheres and drums are drawn with.
#include "io/vtk/frame.h"

#define PI   3.14159265358979323846
#define SIDE 8 // quads along the edge of a cube or a disc

// A sphere is an inflated cube; a drum is a tube with as many quads as the edge of its discs.
#define FACE (SIDE * SIDE)
#define TUBE (4 * SIDE)

static bool is_drum(const struct gabion_hollow *hollow) { return hollow->half_length > 0; }

int frame_hollow_pieces(const struct gabion_hollow *hollow) {
    if (!is_drum(hollow))
        return 6 * FACE;
    return TUBE + (hollow->ends ? 2 * FACE : 0);
}

static const int corner_of[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

// Returns the corner in [-1, 1] along both sides of a square.
static void square_corner(int piece, int corner, double *u, double *v) {
    *u = 2.0 * (piece % SIDE + corner_of[corner][0]) / SIDE - 1;
    *v = 2.0 * (piece / SIDE + corner_of[corner][1]) / SIDE - 1;
}

static vec3 sphere_corner(int piece, int corner) {
    double u, v;
    int face = piece / FACE, axis = face / 2;
    vec3 x;
    square_corner(piece % FACE, corner, &u, &v);
    // Equal angles, not equal lengths, give quads of nearly one size.
    vec3_set(&x, axis, face % 2 ? 1 : -1);
    vec3_set(&x, (axis + 1) % 3, tan(0.25 * PI * u));
    vec3_set(&x, (axis + 2) % 3, tan(0.25 * PI * v) * (face % 2 ? 1 : -1));
    return vec3_scale(1 / vec3_length(x), x);
}

// Maps squares around the middle to circles around it.
static vec3 disc_corner(int piece, int corner, double z) {
    double u, v;
    square_corner(piece, corner, &u, &v);
    double reach = fmax(fabs(u), fabs(v)), length = sqrt(u * u + v * v);
    // The corners of each square lie on its circle at the angles of the tube's quads.
    bool steep = fabs(v) > fabs(u);
    double along = steep ? u / v : v / u, angle = length > 0 ? 0.25 * PI * along : 0;
    double near = reach * cos(angle), across = reach * sin(angle);
    if (!(length > 0))
        return vec3_make(0, 0, z);
    if (steep)
        return vec3_make(copysign(1, v) * across, copysign(1, v) * near, z);
    return vec3_make(copysign(1, u) * near, copysign(1, u) * across, z);
}

static vec3 tube_corner(int piece, int corner, double half_length) {
    double angle = 2 * PI * (piece + corner_of[corner][0] - 0.5 * SIDE) / TUBE;
    return vec3_make(cos(angle), sin(angle), corner_of[corner][1] ? half_length : -half_length);
}

vec3 frame_hollow_corner(const struct gabion_hollow *hollow, int piece, int corner) {
    double r = hollow->radius;
    if (!is_drum(hollow))
        return vec3_scale(r, sphere_corner(piece, corner));
    bool tube = piece < TUBE, high = piece >= TUBE + FACE;
    vec3 x = tube ? tube_corner(piece, corner, hollow->half_length)
                  : disc_corner((piece - TUBE) % FACE, corner,
                                high ? hollow->half_length : -hollow->half_length);
    return vec3_make(r * x.x, r * x.y, x.z);
}
