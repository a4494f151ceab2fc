#include "external_diff.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "data/yml.h"
#include "io/file.h"
#include "mc/contents.h"

void external_diff_init(struct external_diff *e, struct arena *a,
			const char *command)
{
	*e = (struct external_diff){ .a = a };
	if (command && *command)
		e->command = command;
}

/* Makes the folders above path. */
static void make_parents(char *path)
{
	for (char *c = path + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			(void)mkdir(path, 0700);
			*c = '/';
		}
}

static int put(struct external_diff *e, const char *side, struct str pool,
	       struct str path, struct str bytes, struct err *err)
{
	char *to = str_z(e->a, str_fmt(e->a, "%s/%s/%.*s%.*s", e->dir, side,
				       STRF(pool), STRF(path)));

	make_parents(to);
	return file_replace(to, bytes, 0600, err);
}

static int put_side(struct external_diff *e, const char *side, struct str pool,
		    const struct mc_merged *m, struct err *err)
{
	struct str name = pool.n ? pool : S("config");
	const struct ign_objs *files = ign_files(m->config);
	struct json *spec = mc_spec(e->a, m);
	struct buf b;
	int rc;

	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH), bytes;

		if (str_find(path, S("..")) >= 0 ||
		    mc_contents(e->a, files->v[i], &bytes, err) < 0)
			continue; /* it stays in the YAML below */
		rc = put(e, side, name, path, bytes, err);
		if (rc < 0)
			return rc;
	}
	buf_init(&b, e->a);
	rc = yml_emit(&b, spec, err);
	return rc < 0 ? rc
		      : put(e, side, name, S("/machineconfig-spec.yaml"),
			    buf_str(&b), err);
}

int external_diff_add(struct external_diff *e, const struct config_diff *d,
		      struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	int rc;

	if (!e->dir) {
		e->dir = str_z(e->a, str_fmt(e->a, "%s/mco-diff-XXXXXX",
					     tmp && *tmp ? tmp : "/tmp"));
		if (!mkdtemp(e->dir)) {
			rc = err_sys(err, "create %s", e->dir);
			e->dir = NULL;
			return rc;
		}
	}
	rc = put_side(e, "LIVE", d->pool, d->from, err);
	return rc < 0 ? rc : put_side(e, "MERGED", d->pool, d->to, err);
}

int external_diff_run(struct external_diff *e, struct err *err)
{
	struct str rest = str_of(e->command), word;
	VEC(char *) argv = { 0 };
	int status;
	pid_t pid;

	if (!e->dir)
		return 0;
	while (str_cut(rest, ' ', &word, &rest))
		if (word.n)
			VEC_PUSH(e->a, &argv, str_z(e->a, word));
	VEC_PUSH(e->a, &argv, str_z(e->a, rest));
	VEC_PUSH(e->a, &argv, str_z(e->a, str_fmt(e->a, "%s/LIVE", e->dir)));
	VEC_PUSH(e->a, &argv, str_z(e->a, str_fmt(e->a, "%s/MERGED", e->dir)));
	VEC_PUSH(e->a, &argv, NULL);
	pid = fork();
	if (pid < 0)
		return err_sys(err, "fork");
	if (pid == 0) {
		(void)execvp(argv.v[0], argv.v);
		(void)fprintf(stderr, "Error: run %s: %s\n", argv.v[0],
			      strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, "wait for %s", argv.v[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	(void)remove(path);
	return 0;
}

void external_diff_free(struct external_diff *e)
{
	if (e->dir)
		(void)nftw(e->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	e->dir = NULL;
}
