#include <criterion/criterion.h>

#include "data/core/hash.h"

static void hash_of(const char *text, size_t piece, char out[MT_HASH_SIZE])
{
    mt_hash hash;
    const size_t n = strlen(text);
    cr_assert_eq(mt_hash_begin(&hash), MT_OK);
    for (size_t k = 0; k < n; k += piece) mt_hash_add(&hash, text + k, n - k < piece ? n - k : piece);
    mt_hash_end(&hash, out);
}

/* Test vector of the XXH3 specification for an empty input. */
Test(hash, the_hash_of_empty_input_equals_the_published_value)
{
    char found[MT_HASH_SIZE];
    hash_of("", 1, found);
    cr_assert_str_eq(found, "99aa06d3014798d86001c324468d497f");
}

Test(hash, the_hash_does_not_depend_on_the_splitting_of_the_input)
{
    static const char text[] = "a mesh of so many vertices and a fibre in each of its elements";
    char whole[MT_HASH_SIZE], pieces[MT_HASH_SIZE], other[MT_HASH_SIZE];
    hash_of(text, sizeof text, whole);
    for (size_t piece = 1; piece < sizeof text; piece++) {
        hash_of(text, piece, pieces);
        cr_assert_str_eq(pieces, whole, "in pieces of %zu bytes", piece);
    }
    hash_of(text + 1, sizeof text, other);
    cr_assert_str_neq(other, whole);
}

/* The five numbers that the Rosetta Code task "Pseudo-random numbers/Splitmix64" requires of this seed. */
Test(hash, the_pseudo_random_numbers_are_those_of_splitmix64)
{
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u};
    for (uint64_t i = 0; i < sizeof published / sizeof *published; i++)
        cr_assert_eq(mt_random_bits(1234567, i), published[i], "number %zu", (size_t)i);
}
