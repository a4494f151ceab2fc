/*
 * Calls of rpm-ostree that more than one module makes.
 */
#include "rpm_ostree.h"

#include "node/args.h"
#include "node/deployment.h"

int rpm_ostree_run(struct node *n, struct arena *a, const struct strs *words, struct err *err)
{
	struct args args = { .a = a };

	args_add(&args, "rpm-ostree");
	for (size_t i = 0; i < words->n; i++)
		args_add(&args, str_z(a, words->v[i]));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

void rpm_ostree_link_secret(struct node *n, struct arena *a)
{
	deployment_link_secret(n, a, "/run/ostree/auth.json");
}

static bool has_container_feature(struct str text)
{
	struct str line;
	bool inside = false;

	while (str_line(&text, &line)) {
		struct str t = str_trim(line);

		if (str_starts(t, S("Features:")))
			inside = true;
		else if (t.n && t.p[0] != '-')
			inside = false;
		if (inside &&
		    (str_is(t, "- container") || str_find(t, S("[container")) >= 0 ||
		     str_find(t, S(" container,")) >= 0 || str_find(t, S(" container]")) >= 0))
			return true;
	}
	return false;
}

int rpm_ostree_reads_images(struct node *n, struct arena *a, bool *out, struct err *err)
{
	struct str text;
	int rc = node_output(n, a, "rpm-ostree --version", NULL, &text, err);

	if (rc == 0)
		*out = has_container_feature(text);
	return rc;
}
