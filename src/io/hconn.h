/* What the two halves of http_client share. */
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

struct hconn {
	struct http_client *client;
	struct hconn *next;
	struct http_call *call; /* NULL when idle or given up */
	enum hconn_state state;
	struct arena a; /* key and where it leads */
	struct str key;
	struct url to, proxy; /* proxy.host "" when direct */
	struct dial *dial;
	struct source src;
	struct stream stream;
	struct http_reader reader;
	struct arena read_a; /* of a proxy's answer */
	struct str out[2]; /* request head and body, still to be sent */
	int64_t due;
	int interim; /* 1xx answers so far */
	bool last; /* not used again */
	bool feeding, used, heard, paused;
};

struct http_client {
	struct loop *loop;
	struct http_client_opts opts;
	struct arena a;
	struct hconn *conns;
	struct http_call *waiting;
};

void hconn_open(struct http_client *c, struct http_call *call);
void hconn_use(struct hconn *h, struct http_call *call);
void hconn_close(struct hconn *h);
void hconn_pause(struct hconn *h, bool pause);

void call_over(struct http_call *call, int rc, struct err *err);
void call_fail(struct http_call *call, int rc, struct err *err);
void call_again(struct http_call *call);
void client_next(struct http_client *c);
void client_trim(struct http_client *c);

#endif
