// The scenes that other engines are compared on (tests/bench/peers.py writes them), for programs in
// C and C++:
//   PROGRAM SCENE STATES SECONDS ITERATIONS
// reads SCENE, makes its steps with ITERATIONS of the engine's solver, ends early once they have
// taken SECONDS, writes one line per moving body to STATES and prints what it took. Words of a
// scene: step, steps, gravity (downwards along z) and friction with a number each; plane nx ny nz
// d, with bodies where n . x > d; sphere x y z radius mass; box x y z and half edges, mass. A body
// of mass 0 is fixed. Lines of STATES: x y z, the quaternion w x y z, velocity, spin.
#ifndef TESTS_BENCH_PEERS_SCENE_H
#define TESTS_BENCH_PEERS_SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct peer_plane {
    double n[3], d;
};

struct peer_body {
    double x[3], half[3]; // a sphere has its radius in half[0]
    double mass;
    int is_sphere;
};

struct peer_state {
    double x[3], q[4], v[3], w[3];
};

struct peer_scene {
    double step, gravity, friction;
    int steps;
    struct peer_plane *planes;
    size_t plane_count;
    struct peer_body *bodies;
    size_t body_count;
};

static void peer_fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static void peer_read(FILE *file, double *numbers, int count) {
    for (int k = 0; k < count; k++)
        if (fscanf(file, "%lf", &numbers[k]) != 1)
            peer_fail("the scene ends within a line");
}

static void peer_read_plane(FILE *file, struct peer_scene *scene) {
    size_t size = (scene->plane_count + 1) * sizeof(struct peer_plane);
    double numbers[4];
    peer_read(file, numbers, 4);
    scene->planes = (struct peer_plane *)realloc(scene->planes, size);
    if (!scene->planes)
        peer_fail("no memory");
    struct peer_plane *plane = &scene->planes[scene->plane_count++];
    memcpy(plane->n, numbers, sizeof plane->n);
    plane->d = numbers[3];
}

static void peer_read_body(FILE *file, int is_sphere, struct peer_scene *scene) {
    size_t size = (scene->body_count + 1) * sizeof(struct peer_body);
    int halves = is_sphere ? 1 : 3;
    scene->bodies = (struct peer_body *)realloc(scene->bodies, size);
    if (!scene->bodies)
        peer_fail("no memory");
    struct peer_body *body = &scene->bodies[scene->body_count++];
    body->is_sphere = is_sphere;
    peer_read(file, body->x, 3);
    peer_read(file, body->half, halves);
    peer_read(file, &body->mass, 1);
}

static struct peer_scene peer_scene_read(const char *path) {
    struct peer_scene scene = {0, 0, 0, 0, NULL, 0, NULL, 0};
    FILE *file = fopen(path, "r");
    char word[16];
    double steps = 0;
    if (!file)
        peer_fail("the scene cannot be opened");
    while (fscanf(file, "%15s", word) == 1) {
        if (strcmp(word, "step") == 0)
            peer_read(file, &scene.step, 1);
        else if (strcmp(word, "steps") == 0)
            peer_read(file, &steps, 1);
        else if (strcmp(word, "gravity") == 0)
            peer_read(file, &scene.gravity, 1);
        else if (strcmp(word, "friction") == 0)
            peer_read(file, &scene.friction, 1);
        else if (strcmp(word, "plane") == 0)
            peer_read_plane(file, &scene);
        else
            peer_read_body(file, strcmp(word, "sphere") == 0, &scene);
    }
    fclose(file);
    scene.steps = (int)steps;
    return scene;
}

static double peer_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Makes the steps and prints what they took.
static void peer_run(const struct peer_scene *scene, double limit, void (*step)(void *context),
                     void *context) {
    double begin = peer_seconds();
    int steps = 0;
    while (steps < scene->steps && peer_seconds() - begin < limit) {
        step(context);
        steps++;
    }
    printf("steps: %d\nseconds: %.6f\n", steps, peer_seconds() - begin);
}

static void peer_write(FILE *file, const struct peer_state *state) {
    fprintf(file, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", state->x[0],
            state->x[1], state->x[2], state->q[0], state->q[1], state->q[2], state->q[3],
            state->v[0], state->v[1], state->v[2], state->w[0], state->w[1], state->w[2]);
}

#endif
