# Watches from the version at which the suite began; they run after everything
# else.
w watch-configmaps $ns/configmaps "resourceVersion=$cm0&fieldSelector=metadata.name=b"
w watch-labels $ns/configmaps "resourceVersion=$cm0&labelSelector=n=1"
w watch-selected $ns/configmaps "resourceVersion=$cm0&labelSelector=page=yes"
w watch-pods $ns/pods "resourceVersion=$pod0&fieldSelector=metadata.name=p1"
w watch-pods-node $core/pods "resourceVersion=$pod0&fieldSelector=spec.nodeName=n2"
w watch-nodes $core/nodes "resourceVersion=$node0&fieldSelector=metadata.name=n2"
w watch-widgets $wg "resourceVersion=$w0&fieldSelector=metadata.name=w1"
w watch-initial $core/nodes "fieldSelector=metadata.name=n2"
w watch-zero $core/nodes "resourceVersion=0&fieldSelector=metadata.name=n2"
w watch-bookmarks $core/nodes "allowWatchBookmarks=true&resourceVersion=$(rv $core/nodes)" 1
w watch-old $wg "resourceVersion=1"
w watch-ahead $core/nodes "allowWatchBookmarks=true&resourceVersion=$(($(rv $core/nodes) + 1000000))" 1
w watch-rv-bad $core/nodes "resourceVersion=x"
w watch-match $core/nodes "resourceVersion=1&resourceVersionMatch=NotOlderThan"
w watch-selector-bad $core/nodes "labelSelector=a%20b"
w watch-field-bad $core/nodes "fieldSelector=bogus=1"
w watch-item $core/nodes/n2 "resourceVersion=0"
w watch-path $core/watch/nodes/n2 "resourceVersion=0"
w watch-missing /apis/example.com/v1/nothing ""
