/*
 * podman on the node. Images are pulled by systemd-run, which sets the node's proxy.
 */
#include "podman.h"

#include <sys/random.h>

#include "io/log.h"

#define OLD_POLICY "/etc/machine-config-daemon/policy-for-old-podman.json"

struct str podman_uuid(struct arena *a)
{
	unsigned char r[16] = { 0 };
	struct buf b;

	(void)getrandom(r, sizeof(r), 0);
	r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
	buf_init(&b, a);
	for (size_t i = 0; i < sizeof(r); i++)
		buf_addf(&b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
	return buf_str(&b);
}

/* A podman before 4.4.1 cannot read signatures stored beside images; one of unknown version
 * counts as old. */
static bool old_podman(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct semver v = { 0 }, min = { 0 };
	struct host_out out = { 0 };

	if (host_cmd(a, &n->host, HOST_SILENT, &out, &err, "podman version -f {{.APIVersion}}") ==
		    0 &&
	    out.status == 0 && semver_parse(S("4.4.1"), &min) &&
	    semver_parse(str_trim(out.text), &v))
		return semver_cmp(v, min) < 0;
	log_error("failed to run podman version: %.*s",
		  STRF(err.msg.n ? err.msg : str_trim(out.text)));
	return true;
}

void podman_args(struct args *args, const char *unit)
{
	args_words(args,
		   "systemd-run --unit %s -p "
		   "EnvironmentFile=-/etc/mco/proxy.env --collect --wait -- "
		   "podman",
		   unit);
}

int podman_pull(struct node *n, struct arena *a, const char *unit, const char *auth, bool must,
		struct str image, struct err *err)
{
	struct args args = { .a = a };

	podman_args(&args, unit);
	args_add(&args, "pull");
	if (must || tree_exists(&n->tree, auth))
		args_words(&args, "--authfile %s", auth);
	if (old_podman(n, a) && (must || tree_exists(&n->tree, OLD_POLICY)))
		args_words(&args, "--signature-policy " OLD_POLICY);
	args_add(&args, str_z(a, image));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

int podman_find_image(struct node *n, struct arena *a, struct str image, struct os_image *out,
		      struct err *err)
{
	struct str text;
	int rc = node_output(n, a, "podman images --format=json --filter %s",
			     str_fmt(a, "reference=%.*s", STRF(image)).p, &text, err);

	return rc < 0 ? rc : os_image_parse(a, text, image, out, err);
}
