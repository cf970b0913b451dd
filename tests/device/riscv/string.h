/* What the header needs of string.h, for a compiler that comes without a C library. */
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
