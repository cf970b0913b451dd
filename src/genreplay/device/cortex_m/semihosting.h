/* Semihosting: a program talks to the debugger, or to qemu, through a breakpoint. Cortex-M and RISC-V, no C library. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H
#include <stddef.h>
#include <stdint.h>

static inline uintptr_t semihosting_call(uintptr_t operation, const void *arguments) {
#ifdef __riscv
    register uintptr_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = arguments;
    __asm__ volatile(
        ".balign 16\n .option push\n .option norvc\n slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop"
        : "+r"(a0)
        : "r"(a1)
        : "memory");
    return a0;
#else
    register uintptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#endif
}

/* Writes a text to the console. */
static inline void semihosting_print(const char *text) { semihosting_call(0x04, text); }

/* Writes a number in decimal. */
static inline void semihosting_number(uint32_t n) {
    char text[11];
    int at = 10;
    text[at] = 0;
    do {
        text[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    semihosting_print(text + at);
}

static inline uintptr_t semihosting_create(const char *name, size_t length) {
    uintptr_t arguments[3] = {(uintptr_t)name, 5 /* wb */, length};
    return semihosting_call(0x01, arguments);
}
static inline void semihosting_write(uintptr_t file, const void *data, size_t n) {
    uintptr_t arguments[3] = {file, (uintptr_t)data, n};
    semihosting_call(0x05, arguments);
}
static inline void semihosting_close(uintptr_t file) { semihosting_call(0x02, &file); }

/* Ends the program, and qemu. */
static inline void semihosting_exit(void) { semihosting_call(0x18, (const void *)0x20026); }

#endif
