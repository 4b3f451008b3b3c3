/* Confines itself, then executes a payload: the order of the steps, and nothing else. */
#include "guardian.h"

static void close_descriptors(int except) {
    if (except > 3 && close_range(3, (unsigned)except - 1, 0) != 0) refuse("descriptors", "close_range");
    if (close_range((unsigned)except + 1, ~0U, 0) != 0) refuse("descriptors", "close_range");
    hold(DESCRIPTORS);
}

static noreturn void run_payload(const struct policy *policy) {
    if (setsid() < 0) refuse("session", "setsid");
    hold(SESSION);
    umask(077);
    int directory = open_exactly(policy->directory);
    if (directory < 0 || fchdir(directory) != 0) refuse("directory", "%s", policy->directory);
    limit_resources(policy);
    if (policy->required & LAYER(CAPABILITIES)) drop_capabilities();
    renounce_privileges();
    int abi = landlock_abi();
    apply_ruleset(policy, abi);
    if (policy->required & LAYER(SECCOMP)) apply_filter(policy);

    report_confined(policy, abi);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    execvp(policy->command[0], policy->command);
    refuse_execution(policy->command[0]);
}

/* The first process inside. With an own pid namespace it stays behind as reaper, outside the ruleset. */
static void run_first(const struct policy *policy) {
    if (!(policy->required & LAYER(PID))) run_payload(policy);
    pid_t payload = fork();
    if (payload < 0) refuse("pid", "fork");
    if (payload == 0) run_payload(policy);
    reap_until_ended(payload);
}

/* Three processes at most: the supervisor outside, the first process of an own pid namespace, the payload. */
int main(int count, char **arguments) {
    struct policy policy = read_arguments(count, arguments);
    if (policy.probe) probe();
    open_report(policy.report);
    close_descriptors(report_descriptor());
    become_supervisor();
    supervise(&policy, start_in_namespaces(&policy, run_first));
}
