/* A node that learns what its machine usually does, raises alarms, and survives a restart.
 *
 * For any Cortex-M, here with semihosting: `make run` builds it for a BBC micro:bit (Cortex-M0, 16 kB of RAM) and runs it
 * under qemu. */
#define GR_INTEGER 1 /* no floating point: 4 kB of RAM. Without this line: float32, 9 kB */
#define GR_VISIBLE 60
#define GR_HIDDEN 16
#define GR_EPOCHS 3
#define GR_BASE_RATES 1
#define GR_SIGMA 0.1f
#define GR_CHANNELS 2 /* temperature, vibration */
#define GR_WINDOW 2   /* the newest reading, and the one before it */
#define GR_CODES 10
#define GR_WARM_UP 300
#include "genreplay.h"
#include "semihosting.h"

#include "../sensors.h"

#define DOUBTFUL 0.02 /* p-value below which a reading is not learned any more: a fault must not become usual */
#define STRANGE 0.05  /* p-value of a strange reading */
#define N_STRANGE 6   /* strange ones of the last 16 readings that make an alarm */
#define N_READINGS 12000u
#define FIRST_FAULT 8000u

static gr_model model;
static gr_coder coder;
/* These stand for flash or an EEPROM; see gr_save_with for memories that are not mapped. */
static uint8_t memory[2 * GR_SLOT], ranges[GR_CODER_BYTES];

static enum fault fault_at(uint32_t t) { /* for 60 readings of every thousand */
    return t >= FIRST_FAULT && t % 1000 < 60 ? (enum fault)(1 + (t - FIRST_FAULT) / 1000 % 4) : NO_FAULT;
}

/* How many of the last 16 readings were strange. */
static int count(uint32_t history) {
    int n = 0;
    for (int k = 0; k < 16; k++) n += (int)(history >> k & 1);
    return n;
}

static void say(const char *what, uint32_t which, uint32_t t) {
    semihosting_print("reading ");
    semihosting_number(t);
    semihosting_print(", ");
    semihosting_print(what);
    semihosting_number(which);
    semihosting_print("\n");
}

int main(void) {
    machine source = {1, 3000 * 16};
    int16_t window[GR_CHANNELS][GR_WINDOW] = {{0, 0}, {0, 0}};
    uint32_t history = 0, n_alarms = 0, n_false = 0, found = 0;
    gr_coder_init(&coder);
    gr_init(&model, 1);
    for (uint32_t t = 0; t < N_READINGS; t++) {
        uint8_t row[GR_BYTES];
        gr_p p;
        gr_energy energy;
        for (int k = 0; k < GR_CHANNELS; k++) window[k][0] = window[k][1];
        read_sensors(&source, t, fault_at(t), &window[0][1], &window[1][1]);
        if (t == 0 || !gr_warm_up(&coder, window)) continue;
        gr_encode(&coder, window, row);
        energy = gr_score(&model, row, &p);
        history = history << 1 | (p <= GR_P(STRANGE));
        if (t < FIRST_FAULT / 2 || p > GR_P(DOUBTFUL))
            gr_learn(&model, row);
        else
            gr_count(&model, energy); /* not learned, but p-values know of it */
        if (t > FIRST_FAULT / 2 && count(history) >= N_STRANGE) {
            n_alarms++;
            if (!fault_at(t) && !fault_at(t - 16)) n_false++;
            if (fault_at(t) && !(found >> fault_at(t) & 1)) {
                found |= 1u << fault_at(t);
                say("alarm: ", fault_at(t), t);
            }
        }
        if (t % 1000 == 999) {
            gr_save(&model, memory);
            gr_save_coder(&coder, ranges); /* once would be enough: they no longer change */
        }
        if (t == 6000) { /* a restart */
            gr_init(&model, 99);
            gr_coder_init(&coder);
            if (!gr_load(&model, memory, sizeof memory) || !gr_load_coder(&coder, ranges))
                semihosting_print("nothing could be loaded\n");
            say("restarted, and loaded the model: ", model.updates, t);
        }
    }
    semihosting_print("readings with an alarm: ");
    semihosting_number(n_alarms);
    semihosting_print(", without a fault: ");
    semihosting_number(n_false);
    semihosting_print("\n");
    return 0;
}
