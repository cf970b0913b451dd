/* Learns ranges from the first windows of a file, encodes all of them, and writes the rows. */
#include <stdio.h>

#include "genreplay.h"

int main(void) {
    gr_coder coder;
    size_t at = 0;
    int16_t window[GR_CHANNELS][GR_WINDOW];
    uint8_t row[GR_BYTES];
    FILE *in = fopen("windows.bin", "rb"), *out = fopen(OUT, "wb");
    if (!in || !out) return 1;
    gr_coder_init(&coder);
    while (fread(window, sizeof window, 1, in) == 1) {
        if (!gr_warm_up(&coder, window) && gr_encode(&coder, window, row)) return 2;
        if (gr_encode(&coder, window, row)) fwrite(row, sizeof row, 1, out);
        uint8_t bytes[GR_CODER_BYTES]; /* a restart after every window changes nothing */
        gr_save_coder(&coder, bytes);
        bytes[at++ % sizeof bytes] ^= 1;
        if (gr_load_coder(&coder, bytes)) return 3;
        bytes[(at - 1) % sizeof bytes] ^= 1;
        if (!gr_load_coder(&coder, bytes)) return 4;
    }
    return fclose(in) || fclose(out);
}
