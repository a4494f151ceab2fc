/*
 * load: the objects of manifests, by kind, in the order of the input.
 */
#ifndef MC_LOAD_H
#define MC_LOAD_H

#include "mc/mcp.h"
#include "mc/merge.h"

struct mc_object_list {
	struct mc_object **v;
	size_t n, cap;
};

/* A fault of a manifest, with our text and upstream's. */
struct mc_fault {
	struct str file;
	size_t line, col; /* 0 when unknown */
	struct str object; /* "MachineConfig 10-a", or "" */
	struct str path; /* of the value of the wrong type, or "" */
	struct str problem;
	struct str upstream;
};

/* Faults per object: each one costs another pass over the object. */
#define MC_FAULTS_MAX 100

struct mc_faults {
	struct mc_fault *v;
	size_t n, cap;
};

struct mc_doc {
	struct doc doc;
	struct str file;
};

struct mc_docs {
	struct mc_doc *v;
	size_t n, cap;
};

/* Collects what a reviewer wants to know about the input. */
struct mc_review {
	struct mc_faults faults;
	struct mc_docs docs; /* every object of every kind, as it was written */
	struct strs unread; /* why a file could not be read */
};

struct mc_set {
	struct mc_list mcs;
	struct mcp_list pools;
	struct mc_controller_config *controller_config; /* the last, or NULL */
	struct json *configuration; /* MachineConfiguration cluster, or NULL */
	struct json *cluster_version; /* or NULL */
	struct json *os_image_stream; /* OSImageStream cluster, or NULL */
	struct knode_list nodes; /* of the core API */
	/* The kinds that are held as struct mc_object; Secrets only if they are used to pull
	 * images. */
	struct mc_object_list others;
	/* "ConfigMap openshift-config/x": objects that only the operator reads, to copy them into
	 * the ControllerConfig. */
	struct strs operator_inputs;
	size_t objects; /* of any kind, known or not */
	bool live; /* read from a cluster, not from files: for messages */
	/* Set before loading: read as upstream's bootstrap does, which does not split
	 * lists and keeps all pools of one name. */
	bool bootstrap;
	/* Set before loading, or NULL: collects all faults instead of failing. A value
	 * of the wrong type counts as absent. */
	struct mc_review *review;
};

/*
 * Reads one file's text into set; path is for messages. Lists are split into their
 * items. ERR_INVALID with fault filled in; err then has upstream's text. With
 * set->review there is no ERR_INVALID.
 */
int mc_load(struct arena *a, struct str path, struct str text, struct mc_set *set,
	    struct mc_fault *fault, struct err *err);

/* The last object of that kind and name (NULL: any name), or NULL. */
struct mc_object *mc_find(const struct mc_set *set, enum mc_kind kind, const char *name);

/*
 * Computes the effect of applying over's objects to a cluster that has base:
 * KubeletConfigs and ContainerRuntimeConfigs keep their annotations, finalizers and
 * status, and are left out when their spec is unchanged; pools keep their metadata,
 * config and status; a MachineConfiguration keeps its status while its spec is
 * unchanged, else it has none. Changes those objects.
 */
struct mc_set mc_applied(struct arena *a, const struct mc_set *base, const struct mc_set *over);

/* base with the objects of over added, or replaced by them. Shares the objects of both. */
struct mc_set mc_overlay(struct arena *a, const struct mc_set *base, const struct mc_set *over);

#endif
