/*
 * The gates are copied when they become known, because the cache may drop the object. They never
 * change in the life of a process: for other gates the process restarts.
 */
#include "kube/feature_gates.h"

#include "base/codec.h"
#include "io/clock.h"
#include "mc/api.h"

static void copy_names(struct arena *a, const struct strs *from, struct strs *to)
{
	for (size_t i = 0; i < from->n; i++)
		VEC_PUSH(a, to, str_dup(a, from->v[i]));
}

static void keep(struct kube_gates *g, const struct mc_gates *now)
{
	copy_names(g->a, &now->enabled, &g->names.enabled);
	copy_names(g->a, &now->disabled, &g->names.disabled);
	g->known = true;
}

static bool same(const struct mc_gates *x, const struct mc_gates *y)
{
	return strs_eq(&x->enabled, &y->enabled) && strs_eq(&x->disabled, &y->disabled);
}

struct str kube_gates_release(const struct kube_gates *g, const struct json *cluster_version)
{
	return mc_gates_release(g->release, cluster_version);
}

enum kube_gates_result kube_gates_read(struct kube_gates *g, const struct kube_gates_in *in,
				       struct arena *a, struct mc_gates *now, struct err *err)
{
	struct str release = kube_gates_release(g, in->cluster_version);
	bool read = in->listed && mc_gates_read(a, in->feature_gate, release, now, err) == 0;

	if (g->known)
		return !read || same(now, &g->names) ? KUBE_GATES_SAME : KUBE_GATES_CHANGED;
	if (read) {
		keep(g, now);
		return KUBE_GATES_KNOWN;
	}
	if (g->off_without && in->listed && !in->feature_gate) {
		g->known = true;
		return KUBE_GATES_ABSENT;
	}
	return clock_ms() >= g->due ? KUBE_GATES_LATE : KUBE_GATES_WAITING;
}

/* As Go's %#v prints a list of them. */
static void add_names(struct buf *b, const char *member, const struct strs *names)
{
	buf_addf(b, "%s:[]v1.FeatureGateName", member);
	if (!names->n)
		buf_addz(b, "(nil)");
	for (size_t i = 0; i < names->n; i++) {
		buf_addz(b, i ? ", " : "{");
		go_quote(b, names->v[i]);
	}
	buf_addz(b, names->n ? "}" : "");
}

void kube_gates_announce(struct kube_events *e, const char *reason, const struct mc_gates *gates)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct action_event about = {
		.api = S("v1"), .kind = S("Namespace"), .name = S(NS_MCO), .reason = str_of(reason)
	};
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "FeatureGates updated to featuregates.Features{");
	add_names(&b, "Enabled", &gates->enabled);
	add_names(&b, ", Disabled", &gates->disabled);
	buf_addc(&b, '}');
	kube_event(e, NAME_OPERATOR, &about, buf_str(&b));
}
