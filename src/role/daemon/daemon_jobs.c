/*
 * daemon_jobs: the loop's side of jobs: starts them, takes their messages, and passes their
 * results to the state machine.
 */
#include "daemon_own.h"
#include "io/repeat.h"

bool daemon_is_master(const struct daemon *d)
{
	return json_member(json_at(daemon_node(d), "metadata.labels"), S(LABEL_MASTER)) != NULL;
}

/* Whether the job may replace the OS image, which must not evict pinned ones. */
static bool may_change_os(enum job_kind kind)
{
	switch (kind) {
	case JOB_BOOT:
	case JOB_REVERT:
	case JOB_APPLY:
	case JOB_ACT:
	case JOB_ROLL_BACK:
	case JOB_HOSTED:
		return true;
	case JOB_LOG:
	case JOB_RECOVER:
	case JOB_SECRET:
	case JOB_PREPARE:
	case JOB_VERIFY:
	case JOB_DRIFT:
	case JOB_UNREVERT:
	case JOB_CERTIFICATES:
	case JOB_REBOOTSTRAP:
	case JOB_SIZES:
	case JOB_PIN:
		break;
	}
	return false;
}

/* Whether a pool of the node pins images on it. */
static bool is_pinned(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);
	bool pinned = false;
	struct str name;

	if (d->caches.pools && daemon_pool(d, &d->turn, &name, &pinned, &err) < 0)
		log_error("Failed to determine if pinned image set is "
			  "configured: failed to get pools for node \"%.*s\": "
			  "%.*s",
			  STRF(d->name), STRF(err.msg));
	return pinned;
}

void daemon_job(struct daemon *d, enum daemon_state s, struct str text)
{
	struct err err = ERR_INIT(&d->turn);
	const struct daemon_view *v = &d->v;
	enum job_kind kind = daemon_states[s].job;
	struct job_in in = {
		.kind = kind,
		.logs = &d->logs.lines,
		.text = text,
		.node = d->name,
		.booted = d->facts.booted,
		.noted = v->current,
		.noted_image = v->current_image,
		.finalize = d->facts.finalize,
		.controller = d->caches.configs ? daemon_controller(d) : NULL,
		.asked = v->want_drain,
		.retry_ms = d->retry_ms,
		.enabled = d->watch.on ? &d->watch.drift.enabled : NULL,
		.master = daemon_is_master(d) && !d->facts.ostree,
		.pinned = may_change_os(kind) && is_pinned(d),
		.bootstrap = v->bootstrap,
		.in_desired = str_eq(d->update.from.name, v->pass.target) &&
			      str_eq(v->pass.from_image, v->pass.target_image),
		.update = { .from = &d->update.from,
			    .to = &d->update.to,
			    .from_image = v->pass.from_image,
			    .to_image = v->pass.target_image,
			    .plan = &d->update.plan,
			    .force = v->pass.force,
			    .skip_certificates = true },
	};

	daemon_go(d, s);
	d->job_at = clock_ms();
	if (job_start(&d->job, &in, &err) < 0) {
		daemon_later(d, err.msg);
		return;
	}
	arena_free(&d->logs.a);
	d->logs.lines = (struct strs){ 0 };
}

static void report_action(struct daemon *d, const struct node_event *e)
{
	struct daemon_report r = { .type = "UpdatePostActionComplete",
				   .reason = e->none ? "None" : NULL,
				   .status = 'T',
				   .text = e->text };

	daemon_report(d, &r);
}

static void on_node_event(struct daemon *d, const struct node_event *e)
{
	switch (e->kind) {
	case NODE_EVENT_CLUSTER:
		daemon_emit(d, e->reason, e->text);
		return;
	case NODE_EVENT_ACTION_DONE:
		report_action(d, e);
		return;
	case NODE_EVENT_PULL:
	case NODE_EVENT_PART_FAILED:
		daemon_report_image(d, e);
		return;
	case NODE_EVENT_STAGED:
		d->figures.pivot_errors = e->failed ? d->figures.pivot_errors + 1 : 0;
		return;
	case NODE_EVENT_KUBELET:
		d->kubelet.deferred = e->deferred;
		return;
	}
}

static void on_job_msg(void *ctx, const struct job_msg *m)
{
	struct daemon *d = ctx;

	switch (m->kind) {
	case JOB_MSG_EVENT:
		on_node_event(d, &m->event);
		return;
	case JOB_MSG_OS:
		daemon_found_os(d, m->os.id, m->os.version, m->os.supported);
		d->figures.packages = m->os.packages;
		return;
	case JOB_MSG_BOOTED:
		d->facts.booted = str_dup(d->a, m->text);
		return;
	case JOB_MSG_FINALIZE:
		arena_free(&d->facts.a);
		d->facts.finalize = str_dup(&d->facts.a, m->text);
		d->facts.finalize_known = true;
		return;
	case JOB_MSG_REBOOT:
		d->v.rebooting = true;
		return;
	case JOB_MSG_OSTREE:
		d->facts.ostree = true;
		return;
	case JOB_MSG_MISMATCH:
		daemon_watch(d);
		return;
	case JOB_MSG_FATAL:
		log_fatal("%.*s", STRF(m->text));
	case JOB_MSG_HOSTED:
		daemon_hosted_found(d, m->hosted.state, m->hosted.hash);
		return;
	case JOB_MSG_SIZE:
	case JOB_MSG_RESULT:
		return; /* a size goes to daemon_pin, a result to on_job */
	}
}

static void on_job(void *ctx, enum job_kind kind, int rc, struct str text)
{
	const struct daemon_result r = { .rc = rc, .text = text };

	(void)kind;
	daemon_happens(ctx, rc == 0 ? EVENT_DONE : EVENT_FAILED, &r);
}

void daemon_job_init(struct daemon *d)
{
	d->job = (struct job){ .loop = d->loop,
			       .root = d->node->tree.root,
			       .ctx = d,
			       .on_msg = on_job_msg,
			       .done = on_job };
}
