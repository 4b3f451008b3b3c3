/* Resource limits, capabilities, and the promise never to gain privileges again. */
#include "guardian.h"

#include <linux/capability.h>

/* Values above what the system allows are lowered to it; the core size is always 0. */
void limit_resources(const struct policy *policy) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) refuse("limits", "core");
    for (size_t i = 0; i < policy->limit_count; i++) {
        int resource = policy->limits[i].resource;
        struct rlimit limit;
        if (getrlimit(resource, &limit) != 0) refuse("limits", "%d", resource);
        if (policy->limits[i].value < limit.rlim_max) limit.rlim_max = policy->limits[i].value;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(resource, &limit) != 0) refuse("limits", "%d", resource);
    }
    hold(LIMITS);
}

/*
 * Root keeps what lets it work on files of several owners, which the ruleset bounds. Nobody keeps more:
 * no tracing, no raw devices, no network administration, not even inside an own user namespace.
 */
void drop_capabilities(void) {
    const uint64_t ownership = 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE | 1U << CAP_FOWNER | 1U << CAP_FSETID;
    uint64_t keep = getuid() == 0 ? ownership : 0;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0) refuse("capabilities", "capget");
    bool nothing_to_drop = sets[0].permitted == 0 && sets[1].permitted == 0;

    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) refuse("capabilities", "ambient set");
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (keep >> capability & 1) continue;
        /* One who holds none cannot lower the bound, and cannot gain any either: privileges are renounced next. */
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && !nothing_to_drop) refuse("capabilities", "bounding set");
    }
    for (size_t half = 0; half < 2; half++) {
        sets[half].permitted &= (uint32_t)(keep >> (32 * half));
        sets[half].effective = sets[half].permitted;
        sets[half].inheritable = 0;
    }
    if (syscall(SYS_capset, &header, sets) != 0) refuse("capabilities", "capset");
    hold(CAPABILITIES);
}

void renounce_privileges(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("no_new_privs", "prctl");
    hold(NO_NEW_PRIVS);
}
