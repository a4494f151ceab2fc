# PinnedImageSets: a pool lists those that its selector matches, as they are created
# and deleted.
pinned() { j $mc/machineconfigpools/"$1" '[.spec.pinnedImageSets[]?.name] | join(" ")'; }
pin() { # NAME ROLE
	post $mc/pinnedimagesets "{\"apiVersion\":\"$P/v1\",\"kind\":\"PinnedImageSet\",\"metadata\":{\"name\":\"$1\",\"labels\":{\"$P/role\":\"$2\"}},\"spec\":{\"pinnedImages\":[{\"name\":\"quay.io/a/b@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]}}"
}
pin zebra worker
eventually 'a pool names its pinned image set' zebra pinned worker
eventually 'and says that it could' 'False |' condition worker PinnedImageSetsDegraded
pin apple worker
pin other master
eventually 'two, by their names' 'apple zebra' pinned worker
eventually 'each pool its own' other pinned master
patch $mc/pinnedimagesets/zebra "{\"metadata\":{\"labels\":{\"$P/role\":\"master\"}}}"
eventually 'one moves out' apple pinned worker
eventually 'and in elsewhere' 'other zebra' pinned master
patch $mc/machineconfigpools/worker '{"spec":{"pinnedImageSets":[{"name":"mine"}]}}'
eventually 'what somebody writes there does not stay' apple pinned worker
for s in apple zebra other; do delete $mc/pinnedimagesets/$s; done
eventually 'none are left' '' pinned worker
eventually 'nor there' '' pinned master
eventually 'the field is gone' false j $mc/machineconfigpools/worker '.spec | has("pinnedImageSets")'
eventually 'and the pool is well' "$(all_well 4 "$w9")" settled worker
