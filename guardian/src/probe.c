/* Measures what this kernel grants: each optional layer is put up in a process of its own, and let go. */
#include "guardian.h"

static void put_up(const struct policy *policy) {
    if (policy->required & LAYER(CAPABILITIES)) drop_capabilities();
    if (policy->required & LAYER(SECCOMP)) {
        renounce_privileges();
        apply_filter(policy);
    }
}

/* 0, or the error of the step that failed. The trial may end half-way, so it has a process for itself. */
static int try_layers(layer_set layers) {
    pid_t trial = fork();
    if (trial < 0) return errno;
    if (trial > 0) {
        int status = 0;
        waitpid(trial, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
    }
    struct policy policy = {.required = layers, .grant_count = 0};
    int status = 0;
    pid_t inside = start_in_namespaces(&policy, put_up);
    if (waitpid(inside, &status, 0) < 0) _exit(errno);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM);
}

/* With an own user namespace everyone may make the others; without it only the privileged can. */
noreturn void probe(void) {
    static const struct { enum layer layer; layer_set needs; } trials[] = {
        {USER, 0}, {PID, 0}, {IPC, 0}, {NET, 0}, {MOUNT, LAYER(PID)}, {CAPABILITIES, 0}, {SECCOMP, 0}, {SOCKETS, LAYER(SECCOMP)},
    };
    int trouble[LAYERS] = {0};
    layer_set base = 0;
    report_to_nobody();
    for (size_t i = 0; i < COUNT(trials); i++) {
        trouble[trials[i].layer] = try_layers(base | trials[i].needs | LAYER(trials[i].layer));
        if (trials[i].layer == USER && trouble[USER] == 0) base = LAYER(USER);
    }
    int abi = landlock_abi();
    if (abi < 4) trouble[TCP] = EOPNOTSUPP;
    if (abi < 6) trouble[SCOPES] = EOPNOTSUPP;
    report_probe(abi, trouble);
    _exit(0);
}
