# registry.pl DIR: a registry of the files in DIR, each named as the sha256 of its
# bytes, for whoever is "me" with the password "secret". Its port is in DIR/port.
use strict;
use IO::Socket::INET;
my $dir = shift;
my $s = IO::Socket::INET->new(Listen => 8, LocalAddr => '127.0.0.1', LocalPort => 0) or die;
open(my $p, '>', "$dir/port.new") or die;
print $p $s->sockport, "\n";
close $p;
rename "$dir/port.new", "$dir/port";
while (my $c = $s->accept) {
	my $head = '';
	while (my $line = <$c>) {
		$head .= $line;
		last if $line =~ /^\r?\n$/;
	}
	my ($method, $what, $name) = $head =~ m{^(GET|HEAD) /v2/tiny/(manifests|blobs)/sha256:([0-9a-f]{64}) };
	my ($status, $more, $body) = ('404 Not Found', '', '');
	if ($head !~ /^Authorization: Basic bWU6c2VjcmV0\r$/mi) {
		($status, $more) = ('401 Unauthorized', "WWW-Authenticate: Basic realm=\"tiny\"\r\n");
	} elsif (defined $name && open(my $f, '<:raw', "$dir/$name")) {
		local $/;
		$body = <$f>;
		$status = '200 OK';
		$more = "Docker-Content-Digest: sha256:$name\r\nContent-Type: " . ($what eq 'manifests' ?
			"application/vnd.oci.image.manifest.v1+json" : "application/octet-stream") . "\r\n";
	}
	print $c "HTTP/1.1 $status\r\n${more}Content-Length: " . length($body) . "\r\nConnection: close\r\n\r\n";
	print $c $body if ($method // '') ne 'HEAD';
	close $c;
}
