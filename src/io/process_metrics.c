/*
 * Metrics of the process, from getrusage and /proc/self.
 */
#include "io/process_metrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/file.h"
#include "io/metrics_text.h"

#define SMALL_MAX ((size_t)1 << 16)

static void add(struct buf *b, const char *name, const char *type, const char *help, double value)
{
	metrics_head(b, name, type, help);
	metrics_series(b, name, NULL, 0);
	metrics_float(b, value);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The n-th word of the first line, counted from 0; or -1. */
static double number(struct str text, int n)
{
	struct str line = S(""), word = S("");
	int64_t v;

	(void)str_line(&text, &line);
	for (; n >= 0; n--)
		if (!str_cut(line, ' ', &word, &line))
			word = line;
	return str_to_i64(word, &v) ? (double)v : -1;
}

/* The boot time of the kernel, plus the ticks until the process started. */
static void add_start(struct buf *b, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct str self, kernel;
	ptrdiff_t name, btime;
	double ticks, boot;

	if (file_read(a, "/proc/self/stat", SMALL_MAX, &self, &ignored) < 0 ||
	    file_read(a, "/proc/stat", SMALL_MAX << 8, &kernel, &ignored) < 0)
		return;
	name = str_rchr(self, ')'); /* the name may contain blanks */
	btime = str_find(kernel, S("btime "));
	if (name < 0 || btime < 0)
		return;
	ticks = number(str_from(self, (size_t)name), 20);
	boot = number(str_from(kernel, (size_t)btime), 1);
	if (ticks >= 0 && boot >= 0)
		add(b, "process_start_time_seconds", "gauge",
		    "Start time of the process since unix epoch in seconds.",
		    boot + ticks / (double)sysconf(_SC_CLK_TCK));
}

static void add_memory(struct buf *b, struct arena *a)
{
	double page = (double)sysconf(_SC_PAGESIZE), all, resident;
	struct err ignored = ERR_INIT(a);
	struct str text;

	if (file_read(a, "/proc/self/statm", SMALL_MAX, &text, &ignored) < 0)
		return;
	all = number(text, 0);
	resident = number(text, 1);
	if (all < 0 || resident < 0)
		return;
	add(b, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.",
	    resident * page);
	add(b, "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.",
	    all * page);
}

static void add_descriptors(struct buf *b)
{
	DIR *d = opendir("/proc/self/fd");
	struct rlimit most;
	long n = -3; /* ".", ".." and the descriptor of this directory */

	if (getrlimit(RLIMIT_NOFILE, &most) == 0)
		add(b, "process_max_fds", "gauge", "Maximum number of open file descriptors.",
		    (double)most.rlim_cur);
	if (!d)
		return;
	while (readdir(d))
		n++;
	(void)closedir(d);
	add(b, "process_open_fds", "gauge", "Number of open file descriptors.", (double)n);
}

void process_metrics(struct buf *b)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) == 0)
		add(b, "process_cpu_seconds_total", "counter",
		    "Total user and system CPU time spent in seconds.",
		    seconds(used.ru_utime) + seconds(used.ru_stime));
	add_descriptors(b);
	add_memory(b, &a);
	add_start(b, &a);
}
