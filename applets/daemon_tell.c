/*
 * What the daemon tells: events and metrics.
 */
#include "daemon_loop.h"
#include "io/repeat.h"
#include "io/process_metrics.h"

#define NAMESPACE "openshift-machine-config-operator"

const struct json *daemon_node(const struct daemon *d)
{
	const struct kube_tree *t = kube_cache_get(d->nodes, d->name);

	return t ? t->tree : NULL;
}

struct str daemon_note(const struct daemon *d, const char *key)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *j = json_member(json_at(daemon_node(d), "metadata.annotations"),
					   str_fmt(&a, DAEMON_KEY "%s", key));

	return j ? json_text(j) : (struct str){ NULL, 0 };
}

void daemon_log(struct daemon *d, struct str text)
{
	VEC_PUSH(&d->lines, &d->logs, str_dup(&d->lines, text));
}

void daemon_tell(struct daemon *d, struct str reason, struct str text)
{
	const struct action_event about = { .kind = S("Node"),
					    .name = d->name,
					    .uid = json_str(daemon_node(d), "metadata.uid"),
					    .reason = reason,
					    .warning = daemon_is_warning(reason) };

	if (!about.warning)
		log_info("Event %.*s: %.*s", STRF(reason), STRF(text));
	else if (log_due(LOG_INFO, reason, text))
		log_warn("Event %.*s: %.*s", STRF(reason), STRF(text));
	/* upstream creates this one without its recorder */
	d->events.namespace = str_is(reason, "OSUpdateStaged") ? "default" : NAMESPACE;
	kube_event(&d->events, "machineconfigdaemon", &about, text);
}

/* ---- metrics ------------------------------------------------------------- */

static void gauge(struct buf *b, const char *name, const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n%s", name, help, name,
		 str_is(str_of(name), "mcd_reboots_failed_total") ? "counter" : "gauge", name);
}

static void label(struct buf *b, const char *name, struct str value)
{
	buf_addf(b, "%s=\"", name);
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == '\n') {
			buf_addz(b, "\\n");
			continue;
		}
		if (value.p[i] == '"' || value.p[i] == '\\')
			buf_addc(b, '\\');
		buf_addc(b, value.p[i]);
	}
	buf_addc(b, '"');
}

/* {x="…",y="…"} n */
static void labelled(struct buf *b, const char *x, struct str vx, const char *y, struct str vy,
		     long long n)
{
	buf_addc(b, '{');
	label(b, x, vx);
	if (y) {
		buf_addc(b, ',');
		label(b, y, vy);
	}
	buf_addf(b, "} %lld\n", n);
}

static void plain(struct buf *b, const char *name, const char *help, long long n)
{
	gauge(b, name, help);
	buf_addf(b, " %lld\n", n);
}

struct str daemon_disk_text(const struct daemon *d, struct arena *a)
{
	return str_fmt(a, "MachineConfig: %.*s%s%.*s", STRF(d->v.disk),
		       d->v.disk_image.n ? " / Image: " : "", STRF(d->v.disk_image));
}

static void update_state(struct daemon *d, struct arena *a, struct buf *b)
{
	struct str config, trouble = S("");

	if (d->not_uncordoned) {
		config = S("");
		trouble = str_fmt(a,
				  "failed to uncordon node: %.*s after 10 "
				  "minutes. Please see "
				  "machine-config-controller logs for more "
				  "information",
				  STRF(d->name));
	} else {
		config = daemon_disk_text(d, a);
	}
	gauge(b, "mcd_update_state", "completed update config or error");
	labelled(b, "config", config, "err", trouble, d->update_at);
}

void daemon_metrics(struct daemon *d, struct buf *b)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf os;
	int64_t packages = 0;

	plain(b, "mcd_config_drift", "timestamp for config drift", d->drift_at);
	buf_init(&os, &a);
	for (size_t i = 0; i < d->os.n; i++)
		buf_addc(&os,
			 d->os.p[i] >= 'a' && d->os.p[i] <= 'z' && !str_is(d->os, "unsupported")
				 ? (char)(d->os.p[i] - 32)
				 : d->os.p[i]);
	if (d->os.n) {
		gauge(b, "mcd_host_os_and_version",
		      "os that MCD is running on and version if RHCOS");
		labelled(b, "os", buf_str(&os), "version", d->os_version, 1);
	}
	plain(b, "mcd_kubelet_state", "state of kubelet health monitor", d->kubelet_failures);
	(void)str_to_i64(d->packages, &packages);
	gauge(b, "mcd_local_unsupported_packages",
	      "Total number of locally layered unsupported packages installed "
	      "on the node");
	labelled(b, "node", d->name, NULL, S(""), packages);
	plain(b, "mcd_pivot_errors_total", "Total number of errors encountered during pivot.",
	      (long long)d->pivot_errors);
	plain(b, "mcd_reboots_failed_total", "Total number of reboots that failed.",
	      (long long)d->reboots_failed);
	gauge(b, "mcd_state", "state of daemon on specified node");
	labelled(b, "state", daemon_note(d, "state"), "reason", daemon_note(d, "reason"),
		 d->state_at);
	if (d->update_at || d->not_uncordoned)
		update_state(d, &a, b);
	process_metrics(b);
}
