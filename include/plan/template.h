/*
 * template: from a tree of templates and a ControllerConfig to the MachineConfigs
 * every node begins with.
 *
 * <role>/<name>/<layer>/{files,units,extensions}/… gives the MachineConfig <name>
 * of a role; common/<layer>/… goes into each role's first. Which layers count, and
 * which wins, follows from the platform and the topology.
 */
#ifndef PLAN_TEMPLATE_H
#define PLAN_TEMPLATE_H

#include "base/map.h"
#include "mc/merge.h"

/* A directory's path ends in '/', and it has no text. */
struct template_file {
	struct str path; /* below the tree: "worker/00-worker/_base/…" */
	struct str text;
};

struct template_tree {
	struct str dir; /* what the tree is called in messages */
	struct template_file *v; /* in any order */
	size_t n, cap;
	/* The platform types it serves, ended by NULL; NULL: any. Others are
	 * refused. */
	const char *const *platforms;
};

/*
 * What the templates came to, kept between calls. The caller sees to it that all of
 * them have the same tree, ControllerConfig spec, pull secret and TLS profile.
 */
struct template_cache {
	struct arena *a; /* owns all that is kept */
	struct forest *forest; /* rendered templates, or NULL */
	struct map roles; /* base files: struct mc_list by role */
};

/* An empty cache; also forgets what is in one. */
void template_cache_init(struct template_cache *c, struct arena *a);

struct template_input {
	const struct template_tree *tree;
	const struct mc_controller_config *controller_config;
	/* The pull secret's .dockerconfigjson; has to be JSON. */
	struct str pull_secret;
	/* The API server's TLS profile. */
	struct str tls_min_version;
	struct strs tls_cipher_suites;
	struct str hash; /* the version this program stands for */
	/* Without a tree: the MachineConfigs of a cluster, some of them made of
	 * templates that are not known. For base files only. */
	const struct mc_list *made;
	struct template_cache *cache; /* NULL: nothing is kept */
};

/*
 * Appends the MachineConfigs of all roles, by name. Each has its whole object in
 * doc.tree, with labels, annotations and owner. They view the input and the cache,
 * which must outlive them. ERR_INVALID in upstream's words, ERR_LIMIT.
 */
int plan_template(struct arena *a, const struct template_input *in, struct mc_list *out,
		  struct err *err);

/*
 * The MachineConfigs of one role alone, which may be a custom pool's name: it
 * then gets the worker's. Without annotations, owner and pull secret: what other
 * controllers look up base files in.
 */
int plan_template_role(struct arena *a, const struct template_input *in, struct str role,
		       struct mc_list *out, struct err *err);

/*
 * One template alone, for its author: over plain data, or over what templates of
 * a tree see: {"spec": a ControllerConfig's, "pullSecret": "…", "tlsMinVersion":
 * "…", "tlsCipherSuites": […]}. ERR_INVALID in upstream's words.
 */
int template_one(struct arena *a, const char *name, struct str source, const struct json *data,
		 bool render_config, struct str *out, struct err *err);

/* Where the templates put the pull secret on a node. */
#define TEMPLATE_SECRET_FILE "/var/lib/kubelet/config.json"

/* The text of a pull secret as templates get it: without the blanks between its
 * tokens. ERR_INVALID when it is not JSON. */
int template_secret(struct arena *a, struct str in, struct str *out, struct err *err);

/* The tree that is part of this program: for platforms None and BareMetal. */
void template_builtin(struct arena *a, struct template_tree *out);

/* ERR_INVALID when the tree does not serve the platform of the cluster. */
int template_serves(struct arena *a, const struct template_tree *tree,
		    const struct mc_controller_config *cc, struct err *err);

/* What MachineConfigs lose when others replace them. */
struct template_loss {
	size_t had; /* files and units of those that lose some */
	struct strs lost; /* "file /etc/x" and "unit x.service", in order */
	struct strs configs; /* the MachineConfigs that lose them */
};

/*
 * Compares what a tree makes (made) with the MachineConfigs of the same names
 * that exist. A tree of the same origin adds and changes files; one that takes
 * some away is another tree.
 */
void template_loss(struct arena *a, const struct mc_list *made, const struct mc_list *existing,
		   struct template_loss *out);

#endif
