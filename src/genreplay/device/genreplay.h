/* genreplay.h: a Restricted Boltzmann Machine that learns on a microcontroller, and dreams its past.
 *
 * Online Contrastive Divergence with Generative Replay (Mocanu, Torres Vega, Eaton, Stone, Liotta, 2016), Algorithm 1.
 * C99, also C++; no heap, no libm. All state is in one struct that the caller owns. Set the sizes before the include:
 *
 *     #define GR_VISIBLE 64
 *     #define GR_HIDDEN 16
 *     #include "genreplay.h"
 *
 *     static gr_model model;
 *     gr_init(&model, 1);
 *     gr_learn(&model, row);                     // row: GR_BYTES packed bits; unit i is bit i % 8 of byte i / 8
 *     energy = gr_score(&model, row, &p);        // p: share of the usual rows that are at least as strange
 *
 * The same seed and rows give the same bits on every machine, in Python too (genreplay.device.reference): numbers are
 * added in a fixed order, the exponential is our own, and products and sums are never fused. Theta is one matrix of
 * GR_VISIBLE + 1 rows and GR_HIDDEN + 1 columns: the last row has the hidden biases b, as weights of a visible unit
 * that is always on; the last column has the visible biases a. So W v + b is a sum of rows.
 */
#ifndef GENREPLAY_H
#define GENREPLAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(GR_VISIBLE) || !defined(GR_HIDDEN)
#error "define GR_VISIBLE and GR_HIDDEN, the numbers of units, before the include"
#endif
#ifndef GR_INTEGER
#define GR_INTEGER 0 /* 1: 8-bit weights, no floating point */
#endif
#ifndef GR_BATCH
#define GR_BATCH 20 /* n_B, rows that make an update */
#endif
#ifndef GR_DREAMS
#define GR_DREAMS 60 /* n_Bhat, dreams learned beside them */
#endif
#ifndef GR_EPOCHS
#define GR_EPOCHS 1 /* n_E, steps an update; each has new dreams */
#endif
#ifndef GR_STEPS
#define GR_STEPS 1 /* n_CD, Gibbs steps of the negative phase */
#endif
#ifndef GR_GIBBS
#define GR_GIBBS 1 /* n_Gs, Gibbs steps of a dream */
#endif
#ifndef GR_CHAINS
#define GR_CHAINS 0 /* persistent chains for the negative phase; 0: it starts at the rows, as in the paper */
#endif
#ifndef GR_BASE_RATES
#define GR_BASE_RATES 0 /* 1: visible biases start at the log-odds of the first batch */
#endif
#ifndef GR_RATE
#define GR_RATE 0.05f /* alpha */
#endif
#ifndef GR_MOMENTUM
#define GR_MOMENTUM 0.9f /* rho; integers have none, and step 1 / (1 - rho) times as far */
#endif
#ifndef GR_DECAY
#define GR_DECAY 0.0002f /* xi */
#endif
#ifndef GR_SIGMA
#define GR_SIGMA 0.01f /* standard deviation of the first weights */
#endif
#ifndef GR_MEMORY
#define GR_MEMORY 1024 /* scores that p-values are taken from; the oldest are forgotten */
#endif

#define GR_BYTES ((GR_VISIBLE + 7) / 8)
#define GR_ROWS (GR_VISIBLE + 1)
#define GR_COLUMNS (GR_HIDDEN + 1)
#define GR_INTERVALS 32 /* of the scores */

typedef char gr_check_batch[(GR_BATCH) > 0 && (GR_BATCH) < 256 ? 1 : -1];
typedef char gr_check_units[(GR_VISIBLE) > 0 && (GR_VISIBLE) < 4096 && (GR_HIDDEN) > 0 && (GR_HIDDEN) < 256 ? 1 : -1];
typedef char gr_check_counts[(GR_EPOCHS) > 0 && (GR_STEPS) > 0 && (GR_GIBBS) > 0 ? 1 : -1];
typedef char gr_check_chains[(GR_CHAINS) >= 0 && (GR_CHAINS) < 256 && (GR_DREAMS) >= 0 && (GR_DREAMS) < 1024 ? 1 : -1];
typedef char gr_check_memory[(GR_MEMORY) >= 64 && (GR_MEMORY) <= 16384 ? 1 : -1];

#if GR_INTEGER
typedef int8_t gr_weight;     /* in sixteenths */
typedef int16_t gr_slope;     /* what is learned below a sixteenth, in 2^-15 */
typedef int16_t gr_input;     /* of a unit, in sixteenths */
typedef uint16_t gr_chance;   /* a probability in 2^-16 */
typedef uint16_t gr_activity; /* of a hidden unit, 0 to 256 */
typedef int32_t gr_energy;    /* in 2^-8 nats */
typedef uint16_t gr_p;        /* in 2^-16 */
#define GR_NATS(x) ((gr_energy)((x) * 256))
#define GR_P(x) ((gr_p)((x) * 65536))
#define GR_P_ONE 65535
#else
typedef float gr_weight, gr_slope, gr_input, gr_chance, gr_activity, gr_energy, gr_p;
#define GR_NATS(x) ((gr_energy)(x))
#define GR_P(x) ((gr_p)(x))
#define GR_P_ONE 1.0f
#endif

typedef struct {
    gr_weight theta[GR_ROWS][GR_COLUMNS]; /* W, a and b */
    gr_slope delta[GR_ROWS][GR_COLUMNS];  /* Delta Theta; during an update also the sum of the rows' statistics */
    gr_energy mean, spread;               /* of the scores; integers: 64 times as much */
    uint32_t random, updates, saves;
    uint16_t counts[GR_INTERVALS]; /* scores in each interval, a half spread wide, from 4 spreads below the mean on */
    uint16_t n_counted;
    uint8_t n_waiting;
    uint8_t batch[GR_BATCH][GR_BYTES];
#if GR_CHAINS
    uint8_t chains[GR_CHAINS][GR_BYTES];
#endif
} gr_model;

#if defined(__GNUC__) && !defined(__clang__)
#define GR_FUNCTION static __attribute__((unused))
#pragma GCC push_options
/* A fused product and sum would round once where all others round twice. Loops over a few bytes stay loops. And GCC 12
 * at -Os for a Cortex-M0 keeps a value in r1 over a call whose last pop overwrites r1, unless it is told not to. */
#pragma GCC optimize("fp-contract=off", "no-tree-loop-distribute-patterns", "no-ipa-ra")
#elif defined(__clang__)
#define GR_FUNCTION static __attribute__((unused))
#pragma STDC FP_CONTRACT OFF
#else
#define GR_FUNCTION static
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__thumb__) && !defined(__thumb2__)
/* For the same reason: a caller that is compiled otherwise must not know which registers these leave alone. */
#define GR_PUBLIC static __attribute__((unused, noipa))
#else
#define GR_PUBLIC GR_FUNCTION
#endif

/* Random numbers: a hash of a counter that runs through all 2^32 values. Any of them can be computed without those
 * before it, which makes a fast reference in NumPy possible. */
GR_FUNCTION uint32_t gr_random(gr_model *m) {
    uint32_t z = m->random += 0x9E3779B9u;
    z = (z ^ (z >> 16)) * 0x21F0AAADu;
    z = (z ^ (z >> 15)) * 0xD35A2D97u;
    return z ^ (z >> 15);
}

/* The sum of four bytes is close to normal, with a standard deviation of 147.8. */
GR_FUNCTION int32_t gr_bell(uint32_t r) {
    return (int32_t)((r & 255) + (r >> 8 & 255) + (r >> 16 & 255) + (r >> 24)) - 510;
}

GR_FUNCTION uint8_t gr_bit(const uint8_t *row, int i) { return (uint8_t)(row[i >> 3] >> (i & 7) & 1); }

/* Rows are a few bytes: memcpy and memset of a C library take more flash than all of these loops. */
GR_FUNCTION void gr_copy(uint8_t *to, const uint8_t *from) {
    for (int k = 0; k < GR_BYTES; k++) to[k] = from[k];
}

#if GR_INTEGER
/* ---- Numbers: integers ---------------------------------------------------------------------------------------- */

#define GR_FRACTION 11 /* bits of delta below one unit of theta */
#define GR_STEP_OF(n) ((int32_t)(GR_RATE / (1.0f - GR_MOMENTUM) * 32768.0f / (float)(n) + 0.5f))
#define GR_DECAY_STEP ((int32_t)(GR_RATE / (1.0f - GR_MOMENTUM) * GR_DECAY * 2048.0f * 256.0f + 0.5f))
typedef char gr_check_inputs[(GR_VISIBLE) <= 256 ? 1 : -1]; /* a sum of so many weights fits into 16 bits */

/* The sigmoid of 0, 1/16, ... 11 in 2^-16, and log(1 + exp(-x)) in 2^-8. */
static const uint16_t gr_sigmoids[177] = {
    32768, 33792, 34813, 35831, 36843, 37847, 38841, 39824, 40793, 41748, 42687, 43608, 44511, 45393, 46254, 47094,
    47911, 48704, 49474, 50220, 50941, 51638, 52310, 52957, 53581, 54179, 54754, 55306, 55834, 56339, 56822, 57284,
    57724, 58144, 58544, 58925, 59287, 59632, 59959, 60270, 60565, 60844, 61109, 61360, 61598, 61823, 62036, 62238,
    62428, 62608, 62778, 62938, 63090, 63233, 63368, 63495, 63615, 63728, 63835, 63935, 64030, 64119, 64203, 64283,
    64357, 64427, 64494, 64556, 64614, 64669, 64721, 64770, 64816, 64859, 64900, 64938, 64974, 65008, 65039, 65069,
    65097, 65124, 65149, 65172, 65194, 65215, 65234, 65252, 65269, 65285, 65300, 65315, 65328, 65341, 65352, 65364,
    65374, 65384, 65393, 65402, 65410, 65417, 65425, 65431, 65438, 65444, 65449, 65454, 65459, 65464, 65468, 65472,
    65476, 65480, 65483, 65486, 65489, 65492, 65495, 65497, 65500, 65502, 65504, 65506, 65508, 65509, 65511, 65513,
    65514, 65515, 65517, 65518, 65519, 65520, 65521, 65522, 65523, 65523, 65524, 65525, 65526, 65526, 65527, 65527,
    65528, 65528, 65529, 65529, 65530, 65530, 65530, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65533, 65533,
    65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535, 65535, 65535, 65535, 65535,
    65535,
};
static const uint8_t gr_softplus[177] = {
    177, 170, 162, 155, 147, 141, 134, 128, 121, 115, 110, 104, 99, 94, 89, 85, 80, 76, 72, 68, 64, 61, 58, 55, 52,
    49, 46, 43, 41, 39, 37, 34, 32, 31, 29, 27, 26, 24, 23, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 12, 11, 10, 10, 9,
    9, 8, 8, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0,
};

/* Rounds down; what >> does with a negative number is left open in C99. */
GR_FUNCTION int32_t gr_shift(int32_t x, int n) { return x < 0 ? ~(~x >> n) : x >> n; }

GR_FUNCTION int32_t gr_limit(int32_t x, int32_t most) { return x > most ? most : x < -most ? -most : x; }

GR_FUNCTION gr_chance gr_sigmoid(gr_input x) {
    int k = x < 0 ? -x : x;
    uint16_t s = gr_sigmoids[k > 176 ? 176 : k];
    return x < 0 ? (uint16_t)(65535u - s) : s;
}

GR_FUNCTION gr_activity gr_activity_of(gr_chance p) { return (gr_activity)(((uint32_t)p + 128) >> 8); }
GR_FUNCTION gr_activity gr_uniform(uint32_t r) { return (gr_activity)(r >> 24); }
GR_FUNCTION uint8_t gr_draw(gr_model *m, gr_chance p) { return (uint8_t)(gr_random(m) >> 16 < p); }
#define GR_ON 256

GR_FUNCTION gr_weight gr_first_weight(gr_model *m, gr_slope *delta) {
    /* GR_SIGMA in 2^-15 for each of the 147.8 */
    int32_t w = gr_bell(gr_random(m)) * (int32_t)(GR_SIGMA * (32768.0f * 256.0f / 147.8f)) / 256;
    int32_t high = gr_shift(w + (1 << (GR_FRACTION - 1)), GR_FRACTION);
    *delta = (gr_slope)(w - high * (1 << GR_FRACTION));
    return (gr_weight)high;
}

/* log(2 k + 1) - log(2 n - 2 k + 1) in sixteenths, which is log-odds with half a row added to both sides */
GR_FUNCTION int32_t gr_log(uint32_t k) {
    int32_t e = 0, f;
    while (k >> (e + 1)) e++;
    f = (int32_t)((k << 8 >> e) - 256);
    return (e * 256 + f + f * (256 - f) * 88 / 65536) * 177; /* log2 in 2^-8, times log(2) in 2^-8 */
}
GR_FUNCTION gr_weight gr_log_odds(uint32_t k, uint32_t n) {
    return (gr_weight)gr_limit(gr_shift(gr_log(2 * k + 1) - gr_log(2 * (n - k) + 1) + 2048, 12), 127);
}

/* The input of unit i from real hidden activities. */
GR_FUNCTION gr_input gr_input_of(const gr_model *m, int i, const gr_activity *h) {
    int32_t x = (int32_t)m->theta[i][GR_HIDDEN] * 256;
    for (int j = 0; j < GR_HIDDEN; j++) x += m->theta[i][j] * (int32_t)h[j];
    return (gr_input)gr_shift(x + 128, 8);
}

GR_FUNCTION void gr_add(gr_model *m, const uint8_t *row, const gr_chance *p, int32_t step) {
    gr_slope s[GR_COLUMNS];
    int32_t dither = (int32_t)(gr_random(m) >> 24); /* rounds at random: small steps are not lost */
    for (int j = 0; j < GR_HIDDEN; j++) s[j] = (gr_slope)gr_shift(gr_activity_of(p[j]) * step + dither, 8);
    s[GR_HIDDEN] = (gr_slope)step;
    for (int i = 0; i < GR_ROWS; i++) {
        if (i < GR_VISIBLE && !gr_bit(row, i)) continue;
        for (int j = 0; j < GR_COLUMNS; j++) m->delta[i][j] = (gr_slope)gr_limit(m->delta[i][j] + s[j], 32767);
    }
}

/* Decay before the rows of an epoch; delta holds what theta cannot. */
GR_FUNCTION void gr_begin(gr_model *m) {
    for (int i = 0; i < GR_ROWS; i++) {
        int32_t dither = (int32_t)(gr_random(m) >> 24);
        for (int j = 0; j < GR_COLUMNS; j++)
            m->delta[i][j] =
                (gr_slope)gr_limit(m->delta[i][j] - gr_shift(m->theta[i][j] * GR_DECAY_STEP + dither, 8), 32767);
    }
}

GR_FUNCTION void gr_end(gr_model *m) {
    m->delta[GR_VISIBLE][GR_HIDDEN] = 0;
    for (int i = 0; i < GR_ROWS; i++) {
        for (int j = 0; j < GR_COLUMNS; j++) {
            int32_t carry = gr_shift(m->delta[i][j] + (1 << (GR_FRACTION - 1)), GR_FRACTION);
            m->delta[i][j] = (gr_slope)(m->delta[i][j] - carry * (1 << GR_FRACTION));
            m->theta[i][j] = (gr_weight)gr_limit(m->theta[i][j] + carry, 127);
        }
    }
}

GR_FUNCTION gr_energy gr_energy_of(const gr_input *x) {
    gr_energy e = -(gr_energy)x[GR_HIDDEN] * 16;
    for (int j = 0; j < GR_HIDDEN; j++) {
        int k = x[j] < 0 ? -x[j] : x[j];
        e -= (x[j] > 0 ? (gr_energy)x[j] * 16 : 0) + gr_softplus[k > 176 ? 176 : k];
    }
    return gr_limit(e, 524287); /* 2,048 nats: no product of scores overflows */
}

GR_FUNCTION gr_energy gr_mean(const gr_model *m) { return gr_shift(m->mean, 6); }
GR_FUNCTION gr_energy gr_width(const gr_model *m) { return gr_shift(m->spread, 7) + 1; }

GR_FUNCTION void gr_follow(gr_model *m, gr_energy e) {
    gr_energy d = gr_limit(e - gr_mean(m), gr_shift(m->spread, 4)); /* strange rows count as 4 spreads away */
    m->mean += d;
    m->spread += (d < 0 ? -d : d) - gr_shift(m->spread, 6);
}
GR_FUNCTION void gr_first_score(gr_model *m, gr_energy e) {
    m->mean = e * 64;
    m->spread = 256L * 64;
}

GR_FUNCTION uint8_t gr_below(gr_energy x, gr_energy y) { return x < y; }
GR_FUNCTION gr_energy gr_difference(gr_energy x, gr_energy y) { return x - y; }

/* place: how far into its interval a score lies, in 2^-8 */
GR_FUNCTION gr_p gr_share(uint32_t above, uint32_t own, gr_energy into, gr_energy width, uint32_t n) {
    uint32_t place = into <= 0 ? 0 : into >= width ? 256 : (uint32_t)into * 256 / (uint32_t)width;
    uint32_t p = (above * 256 + own * (256 - place) + 128) * 256 / (n + 1);
    return (gr_p)(p > 65535 ? 65535 : p);
}
GR_FUNCTION gr_p gr_fall(gr_p p, uint32_t halves, gr_energy into, gr_energy width, uint32_t n, uint32_t sum) {
    uint32_t unit = (uint32_t)width / 16 + 1, place = into <= 0 ? 0 : (uint32_t)into / unit;
    uint32_t nats = (halves * 16 + 2 * (place > 1024 ? 1024 : place)) * 16 * n / sum; /* in 2^-8 */
    uint32_t twos = nats > 4096 ? 5920 : nats * 185 / 128, whole = twos >> 8, part = twos & 255;
    return (gr_p)((uint32_t)p * (512 - part) >> 9 >> whole); /* 2^-x is nearly a line between whole numbers */
}

#else
/* ---- Numbers: float32, with + and * of IEEE 754 alone --------------------------------------------------------- */

#include <float.h>
typedef char gr_check_float[sizeof(float) == 4 && FLT_MANT_DIG == 24 ? 1 : -1];
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "sums of floats are rounded to more than 32 bits here: compile with -msse2 -mfpmath=sse, or set GR_INTEGER to 1"
#endif
#define GR_STEP_OF(n) (GR_RATE / (float)(n))

GR_FUNCTION uint32_t gr_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
GR_FUNCTION float gr_float(uint32_t u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}
/* Differences are sums, and the compiler must not see it: without floating point in hardware, each would call a
 * function for differences, which takes 800 bytes beside that for sums. */
GR_FUNCTION float gr_negative(float x) {
    uint32_t u = gr_bits(x) ^ 0x80000000u;
#if defined(__GNUC__) && defined(__SOFTFP__)
    __asm__("" : "+r"(u));
#endif
    return gr_float(u);
}
GR_FUNCTION uint8_t gr_is_negative(float x) { return (uint8_t)(gr_bits(x) >> 31); }
GR_FUNCTION float gr_difference(float x, float y) { return x + gr_negative(y); }
GR_FUNCTION uint8_t gr_below(float x, float y) { return gr_is_negative(gr_difference(x, y)); }
GR_FUNCTION uint8_t gr_is_finite(float x) { return (gr_bits(x) & 0x7F800000u) != 0x7F800000u; }
/* An integer below 2^22 in size: a conversion would be a further function of the compiler's library. */
GR_FUNCTION float gr_whole(int32_t n) { return gr_difference(gr_float(0x4B400000u + (uint32_t)n), 12582912.0f); }

GR_FUNCTION float gr_polynomial(float x, const float *c, int n) {
    float y = c[0];
    for (int k = 1; k < n; k++) y = y * x + c[k];
    return y;
}

/* exp(-|x|): 2^n times a polynomial. Below exp(-80), exp(-80). */
GR_FUNCTION float gr_exp(float x) {
    static const float gr_exp2[6] = {0.00132647203f, 0.00967151299f, 0.0555073358f, 0.240222424f, 0.693147004f, 1.0f};
    uint32_t u = gr_bits(x) & 0x7FFFFFFFu;
    float y = gr_float((u > 0x42A00000u ? 0x42A00000u : u) | 0x80000000u) * 1.44269504f;
    float n = y + 12582912.0f; /* rounds to a whole number, in the low bits */
    float f = gr_difference(y, gr_difference(n, 12582912.0f));
    return gr_float(gr_bits(gr_polynomial(f, gr_exp2, 6)) + (gr_bits(n) << 23));
}

/* 1 / x for x > 0, by Newton's method on its mantissa */
GR_FUNCTION float gr_inverse(float x) {
    uint32_t exponent = gr_bits(x) & 0x7F800000u;
    float d = gr_float((gr_bits(x) & 0x007FFFFFu) | 0xBF800000u); /* minus the mantissa */
    float y = d * 0.470588235f + 1.41176471f;
    for (int k = 0; k < 3; k++) y = y + y * (d * y + 1.0f);
    return gr_float(gr_bits(y) + 0x3F800000u - exponent);
}

GR_FUNCTION float gr_sigmoid(float x) {
    float e = gr_exp(x), y = gr_inverse(1.0f + e);
    return gr_is_negative(x) ? e * y : y;
}

/* log(1 + e) for e from 0 to 1 */
GR_FUNCTION float gr_log1p(float e) {
    static const float gr_log1p_c[8] = {-0.00645245753f, 0.0360841376f, -0.0953223458f, 0.167648227f, -0.240731211f,
                                        0.331798452f, -0.499874079f, 0.999996425f};
    return e * gr_polynomial(e, gr_log1p_c, 8);
}

#define gr_activity_of(p) (p)
GR_FUNCTION float gr_uniform(uint32_t r) { return gr_difference(gr_float(r >> 9 | 0x3F800000u), 1.0f); }
GR_FUNCTION uint8_t gr_draw(gr_model *m, float p) {
    return (uint8_t)((gr_random(m) >> 9 | 0x3F800000u) < gr_bits(p + 1.0f));
}
#define GR_ON 1.0f

GR_FUNCTION float gr_first_weight(gr_model *m, gr_slope *delta) {
    *delta = 0.0f;
    return gr_whole(gr_bell(gr_random(m))) * (GR_SIGMA / 147.8f);
}

GR_FUNCTION float gr_log(uint32_t k) {
    float y = 0.0f;
    uint32_t e = 0;
    for (; k >> (e + 1); e++) y = y + 0.693147181f;
    return y + gr_log1p(gr_difference(gr_float((k << (23 - e) & 0x007FFFFFu) | 0x3F800000u), 1.0f));
}
GR_FUNCTION float gr_log_odds(uint32_t k, uint32_t n) {
    return gr_difference(gr_log(2 * k + 1), gr_log(2 * (n - k) + 1));
}

/* The input of unit i from real hidden activities. */
GR_FUNCTION gr_input gr_input_of(const gr_model *m, int i, const gr_activity *h) {
    float x = m->theta[i][GR_HIDDEN];
    for (int j = 0; j < GR_HIDDEN; j++)
        if (gr_bits(h[j]) == 0x3F800000u)
            x = x + m->theta[i][j];
        else if (gr_bits(h[j]))
            x = x + m->theta[i][j] * h[j];
    return x;
}

GR_FUNCTION void gr_add(gr_model *m, const uint8_t *row, const gr_chance *p, float step) {
    float s[GR_COLUMNS];
    for (int j = 0; j < GR_HIDDEN; j++) s[j] = p[j] * step;
    s[GR_HIDDEN] = step;
    for (int i = 0; i < GR_ROWS; i++) {
        if (i < GR_VISIBLE && !gr_bit(row, i)) continue;
        for (int j = 0; j < GR_COLUMNS; j++) m->delta[i][j] = m->delta[i][j] + s[j];
    }
}

/* Line 39 but for the statistics, which the rows add one after the other. */
GR_FUNCTION void gr_begin(gr_model *m) {
    float *d = m->delta[0];
    const float *w = m->theta[0];
    for (int k = 0; k < GR_ROWS * GR_COLUMNS; k++) d[k] = d[k] * GR_MOMENTUM + w[k] * (GR_RATE * -GR_DECAY);
}

/* Line 40. */
GR_FUNCTION void gr_end(gr_model *m) {
    float *w = m->theta[0];
    const float *d = m->delta[0];
    m->delta[GR_VISIBLE][GR_HIDDEN] = 0.0f;
    for (int k = 0; k < GR_ROWS * GR_COLUMNS; k++) w[k] = w[k] + d[k];
}

GR_FUNCTION gr_energy gr_energy_of(const gr_input *x) {
    float e = x[GR_HIDDEN];
    for (int j = 0; j < GR_HIDDEN; j++) {
        if (!gr_is_negative(x[j])) e = e + x[j];
        e = e + gr_log1p(gr_exp(x[j]));
    }
    return gr_negative(e);
}

#define gr_mean(m) ((m)->mean)
#define gr_width(m) ((m)->spread * 0.5f + 0.01f)

GR_FUNCTION void gr_follow(gr_model *m, gr_energy e) {
    float d = gr_difference(e, m->mean), most = m->spread * 4.0f, size = gr_float(gr_bits(d) & 0x7FFFFFFFu);
    if (gr_below(most, size)) {
        d = gr_is_negative(d) ? gr_negative(most) : most;
        size = most;
    }
    m->mean = m->mean + d * 0.015625f;
    m->spread = m->spread + gr_difference(size, m->spread) * 0.015625f;
}
GR_FUNCTION void gr_first_score(gr_model *m, gr_energy e) {
    m->mean = e;
    m->spread = 1.0f;
}

GR_FUNCTION gr_p gr_share(uint32_t above, uint32_t own, gr_energy into, gr_energy width, uint32_t n) {
    float place = into * gr_inverse(width);
    if (gr_is_negative(place)) place = 0.0f;
    if (gr_below(1.0f, place)) place = 1.0f;
    return (gr_difference(gr_whole((int32_t)(above + own)), gr_whole((int32_t)own) * place) + 0.5f) *
           gr_inverse(gr_whole((int32_t)n + 1));
}
GR_FUNCTION gr_p gr_fall(gr_p p, uint32_t halves, gr_energy into, gr_energy width, uint32_t n, uint32_t sum) {
    float place = into * gr_inverse(width);
    return p * gr_exp((gr_whole((int32_t)halves) + place + place) * gr_whole((int32_t)n) *
                      gr_inverse(gr_whole((int32_t)sum)));
}
#endif

/* ---- The model ------------------------------------------------------------------------------------------------ */

/* x = b + W v, and last a'v: the sum of the rows of the units that are on. */
GR_FUNCTION void gr_sum(const gr_model *m, const uint8_t *row, gr_input *x) {
    for (int j = 0; j < GR_COLUMNS; j++) x[j] = m->theta[GR_VISIBLE][j];
    for (int i = 0; i < GR_VISIBLE; i++)
        if (gr_bit(row, i))
            for (int j = 0; j < GR_COLUMNS; j++) x[j] = (gr_input)(x[j] + m->theta[i][j]);
}

/* P(h = 1 | v) = S(b + W v). */
GR_FUNCTION void gr_hidden(const gr_model *m, const uint8_t *row, gr_chance *p) {
    gr_input x[GR_COLUMNS];
    gr_sum(m, row, x);
    for (int j = 0; j < GR_HIDDEN; j++) p[j] = gr_sigmoid(x[j]);
}

/* v drawn from P(v = 1 | h) = S(a + W'h). */
GR_FUNCTION void gr_visible(gr_model *m, const gr_activity *h, uint8_t *row) {
    for (int i = 0; i < GR_VISIBLE; i++) {
        if (!(i & 7)) row[i >> 3] = 0;
        row[i >> 3] = (uint8_t)(row[i >> 3] | gr_draw(m, gr_sigmoid(gr_input_of(m, i, h))) << (i & 7));
    }
}

/* One Gibbs step from the hidden probabilities p: both layers are drawn. */
GR_FUNCTION void gr_gibbs(gr_model *m, const gr_chance *p, uint8_t *row) {
    gr_activity h[GR_HIDDEN];
    for (int j = 0; j < GR_HIDDEN; j++) h[j] = gr_draw(m, p[j]) ? (gr_activity)GR_ON : (gr_activity)0;
    gr_visible(m, h, row);
}

/* A row that the model generates (lines 14-22): from h ~ U(0, 1), GR_GIBBS steps. */
GR_PUBLIC void gr_dream(gr_model *m, uint8_t *row) {
    gr_activity h[GR_HIDDEN];
    for (int j = 0; j < GR_HIDDEN; j++) h[j] = gr_uniform(gr_random(m));
    gr_visible(m, h, row);
    for (int k = 1; k < GR_GIBBS; k++) {
        gr_chance p[GR_HIDDEN];
        gr_hidden(m, row, p);
        gr_gibbs(m, p, row);
    }
}

/* Lines 3-5. The same seed gives the same model. */
GR_PUBLIC void gr_init(gr_model *m, uint32_t seed) {
    for (size_t k = 0; k < sizeof *m; k++) ((uint8_t *)m)[k] = 0;
    m->random = seed;
    for (int i = 0; i < GR_ROWS; i++)
        for (int j = 0; j < GR_COLUMNS; j++)
            if (i < GR_VISIBLE || j < GR_HIDDEN) m->theta[i][j] = gr_first_weight(m, &m->delta[i][j]);
}

/* Adds the statistics of one row, lines 29-37: +v h of the row, and -v h of where its chain of GR_STEPS ends. */
GR_FUNCTION void gr_contrast(gr_model *m, const uint8_t *row, gr_slope step) {
    gr_chance p[GR_HIDDEN];
    gr_hidden(m, row, p);
    gr_add(m, row, p, step);
#if !GR_CHAINS
    uint8_t end[GR_BYTES];
    for (int k = 0; k < GR_STEPS; k++) {
        gr_gibbs(m, p, end);
        gr_hidden(m, end, p);
    }
    gr_add(m, end, p, (gr_slope)(step * -1));
#endif
}

#if GR_CHAINS
GR_FUNCTION void gr_move_chains(gr_model *m, gr_slope step) {
    for (int c = 0; c < GR_CHAINS; c++) {
        gr_chance p[GR_HIDDEN];
        gr_hidden(m, m->chains[c], p);
        for (int k = 0; k < GR_STEPS; k++) {
            gr_gibbs(m, p, m->chains[c]);
            gr_hidden(m, m->chains[c], p);
        }
        gr_add(m, m->chains[c], p, (gr_slope)(step * -1));
    }
}
#endif

GR_FUNCTION void gr_start(gr_model *m) {
#if GR_BASE_RATES
    for (int i = 0; i < GR_VISIBLE; i++) {
        uint32_t k = 0;
        for (int r = 0; r < GR_BATCH; r++) k += gr_bit(m->batch[r], i);
        m->theta[i][GR_HIDDEN] = gr_log_odds(k, GR_BATCH);
        m->delta[i][GR_HIDDEN] = 0;
    }
#endif
#if GR_CHAINS
    gr_activity h[GR_HIDDEN]; /* all off: the chains start as independent units with the visible biases */
    for (int j = 0; j < GR_HIDDEN; j++) h[j] = 0;
    for (int c = 0; c < GR_CHAINS; c++) gr_visible(m, h, m->chains[c]);
#endif
    (void)m;
}

/* Lines 11-46: one update from the batch. Dreams are learned as they come; none is kept. */
GR_FUNCTION void gr_update(gr_model *m) {
    int n_dreams = m->updates ? GR_DREAMS : 0;
    gr_slope step = (gr_slope)(m->updates ? GR_STEP_OF(GR_BATCH + GR_DREAMS) : GR_STEP_OF(GR_BATCH));
    if (!m->updates) gr_start(m);
    for (int epoch = 0; epoch < GR_EPOCHS; epoch++) {
        gr_begin(m);
        for (int r = 0; r < GR_BATCH + n_dreams; r++) {
            uint8_t row[GR_BYTES];
            if (r < GR_BATCH)
                gr_copy(row, m->batch[r]);
            else
                gr_dream(m, row);
            gr_contrast(m, row, step);
        }
#if GR_CHAINS
        gr_move_chains(m, (gr_slope)GR_STEP_OF(GR_CHAINS));
#endif
        gr_end(m);
    }
    m->updates++;
    m->n_waiting = 0;
}

/* ---- Scores ---------------------------------------------------------------------------------------------------- */

/* In which interval a score lies; how far into it goes to *into. */
GR_FUNCTION int gr_interval(const gr_model *m, gr_energy e, gr_energy *into) {
    gr_energy width = gr_width(m), edge = gr_mean(m) + width * -8;
    int k = 0;
    for (; k < GR_INTERVALS - 1 && !gr_below(e, edge + width); k++) edge = edge + width;
    *into = gr_difference(e, edge);
    return k;
}

/* A p-value from the running shares of the scores, as the detector in Python has it: each row is scored before it is
 * learned, and only counted. From the highest 1/32 of the scores on, p falls exponentially by their mean excess, to
 * which four scores with an excess of one spread are added. */
GR_FUNCTION gr_p gr_p_of(const gr_model *m, gr_energy e) {
    gr_energy into, width = gr_width(m);
    uint32_t n = m->n_counted, above = 0, tail = 0, excess = 0;
    int own = gr_interval(m, e, &into), first = GR_INTERVALS;
    while (first > 0 && tail + m->counts[first - 1] <= n / 32) {
        first--;
        excess += 2 * tail + m->counts[first];
        tail += m->counts[first];
    }
    if (own >= first)
        return gr_fall(gr_share(tail, 0, 0, width, n), 2 * (uint32_t)(own - first), into, width, tail + 4, excess + 16);
    for (int k = own + 1; k < GR_INTERVALS; k++) above += m->counts[k];
    return gr_share(above, m->counts[own], into, width, n);
}

/* Counts a score, among those that p-values are taken from. */
GR_PUBLIC void gr_count(gr_model *m, gr_energy e) {
    gr_energy into;
    if (!m->n_counted) gr_first_score(m, e);
    m->counts[gr_interval(m, e, &into)]++;
    gr_follow(m, e);
    if (++m->n_counted < GR_MEMORY) return;
    m->n_counted = 0;
    for (int k = 0; k < GR_INTERVALS; k++) { /* forget half, rounded at random: rare scores are not lost */
        m->counts[k] = (uint16_t)((m->counts[k] + (gr_random(m) >> 31)) >> 1);
        m->n_counted = (uint16_t)(m->n_counted + m->counts[k]);
    }
}

/* The free energy of a row, Eq. 2: high is strange. Into *p, unless it is NULL, how many of the usual rows score at
 * least as high; 1 before anything is learned. */
GR_PUBLIC gr_energy gr_score(const gr_model *m, const uint8_t *row, gr_p *p) {
    gr_input x[GR_COLUMNS];
    gr_energy e;
    gr_sum(m, row, x);
    e = gr_energy_of(x);
    if (p) *p = m->n_counted ? gr_p_of(m, e) : GR_P_ONE;
    return e;
}

/* Lines 7-10: learns a row. Returns 1 if it was the last of a batch, and the model was updated; else 0. */
GR_PUBLIC int gr_learn(gr_model *m, const uint8_t *row) {
    if (m->updates) gr_count(m, gr_score(m, row, NULL));
    gr_copy(m->batch[m->n_waiting++], row);
    if (m->n_waiting < GR_BATCH) return 0;
    gr_update(m);
    return 1;
}

/* ---- To bytes and back ----------------------------------------------------------------------------------------- */

/* A slot holds the whole model, little end first, and a CRC-32. There are two slots: gr_save overwrites the older one,
 * so that a power cut while it writes leaves the newer one whole. */
#define GR_HEADER 40
#define GR_SLOT                                                                                                   \
    (GR_HEADER + 16 + 2 * GR_INTERVALS + (size_t)GR_ROWS * GR_COLUMNS * (sizeof(gr_weight) + sizeof(gr_slope)) +  \
     (size_t)(GR_BATCH + GR_CHAINS) * GR_BYTES + 4)

typedef uint8_t (*gr_get)(const void *where, size_t at);      /* reads a byte of the memory that keeps the slots */
typedef void (*gr_put)(void *where, size_t at, uint8_t byte); /* writes one */

typedef struct {
    gr_get get; /* one of get and put is NULL */
    gr_put put;
    const void *from;
    void *to;
    size_t at;
    uint32_t crc;
} gr_stream;

GR_FUNCTION uint8_t gr_byte(gr_stream *s, uint8_t byte) {
    if (s->put)
        s->put(s->to, s->at, byte);
    else
        byte = s->get(s->from, s->at);
    s->at++;
    s->crc ^= byte;
    for (int k = 0; k < 8; k++) s->crc = s->crc >> 1 ^ (s->crc & 1 ? 0xEDB88320u : 0);
    return byte;
}

/* n numbers of 1, 2 or 4 bytes, to or from the stream. */
GR_FUNCTION void gr_numbers(gr_stream *s, void *data, size_t size, size_t n) {
    for (uint8_t *p = (uint8_t *)data; n; n--, p += size) {
        uint32_t u = 0;
        uint16_t half;
        memcpy(&half, p, size == 1 ? 1 : 2);
        if (size == 4)
            memcpy(&u, p, 4);
        else
            u = size == 2 ? half : *p;
        for (size_t k = 0; k < size; k++)
            u = (u & ~((uint32_t)255 << 8 * k)) | (uint32_t)gr_byte(s, (uint8_t)(u >> 8 * k)) << 8 * k;
        half = (uint16_t)u;
        if (size == 4)
            memcpy(p, &u, 4);
        else if (size == 2)
            memcpy(p, &half, 2);
        else
            *p = (uint8_t)u;
    }
}

/* Sizes, of which the first 10 bytes must agree, then settings that Python wants to know. */
static const uint8_t gr_sizes[16] = {'G', 'R', 'D', '1', GR_INTEGER, GR_HIDDEN, (GR_VISIBLE) & 255, (GR_VISIBLE) >> 8,
                                     GR_BATCH, GR_CHAINS, GR_BASE_RATES, GR_EPOCHS, GR_STEPS, GR_GIBBS,
                                     (GR_DREAMS) & 255, (GR_DREAMS) >> 8};

/* Everything of a slot but the checksum. Writing leaves the model as it is. */
GR_FUNCTION void gr_fields(gr_stream *s, gr_model *m) {
    uint8_t sizes[16];
    float settings[4] = {GR_RATE, GR_MOMENTUM, GR_DECAY, GR_SIGMA};
    uint32_t waiting = m->n_waiting;
    memcpy(sizes, gr_sizes, 16);
    gr_numbers(s, sizes, 1, 16);
    gr_numbers(s, settings, 4, 4);
    gr_numbers(s, &waiting, 4, 1);
    gr_numbers(s, &m->saves, 4, 1);
    gr_numbers(s, &m->random, 4, 1);
    gr_numbers(s, &m->updates, 4, 1);
    gr_numbers(s, &m->mean, 4, 1);
    gr_numbers(s, &m->spread, 4, 1);
    gr_numbers(s, m->counts, 2, GR_INTERVALS);
    gr_numbers(s, m->theta, sizeof(gr_weight), (size_t)GR_ROWS * GR_COLUMNS);
    gr_numbers(s, m->delta, sizeof(gr_slope), (size_t)GR_ROWS * GR_COLUMNS);
    gr_numbers(s, m->batch, 1, (size_t)GR_BATCH * GR_BYTES);
#if GR_CHAINS
    gr_numbers(s, m->chains, 1, (size_t)GR_CHAINS * GR_BYTES);
#endif
    m->n_waiting = (uint8_t)(waiting < GR_BATCH ? waiting : 255);
}

/* Whether what was read can be learned from: a checksum does not tell who wrote it. */
GR_FUNCTION int gr_is_sane(gr_model *m) {
    uint32_t n = 0;
    for (int k = 0; k < GR_INTERVALS; k++) n += m->counts[k];
    m->n_counted = (uint16_t)n;
    for (int i = 0; i < GR_ROWS; i++)
        for (int j = 0; j < GR_COLUMNS; j++)
#if GR_INTEGER
            if (m->theta[i][j] < -127 || m->delta[i][j] > 1024 || m->delta[i][j] < -1024) return 0;
    if (m->spread < 0 || m->spread > 33554432 || m->mean > 33554432 || m->mean < -33554432) return 0;
#else
            if (!gr_is_finite(m->theta[i][j]) || !gr_is_finite(m->delta[i][j])) return 0;
    if (!gr_is_finite(m->mean) || !gr_is_finite(m->spread) || gr_is_negative(m->spread)) return 0;
#endif
    return m->n_waiting < GR_BATCH && n < GR_MEMORY;
}

/* Whether slot k is whole and of such a model; its number goes to *saves. */
GR_FUNCTION int gr_is_whole(gr_get get, const void *from, size_t k, uint32_t *saves) {
    gr_stream s = {get, NULL, from, NULL, k * GR_SLOT, 0xFFFFFFFFu};
    int fits = 1;
    *saves = 0;
    for (size_t at = 0; at < GR_SLOT; at++) {
        uint8_t byte = gr_byte(&s, 0);
        if (at < 10 && byte != gr_sizes[at]) fits = 0;
        if (at >= 36 && at < 40) *saves |= (uint32_t)byte << 8 * (at - 36);
    }
    return fits && s.crc == 0xDEBB20E3u; /* what a CRC-32 leaves when it follows its own bytes */
}

/* Saves to the older of two slots, in any memory that get and put reach. */
GR_PUBLIC void gr_save_with(gr_model *m, gr_get get, gr_put put, void *where) {
    uint32_t first, second;
    int has_first = gr_is_whole(get, where, 0, &first), has_second = gr_is_whole(get, where, 1, &second);
    int to_second = has_first && (!has_second || second - first >= 0x80000000u);
    gr_stream s = {NULL, put, NULL, where, to_second ? GR_SLOT : 0, 0xFFFFFFFFu};
    uint32_t crc;
    m->saves = (to_second ? first : has_second ? second : 0) + 1;
    gr_fields(&s, m);
    crc = ~s.crc;
    gr_numbers(&s, &crc, 4, 1);
}

/* Loads the newest whole slot of n_slots, 1 or 2. Returns 0 if there is none: call gr_init then. */
GR_PUBLIC int gr_load_with(gr_model *m, gr_get get, const void *from, int n_slots) {
    uint32_t first = 0, second = 0;
    int has_first = n_slots > 0 && gr_is_whole(get, from, 0, &first);
    int has_second = n_slots > 1 && gr_is_whole(get, from, 1, &second);
    int newest = has_second && (!has_first || second - first < 0x80000000u);
    for (int k = 0; k < has_first + has_second; k++) {
        gr_stream s = {get, NULL, from, NULL, newest ^ k ? GR_SLOT : 0, 0xFFFFFFFFu};
        gr_fields(&s, m);
        if (gr_is_sane(m)) return 1;
    }
    return 0;
}

GR_FUNCTION uint8_t gr_get_byte(const void *from, size_t at) { return ((const uint8_t *)from)[at]; }
GR_FUNCTION void gr_put_byte(void *to, size_t at, uint8_t byte) { ((uint8_t *)to)[at] = byte; }

/* The same in a buffer of 2 * GR_SLOT bytes. gr_load also takes a single slot. */
GR_PUBLIC void gr_save(gr_model *m, uint8_t *slots) { gr_save_with(m, gr_get_byte, gr_put_byte, slots); }
GR_PUBLIC int gr_load(gr_model *m, const uint8_t *slots, size_t n_bytes) {
    return gr_load_with(m, gr_get_byte, slots, n_bytes >= 2 * GR_SLOT ? 2 : n_bytes >= GR_SLOT ? 1 : 0);
}

/* ---- Readings to bits ------------------------------------------------------------------------------------------ */

#ifdef GR_CHANNELS /* sensors */
#ifndef GR_WINDOW
#define GR_WINDOW 2 /* readings of each sensor in a row, the newest last */
#endif
#ifndef GR_CODES
#define GR_CODES 10 /* intervals of a number: all but 4 of equal width, and 2 beyond either end */
#endif
#ifndef GR_WARM_UP
#define GR_WARM_UP 500 /* windows that the ranges are learned from */
#endif
#define GR_FEATURES (2 * GR_WINDOW - 1) /* readings, and differences of neighbours */
#define GR_EXTREMES (GR_WARM_UP / 100 + 1)

typedef char gr_check_codes[(GR_CODES) > 4 && (GR_WINDOW) > 0 && (GR_CHANNELS) > 0 ? 1 : -1];
typedef char gr_check_row[(GR_CHANNELS) * GR_FEATURES * (GR_CODES) <= (GR_VISIBLE) ? 1 : -1];
typedef char gr_check_warm_up[(GR_WARM_UP) >= 100 && (GR_WARM_UP) < 10000 ? 1 : -1];

/* The usual range goes from the 1st to the 99th percentile of the warm-up. These are exact: the warm-up keeps the
 * lowest and the highest hundredth of what has come. */
typedef struct {
    int32_t lowest[GR_CHANNELS][2][GR_EXTREMES];  /* of readings, and of differences; the lowest first */
    int32_t highest[GR_CHANNELS][2][GR_EXTREMES]; /* the highest first */
    uint16_t n;                                   /* windows of the warm-up so far */
} gr_coder;

GR_PUBLIC void gr_coder_init(gr_coder *c) { memset(c, 0, sizeof *c); }

/* Keeps x if it is among the lowest of n values before it; sign = -1 for the highest. */
GR_FUNCTION void gr_keep(int32_t *kept, int32_t x, int sign, int n) {
    int k = n < GR_EXTREMES ? n : GR_EXTREMES;
    if (k == GR_EXTREMES && sign * x >= sign * kept[--k]) return;
    for (; k > 0 && sign * kept[k - 1] > sign * x; k--) kept[k] = kept[k - 1];
    kept[k] = x;
}

/* Learns ranges from a window. Returns 1 when the warm-up is over: gr_encode can be called. */
GR_PUBLIC int gr_warm_up(gr_coder *c, int16_t window[GR_CHANNELS][GR_WINDOW]) {
    if (c->n >= GR_WARM_UP) return 1;
    for (int k = 0; k < GR_CHANNELS; k++) {
        int32_t x = window[k][GR_WINDOW - 1], d = 0;
#if GR_WINDOW > 1
        d = x - window[k][GR_WINDOW - 2];
#endif
        gr_keep(c->lowest[k][0], x, 1, c->n);
        gr_keep(c->highest[k][0], x, -1, c->n);
        gr_keep(c->lowest[k][1], d, 1, c->n);
        gr_keep(c->highest[k][1], d, -1, c->n);
    }
    return ++c->n >= GR_WARM_UP;
}

/* The interval of x: 2 to GR_CODES - 3 are of equal width, 1 and GR_CODES - 2 up to a range away from them. */
GR_FUNCTION int gr_code(int32_t x, int32_t low, int32_t high) {
    int32_t width = high > low ? (high - low) / (GR_CODES - 4) + 1 : 1, range = width * (GR_CODES - 4);
    if (x < low) return low - x <= range;
    if (x - low >= range) return x - low < 2 * range ? GR_CODES - 2 : GR_CODES - 1;
    return 2 + (int)((x - low) / width);
}

/* Writes the bits of a window: one of GR_CODES for each reading, and for each difference. Returns 0 in the warm-up. */
GR_PUBLIC int gr_encode(const gr_coder *c, int16_t window[GR_CHANNELS][GR_WINDOW], uint8_t *row) {
    int unit = 0;
    memset(row, 0, GR_BYTES);
    if (c->n < GR_WARM_UP) return 0;
    for (int k = 0; k < GR_CHANNELS; k++) {
        for (int f = 0; f < GR_FEATURES; f++, unit += GR_CODES) {
            int is_difference = f >= GR_WINDOW, t = is_difference ? f - GR_WINDOW + 1 : f;
            int32_t x = window[k][t] - (is_difference ? (int32_t)window[k][t - 1] : 0);
            int on = unit + gr_code(x, c->lowest[k][is_difference][GR_EXTREMES - 1],
                                    c->highest[k][is_difference][GR_EXTREMES - 1]);
            row[on >> 3] = (uint8_t)(row[on >> 3] | 1u << (on & 7));
        }
    }
    return 1;
}

/* The ranges as bytes, with a checksum: save them once, when the warm-up is over. */
#define GR_CODER_BYTES (sizeof(int32_t) * 4 * GR_CHANNELS * GR_EXTREMES + 2 + 4)

GR_FUNCTION void gr_coder_fields(gr_stream *s, gr_coder *c) {
    gr_numbers(s, c->lowest, 4, 2 * GR_CHANNELS * GR_EXTREMES);
    gr_numbers(s, c->highest, 4, 2 * GR_CHANNELS * GR_EXTREMES);
    gr_numbers(s, &c->n, 2, 1);
}

GR_PUBLIC void gr_save_coder(gr_coder *c, uint8_t *bytes) {
    gr_stream s = {NULL, gr_put_byte, NULL, bytes, 0, 0xFFFFFFFFu};
    uint32_t crc;
    gr_coder_fields(&s, c);
    crc = ~s.crc;
    gr_numbers(&s, &crc, 4, 1);
}

/* Returns 0 if the bytes are not those of such a coder: call gr_coder_init then. */
GR_PUBLIC int gr_load_coder(gr_coder *c, const uint8_t *bytes) {
    gr_stream s = {gr_get_byte, NULL, bytes, NULL, 0, 0xFFFFFFFFu};
    uint32_t crc = 0;
    gr_coder_fields(&s, c);
    gr_numbers(&s, &crc, 4, 1);
    if (s.crc != 0xDEBB20E3u || c->n > GR_WARM_UP) return 0;
    for (int k = 0; k < GR_CHANNELS; k++)
        for (int d = 0; d < 2; d++)
            for (int e = 0; e < GR_EXTREMES; e++) { /* no sum of these overflows */
                int32_t low = c->lowest[k][d][e], high = c->highest[k][d][e];
                if (low < -65535 || low > 65535 || high < -65535 || high > 65535) return 0;
            }
    return 1;
}
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif /* GENREPLAY_H */
