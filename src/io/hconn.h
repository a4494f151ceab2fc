/* Shared by http_client.c, hconn.c and hconn_message.c. */
#ifndef IO_HCONN_H
#define IO_HCONN_H

#include "io/http_client.h"
#include "io/sock.h"
#include "io/stream.h"

enum hconn_state {
	HCONN_DIAL,
	HCONN_PROXY, /* CONNECT */
	HCONN_HANDSHAKE,
	HCONN_SEND,
	HCONN_ANSWER,
	HCONN_IDLE,
};

/* One destination, with its connections and the calls that wait for one. */
struct host {
	struct host *next;
	struct arena a;
	struct str key;
	size_t n; /* connections */
	struct hconn *idle; /* most recently used first */
	struct http_call *first, *last; /* waiting */
};

struct hconn {
	struct http_client *client;
	struct hconn *next, *prev;
	struct host *host;
	struct hconn *next_idle;
	struct http_call *call; /* NULL when idle or cancelled */
	enum hconn_state state;
	struct arena a; /* of the two URLs */
	struct url to, proxy; /* proxy.host "" when direct */
	struct dial *dial;
	struct source src;
	struct stream stream;
	struct http_reader reader;
	struct arena read_a; /* of a proxy's answer */
	struct str out[2]; /* request head and body, still to be sent */
	int64_t due;
	int interim; /* 1xx answers so far */
	bool last; /* close it after this call */
	bool feeding, used, heard;
};

struct http_client {
	struct loop *loop;
	struct http_client_opts opts;
	struct arena a;
	struct hconn *conns;
	struct host *hosts;
	size_t n_idle;
};

void hconn_open(struct http_client *c, struct http_call *call);
void hconn_use(struct hconn *h, struct http_call *call);
void hconn_close(struct hconn *h);

/* ---- the request and the answer: hconn_message.c ------------------------- */

/* Adds Proxy-Authorization for "name:password"; nothing for "". */
void hconn_add_auth(struct buf *b, struct str user);
void hconn_begin_request(struct hconn *h);
/* 0 when all is sent, -ERR_AGAIN, or an error. */
int hconn_send(struct hconn *h, struct err *err);
/* Reads once: 0 to continue, 1 when the connection must not be used any more, or an error. */
int hconn_read_answer(struct hconn *h, struct err *err);

/* ---- calls and hosts: http_client.c -------------------------------------- */

void call_over(struct http_call *call, int rc, struct err *err);
void call_fail(struct http_call *call, int rc, struct err *err);
void call_again(struct http_call *call);
/* Keeps an idle connection; false when there are too many. */
bool host_keep(struct hconn *h);
/* A connection has ended, idle or not. */
void host_drop(struct hconn *h);
/* A connection is free: starts the call that has waited longest. */
void host_next(struct http_client *c, struct host *t);

#endif
