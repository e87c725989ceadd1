// Helpers for the tests of the case reader: write a case, load it, build its world.
#ifndef TESTS_UNIT_CASE_TEXT_H
#define TESTS_UNIT_CASE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/api/define.h"
#include "engine/world/world.h"
#include "io/case/case.h"
#include "io/case/keys.h"
#include "io/text/yaml.h"
#include "parallel/memory.h"

#define BASE                                                                                       \
    "time: {step: 1e-3, end: 2}\n"                                                                 \
    "materials: {grain: {density: 2500}, wall: {}}\n"
#define LAWS   "laws: [{between: default, friction: 0.5}]\n"
#define SPHERE "{material: grain, sphere: {radius: 0.1}, position: [0, 0, 1]}"

static char folder[] = "/tmp/gabion-test-case-XXXXXX";

static inline const char *write_file(const char *name, const char *text) {
    static char path[4][256];
    static int turn;
    char *out = path[turn++ % 4];
    snprintf(out, 256, "%s/%s", folder, name);
    FILE *stream = fopen(out, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    return out;
}

static inline void make_sub(void) {
    char path[256];
    snprintf(path, sizeof path, "%s/sub", folder);
    mkdir(path, 0777); // it may be there already
}

static inline struct case_file *load(const char *text, struct gabion_error *error) {
    *error = (struct gabion_error){0};
    return case_load(write_file("case.yaml", text), NULL, 0, error);
}

static inline struct case_file *load_good(const char *text) {
    struct gabion_error error;
    struct case_file *file = load(text, &error);
    if (!file)
        fail_msg("%s", error.text);
    return file;
}

// Expects an input error whose message contains `part`.
static inline void reject(const char *text, const char *part) {
    struct gabion_error error;
    struct case_file *file = load(text, &error);
    if (file)
        fail_msg("accepted: %s", text);
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("message: %s\nexpected part: %s", error.text, part);
}

static inline void reject_override(const char *text, const char *override, const char *part) {
    struct gabion_error error = {0};
    const char *path = write_file("case.yaml", text);
    struct case_file *file = case_load(path, &override, 1, &error);
    if (file)
        fail_msg("accepted: %s", override);
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("message: %s\nexpected part: %s", error.text, part);
}

struct scene {
    struct team *team;
    struct gabion_world *world;
    struct case_file *file;
    struct gabion_error error;
};

// Builds the world as far as possible. scene.error holds the error, if any.
static inline struct scene build(const char *text) {
    struct scene scene = {0};
    scene.team = team_create(1, NULL, &scene.error);
    scene.file = load_good(text);
    scene.world = world_create(case_settings(scene.file), scene.team, &scene.error);
    assert_non_null(scene.world);
    if (case_define_materials(scene.file, scene.world, &scene.error) &&
        case_add_bodies(scene.file, scene.world, &scene.error))
        case_add_actions(scene.file, scene.world, &scene.error);
    return scene;
}

static inline void tear_down(struct scene *scene) {
    gabion_destroy(scene->world);
    case_free(scene->file);
    team_destroy(scene->team);
}

static inline void reject_build(const char *text, const char *part) {
    struct scene scene = build(text);
    assert_int_equal(scene.error.status, GABION_ERROR_INPUT);
    if (!strstr(scene.error.text, part))
        fail_msg("message: %s\nexpected part: %s", scene.error.text, part);
    tear_down(&scene);
}

static inline void assert_same(double a, double b) {
    if (!(a == b))
        fail_msg("%.17g is not %.17g", a, b);
}

static inline void assert_vector(vec3 v, double x, double y, double z) {
    assert_same(v.x, x);
    assert_same(v.y, y);
    assert_same(v.z, z);
}

static inline int32_t find_body(const struct gabion_world *world, const char *group) {
    for (int32_t i = 0; i < world->bodies.count; i++)
        if (strcmp(world->groups.name[world->bodies.group[i]], group) == 0)
            return i;
    fail_msg("no body in group %s", group);
    return -1;
}

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
