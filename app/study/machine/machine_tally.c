/* Inner loops of the programs in machine_programs.c on a worker, as in equivalent C++ compiled without hints.
 *
 * This code is never executed; its instructions are counted (ipu/tally/tally.h). */
float dot(unsigned n, const float *restrict a, const float *restrict b);
float total(unsigned n, const float *restrict a);

float dot(unsigned n, const float *restrict a, const float *restrict b)
{
    float sum = 0;
    for (unsigned i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

float total(unsigned n, const float *restrict a)
{
    float sum = 0;
    for (unsigned i = 0; i < n; i++) sum += a[i];
    return sum;
}
