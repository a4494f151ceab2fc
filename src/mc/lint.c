#include "mc/lint.h"

#include "base/map.h"
#include "mc/origin.h"

struct linter {
	struct arena *a;
	struct mc *mc;
	struct mc_findings *out;
	bool failed; /* an error was found in this one */
	struct ign_locator where;
};

/* Where path stands in the manifest the MachineConfig came from. */
static void place(struct linter *l, struct str path, bool at_key,
		  struct mc_finding *f)
{
	size_t line, col;

	if (!l->where.root)
		return;
	ign_locate(&l->where, path, at_key, &line, &col);
	f->line = l->mc->doc.line + line - 1;
	f->col = col;
}

static void find(struct linter *l, bool error, struct str path, bool at_key,
		 struct str message)
{
	struct mc_finding f = {
		.error = error,
		.file = l->mc->file,
		.object = str_fmt(l->a, "MachineConfig %.*s",
				  STRF(l->mc->meta.name)),
		.path = path,
		.message = message,
	};

	place(l, path, at_key, &f);
	l->failed = l->failed || error;
	VEC_PUSH(l->a, l->out, f);
}

static struct str below_config(struct linter *l, struct str path)
{
	return path.n ? str_fmt(l->a, "spec.config.%.*s", STRF(path))
		      : S("spec.config");
}

static void add_report(struct linter *l, const struct ign_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		find(l, r->v[i].fatal, below_config(l, r->v[i].path),
		     r->v[i].at_key, r->v[i].message);
}

/* ---- what upstream refuses ------------------------------------------------------- */

/* Of a failure without entries the first line says enough. */
static void add_failure(struct linter *l, struct str text)
{
	ptrdiff_t report = str_find(text, S("\nReport: "));
	struct str line;

	if (report >= 0 && (size_t)report + 9 < text.n)
		text = str_from(text, (size_t)report + 9);
	(void)str_line(&text, &line);
	find(l, true, S("spec.config"), false, line);
}

static const struct ign_obj *lint_ignition(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct ign_report again = { 0 };
	struct ign_parsed p = { 0 };
	struct ign_obj *v3 = NULL;
	struct str text = mc_config_text(l->a, l->mc);

	if (!text.n)
		return NULL;
	if (ign_parse(l->a, text, &p, &err) < 0) {
		if (p.report.fatal)
			add_report(l, &p.report);
		else
			add_failure(l, err.msg);
		return NULL;
	}
	if (p.v2) {
		if (ign_parse_35(l->a, text, &v3, &err) < 0)
			add_failure(l, err.msg);
		return v3;
	}
	add_report(l, &p.report);
	ign_validate(l->a, p.config, 5, NULL, &again);
	if (again.fatal && !p.report.fatal)
		add_report(l, &again);
	return p.config;
}

/* What is not Ignition's; where that failed, this would only repeat it. */
static void lint_rest(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct str path = S("spec");

	if (l->failed || mc_validate(l->a, l->mc, &err) == 0)
		return;
	if (str_starts(err.msg, S("kernelType")))
		path = S("spec.kernelType");
	else if (str_starts(err.msg, S("invalid extensions")))
		path = S("spec.extensions");
	else if (str_starts(err.msg, S("invalid mode")))
		path = S("spec.config.storage.files");
	find(l, true, path, false, err.msg);
}

/* ---- what people regret ------------------------------------------------------------ */

/* Everything else on the node is read-only, or gone after the next reboot. */
static bool is_kept(struct str path)
{
	static const char *const roots[] = { "/etc/", "/var/",	"/usr/local/",
					     "/opt/", "/home/", "/root/",
					     "/srv/", "/mnt/" };

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (str_starts(path, str_of(roots[i])))
			return true;
	return false;
}

static void lint_files(struct linter *l, const struct ign_obj *config)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH);
		const struct ign_obj *c =
			ign_sub(files->v[i], IGN_FILE_CONTENTS);
		struct str at =
			str_fmt(l->a, "spec.config.storage.files.%zu", i);

		if (!is_kept(path))
			find(l, false, str_fmt(l->a, "%.*s.path", STRF(at)),
			     false,
			     str_fmt(l->a,
				     "%.*s is outside of /etc and /var (and the "
				     "links into it): it cannot be written on a "
				     "running node, or does not last",
				     STRF(path)));
		if (ign_list(files->v[i], IGN_FILE_APPEND)->n)
			find(l, false, str_fmt(l->a, "%.*s.append", STRF(at)),
			     false,
			     S("append works on new machines only: running "
			       "nodes refuse it"));
		if (ign_str(c, IGN_RESOURCE_SOURCE).n &&
		    !str_starts(ign_str(c, IGN_RESOURCE_SOURCE), S("data:")))
			find(l, false,
			     str_fmt(l->a, "%.*s.contents.source", STRF(at)),
			     false,
			     S("other sources than data: work on new machines "
			       "only: running nodes refuse them"));
		if (!ign_is_set(c, IGN_RESOURCE_SOURCE) &&
		    !ign_list(files->v[i], IGN_FILE_APPEND)->n)
			find(l, false, at, false,
			     S("a file without contents.source renders, but the "
			       "result does not parse again"));
	}
}

static void lint_users(struct linter *l, const struct ign_obj *config)
{
	const struct ign_objs *users =
		ign_list(ign_sub(config, IGN_CONFIG_PASSWD), IGN_PASSWD_USERS);

	for (size_t i = 0; i < users->n; i++)
		if (!str_is(ign_str(users->v[i], IGN_USER_NAME), "core"))
			find(l, false,
			     str_fmt(l->a, "spec.config.passwd.users.%zu.name",
				     i),
			     false,
			     S("users other than core work on new machines "
			       "only: running nodes refuse them"));
}

/* Of the document's, when it is in this object. */
static void lint_keys(struct linter *l)
{
	const struct doc *d = &l->mc->doc;
	struct mc_finding f = {
		.file = l->mc->file,
		.object = str_fmt(l->a, "MachineConfig %.*s",
				  STRF(l->mc->meta.name)),
		.line = d->twice_line,
		.col = d->twice_col,
	};
	size_t start, end, first, last, col;

	if (!d->twice_line)
		return;
	json_span(d->tree, &start, &end);
	json_line_col(d->text, start, &first, &col);
	json_line_col(d->text, end, &last, &col);
	if (f.line < d->line + first - 1 || f.line > d->line + last - 1)
		return;
	f.message = str_fmt(l->a,
			    "the key %.*s stands twice in one mapping: only "
			    "the last one counts",
			    STRF(d->twice));
	VEC_PUSH(l->a, l->out, f);
}

static void lint_image(struct linter *l, struct str image, const char *path)
{
	if (image.n && str_find(image, S("@sha256:")) < 0)
		find(l, false, str_of(path), false,
		     str_fmt(l->a,
			     "%.*s is a tag, not a digest: nodes may run "
			     "different images under one name",
			     STRF(image)));
}

/* Names the controllers give to what they generate and overwrite. */
static void lint_name(struct linter *l)
{
	struct str name = l->mc->meta.name;
	struct str role = mc_label(&l->mc->meta, MC_ROLE);
	bool taken = str_starts(name, S("rendered-")) ||
		     str_find(name, S("-generated-")) >= 0;
	struct str prefixes[] = { S("00-"), S("01-") };

	for (size_t i = 0; role.n && i < 2; i++)
		taken = taken || str_starts(name, str_fmt(l->a, "%.*s%.*s",
							  STRF(prefixes[i]),
							  STRF(role)));
	if (!name.n)
		find(l, true, S("metadata.name"), false,
		     S("a MachineConfig needs a name"));
	if (taken && !mc_annotation(&l->mc->meta, MC_BY_CONTROLLER).n)
		find(l, false, S("metadata.name"), false,
		     S("the controllers generate MachineConfigs of such names "
		       "and may overwrite it"));
	if (!l->mc->meta.labels)
		find(l, false, S("metadata"), false,
		     S("without a label no pool selects it: " MC_ROLE
		       " is the usual one"));
}

void mc_lint(struct arena *a, struct mc *mc, struct mc_findings *out)
{
	struct linter l = { .a = a, .mc = mc, .out = out };
	const struct ign_obj *config;

	l.where = IGN_LOCATOR(mc->doc.tree, mc->doc.text);
	lint_name(&l);
	config = lint_ignition(&l);
	lint_rest(&l);
	lint_keys(&l);
	lint_files(&l, config);
	lint_users(&l, config);
	lint_image(&l, mc->os_image, "spec.osImageURL");
	lint_image(&l, mc->extensions_image,
		   "spec.baseOSExtensionsContainerImage");
}

void mc_lint_set(struct arena *a, const struct mc_set *set,
		 struct mc_findings *out)
{
	struct map seen;

	map_init(&seen, a);
	for (size_t i = 0; i < set->mcs.n; i++) {
		struct mc *mc = set->mcs.v[i];
		const struct mc *first = map_get(&seen, mc->meta.name);
		struct linter l = { .a = a, .mc = mc, .out = out };

		l.where = IGN_LOCATOR(mc->doc.tree, mc->doc.text);
		if (first)
			find(&l, false, S("metadata.name"), false,
			     str_fmt(a,
				     "%.*s has one of that name, too: of the "
				     "two a cluster keeps the one applied last",
				     STRF(first->file)));
		else
			(void)map_put(&seen, mc->meta.name, mc);
	}
}

/* ---- pools ----------------------------------------------------------------------------- */

static struct str says(struct arena *a, const struct mc_origin *o)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < o->n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "",
			 STRF(o->v[i].mc->meta.name));
	return buf_str(&b);
}

static void lint_size(struct arena *a, struct str pool,
		      const struct mcs *sources, size_t size,
		      struct mc_findings *out)
{
	struct mc_finding f = { .error = size > MC_SIZE_MAX,
				.object = str_fmt(a, "MachineConfigPool %.*s",
						  STRF(pool)) };
	struct buf b;

	if (size < MC_SIZE_MAX / 10 * 8)
		return;
	buf_init(&b, a);
	buf_addf(&b, "the rendered config has %zu of at most %d bytes:", size,
		 MC_SIZE_MAX);
	for (size_t i = 0; i < sources->n; i++)
		buf_addf(&b, "%s %.*s %zu%%", i ? "," : "",
			 STRF(sources->v[i]->meta.name),
			 mc_config_text(a, sources->v[i]).n * 100 /
				 (size ? size : 1));
	f.message = buf_str(&b);
	VEC_PUSH(a, out, f);
}

void mc_lint_pool(struct arena *a, struct str pool, const struct mcs *sources,
		  size_t size, struct mc_findings *out)
{
	struct mc_origins origins = { 0 };
	struct err ignored = ERR_INIT(a);

	if (mc_origins(a, sources, &origins, &ignored) < 0)
		return; /* told of the MachineConfig itself */
	for (size_t i = 0; i < origins.n; i++) {
		const struct mc_origin *o = origins.v[i];
		struct mc_finding f = {
			.object = str_fmt(a, "MachineConfigPool %.*s",
					  STRF(pool)),
		};

		if (o->n < 2 || o->unit)
			continue;
		f.message = str_fmt(a,
				    "%.*s is set by %.*s: what the last one "
				    "sets wins",
				    STRF(o->key), STRF(says(a, o)));
		VEC_PUSH(a, out, f);
	}
	lint_size(a, pool, sources, size, out);
}
