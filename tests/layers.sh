#!/usr/bin/env bash
# Checks which file may include which. Prints every breach as file:line, what is wrong and what may be
# included instead; ends with "N passed, M failed".
#
#   tests/layers.sh [ROOT]       checks the tree at ROOT (default: this repository)
#   tests/layers.sh --table      prints the rooms as the Markdown table of docs/contributing.md
#
# The rules:
#   - A file includes its own room and the rooms above it in the table, never one below.
#   - No file of a room reaches a path that its "never" (an expression) matches, not even through other
#     headers.
#   - No file includes itself, directly or through others.
#   - Paths are written from the root of the repository.
#   - OpenMP is used in parallel/ only.
# Tests may include everything.
#
# A room is a folder, or one module: engine/solvers/monitor stands for monitor.h and monitor.c. The
# longest name that fits a file is its room. Columns: room | what it holds | never.
rooms=$(cat <<'END'
parallel                | threads, sums in any order, sorting, memory, clocks, errors, hashes  |
geometry                | vectors, shapes, mass properties, broad phase, contact manifolds       |
engine/gabion.h         | the public interface                                                   |
engine/world            | what there is: bodies, laws, joints, drivers, events, hash, ledger     |
engine/motion           | where bodies are within a step: midpoint, prediction, integration      |
engine/contact          | who touches: broad, narrow, persistence, gaps, masonry interfaces      |
engine/probe            | what is measured: probes, and what they count from step to step        |
engine/problem          | what must be solved: the contact problem, its products and residual    | ^engine/world/world[.]h$
engine/solvers/dense    | small dense programs: Lemke's pivoting, active sets                    | ^engine/world/world[.]h$
engine/solvers/local    | one contact                                                            | ^engine/world/world[.]h$
engine/solvers/monitor  | when a method stops: tolerance, cap, deadline, history of residuals    | ^engine/world/world[.]h$
engine/solvers/methods  | the signature of a method, and the list of them                        | ^engine/world/world[.]h$
engine/solvers/sweep    | Gauss-Seidel over the coloured contacts                                | ^engine/world/world[.]h$
engine/solvers/krylov   | gradient methods and acceleration                                      | ^engine/world/world[.]h$
engine/solvers/pivot    | the whole problem as one dense program                                 | ^engine/world/world[.]h$
engine/solvers/newton   | Newton and interior point methods, sparse factors                      | ^engine/world/world[.]h$
engine/solvers          | the panel of methods, and those made of others                         | ^engine/world/world[.]h$
engine/step             | when: the two schemes as tables of contents, choice of method          |
engine/api              | the defining and the reading half of engine/gabion.h                   |
cases                   | scene generators                                                       |
io/file                 | files, folders and HDF5 that survive a crash                           |
io/text                 | numbers, CSV, YAML, checksums                                          |
io/mesh                 | OBJ and STL                                                            |
io/bulk                 | bodies by the million from CSV and HDF5                                |
io/checkpoint           | checkpoints and frames, and what a new run takes from them             |
io/vtk                  | ParaView files                                                         | ^engine/.*/
io/case                 | case files: keys, checks, loading                                      |
io/fclib                | contact problems as FCLIB files                                        |
io/run/columns          | columns of probes                                                      | ^engine/.*/
io/run/history          | history.csv                                                            | ^engine/.*/
io/run                  | a run: scene, progress, log, summary, signals                          |
io/study                | studies: members, processes, searches, statistics, tables              |
io/report               | one page about a run: plots and a 3D view in HTML                       | ^engine/.*/
io/command              | the command line                                                       |
END
)

if [ "${1:-}" = --table ]; then
    awk -F ' *[|] *' 'BEGIN { print "| room | what it holds |\n|---|---|" }
        NF { printf "| `%s` | %s |\n", $1, $2 }' <<<"$rooms"
    exit
fi
cd "${1:-$(dirname "$0")/..}" || exit 2
folders=$(awk -F '[/| ]' 'NF && !seen[$1]++ { print $1 }' <<<"$rooms")
sources=$(for folder in $folders tests; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]'
done | sort)
[ -n "$sources" ] || { echo "no sources in $PWD"; exit 2; }

# shellcheck disable=SC2086 # the names of sources have no spaces
grep -HnE '^ *# *(include *["<]|pragma +omp)' $sources | awk -v rooms="$rooms" -v sources="$sources" '
    BEGIN {
        rows = split(rooms, row, "\n")
        for (i = 1; i <= rows; i++)
            if (split(row[i], cell, / *[|] */) > 1) {
                rank[cell[1]] = ++count
                name[count] = cell[1]
                never[cell[1]] = cell[3]
            }
        file_count = split(sources, file, "\n")
        for (i = 1; i <= file_count; i++) {
            exists[file[i]] = 1
            folder = file[i]
            while (sub("/[^/]*$", "", folder))
                is_folder[folder] = 1
        }
    }

    # The longest room that a path lies in; "" where there is none.
    function room_of(path, module) {
        module = path
        sub(/[.][ch]$/, "", module)
        if (module in rank && !is_folder[module])
            return module
        while (!(path in rank))
            if (!sub("/[^/]*$", "", path))
                return ""
        return path
    }

    function allowed(room, i, list) {
        for (i = 1; i <= rank[room]; i++)
            if (never[room] == "" || (name[i] "/") !~ never[room])
                list = list (list == "" ? "" : ", ") name[i]
        return list
    }

    function breach(place, message) {
        print place ": " message
        failed++
    }

    function check(place, from, to, own, other) {
        own = room_of(from)
        other = room_of(to)
        if (!(to in exists))
            breach(place, "\"" to "\" is not a file of this repository; write the path from its root")
        else if (own == "")
            passed++ # a test; any other file is reported at the end
        else if (other == "")
            breach(place, "\"" to "\" is in no room; " own " may include " allowed(own))
        else if (rank[other] > rank[own])
            breach(place, own " may not include \"" to "\"; it may include " allowed(own))
        else
            passed++
    }

    {
        split($0, part, ":")
        place = part[1] ":" part[2]
        if ($0 ~ /# *pragma +omp|<omp[.]h>/) {
            if (part[1] !~ "^(parallel|tests)/")
                breach(place, "OpenMP outside parallel/; use parallel/team.h")
        } else if (match($0, /"[^"]+"/)) {
            target = substr($0, RSTART + 1, RLENGTH - 2)
            edges[part[1]]++
            edge[part[1], edges[part[1]]] = target
            edge_place[part[1], edges[part[1]]] = place
            check(place, part[1], target)
        }
    }

    # The shortest chain of includes from a file to a path that matches, as text; "" where none does.
    function chain(from, expression, queue, head, tail, before, at, next_file, k, text) {
        queue[head = tail = 1] = from
        before[from] = ""
        while (head <= tail) {
            at = queue[head++]
            if (at ~ expression) {
                for (text = at; before[at] != ""; at = before[at])
                    text = before[at] " -> " text
                return text
            }
            for (k = 1; k <= edges[at]; k++) {
                next_file = edge[at, k]
                if (!(next_file in before)) {
                    before[next_file] = at
                    queue[++tail] = next_file
                }
            }
        }
        return ""
    }

    # A file that has the same rule is skipped: it is reported itself.
    function check_never(from, own, k, to, found) {
        own = room_of(from)
        for (k = 1; never[own] != "" && k <= edges[from]; k++) {
            to = edge[from, k]
            if (to !~ never[own] && never[room_of(to)] == never[own])
                continue
            found = chain(to, never[own])
            if (found != "")
                breach(edge_place[from, k], own " must not see what it includes here: " found \
                       "; take it as an argument, or include a header without it")
        }
    }

    # Depth first; state 1: on the path to here, 2: done.
    function check_cycles(from, path, k, to) {
        state[from] = 1
        for (k = 1; k <= edges[from]; k++) {
            to = edge[from, k]
            if (state[to] == 1)
                breach(edge_place[from, k], "includes itself: " \
                       substr(path, index(path, to)) " -> " to "; move what both need into a third file")
            else if (!state[to])
                check_cycles(to, path " -> " to)
        }
        state[from] = 2
    }

    END {
        for (i = 1; i <= file_count; i++) {
            if (room_of(file[i]) == "" && file[i] !~ "^tests/")
                breach(file[i] ":1", "this file is in no room; tests/layers.sh lists the rooms")
            check_never(file[i])
            if (!state[file[i]])
                check_cycles(file[i], file[i])
        }
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }'
