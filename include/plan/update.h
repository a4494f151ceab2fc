/*
 * update: what an update of a node from one config to another takes.
 *
 * Decides the actions, whether to drain, and the rule for each. The daemon acts on it and
 * `mcoctl diff` shows it, so the preview cannot differ from what the node does.
 */
#ifndef PLAN_UPDATE_H
#define PLAN_UPDATE_H

#include "mc/merge.h"

enum update_kind {
	UPDATE_NONE,
	UPDATE_RELOAD,
	UPDATE_RESTART,
	UPDATE_DAEMON_RELOAD,
	UPDATE_SPECIAL, /* registries.conf: reload crio, drain if needed */
	UPDATE_DRAIN,
	UPDATE_REBOOT,
};

struct update_action {
	enum update_kind kind;
	struct str service; /* for reload and restart */
	struct str cause; /* "file /etc/x", "unit a.service", "osImageURL" */
	struct str rule; /* the reason: "no policy for this path", … */
};

struct update_changes {
	bool os_image, kargs, fips, kernel_type, extensions;
	bool files, units, passwd; /* sections differ, even if only in order */
	struct strs file_paths; /* added, removed or changed; sorted */
	struct strs unit_names;
};

struct update_in {
	const struct mc_merged *from, *to;
	/* status.nodeDisruptionPolicyStatus.clusterPolicies, or NULL for the
	 * defaults; spec.nodeDisruptionPolicy is merged by update_policies. */
	const struct json *policies;
	bool force; /* the force file exists */
	/* The host has no rpm-ostree: only its OS image can change. */
	bool image_only;
	bool built; /* the image was built in the cluster for this config */
};

struct update_plan {
	struct update_changes changes;
	struct update_action *v; /* in the order of execution */
	size_t n, cap;
	bool drain, reboot;
	struct str drain_reason;
};

/* ERR_INVALID when registries.conf is relevant and cannot be parsed, and for changes that
 * a host without rpm-ostree cannot apply. */
int plan_update(struct arena *a, const struct update_in *in, struct update_plan *out,
		struct err *err);

/*
 * The update where no policies apply: first boot and once-from. One action; the caller
 * runs update-ca-trust before a restart.
 */
int plan_update_legacy(struct arena *a, const struct update_in *in, struct update_plan *out,
		       struct err *err);

/* "&{osUpdate:true kargs:false …}", as upstream logs it. */
struct str update_changes_text(struct arena *a, const struct update_changes *c, bool ocl,
			       bool revert);
bool update_nothing(const struct update_changes *c);

/* The sections and entries that differ. */
void update_changes(struct arena *a, const struct mc_merged *from, const struct mc_merged *to,
		    bool force, struct update_changes *out);

/*
 * The policies in force for a MachineConfiguration: its status if it has one, else the
 * defaults overridden by its spec. j may be NULL.
 */
const struct json *update_policies(struct arena *a, const struct json *j);

/* The defaults overridden by its spec, as the operator writes them. */
struct json *update_merged_policies(struct arena *a, const struct json *j);

/*
 * Sets *safe when the change of registries.conf needs no drain; *why has the reason for a
 * drain. ERR_INVALID with upstream's text when either file is not TOML.
 */
int update_registries_safe(struct arena *a, const struct ign_obj *from, const struct ign_obj *to,
			   bool *safe, struct str *why, struct err *err);

const char *update_kind_name(enum update_kind kind);

#endif
