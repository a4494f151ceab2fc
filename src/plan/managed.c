#include "plan/managed.h"

#include "base/codec.h"
#include "mc/condition.h"
#include "mc/generated.h"
#include "mc/selector.h"
#include "mc/types.h"

#define SUFFIX_MAX 9
#define CONDITIONS_MAX 3

static bool is_kubelet(const struct mc_object *o)
{
	return o->kind == MC_KUBELET_CONFIG;
}

/* What the names of its MachineConfigs end in. */
static const char *ending(const struct mc_object *o)
{
	return is_kubelet(o) ? "kubelet" : "containerruntime";
}

int managed_targets(struct arena *a, const struct mc_object *config,
		    const struct mc_pool *pool, bool *out, struct err *err)
{
	struct selector s = { 0 };
	int rc = selector_make(
		a, json_at(config->tree, "spec.machineConfigPoolSelector"), &s,
		err);

	if (rc < 0)
		return err_wrap(err, "invalid label selector");
	*out = s.n && selector_matches(&s, pool->meta.labels);
	return 0;
}

/* As strconv.Atoi: a sign is allowed. */
static bool to_number(struct str s, int64_t *out)
{
	if (s.n && s.p[0] == '+')
		s = str_from(s, 1);
	return str_to_i64(s, out);
}

static struct str last_part(struct str name)
{
	return str_from(name, (size_t)(str_rchr(name, '-') + 1));
}

static struct str creation(const struct mc_object *o)
{
	return json_str(o->tree, "metadata.creationTimestamp", S(""));
}

/* Those of the kind that target the pool, and what they say together. */
struct siblings {
	size_t n;
	bool newer; /* one was made after this object */
	int64_t highest; /* among their suffixes */
	struct str bad; /* a suffix that is no number */
};

static int count_siblings(struct arena *a, const struct managed_in *in,
			  struct siblings *out, struct err *err)
{
	for (size_t i = 0; i < in->all->n; i++) {
		const struct mc_object *o = in->all->v[i];
		struct str suffix = mc_annotation(&o->meta, MC_NAME_SUFFIX);
		bool targets;
		int64_t n;
		int rc;

		if (o->kind != in->config->kind)
			continue;
		rc = managed_targets(a, o, in->pool, &targets, err);
		if (rc < 0)
			return rc;
		if (!targets)
			continue;
		out->n++;
		out->newer = out->newer ||
			     str_cmp(creation(o), creation(in->config)) > 0;
		if (suffix.n && !to_number(suffix, &n)) {
			if (!out->bad.n)
				out->bad = suffix;
		} else if (suffix.n && n > out->highest) {
			out->highest = n;
		}
	}
	return 0;
}

/*
 * An object from before the annotation: of the MachineConfigs it names as its
 * finalizers the one with the highest number is its own; "" when there is none.
 */
static struct str from_finalizers(const struct managed_in *in, struct str plain)
{
	struct str best = S("");
	int64_t highest = -1;

	for (const struct json *f = json_first(
		     json_at(in->config->tree, "metadata.finalizers"));
	     f; f = json_next(f)) {
		struct str name = json_text(f);
		int64_t n;

		if (!map_find(in->mcs, name) || !str_starts(name, plain))
			continue;
		if (!to_number(last_part(name), &n)) {
			if (!str_eq(name, plain))
				continue;
			n = 0;
		}
		if (n > highest) {
			highest = n;
			best = name;
		}
	}
	return best;
}

static int next_name(struct arena *a, const struct managed_in *in,
		     const struct siblings *s, struct str plain,
		     struct str *out, struct err *err)
{
	if (s->bad.n) {
		struct buf b;

		buf_init(&b, a);
		go_quote(&b, s->bad);
		return err_set(err, ERR_INVALID,
			       "error converting %.*s to int: strconv.Atoi: "
			       "parsing %.*s: invalid syntax",
			       STRF(s->bad), STRF(buf_str(&b)));
	}
	if (s->highest >= SUFFIX_MAX)
		return err_set(
			err, ERR_INVALID,
			"max number of supported %s (10) has been "
			"reached. Please delete old %s before retrying",
			is_kubelet(in->config) ? "kubelet config" : "ctrcfgs",
			is_kubelet(in->config) ? "kubelet configs" : "ctrcfgs");
	*out = str_fmt(a, "%.*s-%lld", STRF(plain), (long long)s->highest + 1);
	return 0;
}

int managed_name(struct arena *a, const struct managed_in *in,
		 struct managed *out, struct err *err)
{
	const struct mc_object *o = in->config;
	const struct json *note =
		json_member(o->meta.annotations, S(MC_NAME_SUFFIX));
	struct str plain =
		mc_generated_name(a, "99", in->pool->meta.name, ending(o));
	struct managed m = { .name = plain };
	struct siblings s = { 0 };
	int64_t n;
	int rc = count_siblings(a, in, &s, err);

	if (rc < 0)
		return rc;
	if (note) {
		if (json_text(note).n)
			m.name = str_fmt(a, "%.*s-%.*s", STRF(plain),
					 STRF(json_text(note)));
	} else if (s.n > 1) {
		m.name = s.newer ? from_finalizers(in, plain) : S("");
		if (!m.name.n)
			rc = next_name(a, in, &s, plain, &m.name, err);
	}
	if (rc < 0)
		return rc;
	if (str_eq(m.name, plain))
		m.old_name =
			str_fmt(a, "99-%.*s-%.*s-%s", STRF(in->pool->meta.name),
				STRF(in->pool->meta.uid), ending(o));
	m.annotate = !note;
	if (m.annotate && to_number(last_part(m.name), &n))
		m.suffix = last_part(m.name);
	*out = m;
	return 0;
}

/* ---- status -------------------------------------------------------------------- */

/* Adds to, or refreshes, the last of the old ones. */
static struct conditions renew(struct arena *a, const struct conditions *old,
			       struct condition c, bool kubelet)
{
	bool same = old->n && str_eq(old->v[old->n - 1].message, c.message);
	size_t keep = same ? old->n - 1 : old->n, from = 0;
	struct conditions list = { 0 };

	/* as upstream has it: the type of a KubeletConfig's stays */
	if (same && kubelet)
		c.type = old->v[keep].type;
	if (kubelet && keep >= CONDITIONS_MAX)
		from = keep + 1 - CONDITIONS_MAX;
	for (size_t i = from; i < keep; i++)
		VEC_PUSH(a, &list, old->v[i]);
	VEC_PUSH(a, &list, c);
	return list;
}

struct json *managed_status(struct arena *a, const struct mc_object *config,
			    const char *failure, struct instant now)
{
	struct conditions old =
		conditions_of(a, json_at(config->tree, "status.conditions"));
	struct condition c = {
		.type = failure ? S("Failure") : S("Success"),
		.status = CONDITION_TRUE,
		.message = failure ? str_of(failure) : S("Success"),
		.time = condition_time(a, now),
	};
	struct conditions list = renew(a, &old, c, is_kubelet(config));
	struct json *status = json_new(a, JSON_OBJECT);

	json_add(status, S("observedGeneration"),
		 json_new_i64(
			 a, json_i64(config->tree, "metadata.generation", 0)));
	json_add(status, S("conditions"), conditions_json(a, &list));
	return shape_marshal(a, &mc_shapes,
			     is_kubelet(config)
				     ? MC_T_KubeletConfigStatus
				     : MC_T_ContainerRuntimeConfigStatus,
			     status);
}
