/*
 * Stands in for the programs of a node, by the name it is called with, and really changes the root
 * ($MCO_ROOT). An OS is a file of three lines: image, kernel arguments, packages; sysroot/booted is
 * the running one, sysroot/staged that of the next boot. Temporary files are in /run, which does
 * not survive a power cut.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEN 4096

static const char *root;

static _Noreturn void no(const char *what)
{
	perror(what);
	exit(1);
}

/* A path below the root; valid for the next three calls. */
static const char *at(const char *fmt, ...)
{
	static char paths[4][LEN];
	static int i;
	char *p = paths[i++ % 4];
	int n = snprintf(p, LEN, "%s", root);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(p + n, (size_t)(LEN - n), fmt, ap);
	va_end(ap);
	return p;
}

static bool read_file(const char *path, char out[LEN])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, LEN - 1);

	if (fd >= 0)
		(void)close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

static void put(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd) < 0)
		no(path);
}

/* Replaces a file atomically and keeps its mode. */
static void replace(const char *path, const char *text)
{
	const char *new = at("/run/.new");
	struct stat st;

	put(new, O_TRUNC, text);
	if (stat(path, &st) == 0 && chmod(new, st.st_mode & 07777) < 0)
		no(new);
	if (rename(new, path) < 0)
		no(path);
}

/* ---- units: links by their [Install] sections ---------------------------- */

#define UNITS "/etc/systemd/system"

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), k = strlen(with);

	return n >= k && strcmp(s + n - k, with) == 0;
}

static bool leads_to(const char *path, const char *unit)
{
	char to[LEN];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	to[n > 0 ? n : 0] = '\0';
	return n > 0 && ends(to, unit) && to[(size_t)n - strlen(unit) - 1] == '/';
}

static void make_link(const char *unit, const char *folder, const char *name)
{
	char to[LEN];

	if (*folder)
		(void)mkdir(at(UNITS "/%s", folder), 0755);
	(void)snprintf(to, sizeof(to), UNITS "/%s", unit);
	(void)symlink(to, at(UNITS "/%s/%s", folder, name));
}

static void enable(const char *unit)
{
	static const char *const keys[] = { "WantedBy=", "RequiredBy=", "Alias=" };
	static const char *const ends_in[] = { ".wants", ".requires", "" };
	char text[LEN], folder[LEN], *line, *word, *x, *y;

	if (!read_file(at(UNITS "/%s", unit), text) &&
	    !read_file(at("/usr/lib/systemd/system/%s", unit), text))
		no(unit);
	for (line = strtok_r(text, "\n", &x); line; line = strtok_r(NULL, "\n", &x))
		for (int i = 0; i < 3; i++) {
			size_t n = strlen(keys[i]);

			if (strncmp(line, keys[i], n) != 0)
				continue;
			for (word = strtok_r(line + n, " ", &y); word;
			     word = strtok_r(NULL, " ", &y)) {
				(void)snprintf(folder, sizeof(folder), "%s%s", word, ends_in[i]);
				make_link(unit, i < 2 ? folder : "", i < 2 ? unit : word);
			}
		}
}

/* Removes the links to a unit, or reports whether there are any. */
static bool links(const char *unit, const char *folder, bool drop)
{
	char dir[LEN], path[LEN * 2];
	bool found = false;
	struct dirent *e;
	DIR *d;

	(void)snprintf(dir, sizeof(dir), "%s", at(UNITS "%s", folder));
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (leads_to(path, unit)) {
			found = true;
			if (drop && unlink(path) < 0)
				no(path);
		} else if (!*folder && e->d_type == DT_DIR &&
			   (ends(e->d_name, ".wants") || ends(e->d_name, ".requires"))) {
			(void)snprintf(path, sizeof(path), "/%s", e->d_name);
			found = links(unit, path, drop) || found;
		}
	}
	if (d)
		(void)closedir(d);
	if (drop && found && *folder)
		(void)rmdir(dir);
	return found;
}

static int is_enabled(const char *unit)
{
	char to[LEN] = "";
	bool on = links(unit, "", false);

	if (readlink(at(UNITS "/%s", unit), to, sizeof(to) - 1) > 0 &&
	    strcmp(to, "/dev/null") == 0) {
		(void)puts("masked");
		return 1;
	}
	(void)puts(on ? "enabled" : "disabled");
	return !on;
}

static int systemctl(int argc, char **argv)
{
	char line[LEN];

	if (strcmp(argv[1], "is-enabled") == 0)
		return is_enabled(argv[2]);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[1], "enable") == 0)
			enable(argv[i]);
		else if (strcmp(argv[1], "disable") == 0 || strcmp(argv[1], "preset") == 0)
			(void)links(argv[i], "", true);
	}
	(void)snprintf(line, sizeof(line), "%s %s\n", argv[1], argc > 2 ? argv[2] : "");
	put(at("/run/asked"), O_APPEND, line);
	return 0;
}

/* ---- the OS -------------------------------------------------------------- */

#define BOOTED "/sysroot/booted"
#define STAGED "/sysroot/staged"

struct deployment {
	char image[LEN], kargs[LEN], packages[LEN];
};

static bool load(const char *file, struct deployment *out)
{
	char text[LEN], *p = text;
	char *to[] = { out->image, out->kargs, out->packages };

	if (!read_file(at("%s", file), text))
		return false;
	for (int i = 0; i < 3; i++) {
		char *line = strsep(&p, "\n");

		(void)snprintf(to[i], LEN, "%s", line ? line : "");
	}
	return true;
}

static void pending(struct deployment *out)
{
	if (!load(STAGED, out) && !load(BOOTED, out))
		no(BOOTED);
}

static void stage(const struct deployment *d)
{
	char text[LEN * 4];

	(void)snprintf(text, sizeof(text), "%s\n%s\n%s\n", d->image, d->kargs, d->packages);
	replace(at(STAGED), text);
}

static void show(const char *which, const struct deployment *d)
{
	(void)printf("{\"%s\":true,\"version\":\"1\",\"checksum\":\"c\","
		     "\"container-image-reference\":"
		     "\"ostree-unverified-registry:%s\","
		     "\"requested-packages\":[%s%s%s]}",
		     which, d->image, *d->packages ? "\"" : "", d->packages,
		     *d->packages ? "\"" : "");
}

static void status(void)
{
	struct deployment d;

	(void)printf("{\"deployments\":[");
	if (load(STAGED, &d)) {
		show("staged", &d);
		(void)printf(",");
	}
	if (!load(BOOTED, &d))
		no(BOOTED);
	show("booted", &d);
	(void)puts("]}");
}

static bool without(char list[LEN], const char *word)
{
	char old[LEN], *w, *x;
	bool found = false;
	size_t n = 0;

	memcpy(old, list, LEN);
	list[0] = '\0';
	for (w = strtok_r(old, " ", &x); w; w = strtok_r(NULL, " ", &x)) {
		if (strcmp(w, word) == 0)
			found = true;
		else
			n += (size_t)snprintf(list + n, LEN - n, "%s%s", n ? " " : "", w);
	}
	return found;
}

static void with(char list[LEN], const char *word)
{
	size_t n = strlen(list);

	(void)snprintf(list + n, LEN - n, "%s%s", n ? " " : "", word);
}

/* As the real one: an existing argument is added again, and nothing is staged when nothing
 * changes. */
static int change_kargs(char **argv)
{
	struct deployment d, had;

	pending(&d);
	had = d;
	for (; *argv; argv++) {
		const char *value = strchr(*argv, '=');

		if (!value)
			return 1;
		value++;
		if (strncmp(*argv, "--append=", 9) == 0) {
			with(d.kargs, value);
		} else if (!without(d.kargs, value) && strncmp(*argv, "--delete=", 9) == 0) {
			(void)fprintf(stderr, "error: No key '%s' found\n", value);
			return 1;
		}
	}
	if (strcmp(d.kargs, had.kargs) != 0)
		stage(&d);
	return 0;
}

static int rpm_ostree(int argc, char **argv)
{
	struct deployment d;
	const char *what = argv[1], *last = argv[argc - 1];

	if (strcmp(what, "status") == 0) {
		status();
	} else if (strcmp(what, "--version") == 0) {
		(void)puts("rpm-ostree:\n Version: \"2024.1\"\n Features:\n"
			   "  - rust\n  - container");
	} else if (strcmp(what, "kargs") == 0 && argc == 2) {
		pending(&d);
		(void)puts(d.kargs);
	} else if (strcmp(what, "kargs") == 0) {
		return change_kargs(argv + 2);
	} else if (strcmp(what, "rebase") == 0) {
		pending(&d);
		(void)snprintf(d.image, LEN, "%s", strchr(last, ':') + 1);
		stage(&d);
	} else if (strcmp(what, "cleanup") == 0) {
		if (strcmp(last, "-p") == 0)
			(void)unlink(at(STAGED));
	} else if (strcmp(what, "update") == 0) {
		pending(&d);
		(void)without(d.packages, last);
		if (strcmp(argv[2], "--install") == 0)
			with(d.packages, last);
		stage(&d);
	} else {
		(void)fprintf(stderr, "error: Unknown command '%s'\n", what);
		return 1;
	}
	return 0;
}

/* ---- the rest ------------------------------------------------------------ */

static void usermod(const char *hash, const char *user)
{
	char text[LEN], out[LEN * 2] = "", *line, *x;
	size_t n = 0, k = strlen(user);

	if (!read_file(at("/etc/shadow"), text))
		no("shadow");
	for (line = strtok_r(text, "\n", &x); line; line = strtok_r(NULL, "\n", &x)) {
		bool is = strncmp(line, user, k) == 0 && line[k] == ':';

		n += (size_t)(is ? snprintf(out + n, sizeof(out) - n, "%s:%s%s\n", user, hash,
					    strchr(line + k + 1, ':'))
				 : snprintf(out + n, sizeof(out) - n, "%s\n", line));
	}
	replace(at("/etc/shadow"), out);
}

/* "user:hash" on standard input. */
static void chpasswd(void)
{
	char line[LEN], *hash;

	if (!fgets(line, sizeof(line), stdin))
		no("standard input");
	line[strcspn(line, "\n")] = '\0';
	hash = strchr(line, ':');
	if (!hash)
		no("a hash");
	*hash++ = '\0';
	usermod(hash, line);
}

static int getent(const char *user)
{
	char text[LEN], *line, *x;
	size_t k = strlen(user);

	if (!read_file(at("/etc/shadow"), text))
		no("shadow");
	for (line = strtok_r(text, "\n", &x); line; line = strtok_r(NULL, "\n", &x))
		if (strncmp(line, user, k) == 0 && line[k] == ':')
			return puts(line) < 0;
	return 2;
}

/* A directory owned by core. */
static void make_dir(const char *path)
{
	if (mkdir(at("%s", path), 0700) == 0 && geteuid() == 0 &&
	    chown(at("%s", path), 1000, 1000) < 0)
		no(path);
}

static int rpm(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "-qf") != 0)
		return 0;
	if (strncmp(argv[2], "/etc/shipped", 12) == 0)
		return puts("os-1") < 0;
	(void)printf("file %s is not owned by any package\n", argv[2]);
	return 1;
}

static void podman(const char *what)
{
	(void)puts(strcmp(what, "images") == 0	  ? "[]"
		   : strcmp(what, "create") == 0  ? "c1"
		   : strcmp(what, "version") == 0 ? "5.0.0"
						  : "");
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	name = name ? name + 1 : argv[0];
	root = getenv("MCO_ROOT");
	if (!root)
		no("MCO_ROOT");
	(void)umask(022);
	if (strcmp(name, "systemctl") == 0)
		return systemctl(argc, argv);
	if (strcmp(name, "rpm-ostree") == 0)
		return rpm_ostree(argc, argv);
	if (strcmp(name, "rpm") == 0)
		return rpm(argc, argv);
	if (strcmp(name, "getent") == 0)
		return getent(argv[2]);
	if (strcmp(name, "usermod") == 0)
		usermod(argv[2], argv[3]);
	else if (strcmp(name, "chpasswd") == 0)
		chpasswd();
	else if (strcmp(name, "runuser") == 0)
		make_dir(argv[argc - 1]);
	else if (strcmp(name, "podman") == 0)
		podman(argv[1]);
	else if (strcmp(name, "mokutil") == 0)
		(void)puts("SecureBoot disabled");
	else if (strcmp(name, "skopeo") == 0)
		(void)puts("skopeo version 1.22.2 commit: x");
	else if (strcmp(name, "systemd-run") == 0)
		put(at("/run/asked"), O_APPEND, "reboot\n");
	return 0;
}
