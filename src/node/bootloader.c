/*
 * The boot loader, updated before an OS whose kernel the old one may not trust: by the node's own
 * service, else by bootupctl of the new image, else by copying the EFI files. As in upstream, the
 * caller logs a failure and the OS update goes on.
 *
 * EFI partitions are mounted in a mount namespace of this process: a mount that cannot be undone,
 * or that a killed process leaves behind, ends with the process and the host never sees it.
 */
#include "bootloader.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "io/log.h"
#include "plan/esp.h"
#include "podman.h"
#include "walk.h"

#define ESP "/boot/efi"
#define BY_HAND "bootupd fallback: "

/* ---- by hand, where bootupctl cannot ------------------------------------- */

/*
 * Moves this process to a mount namespace of its own. The root is opened again: the old descriptor
 * still shows the mounts of the old namespace. unshare(2) and mount(2) need the same capability, so
 * where the first fails there is no mount to hide either.
 */
static int hide_mounts(struct node *n, struct err *err)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
		log_warn("EFI partitions are mounted in a shared mount namespace: %s",
			 strerror(errno));
		return 0;
	}
	return tree_reopen(&n->tree, err);
}

/* Removes the copies that bootupctl writes beside a directory before it replaces it. */
static void drop_leftovers(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct strs names = { 0 };
	struct stat st;

	(void)tree_list(a, &n->tree, ESP "/EFI", &names, &err);
	for (size_t i = 0; i < names.n; i++) {
		const char *path = str_fmt(a, ESP "/EFI/%.*s", STRF(names.v[i])).p;

		if (!str_starts(names.v[i], S(".btmp.")) ||
		    tree_lstat(&n->tree, path, &st, &err) < 0 || !S_ISDIR(st.st_mode))
			continue;
		host_log(&n->host, BY_HAND "removing leftover %s", path);
		if (tree_remove_all(&n->tree, path, &err) < 0)
			host_log(&n->host, BY_HAND "failed to remove %s: %s", path, err.msg.p);
	}
}

static void log_sums(struct node *n, struct arena *a, const char *when, const char *device)
{
	struct err ignored = ERR_INIT(a);
	struct str text = S("");

	(void)node_output(n, a, "sh -c %s", "find " ESP " -type f | xargs sha256sum", &text,
			  &ignored);
	host_log(&n->host, "bootupd fallback [%s %s]:\n%.*s%s", when, device, STRF(text),
		 text.n ? "\n" : "");
}

static int copy_to_device(struct node *n, struct arena *a, const char *device, const char *from,
			  struct err *err)
{
	struct err local = ERR_INIT(a);
	int rc;

	host_log(&n->host, BY_HAND "copying EFI files to %s", device);
	rc = node_do(n, a, "mount %s " ESP, device, err);
	if (rc < 0)
		return err_wrap(err, "mounting %s", device);
	drop_leftovers(n, a);
	log_sums(n, a, "Before", device);
	rc = node_do(n, a, "cp -rp %s " ESP "/", from, err);
	if (rc < 0)
		rc = err_wrap(err, "copying EFI files");
	else
		log_sums(n, a, "After", device);
	tree_forget(&n->tree); /* an open directory would keep the mount busy */
	if (node_do(n, a, "umount " ESP, NULL, &local) < 0) {
		host_log(&n->host, BY_HAND "umount " ESP ": %s", local.msg.p);
		if (rc == 0)
			rc = err_set(err, ERR_SYS, "unmounting " ESP ": %s", local.msg.p);
	}
	return rc;
}

static int find_esps(struct node *n, struct arena *a, struct strs *out, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str disks, boot;

	if (node_output(n, a, "lsblk --paths --json -o NAME,PARTTYPE,FSTYPE", NULL, &disks, err) <
	    0)
		return err_wrap(err, "lsblk");
	if (node_output(n, a, "findmnt -n -o SOURCE --target /boot", NULL, &boot, err) < 0)
		return err_wrap(err, "findmnt /boot");
	/* lsblk knows it by its own name, not by its UUID */
	(void)tree_realpath(a, &n->tree, str_z(a, boot), &boot, &ignored);
	return esp_choose(a, disks, boot, out, err);
}

static int copy_to_devices(struct node *n, struct arena *a, struct str container, const char *dir,
			   struct err *err)
{
	struct str from = str_fmt(a, "%.*s:/usr/lib/bootupd/updates/EFI", STRF(container));
	struct args args = { .a = a };
	struct strs esps = { 0 };
	struct host_out out;
	int rc = tree_mkdirs(&n->tree, dir, 0700, -1, -1, err);

	if (rc < 0)
		return err_wrap(err, "creating temp dir");
	args_words(&args, "podman cp %s %s", from.p, dir);
	rc = host_run(a, &n->host, HOST_CAPTURE, args_end(&args), &out, err);
	if (rc < 0)
		return err_wrap(err, "extracting EFI files from container");
	rc = find_esps(n, a, &esps, err);
	if (rc == 0)
		rc = hide_mounts(n, err);
	for (size_t i = 0; rc == 0 && i < esps.n; i++) {
		const char *device = str_z(a, esps.v[i]);

		rc = copy_to_device(n, a, device, str_fmt(a, "%s/EFI", dir).p, err);
		if (rc < 0)
			rc = err_wrap(err, "copying EFI to %s", device);
	}
	return rc < 0 ? rc : node_do(n, a, "sync", NULL, err);
}

static int update_by_hand(struct node *n, struct arena *a, const char *image, struct err *err)
{
	const char *dir = str_fmt(a, "/tmp/bootupd-efi-%.8s", podman_uuid(a).p).p;
	struct err ignored = ERR_INIT(a);
	struct str container;
	int rc = node_output(n, a, "podman create --name bootupd-efi-extract %s", image, &container,
			     err);

	if (rc < 0)
		return err_wrap(err, "creating container for EFI extraction");
	rc = copy_to_devices(n, a, container, dir, err);
	(void)tree_remove_all(&n->tree, dir, &ignored);
	(void)node_do(n, a, "podman rm -f %s", str_z(a, container), &ignored);
	return rc;
}

/* ---- with what the new image has ----------------------------------------- */

static int update_by_container(struct node *n, struct arena *a, struct str image, struct err *err)
{
	const char *z = str_z(a, image);
	struct err local = ERR_INIT(a);
	struct args args = { .a = a };
	struct os_image found = { 0 };

	host_log(&n->host, "runBootupdViaContainer: attempting bootloader update");
	if (podman_find_image(n, a, image, &found, &local) < 0)
		host_log(&n->host,
			 "runBootupdViaContainer: could not check local podman "
			 "storage, will attempt pull: %s",
			 local.msg.p);
	if (!found.there &&
	    podman_pull(n, a, "machine-config-daemon-bootupd",
			tree_exists(&n->tree, STEPS_PULL_SECRET) ? STEPS_PULL_SECRET : PODMAN_AUTH,
			false, image, err) < 0)
		return err_wrap(err, "pulling image for bootupctl");
	host_log(&n->host, "bootupctl: running update from container image");
	podman_args(&args, "machine-config-daemon-bootupd-update");
	args_words(&args,
		   "run --env %s --privileged --pid=host --net=host --rm -v "
		   "/boot:/boot:rslave -v /dev:/dev %s bootupctl update",
		   str_fmt(a, "INVOCATION_ID=%s", podman_uuid(a).p).p, z);
	if (host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, &local) == 0)
		return 0;
	host_log(&n->host,
		 "bootupctl update failed (%s); falling back to manual EFI "
		 "copy",
		 local.msg.p);
	if (update_by_hand(n, a, z, err) < 0)
		return err_wrap(err, "bootupctl fallback EFI copy");
	host_log(&n->host, "bootupctl: fallback EFI copy completed");
	return 0;
}

/* Nobody knows: it may be. */
static bool secure_boot(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct str text;

	if (node_output(n, a, "mokutil --sb-state", NULL, &text, &err) == 0)
		return str_find(text, S("SecureBoot enabled")) >= 0;
	host_log(&n->host,
		 "isSecureBootEnabled: mokutil failed, assuming Secure Boot "
		 "may be enabled: %s",
		 err.msg.p);
	return true;
}

#define SAYS "runBootloaderUpdate: "
#define SERVICE "bootloader-update.service"

/* The one that the OS has, where that is new enough to have one. */
static bool update_by_service(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);

	if (n->os.major < 9 || (n->os.major == 9 && n->os.minor < 6))
		return false;
	host_log(&n->host, SAYS "RHEL 9.6+ detected, attempting node-level "
				"bootloader update via " SERVICE);
	if (node_do(n, a, "systemctl start " SERVICE, NULL, &err) == 0) {
		host_log(&n->host, SAYS "node-level " SERVICE " succeeded");
		return true;
	}
	host_log(&n->host,
		 SAYS SERVICE " failed with error: %s, "
			      "falling back to container-based update",
		 err.msg.p);
	return false;
}

int bootloader_update(struct node *n, struct arena *a, struct str image, struct err *err)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
	return 0; /* the others have no such loader */
#endif
	if (!n->os.core_os)
		return 0;
	if (!secure_boot(n, a)) {
		host_log(&n->host, SAYS "Secure Boot not enabled, bootloader "
					"update not required");
		return 0;
	}
	return update_by_service(n, a) ? 0 : update_by_container(n, a, image, err);
}
