/*
 * os: the OS of a node, and the rpm-ostree arguments that take it from one config to
 * another.
 */
#ifndef PLAN_OS_H
#define PLAN_OS_H

#include "base/vec.h"
#include "data/json.h"

#define OS_64K_REFUSED "64k-pages is only supported for aarch64 architecture"

struct os_release {
	struct str id, version;
	bool el; /* RHEL CoreOS or CentOS Stream CoreOS */
	bool fcos; /* Fedora CoreOS */
	bool core_os; /* any of them: managed by rpm-ostree */
	bool new_keys; /* SSH keys are in authorized_keys.d */
	int major, minor; /* -1 when unknown */
};

/* Parses os-release. ERR_INVALID when the text is empty. */
int os_release_parse(struct arena *a, struct str text, struct os_release *out, struct err *err);

/* Kernel arguments, split as the kernel splits them. */
void os_kargs_split(struct arena *a, struct str text, struct strs *out);
/* "--delete-if-present=…" of all old ones, "--append=…" of all new ones. */
void os_kargs_args(struct arena *a, const struct strs *from, const struct strs *to,
		   struct strs *out);
/* Those of want that cmdline lacks. */
void os_kargs_missing(struct arena *a, const struct strs *want, struct str cmdline,
		      struct strs *out);

/* The booted and the staged deployment of rpm-ostree status --json. */
struct os_status {
	struct str image, version, checksum; /* of the booted one */
	struct strs packages, removals;
	size_t unsupported; /* local changes that no extension makes */
	bool staged;
	struct strs staged_packages;
};
/* ERR_INVALID: "no booted deployment found", or the parse error. */
int os_status_parse(struct arena *a, struct str text, struct os_status *out, struct err *err);

/* The same for bootc status --json. */
int os_bootc_parse(struct arena *a, struct str text, struct os_status *out, struct err *err);

/* An image in the node's own storage, as podman lists it. */
struct os_image {
	bool there;
	struct str id;
	struct str digest; /* the name it was looked up by, or "" */
};
/* From podman images --format=json of one name. */
int os_image_parse(struct arena *a, struct str text, struct str name, struct os_image *out,
		   struct err *err);
/* Its name in policy.json; text is podman system info --format=json. */
int os_image_scope(struct arena *a, struct str text, const struct os_image *image, struct str *out,
		   struct err *err);

/* override reset …: reverts to the default kernel; none when it is already booted. */
void os_kernel_reset(struct arena *a, const struct os_status *s, struct strs *out);
/* override remove …: switches to kernel type to. */
void os_kernel_switch(struct arena *a, struct str to, struct strs *out);

/* ERR_INVALID for an unknown extension, as os_extension_args. */
int os_check_extensions(struct arena *a, const struct strs *extensions, struct err *err);

/* update …: from the installed packages to those of extensions. ERR_INVALID: "invalid
 * extensions found: [x]". */
int os_extension_args(struct arena *a, const struct strs *packages, const struct strs *extensions,
		      struct strs *out, struct err *err);
/* The packages of extensions, sorted, and those that are not installed. */
void os_extension_packages(struct arena *a, const struct strs *extensions, struct strs *out);
void os_missing(struct arena *a, const struct strs *want, const struct strs *have,
		struct strs *out);

/* "[a b]", as Go prints a list. */
struct str os_list(struct arena *a, const struct strs *l);

#endif
