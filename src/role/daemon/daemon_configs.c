/*
 * daemon_configs: gets the configs that a pass goes from and to, and checks at its end that
 * the cluster still has them. Changes nothing on the node.
 */
#include "daemon_own.h"
#include "io/log.h"

static void get_config(struct daemon *d, enum daemon_state s, struct str name)
{
	daemon_get(d, s, str_fmt(&d->turn, PATH_MC "machineconfigs/%.*s", STRF(name)));
}

static struct str not_found(struct daemon *d, struct str name)
{
	const struct daemon_view *v = &d->v;
	struct arena *a = &d->turn;

	if (!v->bootstrap || !str_eq(name, v->current))
		return str_fmt(a,
			       "machineconfig.machineconfiguration.openshift."
			       "io \"%.*s\" not found",
			       STRF(name));
	if (!v->disk.n)
		return S("error fetching current config on disk during "
			 "bootstrap: open " STEPS_CURRENT_CONFIG
			 ": no such file or directory, config: <nil>");
	return str_fmt(a,
		       "error current config %.*s on disk does not match "
		       "current config on annotation: %.*s",
		       STRF(v->disk), STRF(name));
}

void daemon_config_missing(struct daemon *d, struct str name)
{
	daemon_look(d);
	if (d->v.bootstrap && str_eq(name, d->v.current) && str_eq(name, d->v.disk))
		daemon_mismatch(d);
	else
		daemon_fail(d, not_found(d, name), false);
}

static bool parse(struct daemon *d, struct str body, struct mc_current *out)
{
	struct err err = ERR_INIT(&d->turn);

	if (mc_current_parse(&d->update.a, str_dup(&d->update.a, body), out, &err) == 0)
		return true;
	daemon_fail(d, err.msg, false);
	return false;
}

static void all_loaded(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	/* an image that was built in the cluster replaces the OS image */
	if (v->pass.from_image.n)
		d->update.from.spec.os_image = v->pass.from_image;
	if (v->pass.target_image.n)
		d->update.to.spec.os_image = v->pass.target_image;
	if (str_eq(v->current, v->pass.target)) {
		log_info("Current+desired config: %.*s", STRF(v->current));
	} else {
		log_info("Current config: %.*s", STRF(v->current));
		log_info("Desired config: %.*s", STRF(v->pass.target));
	}
	v->pass.force = tree_exists(&d->node->tree, STEPS_FORCE);
	v->pass.stage = STAGE_LOADED;
	daemon_wake(d, 0);
}

/* Takes the current config from the disk, where the disk has it. */
static bool from_disk(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);

	if (!d->v.disk.n || (d->v.bootstrap && !str_eq(d->v.disk, d->v.current)))
		return false;
	if (node_current(d->node, &d->update.a, &d->update.from, &d->v.pass.from_image, &err) < 0)
		daemon_fail(d, err.msg, false);
	else
		all_loaded(d);
	return true;
}

void daemon_got_current(struct daemon *d, struct str body)
{
	daemon_look(d);
	if (from_disk(d))
		return;
	d->v.pass.from_image = str_dup(&d->update.a, d->v.current_image);
	if (parse(d, body, &d->update.from))
		all_loaded(d);
}

/* Reports a config that cannot be read as one that cannot be reconciled. */
static bool unreadable(struct daemon *d, struct str body)
{
	struct err err = ERR_INIT(&d->turn);
	struct str from = d->v.disk.n ? d->v.disk : d->v.current;

	if (mc_current_parse(&d->update.a, str_dup(&d->update.a, body), &d->update.to, &err) == 0)
		return false;
	(void)err_wrap(&err,
		       "can't reconcile config %.*s with %.*s: configs %.*s, "
		       "%.*s are not reconcilable",
		       STRF(from), STRF(d->v.pass.target), STRF(from), STRF(d->v.pass.target));
	daemon_emit(d, S("FailedToReconcile"), err.msg);
	daemon_fail(d, err.msg, true);
	return true;
}

void daemon_got_target(struct daemon *d, struct str body)
{
	daemon_look(d);
	if (unreadable(d, body))
		return;
	if (!str_eq(d->v.current, d->v.pass.target)) {
		get_config(d, STATE_GET_CURRENT, d->v.current);
	} else if (!from_disk(d)) {
		d->update.from = d->update.to;
		d->v.pass.from_image = str_dup(&d->update.a, d->v.current_image);
		all_loaded(d);
	}
}

void daemon_load(struct daemon *d)
{
	arena_free(&d->update.a);
	d->v.pass.target = str_dup(&d->update.a, d->v.desired);
	d->v.pass.target_image = str_dup(&d->update.a, d->v.desired_image);
	get_config(d, STATE_GET_TARGET, d->v.pass.target);
}

/* ---- at the end ---------------------------------------------------------- */

void daemon_confirm(struct daemon *d)
{
	get_config(d, STATE_CONFIRM_CURRENT, d->v.current);
}

void daemon_confirmed_current(struct daemon *d)
{
	daemon_look(d);
	if (str_eq(d->v.current, d->v.pass.target))
		daemon_confirmed(d);
	else
		get_config(d, STATE_CONFIRM_TARGET, d->v.pass.target);
}

void daemon_confirmed(struct daemon *d)
{
	d->v.pass.stage = STAGE_CONFIRMED;
	daemon_wake(d, 0);
}

void daemon_config_gone(struct daemon *d, struct str name)
{
	d->next.text = str_fmt(&d->turn,
			       "could not apply update: error processing state and configs. "
			       "Error: machineconfig." GROUP_MC " \"%.*s\" not found",
			       STRF(name));
	daemon_job(d, STATE_ROLL_BACK, d->next.text);
}
