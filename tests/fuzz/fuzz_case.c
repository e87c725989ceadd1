// libFuzzer: any bytes as a case. What is accepted must survive being written and read again, and
// must build a world or say why not.
//   clang-14 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_case.c build/libgabion.a
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/api/define.h"
#include "io/case/case.h"
#include "io/text/yaml.h"
#include "parallel/team.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7 forgets a buffer when it rejects some texts; the program ends soon after that.
const char *__lsan_default_suppressions(void) { return "leak:libfyaml\n"; }

static void build(const struct case_file *file) {
    struct gabion_error error = {0};
    struct team *team = team_create(1, NULL, &error);
    struct gabion_world *world = world_create(case_settings(file), team, &error);
    // Files named by the input must not be read, and generated bodies may fill any memory.
    bool small = !strstr(case_text(file), "generators:") && !strstr(case_text(file), "imports:");
    if (world && case_define_materials(file, world, &error) && small &&
        case_add_bodies(file, world, &error))
        case_add_actions(file, world, &error);
    gabion_destroy(world);
    team_destroy(team);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gabion_error error = {0};
    struct yaml_node *root = yaml_parse((const char *)data, size, "fuzz", &error);
    if (!root)
        return 0;
    yaml_free(root);
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    struct case_file *file = case_parse(text, "fuzz", NULL, 0, &error);
    free(text);
    if (!file)
        return 0;
    struct case_file *again = case_parse(case_text(file), "again", NULL, 0, &error);
    if (!again || strcmp(case_text(file), case_text(again)) != 0) {
        fprintf(stderr, "%s\n%s\n", error.text, case_text(file));
        abort();
    }
    build(file);
    case_free(again);
    case_free(file);
    return 0;
}
