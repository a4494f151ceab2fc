/*
 * The Node's annotations: what the daemon writes there, and what follows from it.
 */
#include "daemon_loop.h"
#include "io/clock.h"
#include "io/repeat.h"

#define SMALL_MAX ((size_t)1 << 20)

static void report_outcome(struct daemon *d, struct str trouble)
{
	struct daemon_report r = { .type = "NodeDegraded", .status = trouble.n ? 'T' : 'F' };

	r.text = trouble.n ? str_fmt(&d->turn, "Node %.*s upgrade failure. %.*s", STRF(d->name),
				     STRF(trouble))
			   : str_fmt(&d->turn, "Node %.*s upgrade succeeded", STRF(d->name));
	daemon_report(d, &r);
}

void daemon_fail(struct daemon *d, struct str text, bool unreconcilable)
{
	if (unreconcilable)
		log_again(LOG_ERROR, S("fault"), "Marking Unreconcilable due to: %.*s", STRF(text));
	else
		log_again(LOG_ERROR, S("fault"), "Marking Degraded due to: \"%.*s\"", STRF(text));
	d->fault = str_dup(&d->fault_arena, text);
	d->unreconcilable = unreconcilable;
	d->untold = true;
	daemon_tell_fault(d);
}

void daemon_tell_fault(struct daemon *d)
{
	daemon_failure(&d->turn, d->fault, d->unreconcilable, &d->next);
	daemon_annotate(d);
}

static void failed(struct daemon *d)
{
	int64_t ms = daemon_retry_ms(d->failures++);
	struct str want = daemon_note(d, ANNO_DESIRED_CONFIG);
	/* another target may have come while this was being told */
	bool stale = d->v.target.n && !str_eq(want, d->v.target);

	report_outcome(d, d->fault);
	d->untold = false;
	arena_free(&d->fault_arena);
	if (d->v.booting)
		d->v.prepared = d->v.noted = false;
	daemon_forget(d);
	d->not_before = stale ? 0 : clock_ms() + (d->retry_ms ? d->retry_ms : ms);
	daemon_wake(d, 0);
}

void daemon_resumes(struct daemon *d, struct str config)
{
	struct daemon_report r = { .type = "Resumed", .status = 'T' };

	r.text = str_fmt(&d->turn,
			 "In desired config %.*s. Resumed normal operations. "
			 "Applying proper annotations.",
			 STRF(config));
	daemon_report(d, &r);
	d->resumes = true;
}

/* The first pass has come to its end. A node that had no annotations at the start
 * has them now. */
static void resumed(struct daemon *d)
{
	struct daemon_report r = { .type = "Resumed", .status = 'T' };

	daemon_watch(d);
	if (!d->v.booting)
		return;
	r.text = str_fmt(&d->turn, "In desired config %.*s. Resumed normal operations.",
			 STRF(d->first.n ? d->first : daemon_note(d, ANNO_CURRENT_CONFIG)));
	daemon_report(d, &r);
}

static void done(struct daemon *d)
{
	struct daemon_view *v = &d->v;
	bool updated = d->guarded;

	/* an update that had no annotation to write before its last ones */
	if (!v->booting && !d->resumes)
		daemon_resumes(d, daemon_note(d, ANNO_CURRENT_CONFIG));
	resumed(d);
	if (updated)
		report_outcome(d, S(""));
	(void)log_over(S("fault"));
	log_info("In desired state %.*s", STRF(daemon_disk_text(d, &d->turn)));
	daemon_report_changes(d);
	daemon_forget(d);
	v->booting = v->bootstrap = false;
	d->failures = 0;
	d->update_at = clock_wall_s();
	d->not_uncordoned = false;
	daemon_wake(d, 0);
}

void daemon_rebooting(struct daemon *d)
{
	if (d->v.planned)
		report_outcome(d, S(""));
	if (d->v.booting)
		resumed(d);
	if (d->v.announced) {
		daemon_wake(d, 0);
		return;
	}
	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE };
	d->next.pairs[d->next.n_pairs++] =
		(struct daemon_pair){ .key = S(ANNO_POST_CONFIG), .value = S("Rebooting") };
	daemon_annotate(d);
}

static void patched(struct daemon *d)
{
	struct daemon_next *n = &d->next;

	d->failures = n->what == DAEMON_FAIL ? d->failures : 0;
	for (size_t i = 0; i < n->n_events; i++)
		daemon_tell(d, str_of(n->events[i].reason), n->events[i].text);
	n->n_events = 0;
	if (n->what == DAEMON_FAIL && d->hosted.n)
		log_fatal("Error handling node sync: %.*s", STRF(n->text));
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
		if (d->guarded)
			daemon_tell(d, S("RemoveSigtermProtection"),
				    S("Removing SIGTERM protection"));
		d->guarded = false;
	}
	if (n->n_pairs && str_starts(n->pairs[0].value, S("drain-")))
		d->v.asked = true;
	daemon_wake(d, 0);
}

static void on_patched(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	d->calling = false;
	if (ans->rc < 0) {
		daemon_later(d, str_fmt(&d->turn, "unable to update node \"%.*s\": %.*s",
					STRF(d->name), STRF(ans->message)));
		return;
	}
	kube_cache_put(d->nodes, ans->body);
	patched(d);
}

static void send_patch(struct daemon *d, const struct daemon_pair *pairs, size_t n)
{
	struct str body = daemon_patch(&d->turn, daemon_node(d), pairs, n);

	if (!body.n) {
		patched(d);
		return;
	}
	d->state_at = clock_wall_s();
	d->call = (struct kube_call){ .method = "PATCH",
				      .path = str_fmt(&d->turn, PATH_CORE "nodes/%.*s",
						      STRF(d->name)),
				      .type = "application/strategic-merge-patch+json",
				      .body = body,
				      .done = on_patched,
				      .ctx = d };
	d->calling = true;
	kube_start(d->writer, &d->call);
}

void daemon_annotate(struct daemon *d)
{
	struct daemon_next *n = &d->next;

	/* what the last boot told goes along; nothing for nothing */
	if (d->finalize_known && (d->finalize.n || daemon_note(d, ANNO_FINALIZE_FAILURE).n))
		n->pairs[n->n_pairs++] = (struct daemon_pair){ .key = S(ANNO_FINALIZE_FAILURE),
							       .value = d->finalize };
	send_patch(d, n->pairs, n->n_pairs);
}

struct pairs {
	struct daemon_pair *v;
	size_t n, cap;
};

/* A map of strings, or why it is none as Go words that. */
static int read_pairs(struct arena *a, struct str text, struct pairs *out, struct err *err)
{
	struct json *j = NULL;
	struct str where, why;

	if (json_parse(a, text, NULL, &j, err) < 0)
		return str_cut(err->msg, ':', &where, &why)
			       ? err_set(err, ERR_INVALID, "%.*s", STRF(str_trim(why)))
			       : -ERR_INVALID;
	if (json_kind(j) != JSON_OBJECT)
		return err_set(err, ERR_INVALID,
			       "json: cannot unmarshal %s into Go value of "
			       "type map[string]string",
			       json_kind_name(j));
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		struct daemon_pair p = { .key = json_key(m), .value = json_text(m) };

		if (json_kind(m) != JSON_STRING)
			return err_set(err, ERR_INVALID,
				       "json: cannot unmarshal %s into Go "
				       "value of type string",
				       json_kind_name(m));
		VEC_PUSH(a, out, p);
	}
	return 0;
}

/* The first annotations: laid down by the server, or what the disk tells. */
void daemon_initial(struct daemon *d)
{
	struct pairs list = { 0 };
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct str text;
	int rc = tree_read(a, &d->node->tree, JOB_FIRST_ANNOTATIONS, SMALL_MAX, &text, &err);

	d->v.noted = true;
	if (rc < 0 && rc != -ERR_NOTFOUND)
		(void)err_wrap(&err, "failed to read initial annotations from "
				     "\"" JOB_FIRST_ANNOTATIONS "\"");
	if (rc == 0 && read_pairs(a, text, &list, &err) < 0)
		rc = err_wrap(&err, "failed to unmarshal initial annotations");
	if (rc == -ERR_NOTFOUND && d->v.disk.n) {
		struct daemon_pair c = { .key = S(ANNO_CURRENT_CONFIG), .value = d->v.disk };
		struct daemon_pair i = { .key = S(ANNO_CURRENT_IMAGE), .value = d->v.disk_image };

		VEC_PUSH(a, &list, c);
		if (i.value.n)
			VEC_PUSH(a, &list, i);
		rc = 0;
	}
	if (rc == -ERR_NOTFOUND)
		daemon_fail(d,
			    d->v.disk_trouble.n
				    ? d->v.disk_trouble
				    : S("open " STEPS_CURRENT_CONFIG ": no such file or directory"),
			    false);
	else if (rc < 0)
		daemon_fail(d, err.msg, false);
	else
		send_patch(d, list.v, list.n);
}
