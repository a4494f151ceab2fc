/*
 * The rules for one MachineConfig. Errors are upstream's; warnings are ours.
 */
#include "mc/lint.h"

static struct str below_config(struct mc_linter *l, struct str path)
{
	return path.n ? str_fmt(l->a, "spec.config.%.*s", STRF(path)) : S("spec.config");
}

static void add_report(struct mc_linter *l, const struct ign_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		mc_linter_add(l, r->v[i].fatal, below_config(l, r->v[i].path), r->v[i].at_key,
			      r->v[i].message);
}

/* ---- errors -------------------------------------------------------------- */

/* For a failure without entries the first line is enough. */
static void add_failure(struct mc_linter *l, struct str text)
{
	ptrdiff_t report = str_find(text, S("\nReport: "));
	struct str line;

	if (report >= 0 && (size_t)report + 9 < text.n)
		text = str_from(text, (size_t)report + 9);
	(void)str_line(&text, &line);
	mc_linter_add(l, true, S("spec.config"), false, line);
}

/* Adds all faults of a config that upstream refuses; failure is upstream's text. */
static struct ign_obj *lint_refused(struct mc_linter *l, struct mc *mc, struct str failure)
{
	struct ign_review *r = ARENA_NEW(l->a, struct ign_review);

	if (mc_is_butane(mc->config_tree)) {
		mc_linter_add(l, true, S("spec.config.variant"), true, S(MC_BUTANE));
		return NULL;
	}
	ign_review(l->a, mc->config_tree, r);
	for (size_t i = 0; i < r->misfits.n && i < MC_FAULTS_MAX; i++)
		mc_linter_add_at(l, true, below_config(l, r->misfits.v[i].path), r->misfits.v[i].at,
				 false, r->misfits.v[i].message);
	add_report(l, &r->report);
	if (!r->misfits.n && !r->report.fatal)
		add_failure(l, failure);
	mc->review = l->review = r;
	return r->config;
}

/* The readable part of the config, or NULL. */
static struct ign_obj *lint_ignition(struct mc_linter *l, struct mc *mc)
{
	struct err err = ERR_INIT(l->a);
	struct ign_report again = { 0 };
	struct ign_parsed p = { 0 };
	struct ign_obj *v3 = NULL;
	struct str text = mc_config_text(l->a, mc);

	if (!text.n)
		return NULL;
	if (ign_parse(l->a, text, &p, &err) < 0)
		return lint_refused(l, mc, err.msg);
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

/* A mode that was most likely written in octal digits without the leading 0. */
static struct str meant_mode(struct mc_linter *l, int64_t mode)
{
	int64_t octal = 0;

	for (int64_t rest = mode, place = 1; rest; rest /= 10, place *= 8) {
		if (rest % 10 > 7)
			return S("");
		octal += rest % 10 * place;
	}
	if (octal > 0777)
		return S("");
	/* JSON has no octal numbers */
	if (l->doc->json)
		return str_fmt(l->a, " (decimal; did you mean %lld: 0%llo?)", (long long)octal,
			       (unsigned long long)octal);
	return str_fmt(l->a, " (decimal; did you mean 0%llo?)", (unsigned long long)octal);
}

static void lint_mode(struct mc_linter *l, const struct ign_obj *file, struct str at)
{
	int64_t mode = ign_int(file, IGN_FILE_MODE, 0);
	struct str path = str_clip(l->a, ign_str(file, IGN_FILE_PATH), 200);

	if (mode > 0777)
		mc_linter_add(l, true, str_fmt(l->a, "%.*s.mode", STRF(at)), false,
			      str_fmt(l->a,
				      "invalid mode %#llo for %.*s, cannot "
				      "exceed 0777%.*s",
				      (unsigned long long)mode, STRF(path),
				      STRF(meant_mode(l, mode))));
	/* decimal values below 0777 that make no sense as modes */
	else if (mode == 400 || mode == 440 || mode == 444 || mode == 500)
		mc_linter_add(l, false, str_fmt(l->a, "%.*s.mode", STRF(at)), false,
			      str_fmt(l->a, "the mode of %.*s is %#llo%.*s", STRF(path),
				      (unsigned long long)mode, STRF(meant_mode(l, mode))));
}

static void lint_modes(struct mc_linter *l, const struct ign_obj *config)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++)
		lint_mode(l, files->v[i], str_fmt(l->a, "spec.config.storage.files.%zu", i));
}

static void lint_extensions(struct mc_linter *l, const struct mc *mc)
{
	struct err err = ERR_INIT(l->a);

	if (mc_check_extensions(l->a, mc, &err) == 0)
		return;
	/* without a config it still renders, and nodes detect the fault */
	mc_linter_add(l, mc_has_config(mc), S("spec.extensions"), false,
		      mc_has_config(mc)
			      ? err.msg
			      : str_fmt(l->a, "running nodes refuse it: %.*s", STRF(err.msg)));
}

/* Checks the fields outside of Ignition, and the rest of a valid Ignition config. */
static void lint_rest(struct mc_linter *l, struct mc *mc)
{
	struct err err = ERR_INIT(l->a);

	if (mc_check_kernel(mc, &err) < 0)
		mc_linter_add(l, true, S("spec.kernelType"), false, err.msg);
	lint_extensions(l, mc);
	if (!l->failed && mc_validate(l->a, mc, &err) < 0)
		mc_linter_add(l, true, S("spec"), false, err.msg);
}

/* ---- warnings ------------------------------------------------------------ */

/* All other paths on the node are read-only or lost at the next reboot. */
static bool is_kept(struct str path)
{
	static const char *const roots[] = { "/etc/",  "/var/",	 "/usr/local/", "/opt/",
					     "/home/", "/root/", "/srv/",	"/mnt/" };

	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (str_starts(path, str_of(roots[i])))
			return true;
	return false;
}

static bool is_reported(struct mc_linter *l, struct str at, const char *below)
{
	return mc_linter_reported(l, str_fmt(l->a, "%.*s.%s", STRF(at), below));
}

static void lint_files(struct mc_linter *l, const struct ign_obj *config)
{
	const struct ign_objs *files = ign_files(config);

	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH);
		const struct ign_obj *c = ign_sub(files->v[i], IGN_FILE_CONTENTS);
		struct str at = str_fmt(l->a, "spec.config.storage.files.%zu", i);

		if (!is_kept(path))
			mc_linter_add(l, false, str_fmt(l->a, "%.*s.path", STRF(at)), false,
				      str_fmt(l->a,
					      "%.*s is outside of /etc and /var (and the "
					      "links into it): it cannot be written on a "
					      "running node, or does not last",
					      STRF(str_clip(l->a, path, 200))));
		if (!ign_is_set(c, IGN_RESOURCE_SOURCE) &&
		    !ign_list(files->v[i], IGN_FILE_APPEND)->n && !is_reported(l, at, "contents") &&
		    !is_reported(l, at, "append"))
			mc_linter_add(l, false, at, false,
				      S("a file without contents.source renders, but the "
					"result does not parse again"));
	}
}

static void lint_image(struct mc_linter *l, struct str image, const char *path)
{
	if (image.n && str_find(image, S("@sha256:")) < 0)
		mc_linter_add(l, false, str_of(path), false,
			      str_fmt(l->a,
				      "%.*s is a tag, not a digest: nodes may run "
				      "different images under one name",
				      STRF(image)));
}

/* Warns about names of generated MachineConfigs, which controllers overwrite. */
static void lint_name(struct mc_linter *l, const struct mc *mc)
{
	struct str name = mc->meta.name;
	struct str role = mc_label(&mc->meta, LABEL_ROLE);
	bool taken = str_starts(name, S("rendered-")) || str_find(name, S("-generated-")) >= 0;
	struct str prefixes[] = { S("00-"), S("01-") };

	for (size_t i = 0; role.n && i < 2; i++)
		taken = taken ||
			str_starts(name, str_fmt(l->a, "%.*s%.*s", STRF(prefixes[i]), STRF(role)));
	if (taken)
		mc_linter_add(l, false, S("metadata.name"), false,
			      S("the controllers generate MachineConfigs with such names "
				"and may overwrite it"));
	if (!mc->meta.labels)
		mc_linter_add(l, false, S("metadata"), false,
			      S("no pool selects it, because it has no labels: " LABEL_ROLE
				" is the usual one"));
}

bool mc_is_generated(const struct mc *mc)
{
	return mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n ||
	       json_len(json_at(mc->doc.tree, "metadata.ownerReferences"));
}

/* Warnings about settings that upstream accepts. */
static void lint_risks(struct mc_linter *l, const struct mc *mc, const struct ign_obj *config)
{
	lint_name(l, mc);
	lint_files(l, config);
	if (ign_list(ign_sub(config, IGN_CONFIG_STORAGE), IGN_STORAGE_LUKS)->n)
		mc_linter_add(l, false, S("spec.config.storage.luks"), false,
			      S("it works on new machines only: running nodes ignore it"));
	lint_image(l, mc->os_image, "spec.osImageURL");
	lint_image(l, mc->extensions_image, "spec.baseOSExtensionsContainerImage");
}

void mc_lint(struct arena *a, struct mc *mc, struct mc_findings *out)
{
	struct mc_linter l = mc_linter_of_mc(a, mc, out);
	struct ign_obj *config = lint_ignition(&l, mc);

	mc->judged = config;
	lint_modes(&l, config);
	lint_rest(&l, mc);
	if (!mc_is_generated(mc))
		lint_risks(&l, mc, config);
}
