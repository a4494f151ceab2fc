/*
 * Runs plans until none is due.
 *
 * A key is due once it is added or woken; a failed one again after the next write.
 */
#include "plan/render/settle.h"

#include "plan/trigger.h"

#define ROUNDS 100 /* longer than any chain of plans */

static void copy_objects(struct settle *s, const struct mc_set *set)
{
	for (size_t i = 0; i < set->others.n; i++) {
		struct mc_object *o = set->others.v[i];

		if (o->kind == MC_KUBELET_CONFIG)
			VEC_PUSH(s->a, &s->kubelets, o);
		else if (o->kind == MC_RUNTIME_CONFIG)
			VEC_PUSH(s->a, &s->runtimes, o);
		else if (trigger_object(o->kind, false) & TRIGGER(GENERATE_REGISTRIES))
			VEC_PUSH(s->a, &s->images, o);
	}
}

static const struct json *tree_of(const struct mc_set *set, enum mc_kind kind)
{
	const struct mc_object *o = mc_find(set, kind, NAME_CLUSTER);

	return o ? o->tree : NULL;
}

void settle_init(struct settle *s, struct arena *a, const struct mc_set *set)
{
	struct map mcs;

	*s = (struct settle){ .a = a };
	template_cache_init(&s->templates, a);
	map_init(&mcs, a);
	for (size_t i = 0; i < set->mcs.n; i++)
		(void)map_put(&mcs, set->mcs.v[i]->meta.name, set->mcs.v[i]);
	for (size_t i = 0; i < mcs.n; i++)
		VEC_PUSH(a, &s->mcs, mcs.v[i].value);
	for (size_t i = 0; i < set->pools.n; i++)
		VEC_PUSH(a, &s->pools, set->pools.v[i]);
	copy_objects(s, set);
	s->view = (struct generate_view){
		.pools = &s->pools,
		.mcs = &s->mcs,
		.kubelets = &s->kubelets,
		.runtimes = &s->runtimes,
		.images = &s->images,
		.templates = &s->templates,
		.node = tree_of(set, MC_NODE_CONFIG),
		.api_server = tree_of(set, MC_API_SERVER),
		.internal_release = tree_of(set, MC_INTERNAL_RELEASE),
		.credentials = tree_of(set, MC_CREDENTIALS),
		.configuration = set->configuration,
	};
	if (!set->controller_config)
		return;
	s->cc = *set->controller_config;
	s->view.controller_config = &s->cc;
	s->view.release_image = json_str_or(set->cluster_version, "status.desired.image",
					    json_str(s->cc.tree, "spec.releaseImage"));
}

/* An empty ControllerConfig. */
static struct json *no_config(struct arena *a)
{
	struct json *j = mc_object_new(a, API_MC, "ControllerConfig", NULL, S(NAME_CONTROLLER));

	(void)json_make(a, j, "spec");
	return j;
}

void settle_complete(struct settle *s)
{
	struct json *tree =
		s->view.controller_config ? json_clone(s->a, s->cc.tree) : no_config(s->a);
	struct json *status = json_new(s->a, JSON_OBJECT);
	struct json *list = json_new(s->a, JSON_ARRAY), *done = json_new(s->a, JSON_OBJECT);

	json_add_str(s->a, done, "type", S("TemplateControllerCompleted"));
	json_add_str(s->a, done, "status", S("True"));
	json_push(list, done);
	json_add(status, S("conditions"), list);
	json_add(status, S("observedGeneration"),
		 json_new_i64(s->a, json_i64(tree, "metadata.generation", 0)));
	json_set(tree, S("status"), status);
	s->cc.tree = tree;
	if (!s->view.controller_config)
		s->cc.meta.name = json_str(tree, "metadata.name");
	s->view.controller_config = &s->cc;
}

void settle_add(struct settle *s, enum generate_kind kind, struct str name, bool keep)
{
	struct settle_key new = { .key = { .kind = kind, .name = name },
				  .keep = keep,
				  .due = true };

	for (size_t i = 0; i < s->keys.n; i++) {
		struct settle_key *k = &s->keys.v[i];

		if (k->key.kind != kind || !str_eq(k->key.name, name))
			continue;
		k->due = true;
		k->keep &= keep;
		return;
	}
	VEC_PUSH(s->a, &s->keys, new);
}

static void plan_key(struct settle *s, size_t at)
{
	struct settle_key *k = &s->keys.v[at];
	struct err err = ERR_INIT(s->a);
	struct actions out = { .objects = !s->bodies };
	unsigned long before = s->writes;
	bool again = false;
	int rc = plan_generate(s->a, &s->view, &k->key, &out, &err);

	k->due = false;
	k->rc = rc;
	k->error = rc < 0 ? err.msg : S("");
	settle_apply(s, k->keep, &out);
	for (size_t i = 0; i < out.n; i++)
		again |= out.v[i].kind == ACTION_REQUEUE;
	/* keys may have been added */
	k = &s->keys.v[at];
	k->at = s->writes;
	k->due |= again && s->writes != before;
}

void settle_run(struct settle *s)
{
	bool any = true;

	for (int round = 0; any; round++) {
		if (round == ROUNDS) {
			s->restless = true;
			return;
		}
		any = false;
		for (size_t i = 0; i < s->keys.n; i++) {
			struct settle_key *k = &s->keys.v[i];

			/* ERR_INVALID needs an edit of the object */
			if (!k->due && !(k->rc < 0 && k->rc != -ERR_INVALID && k->at != s->writes))
				continue;
			any = true;
			plan_key(s, i);
			/* the first error ends the run */
			if (s->view.first_run && s->keys.v[i].rc < 0)
				return;
		}
	}
}
