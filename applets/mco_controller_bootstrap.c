/*
 * mco-controller bootstrap: generates and renders the configs of a cluster that is being
 * installed, from its manifests.
 *
 * Nothing is written before everything is generated, and no file is replaced before all
 * are written.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "manifest_flags.h"
#include "mco_controller.h"
#include "plan/bootstrap.h"

struct opts {
	struct str manifest_dir, dest_dir, pull_secret, templates, release;
};

static const struct flag flags[] = {
	{ .name = "manifest-dir",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, manifest_dir),
	  .value = "DIR",
	  .help = "the ControllerConfig, pools and all other manifests" },
	{ .name = "dest-dir",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, dest_dir),
	  .value = "DIR",
	  .help = "where rendered configs and pools are written" },
	{ .name = "pull-secret",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, pull_secret),
	  .value = "FILE",
	  .help = "the pull secret, a Secret's manifest" },
	{ .name = "templates",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, templates),
	  .value = "DIR",
	  .help = "the templates (default " TEMPLATES_DIR
		  "); builtin: those that are part of this program" },
	{ .name = "payload-version",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, release),
	  .value = "VERSION",
	  .help = "version of the release (default 0.0.1-snapshot)",
	  .env = "RELEASE_VERSION" },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->release = S("0.0.1-snapshot");
}

/* ---- reading ------------------------------------------------------------- */

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static int not_dots(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* Words a system error as Go does: "open x: no such file or directory". */
static int lower_errno(struct run *r, const char *call, const char *path)
{
	char *text = arena_dup(r->a, strerror(errno), strlen(strerror(errno)));

	if (text[0] >= 'A' && text[0] <= 'Z')
		text[0] = (char)(text[0] + ('a' - 'A'));
	return err_set(&r->err, ERR_SYS, "%s %s: %s", call, path, text);
}

static int read_file(struct run *r, const char *path, struct str *out)
{
	if (access(path, R_OK) < 0)
		return lower_errno(r, "open", path);
	return file_read(r->a, path, MANIFEST_MAX, out, &r->err);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory as Go's filepath cleans it: it starts every path in messages. */
static const char *clean(struct run *r, struct str dir)
{
	while (str_starts(dir, S("./")) && dir.n > 2)
		dir = str_from(dir, 2);
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return str_z(r->a, dir);
}

static int read_manifests(struct run *r, struct str dir, struct bootstrap_files *out)
{
	const char *d = str_z(r->a, dir), *base = clean(r, dir);
	struct dirent **list = NULL;
	int n = scandir(d, &list, not_dots, by_name), rc = 0;
	struct buf quoted;

	buf_init(&quoted, r->a);
	go_quote(&quoted, dir);
	if (n < 0) {
		(void)lower_errno(r, "open", d);
		return err_wrap(&r->err, "failed to read dir %s", quoted.p);
	}
	for (int i = 0; i < n; i++) {
		struct bootstrap_file f = { .path = str_fmt(r->a, "%s/%s", base, list[i]->d_name) };

		if (rc == 0 && !is_dir(f.path.p)) {
			rc = read_file(r, f.path.p, &f.text);
			VEC_PUSH(r->a, out, f);
		}
		free(list[i]);
	}
	free(list);
	return rc;
}

/* ---- writing ------------------------------------------------------------- */

static int make_dir(struct run *r, char *path)
{
	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(path, 0764) < 0 && !is_dir(path)) {
			errno = errno == EEXIST ? ENOTDIR : errno;
			return lower_errno(r, "mkdir", path);
		}
		*p = c;
		if (c == '\0')
			return 0;
	}
}

/* The name of file number i in the staging directory. */
static const char *staged(struct run *r, const char *stage, size_t i)
{
	return str_fmt(r->a, "%s/%zu", stage, i).p;
}

static int write_file(struct run *r, const char *path, struct str text)
{
	AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0664);

	if (fd < 0)
		return lower_errno(r, "open", path);
	return file_write_fd(fd, text, path, &r->err);
}

static int write_all(struct run *r, const char *stage, const struct bootstrap_files *files)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++)
		rc = write_file(r, staged(r, stage, i), files->v[i].text);
	return rc;
}

static int move_all(struct run *r, const char *stage, const char *dest,
		    const struct bootstrap_files *files)
{
	struct str made = S("");
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++) {
		struct str path = str_fmt(r->a, "%s/%.*s", dest, STRF(files->v[i].path));
		struct str dir = str_sub(path, 0, (size_t)str_rchr(path, '/'));

		if (!str_eq(dir, made))
			rc = make_dir(r, str_z(r->a, dir));
		made = dir;
		if (rc == 0 && rename(staged(r, stage, i), path.p) < 0)
			rc = lower_errno(r, "rename", path.p);
	}
	return rc;
}

/*
 * A server may be waiting for these files: each is replaced atomically by a rename,
 * and none before all of them are written. They are not fsynced: after a power cut
 * the kubelet runs the bootstrap's init container again before the server starts.
 */
static int write_files(struct run *r, struct str dest, const struct bootstrap_files *files)
{
	char *dir = str_z(r->a, dest);
	char *stage = str_z(r->a, str_fmt(r->a, "%s/.bootstrap-XXXXXX", dir));
	int rc = make_dir(r, dir);

	if (rc < 0)
		return rc;
	if (!mkdtemp(stage))
		return lower_errno(r, "mkdir", stage);
	rc = write_all(r, stage, files);
	if (rc == 0)
		rc = move_all(r, stage, dir, files);
	for (size_t i = 0; rc < 0 && i < files->n; i++)
		(void)unlink(staged(r, stage, i));
	(void)rmdir(stage);
	return rc;
}

static int bootstrap(struct run *r, const struct opts *o)
{
	struct template_tree tree = { 0 };
	struct bootstrap_in in = { .manifest_dir = o->manifest_dir,
				   .templates = &tree,
				   .raw = str_of(version_raw()),
				   .adopt_raw = !version_given(),
				   .hash = str_of(version_hash()),
				   .release = o->release };
	struct bootstrap_out out = { 0 };
	int rc = read_manifests(r, o->manifest_dir, &in.manifests);

	if (rc == 0)
		rc = read_file(r, str_z(r->a, o->pull_secret), &in.pull_secret);
	if (rc == 0)
		rc = controller_templates(r, o->templates, &tree);
	if (rc == 0)
		rc = plan_bootstrap(r->a, &in, &out, &r->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < out.notes.n; i++)
		log_warn("%.*s", STRF(out.notes.v[i]));
	rc = write_files(r, o->dest_dir, &out.files);
	if (rc == 0)
		log_info("wrote %zu files to %.*s", out.files.n, STRF(o->dest_dir));
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;

	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (!o->manifest_dir.n || !o->dest_dir.n) {
		log_line(LOG_FATAL, __FILE__, __LINE__, "--dest-dir or --manifest-dir not set");
		return 255;
	}
	if (bootstrap(r, o) == 0)
		return 0;
	log_line(LOG_FATAL, __FILE__, __LINE__, "error running MCC[BOOTSTRAP]: %.*s",
		 STRF(r->err.msg));
	return 255;
}

const struct command bootstrap_command = {
	.name = "bootstrap",
	.args = "--manifest-dir DIR --dest-dir DIR --pull-secret FILE",
	.summary = "render the configs of a cluster that is being installed",
	.details = "Reads the ControllerConfig, FeatureGate, pools, MachineConfigs, "
		   "KubeletConfigs,\nContainerRuntimeConfigs, Image, mirror sets, "
		   "image policies and the rest from the\nmanifests, and writes "
		   "machine-pools, machine-configs, api-server and\n"
		   "controller-config. Nothing is written unless all of it could "
		   "be made.",
	.examples = "# On the bootstrap machine, before the cluster is there\n"
		    "@ bootstrap --manifest-dir manifests \\\n"
		    "    --dest-dir /etc/mcs/bootstrap --pull-secret pull-secret.yaml",
	.exits = "0 done, 255 an error, which the last line of the log tells",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
