/*
 * Makes the n-th change of a file under one directory fail, for the program that it is loaded into.
 *
 * Settings, all from the environment: DISK_ROOT the directory, DISK_NOTE a file outside of it for what
 * happened, DISK_FAIL_AT the number of the call that fails (0: none), DISK_ERRNO the error it fails
 * with or 0 for one that the program does not live to see, DISK_FOR_GOOD "1" when every later one fails
 * too. Build: cc -shared -fPIC, then LD_PRELOAD.
 *
 * Every call that can meet a full or a dying disk is counted: writes, syncs, changes of length, renames,
 * links, and the making of files and directories. Reading and removing are not: they need no room; but
 * a program that is to die can die before a removal as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *root;
static long fail_at;
static int fail_with;
static int for_good;
static int note = -1;
static atomic_long calls;

static void say(const char *what, const char *path, long number)
{
	char line[PATH_MAX + 64];
	int length = snprintf(line, sizeof line, "%s %ld %s\n", what, number, path);
	if (note >= 0)
		syscall(SYS_write, note, line, (size_t)length);
}

__attribute__((constructor)) static void begin(void)
{
	const char *where = getenv("DISK_NOTE");
	if (where == NULL || getenv("DISK_ROOT") == NULL)
		return;
	note = (int)syscall(SYS_openat, AT_FDCWD, where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	fail_at = atol(getenv("DISK_FAIL_AT"));
	fail_with = atoi(getenv("DISK_ERRNO"));
	for_good = strcmp(getenv("DISK_FOR_GOOD"), "1") == 0;
	root = getenv("DISK_ROOT");
}

__attribute__((destructor)) static void end(void)
{
	say("ended", "", atomic_load(&calls));
}

/* Whether this call on this path is one that fails; it is counted when it lies under the root. */
static int fails(const char *name, const char *path)
{
	if (root == NULL || strncmp(path, root, strlen(root)) != 0)
		return 0;
	long number = atomic_fetch_add(&calls, 1) + 1;
	if (fail_at == 0 || number < fail_at || (number > fail_at && !for_good))
		return 0;
	if (number == fail_at)
		say(name, path + strlen(root), number);
	if (fail_with == 0)
		kill(getpid(), SIGKILL);
	errno = fail_with;
	return 1;
}

/* A name below an open directory, as /proc/self/fd/7/name, stands for the place where that directory is. */
static int fails_below(const char *name, const char *path)
{
	static const char open_files[] = "/proc/self/fd/";
	char link[64];
	char place[2 * PATH_MAX];
	const char *rest = strncmp(path, open_files, sizeof open_files - 1) == 0 ? strchr(path + sizeof open_files, '/') : NULL;
	if (root == NULL || rest == NULL || rest - path >= (ssize_t)sizeof link)
		return fails(name, path);
	int before = errno;
	memcpy(link, path, (size_t)(rest - path));
	link[rest - path] = '\0';
	ssize_t length = readlink(link, place, PATH_MAX - 1);
	errno = before;
	if (length < 0 || strlen(rest) >= PATH_MAX)
		return fails(name, path);
	strcpy(place + length, rest);
	return fails(name, place);
}

static int fails_at(const char *name, int file)
{
	char link[32];
	char path[PATH_MAX];
	int before = errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t length = root == NULL ? -1 : readlink(link, path, sizeof path - 1);
	errno = before;
	if (length < 0)
		return 0;
	path[length] = '\0';
	return fails(name, path);
}

/* A file that is there can be opened on a full disk; one that is not has to be made. */
static int makes(const char *path, int flags)
{
	struct stat found;
	int before = errno;
	int makes = (flags & O_CREAT) != 0 && root != NULL && lstat(path, &found) != 0;
	errno = before;
	return makes && fails_below("open", path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Calls on a descriptor. */
#define ON_FILE(type, name, file, parameters, arguments)    \
	type name parameters                                \
	{                                                   \
		static __typeof__(&name) real;              \
		if (real == NULL)                           \
			real = REAL(name);                  \
		return fails_at(#name, file) ? -1 : real arguments; \
	}

ON_FILE(ssize_t, write, file, (int file, const void *bytes, size_t size), (file, bytes, size))
ON_FILE(ssize_t, writev, file, (int file, const struct iovec *parts, int count), (file, parts, count))
ON_FILE(ssize_t, pwrite, file, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at))
ON_FILE(ssize_t, pwrite64, file, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at))
ON_FILE(ssize_t, pwritev, file, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
ON_FILE(ssize_t, pwritev64, file, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at))
ON_FILE(int, fsync, file, (int file), (file))
ON_FILE(int, fdatasync, file, (int file), (file))
ON_FILE(int, ftruncate, file, (int file, off_t size), (file, size))
ON_FILE(int, ftruncate64, file, (int file, off64_t size), (file, size))

/* Calls on a path. */
#define ON_PATH(name, path, parameters, arguments)          \
	int name parameters                                 \
	{                                                   \
		static __typeof__(&name) real;              \
		if (real == NULL)                           \
			real = REAL(name);                  \
		return fails_below(#name, path) ? -1 : real arguments; \
	}

ON_PATH(rename, to, (const char *from, const char *to), (from, to))
ON_PATH(link, to, (const char *from, const char *to), (from, to))
ON_PATH(mkdir, path, (const char *path, mode_t mode), (path, mode))

int unlink(const char *path)
{
	static __typeof__(&unlink) real;
	if (real == NULL)
		real = REAL(unlink);
	return fail_with == 0 && fails_below("unlink", path) ? -1 : real(path);
}

#define OPENS(name)                                         \
	int name(const char *path, int flags, ...)          \
	{                                                   \
		static __typeof__(&name) real;              \
		if (real == NULL)                           \
			real = REAL(name);                  \
		va_list more;                               \
		va_start(more, flags);                      \
		mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; \
		va_end(more);                               \
		return makes(path, flags) ? -1 : real(path, flags, mode); \
	}

OPENS(open)
OPENS(open64)
