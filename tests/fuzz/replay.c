// Runs a fuzzer's function once for each file that is named, without libFuzzer: inputs that were
// found to crash are kept in tests/fuzz/found and must not do so again.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names) {
    static uint8_t bytes[1 << 20];
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&count, &names);
    for (int k = 1; k < count; k++) {
        FILE *stream = fopen(names[k], "rb");
        if (!stream) {
            fprintf(stderr, "cannot open %s\n", names[k]);
            return EXIT_FAILURE;
        }
        size_t size = fread(bytes, 1, sizeof bytes, stream);
        fclose(stream);
        fprintf(stderr, "%s\n", names[k]);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    printf("%d passed, 0 failed\n", count - 1);
    return EXIT_SUCCESS;
}
