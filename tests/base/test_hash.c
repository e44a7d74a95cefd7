/* test_hash.c - known answers of xxHash and SHA-256 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/hash.h"

struct sha_case {
    const char *text, *hex;
};

static void sha256_gives_the_answers_of_fips_180(void **state)
{
    (void)state;
    static const struct sha_case cases[] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char hex[65];
        sha256_hex(str_of(cases[i].text), hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

static void a_million_times_a_has_its_known_digest(void **state)
{
    (void)state;
    enum { MILLION = 1000000 };
    char *text = malloc(MILLION);
    assert_non_null(text);
    memset(text, 'a', MILLION);
    char hex[65];
    sha256_hex(str_n(text, MILLION), hex);
    assert_string_equal(
        hex,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

static void pieces_give_the_same_digest_as_the_whole(void **state)
{
    (void)state;
    unsigned char text[300], whole[32], parts[32];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (unsigned char)(i * 7);
    for (size_t len = 0; len <= sizeof(text); len++) {
        struct sha256 s;
        sha256_init(&s);
        sha256_add(&s, text, len);
        sha256_end(&s, whole);
        sha256_init(&s);
        for (size_t at = 0, n = 1; at < len; at += n, n = n % 70 + 1)
            sha256_add(&s, text + at, n < len - at ? n : len - at);
        sha256_end(&s, parts);
        assert_memory_equal(whole, parts, sizeof(whole));
    }
}

/* Stored checksums and random keys depend on these staying the same. */
static void xxhash_gives_its_published_answers(void **state)
{
    (void)state;
    assert_true(hash64(STR(""), 0) == UINT64_C(0x2D06800538D394C2));
    assert_true(hash32(STR(""), 0) == 0x02CC5D05);
    assert_true(hash32(STR("abc"), 0) == 0x32D153FF);
    assert_true(hash64((struct str){0}, 0) == hash64(STR(""), 0));
    assert_true(hash64(STR("abc"), 0) != hash64(STR("abc"), 1));
}

static void pieces_have_the_hash_of_the_whole(void **state)
{
    char text[3000];
    struct hash_pieces *h = hash_pieces_new();
    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 31);
    for (size_t each = 1; each < sizeof(text); each += 97) {
        for (size_t at = 0; at < sizeof(text); at += each) {
            size_t left = sizeof(text) - at;
            hash_pieces_add(h, str_n(text + at, left < each ? left : each));
        }
        assert_true(hash_pieces_end(h) == hash64(str_n(text, sizeof(text)), 0));
    }
    hash_pieces_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_answers_of_fips_180),
        cmocka_unit_test(a_million_times_a_has_its_known_digest),
        cmocka_unit_test(pieces_give_the_same_digest_as_the_whole),
        cmocka_unit_test(xxhash_gives_its_published_answers),
        cmocka_unit_test(pieces_have_the_hash_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
