// Puts a file of the source tree into the program, byte by byte, so that the program needs no
// installed data and each text has one source.
#ifndef IO_FILE_EMBED_H
#define IO_FILE_EMBED_H

// Defines NAME, the bytes of the file at PATH (from the root of the repository) with a final NUL,
// and NAME_end, which points at that NUL. To be used outside of functions. The Makefile states
// which object files depend on which embedded files: the compiler does not report them.
#define EMBED_FILE(NAME, PATH)                                                                     \
    extern __attribute__((visibility("hidden"))) const char NAME[], NAME##_end[];                  \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 16\n" #NAME ":\n"                                                             \
            ".incbin \"" PATH "\"\n" #NAME "_end:\n"                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n")

#endif
