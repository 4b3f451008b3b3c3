/* Attempts one act and says how it went: exit 0 when it was possible, 1 with the error when it was not. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_from(int file) {
    char byte;
    return file < 0 || read(file, &byte, 1) < 0 ? -1 : 0;
}

static int inet(int type, const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int any = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (any < 0 || connect(any, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    if (type == SOCK_STREAM) return 0;
    /* Nobody listening shows at the second datagram. */
    if (send(any, "x", 1, 0) != 1) return -1;
    usleep(20000);
    return send(any, "x", 1, 0) == 1 ? 0 : -1;
}

/* A server and a client of one's own, on loopback. */
static int own_loopback(int type) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    char port[8];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, size) != 0) return -1;
    if (type == SOCK_STREAM && listen(server, 1) != 0) return -1;
    if (getsockname(server, (struct sockaddr *)&address, &size) != 0) return -1;
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    return inet(type, port);
}

/* A name that starts with @ is abstract. */
static int unix_socket(const char *name, int listens) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, name, sizeof address.sun_path - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    int any = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (any < 0) return -1;
    if (!listens) return connect(any, (struct sockaddr *)&address, size);
    if (bind(any, (struct sockaddr *)&address, size) != 0 || listen(any, 1) != 0) return -1;
    return unix_socket(name, 0);
}

static int signal_own_child(void) {
    pid_t child = fork();
    if (child == 0) pause();
    return kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child ? 0 : -1;
}

static int attempt(const char *act, const char *first, const char *second) {
    if (strcmp(act, "read") == 0) return read_from(open(first, O_RDONLY | O_CLOEXEC));
    if (strcmp(act, "read-descriptor") == 0) return read_from(atoi(first));
    if (strcmp(act, "write") == 0) return open(first, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 ? -1 : 0;
    if (strcmp(act, "list") == 0) return open(first, O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 ? -1 : 0;
    if (strcmp(act, "truncate") == 0) return truncate(first, 0);
    if (strcmp(act, "link") == 0) return link(first, second);
    if (strcmp(act, "rename") == 0) return rename(first, second);
    if (strcmp(act, "chmod") == 0) return chmod(first, 0700);
    if (strcmp(act, "tcp") == 0) return inet(SOCK_STREAM, first);
    if (strcmp(act, "udp") == 0) return inet(SOCK_DGRAM, first);
    if (strcmp(act, "own-tcp") == 0) return own_loopback(SOCK_STREAM);
    if (strcmp(act, "own-udp") == 0) return own_loopback(SOCK_DGRAM);
    if (strcmp(act, "unix") == 0) return unix_socket(first, 0);
    if (strcmp(act, "own-unix") == 0) return unix_socket(first, 1);
    if (strcmp(act, "signal") == 0) return kill(atoi(first), 0);
    if (strcmp(act, "own-signal") == 0) return signal_own_child();
    if (strcmp(act, "trace") == 0) return (int)ptrace(PTRACE_SEIZE, atoi(first), NULL, NULL);
    if (strcmp(act, "shared-memory") == 0) return shmget(atoi(first), 16, 0) < 0 ? -1 : 0;
    if (strcmp(act, "own-shared-memory") == 0) return shmget(atoi(first), 16, IPC_CREAT | 0600) < 0 ? -1 : 0;
    if (strcmp(act, "namespace") == 0) return unshare(CLONE_NEWUSER);
    if (strcmp(act, "mount") == 0) return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 ? mount("none", first, "tmpfs", 0, NULL) : -1;
    errno = EINVAL;
    return -1;
}

int main(int count, char **arguments) {
    const char *first = count > 2 ? arguments[2] : "";
    const char *second = count > 3 ? arguments[3] : "";
    if (count > 1 && attempt(arguments[1], first, second) == 0) return 0;
    printf("%s\n", strerror(errno));
    return 1;
}
