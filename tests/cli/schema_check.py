#!/usr/bin/python3
"""schema_check.py SCHEMA CASE...: which case files an editor would find mistakes in.

Prints a line for each file, "CASE: accepted" or "CASE: rejected: where: why". Numbers are those of YAML 1.2, which editors and
libfyaml read: PyYAML by itself takes 1e-3 for a text."""
import json
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """SafeLoader with YAML 1.2's core schema for numbers and booleans."""


NUMBER = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
WHOLE = re.compile(r"^[-+]?[0-9]+$")
Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), "tf")
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:int", WHOLE, list("-+0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", NUMBER, list("-+.0123456789"))
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        schema = json.load(stream)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as stream:
            case = yaml.load(stream, Loader)
        mistake = jsonschema.exceptions.best_match(validator.iter_errors(case))
        if mistake is None:
            print("%s: accepted" % path)
        else:
            print("%s: rejected: %s: %s" % (path, ".".join(map(str, mistake.absolute_path)), mistake.message[:120]))


if __name__ == "__main__":
    main()
