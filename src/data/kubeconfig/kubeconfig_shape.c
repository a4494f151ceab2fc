/*
 * The types of a kubeconfig's values. As in clientcmd, one value of the wrong type refuses the
 * whole file: ignoring a server, a token or a switch that is malformed could connect to the wrong
 * place.
 */
#include "kubeconfig_shape.h"

#include "base/map.h"

/* The allowed types, besides null. */
static const char *const names[] = {
	[JSON_BOOL] = "true or false",
	[JSON_STRING] = "a string",
	[JSON_ARRAY] = "a list",
	[JSON_OBJECT] = "a mapping",
};

struct member {
	char key[27];
	uint8_t kind;
};

static const struct member clusters[] = {
	{ "server", JSON_STRING },
	{ "certificate-authority", JSON_STRING },
	{ "certificate-authority-data", JSON_STRING },
	{ "insecure-skip-tls-verify", JSON_BOOL },
	{ "tls-server-name", JSON_STRING },
	{ "proxy-url", JSON_STRING },
	{ "extensions", JSON_ARRAY },
	{ "", 0 },
};

static const struct member users[] = {
	{ "token", JSON_STRING },
	{ "tokenFile", JSON_STRING },
	{ "client-certificate", JSON_STRING },
	{ "client-certificate-data", JSON_STRING },
	{ "client-key", JSON_STRING },
	{ "client-key-data", JSON_STRING },
	{ "username", JSON_STRING },
	{ "password", JSON_STRING },
	{ "as", JSON_STRING },
	{ "as-uid", JSON_STRING },
	{ "as-groups", JSON_ARRAY },
	{ "as-user-extra", JSON_OBJECT },
	{ "exec", JSON_OBJECT },
	{ "", 0 },
};

static const struct member contexts[] = {
	{ "cluster", JSON_STRING },
	{ "user", JSON_STRING },
	{ "namespace", JSON_STRING },
	{ "", 0 },
};

static const struct {
	char list[9], member[8];
	const struct member *members;
} lists[] = {
	{ "clusters", "cluster", clusters },
	{ "users", "user", users },
	{ "contexts", "context", contexts },
};

static int is(const struct json *j, uint8_t kind, struct str where, struct err *err)
{
	if (!j || json_kind(j) == JSON_NULL || json_kind(j) == kind)
		return 0;
	return err_set(err, ERR_INVALID, "%.*s is %s, must be %s", STRF(where),
		       json_kind(j) == JSON_NUMBER ? "a number" : names[json_kind(j)], names[kind]);
}

static int entry(struct arena *a, const struct json *e, size_t i, size_t of, struct err *err)
{
	struct str at = str_fmt(a, "%s[%zu]", lists[i].list, of);
	const struct json *value = json_member(e, str_of(lists[i].member));
	int rc = is(e, JSON_OBJECT, at, err);

	if (rc == 0)
		rc = is(json_member(e, S("name")), JSON_STRING, str_fmt(a, "%.*s.name", STRF(at)),
			err);
	at = str_fmt(a, "%.*s.%s", STRF(at), lists[i].member);
	if (rc == 0)
		rc = is(value, JSON_OBJECT, at, err);
	for (const struct member *m = lists[i].members; rc == 0 && *m->key; m++)
		rc = is(json_member(value, str_of(m->key)), m->kind,
			str_fmt(a, "%.*s.%s", STRF(at), m->key), err);
	return rc;
}

/* Two entries of one name are ambiguous. */
static int named_once(struct map *seen, const struct json *e, const char *what, struct err *err)
{
	struct str name = json_str(e, "name");

	if (map_put(seen, name, NULL))
		return 0;
	return err_set(err, ERR_INVALID, "%s: duplicate name \"%.*s\" in list", what, STRF(name));
}

int kubeconfig_shape(struct arena *a, const struct json *tree, struct err *err)
{
	int rc =
		is(json_member(tree, S("current-context")), JSON_STRING, S("current-context"), err);

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const struct json *list = json_member(tree, str_of(lists[i].list));
		struct map seen;
		size_t of = 0;

		map_init(&seen, a);
		if (rc == 0)
			rc = is(list, JSON_ARRAY, str_of(lists[i].list), err);
		for (const struct json *e = rc < 0 ? NULL : json_first(list); e && rc == 0;
		     e = json_next(e)) {
			rc = entry(a, e, i, of++, err);
			if (rc == 0)
				rc = named_once(&seen, e, lists[i].list, err);
		}
	}
	return rc;
}
