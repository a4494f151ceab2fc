/*
 * What the daemon tells: events and metrics.
 */
#include <stdlib.h>
#include <time.h>

#include "daemon_loop.h"
#include "io/log.h"

#define EVENTS "/api/v1/namespaces/openshift-machine-config-operator/events"

const struct json *daemon_node(const struct daemon *d)
{
	const struct kube_tree *t = kube_cache_get(d->nodes, d->name);

	return t ? t->tree : NULL;
}

struct str daemon_note(const struct json *list, const char *key)
{
	return json_text(json_member(list, str_of(key)));
}

struct telling {
	struct kube_call call;
	struct arena a;
	struct daemon *d;
	struct telling *next;
};

static void forget_telling(struct telling *t)
{
	arena_free(&t->a);
	free(t);
}

static void told(struct telling *t)
{
	struct telling **at = &t->d->tellings;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	forget_telling(t);
}

static void event_sent(struct kube_call *c, const struct kube_answer *ans)
{
	if (ans->rc < 0)
		log_warn("An event could not be sent: %.*s",
			 STRF(ans->message));
	told(c->ctx);
}

void daemon_tell(struct daemon *d, struct str reason, struct str text)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct telling *t = calloc(1, sizeof(*t));
	struct timespec now;
	struct buf b, at;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	log_info("Event %.*s: %.*s", STRF(reason), STRF(text));
	if (!t)
		return;
	buf_init(&at, &a);
	rfc3339_add(&at, (struct instant){ .sec = now.tv_sec });
	buf_init(&b, &a);
	buf_addf(&b,
		 "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{"
		 "\"name\":\"%.*s.%llx%02x\",\"namespace\":"
		 "\"openshift-machine-config-operator\"},"
		 "\"involvedObject\":{\"kind\":\"Node\",\"namespace\":"
		 "\"openshift-machine-config-operator\",\"name\":\"%.*s\","
		 "\"uid\":\"%.*s\"},\"reason\":\"%.*s\",\"message\":",
		 STRF(d->name),
		 (unsigned long long)now.tv_sec * 1000000000ULL +
			 (unsigned long long)now.tv_nsec,
		 d->events++ & 0xFF, STRF(d->name),
		 STRF(json_str(daemon_node(d), "metadata.uid", S(""))),
		 STRF(reason));
	json_add_quoted(&b, text, 0);
	buf_addf(&b,
		 ",\"source\":{\"component\":\"machineconfigdaemon\",\"host\":"
		 "\"%.*s\"},\"firstTimestamp\":\"%.*s\",\"lastTimestamp\":"
		 "\"%.*s\",\"count\":1,\"type\":\"%s\"}",
		 STRF(d->name), STRF(buf_str(&at)), STRF(buf_str(&at)),
		 daemon_is_warning(reason) ? "Warning" : "Normal");
	t->d = d;
	t->next = d->tellings;
	d->tellings = t;
	t->call = (struct kube_call){ .method = "POST",
				      .path = S(EVENTS),
				      .body = str_dup(&t->a, buf_str(&b)),
				      .done = event_sent,
				      .ctx = t };
	kube_start(d->writer, &t->call);
}

/* ---- metrics ------------------------------------------------------------------------------- */

static void gauge(struct buf *b, const char *name, const char *type,
		  const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n%s", name, help, name, type,
		 name);
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

void daemon_metrics(struct daemon *d, struct buf *b)
{
	const struct json *l = json_at(daemon_node(d), "metadata.annotations");

	gauge(b, "mcd_state", "gauge", "state of daemon on specified node");
	buf_addc(b, '{');
	label(b, "state", daemon_note(l, DAEMON_KEY "state"));
	buf_addc(b, ',');
	label(b, "reason", daemon_note(l, DAEMON_KEY "reason"));
	buf_addf(b, "} %lld\n", (long long)d->state_at);
	gauge(b, "mcd_update_state", "gauge",
	      "completed update config or error");
	buf_addf(b, "{config=\"MachineConfig: %.*s\",err=\"\"} %lld\n",
		 STRF(d->v.disk), (long long)d->update_at);
	gauge(b, "mcd_config_drift", "gauge", "timestamp for config drift");
	buf_addf(b, " %lld\n", (long long)d->drift_at);
	gauge(b, "mcd_reboots_failed_total", "counter",
	      "Total number of reboots that failed.");
	buf_addf(b, " %llu\n", (unsigned long long)d->reboots_failed);
}

void daemon_tell_no_more(struct daemon *d)
{
	for (struct telling *t = d->tellings, *next; t; t = next) {
		next = t->next;
		kube_cancel(&t->call);
		forget_telling(t);
	}
	d->tellings = NULL;
}
