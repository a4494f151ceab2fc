# The scale subresource; access reviews; tables with whole objects.
scale=$apps/deployments/scaled/scale
r scale-made POST $apps/deployments '{"metadata":{"name":"scaled"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]},"template":{"metadata":{"labels":{"a":"b","c":"d"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
r scale-get GET $scale
r scale-set GET $apps/statefulsets/rolling/scale
r scale-daemonset GET $apps/daemonsets/none/scale
r scale-delete DELETE $scale
r scale-post POST $scale '{}'
p scale-merge merge $scale '{"spec":{"replicas":5}}'
p scale-strategic strategic $scale '{"spec":{"replicas":3}}'
p scale-json json $scale '[{"op":"replace","path":"/spec/replicas","value":4}]'
p scale-negative merge $scale '{"spec":{"replicas":-5}}'
p scale-word merge $scale '{"spec":{"replicas":"x"}}'
r scale-put PUT $scale '{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"scaled","namespace":"suite"},"spec":{"replicas":7}}'
r scale-put-stale PUT $scale '{"metadata":{"name":"scaled","namespace":"suite","resourceVersion":"1"},"spec":{"replicas":8}}'
r scale-put-nameless PUT $scale '{"spec":{"replicas":6}}'
r scale-put-misfit PUT $scale '{"metadata":{"name":"scaled","namespace":"suite"},"spec":{"replicas":"x"}}'
r scale-put-kind PUT $scale '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"scaled","namespace":"suite"}}'
r scale-put-none PUT $apps/deployments/none/scale '{"metadata":{"name":"none","namespace":"suite"},"spec":{"replicas":7}}'
r scale-dry PUT "$scale?dryRun=All" '{"metadata":{"name":"scaled","namespace":"suite"},"spec":{"replicas":9}}'
r scale-zero PUT $scale '{"metadata":{"name":"scaled","namespace":"suite"}}'
r scale-whole GET $apps/deployments/scaled

may=/apis/authorization.k8s.io/v1/selfsubjectaccessreviews
r may POST $may '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"verb":"get","resource":"nodes"}}}'
r may-list GET $may
t table-list-object "$core/nodes?includeObject=Object&fieldSelector=metadata.name=k1"
t table-list-none "$core/nodes?includeObject=None&fieldSelector=metadata.name=k1"
r misfit-sorted POST $ns/configmaps '{"apiVersion":"v1","data":{"a":1},"kind":"ConfigMap","metadata":{"name":"misfit"}}'
