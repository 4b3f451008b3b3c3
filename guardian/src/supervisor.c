/*
 * Outlives the payload and ends everything it left behind. Orphans of the tree are given to the nearest
 * subreaper, so none can leave it by starting a session or by forking twice.
 */
#include "guardian.h"

#include <dirent.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>

enum news { NOTHING, ASKED_TO_END, ABANDONED };
enum { NEVER = -1, NOW = 0, PROCESSES = 65536 };

static int signals;

void become_supervisor(void) {
    /* A group leader cannot start a session; the payload starts its own in any case. */
    if (setsid() < 0 && errno != EPERM) refuse("supervisor", "setsid");
    if (prctl(PR_SET_PDEATHSIG, SIGHUP) != 0) refuse("supervisor", "parent death signal");
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) refuse("supervisor", "subreaper");
    if (access("/proc/self/stat", R_OK) != 0) refuse("supervisor", "/proc is needed to find descendants");
    const int wanted[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    sigset_t watched;
    sigemptyset(&watched);
    for (size_t i = 0; i < COUNT(wanted); i++) sigaddset(&watched, wanted[i]);
    if (sigprocmask(SIG_SETMASK, &watched, NULL) != 0) refuse("supervisor", "signals");
    signal(SIGPIPE, SIG_IGN);
    signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) refuse("supervisor", "signals");
    hold(SUPERVISOR);
}

/* Takes in what has ended, up to the payload; when it is that, true and its status. */
static bool reap(pid_t payload, int *status) {
    for (pid_t ended; (ended = waitpid(-1, status, WNOHANG)) > 0;)
        if (ended == payload) return true;
    return false;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum news wait_for_news(int64_t deadline) {
    int64_t left = deadline == NEVER ? -1 : deadline - now_ms();
    /* The descriptor of the report is watched for one thing only: that its reader went away. */
    struct pollfd watched[2] = {{.fd = signals, .events = POLLIN}, {.fd = report_descriptor(), .events = 0}};
    if (poll(watched, 2, left < -1 ? 0 : (int)left) < 0) return NOTHING;
    if (watched[1].revents & (POLLHUP | POLLERR)) return ABANDONED;
    enum news news = NOTHING;
    struct signalfd_siginfo one;
    while (read(signals, &one, sizeof one) == (ssize_t)sizeof one) {
        if (one.ssi_signo == SIGHUP) return ABANDONED;
        if (one.ssi_signo != SIGCHLD) news = ASKED_TO_END;
    }
    return news;
}

static bool holds(const pid_t *tree, size_t count, pid_t pid) {
    for (size_t i = 0; i < count; i++)
        if (tree[i] == pid) return true;
    return false;
}

static pid_t parent_of(pid_t pid) {
    char path[32];
    char line[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *stat = fopen(path, "re");
    if (stat == NULL) return 0;
    /* The name stands in brackets and may hold anything, brackets too. */
    char *name_end = fgets(line, sizeof line, stat) == NULL ? NULL : strrchr(line, ')');
    if (name_end != NULL && sscanf(name_end, ") %*c %d", &parent) != 1) parent = 0;
    fclose(stat);
    return parent;
}

static size_t grow_tree(pid_t *tree, size_t count) {
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc != NULL && count < PROCESSES && (entry = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && !holds(tree, count, pid) && holds(tree, count, parent_of(pid))) tree[count++] = pid;
    }
    if (proc != NULL) closedir(proc);
    return count;
}

/* Finds the tree by parents, pass by pass until it no longer grows, and returns how many were signalled. */
static size_t signal_descendants(int signal_number) {
    static pid_t tree[PROCESSES];
    size_t count = 1;
    size_t signalled = 0;
    tree[0] = getpid();
    for (size_t grown; (grown = grow_tree(tree, count)) > count;) count = grown;
    for (size_t i = 1; i < count; i++)
        if (kill(tree[i], signal_number) == 0) signalled++;
    return signalled;
}

/* Freezes before it kills: a tree that keeps forking would otherwise outrun the list. Returns when none is left. */
static void end_tree(void) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0) {
        if (ended > 0) continue;
        size_t frozen = 0;
        for (size_t seen; (seen = signal_descendants(SIGSTOP)) > frozen;) frozen = seen;
        signal_descendants(SIGKILL);
        waitpid(-1, NULL, 0);
    }
}

static int exit_code(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* TERM and INT ask the tree to end, and end it after the grace; a caller that is gone ends it at once. */
noreturn void supervise(const struct policy *policy, pid_t child) {
    int status = 0;
    int64_t deadline = NEVER;
    prctl(PR_SET_DUMPABLE, 0);
    while (!reap(child, &status) && (deadline == NEVER || now_ms() < deadline)) {
        enum news news = wait_for_news(deadline);
        if (news == ABANDONED) deadline = NOW;
        if (news != ASKED_TO_END || deadline != NEVER) continue;
        signal_descendants(SIGTERM);
        signal_descendants(SIGCONT);
        deadline = now_ms() + policy->grace_ms;
    }
    end_tree();
    if (deadline != NEVER) {
        report_stopped();
        _exit(128 + SIGKILL);
    }
    if (!(policy->required & LAYER(PID))) report_ended(status);
    _exit(exit_code(status));
}

/* The first process of an own pid namespace: when it leaves, the kernel ends whatever is left there. */
noreturn void reap_until_ended(pid_t payload) {
    int status = 0;
    prctl(PR_SET_DUMPABLE, 0);
    while (waitpid(-1, &status, 0) != payload) continue;
    report_ended(status);
    _exit(exit_code(status));
}
