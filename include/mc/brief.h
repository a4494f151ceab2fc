/*
 * brief: a rendered MachineConfig without its Ignition config.
 *
 * Rendered configs are never deleted, so a cluster collects hundreds of them, each of
 * hundreds of kilobytes, and decisions need little of most: the metadata, the images,
 * and whether the Ignition config is still what it was. A brief struct mc (mc->brief) has
 * all of its tree but metadata.managedFields and spec.config, and a digest of the latter.
 */
#ifndef MC_BRIEF_H
#define MC_BRIEF_H

#include "mc/object.h"

/* Whether a MachineConfig may be held brief: it is named as a rendered one and has no
 * labels, so that no pool selects it by them. */
bool mc_may_be_brief(const struct json *tree);

/* The tree without managedFields and spec.config. Shares the text of strings. */
struct json *mc_brief_tree(struct arena *a, const struct json *tree);

/* A digest of spec.config: the same digest, the same config by json_eq. */
struct str mc_config_digest(struct arena *a, const struct json *tree);

/* The tree of a brief config with the spec.config of another MachineConfig. */
struct json *mc_brief_complete(struct arena *a, const struct mc *brief, const struct json *from);

#endif
