/*
 * Copies the logs of the daemon's pod to a directory that survives the pod. The copy has a
 * time limit; a failure is only logged.
 */
#include "node/keep_logs.h"

#include <sys/wait.h>

#include "io/log.h"

#define PODS "/var/log/pods"
#define KEPT "/etc/machine-config-daemon/previous-logs"
#define LIMIT_MS 60000

/* The last by name, as upstream chooses it. */
static struct str own_logs(const struct strs *names)
{
	const struct str mark = S(NS_MCO "_machine-config-daemon-");
	struct str out = S("");

	for (size_t i = 0; i < names->n; i++)
		if (str_find(names->v[i], mark) >= 0)
			out = names->v[i];
	return out;
}

void keep_logs(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct host host = n->host;
	struct host_out out = { 0 };
	struct strs names = { 0 };
	const char *from, *to;
	struct stat st;
	struct str dir;
	int rc = tree_lstat(&n->tree, PODS, &st, &err);

	if (rc == 0)
		rc = tree_list(a, &n->tree, PODS, &names, &err);
	dir = own_logs(&names);
	if (rc < 0 || !dir.n) {
		log_error("Daemon logs could could not be found due to error: "
			  "%.*s",
			  STRF(rc < 0 ? err.msg : S("no logs of the daemon's pod in " PODS)));
		return;
	}
	rc = tree_remove_all(&n->tree, KEPT, &err);
	if (rc == 0)
		rc = tree_mkdirs(&n->tree, KEPT, 0755, -1, -1, &err);
	from = str_fmt(a, PODS "/%.*s", STRF(dir)).p;
	to = str_fmt(a, KEPT "/%.*s", STRF(dir)).p;
	host.limit_ms = LIMIT_MS;
	if (rc == 0)
		rc = host_cmd(a, &host, HOST_SILENT, &out, &err, "cp --recursive %s %s", from, to);
	if (rc == 0 && out.status == 0)
		log_info("Daemon logs from %s preserved at %s", from, to);
	else if (rc == 0 && WIFSIGNALED(out.status))
		log_error("Timeout reached: Daemon logs from %s could not be "
			  "preserved at %s",
			  from, to);
	else
		log_error("Daemon logs from %s could not be preserved at %s "
			  "due to error: %.*s",
			  from, to, STRF(rc < 0 ? err.msg : host_status_text(a, out.status)));
}
