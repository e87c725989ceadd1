#!/usr/bin/python3
"""Runs every command of the manual: commands.py [--long] [PAGE.md ...]   (default: README.md and docs/*.md)

The shell blocks of a page (fenced as sh, or indented and beginning with a command) run in order in one shell, in a
folder like the tree, whose `build` is that of GABION. Each command must succeed. So that this takes seconds, runs are cut: `gabion run`
and `resume` make at most GABION_DOC_STEPS steps (3; with --long 100), and of `make` only `make install` is done, of the
other targets it is checked that they exist. A comment before a block says what differs:

    <!-- docs: skip REASON -->      the block does not run
    <!-- docs: long REASON -->      it runs with --long alone
    <!-- docs: whole -->            with --long it runs as written, with all steps
    <!-- docs: fails -->            the last command must fail
    <!-- docs: file NAME -->        the next block, of whatever language, is written to a file
    <!-- docs: append NAME -->      or added to one

Code between backquotes that begins with `gabion VERB` or `make TARGET` is checked: verb, options and target exist. A key that is said to be in the summary is one of docs/output-files.md.
GABION is the program (default build/gabion). Ends with "N passed, M failed".
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GABION = os.path.abspath(os.environ.get("GABION", ROOT + "/build/gabion"))
COMMANDS = re.compile(r"(build/|gabion |make |cc |export |pvpython |python3 |\./|tests/|\.ci/|cp |mkdir |gdb |sudo )")
MARK = re.compile(r"<!-- docs: (skip|long|whole|fails|file|append) ?(.*?) *-->")
FAILED = 77  # exit status of the shell after a command that failed

# What the shell of a page begins with. `gabion` and `make` are stand-ins that cut what is long.
PRELUDE = r"""
gabion() {
    local steps=$DOC_STEPS arguments=() given=
    while [ $# -gt 0 ]; do
        case $1 in
        --steps) [ -n "$DOC_WHOLE" ] || [ "$2" -le "$steps" ] || set -- --steps "$steps" "${@:3}"
            arguments+=("$1" "$2"); given=1; shift ;;
        --until) [ -z "$DOC_WHOLE" ] || { arguments+=("$1" "$2"); given=1; }; shift ;;
        *) arguments+=("$1") ;;
        esac
        shift
    done
    case ${arguments[0]} in
    run | resume) [ -n "$given$DOC_WHOLE" ] || arguments+=(--steps "$steps")
        [[ " ${arguments[*]} " == *" -j "* ]] || arguments+=(-j 1) ;;
    esac
    command "$DOC_GABION" "${arguments[@]}"
}
build/gabion() { gabion "$@"; }
python3() { command "${PYTHON:-/usr/bin/python3}" "$@"; }
make() {
    local word
    for word in "$@"; do
        case $word in
        install) command make -C "$DOC_ROOT" --no-print-directory BUILD="$DOC_BUILD" "$@"; return ;;
        -* | *=*) ;;
        *) grep -qE "^$word:|^[a-z -]* $word( [a-z -]*)?:|^\.PHONY:.* $word( |$)|^    .* $word( |$)" "$DOC_ROOT/Makefile" ||
            { echo "the Makefile has no target $word"; return 2; } ;;
        esac
    done
}
"""


class Page:
    """The pieces of a page, in order: (line, kind, argument, lines of the block)."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")

    def blocks(self):
        """(line, language, lines, marks) of each block."""
        at, marks = 0, []
        while at < len(self.lines):
            line = self.lines[at]
            fence = re.match(r"```(\w*)", line)
            mark = MARK.match(line.strip())
            if mark:
                marks.append(mark.groups())
            if fence:
                end = at + 1
                while not self.lines[end].startswith("```"):
                    end += 1
                yield at + 1, fence.group(1), self.lines[at + 1:end], marks
                at, marks = end + 1, []
                continue
            if line.startswith("    ") and at > 0 and not self.lines[at - 1].strip():
                end = at
                while end < len(self.lines) and self.lines[end].startswith("    "):
                    end += 1
                yield at + 1, "", [text[4:] for text in self.lines[at:end]], marks
                at, marks = end, []
                continue
            if line.strip() and not mark:
                marks = []
            at += 1

    def inline(self):
        """Code between backquotes outside of blocks, with its line."""
        inside = set()
        for first, _, lines, _ in self.blocks():
            inside |= set(range(first, first + len(lines) + 2))
        text = "\n".join("" if number in inside else line for number, line in enumerate(self.lines, 1))
        for code in re.finditer(r"`([^`]+)`", text):
            yield text.count("\n", 0, code.start()) + 1, " ".join(code.group(1).split())


def is_shell(language, lines):
    return language in ("sh", "bash", "shell") or (language == "" and lines and COMMANDS.match(lines[0]) is not None)


def split_commands(lines):
    """Commands with their continuation lines and the lines of a loop, and their place in the block."""
    command, first, loops = "", 0, 0
    for number, line in enumerate(lines):
        command, first = (command + "\n" + line, first) if command else (line, number)
        loops += line.endswith("; do") - line.startswith("done")
        if not line.endswith("\\") and loops == 0:
            if command.strip() and not command.strip().startswith("#"):
                yield first, command
            command = ""


def script_of(page, long_):
    """The shell script of a page; each command is announced on descriptor 3."""
    script, notes = [PRELUDE], []
    for line, language, lines, marks in page.blocks():
        marked = dict(marks)
        for kind in ("file", "append"):
            if kind in marked:
                script.append("cat %s %s <<'END_OF_BLOCK'\n%s\nEND_OF_BLOCK"
                              % (">" if kind == "file" else ">>", marked[kind], "\n".join(lines)))
        if "file" in marked or "append" in marked or not is_shell(language, lines):
            continue
        if "skip" in marked or ("long" in marked and not long_):
            reason = marked.get("skip") or marked.get("long")
            notes.append((line, reason))
            continue
        script.append("DOC_WHOLE=%s" % ("1" if long_ and "whole" in marked else ""))
        commands = list(split_commands(lines))
        for number, (offset, command) in enumerate(commands):
            fails = "fails" in marked and number == len(commands) - 1
            script.append("echo %d >&3" % (line + offset + (language != "")))
            script.append(("! { %s\n}" if fails else "{ %s\n}") % command + " </dev/null || exit %d" % FAILED)
    return "\n".join(script), notes


def run_page(page, folder, build, long_):
    """Returns the number of commands that passed, and a text about one that failed."""
    script, notes = script_of(page, long_)
    for line, reason in notes:
        if not reason:
            return 0, "%s:%d: a block that does not run needs a reason" % (page.path, line)
    environment = dict(os.environ, HOME=folder, DOC_STEPS=os.environ.get("GABION_DOC_STEPS", "100" if long_ else "3"),
                       DOC_GABION=GABION, DOC_ROOT=ROOT, DOC_BUILD=build,
                       PATH=os.path.dirname(GABION) + ":" + os.environ["PATH"])
    with open(folder + "/.places", "w+", encoding="utf-8") as places, open(folder + "/.output", "w+", encoding="utf-8") as output:
        status = subprocess.run(["bash", "-c", "exec 3>.places; " + script], cwd=folder, env=environment, stdout=output,
                                stderr=subprocess.STDOUT, check=False).returncode
        done = places.read().split()
        output.seek(0)
        last = output.read().strip().split("\n")[-4:]
    if status == 0:
        return len(done), None
    return max(0, len(done) - 1), "%s:%s: failed (status %d):\n    %s" % (page.path, done[-1] if done else "?", status,
                                                                      "\n    ".join(last))


def options_of(verb, known={}):
    """The options that the help of a verb lists; None where there is no such verb."""
    if verb not in known:
        done = subprocess.run([GABION, verb, "--help"], capture_output=True, text=True, check=False)
        known[verb] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout)) if done.returncode == 0 else None
    return known[verb]


def check_inline(page, makefile):
    """What is wrong with code between backquotes."""
    for line, code in page.inline():
        words = code.split()
        if not words:
            continue
        if re.fullmatch(r"(build/)?gabion", words[0]) and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
            options = options_of(words[1])
            if options is None:
                yield line, "%s: gabion has no command %s" % (code, words[1])
                continue
            for word in words[2:]:
                option = re.match(r"--?[a-z][a-z-]*", word)
                if option and option.group() not in options:
                    yield line, "%s: gabion %s has no option %s" % (code, words[1], option.group())
        elif words[0] == "make" and len(words) > 1 and re.fullmatch(r"[a-z-]+", words[1]):
            if not re.search(r"^%s\b[^=\n]*:|^\.PHONY:(.*\\\n)*.*[ ]%s\b|^[a-z -]*\b%s\b[a-z -]*:" % ((re.escape(words[1]),) * 3),
                             makefile, re.M):
                yield line, "%s: the Makefile has no target %s" % (code, words[1])


def summary_keys():
    """The keys of the table of docs/output-files.md."""
    with open(os.path.join(ROOT, "docs/output-files.md"), encoding="utf-8") as file:
        section = file.read().split("\n## The summary\n")[1].split("\n## ")[0]
    return {key for row in re.findall(r"^\|([^|]*)\|", section, re.M) for key in re.findall(r"`([^`]+)`", row)}


def check_summary(page, keys):
    """What is said to be in the summary and is not."""
    for number, line in enumerate(page.lines, 1):
        for key in re.findall(r"`([a-z][a-z-]*)(?:: [^`]*)?` (?:in|of) the summary", line):
            if key not in keys:
                yield number, "%s: the summary has no such key" % key


def copy_tree(folder):
    for part in ("cases", "docs"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
    for part in ("io", "tests", ".ci", "README.md"):  # large; commands that write there do not run
        os.symlink(os.path.join(ROOT, part), os.path.join(folder, part))
    os.symlink(os.path.dirname(GABION), folder + "/build")


def main():
    arguments = sys.argv[1:]
    long_ = "--long" in arguments
    pages = [name for name in arguments if name != "--long"] or ["README.md"] + sorted(glob.glob("docs/*.md", root_dir=ROOT))
    build = os.path.relpath(os.path.dirname(GABION), ROOT)
    with open(ROOT + "/Makefile", encoding="utf-8") as file:
        makefile = file.read()
    passed = failed = 0
    for name in pages:
        page = Page(os.path.join(ROOT, name))
        page.path = name
        with tempfile.TemporaryDirectory() as folder:
            copy_tree(folder)
            good, failure = run_page(page, folder, build, long_)
        said = list(check_inline(page, makefile)) + list(check_summary(page, summary_keys()))
        wrong = ["%s:%d: %s" % (name, line, text) for line, text in said] + ([failure] if failure else [])
        passed += good + 1
        failed += len(wrong)
        for text in wrong:
            print("FAILED: " + text)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
