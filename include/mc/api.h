/*
 * api: the names of the cluster's API, each spelled once in this program.
 *
 *   GROUP_X   an API group                  "machineconfiguration.openshift.io"
 *   API_X     group and version, as in apiVersion   GROUP_MC "/v1"
 *   PATH_X    URL path of that version, with the last slash   "/apis/" API_MC "/"
 *   NS_X      a namespace
 *   NAME_X    the name of an object that exists once, or of one of our programs
 *   ANNO_X    the key of an annotation
 *   LABEL_X   the key of a label
 *   SECRET_X  the type of a Secret
 *   FIELD_MANAGER   the query that makes us the owner of the fields that we write
 *
 * All are string literals, so that they can be pasted: PATH_MC "machineconfigs".
 * `make layers` refuses a second spelling outside of the sandbox and the tests.
 */
#ifndef MC_API_H
#define MC_API_H

/* ---- groups, versions, paths --------------------------------------------- */

#define GROUP_MC "machineconfiguration.openshift.io"
#define GROUP_CONFIG "config.openshift.io"
#define GROUP_OPERATOR "operator.openshift.io"

#define API_CORE "v1"
#define API_MC GROUP_MC "/v1"
#define API_MC_ALPHA GROUP_MC "/v1alpha1"
#define API_CONFIG GROUP_CONFIG "/v1"
#define API_CONFIG_ALPHA GROUP_CONFIG "/v1alpha1"
#define API_OPERATOR GROUP_OPERATOR "/v1"
#define API_OPERATOR_ALPHA GROUP_OPERATOR "/v1alpha1"
#define API_IMAGE "image.openshift.io/v1"
#define API_ROUTE "route.openshift.io/v1"
#define API_APPS "apps/v1"
#define API_LEASE "coordination.k8s.io/v1"
#define API_CRD "apiextensions.k8s.io/v1"
/* Files of the kubelet, not objects of a server. */
#define API_KUBELET "kubelet.config.k8s.io/v1beta1"
#define API_KUBELET_PROVIDERS "kubelet.config.k8s.io/v1"
#define API_CREDENTIAL_PROVIDER "credentialprovider.kubelet.k8s.io/v1"

#define PATH_CORE_ROOT "/api/" API_CORE
#define PATH_CORE PATH_CORE_ROOT "/"
#define PATH_MC "/apis/" API_MC "/"
#define PATH_MC_ALPHA "/apis/" API_MC_ALPHA "/"
#define PATH_CONFIG "/apis/" API_CONFIG "/"
#define PATH_CONFIG_ALPHA "/apis/" API_CONFIG_ALPHA "/"
#define PATH_OPERATOR "/apis/" API_OPERATOR "/"
#define PATH_OPERATOR_ALPHA "/apis/" API_OPERATOR_ALPHA "/"
#define PATH_ROUTE "/apis/" API_ROUTE "/"
#define PATH_APPS "/apis/" API_APPS "/"
#define PATH_LEASE "/apis/" API_LEASE "/"
#define PATH_CRD "/apis/" API_CRD "/"

/* ---- namespaces and names ------------------------------------------------ */

#define NS_MCO "openshift-machine-config-operator"
#define NS_CONFIG "openshift-config"
#define NS_CONFIG_MANAGED "openshift-config-managed"
#define NS_IMAGE_REGISTRY "openshift-image-registry"
#define NS_MACHINE_API "openshift-machine-api"
#define NS_KUBE_APISERVER_OPERATOR "openshift-kube-apiserver-operator"
#define NS_KUBE_SYSTEM "kube-system"

#define NAME_OPERATOR "machine-config-operator"
#define NAME_CONTROLLER \
	"machine-config-controller" /* the program, its lease, its ControllerConfig */
#define NAME_SERVER "machine-config-server"
#define NAME_DAEMON "machine-config-daemon"
#define NAME_CLUSTER "cluster" /* of every kind that has one object per cluster */

#define FIELD_MANAGER "fieldManager=" NAME_OPERATOR

/* ---- annotations --------------------------------------------------------- */

#define KEY_MC GROUP_MC "/" /* what most of our keys begin with */

/* of a Node */
#define ANNO_CURRENT_CONFIG KEY_MC "currentConfig"
#define ANNO_DESIRED_CONFIG KEY_MC "desiredConfig"
#define ANNO_CURRENT_IMAGE KEY_MC "currentImage"
#define ANNO_DESIRED_IMAGE KEY_MC "desiredImage"
#define ANNO_STATE KEY_MC "state"
#define ANNO_REASON KEY_MC "reason"
#define ANNO_DESIRED_DRAIN KEY_MC "desiredDrain"
#define ANNO_APPLIED_DRAIN KEY_MC "lastAppliedDrain"
#define ANNO_TOPOLOGY KEY_MC "controlPlaneTopology"
#define ANNO_FIRST_PIVOT KEY_MC "firstPivotConfig"
#define ANNO_LABELS_APPLIED KEY_MC "customPoolLabelsApplied"
#define ANNO_POST_CONFIG KEY_MC "post-config-action"
#define ANNO_FINALIZE_FAILURE KEY_MC "ostree-finalize-staged-failure"
#define ANNO_SYNCED_CONTROLLER KEY_MC "lastSyncedControllerConfigResourceVersion"
#define ANNO_OBSERVED_CA KEY_MC "lastObservedServerCAAnnotation"

/* of a ControllerConfig */
#define ANNO_CA_ROTATE KEY_MC "service-ca-rotate"

/* of a MachineConfig */
#define ANNO_BY_CONTROLLER KEY_MC "generated-by-controller-version"
#define ANNO_BY_VERSION KEY_MC "generated-by-version"
#define ANNO_RELEASE_VERSION KEY_MC "release-image-version"
#define ANNO_OS_OVERRIDDEN KEY_MC "os-image-url-overridden"
#define ANNO_PRE_BUILT KEY_MC "pre-built-image"

/* of a KubeletConfig or ContainerRuntimeConfig, and of a MachineOSConfig */
#define ANNO_NAME_SUFFIX KEY_MC "mc-name-suffix"
#define ANNO_CURRENT_BUILD KEY_MC "current-machine-os-build"

/* of a MachineConfiguration */
#define ANNO_BOOT_OPT_IN KEY_MC "boot-image-updates-opted-in-at"

/* of others */
#define ANNO_OWNING_COMPONENT "openshift.io/owning-component"
#define ANNO_MIRROR_POD "kubernetes.io/config.mirror"
#define KEY_RELEASE "release.openshift.io/" /* set by the cluster-version operator */
#define ANNO_FEATURE_GATE KEY_RELEASE "feature-gate" /* the gate of a manifest */

/* ---- pools --------------------------------------------------------------- */

/* The pools that OpenShift creates; they are also the roles of their nodes. */
#define POOL_MASTER "master"
#define POOL_WORKER "worker"
#define POOL_ARBITER "arbiter"

/* ---- labels -------------------------------------------------------------- */

#define LABEL_ROLE KEY_MC "role" /* of a MachineConfig */
#define LABEL_BUILD_POOL KEY_MC "target-machine-config-pool" /* of a MachineOSBuild */
/* of a pool; LABEL_POOL goes before its name */
#define LABEL_BUILT_IN KEY_MC "mco-built-in"
#define LABEL_REQUIRED "operator." KEY_MC "required-for-upgrade"
#define LABEL_POOL "pools.operator." KEY_MC
#define LABEL_LAYERED KEY_MC "layering-enabled"
/* of a Node; the last one goes before the role's name */
#define LABEL_OS "kubernetes.io/os"
#define LABEL_ARCH "kubernetes.io/arch"
#define LABEL_ZONE "topology.kubernetes.io/zone"
#define LABEL_MASTER LABEL_NODE_ROLE POOL_MASTER
#define LABEL_CONTROL_PLANE LABEL_NODE_ROLE "control-plane"
#define LABEL_WORKER LABEL_NODE_ROLE POOL_WORKER
#define LABEL_NODE_ROLE "node-role.kubernetes.io/"

/* ---- Secrets ------------------------------------------------------------- */

#define SECRET_DOCKER_JSON "kubernetes.io/dockerconfigjson"
#define SECRET_DOCKER_CFG "kubernetes.io/dockercfg"
#define SECRET_ACCOUNT_TOKEN "kubernetes.io/service-account-token"

#endif
