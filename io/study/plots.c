#include "io/study/plots.h"

#include <math.h>
#include <string.h>

#include "io/file/file.h"
#include "io/study/child.h"
#include "io/text/number.h"
#include "parallel/memory.h"

#define PATH_SIZE 4096

// Texts in gnuplot's double quotes.
static void print_quoted(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text; text++) {
        if (strchr("\"\\", *text))
            fputc('\\', stream);
        fputc(*text == '\n' ? ' ' : *text, stream);
    }
    fputc('"', stream);
}

static void print_label(FILE *stream, const char *axis, const char *text) {
    fprintf(stream, "set %s ", axis);
    print_quoted(stream, text);
    fputs(" noenhanced\n", stream);
}

static bool open_script(struct plots *plots, const char *name, const char *caption,
                        struct safe_file *file, struct gabion_error *error) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.3000s/plots/%s.gp", plots->folder, name);
    if (!safe_file_open(file, path, error))
        return false;
    snprintf(plots->names[plots->count], sizeof plots->names[0], "%s", name);
    snprintf(plots->captions[plots->count], sizeof plots->captions[0], "%s", caption);
    fprintf(file->stream,
            "# Drawn by: gnuplot %s.gp\n"
            "set terminal svg size 720,460 dynamic font \"sans-serif,13\" background \"white\"\n"
            "set output \"%s.svg\"\n"
            "set grid lc rgb \"#dddddd\"\nset border 3\nset tics nomirror\n"
            "set key left top noenhanced\n"
            "array colour[6] = [\"#1b6ca8\", \"#c8553d\", \"#3a7d44\", \"#7b4b94\", \"#b8860b\", "
            "\"#555555\"]\n"
            "tint(k) = colour[(k %% 6) + 1]\n",
            name, name);
    return true;
}

// The script is there whether gnuplot is installed or not.
static bool draw(struct plots *plots, struct safe_file *file, struct gabion_error *error) {
    char folder[PATH_SIZE], script[80], path[PATH_SIZE];
    if (!safe_file_commit(file, error))
        return false;
    const char *name = plots->names[plots->count++];
    snprintf(folder, sizeof folder, "%.3000s/plots", plots->folder);
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(path, sizeof path, "%.3000s/plots/%s.log", plots->folder, name);
    struct child_request request = {
        .program = "gnuplot", .arguments = {script}, .messages = path, .folder = folder};
    int status = plots->no_gnuplot ? CHILD_NOT_STARTED : child_run(&request, error);
    plots->no_gnuplot |= status == CHILD_NOT_STARTED;
    plots->drawn += status == 0;
    if (status != 0 && status != CHILD_NOT_STARTED)
        fprintf(stderr, "gnuplot could not draw %s/%s; see %s\n", folder, script, path);
    return error->status == GABION_OK;
}

// ---- columns ----

static bool is_numeric(const struct sheet *sheet, int column) {
    double number;
    for (size_t row = 0; row < sheet_rows(sheet); row++) {
        const char *text = sheet_at(sheet, row, (size_t)column);
        if (text[0] && !number_parse(text, &number))
            return false;
    }
    return true;
}

static void print_cell(FILE *stream, const struct sheet *sheet, size_t row, int column) {
    const char *text = sheet_at(sheet, row, (size_t)column);
    double number;
    fprintf(stream, "%s ", number_parse(text, &number) ? text : "NaN");
}

static bool is_first(const struct sheet *sheet, int column, size_t row) {
    for (size_t k = 0; column >= 0 && k < row; k++)
        if (strcmp(sheet_at(sheet, k, (size_t)column), sheet_at(sheet, row, (size_t)column)) == 0)
            return false;
    return column >= 0 || row == 0;
}

static void print_block(FILE *stream, const struct plot_columns *columns, int block,
                        const char *value) {
    const struct sheet *sheet = columns->sheet;
    bool text = !is_numeric(sheet, columns->x);
    fprintf(stream, "$block%d << END\n", block);
    for (size_t row = 0; row < sheet_rows(sheet); row++) {
        if (columns->by >= 0 && strcmp(sheet_at(sheet, row, (size_t)columns->by), value) != 0)
            continue;
        if (text) // by its place
            fprintf(stream, "%zu ", row + 1);
        else
            print_cell(stream, sheet, row, columns->x);
        print_cell(stream, sheet, row, columns->y);
        if (columns->low >= 0) {
            print_cell(stream, sheet, row, columns->low);
            print_cell(stream, sheet, row, columns->high);
        }
        fputc('\n', stream);
    }
    fputs("END\n", stream);
}

// Texts along x stand at the numbers of their rows.
static void print_tics(FILE *stream, const struct plot_columns *columns) {
    const struct sheet *sheet = columns->sheet;
    if (is_numeric(sheet, columns->x))
        return;
    fputs("set xtics noenhanced (", stream);
    for (size_t row = 0; row < sheet_rows(sheet); row++) {
        fputs(row ? ", " : "", stream);
        print_quoted(stream, sheet_at(sheet, row, (size_t)columns->x));
        fprintf(stream, " %zu", row + 1);
    }
    fprintf(stream, ")\nset xrange [0.5:%zu.5]\n", sheet_rows(sheet));
}

bool plots_columns(struct plots *plots, const char *name, const struct plot_columns *columns,
                   struct gabion_error *error) {
    struct safe_file file;
    const struct sheet *sheet = columns->sheet;
    const char *x = sheet->columns[columns->x];
    const char *y = columns->y_label ? columns->y_label : sheet->columns[columns->y];
    char caption[256];
    int blocks = 0;
    snprintf(caption, sizeof caption, "%.110s against %.110s", y, x);
    if (plots->count == PLOTS_MAX)
        return true;
    if (!open_script(plots, name, caption, &file, error))
        return false;
    print_label(file.stream, "xlabel", x);
    print_label(file.stream, "ylabel", y);
    print_tics(file.stream, columns);
    for (size_t row = 0; row < sheet_rows(sheet); row++)
        if (is_first(sheet, columns->by, row))
            print_block(file.stream, columns, blocks++,
                        columns->by >= 0 ? sheet_at(sheet, row, (size_t)columns->by) : "");
    fputs("plot ", file.stream);
    blocks = 0;
    for (size_t row = 0; row < sheet_rows(sheet); row++) {
        if (!is_first(sheet, columns->by, row))
            continue;
        char title[256] = "";
        if (columns->by >= 0)
            snprintf(title, sizeof title, "%.100s = %.100s", sheet->columns[columns->by],
                     sheet_at(sheet, row, (size_t)columns->by));
        fprintf(file.stream,
                "%s$block%d using 1:2 with linespoints pt 7 ps 0.5 lc rgb tint(%d) title ",
                blocks ? ", \\\n     " : "", blocks, blocks);
        print_quoted(file.stream, title);
        if (columns->low >= 0)
            fprintf(file.stream,
                    ", \\\n     $block%d using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb tint(%d) "
                    "notitle",
                    blocks, blocks);
        blocks++;
    }
    fputs("\n", file.stream);
    return draw(plots, &file, error);
}

// ---- fragility ----

static void print_curve(FILE *stream, const struct ensemble_curve *curve, size_t k,
                        double confidence) {
    fprintf(stream, "$seen%zu << END\n", k);
    for (size_t i = 0; i < curve->stripe_count; i++) {
        const struct stripe *stripe = &curve->stripes[i];
        struct bounds bounds = wilson_bounds(stripe->events, stripe->trials, confidence);
        if (stripe->trials > 0)
            fprintf(stream, "%.12g %.6g %.6g %.6g\n", stripe->level,
                    (double)stripe->events / (double)stripe->trials, bounds.low, bounds.high);
    }
    fprintf(stream, "END\n$curve%zu << END\n", k);
    for (size_t g = 0; g < ENSEMBLE_GRID; g++) {
        if (curve->fit.kind == FIT_NONE)
            fprintf(stream, "%.9g NaN NaN NaN\n", curve->grid[g]);
        else
            fprintf(stream, "%.9g %.6g %.6g %.6g\n", curve->grid[g],
                    lognormal_share(&curve->fit, curve->grid[g]), curve->bounds.curve[g].low,
                    curve->bounds.curve[g].high);
    }
    fputs("END\n", stream);
}

static void print_curve_plot(FILE *stream, const struct ensemble_curve *curve, size_t k,
                             double confidence) {
    char title[400];
    snprintf(title, sizeof title, "%s%smedian %.3g, deviation %.2g", curve->label,
             curve->label[0] ? ": " : "", curve->fit.median, curve->fit.deviation);
    if (curve->bounds.fits > 0)
        fprintf(
            stream,
            "%s$curve%zu using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb "
            "tint(%zu) title \"%g %% bounds of the curve (bootstrap)\"",
            k ? ", \\\n     " : "", k, k, 100 * confidence);
    fprintf(stream, "%s$curve%zu using 1:2 with lines lw 2 lc rgb tint(%zu) title ",
            k || curve->bounds.fits > 0 ? ", \\\n     " : "", k, k);
    print_quoted(stream, curve->fit.kind == FIT_NONE ? "no fit" : title);
    fprintf(stream,
            ", \\\n     $seen%zu using 1:2:3:4 with yerrorbars pt 7 ps 0.6 lc rgb tint(%zu) title "
            "\"share of the runs, %g %% Wilson bounds\"",
            k, k, 100 * confidence);
}

bool plots_fragility(struct plots *plots, const struct study *study,
                     const struct ensemble_curve *curves, size_t count,
                     struct gabion_error *error) {
    struct safe_file file;
    double confidence = study->ensemble.confidence;
    if (plots->count == PLOTS_MAX || count == 0)
        return true;
    if (!open_script(plots, "fragility", "Fragility: probability of the event", &file, error))
        return false;
    print_label(file.stream, "xlabel", study->variables[study->ensemble.against].name);
    print_label(file.stream, "ylabel", "probability of the event");
    fputs("set yrange [0:1]\nset key right bottom\n",
          file.stream); // where curves that rise are not
    for (size_t k = 0; k < count; k++)
        print_curve(file.stream, &curves[k], k, confidence);
    fputs("plot ", file.stream);
    for (size_t k = 0; k < count; k++)
        print_curve_plot(file.stream, &curves[k], k, confidence);
    fputs("\n", file.stream);
    return draw(plots, &file, error);
}
