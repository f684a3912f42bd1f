/* Words, sequences of three words, marks and letters of one text. For text_scan.c. */
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* Columns of the result, one after the other; as in text_scan.py. */
enum { WORDS, DISTINCT, DIGEST, FLAGS, NEWLINES, CHARS, THINK_CHARS, ANSWER_START, ANSWER_CHARS, BOXED_START, BOXED_END,
       COLUMNS };
enum { NOT_ASCII = 1, LOOK_GARBLED = 2, LOOK_MARKS = 4, LOOK_LOOP = 8, THOUGHT = 16, UNCLOSED = 32, LOOK_THOUGHTS = 64,
       LOOK_OPENING = 128, BOXED = 256, LOOK_ANSWER = 512, OTHER_DIGITS = 1024, LOOK_HOLLOW = 2048, LOOK_COUNT = 4096,
       OTHER_LANGUAGES = 8192, LOOK_LANGUAGE = 16384 };
/* Kinds of characters: number of the script, and these. */
enum { SCRIPT = 31, SPACE = 32, UNSPACED = 64, ODD = 128, DIGIT = 256, LETTER = 512 };
enum { TABLE = 0x20000, PARTS = 32, SCRIPTS = 32, MARKS = 128 };
enum { SMALL_BITS = 11, MAYBE_BITS = 14 }; /* of the table of small words */

static const u64 MIX = 0x9E3779B97F4A7C15u, MIX2 = 0xC2B2AE3D27D4EB4Fu, MIX3 = 0x165667B19E3779F9u,
                 MIX4 = 0xBF58476D1CE4E5B9u;

/* Literals of at least five bytes, found by a hash of their five rarest, of which the first four or the last four stand at an
 * even place: `core` bytes behind their beginning. `maybe` has a bit for each of 65,536, which most places of a text fail.
 * `bytes` are all literals, `found_as` is the column of each, which several may share. Every literal has two entries: `first` is the first entry of
 * each bucket, `next` the next one in it; -1 for none; `key` has its four bytes. */
typedef struct {
    const u8 *bytes, *maybe;
    const u32 *key;
    const int32_t *begin, *core;
    const int16_t *first, *next, *found_as;
} Marks;

/* Words of at most eight bytes, as `small_key` has them: `maybe` has a bit for each of 16,384 hashes, `keys` is the table.
 * `found_as` is the column of a word that is a mark, or -1; `strange` is 1 for a word of another language than English. */
typedef struct {
    const u8 *maybe, *strange;
    const u64 *keys;
    const int16_t *found_as;
} SmallWords;

typedef struct {
    const u32 *lower;   /* of the characters below TABLE */
    const uint16_t *kind;
    u32 mixed;          /* bit by script: those whose letters get mixed with Latin ones */
    i64 latin;          /* the number of that script */
    Marks marks, opening;
    SmallWords small;
    i64 language, languages; /* the first column of a mark that is a language's word, and how many there are */
    const u8 *leads;    /* 1 for each first byte of a mark of the opening that is not ASCII */
    i64 openings;       /* marks of the opening, ASCII or not */
} Tables;

static inline u64 load8(const u8 *at) { u64 value; memcpy(&value, at, 8); return value; }
static inline u32 load4(const u8 *at) { u32 value; memcpy(&value, at, 4); return value; }
static inline int is_letter(u8 byte) { return (u8)((byte | 32) - 'a') < 26; }
static inline int is_space(u8 byte) { return (u8)(byte - 9) < 5 || (u8)(byte - 28) < 5; }
static inline int begins(const u8 *at, const u8 *end, const char *what, i64 size) {
    return end - at >= size && memcmp(at, what, (size_t)size) == 0;
}

static u32 decode(const u8 *at, const u8 *end, int *size) {
    u8 byte = *at;
    *size = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (end - at < *size) *size = 1;
    switch (*size) {
    case 1: return byte;
    case 2: return (u32)(byte & 31) << 6 | (at[1] & 63);
    case 3: return (u32)(byte & 15) << 12 | (u32)(at[1] & 63) << 6 | (at[2] & 63);
    default: return (u32)(byte & 7) << 18 | (u32)(at[1] & 63) << 12 | (u32)(at[2] & 63) << 6 | (at[3] & 63);
    }
}

static int encode(u32 sign, u8 *out) {
    if (sign < 0x80) { out[0] = (u8)sign; return 1; }
    if (sign < 0x800) { out[0] = (u8)(0xC0 | sign >> 6); out[1] = (u8)(0x80 | (sign & 63)); return 2; }
    int size = sign < 0x10000 ? 3 : 4, at = size;
    while (--at) { out[at] = (u8)(0x80 | (sign & 63)); sign >>= 6; }
    out[0] = (u8)((size == 3 ? 0xE0 : 0xF0) | sign);
    return size;
}

static inline u32 kind_of(const Tables *tables, u32 sign) {
    return sign < TABLE ? tables->kind[sign] : ODD | (sign < 0x40000 ? UNSPACED | tables->kind[0x4E00] : 0);
}

static i64 chars_in(const u8 *text, i64 size) {
    i64 inside = 0;
    for (i64 from = 0; from < size; from += 240) { /* so few that their number fits into a byte, sixteen of which are counted at once */
        i64 some = size - from < 240 ? size - from : 240;
        u8 found = 0;
        for (i64 at = 0; at < some; at++) found += (int8_t)text[from + at] < -64;
        inside += found;
    }
    return size - inside;
}

/* Small letters, spaces for white space. Most texts are ASCII, and most stretches of the others. */
static void plain_ascii(const u8 *text, i64 size, u8 *out, u32 *letters, i64 *row) {
    u8 control = 0;
    while (size) { /* in stretches whose counts fit into bytes: the compiler then does sixteen at once */
        i64 some = size < 240 ? size : 240;
        u8 found = 0, lines = 0;
        for (i64 at = 0; at < some; at++) {
            u8 byte = text[at], upper = (u8)(byte - 'A') < 26, space = is_space(byte);
            found += (u8)((byte | 32) - 'a') < 26;
            lines += byte == '\n';
            control |= (byte < 32 && byte != 9 && byte != 10 && byte != 13) || byte == 127;
            out[at] = space ? 32 : (u8)(byte + (upper << 5));
        }
        *letters += found;
        row[NEWLINES] += lines;
        text += some; out += some; size -= some;
    }
    if (control) row[FLAGS] |= LOOK_GARBLED;
}

/* Bytes of ASCII from here on, in steps of 16. */
static i64 ascii_run(const u8 *at, const u8 *end) {
    const u8 *from = at;
    while (end - at >= 16 && !((load8(at) | load8(at + 8)) & 0x8080808080808080u)) at += 16;
    return at - from;
}

/* The same of any text, with spaces around signs of scripts that have none. Gives the size; `out` has room for twice as much. */
static i64 plain_other(const Tables *tables, const u8 *text, i64 size, u8 *out, u32 *letters, i64 *row) {
    const u8 *at = text, *end = text + size;
    u8 *to = out;
    int before = 0; /* 1 after a letter of ASCII, 2 after one of a script that gets mixed with them */
    row[FLAGS] |= NOT_ASCII;
    while (at < end) {
        u8 byte = *at;
        i64 run = byte < 0x80 ? ascii_run(at, end) : 0;
        if (run) {
            if (is_letter(byte) && before == 2) row[FLAGS] |= LOOK_GARBLED;
            plain_ascii(at, run, to, letters + tables->latin, row);
            at += run;
            to += run;
            before = is_letter(at[-1]);
            continue;
        }
        if (byte < 0x80) {
            int letter = is_letter(byte);
            letters[tables->latin] += (u32)letter;
            if (letter && before == 2) row[FLAGS] |= LOOK_GARBLED;
            before = letter;
            row[NEWLINES] += byte == '\n';
            if ((byte < 32 && byte != 9 && byte != 10 && byte != 13) || byte == 127) row[FLAGS] |= LOOK_GARBLED;
            *to++ = is_space(byte) ? 32 : letter ? byte | 32 : byte;
            at++;
            continue;
        }
        int bytes;
        u32 sign = decode(at, end, &bytes);
        u32 kind = kind_of(tables, sign), script = kind & SCRIPT;
        if (script) letters[script]++;
        if (kind & ODD) row[FLAGS] |= LOOK_GARBLED;
        if (kind & DIGIT) row[FLAGS] |= OTHER_DIGITS;
        int mixes = (tables->mixed >> script & 1) != 0;
        if (mixes && before == 1) row[FLAGS] |= LOOK_GARBLED;
        before = mixes ? 2 : 0;
        if (kind & SPACE) {
            *to++ = 32;
        } else if (kind & UNSPACED) {
            *to++ = 32;
            memcpy(to, at, (size_t)bytes);
            to += bytes;
            *to++ = 32;
        } else if (sign == 0x130) { /* the only one whose small letter is two characters */
            memcpy(to, "i\xCC\x87", 3);
            to += 3;
            row[FLAGS] |= LOOK_MARKS;
        } else {
            u32 small = sign < TABLE ? tables->lower[sign] : sign;
            if (small != sign) to += encode(small, to);
            else { memcpy(to, at, (size_t)bytes); to += bytes; }
            if (sign == 0x212A || sign == 0x17F || sign == 0x131) row[FLAGS] |= LOOK_MARKS;
        }
        at += bytes;
    }
    return to - out;
}

static inline u32 may_begin(const Marks *marks, const u8 *at) {
    u32 hash = load4(at) * 0x9E3779B1u >> 16;
    return marks->maybe[hash >> 3] >> (hash & 7) & 1;
}

/* All whose core stands at this place. */
static void find_mark(const Marks *marks, const u8 *text, i64 at, i64 size, u8 *found) {
    u32 core = load4(text + at);
    for (int entry = marks->first[core * 0x9E3779B1u >> 20]; entry >= 0; entry = marks->next[entry]) {
        if (core != marks->key[entry]) continue;
        int mark = entry / 2;
        const u8 *wanted = marks->bytes + marks->begin[mark];
        i64 length = marks->begin[mark + 1] - marks->begin[mark], behind = marks->core[mark] + entry % 2, start = at - behind;
        if (start >= 0 && length <= size - start
            && load4(text + start) == load4(wanted) && memcmp(text + start, wanted, (size_t)length) == 0)
            found[marks->found_as[mark]] = 1;
    }
}

/* There are spaces behind the text. `maybe` has room for half as many places as it has bytes: they are noted without a branch,
 * as nobody can foretell which ones are worth a look. */
static void find_marks(const Marks *marks, const u8 *text, i64 size, u32 *maybe, u8 *found) {
    i64 count = 0;
    for (i64 at = 0; at < size; at += 2) {
        maybe[count] = (u32)at;
        count += may_begin(marks, text + at);
    }
    for (i64 place = 0; place < count; place++) find_mark(marks, text, maybe[place], size, found);
}

/* A word of at most eight bytes as a number. */
static inline u64 small_key(const u8 *word, i64 size) { return load8(word) << (64 - 8 * (size < 8 ? size : 8)); }

/* Where it is in the table, or -1. */
static inline int small_word(const SmallWords *small, u64 key) {
    u64 hash = key * MIX, maybe = hash >> (64 - MAYBE_BITS);
    if (!(small->maybe[maybe >> 3] >> (maybe & 7) & 1)) return -1;
    u64 slot = hash >> (64 - SMALL_BITS);
    while (small->keys[slot] && small->keys[slot] != key) slot = (slot + 1) & ((1 << SMALL_BITS) - 1);
    return small->keys[slot] ? (int)slot : -1;
}

/* A number for a word: eight bytes of it after the other are loaded and mixed. Words of up to 16 bytes need no branch, as
 * nobody can foretell how long the next one is. */
static inline u64 word_number(const u8 *word, i64 size) {
    u64 number = (load8(word) << (64 - 8 * (size < 8 ? size : 8))) + (u64)size;
    number *= MIX;
    number ^= number >> 29;
    i64 left = size - 8;
    u64 longer = (number ^ load8(word + 8) << (left < 8 ? -8 * left & 63 : 0)) * MIX2;
    longer ^= longer >> 31;
    number = left > 0 ? longer : number;
    for (i64 at = 16; at < size; at += 8) {
        left = size - at;
        number = (number ^ load8(word + at) << (64 - 8 * (left < 8 ? left : 8))) * MIX2;
        number ^= number >> 31;
    }
    return number;
}

/* A bit for each of the 64 bytes that is no space. */
#ifdef __SSE2__
static inline u64 letters_at(const u8 *text) {
    const __m128i space = _mm_set1_epi8(32);
    u64 bits = 0;
    for (int part = 0; part < 4; part++) {
        __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * part));
        bits |= (u64)(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(some, space)) << 16 * part;
    }
    return ~bits;
}
#else
static inline u64 letters_at(const u8 *text) {
    const u64 low = 0x7F7F7F7F7F7F7F7Fu;
    u64 bits = 0;
    for (int part = 0; part < 8; part++) {
        u64 other = load8(text + 8 * part) ^ 0x2020202020202020u;
        other = (((other & low) + low) | other) >> 7 & 0x0101010101010101u;
        bits |= (other * 0x0102040810204080u >> 56) << 8 * part;
    }
    return bits;
}
#endif

/* So that a hash table of so many numbers is at most a third full. */
static int slot_bits(i64 numbers) {
    int bits = 6;
    while (((i64)1 << bits) < 3 * numbers) bits++;
    return bits;
}

/* Where words begin and end, one after the other. Gives their number. */
static i64 find_words(const u8 *plain, i64 size, u32 *edges) {
    u64 inside = 0;
    u32 *to = edges;
    for (i64 block = 0; block <= size; block += 64) {
        u64 letters = letters_at(plain + block), found = letters ^ (letters << 1 | inside);
        inside = letters >> 63;
        for (; found; found &= found - 1) *to++ = (u32)(block + __builtin_ctzll(found));
    }
    return (to - edges) / 2;
}

/* There are 80 spaces behind the text; `edges`, `grams` and `table` have room for as many words as there can be. The table has
 * places of grams, from 1 on: half as large as the grams themselves, it stays near the processor. */
static void count_words(const SmallWords *small, const u8 *plain, i64 size, u32 *edges, u64 *grams, u32 *table, i64 *row,
                        u32 *sketch, u8 *marks) {
    u64 last = 0, before = 0, digest = 0, power = 1;
    i64 words = find_words(plain, size, edges), distinct = 0;
    int bits = slot_bits(words);
    u64 slots = (u64)1 << bits;
    memset(table, 0, slots * 4);
    for (i64 word = 0; word < words; word++) {
        const u8 *from = plain + edges[2 * word], *to = plain + edges[2 * word + 1];
        u64 number = word_number(from, to - from);
        int known = small_word(small, small_key(from, to - from));
        /* A mark has white space on both sides of it. */
        if (known >= 0 && to - from <= 8 && *from && small->found_as[known] >= 0 && from > plain && to < plain + size)
            marks[small->found_as[known]] = 1;
        digest += number * power;
        power *= MIX3;
        if (word > 1) {
            u64 gram = before * MIX2 + last;
            gram = ((gram ^ gram >> 31) * MIX3) + number;
            gram = ((gram ^ gram >> 30) * MIX4) >> 6;
            u32 *part = sketch + (gram >> 53), value = (u32)(gram >> 22) & 0x7FFFFFFF;
            *part = value < *part ? value : *part;
            u64 slot = gram >> (58 - bits);
            while (table[slot] && grams[table[slot] - 1] != gram) slot = (slot + 1) & (slots - 1);
            distinct += table[slot] == 0;
            grams[word - 2] = gram;
            table[slot] = (u32)word - 1;
        }
        before = last;
        last = number;
    }
    digest = (digest ^ digest >> 32) * MIX2 + (u64)words;
    row[WORDS] = words;
    row[DISTINCT] = words > 2 ? distinct : -1;
    row[DIGEST] = (i64)digest;
}
