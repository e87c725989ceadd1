// The free surface of a heap: its height over a grid of columns, and the angles of the plane and of
// the cone that fit it best (docs/measuring.md).
#include "engine/probe/heights.h"
#include "engine/probe/quantities.h"
#include "engine/probe/selection.h"
#include "parallel/memory.h"

// A determinant below this share of the squared trace is that of columns in one row.
#define ONE_ROW 1e-12

static double length(double x, double y) { return sqrt(x * x + y * y); }

// Sums over the columns that hold something. Places are counted in columns.
struct heap {
    const struct heights *heights;
    double columns, height, highest, lowest;
    double place[2]; // mean, of the columns
    double peak[2];  // mean, weighted with the heights above the lowest one
};

// Calls `see` for each column that holds something, in the order of the grid.
static void for_columns(struct heap *heap,
                        void (*see)(struct heap *heap, const double place[2], double height,
                                    void *context),
                        void *context) {
    const struct heights *heights = heap->heights;
    for (int64_t row = 0; row < heights->count[1]; row++)
        for (int64_t k = 0; k < heights->count[0]; k++) {
            double height = heights->height[row * heights->count[0] + k];
            const double place[2] = {(double)(heights->low[0] + k),
                                     (double)(heights->low[1] + row)};
            if (height > -INFINITY)
                see(heap, place, height, context);
        }
}

static void add_column(struct heap *heap, const double place[2], double height, void *context) {
    (void)context;
    heap->columns++;
    heap->height += height;
    heap->highest = fmax(heap->highest, height);
    heap->lowest = fmin(heap->lowest, height);
    for (int side = 0; side < 2; side++)
        heap->place[side] += place[side];
}

static void add_peak(struct heap *heap, const double place[2], double height, void *context) {
    double weight = height - heap->lowest, *sum = context;
    *sum += weight;
    for (int side = 0; side < 2; side++)
        heap->peak[side] += weight * (place[side] - heap->place[side]);
}

static struct heap sum_columns(const struct heights *heights) {
    struct heap heap = {.heights = heights, .highest = -INFINITY, .lowest = INFINITY};
    double weight = 0;
    for_columns(&heap, add_column, NULL);
    for (int side = 0; side < 2; side++)
        heap.place[side] /= heap.columns;
    for_columns(&heap, add_peak, &weight);
    for (int side = 0; side < 2; side++)
        heap.peak[side] = heap.place[side] + (weight > 0 ? heap.peak[side] / weight : 0);
    return heap;
}

// The plane -------------------------------------------------------------------------------------

struct plane_sums {
    double xx, xy, yy, xh, yh;
};

static void add_to_plane(struct heap *heap, const double place[2], double height, void *context) {
    struct plane_sums *sums = context;
    double x = place[0] - heap->place[0], y = place[1] - heap->place[1];
    height -= heap->height / heap->columns;
    sums->xx += x * x;
    sums->xy += x * y;
    sums->yy += y * y;
    sums->xh += x * height;
    sums->yh += y * height;
}

// Returns the rise per column of the plane that fits best; of all that do, where the columns are in
// one row, the least steep one.
static double fit_plane(struct heap *heap) {
    struct plane_sums s = {0};
    for_columns(heap, add_to_plane, &s);
    double trace = s.xx + s.yy, determinant = s.xx * s.yy - s.xy * s.xy;
    double x = s.yy * s.xh - s.xy * s.yh, y = s.xx * s.yh - s.xy * s.xh;
    if (determinant > ONE_ROW * trace * trace)
        return length(x / determinant, y / determinant);
    x = s.xx * s.xh + s.xy * s.yh;
    y = s.xy * s.xh + s.yy * s.yh;
    return length(x, y) / (trace * trace);
}

// The cone --------------------------------------------------------------------------------------

struct cone_sums {
    double distance, square, product;
};

static double peak_distance(const struct heap *heap, const double place[2]) {
    return length(place[0] - heap->peak[0], place[1] - heap->peak[1]);
}

static void add_distance(struct heap *heap, const double place[2], double height, void *context) {
    struct cone_sums *sums = context;
    (void)height;
    sums->distance += peak_distance(heap, place) / heap->columns;
}

static void add_to_cone(struct heap *heap, const double place[2], double height, void *context) {
    struct cone_sums *sums = context;
    double distance = peak_distance(heap, place) - sums->distance;
    sums->square += distance * distance;
    sums->product += distance * (height - heap->height / heap->columns);
}

// Returns the fall per column of the cone about the peak that fits best.
static double fit_cone(struct heap *heap) {
    struct cone_sums sums = {0};
    for_columns(heap, add_distance, &sums);
    for_columns(heap, add_to_cone, &sums);
    return -sums.product / sums.square;
}

// -----------------------------------------------------------------------------------------------

static void measure_surface(const struct heights *heights, double *values) {
    struct heap heap = sum_columns(heights);
    double width = heights->width;
    values[5] = heap.columns;
    if (!(heap.columns > 0))
        return;
    values[0] = heap.height / heap.columns;
    values[1] = heap.highest;
    values[2] = heap.height * width * width;
    values[3] = atan(fit_plane(&heap) / width);
    values[4] = atan(fit_cone(&heap) / width);
}

void probe_surface(const struct gabion_world *world, const struct probe *probe, double *values) {
    struct heights heights;
    for (int k = 0; k < 6; k++)
        values[k] = NAN;
    if (!heights_measure(world, probe, &heights))
        return;
    measure_surface(&heights, values);
    memory_free(heights.height);
}
