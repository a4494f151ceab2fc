/* Private to plan/registries. */
#ifndef PLAN_REGISTRIES_PARTS_H
#define PLAN_REGISTRIES_PARTS_H

#include "plan/registries.h"

/* ---- mirrors ------------------------------------------------------------- */

/* All mirrors of one source, in the order of use. */
struct mirror_set {
	struct str source;
	struct strs mirrors;
	bool never; /* contact the source */
};

struct mirror_sets {
	struct mirror_set *v;
	size_t n, cap;
};

int mirrors_check(struct arena *a, const struct registries *r, struct err *err);

/* By source. */
void mirrors_merge(struct arena *a, const struct mirror_rules *rules, struct mirror_sets *out);

/* ---- registries.conf ----------------------------------------------------- */

struct mirror {
	struct str location, pull;
	bool insecure;
};

struct registry {
	struct str prefix, location;
	bool insecure, blocked, by_digest;
	struct mirror *v;
	size_t n, cap;
};

struct registries_conf {
	const struct json *base; /* the other members */
	struct registry **v;
	size_t n, cap;
	struct map by_scope;
};

/* The scope of an entry. */
struct str registry_scope(const struct registry *r);

int conf_parse(struct arena *a, struct str text, struct registries_conf *out, struct err *err);
int conf_edit(struct arena *a, struct registries_conf *c, const struct registries *r,
	      const struct strs *blocked, struct err *err);
struct str conf_text(struct arena *a, const struct registries_conf *c);

/* The drop-in file with the search list. */
struct str conf_search_text(struct arena *a, const struct strs *search);

/* ERR_INVALID when containers/image would not load it. */
int conf_check(struct arena *a, const struct registries_conf *c, struct err *err);

/* The entry that applies to ref, or NULL. */
const struct registry *conf_find(const struct registries_conf *c, struct str ref);

/* The locations that a reference is pulled from, in order. */
struct pull_source {
	struct str location; /* "" when it is the reference's own */
	struct str name;
};

struct pull_sources {
	struct pull_source *v;
	size_t n, cap;
};

int conf_sources(struct arena *a, const struct registry *r, struct str ref, bool digest,
		 struct pull_sources *out, struct err *err);

/* ---- policies ------------------------------------------------------------ */

/* The requirements of spec.policy of a ClusterImagePolicy or an ImagePolicy. */
int sigstore_requirement(struct arena *a, const struct json *policy, struct json **out,
			 struct err *err);

/* The file for registries.d; conf is NULL when there is no registries.conf. */
int sigstore_registries_d(struct arena *a, const struct registries *r,
			  const struct registries_conf *conf, struct str *out, struct err *err);

int policy_cluster(struct arena *a, const struct registries *r, struct str base, struct str *out,
		   struct err *err);
int policy_namespaces(struct arena *a, const struct registries *r, struct str cluster,
		      struct mc_files *out, struct err *err);

/* ---- shared -------------------------------------------------------------- */

/* The entries of a map, sorted by key. */
struct map_entry **sorted_entries(struct arena *a, const struct map *m);

#endif
