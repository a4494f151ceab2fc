/* gRPC calls on a Unix socket; the peer sends what each case sets. */
#include "../test.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/grpc_call.h"

#define BEGIN "\0\0\0\4\0\0\0\0\0"
#define ANSWER                                                     \
	BEGIN "\0\0\1\1\4\0\0\0\1\x88\0\0\7\0\0\0\0\0\1\0\0\0\0\2" \
	      "hi\0\0\xf\1\5\0\0\0\1\0\xbgrpc-status\1"

struct peer {
	struct loop *loop;
	struct source listener, source;
	struct str says; /* n 0: send nothing */
	size_t read;
	bool silent; /* keeps the connection open and sends nothing more */
};

static char dir[] = "/tmp/mco-grpc-XXXXXX";

static struct str path_of(struct arena *a)
{
	return str_fmt(a, "%s/sock", dir);
}

static void on_bytes(struct source *s, short events)
{
	struct peer *p = s->ctx;
	char part[100000];
	ssize_t n = recv(s->fd, part, sizeof(part), MSG_DONTWAIT);

	(void)events;
	if (n > 0)
		p->read += (size_t)n;
	if (n > 0 && p->silent)
		return;
	for (size_t i = 0; i < p->says.n; i += 3)
		(void)send(s->fd, p->says.p + i, p->says.n - i < 3 ? p->says.n - i : 3,
			   MSG_NOSIGNAL);
	loop_remove(p->loop, s);
	(void)close(s->fd);
	s->fd = -1;
}

static void on_connection(struct source *s, short events)
{
	struct peer *p = s->ctx;

	(void)events;
	p->source = (struct source){
		.fd = accept(s->fd, NULL, NULL), .want = POLLIN, .ready = on_bytes, .ctx = p
	};
	loop_add(p->loop, &p->source);
}

static void listen_at(struct peer *p, struct arena *a)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path_of(a).p);
	(void)unlink(to.sun_path);
	if (bind(fd, (struct sockaddr *)&to, sizeof(to)) < 0 || listen(fd, 5) < 0)
		abort();
	p->listener = (struct source){ .fd = fd, .want = POLLIN, .ready = on_connection, .ctx = p };
	loop_add(p->loop, &p->listener);
}

static void hush(struct peer *p)
{
	loop_remove(p->loop, &p->listener);
	(void)close(p->listener.fd);
	if (p->source.fd > 0) {
		loop_remove(p->loop, &p->source);
		(void)close(p->source.fd);
	}
}

struct outcome {
	struct arena *a;
	struct str text;
};

static void done(struct grpc_call *c, const struct grpc *answer)
{
	struct outcome *o = c->ctx;

	o->text = answer->status ? grpc_error(o->a, answer->status, answer->text)
				 : str_dup(o->a, answer->message);
	loop_stop(c->loop);
}

/* The outcome of a call of n bytes. */
static struct str call(struct arena *a, struct loop *l, size_t n, int64_t ms)
{
	struct outcome o = { .a = a };
	struct err err = ERR_INIT(a);
	struct buf b;
	struct grpc_call c = { .loop = l,
			       .socket = str_z(a, path_of(a)),
			       .path = S("/x.Y/Z"),
			       .ms = ms,
			       .done = done,
			       .ctx = &o };

	buf_init(&b, a);
	buf_fill(&b, 'x', n);
	c.message = buf_str(&b);
	grpc_call_start(&c);
	if (o.text.p)
		return S("reported too early");
	if (loop_run(l, &err) < 0)
		return err.msg;
	return o.text;
}

#define BROKEN(what)                                                     \
	"rpc error: code = Unavailable desc = error reading from server" \
	": " what

TEST calls(void)
{
	static const struct {
		const char *name;
		struct str says;
		const char *want;
		size_t n;
		int64_t ms;
		bool silent;
	} cases[] = {
		{ "an answer", S(ANSWER "0"), "hi", 0, 60000, false },
		{ "to a long request", S(ANSWER "0"), "hi", 16000, 60000, false },
		{ "to one that is too long", S(ANSWER "0"),
		  "rpc error: code = Internal desc = the request is too long", 16001, 60000,
		  false },
		{ "an error", S(ANSWER "5"), "rpc error: code = NotFound desc = ", 0, 60000,
		  false },
		{ "nothing", S(""), BROKEN("EOF"), 0, 60000, false },
		{ "half an answer", S(ANSWER), BROKEN("EOF"), 0, 60000, false },
		{ "no answer", S(""),
		  "rpc error: code = DeadlineExceeded desc = context deadline "
		  "exceeded",
		  0, 50, true },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct peer p = { .loop = l, .says = cases[i].says, .silent = cases[i].silent };

		listen_at(&p, &a);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
			     call(&a, l, cases[i].n, cases[i].ms));
		ASSERT_INT_M(cases[i].name, 1, p.read > cases[i].n || cases[i].n > 16000);
		hush(&p);
	}
	loop_free(l);
	PASS();
}

TEST no_peer(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct str at = path_of(&a);

	(void)unlink(at.p);
	ASSERT_STR_M("no socket",
		     str_fmt(&a,
			     "rpc error: code = Unavailable desc = connection "
			     "error: desc = \"transport: Error while dialing: dial "
			     "unix %.*s: connect: no such file or directory\"",
			     STRF(at)),
		     call(&a, l, 1, 60000));
	(void)close(open(at.p, O_CREAT | O_WRONLY, 0600));
	ASSERT_STR_M("no listener",
		     str_fmt(&a,
			     "rpc error: code = Unavailable desc = connection "
			     "error: desc = \"transport: Error while dialing: "
			     "dial unix %.*s: connect: connection refused\"",
			     STRF(at)),
		     call(&a, l, 1, 60000));
	loop_free(l);
	PASS();
}

/* A cancelled call runs no callback, and the client can make it again. */
TEST given_up(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct outcome o = { .a = &a };
	struct peer p = { .loop = l, .says = S(ANSWER "0") };
	struct grpc_call c = { .loop = l,
			       .socket = str_z(&a, path_of(&a)),
			       .path = S("/x.Y/Z"),
			       .message = S("x"),
			       .ms = 60000,
			       .done = done,
			       .ctx = &o };

	listen_at(&p, &a);
	grpc_call_start(&c);
	grpc_call_cancel(&c);
	grpc_call_cancel(&c);
	ASSERT_INT(0, loop_turn(l, 0, &err));
	ASSERT_INT(1, o.text.p == NULL);
	hush(&p);
	listen_at(&p, &a);
	grpc_call_start(&c);
	ASSERT_INT(0, loop_run(l, &err));
	ASSERT_STR("hi", o.text);
	hush(&p);
	loop_free(l);
	PASS();
}

SUITE(grpc_calls)
{
	RUN_TEST(calls);
	RUN_TEST(no_peer);
	RUN_TEST(given_up);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!mkdtemp(dir))
		return 1;
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(grpc_calls);
	(void)unlink(path_of(&a).p);
	(void)rmdir(dir);
	GREATEST_MAIN_END();
}
