/*
 * OKD's clusters of before crun: what kept them on runc goes, once. Clusters of
 * other builds keep it.
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

void sync_okd(struct controller *c, struct arena *a, struct actions *out)
{
	static const char *const pools[] = { "master", "worker" };

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
			   S("it has been moved to crun"))
			->if_ok = true;
}
