// Patches: flat convex polygons in which two bodies touch.
#ifndef GEOMETRY_PATCH_H
#define GEOMETRY_PATCH_H

#include "geometry/vec.h"

#define PATCH_POINTS_MAX 128

// Replaces the points by the corners of their convex hull, seen along `normal`, in
// counter-clockwise order about it. Returns the number of corners: 2 when the points lie on a line,
// 1 when they coincide. Points within `nearness` of each other count as one; a point within
// `nearness` of the line between its neighbours is dropped.
int patch_hull(vec3 *point, int count, vec3 normal, double nearness);

// Returns the centroid of the area, or the mean of the corners when the patch has no area.
vec3 patch_middle(const vec3 *corner, int count, vec3 normal);

double patch_area(const vec3 *corner, int count, vec3 normal);

// Returns where `point` lies between the middle and the rim of the patch: 0 in the middle, 1 on the
// rim, more than 1 outside. The rim of a line is its two ends; for a single corner the result is 0.
double patch_place(const vec3 *corner, int count, vec3 normal, vec3 middle, vec3 point);

#endif
