// Patches: flat convex polygons on which two bodies lie against each other.
#ifndef GEOMETRY_PATCH_H
#define GEOMETRY_PATCH_H

#include "geometry/vec.h"

#define PATCH_POINTS_MAX 128

// Keeps the corners of the convex hull of the points, seen along `normal` and in counter-clockwise
// order about it, and returns their number: 1 where all points are one, 2 where they lie on a line.
// Points within `nearness` of each other or of the line between their neighbours are one, or none.
int patch_hull(vec3 *point, int count, vec3 normal, double nearness);

// Centroid of the area; of a patch without area, the mean of the corners.
vec3 patch_middle(const vec3 *corner, int count, vec3 normal);

double patch_area(const vec3 *corner, int count, vec3 normal);

// How far `point` is from the middle on the way to the rim: 0 in the middle, 1 on the rim, more
// outside. A line has its two ends for a rim; one corner has none, and the answer is 0.
double patch_place(const vec3 *corner, int count, vec3 normal, vec3 middle, vec3 point);

#endif
