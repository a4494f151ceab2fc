#include "plan/daemon.h"

#define REASON_MAX 2000 /* runes, upstream's */

static void set(struct daemon_next *out, const char *key, struct str value,
		bool remove)
{
	out->pairs[out->n_pairs++] = (struct daemon_pair){ .key = str_of(key),
							   .value = value,
							   .remove = remove };
}

static void tell(struct daemon_next *out, const char *reason, struct str text)
{
	out->events[out->n_events++] =
		(struct daemon_event){ .reason = reason, .text = text };
}

static void fail(struct daemon_next *out, struct str text)
{
	out->what = DAEMON_FAIL;
	out->text = text;
}

bool daemon_is_warning(struct str reason)
{
	static const char *const begin[] = { "ConfigDriftDetected", "Failed",
					     "GotSigterm", "OnDiskState",
					     "PreflightConfig" };

	for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (str_starts(reason, str_of(begin[i])))
			return true;
	return false;
}

int64_t daemon_retry_ms(unsigned n)
{
	return n < 6 ? (int64_t)1000 << n : 60000;
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
	set(out, DAEMON_KEY "state",
	    unreconcilable ? S("Unreconcilable") : S("Degraded"), false);
	set(out, DAEMON_KEY "reason", str_dup(a, cut_runes(reason, REASON_MAX)),
	    false);
}

struct str daemon_patch(struct arena *a, const struct json *node,
			const struct daemon_pair *pairs, size_t n)
{
	const struct json *have = json_at(node, "metadata.annotations");
	struct buf b;
	size_t changes = 0;

	buf_init(&b, a);
	buf_addz(&b, "{\"metadata\":{\"annotations\":{");
	for (size_t i = 0; i < n; i++) {
		const struct json *old = json_member(have, pairs[i].key);

		if (pairs[i].remove
			    ? !old
			    : json_kind(old) == JSON_STRING &&
				      str_eq(json_text(old), pairs[i].value))
			continue;
		buf_addz(&b, changes++ ? "," : "");
		json_add_quoted(&b, pairs[i].key, 0);
		buf_addc(&b, ':');
		if (pairs[i].remove)
			buf_addz(&b, "null");
		else
			json_add_quoted(&b, pairs[i].value, 0);
	}
	buf_addz(&b, "}}}");
	return changes ? buf_str(&b) : S("");
}

/* ---- the next step ---------------------------------------------------------- */

static bool in_desired(const struct daemon_view *v)
{
	bool known = v->target.n > 0; /* as this pass has begun */

	return str_eq(v->disk.n ? v->disk : v->current,
		      known ? v->target : v->desired) &&
	       str_eq(v->disk.n ? v->disk_image : v->current_image,
		      known ? v->target_image : v->desired_image);
}

/* The controller has not answered the last request: true when out says so. */
static bool await(const struct daemon_view *v, struct str want,
		  struct daemon_next *out)
{
	if (!str_eq(v->want_drain, want)) {
		out->what = DAEMON_ANNOTATE;
		set(out, DAEMON_KEY "desiredDrain", want, false);
		return true;
	}
	out->what = DAEMON_AWAIT;
	return !str_eq(v->did_drain, want);
}

static void finish(struct arena *a, const struct daemon_view *v,
		   struct daemon_next *out)
{
	struct str c = v->disk.n ? v->disk : v->current, image = v->disk_image;

	if (await(v, str_fmt(a, "uncordon-%.*s", STRF(c)), out)) {
		if (out->what == DAEMON_ANNOTATE ||
		    v->waited_ms < DAEMON_UNCORDON_MS)
			return;
		fail(out, str_fmt(a,
				  "%sfailed to uncordon node: %.*s after 10 "
				  "minutes. Please see "
				  "machine-config-controller logs for more "
				  "information",
				  v->acted ? "could not apply update: setting "
					     "node's state to Done failed. "
					     "Error: "
					   : "",
				  STRF(v->node)));
		out->roll_back = v->acted;
		tell(out, "FailedToUncordon", out->text);
		return;
	}
	if (v->target.n && !str_eq(v->target, v->desired)) {
		out->what = DAEMON_AGAIN;
		return;
	}
	out->what = DAEMON_DONE;
	out->text = str_fmt(a,
			    "Update completed for config %.*s and node has "
			    "been successfully uncordoned",
			    STRF(c));
	tell(out, "Uncordon",
	     str_fmt(a,
		     "Update completed for config %.*s and node has been "
		     "uncordoned",
		     STRF(c)));
	tell(out, "NodeDone",
	     str_fmt(a, "Setting node %.*s, currentConfig %.*s to Done",
		     STRF(v->node), STRF(c)));
	set(out, DAEMON_KEY "state", S("Done"), false);
	set(out, DAEMON_KEY "currentConfig", c, false);
	set(out, DAEMON_KEY "reason", S(""), false);
	set(out, DAEMON_KEY "currentImage", image, !image.n);
	if (!v->desired_image.n)
		set(out, DAEMON_KEY "desiredImage", S(""), true);
}

static void drain(struct arena *a, const struct daemon_view *v,
		  struct daemon_next *out)
{
	struct str want = str_fmt(a, "drain-%.*s", STRF(v->target));

	if (str_eq(v->did_drain, want) || !await(v, want, out)) {
		out->what = DAEMON_APPLY;
	} else if (out->what == DAEMON_ANNOTATE) {
		out->text = S("Update prepared; requesting cordon and drain "
			      "via annotation to controller");
		tell(out, "Cordon", S("Cordoned node to apply update"));
		tell(out, "Drain", S("Draining node to update config."));
	} else if (v->waited_ms >= DAEMON_DRAIN_MS) {
		fail(out, str_fmt(a,
				  "failed to drain node: %.*s after 1 hour. "
				  "Please see machine-config-controller logs "
				  "for more information",
				  STRF(v->node)));
		tell(out, "FailedToDrain", out->text);
	}
}

static void update(struct arena *a, const struct daemon_view *v,
		   struct daemon_next *out)
{
	if (!str_is(v->state, "Working") && !str_is(v->state, "Degraded") &&
	    !str_is(v->state, "Unreconcilable")) {
		out->what = DAEMON_ANNOTATE;
		set(out, DAEMON_KEY "state", S("Working"), false);
		set(out, DAEMON_KEY "reason", S(""), false);
	} else if (!v->planned) {
		out->what = DAEMON_PLAN;
	} else if (!v->applied) {
		out->what = DAEMON_APPLY;
		if (v->drain && !v->single)
			drain(a, v, out);
	} else if (v->acted) {
		finish(a, v, out);
	} else if (v->reboot && !v->announced) {
		out->what = DAEMON_ANNOTATE;
		set(out, DAEMON_KEY "post-config-action", S("Rebooting"),
		    false);
	} else {
		out->what = DAEMON_ACT;
	}
}

/* Before an update or the end of the start: false when there is none. */
static bool idle(struct arena *a, const struct daemon_view *v,
		 struct daemon_next *out)
{
	out->what = DAEMON_REST;
	if (v->want_drain.n && !str_eq(v->want_drain, v->did_drain)) {
		out->text = S("A previously requested drain has not yet "
			      "completed. Waiting for "
			      "machine-config-controller to finish draining "
			      "node.");
		return true;
	}
	if (!v->state.n) {
		fail(out, str_fmt(a,
				  DAEMON_KEY "state annotation not found on "
					     "node '%.*s'",
				  STRF(v->node)));
		return true;
	}
	return str_is(v->state, "Done") && in_desired(v) &&
	       (!v->disk.n || str_eq(v->disk, v->current));
}

void plan_daemon(struct arena *a, const struct daemon_view *v,
		 struct daemon_next *out)
{
	*out = (struct daemon_next){ .what = DAEMON_REST };
	if (v->rebooting) {
		out->text = str_fmt(a,
				    "Node %.*s is queued for a reboot, "
				    "skipping sync.",
				    STRF(v->node));
	} else if (!v->prepared) {
		out->what = DAEMON_PREPARE;
	} else if (str_is(v->after, "Rebooting") && !v->announced) {
		out->what = DAEMON_ANNOTATE;
		set(out, DAEMON_KEY "post-config-action", S(""), false);
	} else if (!v->current.n) {
		out->what = DAEMON_INITIAL;
	} else if (!v->desired.n) {
		fail(out, str_fmt(a,
				  DAEMON_KEY
				  "desiredConfig annotation not found on node "
				  "'%.*s'",
				  STRF(v->node)));
	} else if (!v->booting && !v->target.n && idle(a, v, out)) {
		return;
	} else if (!v->loaded) {
		out->what = DAEMON_LOAD;
	} else if (v->bootstrap && !v->settled) {
		out->what = DAEMON_SETTLE;
	} else if (!v->verified && !v->force) {
		out->what = DAEMON_VERIFY;
	} else if (v->bootstrap && !v->stored) {
		out->what = DAEMON_STORE;
	} else if (v->booting && !v->force && !v->planned && in_desired(v)) {
		finish(a, v, out);
	} else {
		update(a, v, out);
	}
}
