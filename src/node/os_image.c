/*
 * Another OS image, staged for the next boot: by bootc, by rpm-ostree from the registry or from the
 * node's storage, or by a container of the image where rpm-ostree is too old. The boot loader is
 * updated first; a failure of that is logged and does not stop the update.
 */
#include "node/os_image.h"

#include "base/backoff.h"
#include "bootc.h"
#include "bootloader.h"
#include "io/clock.h"
#include "io/log.h"
#include "node/kernel.h"
#include "os_local.h"
#include "podman.h"
#include "rpm_ostree.h"

int os_image_via_container(struct node *n, struct arena *a, struct str image, struct err *err)
{
	static const char unit[] = "machine-config-daemon-update-rpmostree-via-container";
	struct args args = { .a = a };
	bool enforcing = kernel_flag(n, a, "/sys/fs/selinux/enforce");
	int rc = 0;

	if (enforcing)
		rc = node_do(n, a, "setenforce 0", NULL, err);
	if (rc == 0)
		rc = podman_pull(n, a, unit, PODMAN_AUTH, true, image, err);
	if (rc < 0)
		return rc;
	podman_args(&args, unit);
	args_words(&args,
		   "run --env-file /etc/mco/proxy.env --privileged --pid=host "
		   "--net=host --rm -v /:/run/host %s rpm-ostree ex "
		   "deploy-from-self /run/host",
		   str_z(a, image));
	rc = host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
	if (rc == 0 && enforcing)
		rc = node_do(n, a, "setenforce 1", NULL, err);
	return rc;
}

void os_image_pulling(const struct node *n, const char *what, struct str image)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	node_emit(n,
		  &(struct node_event){ .kind = NODE_EVENT_PULL,
					.pull = NODE_PULL_STARTED,
					.text = str_fmt(&a, "Pulling %s image %.*s from registry",
							what, STRF(image)) });
}

int os_image_pulled(const struct node *n, const char *what, struct str image, int rc,
		    const struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct node_event e = { .kind = NODE_EVENT_PULL,
				.pull = rc < 0 ? NODE_PULL_FAILED : NODE_PULL_DONE };

	e.text = str_fmt(&a, "%s %s image %.*s from registry%s%.*s",
			 rc < 0 ? "Failed to pull" : "Successfully pulled", what, STRF(image),
			 rc < 0 ? ": " : "", STRF(rc < 0 ? err->msg : S("")));
	node_emit(n, &e);
	return rc;
}

/* Three attempts over half a minute: the cluster's DNS may be restarting. */
static int rebase(struct node *n, struct arena *a, struct str image, struct err *err)
{
	struct err last = ERR_INIT(a);
	char *ref = str_z(a, str_fmt(a, "ostree-unverified-registry:%.*s", STRF(image)));

	for (unsigned i = 0; i < 3; i++) {
		rpm_ostree_link_secret(n, a);
		if (node_do(n, a, "rpm-ostree rebase --experimental %s", ref, &last) == 0)
			return 0;
		log_warn("Failed to update OS to %.*s (will retry): %.*s", STRF(image),
			 STRF(last.msg));
		clock_sleep_ms(backoff_ms(n->retry_ms, BACKOFF_NO_CAP, i));
	}
	return err_set(err, ERR_SYS,
		       "failed to update OS to %.*s after retries: %.*s: timed "
		       "out waiting for the condition",
		       STRF(image), STRF(last.msg));
}

int os_image_update(struct node *n, struct arena *a, struct str image, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct os_image found = { 0 };
	bool new_enough = false;
	int rc;

	log_info("Updating OS to layered image \"%.*s\"", STRF(image));
	if (bootloader_update(n, a, image, &local) < 0)
		log_warn("bootloader update failed: %.*s", STRF(local.msg));
	if (bootc_manages(n)) {
		os_image_pulling(n, "OS", image);
		return os_image_pulled(n, "OS", image, bootc_switch(n, a, image, err), err);
	}
	rc = rpm_ostree_reads_images(n, a, &new_enough, err);
	if (rc == 0 && new_enough && n->pinned)
		rc = podman_find_image(n, a, image, &found, err);
	if (rc < 0)
		return rc;
	if (found.digest.n)
		return os_local_rebase(n, a, &found, err);
	if (new_enough) {
		os_image_pulling(n, "OS", image);
		return os_image_pulled(n, "OS", image, rebase(n, a, image, err), err);
	}
	host_log(&n->host, "rpm-ostree is not new enough for layering; forcing "
			   "an update via container");
	return os_image_via_container(n, a, image, err);
}
