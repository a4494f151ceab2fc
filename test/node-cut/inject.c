/*
 * inject MODE N ROOT OUT COMMAND...: runs COMMAND, counts the system calls by which it changes
 * something below ROOT, and injects a fault at the N-th.
 *
 *	count	no fault: only counts
 *	cut	power cut: COMMAND and all its children are killed
 *		before the call. Calls of its child programs count too, and
 *		so do the start and the end of each of them
 *	stop	as cut, but only calls of COMMAND itself count
 *	enospc	the call fails with ENOSPC, unless it needs no disk space
 *	eio	the call fails with EIO; a program does not start
 *	full	as enospc, for this and all later calls
 *	dead	as eio, for this and all later calls
 *
 * SIGTERM ends everything. OUT gets one line: the number of calls and, if it was reached, the N-th
 * call. Exit status: 0 COMMAND succeeded, 1 it failed, 42 it was cut; plus 64 when the N-th call
 * was not reached; 125 when tracing is not permitted here.
 *
 * A seccomp filter stops the processes only at those calls: all others cost nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

#define CUT 42
#define NOT_REACHED 64
#define TROUBLE 125
#define PATH_LEN 4096
#define WHERE_LEN (PATH_LEN * 2) /* a directory, and a path in it */
#define PIDS_MAX 4096

/* ---- the calls ----------------------------------------------------------- */

enum how { FD, AT, CWD, OPEN, ALL, EXEC, EXIT };

struct call {
	long nr;
	const char *name;
	enum how how; /* FD: arg is a descriptor; AT: arg is that of a directory and the path is
		       * the next one; CWD: arg is the path */
	int arg;
	bool room; /* it may need disk space */
};

static const struct call calls[] = {
#define C(name, how, arg, room)                   \
	{                                         \
		SYS_##name, #name, how, arg, room \
	}
	C(write, FD, 0, true),	       C(pwrite64, FD, 0, true),
	C(writev, FD, 0, true),	       C(pwritev, FD, 0, true),
	C(sendfile, FD, 0, true),      C(copy_file_range, FD, 2, true),
	C(ftruncate, FD, 0, false),    C(fallocate, FD, 0, true),
	C(fsync, FD, 0, true), /* disk space may be allocated late */
	C(fdatasync, FD, 0, true),     C(syncfs, FD, 0, false),
	C(sync, ALL, 0, false),	       C(fchmod, FD, 0, false),
	C(fchown, FD, 0, false),       C(fsetxattr, FD, 0, true),
	C(fremovexattr, FD, 0, false), C(setxattr, CWD, 0, true),
	C(lsetxattr, CWD, 0, true),    C(openat, OPEN, 0, true),
	C(renameat, AT, 2, true),      C(renameat2, AT, 2, true),
	C(linkat, AT, 2, true),	       C(symlinkat, AT, 1, true),
	C(unlinkat, AT, 0, false),     C(mkdirat, AT, 0, true),
	C(mknodat, AT, 0, true),       C(fchmodat, AT, 0, false),
	C(fchownat, AT, 0, false),     C(utimensat, AT, 0, false),
	C(truncate, CWD, 0, false),
#ifdef SYS_rename /* newer architectures lack these calls */
	C(rename, CWD, 1, true),       C(link, CWD, 1, true),
	C(symlink, CWD, 1, true),      C(unlink, CWD, 0, false),
	C(mkdir, CWD, 0, true),	       C(rmdir, CWD, 0, false),
	C(chmod, CWD, 0, false),       C(chown, CWD, 0, false),
	C(lchown, CWD, 0, false),      C(open, OPEN, -1, true),
	C(creat, CWD, 0, true),
#endif
	C(execve, EXEC, 0, false),     C(exit_group, EXIT, 0, false),
#undef C
};
#define N_CALLS (ARRAY_LEN(calls))

static const struct call *find_call(uint64_t nr)
{
	for (size_t i = 0; i < N_CALLS; i++)
		if ((uint64_t)calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

/* ---- the filter ---------------------------------------------------------- */

/* From linux/filter.h and linux/seccomp.h, which musl does not include. */
struct insn {
	uint16_t code;
	uint8_t yes, no;
	uint32_t k;
};
struct program {
	unsigned short n;
	const struct insn *v;
};
#define LOAD 0x20 /* load a word of seccomp_data; the number of the call is at 0 */
#define IF_EQUAL 0x15
#define RETURN 0x06
#define RET_ALLOW 0x7fff0000U
#define RET_TRACE 0x7ff00000U
#define MODE_FILTER 2

static int set_filter(void)
{
	struct insn v[N_CALLS + 3] = { { LOAD, 0, 0, 0 } };
	struct program p = { N_CALLS + 3, v };

	for (size_t i = 0; i < N_CALLS; i++)
		v[i + 1] =
			(struct insn){ IF_EQUAL, (uint8_t)(N_CALLS - i), 0, (uint32_t)calls[i].nr };
	v[N_CALLS + 1] = (struct insn){ RETURN, 0, 0, RET_ALLOW };
	v[N_CALLS + 2] = (struct insn){ RETURN, 0, 0, RET_TRACE };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, MODE_FILTER, &p);
}

/* ---- the processes ------------------------------------------------------- */

enum image { UNKNOWN, OURS, COMMAND, PROGRAM, DEEPER };

struct process {
	pid_t pid;
	enum image image;
	bool stopped; /* before its parent is known */
};

static struct {
	enum mode { COUNT, CUT_POWER, STOP, ENOSPC_ONE, EIO_ONE, FULL, DEAD } mode;
	long at, n; /* the N-th; so far */
	char root[PATH_LEN], what[WHERE_LEN + 64];
	struct process all[PIDS_MAX];
	size_t n_all;
} in;

static _Noreturn void trouble(const char *what)
{
	(void)fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(TROUBLE); /* the traced processes end with us */
}

static struct process *process(pid_t pid)
{
	for (size_t i = 0; i < in.n_all; i++)
		if (in.all[i].pid == pid)
			return &in.all[i];
	if (in.n_all == PIDS_MAX) {
		errno = EAGAIN;
		trouble("processes");
	}
	in.all[in.n_all] = (struct process){ .pid = pid };
	return &in.all[in.n_all++];
}

static void gone(pid_t pid)
{
	*process(pid) = in.all[in.n_all - 1];
	in.n_all--;
}

static void go_on(pid_t pid, int sig)
{
	/* it may have been killed meanwhile: its exit is reported next */
	if (ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)sig) < 0 && errno != ESRCH)
		trouble("continue");
}

/* ---- where a call goes --------------------------------------------------- */

static bool link_of(pid_t pid, const char *what, char out[PATH_LEN])
{
	char name[64];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "/proc/%d/%s", (int)pid, what);
	n = readlink(name, out, PATH_LEN - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static void fd_path(pid_t pid, int fd, char out[PATH_LEN])
{
	char name[32];

	(void)snprintf(name, sizeof(name), "fd/%d", fd);
	(void)link_of(pid, fd == AT_FDCWD ? "cwd" : name, out);
}

/* Up to the end of a page: the next one may not be mapped. */
static void string_at(pid_t pid, uint64_t at, char out[PATH_LEN])
{
	size_t n = 0;

	while (n < PATH_LEN - 1) {
		size_t part = 4096 - (at + n) % 4096;
		struct iovec to = { out + n, part > PATH_LEN - 1 - n ? PATH_LEN - 1 - n : part };
		struct iovec from = { (void *)(uintptr_t)(at + n), to.iov_len };
		ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
		if (memchr(to.iov_base, '\0', (size_t)got))
			return;
	}
	out[n] = '\0';
}

static void place(pid_t pid, const struct call *c, const uint64_t args[6], char out[WHERE_LEN])
{
	char name[PATH_LEN] = "";
	bool by_fd = c->how == AT || (c->how == OPEN && c->arg >= 0);
	size_t n;

	fd_path(pid, by_fd || c->how == FD ? (int)args[c->arg] : AT_FDCWD, out);
	if (c->how == FD)
		return;
	string_at(pid, args[by_fd ? c->arg + 1 : c->how == OPEN ? 0 : c->arg], name);
	n = name[0] == '/' ? 0 : strlen(out);
	(void)snprintf(out + n, WHERE_LEN - n, "%s%s", n ? "/" : "", name);
}

static bool below_root(const char *path)
{
	size_t n = strlen(in.root);

	return strncmp(path, in.root, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool counts(const struct process *p, const struct call *c, const uint64_t args[6],
		   char where[WHERE_LEN])
{
	bool all = in.mode == CUT_POWER || in.mode == COUNT;
	uint64_t flags;

	where[0] = '\0';
	if (p->image == OURS || (p->image != COMMAND && !all))
		return false;
	switch (c->how) {
	case EXEC:
		string_at(p->pid, args[0], where);
		return p->image == COMMAND && (all || in.mode == EIO_ONE);
	case EXIT:
		return p->image == PROGRAM;
	case ALL:
		return true;
	case OPEN:
		flags = args[c->arg + 2];
		if (!(flags & (O_CREAT | O_TRUNC)))
			return false;
		break;
	case FD:
	case AT:
	case CWD:
		break;
	}
	place(p->pid, c, args, where);
	return below_root(where);
}

/* ---- faults -------------------------------------------------------------- */

static void fail(pid_t pid, int no)
{
#if defined(__x86_64__)
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r) < 0)
		trouble("registers");
	r.orig_rax = (unsigned long long)-1;
	r.rax = (unsigned long long)(long long)-no;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &r) < 0)
		trouble("registers");
#elif defined(__aarch64__)
	struct user_regs_struct r;
	struct iovec regs = { &r, sizeof(r) };
	int none = -1;
	struct iovec nr = { &none, sizeof(none) };

	if (ptrace(PTRACE_GETREGSET, pid, (void *)1, &regs) < 0)
		trouble("registers");
	r.regs[0] = (unsigned long long)(long long)-no;
	if (ptrace(PTRACE_SETREGSET, pid, (void *)1, &regs) < 0 ||
	    ptrace(PTRACE_SETREGSET, pid, (void *)0x404, &nr) < 0)
		trouble("registers");
#else
#error "how a call is left out is not known of this machine"
#endif
}

/* True when everything has ended. */
static bool at_call(const struct process *p, const struct call *c, const char *where)
{
	bool is_it, later;

	in.n++;
	is_it = in.n == in.at;
	later = in.at && in.n >= in.at;
	if (is_it)
		(void)snprintf(in.what, sizeof(in.what), " %s %s", c->name,
			       below_root(where) ? where + strlen(in.root) : where);
	switch (in.mode) {
	case COUNT:
		break;
	case CUT_POWER:
	case STOP:
		return is_it;
	case ENOSPC_ONE:
		if (is_it && c->room)
			fail(p->pid, ENOSPC);
		break;
	case FULL:
		if (later && c->room && c->nr != SYS_fsync && c->nr != SYS_renameat)
			fail(p->pid, ENOSPC);
		break;
	case EIO_ONE:
		if (is_it)
			fail(p->pid, EIO);
		break;
	case DEAD:
		if (later)
			fail(p->pid, EIO);
		break;
	}
	return false;
}

static bool on_call(struct process *p)
{
	struct __ptrace_syscall_info info = { 0 };
	const struct call *c;
	char where[WHERE_LEN];

	if (ptrace(PTRACE_GET_SYSCALL_INFO, p->pid, (void *)sizeof(info), &info) < 0) {
		if (errno == ESRCH)
			return false;
		trouble("what is called");
	}
	c = find_call(info.seccomp.nr);
	return c && counts(p, c, info.seccomp.args, where) && at_call(p, c, where);
}

static void on_fork(const struct process *parent)
{
	enum image image = parent->image == PROGRAM ? DEEPER : parent->image;
	unsigned long pid = 0;
	struct process *p;

	if (ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) < 0)
		return;
	p = process((pid_t)pid);
	p->image = image;
	if (p->stopped)
		go_on(p->pid, 0);
}

static void on_exec(struct process *p)
{
	if (p->image == OURS)
		p->image = COMMAND;
	else if (p->image == COMMAND)
		p->image = PROGRAM;
}

/* True for a power cut now. */
static bool on_stop(pid_t pid, int status)
{
	struct process *p = process(pid);
	int event = status >> 16, sig = WSTOPSIG(status);
	bool cut = false;

	switch (event) {
	case 0:
		go_on(pid, sig);
		return false;
	case PTRACE_EVENT_STOP:
		if (p->image == UNKNOWN) {
			p->stopped = true;
			return false;
		}
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_fork(p);
		break;
	case PTRACE_EVENT_EXEC:
		on_exec(p);
		break;
	case PTRACE_EVENT_SECCOMP:
		cut = on_call(p);
		break;
	default:
		break;
	}
	if (!cut)
		go_on(pid, 0);
	return cut;
}

/* Kills all, as far as possible at once: a process that is stopped at a call never makes it. */
static void kill_all(void)
{
	int status;

	for (size_t i = 0; i < in.n_all; i++)
		(void)kill(in.all[i].pid, SIGKILL);
	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return;
		/* a process that was just being started */
		if (WIFSTOPPED(status))
			(void)kill(pid, SIGKILL);
	}
}

static volatile sig_atomic_t enough;

static void on_term(int sig)
{
	(void)sig;
	enough = 1;
}

/* Runs until the command itself has ended, then kills what it has left running. */
static int follow(pid_t command)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (enough) {
			kill_all();
			return 1;
		}
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			trouble("wait");
		if (WIFSTOPPED(status)) {
			if (!on_stop(pid, status))
				continue;
			kill_all();
			return CUT;
		}
		gone(pid);
		if (pid != command)
			continue;
		kill_all();
		return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : 1;
	}
}

static _Noreturn void start(int go, char **argv)
{
	char c;

	(void)signal(SIGTERM, SIG_DFL);
	if (read(go, &c, 1) != 1 || set_filter() < 0)
		_exit(TROUBLE);
	(void)close(go);
	(void)execv(argv[0], argv);
	_exit(TROUBLE);
}

static pid_t begin(char **argv)
{
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
			     PTRACE_O_TRACEFORK | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEVFORK;
	int go[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		trouble("pipe");
	pid = fork();
	if (pid == 0)
		start(go[0], argv);
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) < 0)
		trouble("ptrace is refused here");
	process(pid)->image = OURS;
	if (write(go[1], "", 1) != 1)
		trouble("pipe");
	(void)close(go[0]);
	(void)close(go[1]);
	return pid;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {
		"count", "cut", "stop", "enospc", "eio", "full", "dead"
	};
	const struct sigaction term = { .sa_handler = on_term };
	FILE *out;
	int rc;

	if (argc < 6) {
		(void)fprintf(stderr, "usage: inject count|cut|stop|enospc|eio|full|dead N ROOT "
				      "OUT COMMAND...\n");
		return TROUBLE;
	}
	while (in.mode <= DEAD && strcmp(argv[1], modes[in.mode]) != 0)
		in.mode++;
	in.at = strtol(argv[2], NULL, 10);
	errno = EINVAL;
	if (in.mode > DEAD || !realpath(argv[3], in.root))
		trouble("arguments");
	(void)sigaction(SIGTERM, &term, NULL);
	rc = follow(begin(argv + 5));
	out = fopen(argv[4], "we");
	if (!out || fprintf(out, "%ld%s\n", in.n, in.what) < 0 || fclose(out) != 0)
		trouble(argv[4]);
	return in.at && in.n >= in.at ? rc : rc + NOT_REACHED;
}
