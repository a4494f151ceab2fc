/*
 * mcoctl blame: which MachineConfigs set a part of a config.
 */
#include "inspect.h"
#include "mc/origin.h"
#include "view/table.h"

static const struct flag flags[] = { MANIFEST_FLAGS(struct inspect_opts),
				     KUBE_FLAGS(struct inspect_opts),
				     { 0 } };

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
	struct inspect what;
	struct str path;
	struct mc_set set = { 0 };
	struct named_config c;
	struct table t;
	int rc = inspect_words(r, &what);

	if (rc == 0 && !what.part.n)
		rc = inspect_no_part(r);
	path = what.part;
	if (rc == 0)
		rc = inspect_load(r, p, what.config, &set, &c);
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
	.opts_size = sizeof(struct inspect_opts),
	.run = run_blame,
};
