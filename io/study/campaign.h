// The runs of a study: which are finished, which are wanted next, and the processes that run them.
//
// All that a campaign knows is in the folder of the study. A campaign that was killed goes on where
// it was when it is started again: finished members are found by their hash, the others are resumed
// from their checkpoints.
#ifndef IO_STUDY_CAMPAIGN_H
#define IO_STUDY_CAMPAIGN_H

#include <sys/types.h>

#include "io/study/manifest.h"
#include "io/study/member.h"

struct campaign_request {
    const char *folder; // of the study; exists
    int cores;          // to use
    size_t only;        // from 1: this member, or this search, alone; 0: all
    bool force;         // changed members are run again
    bool quiet;
    bool collect; // start nothing
};

struct running {
    struct member *member;
    pid_t pid;
    bool resumed;
};

struct campaign {
    const struct study *study;
    const struct campaign_request *request;
    struct manifest manifest;
    struct member **members; // of a product: one for each point, in order
    size_t member_count, member_capacity;
    struct member ***searched; // with a threshold: the members of each point
    size_t *searched_count;
    struct running *running;
    int running_count, slots;
    size_t cursor;                                 // no member before it is waiting
    size_t changed, found, started, failed, ended; // members; found: finished before
    bool stopping;
    double began, work; // clock; s of wall time of the members that ended
};

// Finds out what the members are and which of them are finished.
bool campaign_open(struct campaign *campaign, const struct study *study,
                   const struct campaign_request *request, struct gabion_error *error);
// Runs what is wanted. Returns true also where members failed or a signal stopped it.
bool campaign_run(struct campaign *campaign, struct gabion_error *error);
void campaign_close(struct campaign *campaign);

// The tasks are the members or, with a threshold, the searches.
size_t campaign_tasks(const struct campaign *campaign);

// The state of the search at a point; its members are known.
struct search campaign_search(struct campaign *campaign, size_t point);
struct member *campaign_visited(struct campaign *campaign, size_t point, double value);

// The members that the table shows, in its order: all of a product, or those that the bisections
// visited. The caller frees the list.
struct member **campaign_shown(struct campaign *campaign, size_t *count);

bool campaign_is_complete(struct campaign *campaign);

#endif
