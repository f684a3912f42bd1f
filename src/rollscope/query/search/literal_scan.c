/* Where a literal lies in bytes. A search looks through whole files for one that most of them do not hold: as quickly as memory
 * is read, which Python's own `find` does not reach.
 *
 * Optional: where it was not compiled, `bytes.find` looks. Plain C without Python's headers, called through ctypes. Two of
 * the literal's bytes are compared at many places at once, in a loop without branches of which the compiler takes sixteen
 * or more bytes together; only where both stand, the rest is compared.
 */
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef int64_t i64;

enum { STEP = 128 };

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define QUICK __attribute__((target_clones("avx2", "default")))
#else
#define QUICK
#endif

/* The first place of `wanted` in `bytes`, -1 if there is none. `one` and `two` are places in `wanted`: those of bytes that are
 * rare in texts. */
QUICK i64 rollscope_find(const u8 *bytes, i64 size, const u8 *wanted, i64 length, i64 one, i64 two) {
    i64 behind = size - length + 1, at = 0;
    u8 first = wanted[one], second = wanted[two];
    for (; at + STEP <= behind; at += STEP) {
        const u8 *ones = bytes + at + one, *twos = bytes + at + two;
        u8 found = 0;
        for (i64 place = 0; place < STEP; place++) found |= (ones[place] == first) & (twos[place] == second);
        if (!found) continue;
        for (i64 place = 0; place < STEP; place++)
            if (ones[place] == first && twos[place] == second && !memcmp(bytes + at + place, wanted, (size_t)length))
                return at + place;
    }
    for (; at < behind; at++)
        if (!memcmp(bytes + at, wanted, (size_t)length)) return at;
    return -1;
}
