# canned.pl DIR: answers GET /NAME with the bytes of DIR/NAME.1 (once), then DIR/NAME;
# DIR/NAME.request has the request. DIR/port has its port.
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
	my ($name) = $head =~ m{^GET /([^ ?]*)};
	if (defined $name && open(my $r, '>', "$dir/$name.request")) {
		print $r $head;
		close $r;
		my $file = -e "$dir/$name.1" ? "$dir/$name.1" : "$dir/$name";
		if (open(my $f, '<', $file)) {
			local $/;
			my $all = <$f>;
			print $c $all;
			close $f;
		}
		unlink "$dir/$name.1";
	}
	close $c;
}
