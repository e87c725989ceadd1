#include "geometry/box_tree.h"

#include <stdlib.h>

#include "parallel/memory.h"

#define LEAF_BOXES 4  // at most
#define MOST_DEPTH 64 // of a tree that is halved at every node

// The first child of a node follows it.
struct node {
    struct tree_box box;
    int32_t second; // child; 0: a leaf
    int32_t begin, end;
};

struct box_tree {
    struct node *node;
    int32_t nodes;
    int32_t *index; // boxes in the order of the leaves
    const struct tree_box *given;
    struct tree_box *box; // in that order too
};

static struct tree_box join(struct tree_box a, struct tree_box b) {
    return (struct tree_box){
        {fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
        {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

static bool meet(const struct tree_box *a, const struct tree_box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// Building ------------------------------------------------------------------------------------

struct middle {
    double along;
    int32_t index;
};

static int compare_middles(const void *left, const void *right) {
    const struct middle *a = left, *b = right;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// Returns twice the middle of a box along an axis.
static double middle_of(const struct tree_box *box, int axis) {
    return vec3_get(box->low, axis) + vec3_get(box->high, axis);
}

static int widest_axis(const struct box_tree *tree, int32_t begin, int32_t end) {
    int widest = 0;
    double most = -1;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t k = begin; k < end; k++) {
            double middle = middle_of(&tree->given[tree->index[k]], axis);
            low = fmin(low, middle);
            high = fmax(high, middle);
        }
        if (high - low > most) {
            most = high - low;
            widest = axis;
        }
    }
    return widest;
}

static void sort_range(struct box_tree *tree, int32_t begin, int32_t end, struct middle *scratch) {
    int axis = widest_axis(tree, begin, end);
    for (int32_t k = begin; k < end; k++)
        scratch[k] = (struct middle){middle_of(&tree->given[tree->index[k]], axis), tree->index[k]};
    qsort(scratch + begin, (size_t)(end - begin), sizeof *scratch, compare_middles);
    for (int32_t k = begin; k < end; k++)
        tree->index[k] = scratch[k].index;
}

static int32_t build(struct box_tree *tree, int32_t begin, int32_t end, struct middle *scratch) {
    int32_t number = tree->nodes++;
    struct node node = {.box = tree->given[tree->index[begin]], .begin = begin, .end = end};
    for (int32_t k = begin + 1; k < end; k++)
        node.box = join(node.box, tree->given[tree->index[k]]);
    if (end - begin > LEAF_BOXES) {
        int32_t half = begin + (end - begin) / 2;
        sort_range(tree, begin, end, scratch);
        build(tree, begin, half, scratch);
        node.second = build(tree, half, end, scratch);
    }
    tree->node[number] = node;
    return number;
}

struct box_tree *box_tree_create(const struct tree_box *box, int32_t count) {
    size_t boxes = (size_t)count;
    struct box_tree *tree = memory_allocate(1, sizeof *tree, "a tree of boxes");
    tree->given = box;
    tree->index = memory_allocate(boxes, sizeof *tree->index, "a tree of boxes");
    tree->box = memory_allocate(boxes, sizeof *tree->box, "a tree of boxes");
    tree->node = memory_allocate(boxes, sizeof *tree->node, "a tree of boxes");
    struct middle *scratch = memory_allocate(boxes, sizeof *scratch, "a tree of boxes");
    for (int32_t k = 0; k < count; k++)
        tree->index[k] = k;
    build(tree, 0, count, scratch);
    for (int32_t k = 0; k < count; k++)
        tree->box[k] = box[tree->index[k]];
    memory_free(scratch);
    tree->given = NULL;
    return tree;
}

void box_tree_free(struct box_tree *tree) {
    if (!tree)
        return;
    memory_free(tree->node);
    memory_free(tree->index);
    memory_free(tree->box);
    memory_free(tree);
}

// Searching -----------------------------------------------------------------------------------

void box_tree_visit(const struct box_tree *tree, const struct tree_box *query,
                    void (*visit)(void *context, int32_t index), void *context) {
    int32_t stack[MOST_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t number = stack[--depth];
        const struct node *node = &tree->node[number];
        if (!meet(&node->box, query))
            continue;
        if (node->second > 0) {
            stack[depth++] = node->second;
            stack[depth++] = number + 1;
            continue;
        }
        for (int32_t k = node->begin; k < node->end; k++)
            if (meet(&tree->box[k], query))
                visit(context, tree->index[k]);
    }
}
