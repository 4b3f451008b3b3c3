/* What the guardian says, one JSON object a line, on a descriptor that the payload never inherits. */
#include "guardian.h"

#include <stdarg.h>

const char *const layer_names[LAYERS] = {
    "supervisor", "session", "descriptors", "limits", "no_new_privs", "landlock", "user", "pid",
    "ipc", "net", "mount", "capabilities", "tcp", "scopes", "seccomp", "sockets",
};

/* What stays open unless one of the layers holds. */
static const struct { layer_set covered_by; const char *what; } gaps[] = {
    {LAYER(NET) | LAYER(TCP) | LAYER(SOCKETS), "tcp"},
    {LAYER(NET) | LAYER(SOCKETS), "udp and raw sockets"},
    {LAYER(NET) | LAYER(SCOPES) | LAYER(SOCKETS), "abstract unix sockets"},
    {LAYER(PID) | LAYER(SCOPES), "signals to other processes"},
    {LAYER(PID), "processes that outlive a killed supervisor"},
    {LAYER(IPC) | LAYER(SECCOMP), "system v and posix message objects"},
    {LAYER(SECCOMP), "system calls"},
    {LAYER(MOUNT), "names, sizes and modes of files that cannot be read"},
};

static int descriptor = STDERR_FILENO;
static bool quiet;
static layer_set held;

/* The line under construction. What does not fit is left out; a reader drops a line that is not whole. */
static char line[4096];
static size_t used;

static __attribute__((format(printf, 1, 2))) void add(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    int length = vsnprintf(line + used, sizeof line - used, format, rest);
    va_end(rest);
    if (length > 0 && used + (size_t)length < sizeof line) used += (size_t)length;
}

/* What stands between the members of a list: nothing before the first. */
static const char *comma(void) {
    return line[used - 1] == '[' || line[used - 1] == '{' ? "" : ",";
}

static void add_layers(layer_set layers) {
    add("[");
    for (enum layer layer = 0; layer < LAYERS; layer++)
        if (layers & LAYER(layer)) add("%s\"%s\"", comma(), layer_names[layer]);
    add("]");
}

/* One write a line, so that lines of several processes never mix. A reader that is gone is no error here. */
static void send_line(void) {
    line[used++] = '\n';
    while (write(descriptor, line, used) < 0 && errno == EINTR) continue;
    used = 0;
}

/* Ends a line that says why, and this process with it. */
static noreturn void leave(const char *what, int error, int code) {
    add("\"");
    for (const char *at = what; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        add(byte < 0x20 || byte == '"' || byte == '\\' ? "\\u%04x" : "%c", byte);
    }
    add("%s%s\"}", error == 0 ? "" : ": ", error == 0 ? "" : strerror(error));
    send_line();
    _exit(code);
}

/* The kernel never applies this limit to the host's root. */
static bool counts_processes(const struct policy *policy) {
    bool limited = false;
    for (size_t i = 0; i < policy->limit_count; i++) limited |= policy->limits[i].resource == RLIMIT_NPROC;
    return limited && getuid() != 0;
}

void open_report(int requested) {
    int own = fcntl(requested, F_DUPFD_CLOEXEC, 3);
    if (own < 0) refuse("report", "descriptor %d", requested);
    descriptor = own;
}

void report_to_nobody(void) {
    quiet = true;
}

int report_descriptor(void) {
    return descriptor;
}

void hold(enum layer layer) {
    held |= LAYER(layer);
}

void report_confined(const struct policy *policy, int abi) {
    add("{\"event\":\"confined\",\"abi\":%d,\"layers\":", abi);
    add_layers(held);
    add(",\"notCovered\":[\"cpu and memory use\"");
    for (size_t i = 0; i < COUNT(gaps); i++)
        if (!(held & gaps[i].covered_by)) add(",\"%s\"", gaps[i].what);
    if (abi < LANDLOCK_KNOWN && !(held & LAYER(SOCKETS))) add(",\"unix sockets by path\"");
    if (abi > LANDLOCK_KNOWN) add(",\"landlock rights newer than this program\"");
    if (getuid() == 0 && !(held & LAYER(CAPABILITIES))) add(",\"the capabilities of root\"");
    if (!counts_processes(policy)) add(",\"number of processes\"");
    add("]}");
    send_line();
}

void report_ended(int status) {
    if (WIFSIGNALED(status)) add("{\"event\":\"ended\",\"exit\":null,\"signal\":%d}", WTERMSIG(status));
    else add("{\"event\":\"ended\",\"exit\":%d,\"signal\":null}", WEXITSTATUS(status));
    send_line();
}

void report_stopped(void) {
    add("{\"event\":\"stopped\"}");
    send_line();
}

void report_probe(int abi, const int trouble[LAYERS]) {
    layer_set granted = 0;
    for (enum layer layer = FIRST_OPTIONAL; layer < LAYERS; layer++)
        if (trouble[layer] == 0) granted |= LAYER(layer);
    add("{\"event\":\"probe\",\"abi\":%d,\"layers\":", abi);
    add_layers(granted);
    add(",\"missing\":{");
    for (enum layer layer = FIRST_OPTIONAL; layer < LAYERS; layer++)
        if (trouble[layer] != 0) add("%s\"%s\":\"%s\"", comma(), layer_names[layer], strerror(trouble[layer]));
    add("}}");
    descriptor = STDOUT_FILENO;
    send_line();
}

noreturn void refuse(const char *step, const char *format, ...) {
    int error = errno;
    if (quiet) _exit(error != 0 ? error : EXIT_REFUSED);
    char what[1024];
    va_list rest;
    va_start(rest, format);
    vsnprintf(what, sizeof what, format, rest);
    va_end(rest);
    add("{\"event\":\"refused\",\"step\":\"%s\",\"errno\":%d,\"reason\":", step, error);
    leave(what, error, EXIT_REFUSED);
}

noreturn void refuse_execution(const char *program) {
    int error = errno;
    add("{\"event\":\"not_executed\",\"errno\":%d,\"reason\":", error);
    leave(program, error, error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}
