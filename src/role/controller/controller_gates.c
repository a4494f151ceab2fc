/*
 * The feature gates: known before anything else is watched, and fixed for as long
 * as the process lives. Others mean another process.
 */
#include "base/codec.h"
#include "controller_sync.h"
#include "io/repeat.h"

struct str controller_version(const struct controller *c)
{
	return mc_gates_release(c->release, known_tree(c, W_VERSION, "version"));
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

static void tell(struct controller *c, const char *reason, const struct mc_gates *gates)
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
	kube_event(&c->events, NAME_OPERATOR, &about, buf_str(&b));
}

/* The object may change: what is kept of it has its own text. */
static bool keep(struct controller *c, const struct json *tree)
{
	struct err err = ERR_INIT(&c->gates_arena);
	struct str text = json_format(&c->gates_arena, tree, 0);
	struct json *own = NULL;

	return json_parse(&c->gates_arena, text, NULL, &own, &err) == 0 &&
	       mc_gates_read(&c->gates_arena, own, controller_version(c), &c->gates, &err) == 0;
}

static void wait_for_gates(const struct controller *c, const struct json *tree, struct str why)
{
	const struct json *version = known_tree(c, W_VERSION, "version");

	if (c->gates_known)
		return;
	if (!version && str_is(c->release, MC_GATES_SNAPSHOT))
		log_again(LOG_INFO, S("gates"),
			  "waiting for ClusterVersion version, which names "
			  "the release");
	log_again(LOG_INFO, S("gates"), "waiting for FeatureGate cluster: %.*s",
		  STRF(tree ? why : S("there is no such object")));
}

void controller_gates(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *tree = known_tree(c, W_GATES, NAME_CLUSTER);
	struct err err = ERR_INIT(&a);
	struct mc_gates now;

	if (!kube_watch_known(&c->watches[W_GATES]) || !kube_watch_known(&c->watches[W_VERSION]))
		return;
	if (mc_gates_read(&a, tree, controller_version(c), &now, &err) < 0) {
		wait_for_gates(c, tree, err.msg);
		return;
	}
	if (c->gates_known) {
		if (strs_eq(&now.enabled, &c->gates.enabled) &&
		    strs_eq(&now.disabled, &c->gates.disabled))
			return;
		log_info("feature gates have changed: ending, to be started "
			 "with the new ones");
		tell(c, "FeatureGatesModified", &now);
		c->on_other_gates(c);
		return;
	}
	if (!keep(c, tree))
		return;
	c->gates_known = true;
	log_info("feature gates of %.*s: %zu on, %zu off", STRF(controller_version(c)),
		 c->gates.enabled.n, c->gates.disabled.n);
	tell(c, "FeatureGatesInitialized", &now);
	c->on_gates(c);
}
