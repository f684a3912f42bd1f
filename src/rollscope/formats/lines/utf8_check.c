/* Whether bytes are UTF-8. Texts are passed over when a file is indexed, and this is the only look at them: it has to be quick.
 *
 * Optional: where it was not compiled, Arrow looks, in four times the time. Plain C without Python's headers, called through
 * ctypes. Loops without branches, over bytes and those before them, of which the compiler takes sixteen or more at once.
 */
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef int64_t i64;

enum { BEFORE = 3, BLOCK = 4096 };

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define QUICK __attribute__((target_clones("avx2", "default")))
#else
#define QUICK
#endif

/* Characters of which not every second byte will do, and bytes that begin none, begin so. */
static inline u8 is_special(u8 byte) { return ((byte & 0xFE) == 0xC0) | (byte == 0xE0) | (byte == 0xED) | (byte >= 0xF0); }

/* Whether a byte that continues a character stands where none is wanted, or another one where it is; or one is special. The
 * three bytes before these are read, too. */
QUICK static int look_closer(const u8 *at, i64 size) {
    u8 found = is_special(at[-1]);
    for (i64 place = 0; place < size; place++) {
        u8 byte = at[place], wanted = (at[place - 1] >= 0xC0) | (at[place - 2] >= 0xE0) | (at[place - 3] >= 0xF0);
        found |= wanted ^ ((int8_t)byte < -64);
        found |= is_special(byte);
    }
    return found;
}

QUICK static int is_wrong(const u8 *at, i64 size) {
    u8 found = 0;
    for (i64 place = 0; place < size; place++) {
        u8 byte = at[place], one = at[place - 1];
        u8 wanted = (one >= 0xC0) | (at[place - 2] >= 0xE0) | (at[place - 3] >= 0xF0);
        found |= wanted ^ ((int8_t)byte < -64);
        found |= ((byte & 0xFE) == 0xC0) | (byte >= 0xF5);
        found |= ((one == 0xE0) & (byte < 0xA0)) | ((one == 0xED) & (byte > 0x9F));
        found |= ((one == 0xF0) & (byte < 0x90)) | ((one == 0xF4) & (byte > 0x8F));
    }
    return found;
}

int rollscope_is_utf8(const u8 *bytes, i64 size) {
    for (i64 at = 0; at <= size; at += BLOCK) {
        i64 some = size - at < BLOCK ? size - at : BLOCK;
        if (at && some == BLOCK) {
            if (look_closer(bytes + at, some) && is_wrong(bytes + at, some)) return 0;
            continue;
        }
        /* The first and the last ones, with zeros before and behind them: a character may not go on there. */
        u8 edge[BEFORE + BLOCK + BEFORE] = {0};
        i64 before = at ? BEFORE : 0;
        memcpy(edge + BEFORE - before, bytes + at - before, (size_t)(some + before));
        if (is_wrong(edge + BEFORE, some + (some < BLOCK ? BEFORE : 0))) return 0;
    }
    return 1;
}
