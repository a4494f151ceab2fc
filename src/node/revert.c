/*
 * Leaving an OS image that was built in the cluster. Files that the config has are part of that
 * image and disappear with it, so a unit in /etc, which is part of neither image, completes the
 * machine once more as after its first boot. The texts are upstream's, byte for byte.
 */
#include "node/revert.h"

#include "base/codec.h"
#include "mc/contents.h"
#include "node/files.h"
#include "units.h"

#define UNIT "machine-config-daemon-revert.service"
#define CONFIG "/etc/mco/machineconfig-revert.json"
#define PROXY "/etc/mco/proxy.env.backup"
#define RUN                                                             \
	"ExecStart=/usr/bin/podman run "                                \
	"--authfile=/var/lib/kubelet/config.json --rm --privileged %s-" \
	"-net=host -v /:/rootfs  --entrypoint machine-config-daemon "   \
	"'%s' firstboot-complete-machineconfig %s--machineconfig-file " CONFIG "\n"

/* Upstream uses an HTML template. */
static const char *escaped(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a);
	html_add_strict(&b, s);
	return str_z(a, buf_str(&b));
}

static struct str unit_text(struct arena *a, struct str image, bool proxy)
{
	const char *by = escaped(a, image);

	return str_fmt(a,
		       "[Unit]\nDescription=Machine Config Daemon Revert\n"
		       "# Make sure it runs only on OSTree booted system\n"
		       "ConditionPathExists=/run/ostree-booted\n"
		       "# Removal of this file signals firstboot completion\n"
		       "ConditionPathExists=" CONFIG "\nAfter=network.target\n\n"
		       "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
		       "# Disable existing repos (if any) so that OS extensions would "
		       "use embedded RPMs only\n"
		       "ExecStartPre=-/usr/bin/sh -c \"sed -i "
		       "'s/enabled=1/enabled=0/' /etc/yum.repos.d/*.repo\"\n"
		       "# Run this via podman because we want to use the nmstatectl "
		       "binary in our container\n" RUN RUN "ExecStartPost=rm " CONFIG
		       "\n%s[Install]\n"
		       "RequiredBy=multi-user.target\n",
		       "", by, "--persist-nics ", "--pid=host ", by, "",
		       proxy ? "EnvironmentFile=" PROXY "\nExecStartPost=rm " PROXY "\n" : "");
}

static int keep_proxy(struct node *n, struct arena *a, const struct mc_current *to, struct err *err)
{
	const struct ign_objs *files = ign_files(to->spec.config);

	for (size_t i = 0; i < files->n; i++) {
		struct step s = { .kind = STEP_FILE,
				  .name = S(PROXY),
				  .obj = files->v[i],
				  .mode = ign_int(files->v[i], IGN_FILE_MODE, 0644) };
		int rc;

		if (!str_is(ign_str(s.obj, IGN_FILE_PATH), "/etc/mco/proxy.env"))
			continue;
		rc = mc_contents(a, s.obj, &s.data, err);
		return rc < 0 ? rc : files_write(n, a, &s, err);
	}
	return err_set(err, ERR_NOTFOUND,
		       "file \"/etc/mco/proxy.env\" not found in "
		       "MachineConfig \"%.*s\"",
		       STRF(to->name));
}

static int prepare(struct node *n, struct arena *a, const struct json *controller,
		   const struct mc_current *to, struct err *err)
{
	const struct json *images = json_at(controller, "spec.images");
	const struct json *image = json_member(images, S("machineConfigOperator"));
	bool proxy = json_kind(json_at(controller, "spec.proxy")) == JSON_OBJECT;
	struct step unit = { .kind = STEP_UNIT, .name = S(UNIT), .mode = 0644 };
	struct strs units = { 0 };
	int rc;

	if (!json_text(image).n)
		return err_set(err, ERR_INVALID, "controllerconfig Images %s",
			       image ? "has machineConfigOperator but it is "
				       "empty"
				     : "does not have machineConfigOperator "
				       "image");
	rc = files_keep_orig(n, a, CONFIG, CONFIG, err);
	if (rc == 0)
		rc = tree_put(&n->tree, CONFIG, to->text, err);
	if (rc == 0 && proxy)
		rc = keep_proxy(n, a, to, err);
	if (rc < 0)
		return rc;
	unit.data = unit_text(a, json_text(image), proxy);
	rc = units_write(n, a, &unit, err);
	VEC_PUSH(a, &units, unit.name);
	if (rc == 0)
		rc = units_enable(n, a, &units, true, err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

int revert_prepare(struct node *n, struct arena *a, const struct json *controller,
		   const struct mc_current *to, struct err *err)
{
	int rc = prepare(n, a, controller, to, err);

	return rc < 0 ? err_wrap(err, "failed to prepare OCL revert") : 0;
}

int revert_drop(struct node *n, struct arena *a, struct err *err)
{
	static const char *const files[] = { TREE_UNITS "/" UNIT, CONFIG, PROXY };
	struct strs units = { 0 };
	int rc;

	if (!tree_exists(&n->tree, files[0]))
		return tree_remove(&n->tree, CONFIG, err);
	VEC_PUSH(a, &units, S(UNIT));
	rc = units_enable(n, a, &units, false, err);
	for (size_t i = 0; rc == 0 && i < 3; i++)
		rc = tree_remove(&n->tree, files[i], err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}
