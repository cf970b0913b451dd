/* Start-up of a generic Cortex-M: the vector table, memory set up, then main. 64 vectors, so that it fits any core. */
#include <stdint.h>

#include "semihosting.h"

extern uint32_t _data_load, _data_start, _data_end, _bss_start, _bss_end, _stack_top;
int main(void);
void reset_handler(void);
void default_handler(void);
void systick_handler(void) __attribute__((weak, alias("default_handler")));

void reset_handler(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* CPACR: switch the floating-point unit on */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    const uint32_t *from = &_data_load;
    for (uint32_t *to = &_data_start; to < &_data_end;) *to++ = *from++;
    for (uint32_t *to = &_bss_start; to < &_bss_end;) *to++ = 0;
    main();
    semihosting_exit();
    for (;;) {
    }
}

void default_handler(void) {
    semihosting_exit();
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[64] = {
    (uintptr_t)&_stack_top,      (uintptr_t)reset_handler,    (uintptr_t)default_handler, (uintptr_t)default_handler,
    (uintptr_t)default_handler,  (uintptr_t)default_handler,  (uintptr_t)default_handler, 0,
    0,                           0,                           0,                          (uintptr_t)default_handler,
    (uintptr_t)default_handler,  0,                           (uintptr_t)default_handler, (uintptr_t)systick_handler,
};
