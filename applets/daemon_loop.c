#include "daemon_loop.h"

#include <string.h>
#include <time.h>

#include "io/log.h"

#define CONTROLLER "machine-config-controller"
#define SYNCED DAEMON_KEY "lastSyncedControllerConfigResourceVersion"
#define SMALL_MAX ((size_t)1 << 20)

static void step(struct daemon *d);

static int64_t wall(void)
{
	return (int64_t)time(NULL);
}

/* ---- when ---------------------------------------------------------------------- */

void daemon_wake(struct daemon *d, int64_t ms)
{
	int64_t due = loop_clock() + ms;

	if (due < d->not_before)
		due = d->not_before;
	if (d->timer.due && d->timer.due <= due)
		return;
	d->timer.due = due ? due : 1;
	loop_update(d->loop, &d->timer);
}

static void on_timer(struct source *s, short events)
{
	(void)events;
	step(s->ctx);
}

/* The server cannot be asked for now: the same step again, later. */
void daemon_later(struct daemon *d, struct str why)
{
	int64_t ms = daemon_retry_ms(d->failures++);

	log_warn("%.*s; next try in %lld s", STRF(why), (long long)ms / 1000);
	d->not_before = loop_clock() + (d->retry_ms ? d->retry_ms : ms);
	daemon_wake(d, 0);
}

/* ---- the disk ------------------------------------------------------------------- */

/* The config there is now; jobs change it. */
static void read_disk(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current c;
	struct str image;

	arena_free(&d->names);
	d->v.disk = d->v.disk_image = S("");
	if (node_current(&d->node, &a, &c, &image, &err) < 0)
		return;
	d->v.disk = str_dup(&d->names, c.name);
	d->v.disk_image = str_dup(&d->names, image);
}

void daemon_unwatch(struct daemon *d)
{
	if (!d->watching)
		return;
	loop_remove(d->loop, &d->drift_source);
	drift_close(&d->drift);
	d->watching = d->drifted = false;
	daemon_tell(d, S("ConfigDriftMonitorStopped"),
		    S("Config Drift Monitor stopped"));
}

static void on_drift(struct source *s, short events)
{
	struct daemon *d = s->ctx;

	(void)events;
	if (!drift_read(&d->drift))
		return;
	d->drifted = true;
	d->not_before = 0;
	daemon_wake(d, 0);
}

static void watch_disk(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current c;
	struct str image;

	if (d->watching || node_current(&d->node, &a, &c, &image, &err) < 0)
		return;
	if (drift_open(&d->drift, &d->node, &c, &err) < 0) {
		log_error("%.*s", STRF(err.msg));
		return;
	}
	d->drift_source = (struct source){
		.fd = d->drift.fd, .want = POLLIN, .ready = on_drift, .ctx = d
	};
	loop_add(d->loop, &d->drift_source);
	d->watching = true;
	d->drift_at = 0;
	daemon_tell(d, S("ConfigDriftMonitorStarted"),
		    str_fmt(&a,
			    "Config Drift Monitor started, watching against "
			    "%.*s",
			    STRF(c.name)));
}

/* ---- ends ------------------------------------------------------------------------ */

static void forget_update(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	if (v->planned && !v->announced)
		daemon_tell(d, S("RemoveSigtermProtection"),
			    S("Removing SIGTERM protection"));
	v->loaded = v->verified = v->planned = v->applied = v->acted = false;
	v->announced = v->force = false;
	v->target = v->target_image = S("");
	d->waiting_since = 0;
	d->policy_tries = 0;
	d->plan = (struct update_plan){ 0 };
	arena_free(&d->held);
	read_disk(d);
}

static void patch(struct daemon *d);

void daemon_fail(struct daemon *d, struct str text, bool unreconcilable)
{
	struct str reason = str_dup(&d->turn, text);

	if (unreconcilable)
		log_error("Marking Unreconcilable due to: %.*s", STRF(reason));
	else
		log_error("Marking Degraded due to: \"%.*s\"", STRF(reason));
	daemon_failure(&d->turn, reason, unreconcilable, &d->next);
	patch(d);
}

static void failed(struct daemon *d)
{
	int64_t ms = daemon_retry_ms(d->failures++);

	if (d->v.booting)
		d->v.prepared = false;
	forget_update(d);
	d->not_before = loop_clock() + (d->retry_ms ? d->retry_ms : ms);
	daemon_wake(d, 0);
}

static void done(struct daemon *d)
{
	if (d->next.text.n)
		log_info("%.*s", STRF(d->next.text));
	forget_update(d);
	d->v.booting = d->v.bootstrap = false;
	d->failures = 0;
	d->update_at = wall();
	watch_disk(d);
	daemon_wake(d, 0);
}

/* ---- annotations ------------------------------------------------------------------- */

static void patched(struct daemon *d)
{
	struct daemon_next *n = &d->next;

	d->failures = n->what == DAEMON_FAIL ? d->failures : 0;
	for (size_t i = 0; i < n->n_events; i++)
		daemon_tell(d, str_of(n->events[i].reason), n->events[i].text);
	n->n_events = 0;
	if (n->what == DAEMON_FAIL) {
		failed(d);
		return;
	}
	if (n->what == DAEMON_DONE) {
		done(d);
		return;
	}
	if (n->n_pairs && str_is(n->pairs[0].value, "Rebooting")) {
		d->v.announced = true; /* from here on it may be ended */
		daemon_tell(d, S("RemoveSigtermProtection"),
			    S("Removing SIGTERM protection"));
	}
	daemon_wake(d, 0);
}

static void on_patched(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	d->calling = false;
	if (ans->rc < 0) {
		daemon_later(d, str_fmt(&d->turn,
					"unable to update node \"%.*s\": %.*s",
					STRF(d->name), STRF(ans->message)));
		return;
	}
	kube_cache_put(d->nodes, ans->body);
	d->state_at = wall();
	patched(d);
}

static void send_patch(struct daemon *d, const struct daemon_pair *pairs,
		       size_t n)
{
	struct str body = daemon_patch(&d->turn, daemon_node(d), pairs, n);

	if (!body.n) {
		patched(d);
		return;
	}
	d->call = (struct kube_call){
		.method = "PATCH",
		.path = str_fmt(&d->turn, "/api/v1/nodes/%.*s", STRF(d->name)),
		.type = "application/strategic-merge-patch+json",
		.body = body,
		.done = on_patched,
		.ctx = d
	};
	d->calling = true;
	kube_start(d->writer, &d->call);
}

static void patch(struct daemon *d)
{
	send_patch(d, d->next.pairs, d->next.n_pairs);
}

/* The first annotations: laid down by the server, or what the disk tells. */
static void initial(struct daemon *d)
{
	VEC(struct daemon_pair) list = { 0 };
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct json *j = NULL;
	struct str text;
	int rc = tree_read(a, &d->node.tree, JOB_FIRST_ANNOTATIONS, SMALL_MAX,
			   &text, &err);

	if (rc == 0 && json_parse(a, text, NULL, &j, &err) < 0)
		rc = err_wrap(&err, "failed to unmarshal initial annotations");
	for (const struct json *m = json_first(j); rc == 0 && m;
	     m = json_next(m)) {
		struct daemon_pair p = { .key = json_key(m),
					 .value = json_text(m) };

		VEC_PUSH(a, &list, p);
	}
	if (rc == -ERR_NOTFOUND && d->v.disk.n) {
		struct daemon_pair c = { .key = S(DAEMON_KEY "currentConfig"),
					 .value = d->v.disk };
		struct daemon_pair i = { .key = S(DAEMON_KEY "currentImage"),
					 .value = d->v.disk_image };

		VEC_PUSH(a, &list, c);
		if (i.value.n)
			VEC_PUSH(a, &list, i);
		rc = 0;
	}
	if (rc == -ERR_NOTFOUND)
		daemon_fail(d,
			    S("open " STEPS_CURRENT_CONFIG
			      ": no such file or directory"),
			    false);
	else if (rc < 0)
		daemon_fail(d, err.msg, false);
	else
		send_patch(d, list.v, list.n);
}

/* ---- jobs ----------------------------------------------------------------------------- */

static void run_job(struct daemon *d, enum job_kind kind, struct str text,
		    const struct json *spec)
{
	struct err err = ERR_INIT(&d->turn);
	struct job_in in = {
		.kind = kind,
		.text = text,
		.spec = spec,
		.retry_ms = d->retry_ms,
		.update = { .from = &d->from,
			    .to = &d->to,
			    .from_image = d->from_image,
			    .to_image = d->v.target_image,
			    .plan = &d->plan,
			    .force = d->v.force,
			    .skip_certificates = true },
	};

	if (job_start(&d->job, &in, &err) < 0)
		daemon_later(d, err.msg);
}

static void on_job_event(void *ctx, struct str reason, struct str text)
{
	daemon_tell(ctx, reason, text);
}

static void drift_checked(struct daemon *d, int rc, struct str text)
{
	arena_free(&d->held);
	if (rc == 0) {
		daemon_wake(d, 0);
		return;
	}
	d->drift_at = wall();
	daemon_tell(d, S("ConfigDriftDetected"), text);
	daemon_fail(d, text, false);
}

static void verified(struct daemon *d, int rc, struct str text)
{
	if (rc == 0) {
		d->v.verified = true;
		if (d->v.booting)
			log_info("Validated on-disk state");
		daemon_wake(d, 0);
		return;
	}
	daemon_tell(d,
		    d->v.booting ? S("OnDiskStateValidationFailed")
				 : S("PreflightConfigDriftCheckFailed"),
		    text);
	if (d->v.booting)
		watch_disk(d);
	daemon_fail(d, text, false);
}

static void on_job(void *ctx, enum job_kind kind, int rc, struct str text)
{
	struct daemon *d = ctx;
	struct daemon_view *v = &d->v;

	if (kind == JOB_VERIFY || kind == JOB_DRIFT) {
		(kind == JOB_VERIFY ? verified : drift_checked)(d, rc, text);
		return;
	}
	if (kind == JOB_ROLL_BACK) {
		daemon_fail(d, rc < 0 ? text : d->next.text, false);
		return;
	}
	if (kind == JOB_CERTIFICATES && rc == 0) {
		patch(d);
		return;
	}
	if (rc < 0) {
		d->reboots_failed += kind == JOB_ACT && v->reboot;
		daemon_fail(d, text, false);
		return;
	}
	v->rebooting = str_is(text, "reboot");
	v->prepared = v->prepared || kind == JOB_PREPARE;
	v->settled = v->settled || kind == JOB_SETTLE;
	v->stored = v->stored || kind == JOB_STORE;
	v->applied = v->applied || kind == JOB_APPLY;
	v->acted = v->acted || kind == JOB_ACT;
	if (kind == JOB_PREPARE)
		v->bootstrap =
			tree_exists(&d->node.tree, JOB_FIRST_ANNOTATIONS);
	read_disk(d);
	daemon_wake(d, 0);
}

/* ---- certificates --------------------------------------------------------------------- */

static void got_controller_config(struct kube_call *c,
				  const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;
	struct err err = ERR_INIT(&d->turn);
	struct json *j = NULL;

	d->calling = false;
	if (ans->rc < 0 || json_parse(&d->turn, str_dup(&d->turn, ans->body),
				      NULL, &j, &err) < 0) {
		daemon_later(
			d, str_fmt(&d->turn,
				   "could not get ControllerConfig: "
				   "%.*s",
				   STRF(ans->rc < 0 ? ans->message : err.msg)));
		return;
	}
	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE };
	d->next.n_pairs = 1;
	d->next.pairs[0] = (struct daemon_pair){
		.key = S(SYNCED),
		.value = json_str(j, "metadata.resourceVersion", S(""))
	};
	run_job(d, JOB_CERTIFICATES, S(""), json_at(j, "spec"));
}

/* True when the ControllerConfig is not the one last seen: it is asked for. */
static bool certificates(struct daemon *d)
{
	struct str key = S(CONTROLLER);
	const char *version = kube_cache_get(d->configs, key);
	const struct json *seen = json_member(
		json_at(daemon_node(d), "metadata.annotations"), S(SYNCED));

	if (!version || str_is(json_text(seen), version))
		return false;
	daemon_get(d, S(DAEMON_MC "controllerconfigs/" CONTROLLER),
		   got_controller_config);
	return true;
}

/* ---- steps ----------------------------------------------------------------------------- */

void daemon_look(struct daemon *d)
{
	const struct json *l = json_at(daemon_node(d), "metadata.annotations");
	struct daemon_view *v = &d->v;

	v->current = daemon_note(l, DAEMON_KEY "currentConfig");
	v->desired = daemon_note(l, DAEMON_KEY "desiredConfig");
	v->state = daemon_note(l, DAEMON_KEY "state");
	v->current_image = daemon_note(l, DAEMON_KEY "currentImage");
	v->desired_image = daemon_note(l, DAEMON_KEY "desiredImage");
	v->want_drain = daemon_note(l, DAEMON_KEY "desiredDrain");
	v->did_drain = daemon_note(l, DAEMON_KEY "lastAppliedDrain");
	v->after = daemon_note(l, DAEMON_KEY "post-config-action");
	v->single = str_is(daemon_note(l, DAEMON_KEY "controlPlaneTopology"),
			   "SingleReplica");
	v->waited_ms = d->waiting_since ? loop_clock() - d->waiting_since : 0;
}

static bool check_drift(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);

	if (!d->drifted || d->v.target.n)
		return false;
	d->drifted = false;
	if (node_current(&d->node, &d->held, &d->from, &d->from_image, &err) <
	    0)
		return false;
	run_job(d, JOB_DRIFT, S(""), NULL);
	return true;
}

static void wait_for_controller(struct daemon *d)
{
	int64_t now = loop_clock();

	if (!d->waiting_since)
		d->waiting_since = now;
	if (!certificates(d))
		daemon_wake(d, (d->v.acted || !d->v.planned ? DAEMON_UNCORDON_MS
							    : DAEMON_DRAIN_MS) -
				       (now - d->waiting_since));
}

static void rest(struct daemon *d)
{
	if (d->next.text.n && !d->logged_wait)
		log_info("%.*s", STRF(d->next.text));
	d->logged_wait = d->next.text.n > 0;
	if (!d->v.rebooting && !check_drift(d))
		(void)certificates(d);
}

static void again(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	log_info("The target is %.*s meanwhile", STRF(v->desired));
	v->loaded = v->planned = v->applied = v->acted = false;
	v->target = S("");
	v->booting = false;
	daemon_load(d);
}

static void carry_out(struct daemon *d)
{
	struct arena *a = &d->turn;

	if (d->next.what != DAEMON_AWAIT)
		d->waiting_since = 0;
	switch (d->next.what) {
	case DAEMON_REST:
		rest(d);
		return;
	case DAEMON_AWAIT:
		wait_for_controller(d);
		return;
	case DAEMON_PREPARE:
		run_job(d, JOB_PREPARE, S(""), NULL);
		return;
	case DAEMON_INITIAL:
		initial(d);
		return;
	case DAEMON_LOAD:
		daemon_load(d);
		return;
	case DAEMON_SETTLE:
		run_job(d, JOB_SETTLE, S(""), NULL);
		return;
	case DAEMON_VERIFY:
		run_job(d, JOB_VERIFY, S(""), NULL);
		return;
	case DAEMON_STORE:
		run_job(d, JOB_STORE, S(""), NULL);
		return;
	case DAEMON_PLAN:
		daemon_plan(d);
		return;
	case DAEMON_APPLY:
		run_job(d, JOB_APPLY,
			str_fmt(a, "Starting update from %.*s to %.*s: %.*s",
				STRF(d->from.name), STRF(d->to.name),
				STRF(update_changes_text(a, &d->plan.changes,
							 false, false))),
			NULL);
		return;
	case DAEMON_ACT:
		run_job(d, JOB_ACT, S(""), NULL);
		return;
	case DAEMON_AGAIN:
		again(d);
		return;
	case DAEMON_ANNOTATE:
		if (d->next.text.n)
			log_info("%.*s", STRF(d->next.text));
		patch(d);
		return;
	case DAEMON_DONE:
		patch(d);
		return;
	case DAEMON_FAIL:
		break;
	}
	for (size_t i = 0; i < d->next.n_events; i++)
		daemon_tell(d, str_of(d->next.events[i].reason),
			    d->next.events[i].text);
	if (d->next.roll_back)
		run_job(d, JOB_ROLL_BACK, d->next.text, NULL);
	else
		daemon_fail(d, d->next.text, false);
}

static void step(struct daemon *d)
{
	if (d->calling || d->job.running || !daemon_node(d))
		return;
	arena_free(&d->turn);
	daemon_look(d);
	plan_daemon(&d->turn, &d->v, &d->next);
	carry_out(d);
}

/* ---- watching ---------------------------------------------------------------------------- */

static void node_changed(void *ctx, struct str key, const void *before,
			 const void *now)
{
	const struct kube_tree *x = before, *y = now;
	struct daemon *d = ctx;

	(void)key;
	if (!y)
		return;
	/* a new target is not made to wait for an old one's retries */
	if (x && !str_eq(daemon_note(json_at(x->tree, "metadata.annotations"),
				     DAEMON_KEY "desiredConfig"),
			 daemon_note(json_at(y->tree, "metadata.annotations"),
				     DAEMON_KEY "desiredConfig"))) {
		d->not_before = 0;
		d->failures = 0;
	}
	daemon_wake(d, 0);
}

static void *keep_version(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	(void)ctx;
	return strdup(
		str_z(&a, json_str(tree, "metadata.resourceVersion", S(""))));
}

static void config_changed(void *ctx, struct str key, const void *before,
			   const void *now)
{
	(void)key;
	(void)before;
	if (now)
		daemon_wake(ctx, 0);
}

void daemon_begin(struct daemon *d)
{
	struct kube_cache_opts nodes = { .kube = d->kube,
					 .path = "/api/v1/nodes",
					 .what = "the node",
					 .make = kube_tree_make,
					 .drop = kube_tree_drop,
					 .changed = node_changed,
					 .ctx = d };
	struct kube_cache_opts configs = {
		.kube = d->kube,
		.path = DAEMON_MC "controllerconfigs",
		.query = S("fieldSelector=metadata.name%3D" CONTROLLER),
		.what = "the controller's config",
		.make = keep_version,
		.changed = config_changed,
		.ctx = d
	};
	struct buf b;

	buf_init(&b, d->a);
	buf_addz(&b, "fieldSelector=metadata.name%3D");
	kube_escape(&b, d->name);
	nodes.query = buf_str(&b);
	d->v.node = d->name;
	d->v.booting = true;
	d->job.loop = d->loop;
	d->job.root = d->node.tree.root;
	d->job.ctx = d;
	d->job.event = on_job_event;
	d->job.done = on_job;
	d->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = d };
	loop_add(d->loop, &d->timer);
	read_disk(d);
	d->nodes = kube_cache_start(&nodes);
	d->configs = kube_cache_start(&configs);
}

void daemon_end(struct daemon *d)
{
	job_cancel(&d->job);
	if (d->calling)
		kube_cancel(&d->call);
	if (d->watching) {
		loop_remove(d->loop, &d->drift_source);
		drift_close(&d->drift);
	}
	daemon_tell_no_more(d);
	loop_remove(d->loop, &d->timer);
	kube_cache_free(d->nodes);
	kube_cache_free(d->configs);
	arena_free(&d->turn);
	arena_free(&d->held);
	arena_free(&d->names);
}

bool daemon_may_stop(struct daemon *d)
{
	if (!d->v.planned || d->v.announced || d->v.rebooting)
		return true;
	daemon_tell(d, S("GotSigtermDuringUpdate"),
		    S("Got SIGTERM but actively updating"));
	return false;
}
