// Bullet (https://pybullet.org) on the scenes of scene.h: BULLET SCENE STATES SECONDS ITERATIONS.
// Its default world with the settings of its examples: sequential impulses with warm starting and
// split impulses, sweep and prune, one thread, single precision as Debian builds it. Bodies never
// sleep and have no damping, as in the other engines; one step of the solver for each of the scene.
#include <btBulletDynamicsCommon.h>

#include "tests/bench/peers/scene.h"

struct world {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
    double step = 0;
};

static btVector3 vector(const double *x) {
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

static void add(world &world, btCollisionShape *shape, double mass, const btVector3 &place,
                double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0)
        shape->calculateLocalInertia(btScalar(mass), inertia);
    btTransform transform;
    transform.setIdentity();
    transform.setOrigin(place);
    btRigidBody::btRigidBodyConstructionInfo info(
        btScalar(mass), new btDefaultMotionState(transform), shape, inertia);
    // The coefficient of a contact is the product of those of its bodies.
    info.m_friction = btSqrt(btScalar(friction));
    btRigidBody *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.dynamics.addRigidBody(body);
}

static btCollisionShape *shape_of(const peer_body &body) {
    if (body.is_sphere)
        return new btSphereShape(btScalar(body.half[0]));
    return new btBoxShape(vector(body.half));
}

static void fill(world &world, const peer_scene &scene) {
    world.step = scene.step;
    world.dynamics.setGravity(btVector3(0, 0, btScalar(-scene.gravity)));
    for (size_t k = 0; k < scene.body_count; k++)
        add(world, shape_of(scene.bodies[k]), scene.bodies[k].mass, vector(scene.bodies[k].x),
            scene.friction);
    for (size_t k = 0; k < scene.plane_count; k++) {
        const peer_plane &plane = scene.planes[k];
        add(world, new btStaticPlaneShape(vector(plane.n), btScalar(plane.d)), 0,
            btVector3(0, 0, 0), scene.friction);
    }
}

static void step(void *context) {
    world *world = static_cast<struct world *>(context);
    world->dynamics.stepSimulation(btScalar(world->step), 0);
}

static void write(const char *path, world &world) {
    FILE *file = fopen(path, "w");
    if (!file)
        peer_fail("the states cannot be written");
    for (int k = 0; k < world.dynamics.getNumCollisionObjects(); k++) {
        btRigidBody *body = btRigidBody::upcast(world.dynamics.getCollisionObjectArray()[k]);
        btVector3 x = body->getWorldTransform().getOrigin(), v = body->getLinearVelocity();
        btVector3 w = body->getAngularVelocity();
        btQuaternion q = body->getWorldTransform().getRotation();
        peer_state state = {{x.x(), x.y(), x.z()},
                            {q.w(), q.x(), q.y(), q.z()},
                            {v.x(), v.y(), v.z()},
                            {w.x(), w.y(), w.z()}};
        if (body->getInvMass() > 0)
            peer_write(file, &state);
    }
    fclose(file);
}

// What was allocated for the world lives as long as the program.
int main(int argc, char **argv) {
    if (argc != 5)
        peer_fail("usage: bullet SCENE STATES SECONDS ITERATIONS");
    peer_scene scene = peer_scene_read(argv[1]);
    world &world = *new struct world;
    world.dynamics.getSolverInfo().m_numIterations = atoi(argv[4]);
    fill(world, scene);
    peer_run(&scene, atof(argv[3]), step, &world);
    write(argv[2], world);
    return 0;
}
