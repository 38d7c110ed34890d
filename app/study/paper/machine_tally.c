/* The inner loops of the programs in machine_programs.c as a worker runs them: C++ that says just this, compiled without a hint.
 *
 * Nothing runs this file: it is what their instructions are counted on (ipu/tally/tally.h). */
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
