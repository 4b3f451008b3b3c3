/*
 * Landlock, from our own constants: a distribution's header may be years older than the kernel, and a
 * right that is not handled is a right that is granted. Rules only allow; nothing inside a tree can be
 * carved out of it.
 */
#include "guardian.h"

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

#define EXECUTE (UINT64_C(1) << 0)
#define WRITE_FILE (UINT64_C(1) << 1)
#define READ_FILE (UINT64_C(1) << 2)
#define READ_DIR (UINT64_C(1) << 3)
#define MAKE_CHAR (UINT64_C(1) << 6)
#define MAKE_BLOCK (UINT64_C(1) << 11)
#define TRUNCATE (UINT64_C(1) << 14)
#define IOCTL_DEV (UINT64_C(1) << 15)
#define ON_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define NET_BIND_AND_CONNECT_TCP UINT64_C(3)
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS UINT64_C(3)

/* Rights a kernel offers: the lowest `rights` bits, from this ABI on. */
static const struct { int abi; int rights; } offered[] = {{1, 13}, {2, 14}, {3, 15}, {5, 16}, {9, 17}};

struct ruleset { uint64_t on_files, on_network, scoped; };
struct __attribute__((packed)) path_rule { uint64_t allowed; int32_t parent; };

/* The kernel's answer; 0 when it has no Landlock or it is switched off. */
int landlock_abi(void) {
    long abi = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    return abi < 0 ? 0 : (int)abi;
}

static uint64_t rights_of(int abi) {
    int rights = 0;
    for (size_t i = 0; i < COUNT(offered); i++)
        if (abi >= offered[i].abi) rights = offered[i].rights;
    return (UINT64_C(1) << rights) - 1;
}

static void add_path(int ruleset, const struct grant *grant, uint64_t handled) {
    struct stat status;
    struct path_rule rule = {.parent = open_exactly(grant->path)};
    if (rule.parent < 0 || fstat(rule.parent, &status) != 0) refuse("landlock", "%s", grant->path);
    /* Devices are neither made nor controlled in a project. */
    rule.allowed = grant->access == WRITE ? handled & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV) : READ_FILE | READ_DIR;
    if (grant->access == EXEC) rule.allowed |= EXECUTE;
    if (!S_ISDIR(status.st_mode)) rule.allowed &= ON_FILES;
    if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0) refuse("landlock", "%s", grant->path);
    close(rule.parent);
}

void apply_ruleset(const struct policy *policy, int abi) {
    errno = 0;
    if (abi < LANDLOCK_FLOOR) refuse("landlock", "the kernel offers ABI %d, at least %d is needed", abi, LANDLOCK_FLOOR);
    if ((policy->required & LAYER(TCP)) && abi < 4) refuse("tcp", "the kernel offers ABI %d, 4 is needed", abi);
    if ((policy->required & LAYER(SCOPES)) && abi < 6) refuse("scopes", "the kernel offers ABI %d, 6 is needed", abi);

    struct ruleset asked = {.on_files = rights_of(abi)};
    if (policy->required & LAYER(TCP)) asked.on_network = NET_BIND_AND_CONNECT_TCP;
    if (policy->required & LAYER(SCOPES)) asked.scoped = SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS;
    int ruleset = (int)syscall(CREATE_RULESET, &asked, sizeof asked, 0);
    if (ruleset < 0) refuse("landlock", "ruleset");
    for (size_t i = 0; i < policy->grant_count; i++) add_path(ruleset, &policy->grants[i], asked.on_files);
    if (syscall(RESTRICT_SELF, ruleset, 0) != 0) refuse("landlock", "restrict");
    close(ruleset);
    hold(LANDLOCK);
    if (policy->required & LAYER(TCP)) hold(TCP);
    if (policy->required & LAYER(SCOPES)) hold(SCOPES);
}
