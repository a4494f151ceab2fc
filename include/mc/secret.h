/*
 * secret: what should not be shown on a screen or in a log unasked.
 */
#ifndef MC_SECRET_H
#define MC_SECRET_H

#include "base/str.h"

/* True for private keys, pull secrets, password files and the like, by where
 * they are or by what they look like. */
bool mc_is_secret(struct str path, struct str bytes);

#endif
