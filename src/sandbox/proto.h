/*
 * proto: request bodies in the protobuf encoding of Go clients.
 */
#ifndef SANDBOX_PROTO_H
#define SANDBOX_PROTO_H

#include "sandbox/sandbox.h"

/*
 * Replaces a protobuf body by the JSON of the same object, and the content type by that of JSON.
 * Leaves the request as it is when it has another type, or an object without a struct in
 * builtin/types: its decoder then answers 415. False, answered, when the body is malformed.
 */
bool proto_to_json(struct sb_call *c);

#endif
