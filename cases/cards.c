#include "cases/mason.h"
#include "engine/api/define.h"
#include "geometry/polyhedron.h"

#define PI 3.14159265358979323846

// Height of the facet at the apex, as a share of a card's thickness.
#define FACET 1e-3

struct house {
    const struct cards_definition *definition;
    int leaning[2]; // shapes: to the right, to the left
    double foot;    // from the apex to the corner that a card stands on, along x
    double rise;    // of a storey, without its floor
    double pitch;   // between apexes
};

// Builds the left or right card of a tent: its section with the corner that it stands on in the
// origin. Cards touch along an edge that would have no normal; a small vertical facet gives it a
// horizontal one.
static struct polyhedron *make_card(const struct cards_definition *definition, bool left,
                                    struct gabion_error *error) {
    double length = definition->card.x, t = definition->card.z, half = 0.5 * definition->card.y;
    double s = sin(definition->angle), c = cos(definition->angle), side = left ? 1 : -1;
    double cut = FACET * t / c, back = cut * s / c;
    const double along[5] = {0, length - cut, length, length, 0}, across[5] = {0, 0, -back, -t, -t};
    vec3 point[10];
    for (int k = 0; k < 10; k++) {
        double u = along[k % 5], v = across[k % 5];
        point[k] = vec3_make(side * (u * s + v * c), k < 5 ? -half : half, u * c - v * s);
    }
    return polyhedron_hull(point, 10, error);
}

static bool lay_tent(struct mason *mason, const struct house *house, double x, double z,
                     struct gabion_error *error) {
    vec3 origin = house->definition->origin;
    for (int side = 0; side < 2; side++) {
        vec3 foot = {x + (side ? house->foot : -house->foot), 0, z};
        if (!mason_lay(mason, house->leaning[side], vec3_add(origin, foot), (quat){1, 0, 0, 0},
                       error))
            return false;
    }
    return true;
}

// Lays a floor card from apex to apex; a finger fits between neighbours.
static bool lay_floor(struct mason *mason, const struct house *house, double x, double z,
                      struct gabion_error *error) {
    const struct cards_definition *definition = house->definition;
    vec3 size = {house->pitch - 0.01 * definition->card.x, definition->card.y, definition->card.z};
    vec3 centre = {x, 0, z + 0.5 * size.z};
    return mason_lay_box(mason, vec3_add(definition->origin, centre), size, error);
}

static bool lay_house(struct mason *mason, const struct house *house, struct gabion_error *error) {
    const struct cards_definition *definition = house->definition;
    bool good = true;
    double z = 0;
    for (int storey = 0; good && storey < definition->storeys; storey++) {
        int tents = definition->tents - storey;
        double first = -0.5 * house->pitch * (tents - 1);
        for (int k = 0; good && k < tents; k++)
            good = lay_tent(mason, house, first + k * house->pitch, z, error);
        z += house->rise;
        for (int k = 0; good && k + 1 < tents; k++)
            good = lay_floor(mason, house, first + (k + 0.5) * house->pitch, z, error);
        z += definition->card.z;
    }
    return good;
}

static bool check_cards(const struct cards_definition *definition, struct gabion_error *error) {
    double t = definition->card.z, length = definition->card.x, angle = definition->angle;
    if (!mason_check_block(definition->card, definition->origin, error))
        return false;
    if (definition->storeys < 1 || definition->tents < definition->storeys)
        return error_set(error, GABION_ERROR_INPUT,
                         "%d storeys on %d tents; 1 storey or more, and as many tents or more are "
                         "needed, because each storey has one less",
                         definition->storeys, definition->tents);
    if (!(angle > 0 && angle < 0.5 * PI && length * sin(angle) > t * cos(angle)))
        return error_set(error, GABION_ERROR_INPUT,
                         "cards of %g x %g m at %g degrees from the vertical do not lean on each "
                         "other; between %g and 90 degrees they do",
                         length, t, angle * 180 / PI, atan(t / length) * 180 / PI);
    return (definition->gap >= 0 && isfinite(definition->gap)) ||
           error_set(error, GABION_ERROR_INPUT, "gap is %g m; 0 or more is needed",
                     definition->gap);
}

bool generate_cards(struct gabion_world *world, const struct cards_definition *definition,
                    struct gabion_error *error) {
    struct mason mason = mason_start(world, &definition->template, &definition->marks);
    double s = sin(definition->angle), c = cos(definition->angle), n = definition->tents;
    struct house house = {
        .definition = definition,
        .foot = definition->card.x * s - FACET * definition->card.z * s / c,
        .rise = definition->card.x * c + definition->card.z * s,
        .pitch = 2 * definition->card.x * s + definition->gap,
    };
    bool good = check_cards(definition, error) &&
                mason_check_count(&mason, 3 * n * definition->storeys, error);
    for (int side = 0; good && side < 2; side++) {
        house.leaning[side] =
            world_add_polyhedron(world, make_card(definition, side == 0, error), error);
        good = house.leaning[side] >= 0;
    }
    good = good && lay_house(&mason, &house, error);
    return mason_finish(&mason, good, "cards", error);
}
