/*
 * JSON patches (RFC 6902), with the errors of the library that API servers use. Operations change a
 * copy, so a failed patch changes nothing.
 */
#include "sandbox/patch.h"

/* Copies of copies can grow without bound: kube-apiserver's limit for the copies of one patch. */
#define COPIED_MAX ((size_t)3 << 20)

/* ---- pointers ------------------------------------------------------------ */

static struct str unescape_key(struct arena *a, struct str s)
{
	struct buf b;

	if (str_chr(s, '~') < 0)
		return s;
	buf_init(&b, a);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '~' && i + 1 < s.n && (s.p[i + 1] == '0' || s.p[i + 1] == '1'))
			buf_addc(&b, s.p[++i] == '0' ? '~' : '/');
		else
			buf_addc(&b, s.p[i]);
	}
	return buf_str(&b);
}

static struct json *element(const struct json *list, struct str index)
{
	struct json *v = json_first(list);
	int64_t n;

	if (!str_to_i64(index, &n) || n < 0)
		return NULL;
	while (v && n--)
		v = json_next(v);
	return v;
}

static struct json *child(const struct json *parent, struct str key)
{
	if (json_kind(parent) == JSON_ARRAY)
		return element(parent, key);
	return json_member(parent, key);
}

/* The container of the last path component, and that component; NULL when there is none. */
static struct json *container(struct arena *a, struct json *root, struct str path, struct str *key)
{
	struct str part;

	if (!path.n || path.p[0] != '/')
		return NULL;
	path = str_from(path, 1);
	while (root && str_cut(path, '/', &part, &path))
		root = child(root, unescape_key(a, part));
	*key = unescape_key(a, path);
	if (json_kind(root) != JSON_OBJECT && json_kind(root) != JSON_ARRAY)
		return NULL;
	return root;
}

/* ---- operations ---------------------------------------------------------- */

static int set_missing(struct err *err, const char *op, struct str path)
{
	return err_set(err, ERR_INVALID,
		       "%s operation does not apply: doc is missing path: "
		       "\"%.*s\": missing value",
		       op, STRF(path));
}

/* Rebuilds the list: insertion in the middle is rare and lists are short. */
static int insert_element(struct json *list, struct str key, struct json *value, struct err *err)
{
	size_t n = json_len(list);
	int64_t at = (int64_t)n;

	if (!str_is(key, "-") && (!str_to_i64(key, &at) || at < 0 || (size_t)at > n))
		return err_set(err, ERR_INVALID,
			       "add operation does not apply: Unable to access "
			       "invalid index: %.*s: invalid index referenced",
			       STRF(key));
	json_push(list, value);
	for (size_t i = n - (size_t)at; i > 0; i--) {
		struct json *v = element(list, key);

		json_detach(list, v);
		json_push(list, v);
	}
	return 0;
}

static int add_value(struct arena *a, struct json **root, struct str path, struct json *value,
		     struct err *err)
{
	struct str key;
	struct json *in;

	if (!path.n) {
		*root = value;
		return 0;
	}
	in = container(a, *root, path, &key);
	if (!in)
		return set_missing(err, "add", path);
	if (json_kind(in) == JSON_ARRAY)
		return insert_element(in, key, value, err);
	json_set(in, key, value);
	return 0;
}

static int take_value(struct arena *a, struct json *root, struct str path, const char *op,
		      struct json **out, struct err *err)
{
	struct str key;
	struct json *in = container(a, root, path, &key), *v;

	v = in ? child(in, key) : NULL;
	if (!v)
		return set_missing(err, op, path);
	*out = json_clone(a, v);
	json_detach(in, v);
	return 0;
}

static int replace_value(struct arena *a, struct json *root, struct str path, struct json *value,
			 struct err *err)
{
	struct str key;
	struct json *in = container(a, root, path, &key), *v;

	v = in ? child(in, key) : NULL;
	if (!v)
		return set_missing(err, "replace", path);
	json_replace(in, v, value);
	return 0;
}

static const struct json *find_value(struct arena *a, struct json *root, struct str path)
{
	struct str key;
	struct json *in;

	if (!path.n)
		return root;
	in = container(a, root, path, &key);
	return in ? child(in, key) : NULL;
}

static int test_value(struct arena *a, struct json *root, struct str path, const struct json *value,
		      struct err *err)
{
	const struct json *v = find_value(a, root, path);
	bool both_null = json_kind(v) == JSON_NULL && json_kind(value) == JSON_NULL;

	if (both_null || (v && json_eq(v, value)))
		return 0;
	return err_set(err, ERR_INVALID, "testing value %.*s failed: test failed", STRF(path));
}

static int copy_value(struct arena *a, struct json **root, struct str from, struct str path,
		      size_t *copied, struct err *err)
{
	const struct json *v = find_value(a, *root, from);
	struct buf b;

	if (!v)
		return set_missing(err, "copy", from);
	buf_init(&b, a);
	json_encode(&b, v, 0);
	*copied += b.n;
	if (*copied > COPIED_MAX)
		return err_set(err, ERR_LIMIT,
			       "Unable to copy, the accumulated size increase "
			       "of copy is %zu, exceeding the limit %zu",
			       *copied, COPIED_MAX);
	return add_value(a, root, path, json_clone(a, v), err);
}

static int apply_operation(struct arena *a, struct json **root, const struct json *op,
			   size_t *copied, struct err *err)
{
	struct str name = json_str(op, "op");
	struct str path = json_str(op, "path");
	struct str from = json_str(op, "from");
	const struct json *given = json_at(op, "value");
	struct json *value = given ? json_clone(a, given) : json_new(a, JSON_NULL);
	int rc;

	if (str_is(name, "add"))
		return add_value(a, root, path, value, err);
	if (str_is(name, "remove"))
		return take_value(a, *root, path, "remove", &value, err);
	if (str_is(name, "replace"))
		return replace_value(a, *root, path, value, err);
	if (str_is(name, "test"))
		return test_value(a, *root, path, value, err);
	if (str_is(name, "copy"))
		return copy_value(a, root, from, path, copied, err);
	if (str_is(name, "move")) {
		rc = take_value(a, *root, from, "move", &value, err);
		return rc < 0 ? rc : add_value(a, root, path, value, err);
	}
	return err_set(err, ERR_INVALID, "Unexpected kind: %.*s", STRF(name));
}

int patch_operations(struct arena *a, const struct json *target, const struct json *ops,
		     struct json **out, struct err *err)
{
	struct json *root = json_clone(a, target);
	size_t copied = 0;

	for (const struct json *op = json_first(ops); op; op = json_next(op)) {
		int rc = apply_operation(a, &root, op, &copied, err);

		if (rc < 0)
			return rc;
	}
	*out = root;
	return 0;
}
