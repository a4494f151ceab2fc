/*
 * Kernel arguments of an Ignition config, edited in the boot loader entries (BLS) of the root.
 */
#include "ignite_kargs.h"

#define ENTRIES "/boot/loader/entries"
#define ENTRY_MAX ((size_t)1 << 24)

static bool among(const struct strs *l, struct str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i], s))
			return true;
	return false;
}

static void edit_options(struct arena *a, struct buf *b, struct str options, const struct strs *add,
			 const struct strs *drop)
{
	struct strs have = { 0 };

	os_kargs_split(a, options, &have);
	buf_addz(b, "options");
	for (size_t i = 0; i < have.n; i++)
		if (!among(drop, have.v[i]))
			buf_addf(b, " %.*s", STRF(have.v[i]));
	for (size_t i = 0; i < add->n; i++)
		if (!among(&have, add->v[i]))
			buf_addf(b, " %.*s", STRF(add->v[i]));
	buf_addc(b, '\n');
}

static int edit_entry(struct node *n, struct arena *a, const char *path, const struct strs *add,
		      const struct strs *drop, struct err *err)
{
	struct str text = S(""), line;
	struct buf b;
	int rc = tree_read(a, &n->tree, path, ENTRY_MAX, &text, err);

	buf_init(&b, a);
	while (rc == 0 && str_line(&text, &line)) {
		if (str_starts(line, S("options ")))
			edit_options(a, &b, str_from(line, 8), add, drop);
		else
			buf_addf(&b, "%.*s\n", STRF(line));
	}
	return rc < 0 ? rc : tree_put(&n->tree, path, buf_str(&b), err);
}

int ignite_kargs_set(struct node *n, struct arena *a, const struct ign_obj *config, struct err *err)
{
	const struct ign_obj *k = ign_sub(config, IGN_CONFIG_KARGS);
	const struct strs *add = ign_strings(k, IGN_KARGS_EXIST);
	const struct strs *drop = ign_strings(k, IGN_KARGS_NOT_EXIST);
	struct strs names = { 0 };
	int rc = 0;

	if (!add->n && !drop->n)
		return 0;
	rc = tree_list(a, &n->tree, ENTRIES, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (str_ends(names.v[i], S(".conf")))
			rc = edit_entry(n, a, str_fmt(a, ENTRIES "/%.*s", STRF(names.v[i])).p, add,
					drop, err);
	return rc;
}

int ignite_kargs_check(struct node *n, const struct ign_obj *config, struct err *err)
{
	const struct ign_obj *k = ign_sub(config, IGN_CONFIG_KARGS);

	if ((ign_strings(k, IGN_KARGS_EXIST)->n || ign_strings(k, IGN_KARGS_NOT_EXIST)->n) &&
	    !tree_exists(&n->tree, ENTRIES))
		return err_set(err, ERR_INVALID,
			       "the config has kernelArguments, but there are "
			       "no boot entries in " ENTRIES ": nothing has been written");
	return 0;
}
