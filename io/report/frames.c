#include "io/report/frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/report/drawing.h"
#include "io/report/json.h"
#include "io/vtk/pvd.h"
#include "parallel/memory.h"

#define QUANTA         500 // positions are rounded to this share of the smallest thing
#define FEW            8   // frames: rather less of each than fewer of them
#define LISTED         20  // damaged files
#define UNPACKED_RATIO 20  // what a browser may have to hold, against the size of the page

struct entry {
    int64_t step;
    double time;
    char *text; // packed; NULL where the frame is not kept
    size_t letters;
    char *contents; // JSON; of open_memstream
};

struct names {
    char **text;
    size_t count;
};

struct frames {
    const char *directory;
    struct pvd series[DRAWING_KINDS];
    struct entry *entry; // every frame that the series list, in order of time
    size_t count, capacity, kept;
    struct drawing_rule rule;
    struct names groups, materials;
    struct remarks *remarks;
    bool unlisted; // more files are damaged than are listed
};

// ---- the list of frames ----

static int compare_steps(const void *left, const void *right) {
    int64_t a = ((const struct entry *)left)->step, b = ((const struct entry *)right)->step;
    return (a > b) - (a < b);
}

static void list_steps(struct frames *frames) {
    for (int kind = 0; kind < DRAWING_KINDS; kind++)
        for (size_t k = 0; k < frames->series[kind].count; k++) {
            frames->entry = memory_reserve(frames->entry, &frames->capacity, frames->count + 1,
                                           sizeof *frames->entry, "a report");
            const struct pvd_frame *frame = &frames->series[kind].frames[k];
            frames->entry[frames->count++] =
                (struct entry){.step = frame->step, .time = frame->time};
        }
    size_t kept = 0;
    if (frames->count > 0)
        qsort(frames->entry, frames->count, sizeof *frames->entry, compare_steps);
    for (size_t k = 0; k < frames->count; k++)
        if (k == 0 || frames->entry[k].step != frames->entry[kept - 1].step)
            frames->entry[kept++] = frames->entry[k];
    frames->count = kept;
}

// A run that is at work may have written some files of its newest frame and not yet the others.
static void drop_unfinished(struct frames *frames) {
    if (frames->count < 2)
        return;
    int64_t last = frames->entry[frames->count - 1].step;
    int64_t before = frames->entry[frames->count - 2].step;
    for (int kind = 0; kind < DRAWING_KINDS; kind++)
        if (pvd_has(&frames->series[kind], before) && !pvd_has(&frames->series[kind], last)) {
            frames->count--;
            return;
        }
}

static bool open_series(struct frames *frames, struct gabion_error *error) {
    for (int kind = 0; kind < DRAWING_KINDS; kind++) {
        frames->series[kind] =
            (struct pvd){.directory = frames->directory, .kind = drawing_kinds[kind]};
        if (!pvd_read(&frames->series[kind], error))
            return false;
    }
    list_steps(frames);
    drop_unfinished(frames);
    return true;
}

// ---- one frame ----

// Names a file that cannot be read, once: frames may be read several times.
static void pass_over(struct frames *frames, const char *why) {
    struct remarks *remarks = frames->remarks;
    char text[1024];
    snprintf(text, sizeof text, "passed over: %.900s", why);
    for (size_t k = 0; k < remarks->count; k++)
        if (strcmp(remarks->list[k].text, text) == 0)
            return;
    if (remarks->count < LISTED)
        remarks_add(remarks, true, "%s", text);
    else
        frames->unlisted = true;
}

static bool read_kind(struct frames *frames, int kind, int64_t step, struct vtk_content *content) {
    char path[PVD_PATH_MAX];
    struct gabion_error error = {0};
    if (!pvd_has(&frames->series[kind], step))
        return false;
    if (pvd_frame_path(&frames->series[kind], step, path, &error) &&
        vtk_read(path, content, &error))
        return true;
    pass_over(frames, error.text);
    return false;
}

static void names_free(struct names *names) {
    for (size_t k = 0; k < names->count; k++)
        memory_free(names->text[k]);
    memory_free(names->text);
    *names = (struct names){0};
}

// Groups may grow in number while bodies enter: the longest list holds all of them.
static void take_names(struct names *names, const struct vtk_column *column) {
    size_t count = 0;
    for (size_t k = 0; column && k < column->count; k++)
        count += ((const char *)column->value)[k] == '\0';
    if (count <= names->count)
        return;
    names_free(names);
    names->text = memory_allocate(count, sizeof *names->text, "a report");
    for (const char *text = column->value; names->count < count; text += strlen(text) + 1) {
        char *copy = memory_allocate(strlen(text) + 1, 1, "a report");
        names->text[names->count++] = strcpy(copy, text);
    }
}

static struct pack_frame read_frame(struct frames *frames, int64_t step) {
    struct pack_frame frame = {0};
    struct vtk_content content;
    for (int kind = 0; kind < DRAWING_KINDS; kind++) {
        if (!read_kind(frames, kind, step, &content))
            continue;
        drawing_add(&frame, drawing_kinds[kind], &content, &frames->rule);
        take_names(&frames->groups, vtk_find(&content, VTK_FIELD_DATA, "group_names"));
        take_names(&frames->materials, vtk_find(&content, VTK_FIELD_DATA, "material_names"));
        vtk_content_free(&content);
    }
    return frame;
}

// The smallest body of the first and the last frame; walls are a measure where there are no bodies.
static void choose_quantum(struct frames *frames) {
    double bodies = INFINITY, walls = INFINITY;
    struct vtk_content content;
    for (int end = 0; end < 2; end++)
        for (int kind = 0; kind < DRAWING_KINDS; kind++) {
            bool wall = strcmp(drawing_kinds[kind], "walls") == 0;
            bool body = strcmp(drawing_kinds[kind], "bodies") == 0 ||
                        strcmp(drawing_kinds[kind], "blocks") == 0;
            if ((!wall && !body) ||
                !read_kind(frames, kind, frames->entry[end == 0 ? 0 : frames->count - 1].step,
                           &content))
                continue;
            double *least = wall ? &walls : &bodies;
            *least = fmin(*least, drawing_smallest(&content));
            vtk_content_free(&content);
        }
    double smallest = isfinite(bodies) ? bodies : isfinite(walls) ? walls : 1;
    frames->rule.quantum = smallest / QUANTA;
}

// ---- all frames ----

static char *describe(const struct pack_frame *frame) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        memory_exhausted(1, 1, "a report");
    pack_print(stream, frame);
    fclose(stream);
    return text;
}

static void forget_texts(struct frames *frames) {
    for (size_t k = 0; k < frames->count; k++) {
        memory_free(frames->entry[k].text);
        free(frames->entry[k].contents);
        frames->entry[k].text = frames->entry[k].contents = NULL;
    }
    frames->kept = 0;
}

// Returns which frame is number k of n that are spread over all of them, the last one included.
static size_t place_of(const struct frames *frames, size_t k, size_t n) {
    return n == 1 ? frames->count - 1 : k * (frames->count - 1) / (n - 1);
}

// Packs n frames; gives up where they take more than `bytes`. *share is how many times as much room
// as there is they would take, from those that were packed.
static bool pack_frames(struct frames *frames, size_t n, size_t bytes, double *share,
                        struct gabion_error *error) {
    struct pack_frame before = {0};
    size_t letters = 0, unpacked = 0;
    bool good = true;
    forget_texts(frames);
    *share = 0;
    for (size_t k = 0; good && k < n && *share <= 1; k++) {
        struct entry *entry = &frames->entry[place_of(frames, k, n)];
        struct pack_frame frame = read_frame(frames, entry->step);
        entry->text = pack_text(&frame, &before, &entry->letters, error);
        entry->contents = describe(&frame);
        good = entry->text != NULL;
        letters += entry->letters + strlen(entry->contents) + 100;
        unpacked += pack_bytes(&frame);
        *share = fmax((double)letters, (double)unpacked / UNPACKED_RATIO) / (double)bytes;
        frames->kept++;
        pack_free(&before);
        before = frame;
    }
    pack_free(&before);
    *share *= (double)n / (double)(frames->kept > 0 ? frames->kept : 1);
    return good;
}

// Finds the level of detail at which a single frame takes a small part of the room.
static bool choose_detail(struct frames *frames, size_t most, size_t bytes,
                          struct gabion_error *error) {
    double share, wanted = most < FEW ? (double)most : FEW;
    if (!pack_frames(frames, 1, bytes, &share, error))
        return false;
    if (share * wanted <= 1)
        return true;
    frames->rule.detail = DRAWING_STRONG;
    if (!pack_frames(frames, 1, bytes, &share, error))
        return false;
    if (2 * share > 1)
        frames->rule.every = (size_t)ceil(2.2 * share);
    return true;
}

static void remark_on_loss(struct frames *frames, size_t most, size_t bytes) {
    struct remarks *remarks = frames->remarks;
    if (frames->unlisted)
        remarks_add(remarks, true, "and more files of frames cannot be read");
    if (frames->kept < frames->count)
        remarks_add(remarks, false, "the view has %zu of %zu frames (%s)", frames->kept,
                    frames->count, frames->kept == most ? "--frames" : "--size");
    if (frames->rule.detail > DRAWING_ALL)
        remarks_add(remarks, false,
                    "the view has only contacts above the mean force, and fewer arrays, to stay "
                    "within %.1f MB of frames (--size)",
                    (double)bytes / 1e6);
    if (frames->rule.every > 1)
        remarks_add(remarks, false, "the view has one sphere in %zu (--size)", frames->rule.every);
}

static bool pack_all(struct frames *frames, size_t most, size_t bytes, struct gabion_error *error) {
    double share;
    size_t n = frames->count < most ? frames->count : most;
    if (!choose_detail(frames, n, bytes, error))
        return false;
    for (;;) {
        if (!pack_frames(frames, n, bytes, &share, error))
            return false;
        if (share <= 1 || (n == 1 && frames->rule.every > 1000000))
            break;
        if (n == 1) // a sphere in so many still takes too much
            frames->rule.every = (size_t)ceil(1.5 * share * (double)frames->rule.every);
        else
            n = (size_t)fmax(1, fmin((double)n - 1, 0.95 * (double)n / share));
    }
    remark_on_loss(frames, most, bytes);
    return true;
}

struct frames *frames_read(const char *directory, size_t most, size_t bytes,
                           struct remarks *remarks, struct gabion_error *error) {
    struct frames *frames = memory_allocate(1, sizeof *frames, "a report");
    *frames = (struct frames){
        .directory = directory, .remarks = remarks, .rule = {.every = 1, .quantum = 1}};
    bool good = open_series(frames, error);
    if (good && frames->count > 0) {
        choose_quantum(frames);
        good = pack_all(frames, most, bytes, error);
    }
    if (good)
        return frames;
    frames_free(frames);
    return NULL;
}

void frames_free(struct frames *frames) {
    forget_texts(frames);
    for (int kind = 0; kind < DRAWING_KINDS; kind++)
        pvd_free(&frames->series[kind]);
    names_free(&frames->groups);
    names_free(&frames->materials);
    memory_free(frames->entry);
    memory_free(frames);
}

size_t frames_kept(const struct frames *frames) { return frames->kept; }

size_t frames_there(const struct frames *frames) { return frames->count; }

static void print_names(FILE *stream, const char *name, const struct names *names) {
    fprintf(stream, "\"%s\":[", name);
    for (size_t k = 0; k < names->count; k++) {
        fputs(k > 0 ? "," : "", stream);
        json_text(stream, names->text[k]);
    }
    fputs("],", stream);
}

void frames_print_contents(FILE *stream, const struct frames *frames) {
    size_t shown = 0;
    fprintf(stream, "{\"quantum\":%.9g,\"every\":%zu,\"there\":%zu,", frames->rule.quantum,
            frames->rule.every, frames->count);
    print_names(stream, "groups", &frames->groups);
    print_names(stream, "materials", &frames->materials);
    fputs("\"frames\":[", stream);
    for (size_t k = 0; k < frames->count; k++)
        if (frames->entry[k].text) {
            fprintf(stream, "%s\n{\"step\":%" PRId64 ",\"time\":", shown++ > 0 ? "," : "",
                    frames->entry[k].step);
            json_number(stream, frames->entry[k].time);
            fprintf(stream, ",\"arrays\":%s}", frames->entry[k].contents);
        }
    fputs("]}", stream);
}

void frames_print_texts(FILE *stream, const struct frames *frames) {
    size_t shown = 0;
    for (size_t k = 0; k < frames->count; k++)
        if (frames->entry[k].text)
            fprintf(stream, "<script type=\"text/plain\" id=\"frame-%zu\">%s</script>\n", shown++,
                    frames->entry[k].text);
}
