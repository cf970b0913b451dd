/* What a model costs on a core: bytes of stack, and instructions of an update and of a score.
 *
 * Compiled with EMPTY, it is the same program without a model: the difference of both is what a model adds.
 * Run it with qemu -icount shift=0: each instruction then takes 1 ns of virtual time, which SysTick measures. */
#include "semihosting.h"
#ifndef EMPTY
#include "genreplay.h"
static gr_model model;
#endif

#define SYSTICK ((volatile uint32_t *)0xE000E010u)
static volatile uint32_t n_wraps;
void systick_handler(void);
void systick_handler(void) { n_wraps++; }

static void start(void) {
    n_wraps = 0;
    SYSTICK[0] = 0;
    SYSTICK[1] = 0xFFFFFFu;
    SYSTICK[2] = 0;
    SYSTICK[0] = 7;
}

/* In hexadecimal: a division would add a function of the compiler's library to both programs. */
static void print(uint32_t n) {
    char text[10] = "00000000 ";
    for (int k = 0; k < 8; k++) text[k] = "0123456789abcdef"[n >> (28 - 4 * k) & 15];
    semihosting_print(text);
}

/* Prints how many times the counter wrapped, and its ticks since. */
static void stop(const char *what) {
    uint32_t ticks = 0xFFFFFFu - SYSTICK[2];
    SYSTICK[0] = 0;
    semihosting_print(what);
    print(n_wraps);
    print(ticks);
    semihosting_print("\n");
}

extern uint8_t _bss_end;
static volatile uint8_t *painted_to;

/* Everything below the stack pointer gets a known value. */
static void paint(void) {
    volatile uint8_t *here = (volatile uint8_t *)__builtin_frame_address(0) - 64;
    painted_to = here;
    for (volatile uint8_t *p = &_bss_end; p < here; p++) *p = 0xA5;
}
static uint32_t deepest(void) {
    volatile uint8_t *p = &_bss_end;
    while (p < painted_to && *p == 0xA5) p++;
    return (uint32_t)(painted_to - p);
}

#ifndef EMPTY
static void new_row(uint8_t *row, uint32_t seed) {
    for (int k = 0; k < GR_BYTES; k++) {
        seed = seed * 1664525u + 1013904223u;
        row[k] = (uint8_t)(seed >> 24 & seed >> 16);
    }
}
static __attribute__((noinline)) void learn(const uint8_t *row) { gr_learn(&model, row); }
static __attribute__((noinline)) void score(const uint8_t *row) {
    gr_p p;
    gr_score(&model, row, &p);
    __asm__ volatile("" ::"r"(&p) : "memory"); /* as if p were used */
}
#endif

int main(void) {
    paint();
#ifndef EMPTY
    uint8_t row[GR_BYTES];
    gr_init(&model, 1);
    for (uint32_t t = 0; t < 3u * GR_BATCH - 1; t++) {
        new_row(row, t);
        learn(row);
    }
    start();
    learn(row); /* the third update */
    stop("update ");
    new_row(row, 7);
    start();
    score(row);
    stop("score ");
#else
    start();
    stop("update ");
    start();
    stop("score ");
#endif
    semihosting_print("stack ");
    print(deepest());
    semihosting_print("\n");
    return 0;
}
