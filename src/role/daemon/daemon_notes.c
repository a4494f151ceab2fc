/*
 * daemon_notes: the annotations that the daemon writes to the Node, and what follows from them.
 */
#include "daemon_own.h"
#include "io/clock.h"
#include "io/repeat.h"

#define SMALL_MAX ((size_t)1 << 20)

static void report_outcome(struct daemon *d, struct str trouble)
{
	const struct daemon_report r = plan_report_outcome(&d->turn, d->name, trouble);

	daemon_report(d, &r);
}

void daemon_fail(struct daemon *d, struct str text, bool unreconcilable)
{
	if (unreconcilable)
		log_again(LOG_ERROR, S("fault"), "Marking Unreconcilable due to: %.*s", STRF(text));
	else
		log_again(LOG_ERROR, S("fault"), "Marking Degraded due to: \"%.*s\"", STRF(text));
	d->fault.text = str_dup(&d->fault.a, text);
	d->fault.unreconcilable = unreconcilable;
	d->fault.unreported = true;
	daemon_report_fault(d);
}

void daemon_report_fault(struct daemon *d)
{
	daemon_failure(&d->turn, d->fault.text, d->fault.unreconcilable, &d->next);
	daemon_annotate(d, STATE_NOTE_FAULT);
}

/* Sends the Events of annotations that are written. */
static void tell_events(struct daemon *d)
{
	struct daemon_next *n = &d->next;

	for (size_t i = 0; i < n->n_events; i++)
		daemon_emit(d, str_of(n->events[i].reason), n->events[i].text);
	n->n_events = 0;
}

void daemon_fault_reported(struct daemon *d)
{
	struct str want = daemon_note(d, ANNO_DESIRED_CONFIG);
	/* a target that changed meanwhile does not wait for the back-off */
	bool stale = d->v.pass.target.n && !str_eq(want, d->v.pass.target);

	tell_events(d);
	if (d->hosted.n)
		log_fatal("Error handling node sync: %.*s", STRF(d->next.text));
	report_outcome(d, d->fault.text);
	arena_free(&d->fault.a);
	d->fault = (struct daemon_trouble){ .a = ARENA_INIT };
	if (d->v.start == START_NOTE || d->v.start == START_SYNC)
		d->v.start = START_PREPARE;
	daemon_forget(d);
	daemon_retry(d, daemon_retry_ms(d->failures++));
	if (stale) {
		d->not_before = 0;
		daemon_wake(d, 0);
	}
}

void daemon_resumes(struct daemon *d, struct str config)
{
	struct daemon_report r = { .type = "Resumed", .status = 'T' };

	r.text = str_fmt(&d->turn,
			 "In desired config %.*s. Resumed normal operations. "
			 "Applying proper annotations.",
			 STRF(config));
	daemon_report(d, &r);
	d->update.resumes = true;
}

/* Starts the drift watch; reports the end of the first pass. A node without annotations at the
 * start has them now. */
static void resumed(struct daemon *d)
{
	struct daemon_report r = { .type = "Resumed", .status = 'T' };

	daemon_watch(d);
	if (d->v.start == START_OVER)
		return;
	r.text = str_fmt(
		&d->turn, "In desired config %.*s. Resumed normal operations.",
		STRF(d->facts.first.n ? d->facts.first : daemon_note(d, ANNO_CURRENT_CONFIG)));
	daemon_report(d, &r);
}

void daemon_done(struct daemon *d)
{
	struct daemon_view *v = &d->v;
	bool updated = d->update.guarded;

	d->failures = 0;
	tell_events(d);
	/* an update without an uncordon request has not reported it yet */
	if (v->start == START_OVER && !d->update.resumes)
		daemon_resumes(d, daemon_note(d, ANNO_CURRENT_CONFIG));
	resumed(d);
	if (updated)
		report_outcome(d, S(""));
	(void)log_over(S("fault"));
	log_info("In desired state %.*s", STRF(daemon_disk_text(d, &d->turn)));
	daemon_report_changes(d);
	daemon_forget(d);
	v->start = START_OVER;
	v->bootstrap = false;
	d->figures.update_at = clock_wall_s();
	d->figures.not_uncordoned = false;
	daemon_wake(d, 0);
}

void daemon_rebooting(struct daemon *d)
{
	if (d->v.pass.stage >= STAGE_PLANNED)
		report_outcome(d, S(""));
	if (d->v.start != START_OVER)
		resumed(d);
	if (d->v.pass.stage >= STAGE_ANNOUNCED) {
		daemon_wake(d, 0);
		return;
	}
	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE, .note = NOTE_REBOOTING };
	d->next.pairs[d->next.n_pairs++] =
		(struct daemon_pair){ .key = S(ANNO_POST_CONFIG), .value = S("Rebooting") };
	daemon_annotate(d, STATE_NOTE);
}

/* SIGTERM may end the process from here on. */
static void announced(struct daemon *d)
{
	if (d->v.pass.stage == STAGE_APPLIED)
		d->v.pass.stage = STAGE_ANNOUNCED;
	if (d->update.guarded)
		daemon_emit(d, S("RemoveSigtermProtection"), S("Removing SIGTERM protection"));
	d->update.guarded = false;
}

void daemon_noted(struct daemon *d)
{
	d->failures = 0;
	tell_events(d);
	switch (d->next.note) {
	case NOTE_REBOOTING:
		announced(d);
		break;
	case NOTE_DRAIN:
		d->v.pass.asked = true;
		break;
	case NOTE_PLAIN:
	case NOTE_UNCORDON:
	case NOTE_REBOOTED:
		break;
	}
	daemon_wake(d, 0);
}

void daemon_annotate(struct daemon *d, enum daemon_state s)
{
	struct daemon_next *n = &d->next;

	/* add how the last OS update was finalized; no annotation where there was nothing */
	if (d->facts.finalize_known &&
	    (d->facts.finalize.n || daemon_note(d, ANNO_FINALIZE_FAILURE).n))
		n->pairs[n->n_pairs++] = (struct daemon_pair){ .key = S(ANNO_FINALIZE_FAILURE),
							       .value = d->facts.finalize };
	daemon_patch_node(d, s, n->pairs, n->n_pairs);
}

struct pairs {
	struct daemon_pair *v;
	size_t n, cap;
};

/* Reads a map of strings; errors have Go's text. */
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

/* Writes the first annotations: the file that the server provided, or the config on the disk. */
void daemon_initial(struct daemon *d)
{
	struct pairs list = { 0 };
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct str text;
	int rc = tree_read(a, &d->node->tree, JOB_FIRST_ANNOTATIONS, SMALL_MAX, &text, &err);

	d->v.start = START_SYNC;
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
		daemon_patch_node(d, STATE_NOTE, list.v, list.n);
}
