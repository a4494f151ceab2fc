/*
 * `mco-daemon apply`: one rendered config, all or nothing, without a cluster.
 */
#include "node/apply_command.h"

#include "node/boot.h"
#include "node/dry_run_text.h"
#include "node/guard.h"
#include "node/node_update.h"
#include "node/node_verify.h"
#include "node/standalone.h"
#include "plan/verify.h"

/* The real run would first undo an interrupted update, which a dry run cannot show. */
static int check_nothing_cut(struct node *n, struct arena *a, struct err *err)
{
	struct node_journal_view v = { 0 };
	int rc = node_update_journal(n, a, &v, err);

	if (rc == 0 && (v.state == JOURNAL_ACTIVE || v.state == JOURNAL_UNDO))
		rc = err_set(err, ERR_INVALID,
			     "the update from %.*s to %.*s was interrupted: run `recover` "
			     "first",
			     STRF(v.from), STRF(v.to));
	return rc;
}

/* As upstream before each update: refuses a disk that differs from its config. */
static int preflight(struct node *n, struct arena *a, const struct mc_current *c, struct str image,
		     struct err *err)
{
	const struct verify_opts first = { .first_only = true };
	struct mismatches list = { 0 };
	int rc = node_verify(n, a, c, image, &first, &list, err);

	if (rc == 0 && list.n)
		rc = err_set(err, ERR_INVALID, "%.*s%.*s", STRF(verify_prefix(a, c->name, image)),
			     STRF(list.v[0].text));
	return rc;
}

int apply_command(struct node *n, struct arena *a, const struct mc_current *to,
		  const struct apply_opts *o, struct buf *out, struct err *err)
{
	struct mc_current from = { 0 };
	struct str image = S("");
	struct os_status status;
	int rc = guard_root(n, o->force, err);

	if (rc == 0)
		rc = guard_config(n, a, to, o->force, err);
	if (rc < 0)
		return rc;
	rc = o->dry_run ? check_nothing_cut(n, a, err) : boot_init(n, a, &status, err);
	if (rc == 0)
		rc = node_current(n, a, &from, &image, err);
	if (rc == -ERR_NOTFOUND) {
		mc_current_empty(a, &from);
		rc = 0;
	} else if (rc == 0 && !o->force && !tree_exists(&n->tree, STEPS_FORCE)) {
		rc = preflight(n, a, &from, image, err);
	}
	if (rc < 0)
		return rc;
	if (o->dry_run)
		return dry_run_apply_text(n, a, &from, to, o->secrets, out, err);
	rc = standalone_update(n, a, &from, to, err);
	if (rc == 0)
		buf_addf(out, "%.*s -> %.*s\n", STRF(from.name), STRF(to->name));
	return rc;
}
