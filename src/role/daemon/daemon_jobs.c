/*
 * The loop's side of what blocks: jobs started, and what came of them; the disk
 * watched for drift.
 */
#include "daemon_loop.h"
#include "io/repeat.h"
#include "node/drift.h"
#include "node/keep_logs.h"

/* ---- the disk ------------------------------------------------------------ */

/* As Go's decoder says it. */
static struct str as_go(struct str why)
{
	if (str_starts(why, S("0 documents")))
		return S("EOF");
	return str_ends(why, S("unexpected end of JSON input")) ? S("unexpected EOF") : why;
}

static struct disk_stamp disk_stamp(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);
	struct disk_stamp s = { 0 };
	struct stat st;

	if (tree_lstat(&d->node->tree, STEPS_CURRENT_CONFIG, &st, &ignored) == 0)
		s = (struct disk_stamp){ st.st_ino, st.st_mtim };
	return s;
}

void daemon_disk_changed(struct daemon *d)
{
	struct disk_stamp s = disk_stamp(d);

	if (s.file != d->disk_seen.file || s.at.tv_sec != d->disk_seen.at.tv_sec ||
	    s.at.tv_nsec != d->disk_seen.at.tv_nsec)
		daemon_read_disk(d);
}

/* The config there is now; jobs change it. */
void daemon_read_disk(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_current c;
	struct str image;

	int rc;

	arena_free(&d->names);
	d->v.disk = d->v.disk_image = d->v.disk_trouble = S("");
	d->disk_seen = disk_stamp(d);
	rc = node_current(d->node, &a, &c, &image, &err);
	if (rc < 0) {
		if (rc != -ERR_NOTFOUND)
			d->v.disk_trouble = str_dup(&d->names, as_go(err.msg));
		return;
	}
	d->v.disk = str_dup(&d->names, c.name);
	d->v.disk_image = str_dup(&d->names, image);
}

static void close_drift(struct daemon *d)
{
	loop_remove(d->loop, &d->drift_source);
	drift_close(&d->drift);
	d->watching = d->drifted = false;
}

void daemon_unwatch(struct daemon *d)
{
	if (!d->watching)
		return;
	close_drift(d);
	daemon_tell(d, S("ConfigDriftMonitorStopped"), S("Config Drift Monitor stopped"));
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

void daemon_watch(struct daemon *d)
{
	bool renewed = d->watching;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str image, reason = daemon_note(d, ANNO_REASON);
	struct mc_current c;
	int rc;

	if (renewed && !d->drift.stale)
		return;
	if (renewed)
		close_drift(d);
	arena_free(&d->watched_arena);
	d->watched = S("");
	rc = node_current(d->node, &a, &c, &image, &err);
	if (rc == -ERR_NOTFOUND && d->v.loaded) {
		c = d->from; /* the cluster's: the disk has none */
		d->watched = str_dup(&d->watched_arena, c.text);
	} else if (rc < 0) {
		return;
	}
	if (drift_open(&d->drift, d->node, &c, &err) < 0) {
		log_error("Got an error from auxiliary tools: %.*s", STRF(err.msg));
		return;
	}
	d->drift_source =
		(struct source){ .fd = d->drift.fd, .want = POLLIN, .ready = on_drift, .ctx = d };
	loop_add(d->loop, &d->drift_source);
	d->watching = true;
	if (renewed)
		return;
	d->drift_at = str_find(reason, S("content mismatch")) >= 0 ||
				      str_find(reason, S("mode mismatch")) >= 0
			      ? clock_wall_s()
			      : 0;
	daemon_tell(d, S("ConfigDriftMonitorStarted"),
		    str_fmt(&a,
			    "Config Drift Monitor started, watching against "
			    "%.*s",
			    STRF(c.name)));
}

bool daemon_check_drift(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);

	if (!d->drifted || d->v.target.n || d->v.rebooting)
		return false;
	d->drifted = false;
	if (d->watched.n ? mc_current_parse(&d->held, d->watched, &d->from, &err) < 0
			 : node_current(d->node, &d->held, &d->from, &d->v.from_image, &err) < 0)
		return false;
	daemon_job(d, JOB_DRIFT, S(""));
	return true;
}

/* ---- jobs ---------------------------------------------------------------- */

bool daemon_is_master(const struct daemon *d)
{
	return json_member(json_at(daemon_node(d), "metadata.labels"), S(LABEL_MASTER)) != NULL;
}

/* Whether a pool of the node has images kept on it. */
static bool is_pinned(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);
	bool pinned = false;
	struct str name;

	if (d->pools && daemon_pool(d, &d->turn, &name, &pinned, &err) < 0)
		log_error("Failed to determine if pinned image set is "
			  "configured: failed to get pools for node \"%.*s\": "
			  "%.*s",
			  STRF(d->name), STRF(err.msg));
	return pinned;
}

void daemon_job(struct daemon *d, enum job_kind kind, struct str text)
{
	struct err err = ERR_INIT(&d->turn);
	struct daemon_view *v = &d->v;
	struct job_in in = {
		.kind = kind,
		.logs = &d->logs,
		.text = text,
		.node = d->name,
		.booted = d->booted,
		.noted = v->current,
		.noted_image = v->current_image,
		.finalize = d->finalize,
		.controller = d->configs ? daemon_controller(d) : NULL,
		.asked = v->want_drain,
		.retry_ms = d->retry_ms,
		.enabled = d->watching ? &d->drift.enabled : NULL,
		.bundle = d->bundle,
		.master = daemon_is_master(d) && !d->ostree,
		.pinned = kind >= JOB_BOOT && is_pinned(d),
		.bootstrap = v->bootstrap,
		.in_desired =
			str_eq(d->from.name, v->target) && str_eq(v->from_image, v->target_image),
		.update = { .from = &d->from,
			    .to = &d->to,
			    .from_image = v->from_image,
			    .to_image = v->target_image,
			    .plan = &d->plan,
			    .force = v->force,
			    .skip_certificates = true },
	};

	d->job_at = clock_ms();
	if (job_start(&d->job, &in, &err) < 0) {
		daemon_later(d, err.msg);
		return;
	}
	arena_free(&d->lines);
	d->logs = (struct strs){ 0 };
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
		daemon_tell(d, e->reason, e->text);
		return;
	case NODE_EVENT_ACTION_DONE:
		report_action(d, e);
		return;
	case NODE_EVENT_PULL:
	case NODE_EVENT_PART_FAILED:
		daemon_report_image(d, e);
		return;
	case NODE_EVENT_STAGED:
		d->pivot_errors = e->failed ? d->pivot_errors + 1 : 0;
		return;
	case NODE_EVENT_KUBELET:
		d->deferred = e->deferred;
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
		d->packages = m->os.packages;
		return;
	case JOB_MSG_BOOTED:
		d->booted = str_dup(d->a, m->text);
		return;
	case JOB_MSG_FINALIZE:
		arena_free(&d->facts);
		d->finalize = str_dup(&d->facts, m->text);
		d->finalize_known = true;
		return;
	case JOB_MSG_REBOOT:
		d->v.rebooting = true;
		return;
	case JOB_MSG_OSTREE:
		d->ostree = true;
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
		return; /* daemon_pin's; never passed on */
	}
}

static void drift_checked(struct daemon *d, int rc, struct str text)
{
	d->v.from_image = S("");
	arena_free(&d->held);
	if (rc == 0) {
		daemon_watch(d); /* folders that were made anew */
		daemon_wake(d, 0);
		return;
	}
	d->drift_at = clock_wall_s();
	daemon_tell(d, S("ConfigDriftDetected"), text);
	daemon_fail(d, text, false);
}

static void took(struct daemon *d, enum job_kind kind)
{
	struct daemon_view *v = &d->v;

	switch (kind) {
	case JOB_RECOVER:
		v->recovered = true;
		break;
	case JOB_PREPARE:
		v->prepared = true;
		v->bootstrap = tree_exists(&d->node->tree, JOB_FIRST_ANNOTATIONS);
		if (v->bootstrap)
			log_info("In bootstrap mode");
		break;
	case JOB_VERIFY:
		log_info("Preflight config drift check successful (took "
			 "%lldms)",
			 (long long)(clock_ms() - d->job_at));
		v->verified = true;
		break;
	case JOB_BOOT:
		v->verified = true;
		break;
	case JOB_REVERT:
		v->revertible = true;
		break;
	case JOB_UNREVERT:
		v->revert_left = false;
		break;
	case JOB_APPLY:
		v->applied = true;
		break;
	case JOB_ACT:
		v->acted = true;
		break;
	case JOB_LOG:
	case JOB_SECRET:
	case JOB_DRIFT:
	case JOB_ROLL_BACK:
	case JOB_CERTIFICATES:
	case JOB_REBOOTSTRAP:
	case JOB_HOSTED:
	case JOB_SIZES:
	case JOB_PIN:
		break;
	}
}

static void on_job(void *ctx, enum job_kind kind, int rc, struct str text)
{
	struct daemon *d = ctx;

	if (kind == JOB_DRIFT) {
		drift_checked(d, rc, text);
	} else if (kind == JOB_HOSTED) {
		daemon_hosted_over(d, rc, text);
	} else if (kind == JOB_REBOOTSTRAP) {
		keep_logs(d->node, &d->turn);
		if (rc == 0) /* upstream's word for what made it do this */
			text = S("Error from auxiliary packages");
		log_to_pod(text);
		log_fatal("%.*s", STRF(text));
	} else if (kind == JOB_ROLL_BACK) {
		daemon_fail(d, rc < 0 ? text : d->next.text, false);
	} else if (rc < 0) {
		d->reboots_failed += kind == JOB_ACT && d->v.reboot;
		if (kind == JOB_VERIFY)
			log_again(LOG_ERROR, S("preflight"),
				  "Preflight config drift check failed: %.*s", STRF(text));
		daemon_fail(d, text, false);
	} else if (kind == JOB_CERTIFICATES) {
		daemon_annotate(d);
	} else {
		took(d, kind);
		daemon_read_disk(d);
		if (kind == JOB_APPLY)
			daemon_report_files(d, true);
		if (d->v.rebooting)
			daemon_rebooting(d);
		else
			daemon_wake(d, 0);
	}
}

void daemon_job_init(struct daemon *d)
{
	d->job = (struct job){ .loop = d->loop,
			       .root = d->node->tree.root,
			       .ctx = d,
			       .told = on_job_msg,
			       .done = on_job };
}
