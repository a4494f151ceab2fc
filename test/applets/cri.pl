#!/usr/bin/perl
# cri.pl SOCKET DIR: a container runtime's ImageService on a Unix socket. An image
# exists when DIR/images has a file of its name, with "_" for everything but
# letters, digits and dots. A file of that name in DIR/pull has the error of a
# pull ("wait": the pull takes as long as the file exists); one in DIR/status the
# error of a status request. Each call, and the end of such a wait, is a line in
# DIR/calls.
use strict;
use warnings;
use IO::Socket::UNIX;
use Socket qw(SOCK_STREAM);

my ($path, $dir) = @ARGV;
mkdir "$dir/$_" for '', qw(images pull status);
unlink $path;
my $server = IO::Socket::UNIX->new(Type => SOCK_STREAM(), Local => $path, Listen => 20)
	or die "cri.pl: $path: $!\n";
$SIG{CHLD} = 'IGNORE';
setpgrp; # killed as a group, with the children that serve connections

sub frame {
	my ($type, $flags, $stream, $body) = @_;
	return substr(pack('N', length $body), 1) . pack('CCN', $type, $flags, $stream) . $body;
}
sub varint { my ($n) = @_; my $s = ''; while ($n > 127) { $s .= chr($n & 127 | 128); $n >>= 7 } return $s . chr $n }
sub field { my ($n, $bytes) = @_; return chr($n << 3 | 2) . varint(length $bytes) . $bytes }
sub text { my ($s) = @_; my $n = length $s; return ($n < 127 ? chr $n : chr(127) . varint($n - 127)) . $s }
sub literal { return "\0" . join '', map { text($_) } @_ }

# The length-delimited fields of a message, by number.
sub message {
	my ($m) = @_;
	my %f;
	while (length $m) {
		my $tag = ord $m;
		my ($n, $shift, $at) = (0, 0, 1);
		do { $n |= (ord(substr $m, $at) & 127) << $shift; $shift += 7 } while ord(substr $m, $at++) & 128;
		die "cri.pl: field $tag\n" if ($tag & 7) != 2;
		$f{$tag >> 3} = substr $m, $at, $n;
		$m = substr $m, $at + $n;
	}
	return %f;
}

sub contents { my ($f) = @_; open my $h, '<', $f or return; local $/; my $s = <$h>; $s =~ s/\n\z//; return $s }

sub answer {
	my ($method, $body) = @_;
	my %q = message($body);
	my %spec = message($q{1});
	my %auth = defined $q{2} ? message($q{2}) : ();
	my ($image, $name) = ($spec{1}, $spec{1});
	my $message = '';
	$name =~ s/[^A-Za-z0-9.]/_/g;
	open my $log, '>>', "$dir/calls" or die;
	syswrite $log, "$method $image" . (%auth ? " $auth{1} $auth{2}" : '') . "\n";
	if ($method eq 'PullImage') {
		my $why = contents("$dir/pull/$name");
		if (defined $why && $why eq 'wait') {
			select undef, undef, undef, 0.05 while -e "$dir/pull/$name";
			syswrite $log, "Pulled $image\n";
			$why = undef;
		}
		return ('', $why =~ s/^(\d+) // ? $1 : 2, $why) if defined $why;
		open my $h, '>', "$dir/images/$name" or exit 0; # a new one is in our place
		$message = field(1, "ref-of-$image");
	} else {
		my $why = contents("$dir/status/$name");
		return ('', $why =~ s/^(\d+) // ? $1 : 2, $why) if defined $why;
		$message = field(1, field(1, 'id')) if -e "$dir/images/$name";
	}
	return ($message, 0, '');
}

sub serve {
	my ($c) = @_;
	my ($in, $begun, $path, $body) = ('', 0, '', '');
	syswrite $c, frame(4, 0, 0, pack('nN', 3, 100)) . frame(8, 0, 0, pack('N', 65536));
	while (sysread $c, $in, 65536, length $in) {
		next if !$begun && length $in < 24;
		die "cri.pl: not HTTP/2\n" unless $begun || $in =~ s/^PRI \* HTTP\/2\.0\r\n\r\nSM\r\n\r\n//;
		$begun = 1;
		while (length $in >= 9) {
			my $n = unpack 'N', "\0" . substr $in, 0, 3;
			my ($type, $flags, $stream) = unpack 'CCN', substr $in, 3, 6;
			last if length $in < 9 + $n;
			my $part = substr $in, 9, $n;
			$in = substr $in, 9 + $n;
			syswrite $c, frame(4, 1, 0, '') if $type == 4 && !($flags & 1);
			$path = $1 if $type == 1 && $part =~ m{/runtime\.v1\.ImageService/(ImageStatus|PullImage)};
			$body .= $part if $type == 0;
			next if $type != 0 || !($flags & 1);
			my ($message, $status, $text) = answer($path, substr $body, 5);
			syswrite $c, frame(6, 0, 0, 'pingpong');
			syswrite $c, frame(1, 4, 1, "\x88" . "\x5f\x10application/grpc");
			syswrite $c, frame(0, 0, 1, pack('CN', 0, length $message) . $message) if !$status;
			syswrite $c, frame(1, 5, 1, literal('grpc-status', $status) . (length $text ? literal('grpc-message', $text) : ''));
		}
	}
	exit 0;
}

while (1) {
	my $c = $server->accept or next;
	my $pid = fork;
	if (!$pid) { close $server; serve($c) }
	close $c;
}
