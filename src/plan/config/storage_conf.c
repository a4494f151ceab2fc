/*
 * storage.conf as upstream's Go struct reads and writes it.
 */
#include "storage_conf.h"

#include <stdlib.h>

#include "base/vec.h"
#include "data/toml.h"

/*
 * Upstream's struct, member by member in its order: a kind, the name, and for a table its
 * members. Empty strings, lists and tables are omitted (except S); numbers are always
 * written.
 */
static const char storage[] = "S driver\nS runroot\nS graphroot\n";
static const char options[] =
	"l additionalimagestores\ns imagestore\nl additionallayerstores\n"
	"s size\ns ignore_chown_errors\ns use_composefs\nn force_mask\n"
	"s root-auto-userns-user\nn auto-userns-min-size\n"
	"n auto-userns-max-size\nt aufs mountopt\nt btrfs min_space size\n"
	"t overlay ignore_chown_errors mountopt mount_program size inodes "
	"skip_mount_home use_composefs force_mask\nt vfs ignore_chown_errors\n"
	"t zfs mountopt fsname size\ns skip_mount_home\ns mount_program\n"
	"s mountopt\nt pull_options\nb disable-volatile\n";

struct conf {
	struct arena *a;
	struct err *err;
	const char *table; /* for messages */
};

/* An exact match wins over one that ignores case. */
static const struct json *member(const struct json *j, struct str name)
{
	const struct json *found = json_member(j, name);

	for (const struct json *m = json_first(j); m && !found; m = json_next(m))
		if (str_eq_fold(json_key(m), name))
			found = m;
	return found;
}

static int mismatch(struct conf *c, struct str name, const struct json *j, const char *want)
{
	return err_set(c->err, ERR_INVALID,
		       "error decoding crio config: toml: (last key "
		       "\"%s.%.*s\"): incompatible types: TOML value has type "
		       "%s; destination has type %s",
		       c->table, STRF(name), json_kind_name(j), want);
}

static int by_key(const void *x, const void *y)
{
	return str_cmp(json_key(*(const struct json *const *)x),
		       json_key(*(const struct json *const *)y));
}

/* Strings under any names. */
static int copy_map(struct conf *c, struct str name, const struct json *j, struct json *out)
{
	VEC(const struct json *) m = { 0 };

	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		if (json_kind(e) != JSON_STRING)
			return mismatch(c, name, e, "string");
		VEC_PUSH(c->a, &m, e);
	}
	if (m.n)
		qsort(m.v, m.n, sizeof(m.v[0]), by_key);
	for (size_t i = 0; i < m.n; i++)
		json_add(out, json_key(m.v[i]), json_clone(c->a, m.v[i]));
	return 0;
}

static int copy_table(struct conf *c, struct str name, struct str names, const struct json *j,
		      struct json *into)
{
	struct json *out = json_new(c->a, JSON_OBJECT);
	struct str one;
	int rc = 0;

	if (json_kind(j) != JSON_OBJECT)
		return mismatch(c, name, j, "table");
	if (!names.n)
		rc = copy_map(c, name, j, out);
	while (names.n && rc == 0) {
		const struct json *m;

		if (!str_cut(names, ' ', &one, &names)) {
			one = names;
			names = S("");
		}
		m = member(j, one);
		if (m && json_kind(m) != JSON_STRING)
			rc = mismatch(c, one, m, "string");
		else if (json_text(m).n)
			json_add(out, one, json_clone(c->a, m));
	}
	if (rc == 0 && json_first(out))
		json_add(into, name, out);
	return rc;
}

static int copy_list(struct conf *c, struct str name, const struct json *j, struct json *into)
{
	if (json_kind(j) != JSON_ARRAY)
		return mismatch(c, name, j, "slice");
	for (const struct json *e = json_first(j); e; e = json_next(e))
		if (json_kind(e) != JSON_STRING)
			return mismatch(c, name, e, "string");
	if (json_first(j))
		json_add(into, name, json_clone(c->a, j));
	return 0;
}

static int copy_scalar(struct conf *c, char kind, struct str name, const struct json *j,
		       struct json *into)
{
	static const struct {
		char kind;
		enum json_kind is;
		const char *go;
	} kinds[] = { { 's', JSON_STRING, "string" },
		      { 'S', JSON_STRING, "string" },
		      { 'n', JSON_NUMBER, "integer" },
		      { 'b', JSON_BOOL, "boolean" } };
	int64_t n;
	size_t k = 0;

	while (kinds[k].kind != kind)
		k++;
	if (json_kind(j) != kinds[k].is)
		return mismatch(c, name, j, kinds[k].go);
	if (kind == 'n' && (!str_to_i64(json_text(j), &n) || n < 0 || n > UINT32_MAX))
		return mismatch(c, name, j, kinds[k].go);
	if (kind == 'n' || kind == 'S' || json_text(j).n || json_is_true(j))
		json_add(into, name, json_clone(c->a, j));
	return 0;
}

static int copy_field(struct conf *c, struct str line, const struct json *from, struct json *into)
{
	struct str name = str_from(line, 2), names = S("");
	const struct json *j;
	char kind = line.p[0];

	(void)str_cut(name, ' ', &name, &names);
	j = member(from, name);
	if (!j && kind == 'n')
		json_add(into, name, json_new_i64(c->a, 0));
	else if (!j && kind == 'S')
		json_add(into, name, json_new_str(c->a, S("")));
	if (!j)
		return 0;
	if (kind == 't')
		return copy_table(c, name, names, j, into);
	if (kind == 'l')
		return copy_list(c, name, j, into);
	return copy_scalar(c, kind, name, j, into);
}

/* The known members of a table (NULL: none), in their order. */
static int copy_known(struct conf *c, const char *fields, const char *table,
		      const struct json *from, struct json *into)
{
	struct str rest = str_of(fields), line;
	int rc = 0;

	c->table = table;
	while (rc == 0 && str_line(&rest, &line))
		rc = copy_field(c, line, from, into);
	return rc;
}

int storage_conf(struct arena *a, struct str base, const struct storage_changes *ch,
		 struct str *out, struct err *err)
{
	struct conf c = { .a = a, .err = err };
	struct json *root = json_new(a, JSON_OBJECT), *s, *o, *tree, *from;
	const struct json *old, *old_options;
	struct buf b;
	int rc = toml_parse(a, base, &tree, err);

	if (rc < 0)
		return err_wrap(err, "error decoding crio config");
	old = member(tree, S("storage"));
	old_options = member(old, S("options"));
	/* apply the changes first, to keep the order of the struct */
	from = json_kind(old_options) == JSON_OBJECT ? json_clone(a, old_options)
						     : json_new(a, JSON_OBJECT);
	if (ch->size.n)
		json_set(from, S("size"), json_new_str(a, ch->size));
	if (ch->layers)
		json_set(from, S("additionallayerstores"), ch->layers);
	if (ch->images)
		json_set(from, S("additionalimagestores"), ch->images);
	s = json_new(a, JSON_OBJECT);
	o = json_new(a, JSON_OBJECT);
	rc = copy_known(&c, storage, "storage", old, s);
	if (rc == 0)
		rc = copy_known(&c, options, "storage.options", from, o);
	if (rc < 0)
		return rc;
	json_add(s, S("options"), o);
	json_add(root, S("storage"), s);
	buf_init(&b, a);
	toml_emit(&b, root);
	*out = buf_str(&b);
	return 0;
}
