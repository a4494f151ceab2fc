/*
 * The node's part of pinning images: their sizes by podman, and the drop-in that makes CRI-O keep
 * them.
 */
#include "node/node_pin.h"

#include "io/log.h"
#include "plan/pin.h"

#define CONFIG_MAX ((size_t)4 << 20)
#define SAID_MAX 500

int node_pin_size(struct node *n, struct arena *a, struct str image, struct map *seen, int64_t *out,
		  struct err *err)
{
	struct host_out said = { 0 };
	struct str why;
	int rc = host_cmd(a, &n->host, HOST_SILENT, &said, err,
			  "podman manifest --log-level error inspect "
			  "--authfile " PIN_AUTH " %s",
			  str_z(a, image));

	if (rc == 0 && said.status == 0)
		return pin_size(a, image, said.text, seen, out, err);
	why = str_trim(said.text);
	if (why.n > SAID_MAX)
		why = str_from(why, why.n - SAID_MAX);
	if (rc == 0)
		(void)err_set(err, ERR_SYS, "%.*s: %.*s", STRF(host_status_text(a, said.status)),
			      STRF(why));
	return err_wrap(err,
			"failed to execute podman manifest inspect for "
			"\"%.*s\"",
			STRF(image));
}

static int put(struct node *n, struct str text, struct err *err)
{
	int rc = text.n ? tree_write(&n->tree, PIN_CONFIG, text, TREE_DEFAULT, err)
			: tree_remove(&n->tree, PIN_CONFIG, err);

	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

int node_pin(struct node *n, struct arena *a, struct str config, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct str old = S("");
	int rc = tree_read(a, &n->tree, PIN_CONFIG, CONFIG_MAX, &old, err);

	if (rc < 0 && rc != -ERR_NOTFOUND)
		return err_wrap(err, "failed to read CRIO config file");
	if (str_eq(str_trim(old), str_trim(config))) {
		log_info("CRI-O config file is up to date, no reload required");
		return 0;
	}
	rc = put(n, config, err);
	if (rc < 0)
		return err_wrap(err, "failed to write CRIO config file");
	if (!config.n)
		log_info("removed crio config file: " PIN_CONFIG);
	rc = host_cmd(a, &n->host, HOST_SYNC, NULL, err, "systemctl reload crio");
	if (rc < 0) {
		/* otherwise the next attempt would find nothing to do */
		(void)put(n, old, &local);
		return err_wrap(err, "could not apply update: reloading crio "
				     "configuration failed. Error");
	}
	return 0;
}
