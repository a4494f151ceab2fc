/*
 * daemon: the next step of a node's daemon. Pure: the same view gives the same answer, so a
 * process that starts in the middle of an update goes on where the last one stopped.
 */
#include "plan/daemon.h"

#include "base/backoff.h"
#include "mc/api.h"

#define REASON_MAX 2000 /* upstream's limit, in runes */

static void set(struct daemon_next *out, const char *key, struct str value, bool remove)
{
	out->pairs[out->n_pairs++] =
		(struct daemon_pair){ .key = str_of(key), .value = value, .remove = remove };
}

static void tell(struct daemon_next *out, const char *reason, struct str text)
{
	out->events[out->n_events++] = (struct daemon_message){ .reason = reason, .text = text };
}

static void fail(struct daemon_next *out, struct str text)
{
	out->what = DAEMON_FAIL;
	out->text = text;
}

bool daemon_is_warning(struct str reason)
{
	static const char *const warnings[] = {
		"ConfigDriftDetected",
		"FailedServiceReload",
		"FailedServiceRestart",
		"FailedToDrain",
		"FailedToReconcile",
		"FailedToUncordon",
		"GotSigtermDuringUpdate",
		"OnDiskStateValidationFailed",
		"PreflightConfigDriftCheckFailed",
	};

	for (size_t i = 0; i < ARRAY_LEN(warnings); i++)
		if (str_is(reason, warnings[i]))
			return true;
	return false;
}

int64_t daemon_retry_ms(unsigned n)
{
	return backoff_ms(1000, 60000, n);
}

static struct str cut_runes(struct str s, size_t max)
{
	size_t runes = 0;

	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] & 0xC0) != 0x80 && runes++ == max)
			return str_sub(s, 0, i);
	return s;
}

void daemon_failure(struct arena *a, struct str reason, bool unreconcilable,
		    struct daemon_next *out)
{
	*out = (struct daemon_next){ .what = DAEMON_FAIL, .text = reason };
	set(out, ANNO_STATE, unreconcilable ? S("Unreconcilable") : S("Degraded"), false);
	set(out, ANNO_REASON, str_dup(a, cut_runes(reason, REASON_MAX)), false);
}

struct str daemon_patch(struct arena *a, const struct json *node, const struct daemon_pair *pairs,
			size_t n)
{
	const struct json *have = json_at(node, "metadata.annotations");
	struct json *patch = json_new(a, JSON_OBJECT);
	struct json *notes = json_make(a, patch, "metadata.annotations");

	for (size_t i = 0; i < n; i++) {
		const struct json *old = json_member(have, pairs[i].key);

		if (pairs[i].remove ? !old
				    : json_kind(old) == JSON_STRING &&
					      str_eq(json_text(old), pairs[i].value))
			continue;
		json_add(notes, pairs[i].key,
			 pairs[i].remove ? json_new(a, JSON_NULL)
					 : json_new_str(a, pairs[i].value));
	}
	return json_len(notes) ? json_format(a, patch, 0) : S("");
}

/* ---- the next step ------------------------------------------------------- */

static bool in_desired(const struct daemon_view *v)
{
	const struct daemon_pass *p = &v->pass;
	bool known = p->target.n > 0; /* the target of the current pass */

	return str_eq(v->disk.n ? v->disk : v->current, known ? p->target : v->desired) &&
	       str_eq(v->disk.n ? v->disk_image : v->current_image,
		      known ? p->target_image : v->desired_image);
}

/* The controller has not uncordoned the node yet: true when out says so. */
static bool await(const struct daemon_view *v, struct str want, struct daemon_next *out)
{
	if (!str_eq(v->want_drain, want)) {
		out->what = DAEMON_ANNOTATE;
		out->note = NOTE_UNCORDON;
		set(out, ANNO_DESIRED_DRAIN, want, false);
		return true;
	}
	out->what = DAEMON_AWAIT;
	return !str_eq(v->did_drain, want);
}

static void finish(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	const struct daemon_pass *p = &v->pass;
	bool acted = p->stage >= STAGE_ACTED;
	struct str c = v->disk.n ? v->disk : v->current, image = v->disk_image;
	struct str want = str_fmt(a, "uncordon-%.*s", STRF(c));

	/* no uncordon if a drain follows at once */
	if (acted && !str_eq(v->want_drain, want) &&
	    (!str_eq(p->target, v->desired) || !str_eq(p->target_image, v->desired_image))) {
		out->what = DAEMON_AGAIN;
		return;
	}
	out->config = c;
	if (await(v, want, out)) {
		if (out->what == DAEMON_ANNOTATE || v->waited_ms < DAEMON_UNCORDON_MS)
			return;
		fail(out, str_fmt(a,
				  "failed to uncordon node: %.*s after 10 "
				  "minutes. Please see "
				  "machine-config-controller logs for more "
				  "information",
				  STRF(v->node)));
		out->fault = FAULT_UNCORDON;
		tell(out, "FailedToUncordon", out->text);
		out->roll_back = acted;
		if (acted)
			out->text = str_fmt(a,
					    "could not apply update: setting "
					    "node's state to Done failed. "
					    "Error: %.*s",
					    STRF(out->text));
		return;
	}
	out->what = DAEMON_DONE;
	out->text = str_fmt(a,
			    "Update completed for config %.*s and node has "
			    "been successfully uncordoned",
			    STRF(c));
	out->journal = true;
	tell(out, "Uncordon",
	     str_fmt(a,
		     "Update completed for config %.*s and node has been "
		     "uncordoned",
		     STRF(c)));
	tell(out, "NodeDone",
	     str_fmt(a, "Setting node %.*s, currentConfig %.*s to Done", STRF(v->node), STRF(c)));
	set(out, ANNO_STATE, S("Done"), false);
	set(out, ANNO_CURRENT_CONFIG, c, false);
	set(out, ANNO_REASON, S(""), false);
	set(out, ANNO_CURRENT_IMAGE, image, !image.n);
	if (!v->desired_image.n)
		set(out, ANNO_DESIRED_IMAGE, S(""), true);
}

static void drain(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	const struct daemon_pass *p = &v->pass;
	struct str want = str_fmt(a, "drain-%.*s", STRF(p->target));

	if (str_eq(v->did_drain, want)) {
		out->what = DAEMON_APPLY;
		out->text = p->asked ? S("drain complete")
				     : S("drain is already completed on this "
					 "node");
		out->journal = true;
	} else if (!p->asked || !str_eq(v->want_drain, want)) {
		/* ask again: the request may be from an earlier process */
		out->what = DAEMON_ANNOTATE;
		out->note = NOTE_DRAIN;
		set(out, ANNO_DESIRED_DRAIN, want, false);
		out->text = S("Update prepared; requesting cordon and drain "
			      "via annotation to controller");
		out->journal = true;
		tell(out, "Cordon", S("Cordoned node to apply update"));
		tell(out, "Drain", S("Draining node to update config."));
	} else if (v->waited_ms >= DAEMON_DRAIN_MS) {
		fail(out, str_fmt(a,
				  "failed to drain node: %.*s after 1 hour. "
				  "Please see machine-config-controller logs "
				  "for more information",
				  STRF(v->node)));
		out->fault = FAULT_DRAIN;
		tell(out, "FailedToDrain", out->text);
	} else {
		out->what = DAEMON_AWAIT;
	}
}

static bool failing(const struct daemon_view *v)
{
	return str_is(v->state, "Degraded") || str_is(v->state, "Unreconcilable");
}

static void update(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	const struct daemon_pass *p = &v->pass;

	if (v->revert != REVERT_READY && p->from_image.n && !p->target_image.n) {
		out->what = DAEMON_REVERT;
	} else if (p->stage < STAGE_PLANNED && !str_is(v->state, "Working") && !failing(v)) {
		out->what = DAEMON_ANNOTATE;
		set(out, ANNO_STATE, S("Working"), false);
	} else if (p->stage < STAGE_PLANNED) {
		out->what = DAEMON_PLAN;
	} else if (p->stage < STAGE_APPLIED) {
		out->what = DAEMON_APPLY;
		if (p->drain && !v->single)
			drain(a, v, out);
	} else if (p->stage == STAGE_ACTED) {
		out->what = DAEMON_CONFIRM;
	} else if (p->stage >= STAGE_ACTED) {
		finish(a, v, out);
	} else if (p->reboot && p->stage < STAGE_ANNOUNCED) {
		out->what = DAEMON_ANNOTATE;
		out->note = NOTE_REBOOTING;
		set(out, ANNO_POST_CONFIG, S("Rebooting"), false);
	} else {
		out->what = DAEMON_ACT;
	}
}

static void not_noted(struct arena *a, const struct daemon_view *v, const char *key,
		      struct daemon_next *out)
{
	fail(out, str_fmt(a, "%s annotation not found on node '%.*s'", key, STRF(v->node)));
}

static void not_named(struct daemon_next *out)
{
	fail(out, S("machineconfig." GROUP_MC " \"\" not "
		    "found"));
}

/* Nothing to update, or not allowed to: out says which. */
static bool idle(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	out->what = DAEMON_REST;
	if (v->want_drain.n && !str_eq(v->want_drain, v->did_drain)) {
		out->text = S("A previously requested drain has not yet "
			      "completed. Waiting for "
			      "machine-config-controller to finish draining "
			      "node.");
		return true;
	}
	if (!v->desired.n || (v->current.p && !v->current.n))
		not_named(out);
	else if (!v->current.p)
		not_noted(a, v, ANNO_CURRENT_CONFIG, out);
	else if (!v->has_state)
		not_noted(a, v, ANNO_STATE, out);
	else if (v->disk_trouble.n)
		fail(out, v->disk_trouble);
	if (out->what == DAEMON_FAIL)
		return true;
	return str_is(v->state, "Done") && in_desired(v) &&
	       (!v->disk.n || str_eq(v->disk, v->current));
}

/* From the start of the process to the first successful pass. */
static void boot(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	if (v->start <= START_PREPARE)
		out->what = DAEMON_PREPARE;
	else if (!v->current.n && v->start <= START_NOTE)
		out->what = DAEMON_INITIAL;
	else if (!v->current.p || !v->desired.p)
		not_noted(a, v, v->current.p ? ANNO_DESIRED_CONFIG : ANNO_CURRENT_CONFIG, out);
	else if (!v->current.n || !v->desired.n)
		not_named(out);
	else if (v->pass.stage < STAGE_LOADED)
		out->what = DAEMON_LOAD;
	else if (!v->pass.verified)
		out->what = DAEMON_BOOT;
	else if (!v->pass.force && v->pass.stage < STAGE_PLANNED && in_desired(v))
		finish(a, v, out);
	else
		update(a, v, out);
}

void plan_daemon(struct arena *a, const struct daemon_view *v, struct daemon_next *out)
{
	*out = (struct daemon_next){ .what = DAEMON_REST };
	if (v->rebooting) {
		out->text = str_fmt(a,
				    "Node %.*s is queued for a reboot, "
				    "skipping sync.",
				    STRF(v->node));
	} else if (v->start == START_RECOVER) {
		out->what = DAEMON_RECOVER;
	} else if (v->revert == REVERT_LEFT) {
		out->what = DAEMON_UNREVERT;
	} else if (v->pass.target.n && v->pass.stage >= STAGE_LOADED) {
		(v->start != START_OVER ? boot : update)(a, v, out);
		if (v->start == START_OVER && !v->pass.verified && !v->pass.force)
			*out = (struct daemon_next){ .what = DAEMON_VERIFY };
	} else if (v->trouble.n) {
		fail(out, v->trouble);
	} else if (str_is(v->after, "Rebooting")) {
		out->what = DAEMON_ANNOTATE;
		out->note = NOTE_REBOOTED;
		set(out, ANNO_POST_CONFIG, S(""), false);
	} else if (v->secret) {
		out->what = DAEMON_SECRET;
	} else if (v->start != START_OVER) {
		boot(a, v, out);
	} else if (!idle(a, v, out)) {
		*out = (struct daemon_next){ .what = DAEMON_LOAD };
	}
}
