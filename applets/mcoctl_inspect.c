/*
 * mcoctl cat, files and blame: looking into a config.
 */
#include <stdio.h>

#include "base/map.h"
#include "live.h"
#include "mc/contents.h"
#include "mc/origin.h"
#include "mc/secret.h"
#include "mcoctl.h"
#include "view/table.h"

struct opts {
	struct strs files;
	bool recursive, secrets;
	struct kube_flags kube;
};

static const struct flag flags[] = { MANIFEST_FLAGS(struct opts),
				     KUBE_FLAGS(struct opts),
				     { 0 } };

static const struct flag cat_flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .name = "show-secrets",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, secrets),
	  .help = "show secrets too: the exact bytes" },
	KUBE_FLAGS(struct opts),
	{ 0 }
};

/*
 * What a command is about: CONFIG is a pool or MachineConfig among the -f
 * manifests, or a file of its own, or else a name in the cluster.
 */
static int load(struct run *r, const struct opts *o, struct str config,
		struct mc_set *set, struct named_config *out)
{
	struct strs paths = o->files;
	int rc;

	if (!paths.n && !live_is_file(r, config)) {
		rc = live_load(r, &o->kube, LIVE_INSTEAD, set);
		if (rc == 0)
			rc = mcoctl_preview(r, set, NULL, true);
		if (rc < 0)
			return err_wrap(&r->err, "%.*s is no file here",
					STRF(config));
	} else if (!paths.n) {
		VEC_PUSH(r->a, &paths, config);
		rc = manifests_load(r, &paths, o->recursive, set);
		if (rc < 0)
			return rc;
		if (set->pools.n == 1)
			config = set->pools.v[0]->meta.name;
		else if (set->mcs.n == 1)
			config = set->mcs.v[0]->meta.name;
		else
			return err_set(
				&r->err, ERR_INVALID,
				"%.*s has %zu MachineConfigs and %zu "
				"pools: give it with -f, and the name of "
				"one",
				STRF(config), set->mcs.n, set->pools.n);
	} else {
		rc = manifests_load(r, &paths, o->recursive, set);
		if (rc < 0)
			return rc;
	}
	return mcoctl_named(r, set, config, out);
}

/* CONFIG:/path, or CONFIG and /path. */
static int config_and_path(struct run *r, struct str *config, struct str *path)
{
	if (r->words.n == 2) {
		*config = r->words.v[0];
		*path = r->words.v[1];
		return 0;
	}
	if (r->words.n == 1) {
		ptrdiff_t at = str_find(r->words.v[0], S(":/"));

		if (at > 0) {
			*config = str_sub(r->words.v[0], 0, (size_t)at);
			*path = str_from(r->words.v[0], (size_t)at + 1);
			return 0;
		}
	}
	return err_set(&r->err, ERR_INVALID,
		       "give a config and a path: worker:/etc/chrony.conf");
}

/* ---- cat --------------------------------------------------------------------------- */

/* Masks what is secret, and says so: the output is not the file. */
static struct str masked(struct run *r, struct str path,
			 const struct ign_obj *file, struct str text)
{
	bool all = mc_is_secret(path, ign_int(file, IGN_FILE_MODE, 0644), text);
	struct str shown = all ? S(MC_MASK "\n") : mc_mask(r->a, text);

	if (!str_eq(shown, text))
		applet_say("warning: %s masked in %.*s: --show-secrets "
			   "shows the exact bytes\n",
			   all ? "the contents are" : "secrets are",
			   STRF(path));
	return shown;
}

static int run_cat(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct str config, path, text;
	const struct ign_obj *file;
	struct mc_set set = { 0 };
	struct named_config c;
	int rc = config_and_path(r, &config, &path);

	if (rc == 0)
		rc = load(r, p, config, &set, &c);
	if (rc < 0)
		return rc;
	file = mc_find_file(c.ignition, path);
	if (file)
		rc = mc_contents(r->a, file, &text, &r->err);
	else if (!mc_unit_text(r->a, c.ignition, path, &text))
		return err_set(&r->err, ERR_NOTFOUND,
			       "%.*s has no file or unit %.*s", STRF(c.name),
			       STRF(path));
	if (rc < 0)
		return err_wrap(&r->err, "%.*s in %.*s", STRF(path),
				STRF(c.name));
	buf_add(&r->out, o->secrets ? text : masked(r, path, file, text));
	return 0;
}

/* ---- files --------------------------------------------------------------------------- */

static struct str size_of(struct run *r, const struct ign_obj *file)
{
	struct err ignored = ERR_INIT(r->a);
	uint64_t n;
	int rc = mc_size(file, &n, &ignored);

	if (rc == -ERR_NOTFOUND)
		return S("remote");
	return rc < 0 ? S("?") : str_fmt(r->a, "%llu", (unsigned long long)n);
}

static struct str mode_of(struct run *r, const struct ign_obj *file)
{
	if (!ign_is_set(file, IGN_FILE_MODE))
		return S("-");
	return str_fmt(r->a, "%04llo",
		       (unsigned long long)ign_int(file, IGN_FILE_MODE, 0));
}

static struct str overridden(struct run *r, const struct mc_origin *o)
{
	struct buf b;

	buf_init(&b, r->a);
	for (size_t i = 0; i + 1 < o->n; i++)
		buf_addf(&b, "%s%.*s", b.n ? "," : "",
			 STRF(o->v[i].mc->meta.name));
	return b.n ? buf_str(&b) : S("-");
}

static int run_files(struct run *r, const void *p)
{
	static const char *const headings[] = { "PATH", "MODE",	     "SIZE",
						"FROM", "OVERRIDES", NULL };
	struct mc_origins origins = { 0 };
	struct mc_set set = { 0 };
	struct named_config c;
	struct map by_path;
	struct table t;
	int rc;

	if (r->words.n != 1)
		return err_set(&r->err, ERR_INVALID,
			       "give one pool, MachineConfig or file");
	rc = load(r, p, r->words.v[0], &set, &c);
	if (rc == 0)
		rc = mc_origins(r->a, &c.sources, &origins, &r->err);
	if (rc < 0)
		return rc;
	map_init(&by_path, r->a);
	for (size_t i = 0; i < origins.n; i++)
		if (!origins.v[i]->unit)
			(void)map_put(&by_path, origins.v[i]->key,
				      origins.v[i]);
	table_init(&t, r->a, headings);
	for (size_t i = 0; i < ign_files(c.ignition)->n; i++) {
		const struct ign_obj *f = ign_files(c.ignition)->v[i];
		struct str path = ign_str(f, IGN_FILE_PATH);
		const struct mc_origin *o = map_get(&by_path, path);

		table_cell(&t, path);
		table_cell(&t, mode_of(r, f));
		table_cell(&t, size_of(r, f));
		table_cell(&t, o ? o->v[o->n - 1].mc->meta.name : c.name);
		table_cell(&t, o ? overridden(r, o) : S("-"));
	}
	table_print(&r->out, &t);
	return 0;
}

/* ---- blame ------------------------------------------------------------------------------ */

/* Which fields one MachineConfig sets of a file or unit. */
static struct str sets(struct run *r, const struct ign_obj *o)
{
	struct buf b;

	buf_init(&b, r->a);
	for (size_t i = 0; i < o->type->n; i++) {
		const struct ign_field *f = &o->type->fields[i];
		const struct ign_val *v = &o->v[i];
		bool set = f->kind == IGN_OBJ	 ? !ign_is_zero(v->u.o)
			   : f->kind == IGN_OBJS ? v->u.objs.n > 0
			   : f->kind == IGN_STRS ? v->u.strs.n > 0
						 : v->set;

		if (set && !(f->flags & IGN_KEY))
			buf_addf(&b, "%s%s", b.n ? "," : "", f->name);
	}
	return b.n ? buf_str(&b) : S("-");
}

static int run_blame(struct run *r, const void *p)
{
	static const char *const headings[] = { "MACHINECONFIG", "SETS",
						"MANIFEST", NULL };
	struct mc_origins origins = { 0 };
	struct str config, path;
	struct mc_set set = { 0 };
	struct named_config c;
	struct table t;
	int rc = config_and_path(r, &config, &path);

	if (rc == 0)
		rc = load(r, p, config, &set, &c);
	if (rc == 0)
		rc = mc_origins(r->a, &c.sources, &origins, &r->err);
	if (rc < 0)
		return rc;
	table_init(&t, r->a, headings);
	for (size_t i = 0; i < origins.n; i++) {
		const struct mc_origin *o = origins.v[i];

		if (!str_eq(o->key, path))
			continue;
		for (size_t k = 0; k < o->n; k++) {
			table_cell(&t, o->v[k].mc->meta.name);
			table_cell(&t, sets(r, o->v[k].entry));
			table_cell(&t, o->v[k].mc->file);
		}
	}
	if (t.cells.n <= t.columns)
		return err_set(&r->err, ERR_NOTFOUND,
			       "no MachineConfig of %.*s sets %.*s",
			       STRF(c.name), STRF(path));
	table_print(&r->out, &t);
	return 0;
}

const struct command mcoctl_cat = {
	.name = "cat",
	.args = "[-f PATH...] [--show-secrets] CONFIG:/PATH | CONFIG /PATH",
	.summary = "print a file or unit of a config, decoded",
	.details =
		"CONFIG is a pool or a MachineConfig among the manifests, or a "
		"file that holds one. Without -f, and if there is no such file, "
		"it is one of the\ncluster's. Secrets are masked: the whole of "
		"a file that only its owner may read,\nand the values of keys "
		"named password, token, secret, key, credential or auth.",
	.examples = "# A file as the nodes of a pool get it\n"
		    "@ cat worker:/etc/chrony.conf\n"
		    "# A file of a MachineConfig that is not in the cluster\n"
		    "@ cat 99-worker-ntp.yaml /etc/chrony.conf",
	.flags = cat_flags,
	.opts_size = sizeof(struct opts),
	.run = run_cat,
};

const struct command mcoctl_files = {
	.name = "files",
	.args = "[-f PATH...] CONFIG",
	.summary = "list the files of a config and where each comes from",
	.details =
		"FROM is the MachineConfig whose word is last; OVERRIDES are "
		"those it overrides.",
	.examples =
		"# The files of a pool, and the MachineConfig each comes from\n"
		"@ files worker\n"
		"# The same from a dump\n"
		"@ files -f cluster.yaml worker",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run_files,
};

const struct command mcoctl_blame = {
	.name = "blame",
	.args = "[-f PATH...] POOL:/PATH | POOL UNIT",
	.summary =
		"tell which MachineConfigs set a file or unit, last one last",
	.examples = "# Which MachineConfigs set a file\n"
		    "@ blame worker:/etc/chrony.conf\n"
		    "# Which set a unit, from a dump\n"
		    "@ blame -f cluster.yaml worker kubelet.service",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run_blame,
};
