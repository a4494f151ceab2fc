/*
 * OS image, kernel arguments, kernel and extensions, staged for the next boot.
 *
 * Nothing is changed in the booted OS, so deployment_clean_pending undoes all of it; os_change does
 * that itself when one of the stages fails.
 */
#include "os_change.h"

#include "io/log.h"
#include "node/deployment.h"
#include "node/extensions.h"
#include "node/os_image.h"
#include "rpm_ostree.h"

static int switch_kernel(struct node *n, struct arena *a, struct str from, struct str to,
			 struct err *err)
{
	struct strs words = { 0 };

	if (!n->os.el || str_is(to, "default"))
		return 0;
#ifndef __aarch64__
	if (str_is(to, "64k-pages"))
		return err_set(err, ERR_INVALID, OS_64K_REFUSED);
#endif
	host_log(&n->host, "%s %.*s",
		 str_eq(from, to) ? "Re-applying kernel type" : "Initiating switch to kernel",
		 STRF(to));
	os_kernel_switch(a, to, &words);
	return rpm_ostree_run(n, a, &words, err);
}

static int change_kargs(struct node *n, struct arena *a, const struct strs *from,
			const struct strs *to, struct err *err)
{
	struct strs words = { 0 };

	VEC_PUSH(a, &words, S("kargs"));
	os_kargs_args(a, from, to, &words);
	if (words.n == 1)
		return 0;
	host_log(&n->host, "Running rpm-ostree %.*s", STRF(os_list(a, &words)));
	return rpm_ostree_run(n, a, &words, err);
}

static int reset_kernel(struct node *n, struct arena *a, struct err *err)
{
	struct strs words = { 0 };
	struct os_status s = { 0 };
	int rc = deployment_status(n, a, &s, err);

	if (rc == 0)
		os_kernel_reset(a, &s, &words);
	return rc < 0 || !words.n ? rc : rpm_ostree_run(n, a, &words, err);
}

struct change {
	struct update_changes c;
	const struct mc_current *from, *to;
	bool ocl;
};

static int stage(struct node *n, struct arena *a, const struct change *ch, struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool kernel = ch->c.os_image || ch->c.kernel_type;
	int rc = 0;

	if (!ch->ocl && kernel)
		rc = reset_kernel(n, a, err);
	if (rc == 0 && ch->c.os_image)
		rc = os_image_update(n, a, to->os_image, err);
	node_emit(n, &(struct node_event){ .kind = NODE_EVENT_STAGED, .failed = rc < 0 });
	if (rc < 0)
		return rc;
	if (ch->c.os_image)
		node_event(n, "OSUpgradeApplied",
			   "OS upgrade applied; new MachineConfig (%.*s) has "
			   "new OS image (%.*s)",
			   STRF(ch->to->name), STRF(to->os_image));
	else
		node_event(n, "OSUpgradeSkipped",
			   "OS upgrade skipped; new MachineConfig (%.*s) has "
			   "same OS image (%.*s) as old MachineConfig (%.*s)",
			   STRF(ch->to->name), STRF(to->os_image), STRF(ch->from->name));
	if (ch->c.kargs)
		rc = change_kargs(n, a, &from->kargs, &to->kargs, err);
	if (rc < 0 || ch->ocl)
		return rc;
	if (kernel)
		rc = switch_kernel(n, a, from->kernel_type, to->kernel_type, err);
	return rc < 0 ? rc : extensions_change(n, a, from, to, err);
}

static struct str reasons(struct arena *a, const struct change *ch)
{
	const struct {
		bool on;
		const char *text;
	} all[] = {
		{ ch->c.os_image, "Upgrading OS" },
		{ ch->c.extensions, "Installing extensions" },
		{ ch->c.kernel_type, "Changing kernel type" },
		{ ch->c.kargs, "Changing kernel arguments" },
	};
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i].on)
			buf_addf(&b, "%s%s", b.n ? "; " : "", all[i].text);
	if (!b.n)
		buf_addf(&b, "Updating to a target config with %.*s kernel",
			 STRF(ch->to->spec.kernel_type));
	return buf_str(&b);
}

static int change_layers(struct node *n, struct arena *a, struct change *ch, struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool layered = from->extensions.n || to->extensions.n ||
		       !str_is(from->kernel_type, "default") || !str_is(to->kernel_type, "default");
	struct err ignored = ERR_INIT(a), cleaning = ERR_INIT(a);
	char *dir = NULL;
	int rc = 0;

	if (to->extensions_image.n && layered && !ch->ocl) {
		os_image_pulling(n, "extensions", to->extensions_image);
		rc = os_image_pulled(n, "extensions", to->extensions_image,
				     extensions_add_repo(n, a, to->extensions_image, &dir, err),
				     err);
	}
	if (rc == 0 && deployment_clean_pending(n, a, err) < 0) {
		rc = err_wrap(err, "failed to remove pending deployment");
	} else if (rc == 0) {
		rc = stage(n, a, ch, err);
		/* a repository without packages would break the next rpm-ostree call */
		if (rc == 0 && dir)
			rc = tree_remove(&n->tree, EXTENSIONS_REPO, err);
		if (rc < 0 && deployment_clean_pending(n, a, &cleaning) < 0)
			rc = err_set(err, ERR_SYS,
				     "error removing staged deployment: "
				     "[%.*s, %.*s]",
				     STRF(cleaning.msg), STRF(err->msg));
	}
	if (dir) {
		(void)tree_remove_all(&n->tree, dir, &ignored);
		(void)tree_remove(&n->tree, EXTENSIONS_REPO, &ignored);
	}
	return rc;
}

int os_change(struct node *n, struct arena *a, struct update_changes c,
	      const struct mc_current *from, const struct mc_current *to, bool ocl, struct err *err)
{
	struct change ch = { c, from, to, ocl };
	const struct map *guard = n->tree.allowed;
	struct os_status s = { 0 };
	int rc;

	if (c.os_image || c.extensions || c.kernel_type || ocl)
		node_event(n, "InClusterUpgrade", "Updating from oscontainer %.*s",
			   STRF(to->spec.os_image));
	else if (!c.kargs && str_is(to->spec.kernel_type, "default"))
		return 0;
	node_event(n, "OSUpdateStarted", "%.*s", STRF(reasons(a, &ch)));
	/* an image that is booted must not be staged again */
	if (c.os_image && !n->booted_image.n) {
		rc = deployment_status(n, a, &s, err);
		if (rc < 0)
			return rc;
	}
	if (c.os_image &&
	    str_eq(n->booted_image.n ? n->booted_image : s.image, to->spec.os_image)) {
		log_info("Already in desired image %.*s", STRF(to->spec.os_image));
		ch.c.os_image = false;
	}
	/* it removes what it writes itself outside of the journal */
	n->tree.allowed = NULL;
	rc = change_layers(n, a, &ch, err);
	n->tree.allowed = guard;
	if (rc == 0)
		node_event(n, "OSUpdateStaged", "Changes to OS staged");
	return rc;
}
