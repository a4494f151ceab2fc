/*
 * template: from a tree of templates and a ControllerConfig to the MachineConfigs that
 * every node starts with.
 *
 * <role>/<name>/<layer>/{files,units,extensions}/… gives the MachineConfig <name> of a
 * role; common/<layer>/… is part of each role's first one. The platform and the topology
 * select the layers and their precedence.
 */
#ifndef PLAN_TEMPLATE_H
#define PLAN_TEMPLATE_H

#include "base/map.h"
#include "mc/merge.h"

/* The path of a directory ends in '/', its text is empty. */
struct template_file {
	struct str path; /* in the tree: "worker/00-worker/_base/…" */
	struct str text;
};

struct template_tree {
	struct str dir; /* name of the tree in messages */
	struct template_file *v; /* in any order */
	size_t n, cap;
	/* The platform types it supports, ended by NULL; NULL: all. */
	const char *const *platforms;
};

/*
 * Rendered templates, kept between calls. The caller uses a cache only for calls with the
 * same tree, ControllerConfig spec, pull secret and TLS profile.
 */
struct template_cache {
	struct arena *a; /* owns the contents */
	struct forest *forest; /* NULL: nothing is rendered yet */
	struct map roles; /* base files: struct mc_list by role */
};

/* Initialises a cache; empties one that is in use. */
void template_cache_init(struct template_cache *c, struct arena *a);

struct template_input {
	const struct template_tree *tree;
	const struct mc_controller_config *controller_config;
	/* The pull secret's .dockerconfigjson: valid JSON. */
	struct str pull_secret;
	/* The API server's TLS profile. */
	struct str tls_min_version;
	struct strs tls_cipher_suites;
	struct str hash; /* this build's version */
	/* Without a tree: the MachineConfigs of a cluster, some of them made from unknown
	 * templates. For base files only. */
	const struct mc_list *made;
	struct template_cache *cache; /* NULL: no cache */
};

/*
 * Appends the MachineConfigs of all roles, sorted by name. doc.tree has the whole object,
 * with labels, annotations and owner. They view the input and the cache, which must
 * outlive them. ERR_INVALID in upstream's words, ERR_LIMIT.
 */
int plan_template(struct arena *a, const struct template_input *in, struct mc_list *out,
		  struct err *err);

/*
 * The MachineConfigs of one role, or of a custom pool, which gets those of worker.
 * Without annotations, owner and pull secret: other controllers look up base files in
 * them.
 */
int plan_template_role(struct arena *a, const struct template_input *in, struct str role,
		       struct mc_list *out, struct err *err);

/*
 * Renders one template, for its author: over plain data, or over what the templates of a
 * tree see: {"spec": a ControllerConfig's, "pullSecret": "…", "tlsMinVersion": "…",
 * "tlsCipherSuites": […]}. ERR_INVALID in upstream's words.
 */
int template_one(struct arena *a, const char *name, struct str source, const struct json *data,
		 bool render_config, struct str *out, struct err *err);

/* Path of the pull secret on a node. */
#define TEMPLATE_SECRET_FILE "/var/lib/kubelet/config.json"

/* The pull secret as templates see it: compact JSON. ERR_INVALID when it is not JSON. */
int template_secret(struct arena *a, struct str in, struct str *out, struct err *err);

/* The built-in tree: for platforms None and BareMetal. */
void template_builtin(struct arena *a, struct template_tree *out);

/* ERR_INVALID when the tree does not support the platform of the cluster. */
int template_serves(struct arena *a, const struct template_tree *tree,
		    const struct mc_controller_config *cc, struct err *err);

/* Files and units that vanish when MachineConfigs are replaced. */
struct template_loss {
	size_t had; /* files and units of the configs that lose some */
	struct strs lost; /* "file /etc/x" and "unit x.service", in order */
	struct strs configs; /* the MachineConfigs that lose them */
};

/*
 * Compares the MachineConfigs of a tree (made) with existing ones of the same names.
 * Another version of the same tree adds and changes files; a tree that removes some is a
 * different one.
 */
void template_loss(struct arena *a, const struct mc_list *made, const struct mc_list *existing,
		   struct template_loss *out);

#endif
