/* Reads the arguments into a policy. Every optional layer must be required or waived: none is forgotten. */
#include "guardian.h"

static const char *absolute(const char *path) {
    if (path[0] != '/') refuse("arguments", "%s is not absolute", path);
    return path;
}

static void add_grant(struct policy *policy, enum access access, const char *path) {
    policy->grants[policy->grant_count++] = (struct grant){.path = absolute(path), .access = access};
}

static layer_set optional_layer(const char *name) {
    for (enum layer layer = FIRST_OPTIONAL; layer < LAYERS; layer++)
        if (strcmp(layer_names[layer], name) == 0) return LAYER(layer);
    refuse("arguments", "%s is not an optional layer", name);
}

static uint64_t number(const char *text, uint64_t most) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > most) {
        errno = EINVAL;
        refuse("arguments", "%s is not a number up to %llu", text, (unsigned long long)most);
    }
    return value;
}

static void add_limit(struct policy *policy, const char *text) {
    static const struct { const char *name; int resource; } known[] = {
        {"nofile=", RLIMIT_NOFILE}, {"nproc=", RLIMIT_NPROC}, {"fsize=", RLIMIT_FSIZE}};
    for (size_t i = 0; i < COUNT(known); i++) {
        size_t length = strlen(known[i].name);
        if (strncmp(text, known[i].name, length) != 0) continue;
        if (policy->limit_count == COUNT(policy->limits)) break;
        uint64_t value = number(text + length, INT64_MAX);
        policy->limits[policy->limit_count++] = (struct limit){.resource = known[i].resource, .value = value};
        return;
    }
    refuse("arguments", "limit %s", text);
}

static void take_option(struct policy *policy, const char *name, const char *value) {
    errno = 0;
    if (strcmp(name, "--write") == 0) add_grant(policy, WRITE, value);
    else if (strcmp(name, "--exec") == 0) add_grant(policy, EXEC, value);
    else if (strcmp(name, "--read") == 0) add_grant(policy, READ, value);
    else if (strcmp(name, "--hide") == 0) policy->hidden[policy->hidden_count++] = absolute(value);
    else if (strcmp(name, "--chdir") == 0) policy->directory = absolute(value);
    else if (strcmp(name, "--require") == 0) policy->required |= optional_layer(value);
    else if (strcmp(name, "--waive") == 0) policy->waived |= optional_layer(value);
    else if (strcmp(name, "--limit") == 0) add_limit(policy, value);
    else if (strcmp(name, "--grace") == 0) policy->grace_ms = (int)number(value, 60000);
    else if (strcmp(name, "--report") == 0) policy->report = (int)number(value, 1023);
    else refuse("arguments", "unknown option %s", name);
}

static void check(const struct policy *policy) {
    errno = EINVAL;
    layer_set decided = policy->required ^ policy->waived;
    for (enum layer layer = FIRST_OPTIONAL; layer < LAYERS; layer++)
        if (!(decided & LAYER(layer))) refuse("arguments", "%s must be either required or waived", layer_names[layer]);
    if ((policy->required & LAYER(MOUNT)) && !(policy->required & LAYER(PID))) refuse("arguments", "mount needs pid");
    if ((policy->required & LAYER(SOCKETS)) && !(policy->required & LAYER(SECCOMP)))
        refuse("arguments", "sockets needs seccomp");
    if (policy->hidden_count > 0 && !(policy->required & LAYER(MOUNT))) refuse("arguments", "--hide needs mount");
}

struct policy read_arguments(int count, char **arguments) {
    size_t room = (size_t)count;
    struct policy policy = {.report = 2, .grace_ms = 1500, .directory = "/"};
    policy.grants = calloc(room, sizeof *policy.grants);
    policy.hidden = calloc(room, sizeof *policy.hidden);
    if (policy.grants == NULL || policy.hidden == NULL) refuse("arguments", "memory");

    int at = 1;
    while (at < count && strcmp(arguments[at], "--") != 0) {
        if (strcmp(arguments[at], "--probe") == 0) {
            policy.probe = true;
            return policy;
        }
        if (at + 1 >= count) refuse("arguments", "%s needs a value", arguments[at]);
        take_option(&policy, arguments[at], arguments[at + 1]);
        at += 2;
    }
    if (at + 1 >= count) refuse("arguments", "no command after --");
    policy.command = arguments + at + 1;
    check(&policy);
    return policy;
}
