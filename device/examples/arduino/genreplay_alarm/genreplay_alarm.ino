// Learns what two sensors usually do, and raises an alarm when they do something else.
//
// Copy genreplay.h (from the Python package genreplay, or by `genreplay export`) and sensors.h beside this sketch. The
// sensors are made up: put analogRead or your library in place of read_sensors. An Uno has 2 kB of RAM, which is enough
// for 6 hidden units and short codes; boards with more can have 16 units, and 10 codes.
#define GR_INTEGER 1
#define GR_VISIBLE 36
#define GR_HIDDEN 6
#define GR_BATCH 10
#define GR_DREAMS 30
#define GR_BASE_RATES 1
#define GR_SIGMA 0.1f
#define GR_CHANNELS 2
#define GR_WINDOW 2
#define GR_CODES 6
#define GR_WARM_UP 200
#define GR_MEMORY 512
#include "genreplay.h"
#include "sensors.h"

static gr_model model;
static gr_coder coder;
static machine source = {1, 3000L * 16};
static int16_t window[GR_CHANNELS][GR_WINDOW];
static uint32_t t;

void setup() {
  Serial.begin(115200);
  pinMode(LED_BUILTIN, OUTPUT);
  gr_coder_init(&coder);
  gr_init(&model, 1);
}

void loop() {
  uint8_t row[GR_BYTES];
  gr_p p;
  for (int k = 0; k < GR_CHANNELS; k++) window[k][0] = window[k][1];
  read_sensors(&source, t, NO_FAULT, &window[0][1], &window[1][1]);
  if (t++ > 0 && gr_warm_up(&coder, window)) {
    gr_encode(&coder, window, row);
    gr_score(&model, row, &p);
    bool is_alarm = t > 2000 && p <= GR_P(0.0005);
    digitalWrite(LED_BUILTIN, is_alarm ? HIGH : LOW);
    if (is_alarm) {
      Serial.print("strange at reading ");
      Serial.println(t);
    } else {
      gr_learn(&model, row);
    }
  }
  delay(100);
}
