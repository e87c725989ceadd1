#include "io/study/conduct.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/run/interrupt.h"
#include "io/study/campaign.h"
#include "io/study/child.h"
#include "io/study/outputs.h"
#include "parallel/memory.h"
#include "parallel/topology.h"

static int default_cores(struct gabion_error *error) {
    struct topology *topology = topology_load(error);
    int cores = topology ? topology_default_threads(topology) : 0;
    if (topology)
        topology_free(topology);
    return cores;
}

// A study with its campaign, in the folder of a request.
struct work {
    struct study *study;
    struct campaign_request request;
    struct campaign campaign;
    bool open;
};

static bool work_open(struct work *work, const struct study_request *request,
                      struct gabion_error *error) {
    *work = (struct work){.study = study_load(request->path, error)};
    if (!work->study)
        return false;
    work->request = (struct campaign_request){
        .folder = request->folder,
        .cores = request->cores > 0 ? request->cores : default_cores(error),
        .only = request->only,
        .force = request->force,
        .quiet = request->quiet,
        .collect = request->collect,
    };
    if (work->request.cores == 0)
        return false;
    work->open = true;
    if (request->only > work->study->point_count)
        return error_set(error, GABION_ERROR_INPUT, "--member %zu: the study has %zu %s",
                         request->only, work->study->point_count,
                         work->study->has_threshold ? "searches" : "members");
    return campaign_open(&work->campaign, work->study, &work->request, error);
}

static void work_close(struct work *work) {
    if (work->open)
        campaign_close(&work->campaign);
    if (work->study)
        study_free(work->study);
}

static bool make_folders(const char *folder, struct gabion_error *error) {
    static const char *const names[] = {"cases", "members"};
    if (file_exists(folder) && !folder_is_directory(folder))
        return error_set(error, GABION_ERROR_INPUT, "%s is a file; -o needs a folder", folder);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[STUDY_PATH_MAX];
        snprintf(path, sizeof path, "%.3000s/%s", folder, names[k]);
        if (!file_make_directory(path, error))
            return false;
    }
    return true;
}

// ---- run ----

static size_t count_finished(const struct campaign *campaign) {
    size_t count = 0;
    for (size_t i = 0; i < campaign->member_count; i++)
        count += campaign->members[i]->state == MEMBER_FINISHED;
    return count;
}

static size_t count_searches(struct campaign *campaign, enum search_status status) {
    size_t count = 0;
    for (size_t p = 0; p < campaign->study->point_count; p++)
        count += campaign_search(campaign, p).status == status;
    return count;
}

static const char *study_status(struct campaign *campaign) {
    if (campaign_is_complete(campaign))
        return "completed";
    return interrupt_requested() ? "interrupted" : "unfinished";
}

static void print_summary(struct campaign *campaign, const char *status) {
    printf("status: %s\n", status);
    if (campaign->study->has_threshold)
        printf("searches: %zu\nfound: %zu\nwithout-change: %zu\n", campaign->study->point_count,
               count_searches(campaign, SEARCH_FOUND), count_searches(campaign, SEARCH_SAME));
    else
        printf("members: %zu\n", campaign->member_count);
    printf("finished: %zu\nfinished-before: %zu\nstarted: %zu\nfailed: %zu\n",
           count_finished(campaign), campaign->found, campaign->started, campaign->failed);
    if (campaign->changed > 0)
        printf("changed: %zu\n", campaign->changed);
    printf("folder: %s\n", campaign->request->folder);
}

static bool conduct_campaign(struct work *work, const struct study_request *request,
                             struct gabion_error *error) {
    struct campaign *campaign = &work->campaign;
    if (!request->collect && !campaign_run(campaign, error))
        return false;
    // Tasks of an array job leave the tables to the command that collects.
    if (request->only == 0 && (!manifest_write(&campaign->manifest, request->folder, error) ||
                               !outputs_write(campaign, error)))
        return false;
    const char *status = study_status(campaign);
    print_summary(campaign, status);
    if (strcmp(status, "unfinished") != 0 || request->collect)
        return true;
    return error_set(error, GABION_ERROR_RUN,
                     "%zu members failed; everything else is in %s. The same command runs them "
                     "again",
                     campaign->failed, request->folder);
}

bool study_conduct(const struct study_request *request, struct gabion_error *error) {
    struct work work = {0};
    int lock = FOLDER_NO_LOCK;
    bool good = make_folders(request->folder, error) &&
                (request->only > 0 || folder_lock(request->folder, &lock, error)) &&
                work_open(&work, request, error) && conduct_campaign(&work, request, error);
    work_close(&work);
    folder_unlock(lock);
    return good;
}

// ---- repeat ----

// Finds a member by its number in the table or by the beginning of its hash.
static struct member *find_member(struct campaign *campaign, const char *which,
                                  struct gabion_error *error) {
    size_t count, matches = 0;
    struct member **members = campaign_shown(campaign, &count), *found = NULL;
    char *end;
    unsigned long number = strtoul(which, &end, 10);
    bool is_number = *end == '\0' && isdigit((unsigned char)which[0]) && strlen(which) < 7;
    if (is_number && number >= 1 && number <= count) {
        found = members[number - 1];
        matches = 1;
    }
    for (size_t i = 0; !is_number && i < count; i++)
        if (strncmp(members[i]->sha256, which, strlen(which)) == 0 &&
            (!found || strcmp(found->sha256, members[i]->sha256) != 0)) {
            found = members[i];
            matches++;
        }
    memory_free(members);
    if (matches != 1)
        error_set(error, GABION_ERROR_INPUT,
                  "--repeat %.80s: expected the number of a member, 1 to %zu, or the beginning of "
                  "one case_sha256 of the table; %zu members fit",
                  which, count, matches);
    return matches == 1 ? found : NULL;
}

static bool run_again(const struct work *work, const struct member *member, const char *output,
                      const char *folder, struct gabion_error *error) {
    char case_path[STUDY_PATH_MAX], threads[16];
    member_case_path(work->request.folder, member, case_path);
    snprintf(threads, sizeof threads, "%d", work->study->threads);
    struct child_request request = {
        .arguments = {"run", case_path, "-o", folder, "-j", threads, "-q", "--force"},
        .output = output};
    if (!member_write_case(work->study, member, case_path, error))
        return false;
    int status = child_run(&request, error);
    return status == 0 || error_set(error, GABION_ERROR_RUN, "the run in %s failed", folder);
}

static bool compare_hashes(const struct member *member, const char *output,
                           struct gabion_error *error) {
    char before[64], now[64], label[64];
    struct member again = {.summary = file_read(output, (size_t)1 << 20, NULL, error)};
    if (!again.summary)
        return false;
    member_summary(member, "state-hash", before, sizeof before);
    member_summary(&again, "state-hash", now, sizeof now);
    member_summary(&again, "status", label, sizeof label);
    memory_free(again.summary);
    bool same = strcmp(before, now) == 0;
    printf("status: %s\nmember: %s\nstate-hash: %s\nstate-hash-before: %s\nreproduced: %s\n", label,
           member->sha256, now, before, same ? "yes" : "no");
    return same || error_set(error, GABION_ERROR_RUN,
                             "the member ended with another state hash than before: another "
                             "version of the program, or solver.time_budget");
}

static bool repeat_member(struct work *work, const char *which, struct gabion_error *error) {
    char folder[STUDY_PATH_MAX], output[STUDY_PATH_MAX + 16];
    struct member *member = find_member(&work->campaign, which, error);
    if (!member)
        return false;
    if (member->state != MEMBER_FINISHED)
        return error_set(error, GABION_ERROR_INPUT,
                         "--repeat %s: this member is not finished: there is nothing to compare "
                         "with",
                         which);
    snprintf(folder, sizeof folder, "%.3000s/repeats/%s", work->request.folder, member->name);
    snprintf(output, sizeof output, "%s/result.txt", folder);
    return file_make_directory(folder, error) && run_again(work, member, output, folder, error) &&
           compare_hashes(member, output, error);
}

bool study_repeat(const struct study_request *request, struct gabion_error *error) {
    struct work work = {0};
    if (!folder_is_directory(request->folder))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s does not exist; give the folder of the study with -o",
                         request->folder);
    bool good = work_open(&work, request, error) && repeat_member(&work, request->repeat, error);
    work_close(&work);
    return good;
}

// ---- check ----

static void print_members(struct campaign *campaign) {
    size_t count;
    struct member **members = campaign_shown(campaign, &count);
    for (size_t i = 0; i < count && !campaign->study->has_threshold; i++) {
        char label[1024];
        printf("member %zu: %s  %s%s\n", i + 1,
               member_describe(campaign->study, members[i], label, sizeof label), members[i]->name,
               members[i]->state == MEMBER_FINISHED ? "  finished" : "");
    }
    memory_free(members);
}

static void print_estimates(struct campaign *campaign) {
    const struct study *study = campaign->study;
    int64_t steps = 0;
    double seconds = 0;
    size_t finished = count_finished(campaign), runs = campaign->member_count;
    for (size_t i = 0; i < campaign->member_count; i++) {
        char wall[64];
        steps += campaign->members[i]->steps_estimate;
        if (campaign->members[i]->summary &&
            member_summary(campaign->members[i], "wall-time-total", wall, sizeof wall))
            seconds += strtod(wall, NULL);
    }
    printf("case: %s\nvariables: %zu\n", study->case_path, study->variable_count);
    if (study->has_threshold) {
        int each = search_runs(&study->threshold);
        printf("searches: %zu\nruns-per-search: %d\n", study->point_count, each);
        steps = campaign->member_count > 0
                    ? campaign->members[0]->steps_estimate * each * (int64_t)study->point_count
                    : 0;
        runs = study->point_count * (size_t)each;
    } else {
        printf("members: %zu\n", campaign->member_count);
    }
    printf("steps-at-most: %" PRId64 "\nat-a-time: %d\nthreads-of-each: %d\nfinished: %zu\n", steps,
           campaign->slots, study->threads, finished);
    if (finished > 0 && runs > finished)
        printf("seconds-left: %.0f\n",
               seconds / (double)finished * (double)(runs - finished) / campaign->slots);
}

bool study_check(const struct study_request *request, struct gabion_error *error) {
    struct work work = {0};
    bool good = work_open(&work, request, error);
    if (good) {
        print_members(&work.campaign);
        print_estimates(&work.campaign);
    }
    work_close(&work);
    return good;
}

// ---- Slurm ----

// A word of a shell command.
static void print_word(FILE *stream, const char *word) {
    fputc('\'', stream);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            fputc(*word, stream);
    fputc('\'', stream);
}

static bool absolute(const char *path, char out[STUDY_PATH_MAX], struct gabion_error *error) {
    char *real = realpath(path, NULL);
    bool fits = real && snprintf(out, STUDY_PATH_MAX, "%s", real) < STUDY_PATH_MAX;
    free(real);
    return fits || error_set(error, GABION_ERROR_RUN, "cannot find %s", path);
}

static void print_script(FILE *stream, const struct study *study, const char *program,
                         const char *path, const char *folder) {
    fprintf(stream,
            "#!/bin/bash\n#SBATCH --job-name=gabion-study\n#SBATCH --array=1-%zu\n"
            "#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n#SBATCH --output=%s/slurm/%%a.log\n"
            "#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n",
            study->point_count, study->threads, folder);
    for (size_t k = 0; study->slurm_options && k < study_text_count(study->slurm_options); k++)
        fprintf(stream, "#SBATCH %s\n", study_text(study->slurm_options, k));
    fputs(
        "# Each task runs one member, or goes on with it. exec: Slurm's signals reach the program, "
        "which\n# writes a checkpoint and stops.\nexec ",
        stream);
    print_word(stream, program);
    fputs(" study ", stream);
    print_word(stream, path);
    fputs(" -o ", stream);
    print_word(stream, folder);
    fputs(" --member \"$SLURM_ARRAY_TASK_ID\" -j \"${SLURM_CPUS_PER_TASK:-1}\"\n", stream);
}

static bool write_script(struct work *work, const struct study_request *request,
                         struct gabion_error *error) {
    char program[STUDY_PATH_MAX], path[STUDY_PATH_MAX], folder[STUDY_PATH_MAX];
    char script[STUDY_PATH_MAX + 32], logs[STUDY_PATH_MAX + 32];
    struct safe_file file;
    if (!absolute("/proc/self/exe", program, error) || !absolute(request->path, path, error) ||
        !absolute(request->folder, folder, error))
        return false;
    snprintf(script, sizeof script, "%s/study.sbatch", folder);
    snprintf(logs, sizeof logs, "%s/slurm", folder);
    if (!file_make_directory(logs, error) ||
        !manifest_write(&work->campaign.manifest, request->folder, error) ||
        !safe_file_open(&file, script, error))
        return false;
    print_script(file.stream, work->study, program, path, folder);
    if (!safe_file_commit(&file, error))
        return false;
    printf("tasks: %zu\nscript: %s\n", work->study->point_count, script);
    fprintf(stderr,
            "submit: sbatch %s\nthen collect: gabion study %s -o %s --collect\n"
            "(many clusters allow at most 1001 tasks in an array: MaxArraySize)\n",
            script, request->path, request->folder);
    return true;
}

bool study_slurm(const struct study_request *request, struct gabion_error *error) {
    struct work work = {0};
    bool good = make_folders(request->folder, error) && work_open(&work, request, error) &&
                write_script(&work, request, error);
    work_close(&work);
    return good;
}
