// ODE (https://ode.org) on the scenes of scene.h: ODE SCENE STATES SECONDS ITERATIONS. Its manual's
// way: QuickStep, a contact joint for each point that the collision functions find, friction by
// pyramids scaled with the normal force (dContactApprox1), error reduction and softness as they are
// by default, a hash space, one thread, double precision as Debian builds it.
#include <ode/ode.h>

#include "tests/bench/peers/scene.h"

#define POINTS 8 // at most, of a pair

struct world {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    const struct peer_scene *scene;
    dBodyID *bodies; // the moving ones
    size_t count;
};

static dGeomID shape_of(const struct world *world, const struct peer_body *body, dMass *mass) {
    const double *half = body->half;
    if (body->is_sphere) {
        dMassSetSphereTotal(mass, body->mass > 0 ? body->mass : 1, half[0]);
        return dCreateSphere(world->space, half[0]);
    }
    dMassSetBoxTotal(mass, body->mass > 0 ? body->mass : 1, 2 * half[0], 2 * half[1], 2 * half[2]);
    return dCreateBox(world->space, 2 * half[0], 2 * half[1], 2 * half[2]);
}

static void add_body(struct world *world, const struct peer_body *body) {
    dMass mass;
    dGeomID geom = shape_of(world, body, &mass);
    if (body->mass > 0) {
        dBodyID id = dBodyCreate(world->world);
        dBodySetMass(id, &mass);
        dGeomSetBody(geom, id);
        world->bodies[world->count++] = id;
    }
    dGeomSetPosition(geom, body->x[0], body->x[1], body->x[2]);
}

static struct world open_world(const struct peer_scene *scene, int iterations) {
    dInitODE2(0);
    struct world world = {.world = dWorldCreate(),
                          .space = dHashSpaceCreate(NULL),
                          .contacts = dJointGroupCreate(0),
                          .scene = scene,
                          .bodies = malloc((scene->body_count + 1) * sizeof *world.bodies)};
    if (!world.bodies)
        peer_fail("no memory");
    dWorldSetGravity(world.world, 0, 0, -scene->gravity);
    dWorldSetQuickStepNumIterations(world.world, iterations);
    for (size_t k = 0; k < scene->body_count; k++)
        add_body(&world, &scene->bodies[k]);
    for (size_t k = 0; k < scene->plane_count; k++) {
        const struct peer_plane *plane = &scene->planes[k];
        dCreatePlane(world.space, plane->n[0], plane->n[1], plane->n[2], plane->d);
    }
    return world;
}

static void collide(void *context, dGeomID a, dGeomID b) {
    struct world *world = context;
    dContact contact[POINTS];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b)
        return;
    int count = dCollide(a, b, POINTS, &contact[0].geom, sizeof *contact);
    for (int k = 0; k < count; k++) {
        contact[k].surface =
            (dSurfaceParameters){.mode = dContactApprox1, .mu = world->scene->friction};
        dJointAttach(dJointCreateContact(world->world, world->contacts, &contact[k]), body_a,
                     body_b);
    }
}

static void step(void *context) {
    struct world *world = context;
    dSpaceCollide(world->space, world, collide);
    dWorldQuickStep(world->world, world->scene->step);
    dJointGroupEmpty(world->contacts);
}

static void write_states(const char *path, const struct world *world) {
    FILE *file = fopen(path, "w");
    if (!file)
        peer_fail("the states cannot be written");
    for (size_t k = 0; k < world->count; k++) {
        struct peer_state state;
        memcpy(state.x, dBodyGetPosition(world->bodies[k]), sizeof state.x);
        memcpy(state.q, dBodyGetQuaternion(world->bodies[k]), sizeof state.q);
        memcpy(state.v, dBodyGetLinearVel(world->bodies[k]), sizeof state.v);
        memcpy(state.w, dBodyGetAngularVel(world->bodies[k]), sizeof state.w);
        peer_write(file, &state);
    }
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc != 5)
        peer_fail("usage: ode SCENE STATES SECONDS ITERATIONS");
    struct peer_scene scene = peer_scene_read(argv[1]);
    struct world world = open_world(&scene, atoi(argv[4]));
    peer_run(&scene, atof(argv[3]), step, &world);
    write_states(argv[2], &world);
    free(world.bodies);
    return 0;
}
