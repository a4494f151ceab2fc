/*
 * A cluster without config.openshift.io: its configuration, from the flags and from what every
 * Kubernetes has.
 *
 * The platform is None. There is no bootstrap phase, no image registry and no payload: OS images
 * may be absent, and the CA of the cluster is also that of its clients.
 */
#include "mc/api.h"
#include "op_render.h"

/* HighlyAvailable with two nodes or more in the control plane. */
static struct str topology(struct arena *a, const struct operator_view *in)
{
	const struct json *const *nodes;
	size_t n = in->list(in, OPERATOR_NODES, a, &nodes), masters = 0;

	for (size_t i = 0; i < n; i++) {
		const struct json *labels = json_at(nodes[i], "metadata.labels");

		masters += json_member(labels, S(LABEL_CONTROL_PLANE)) ||
			   json_member(labels, S(LABEL_MASTER));
	}
	return masters > 1 ? S("HighlyAvailable") : S("SingleReplica");
}

static struct json *new_object(struct arena *a)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, json_add_object(a, j, "metadata"), "name", S(NAME_CLUSTER));
	return j;
}

void op_standalone_config(struct arena *a, const struct operator_view *in,
			  struct operator_inputs *s)
{
	struct json *infra = new_object(a), *network = new_object(a), *dns = new_object(a), *j;
	struct str rest = in->service_network, one;

	j = json_add_object(a, infra, "status");
	json_add_str(a, j, "apiServerInternalURI", in->api_url);
	json_add_str(a, j, "apiServerURL", in->api_url);
	json_add_str(a, j, "controlPlaneTopology", topology(a, in));
	json_add_str(a, j, "infrastructureTopology", topology(a, in));
	json_add_str(a, j, "platform", S("None"));
	j = json_new(a, JSON_ARRAY);
	while (rest.n) {
		if (!str_cut(rest, ',', &one, &rest)) {
			one = rest;
			rest = S("");
		}
		json_push(j, json_new_str(a, str_trim(one)));
	}
	json_add(json_make(a, network, "spec"), S("serviceNetwork"), j);
	json_add_str(a, json_make(a, dns, "spec"), "baseDomain", in->base_domain);
	s->infra = infra;
	s->network = network;
	s->dns = dns;
}

int op_standalone_ca(struct arena *a, const struct operator_view *in, struct str *out,
		     struct err *err)
{
	return op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS, NS_MCO, S("kube-root-ca.crt"), "ca.crt",
			   out, err);
}
