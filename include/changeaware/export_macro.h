// CHANGEAWARE_API: what the shared library exports. Everything else in it is hidden, so that only
// what is declared in include/changeaware can be called, or can clash with names of yours.
#pragma once

#if defined(__cplusplus)
#define CHANGEAWARE_API [[gnu::visibility("default")]]
#else
#define CHANGEAWARE_API __attribute__((visibility("default")))
#endif
