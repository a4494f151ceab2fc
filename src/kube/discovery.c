/*
 * Reads the CustomResourceDefinition of a kind whose lists return 404. At most one request is
 * running. A failed request is not retried here: the caller asks again after each failed list.
 */
#include "kube/discovery.h"

#include <string.h>

#include "io/clock.h"
#include "io/log.h"
#include "mc/api.h"

#define ABSENT_MS 30000

/* "images.config.openshift.io". */
static struct str definition_name(struct arena *a, const char *path)
{
	struct str rest = str_from(str_of(path), sizeof("/apis/") - 1);
	struct str group = str_sub(rest, 0, (size_t)str_chr(rest, '/'));

	return str_fmt(a, "%s.%.*s", strrchr(path, '/') + 1, STRF(group));
}

/* To plan without, say, mirrors that exist would be a rollout. */
static void definition_read(struct kube_call *call, const struct kube_answer *ans)
{
	struct kube_discovery *d = call->ctx;

	d->asking = false;
	if (d->absent || d->found ||
	    (ans->rc != -ERR_NOTFOUND && clock_ms() - d->since < ABSENT_MS))
		return;
	d->absent = true;
	log_warn("the server does not have %s (CustomResourceDefinition %.*s is missing, or "
		 "has no such version): continuing without it; it is used within a minute "
		 "once it exists",
		 d->path, STRF(definition_name(&d->a, d->path)));
	d->lacks(d->ctx);
}

void kube_discovery_ask(struct kube_discovery *d)
{
	if (d->absent || d->asking)
		return;
	if (!d->since)
		d->since = clock_ms();
	arena_free(&d->a);
	d->call = (struct kube_call){
		.method = "GET",
		.path = str_fmt(&d->a, PATH_CRD "customresourcedefinitions/%.*s",
				STRF(definition_name(&d->a, d->path))),
		.done = definition_read,
		.ctx = d,
	};
	d->asking = true;
	kube_start(d->kube, &d->call);
}

void kube_discovery_found(struct kube_discovery *d)
{
	if (d->absent)
		log_info("%s: now available on the server", d->path);
	d->absent = false;
	d->found = true;
}

void kube_discovery_end(struct kube_discovery *d)
{
	if (d->asking)
		kube_cancel(&d->call);
	d->asking = false;
	arena_free(&d->a);
}
