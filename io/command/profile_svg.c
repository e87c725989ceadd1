// Performance profiles as a picture: one panel per tolerance, tau on a logarithmic axis.
#include <math.h>

#include "io/file/file.h"
#include "io/command/profile.h"

#define PANEL_WIDTH  560.0
#define PANEL_HEIGHT 260.0
#define MARGIN_LEFT  64.0
#define MARGIN_TOP   56.0
#define PANEL_GAP    76.0 // between panels: tick labels, axis name, title
#define LEGEND_WIDTH 170.0

// The palette of Okabe and Ito, which colour-blind readers can distinguish, also in print.
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999999"};
static const char *const dashes[] = {"none", "7 3", "2 3", "9 3 2 3"};
#define COLOURS (int)(sizeof colours / sizeof *colours)
#define DASHES  (int)(sizeof dashes / sizeof *dashes)

struct panel {
    FILE *stream;
    double left, top;
    double decades; // log10 of the largest tau shown
};

static double place_x(const struct panel *panel, double tau) {
    return panel->left + PANEL_WIDTH * fmin(1, log10(tau) / panel->decades);
}

static double place_y(const struct panel *panel, double fraction) {
    return panel->top + PANEL_HEIGHT * (1 - fraction);
}

// XML has its own use for these.
static void print_escaped(FILE *stream, const char *text) {
    for (; *text; text++) {
        const char *escape = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;";
        if (*text == '<' || *text == '>' || *text == '&')
            fputs(escape, stream);
        else
            fputc(*text, stream);
    }
}

static void draw_text(FILE *stream, double x, double y, const char *anchor, const char *text) {
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    print_escaped(stream, text);
    fprintf(stream, "</text>\n");
}

static void draw_line(FILE *stream, double x1, double y1, double x2, double y2) {
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#d8d8d8\"/>\n",
            x1, y1, x2, y2);
}

// Powers of ten, and 2 and 5 between them while there is room.
static void draw_ticks(const struct panel *panel) {
    static const double steps[] = {1, 2, 5};
    int per_decade = panel->decades > 3.5 ? 1 : 3;
    double bottom = panel->top + PANEL_HEIGHT;
    for (int decade = 0; decade <= (int)panel->decades; decade++)
        for (int k = 0; k < per_decade; k++) {
            double tau = steps[k] * pow(10, decade), x = place_x(panel, tau);
            char label[32];
            if (log10(tau) > panel->decades + 1e-9)
                continue;
            snprintf(label, sizeof label, "%g", tau);
            draw_line(panel->stream, x, panel->top, x, bottom);
            draw_text(panel->stream, x, bottom + 18, "middle", label);
        }
    for (int k = 0; k <= 5; k++) {
        char label[16];
        double y = place_y(panel, k / 5.0);
        snprintf(label, sizeof label, "%.1f", k / 5.0);
        draw_line(panel->stream, panel->left, y, panel->left + PANEL_WIDTH, y);
        draw_text(panel->stream, panel->left - 8, y + 4, "end", label);
    }
}

static void draw_stroke(FILE *stream, int solver) {
    fprintf(stream, "fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"",
            colours[solver % COLOURS], dashes[(solver + solver / COLOURS) % DASHES]);
}

// A staircase from tau = 1 to the right edge.
static void draw_curve(const struct panel *panel, const struct profile *profile, int solver) {
    double fraction = profile_fraction(profile, solver, 1);
    const double *ratio = profile->ratio + (size_t)solver * (size_t)profile->problems;
    fprintf(panel->stream, "<path ");
    draw_stroke(panel->stream, solver);
    fprintf(panel->stream, " d=\"M%.1f %.1f", panel->left, place_y(panel, fraction));
    for (int i = 0; i < profile->problems && isfinite(ratio[i]); i++) {
        if (ratio[i] <= 1)
            continue;
        fprintf(panel->stream, " H%.1f V%.1f", place_x(panel, ratio[i]),
                place_y(panel, (i + 1.0) / profile->problems));
    }
    fprintf(panel->stream, " H%.1f\"/>\n", panel->left + PANEL_WIDTH);
}

static void draw_legend(const struct panel *panel, const struct profile *profile) {
    double x = panel->left + PANEL_WIDTH + 16;
    for (int s = 0; s < profile->solvers; s++) {
        double y = panel->top + 12 + 20 * s;
        fprintf(panel->stream, "<path ");
        draw_stroke(panel->stream, s);
        fprintf(panel->stream, " d=\"M%.1f %.1f h30\"/>\n", x, y);
        draw_text(panel->stream, x + 38, y + 4, "start", profile->labels[s]);
    }
}

static void draw_panel(const struct panel *panel, const struct profile *profile) {
    char text[128];
    double middle = panel->top + PANEL_HEIGHT / 2, bottom = panel->top + PANEL_HEIGHT;
    draw_ticks(panel);
    // The first is whole and lies under the others, through whose gaps it shows.
    for (int s = 0; s < profile->solvers; s++)
        draw_curve(panel, profile, s);
    fprintf(panel->stream,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#444\"/>\n",
            panel->left, panel->top, PANEL_WIDTH, PANEL_HEIGHT);
    draw_legend(panel, profile);
    snprintf(text, sizeof text, "residual %g, %d problems", profile->tolerance, profile->problems);
    draw_text(panel->stream, panel->left, panel->top - 8, "start", text);
    draw_text(panel->stream, panel->left + PANEL_WIDTH / 2, bottom + 38, "middle",
              "tau: time over the best time");
    fprintf(panel->stream,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">fraction "
            "solved</text>\n",
            panel->left - 40, middle);
}

// A panel grows with the legend, if that is longer.
static double panel_pitch(const struct profile *profile) {
    return fmax(PANEL_HEIGHT, 20.0 * profile->solvers) + PANEL_GAP;
}

bool profile_write_svg(const char *path, const struct profile *profiles, int count,
                       const char *title, struct gabion_error *error) {
    struct safe_file file;
    double largest = 10, height = MARGIN_TOP, width = MARGIN_LEFT + PANEL_WIDTH + LEGEND_WIDTH;
    for (int k = 0; k < count; k++) {
        largest = fmax(largest, profile_largest(&profiles[k]));
        height += panel_pitch(&profiles[k]);
    }
    if (!safe_file_open(&file, path, error))
        return false;
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    draw_text(file.stream, MARGIN_LEFT, 24, "start", title);
    struct panel panel = {file.stream, MARGIN_LEFT, MARGIN_TOP, log10(largest) * 1.02};
    for (int k = 0; k < count; k++) {
        draw_panel(&panel, &profiles[k]);
        panel.top += panel_pitch(&profiles[k]);
    }
    fprintf(file.stream, "</svg>\n");
    return safe_file_commit(&file, error);
}
