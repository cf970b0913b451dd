/* Learns ranges from the first windows of a file, encodes all of them, and writes the rows. */
#include <stdio.h>

#include "genreplay.h"

int main(void) {
    gr_coder coder;
    int16_t window[GR_CHANNELS][GR_WINDOW];
    uint8_t row[GR_BYTES];
    FILE *in = fopen("windows.bin", "rb"), *out = fopen(OUT, "wb");
    if (!in || !out) return 1;
    gr_coder_init(&coder);
    while (fread(window, sizeof window, 1, in) == 1) {
        if (!gr_warm_up(&coder, window) && gr_encode(&coder, window, row)) return 2;
        if (gr_encode(&coder, window, row)) fwrite(row, sizeof row, 1, out);
    }
    return fclose(in) || fclose(out);
}
