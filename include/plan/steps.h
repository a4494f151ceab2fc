/*
 * steps: what a node does to get from one config to another, in order.
 *
 * Everything that can be known to fail is found here, before the first change:
 * contents are decoded, paths checked. Each step says why it is done; the paths it
 * may change are known beforehand.
 */
#ifndef PLAN_STEPS_H
#define PLAN_STEPS_H

#include "plan/update.h"

enum step_kind {
	STEP_FILE, /* write it, keeping what the OS shipped */
	STEP_DROPIN,
	STEP_DROPIN_EMPTY, /* an empty dropin is none */
	STEP_UNIT,
	STEP_MASK,
	STEP_UNMASK,
	STEP_PRESET,
	STEP_ENABLE, /* or log that there is no such unit */
	STEP_DISABLE,
	STEP_STALE_FILE, /* restore what the OS shipped, or remove it */
	STEP_STALE_DROPIN,
	STEP_STALE_UNIT,
	STEP_STALE_LINK,
	STEP_KUBECONFIG, /* chmod 0600 */
	STEP_KEYS,
	STEP_PASSWORDS,
	STEP_OS,
	STEP_TUNING,
	STEP_STATE, /* currentconfig: from here on the node has it */
};

struct step {
	enum step_kind kind;
	struct str name; /* a path, or a unit's name */
	struct str data; /* contents to write */
	/* A file's contents are packed: not in data, but given by mc_pump of
	 * obj's, and of this size. */
	bool packed;
	uint64_t size;
	int64_t mode;
	const struct ign_obj *obj; /* the file or unit it comes from */
	bool keep; /* of a stale file: only its stamp goes, a dropin replaces it;
		    * of a unit to enable: it was there before */
	const char *reason; /* "added", "changed", … */
};

struct steps_in {
	const struct mc_merged *from, *to;
	bool force; /* all units are written */
	bool skip_certificates; /* kubelet-ca.crt is written by others */
	bool core_os;
	bool hosted; /* keys always, no passwords, a state of its own */
	bool bare; /* only files and units: nothing goes, nothing is recorded */
	const struct map *only; /* paths of files and names of units: no others
				 * are written; or NULL */
};

struct steps {
	struct step *v;
	size_t n, cap;
	struct strs paths; /* all that may change, with parents left out */
	struct strs users_gone; /* in the old config, not in the new one */
};

/* Whether a node can write a file: ERR_INVALID with upstream's text if not. */
int steps_check_file(struct arena *a, const struct ign_obj *file, struct err *err);

/* ERR_INVALID with upstream's text when a file cannot be written as it is. */
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
