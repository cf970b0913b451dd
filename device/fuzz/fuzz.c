/* Fuzzing of what takes bytes from outside: gr_load, gr_warm_up and gr_encode. libFuzzer with sanitizers.
 *
 * The first byte chooses. A checksum would stop nearly every input at the door, so it is mended for half of them: what
 * is behind it is then loaded, and must be refused or be safe to learn and to score with. */
#include <stdlib.h>

#define GR_VISIBLE 20
#define GR_HIDDEN 5
#define GR_BATCH 4
#define GR_DREAMS 3
#define GR_CHANNELS 2
#define GR_WINDOW 1
#define GR_CODES 10
#define GR_WARM_UP 100
#ifndef GR_CHAINS
#define GR_CHAINS 0
#endif
#include "genreplay.h"

static void mend(uint8_t *slot) {
    memcpy(slot, gr_sizes, 10);
    gr_stream s = {gr_get_byte, NULL, slot, NULL, 0, 0xFFFFFFFFu};
    uint32_t crc;
    for (size_t at = 0; at < GR_SLOT - 4; at++) gr_byte(&s, 0);
    crc = ~s.crc;
    for (int k = 0; k < 4; k++) slot[GR_SLOT - 4 + (size_t)k] = (uint8_t)(crc >> 8 * k);
}

static void load(const uint8_t *data, size_t n, int is_mended) {
    gr_model model;
    size_t n_bytes = is_mended && n < GR_SLOT ? GR_SLOT : n; /* what is missing of a slot is 0 */
    uint8_t *bytes = (uint8_t *)calloc(n_bytes ? n_bytes : 1, 1), row[GR_BYTES] = {0x12, 0x34, 0x05};
    memcpy(bytes, data, n);
    n = n_bytes;
    if (is_mended) mend(bytes);
    if (is_mended && n >= 2 * GR_SLOT) mend(bytes + GR_SLOT);
    memset(&model, 0xEE, sizeof model);
    if (gr_load(&model, bytes, n)) {
        gr_p p;
        uint8_t slots[2 * GR_SLOT] = {0};
        gr_model again;
        gr_save(&model, slots);
        if (!gr_load(&again, slots, sizeof slots) || again.updates != model.updates) abort();
        for (int t = 0; t < 2 * GR_BATCH; t++) {
            gr_score(&model, row, &p);
            gr_learn(&model, row);
            gr_dream(&model, row);
        }
    }
    free(bytes);
}

static void encode(const uint8_t *data, size_t n) {
    gr_coder coder;
    int16_t window[GR_CHANNELS][GR_WINDOW];
    gr_coder_init(&coder);
    if (n >= GR_CODER_BYTES && data[0] % 2) { /* ranges from outside, with the right checksum */
        uint8_t bytes[GR_CODER_BYTES];
        gr_stream s = {gr_get_byte, NULL, bytes, NULL, 0, 0xFFFFFFFFu};
        uint32_t crc;
        memcpy(bytes, data, sizeof bytes);
        for (size_t at = 0; at < sizeof bytes - 4; at++) gr_byte(&s, 0);
        crc = ~s.crc;
        for (int k = 0; k < 4; k++) bytes[sizeof bytes - 4 + (size_t)k] = (uint8_t)(crc >> 8 * k);
        if (!gr_load_coder(&coder, bytes)) gr_coder_init(&coder);
    }
    for (size_t at = 0; at + sizeof window <= n || at < 110 * sizeof window; at += sizeof window) {
        uint8_t row[GR_BYTES];
        int n_on = 0, is_ready;
        if (at + sizeof window <= n) memcpy(window, data + at, sizeof window);
        is_ready = gr_warm_up(&coder, window);
        if (gr_encode(&coder, window, row) != is_ready) abort();
        for (int i = 0; i < GR_BYTES * 8; i++) n_on += gr_bit(row, i);
        if (n_on != (is_ready ? GR_CHANNELS * GR_FEATURES : 0)) abort(); /* one bit for each number */
        if (n < sizeof window) break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (!n) return 0;
    if (data[0] % 3 == 2)
        encode(data + 1, n - 1);
    else
        load(data + 1, n - 1, data[0] % 3);
    return 0;
}
