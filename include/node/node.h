/*
 * node: one machine that configs are applied to.
 *
 * What is done to it blocks: commands are waited for, disks are fsynced. A
 * program with a loop does it in a child process.
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include "mc/current.h"
#include "node/host.h"
#include "node/journal.h"
#include "plan/os.h"
#include "plan/steps.h"

struct node {
	struct tree tree;
	struct host host;
	struct os_release os;
	/* No systemd runs on this root: units are enabled by links alone, and
	 * nothing is reloaded or rebooted. */
	bool offline;
	bool skip_reboot;
	bool pinned; /* images are kept here: the OS's may be among them */
	bool again; /* a first boot was cut short here, and is repeated */
	/* Events for whoever tells the cluster; or NULL. With a small letter
	 * first it is not for the cluster: "done" (a post action), "pivot" (an
	 * OS image that was staged, or not: then it has a text), "defer" (a
	 * kubelet that need not be restarted now has a text), "pull U", "pull
	 * F", "pull T" (an image is being pulled, was not, was), "failed
	 * <condition>" (an update's step). */
	void (*event)(void *ctx, const char *reason, struct str message);
	void *event_ctx;
	struct str booted_image; /* "" until it is known */
	int64_t retry_ms; /* the first wait between tries; 10 s */
};

/* Opens the root and finds out which OS it has. */
int node_open(struct node *n, struct arena *a, const char *root, struct err *err);
void node_close(struct node *n);

void node_event(const struct node *n, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Runs a program; a %s in words is x, one argument whatever is in it. The second
 * gives back what it says, without the blanks around it. */
int node_do(struct node *n, struct arena *a, const char *words, const char *x, struct err *err);
int node_ask(struct node *n, struct arena *a, const char *words, const char *x, struct str *out,
	     struct err *err);

/* "/usr" + path is there: the OS ships it. */
bool files_ships(struct node *n, struct arena *a, const char *path);

/* ---- files --------------------------------------------------------------- */

/* Keeps what the OS shipped at path, or stamps that it shipped nothing. */
int files_keep_orig(struct node *n, struct arena *a, const char *from, const char *path,
		    struct err *err);
int files_write(struct node *n, struct arena *a, const struct step *s, struct err *err);
/* The bytes of a file of a config, unpacked as they are given. */
struct producer files_bytes(const struct ign_obj *file);
/* ERR_LIMIT when the packed files of an update do not fit on the disk. */
int files_check_room(struct node *n, const struct steps *steps, struct err *err);
/* Puts what the OS shipped back (*restored), or forgets that it shipped none.
 * ask: only when a package still owns it, or /usr has it. */
int files_restore_orig(struct node *n, struct arena *a, const char *path, bool ask, bool *restored,
		       struct err *err);
/* Whether that would put something back. */
int files_would_restore(struct node *n, struct arena *a, const char *path, bool ask, bool *out,
			struct err *err);
/* ERR_INVALID when a file or unit of the config would be written, through links
 * of this node, onto the daemon's own state. Before the node is drained. bare: as
 * in struct steps_in. */
int files_check_paths(struct node *n, struct arena *a, const struct mc_merged *to, bool bare,
		      struct err *err);
int files_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err);
/* Ids by the node's own passwd and group; ERR_NOTFOUND. */
int files_lookup_id(struct node *n, struct arena *a, const char *file, struct str name, int64_t *id,
		    struct err *err);
/* Owner of a file, directory or link, which begin with the same fields. */
int files_owner(struct node *n, struct arena *a, const struct ign_obj *o, int64_t *uid,
		int64_t *gid, struct err *err);

/* ---- units --------------------------------------------------------------- */

int units_write_dropin(struct node *n, struct arena *a, const struct step *s, struct err *err);
int units_write(struct node *n, struct arena *a, const struct step *s, struct err *err);
int units_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err);
/* False when it could not be done, which is logged. */
bool units_preset(struct node *n, struct arena *a, struct str unit);
/* All at once; enable says which of the two. */
int units_enable(struct node *n, struct arena *a, const struct strs *units, bool enable,
		 struct err *err);
/* What `systemctl is-enabled` says of it: "enabled", "disabled", "masked" … */
int units_is_enabled(struct node *n, struct arena *a, struct str unit, struct str *out, int *status,
		     struct err *err);

/* The same three by links alone, as systemctl --root does it. */
int links_preset(struct tree *t, struct arena *a, struct str unit, struct err *err);
int links_enable(struct tree *t, struct arena *a, struct str unit, struct err *err);
int links_disable(struct tree *t, struct arena *a, struct str unit, struct err *err);
struct str links_is_enabled(struct tree *t, struct arena *a, struct str unit);
/* Where the unit's file is, if anywhere; an instance's may be its template's. */
struct str links_find(struct tree *t, struct arena *a, struct str unit, bool by_template);

/* ---- users, OS, state ---------------------------------------------------- */

/* Paths that the SSH step may change. */
int users_key_paths(struct node *n, struct arena *a, struct strs *out, struct err *err);
int users_write_keys(struct node *n, struct arena *a, const struct mc_merged *to,
		     const struct strs *gone, struct err *err);
int users_write_passwords(struct node *n, struct arena *a, const struct mc_merged *to,
			  const struct strs *gone, struct err *err);
/* Keys that an older OS has kept elsewhere go where this one reads them. */
int users_move_keys(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err);
/* Of core and all that are gone: {"core": "<hash>"}, to be set again by … */
int users_password_hashes(struct node *n, struct arena *a, const struct strs *gone,
			  struct json **out, struct err *err);
int users_set_password(struct node *n, struct arena *a, struct str user, struct str hash,
		       struct err *err);

int deployment_status(struct node *n, struct arena *a, struct os_status *out, struct err *err);
/* c is what differs; a new image that is booted already is none. ocl: the image
 * was built in the cluster and has the rest in it. */
int os_change(struct node *n, struct arena *a, struct update_changes c,
	      const struct mc_current *from, const struct mc_current *to, bool ocl,
	      struct err *err);
/* bootc alone has its OS: of a change, only another image can be staged. */
bool deployment_image_only(const struct node *n);
/* Whether rpm-ostree reads OS images from registries itself. */
int rpm_ostree_reads_images(struct node *n, struct arena *a, bool *out, struct err *err);
/* Stages another OS image for the next boot. */
int os_image_update(struct node *n, struct arena *a, struct str image, struct err *err);
/* rpm-ostree reads the registry's credentials where this links them to. */
void rpm_ostree_link_secret(struct node *n, struct arena *a);
/* Why the last OS update was not finalized, or ""; false when it cannot be
 * told. */
bool deployment_finalize_error(struct node *n, struct arena *a, struct str *out);
/* ERR_SYS when the packages of extensions are not installed. */
int extensions_check(struct node *n, struct arena *a, const struct mc_merged *spec,
		     struct err *err);
/* The kernel's arguments, those of the next boot where they can be told. */
int deployment_kargs(struct node *n, struct arena *a, struct str *out, struct err *err);
/* What could be booted into in place of the booted OS goes; bootc keeps it. */
int deployment_drop_rollback(struct node *n, struct arena *a, struct err *err);
/* Kernel arguments that the text of a file asks for. */
#define KERNEL_TUNING "/etc/pivot/kernel-args"
int kernel_tune(struct node *n, struct arena *a, struct str text, struct err *err);
/* Those of them that the kernel had been started with before are there again, and
 * no others. */
int kernel_tune_back(struct node *n, struct arena *a, struct str text, struct str before,
		     struct err *err);
/* What the kernel was started with; "" when it does not say. */
struct str kernel_cmdline(struct node *n, struct arena *a);
int os_image_via_container(struct node *n, struct arena *a, struct str image, struct err *err);
/* ERR_INVALID when the config wants another FIPS mode than the kernel has. */
int kernel_check_fips(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err);
bool kernel_fips(struct node *n, struct arena *a);

/* currentconfig; ERR_NOTFOUND when nothing has been applied yet, ERR_INVALID when
 * it is not what its name says. */
int node_current(struct node *n, struct arena *a, struct mc_current *out, struct str *image,
		 struct err *err);
int node_store_current(struct node *n, const struct mc_current *c, struct str image,
		       struct err *err);

int reboot_node(struct node *n, struct arena *a, const char *rationale, struct err *err);
int reboot_into(struct node *n, struct arena *a, struct str name, struct err *err);
/* Untold and whatever skip_reboot says; err has how the command ended. */
int reboot_now(struct node *n, struct arena *a, const char *rationale, struct err *err);
/* Reloads or restarts crio; either failing has the same words, upstream's. */
int post_action_crio(struct node *n, struct arena *a, const char *verb, struct err *err);
/* "systemctl reload x" and so on, in order; a reboot for config name. The first
 * does one of them, and does not say so before. */
int post_action_run(struct node *n, struct arena *a, const struct update_action *act,
		    struct str name, struct err *err);
int post_action_run_all(struct node *n, struct arena *a, const struct update_plan *p,
			struct str name, struct err *err);

#endif
