/*
 * policy.json: reads the base file, edits it and writes it as upstream does. Unknown
 * members are refused: a typo in a security policy must not pass.
 */
#include "mc/scope.h"
#include "registries_parts.h"

struct policy {
	struct json *otherwise; /* "default" */
	struct map transports; /* maps of scopes to requirements */
};

/* Members of any object, in the order of writing. */
static const char *const members[] = {
	"type",
	"keyType",
	"keyPath",
	"keyPaths",
	"keyData",
	"keyDatas",
	"fulcio",
	"caPath",
	"caData",
	"oidcIssuer",
	"rekorPublicKeyPath",
	"rekorPublicKeyPaths",
	"rekorPublicKeyData",
	"rekorPublicKeyDatas",
	"pki",
	"caRootsPath",
	"caRootsData",
	"caIntermediatesPath",
	"caIntermediatesData",
	"subjectEmail",
	"subjectHostname",
	"baseLayerIdentity",
	"signedIdentity",
	"dockerReference",
	"dockerRepository",
	"prefix",
	"signedPrefix",
};
#define N_MEMBERS (ARRAY_LEN(members))

/* j with its members in that order, recursively. */
static int arrange(struct arena *a, const struct json *j, struct json **out, struct err *err)
{
	size_t found = 0;

	if (json_kind(j) != JSON_OBJECT) {
		*out = json_clone(a, j);
		return 0;
	}
	*out = json_new(a, JSON_OBJECT);
	for (size_t i = 0; i < N_MEMBERS; i++) {
		struct json *m = json_member(j, str_of(members[i])), *item;
		int rc;

		if (!m)
			continue;
		found++;
		rc = arrange(a, m, &item, err);
		if (rc < 0)
			return rc;
		json_add(*out, str_of(members[i]), item);
	}
	if (found == json_len(j))
		return 0;
	for (const struct json *m = json_first(j); m; m = json_next(m))
		if (!json_member(*out, json_key(m)))
			return err_set(err, ERR_INVALID, "Unknown key \"%.*s\"", STRF(json_key(m)));
	return 0;
}

static int requirement(struct arena *a, const struct json *j, struct json **out, struct err *err)
{
	static const char *const types[] = { "insecureAcceptAnything", "reject", "signedBy",
					     "signedBaseLayer", "sigstoreSigned" };
	struct str type = json_str(j, "type");
	size_t known = 0;
	int rc;

	while (known < 5 && !str_is(type, types[known]))
		known++;
	if (known == 5)
		return err_set(err, ERR_INVALID, "Unknown policy requirement type \"%.*s\"",
			       STRF(type));
	rc = arrange(a, j, out, err);
	/* the default where signedIdentity is absent */
	if (rc == 0 && (known == 2 || known == 4) && !json_member(*out, S("signedIdentity")))
		json_add_str(a, json_add_object(a, *out, "signedIdentity"), "type",
			     S("matchRepoDigestOrExact"));
	return rc;
}

static int requirements(struct arena *a, const struct json *j, struct json **out, struct err *err)
{
	int rc = 0;

	if (json_kind(j) != JSON_ARRAY || !json_first(j))
		return err_set(err, ERR_INVALID,
			       "List of verification policy requirements must "
			       "not be empty");
	*out = json_new(a, JSON_ARRAY);
	for (const struct json *e = json_first(j); rc == 0 && e; e = json_next(e)) {
		struct json *item;

		rc = requirement(a, e, &item, err);
		if (rc == 0)
			json_push(*out, item);
	}
	return rc;
}

static struct map *scopes_of(struct arena *a, struct policy *p, struct str transport)
{
	struct map *m = map_get(&p->transports, transport);

	if (!m) {
		m = ARENA_NEW(a, struct map);
		map_init(m, a);
		(void)map_put(&p->transports, transport, m);
	}
	return m;
}

static int transports(struct arena *a, const struct json *j, struct policy *p, struct err *err)
{
	for (const struct json *t = json_first(j); t; t = json_next(t)) {
		struct map *scopes = scopes_of(a, p, json_key(t));

		for (const struct json *s = json_first(t); s; s = json_next(s)) {
			struct json *list = NULL;
			int rc = requirements(a, s, &list, err);

			if (rc < 0)
				return rc;
			(void)map_put(scopes, json_key(s), list);
		}
	}
	return 0;
}

static int parse(struct arena *a, struct str text, struct policy *out, struct err *err)
{
	size_t used;
	struct json_opts opts = { .flags = JSON_DUP_ERROR, .used = &used };
	const struct json *member;
	struct json *j = NULL;
	int rc = json_parse(a, text, &opts, &j, err);

	if (rc < 0)
		return rc;
	map_init(&out->transports, a);
	for (member = json_first(j); member; member = json_next(member))
		if (!str_is(json_key(member), "default") && !str_is(json_key(member), "transports"))
			return err_set(err, ERR_INVALID, "Unknown key \"%.*s\"",
				       STRF(json_key(member)));
	member = json_at(j, "default");
	if (json_kind(member) == JSON_NULL)
		return err_set(err, ERR_INVALID, "Default policy is missing");
	rc = requirements(a, member, &out->otherwise, err);
	if (rc == 0)
		rc = transports(a, json_at(j, "transports"), out, err);
	return rc;
}

static struct json *scopes_json(struct arena *a, const struct map *scopes)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct map_entry **e = sorted_entries(a, scopes);

	for (size_t i = 0; i < scopes->n; i++)
		json_add(j, e[i]->key, json_clone(a, e[i]->value));
	return j;
}

static struct str text_of(struct arena *a, const struct policy *p)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *t = json_new(a, JSON_OBJECT);
	struct map_entry **e = sorted_entries(a, &p->transports);

	json_add(j, S("default"), p->otherwise);
	for (size_t i = 0; i < p->transports.n; i++)
		json_add(t, e[i]->key, scopes_json(a, e[i]->value));
	json_add(j, S("transports"), t);
	return json_format(a, j, JSON_INDENT);
}

/* ---- what may not go together -------------------------------------------- */

static int check_lists(struct arena *a, const struct registries *r, struct err *err)
{
	const struct strs *allowed = &r->policy_allowed;
	const struct strs *both[] = { &r->policy_blocked, allowed };

	(void)a;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++)
			if (!scope_is_valid(both[k]->v[i]))
				return err_set(err, ERR_INVALID,
					       "invalid entry for %s registries "
					       "\"%.*s\"",
					       k ? "allowed" : "blocked", STRF(both[k]->v[i]));
	return 0;
}

/* Policies must match images that may be pulled. */
static int check_scopes(struct arena *a, const struct registries *r, const struct map *scopes,
			const char *kind, struct err *err)
{
	struct map_entry **e = sorted_entries(a, scopes);
	struct scope_set allowed, blocked;

	scope_set_init(&allowed, a);
	scope_set_init(&blocked, a);
	for (size_t i = 0; i < r->policy_allowed.n; i++)
		scope_set_add(&allowed, r->policy_allowed.v[i], NULL);
	for (size_t i = 0; i < r->policy_blocked.n; i++)
		scope_set_add(&blocked, r->policy_blocked.v[i], NULL);
	for (size_t i = 0; r->policy_allowed.n && i < scopes->n; i++)
		if (!scope_set_has(&allowed, e[i]->key))
			return err_set(err, ERR_INVALID,
				       "%s configured for the scope %.*s is "
				       "not nested inside allowedRegistries",
				       kind, STRF(e[i]->key));
	for (size_t i = 0; i < scopes->n; i++)
		if (scope_set_has(&blocked, e[i]->key))
			return err_set(err, ERR_INVALID,
				       "%s configured for the scope %.*s is "
				       "nested inside blockedRegistries",
				       kind, STRF(e[i]->key));
	return 0;
}

/* ---- editing ------------------------------------------------------------- */

static struct json *simple(struct arena *a, const char *type)
{
	struct json *list = json_new(a, JSON_ARRAY);
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("type"), json_new_str(a, str_of(type)));
	json_push(list, j);
	return list;
}

/* "atomic" accepts scopes of at most three parts. */
static bool fits_atomic(struct str scope)
{
	size_t slashes = 0;

	for (size_t i = 0; i < scope.n; i++)
		slashes += scope.p[i] == '/';
	return slashes < 3;
}

/* Appends requirements to those of the scope. */
static void append(struct arena *a, struct map *scopes, struct str scope, const struct json *list)
{
	struct json *have = map_get(scopes, scope);

	if (!have) {
		have = json_new(a, JSON_ARRAY);
		(void)map_put(scopes, scope, have);
	}
	for (const struct json *j = json_first(list); j; j = json_next(j))
		json_push(have, json_clone(a, j));
}

static void edit(struct arena *a, const struct registries *r, struct policy *p)
{
	const struct strs *allowed = &r->policy_allowed;
	const struct strs *blocked = &r->policy_blocked;
	struct map *docker = ARENA_NEW(a, struct map), *atomic;

	map_init(docker, a);
	if (allowed->n)
		p->otherwise = simple(a, "reject");
	for (size_t i = 0; i < allowed->n; i++)
		if (!map_find(&r->cluster, allowed->v[i]))
			(void)map_put(docker, allowed->v[i], simple(a, "insecureAcceptAnything"));
	if (blocked->n)
		p->otherwise = simple(a, "insecureAcceptAnything");
	for (size_t i = 0; i < blocked->n; i++)
		(void)map_put(docker, blocked->v[i], simple(a, "reject"));
	for (size_t i = 0; i < r->cluster.n; i++)
		append(a, docker, r->cluster.v[i].key, r->cluster.v[i].value);
	if (!docker->n)
		return;
	(void)map_put(&p->transports, S("docker"), docker);
	atomic = ARENA_NEW(a, struct map);
	map_init(atomic, a);
	for (size_t i = 0; i < docker->n; i++)
		if (fits_atomic(docker->v[i].key))
			(void)map_put(atomic, docker->v[i].key, docker->v[i].value);
	(void)map_put(&p->transports, S("atomic"), atomic);
}

int policy_cluster(struct arena *a, const struct registries *r, struct str base, struct str *out,
		   struct err *err)
{
	struct policy p = { 0 };
	int rc = check_scopes(a, r, &r->cluster, "clusterimagePolicy", err);

	if (rc < 0)
		return rc;
	if (!r->policy_allowed.n && !r->policy_blocked.n && !r->cluster.n) {
		*out = base;
		return 0;
	}
	rc = check_lists(a, r, err);
	if (rc < 0)
		return rc;
	rc = parse(a, base, &p, err);
	if (rc < 0)
		return err_wrap(err, "error decoding policy json");
	edit(a, r, &p);
	*out = text_of(a, &p);
	return 0;
}

static int namespace_text(struct arena *a, struct str cluster, const struct map *scopes,
			  struct str *out, struct err *err)
{
	struct policy p = { 0 };
	struct map *docker, *atomic;
	int rc = parse(a, cluster, &p, err);

	if (rc < 0)
		return err_wrap(err, "error decoding policy json for namespaced policies");
	docker = scopes_of(a, &p, S("docker"));
	atomic = scopes_of(a, &p, S("atomic"));
	for (size_t i = 0; i < scopes->n; i++) {
		struct str scope = scopes->v[i].key;

		append(a, docker, scope, scopes->v[i].value);
		if (fits_atomic(scope))
			append(a, atomic, scope, scopes->v[i].value);
	}
	*out = text_of(a, &p);
	return 0;
}

int policy_namespaces(struct arena *a, const struct registries *r, struct str cluster,
		      struct mc_files *out, struct err *err)
{
	struct map_entry **e = sorted_entries(a, &r->namespaces);
	int rc = check_scopes(a, r, &r->scopes, "imagePolicy", err);

	for (size_t i = 0; rc == 0 && i < r->namespaces.n; i++) {
		struct str text;

		rc = namespace_text(a, cluster, e[i]->value, &text, err);
		if (rc == 0)
			mc_files_add(a, out,
				     str_fmt(a, "/etc/crio/policies/%.*s.json", STRF(e[i]->key)).p,
				     text);
	}
	return rc;
}

int registries_accept(struct arena *a, struct str policy, struct str transport, struct str scope,
		      struct str *out, struct err *err)
{
	struct policy p = { 0 };
	int rc = parse(a, policy, &p, err);

	if (rc < 0)
		return rc;
	(void)map_put(scopes_of(a, &p, transport), scope, simple(a, "insecureAcceptAnything"));
	*out = text_of(a, &p);
	return 0;
}
