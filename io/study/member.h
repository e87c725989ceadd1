// A member of a study: one run of the base case with its values, in a folder that is named by the
// SHA-256 of its resolved case.
//
// In the folder of the study, members/NAME/ is the folder of the run; its file result.txt exists
// once the run is finished, and holds what it printed. failure.txt says how a run failed that did
// not finish, run.err holds its messages. cases/NAME.yaml is the resolved case.
#ifndef IO_STUDY_MEMBER_H
#define IO_STUDY_MEMBER_H

#include "io/case/case.h"
#include "io/study/study.h"
#include "io/text/sha256.h"

enum member_state { MEMBER_WAITING, MEMBER_RUNNING, MEMBER_FINISHED, MEMBER_FAILED };

#define MEMBER_NAME_SIZE 17 // the first 16 digits of the hash

struct member {
    size_t point;       // of the product of what varies
    char threshold[32]; // value of the threshold's key; "": the study has none
    char sha256[SHA256_TEXT_SIZE];
    char name[MEMBER_NAME_SIZE];
    int64_t steps_estimate; // time.end / time.step
    enum member_state state;
    char status[64]; // as the table shows it
    char *summary;   // text; NULL: not finished
    double *results; // NAN: none
    enum answer event;
};

// Resolves the case of the member. Returns NULL on an error.
struct member *member_create(const struct study *study, size_t point, const char *threshold,
                             struct gabion_error *error);
void member_free(struct member *member);

// Writes "scale=0.4 record=2".
const char *member_describe(const struct study *study, const struct member *member, char *text,
                            size_t size);

// Returns the case of the member; the caller frees it.
struct case_file *member_case(const struct study *study, const struct member *member,
                              struct gabion_error *error);

// Writes the resolved case to a file named by its hash, unless it is there. `gabion run` takes it.
bool member_write_case(const struct study *study, const struct member *member, const char *path,
                       struct gabion_error *error);

// Writes the path of a file of the member: "" is its folder.
void member_path(const char *folder, const struct member *member, const char *file,
                 char path[STUDY_PATH_MAX]);
void member_case_path(const char *folder, const struct member *member, char path[STUDY_PATH_MAX]);

// Looks whether the folder holds the finished run, and reads its results.
bool member_refresh(const struct study *study, const char *folder, struct member *member,
                    struct gabion_error *error);

// Finds a value in the summary. Returns false where it has none.
bool member_summary(const struct member *member, const char *key, char *value, size_t size);

#endif
