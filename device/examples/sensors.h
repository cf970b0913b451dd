/* A made-up machine with two sensors: temperature in hundredths of a degree, and vibration. It runs, and it rests; when it
 * runs, it vibrates and gets warm. Replace read_sensors by your own. */
#ifndef SENSORS_H
#define SENSORS_H
#include <stdint.h>

enum fault { NO_FAULT, WORN_BEARING, HOT, DEAD_SENSOR, UNEXPECTED_MOTION, N_FAULTS };

typedef struct {
    uint32_t random;
    int32_t temperature; /* in 1/16 of a hundredth */
} machine;

static int32_t machine_noise(machine *m, int32_t size) {
    int32_t sum = 0;
    for (int k = 0; k < 4; k++) {
        m->random = m->random * 1664525u + 1013904223u;
        sum += (int32_t)(m->random >> 16) - 32768;
    }
    return sum / 16384 * size / 4;
}

/* The readings at time t. A cycle has 60 readings: the machine runs for 40 of them. */
static void read_sensors(machine *m, uint32_t t, enum fault fault, int16_t *temperature, int16_t *vibration) {
    int runs = t % 60 < 40;
    int32_t goal = (runs ? 4500 : 3000) * 16, shaking = runs ? 800 : 40;
    m->temperature += (goal - m->temperature) / 16;
    if (fault == WORN_BEARING && runs) shaking = 2500;
    if (fault == UNEXPECTED_MOTION && !runs) shaking = 800;
    *temperature = (int16_t)(m->temperature / 16 + machine_noise(m, 20) + (fault == HOT ? 3000 : 0));
    *vibration = (int16_t)(shaking + machine_noise(m, shaking / 8 + 5));
    if (fault == DEAD_SENSOR) *vibration = 0;
}
#endif
