/*
 * A deny list of system calls that a shell, a build or a test does not need. It is the last layer and the
 * thinnest: it takes away ways into the kernel and what Landlock does not mediate, and promises no more.
 */
#include "guardian.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#else
#define OWN_ARCHITECTURE 0
#endif

#define NUMBER offsetof(struct seccomp_data, nr)
#define ARCHITECTURE offsetof(struct seccomp_data, arch)
/* The lower half of an argument; every architecture above is little-endian. */
#define ARGUMENT(index) (offsetof(struct seccomp_data, args) + 8 * (index))
#define FAIL_WITH(error) (SECCOMP_RET_ERRNO | (error))

/* Other processes' memory, the kernel's inner doors, and whatever rearranges what the layers before have made. */
static const unsigned denied[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_pidfd_getfd, SYS_kcmp,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
    SYS_open_tree, SYS_move_mount, SYS_mount_setattr, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    SYS_fanotify_init, SYS_quotactl, SYS_acct, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_kexec_load,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_syslog, SYS_vhangup, SYS_migrate_pages, SYS_move_pages,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
};

/* Shared with the whole host unless there is an own ipc namespace. */
static const unsigned message_objects[] = {
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl,
    SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink,
};

static const unsigned new_namespaces =
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWCGROUP;
static const unsigned terminal_injections[] = {TIOCSTI, TIOCLINUX};
static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

static struct sock_filter program[256];
static unsigned short length;

static void emit(unsigned short code, unsigned value, unsigned char if_true, unsigned char if_false) {
    program[length++] = (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = value};
}

static void load(size_t offset) {
    emit(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void answer(unsigned verdict) {
    emit(BPF_RET | BPF_K, verdict, 0, 0);
}

/* When the loaded word equals `value`, the next `steps` instructions run; otherwise they are skipped. */
static void when(unsigned value, unsigned char steps) {
    emit(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps);
}

static void deny_each(const unsigned *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        when(numbers[i], 1);
        answer(FAIL_WITH(EPERM));
    }
}

/* Numbers of another architecture or of x32 would slip past the list: the former end the process. */
static void check_architecture(void) {
    load(ARCHITECTURE);
    emit(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(NUMBER);
#if defined(__x86_64__)
    emit(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(FAIL_WITH(ENOSYS));
#endif
}

static void check_arguments(bool no_sockets) {
    when(SYS_clone, 4);
    load(ARGUMENT(0));
    emit(BPF_JMP | BPF_JSET | BPF_K, new_namespaces, 0, 1);
    answer(FAIL_WITH(EPERM));
    answer(SECCOMP_RET_ALLOW);

    when(SYS_ioctl, 2 + 2 * COUNT(terminal_injections));
    load(ARGUMENT(1));
    deny_each(terminal_injections, COUNT(terminal_injections));
    answer(SECCOMP_RET_ALLOW);

    /* Families like vsock reach the host whatever the network namespace. */
    when(SYS_socket, 2 + 2 * COUNT(families));
    load(ARGUMENT(0));
    for (size_t i = 0; i < COUNT(families); i++) {
        when(families[i], 1);
        answer(no_sockets ? FAIL_WITH(EPERM) : SECCOMP_RET_ALLOW);
    }
    answer(FAIL_WITH(EPERM));
}

void apply_filter(const struct policy *policy) {
    errno = ENOSYS;
    if (OWN_ARCHITECTURE == 0) refuse("seccomp", "this architecture's system calls are not listed");
    check_architecture();
    /* Its flags lie in memory, where a filter cannot look: libc falls back to clone. */
    when(SYS_clone3, 1);
    answer(FAIL_WITH(ENOSYS));
    deny_each(denied, COUNT(denied));
    if (!(policy->required & LAYER(IPC))) deny_each(message_objects, COUNT(message_objects));
    check_arguments(policy->required & LAYER(SOCKETS));
    answer(SECCOMP_RET_ALLOW);

    struct sock_fprog filter = {.len = length, .filter = program};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) refuse("seccomp", "filter");
    hold(SECCOMP);
    if (policy->required & LAYER(SOCKETS)) hold(SOCKETS);
}
