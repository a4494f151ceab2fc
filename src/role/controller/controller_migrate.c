/*
 * Migrations, once, when the controller starts.
 *
 * MachineConfigNodes from before gate ImageModeStatusReporting get its conditions. On OKD the
 * objects that kept a cluster from before crun on runc are deleted; other builds keep them.
 */
#include "controller_sync.h"
#include "io/log.h"
#include "io/version.h"

#define CONFIG_MAP PATH_CORE "namespaces/" NS_MCO "/configmaps/crio-default-container-runtime"

static void answered(struct kube_call *call, const struct kube_answer *ans)
{
	struct controller *c = call->ctx;

	c->on_runc = ans->rc == 0;
	if (c->on_runc)
		kube_queue_add(c->queue, SYNC_MIGRATE, S("okd"));
	else if (ans->rc != -ERR_NOTFOUND)
		log_warn("error checking for crio-default-container-runtime "
			 "configmap: %.*s",
			 STRF(ans->message));
}

void controller_okd(struct controller *c)
{
	c->okd = (struct kube_call){
		.method = "GET", .path = S(CONFIG_MAP), .done = answered, .ctx = c
	};
	if (version_scos())
		kube_start(c->kube, &c->okd);
}

static void migrate_okd(struct controller *c, struct arena *a, struct actions *out)
{
	static const char *const pools[] = { POOL_MASTER, POOL_WORKER };

	for (size_t i = 0; i < 2 && c->on_runc; i++)
		if (known(c, W_POOL, pools[i]))
			action_add(a, out, ACTION_DELETE,
				   action_path(a, "machineconfigs",
					       str_fmt(a,
						       "00-override-%s-generated-"
						       "crio-default-container-"
						       "runtime",
						       pools[i])),
				   S(""), S("crun is the default now"));
	actions_step(out);
	if (c->on_runc)
		action_add(a, out, ACTION_DELETE, S(CONFIG_MAP), S(""),
			   S("the pools were migrated to crun"))
			->if_ok = true;
}

bool controller_migrates(const struct controller *c)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_MCN, &v);

	for (size_t i = 0; i < n; i++)
		if (((struct kept_mcn *)v[i]->value)->migrated.n)
			return true;
	return false;
}

static void migrate_mcns(struct controller *c, struct arena *a, struct actions *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_MCN, &v);

	for (size_t i = 0; i < n; i++) {
		struct str body = ((struct kept_mcn *)v[i]->value)->migrated;

		if (body.n)
			action_add(a, out, ACTION_REPLACE,
				   str_fmt(a, PATH_MC "machineconfignodes/%.*s/status",
					   STRF(v[i]->key)),
				   str_dup(a, body), S("gate ImageModeStatusReporting is on"))
				->fail = ACTION_SHRUG;
	}
}

int sync_migrate(struct controller *c, struct str name, struct arena *a, struct actions *out,
		 struct err *err)
{
	(void)err;
	if (str_is(name, "okd"))
		migrate_okd(c, a, out);
	else
		migrate_mcns(c, a, out);
	return 0;
}
