#!/usr/bin/python3
"""Prints the declarations of gabion.h for ctypes: interface.py GABION_H >_interface.py

The installed header is the one source of the layouts that the Python module uses, so that the two cannot drift apart:
every enumeration, structure, callback and function of the header becomes a line of Python. The header is regular C
without nested declarations; whatever this script does not understand ends it with the text in question.
"""
import re
import sys

PLAIN = {"double": "c_double", "int": "c_int", "bool": "c_bool", "unsigned": "c_uint", "char": "c_char",
         "int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8", "uint16_t": "c_uint16",
         "uint64_t": "c_uint64", "size_t": "c_size_t", "void": "None"}
OPAQUE = {"gabion_world"}


class Unknown(Exception):
    """Text of the header that has no translation."""


def python_name(name):
    """gabion_step_report -> StepReport"""
    return "".join(part.capitalize() for part in name[len("gabion_"):].split("_"))


def words(enumerators):
    """Enumerators by the words that users write: GABION_METHOD_NSGS -> nsgs."""
    parts = [name.split("_") for name in enumerators if not name.endswith("_COUNT")]
    shared = 0
    while all(len(part) > shared + 1 and part[shared] == parts[0][shared] for part in parts):
        shared += 1
    return ["_".join(name.split("_")[shared:]).lower() for name in enumerators]


class Header:
    def __init__(self, text):
        text = re.sub(r"//.*", "", text)
        self.numbers = {name: int(value) for name, value in re.findall(r"^#define (GABION_\w+) +\(?(-?\d+)\)?\s*$", text, re.M)}
        self.version = re.search(r'^#define GABION_VERSION +"(.*)"', text, re.M).group(1)
        text = re.sub(r"^ *#(.*\\\n)*.*", "", text, flags=re.M)
        self.text = re.sub(r'extern "C" \{', "", text)
        self.enums = {name: self.enumerators(body) for name, body in
                      re.findall(r"\benum (gabion_\w+) \{(.*?)\};", self.text, re.S)}
        self.structs = dict(re.findall(r"\bstruct (gabion_\w+) \{(.*?)\}", self.text, re.S))
        self.callbacks = re.findall(r"typedef (\w+) \(\*(gabion_\w+)\)\((.*?)\);", self.text, re.S)
        self.functions = re.findall(r"GABION_API (.*?)\b(gabion_\w+)\((.*?)\);", self.text, re.S)

    def enumerators(self, body):
        value, found = 0, {}
        for entry in filter(None, (part.strip() for part in body.split(","))):
            name, _, given = (part.strip() for part in entry.partition("="))
            value = int(given) if given else value
            found[name] = value
            self.numbers[name] = value
            value += 1
        return found

    def base(self, words_):
        kind, _, name = words_.rpartition(" ")
        if kind in ("struct", "") and name in self.structs:
            return python_name(name)
        if kind == "struct" and name in OPAQUE:
            return "None"
        if kind == "enum" and name in self.enums:
            return "c_int"
        if kind == "" and name in PLAIN:
            return PLAIN[name]
        if name in [callback[1] for callback in self.callbacks]:
            return python_name(name)
        raise Unknown(words_)

    def type_of(self, declaration):
        """The type of `const double *radius` without its name and array bounds."""
        stars = declaration.count("*")
        name = self.base(" ".join(re.sub(r"\bconst\b|\*", " ", declaration).split()))
        if name == "None":
            return "c_void_p" if stars == 1 else "POINTER(c_void_p)" if stars else "None"
        if name == "c_char" and stars:
            name, stars = "c_char_p", stars - 1
        return "POINTER(" * stars + name + ")" * stars

    def argument(self, text):
        match = re.match(r"(.*?)(\w+)((?:\[\w*\])*)$", " ".join(text.split()))
        if not match or match.group(3):
            raise Unknown(text)
        return self.type_of(match.group(1).strip() or match.group(2))

    def arguments(self, text):
        return [] if text.split() == ["void"] else [self.argument(part) for part in text.split(",")]

    def members(self, body):
        """(name, type, enumeration) of each member."""
        for declaration in filter(None, (" ".join(part.split()) for part in body.split(";"))):
            first, *others = [part.strip() for part in declaration.split(",")]
            match = re.match(r"(.*?)(\*? ?)(\w+)((?:\[\w+\])?)$", first)
            if not match:
                raise Unknown(declaration)
            kind = match.group(1).strip()
            enum = re.match(r"enum (gabion_\w+)", kind)
            for text in [first[len(match.group(1)):].strip()] + others:
                part = re.match(r"(\*?) ?(\w+)(?:\[(\w+)\])?$", text)
                if not part:
                    raise Unknown(declaration)
                stars, name, bound = part.groups()
                type_ = self.type_of(kind + stars)
                if bound:
                    type_ += " * %d" % (int(bound) if bound.isdigit() else self.numbers[bound])
                yield name, type_, python_name(enum.group(1)) if enum and not stars else None


def print_enums(header):
    for name, values in header.enums.items():
        pairs = ", ".join("(%r, %d)" % (word, value) for word, value in zip(words(values), values.values())
                          if not word.endswith("count"))
        print("%s = IntEnum(%r, [%s], module=__name__)" % (python_name(name), python_name(name), pairs))


def print_struct(header, name, body):
    members = list(header.members(body))
    enums = ", ".join("%r: %s" % (member, enum) for member, _, enum in members if enum)
    print("\n\nclass %s(Structure):" % python_name(name))
    print('    """struct %s"""' % name)
    print("    _fields_ = [%s]" % ", ".join("(%r, %s)" % (member, type_) for member, type_, _ in members))
    print("    _enums_ = {%s}" % enums)


def in_order(header):
    """Structures after those that they hold."""
    left = dict(header.structs)
    while left:
        ready = [name for name, body in left.items()
                 if not any(re.search(r"\b%s\b[^*;]*;" % other, body) for other in left if other != name)]
        if not ready:
            raise Unknown(" ".join(left))
        for name in ready:
            yield name, left.pop(name)


def check_names(header):
    """Python has one space of names where C has two: an enumeration and a structure may clash there."""
    names = [python_name(name) for name in list(header.enums) + list(header.structs) + [row[1] for row in header.callbacks]]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise Unknown("two declarations named " + ", ".join(sorted(twice)))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = Header(file.read())
    check_names(header)
    print('"""Printed from gabion.h %s by io/python/interface.py: layouts and functions of the C interface."""' % header.version)
    print("from ctypes import (CFUNCTYPE, POINTER, Structure, %s, c_char_p, c_void_p)"
          % ", ".join(sorted(set(PLAIN.values()) - {"None"})))
    print("from enum import IntEnum\n")
    print("VERSION = %r" % header.version)
    print_enums(header)
    for name, body in in_order(header):
        print_struct(header, name, body)
    print("\n")
    for result, name, arguments in header.callbacks:
        print("%s = CFUNCTYPE(%s)" % (python_name(name), ", ".join([header.type_of(result)] + header.arguments(arguments))))
    print("\nFUNCTIONS = {")
    for result, name, arguments in header.functions:
        print("    %r: (%s, [%s])," % (name, header.type_of(result), ", ".join(header.arguments(arguments))))
    print("}\n\nSTRUCTS = {%s}" % ", ".join("%r: %s" % (name, python_name(name)) for name in header.structs))


if __name__ == "__main__":
    try:
        main()
    except Unknown as unknown:
        sys.exit("%s: cannot translate: %s" % (sys.argv[1], unknown))
