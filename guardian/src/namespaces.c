/* Starts a process in namespaces of its own, and furnishes them: ids, loopback, /proc, covered directories. */
#include "guardian.h"

#include <linux/openat2.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

static const struct { enum layer layer; int flag; } kinds[] = {
    {USER, CLONE_NEWUSER}, {PID, CLONE_NEWPID}, {IPC, CLONE_NEWIPC}, {NET, CLONE_NEWNET}, {MOUNT, CLONE_NEWNS},
};

/* Tests listen on loopback; theirs is not the host's. */
static void raise_loopback(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0) refuse("net", "loopback");
    close(any);
}

/* A handle on a path that has no link on the way: what was checked is what is opened. */
int open_exactly(const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static bool lies_in(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static void make_parents(const char *path) {
    char *parent = strdup(path);
    if (parent == NULL) refuse("mount", "memory");
    for (char *slash = strchr(parent + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(parent, 0755) != 0 && errno != EEXIST) refuse("mount", "%s", parent);
        *slash = '/';
    }
    free(parent);
}

static void bring_back(int kept, const char *path) {
    char source[64];
    struct stat status;
    if (fstat(kept, &status) != 0) refuse("mount", "%s", path);
    make_parents(path);
    int made = S_ISDIR(status.st_mode) ? mkdir(path, 0755) : mknod(path, S_IFREG | 0644, 0);
    if (made != 0 && errno != EEXIST) refuse("mount", "%s", path);
    snprintf(source, sizeof source, "/proc/self/fd/%d", kept);
    if (mount(source, path, NULL, MS_BIND | MS_REC, NULL) != 0) refuse("mount", "%s", path);
}

static void cover(const char *directory, const struct policy *policy, const int *kept) {
    if (mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0) refuse("mount", "%s", directory);
    for (size_t i = 0; i < policy->grant_count; i++)
        if (lies_in(policy->grants[i].path, directory)) bring_back(kept[i], policy->grants[i].path);
    unsigned long sealed = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
    if (mount(NULL, directory, NULL, sealed, NULL) != 0) refuse("mount", "%s", directory);
}

static void mount_private(const struct policy *policy) {
    if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) refuse("mount", "own tree of mounts");
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) refuse("mount", "own /proc");

    /* What is granted inside a covered directory is held open before it disappears, and bound back. */
    int *kept = calloc(policy->grant_count + 1, sizeof *kept);
    if (kept == NULL) refuse("mount", "memory");
    for (size_t i = 0; i < policy->grant_count; i++) {
        kept[i] = open_exactly(policy->grants[i].path);
        if (kept[i] < 0) refuse("mount", "%s", policy->grants[i].path);
    }
    for (size_t i = 0; i < policy->hidden_count; i++) cover(policy->hidden[i], policy, kept);
    for (size_t i = 0; i < policy->grant_count; i++) close(kept[i]);
    free(kept);
}

static void furnish(const struct policy *policy) {
    if (policy->required & LAYER(NET)) raise_loopback();
    if (policy->required & LAYER(MOUNT)) mount_private(policy);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (policy->required & LAYER(kinds[i].layer)) hold(kinds[i].layer);
}

static void write_file(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, length) != (ssize_t)length) refuse("user", "%s", path);
    close(file);
}

static void copy_map(pid_t child, const char *name, unsigned own) {
    char path[64];
    char map[4096];
    int length = snprintf(map, sizeof map, "%u %u 1\n", own, own);
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "/proc/self/%s", name);
        FILE *ours = fopen(path, "re");
        if (ours == NULL) refuse("user", "%s", path);
        unsigned first;
        unsigned count;
        length = 0;
        while (fscanf(ours, "%u %*u %u", &first, &count) == 2 && (size_t)length + 40 < sizeof map)
            length += snprintf(map + length, sizeof map - (size_t)length, "%u %u %u\n", first, first, count);
        fclose(ours);
    }
    snprintf(path, sizeof path, "/proc/%d/%s", child, name);
    write_file(path, map, (size_t)length);
}

/*
 * Ids mean inside what they mean outside. Root maps everything it has, so that a tree of another owner
 * stays usable; an ordinary user can map only itself, and must give up setgroups for that.
 */
static void map_same_ids(pid_t child) {
    char path[64];
    if (geteuid() != 0) {
        snprintf(path, sizeof path, "/proc/%d/setgroups", child);
        write_file(path, "deny", 4);
    }
    copy_map(child, "uid_map", geteuid());
    copy_map(child, "gid_map", getegid());
}

/* The child waits at a gate until its ids are mapped; a supervisor that dies before that ends it too. */
pid_t start_in_namespaces(const struct policy *policy, stage *next) {
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0) refuse("namespaces", "pipe");
    int flags = SIGCHLD;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (policy->required & LAYER(kinds[i].layer)) flags |= kinds[i].flag;

    /* Without a stack of its own the child is a copy, as with fork, and the argument order does not matter. */
    pid_t child = (pid_t)syscall(SYS_clone, (long)flags, NULL, NULL, NULL, NULL);
    if (child < 0) refuse("namespaces", "clone");
    if (child == 0) {
        char open = 0;
        close(gate[1]);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) refuse("supervisor", "parent death signal");
        if (read(gate[0], &open, 1) != 1) _exit(EXIT_REFUSED);
        close(gate[0]);
        furnish(policy);
        next(policy);
        _exit(0);
    }
    close(gate[0]);
    if (policy->required & LAYER(USER)) map_same_ids(child);
    if (write(gate[1], "1", 1) != 1) refuse("namespaces", "gate");
    close(gate[1]);
    return child;
}
