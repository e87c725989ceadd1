// The case reader: what a good file means, and how the errors of a bad one are reported.
#include "io/case/keys.h"
#include "tests/unit/case_text.h"

#include "engine/probe/probe.h"

// ---- good cases ----

static void defaults_are_those_of_the_engine(void **state) {
    (void)state;
    struct case_file *file = load_good(BASE);
    const struct gabion_settings *s = case_settings(file);
    struct gabion_settings expected = gabion_default_settings();
    assert_same(s->step, 1e-3);
    assert_same(s->end, 2);
    assert_same(s->theta, expected.theta);
    assert_vector(s->gravity, expected.gravity.x, expected.gravity.y, expected.gravity.z);
    assert_int_equal(s->gap, expected.gap);
    assert_same(s->alert, expected.alert);
    assert_same(s->restitution_cutoff, expected.restitution_cutoff);
    assert_int_equal(s->method, expected.method);
    assert_int_equal(s->local, expected.local);
    assert_same(s->tolerance, expected.tolerance);
    assert_int_equal(s->measure, expected.measure);
    assert_int_equal(s->max_sweeps, expected.max_sweeps);
    assert_same(s->relaxation, expected.relaxation);
    assert_int_equal(s->on_cap, expected.on_cap);
    assert_int_equal(s->scheme, expected.scheme);
    assert_int_equal(s->projection, expected.projection);
    assert_memory_equal(&s->budget, &expected.budget, sizeof s->budget);
    assert_same(s->rest_speed, 0);
    assert_same(s->gravity_ramp_end, s->gravity_ramp_start);
    assert_string_equal(case_title(file), "");
    const struct output_settings *output = case_output(file);
    assert_int_equal(output->vtk_every, 0);
    assert_int_equal(output->history_every, 1);
    assert_int_equal(output->checkpoint_keep, 3);
    assert_same(output->checkpoint_minutes, 10);
    case_free(file);
}

static void settings_are_read(void **state) {
    (void)state;
    struct case_file *file = load_good(
        "title: \"a \\\"b\\\"\"\ngravity: [1, -2e0, .5]\ngravity_ramp: {end: 0.25}\n"
        "contact: {gap: moreau, alert: 0.01, restitution_cutoff: auto}\n"
        "solver: {local: exact, tolerance: 1e-8, measure: fclib, max_sweeps: 1e3,\n"
        "         relaxation: 1.5, on_cap: stop}\nstop: {rest_speed: 1e-3, rest_duration: 0.5}\n"
        "output: {vtk_every: 10, checkpoint_every: 20, history_every: 0, frames_every: 5,\n"
        "         checkpoint_keep: 7, checkpoint_minutes: 0.5}\nmaterials: {}\ntime: {step: 0.5, "
        "end: 0, theta: 1}\n");
    const struct gabion_settings *s = case_settings(file);
    assert_string_equal(case_title(file), "a \"b\"");
    assert_vector(s->gravity, 1, -2, 0.5);
    assert_same(s->gravity_ramp_end, 0.25);
    assert_int_equal(s->gap, GABION_GAP_MOREAU);
    assert_same(s->alert, 0.01);
    assert_same(s->restitution_cutoff, GABION_AUTOMATIC);
    assert_int_equal(s->local, GABION_LOCAL_EXACT);
    assert_int_equal(s->measure, GABION_MEASURE_FCLIB);
    assert_int_equal(s->max_sweeps, 1000);
    assert_int_equal(s->on_cap, GABION_CAP_STOP);
    assert_same(s->rest_duration, 0.5);
    assert_same(s->theta, 1);
    assert_int_equal(case_output(file)->frames_every, 5);
    assert_same(case_output(file)->checkpoint_minutes, 0.5);
    assert_int_equal(case_output(file)->history_every, 0);
    case_free(file);
}

static const char *const full_case =
    BASE "laws:\n- {between: [grain, grain], friction: inf, restitution: 0.5}\n"
         "- {between: [wall, grain], friction: 0.25, tangential_restitution: 0.125}\n"
         "bodies:\n"
         "- {name: ball, material: grain, sphere: {radius: 0.5}, position: [1, 2, 3],\n"
         "   velocity: [0, 0, -1], spin: [1, 0, 0], lock: [y, rz], orientation: [2, 0, 0, 0]}\n"
         "- {name: late, material: grain, sphere: {radius: 0.5}, position: [9, 9, 9], mass: 4,\n"
         "   insert_time: 0.5}\n"
         "- {name: floor, material: wall, half_space: {normal: [0, 0, 2], extent: [3, 4]},\n"
         "   position: [0, 0, -1]}\n"
         "containers:\n- {name: box, material: wall, box: {min: [0, 0, 0], max: [1, 1, 2]},\n"
         "   walls: [xmin, zmin]}\n"
         "generators:\n"
         "- {name: heap, material: grain, velocity: [1, 0, 0],\n"
         "   lattice: {origin: [0, 0, 5], spacing: 1, count: [2, 3, 4], limit: 20,\n"
         "             radius: {uniform: [0.1, 0.2]}}}\n"
         "- {name: rain, material: grain, fill: {min: [0, 0, 10], max: [9, 9, 19], count: 5,\n"
         "   radius: {classes: [{radius: 0.1, share: 1}, {radius: 0.3, share: 2}]}}}\n"
         "drivers:\n- {group: box.zmin, direction: [0, 0, 3], end: 1.5,\n"
         "   sine: {amplitude: 0.1, frequency: 5, phase: 1, smooth: 0.25}}\n"
         "- {group: floor, direction: [1, 0, 0], velocity: 0.5, start: 1}\n"
         "- {group: floor, direction: [1, 0, 0], ramp: {distance: 2}, end: 1}\n"
         "forces:\n- {group: heap, direction: [0, 1, 0], table: {points: [[0, 1], [2, 3]], "
         "scale: 2}}\n- {group: ball, direction: [0, 1, 0], constant: 7}\n"
         "resets: [{group: heap, time: 0.5, velocity: [0, 0, 1]}]\n"
         "removals: [{group: ball, time: 1}]\n"
         "probes: [{name: lift, group: floor, quantity: force}]\n";

static void bodies_are_built(void **state) {
    (void)state;
    struct scene scene = build(full_case);
    assert_string_equal(scene.error.text, "");
    const struct gabion_world *world = scene.world;
    const struct bodies *bodies = &world->bodies;
    int32_t ball = find_body(world, "ball"), floor = find_body(world, "floor");
    assert_vector(bodies->x[ball], 1, 2, 3);
    assert_vector(bodies->v[ball], 0, 0, -1);
    assert_vector(bodies->w[ball], 1, 0, 0);
    assert_same(bodies->q[ball].w, 1);
    assert_int_equal(bodies->lock[ball], GABION_LOCK_Y | GABION_LOCK_RZ);
    assert_true(fabs(bodies->mass[ball] - 2500 * 4.0 / 3.0 * acos(-1.0) * 0.125) < 1e-9);
    assert_vector(bodies_half_space(bodies, floor)->normal, 0, 0, 1);
    assert_same(bodies_half_space(bodies, floor)->extent[1], 4);
    assert_same(bodies->mass[floor], 0);
    assert_int_equal(world->pending_count, 1);
    assert_same(world->pending[0].body.mass, 4);
    // ball, floor, two walls, twenty on the lattice, five of the fill
    assert_int_equal(bodies->count, 1 + 1 + 2 + 20 + 5);
    assert_vector(bodies->v[find_body(world, "heap")], 1, 0, 0);
    const struct gabion_law *law = &world->laws.law[world_law(world, ball, ball)];
    assert_true(isinf(law->friction));
    assert_same(law->restitution, 0.5);
    assert_same(world->laws.law[world_law(world, ball, floor)].friction, 0.25);
    assert_same(world->laws.law[world_law(world, floor, ball)].tangential_restitution, 0.125);
    tear_down(&scene);
}

static void actions_are_built(void **state) {
    (void)state;
    struct scene scene = build(full_case);
    assert_string_equal(scene.error.text, "");
    const struct gabion_world *world = scene.world;
    assert_int_equal(world->driver_count, 3);
    const struct driver *sine = &world->drivers[0], *linear = &world->drivers[1];
    assert_vector(sine->direction, 0, 0, 1);
    assert_string_equal(gabion_group_name(world, sine->group), "box.zmin");
    assert_int_equal(sine->signal.given.kind, GABION_SIGNAL_SINE);
    assert_same(sine->signal.given.amplitude, 0.1);
    assert_same(sine->signal.given.smooth, 0.25);
    assert_same(sine->signal.given.end, 1.5);
    assert_int_equal(linear->signal.given.kind, GABION_SIGNAL_LINEAR);
    assert_same(linear->signal.given.start, 1);
    assert_true(isinf(linear->signal.given.end));
    assert_int_equal(world->drivers[2].signal.given.kind, GABION_SIGNAL_RAMP);
    assert_int_equal(world->force_count, 2);
    assert_int_equal(world->forces[0].signal.given.kind, GABION_SIGNAL_TABLE);
    assert_same(world->forces[0].signal.given.amplitude, 2);
    assert_same(world->forces[0].signal.value[1], 3);
    assert_int_equal(world->forces[1].signal.given.kind, GABION_SIGNAL_CONSTANT);
    assert_int_equal(world->event_count, 2);
    assert_vector(world->events[0].velocity, 0, 0, 1);
    assert_int_equal(world->events[1].kind, EVENT_REMOVAL);
    assert_int_equal(world->probes->count, 1);
    assert_int_equal(world->probes->list[0].quantity, GABION_FORCE);
    tear_down(&scene);
}

static void resolved_text_is_enough(void **state) {
    (void)state;
    struct gabion_error error = {0};
    struct case_file *file = load_good(full_case);
    struct case_file *again = case_parse(case_text(file), "checkpoint", NULL, 0, &error);
    assert_string_equal(error.text, "");
    assert_string_equal(case_text(file), case_text(again));
    assert_same(case_settings(again)->step, 1e-3);
    case_free(file);
    case_free(again);
}

// ---- include, --set, files ----

static void includes_are_merged(void **state) {
    (void)state;
    make_sub();
    write_file("sub/law.yaml", "laws: [{between: [a, a], friction: 0.1}]\n");
    write_file("base.yaml", "include: [sub/law.yaml]\ngravity: [0, 0, -1]\n"
                            "time: {step: 0.1, end: 5}\nmaterials: {a: {density: 1}, b: {}}\n"
                            "laws: [{between: [a, b], friction: 0.2}]\n");
    struct case_file *file =
        load_good("include: base.yaml\ntime: {end: 7}\ngravity: [0, 0, -2]\n"
                  "laws: [{between: [b, b], friction: 0.3}]\nmaterials: {a: {density: 3}}\n");
    assert_same(case_settings(file)->step, 0.1);
    assert_same(case_settings(file)->end, 7);
    assert_vector(case_settings(file)->gravity, 0, 0, -2);
    const char *text = case_text(file);
    const char *order[] = {"[a, a]", "[a, b]", "[b, b]"};
    for (int i = 0; i < 3; i++) {
        text = strstr(text, order[i]);
        assert_non_null(text);
    }
    assert_null(strstr(case_text(file), "include"));
    assert_non_null(strstr(case_text(file), "density: 3"));
    case_free(file);
}

static void bad_includes_are_reported(void **state) {
    (void)state;
    write_file("loop.yaml", "include: case.yaml\n");
    reject("include: loop.yaml\n" BASE, "loop.yaml:1:10: include: \"case.yaml\" includes itself");
    reject("include: nowhere.yaml\n" BASE, "case.yaml:1:10: include: cannot find \"nowhere.yaml\"");
    reject("include: {a: b}\n" BASE, "expected a file name");
    write_file("typo.yaml", "materials: {a: {densty: 1}}\n");
    reject("include: typo.yaml\n" BASE, "typo.yaml:1:17: unknown key \"densty\" in materials.a");
    for (int i = 0; i < 20; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.yaml", i);
        snprintf(text, sizeof text, "include: deep%d.yaml\n", i + 1);
        write_file(name, text);
    }
    reject("include: deep0.yaml\n" BASE, "nested more than 16 deep");
}

static void overrides_are_applied(void **state) {
    (void)state;
    struct gabion_error error = {0};
    const char *path = write_file("case.yaml", BASE LAWS "bodies: [" SPHERE "]\n");
    const char *overrides[] = {"time.end=9", "solver.tolerance=1e-9", "gravity=[0, 0, -3]",
                               "bodies[0].sphere.radius=0.75",
                               "laws.0={between: default, friction: 2}"};
    struct case_file *file = case_load(path, overrides, 5, &error);
    assert_string_equal(error.text, "");
    assert_same(case_settings(file)->end, 9);
    assert_same(case_settings(file)->tolerance, 1e-9);
    assert_vector(case_settings(file)->gravity, 0, 0, -3);
    assert_non_null(strstr(case_text(file), "radius: 0.75"));
    assert_non_null(strstr(case_text(file), "friction: 2"));
    case_free(file);
}

static void bad_overrides_name_the_argument(void **state) {
    (void)state;
    reject_override(BASE, "solver.tolerance=abc",
                    "--set solver.tolerance=abc: solver.tolerance: expected a number > 0");
    reject_override(BASE, "sovler.tolerance=1",
                    "--set sovler.tolerance=1: unknown key \"sovler\" in the case file");
    reject_override(BASE, "time.step", "--set time.step: expected key.key=value");
    reject_override(BASE, "=3", "expected key.key=value");
    reject_override(BASE, "time.step.x=3", "\"x\" does not exist inside a single value");
    reject_override(BASE LAWS, "laws[1].friction=3", "not an entry of a list of 1");
    reject_override(BASE LAWS, "laws[-1].friction=3", "not an entry of a list of 1");
    reject_override(BASE, "time.step=[1", "--set time.step=[1");
}

static void tables_are_inlined(void **state) {
    (void)state;
    write_file("motion.csv", "time, value\n0, 0\n\n# comment\n0.5,1e-3\r\n");
    struct case_file *file = load_good(
        BASE LAWS "bodies: [{name: g, fixed: true, material: grain, sphere: {radius: 0.1},\n"
                  "  position: [0, 0, 0]}]\n"
                  "drivers: [{group: g, direction: [1, 0, 0], table: {file: motion.csv}}]\n");
    assert_non_null(strstr(case_text(file), "- [0.5, 1e-3]"));
    assert_null(strstr(case_text(file), "motion.csv"));
    case_free(file);
    const char *driver =
        BASE "drivers: [{group: g, direction: [1, 0, 0], table: {file: motion.csv}}]\n";
    // A name is relative to the file it stands in.
    make_sub();
    write_file("sub/path.csv", "0, 0\n1, 42.5\n");
    write_file("sub/drive.yaml",
               "drivers: [{group: g, direction: [1, 0, 0], table: {file: path.csv}}]\n");
    file = load_good("include: sub/drive.yaml\n" BASE);
    assert_non_null(strstr(case_text(file), "- [1, 42.5]"));
    case_free(file);
    write_file("motion.csv", "0, 0\n1, x\n");
    reject(driver, "motion.csv:2: expected two numbers, found \"1\", \"x\"");
    write_file("motion.csv", "0, 0\n1\n");
    reject(driver, "motion.csv:2: expected 2 columns (time, value), found 1");
    write_file("motion.csv", "1, 0\n0, 0\n");
    reject(driver, "motion.csv:2:1: drivers[0].table.points: point 2: its time is before");
    write_file("motion.csv", "t, x\n");
    reject(driver, "the table has no points");
    reject(BASE "drivers: [{group: g, direction: [1, 0, 0], table: {file: nowhere.csv}}]\n",
           "case.yaml:3:58: cannot find the file \"nowhere.csv\"");
}

static void imports_are_read(void **state) {
    (void)state;
    write_file("grains.csv", "x,y,z,radius\n1,2,3,0.5\n4,5,6,0.25\n");
    struct scene scene =
        build(BASE LAWS "imports: [{file: grains.csv, name: heap, material: grain, "
                        "velocity: [0, 1, 0]}]\n");
    assert_string_equal(scene.error.text, "");
    int32_t first = find_body(scene.world, "heap");
    assert_vector(scene.world->bodies.x[first], 1, 2, 3);
    assert_vector(scene.world->bodies.v[first], 0, 1, 0);
    assert_int_equal(scene.world->bodies.count, 2);
    tear_down(&scene);
    write_file("grains.csv", "x,y,z,radius\n1,2,3,-0.5\n");
    reject_build(BASE LAWS "imports:\n- {file: grains.csv, material: grain}\n",
                 "grains.csv:2: radius: expected a positive number, found \"-0.5\"");
    reject(BASE "imports: [{file: nothing.csv, material: grain}]\n",
           "case.yaml:3:18: cannot find the file \"nothing.csv\"");
}

// ---- bad cases ----

static void syntax_errors_have_a_place(void **state) {
    (void)state;
    reject("time: {step: 1\n", "case.yaml:");
    reject("time:\n\t- a\n", "case.yaml:2");
    reject("a: 1\nb: 2\na: 3\n",
           "case.yaml:3:1: duplicate key \"a\"; it is already given in line 1");
    reject("- 1\n- 2\n", "case.yaml:1:1: a case file is a mapping");
    reject("", "is empty");
    reject("# nothing\n", "is empty");
    reject("a: \xff\n", "case.yaml:1:4: byte 0xff is not allowed in a case file");
    reject("%\xdf\x31", "byte 0xdf");
    reject("a: \x01\n", "byte 0x01");
    reject("a: \x7f\n", "byte 0x7f");
    reject("a: \xc2\x85\n", "byte 0xc2");
    reject("title: \"a\\x07\"\n" BASE, "case.yaml:1:9: escaped control characters");
    reject("---\na: 1\n---\nb: 2\n", "case.yaml:3:1: a second document");
    reject("? [a]\n: 1\n", "a key must be a name");
    reject("title: !!str a\n" BASE, "tags");
    reject("title: *a\n" BASE, "alias *a has no anchor");
    reject("a: &a [*a]\n" BASE, "inside its own anchor");
    struct gabion_error error = {0};
    assert_null(case_load(folder, NULL, 0, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    error = (struct gabion_error){0};
    assert_null(case_load("/nonexistent/case.yaml", NULL, 0, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
}

static void aliases_work_and_are_capped(void **state) {
    (void)state;
    struct case_file *file = load_good("time: {step: &h 0.25, end: *h}\nmaterials: {}\n");
    assert_same(case_settings(file)->end, 0.25);
    case_free(file);
    char text[2000] = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c < 'k'; c++) {
        char line[128];
        snprintf(line, sizeof line, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c,
                 c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
        strcat(text, line);
    }
    reject(text, "aliases (*name) expand");
    char deep[300] = "a: ";
    memset(deep + 3, '[', 200);
    reject(deep, "case.yaml:");
}

static void keys_are_checked(void **state) {
    (void)state;
    reject(
        BASE "laws:\n- {between: default, friction: 0}\n- {between: [grain, wall], frictoin: 1}\n",
        "case.yaml:5:28: unknown key \"frictoin\" in laws[1]; expected one of between, friction, "
        "restitution, tangential_restitution; did you mean \"friction\"?");
    reject("materials: {}\n", "missing key \"time\" in the case file");
    reject("materials: {}\ntime: {step: 1}\n", "case.yaml:2:7: missing key \"end\" in time");
    reject("materials: {}\ntime: 3\n", "case.yaml:2:7: time: expected a mapping");
    reject(BASE "solver: {tolerance: 0}\n", "solver.tolerance: expected a number > 0, found 0");
    reject(BASE "solver: {tolerance: nan}\n", "found \"nan\"");
    reject(BASE "solver: {tolerance: 1e999}\n", "found \"1e999\"");
    reject(BASE "solver: {tolerance: 0x1p-3}\n", "found \"0x1p-3\"");
    reject(BASE "solver: {tolerance: 1e-3 x}\n", "found \"1e-3 x\"");
    reject(BASE "solver: {tolerance: }\n", "found nothing");
    reject(BASE "solver: {tolerance: [1]}\n", "found a list of 1");
    reject(BASE "solver: {max_sweeps: 1.5}\n", "expected a whole number >= 1, found 1.5");
    reject(BASE "solver: {relaxation: 2}\n", "expected a number in (0, 2)");
    reject(BASE "contact: {alert: auot}\n", "contact.alert: expected a number >= 0 (m), or auto, "
                                            "found \"auot\"; did you mean \"auto\"?");
    reject(BASE "contact: {gap: moreua}\n",
           "expected one of moreau, gap, stabilized, found \"moreua\"; did you mean \"moreau\"?");
    reject(BASE "gravity: [0, 0]\n",
           "gravity: expected a list of 3 numbers (m/s2), found a list of 2");
    reject(BASE "gravity: [0, 0, inf]\n", "gravity: expected a list of 3 numbers");
    reject(BASE "bodies: {}\n", "bodies: expected a list of mappings");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0]}]\n",
           "bodies[0]: expected exactly one of sphere, clump, bar, torus, disk, half_space, box, "
           "prism, wedge, hull, mesh, compound, "
           "found 0");
    reject(BASE "bodies: [{material: grain, position: [0, 0, 0], sphere: {radius: 1}, "
                "half_space: {normal: [0, 0, 1]}}]\n",
           "expected exactly one of sphere, clump, bar, torus, disk, half_space, box, prism, "
           "wedge, hull, mesh, compound, found 2");
    reject(
        BASE "bodies: [{material: grian, sphere: {radius: 1}, position: [0, 0, 0]}]\n",
        "case.yaml:3:21: bodies[0].material: no material \"grian\" under materials; did you mean "
        "\"grain\"?");
    reject(BASE
           "bodies: [{material: grain, sphere: {radius: 1}, position: [0, 0, 0], lock: [q]}]\n",
           "expected a list among x, y, z, rx, ry, rz");
    reject(BASE
           "bodies: [{material: grain, sphere: {radius: 1}, position: [0, 0, 0], fixed: yes}]\n",
           "expected true or false, found \"yes\"");
    reject(BASE
           "bodies: [{name: a b, material: grain, sphere: {radius: 1}, position: [0, 0, 0]}]\n",
           "bodies[0].name: expected a name");
    reject(BASE "generators: [{material: grain, lattice: {origin: [0, 0, 0], spacing: 1, "
                "count: [1, 1, 1.5], radius: 1}}]\n",
           "lattice.count: expected a list of 3 whole numbers");
}

static void many_problems_are_reported_at_once(void **state) {
    (void)state;
    struct gabion_error error;
    assert_null(load(BASE "solver: {tolerance: 0, relaxtion: 1}\ncontact: {gap: 3}\n", &error));
    assert_non_null(strstr(error.text, "solver.tolerance"));
    assert_non_null(strstr(error.text, "\"relaxtion\""));
    assert_non_null(strstr(error.text, "contact.gap"));
    char text[4096] = BASE "laws:\n";
    for (int i = 0; i < 30; i++)
        strcat(text, "- {between: default, friction: -1}\n");
    assert_null(load(text, &error));
    assert_non_null(strstr(error.text, "laws[9].friction"));
    assert_null(strstr(error.text, "laws[10].friction"));
    assert_non_null(strstr(error.text, "and 20 more"));
}

static void rules_are_checked(void **state) {
    (void)state;
    reject(BASE
           "laws: [{between: [grain, wall], friction: 0}, {between: [wall, grain], friction: 1}]\n",
           "laws[1].between: this pair already has a law");
    reject(BASE "laws: [{between: default, friction: 0}, {between: default, friction: 1}]\n",
           "laws[1].between: this pair already has a law");
    reject(BASE "gravity_ramp: {start: 2, end: 1}\n",
           "case.yaml:3:31: gravity_ramp.end: expected a time after gravity_ramp.start (found "
           "gravity_ramp.end: 1, gravity_ramp.start: 2)");
    reject(BASE "gravity_ramp: {start: 2, end: 2}\n", "expected a time after gravity_ramp.start");
    reject(BASE "bodies: [{material: wall, sphere: {radius: 1}, position: [0, 0, 0]}]\n",
           "a moving body needs a density; add one to materials.wall");
    reject(BASE
           "bodies: [{material: wall, half_space: {normal: [0, 0, 0]}, position: [0, 0, 0]}]\n",
           "normal: expected a direction");
    reject(BASE "bodies: [{material: wall, half_space: {normal: [0, 0, 1], tangent: [0, 0, 2]}, "
                "position: [0, 0, 0]}]\n",
           "tangent: expected a direction along the plane");
    reject(BASE "bodies: [{material: wall, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0], "
                "fixed: false}]\n",
           "a half-space is always fixed");
    reject(BASE "bodies: [{material: grain, sphere: {radius: 1}, position: [0, 0, 0], "
                "orientation: [0, 0, 0, 0]}]\n",
           "orientation: expected a quaternion");
    reject(BASE "containers: [{name: b, material: wall, box: {min: [0, 0, 0], max: [1, 0, 1]}}]\n",
           "expected max above min");
    reject(BASE "containers: [{name: b, material: wall, box: {min: [0, 0, 0], max: [1, 1, 1]}}, "
                "{name: b, material: wall, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n",
           "the name \"b\" is already taken");
    reject(BASE "generators: [{material: grain, fill: {min: [0, 0, 0], max: [1, 1, 1], count: 1, "
                "radius: {uniform: [2, 1]}}}]\n",
           "uniform: expected [low, high]");
    reject(BASE "drivers: [{group: a, direction: [0, 0, 0], velocity: 1}]\n",
           "direction: expected a direction");
    reject(BASE "drivers: [{group: a, direction: [0, 0, 1], ramp: {distance: 1}}]\n",
           "a ramp needs an end");
    reject(BASE "forces: [{group: a, direction: [0, 0, 1], constant: 1, start: 2, end: 1}]\n",
           "expected end above start");
}

static void drivers_use_metres_or_degrees(void **state) {
    (void)state;
    const char *const cases[][2] = {
        {"{group: a, velocity: 1}", "expected exactly one of direction, turn, found 0"},
        {"{group: a, direction: [0, 0, 1], turn: {axis: [0, 0, 1]}, velocity: 1}",
         "expected exactly one of direction, turn, found 2"},
        {"{group: a, turn: {axis: [0, 0, 0]}, rate: 1}", "axis: expected a direction"},
        {"{group: a, turn: {pivot: [0, 0, 0]}, rate: 1}", "missing key \"axis\""},
        {"{group: a, turn: {axis: [0, 0, 1]}, velocity: 1}",
         "velocity cannot be combined with turn; give rate (deg/s) instead"},
        {"{group: a, direction: [0, 0, 1], rate: 1}",
         "rate cannot be combined with direction; give velocity (m/s) instead"},
        {"{group: a, turn: {axis: [0, 0, 1]}, end: 1, ramp: {distance: 1}}",
         "distance cannot be combined with turn; give angle (deg) instead"},
        {"{group: a, direction: [0, 0, 1], end: 1, ramp: {angle: 1}}",
         "angle cannot be combined with direction; give distance (m) instead"},
        {"{group: a, direction: [0, 0, 1], end: 1, ramp: {smooth: 1}}",
         "expected exactly one of distance, angle"},
        {"{group: a, direction: [0, 0, 1], record: {points: [[0, 1], [0, 2]]}}",
         "both points have the same time"},
        {"{group: a, direction: [0, 0, 1], record: {points: [[0, 1]], baseline: zero}}",
         "expected one of keep, rest"},
        {"{group: a, direction: [0, 0, 1], record: {file: gone.csv}}",
         "cannot find the file \"gone.csv\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        snprintf(text, sizeof text, BASE "drivers: [%s]\n", cases[k][0]);
        reject(text, cases[k][1]);
    }
    reject(BASE "tilt: {axis: [0, 0, 1]}\n", "exactly one of rate, ramp, table, found 0");
    reject(BASE "tilt: {rate: 1}\n", "missing key \"axis\"");
    reject(BASE "tilt: {axis: [0, 0, 0], rate: 1}\n", "axis: expected a direction");
    reject(BASE "tilt: {axis: [0, 1, 0], ramp: {angle: 1}}\n", "a ramp needs an end");
    reject(BASE "tilt: {axis: [0, 1, 0], velocity: 1}\n", "unknown key \"velocity\"");
    reject(BASE "bodies: [{material: wall, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0], "
                "orientation: [1, 0, 0, 0]}]\n",
           "placed by its normal");
    reject_build(BASE LAWS "tilt: {axis: [0, 1, 0], table: {points: [[0, 1]]}}\n",
                 "case.yaml:4:7: tilt: a table or record needs at least two points");
}

static void turns_and_records_are_built(void **state) {
    (void)state;
    write_file("quake.csv", "time,acceleration\n0,0\n0.5,1\n2,-1\n");
    write_file("tilt.csv", "0,0\n3,90\n");
    struct scene scene =
        build(BASE LAWS
              "tilt: {axis: [0, 2, 0], start: 1, table: {file: tilt.csv, scale: 2}}\n"
              "bodies: [{name: table, material: wall, half_space: {normal: [0, 0, 1]}, "
              "position: [0, 0, 0]}]\n"
              "drivers:\n"
              "- {group: table, turn: {axis: [0, 0, 3], pivot: [1, 2, 3]}, rate: 90}\n"
              "- {group: table, turn: {axis: [1, 0, 0]}, end: 1, ramp: {angle: 180, smooth: 0.1}}\n"
              "- {group: table, turn: {axis: [1, 0, 0]}, sine: {amplitude: 60, frequency: 2}}\n"
              "- {group: table, direction: [0, 2, 0], start: 2,\n"
              "   record: {file: quake.csv, scale: 9.81, baseline: rest}}\n"
              "probes: [{name: p, group: table, quantity: moment}]\n");
    assert_string_equal(scene.error.text, "");
    const struct gabion_world *world = scene.world;
    const double half_turn = acos(-1.0);
    assert_vector(world->tilt_axis, 0, 1, 0);
    assert_int_equal(world->tilt.given.kind, GABION_SIGNAL_TABLE);
    assert_same(world->tilt.given.start, 1);
    assert_true(fabs(world->tilt.given.amplitude - half_turn / 90) < 1e-16);
    assert_int_equal(world->driver_count, 4);
    const struct driver *driver = world->drivers;
    assert_true(driver[0].turns && driver[1].turns && driver[2].turns && !driver[3].turns);
    assert_vector(driver[0].direction, 0, 0, 1);
    assert_vector(driver[0].pivot, 1, 2, 3);
    assert_int_equal(driver[0].signal.given.kind, GABION_SIGNAL_LINEAR);
    assert_true(fabs(driver[0].signal.given.amplitude - half_turn / 2) < 1e-15);
    assert_vector(driver[1].pivot, 0, 0, 0);
    assert_true(fabs(driver[1].signal.given.amplitude - half_turn) < 1e-15);
    assert_true(fabs(driver[2].signal.given.amplitude - half_turn / 3) < 1e-15);
    assert_vector(driver[3].direction, 0, 1, 0);
    assert_int_equal(driver[3].signal.given.kind, GABION_SIGNAL_RECORD);
    assert_same(driver[3].signal.given.amplitude, 9.81);
    assert_int_equal(driver[3].signal.given.points, 3);
    assert_true(driver[3].signal.given.returns);
    assert_int_equal(world->probes->list[0].quantity, GABION_MOMENT);
    assert_non_null(strstr(case_text(scene.file), "0.5"));
    assert_null(strstr(case_text(scene.file), ".csv"));
    tear_down(&scene);
}

static void missing_laws_are_reported(void **state) {
    (void)state;
    reject_build(BASE "bodies: [" SPHERE ", " SPHERE "]\n",
                 "no law for grain on grain; add to laws:");
    reject_build(BASE "laws:\n- {between: [grain, grain], friction: 0}\nbodies: [" SPHERE
                      ", {material: wall, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}]\n",
                 "case.yaml:3:1: no law for grain on wall");
    reject_build(BASE "bodies: [" SPHERE
                      ", {material: grain, sphere: {radius: 0.1}, position: [0, 0, 2], "
                      "insert_time: 1}]\n",
                 "no law for grain on grain");
    // With one grain and two walls, only grain on wall can touch.
    struct scene scene =
        build(BASE "laws: [{between: [grain, wall], friction: 0}]\nbodies: [" SPHERE
                   ", {material: wall, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}, "
                   "{material: wall, half_space: {normal: [1, 0, 0]}, position: [0, 0, 0]}]\n");
    assert_string_equal(scene.error.text, "");
    tear_down(&scene);
}

static void unknown_groups_are_reported(void **state) {
    (void)state;
    reject_build(BASE LAWS "containers: [{name: box, material: wall, box: {min: [0, 0, 0], "
                           "max: [1, 1, 1]}}]\nprobes:\n- {name: p, group: box.zmn, quantity: "
                           "force}\n",
                 "case.yaml:6:20: no group \"box.zmn\"");
    reject_build(BASE LAWS "containers: [{name: box, material: wall, box: {min: [0, 0, 0], "
                           "max: [1, 1, 1]}}]\nremovals: [{group: box.zmn, time: 1}]\n",
                 "did you mean \"box.zmin\"?");
    reject_build(BASE LAWS "bodies: [{name: a, material: grain, sphere: {radius: 1}, "
                           "position: [0, 0, 0]}]\ndrivers:\n- {group: a, direction: [1, 0, 0], "
                           "velocity: 1}\n",
                 "case.yaml:6:3: driver on group a");
}

static void a_resolved_case_has_no_references(void **state) {
    (void)state;
    struct gabion_error error = {0};
    assert_null(case_parse("include: x.yaml\n" BASE, "checkpoint", NULL, 0, &error));
    assert_int_equal(error.status, GABION_ERROR_INPUT);
    error = (struct gabion_error){0};
    assert_null(case_parse(BASE "drivers: [{group: a, direction: [1, 0, 0], table: {file: x}}]\n",
                           "checkpoint", NULL, 0, &error));
    assert_non_null(strstr(error.text, "contains the points"));
}

// ---- explain ----

static void keys_are_explained(void **state) {
    (void)state;
    static char text[1 << 17];
    struct gabion_error error = {0};
    assert_true(keys_explain(&case_keys, "case", "solver.tolerance", text, sizeof text, &error));
    assert_non_null(strstr(text, "solver.tolerance: a number > 0; default 1e-4"));
    assert_true(keys_explain(&case_keys, "case", "laws[3].friction", text, sizeof text, &error));
    assert_true(keys_explain(&case_keys, "case", "", text, sizeof text, &error));
    assert_non_null(strstr(text, "insert_time"));
    assert_false(keys_explain(&case_keys, "case", "solver.tolerence", text, sizeof text, &error));
    assert_non_null(
        strstr(error.text, "no key \"tolerence\" in solver; did you mean \"tolerance\"?"));
    error = (struct gabion_error){0};
    assert_false(keys_explain(&case_keys, "case", "friction", text, sizeof text, &error));
    assert_string_equal(error.text, "no key \"friction\" in a case file; there is laws.friction");
    error = (struct gabion_error){0};
    assert_false(keys_explain(&case_keys, "case", "solver.seed", text, sizeof text, &error));
    assert_non_null(strstr(error.text, "there is generators.lattice.seed, generators.fill.seed"));
    char *markdown = NULL;
    size_t size;
    FILE *stream = open_memstream(&markdown, &size);
    keys_markdown(&case_keys, stream);
    fclose(stream);
    assert_non_null(strstr(markdown, "| `lattice.radius.normal.mean` |"));
    free(markdown);
}

static void text_survives_a_round_trip(void **state) {
    (void)state;
    const char *texts[] = {"",     "-",     "---",        "...",   "a: b",  "#c",
                           "a #b", "\"q\"", "\\x",        "'s'",   "[a]",   "{a}",
                           "&a",   "*a",    "line\nline", "\ttab", "!t",    "%d",
                           "@a",   "`a",    "|",          ">",     " lead", "trail ",
                           "~",    "null",  "1e-3",       "-1.5",  "+2",    "\xc3\xa9t\xc3\xa9",
                           "?",    ":",     "..a",        "--a",   "-a",    "a:",
                           "<<",   "=",     ",",          "."};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct yaml_position at = {"test", 0, 0};
        struct gabion_error error = {0};
        struct yaml_node *root = yaml_create(YAML_MAPPING, at);
        struct yaml_node *list = yaml_create(YAML_LIST, at);
        yaml_append(list, yaml_create_scalar(texts[i], at));
        yaml_append(list, yaml_create_scalar(texts[i], at));
        yaml_put(root, "list", list);
        yaml_put(root, texts[i], yaml_create_scalar(texts[i], at));
        size_t size;
        char *text = yaml_emit(root, &size);
        struct yaml_node *again = yaml_parse(text, size, "again", &error);
        if (!again)
            fail_msg("%s: %s", text, error.text);
        assert_string_equal(again->item[1]->key, texts[i]);
        assert_string_equal(again->item[1]->text, texts[i]);
        assert_int_equal(again->item[0]->count, 2);
        assert_string_equal(again->item[0]->item[1]->text, texts[i]);
        memory_free(text);
        yaml_free(again);
        yaml_free(root);
    }
}

// Settings that contradict the corrective scheme are reported when the case is read.
#define CORRECTIVE "materials: {a: {density: 1}}\ntime: {step: 1, end: 2, scheme: corrective}\n"

static void the_corrective_scheme_is_checked(void **state) {
    (void)state;
    reject(CORRECTIVE,
           "case.yaml:2:33: time.scheme: corrective needs solver.method bicg (found time.scheme: "
           "corrective, solver.method: auto)");
    reject(CORRECTIVE "solver: {method: bicg}\nlaws:\n- {between: default, friction: 0.3}\n",
           "case.yaml:5:32: laws[0].friction: time.scheme corrective supports only 0 and sticking, "
           "found 0.3");
    reject(CORRECTIVE "solver: {method: bicg}\nlaws:\n- {between: default, friction: sticking, "
                      "tangential_restitution: 0.5}\n",
           "laws[0].tangential_restitution: time.scheme corrective supports only 0");
    reject(CORRECTIVE "solver: {method: bicg}\ncontact: {projection: 4}\n",
           "case.yaml:4:23: contact.projection: time.scheme corrective has a position pass of its "
           "own");
    reject(CORRECTIVE "solver: {method: bicg}\ncontact: {gap: stabilized}\n",
           "case.yaml:4:16: contact.gap: stabilized needs time.scheme moreau");
    reject(
        CORRECTIVE "solver: {method: bicg, time_budget: 1}\n",
        "case.yaml:3:37: solver.time_budget: time.scheme corrective counts iterations, not time");
    reject(CORRECTIVE "solver: {method: bicg, budget: [1, 2]}\n", "solver.budget: expected a list");
    reject(CORRECTIVE "solver: {method: bicg, budget: [1, 2, -3]}\n", "solver.budget: expected");
    reject(BASE "solver: {budget: [1, 2, 3]}\n",
           "case.yaml:3:18: solver.budget: only time.scheme corrective has a budget of iterations; "
           "remove it");
    struct case_file *file = load_good(CORRECTIVE "solver: {method: bicg, budget: [5, 0, 7]}\n");
    const struct gabion_settings *settings = case_settings(file);
    assert_int_equal(settings->scheme, GABION_SCHEME_CORRECTIVE);
    assert_int_equal(settings->budget.positions, 5);
    assert_int_equal(settings->budget.velocities, 0);
    assert_int_equal(settings->budget.accelerations, 7);
    case_free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_engine),
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(bodies_are_built),
        cmocka_unit_test(actions_are_built),
        cmocka_unit_test(resolved_text_is_enough),
        cmocka_unit_test(includes_are_merged),
        cmocka_unit_test(bad_includes_are_reported),
        cmocka_unit_test(overrides_are_applied),
        cmocka_unit_test(bad_overrides_name_the_argument),
        cmocka_unit_test(tables_are_inlined),
        cmocka_unit_test(imports_are_read),
        cmocka_unit_test(syntax_errors_have_a_place),
        cmocka_unit_test(aliases_work_and_are_capped),
        cmocka_unit_test(keys_are_checked),
        cmocka_unit_test(many_problems_are_reported_at_once),
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(the_corrective_scheme_is_checked),
        cmocka_unit_test(drivers_use_metres_or_degrees),
        cmocka_unit_test(turns_and_records_are_built),
        cmocka_unit_test(missing_laws_are_reported),
        cmocka_unit_test(unknown_groups_are_reported),
        cmocka_unit_test(a_resolved_case_has_no_references),
        cmocka_unit_test(keys_are_explained),
        cmocka_unit_test(text_survives_a_round_trip),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
