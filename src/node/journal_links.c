/*
 * The links to units in a journal: all of /etc/systemd/system by their targets, no matter which
 * program made them.
 */
#include "journal_links.h"

#include "plan/install.h"

int journal_remove_empty(struct tree *t, const char *path, struct err *err)
{
	int rc = tree_remove(t, path, err);

	return rc == -ERR_CONFLICT ? 0 : rc;
}

/* The links in a directory as {path: target}, and its .wants and .requires directories. */
static int links_in(struct arena *a, struct tree *t, struct str dir, struct json *out,
		    struct json *dirs, struct err *err)
{
	struct strs names = { 0 };
	int rc = tree_list(a, t, str_z(a, dir), &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct str path = str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));
		struct str target;
		struct stat st;

		rc = tree_lstat(t, path.p, &st, err);
		if (rc < 0)
			break;
		if (S_ISLNK(st.st_mode)) {
			rc = tree_readlink(a, t, path.p, &target, err);
			json_add(out, path, json_new_str(a, target));
		} else if (dirs && S_ISDIR(st.st_mode) && install_is_links_dir(names.v[i])) {
			json_push(dirs, json_new_str(a, path));
			rc = links_in(a, t, path, out, NULL, err);
		}
	}
	return rc;
}

int journal_links(struct arena *a, struct tree *t, struct json **links, struct json **dirs,
		  struct err *err)
{
	*links = json_new(a, JSON_OBJECT);
	*dirs = json_new(a, JSON_ARRAY);
	return links_in(a, t, S(TREE_UNITS), *links, *dirs, err);
}

/* The set of an array's strings, or of an object's keys. */
static void set_of(struct arena *a, const struct json *j, struct map *out)
{
	map_init(out, a);
	for (struct json *e = json_first(j); e; e = json_next(e))
		(void)map_put(out, json_kind(j) == JSON_OBJECT ? json_key(e) : json_text(e), e);
}

int journal_restore_links(struct arena *a, struct tree *t, const struct journal *j, struct err *err)
{
	const struct json *want = json_member(j->log, S("links"));
	struct json *have, *dirs;
	struct map wanted, had, had_dirs;
	int rc = journal_links(a, t, &have, &dirs, err);

	set_of(a, want, &wanted);
	set_of(a, have, &had);
	set_of(a, json_member(j->log, S("linkDirs")), &had_dirs);
	for (struct json *m = json_first(have); rc == 0 && m; m = json_next(m))
		if (!map_find(&wanted, json_key(m)) && !map_find(&j->allowed, json_key(m)))
			rc = tree_remove(t, str_z(a, json_key(m)), err);
	for (struct json *m = json_first(want); rc == 0 && m; m = json_next(m)) {
		const struct json *now = map_get(&had, json_key(m));

		if (!map_find(&j->allowed, json_key(m)) &&
		    !(now && str_eq(json_text(now), json_text(m))))
			rc = tree_symlink(t, str_z(a, json_text(m)), str_z(a, json_key(m)), err);
	}
	for (struct json *d = json_first(dirs); rc == 0 && d; d = json_next(d))
		if (!map_find(&had_dirs, json_text(d)))
			rc = journal_remove_empty(t, str_z(a, json_text(d)), err);
	return rc;
}
