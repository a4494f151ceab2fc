/*
 * mcoctl files: what is in a config, and where each part comes from.
 */
#include "base/map.h"
#include "inspect.h"
#include "mc/contents.h"
#include "mc/origin.h"
#include "view/table.h"

static const struct flag flags[] = { MANIFEST_FLAGS(struct inspect_opts),
				     KUBE_FLAGS(struct inspect_opts),
				     { 0 } };

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
	struct inspect what;
	struct map by_path;
	struct table t;
	int rc;

	rc = inspect_words(r, &what);
	if (rc == 0 && what.part.n)
		return err_set(&r->err, ERR_INVALID,
			       "give one pool, MachineConfig, Node or file");
	if (rc == 0)
		rc = inspect_load(r, p, what.config, &set, &c);
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
	.opts_size = sizeof(struct inspect_opts),
	.run = run_files,
};
