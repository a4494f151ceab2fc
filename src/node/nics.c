/*
 * Makes the names of network interfaces persistent with nmstatectl, as upstream does on EL. The
 * kernel arguments that it asks for are set with rpm-ostree.
 */
#include "node/nics.h"

#include <stdlib.h>
#include <unistd.h>

#include "io/file.h"
#include "io/log.h"
#include "node/args.h"

#define KARGS_MAX ((size_t)64 << 20)

/* Logs the output; the error has only the status. */
static int run_plainly(struct arena *a, const struct host *h, const char *name, struct args *args,
		       struct err *err)
{
	struct host_out out = { 0 };
	int rc = host_run(a, h, HOST_SILENT, args_end(args), &out, err);

	if (rc == 0 && out.text.n)
		log_info("%s: %.*s", name, STRF(str_trim(out.text)));
	if (rc == 0 && out.status)
		rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, out.status)));
	return rc < 0 ? err_wrap(err, "failed to run %s", name) : 0;
}

int nics_persist(struct node *n, struct arena *a, struct err *err)
{
	bool inside = strcmp(n->tree.root, "/") == 0;
	bool cleanup = n->os.major >= 10;
	/* in our own root, where nmstatectl runs; mkstemp never uses an existing file */
	char out[] = "/tmp/nmstate-kargsXXXXXX";
	AUTO(fd) int fd = -1;
	struct args args = { .a = a }, kargs = { .a = a };
	struct err ignored = ERR_INIT(a);
	struct host here = n->host;
	struct str text, word;
	bool more = true;
	int rc;

	if (!n->os.el || n->os.major < 8)
		return 0;
	fd = mkstemp(out);
	if (fd < 0)
		return err_sys(err, "make %s", out);
	here.chroot = false;
	args_words(&args, "%s persist-nic-names --root %s --kargs-out %s %s",
		   getenv("MCO_HOST_PATH") ? "nmstatectl"
		   : inside		   ? "/run/machine-config-daemon-bin/nmstatectl"
					   : "/usr/bin/nmstatectl",
		   n->tree.root, out, cleanup ? "--cleanup" : NULL);
	rc = run_plainly(a, &here, "nmstatectl", &args, err);
	if (file_read(a, out, KARGS_MAX, &text, &ignored) < 0)
		text = S("");
	(void)unlink(out);
	if (rc < 0)
		return cleanup ? 0 : rc;
	if (!text.n)
		return 0;
	args_words(&kargs, "rpm-ostree kargs");
	while (more) {
		more = str_cut(text, ' ', &word, &text);
		args_words(&kargs, "%s %s", cleanup ? "--remove" : "--append",
			   str_z(a, more ? word : text));
	}
	return run_plainly(a, &n->host, "rpm-ostree kargs", &kargs, err);
}
