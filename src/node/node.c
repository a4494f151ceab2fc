/*
 * struct node: the root, its OS and its currentconfig.
 *
 * currentconfig is checked against its own name before anything is planned from it.
 */
#include "node/node.h"

#include <stdlib.h>

#include "io/file.h"
#include "io/log.h"

#define STATE_MAX ((size_t)64 << 20)
#define SMALL_MAX ((size_t)1 << 20)

int node_open(struct node *n, struct arena *a, const char *root, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	const char *retry = getenv("MCO_RETRY_MS");
	struct str text = S("");
	int rc;

	*n = (struct node){ .retry_ms = 10000 };
	if (retry)
		(void)str_to_i64(str_of(retry), &n->retry_ms);
	rc = tree_open(&n->tree, root, err);
	if (rc < 0)
		return rc;
	host_init(&n->host, root);
	if (tree_read(a, &n->tree, "/etc/os-release", SMALL_MAX, &text, &ignored) < 0)
		(void)tree_read(a, &n->tree, "/usr/lib/os-release", SMALL_MAX, &text, &ignored);
	rc = os_release_parse(a, text, &n->os, &ignored);
	if (rc < 0) /* unknown: not CoreOS */
		n->os = (struct os_release){ .major = -1, .minor = -1 };
	return 0;
}

void node_close(struct node *n)
{
	tree_close(&n->tree);
}

void node_emit(const struct node *n, const struct node_event *e)
{
	if (n->event)
		n->event(n->event_ctx, e);
}

void node_event(const struct node *n, const char *reason, const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	va_list ap;

	if (!n->event)
		return;
	buf_init(&b, &a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	node_emit(n, &(struct node_event){ .kind = NODE_EVENT_CLUSTER,
					   .reason = str_of(reason),
					   .text = buf_str(&b) });
}

int node_do(struct node *n, struct arena *a, const char *words, const char *x, struct err *err)
{
	return host_cmd(a, &n->host, HOST_SYNC, NULL, err, words, x);
}

int node_output(struct node *n, struct arena *a, const char *words, const char *x, struct str *out,
		struct err *err)
{
	struct host_out said = { 0 };
	int rc = host_cmd(a, &n->host, HOST_CAPTURE, &said, err, words, x);

	if (rc == 0)
		*out = str_trim(said.text);
	return rc;
}

/* ---- currentconfig ------------------------------------------------------- */

/*
 * An update removes and restores what this file says. With a wrong file there is no update, unless
 * the force file exists.
 */
static int check_current(struct node *n, struct arena *a, const struct mc_current *c,
			 struct str image, struct err *err)
{
	struct err local = ERR_INIT(a);

	/* older releases store the image that was built in the cluster in it */
	if ((image.n && str_eq(image, c->spec.os_image)) || mc_current_check(a, c, &local) == 0)
		return 0;
	if (tree_exists(&n->tree, STEPS_FORCE)) {
		log_warn(STEPS_CURRENT_CONFIG ": %.*s; " STEPS_FORCE " present", STRF(local.msg));
		return 0;
	}
	return err_set(err, ERR_INVALID,
		       STEPS_CURRENT_CONFIG
		       ": %.*s; replace it with the cluster's MachineConfig of "
		       "that name, or create " STEPS_FORCE " to go on with it",
		       STRF(local.msg));
}

int node_current(struct node *n, struct arena *a, struct mc_current *out, struct str *image,
		 struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str text;
	int rc = tree_read(a, &n->tree, STEPS_CURRENT_CONFIG, STATE_MAX, &text, err);

	if (rc == 0)
		rc = mc_current_parse(a, text, out, err);
	if (rc < 0)
		return rc;
	*image = S("");
	if (tree_read(a, &n->tree, STEPS_CURRENT_IMAGE, SMALL_MAX, &text, &ignored) == 0)
		*image = str_trim(text);
	return check_current(n, a, out, *image, err);
}

int node_store_current(struct node *n, const struct mc_current *c, struct str image,
		       struct err *err)
{
	int rc = tree_put(&n->tree, STEPS_CURRENT_CONFIG, c->text, err);

	return rc < 0 ? rc : tree_put(&n->tree, STEPS_CURRENT_IMAGE, image, err);
}
