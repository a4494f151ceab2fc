# Services get addresses and keep them.
r svc-made POST $ns/services '{"metadata":{"name":"svc"},"spec":{"ports":[{"port":80}],"selector":{"a":"b"}}}'
r svc-headless POST $ns/services '{"metadata":{"name":"svc-headless"},"spec":{"clusterIP":"None","ports":[{"port":80}]}}'
r svc-outside POST $ns/services '{"metadata":{"name":"svc-outside"},"spec":{"type":"ExternalName","externalName":"x.y"}}'
p svc-move merge $ns/services/svc '{"spec":{"clusterIP":"10.97.7.9"}}'
p svc-label merge $ns/services/svc '{"metadata":{"labels":{"a":"b"}}}'
v=$(field $ns/services/svc .metadata.resourceVersion)
ip=$(field $ns/services/svc .spec.clusterIP)
r svc-unset PUT $ns/services/svc '{"metadata":{"name":"svc","resourceVersion":"'"$v"'"},"spec":{"ports":[{"port":81}],"selector":{"a":"c"}}}'
r svc-replaced PUT $ns/services/svc '{"metadata":{"name":"svc","resourceVersion":"'"$v"'"},"spec":{"clusterIP":"'"$ip"'","ports":[{"port":81}],"selector":{"a":"c"}}}'
r svc-taken-back DELETE $ns/services/svc
r svc-chosen POST $ns/services '{"metadata":{"name":"svc"},"spec":{"clusterIP":"'"$ip"'","ports":[{"port":80}]}}'
t svc-table "$ns/services"
