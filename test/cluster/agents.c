/*
 * agents KUBECONFIG [MS]: plays the daemons of all nodes of a cluster, as far
 * as the API shows them; each step takes MS milliseconds. A daemon requests a
 * drain, applies the config, requests an uncordon and reports Done. Prints one
 * line for each step, and FAULT before a state that no daemon should see.
 *
 * Two annotations change its behaviour: test/hold (the daemon does not run),
 * test/break (it fails on the next config, for this reason).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/clock.h"
#include "io/log.h"
#include "kube/cache.h"
#include "kube/config.h"
#include "mc/knode.h"
#include "plan/action.h"

struct agents {
	struct loop *loop;
	struct kube *kube;
	int64_t takes; /* ms */
	struct kube_cache *nodes;
	struct agent *first;
};

/* The write in flight of one node. */
struct agent {
	struct agent *next;
	struct agents *all;
	struct kube_call call;
	struct source timer;
	struct arena a;
	struct str name;
	bool busy;
};

static struct str note(const struct json *node, const char *key)
{
	return json_text(json_member(json_at(node, "metadata.annotations"), str_of(key)));
}

static void say(const struct agent *g, const char *what, struct str value)
{
	(void)printf("%.*s %s %.*s\n", STRF(g->name), what, STRF(value));
	(void)fflush(stdout);
}

static struct str prefixed(struct agent *g, const char *verb, struct str name)
{
	return str_fmt(&g->a, "%s-%.*s", verb, STRF(name));
}

static void drained(struct agent *g, const struct json *n, struct str desired, struct json *notes)
{
	struct str image = note(n, ANNO_DESIRED_IMAGE);

	if (!json_bool(n, "spec.unschedulable", false))
		say(g, "FAULT is not cordoned for", desired);
	say(g, "takes", desired);
	json_add_opt(&g->a, notes, ANNO_CURRENT_CONFIG, desired);
	/* NULL removes the annotation */
	json_add_opt(&g->a, notes, ANNO_CURRENT_IMAGE, image.n ? image : (struct str){ 0 });
	json_add_opt(&g->a, notes, ANNO_DESIRED_DRAIN, prefixed(g, "uncordon", desired));
}

/* The daemon's next step, as members of an object of annotations. */
static void decide(struct agent *g, const struct json *n, struct json *notes)
{
	struct str current = note(n, ANNO_CURRENT_CONFIG);
	struct str desired = note(n, ANNO_DESIRED_CONFIG);
	struct str wish = note(n, ANNO_DESIRED_DRAIN);
	struct str done = note(n, ANNO_APPLIED_DRAIN);
	struct str state = note(n, ANNO_STATE), bad = note(n, "test/break");
	bool there = str_eq(current, desired) &&
		     str_eq(note(n, ANNO_CURRENT_IMAGE), note(n, ANNO_DESIRED_IMAGE));

	if (!desired.n || note(n, "test/hold").n)
		return;
	if (there)
		bad = S("");
	if (bad.n || str_is(state, "Degraded")) {
		if (bad.n && str_is(state, "Degraded"))
			return;
		json_add_opt(&g->a, notes, ANNO_STATE, bad.n ? S("Degraded") : S("Working"));
		json_add_opt(&g->a, notes, ANNO_REASON, bad);
		say(g, bad.n ? "gives up:" : "tries again", bad);
	} else if (!there && !str_eq(wish, prefixed(g, "drain", desired))) {
		json_add_opt(&g->a, notes, ANNO_STATE, S("Working"));
		json_add_opt(&g->a, notes, ANNO_DESIRED_DRAIN, prefixed(g, "drain", desired));
		say(g, "asks for a drain for", desired);
	} else if (!there && str_eq(wish, done)) {
		drained(g, n, desired, notes);
	} else if (there && str_eq(wish, done) && !str_is(state, "Done")) {
		if (json_bool(n, "spec.unschedulable", false))
			say(g, "FAULT is not uncordoned for", desired);
		json_add_opt(&g->a, notes, ANNO_STATE, S("Done"));
		say(g, "is done with", desired);
	}
}

static void act(struct agent *g);

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct agent *g = c->ctx;

	g->busy = false;
	if (ans->rc == 0)
		kube_cache_put(g->all->nodes, ans->body);
	else
		say(g, "FAULT", ans->message);
	act(g);
}

/* The patch to send now, or "". */
static struct str plan(struct agent *g)
{
	const struct kube_tree *t = kube_cache_get(g->all->nodes, g->name);
	struct json *patch, *notes;

	if (g->busy || !t)
		return S("");
	arena_free(&g->a);
	patch = json_new(&g->a, JSON_OBJECT);
	notes = json_make(&g->a, patch, "metadata.annotations");
	decide(g, t->tree, notes);
	return json_len(notes) ? json_format(&g->a, patch, 0) : S("");
}

static void on_timer(struct source *s, short events)
{
	struct agent *g = s->ctx;
	struct str patch;

	(void)events;
	patch = plan(g);
	if (!patch.n)
		return;
	g->busy = true;
	g->call = (struct kube_call){ .method = "PATCH",
				      .path = action_knode_path(&g->a, g->name),
				      .type = "application/merge-patch+json",
				      .body = patch,
				      .done = answered,
				      .ctx = g };
	kube_start(g->all->kube, &g->call);
}

static void act(struct agent *g)
{
	if (g->timer.due || g->busy)
		return;
	g->timer.due = clock_ms() + g->all->takes;
	loop_update(g->all->loop, &g->timer);
}

static void changed(void *ctx, struct str key, const void *before, const void *now)
{
	struct agents *all = ctx;
	struct agent *g = all->first;

	(void)before;
	while (g && !str_eq(g->name, key))
		g = g->next;
	if (!now)
		return;
	if (!g) {
		g = calloc(1, sizeof(*g) + key.n);
		if (!g)
			abort();
		memcpy(g + 1, key.p, key.n);
		g->name = (struct str){ (char *)(g + 1), key.n };
		g->all = all;
		g->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = g };
		loop_add(all->loop, &g->timer);
		g->next = all->first;
		all->first = g;
	}
	act(g);
}

int main(int argc, char **argv)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct kube_flags flags = { .kubeconfig = str_of(argc > 1 ? argv[1] : "") };
	struct kube_conf conf;
	struct loop *loop = loop_new(&err);
	struct kube_opts o = { .loop = loop, .conf = &conf, .agent = "agents" };
	struct agents all = { .loop = loop, .takes = argc > 2 ? strtol(argv[2], NULL, 10) : 0 };
	struct kube_cache_opts c = { .path = "/api/v1/nodes",
				     .what = "nodes",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .changed = changed,
				     .ctx = &all };

	if (!loop || kube_config_load(&a, &flags, false, &conf, &err) < 0 ||
	    kube_new(&o, &all.kube, &err) < 0) {
		(void)fprintf(stderr, "agents: %.*s\n", STRF(err.msg));
		return 1;
	}
	c.kube = all.kube;
	all.nodes = kube_cache_start(&c);
	return loop_run(loop, &err) < 0;
}
