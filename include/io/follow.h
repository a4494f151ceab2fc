/*
 * follow: tells when files have changed, by inotify on their folders and by a
 * look now and then. Files that appear, vanish, are replaced, or are reached
 * through links that are turned (as in Kubernetes' secret volumes) are seen.
 */
#ifndef IO_FOLLOW_H
#define IO_FOLLOW_H

#include "io/loop.h"

struct follow;

/*
 * changed(ctx) is called from the loop after any of the n files became another
 * (device, inode, size, times); changes close together are told once. Without
 * inotify the look every every_ms (0: 10 s) is what remains.
 */
struct follow *follow_start(struct loop *l, const char *const *paths, size_t n, int every_ms,
			    void (*changed)(void *ctx), void *ctx);
void follow_free(struct follow *f);

#endif
