#!/usr/bin/perl
# cel.pl CASES CRD.json...: evaluates the x-kubernetes-validations of CRDs like an API
# server with CEL, which Debian 12 does not have; supports the parts of CEL that they use.
#
# Each rule must parse and fit its schema: fields exist, operands have one type, lists
# and strings in costly loops and expressions have bounds, and a rule uses oldSelf only
# where the position in the old object is known. Then come the CASES:
#
#	let NAME TEXT		defines %NAME
#	kind PLURAL VERSION
#	base PATH=VALUE...	an object that every rule accepts
#	ok [OLD... =>] NEW...	accepted, too: the base with these values; -PATH removes one
#	bad [OLD... =>] NEW...	refused, with exactly the messages that follow
#	! PATH: MESSAGE		(self: the object as a whole)
#
# A line that begins with a tab continues the one before.
#
# {a|b} expands to two cases. A value is JSON, otherwise plain text. Every rule of
# every schema must refuse at least one case here, and accept at least one.
#
# With $CASES_OUT the cases are written to that file, a JSON object per line, for a real server.
use strict;
use warnings;
use JSON::PP;
use Time::Local 'timegm';

my $json = JSON::PP->new->canonical->allow_nonref;
my ($passed, $failed) = (0, 0);

sub verdict { my ($good, $text) = @_; $good ? $passed++ : ($failed++, print "FAIL $text\n"); }

# ---- syntax -------------------------------------------------------------------

my @tokens;
my %escape = ('\\' => '\\', "'" => "'", '"' => '"', n => "\n", t => "\t");

sub unquote {
	my $s = substr shift, 1, -1;
	$s =~ s/\\(.)/$escape{$1} \/\/ die "escape \\$1\n"/ges;
	return $s;
}
sub scan {
	my $s = shift;
	@tokens = ();
	while ($s =~ /\G\s*([A-Za-z_]\w*|\d+|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|&&|\|\||[=!<>]=|\.\?|[-+<>!?:()\[\].,])/gc) { push @tokens, $1 }
	$s =~ /\G\s*\z/gc or die 'syntax at ' . substr($s, pos $s // 0) . "\n";
}
sub is { @tokens && grep { $tokens[0] eq $_ } @_ }
sub take { @tokens ? shift @tokens : die "syntax: unexpected end\n" }
sub want { my $t = take(); $t eq $_[0] or die "syntax: $t instead of $_[0]\n" }
sub node { my ($op, @a) = @_; return { op => $op, a => [@a] } }
sub ternary {
	my $c = binary(0);
	return $c unless is('?');
	take(); my $yes = binary(0);
	want(':');
	return node('?:', $c, $yes, ternary());
}
my @levels = (['||'], ['&&'], [qw(== != < <= > >= in)]);
sub binary {
	my $level = shift;
	return unary() if $level == @levels;
	my $e = binary($level + 1);
	while (is(@{$levels[$level]})) { my $op = take(); $e = node($op, $e, binary($level + 1)) }
	return $e;
}
sub unary { if (is('!')) { take(); return node('!', unary()) } return member() }
sub list {	# CLOSING: what stands before it
	my ($end, @l) = shift;
	until (is($end)) { push @l, ternary(); is($end) or want(',') }
	take();
	return @l;
}
sub member {
	my $t = take();
	my $e = $t eq '(' ? ternary() : $t eq '[' ? node('list', list(']')) :
		$t =~ /^["']/ ? node('lit', 'string', unquote($t)) :
		$t =~ /^\d/ ? node('lit', 'int', 0 + $t) : $t =~ /^(true|false)$/ ? node('lit', 'bool', $t eq 'true') :
		$t !~ /^\w/ || $t eq 'in' ? die "syntax: $t\n" :
		is('(') ? (take(), node('call', undef, $t, list(')')))[-1] : node('id', $t);
	want(')') if $t eq '(';
	while (is('.', '.?', '[')) {
		my $how = take();
		if ($how eq '[') { $e = node('at', $e, ternary()); want(']'); next }
		my $name = take();
		$name =~ /^[A-Za-z_]/ or die "syntax: .$name\n";
		if ($how eq '.' && is('(')) { take(); $e = node('call', $e, $name, list(')')) }
		else { $e = node($how, $e, $name) }
	}
	return $e;
}
sub parse { scan(shift); my $e = ternary(); die "syntax: @tokens\n" if @tokens; return $e }

# ---- types, from the schema ---------------------------------------------------

sub of {
	my $s = shift;
	my $t = $s->{type} // 'any';
	return { k => 'list', of => of($s->{items}), max => $s->{maxItems}, s => $s } if $t eq 'array';
	return { k => 'time' } if $t eq 'string' && ($s->{format} // '') eq 'date-time';
	return { k => { integer => 'int', boolean => 'bool' }->{$t} // $t, max => $s->{maxLength}, s => $s };
}
sub need { my ($t, @k) = @_; die "type $t->{k}, not @k\n" unless grep { $t->{k} eq $_ } @k; return $t }
sub bounded { my $t = need(@_); die "no bound on the list or string\n" unless defined $t->{max}; return $t }
sub field {
	my ($t, $name) = @_;
	return { k => 'optional', of => field($t->{of}, $name) } if $t->{k} eq 'optional';
	return of(need($t, 'object')->{s}{properties}{$name} // die "no field $name\n");
}
my %bool = map { $_ => 1 } qw(all exists exists_one has);
sub regexp {	# the same in Perl, if RE2 supports all of it
	my $r = shift;
	die "regexp $r\n" if $r =~ /\{,|\(\?|\\[1-9]|[*+?}]\+/;
	$r =~ s/(\\.|\[(?:\\.|[^\]\\])+\])|\$/$1 \/\/ '\\z'/ge;
	return qr/$r/a;
}
sub typed { my ($e, $env) = @_; return $e->{t} = type($e, $env) }
sub type {
	my ($e, $env) = @_;
	my ($op, @a) = ($e->{op}, @{$e->{a}});
	my %BOOL = (k => 'bool');
	if ($op eq 'lit') { return { k => $a[0], max => 0 } }
	if ($op eq 'id') { return $env->{$a[0]} // die "unknown $a[0]\n" }
	if ($op eq 'list') { my ($t) = map { typed($_, $env) } @a; return { k => 'list', of => $t, max => scalar @a, s => {} } }
	if ($op eq '.') { return field(typed($a[0], $env), $a[1]) }
	if ($op eq '.?') { my $t = field(typed($a[0], $env), $a[1]); return $t->{k} eq 'optional' ? $t : { k => 'optional', of => $t } }
	if ($op eq 'at') { need(typed($a[1], $env), 'int'); return need(typed($a[0], $env), 'list')->{of} }
	if ($op eq 'call') { return call_type($env, @a) }
	my @t = map { typed($_, $env) } @a;
	if ($op eq '?:') { need($t[0], 'bool'); need($t[2], $t[1]{k}); return $t[1] }
	if ($op eq 'in') { need(need($t[1], 'list')->{of}, $t[0]{k}) }
	elsif ($op =~ /^[!=]=$/) { need($t[1], $t[0]{k}) }
	elsif ($op =~ /^[<>]/) { need($t[1], need($t[0], 'int', 'time')->{k}) }
	else { need($_, 'bool') for @t }
	return \%BOOL;
}
sub call_type {
	my ($env, $on, $name, @a) = @_;
	if ($name eq 'has' && !$on) {
		$a[0]{op} eq '.' or die "has() needs a field\n";
		typed($a[0], $env);
		return { k => 'bool' };
	}
	if (!$on) { $on = shift @a; $name eq 'size' or die "unknown function $name\n" }
	if ($on->{op} eq 'id' && $on->{a}[0] eq 'format') {
		$name =~ /^dns(1123Subdomain|1123Label|1035Label)$/ && !@a or die "unknown format $name\n";
		return { k => 'format' };
	}
	my $t = typed($on, $env);
	if ($bool{$name}) {
		@a == 2 && $a[0]{op} eq 'id' or die "$name takes a name and an expression\n";
		need(typed($a[1], { %$env, $a[0]{a}[0] => bounded($t, 'list')->{of} }), 'bool');
		return { k => 'bool' };
	}
	my @t = map { typed($_, $env) } @a;
	my $sig = "$name " . join ' ', map { $_->{k} } @t;
	if ($name eq 'matches') { regexp($a[0]{a}[1]) }
	if ($sig =~ /^(matches|contains|startsWith) string$/) { bounded($t, 'string'); return { k => 'bool' } }
	if ($sig eq 'split string') { return { k => 'list', of => bounded($t, 'string'), max => $t->{max}, s => {} } }
	if ($sig eq 'size ') { need($t, 'list', 'string'); return { k => 'int' } }
	if ($sig eq 'validate string') { need($t, 'format'); bounded($t[0], 'string'); return { k => 'optional', of => { k => 'list' } } }
	if ($sig eq 'hasValue ') { need($t, 'optional'); return { k => 'bool' } }
	if ($sig eq 'value ') { return need($t, 'optional')->{of} }
	if ($name eq 'orValue' && @t == 1) { return need($t[0], need($t, 'optional')->{of}{k}) }
	die "unknown function $sig\n";
}

# ---- values: an optional one is a reference to an array of one or none ---------

sub seconds {
	my ($y, $mo, $d, $h, $mi, $s) = shift =~ /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/ or die "no time\n";
	return timegm($s, $mi, $h, $d, $mo - 1, $y);
}
sub plain {	# two of a type are the same when this is; a list with keys has no order
	my ($v, $t) = @_;
	return $v ? 1 : 0 if $t->{k} eq 'bool';
	return seconds($v) if $t->{k} eq 'time';
	return $json->encode($v) unless $t->{k} eq 'list' && ($t->{s}{'x-kubernetes-list-type'} // '') =~ /map|set/;
	return join ',', sort map { $json->encode($_) } @$v;
}
sub value {
	my ($e, $env) = @_;
	my ($op, @a) = ($e->{op}, @{$e->{a}});
	if ($op eq 'lit') { return $a[1] }
	if ($op eq 'id') { return $env->{$a[0]} }
	if ($op eq 'list') { return [map { value($_, $env) } @a] }
	if ($op eq '.' || $op eq '.?') {
		my $v = value($a[0], $env);
		if ($a[0]{t}{k} eq 'optional') { return @$v && exists $v->[0]{$a[1]} ? [$v->[0]{$a[1]}] : [] }
		if ($op eq '.?') { return exists $v->{$a[1]} ? [$v->{$a[1]}] : [] }
		return exists $v->{$a[1]} ? $v->{$a[1]} : die "no such key: $a[1]\n";
	}
	if ($op eq 'at') { return value($a[0], $env)->[value($a[1], $env)] // die "index out of bounds\n" }
	if ($op eq 'call') { return call($env, @a) }
	if ($op eq '!') { return !value($a[0], $env) }
	if ($op eq '&&') { return value($a[0], $env) && value($a[1], $env) }
	if ($op eq '||') { return value($a[0], $env) || value($a[1], $env) }
	if ($op eq '?:') { return value($a[value($a[0], $env) ? 1 : 2], $env) }
	my ($x, $y) = map { value($_, $env) } @a;
	my $t = $a[0]{t};
	if ($op eq 'in') { return scalar grep { plain($_, $t) eq plain($x, $t) } @$y }
	($x, $y) = (plain($x, $t), plain($y, $t));
	return $x eq $y if $op eq '==';
	return $x ne $y if $op eq '!=';
	return $op eq '<' ? $x < $y : $op eq '<=' ? $x <= $y : $op eq '>' ? $x > $y : $x >= $y;
}
my $word = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
my %format = (dns1123Label => [63, qr/^$word\z/], dns1123Subdomain => [253, qr/^$word(\.$word)*\z/],
	dns1035Label => [63, qr/^[a-z]([-a-z0-9]*[a-z0-9])?\z/]);
sub call {
	my ($env, $on, $name, @a) = @_;
	if ($name eq 'has') { my ($of, $f) = @{$a[0]{a}}; return exists value($of, $env)->{$f} }
	$on //= shift @a;
	return $format{$name} if $format{$name};
	my $v = value($on, $env);
	if ($bool{$name}) {
		my $n = grep { value($a[1], { %$env, $a[0]{a}[0] => $_ }) } @$v;
		return $name eq 'all' ? $n == @$v : $name eq 'exists' ? $n > 0 : $n == 1;
	}
	my ($x) = map { value($_, $env) } @a;
	if ($name eq 'matches') { my $r = regexp($x); return scalar($v =~ $r) }
	if ($name eq 'contains') { return index($v, $x) >= 0 }
	if ($name eq 'startsWith') { return index($v, $x) == 0 }
	if ($name eq 'split') { return [split /\Q$x\E/, $v, -1] }
	if ($name eq 'size') { return ref $v ? scalar @$v : length $v }
	if ($name eq 'validate') { return length $x <= $v->[0] && $x =~ $v->[1] ? [] : [[]] }
	if ($name eq 'hasValue') { return scalar @$v }
	return @$v ? $v->[0] : $name eq 'orValue' ? $x : die "optional.none() dereference\n";
}

# ---- schemas ------------------------------------------------------------------

my (%schema, @rules);

sub mentions { my ($e, $n) = @_; return ref $e eq 'HASH' && $e->{op} && ($e->{op} eq 'id' ? $e->{a}[0] eq $n : grep { mentions($_, $n) } @{$e->{a}}) }
sub learn {	# compiles the rules of a schema; KNOWN: an old object has this place, too
	my ($s, $where, $known) = @_;
	for my $r (@{$s->{'x-kubernetes-validations'} // []}) {
		my $t = of($s);
		my $told = $r->{optionalOldSelf} ? { k => 'optional', of => $t } : $t;
		$r->{where} = "$where: $r->{rule}";
		eval {
			$r->{code} = parse($r->{rule});
			$r->{past} = mentions($r->{code}, 'oldSelf');
			die "its place in an old object is not known\n" if $r->{past} && !$known;
			die "no message of one line\n" unless ($r->{message} // '') =~ /^.+\z/;
			need(typed($r->{code}, { self => $t, oldSelf => $told }), 'bool');
			push @rules, $r;
		};
		verdict(!$@, "$r->{where}: $@");
	}
	learn($s->{properties}{$_}, "$where.$_", $known) for sort keys %{$s->{properties} // {}};
	learn($s->{items}, "$where\[]", $known && ($s->{'x-kubernetes-list-type'} // '') eq 'map') if $s->{items};
}
sub count { my $v = shift; return ref $v eq 'HASH' ? @{$v->{'x-kubernetes-validations'} // []} + total(values %$v) : ref $v eq 'ARRAY' ? total(@$v) : 0 }
sub total { my $n = 0; $n += count($_) for @_; return $n }

sub judge {	# what refuses VALUE, which was OLD
	my ($s, $v, $old, $path) = @_;
	my @no;
	for my $r (@{$s->{'x-kubernetes-validations'} // []}) {
		next unless $r->{code} && (!$r->{past} || $r->{optionalOldSelf} || defined $old);
		my $was = $r->{optionalOldSelf} ? [defined $old ? $old : ()] : $old;
		my $good = eval { value($r->{code}, { self => $v, oldSelf => $was }) };
		$r->{$good ? 'passes' : 'refuses'}++;
		push @no, ($path || 'self') . ': ' . ($@ || $r->{message}) unless $good;
	}
	if (ref $v eq 'HASH') {
		push @no, "$path: $_ is required" for grep { !exists $v->{$_} } @{$s->{required} // []};
		for my $k (sort keys %$v) {
			my $p = $path ? "$path.$k" : $k;
			my $sub = $s->{properties}{$k} // return (@no, "$p: no such field");
			push @no, judge($sub, $v->{$k}, ref $old ? $old->{$k} : undef, $p);
		}
	}
	if (ref $v eq 'ARRAY') {
		my $key = sub { my $o = shift; join "\n", map { $o->{$_} // '' } @{$s->{'x-kubernetes-list-map-keys'} // []} };
		my %by = $s->{'x-kubernetes-list-map-keys'} && $old ? map { $key->($_) => $_ } @$old : ();
		push @no, judge($s->{items}, $v->[$_], %by ? $by{$key->($v->[$_])} : undef, "$path\[$_]") for 0 .. $#$v;
	}
	return @no;
}

# ---- cases --------------------------------------------------------------------

sub assign {	# OBJECT WORD: PATH=VALUE or -PATH
	my ($o, $word) = @_;
	my ($minus, $path, $text) = $word =~ /^(-?)([^=]+)=?(.*)\z/s;
	my $at = \$o;
	my @keys = $path =~ /[^.\[\]]+/g;
	if ($minus) {
		my $last = pop @keys;
		$at = \($$at->{$_}) for @keys;
		exists $$at->{$last} or die "$word: not there\n";
		delete $$at->{$last};
		return;
	}
	$at = /^\d+$/ ? \($$at->[$_]) : \($$at->{$_}) for @keys;
	my $v = eval { $json->decode($text) };
	$$at = $@ ? $text : $v;
}
sub copy { return $json->decode($json->encode(shift)) }
my (%let, $schema, $base, $kind, $cases_out);
if (my $out = $ENV{CASES_OUT}) { open $cases_out, '>', $out or die "$out: $!\n" }
sub expand { return shift =~ s/%(\w+)/$let{$1} \/\/ die "no %$1\n"/ger }
sub run {	# one case: KIND-OF-CASE WORDS and the lines expected of it
	my ($text, @expected) = split /\n/, expand(shift);
	my ($what, @words) = split ' ', $text;
	my ($old, $new) = (undef, copy($base));
	for (@words) {
		if ($_ eq '=>') { $old = copy($new) } else { assign($new, $_) }
	}
	my $want = join "\n", sort map { s/^! //r } @expected;
	print $cases_out $json->encode({ kind => $kind, old => $old, new => $new, want => $want }), "\n" if $cases_out;
	my $got = join "\n", sort { $a cmp $b } judge($schema, $new, $old, '');
	my $old_is = join "\n", $old ? judge($schema, $old, undef, '') : ();
	verdict($got eq $want && !$old_is && ($what eq 'bad') == (@expected > 0), "$kind: $text\n  got $got\n  old $old_is");
}
sub each_of {
	my $text = shift;
	return run($text) unless $text =~ /(\{[^{}|\s]*\|[^{}\s]*\})/;
	my $group = $1;
	for my $one (split /\|/, substr($group, 1, -1), -1) { each_of($text =~ s/\Q$group\E/$one/gr) }
}

my ($cases, @files) = @ARGV;
for my $file (@files) {
	open my $in, '<', $file or die "$file: $!\n";
	my $crd = $json->decode(do { local $/; <$in> });
	my ($before, $there) = (scalar @rules, count($crd));
	for my $v (@{$crd->{spec}{versions}}) {
		my $name = "$crd->{spec}{names}{plural} $v->{name}";
		my $s = $schema{$name} = $v->{schema}{openAPIV3Schema};
		$s->{properties}{metadata}{properties}{$_} = { type => 'string', maxLength => 253 } for qw(name generateName);
		learn($s, $name, 1);
	}
	verdict(@rules - $before == $there, "$file: rules in places where none is looked for");
}
open my $in, '<', $cases or die "$cases: $!\n";
my $text = do { local $/; <$in> };
$text =~ s/^#.*\n//mg;
$text =~ s/\n\t/ /g;	# a long line goes on
for ($text =~ /^\w.*\n(?:! .*\n)*/mg) {
	my $case = expand($_);
	if ($case =~ /^let (\w+) (.*)/) { $let{$1} = $2 }
	elsif ($case =~ /^kind (.*)/) { $kind = $1; $schema = $schema{$1} // die "no $1\n" }
	elsif ($case =~ s/^base (.*)/ok/) { $base = {}; assign($base, $_) for split ' ', $1; run($case) }
	elsif ($case =~ /^(ok|bad) /) { each_of($case) }
	else { die "$cases: $case" }
}
for my $r (@rules) {
	verdict($r->{passes}, "$r->{where}: no case passes it");
	verdict($r->{refuses}, "$r->{where}: no case is refused by it");
}
print "$passed passed, $failed failed\n";
exit($failed > 0);
