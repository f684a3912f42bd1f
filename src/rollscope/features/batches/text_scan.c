/* One look at the texts of a batch: words, sequences of three words, marks, thoughts, the boxed answer, letters by script.
 *
 * Optional: where it was not compiled, words.py does the same with numpy and the features look at texts one by one, several
 * times slower. Both give the same values (tests/features/batches/test_text_scan.py); what this file merely suspects
 * (LOOK_…) Python looks at closely. Plain C without Python's headers, called through ctypes. Texts are UTF-8 as Python
 * encodes it ("surrogatepass"), and untrusted: every read is inside of its text, whatever its bytes are.
 */
#include "text_words.h"

/* Raised whenever arguments, columns or numbers change: text_scan.py uses no other. */
#define VERSION 15

enum { LOOP_CHARS = 180, LOOP_PROBE = 32, LOOP_PERIOD = 1024, OPENING = 400, HOLLOW = 480, COUNT_CHARS = 400, COUNT_NUMBERS = 5,
       COUNTED_BYTES = 4 * 4400, COUNTED = 12, SLOTS = 3, BOX = 2000, END = 600, THOUGHT_BYTES = 12, STRETCH = 10, ENOUGH = 3, PROMPT = 100000 };

static int space_at(const Tables *tables, const u8 *at, const u8 *end, int *size) {
    *size = 1;
    return *at < 0x80 ? is_space(*at) : (kind_of(tables, decode(at, end, size)) & SPACE) != 0;
}

static void strip(const Tables *tables, const u8 **from, const u8 **to) {
    const u8 *start = *from, *end = *to;
    int size;
    while (start < end && space_at(tables, start, end, &size)) start += size;
    while (end > start) {
        const u8 *last = end - 1;
        while (last > start && (*last & 0xC0) == 0x80) last--;
        if (!space_at(tables, last, end, &size) || last + size != end) break;
        end = last;
    }
    *from = start;
    *to = end;
}

/* The end may be a loop if its last bytes were there shortly before. */
static int may_loop(const u8 *text, i64 size, i64 flags) {
    while (size && is_space(text[size - 1])) size--;
    if (size < LOOP_CHARS) return 0;
    u8 last = text[size - 1], before = text[size - 2];
    /* A template's closing mark, or another kind of white space: where the text ends is for Python to say. */
    if (last >= 0x80 || (last == '>' && (before == '|' || before == 's' || before == 'n'))) return 1;
    const u8 *probe = text + size - LOOP_PROBE;
    i64 reach = LOOP_PERIOD, most = size - LOOP_PROBE < 4 * LOOP_PERIOD ? size - LOOP_PROBE : 4 * LOOP_PERIOD;
    if (flags & NOT_ASCII) reach += most - chars_in(probe - most, most); /* so many bytes its characters may have more */
    const u8 *first = size - LOOP_PROBE > reach ? probe - reach : text;
    const u8 one = probe[0], other = probe[9], third = probe[20], fourth = probe[31];
    u8 hits = 0; /* by bytes, of which the compiler compares sixteen at once */
    for (const u8 *at = first; at < probe; at++)
        hits |= (at[0] == one) & (at[9] == other) & (at[20] == third) & (at[31] == fourth);
    if (!hits) return 0;
    for (const u8 *at = first; at < probe; at++)
        if (at[0] == one && at[9] == other && memcmp(at, probe, LOOP_PROBE) == 0) return 1;
    return 0;
}

/* Numbers of at most nine digits in the last so many characters. */
static int numbers_at_end(const u8 *text, const u8 *end, i64 chars) {
    const u8 *at = end;
    while (at > text && chars) chars -= (int8_t)*--at >= -64;
    int numbers = 0, digits = 0;
    for (; at < end; at++) {
        digits = (u8)(*at - '0') < 10 ? digits + 1 : 0;
        numbers += digits % 9 == 1;
    }
    return numbers;
}

/* The end may count on if it has several numbers, and these and those before them grow by the same steps. Python looks for more
 * of them, and so does not reach those of which it sees a part only. */
static int may_count(const u8 *text, const u8 *end) {
    if (numbers_at_end(text, end, COUNT_CHARS) < COUNT_NUMBERS) return 0;
    i64 values[(COUNTED + 1) * SLOTS];
    int count = 0;
    const u8 *first = end - text > COUNTED_BYTES ? end - COUNTED_BYTES : text;
    for (const u8 *at = end; at > first && count < (COUNTED + 1) * SLOTS;) {
        i64 value = 0, power = 1;
        const u8 *last = at;
        for (; at > text && (u8)(at[-1] - '0') < 10; at--, power *= 10) {
            if (last - at == 9) return 1; /* Python takes it for several numbers */
            value += (at[-1] - '0') * power;
        }
        if (at < last) values[count++] = value;
        else at--;
    }
    for (int slots = 1; slots <= SLOTS; slots++) {
        int places = COUNTED * slots, place = 0, grows = 0;
        if (places + slots > count) return 0;
        for (; place < places && values[place] - values[place + slots] == values[place % slots] - values[place % slots + slots];)
            grows |= values[place] != values[place + slots], place++;
        if (place == places && grows) return 1;
    }
    return 0;
}

/* Whether `enough` words that are not English stand near each other, as languages.py has it. Words are letters in a row. What
 * the tables do not have may be any. */
static int has_strange_words(const Tables *tables, const u8 *text, const u8 *end, int enough) {
    i64 word = 0, before[2] = {-STRETCH, -STRETCH};
    for (const u8 *at = text; at < end; word++) {
        u64 key = 0;
        const u8 *from = at;
        int odd = 0, bytes = 1;
        for (; at < end; at += bytes) {
            if (is_letter(*at)) { key = key >> 8 | (u64)(*at | 32) << 56; bytes = 1; continue; }
            if (*at < 0x80) break;
            u32 sign = decode(at, end, &bytes);
            if (sign >= TABLE) return 1;
            if (!(tables->kind[sign] & LETTER)) break;
            odd = 1;
        }
        if (at == from) { at += *at < 0x80 ? 1 : bytes; word--; continue; }
        int known = odd || at - from > 8 ? -1 : small_word(&tables->small, key);
        if (!odd && (known < 0 || !tables->small.strange[known])) continue;
        if (enough == 1 || word - before[0] < STRETCH) return 1;
        before[0] = before[1];
        before[1] = word;
    }
    return 0;
}

typedef struct {
    const u8 *start; /* of the answer: where the last thought has ended */
    i64 tags;        /* <answer> in it */
} Answer;

/* Characters of a part of a text: as many as bytes, but of a text that is not ASCII. */
static i64 chars_of(const u8 *from, const u8 *to, const i64 *row) {
    return row[FLAGS] & NOT_ASCII ? chars_in(from, to - from) : to - from;
}

static void close_thought(const Tables *tables, const u8 *from, const u8 *to, i64 *row) {
    row[THINK_CHARS] += chars_of(from, to, row);
    row[FLAGS] |= THOUGHT;
    strip(tables, &from, &to);
    if (to - from < THOUGHT_BYTES) row[FLAGS] |= LOOK_THOUGHTS;
}

/* Thoughts between <think> and </think>; one that began in the prompt begins at 0. */
static Answer find_thoughts(const Tables *tables, const u8 *text, const u8 *end, i64 *row) {
    Answer answer = {text, 0};
    const u8 *open = NULL;
    int any = 0;
    for (const u8 *at = text; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        if (begins(at, end, "<think>", 7)) {
            if (!any && at - text > 1) row[FLAGS] |= LOOK_THOUGHTS; /* something was said before it */
            any = 1;
            if (!open) open = at + 7;
        } else if (begins(at, end, "</think>", 8)) {
            if (open || !any) {
                close_thought(tables, open ? open : text, at, row);
                answer = (Answer){at + 8, 0};
            }
            any = 1;
            open = NULL;
        } else if (begins(at, end, "<answer>", 8)) {
            answer.tags++;
        }
    }
    if (open) {
        row[THINK_CHARS] += chars_of(open, end, row);
        row[FLAGS] |= THOUGHT | UNCLOSED;
        answer = (Answer){end, 0};
    }
    return answer;
}

static int ends_by_saying(const u8 *at, const u8 *end, i64 flags) {
    if (flags & LOOK_MARKS) return 1; /* letters that are folded to ASCII */
    for (; end - at >= 6; at++) {
        u8 small = *at | 32;
        if (small != 'a' && small != 's' && small != 'r' && *at != 0xE7) continue;
        if (*at == 0xE7) return 1; /* it may be Chinese for "answer" */
        u8 word[8] = {0};
        for (int place = 0; place < 8 && at + place < end; place++) word[place] = at[place] | 32;
        if (!memcmp(word, "answer", 6) || !memcmp(word, "solution", 8) || !memcmp(word, "result", 6)) return 1;
    }
    return 0;
}

static void find_answer(const u8 *text, Answer answer, const u8 *end, i64 *row) {
    const u8 *box = NULL;
    int boxes = 0, hashes = 0;
    for (const u8 *at = answer.start; (at = memchr(at, '\\', (size_t)(end - at))); at++)
        if (begins(at, end, "\\boxed", 6)) { boxes++; box = at + 6; }
    for (const u8 *at = answer.start; !hashes && (at = memchr(at, '#', (size_t)(end - at))); at++)
        hashes = begins(at, end, "####", 4);
    if (boxes > 1 || hashes || answer.tags) {
        row[FLAGS] |= LOOK_ANSWER;
    } else if (boxes) {
        while (box < end && *box == ' ') box++;
        int depth = 0;
        for (const u8 *at = box; at < end && at - box < BOX && *at < 0x80; at++) {
            depth += (*at == '{') - (*at == '}');
            if (at == box && !depth) break;
            if (depth == 0) {
                const u8 *inside = box + 1;
                while (inside < at && is_space(*inside)) inside++;
                if (inside == at) break; /* nothing is in it */
                row[BOXED_START] = chars_of(text, box + 1, row);
                row[BOXED_END] = row[BOXED_START] + (at - box - 1);
                row[FLAGS] |= BOXED;
                return;
            }
        }
        row[FLAGS] |= LOOK_ANSWER;
    } else {
        i64 bytes = row[FLAGS] & NOT_ASCII ? 4 * END : END;
        if (ends_by_saying(end - answer.start > bytes ? end - bytes : answer.start, end, row[FLAGS]))
            row[FLAGS] |= LOOK_ANSWER;
    }
}

static void look_at_opening(const Tables *tables, const u8 *at, const u8 *end, i64 *row) {
    if (!tables->openings) return;
    u8 small[4 * OPENING + 16], found[MARKS] = {0};
    u32 maybe[2 * OPENING + 8];
    i64 size = 0;
    for (int chars = 0; at < end && chars <= OPENING && size < 4 * OPENING; at++) {
        if (tables->leads[*at]) { row[FLAGS] |= LOOK_OPENING; return; }
        chars += (int8_t)*at >= -64;
        small[size++] = is_letter(*at) ? *at | 32 : *at;
    }
    memset(small + size, 32, 16);
    find_marks(&tables->opening, small, size, maybe, found);
    if (memchr(found, 1, MARKS)) row[FLAGS] |= LOOK_OPENING;
}

/* Whether a short answer may be a mere "Solution", "Answer", "Thought process" or "Let's think", or nothing: by its first
 * letters. Where one is not ASCII nothing is known of it. */
static int may_be_hollow(const u8 *at, const u8 *end) {
    if (end - at > HOLLOW) return 0;
    while (at < end && *at < 0x80 && !is_letter(*at) && !(*at >= '0' && *at <= '9')) at++;
    if (end - at < 3) return 1;
    u8 a = at[0] | 32, b = at[1] | 32, c = at[2] | 32;
    return (a | b | c) >= 0x80 || (a == 's' && b == 'o' && c == 'l') || (a == 'a' && b == 'n' && c == 's')
        || (a == 't' && b == 'h' && c == 'o') || (a == 'l' && b == 'e' && c == 't');
}

static void scan(const Tables *tables, const u8 *text, i64 size, u8 *plain, u32 *edges, u64 *grams, u32 *table, i64 *row, u32 *sketch,
                 u32 *letters, u8 *marks) {
    const u8 *end = text + size;
    u8 high = 0;
    for (i64 at = 0; at < size; at++) high |= text[at];
    i64 length = size;
    if (high < 0x80) plain_ascii(text, size, plain, letters + tables->latin, row);
    else length = plain_other(tables, text, size, plain, letters, row);
    memset(plain + length, 32, 80);
    find_marks(&tables->marks, plain, length, edges, marks);
    count_words(&tables->small, plain, length, edges, grams, table, row, sketch, marks);
    int languages = 0;
    for (i64 at = 0; at < tables->languages; at++) languages += marks[tables->language + at];
    if (languages > 1) row[FLAGS] |= OTHER_LANGUAGES | (has_strange_words(tables, text, end, ENOUGH) ? LOOK_LANGUAGE : 0);
    row[CHARS] = chars_of(text, end, row);
    if (may_loop(text, size, row[FLAGS])) row[FLAGS] |= LOOK_LOOP;
    if (may_count(text, end)) row[FLAGS] |= LOOK_COUNT;
    Answer answer = find_thoughts(tables, text, end, row);
    row[ANSWER_START] = chars_of(text, answer.start, row);
    find_answer(text, answer, end, row);
    strip(tables, &answer.start, &end);
    row[ANSWER_CHARS] = chars_of(answer.start, end, row);
    if (may_be_hollow(answer.start, end)) row[FLAGS] |= LOOK_HOLLOW;
    look_at_opening(tables, answer.start, end, row);
}

int rollscope_scan_version(void) { return VERSION; }

/* Text i is bytes starts[i] to starts[i + 1]. `rows` (COLUMNS each), `letters` (SCRIPTS) and `marks` (MARKS) are given as
 * zeros, `sketches` (PARTS) as ones. 0 where there is not enough memory. */
int rollscope_scan(const Tables *tables, const u8 *bytes, const i64 *starts, i64 count, i64 *rows, u32 *sketches, u32 *letters,
                   u8 *marks) {
    i64 longest = 0;
    for (i64 at = 0; at < count; at++)
        if (starts[at + 1] - starts[at] > longest) longest = starts[at + 1] - starts[at];
    u8 *plain = malloc((size_t)(2 * longest + 96));
    /* A word and its space are two bytes: see count_words. */
    u64 *grams = malloc((size_t)(longest + 1) * 8);
    u32 *table = malloc((size_t)4 << slot_bits(longest + 1));
    u32 *edges = malloc((size_t)(2 * longest + 4) * 4);
    int enough = plain && grams && table && edges;
    for (i64 at = 0; enough && at < count; at++)
        scan(tables, bytes + starts[at], starts[at + 1] - starts[at], plain, edges, grams, table, rows + at * COLUMNS,
             sketches + at * PARTS, letters + at * SCRIPTS, marks + at * MARKS);
    free(plain);
    free(grams);
    free(table);
    free(edges);
    return enough;
}

enum { MAYBE, LACKS, STANDS_ALONE };

static inline int in_word(u8 byte) { return is_letter(byte) || (u8)(byte - '0') < 10 || byte == '_'; }

/* Whether these digits stand in the text, commas among them (and {,}, as TeX has it) passed over, and as a number of their own. */
static int look_for_digits(const u8 *text, const u8 *end, const u8 *digits, i64 size) {
    int found = LACKS;
    for (const u8 *at = text; (at = memchr(at, digits[0], (size_t)(end - at))); at++) {
        const u8 *next = at + 1;
        i64 same = 1;
        for (; same < size; same++) {
            while (next < end && (*next == ',' || begins(next, end, "{,}", 3))) next += *next == ',' ? 1 : 3;
            if (next == end || *next++ != digits[same]) break;
        }
        if (same < size) continue;
        found = MAYBE;
        if (next - at > size) continue;
        u8 before = at > text ? at[-1] : ' ', after = next < end ? next[0] : ' ', last = next + 1 < end ? next[1] : ' ';
        if (before >= 0x80 || before == '.' || in_word(before) || after >= 0x80 || in_word(after)) continue;
        if (after != '.' || (last < 0x80 && (u8)(last - '0') >= 10)) return STANDS_ALONE;
    }
    return found;
}

/* Text i is looked at for the digits `wanted[i]` to `wanted[i + 1]`, if there are any, and for 9999: LACKS where it has
 * neither. */
void rollscope_find_digits(const u8 *bytes, const i64 *starts, i64 count, const u8 *digits, const i64 *wanted, u8 *found) {
    for (i64 at = 0; at < count; at++) {
        const u8 *text = bytes + starts[at], *end = bytes + starts[at + 1];
        i64 size = wanted[at + 1] - wanted[at];
        found[at] = size > 0 ? (u8)look_for_digits(text, end, digits + wanted[at], size) : MAYBE;
        if (found[at] == LACKS && look_for_digits(text, end, (const u8 *)"9999", 4) != LACKS) found[at] = MAYBE;
    }
}

/* `plain` is 1 of a text in Latin letters of ASCII, at least three, with no word of another language than English. */
void rollscope_plain_english(const Tables *tables, const u8 *bytes, const i64 *starts, i64 count, u8 *plain) {
    for (i64 at = 0; at < count; at++) {
        const u8 *text = bytes + starts[at], *end = bytes + starts[at + 1];
        i64 letters = 0, others = 0;
        int bytes;
        for (const u8 *sign = text; sign < end; sign += bytes) {
            others += (kind_of(tables, decode(sign, end, &bytes)) & (SCRIPT | LETTER)) && *sign >= 0x80;
            letters += is_letter(*sign);
        }
        plain[at] = letters > 2 && !others && end - text < PROMPT && !has_strange_words(tables, text, end, 1);
    }
}

/* Sketches, PARTS + 2 numbers each, as siblings.py has them: group i has those from starts[i] to starts[i + 1]. Of each the
 * greatest similarity to another one of its group, and how many are at least as `near` to it. */
void rollscope_compare_groups(const u32 *sketches, const i64 *starts, i64 groups, double near, double *best, i64 *neighbours) {
    for (i64 group = 0; group < groups; group++) {
        for (i64 row = starts[group]; row < starts[group + 1]; row++) {
            best[row] = -1;
            neighbours[row] = 0;
        }
        for (i64 row = starts[group]; row < starts[group + 1]; row++) {
            const u32 *one = sketches + row * (PARTS + 2);
            for (i64 next = row + 1; next < starts[group + 1]; next++) {
                const u32 *other = sketches + next * (PARTS + 2);
                int agree = 0, neither = 0;
                for (int part = 2; part < PARTS + 2; part++) {
                    agree += one[part] == other[part];
                    neither += (one[part] & other[part]) == 0xFFFFFFFFu;
                }
                /* Parts that both have not are equal, and say nothing. */
                double share = neither < PARTS ? (double)(agree - neither) / (PARTS - neither) : 0;
                if (one[0] == other[0] && one[1] == other[1]) share = 1;
                if (share > best[row]) best[row] = share;
                if (share > best[next]) best[next] = share;
                neighbours[row] += share >= near;
                neighbours[next] += share >= near;
            }
        }
    }
}
