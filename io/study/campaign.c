#include "io/study/campaign.h"

#include <dirent.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/interrupt.h"
#include "io/study/child.h"
#include "parallel/clock.h"
#include "parallel/memory.h"

// ---- members ----

static bool same_case(const struct campaign *campaign, const char *description,
                      const struct member *member) {
    const char *before = manifest_find(&campaign->manifest, description);
    return !before || strcmp(before, member->sha256) == 0;
}

// Makes the member known: compares it with what it was before, and looks for its results.
static bool register_member(struct campaign *campaign, struct member *member,
                            struct gabion_error *error) {
    char description[1024];
    const char *folder = campaign->request->folder;
    member_describe(campaign->study, member, description, sizeof description);
    if (!same_case(campaign, description, member)) {
        campaign->changed++;
        if (!campaign->request->force)
            return error_set(error, GABION_ERROR_INPUT,
                             "%s: the study or its base case has changed: member %s is now another "
                             "case than the one that was run in %s; give --force to run changed "
                             "members again, or another folder with -o",
                             campaign->study->path, description, folder);
    }
    manifest_add(&campaign->manifest, description, member->sha256);
    if (!member_refresh(campaign->study, folder, member, error))
        return false;
    campaign->found += member->state == MEMBER_FINISHED;
    return true;
}

static struct member *make_member(struct campaign *campaign, size_t point, const char *threshold,
                                  struct gabion_error *error) {
    struct member *member = member_create(campaign->study, point, threshold, error);
    if (!member)
        return NULL;
    campaign->members =
        memory_reserve(campaign->members, &campaign->member_capacity, campaign->member_count + 1,
                       sizeof *campaign->members, "members");
    campaign->members[campaign->member_count++] = member;
    return register_member(campaign, member, error) ? member : NULL;
}

// ---- searches ----

static void print_point(double value, char text[32]) { snprintf(text, 32, "%.12g", value); }

struct member *campaign_visited(struct campaign *campaign, size_t point, double value) {
    char text[32];
    print_point(value, text);
    for (size_t i = 0; i < campaign->searched_count[point]; i++)
        if (strcmp(campaign->searched[point][i]->threshold, text) == 0)
            return campaign->searched[point][i];
    return NULL;
}

static struct member *searched_member(struct campaign *campaign, size_t point, double value,
                                      struct gabion_error *error) {
    char text[32];
    struct member *member = campaign_visited(campaign, point, value);
    print_point(value, text);
    if (member || !(member = make_member(campaign, point, text, error)))
        return member;
    size_t *count = &campaign->searched_count[point];
    campaign->searched[point] = memory_resize(campaign->searched[point], *count + 1,
                                              sizeof *campaign->searched[point], "a search");
    campaign->searched[point][(*count)++] = member;
    return member;
}

struct search_place {
    struct campaign *campaign;
    size_t point;
};

static enum answer look(void *context, double value) {
    const struct search_place *place = context;
    const struct member *member = campaign_visited(place->campaign, place->point, value);
    if (!member)
        return ANSWER_UNKNOWN;
    if (member->state == MEMBER_FAILED)
        return ANSWER_FAILED;
    return member->state == MEMBER_FINISHED ? member->event : ANSWER_UNKNOWN;
}

static struct search walk(struct campaign *campaign, size_t point, int limit) {
    struct search_place place = {campaign, point};
    return search_walk(&campaign->study->threshold, limit, look, &place);
}

struct search campaign_search(struct campaign *campaign, size_t point) {
    return walk(campaign, point, 1);
}

// Returns a member that the search wants and that is not running. What it wants may have been run
// before, which takes the search a step further. Returns NULL with or without an error.
static struct member *wanted_of_search(struct campaign *campaign, size_t point, bool ahead,
                                       struct gabion_error *error) {
    for (;;) {
        struct search search = walk(campaign, point, ahead ? campaign->slots : 1);
        int count = ahead ? search.wanted_count : search.needed_count;
        bool known = false;
        for (int k = 0; k < count && !known; k++) {
            struct member *member = searched_member(campaign, point, search.wanted[k], error);
            if (!member || member->state == MEMBER_WAITING)
                return member;
            known = member->state == MEMBER_FINISHED || member->state == MEMBER_FAILED;
        }
        if (!known)
            return NULL;
    }
}

// ---- what to run next ----

static bool is_wanted(const struct campaign *campaign, size_t task) {
    return campaign->request->only == 0 || campaign->request->only == task + 1;
}

static bool is_running(const struct campaign *campaign, const struct member *member) {
    for (int k = 0; k < campaign->running_count; k++)
        if (strcmp(campaign->running[k].member->name, member->name) == 0)
            return true;
    return false;
}

// Another process may be at work in the folder: one of a study that was killed a moment ago, or a
// task of an array job.
static bool is_busy(const struct campaign *campaign, const struct member *member) {
    char path[STUDY_PATH_MAX];
    struct gabion_error cause = {0};
    int lock;
    member_path(campaign->request->folder, member, "", path);
    if (is_running(campaign, member))
        return true;
    if (!folder_is_directory(path))
        return false;
    bool free = folder_lock(path, &lock, &cause);
    folder_unlock(lock);
    return !free;
}

// A member that another one or another process finished meanwhile is not run again.
static bool still_waits(struct campaign *campaign, struct member *member,
                        struct gabion_error *error) {
    return member_refresh(campaign->study, campaign->request->folder, member, error) &&
           member->state == MEMBER_WAITING;
}

static struct member *next_of_product(struct campaign *campaign, bool *busy,
                                      struct gabion_error *error) {
    for (size_t i = campaign->cursor; i < campaign->member_count; i++) {
        struct member *member = campaign->members[i];
        if (member->state != MEMBER_WAITING || !is_wanted(campaign, i)) {
            campaign->cursor += i == campaign->cursor;
            continue;
        }
        if (is_busy(campaign, member))
            *busy = true;
        else if (still_waits(campaign, member, error))
            return member;
        if (error->status != GABION_OK)
            return NULL;
    }
    return NULL;
}

// First what the searches need, then what one of the next outcomes will need.
static struct member *next_of_searches(struct campaign *campaign, bool *busy,
                                       struct gabion_error *error) {
    for (int ahead = 0; ahead < 2; ahead++)
        for (size_t point = 0; point < campaign->study->point_count; point++) {
            if (!is_wanted(campaign, point))
                continue;
            struct member *member = wanted_of_search(campaign, point, ahead == 1, error);
            if (error->status != GABION_OK)
                return NULL;
            if (member && is_busy(campaign, member))
                *busy = true;
            else if (member && still_waits(campaign, member, error))
                return member;
            if (error->status != GABION_OK)
                return NULL;
        }
    return NULL;
}

static struct member *next_member(struct campaign *campaign, bool *busy,
                                  struct gabion_error *error) {
    *busy = false;
    if (campaign->study->has_threshold)
        return next_of_searches(campaign, busy, error);
    return next_of_product(campaign, busy, error);
}

// ---- processes ----

__attribute__((format(printf, 2, 3))) static void report(const struct campaign *campaign,
                                                         const char *format, ...) {
    va_list arguments;
    if (campaign->request->quiet)
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static bool has_checkpoint(const char *folder) {
    bool found = false;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));)
        found = fnmatch("checkpoint-[0-9]*.h5", entry->d_name, 0) == 0;
    if (entries)
        closedir(entries);
    return found;
}

static bool start(struct campaign *campaign, struct member *member, bool anew,
                  struct gabion_error *error) {
    const char *folder = campaign->request->folder;
    char path[STUDY_PATH_MAX], case_path[STUDY_PATH_MAX], output[STUDY_PATH_MAX];
    char messages[STUDY_PATH_MAX], failure[STUDY_PATH_MAX], threads[16];
    member_path(folder, member, "", path);
    member_path(folder, member, "result.part", output);
    member_path(folder, member, "run.err", messages);
    member_path(folder, member, "failure.txt", failure);
    member_case_path(folder, member, case_path);
    snprintf(threads, sizeof threads, "%d", campaign->study->threads);
    if (!file_make_directory(path, error) ||
        !member_write_case(campaign->study, member, case_path, error))
        return false;
    unlink(failure);
    bool resume = !anew && has_checkpoint(path);
    struct child_request request = {
        .arguments = {"run", case_path, "-o", path, "-j", threads, "-q", "--force"},
        .output = output,
        .messages = messages,
    };
    if (resume)
        request = (struct child_request){.arguments = {"resume", path, "-j", threads, "-q"},
                                         .output = output,
                                         .messages = messages};
    pid_t pid = child_start(&request, error);
    if (pid < 0)
        return false;
    campaign->running[campaign->running_count++] = (struct running){member, pid, resume};
    member->state = MEMBER_RUNNING;
    campaign->started += !anew;
    return true;
}

// Stores how a run failed, so that tables made later show it too.
static bool fail(struct campaign *campaign, struct member *member, struct gabion_error *error) {
    char path[STUDY_PATH_MAX], label[1024];
    struct safe_file file;
    member->state = MEMBER_FAILED;
    campaign->failed++;
    member_path(campaign->request->folder, member, "run.err", path);
    fprintf(stderr, "member %s: %s; its messages are in %s\n",
            member_describe(campaign->study, member, label, sizeof label), member->status, path);
    member_path(campaign->request->folder, member, "failure.txt", path);
    if (!safe_file_open(&file, path, error))
        return false;
    fprintf(file.stream, "%s\n", member->status);
    return safe_file_commit(&file, error);
}

static void report_progress(struct campaign *campaign, const struct member *member) {
    char label[1024], time[64], wall[64];
    size_t tasks = campaign_tasks(campaign);
    double seconds = clock_seconds() - campaign->began;
    member_summary(member, "time", time, sizeof time);
    member_summary(member, "wall-time-total", wall, sizeof wall);
    campaign->work += strtod(wall, NULL);
    campaign->ended++;
    member_describe(campaign->study, member, label, sizeof label);
    if (campaign->study->has_threshold || campaign->request->only) {
        report(campaign, "%s: %s at t = %s s", label, member->status, time);
        return;
    }
    size_t done = campaign->found + campaign->ended;
    report(campaign, "%zu of %zu  %s: %s at t = %s s; about %.0f s left", done, tasks, label,
           member->status, time,
           seconds / (double)campaign->ended * (double)(tasks > done ? tasks - done : 0));
}

// A run that ended well has printed a summary, which becomes the mark of a finished member.
static bool finish(struct campaign *campaign, struct member *member, struct gabion_error *error) {
    char part[STUDY_PATH_MAX], path[STUDY_PATH_MAX], status[64];
    const char *folder = campaign->request->folder;
    member_path(folder, member, "result.part", part);
    member_path(folder, member, "result.txt", path);
    member->summary = file_read(part, (size_t)1 << 20, NULL, error);
    bool printed = member->summary && member_summary(member, "status", status, sizeof status);
    memory_free(member->summary);
    member->summary = NULL;
    if (error->status != GABION_OK)
        return false;
    if (!printed || strcmp(status, "interrupted") == 0) {
        snprintf(member->status, sizeof member->status, "%s",
                 printed ? "interrupted" : "failed (no summary)");
        member->state = MEMBER_WAITING;
        // Stopped by somebody else than this campaign, which would otherwise start it again.
        return campaign->stopping || fail(campaign, member, error);
    }
    if (!file_publish(part, path, error) || !member_refresh(campaign->study, folder, member, error))
        return false;
    report_progress(campaign, member);
    return true;
}

static bool take_end(struct campaign *campaign, struct running ended, int status,
                     struct gabion_error *error) {
    struct member *member = ended.member;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return finish(campaign, member, error);
    if (campaign->stopping) {
        member->state = MEMBER_WAITING;
        return true;
    }
    if (ended.resumed && WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return start(campaign, member, true, error); // no good checkpoint: from the beginning
    if (WIFEXITED(status))
        snprintf(member->status, sizeof member->status, "failed (exit status %d)",
                 WEXITSTATUS(status));
    else
        snprintf(member->status, sizeof member->status, "killed (signal %d)", WTERMSIG(status));
    return fail(campaign, member, error);
}

// Takes the ends of processes. Returns false on an error of the study, not of a member.
static bool reap(struct campaign *campaign, struct gabion_error *error) {
    bool good = true;
    for (int k = 0; k < campaign->running_count;) {
        int status;
        struct running one = campaign->running[k];
        if (!child_ended(one.pid, &status)) {
            k++;
            continue;
        }
        campaign->running[k] = campaign->running[--campaign->running_count];
        good = take_end(campaign, one, status, error) && good;
    }
    return good;
}

static void pause_shortly(void) { nanosleep(&(struct timespec){0, 10000000}, NULL); }

// Asks every member to write a checkpoint and to stop, and waits for them.
static void stop_all(struct campaign *campaign) {
    struct gabion_error ignored = {0};
    campaign->stopping = true;
    for (int k = 0; k < campaign->running_count; k++)
        kill(campaign->running[k].pid, SIGTERM);
    while (campaign->running_count > 0) {
        reap(campaign, &ignored);
        pause_shortly();
    }
}

// Tasks of an array job run side by side and leave the manifest to the command that collects.
static bool keep_manifest(struct campaign *campaign, struct gabion_error *error) {
    return campaign->request->only > 0 ||
           manifest_write(&campaign->manifest, campaign->request->folder, error);
}

// Starts members while there are free slots. Returns whether there is anything to wait for.
static bool fill_slots(struct campaign *campaign, struct gabion_error *error) {
    bool busy = false;
    while (campaign->running_count < campaign->slots) {
        struct member *member = next_member(campaign, &busy, error);
        if (error->status != GABION_OK || !member || !keep_manifest(campaign, error) ||
            !start(campaign, member, false, error))
            break;
    }
    return error->status == GABION_OK && (campaign->running_count > 0 || busy);
}

bool campaign_run(struct campaign *campaign, struct gabion_error *error) {
    interrupt_install();
    campaign->began = clock_seconds();
    while (!interrupt_requested() && reap(campaign, error) && fill_slots(campaign, error))
        pause_shortly();
    stop_all(campaign);
    return error->status == GABION_OK;
}

// ---- opening ----

// Shows in the table how the last attempt failed.
static void read_failure(const struct campaign *campaign, struct member *member) {
    char path[STUDY_PATH_MAX];
    struct gabion_error ignored = {0};
    member_path(campaign->request->folder, member, "failure.txt", path);
    char *text = file_exists(path) ? file_read(path, 4096, NULL, &ignored) : NULL;
    if (text)
        snprintf(member->status, sizeof member->status, "%.*s", (int)strcspn(text, "\n"), text);
    memory_free(text);
}

static bool open_product(struct campaign *campaign, struct gabion_error *error) {
    for (size_t point = 0; point < campaign->study->point_count; point++) {
        struct member *member = make_member(campaign, point, "", error);
        if (!member)
            return false;
        if (member->state == MEMBER_WAITING)
            read_failure(campaign, member);
    }
    return true;
}

// Follows every bisection as far as its runs are finished.
static bool open_searches(struct campaign *campaign, struct gabion_error *error) {
    size_t count = campaign->study->point_count;
    campaign->searched = memory_allocate(count, sizeof *campaign->searched, "searches");
    campaign->searched_count = memory_allocate(count, sizeof *campaign->searched_count, "searches");
    for (size_t point = 0; point < count; point++) {
        wanted_of_search(campaign, point, false, error);
        if (error->status != GABION_OK)
            return false;
    }
    return true;
}

bool campaign_open(struct campaign *campaign, const struct study *study,
                   const struct campaign_request *request, struct gabion_error *error) {
    int slots = request->cores / study->threads;
    *campaign =
        (struct campaign){.study = study, .request = request, .slots = slots > 1 ? slots : 1};
    campaign->running =
        memory_allocate((size_t)campaign->slots + 1, sizeof *campaign->running, "running members");
    return manifest_read(&campaign->manifest, request->folder, error) &&
           (study->has_threshold ? open_searches(campaign, error) : open_product(campaign, error));
}

void campaign_close(struct campaign *campaign) {
    for (size_t i = 0; i < campaign->member_count; i++)
        member_free(campaign->members[i]);
    for (size_t p = 0; campaign->searched && p < campaign->study->point_count; p++)
        memory_free(campaign->searched[p]);
    memory_free(campaign->searched);
    memory_free(campaign->searched_count);
    memory_free(campaign->members);
    memory_free(campaign->running);
    manifest_free(&campaign->manifest);
}

size_t campaign_tasks(const struct campaign *campaign) { return campaign->study->point_count; }

struct member **campaign_shown(struct campaign *campaign, size_t *count) {
    const struct study *study = campaign->study;
    struct member **shown = memory_allocate(campaign->member_count, sizeof *shown, "members");
    *count = 0;
    if (!study->has_threshold)
        for (size_t i = 0; i < campaign->member_count; i++)
            shown[(*count)++] = campaign->members[i];
    for (size_t p = 0; study->has_threshold && p < study->point_count; p++) {
        struct search search = campaign_search(campaign, p);
        for (int k = 0; k < search.visited_count; k++)
            shown[(*count)++] = campaign_visited(campaign, p, search.visited[k]);
    }
    return shown;
}

bool campaign_is_complete(struct campaign *campaign) {
    for (size_t task = 0; task < campaign->study->point_count; task++) {
        if (!is_wanted(campaign, task))
            continue;
        if (campaign->study->has_threshold ? campaign_search(campaign, task).status == SEARCH_OPEN
                                           : campaign->members[task]->state != MEMBER_FINISHED)
            return false;
    }
    return true;
}
