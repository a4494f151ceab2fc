/*
 * object: Kubernetes objects of the kinds that this program uses, decoded once.
 *
 * Strings are views of the document's tree, which must outlive them. Decoding checks the whole
 * object against its Go type (mc/types): keys are case-sensitive, values are not converted, unknown
 * members are ignored. Errors have the text of upstream's decoder.
 */
#ifndef MC_OBJECT_H
#define MC_OBJECT_H

#include "base/vec.h"
#include "data/docs.h"
#include "mc/api.h"

enum mc_kind {
	MC_OTHER, /* any other kind */
	MC_MACHINE_CONFIG,
	MC_POOL,
	MC_CONTROLLER_CONFIG,
	MC_CONFIGURATION, /* MachineConfiguration, the operator's settings */
	MC_NODE, /* the core API's, not config.openshift.io's */
	MC_CLUSTER_VERSION,
	MC_OS_STREAM, /* OSImageStream */
	/* from here on: held as struct mc_object */
	MC_FEATURE_GATE,
	MC_KUBELET_CONFIG,
	MC_RUNTIME_CONFIG,
	MC_OS_CONFIG, /* MachineOSConfig */
	MC_NODE_CONFIG, /* Node of config.openshift.io */
	MC_API_SERVER,
	MC_IMAGE,
	MC_CONTENT_POLICY, /* ImageContentSourcePolicy */
	MC_DIGEST_MIRRORS, /* ImageDigestMirrorSet */
	MC_TAG_MIRRORS, /* ImageTagMirrorSet */
	MC_CLUSTER_IMAGE_POLICY,
	MC_IMAGE_POLICY,
	MC_SECRET,
	MC_INTERNAL_RELEASE, /* InternalReleaseImage */
	MC_CREDENTIALS, /* CRIOCredentialProviderConfig */
	MC_KINDS, /* the number of kinds */
};

struct mc_meta {
	struct str name, uid, version; /* resourceVersion */
	const struct json *labels, *annotations; /* objects, or NULL */
};

struct ign_obj;
struct ign_review;

struct mc {
	struct mc_meta meta;
	const struct json *config_tree; /* spec.config: Ignition, in doc.tree */
	struct strs kargs, extensions;
	struct str kernel_type, os_image, extensions_image;
	bool fips;
	bool brief; /* without spec.config: see mc/brief.h */
	struct str config_digest; /* of a brief one */
	struct ign_obj *ignition; /* parsed; set by mc_validate */
	struct ign_obj *judged; /* set by mc_lint: the readable part of it */
	const struct ign_review *review; /* set by mc_lint for a broken config, or NULL */
	struct doc doc; /* the document it was decoded from */
	struct str file; /* the file, for messages */
};

struct mc_controller_config {
	struct mc_meta meta;
	struct str base_image, extensions_image; /* baseOSContainerImage, … */
	const struct json *tree;
};

/* An object of a kind that has no struct of its own. */
struct mc_object {
	enum mc_kind kind;
	struct mc_meta meta;
	struct str namespace;
	struct json *tree; /* the object as decoded into its Go type */
	struct doc doc; /* the document it was decoded from */
	struct str file; /* its file, for messages */
};

/* The kind of a document, by apiVersion and kind. ERR_INVALID when they are missing:
 * "Object 'Kind' is missing in '…'". */
int mc_kind_of(struct arena *a, const struct json *tree, enum mc_kind *out, struct err *err);

/* A message for a document without kind or apiVersion that does not quote all of it; ""
 * when it has both. */
struct str mc_kind_problem(struct arena *a, const struct json *tree);

/* Whether it is a Butane config, which butane converts to Ignition. */
bool mc_is_butane(const struct json *tree);
#define MC_BUTANE "this is Butane: convert it with butane first"

/* Checks a document against the Go type of its kind: ERR_INVALID with the text of upstream's
 * decoder. */
int mc_check(struct arena *a, const struct doc *d, enum mc_kind kind, struct err *err);
struct mc_meta mc_meta_of(const struct json *tree);

/* A new object with apiVersion, kind and metadata; namespace may be NULL. */
struct json *mc_object_new(struct arena *a, const char *api, const char *kind,
			   const char *namespace, struct str name);

/* ERR_INVALID with the text of upstream's decoder. */
int mc_decode(struct arena *a, const struct doc *d, struct mc *out, struct err *err);
/* The Ignition config as upstream has it in memory (mc_raw), or "". */
struct str mc_config_text(struct arena *a, const struct mc *mc);
bool mc_has_config(const struct mc *mc);

int mc_controller_config_decode(struct arena *a, const struct doc *d,
				struct mc_controller_config *out, struct err *err);

/* The Go type of a kind: a row of mc_shapes (mc/types.h), or 0. */
uint16_t mc_type(enum mc_kind kind);

/* For the kinds from MC_FEATURE_GATE on. */
int mc_object_decode(struct arena *a, const struct doc *d, enum mc_kind kind, struct mc_object *out,
		     struct err *err);

/*
 * Checks an object that this program does not use, as upstream's decoder does when it knows the
 * kind: the metadata, or all of a Secret.
 */
int mc_check_other(struct arena *a, const struct doc *d, enum mc_kind kind, struct err *err);

/* The value of a document that has the wrong type, or NULL. */
struct json *mc_misfit(struct arena *a, const struct doc *d);

/*
 * A raw member (spec.config, spec.kubeletConfig) as upstream has it in memory: from JSON the
 * original text, from YAML the compact JSON that it is converted to; "" when it is absent.
 */
struct str mc_raw(struct arena *a, const struct doc *d, const char *path);

struct str mc_label(const struct mc_meta *m, const char *key); /* or "" */
struct str mc_annotation(const struct mc_meta *m, const char *key);

#endif
