/* Learns rows that it generates itself, then writes the saved model, and scores, to a file: the golden vectors.
 * tests/device/golden.py does the same in NumPy. */
#include "genreplay.h"

#ifndef N_ROWS
#error "N_ROWS: rows to learn"
#endif
#define N_SCORED 16

static gr_model model;
static uint32_t state = 12345;

static uint32_t hash(void) {
    uint32_t z = state += 0x9E3779B9u;
    z = (z ^ (z >> 16)) * 0x21F0AAADu;
    z = (z ^ (z >> 15)) * 0xD35A2D97u;
    return z ^ (z >> 15);
}

/* Four classes: every fourth byte has ones with a share of 3/4, the others of 1/8. */
static void next_row(uint8_t *row) {
    uint32_t class = hash() >> 30;
    for (uint32_t k = 0; k < GR_BYTES; k++) {
        uint32_t r = hash();
        row[k] = (uint8_t)(k % 4 == class ? r | r >> 8 : r & r >> 8 & r >> 16);
    }
#if GR_VISIBLE % 8
    row[GR_BYTES - 1] &= (1u << GR_VISIBLE % 8) - 1;
#endif
}

#if defined(__arm__) || defined(__riscv)
#define SEMIHOSTING
#include "semihosting.h"
static uintptr_t file;
static void put(void *where, size_t at, uint8_t byte) {
    static uint8_t buffer[64];
    static size_t n;
    (void)where;
    if (at != SIZE_MAX) buffer[n++] = byte;
    if (n == sizeof buffer || at == SIZE_MAX) {
        semihosting_write(file, buffer, n);
        n = 0;
    }
}
#else
#include <stdio.h>
static FILE *file;
static void put(void *where, size_t at, uint8_t byte) {
    (void)where;
    if (at != SIZE_MAX) putc(byte, file);
}
#endif

static uint8_t nothing(const void *where, size_t at) {
    (void)where;
    (void)at;
    return 0;
}

int main(void) {
    uint8_t row[GR_BYTES];
    gr_init(&model, 1);
    for (uint32_t t = 0; t < N_ROWS; t++) {
        next_row(row);
        gr_learn(&model, row);
    }
#ifdef SEMIHOSTING
    file = semihosting_create(OUT, sizeof OUT - 1);
#else
    file = fopen(OUT, "wb");
    if (!file) return 1;
#endif
    gr_save_with(&model, nothing, put, NULL);
    gr_stream s = {NULL, put, NULL, NULL, 0, 0};
    for (int k = 0; k < N_SCORED; k++) {
        gr_p p;
        gr_energy e;
        next_row(row);
        if (k % 4 == 3)
            for (int i = 0; i < GR_BYTES; i++) row[i] ^= 0x55;
#if GR_VISIBLE % 8
        row[GR_BYTES - 1] &= (1u << GR_VISIBLE % 8) - 1;
#endif
        e = gr_score(&model, row, &p);
        gr_numbers(&s, &e, 4, 1);
        gr_numbers(&s, &p, sizeof p, 1);
    }
    for (int k = 0; k < N_SCORED; k++) {
        gr_dream(&model, row);
        gr_numbers(&s, row, 1, GR_BYTES);
    }
#ifdef SEMIHOSTING
    put(NULL, SIZE_MAX, 0);
    semihosting_close(file);
#else
    fclose(file);
#endif
    return 0;
}
