#include "io/case/keys.h"

#include <string.h>

#include "io/case/sections.h"

static const struct key_range unit_interval = {.low = 0.0, .high = 1.0};
static const struct key_range part_range = {.low = 0.0, .high = 1.0, .low_open = true};
static const struct key_range theta_range = {.low = 0.5, .high = 1.0};
static const struct key_range relaxation_range = {0.0, 2.0, .low_open = true, .high_open = true};
static const struct key_range sides_range = {.low = 3.0, .high = 64.0};
static const struct key_range steps_range = {.low = 0.0, .high = 2147483647.0};
static const struct key_range exact_integers = {.low = 0.0, .high = 9007199254740992.0};

// ---- settings ----

static const struct key gravity_ramp_keys[] = {
    {"start", KEY_NUMBER, .unit = "s", .initial = "0", .help = "gravity is zero until then"},
    {"end", KEY_NUMBER, .required = true, .unit = "s", .help = "full gravity from then on"},
};
static const struct key_section gravity_ramp_section = SECTION(gravity_ramp_keys);

static const struct key time_keys[] = {
    {"step", KEY_NUMBER, .required = true, .unit = "s", .range = &positive, .help = "time step h"},
    {"end", KEY_NUMBER, .required = true, .unit = "s", .range = &not_negative,
     .help = "the run ends when this time is reached"},
    {"theta", KEY_NUMBER, .initial = "0.5", .range = &theta_range,
     .help = "weight of the new state; 0.5 keeps energy exactly, 1 is implicit Euler"},
    {"scheme", KEY_CHOICE, .initial = "moreau", .words = "moreau corrective",
     .help = "moreau: one implicit contact problem per step; corrective: accelerations, positions "
             "and velocities corrected one after another (docs/solvers.md)"},
};
static const struct key_section time_section = SECTION(time_keys);

static const struct key contact_keys[] = {
    {"gap", KEY_CHOICE, .initial = "gap", .words = "moreau gap stabilized",
     .help = "gap: bodies arrive exactly; moreau: a contact acts once its predicted gap closes; "
             "stabilized: overlaps are pushed out too (Anitescu 2003)"},
    {"alert", KEY_NUMBER, .unit = "m", .initial = "auto", .range = &not_negative, .words = "auto",
     .help = "contacts are looked for within this distance; auto follows the speeds"},
    {"restitution_cutoff", KEY_NUMBER, .unit = "m/s", .initial = "auto", .range = &not_negative,
     .words = "auto",
     .help = "with gap and stabilized: slower approaches do not rebound; auto is twice gravity "
             "times step"},
    {"gamma", KEY_NUMBER, .initial = "1", .range = &part_range,
     .help = "with stabilized: the part of a gap or overlap that one step may close"},
    {"restitution_velocity", KEY_CHOICE, .initial = "corrected", .words = "corrected uncorrected",
     .help = "with stabilized: rebounds are a part of the velocity before the collision step, or, "
             "as in Anitescu's figure 1, of what that step left of it"},
    {"joint_correction", KEY_NUMBER, .initial = "1", .range = &unit_interval,
     .help = "share of a joint's position error that a step takes off; 0 lets joints drift"},
    {"projection", KEY_INTEGER, .initial = "0", .range = &steps_range,
     .help = "iterations of a pass that moves overlapping bodies apart after each step; 0: none"},
};
static const struct key_section contact_section = SECTION(contact_keys);

static const struct key solver_keys[] = {
    // The words of method and local are in the order of their enums.
    {"method", KEY_CHOICE, .initial = "nsgs",
     .words = "nsgs psor cpg lemke qp newton bicg anderson ipm prox auto",
     .help = "nsgs: block Gauss-Seidel over the coloured contact graph; newton: proximal Newton "
             "with sparse factors, for masonry; the others in docs/solvers.md"},
    {"local", KEY_CHOICE, .initial = "auto", .words = "auto explicit newton lemke qp exact",
     .help = "one-contact solver of nsgs; auto: explicit between spheres, newton elsewhere"},
    {"tolerance", KEY_NUMBER, .initial = "1e-4", .range = &positive,
     .help = "a step is solved when its residual is below"},
    {"measure", KEY_CHOICE, .initial = "scaled", .words = "scaled fclib",
     .help = "the residual that is compared with the tolerance"},
    {"max_sweeps", KEY_INTEGER, .initial = "1000", .range = &counting,
     .help = "cap on the sweeps of one step, or on its factorisations or pivots, as the method "
             "counts"},
    {"budget", KEY_INTEGERS, .size = 3, .initial = "100 100 100", .range = &steps_range,
     .help = "with time.scheme corrective: iterations on [positions, velocities, accelerations]"},
    {"relaxation", KEY_NUMBER, .initial = "1", .range = &relaxation_range,
     .help = "over- or under-relaxation of the sweeps"},
    {"momentum", KEY_BOOLEAN, .initial = "true",
     .help = "accelerate the sweeps by extrapolation; false gives plain Gauss-Seidel"},
    {"cone", KEY_CHOICE, .initial = "inner", .words = "inner outer",
     .help = "polygon of lemke and qp: corners on Coulomb's circle, or sides outside it"},
    {"cone_sides", KEY_INTEGER, .initial = "8", .range = &sides_range,
     .help = "corners of that polygon"},
    {"cone_angle", KEY_NUMBER, .unit = "deg", .initial = "0",
     .help = "turns that polygon's first corner from the contact's first tangent"},
    {"on_cap", KEY_CHOICE, .initial = "warn", .words = "accept warn stop",
     .help = "what a step that reaches the cap unsolved does"},
    {"time_budget", KEY_NUMBER, .unit = "s", .initial = "0", .range = &not_negative,
     .help = "wall-clock time after which a step stops iterating; 0: none. Such runs cannot be "
             "reproduced"},
};
static const struct key_section solver_section = SECTION(solver_keys);

static const struct key stop_keys[] = {
    {"rest_speed", KEY_NUMBER, .required = true, .unit = "m/s", .range = &positive,
     .help = "the run ends early once every body is slower than this"},
    {"rest_duration", KEY_NUMBER, .required = true, .unit = "s", .range = &positive,
     .help = "for this long"},
};
static const struct key_section stop_section = SECTION(stop_keys);

static const struct key output_keys[] = {
    {"vtk_every", KEY_INTEGER, .unit = "steps", .initial = "0", .range = &steps_range,
     .help = "ParaView frames; 0 switches off"},
    {"blocks", KEY_CHOICE, .initial = "surface", .words = "surface solid",
     .help = "how ParaView frames hold blocks: polygons, or solid cells for volumes and slices"},
    {"checkpoint_every", KEY_INTEGER, .unit = "steps", .initial = "0", .range = &steps_range,
     .help = "checkpoints beside the final one; 0 switches off"},
    {"history_every", KEY_INTEGER, .unit = "steps", .initial = "1", .range = &steps_range,
     .help = "rows of history.csv; 0 switches off"},
    {"frames_every", KEY_INTEGER, .unit = "steps", .initial = "0", .range = &steps_range,
     .help = "full-precision HDF5 states for analysis; 0 switches off"},
    {"checkpoint_keep", KEY_INTEGER, .initial = "3", .range = &counting,
     .help = "the newest checkpoints that are kept"},
};
static const struct key_section output_section = SECTION(output_keys);

// ---- materials ----

static const struct key material_keys[] = {
    {"density", KEY_NUMBER, .unit = "kg/m3", .range = &positive,
     .help = "needed by moving bodies that give neither mass nor density"},
};
static const struct key_section material_section = SECTION(material_keys);

static const struct key law_keys[] = {
    {"between", KEY_PAIR, .required = true,
     .help = "[a, b], or default for pairs without a law of their own"},
    {"friction", KEY_NUMBER, .required = true, .range = &not_negative, .words = "inf sticking",
     .help = "Coulomb coefficient; inf or sticking: no slip"},
    {"restitution", KEY_NUMBER, .initial = "0", .range = &unit_interval,
     .help = "normal, of speeds"},
    {"tangential_restitution", KEY_NUMBER, .initial = "0", .range = &unit_interval,
     .help = "tangential, of speeds, inside the friction cone"},
};
static const struct key_section law_section = SECTION(law_keys);

// ---- bodies ----

// What a body, a generator and an import have in common.
#define BODY_KEYS                                                                                   \
    {"name", KEY_NAME, .help = "group that drivers, forces, probes and removals name"},             \
        {"material", KEY_MATERIAL, .required = true, .help = "a name under materials"},             \
        {"velocity",    KEY_VECTOR,         .size = 3,                                              \
         .unit = "m/s", .initial = "0 0 0", .help = "at the start"},                                \
        {"spin",          KEY_VECTOR,         .size = 3,                                            \
         .unit = "rad/s", .initial = "0 0 0", .help = "angular velocity at the start, world axes"}, \
        {"fixed", KEY_BOOLEAN, .initial = "false",                                                  \
         .help = "never moves, or only as a driver says"},                                          \
        {"lock", KEY_CHOICES, .words = "x y z rx ry rz",                                            \
         .help = "degrees of freedom that stay still, world axes"},                                 \
        {"density", KEY_NUMBER, .unit = "kg/m3", .range = &positive,                                \
         .help = "instead of the material's"},                                                      \
    {                                                                                               \
        "insert_time", KEY_NUMBER, .unit = "s", .initial = "0", .range = &not_negative,             \
                                   .help = "enters the run at this time"                            \
    }

static const struct key sphere_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &positive,
     .help = "of the sphere"},
};
static const struct key_section sphere_section = SECTION(sphere_keys);

static const struct key half_space_keys[] = {
    {"normal", KEY_VECTOR, .required = true, .size = 3, .help = "out of the solid; any length"},
    {"tangent", KEY_VECTOR, .size = 3, .help = "first side of the rectangle as drawn"},
    {"extent", KEY_VECTOR, .size = 2, .unit = "m", .range = &not_negative, .initial = "0 0",
     .help = "half sides of the rectangle as drawn; 0 fits the scene"},
};
static const struct key_section half_space_section = SECTION(half_space_keys);

static const struct key body_keys[] = {
    BODY_KEYS,
    {"sphere", KEY_SECTION, .one_of = true, .section = &sphere_section, .help = "a sphere"},
    {"clump", KEY_SECTION, .one_of = true, .section = &clump_section,
     .help = "a rigid body made of spheres"},
    {"bar", KEY_SECTION, .one_of = true, .section = &bar_section,
     .help = "a clump: equal spheres in a row"},
    {"torus", KEY_SECTION, .one_of = true, .section = &torus_section,
     .help = "a clump: equal spheres on a circle"},
    {"disk", KEY_SECTION, .one_of = true, .section = &disk_section,
     .help = "a disk in the plane of a case with plane"},
    {"half_space", KEY_SECTION, .one_of = true, .section = &half_space_section,
     .help = "the solid behind a plane through position; always fixed"},
    {"box", KEY_SECTION, .one_of = true, .section = &box_shape_section, .help = "a block"},
    {"prism", KEY_SECTION, .one_of = true, .section = &prism_section,
     .help = "a convex polygon of some height"},
    {"wedge", KEY_SECTION, .one_of = true, .section = &wedge_section,
     .help = "a voussoir; position is the centre of its circle"},
    {"hull", KEY_SECTION, .one_of = true, .section = &hull_section,
     .help = "the convex hull of points, which are counted from position"},
    {"mesh", KEY_SECTION, .one_of = true, .section = &mesh_section,
     .help = "the pieces of a mesh, one body each; its points are counted from position"},
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "centre of a sphere or box, point of a plane, origin of any other shape"},
    {"orientation", KEY_VECTOR, .size = 4, .initial = "1 0 0 0",
     .help = "quaternion w, x, y, z; any length"},
    {"mass", KEY_NUMBER, .unit = "kg", .range = &positive, .help = "instead of density"},
    {"inertia", KEY_VECTOR, .size = 3, .unit = "kg m2", .range = &positive,
     .help = "principal moments; else from shape and mass"},
};
static const struct key_section body_section = SECTION(body_keys);

static const struct key box_keys[] = {
    {"min", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "lower corner"},
    {"max", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "upper corner"},
};
static const struct key_section box_section = SECTION(box_keys);

static const struct key container_keys[] = {
    {"name", KEY_NAME, .required = true,
     .help = "of the group; walls of a box are NAME.xmin ... NAME.zmax"},
    {"material", KEY_MATERIAL, .required = true, .help = "a name under materials"},
    {"box", KEY_SECTION, .one_of = true, .section = &box_section,
     .help = "inside of the container"},
    {"hollow_sphere", KEY_SECTION, .one_of = true, .section = &hollow_sphere_section,
     .help = "the inside of a sphere"},
    {"drum", KEY_SECTION, .one_of = true, .section = &drum_section,
     .help = "the inside of a cylinder"},
    {"walls", KEY_CHOICES, .words = "xmin xmax ymin ymax zmin zmax",
     .initial = "xmin xmax ymin ymax zmin zmax", .help = "of a box: those that exist"},
};
static const struct key_section container_section = SECTION(container_keys);

#define CUT_KEYS                                                                                   \
    {"low",                                                                                        \
     KEY_NUMBER,                                                                                   \
     .unit = "m",                                                                                  \
     .initial = "0",                                                                               \
     .range = &not_negative,                                                                       \
     .help = "smaller ones are drawn again"},                                                      \
    {                                                                                              \
        "high", KEY_NUMBER, .required = true, .unit = "m", .range = &positive,                     \
                            .help = "larger ones are drawn again"                                  \
    }

static const struct key normal_keys[] = {
    {"mean", KEY_NUMBER, .required = true, .unit = "m", .range = &positive,
     .help = "of the radius"},
    {"deviation", KEY_NUMBER, .required = true, .unit = "m", .range = &not_negative,
     .help = "standard deviation of the radius"},
    CUT_KEYS,
};
static const struct key_section normal_section = SECTION(normal_keys);

static const struct key lognormal_keys[] = {
    {"median", KEY_NUMBER, .required = true, .unit = "m", .range = &positive,
     .help = "of the radius"},
    {"sigma", KEY_NUMBER, .required = true, .range = &not_negative,
     .help = "standard deviation of the logarithm of the radius"},
    CUT_KEYS,
};
static const struct key_section lognormal_section = SECTION(lognormal_keys);

static const struct key class_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &positive,
     .help = "of the class"},
    {"share", KEY_NUMBER, .required = true, .range = &positive,
     .help = "by number, relative to the other classes"},
};
static const struct key_section class_section = SECTION(class_keys);

static const struct key size_keys[] = {
    {"uniform", KEY_VECTOR, .one_of = true, .size = 2, .unit = "m", .range = &positive,
     .help = "[low, high], evenly by number"},
    {"normal", KEY_SECTION, .one_of = true, .section = &normal_section, .help = "normal, cut"},
    {"lognormal", KEY_SECTION, .one_of = true, .section = &lognormal_section,
     .help = "log-normal, cut"},
    {"classes", KEY_ENTRIES, .one_of = true, .section = &class_section, .help = "a few sizes"},
};
static const struct key_section size_section = SECTION(size_keys);

#define SIZE_KEYS                                                                                  \
    {"radius",                                                                                     \
     KEY_NUMBER,                                                                                   \
     .one_of = true,                                                                               \
     .unit = "m",                                                                                  \
     .range = &positive,                                                                           \
     .section = &size_section,                                                                     \
     .help = "spheres: their radius, or its distribution"},                                        \
        {"clump", KEY_SECTION, .one_of = true, .section = &clump_section,                          \
         .help = "rigid bodies made of spheres, placed by the sphere that holds them"},            \
        {"bar", KEY_SECTION, .one_of = true, .section = &bar_section, .help = "clumps in a row"},  \
        {"torus", KEY_SECTION, .one_of = true, .section = &torus_section, .help = "rings"},        \
        {"disk", KEY_SECTION, .one_of = true, .section = &disk_section,                            \
         .help = "disks in a plane"},                                                              \
        {"turned", KEY_BOOLEAN, .initial = "false", .help = "clumps at random orientations"}, {    \
        "seed", KEY_INTEGER, .initial = "1", .range = &exact_integers,                             \
                             .help = "of the random numbers: equal seeds give equal bodies"        \
    }

static const struct key lattice_keys[] = {
    {"origin", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "first site"},
    {"spacing", KEY_NUMBER, .required = true, .size = 3, .unit = "m", .range = &positive,
     .help = "between sites, one number or one per axis"},
    {"count", KEY_INTEGERS, .required = true, .size = 3, .range = &counting,
     .help = "sites along x, y, z; x runs fastest"},
    {"jitter", KEY_NUMBER, .initial = "0", .range = &not_negative,
     .help = "largest shift along each axis, as a fraction of the spacing"},
    {"limit", KEY_INTEGER, .initial = "0", .range = &exact_integers,
     .help = "bodies; 0: one on every site"},
    SIZE_KEYS,
};
static const struct key_section lattice_section = SECTION(lattice_keys);

static const struct key fill_keys[] = {
    {"min", KEY_VECTOR, .required = true, .size = 3, .unit = "m", .help = "lower corner"},
    {"max", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "upper corner; spheres lie wholly inside"},
    {"count", KEY_INTEGER, .required = true, .range = &counting, .help = "bodies"},
    {"attempts", KEY_INTEGER, .initial = "1000", .range = &counting,
     .help = "random places tried per body before giving up"},
    SIZE_KEYS,
};
static const struct key_section fill_section = SECTION(fill_keys);

static const struct key generator_keys[] = {
    BODY_KEYS,
    {"lattice", KEY_SECTION, .one_of = true, .section = &lattice_section,
     .help = "spheres or clumps on a cubic lattice, shaken"},
    {"fill", KEY_SECTION, .one_of = true, .section = &fill_section,
     .help = "spheres or clumps at random places without overlap"},
    {"wall", KEY_SECTION, .one_of = true, .section = &wall_section,
     .help = "a wall of blocks in running bond"},
    {"slabs", KEY_SECTION, .one_of = true, .section = &slabs_section,
     .help = "ground in one or more parts; always fixed"},
    {"arch", KEY_SECTION, .one_of = true, .section = &arch_section,
     .help = "a semicircular or segmental arch of voussoirs"},
    {"dome", KEY_SECTION, .one_of = true, .section = &dome_section, .help = "rings of a dome"},
    {"tower", KEY_SECTION, .one_of = true, .section = &tower_section,
     .help = "a hollow square tower of blocks"},
    {"stack", KEY_SECTION, .one_of = true, .section = &stack_section,
     .help = "blocks one upon the other, with or without overhang"},
};
static const struct key_section generator_section = SECTION(generator_keys);

static const struct key import_keys[] = {
    {"file", KEY_TEXT, .required = true,
     .help = "CSV (columns x y z radius, optionally vx vy vz wx wy wz material mass density) or "
             "HDF5 (position, radius, optionally velocity, spin, orientation, material, mass, "
             "density, id), or a frame or checkpoint of an earlier run (its spheres, in the order "
             "of their ids); relative to this file"},
    BODY_KEYS,
    {"radius", KEY_NUMBER, .unit = "m", .range = &positive, .help = "where the file gives none"},
};
static const struct key_section import_section = SECTION(import_keys);

// ---- the file ----

static const struct key file_keys[] = {
    {"title", KEY_TEXT, .initial = "", .help = "one line about the case"},
    {"include", KEY_FILES, .help = "files merged under this one; relative to it"},
    {"gravity", KEY_VECTOR, .size = 3, .unit = "m/s2", .initial = "0 0 -9.81",
     .help = "acceleration"},
    {"gravity_ramp", KEY_SECTION, .section = &gravity_ramp_section,
     .help = "lets gravity grow smoothly from zero"},
    {"tilt", KEY_SECTION, .section = &tilt_section,
     .help = "turns gravity, as if the scene stood on a tilting table"},
    {"plane", KEY_CHOICE, .words = "xy xz yz",
     .help = "two dimensions: every moving body stays in this plane"},
    {"time", KEY_SECTION, .required = true, .section = &time_section, .help = "time stepping"},
    {"contact", KEY_SECTION, .section = &contact_section, .help = "contact model"},
    {"solver", KEY_SECTION, .section = &solver_section, .help = "contact solver"},
    {"stop", KEY_SECTION, .section = &stop_section, .help = "ends the run early, at rest"},
    {"materials", KEY_NAMED, .required = true, .section = &material_section, .help = "by name"},
    {"laws", KEY_ENTRIES, .section = &law_section,
     .help = "contact laws of pairs of materials; every pair that can touch needs one"},
    {"bodies", KEY_ENTRIES, .section = &body_section, .help = "bodies one by one"},
    {"containers", KEY_ENTRIES, .section = &container_section,
     .help = "boxes of fixed walls, hollow spheres, drums"},
    {"generators", KEY_ENTRIES, .section = &generator_section, .help = "many bodies at once"},
    {"imports", KEY_ENTRIES, .section = &import_section, .help = "bodies in bulk from files"},
    {"joints", KEY_ENTRIES, .section = &joint_section, .help = "hold bodies together"},
    {"drivers", KEY_ENTRIES, .section = &driver_section,
     .help = "prescribed motion of fixed bodies, counted from where they stand"},
    {"forces", KEY_ENTRIES, .section = &force_section, .help = "applied at the centres of bodies"},
    {"resets", KEY_ENTRIES, .section = &reset_section, .help = "set velocities at a given time"},
    {"removals", KEY_ENTRIES, .section = &removal_section,
     .help = "take bodies out at a given time"},
    {"probes", KEY_ENTRIES, .section = &probe_section, .help = "columns of history.csv"},
    {"output", KEY_SECTION, .section = &output_section, .help = "what is written, and how often"},
};
const struct key_section case_keys = SECTION(file_keys);

const struct key *key_find(const struct key_section *section, const char *name) {
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->keys[i].name, name) == 0)
            return &section->keys[i];
    return NULL;
}
