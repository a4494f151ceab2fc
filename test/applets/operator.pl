#!/usr/bin/perl
# operator.pl COMMAND API ARGUMENTS: what a test of mco-operator needs of an API server.
#
#   put FILE...      creates or merges the objects of files with one JSON document per line
#   play FILE [nodes] plays the others until it is killed: controllers of DaemonSets and Deployments,
#                    and of what FILE (controller-context.yaml as JSON lines, or "-") has: pools and
#                    ControllerConfig. With "nodes" every node applies its desired config at once.
#   kubelets         plays scheduler and kubelets until it is killed, for a server with Kubernetes'
#                    controllers: binds pods of the operator's namespace and reports them ready,
#                    deletes those that end, and gives a new node the config of its pool
#   same EXPECTED [WORKLOADS]  waits until the cluster equals what upstream wrote; prints differences
#   objects          prints every object that the operator writes, without times and versions
#   versions         prints the resourceVersion of each
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($command, $api, @args) = @ARGV;
my $http = HTTP::Tiny->new(timeout => 60, keep_alive => 1, no_proxy => ['127.0.0.1']);
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $ns = 'openshift-machine-config-operator';
my $key = 'machineconfiguration.openshift.io/';
my $mc = '/apis/machineconfiguration.openshift.io/v1';
my $now = '2026-01-01T00:00:00Z';

sub request {    # METHOD PATH BODY TYPE: status and tree
	my ($method, $path, $body, $type) = @_;
	my %o;
	if (defined $body) {
		$o{content} = ref $body ? $json->encode($body) : $body;
		$o{headers} = { 'Content-Type' => 'application/' . ($type // 'json') };
	}
	my $r = $http->request($method, $api . $path, \%o);
	my $tree = eval { $json->decode($r->{content}) };
	return ($r->{status}, $tree);
}
sub get { my ($s, $t) = request('GET', $_[0]); return $s == 200 ? $t : undef }
sub merge { return request('PATCH', $_[0], $_[1], 'merge-patch+json') }

sub read_docs {
	my @docs;
	for my $file (@_) {
		open my $f, '<', $file or die "$file: $!\n";
		push @docs, map { my $t = $_; $t =~ s/"TIME"/"$now"/g; $json->decode($t) } grep { /\S/ } <$f>;
		close $f;
	}
	return @docs;
}

sub collection {
	my $o = shift;
	my $plural = lc $o->{kind};
	$plural =~ s/y$/ie/ or $plural =~ s/s$/se/;
	my $in = $o->{metadata}{namespace};
	return '/api' . ($o->{apiVersion} =~ m{/} ? 's/' : '/') . $o->{apiVersion} . '/' .
		(defined $in ? "namespaces/$in/" : '') . $plural . 's';
}

sub put_one {
	my $o = shift;
	my ($path, $name) = (collection($o), $o->{metadata}{name});
	delete @{ $o->{metadata} }{qw(uid resourceVersion creationTimestamp generation managedFields)};
	my ($status, $t) = request('POST', $path, $o);
	if ($status == 409 && $o->{kind} =~ /^(ConfigMap|Secret|MachineConfig|MachineOSConfig)$/) {
		my $live = get("$path/$name");
		$o->{metadata}{resourceVersion} = $live->{metadata}{resourceVersion};
		($status, $t) = request('PUT', "$path/$name", $o);
	} elsif ($status == 409 || $status == 422) {
		($status, $t) = merge("$path/$name", $o);
	}
	print "$path/$name: $status ", $json->encode($t), "\n" if $status !~ /^20/;
	merge("$path/$name/status", { status => $o->{status} }) if $o->{status};
}

# ---- the others --------------------------------------------------------------

my %context;

sub differs { my ($live, $want) = @_; return $json->encode($live // {}) ne $json->encode($want) }

# The status of the context, observed for the live generation if it is there for its own.
sub observed {
	my ($doc, $live) = @_;
	my %s = %{ $doc->{status} };
	my $own = $doc->{metadata}{generation};
	$s{observedGeneration} = $live->{metadata}{generation}
		if defined $s{observedGeneration} && (!defined $own || $own == $s{observedGeneration});
	return \%s;
}

sub play_workloads {
	for my $kind ('DaemonSet', 'Deployment') {
		my $path = "/apis/apps/v1/namespaces/$ns/" . lc($kind) . 's';
		for my $w (@{ (get($path) // {})->{items} // [] }) {
			my $name = $w->{metadata}{name};
			my $doc = $context{"$kind/$name"};
			my $s = $kind eq 'DaemonSet'
				? { currentNumberScheduled => 1, desiredNumberScheduled => 1, numberAvailable => 1,
				    numberMisscheduled => 0, numberReady => 1, updatedNumberScheduled => 1 }
				: { replicas => 1, updatedReplicas => 1, readyReplicas => 1, availableReplicas => 1 };
			$s->{observedGeneration} = $w->{metadata}{generation};
			$s = observed($doc, $w) if $doc && $doc->{status};
			merge("$path/$name/status", { status => $s }) if differs($w->{status}, $s);
		}
	}
}

sub play_context {
	my $cc = get("$mc/controllerconfigs/machine-config-controller");
	my $doc = $context{'ControllerConfig/machine-config-controller'};
	if ($cc && $doc && $doc->{status}) {
		my $s = observed($doc, $cc);
		merge("$mc/controllerconfigs/machine-config-controller/status", { status => $s }) if differs($cc->{status}, $s);
	}
	my $path = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';
	my $conditions = ($context{'MachineConfiguration/cluster'} // {})->{status}{conditions};
	my $settings = $conditions ? get($path) : undef;
	merge("$path/status", { status => { conditions => $conditions } })
		if $settings && differs($settings->{status}{conditions}, $conditions);
	for my $n (@{ (get("$mc/machineconfignodes") // {})->{items} // [] }) {    # as the daemon does
		my $d = $context{"MachineConfigNode/$n->{metadata}{name}"} or next;
		my $is = $n->{spec}{configVersion}{desired} // next;
		my $to = $d->{spec}{configVersion}{desired};
		merge("$mc/machineconfignodes/$n->{metadata}{name}", { spec => { configVersion => { desired => $to } } })
			if $is ne 'not-yet-set' && $is ne $to;
	}
	for my $pool (@{ (get("$mc/machineconfigpools") // {})->{items} // [] }) {
		my $name = $pool->{metadata}{name};
		my $d = $context{"MachineConfigPool/$name"} or next;
		my %spec = map { $_ => $d->{spec}{$_} } grep { exists $d->{spec}{$_} } qw(configuration paused maxUnavailable);
		my %live = map { $_ => $pool->{spec}{$_} } grep { exists $pool->{spec}{$_} } keys %spec;
		if (differs(\%live, \%spec)) {
			my ($status, $t) = merge("$mc/machineconfigpools/$name", { spec => \%spec });
			$pool = $t if $status == 200;
		}
		next unless $d->{status};
		my $s = observed($d, $pool);
		my %gone = map { $_ => undef } grep { !exists $s->{$_} } keys %{ $pool->{status} // {} };
		merge("$mc/machineconfigpools/$name/status", { status => { %$s, %gone } }) if differs($pool->{status}, $s);
	}
}

# A node joins with the config of its role's pool.
sub first_config {
	my $n = shift;
	my $master = exists $n->{metadata}{labels}{'node-role.kubernetes.io/master'};
	my $pool = get("$mc/machineconfigpools/" . ($master ? 'master' : 'worker')) // return undef;
	return $pool->{spec}{configuration}{name};
}

sub play_nodes {
	for my $n (@{ (get('/api/v1/nodes') // {})->{items} // [] }) {
		my $a = $n->{metadata}{annotations} // {};
		my $want = $a->{"${key}desiredConfig"} // first_config($n) // next;
		next if ($a->{"${key}currentConfig"} // '') eq $want && ($a->{"${key}state"} // '') eq 'Done';
		merge("/api/v1/nodes/$n->{metadata}{name}", { metadata => { annotations => {
			"${key}currentConfig" => $want, "${key}desiredConfig" => $want, "${key}state" => 'Done', "${key}reason" => '',
			"${key}lastAppliedDrain" => $a->{"${key}desiredDrain"} // "uncordon-$want",
			"${key}desiredDrain" => $a->{"${key}desiredDrain"} // "uncordon-$want" } } });
	}
}

# ---- scheduler and kubelets --------------------------------------------------

sub node_for {    # POD: the node that a DaemonSet wants, or the first one that its selector matches
	my ($pod, @nodes) = @_;
	my $terms = $pod->{spec}{affinity}{nodeAffinity}{requiredDuringSchedulingIgnoredDuringExecution}{nodeSelectorTerms};
	return $terms->[0]{matchFields}[0]{values}[0] if $terms;
	my %want = %{ $pod->{spec}{nodeSelector} // {} };
	for my $n (@nodes) {
		my $labels = $n->{metadata}{labels};
		return $n->{metadata}{name} unless grep { ($labels->{$_} // '-') ne $want{$_} } keys %want;
	}
	return undef;
}

sub run_pod {
	my ($pod, @nodes) = @_;
	my $path = "/api/v1/namespaces/$ns/pods/$pod->{metadata}{name}";
	return request('DELETE', $path, { gracePeriodSeconds => 0 }) if $pod->{metadata}{deletionTimestamp};
	if (!$pod->{spec}{nodeName}) {
		my $node = node_for($pod, @nodes) // return;
		request('POST', "$path/binding", { apiVersion => 'v1', kind => 'Binding',
			metadata => { name => $pod->{metadata}{name} }, target => { kind => 'Node', name => $node } });
	}
	return if ($pod->{status}{phase} // '') eq 'Running';
	merge("$path/status", { status => { phase => 'Running', startTime => $now,
		conditions => [ map { +{ type => $_, status => 'True', lastTransitionTime => $now } }
			qw(PodScheduled Initialized ContainersReady Ready) ] } });
}

sub play_kubelets {
	my @nodes = @{ (get('/api/v1/nodes') // {})->{items} // [] };
	run_pod($_, @nodes) for @{ (get("/api/v1/namespaces/$ns/pods") // {})->{items} // [] };
	for my $n (grep { !$_->{metadata}{annotations}{"${key}currentConfig"} } @nodes) {
		my $config = first_config($n) // next;
		my %notes = (currentConfig => $config, desiredConfig => $config, state => 'Done', reason => '',
			desiredDrain => "uncordon-$config", lastAppliedDrain => "uncordon-$config");
		merge("/api/v1/nodes/$n->{metadata}{name}", { metadata => { annotations => {
			map { ("$key$_" => $notes{$_}) } keys %notes } } });
	}
}

# ---- comparisons -------------------------------------------------------------

sub normal {    # without what the server or others write
	my ($o, $top) = @_;
	if (ref $o eq 'ARRAY') { return [ map { normal($_) } @$o ] }
	return $o =~ /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ ? 'TIME' : $o if defined $o && !ref $o;
	return $o unless ref $o eq 'HASH';
	my %n = map { $_ => normal($o->{$_}) } grep { !/^(deprecated.daemonset.template.generation|uid|resourceVersion|generation|creationTimestamp|managedFields)$/ } keys %$o;
	if ($top) {
		my $kind = $o->{kind} // '';
		delete $n{status} unless $kind =~ /^(ClusterOperator|MachineConfiguration)$/;
		delete $n{spec}{configuration} if $kind eq 'MachineConfigPool';
		$n{spec} //= {} if $kind eq 'ClusterOperator';
		if (($o->{type} // '') eq 'kubernetes.io/service-account-token') {    # Kubernetes fills it
			delete $n{data};
			delete $n{metadata}{annotations}{'kubernetes.io/service-account.uid'};
		}
		delete $n{$_} for grep { ref $n{$_} eq 'HASH' && !%{ $n{$_} } && /^(data|binaryData)$/ } keys %n;
	}
	return \%n;
}

sub compare {    # prints the paths that differ; returns their number
	my ($path, $want, $got) = @_;
	my ($x, $y) = ($json->encode($want), $json->encode($got));
	return 0 if $x eq $y;
	my $n = 0;
	if (ref $want eq 'HASH' && ref $got eq 'HASH') {
		my %all = (%$want, %$got);
		$n += compare("$path.$_", $want->{$_}, $got->{$_}) for sort keys %all;
		return $n;
	}
	if (ref $want eq 'ARRAY' && ref $got eq 'ARRAY' && @$want == @$got) {
		$n += compare("$path.$_", $want->[$_], $got->[$_]) for 0 .. $#$want;
		return $n;
	}
	push @main::lines, sprintf "%s: expected %.400s, got %.400s", $path, $x, $y;
	return 1;
}

our @lines;

# Containers of workloads: what a manifest says of them; the server's defaults are not compared.
sub workloads {
	my $want = shift;
	my ($n, $objects) = (0, 0);
	for my $name (sort keys %$want) {
		my $live = get("/apis/apps/v1/namespaces/$ns/$want->{$name}{kind}/$name");
		my @got = map { my $c = $_; +{ map { $_ => $c->{$_} } grep { exists $c->{$_} } qw(name image command args env) } }
			@{ $live->{spec}{template}{spec}{containers} // [] };
		for my $c (@got, @{ $want->{$name}{containers} }) {
			for my $e (@{ $c->{env} // [] }) {
				delete $e->{valueFrom}{fieldRef}{apiVersion} if $e->{valueFrom}{fieldRef};
			}
		}
		$objects++;
		$n += compare($name, $want->{$name}{containers}, \@got);
	}
	return ($n, $objects);
}

sub same_once {
	my ($docs, $workloads) = @_;
	my ($n, $objects) = (0, 0);
	@lines = ();
	for my $want (@$docs) {
		next if $want->{kind} eq 'Deployment';    # its containers are in workloads.yaml
		my $live = get(collection($want) . "/$want->{metadata}{name}");
		$objects++;
		$n += compare("$want->{kind}/$want->{metadata}{name}", normal($want, 1), $live ? normal($live, 1) : undef);
	}
	if ($workloads) {
		my ($bad, $more) = workloads($json->decode($json->encode($workloads)));
		$n += $bad;
		$objects += $more;
	}
	return ($n, $objects);
}

sub same {
	my ($expected, $workloads) = @_;
	my @docs = read_docs($expected);
	my ($w) = $workloads && -s $workloads ? read_docs($workloads) : ();
	my $until = time + ($ENV{OP_WITHIN} // 20);
	my ($n, $objects, $calm) = (1, 0, 0);
	while (time < $until && $calm < 2) {
		($n, $objects) = same_once(\@docs, $w);
		$calm = $n ? 0 : $calm + 1;
		sleep 0.3;
	}
	print "$_\n" for @lines;
	print "$objects objects\n" unless $n;
	return $n ? 1 : 0;
}

sub objects {
	my $show = shift;
	my @lists = (
		(map { "/apis/rbac.authorization.k8s.io/v1/$_" } qw(clusterroles clusterrolebindings roles rolebindings)),
		(map { "/api/v1/$_" } qw(serviceaccounts secrets configmaps)),
		(map { "/apis/apps/v1/$_" } qw(daemonsets deployments)),
		(map { "$mc/$_" } qw(controllerconfigs machineconfigpools machineconfignodes)),
		'/apis/operator.openshift.io/v1/machineconfigurations', '/apis/config.openshift.io/v1/clusteroperators');
	for my $list (@lists) {
		for my $o (@{ (get($list) // {})->{items} // [] }) {
			$o->{kind} //= $list;
			my $m = $o->{metadata};
			print $show ? join(' ', $list, $m->{namespace} // '', $m->{name}, $m->{resourceVersion}) :
				$json->encode(normal($o, 1)), "\n";
		}
	}
}

$SIG{TERM} = sub { exit 0 };
if ($command eq 'put') {
	for my $o (read_docs(@args)) {
		my $spec = $o->{spec};
		delete $spec->{osImageURL} if $o->{kind} eq 'MachineConfig' && !defined $spec->{osImageURL};
		put_one($o);
	}
} elsif ($command eq 'play') {
	my ($file, $nodes) = @args;
	if ($file ne '-') {
		%context = map { ("$_->{kind}/$_->{metadata}{name}" => $_) } read_docs($file);
	}
	while (1) {
		play_workloads();
		play_context() if %context;
		play_nodes() if $nodes;
		sleep 0.1;
	}
} elsif ($command eq 'kubelets') {
	while (1) {
		play_kubelets();
		sleep 0.2;
	}
} elsif ($command eq 'same') {
	exit same(@args);
} elsif ($command eq 'objects') {
	objects();
} elsif ($command eq 'versions') {
	objects(1);
} else {
	die "usage: operator.pl put|play|kubelets|same|objects|versions API ...\n";
}
