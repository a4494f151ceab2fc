# Image, ICSP, IDMS and ITMS: the registries of the built-in pools.
w5=$(target worker)
conf=/etc/containers/registries.conf
post $config/images '{"apiVersion":"config.openshift.io/v1","kind":"Image","metadata":{"name":"cluster"},
	"spec":{"registrySources":{"insecureRegistries":["plain.example.com"]}}}'
eventually 'insecure registries' 'location = "plain.example.com"
insecure = true' eval "file_of 99-worker-generated-registries $conf | grep -E '(location|insecure) =' | sed 's/^ *//'"
eventually 'the MachineConfig is owned by the Image' 'Image/cluster null' j $mc/machineconfigs/99-worker-generated-registries \
	'.metadata.ownerReferences[0] | .kind + "/" + .name + " " + (.controller | tostring)'
eventually 'the masters have it too, custom pools do not' 'MachineConfig Status' eval 'echo $(for p in master infra; do
	kind_at $mc/machineconfigs/99-$p-generated-registries; done)'
if [ -n "$real" ]; then
	post $crds "@$W/late"
	eventually 'it is served' ImageTagMirrorSetList kind_at $config/imagetagmirrorsets
	eventually 'and taken up when it comes' 1 logged '/imagetagmirrorsets: now available on the server'
fi
post $operator/v1alpha1/imagecontentsourcepolicies '{"apiVersion":"operator.openshift.io/v1alpha1","kind":"ImageContentSourcePolicy",
	"metadata":{"name":"old"},"spec":{"repositoryDigestMirrors":[{"source":"old.example.com/a","mirrors":["mirror.example.com/a"]}]}}'
post $config/imagedigestmirrorsets '{"apiVersion":"config.openshift.io/v1","kind":"ImageDigestMirrorSet","metadata":{"name":"digest"},
	"spec":{"imageDigestMirrors":[{"source":"digest.example.com/a","mirrors":["mirror.example.com/b"]}]}}'
post $config/imagetagmirrorsets '{"apiVersion":"config.openshift.io/v1","kind":"ImageTagMirrorSet","metadata":{"name":"tag"},
	"spec":{"imageTagMirrors":[{"source":"tag.example.com/a","mirrors":["mirror.example.com/c"],"mirrorSourcePolicy":"NeverContactSource"}]}}'
eventually 'mirrors of all three kinds' 'location = "digest.example.com/a"
location = "mirror.example.com/b"
pull-from-mirror = "digest-only"
location = "old.example.com/a"
location = "mirror.example.com/a"
pull-from-mirror = "digest-only"
location = "tag.example.com/a"
blocked = true
location = "mirror.example.com/c"
pull-from-mirror = "tag-only"
location = "plain.example.com"
insecure = true' eval "file_of 99-worker-generated-registries $conf | grep -E '(location|insecure|blocked|pull-from-mirror) =' | sed 's/^ *//'"
eventually 'they are rolled out' yes eval 'w8=$(target worker)
	[ "$w8" != "$w5" ] && [ "$(settled worker)" = "$(all_well 4 "$w8")" ] && echo yes'
w8=$(target worker)
patch $config/images/cluster '{"spec":{"registrySources":{"allowedRegistries":["a.example.com"],"blockedRegistries":["b.example.com"]}}}'
eventually 'lists that contradict each other are said in the log' 1 eval 'logged "only one of AllowedRegistries or BlockedRegistries may be specified" | sed "s/[1-9][0-9]*/1/"'
delete $config/imagetagmirrorsets/tag
delete $config/imagedigestmirrorsets/digest
delete $operator/v1alpha1/imagecontentsourcepolicies/old
patch $config/images/cluster '{"spec":{"registrySources":null}}'
eventually 'without them the file is not written' '' eval "file_of 99-worker-generated-registries $conf"
eventually 'and the pool is what it was' "$(all_well 4 "$w5")" settled worker
