// Manual pages in the language mdoc(7), which man(1) of every system renders.
#include "io/command/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/command/kinds.h"
#include "io/command/options_table.h"

#define LINE_WIDTH 70

// Prints a word of running text so that no character of it is a command of the language: a
// backslash, and a dot or quote at the beginning of a line. Code between backquotes is bold.
static void print_plain(FILE *stream, const char *word, int length, bool *code) {
    if (word[0] == '.' || word[0] == '\'')
        fputs("\\&", stream);
    for (int i = 0; i < length; i++)
        if (word[i] == '`')
            fputs((*code = !*code) ? "\\fB" : "\\fR", stream);
        else if (word[i] == '\\')
            fputs("\\e", stream);
        else
            fputc(word[i], stream);
}

// Prints a text as lines of the page's source: filled anew, each sentence on a line of its own.
static void print_text(FILE *stream, const char *text) {
    static const char blanks[] = " \n";
    int column = 0;
    bool code = false;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        int length = (int)strcspn(text, blanks);
        if (column > 0 && column + 1 + length > LINE_WIDTH) {
            fputc('\n', stream);
            column = 0;
        }
        if (column > 0)
            fputc(' ', stream);
        print_plain(stream, text, length, &code);
        column += length + (column > 0);
        text += length;
        if (text[-1] == '.') {
            fputc('\n', stream);
            column = 0;
        }
    }
    if (column > 0)
        fputc('\n', stream);
}

// A word of a macro line: the names of macros, two letters with a capital first, must not be read
// as such.
static void print_word(FILE *stream, const char *word) {
    fprintf(stream, " %s%s", isupper((unsigned char)word[0]) && strlen(word) <= 3 ? "\\&" : "",
            word);
}

static void print_item(FILE *stream, const struct option_row *row) {
    fputs(".It", stream);
    if (row->letter)
        fprintf(stream, " Fl %c ,", row->letter);
    fprintf(stream, " Fl \\-%s", row->name);
    if (row->argument) {
        fputs(" Ar", stream);
        print_word(stream, row->argument);
    }
    fputc('\n', stream);
    print_text(stream, row->help);
}

static void print_options(FILE *stream, enum verb verb) {
    const struct option_row *row;
    fputs(".Bl -tag -width Ds\n", stream);
    for (size_t next = 0; (row = options_next(verb, &next));)
        print_item(stream, row);
    fputs(".El\n", stream);
}

static void print_kinds(FILE *stream) {
    fputs(".Pp\nThe kinds are:\n.Bl -tag -width mechanism\n", stream);
    for (const struct kind *kind = kinds; kind->name; kind++) {
        fprintf(stream, ".It Cm %s\n", kind->name);
        print_text(stream, kind->summary);
    }
    fputs(".El\n", stream);
}

static void print_head(FILE *stream, const char *title, const char *name, const char *summary) {
    char capitals[64];
    size_t length = 0;
    for (; title[length] && length + 1 < sizeof capitals; length++)
        capitals[length] = (char)toupper((unsigned char)title[length]);
    capitals[length] = '\0';
    fprintf(stream, ".Dd $Mdocdate$\n.Dt %s 1\n.Os\n", capitals);
    fprintf(stream, ".Sh NAME\n.Nm %s\n.Nd %s\n", name, summary);
}

static void print_tail(FILE *stream) {
    const char *status = strchr(options_exit_status, ':') + 2;
    fputs(".Sh EXIT STATUS\n", stream);
    print_text(stream, status);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_references(FILE *stream) {
    const char *names[VERB_COUNT];
    for (int verb = 0; verb < VERB_COUNT; verb++)
        names[verb] = options_verb((enum verb)verb)->name;
    qsort(names, VERB_COUNT, sizeof names[0], compare_names);
    for (int i = 0; i < VERB_COUNT; i++)
        fprintf(stream, ".Xr gabion-%s 1%s\n", names[i], i + 1 < VERB_COUNT ? " ," : "");
}

static void print_program(FILE *stream) {
    print_head(stream, "gabion", "gabion",
               "granular media and dry masonry by Non Smooth Contact Dynamics");
    fputs(".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar argument ...\n.Op Ar option ...\n"
          ".Sh DESCRIPTION\n"
          "Simulates rigid bodies with contact, impact and Coulomb friction:\n"
          "grains, blocks, clumps and joints.\n"
          "A case file in YAML says everything about a run; a run leaves a table of\n"
          "its steps, ParaView files and checkpoints in a folder.\n"
          ".Pp\nThe commands are:\n.Bl -tag -width compare\n",
          stream);
    for (int verb = 0; verb < VERB_COUNT; verb++) {
        const struct verb_row *row = options_verb((enum verb)verb);
        fprintf(stream, ".It Cm %s Ar %s\n", row->name, row->target);
        print_text(stream, row->summary);
    }
    fputs(".El\n.Pp\nThe options are:\n", stream);
    print_options(stream, VERB_NONE);
    print_tail(stream);
    fputs(".Sh EXAMPLES\n"
          "Write a case, check it, run it, go on for 500 steps, and see what a key means:\n"
          ".Bd -literal -offset indent\n"
          "gabion new heap\n"
          "gabion check heap.yaml\n"
          "gabion run heap.yaml --steps 1000\n"
          "gabion resume out/heap --steps 500\n"
          "gabion explain solver.tolerance\n"
          ".Ed\n.Sh SEE ALSO\n",
          stream);
    print_references(stream);
}

static void print_verb(FILE *stream, enum verb verb) {
    const struct verb_row *row = options_verb(verb);
    char name[64];
    snprintf(name, sizeof name, "gabion-%s", row->name);
    print_head(stream, name, name, row->summary);
    fprintf(stream, ".Sh SYNOPSIS\n.Nm gabion\n.Cm %s\n%sAr %s\n.Op Ar option ...\n", row->name,
            row->target_least > 0 ? "." : ".Op ", row->target);
    fputs(".Sh DESCRIPTION\n", stream);
    print_text(stream, row->text);
    if (verb == VERB_NEW)
        print_kinds(stream);
    fputs(".Pp\nThe options are:\n", stream);
    print_options(stream, verb);
    print_tail(stream);
    fputs(".Sh SEE ALSO\n.Xr gabion 1\n", stream);
}

void manual_print(enum verb verb, FILE *stream) {
    if (verb == VERB_NONE)
        print_program(stream);
    else
        print_verb(stream, verb);
}
