# Sourced by rest.sh at the very end: continues lists that started before the
# history was compacted.
c=$(field "$core/nodes?limit=1" .metadata.continue)
r compact-change POST $ns/configmaps '{"metadata":{"name":"compacted"}}'
n=$(rv $core/nodes)
r compact-change-2 POST $ns/configmaps '{"metadata":{"name":"compacted-2"}}'
eval "$COMPACT"
r compact-page GET "$core/nodes?limit=1&continue=$c"
r compact-exact GET "$core/nodes?resourceVersion=$n&resourceVersionMatch=Exact"
r compact-exact-page GET "$core/nodes?resourceVersion=$n&limit=1"
