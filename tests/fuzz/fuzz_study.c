// libFuzzer: any bytes as a study. What is accepted must have a value of every variable at every
// point, and bisections that end.
//   clang-14 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_study.c build/libgabion.a
#define _GNU_SOURCE // memmem
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7 forgets a buffer when it rejects some texts; the program ends soon after that.
const char *__lsan_default_suppressions(void) { return "leak:libfyaml\n"; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gabion_error error = {0};
    if (memmem(data, size, "files", 5)) // patterns must not be looked for on this machine
        return 0;
    struct study *study = study_parse((const char *)data, size, "fuzz/study.yaml", &error);
    if (!study) {
        if (error.status == GABION_OK || error.text[0] == '\0')
            abort();
        return 0;
    }
    size_t last = study->point_count - 1;
    for (size_t v = 0; v < study->variable_count; v++)
        if (!study_value_at(study, v, 0)->label || !study_value_at(study, v, last)->text)
            abort();
    if (study->has_threshold && search_runs(&study->threshold) > SEARCH_VISITS_MAX)
        abort();
    study_free(study);
    return 0;
}
