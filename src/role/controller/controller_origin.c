/*
 * Checks that this build fits the cluster: its templates and its version.
 *
 * Templates that would remove files from the nodes are refused unless --replace-templates is
 * given. No pool is rendered while the versions differ.
 */
#include "controller_sync.h"
#include "io/log.h"
#include "io/template_dir.h"
#include "mc/made_by.h"
#include "role/controller.h"

#define EXAMPLES 3

static void adopt(struct controller *c, const struct made_by *by)
{
	/* a running controller keeps its hash: it has written MachineConfigs with it */
	bool hash = !c->running && by->hash.n && !str_eq(by->hash, c->hash);
	bool raw = by->raw.n && !str_eq(by->raw, c->raw);

	if (hash)
		c->hash = str_dup(&c->kept, by->hash);
	if (raw)
		c->raw = str_dup(&c->kept, by->raw);
	if (hash || raw)
		log_info("taking the version of the cluster: %.*s (%.*s)", STRF(c->raw),
			 STRF(c->hash));
}

void controller_take_version(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sight s;
	struct made_by by;

	controller_see(c, &a, &s);
	by = made_by(s.view.controller_config, &s.mcs, &s.pools);
	if (c->from_cluster)
		adopt(c, &by);
	else if (by.raw.n && !str_eq(by.raw, c->raw))
		log_warn("the ControllerConfig was made by %.*s and this is "
			 "%.*s: no pool is rendered until they agree. To take "
			 "the version of the cluster give --version-from-cluster, "
			 "or set MCO_RAW=%.*s and MCO_HASH=%.*s",
			 STRF(by.raw), STRF(c->raw), STRF(by.raw),
			 STRF(by.hash.n ? by.hash : c->hash));
}

static void add_list(struct buf *b, const struct strs *list, size_t most)
{
	for (size_t i = 0; i < list->n && i < most; i++)
		buf_addf(b, "%s%.*s", i ? ", " : "", STRF(list->v[i]));
	if (list->n > most)
		buf_addz(b, ", ...");
}

static int refuse(struct arena *a, const struct template_loss *loss, struct err *err)
{
	struct buf b;

	buf_init(&b, a);
	add_list(&b, &loss->configs, loss->configs.n);
	buf_addf(&b,
		 " come from other templates: with the built-in ones %zu of "
		 "their %zu files and units would vanish (",
		 loss->lost.n, loss->had);
	add_list(&b, &loss->lost, EXAMPLES);
	buf_addz(&b, ") and every node would reboot: mount the templates of "
		     "upstream's image in " TEMPLATES_DIR
		     " or name them with --templates=DIR; --replace-templates "
		     "makes the change all the same");
	return err_set(err, ERR_INVALID, "%.*s", STRF(buf_str(&b)));
}

int controller_check_templates(struct controller *c, struct arena *a, struct err *err)
{
	struct template_loss loss;
	struct template_input in;
	struct mc_list made = { 0 };
	struct err told = ERR_INIT(a);
	struct sight s;
	int rc;

	controller_see(c, a, &s);
	if (!c->templates.platforms || !s.view.controller_config)
		return 0;
	rc = template_serves(a, &c->templates, s.view.controller_config, err);
	if (rc < 0 || c->replace_templates)
		return rc;
	in = generate_templates(a, &s.view);
	in.pull_secret = S("{}");
	if (plan_template(a, &in, &made, &told) < 0)
		return 0; /* the template controller reports it in its status */
	template_loss(a, &made, &s.mcs, &loss);
	return loss.lost.n ? refuse(a, &loss, err) : 0;
}
