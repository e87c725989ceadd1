"""Layouts of the Python module against the C compiler's: python_layout.py CC INCLUDE_DIR

Writes a C program that prints the size of every structure, the offset and size of every member and the value of every
enumerator that the module knows, compiles it with the installed header, and compares.
"""
import ctypes
import enum
import re
import shlex
import subprocess
import sys

from gabion import _interface


def python_side():
    for name, struct in _interface.STRUCTS.items():
        yield "struct %s" % name, ctypes.sizeof(struct)
        for member, _ in struct._fields_:
            field = getattr(struct, member)
            yield "%s.%s at" % (name, member), field.offset
            yield "%s.%s size" % (name, member), field.size
    for _, value in sorted(vars(_interface).items()):
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            for item in value:
                yield "%s.%s" % (value.__name__, item.name), item.value


def c_side(header):
    lines = ["#include <gabion.h>", "#include <stdio.h>", "int main(void) {"]
    for name, struct in _interface.STRUCTS.items():
        lines.append('printf("struct %s\\t%%zu\\n", sizeof(struct %s));' % (name, name))
        for member, _ in struct._fields_:
            lines.append('printf("%s.%s at\\t%%zu\\n", offsetof(struct %s, %s));' % (name, member, name, member))
            lines.append('printf("%s.%s size\\t%%zu\\n", sizeof(((struct %s *)0)->%s));' % (name, member, name, member))
    for name, body in re.findall(r"\benum (gabion_\w+) \{(.*?)\};", re.sub(r"//.*", "", header), re.S):
        shown = "".join(part.capitalize() for part in name.split("_")[1:])
        for item in getattr(_interface, shown):
            full = [word for word in re.findall(r"GABION_\w+", body) if word.lower().endswith("_" + item.name)]
            lines.append('printf("%s.%s\\t%%d\\n", (int)%s);' % (shown, item.name, min(full, key=len)))
    return "\n".join(lines + ["return 0; }", ""])


def main():
    compiler, include = sys.argv[1:]
    with open(include + "/gabion.h", encoding="utf-8") as file:
        header = file.read()
    with open("layout.c", "w", encoding="utf-8") as file:
        file.write(c_side(header))
    subprocess.run([*shlex.split(compiler), "-I" + include, "layout.c", "-o", "layout"], check=True)
    printed = subprocess.run(["./layout"], check=True, capture_output=True, text=True).stdout
    found = {key: int(value) for key, value in (line.split("\t") for line in printed.splitlines())}
    known = dict(python_side())
    wrong = sorted(key for key in set(found) | set(known) if found.get(key) != known.get(key))
    for key in wrong:
        print("%s: C %s, Python %s" % (key, found.get(key), known.get(key)))
    # Every declaration of the header is there.
    declared = set(re.findall(r"\bstruct (gabion_\w+) \{", header))
    functions = set(re.findall(r"\b(gabion_\w+)\(", re.sub(r"//.*", "", header))) - {"gabion_step_function"}
    missing = (declared - set(_interface.STRUCTS)) | (functions - set(_interface.FUNCTIONS))
    print("missing:", *sorted(missing))
    print("compared:", len(found))
    return bool(wrong or missing or len(found) < 300)


if __name__ == "__main__":
    sys.exit(main())
