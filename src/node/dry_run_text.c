/*
 * --dry-run of apply and rollback as text: what changes on the disk, which commands
 * run, and what follows. Built from the steps that the real run would take.
 */
#include "node/dry_run_text.h"

#include "node/deployment.h"
#include "node/dry_run.h"
#include "node/journal_act.h"
#include "node/standalone.h"
#include "view/config_diff.h"

struct shown {
	struct arena *a;
	struct node *n;
	struct buf *out;
	bool secrets;
	size_t lines; /* of changes */
};

/* Users, kernel arguments, OS: changes that are not files. os: the OS changes. */
static void show_rest(struct shown *s, const struct mc_current *from, const struct mc_current *to,
		      bool os)
{
	const struct config_diff_opts opts = { .secrets = s->secrets };
	const struct update_plan no_paths = { 0 };
	struct mc_merged was = from->spec, is = to->spec;
	struct config_diff d = { .from = &was, .to = &is, .plan = &no_paths };

	if (!os) {
		is = from->spec;
		is.config = to->spec.config;
	} else if (str_eq(s->n->booted_image, is.os_image)) {
		was.os_image = is.os_image; /* it is there already */
	}
	s->lines += config_diff_text(s->out, &d, &opts);
}

static void show_disk(struct shown *s, const struct dry_run *d)
{
	const struct contents_opts opts = { .secrets = s->secrets, .indent = "  " };

	s->lines += disk_diff(s->out, &d->disk, &opts);
}

static void show_commands(struct shown *s, const struct dry_run *d)
{
	if (!s->lines && !d->commands.n)
		buf_addz(s->out, "nothing changes on the disk\n");
	if (d->commands.n)
		buf_addz(s->out, "commands:\n");
	for (size_t i = 0; i < d->commands.n; i++)
		buf_addf(s->out, "  %.*s\n", STRF(d->commands.v[i]));
}

static const char *command_of(struct arena *a, const struct update_action *act)
{
	switch (act->kind) {
	case UPDATE_RELOAD:
	case UPDATE_SPECIAL:
		return str_fmt(a, "systemctl reload %.*s", STRF(act->service)).p;
	case UPDATE_RESTART:
		return str_fmt(a, "systemctl restart %.*s", STRF(act->service)).p;
	case UPDATE_DAEMON_RELOAD:
		return "systemctl daemon-reload";
	case UPDATE_REBOOT:
		return "REBOOT";
	case UPDATE_NONE:
	case UPDATE_DRAIN:
		break;
	}
	return "nothing is reloaded or rebooted";
}

static void show_action(struct shown *s, const struct update_action *act)
{
	struct buf *b = s->out;
	const char *skipped = s->n->offline ? "skipped (--offline): "
			      : s->n->skip_reboot && act->kind == UPDATE_REBOOT
				      ? "skipped (--skip-reboot): "
				      : "";

	/* see journal_act */
	if (act->kind == UPDATE_RESTART && str_is(act->service, "crio"))
		buf_addf(b, "  %supdate-ca-trust\n", skipped);
	buf_addf(b, "  %s%s", skipped, command_of(s->a, act));
	if (act->cause.n)
		buf_addf(b, ": %.*s", STRF(act->cause));
	if (act->rule.n)
		buf_addf(b, ": %.*s", STRF(act->rule));
	buf_addc(b, '\n');
}

/* A second reboot for a reason that the journal does not record. */
static bool same_as_last(const struct update_plan *p, size_t i)
{
	return i > 0 && p->v[i].kind == UPDATE_REBOOT && p->v[i - 1].kind == UPDATE_REBOOT &&
	       str_eq(p->v[i].cause, p->v[i - 1].cause) && str_eq(p->v[i].rule, p->v[i - 1].rule);
}

static void show_follow(struct shown *s, const struct update_plan *p)
{
	buf_addz(s->out, "then:\n");
	if (p->drain && !s->n->offline)
		buf_addz(s->out, "  no drain: pods that run here are not "
				 "moved; drain the node first\n");
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].kind != UPDATE_DRAIN && !same_as_last(p, i))
			show_action(s, &p->v[i]);
}

int dry_run_apply_text(struct node *n, struct arena *a, const struct mc_current *from,
		       const struct mc_current *to, bool secrets, struct buf *out, struct err *err)
{
	struct node_update u = { .from = from,
				 .to = to,
				 .force = tree_exists(&n->tree, STEPS_FORCE) };
	struct shown s = { .a = a, .n = n, .out = out, .secrets = secrets };
	bool os = n->os.core_os && !n->offline;
	struct update_plan plan = { 0 };
	struct os_status status = { 0 };
	struct dry_run d;
	int rc = standalone_plan(n, a, from, to, &plan, err);

	if (rc == 0)
		rc = dry_run_update(n, a, &u, &d, err);
	if (rc == 0 && os) {
		rc = deployment_status(n, a, &status, err);
		n->booted_image = status.image;
	}
	if (rc < 0)
		return rc;
	buf_addf(out, "%.*s -> %.*s\n", STRF(from->name), STRF(to->name));
	show_disk(&s, &d);
	show_rest(&s, from, to, os);
	show_commands(&s, &d);
	show_follow(&s, &plan);
	return 0;
}

int dry_run_rollback_text(struct node *n, struct arena *a, bool secrets, struct buf *out,
			  struct err *err)
{
	struct shown s = { .a = a, .n = n, .out = out, .secrets = secrets };
	struct node_journal_view v = { 0 };
	struct update_plan plan = { 0 };
	struct dry_back back;
	struct dry_run d;
	int rc = dry_run_rollback(n, a, &d, &back, err);

	if (rc == 0)
		rc = node_update_journal(n, a, &v, err);
	if (rc < 0)
		return rc;
	buf_addf(out, "%.*s -> %.*s\n", STRF(back.to.name), STRF(back.from.name));
	for (size_t i = 0; i < back.put_right.n; i++)
		buf_addf(out, "restore: %.*s was edited\n", STRF(back.put_right.v[i]));
	show_disk(&s, &d);
	show_rest(&s, &back.to, &back.from, back.os);
	show_commands(&s, &d);
	journal_actions(a, &v, &plan);
	for (size_t i = 0; i < plan.n; i++) {
		plan.drain = plan.drain || plan.v[i].kind == UPDATE_DRAIN ||
			     plan.v[i].kind == UPDATE_REBOOT;
		plan.v[i].cause = str_fmt(a, "as after the update to %.*s", STRF(v.to));
	}
	if (plan.n)
		show_follow(&s, &plan);
	else
		buf_addz(out, "then:\n  nothing is reloaded or rebooted\n");
	return 0;
}
