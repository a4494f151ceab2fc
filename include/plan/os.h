/*
 * os: what the OS of a node is, and the words its rpm-ostree is told to get
 * from one config to another.
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
	bool core_os; /* any of them: rpm-ostree manages it */
	bool new_keys; /* SSH keys go to authorized_keys.d */
	int major, minor; /* -1 when they cannot be told */
};

/* From the text of os-release. ERR_INVALID when that is empty. */
int os_release_parse(struct arena *a, struct str text, struct os_release *out, struct err *err);

/* Kernel arguments one by one: split where the kernel splits them. */
void os_kargs_split(struct arena *a, struct str text, struct strs *out);
/* "--delete-if-present=…" of all old ones, "--append=…" of all new ones. */
void os_kargs_args(struct arena *a, const struct strs *from, const struct strs *to,
		   struct strs *out);
/* Those of want that are not among the arguments in cmdline. */
void os_kargs_missing(struct arena *a, const struct strs *want, struct str cmdline,
		      struct strs *out);

/* What rpm-ostree status --json says of the booted and the staged OS. */
struct os_status {
	struct str image, version, checksum; /* of the booted one */
	struct strs packages, removals;
	size_t unsupported; /* changes to it that no extension makes */
	bool staged;
	struct strs staged_packages;
};
/* ERR_INVALID: "no booted deployment found", or what is wrong with it. */
int os_status_parse(struct arena *a, struct str text, struct os_status *out, struct err *err);

/* The same of bootc status --json. */
int os_bootc_parse(struct arena *a, struct str text, struct os_status *out, struct err *err);

/* An image in the node's own storage, as podman tells of it. */
struct os_image {
	bool there;
	struct str id;
	struct str digest; /* the name it was asked for by, or "" */
};
/* From podman images --format=json of one name. */
int os_image_parse(struct arena *a, struct str text, struct str name, struct os_image *out,
		   struct err *err);
/* What policy.json calls it; text is of podman system info --format=json. */
int os_image_scope(struct arena *a, struct str text, const struct os_image *image, struct str *out,
		   struct err *err);

/* override reset …: the way back from another kernel; none when not on one. */
void os_kernel_reset(struct arena *a, const struct os_status *s, struct strs *out);
/* override remove …: the way to kernel type to. */
void os_kernel_switch(struct arena *a, struct str to, struct strs *out);

/* ERR_INVALID, as os_extension_args, where one of them is unknown. */
int os_check_extensions(struct arena *a, const struct strs *extensions, struct err *err);

/* update …: from the packages there are to those of extensions. ERR_INVALID:
 * "invalid extensions found: [x]". */
int os_extension_args(struct arena *a, const struct strs *packages, const struct strs *extensions,
		      struct strs *out, struct err *err);
/* The packages of extensions, sorted, and those of them that have not. */
void os_extension_packages(struct arena *a, const struct strs *extensions, struct strs *out);
void os_missing(struct arena *a, const struct strs *want, const struct strs *have,
		struct strs *out);

/* "[a b]", as Go prints a list. */
struct str os_list(struct arena *a, const struct strs *l);

#endif
