#!/usr/bin/perl
# refuse.pl API RULES PORT-FILE: a proxy for a plain HTTP API server that refuses requests.
#
# RULES has lines "METHOD PATH CODE REASON MESSAGE"; it is read for each request, and may be absent. A
# request with that method and path gets a Status with that code, all others go to the server. Clients
# must not send a request before the answer to the last one.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;

my ($api, $rules, $port_file) = @ARGV;
my ($host) = $api =~ m{^http://([^/]+)};
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64) or die "listen: $!\n";
open my $f, '>', "$port_file.new" or die "$port_file: $!\n";
print $f $listener->sockport, "\n";
close $f;
rename "$port_file.new", $port_file;
$SIG{CHLD} = 'IGNORE';
$SIG{TERM} = sub { kill 'TERM', -$$; exit 0 };
setpgrp;

sub refusal {    # HEAD: the answer, or undef
	my ($method, $path) = $_[0] =~ m{^(\S+) ([^\s?]+)} or return undef;
	open my $r, '<', $rules or return undef;
	while (<$r>) {
		chomp;
		my ($m, $p, $code, $reason, $message) = split / /, $_, 5;
		next unless $m eq $method && $p eq $path;
		my $body = encode_json({ apiVersion => 'v1', kind => 'Status', status => 'Failure', code => 0 + $code,
			reason => $reason, message => $message });
		return "HTTP/1.1 $code $reason\r\nContent-Type: application/json\r\nContent-Length: " . length($body) .
			"\r\n\r\n$body";
	}
	return undef;
}

sub serve {
	my $client = shift;
	my $server = IO::Socket::INET->new(PeerAddr => $host) or exit 1;
	my $both = IO::Select->new($client, $server);
	my $left = 0;    # bytes of a request's body that are to come
	while (1) {
		for my $from ($both->can_read) {
			sysread($from, my $data, 65536) or exit 0;
			if ($from == $server) {
				syswrite $client, $data;
				next;
			}
			if ($left > 0) {    # of a request that the server gets
				$left -= length $data;
				syswrite $server, $data;
				next;
			}
			until ($data =~ /\r\n\r\n/) { sysread($client, $data, 65536, length $data) or exit 0 }
			my ($head, $body) = split /\r\n\r\n/, $data, 2;
			my $n = $head =~ /^content-length: *(\d+)/im ? $1 : 0;
			my $answer = refusal($head);
			if (!defined $answer) {
				$left = $n - length $body;
				syswrite $server, $data;
				next;
			}
			while (length $body < $n) { sysread($client, $body, 65536, length $body) or exit 0 }
			syswrite $client, $answer;
		}
	}
}

while (1) {
	my $client = $listener->accept or next;
	defined(my $pid = fork) or die "fork: $!\n";
	if (!$pid) {
		$SIG{TERM} = 'DEFAULT';
		serve($client);
	}
	close $client;
}
