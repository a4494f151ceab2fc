/*
 * pin: the images that PinnedImageSets want on a node: which they are, whether
 * there is room, whose credentials they are pulled with, what CRI-O is told to
 * keep and what is reported.
 *
 * One round goes through stages, each with all images: are they here, how large
 * are those that are not, pull them, are they here now. What a round has found
 * out the next one need not ask again.
 */
#ifndef PLAN_PIN_H
#define PLAN_PIN_H

#include "base/map.h"
#include "base/vec.h"
#include "mc/mcp.h"

#define PIN_CONFIG "/etc/crio/crio.conf.d/50-pinned-images"
#define PIN_AUTH "/var/lib/kubelet/config.json"
#define PIN_REGISTRIES "/etc/containers/registries.conf"
#define PIN_SOCKET "/var/run/crio/crio.sock"

#define PIN_WORKERS 5 /* 1 on masters, for their disks have other work */
#define PIN_TRIES 4
#define PIN_ROUND_MS (5 * 60000)
#define PIN_PULL_MS (60 * 60000) /* a pull under way outlives its round */
#define PIN_THROTTLE_MS 1000

struct pin_set {
	struct str name, uid;
	int64_t generation;
	VEC(uint32_t) images; /* their places among all */
	bool primary; /* of the pool that reports are about */
	bool done; /* all of it has been pulled */
};

struct pin_image {
	struct str name;
	int64_t size; /* of its layers; -1: not known */
	bool here;
};

struct pins {
	struct arena a;
	struct str key; /* what is wanted: two that are equal want the same */
	VEC(struct pin_set) sets;
	VEC(struct pin_image) images; /* each once */
	struct map by_name;
	int64_t capacity; /* of the node */
};

/* Finds a PinnedImageSet; NULL when there is none. */
typedef const struct json *pin_find(const void *ctx, struct str name);

/*
 * Begins a round after the one before. Nothing of trees is kept.
 * ERR_NOTFOUND for a set that is not there, ERR_AGAIN when the node is not ready
 * or too small; *out is as complete as that allows, for reports.
 */
int pin_begin(struct pins *out, const struct pins *before, const struct mcp_of_node *pools,
	      const struct json *node, pin_find *find, const void *ctx, struct err *err);
void pin_free(struct pins *p);

#define PIN_NO_ROOM "storage available is less than minimum required"
/* Is there room for what is missing? */
bool pin_fits(const struct pins *p);
/* The bytes of a manifest's layers that are not in seen yet. */
int pin_size(struct arena *a, struct str image, struct str manifest, struct map *seen, int64_t *out,
	     struct err *err);

/* Every image has been pulled; or one is gone, and nothing is believed. */
void pin_pulled(struct pins *p);
void pin_forget(struct pins *p);

/* What CRI-O is told; "" when nothing is pinned. */
struct str pin_config(struct arena *a, const struct pins *p);

/* status.pinnedImageSets of a MachineConfigNode, as JSON. failed: why, or "". */
struct str pin_status(struct arena *a, const struct pins *p, bool complete, struct str failed);

/* ---- pools --------------------------------------------------------------- */

struct json_list;
struct mcp;
struct actions;

/*
 * Has a pool name the sets that its selector matches, in the order of their
 * names. A pool that never had one is left alone: upstream writes a condition
 * there, too. failed: why that could not be written the last time, or "".
 */
int plan_pin_pool(struct arena *a, const struct mcp *pool, const struct json_list *sets,
		  struct instant now, struct str failed, struct actions *out, struct err *err);

/* ---- credentials --------------------------------------------------------- */

struct registries_conf;

struct pin_auth {
	struct arena *a;
	struct map users; /* "user:password" by registry */
	VEC(struct registries_conf *) confs;
};

/* auths as a pull secret has them. Errors name registries, never secrets. */
int pin_auth_load(struct arena *a, struct str auths, struct pin_auth *out, struct err *err);
/* Adds one of the files of registries.conf; those added later count first. */
int pin_auth_mirrors(struct pin_auth *auth, struct str text, struct err *err);

/*
 * The request to pull an image, or to look at it where auth is NULL. The
 * credentials are those of its first mirror that has any, or of its own
 * registry; it may go without. Pinned images are named by digest.
 */
struct str pin_request(struct arena *a, const struct pin_auth *auth, struct str image);

/* ---- pulling ------------------------------------------------------------- */

/* Milliseconds until a pull that has failed so often is tried again; -1: never. */
int64_t pin_retry(unsigned tries, struct str why);
bool pin_no_space(struct str why);
struct str pin_pull_error(struct arena *a, struct str image, unsigned tries, struct str why);

#endif
