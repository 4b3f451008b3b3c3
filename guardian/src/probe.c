/* Measures what this kernel grants: each optional layer is put up in a process of its own, and let go. */
#include "guardian.h"

#include <fcntl.h>
#include <sys/wait.h>

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
    int trouble[LAYERS] = {0};
    report_to_nobody();
    trouble[USER] = try_layers(LAYER(USER));
    layer_set base = trouble[USER] == 0 ? LAYER(USER) : 0;
    trouble[PID] = try_layers(base | LAYER(PID));
    trouble[IPC] = try_layers(base | LAYER(IPC));
    trouble[NET] = try_layers(base | LAYER(NET));
    trouble[MOUNT] = trouble[PID] != 0 ? trouble[PID] : try_layers(base | LAYER(PID) | LAYER(MOUNT));
    trouble[CAPABILITIES] = try_layers(base | LAYER(CAPABILITIES));
    trouble[SECCOMP] = try_layers(base | LAYER(SECCOMP));
    trouble[SOCKETS] = try_layers(base | LAYER(SECCOMP) | LAYER(SOCKETS));

    int abi = landlock_abi();
    trouble[TCP] = abi >= 4 ? 0 : EOPNOTSUPP;
    trouble[SCOPES] = abi >= 6 ? 0 : EOPNOTSUPP;
    report_probe(abi, trouble);
    _exit(0);
}
