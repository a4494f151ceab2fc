/*
 * A node of a hosted cluster, where whatever replaces or updates nodes delivers configs as files.
 *
 * Each call makes one step and returns the state; the caller drains the node between two of them.
 * The old config is the one on disk, so a step that was cut short can be repeated.
 */
#include "node/hosted.h"

#include "base/codec.h"
#include "data/flate.h"
#include "io/file.h"
#include "io/log.h"
#include "mc/contents.h"
#include "mc/reconcile.h"
#include "node/deployment.h"
#include "node/files.h"
#include "node/kernel.h"
#include "node/node_update.h"
#include "node/node_verify.h"
#include "node/post_action.h"
#include "node/reboot.h"

#define SERVED "/etc/mcs-machine-config-content.json"
#define CONFIG_MAX ((size_t)64 << 20)

static int current(struct node *n, struct arena *a, struct mc_current *out, struct err *err)
{
	struct str text;
	int rc = tree_read(a, &n->tree, STEPS_HOSTED_CONFIG, CONFIG_MAX, &text, err);

	if (rc == -ERR_NOTFOUND) {
		rc = tree_read(a, &n->tree, SERVED, CONFIG_MAX, &text, err);
		if (rc < 0)
			return err_wrap(err, "cannot find any existing "
					     "configuration on disk");
	}
	if (rc < 0)
		return err_wrap(err, "failed to load local config");
	rc = mc_current_parse(a, text, out, err);
	return rc < 0 ? err_wrap(err, "cannot read on-disk state into "
				      "MachineConfig")
		      : 0;
}

/* Plain, gzip, or gzip in base64. */
static struct str unpack(struct arena *a, struct str text)
{
	struct err ignored = ERR_INIT(a);
	struct str bytes = text, plain;

	if (base64_decode(a, str_trim(text), &bytes, &ignored) < 0)
		bytes = text;
	return flate_gunzip(a, bytes, CONFIG_MAX, &plain, &ignored) == 0 ? plain : text;
}

static int read_part(struct arena *a, const char *dir, const char *name, size_t max,
		     struct str *out, struct err *err)
{
	struct str path = str_fmt(a, "%s/%s", dir, name);
	int rc = file_read(a, path.p, max, out, err);

	return rc == -ERR_NOTFOUND
		       ? err_set(err, ERR_NOTFOUND, "open %s: no such file or directory", path.p)
		       : rc;
}

static int desired(struct arena *a, const char *dir, struct str *hash, struct mc_current *out,
		   struct err *err)
{
	struct ign_obj *config = NULL;
	const struct ign_obj *file;
	struct str text = S("");
	int rc = read_part(a, dir, "config", CONFIG_MAX, &text, err);

	if (rc < 0)
		return err_wrap(err, "failed to load desiredConfig");
	rc = read_part(a, dir, "hash", 4096, hash, err);
	if (rc < 0)
		return err_wrap(err, "failed to load desiredConfig hash");
	rc = ign_parse_35(a, unpack(a, text), &config, err);
	if (rc < 0)
		return err_wrap(err, "failed to parse Ignition from configmap "
				     "data.config");
	file = mc_find_file(config, S(SERVED));
	if (!file)
		return err_set(err, ERR_NOTFOUND,
			       "failed to find desiredConfig from configmap "
			       "data: no " SERVED " in it");
	rc = mc_contents(a, file, &text, err);
	if (rc == 0)
		rc = mc_current_parse(a, text, out, err);
	if (rc < 0)
		return err_wrap(err, "cannot decode desiredConfig from "
				     "configmap data");
	out->text = text; /* stored byte for byte */
	return 0;
}

static int verify(struct node *n, struct arena *a, const struct mc_current *c, struct err *err)
{
	const struct verify_opts o = { .first_only = true };
	struct mismatches list = { 0 };
	int rc = node_verify(n, a, c, S(""), &o, &list, err);

	if (rc == 0 && list.n)
		rc = err_set(err, ERR_INVALID, "%.*s", STRF(list.v[0].text));
	return rc < 0 ? err_wrap(err, "disk validation failed") : 0;
}

static int act(struct node *n, struct arena *a, const struct node_update *u, enum hosted_state *out,
	       struct err *err)
{
	int rc = 0;

	*out = HOSTED_DONE;
	for (size_t i = 0; rc == 0 && i < u->plan->n; i++) {
		if (u->plan->v[i].kind == UPDATE_RELOAD) {
			rc = post_action_crio(n, a, "reload", err);
		} else if (u->plan->v[i].kind == UPDATE_REBOOT && *out == HOSTED_DONE) {
			*out = HOSTED_REBOOT;
			rc = reboot_into(n, a, u->to->name, err);
		}
	}
	if (rc == 0)
		node_update_finished(n, a);
	return rc;
}

int hosted_step(struct node *n, struct arena *a, const char *dir, struct str asked,
		struct str *hash, enum hosted_state *out, struct err *err)
{
	const struct mc_overrides none = { 0 };
	struct mc_current from = { 0 }, to = { 0 };
	struct update_plan plan = { 0 };
	struct node_update u = { .from = &from, .to = &to, .plan = &plan, .hosted = true };
	struct update_in in = { .from = &from.spec,
				.to = &to.spec,
				.image_only = deployment_image_only(n) };
	struct err local = ERR_INIT(a);
	int rc = current(n, a, &from, err);

	if (rc == 0)
		rc = desired(a, dir, hash, &to, err);
	if (rc < 0)
		return rc;
	in.force = tree_exists(&n->tree, STEPS_FORCE);
	rc = mc_current_reconcile(a, &from, &to, &none, &local);
	if (rc == 0)
		rc = files_check_paths(n, a, &to.spec, false, &local);
	if (rc == 0)
		rc = kernel_check_fips(n, a, &to.spec, &local);
	if (rc < 0) {
		ptrdiff_t at = str_find(local.msg, S("configs "));

		return err_set(err, ERR_INVALID, "the update is not reconcilable: %.*s",
			       STRF(str_from(local.msg, at < 0 ? 0 : (size_t)at)));
	}
	rc = plan_update_legacy(a, &in, &plan, err);
	if (rc < 0)
		return rc;
	if (update_nothing(&plan.changes)) {
		*out = HOSTED_DONE;
		return verify(n, a, &to, err);
	}
	rc = tree_remove(&n->tree, STEPS_FORCE, err);
	if (rc < 0)
		return err_wrap(err, "failed to remove force validation file");
	if (plan.drain && !str_eq(asked, str_fmt(a, "drain-%.*s", STRF(*hash)))) {
		*out = HOSTED_DRAIN;
		return 0;
	}
	rc = node_update_apply(n, a, &u, err);
	if (rc < 0)
		return err_wrap(err, "failed to update configuration");
	rc = act(n, a, &u, out, err);
	if (rc < 0 && node_update_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	return rc;
}
