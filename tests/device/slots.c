/* Saves again and again, and cuts the power at every byte: what was saved before must come back. Then damaged bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "genreplay.h"

static gr_model model, before, loaded;
static uint8_t slots[2 * GR_SLOT], saved[2 * GR_SLOT];
static size_t power; /* bytes that can still be written */

static void put(void *to, size_t at, uint8_t byte) {
    if (power) {
        power--;
        ((uint8_t *)to)[at] = byte;
    }
}

static void learn(int n) {
    uint8_t row[GR_BYTES];
    for (int t = 0; t < n; t++) {
        gr_dream(&model, row);
        gr_learn(&model, row);
    }
}

static void expect(int is_true, const char *what, size_t at) {
    if (is_true) return;
    fprintf(stderr, "%s at byte %lu\n", what, (unsigned long)at);
    exit(1);
}

int main(void) {
    gr_init(&model, 1);
    expect(!gr_load(&loaded, slots, sizeof slots), "empty memory was loaded", 0);
    for (int round = 0; round < 3; round++) { /* the first slot, the second, and the first again */
        before = model;
        learn(GR_BATCH + 3);
        for (size_t cut = 0; cut < GR_SLOT; cut++) {
            gr_model copy = model;
            memcpy(saved, slots, sizeof slots);
            power = cut;
            gr_save_with(&copy, gr_get_byte, put, saved);
            int is_loaded = gr_load(&loaded, saved, sizeof saved);
            if (round == 0)
                expect(!is_loaded, "half a slot was loaded", cut);
            else
                expect(is_loaded && !memcmp(&loaded, &before, sizeof before), "the older slot was lost", cut);
        }
        gr_save(&model, slots);
        expect(gr_load(&loaded, slots, sizeof slots) && !memcmp(&loaded, &model, sizeof model), "not the newest", 0);
    }
    size_t newest = 0; /* the third save went into the first slot */
    for (size_t at = 0; at < GR_SLOT; at++) {
        memcpy(saved, slots, sizeof slots);
        saved[newest + at] ^= (uint8_t)(1u << at % 8);
        expect(gr_load(&loaded, saved, sizeof saved) && loaded.saves == 2, "a damaged slot was loaded", at);
        expect(!gr_load(&loaded, saved, GR_SLOT), "a damaged single slot was loaded", at);
    }
    for (size_t n = 0; n < GR_SLOT; n++) expect(!gr_load(&loaded, slots, n), "a part was loaded", n);
    model.saves = 0xFFFFFFFFu; /* the number of a save may run over */
    memset(slots, 0, sizeof slots);
    for (int k = 0; k < 3; k++) {
        gr_save(&model, slots);
        if (k == 0) { /* the first slot is the last before the overflow */
            uint32_t crc;
            gr_stream s = {NULL, gr_put_byte, NULL, slots, 0, 0xFFFFFFFFu};
            model.saves = 0xFFFFFFFFu;
            gr_fields(&s, &model);
            crc = ~s.crc;
            gr_numbers(&s, &crc, 4, 1);
        }
        learn(1);
    }
    expect(gr_load(&loaded, slots, sizeof slots) && loaded.saves == 1, "the number of saves ran over", 0);
    FILE *out = fopen(OUT, "wb");
    if (!out) return 1;
    fwrite(slots, sizeof slots, 1, out);
    return fclose(out);
}
