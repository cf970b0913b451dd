/* Goes on from an exported model with rows that come from a file, and writes both slots of a save to another. */
#include "genreplay_model.h"
#include "rows.h"
#include "semihosting.h"

static gr_model model;
static uintptr_t file;

static uint8_t nothing(const void *from, size_t at) {
    (void)from;
    (void)at;
    return 0;
}
static void put(void *to, size_t at, uint8_t byte) {
    (void)to;
    (void)at;
    semihosting_write(file, &byte, 1);
}

int main(void) {
    if (!gr_load(&model, gr_exported, sizeof gr_exported)) {
        semihosting_print("the model cannot be loaded\n");
        return 1;
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) gr_learn(&model, rows[k]);
    file = semihosting_create("saved.bin", 9);
    gr_save_with(&model, nothing, put, NULL);
    semihosting_close(file);
    return 0;
}
