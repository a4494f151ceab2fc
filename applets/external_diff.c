#include "external_diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "applet.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/terminal.h"
#include "data/yml.h"
#include "io/file.h"
#include "mc/contents.h"
#include "mc/secret.h"
#include "node/tree.h"

void external_diff_init(struct external_diff *e, struct arena *a, const char *command)
{
	*e = (struct external_diff){ .a = a };
	if (command && *command)
		e->command = command;
}

/* One side of a difference. */
struct side {
	const char *dir;
	struct str pool;
	const struct mc_merged *own, *other;
};

/* File systems take names of 255 bytes. */
#define NAME_LONG 200

/* "worker:etc:chrony.conf"; of a path that is too long the end, and a sum. */
static struct str flat_name(struct arena *a, struct str pool, struct str path)
{
	struct buf b;

	buf_init(&b, a);
	buf_add(&b, pool);
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == ':')
			buf_addc(&b, ':');
		buf_addc(&b, path.p[i] == '/' ? ':' : path.p[i]);
	}
	if (b.n <= NAME_LONG)
		return buf_str(&b);
	return str_fmt(a, "%.*s:%.*s", STRF(hash_hex_of(a, HASH_MD5, buf_str(&b))),
		       STRF(str_from(buf_str(&b), b.n - NAME_LONG / 2)));
}

static int put(struct external_diff *e, const struct side *s, struct str path, struct str bytes,
	       struct err *err)
{
	struct str name = flat_name(e->a, s->pool, terminal_safe(e->a, path));
	const char *to = str_fmt(e->a, "%s/%s/%.*s", e->dir, s->dir, STRF(name)).p;
	AUTO(fd)
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(err, "create %s", to);
	/* the program is going to show it */
	if (isatty(STDOUT_FILENO))
		bytes = terminal_safe(e->a, bytes);
	return file_write_fd(fd, bytes, to, err);
}

/* Told apart where the sides differ, as kubectl does with Secrets. */
static struct str mask(const struct side *s, bool same)
{
	if (same)
		return S("***");
	return s->dir[0] == 'L' ? S("*** (before)") : S("*** (after)");
}

static struct str bytes_of(struct external_diff *e, const struct ign_obj *file)
{
	struct err ignored = ERR_INIT(e->a);
	struct str bytes = S("");

	if (file)
		(void)mc_contents(e->a, file, &bytes, &ignored);
	return bytes;
}

/* A text beside the other side's. */
static struct str masked_text(struct external_diff *e, const struct side *s, struct str text,
			      struct str twin)
{
	if (s->dir[0] == 'L')
		mc_mask_both(e->a, &text, &twin);
	else
		mc_mask_both(e->a, &twin, &text);
	return text;
}

static bool is_secret(struct str path, const struct ign_obj *file, struct str bytes)
{
	return file && mc_is_secret(path, ign_int(file, IGN_FILE_MODE, 0644), bytes);
}

/* Each file decoded. What cannot be is in the spec's YAML only, and what is
 * secret is masked there, too. */
static int put_files(struct external_diff *e, const struct side *s, struct json *spec,
		     struct err *err)
{
	const struct ign_objs *files = ign_files(s->own->config);
	struct json *j = json_first(json_at(spec, "config.storage.files"));
	struct map twins;
	int rc = 0;

	ign_index(e->a, ign_files(s->other->config), &twins);
	for (size_t i = 0; i < files->n && rc == 0; i++, j = json_next(j)) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH), bytes;
		const struct ign_obj *other = map_get(&twins, path);
		struct str twin = bytes_of(e, other), shown;
		struct err ignored = ERR_INIT(e->a);

		if (mc_contents(e->a, files->v[i], &bytes, &ignored) < 0)
			continue;
		shown = bytes;
		if (!e->secrets &&
		    (is_secret(path, files->v[i], bytes) || is_secret(path, other, twin)))
			shown = str_fmt(e->a, "%.*s\n", STRF(mask(s, str_eq(bytes, twin))));
		else if (!e->secrets)
			shown = masked_text(e, s, bytes, twin);
		if (!str_eq(shown, bytes))
			json_set(json_member(j, S("contents")), S("source"),
				 json_new_str(e->a, mask(s, str_eq(bytes, twin))));
		rc = put(e, s, path, shown, err);
	}
	return rc;
}

/* Masks the contents of a unit or dropin in the spec. */
static void mask_contents(struct external_diff *e, const struct side *s, struct json *j,
			  struct str twin)
{
	struct str text = json_str(j, "contents");

	if (text.n)
		json_set(j, S("contents"), json_new_str(e->a, masked_text(e, s, text, twin)));
}

static void mask_units(struct external_diff *e, const struct side *s, struct json *spec)
{
	const struct ign_objs *units = ign_units(s->own->config);
	struct json *j = json_first(json_at(spec, "config.systemd.units"));
	struct map twins;

	ign_index(e->a, ign_units(s->other->config), &twins);
	for (size_t i = 0; i < units->n; i++, j = json_next(j)) {
		struct str name = ign_str(units->v[i], IGN_UNIT_NAME);
		const struct ign_obj *twin = map_get(&twins, name);
		struct json *d = json_first(json_member(j, S("dropins")));
		struct map dropins;

		mask_contents(e, s, j, ign_str(twin, IGN_UNIT_CONTENTS));
		ign_index(e->a, ign_list(twin, IGN_UNIT_DROPINS), &dropins);
		for (; d; d = json_next(d))
			mask_contents(e, s, d,
				      ign_str(map_get(&dropins, json_str(d, "name")),
					      IGN_DROPIN_CONTENTS));
	}
}

static struct str joined(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&b, "%.*s\n", STRF(list->v[i]));
	return buf_str(&b);
}

static void mask_kargs(struct external_diff *e, const struct side *s, struct json *spec)
{
	struct json *list = json_new(e->a, JSON_ARRAY);
	struct str rest =
		masked_text(e, s, joined(e->a, &s->own->kargs), joined(e->a, &s->other->kargs));
	struct str line;

	while (str_line(&rest, &line))
		json_push(list, json_new_str(e->a, line));
	if (s->own->kargs.n)
		json_set(spec, S("kernelArguments"), list);
}

static const struct ign_objs *users_of(const struct mc_merged *m)
{
	return ign_list(ign_sub(m->config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);
}

static void hide_passwords(struct external_diff *e, const struct side *s, struct json *spec)
{
	const struct ign_objs *users = users_of(s->own);
	struct json *j = json_first(json_at(spec, "config.passwd.users"));
	struct map twins;

	ign_index(e->a, users_of(s->other), &twins);
	for (size_t i = 0; i < users->n; i++, j = json_next(j)) {
		const struct ign_obj *u = users->v[i];
		const struct ign_obj *twin = map_get(&twins, ign_str(u, IGN_USER_NAME));

		if (!e->secrets && ign_is_set(u, IGN_USER_PASSWORD))
			json_set(j, S("passwordHash"),
				 json_new_str(e->a,
					      mask(s, str_eq(ign_str(u, IGN_USER_PASSWORD),
							     ign_str(twin, IGN_USER_PASSWORD)))));
	}
}

static int put_side(struct external_diff *e, const struct side *s, struct err *err)
{
	struct json *spec = mc_spec(e->a, s->own);
	const char *dir = str_fmt(e->a, "%s/%s", e->dir, s->dir).p;
	struct buf b;
	int rc;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_sys(err, "create %s", dir);
	rc = put_files(e, s, spec, err);
	hide_passwords(e, s, spec);
	if (!e->secrets) {
		mask_units(e, s, spec);
		mask_kargs(e, s, spec);
	}
	buf_init(&b, e->a);
	if (rc == 0)
		rc = yml_emit(&b, spec, err);
	return rc < 0 ? rc : put(e, s, S("/machineconfig-spec.yaml"), buf_str(&b), err);
}

int external_diff_add(struct external_diff *e, const struct config_diff *d, struct err *err)
{
	struct str pool = d->pool.n ? d->pool : S("config");
	const char *tmp = getenv("TMPDIR");
	int rc;

	if (!e->dir) {
		e->dir = str_z(e->a,
			       str_fmt(e->a, "%s/mco-diff-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
		if (!mkdtemp(e->dir)) {
			rc = err_sys(err, "create %s", e->dir);
			e->dir = NULL;
			return rc;
		}
	}
	rc = put_side(e, &(struct side){ "LIVE", pool, d->from, d->to }, err);
	if (rc == 0)
		rc = put_side(e, &(struct side){ "MERGED", pool, d->to, d->from }, err);
	return rc;
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
		applet_say("Error: run %s: %s\n", argv.v[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, "wait for %s", argv.v[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

void external_diff_free(struct external_diff *e)
{
	if (e->dir)
		(void)tree_remove_at(AT_FDCWD, e->dir);
	e->dir = NULL;
}
