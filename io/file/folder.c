#include "io/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file.h"

// Everything a run writes, temporary names included.
struct product {
    const char *under, *pattern;
};

static const struct product products[] = {
    {"", "case.yaml"},
    {"", "history.csv"},
    {"", "history-*.csv"},
    {"", "run.log"},
    {"", "summary.txt"},
    {"", "report.html"},
    {"", "checkpoint-[0-9]*.h5"},
    {"", "checkpoint-[0-9]*.h5.damaged*"},
    {"", "checkpoint.h5"},
    {"", "bodies.pvd"},
    {"", "walls.pvd"},
    {"", "contacts.pvd"},
    {"", "blocks.pvd"},
    {"", "interfaces.pvd"},
    {"", "joints.pvd"},
    {"", "links.pvd"}, // of older versions
    {"", "thrust.pvd"},
    {"/vtk", "bodies_[0-9]*.vtp"},
    {"/vtk", "walls_[0-9]*.vtp"},
    {"/vtk", "contacts_[0-9]*.vtp"}, // frames, and pieces of them
    {"/vtk", "contacts_[0-9]*.pvtp"},
    {"/vtk", "blocks_[0-9]*.vt[pu]"},
    {"/vtk", "interfaces_[0-9]*.vtp"},
    {"/vtk", "joints_[0-9]*.vtp"},
    {"/vtk", "links_[0-9]*.vtp"}, // of older versions
    {"/vtk", "thrust_[0-9]*.vtp"},
    {"/frames", "frame-[0-9]*.h5"},
    {"/frames", "frame.h5"},
};
#define PRODUCT_COUNT (sizeof products / sizeof products[0])

bool folder_is_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool folder_default(const char *case_path, char directory[FOLDER_PATH_MAX],
                    struct gabion_error *error) {
    const char *slash = strrchr(case_path, '/'), *name = slash ? slash + 1 : case_path;
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
        length = (size_t)(dot - name);
    if (snprintf(directory, FOLDER_PATH_MAX, "out/%.*s", (int)length, name) < FOLDER_PATH_MAX)
        return true;
    return error_set(error, GABION_ERROR_INPUT, "the name of the case is too long; use -o DIR");
}

static bool is_product(const char *under, const char *name) {
    char plain[256];
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".tmp") == 0)
        length -= 4;
    if (length >= sizeof plain)
        return false;
    snprintf(plain, sizeof plain, "%.*s", (int)length, name);
    for (size_t i = 0; i < PRODUCT_COUNT; i++)
        if (strcmp(products[i].under, under) == 0 && fnmatch(products[i].pattern, plain, 0) == 0)
            return true;
    return false;
}

// A folder whose files cannot be seen may hold the results of another run.
static bool cannot_list(const char *folder, struct gabion_error *error) {
    return error_set(error, GABION_ERROR_INPUT,
                     "cannot see what folder %s holds: %s; give another folder with -o", folder,
                     strerror(errno));
}

// Finds the products in one (sub)folder: names the first, or removes them all.
static bool visit_products(const char *directory, const char *under, bool removing, char *found,
                           size_t size, struct gabion_error *error) {
    char folder[FOLDER_PATH_MAX], path[FOLDER_PATH_MAX + 256];
    bool done = true;
    snprintf(folder, sizeof folder, "%s%s", directory, under);
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return errno == ENOENT || cannot_list(folder, error);
    for (struct dirent *entry; done && (errno = 0, entry = readdir(entries)) != NULL;) {
        if (!is_product(under, entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (found[0] == '\0')
            snprintf(found, size, "%s", entry->d_name);
        if (removing && unlink(path) != 0)
            done =
                error_set(error, GABION_ERROR_INPUT, "cannot remove %s: %s", path, strerror(errno));
    }
    if (done && errno != 0)
        done = cannot_list(folder, error);
    closedir(entries);
    return done;
}

static bool same_file(const char *left, const char *right) {
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool folder_lock(const char *directory, int *lock, struct gabion_error *error) {
    *lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return cannot_list(directory, error);
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    bool taken = errno == EWOULDBLOCK;
    folder_unlock(*lock);
    *lock = FOLDER_NO_LOCK;
    return !taken || error_set(error, GABION_ERROR_INPUT,
                               "%s is being written by another gabion; wait for it or give another "
                               "folder with -o",
                               directory);
}

void folder_unlock(int lock) {
    if (lock != FOLDER_NO_LOCK)
        close(lock);
}

bool folder_in_use(const char *directory) {
    int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return false;
    bool taken = flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(lock);
    return taken;
}

static bool make_writable(const char *directory, struct gabion_error *error) {
    if (file_make_directory(directory, error) && access(directory, W_OK | X_OK) == 0)
        return true;
    error_set(error, GABION_ERROR_INPUT, "cannot write into folder %s: %s", directory,
              strerror(errno));
    error->status = GABION_ERROR_INPUT; // a bad -o is bad usage
    return false;
}

static bool visit_all(const char *directory, bool removing, char *found, size_t size,
                      struct gabion_error *error) {
    static const char *const folders[] = {"", "/vtk", "/frames"};
    bool done = true;
    for (size_t k = 0; done && k < sizeof folders / sizeof *folders; k++)
        done = visit_products(directory, folders[k], removing, found, size, error);
    return done;
}

bool folder_claim(const char *directory, const char *case_path, bool force, int *lock,
                  struct gabion_error *error) {
    char found[256] = "", resolved[FOLDER_PATH_MAX];
    *lock = FOLDER_NO_LOCK;
    if (file_exists(directory) && !folder_is_directory(directory))
        return error_set(error, GABION_ERROR_INPUT, "%s is a file; -o needs a folder", directory);
    if (snprintf(resolved, sizeof resolved, "%s/case.yaml", directory) >= (int)sizeof resolved)
        return error_set(error, GABION_ERROR_INPUT, "the name of the folder is too long: %.60s...",
                         directory);
    if (case_path != NULL && same_file(case_path, resolved))
        return error_set(error, GABION_ERROR_INPUT,
                         "%s would be overwritten by the run's own copy of it; use another -o",
                         case_path);
    if (!make_writable(directory, error) || !folder_lock(directory, lock, error) ||
        !visit_all(directory, false, found, sizeof found, error)) // before anything is removed
        return false;
    if (found[0] != '\0' && !force)
        return error_set(error, GABION_ERROR_INPUT,
                         "%s holds the results of another run (%s); give %s", directory, found,
                         case_path != NULL
                             ? "--force to replace them, or another folder with -o"
                             : "another folder with -o; resume never replaces results");
    return !force || visit_all(directory, true, found, sizeof found, error);
}

void folder_drop_frames(const char *directory, int64_t step) {
    char folder[FOLDER_PATH_MAX], path[FOLDER_PATH_MAX + 256];
    snprintf(folder, sizeof folder, "%s/frames", directory);
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (!is_product("/frames", entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strtoll(entry->d_name + strlen("frame-"), NULL, 10) >= step)
            unlink(path);
    }
    closedir(entries);
}
