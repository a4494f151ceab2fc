/*
 * daemon_hosted: a node of a hosted cluster. Its annotations have hashes of configs, and the
 * configs are files. Each step reads all of them again.
 */
#include "daemon_own.h"
#include "io/log.h"

static void set(struct daemon *d, const char *key, struct str value)
{
	struct daemon_next *n = &d->next;

	n->pairs[n->n_pairs++] = (struct daemon_pair){ .key = str_of(key), .value = value };
}

void daemon_hosted(struct daemon *d)
{
	const struct daemon_view *v = &d->v;

	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE };
	if (v->rebooting || !v->desired.n || str_eq(v->current, v->desired))
		return;
	if (!str_eq(v->want_drain, v->did_drain)) {
		log_info("The controller has not yet performed our previous "
			 "drain/uncordon request %.*s",
			 STRF(v->want_drain));
		return;
	}
	daemon_job(d, STATE_HOSTED, d->hosted);
}

void daemon_hosted_found(struct daemon *d, enum hosted_state state, struct str hash)
{
	bool done = state == HOSTED_DONE;

	if (state == HOSTED_REBOOT) {
		d->v.rebooting = true;
		return;
	}
	hash = str_dup(&d->turn, hash);
	set(d, ANNO_STATE, done ? S("Done") : S("Working"));
	set(d, ANNO_REASON, S(""));
	set(d, ANNO_DESIRED_DRAIN,
	    str_fmt(&d->turn, "%s-%.*s", done ? "uncordon" : "drain", STRF(hash)));
	if (done)
		set(d, ANNO_CURRENT_CONFIG, hash);
}

void daemon_hosted_over(struct daemon *d)
{
	if (d->next.n_pairs)
		daemon_annotate(d, STATE_NOTE);
}
