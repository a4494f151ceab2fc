/*
 * pin: the images that PinnedImageSets want on a node: which ones, whether the disk has
 * room, the credentials to pull them, the CRI-O configuration and the report.
 *
 * A round has stages, each with all images: check which exist, measure the missing ones,
 * pull them, check again. A round reuses the results of the one before.
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

#define PIN_WORKERS 5 /* 1 on masters, to spare their disks */
#define PIN_TRIES 4
#define PIN_ROUND_MS (5 * 60000)
#define PIN_PULL_MS (60 * 60000) /* a running pull survives its round */
#define PIN_THROTTLE_MS 1000

struct pin_set {
	struct str name, uid;
	int64_t generation;
	VEC(uint32_t) images; /* their indexes in the list of all images */
	bool primary; /* of the pool to report for */
	bool done; /* the whole image was pulled */
};

struct pin_image {
	struct str name;
	int64_t size; /* of its layers; -1: unknown */
	bool here;
};

struct pins {
	struct arena a;
	struct str key; /* fingerprint of the wanted images */
	VEC(struct pin_set) sets;
	VEC(struct pin_image) images; /* each once */
	struct map by_name;
	int64_t capacity; /* of the node */
};

/* Finds a PinnedImageSet; NULL when there is none. */
typedef const struct json *pin_find(const void *ctx, struct str name);

/*
 * Starts a round after the previous one. Keeps nothing of trees. ERR_NOTFOUND for a
 * missing set, ERR_AGAIN when the node is not ready or too small; *out is then filled in
 * as far as possible, for reports.
 */
int pin_begin(struct pins *out, const struct pins *before, const struct mcp_of_node *pools,
	      const struct json *node, pin_find *find, const void *ctx, struct err *err);
void pin_free(struct pins *p);

#define PIN_NO_ROOM "storage available is less than minimum required"
/* True when the disk has room for the missing images. */
bool pin_fits(const struct pins *p);
/* The size of the layers of a manifest that are not in seen yet. */
int pin_size(struct arena *a, struct str image, struct str manifest, struct map *seen, int64_t *out,
	     struct err *err);

/* Every image was pulled; or one was removed, and all are checked again. */
void pin_pulled(struct pins *p);
void pin_forget(struct pins *p);

/* The CRI-O configuration; "" when nothing is pinned. */
struct str pin_config(struct arena *a, const struct pins *p);

/* status.pinnedImageSets of a MachineConfigNode, as JSON. failed: the error, or "". */
struct str pin_status(struct arena *a, const struct pins *p, bool complete, struct str failed);

/* ---- pools --------------------------------------------------------------- */

struct json_list;
struct mcp;
struct actions;

/*
 * Writes the sets that a pool's selector matches into the pool, sorted by name. A pool
 * that never had one is left alone: upstream writes a condition there, too. failed: the
 * error of the last write, or "".
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

/* Parses auths of a pull secret. Errors name registries, never secrets. */
int pin_auth_load(struct arena *a, struct str auths, struct pin_auth *out, struct err *err);
/* Adds one of the registries.conf files; later ones take precedence. */
int pin_auth_mirrors(struct pin_auth *auth, struct str text, struct err *err);

/*
 * The request to pull an image, or to inspect it when auth is NULL. Uses the credentials
 * of the first mirror that has any, else of its own registry, else none. Pinned images
 * are named by digest.
 */
struct str pin_request(struct arena *a, const struct pin_auth *auth, struct str image);

/* ---- pulling ------------------------------------------------------------- */

/* Milliseconds until a pull with that many failures is retried; -1: never. */
int64_t pin_retry(unsigned tries, struct str why);
bool pin_no_space(struct str why);
struct str pin_pull_error(struct arena *a, struct str image, unsigned tries, struct str why);

#endif
