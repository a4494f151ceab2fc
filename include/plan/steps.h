/*
 * steps: how a node gets from one config to another, in order.
 *
 * Every foreseeable failure is detected here, before the first change: contents are
 * decoded, paths checked. Each step has its reason; the paths it may change are known in
 * advance.
 */
#ifndef PLAN_STEPS_H
#define PLAN_STEPS_H

#include "plan/update.h"

enum step_kind {
	STEP_FILE, /* write it, keep the OS's own version */
	STEP_DROPIN,
	STEP_DROPIN_EMPTY, /* an empty dropin counts as none */
	STEP_UNIT,
	STEP_MASK,
	STEP_UNMASK,
	STEP_PRESET,
	STEP_ENABLE, /* or log that the unit does not exist */
	STEP_DISABLE,
	STEP_STALE_FILE, /* restore the OS's own version, or remove it */
	STEP_STALE_DROPIN,
	STEP_STALE_UNIT,
	STEP_STALE_LINK,
	STEP_KUBECONFIG, /* chmod 0600 */
	STEP_KEYS,
	STEP_PASSWORDS,
	STEP_OS,
	STEP_TUNING,
	STEP_STATE, /* currentconfig: marks the node as updated */
};

struct step {
	enum step_kind kind;
	struct str name; /* a path, or the name of a unit */
	struct str data; /* contents to write */
	/* The contents of the file are compressed: mc_pump of obj gives them, this is
	 * their size, and data is empty. */
	bool packed;
	uint64_t size;
	int64_t mode;
	const struct ign_obj *obj; /* the file or unit that it comes from */
	bool keep; /* stale file: only remove its stamp; unit to enable: it existed */
	const char *reason; /* "added", "changed", … */
};

struct steps_in {
	const struct mc_merged *from, *to;
	bool force; /* write all units */
	bool skip_certificates; /* other code writes kubelet-ca.crt */
	bool core_os;
	bool hosted; /* write keys always, no passwords, separate state */
	bool bare; /* only files and units: remove and record nothing */
	const struct map *only; /* write only these paths of files and names of units; NULL: all */
};

struct steps {
	struct step *v;
	size_t n, cap;
	struct strs paths; /* all paths that may change, without their parents */
	struct strs users_gone; /* in the old config but not in the new one */
};

/* ERR_INVALID with upstream's text when a node cannot write the file. */
int steps_check_file(struct arena *a, const struct ign_obj *file, struct err *err);

/* ERR_INVALID with upstream's text when a file cannot be written as given. */
int plan_steps(struct arena *a, const struct steps_in *in, struct steps *out, struct err *err);

const char *step_name(enum step_kind kind);

/* "/etc/machine-config-daemon/orig/<path>.mcdorig" and the stamp. */
struct str steps_orig(struct arena *a, struct str path);
struct str steps_noorig(struct arena *a, struct str path);
struct str steps_unit_path(struct arena *a, struct str unit);
struct str steps_dropin_path(struct arena *a, struct str unit, struct str dropin);

#define STEPS_KUBELET_CA "/etc/kubernetes/kubelet-ca.crt"
#define STEPS_CLOUD_CA                                                  \
	"/etc/kubernetes/static-pod-resources/configmaps/cloud-config/" \
	"ca-bundle.pem"
#define STEPS_USER_CA "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt"
#define STEPS_PULL_SECRET "/etc/mco/internal-registry-pull-secret.json"
#define STEPS_CURRENT_CONFIG "/etc/machine-config-daemon/currentconfig"
#define STEPS_CURRENT_IMAGE "/etc/machine-config-daemon/currentimage"
#define STEPS_KUBECONFIG "/etc/kubernetes/kubeconfig"
#define STEPS_HOSTED_CONFIG "/etc/mcd-currentconfig.json"
#define STEPS_FORCE "/run/machine-config-daemon-force"

#endif
