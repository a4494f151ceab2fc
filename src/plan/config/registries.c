/*
 * Decides the registries of a cluster: mirrors, allowed, blocked and insecure registries,
 * and policies.
 *
 * The release image always stays reachable: entries that would block it are left out,
 * with a note.
 */
#include "plan/registries.h"

#include "base/codec.h"
#include "base/imageref.h"
#include "mc/scope.h"
#include "registries_parts.h"

/* ---- reading ------------------------------------------------------------- */

/* A list of strings; false when it is absent, true when it is empty. */
static bool strings(struct arena *a, const struct json *j, struct strs *out)
{
	if (json_kind(j) != JSON_ARRAY)
		return false;
	for (const struct json *e = json_first(j); e; e = json_next(e))
		VEC_PUSH(a, out, json_text(e));
	return true;
}

/* Appends the rules of all sets of a kind; true when there is such a set. */
static bool read_rules(struct arena *a, const struct mc_object_list *objects, enum mc_kind kind,
		       const char *path, struct mirror_rules *out)
{
	bool found = false;

	for (size_t i = 0; i < objects->n; i++) {
		const struct json *j = json_first(json_at(objects->v[i]->tree, path));

		if (objects->v[i]->kind != kind)
			continue;
		found = true;
		for (; j; j = json_next(j)) {
			struct mirror_rule r = {
				.source = json_str(j, "source"),
				.policy = json_str(j, "mirrorSourcePolicy"),
			};

			if (!r.policy.n)
				r.policy = S("AllowContactingSource");
			(void)strings(a, json_at(j, "mirrors"), &r.mirrors);
			VEC_PUSH(a, out, r);
		}
	}
	return found;
}

/* ---- image policies ------------------------------------------------------ */

static void demand(struct arena *a, struct map *scopes, struct str scope,
		   const struct json *requirement)
{
	struct json *list = map_get(scopes, scope);

	if (!list) {
		list = json_new(a, JSON_ARRAY);
		(void)map_put(scopes, scope, list);
	}
	json_push(list, json_clone(a, requirement));
}

static int read_cluster_policy(struct arena *a, const struct json *policy, struct registries *out,
			       struct err *err)
{
	struct json *need;
	struct strs scopes = { 0 };
	int rc = sigstore_requirement(a, json_at(policy, "spec.policy"), &need, err);

	if (rc < 0)
		return rc;
	(void)strings(a, json_at(policy, "spec.scopes"), &scopes);
	for (size_t i = 0; i < scopes.n; i++)
		demand(a, &out->cluster, scopes.v[i], need);
	return 0;
}

static struct map *namespace_scopes(struct arena *a, struct registries *r, struct str name)
{
	struct map *m = map_get(&r->namespaces, name);

	if (!m) {
		m = ARENA_NEW(a, struct map);
		map_init(m, a);
		(void)map_put(&r->namespaces, name, m);
	}
	return m;
}

static void add_conflict(struct arena *a, struct registries *r, const struct json *policy,
			 struct str scopes)
{
	struct registries_conflict c = {
		json_str(policy, "metadata.namespace"),
		json_str(policy, "metadata.name"),
		str_fmt(a,
			"has conflicting scope(s) [%.*s] that equal to or nest "
			"inside existing clusterimagepolicy, only policy from "
			"clusterimagepolicy scope(s) will be applied",
			STRF(scopes)),
	};

	if (r->n_conflicts == r->cap_conflicts)
		r->conflicts = vec_grow(a, r->conflicts, &r->cap_conflicts, sizeof(*r->conflicts));
	r->conflicts[r->n_conflicts++] = c;
}

static int read_policy(struct arena *a, const struct json *policy, const struct scope_set *cluster,
		       struct registries *out, struct err *err)
{
	struct str name = json_str(policy, "metadata.namespace");
	struct strs scopes = { 0 };
	struct json *need;
	struct buf conflicts;
	int rc = sigstore_requirement(a, json_at(policy, "spec.policy"), &need, err);

	if (rc < 0)
		return rc;
	buf_init(&conflicts, a);
	(void)strings(a, json_at(policy, "spec.scopes"), &scopes);
	for (size_t i = 0; i < scopes.n; i++) {
		if (scope_set_has(cluster, scopes.v[i])) {
			if (conflicts.n)
				buf_addc(&conflicts, ' ');
			go_quote(&conflicts, scopes.v[i]);
			continue;
		}
		(void)map_put(&out->scopes, scopes.v[i], need);
		demand(a, namespace_scopes(a, out, name), scopes.v[i], need);
	}
	if (conflicts.n)
		add_conflict(a, out, policy, buf_str(&conflicts));
	return 0;
}

static int read_policies(struct arena *a, const struct mc_object_list *objects,
			 struct registries *out, struct err *err)
{
	struct scope_set cluster;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < objects->n; i++)
		if (objects->v[i]->kind == MC_CLUSTER_IMAGE_POLICY)
			rc = read_cluster_policy(a, objects->v[i]->tree, out, err);
	scope_set_init(&cluster, a);
	for (size_t i = 0; i < out->cluster.n; i++)
		scope_set_add(&cluster, out->cluster.v[i].key, NULL);
	for (size_t i = 0; rc == 0 && i < objects->n; i++)
		if (objects->v[i]->kind == MC_IMAGE_POLICY)
			rc = read_policy(a, objects->v[i]->tree, &cluster, out, err);
	return rc;
}

/* ---- what may be pulled -------------------------------------------------- */

/* True when the cluster's own images can still be pulled. */
static int payload_reachable(struct arena *a, const struct registries *r,
			     const struct strs *blocked, const struct imageref *payload, bool *out,
			     struct err *err)
{
	struct registries all = *r;
	struct registries_conf c = { 0 };
	struct pull_sources sources = { 0 };
	const struct registry *reg;
	int rc;

	/* tags do not count: a release is pulled by digest */
	all.tag = (struct mirror_rules){ 0 };
	map_init(&c.by_scope, a);
	*out = false;
	rc = conf_edit(a, &c, &all, blocked, err);
	if (rc == 0)
		rc = conf_check(a, &c, err);
	reg = rc == 0 ? conf_find(&c, payload->name) : NULL;
	if (!reg)
		return rc;
	rc = conf_sources(a, reg, r->release_image, payload->digest.n > 0, &sources, err);
	for (size_t i = 0; rc == 0 && i < sources.n; i++) {
		bool usable = true;

		for (size_t k = 0; k < blocked->n; k++)
			usable &= !scope_inside(sources.v[i].name, blocked->v[k]);
		*out |= usable;
	}
	return rc;
}

static void keep_payload(struct arena *a, struct registries *out, struct str scope,
			 struct str payload)
{
	VEC_PUSH(a, &out->blocked, scope);
	if (!str_eq(scope, payload))
		VEC_PUSH(a, &out->policy_blocked, scope);
	VEC_PUSH(a, &out->policy_allowed, payload);
}

static void add_all(struct arena *a, struct strs *to, const struct strs *from)
{
	for (size_t i = 0; i < from->n; i++)
		VEC_PUSH(a, to, from->v[i]);
}

/* The lists, without entries that would block the cluster's own images. */
static int sort_blocked(struct arena *a, const struct strs *blocked, const struct imageref *payload,
			struct registries *out, struct err *err)
{
	int known = -1; /* true when the payload is reachable, computed on demand */
	struct buf dropped;

	buf_init(&dropped, a);
	for (size_t i = 0; i < blocked->n; i++) {
		struct str scope = blocked->v[i];

		if (!scope_inside(payload->name, scope)) {
			VEC_PUSH(a, &out->blocked, scope);
			VEC_PUSH(a, &out->policy_blocked, scope);
			continue;
		}
		if (known < 0) {
			bool yes;
			int rc = payload_reachable(a, out, blocked, payload, &yes, err);

			if (rc < 0)
				return rc;
			known = yes;
		}
		if (known) {
			keep_payload(a, out, scope, payload->name);
			continue;
		}
		if (dropped.n)
			buf_addc(&dropped, ' ');
		go_quote(&dropped, scope);
	}
	if (dropped.n)
		out->note = str_fmt(a,
				    "error adding [%.*s] to blocked registries, cannot "
				    "block the repository being used by the payload",
				    STRF(buf_str(&dropped)));
	return 0;
}

static int read_image(struct arena *a, const struct registries_in *in, const struct json *image,
		      struct registries *out, struct err *err)
{
	const struct json *j = json_at(image, "spec.registrySources");
	struct strs blocked = { 0 }, allowed = { 0 };
	struct imageref payload;

	out->has_insecure = strings(a, json_at(j, "insecureRegistries"), &out->insecure);
	out->has_search = strings(a, json_at(j, "containerRuntimeSearchRegistries"), &out->search);
	(void)strings(a, json_at(j, "blockedRegistries"), &blocked);
	(void)strings(a, json_at(j, "allowedRegistries"), &allowed);
	if (imageref_canonical(a, in->release_image, &payload, err) < 0)
		return err_set(err, ERR_INVALID, "error parsing reference of release image");
	if (sort_blocked(a, &blocked, &payload, out, err) < 0) {
		/* upstream logs this and continues without the lists */
		out->note = err->msg;
		out->blocked.n = out->policy_blocked.n = 0;
		out->policy_allowed.n = 0;
	} else {
		add_all(a, &out->policy_allowed, &allowed);
	}
	if (in->bootstrap)
		add_all(a, &out->policy_allowed, &allowed);
	return 0;
}

int registries_decide(struct arena *a, const struct registries_in *in, struct registries *out,
		      struct err *err)
{
	struct registries r = { .release_image = in->release_image };
	const struct json *image = NULL;
	int rc = 0;

	map_init(&r.cluster, a);
	map_init(&r.scopes, a);
	map_init(&r.namespaces, a);
	r.has_mirrors =
		read_rules(a, in->objects, MC_DIGEST_MIRRORS, "spec.imageDigestMirrors", &r.digest);
	r.has_mirrors |= read_rules(a, in->objects, MC_CONTENT_POLICY,
				    "spec.repositoryDigestMirrors", &r.digest);
	r.has_mirrors |= read_rules(a, in->objects, MC_TAG_MIRRORS, "spec.imageTagMirrors", &r.tag);
	if (in->sigstore)
		rc = read_policies(a, in->objects, &r, err);
	for (size_t i = 0; i < in->objects->n; i++)
		if (in->objects->v[i]->kind == MC_IMAGE)
			image = in->objects->v[i]->tree;
	if (rc == 0 && image)
		rc = read_image(a, in, image, &r, err);
	if (rc == 0)
		*out = r;
	return rc;
}

/* ---- files --------------------------------------------------------------- */

static int check_scope_list(const struct strs *list, const char *what, struct err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (!scope_is_valid(list->v[i]))
			return err_set(err, ERR_INVALID,
				       "invalid entry for %s registries "
				       "\"%.*s\"",
				       what, STRF(list->v[i]));
	return 0;
}

static int make_conf(struct arena *a, const struct registries *r, struct str base,
		     struct registries_conf *out, struct err *err)
{
	int rc = conf_parse(a, base, out, err);

	if (rc == 0)
		rc = check_scope_list(&r->insecure, "insecure", err);
	if (rc == 0)
		rc = check_scope_list(&r->blocked, "blocked", err);
	if (rc == 0)
		rc = mirrors_check(a, r, err);
	if (rc == 0)
		rc = conf_edit(a, out, r, &r->blocked, err);
	return rc < 0 ? err_wrap(err, "could not update registries config "
				      "with new changes")
		      : 0;
}

/* Both lists together are invalid, except that the payload is always allowed. */
static int check_both(struct arena *a, const struct registries *r, struct err *err)
{
	const struct strs *allowed = &r->policy_allowed;
	struct imageref payload;

	if (!allowed->n || !r->policy_blocked.n)
		return 0;
	if (imageref_canonical(a, r->release_image, &payload, err) == 0 && allowed->n == 1 &&
	    str_eq(allowed->v[0], payload.name))
		return 0;
	return err_set(err, ERR_INVALID,
		       "invalid images config: only one of AllowedRegistries "
		       "or BlockedRegistries may be specified");
}

static int add_policies(struct arena *a, const struct registries *r,
			const struct registries_conf *conf, struct str base, struct mc_files *out,
			struct err *err)
{
	struct mc_files spaces = { 0 };
	struct str text, places;
	int rc = check_both(a, r, err);

	if (rc == 0)
		rc = policy_cluster(a, r, base, &text, err);
	if (rc < 0)
		return err_wrap(err, "could not update policy json with new "
				     "changes");
	rc = policy_namespaces(a, r, text, &spaces, err);
	if (rc < 0)
		return err_wrap(err, "could not update namespace policy JSON "
				     "from imagepolicy");
	mc_files_add(a, out, "/etc/containers/policy.json", text);
	if (r->cluster.n || r->scopes.n) {
		rc = sigstore_registries_d(a, r, conf, &places, err);
		if (rc < 0)
			return rc;
		mc_files_add(a, out,
			     "/etc/containers/registries.d/"
			     "sigstore-registries.yaml",
			     places);
	}
	for (size_t i = 0; i < spaces.n; i++)
		VEC_PUSH(a, out, spaces.v[i]);
	return 0;
}

int registries_files(struct arena *a, const struct registries *r, struct str base_conf,
		     struct str base_policy, struct mc_files *out, struct err *err)
{
	struct registries_conf conf = { 0 };
	bool has_conf = r->has_insecure || r->blocked.n || r->has_mirrors;
	int rc = 0;

	if (has_conf) {
		rc = make_conf(a, r, base_conf, &conf, err);
		if (rc < 0)
			return rc;
		mc_files_add(a, out, "/etc/containers/registries.conf", conf_text(a, &conf));
	}
	if (r->policy_blocked.n || r->policy_allowed.n || r->cluster.n || r->scopes.n)
		rc = add_policies(a, r, has_conf ? &conf : NULL, base_policy, out, err);
	if (rc == 0 && r->has_search)
		mc_files_add(a, out,
			     "/etc/containers/registries.conf.d/"
			     "01-image-searchRegistries.conf",
			     conf_search_text(a, &r->search));
	return rc;
}
