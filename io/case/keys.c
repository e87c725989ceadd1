#include "io/case/keys.h"

#include "engine/api/settings.h"
#include "io/case/case.h"
#include "io/case/sections.h"

// ---- output ----

#define MEMBER(member_) KEY_MEMBER(struct output_settings, member_)

static const struct key output_keys[] = {
    {"vtk_every", KEY_INTEGER, MEMBER(vtk_every), .unit = "steps", KEY_DEFAULT(0),
     .range = &key_whole, .help = "ParaView frames; 0 switches off"},
    {"blocks", KEY_CHOICE, MEMBER(blocks), .initial = "surface", .words = "surface solid",
     .help = "how ParaView frames hold blocks: polygons, or solid cells for volumes and slices"},
    {"displacement_of", KEY_NAME,
     .help =
         "a group: ParaView frames give displacements against its first body, whose motion since "
         "the start, turning included, is taken out; without it, they are those in space"},
    {"checkpoint_every", KEY_INTEGER, MEMBER(checkpoint_every), .unit = "steps", KEY_DEFAULT(0),
     .range = &key_whole, .help = "checkpoints beside the final one; 0 switches off"},
    {"checkpoint_minutes", KEY_NUMBER, MEMBER(checkpoint_minutes), .unit = "min of wall-clock time",
     KEY_DEFAULT(10), .range = &key_not_negative,
     .help = "a checkpoint also where the last one is older than this; 0 switches off"},
    {"history_every", KEY_INTEGER, MEMBER(history_every), .unit = "steps", KEY_DEFAULT(1),
     .range = &key_whole, .help = "rows of history.csv; 0 switches off"},
    {"frames_every", KEY_INTEGER, MEMBER(frames_every), .unit = "steps", KEY_DEFAULT(0),
     .range = &key_whole, .help = "full-precision HDF5 states for analysis; 0 switches off"},
    {"checkpoint_keep", KEY_INTEGER, MEMBER(checkpoint_keep), KEY_DEFAULT(3),
     .range = &key_counting, .help = "the newest checkpoints that are kept"},
};
const struct key_section case_output_keys = KEY_SECTION_OF(output_keys);

// ---- materials ----

static const struct key material_keys[] = {
    {"density", KEY_NUMBER, .unit = "kg/m3", .range = &key_positive,
     .help = "needed by moving bodies that give neither mass nor density"},
};
static const struct key_section material_section = KEY_SECTION_OF(material_keys);

static const struct key law_keys[] = {
    {"between", KEY_PAIR, .required = true,
     .help = "[a, b], or default for pairs without a law of their own"},
    {"friction", KEY_NUMBER, .required = true, .range = &key_not_negative, .words = "inf sticking",
     .help = "Coulomb coefficient; inf or sticking: no slip"},
    {"restitution", KEY_NUMBER, .initial = "0", .range = &key_share, .help = "normal, of speeds"},
    {"tangential_restitution", KEY_NUMBER, .initial = "0", .range = &key_share,
     .help = "tangential, of speeds, inside the friction cone"},
};
static const struct key_section law_section = KEY_SECTION_OF(law_keys);

// ---- bodies ----

// The keys that bodies, generators and imports share.
#define BODY_KEYS                                                                                  \
    {"material", KEY_MATERIAL, .required = true, .help = "a name under materials"}, SHARED_KEYS
#define SHARED_KEYS                                                                                 \
    {"name", KEY_NAME, .help = "group that drivers, forces, probes and removals name"},             \
        {"velocity",    KEY_VECTOR,         .size = 3,                                              \
         .unit = "m/s", .initial = "0 0 0", .help = "at the start"},                                \
        {"spin",          KEY_VECTOR,         .size = 3,                                            \
         .unit = "rad/s", .initial = "0 0 0", .help = "angular velocity at the start, world axes"}, \
        {"fixed", KEY_BOOLEAN, .initial = "false",                                                  \
         .help = "never moves, unless a driver moves it"},                                          \
        {"lock", KEY_CHOICES, .words = "x y z rx ry rz",                                            \
         .help = "degrees of freedom that stay still, world axes"},                                 \
        {"density", KEY_NUMBER, .unit = "kg/m3", .range = &key_positive,                            \
         .help = "instead of the material's"},                                                      \
    {                                                                                               \
        "insert_time", KEY_NUMBER, .unit = "s", .initial = "0", .range = &key_not_negative,         \
                                   .help = "enters the run at this time"                            \
    }

static const struct key sphere_keys[] = {
    {"radius", KEY_NUMBER, .required = true, .unit = "m", .range = &key_positive,
     .help = "of the sphere"},
};
static const struct key_section sphere_section = KEY_SECTION_OF(sphere_keys);

static const struct key half_space_keys[] = {
    {"normal", KEY_VECTOR, .required = true, .size = 3, .help = "out of the solid; any length"},
    {"tangent", KEY_VECTOR, .size = 3, .help = "first side of the rectangle as drawn"},
    {"extent", KEY_VECTOR, .size = 2, .unit = "m", .range = &key_not_negative, .initial = "0 0",
     .help = "half sides of the rectangle as drawn; 0 fits the scene"},
};
static const struct key_section half_space_section = KEY_SECTION_OF(half_space_keys);

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
     .help = "the pieces of a mesh, one body each unless glued; its points are counted from "
             "position"},
    {"compound", KEY_SECTION, .one_of = true, .section = &compound_section,
     .help = "a rigid body made of convex parts, which are counted from position"},
    {"position", KEY_VECTOR, .required = true, .size = 3, .unit = "m",
     .help = "centre of a sphere or box, point of a plane, origin of any other shape"},
    {"orientation", KEY_VECTOR, .size = 4, .initial = "1 0 0 0",
     .help = "quaternion w, x, y, z; any length"},
    {"mass", KEY_NUMBER, .unit = "kg", .range = &key_positive, .help = "instead of density"},
    {"inertia", KEY_VECTOR, .size = 3, .unit = "kg m2", .range = &key_positive,
     .help = "principal moments; else from shape and mass"},
};
static const struct key_section body_section = KEY_SECTION_OF(body_keys);

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
    {"plate", KEY_SECTION, .one_of = true, .section = &plate_section,
     .help = "a flat plate without thickness"},
    {"funnel", KEY_SECTION, .one_of = true, .section = &funnel_section,
     .help = "the mantle of a cone that is cut off, open at both ends"},
    {"cone", KEY_SECTION, .one_of = true, .section = &cone_wall_section,
     .help = "the mantle of a cone, open at one end"},
    {"cylinder", KEY_SECTION, .one_of = true, .section = &cylinder_wall_section,
     .help = "the mantle of a cylinder, or an arc of it, open at both ends"},
    {"surface", KEY_SECTION, .one_of = true, .section = &surface_section,
     .help = "the triangles of a mesh file, without thickness"},
    {"walls", KEY_CHOICES, .words = "xmin xmax ymin ymax zmin zmax",
     .initial = "xmin xmax ymin ymax zmin zmax", .help = "the walls of a box that exist"},
};
static const struct key_section container_section = KEY_SECTION_OF(container_keys);

static const struct key generator_keys[] = {
    BODY_KEYS,
    {"lattice", KEY_SECTION, .one_of = true, .section = &lattice_section,
     .help = "bodies on a cubic lattice, shaken"},
    {"fill", KEY_SECTION, .one_of = true, .section = &fill_section,
     .help = "bodies at random places, clear of each other and of all that is there"},
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
    {"cards", KEY_SECTION, .one_of = true, .section = &cards_section, .help = "a house of cards"},
    {"drums", KEY_SECTION, .one_of = true, .section = &drums_section,
     .help = "a column of drums, with or without base and capital"},
    {"vault", KEY_SECTION, .one_of = true, .section = &vault_section,
     .help = "a barrel vault of voussoirs in running bond"},
    {"stairs", KEY_SECTION, .one_of = true, .section = &stairs_section,
     .help = "a flight of steps, each one block that bears on the one below"},
};
static const struct key_section generator_section = KEY_SECTION_OF(generator_keys);

static const struct key import_keys[] = {
    {"file", KEY_TEXT, .required = true,
     .help = "CSV (columns x y z radius, optionally vx vy vz wx wy wz material mass density) or "
             "HDF5 (position, radius, optionally velocity, spin, orientation, material, mass, "
             "density, id), or a frame or checkpoint of an earlier run (all bodies but walls, in "
             "the order of their ids); relative to this file"},
    {"material", KEY_MATERIAL,
     .help = "a name under materials; needed unless keep names materials"},
    SHARED_KEYS,
    {"radius", KEY_NUMBER, .unit = "m", .range = &key_positive,
     .help = "where the file gives none"},
    {"groups", KEY_NAMES, .help = "of a checkpoint: only bodies of these groups"},
    {"ids", KEY_INTEGERS, .range = &key_exact,
     .help = "of a frame or checkpoint: only these bodies"},
    {"keep", KEY_CHOICES, .words = "materials groups",
     .help = "of a checkpoint: bodies keep their material or their group, by name"},
    {"joints", KEY_BOOLEAN, .initial = "true",
     .help = "of a frame or checkpoint: joints between these bodies, or between one of them and "
             "the world, come with them and with their impulses"},
    {"position", KEY_VECTOR, .size = 3, .unit = "m", .initial = "0 0 0",
     .help = "of a frame or checkpoint: its bodies are moved by this"},
    {"orientation", KEY_VECTOR, .size = 4, .initial = "1 0 0 0",
     .help = "of a frame or checkpoint: quaternion w, x, y, z that turns its bodies about the "
             "origin first; any length"},
};
static const struct key_section import_section = KEY_SECTION_OF(import_keys);

static const struct key from_keys[] = {
    {"file", KEY_TEXT, .required = true,
     .help = "a checkpoint, a frame, or the folder of a run (its newest checkpoint); relative to "
             "this file"},
    {"match", KEY_CHOICE, .initial = "group", .words = "group id",
     .help = "which body is which: the order within groups of the same name, or the id. Frames "
             "have no groups: there it is the id"},
    {"joints", KEY_CHOICE, .initial = "case", .words = "case add",
     .help = "joints of the file that the case does not have: left out with a warning, or added "
             "with their impulses. Joints that both have always take their impulses"},
};
static const struct key_section from_section = KEY_SECTION_OF(from_keys);

static const struct key change_keys[] = {
    {"step", KEY_INTEGER, .required = true, .range = &key_exact, .help = "after which step"},
    {"time", KEY_NUMBER, .required = true, .unit = "s", .help = "then"},
    {"set", KEY_TEXT, .required = true, .help = "KEY=VALUE, as given to resume --set"},
};
static const struct key_section change_section = KEY_SECTION_OF(change_keys);

// ---- the file ----

#define BODIES_ARE_STATE "bodies, their shapes, masses and materials are part of the state"

static const struct key file_keys[] = {
    {"title", KEY_TEXT, .initial = "", .help = "one line about the case"},
    {"include", KEY_FILES, .help = "files merged under this one; relative to it",
     .state = "it was merged when the run began"},
    SETTINGS_KEYS,
    {"tilt", KEY_SECTION, .section = &tilt_section,
     .help = "turns gravity, as if the scene stood on a tilting table"},
    {"plane", KEY_CHOICE, .words = "xy xz yz",
     .help = "two dimensions: every moving body stays in this plane", .state = BODIES_ARE_STATE},
    {"materials", KEY_NAMED, .required = true, .section = &material_section, .help = "by name",
     .state = BODIES_ARE_STATE},
    {"laws", KEY_ENTRIES, .section = &law_section,
     .help = "contact laws of pairs of materials; every pair that can touch needs one"},
    {"bodies", KEY_ENTRIES, .section = &body_section, .help = "bodies one by one",
     .state = BODIES_ARE_STATE},
    {"containers", KEY_ENTRIES, .section = &container_section,
     .help = "fixed walls: boxes, hollow spheres, drums; plates, funnels and meshes, which bodies "
             "touch from both sides",
     .state = BODIES_ARE_STATE},
    {"generators", KEY_ENTRIES, .section = &generator_section, .help = "many bodies at once",
     .state = BODIES_ARE_STATE},
    {"imports", KEY_ENTRIES, .section = &import_section, .help = "bodies in bulk from files",
     .state = BODIES_ARE_STATE},
    {"from", KEY_SECTION, .section = &from_section,
     .help = "the bodies of the case begin with the state that they have in another run "
             "(run --from)",
     .state = "it was taken when the run began"},
    {"joints", KEY_ENTRIES, .section = &joint_section, .help = "hold bodies together",
     .state = "joints and their impulses are part of the state"},
    {"drivers", KEY_ENTRIES, .section = &driver_section,
     .help = "prescribed motion of fixed bodies, counted from where they stand"},
    {"forces", KEY_ENTRIES, .section = &force_section, .help = "applied at the centres of bodies"},
    {"resets", KEY_ENTRIES, .section = &reset_section, .help = "set velocities at a given time"},
    {"removals", KEY_ENTRIES, .section = &removal_section,
     .help = "take bodies out, at a given time or where they are"},
    {"probes", KEY_ENTRIES, .section = &probe_section, .help = "columns of history.csv"},
    {"output", KEY_SECTION, .section = &case_output_keys, .help = "what is written, and how often"},
    {"changes", KEY_ENTRIES, .section = &change_section,
     .help = "what resume --set has changed, written by the program; nothing follows from it",
     .state = "the program writes it"},
};
const struct key_section case_keys = KEY_SECTION_OF(file_keys);
