/*
 * scratch: a directory that simulates a node's root, its contents as text, and a short notation for
 * MachineConfigs.
 */
#ifndef TEST_NODE_SCRATCH_H
#define TEST_NODE_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../test.h"
#include "base/codec.h"
#include "base/hash.h"
#include "node/journal.h"

static inline char *scratch_new(struct arena *a)
{
	/* a file system in memory, if there is one: for thousands of files */
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	struct str s = str_fmt(a, "%s/mco-node-XXXXXX", tmp);
	char *dir = str_z(a, s);

	if (!mkdtemp(dir))
		abort();
	return dir;
}

static inline int scratch_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void scratch_remove(const char *dir)
{
	(void)nftw(dir, scratch_unlink, 32, FTW_DEPTH | FTW_PHYS);
}

static inline void scratch_put(struct arena *a, const char *root, const char *path,
			       const char *text, mode_t mode)
{
	char *full = str_z(a, str_fmt(a, "%s%s", root, path));
	FILE *f;

	for (char *p = full + strlen(root) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			(void)mkdir(full, 0755);
			*p = '/';
		}
	f = fopen(full, "w");
	if (!f)
		abort();
	(void)fputs(text, f);
	(void)fclose(f);
	(void)chmod(full, mode);
}

/* A small file, in a static buffer that the next call overwrites. */
static inline struct str scratch_read(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (n < 0 || (size_t)n == sizeof(text))
		abort();
	(void)close(fd);
	return (struct str){ text, (size_t)n };
}

/* The one extended attribute that tests set; "" for none. */
static inline struct str scratch_label(struct arena *a, const char *path)
{
	char *v = arena_alloc(a, 64);
	ssize_t n = lgetxattr(path, "user.label", v, 64);

	return n < 0 ? S("") : (struct str){ v, (size_t)n };
}

/* cp -a of a whole tree, without a program. */
static inline void scratch_copy(struct arena *a, const char *from, const char *to)
{
	struct dirent *e;
	struct stat st;
	DIR *d = opendir(from);

	if (!d || lstat(from, &st) < 0)
		abort();
	(void)mkdir(to, 0700);
	while ((e = readdir(d))) {
		char *x = str_z(a, str_fmt(a, "%s/%s", from, e->d_name));
		char *y = str_z(a, str_fmt(a, "%s/%s", to, e->d_name));
		char link[4096];
		struct stat s;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (lstat(x, &s) < 0)
			abort();
		if (S_ISDIR(s.st_mode)) {
			scratch_copy(a, x, y);
		} else if (S_ISLNK(s.st_mode)) {
			ssize_t n = readlink(x, link, sizeof(link) - 1);

			link[n < 0 ? 0 : n] = '\0';
			(void)symlink(link, y);
		} else {
			struct str data = scratch_read(x);
			struct str label = scratch_label(a, x);
			int fd = open(y, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

			if (fd < 0 || write(fd, data.p, data.n) != (ssize_t)data.n)
				abort();
			(void)close(fd);
			if (label.n && setxattr(y, "user.label", label.p, label.n, 0) < 0)
				abort();
		}
		if (lchown(y, s.st_uid, s.st_gid) < 0 && geteuid() == 0)
			abort();
		if (!S_ISLNK(s.st_mode))
			(void)chmod(y, s.st_mode & 07777);
	}
	(void)closedir(d);
	(void)chown(to, st.st_uid, st.st_gid);
	(void)chmod(to, st.st_mode & 07777);
}

static inline int scratch_by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

/* One line for each file: type, mode, owner, path, contents, label, target. Without the journal,
 * which is not part of a node's state. */
static inline void scratch_list(struct buf *b, struct arena *a, const char *root, const char *dir)
{
	struct dirent **v;
	char *full = str_z(a, str_fmt(a, "%s%s", root, dir));
	int n = scandir(full, &v, NULL, scratch_by_name);

	for (int i = 0; i < n; i++) {
		char *path = str_z(a, str_fmt(a, "%s/%s", dir, v[i]->d_name));
		char *at = str_z(a, str_fmt(a, "%s%s", root, path));
		bool skip = !strcmp(v[i]->d_name, ".") || !strcmp(v[i]->d_name, "..") ||
			    !strcmp(path, JOURNAL_DIR);
		struct stat st;
		char link[4096];
		ssize_t len;

		free(v[i]);
		if (skip)
			continue;
		if (lstat(at, &st) < 0)
			abort();
		buf_addf(b, "%o %d:%d %s", (unsigned)st.st_mode, (int)st.st_uid, (int)st.st_gid,
			 path);
		if (S_ISLNK(st.st_mode)) {
			len = readlink(at, link, sizeof(link));
			buf_addf(b, " -> %.*s", (int)len, link);
		}
		buf_addc(b, '\n');
		if (S_ISREG(st.st_mode)) {
			buf_addz(b, "   ");
			go_quote(b, scratch_read(at));
			buf_addf(b, " %.*s\n", STRF(scratch_label(a, at)));
		}
		if (S_ISDIR(st.st_mode))
			scratch_list(b, a, root, path);
	}
	if (n >= 0)
		free(v);
}

static inline struct str scratch_text(struct arena *a, const char *root)
{
	struct buf b;

	buf_init(&b, a);
	scratch_list(&b, a, root, "");
	return buf_str(&b);
}

/* A MachineConfig of that name; config and rest are JSON without braces. */
static inline struct mc_current scratch_mc(struct arena *a, const char *name, const char *config,
					   const char *rest)
{
	struct err err = ERR_INIT(a);
	struct mc_current c = { 0 };
	struct str text = str_fmt(a,
				  "{\"apiVersion\":\"" API_MC "\",\"kind\":\"MachineConfig\","
				  "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"config\":{"
				  "\"ignition\":{\"version\":\"3.5.0\"}%s%s}%s%s}}",
				  name, *config ? "," : "", config, *rest ? "," : "", rest);

	if (mc_current_parse(a, text, &c, &err) < 0) {
		(void)printf("%.*s: %.*s\n", STRF(text), STRF(err.msg));
		abort();
	}
	return c;
}

#endif
