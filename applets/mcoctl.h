#ifndef APPLETS_MCOCTL_H
#define APPLETS_MCOCTL_H

#include "applet.h"
#include "manifest_flags.h"
#include "mc/find.h"
#include "plan/preview.h"
#include "plan/render_set.h"

extern const struct command mcoctl_blame;
extern const struct command mcoctl_cat;
extern const struct command mcoctl_convert;
extern const struct command mcoctl_diff;
extern const struct command mcoctl_dump;
extern const struct command mcoctl_files;
extern const struct command mcoctl_fmt;
extern const struct command mcoctl_hash;
extern const struct command mcoctl_options;
extern const struct command mcoctl_render;
extern const struct command mcoctl_validate;

/*
 * Renders one pool of a set. MCO_RAW and MCO_HASH say which version to render
 * as; without them it is the version the set itself comes from. The result is
 * in a; what is parsed for other pools as well stays in the run's arena.
 */
int mcoctl_render_pool(struct arena *a, struct run *r, const struct mc_set *set,
		       const struct mcp *pool, struct rendered *out);

/* Says on standard error when MCO_RAW and MCO_HASH are not the set's version. */
void mcoctl_warn_version(const struct mc_set *set);

/*
 * Puts into set what controllers would generate from its KubeletConfigs, mirror
 * sets and the like, where it is missing. What cannot be told is said on standard
 * error, and what they would refuse is an error; not so without warn.
 */
int mcoctl_preview(struct run *r, struct mc_set *set, bool warn);

/* The same for commands that go on without what is refused, and say so themselves. */
void mcoctl_preview_some(struct run *r, struct mc_set *set, struct preview_refusals *refused);

/* plan_preview as the version of in's set, or of MCO_HASH. */
void mcoctl_plan(struct run *r, struct preview_in *in, struct preview *out);

/* A list for -o json. */
struct json *mcoctl_strings(struct arena *a, const struct strs *list);

/*
 * The config a word names: a pool (rendered), a MachineConfig or a Node's current
 * config, all of the set; see mc/ref.h.
 */
int mcoctl_named(struct run *r, const struct mc_set *set, struct str word,
		 struct named_config *out);

/* The config of a pool, rendered. */
int mcoctl_pool(struct run *r, const struct mc_set *set, const struct mcp *pool,
		struct named_config *out);

/* ERR_INVALID for a word with a slash that is neither a file nor TYPE/NAME. */
int mcoctl_check_word(struct run *r, struct str word);

#endif
