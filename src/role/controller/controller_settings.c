/*
 * Keeps the status of MachineConfiguration "cluster" current while no operator runs.
 *
 * The operator's lease is read only while the status is stale. If the account may not read it, the
 * status is not written, and everything else works.
 */
#include <stdlib.h>

#include "controller_sync.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "plan/settings.h"

#define LEASE PATH_LEASE "namespaces/" NS_MCO "/leases/" SETTINGS_OPERATOR_LEASE

/* A result is for one plan: the next plan reads the lease again. */
static void answered(struct kube_call *call, const struct kube_answer *ans)
{
	struct controller *c = call->ctx;
	struct operator_lease *l = &c->operator_lease;
	struct str now = ans->rc == 0 ? ans->body : S("");

	l->asking = false;
	if (ans->rc < 0 && ans->rc != -ERR_NOTFOUND) {
		log_again(LOG_WARNING, S(LEASE), "GET " LEASE ": %.*s", STRF(ans->message));
		l->since = 0;
		kube_queue_after(c->queue, SYNC_SETTINGS, S(NAME_CLUSTER), l->wait_ms / 4);
		return;
	}
	if (!l->since || !str_eq(now, l->text)) {
		arena_free(&l->a);
		l->text = str_dup(&l->a, now);
		l->since = clock_ms();
	}
	l->known = true;
	kube_queue_add(c->queue, SYNC_SETTINGS, S(NAME_CLUSTER));
}

static void ask(struct controller *c)
{
	struct operator_lease *l = &c->operator_lease;

	if (l->asking)
		return;
	l->asking = true;
	l->call =
		(struct kube_call){ .method = "GET", .path = S(LEASE), .done = answered, .ctx = c };
	kube_start(c->kube, &l->call);
}

void controller_settings(struct controller *c)
{
	const char *wait = getenv("MCO_OPERATOR_MS");
	struct operator_lease *l = &c->operator_lease;

	l->wait_ms = SETTINGS_WAIT_MS;
	if (wait && (!str_to_i64(str_of(wait), &l->wait_ms) || l->wait_ms < 0))
		l->wait_ms = SETTINGS_WAIT_MS;
}

int sync_settings(struct controller *c, struct str name, struct arena *a, struct actions *out,
		  struct err *err)
{
	struct operator_lease *l = &c->operator_lease;
	struct settings_view v = { .settings = known_tree(c, W_SETTINGS, NAME_CLUSTER),
				   .now = clock_wall(),
				   .idle_ms = clock_ms() - l->since,
				   .wait_ms = l->wait_ms };
	struct json *lease = NULL;

	(void)name;
	if (!settings_stale(v.settings)) {
		l->since = 0;
		return 0;
	}
	if (!l->known) {
		ask(c);
		return 0;
	}
	l->known = false;
	if (l->text.n && json_parse(a, l->text, NULL, &lease, err) < 0)
		return -ERR_AGAIN;
	v.lease = lease;
	plan_settings(a, &v, out);
	return 0;
}
