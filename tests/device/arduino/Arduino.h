/* As much of Arduino as the sketch needs, to compile it without a board. */
#ifndef ARDUINO_H
#define ARDUINO_H
#include <stdint.h>
#define HIGH 1
#define LOW 0
#define OUTPUT 1
#define LED_BUILTIN 13
struct Serial_ {
    void begin(unsigned long) {}
    void print(const char *) {}
    void println(unsigned long) {}
};
static Serial_ Serial;
static inline void pinMode(int, int) {}
static inline void digitalWrite(int, int) {}
static inline void delay(unsigned long) {}
void setup();
void loop();
int main() {
    setup();
    for (uint16_t t = 0; t < 5000; t++) loop();
    return 0;
}
#endif
