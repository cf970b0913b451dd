/* Start-up for qemu's riscv32 machine "virt", and the functions of string.h that a freestanding compiler may call. */
#include "semihosting.h"
#include "string.h"

int main(void);
void start(void);

__attribute__((naked, section(".start"))) void start(void) {
    __asm__ volatile("la sp, _stack_top\n call run\n");
}
__attribute__((used)) static void run(void) __asm__("run");
static void run(void) {
    main();
    semihosting_exit();
    for (;;) {
    }
}

void *memcpy(void *to, const void *from, size_t n) {
    for (size_t k = 0; k < n; k++) ((volatile char *)to)[k] = ((const char *)from)[k];
    return to;
}
void *memset(void *to, int byte, size_t n) {
    for (size_t k = 0; k < n; k++) ((volatile char *)to)[k] = (char)byte;
    return to;
}
