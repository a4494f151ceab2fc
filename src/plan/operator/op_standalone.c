/*
 * A cluster without config.openshift.io: its configuration, from the flags and from what every
 * Kubernetes has.
 *
 * The platform is None. There is no bootstrap phase, no image registry and no payload: OS images
 * may be absent, and the CA of the cluster is also that of its clients.
 */
#include "base/codec.h"
#include "data/docs.h"
#include "mc/api.h"
#include "op_render.h"

/* That of the ControllerConfig once it is written, because a change would update every node. Else
 * HighlyAvailable with two nodes or more in the control plane. */
static struct str topology(struct arena *a, const struct operator_view *in)
{
	struct str was = json_str(in->get(in, OPERATOR_CONTROLLER_CONFIGS, S(NAME_CONTROLLER)),
				  "spec.infra.status.controlPlaneTopology");
	const struct json *const *nodes;
	size_t n = in->list(in, OPERATOR_NODES, a, &nodes), masters = 0;

	if (was.n)
		return was;
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

/* The service networks: of the flag, else of the ServiceCIDR that the API server creates. */
static struct json *service_networks(struct arena *a, const struct operator_view *in)
{
	const struct json *cidrs =
		json_at(in->get(in, OPERATOR_SERVICE_CIDRS, S("kubernetes")), "spec.cidrs");
	struct json *j = json_new(a, JSON_ARRAY);
	struct str rest = in->service_network, one;

	if (!rest.n && json_kind(cidrs) == JSON_ARRAY)
		return json_clone(a, cidrs);
	while (rest.n) {
		if (!str_cut(rest, ',', &one, &rest)) {
			one = rest;
			rest = S("");
		}
		json_push(j, json_new_str(a, str_trim(one)));
	}
	return j;
}

/*
 * The network as far as the ControllerConfig needs it: the address of the DNS and the IP families.
 * Service kube-dns has the address and the first family, so its network may stay unknown.
 */
static int add_network(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
		       struct json *network, struct err *err)
{
	struct json *cidrs = service_networks(a, in);
	struct str dns = in->cluster_dns;

	if (!dns.n)
		dns = json_str(in->get(in, OPERATOR_SERVICES_SYSTEM, S("kube-dns")),
			       "spec.clusterIP");
	if (str_is(dns, "None"))
		dns = S("");
	if (!json_len(cidrs) && dns.n)
		json_push(cidrs, json_new_str(a, str_fmt(a, "%.*s/%s", STRF(dns),
							 str_chr(dns, ':') < 0 ? "32" : "128")));
	if (!json_len(cidrs))
		return err_set(err, ERR_NOTFOUND,
			       "the service network is unknown: there is neither ServiceCIDR "
			       "kubernetes nor Service " NS_KUBE_SYSTEM
			       "/kube-dns; give --service-network");
	json_add(json_make(a, network, "spec"), S("serviceNetwork"), cidrs);
	s->cluster_dns = dns;
	return 0;
}

int op_standalone_config(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
			 struct err *err)
{
	struct json *infra = new_object(a), *network = new_object(a), *dns = new_object(a), *j;
	int rc = add_network(a, in, s, network, err);

	if (rc < 0)
		return rc;
	j = json_add_object(a, infra, "status");
	json_add_str(a, j, "apiServerInternalURI", in->api_url);
	json_add_str(a, j, "apiServerURL", in->api_url);
	json_add_str(a, j, "controlPlaneTopology", topology(a, in));
	json_add_str(a, j, "infrastructureTopology", topology(a, in));
	json_add_str(a, j, "platform", S("None"));
	json_add_str(a, json_make(a, dns, "spec"), "baseDomain", in->base_domain);
	s->infra = infra;
	s->network = network;
	s->dns = dns;
	return 0;
}

/* The CA in the kubeconfig that kubeadm publishes. */
static bool published_ca(struct arena *a, const struct operator_view *in, struct str *out)
{
	const struct json *map = in->get(in, OPERATOR_CLUSTER_INFO, S("cluster-info"));
	struct err ignored = ERR_INIT(a);
	struct docs docs = { 0 };
	const struct json *cluster;

	if (docs_parse(a, json_str(map, "data.kubeconfig"), &docs, NULL, &ignored) < 0 || !docs.n)
		return false;
	cluster = json_at(json_first(json_at(docs.v[0].tree, "clusters")), "cluster");
	return base64_decode(a, json_str(cluster, "certificate-authority-data"), out, &ignored) >=
		       0 &&
	       out->n;
}

int op_standalone_ca(struct arena *a, const struct operator_view *in, struct str *out,
		     struct err *err)
{
	struct err ignored = ERR_INIT(a);

	*out = in->root_ca;
	if (out->n ||
	    op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS, NS_MCO, S("kube-root-ca.crt"), "ca.crt", out,
			&ignored) >= 0 ||
	    published_ca(a, in, out))
		return 0;
	return err_set(err, ERR_NOTFOUND,
		       "the CA of the cluster is unknown: there is neither ConfigMap " NS_MCO
		       "/kube-root-ca.crt nor kube-public/cluster-info; give --root-ca");
}
