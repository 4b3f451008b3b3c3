/* What the parts of the guardian share: the policy as it was asked for, and the layers that hold. */
#ifndef GUARDIAN_H
#define GUARDIAN_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit codes beside the payload's own, as shells use them. */
enum { EXIT_REFUSED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* In the order of the names in report.c. Those before FIRST_OPTIONAL always hold. */
enum layer {
    SUPERVISOR, SESSION, DESCRIPTORS, LIMITS, NO_NEW_PRIVS, LANDLOCK,
    FIRST_OPTIONAL, USER = FIRST_OPTIONAL, PID, IPC, NET, MOUNT, CAPABILITIES, TCP, SCOPES, SECCOMP, SOCKETS,
    LAYERS
};

typedef uint32_t layer_set;
#define LAYER(name) ((layer_set)1 << (name))
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a tree may be used for. */
enum access { READ, EXEC, WRITE };

struct grant { const char *path; enum access access; };
struct limit { int resource; uint64_t value; };

/* Filled from the arguments, then only read. The guardian adds nothing to it. */
struct policy {
    bool probe;
    int report;
    int grace_ms;
    const char *directory;
    layer_set required;
    layer_set waived;
    struct grant *grants;
    size_t grant_count;
    const char **hidden;
    size_t hidden_count;
    struct limit limits[8];
    size_t limit_count;
    char **command;
};

/* arguments.c */
struct policy read_arguments(int count, char **arguments);

/* report.c: one JSON object a line. */
void open_report(int descriptor);
void report_to_nobody(void);
int report_descriptor(void);
void hold(enum layer layer);
extern const char *const layer_names[LAYERS];
void report_confined(const struct policy *policy, int abi);
void report_ended(int status);
void report_stopped(void);
void report_probe(int abi, const int trouble[LAYERS]);
noreturn void refuse(const char *step, const char *format, ...) __attribute__((format(printf, 2, 3)));
noreturn void refuse_execution(const char *program);

/* namespaces.c */
typedef void stage(const struct policy *policy);
pid_t start_in_namespaces(const struct policy *policy, stage *next);
int open_exactly(const char *path);

/* privileges.c */
void limit_resources(const struct policy *policy);
void drop_capabilities(void);
void renounce_privileges(void);

/* ruleset.c */
enum { LANDLOCK_FLOOR = 3, LANDLOCK_KNOWN = 9 };
int landlock_abi(void);
void apply_ruleset(const struct policy *policy, int abi);

/* seccomp.c */
void apply_filter(const struct policy *policy);

/* supervisor.c */
void become_supervisor(void);
noreturn void supervise(const struct policy *policy, pid_t child);
noreturn void reap_until_ended(pid_t payload);

/* probe.c */
noreturn void probe(void);

#endif
