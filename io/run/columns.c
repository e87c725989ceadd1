#include "io/run/columns.h"

#include <math.h>
#include <string.h>

#include "io/text/digits.h"

#define COMPONENTS_MAX 128 // more than any probe has
#define SUMMARY_MAX    6   // components

static int count_probes(const struct gabion_world *world) {
    struct gabion_counts counts;
    return gabion_read_counts(world, &counts, NULL) ? counts.probes : 0;
}

// A comma or a line break in a name would shift every column after it.
static void print_name(FILE *stream, const struct gabion_world *world, int probe, int component) {
    const char *part = gabion_probe_component(world, probe, component);
    for (const char *name = gabion_probe_name(world, probe); *name; name++)
        fputc(strchr(",\"\r\n", *name) ? '_' : *name, stream);
    fprintf(stream, "%s%s", part[0] ? "." : "", part);
}

void columns_print_real(FILE *stream, double real) {
    char text[DIGITS_SIZE];
    int length = digits_real(isnan(real) ? fabs(real) : real, text);
    fwrite(text, 1, (size_t)length, stream);
}

void columns_print_names(FILE *stream, const struct gabion_world *world) {
    int probes = count_probes(world);
    for (int p = 0; p < probes; p++)
        for (int k = 0; k < gabion_probe_components(world, p); k++) {
            fputc(',', stream);
            print_name(stream, world, p, k);
        }
}

int columns_count(const struct gabion_world *world) {
    int count = 0;
    for (int p = count_probes(world) - 1; p >= 0; p--)
        count += gabion_probe_components(world, p);
    return count;
}

bool columns_read(const struct gabion_world *world, double *values, struct gabion_error *error) {
    int probes = count_probes(world);
    for (int p = 0; p < probes; p++) {
        int components = gabion_probe_read(world, p, values, COMPONENTS_MAX, error);
        if (components < 0)
            return false;
        values += components;
    }
    return true;
}

void columns_print_values(FILE *stream, const double *values, int count) {
    for (int k = 0; k < count; k++) {
        fputc(',', stream);
        columns_print_real(stream, values[k]);
    }
}

void columns_print_summary(FILE *stream, const struct gabion_world *world) {
    int probes = count_probes(world);
    for (int p = 0; p < probes; p++) {
        double values[COMPONENTS_MAX];
        int components = gabion_probe_read(world, p, values, COMPONENTS_MAX, NULL);
        for (int k = 0; components <= SUMMARY_MAX && k < components; k++) {
            fprintf(stream, "probe ");
            print_name(stream, world, p, k);
            fprintf(stream, ": %.9g\n", isnan(values[k]) ? fabs(values[k]) : values[k]);
        }
    }
}
