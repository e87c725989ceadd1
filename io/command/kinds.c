#include "io/command/kinds.h"

#include <stddef.h>
#include <string.h>

#include "io/file/embed.h"

EMBED_FILE(new_box, "cases/new/box.yaml");
EMBED_FILE(new_drum, "cases/new/drum.yaml");
EMBED_FILE(new_hopper, "cases/new/hopper.yaml");
EMBED_FILE(new_nut, "cases/new/nut.yaml");
EMBED_FILE(new_wall, "cases/new/wall.yaml");
EMBED_FILE(new_arch, "cases/new/arch.yaml");
EMBED_FILE(new_tower, "cases/new/tower.yaml");
EMBED_FILE(new_tower_table, "cases/new/tower.csv");
EMBED_FILE(new_mechanism, "cases/new/mechanism.yaml");
EMBED_FILE(new_plane, "cases/new/plane.yaml");
EMBED_FILE(new_import, "cases/new/import.yaml");
EMBED_FILE(new_import_table, "cases/new/import.csv");

const struct kind kinds[] = {
    {"box", "grains rain into a box that then shakes", new_box, NULL},
    {"drum", "grains in a rotating drum", new_drum, NULL},
    {"hopper", "grains leave a bin through a slot when its gate opens", new_hopper, NULL},
    {"nut", "the Brazil nut: a big sphere under small ones on a shaken floor", new_nut, NULL},
    {"wall", "a dry wall with openings on ground that sinks", new_wall, NULL},
    {"arch", "an arch on a spreading support, until it falls", new_arch, NULL},
    {"tower", "a masonry tower under an accelerogram", new_tower, new_tower_table},
    {"mechanism", "bars and a ball held together by joints", new_mechanism, NULL},
    {"plane", "two dimensions: disks and a block", new_plane, NULL},
    {"import", "spheres from a CSV file", new_import, new_import_table},
    {NULL, NULL, NULL, NULL},
};

const struct kind *kind_find(const char *name) {
    for (const struct kind *kind = kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}
