# Other writes of the roles and of admins. Nodes: cordons, taints, conditions,
# kubelet reports.
r k-node-create POST $core/nodes '{"metadata":{"name":"k1","labels":{"kubernetes.io/role":"edge","node-role.kubernetes.io/worker":"","node-role.kubernetes.io/":"x"}},"spec":{"unschedulable":true,"bogus":1,"podCIDRs":["10.9.0.0/24"]},"status":{"phase":"","images":[{"names":["a:1"],"sizeBytes":5}],"capacity":{"cpu":"4000m","memory":"1024Mi","pods":250},"unknown":{}}}'
p k-node-ready strategic $core/nodes/k1/status '{"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","lastHeartbeatTime":"2020-01-01T00:00:00Z","lastTransitionTime":"2020-01-01T00:00:00+01:00"}],"addresses":[{"type":"ExternalIP","address":"1.2.3.4"},{"type":"InternalIP","address":"10.0.0.9"}],"nodeInfo":{"kubeletVersion":"v1.20.2"}}}'
p k-node-taints merge $core/nodes/k1 '{"spec":{"taints":[{"key":"node-role.kubernetes.io/master","effect":"NoSchedule","value":""},{"key":"a","value":"b","effect":"NoExecute","timeAdded":"2020-01-01T00:00:00Z"}]}}'
p k-node-quantity strategic $core/nodes/k1/status '{"status":{"allocatable":{"cpu":"0.5","memory":"1000Ki","ephemeral-storage":"1e3"}}}'
p k-node-uncordon merge $core/nodes/k1 '{"spec":{"unschedulable":false,"taints":[]}}'
t k-table-nodes "$core/nodes?fieldSelector=metadata.name=k1"

# Pods as kubelets and templates write them.
pod() {	# NAME SPEC [REST]
	printf '{"metadata":{"name":"%s"%s},"spec":{%s}}' "$1" "${3:-}" "$2"
}
one='"containers":[{"name":"c","image":"i"}]'
r k-pod-volumes POST $ns/pods "$(pod k1 '"nodeName":"k1","hostNetwork":true,"serviceAccountName":"sa","volumes":[{"name":"a"},{"name":"b","secret":{"secretName":"s"}},{"name":"c","configMap":{"name":"c","items":[{"key":"k","path":"p"}]}},{"name":"d","hostPath":{"path":"/"}},{"name":"e","projected":{"sources":[{"serviceAccountToken":{"path":"t"}},{"downwardAPI":{"items":[{"path":"l","fieldRef":{"fieldPath":"metadata.labels"}}]}}]}}],"containers":[{"name":"c","image":"reg:5000/i","command":["a"],"args":[],"env":[{"name":"A","value":""},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}],"ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"exec":{"command":["x"]},"periodSeconds":0},"volumeMounts":[{"name":"a","mountPath":"/a","readOnly":false}],"securityContext":{"privileged":false},"resources":{"limits":{"cpu":"2"},"requests":{"memory":"1.5Gi"}}}]')"
r k-pod-tolerations POST $ns/pods "$(pod k2 "$one"',"tolerations":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"},{"key":"x","operator":"Exists"}],"nodeSelector":{},"priority":null' ',"labels":{}')"
r k-pod-status POST $ns/pods '{"metadata":{"name":"k3","ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"u","controller":true}]},"spec":{"nodeName":"k1",'"$one"'},"status":{"phase":"Running","reason":"x"}}'
r k-pod-images POST $ns/pods "$(pod k4 '"containers":[{"name":"a","image":"i@sha256:0123456789012345678901234567890123456789012345678901234567890123"},{"name":"b","image":"r:1/i:latest","imagePullPolicy":"Never"}],"initContainers":[{"name":"i","image":"x:2","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1000m","memory":"1Gi"}}}]')"
r k-pod-faults POST $ns/pods "$(pod k9 '"nodeName":"N","dnsPolicy":"Mine","hostname":"a.b","activeDeadlineSeconds":0,"nodeSelector":{"a b":"c d"},"volumes":[{"name":"V"},{"name":"w","secret":{}},{"name":"x","hostPath":{}}],"containers":[{"name":"","image":"i","imagePullPolicy":"Maybe","terminationMessagePolicy":"Mail","ports":[{"containerPort":0},{"containerPort":70000,"hostPort":-1,"protocol":"ICMP"}],"livenessProbe":{"tcpSocket":{"port":1},"timeoutSeconds":-1},"env":[{"name":""}]}]')"
r k-pod-init-same POST $ns/pods "$(pod k9 "$one"',"initContainers":[{"name":"c","image":"i"},{"name":"d","image":"i"},{"name":"d","image":"i"}]')"
r k-pod-mounts POST $ns/pods "$(pod k9 '"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"w","mountPath":"/a"}]}]')"
r k-pod-requests POST $ns/pods "$(pod k9 '"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}}]')"
r k-pod-tolerate-bad POST $ns/pods "$(pod k9 "$one"',"tolerations":[{"key":"a","operator":"Is"},{"operator":"Equal"},{"key":"b","operator":"Exists","tolerationSeconds":3},{"key":"c d","effect":"Never"}]')"
p k-pod-run strategic $ns/pods/k1/status '{"status":{"phase":"Running","podIP":"10.0.0.1","startTime":"2020-01-01T00:00:00Z","initContainerStatuses":[],"containerStatuses":[{"name":"c","ready":false,"restartCount":3,"image":"i","imageID":"","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":2}}}]}}'
p k-pod-init strategic $ns/pods/k4/status '{"status":{"initContainerStatuses":[{"name":"i","ready":false,"restartCount":1,"image":"x","imageID":"","state":{"terminated":{"exitCode":0,"signal":9}}}],"containerStatuses":[{"name":"a","ready":true,"restartCount":1,"image":"i","imageID":"","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":true,"restartCount":0,"image":"i","imageID":"","state":{"running":{"startedAt":"2020-01-01T00:00:00Z"}}}]}}'
p k-pod-failed strategic $ns/pods/k3/status '{"status":{"phase":"Failed","reason":"Evicted","message":"m","conditions":[{"type":"Ready","status":"False"}]}}'
t k-table-pods "$ns/pods?fieldSelector=metadata.name!=p3"
r k-pod-delete-failed DELETE $ns/pods/k3
r k-pod-delete-unbound DELETE $ns/pods/k2
r k-pod-evict-failed POST $ns/pods/k4/eviction '{"kind":"Eviction","apiVersion":"policy/'$policy'","metadata":{"name":"k4","namespace":"suite"}}'
r k-pod-hold POST $ns/pods "$(pod k5 '"nodeName":"k1",'"$one" ',"finalizers":["example.com/hold"]')"
r k-pod-hold-delete DELETE "$ns/pods/k5?gracePeriodSeconds=0"
p k-pod-hold-release merge $ns/pods/k5 '{"metadata":{"finalizers":null}}'
r k-pod-hold-gone GET $ns/pods/k5

# Budgets.
r k-pdb-both POST $pdb '{"metadata":{"name":"k"},"spec":{"minAvailable":"x%","maxUnavailable":"5"}}'
r k-pdb-percent POST $pdb '{"metadata":{"name":"k"},"spec":{"maxUnavailable":"50%","selector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]}},"status":{"disruptionsAllowed":7}}'
r k-pdb-selector POST $pdb '{"metadata":{"name":"k2"},"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Is"},{"key":"","operator":"Exists","values":["x"]}]}}}'
t k-table-pdb $pdb/k
r k-pdb-delete DELETE $pdb/k

# Workloads.
tpl='"template":{"metadata":{"labels":{"a":"b"}},"spec":{'"$one"'}}'
r k-ds-ondelete POST $apps/daemonsets '{"metadata":{"name":"k"},"spec":{"selector":{"matchLabels":{"a":"b"}},"updateStrategy":{"type":"OnDelete"},'"$tpl"'},"status":{"numberReady":3}}'
r k-ds-restart POST $apps/daemonsets '{"metadata":{"name":"k2"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","activeDeadlineSeconds":5,'"$one"'}}}}'
r k-ds-empty-selector POST $apps/daemonsets '{"metadata":{"name":"k2"},"spec":{"selector":{},"minReadySeconds":-1,'"$tpl"'}}'
p k-ds-history merge $apps/daemonsets/k '{"spec":{"revisionHistoryLimit":3}}'
p k-ds-rolling merge $apps/daemonsets/k '{"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"10%"}}}}'
p k-ds-unavailable merge $apps/daemonsets/k '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":0}}}}'
r k-ds-delete DELETE $apps/daemonsets/k
r k-deploy-no-selector POST $apps/deployments '{"metadata":{"name":"k"},"spec":{'"$tpl"'}}'
r k-deploy-recreate POST $apps/deployments '{"metadata":{"name":"k"},"spec":{"replicas":0,"strategy":{"type":"Recreate"},"selector":{"matchExpressions":[{"key":"a","operator":"In","values":["b","c"]}]},'"$tpl"'}}'
p k-deploy-annotate merge $apps/deployments/k '{"metadata":{"annotations":{"a":"b"}}}'
p k-deploy-status merge $apps/deployments/k/status '{"status":{"replicas":2,"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]}}'
p k-deploy-status-bad merge $apps/deployments/k/status '{"status":{"replicas":-1}}'
p k-deploy-paused merge $apps/deployments/k '{"spec":{"paused":true,"replicas":3}}'
t k-table-deploy $apps/deployments/k
r k-rs-create POST $apps/replicasets '{"metadata":{"name":"k"},"spec":{"selector":{"matchLabels":{"a":"b"}},'"$tpl"'}}'
t k-table-rs $apps/replicasets
r k-sts-create POST $apps/statefulsets '{"metadata":{"name":"k"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},'"$tpl"'}}'
t k-table-sts $apps/statefulsets
jobs=/apis/batch/v1/namespaces/suite/jobs
r k-job-labels POST $jobs '{"metadata":{"name":"k","annotations":{"a":"b"}},"spec":{"parallelism":3,"ttlSecondsAfterFinished":5,"backoffLimit":0,"template":{"metadata":{"labels":{"x":"y"}},"spec":{"restartPolicy":"OnFailure",'"$one"'}}}}'
r k-job-restart POST $jobs '{"metadata":{"name":"k2"},"spec":{"template":{"spec":{'"$one"'}}}}'
p k-job-template merge $jobs/k '{"spec":{"parallelism":1}}'
p k-job-status merge $jobs/k/status '{"status":{"startTime":"2020-01-01T00:00:00Z","completionTime":"2020-01-01T00:03:20Z","succeeded":1,"conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]}}'
t k-table-job $jobs/k
r k-job-delete DELETE $jobs/k
r k-job-delete-background DELETE "$jobs/j?propagationPolicy=Background"

# Events, leases, accounts, roles, config maps and secrets.
r k-event-new POST $ns/events '{"metadata":{"name":"k.1"},"involvedObject":{"kind":"Node","name":"k1","namespace":"suite"},"reason":"Drain","message":" two\n","source":{"component":"mcc","host":"h"},"type":"Normal","firstTimestamp":"2020-01-01T00:00:00Z"}'
r k-event-series POST $ns/events '{"metadata":{"name":"k.2"},"involvedObject":{"kind":"Pod","namespace":"suite","fieldPath":"spec"},"reason":"Drain","reportingComponent":"rc","reportingInstance":"ri","action":"A","eventTime":"2020-01-01T00:00:00.000000Z","type":"Warning","series":{"count":4,"lastObservedTime":"2020-01-01T00:00:00.000000Z"}}'
t k-table-events "$ns/events?fieldSelector=reason=Drain"
r k-lease POST $lease '{"metadata":{"name":"k"},"spec":{"holderIdentity":"me","leaseDurationSeconds":5,"renewTime":"2020-01-01T00:00:00.000000Z","acquireTime":null,"leaseTransitions":0,"strategy":"x"}}'
t k-table-lease $lease/k
r k-sa POST $ns/serviceaccounts '{"metadata":{"name":"k"},"secrets":[{"name":"t"}],"imagePullSecrets":[],"automountServiceAccountToken":false}'
t k-table-sa $ns/serviceaccounts/k
r k-sa-delete DELETE $ns/serviceaccounts/k
rbac=/apis/rbac.authorization.k8s.io/v1
r k-role POST $rbac/namespaces/suite/roles '{"metadata":{"name":"k"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}'
t k-table-roles $rbac/namespaces/suite/roles
r k-binding POST $rbac/namespaces/suite/rolebindings '{"metadata":{"name":"k"},"roleRef":{"kind":"Role","name":"k"},"subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"suite"},{"kind":"Group","name":"g"},{"kind":"User","name":"v"}]}'
t k-table-bindings $rbac/namespaces/suite/rolebindings
r k-cm-types POST $ns/configmaps '{"metadata":{"name":"k"},"data":{"a":"1","b":""},"binaryData":{"c":"AAE="},"extra":{"x":1}}'
r k-cm-number POST $ns/configmaps '{"metadata":{"name":"k9"},"data":{"a":1}}'
r k-cm-base64 POST $ns/configmaps '{"metadata":{"name":"k9"},"binaryData":{"a":"***"}}'
t k-table-cm $ns/configmaps/k
r k-secret POST $ns/secrets '{"metadata":{"name":"k"},"stringData":{"a":"x"},"data":{"b":"eA==","a":"eQ=="}}'
t k-table-secret "$ns/secrets/k?includeObject=Object"
t k-table-ns "$core/namespaces/suite?includeObject=None"
