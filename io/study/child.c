#include "io/study/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// The running program even where its file has been replaced meanwhile by a newer one: all members
// of a study are run by one version.
#define SELF "/proc/self/exe"

static void send_to(int number, const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, number) < 0)
        _exit(CHILD_NOT_STARTED);
    close(file);
}

static _Noreturn void become(const struct child_request *request, const char *program,
                             pid_t parent) {
    const char *arguments[CHILD_ARGUMENTS_MAX + 1] = {request->program ? program : "gabion"};
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) // it died before the line above
        _exit(CHILD_NOT_STARTED);
    for (int i = 0; request->arguments[i] && i < CHILD_ARGUMENTS_MAX - 1; i++)
        arguments[i + 1] = request->arguments[i];
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (request->output)
        send_to(STDOUT_FILENO, request->output);
    if (request->messages)
        send_to(STDERR_FILENO, request->messages);
    if (request->folder && chdir(request->folder) != 0)
        _exit(CHILD_NOT_STARTED);
    execvp(program, (char *const *)arguments);
    _exit(CHILD_NOT_STARTED);
}

pid_t child_start(const struct child_request *request, struct gabion_error *error) {
    fflush(NULL); // what is buffered must not be written twice
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(request, request->program ? request->program : SELF, parent);
    if (pid < 0)
        error_set(error, GABION_ERROR_RUN, "cannot start a process: %s", strerror(errno));
    return pid;
}

bool child_ended(pid_t pid, int *status) {
    pid_t found = waitpid(pid, status, WNOHANG);
    if (found < 0 && errno != EINTR)
        *status = CHILD_NOT_STARTED << 8; // somebody else took its status
    return found == pid || (found < 0 && errno != EINTR);
}

int child_run(const struct child_request *request, struct gabion_error *error) {
    int status;
    pid_t pid = child_start(request, error);
    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
