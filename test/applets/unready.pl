# unready.pl DIR: an API server that is still starting: it grants a lease and serves the
# discovery of /api/v1; it knows no other kind, and answers requests for a definition
# with Retry-After: 2. DIR/port has its port, DIR/asked the requests.
use strict;
use IO::Socket::INET;
my $dir = shift;
my $s = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', LocalPort => 0) or die;
open(my $asked, '>', "$dir/asked") or die;
$asked->autoflush;
open(my $p, '>', "$dir/port.new") or die;
print $p $s->sockport, "\n";
close $p;
rename "$dir/port.new", "$dir/port";
my $lease = '';
while (my $c = $s->accept) {
	my ($first, $length, $body, $more) = (scalar <$c>, 0, '', '');
	next unless defined $first;
	while (my $line = <$c>) {
		$length = $1 if $line =~ /^content-length: *(\d+)/i;
		last if $line =~ /^\r?\n$/;
	}
	read $c, $body, $length if $length;
	print $asked $first;
	$lease = $body if $first =~ m{^P\S+ /apis/coordination};
	my ($status, $say) = ('404 Not Found', '{"kind":"Status","code":404,"message":"not found"}');
	($status, $say) = ('200 OK', $lease) if $lease ne '' && $first =~ m{ /apis/coordination};
	($status, $say) = ('200 OK', '{"resources":[]}') if $first =~ m{ /api/v1 };
	if ($first =~ m{/customresourcedefinitions/}) {
		($status, $more) = ('429 Too Many Requests', "Retry-After: 2\r\n");
	}
	print $c "HTTP/1.1 $status\r\nContent-Type: application/json\r\n${more}Connection: close\r\n",
		'Content-Length: ', length($say), "\r\n\r\n$say";
	close $c;
}
