# The JSON Schema that editors check case files with: it agrees with the reader about what is shipped and about mistakes.
. "$(dirname "$0")/check.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

exits 0 "explain --schema" explain --schema
cp .out schema.json
exits 2 "explain --schema of a key" explain --schema solver
says "explain --schema of a key" "prints all keys"
has jsonschema && has yaml || { finish; exit; }

judge() { "$PYTHON" "$here/schema_check.py" schema.json "$@" >judged; }
judge "$here"/../../cases/*.yaml "$here"/../../cases/papers/*.yaml "$here"/cases/*.yaml
ok "shipped cases were judged" [ "$(wc -l <judged)" -ge 50 ]
ok "shipped cases are accepted: $(grep -m 1 rejected judged)" bash -c '! grep -v ": accepted$" judged'

# wrong NAME PLACE SED: box.yaml, changed in one place, is rejected there, and by the reader too.
wrong() {
    sed "$3" "$CASES/box.yaml" >wrong.yaml
    ok "$1: the case was changed" bash -c '! cmp -s "$1" wrong.yaml' _ "$CASES/box.yaml"
    judge wrong.yaml
    ok "$1: $(cat judged)" grep -q "rejected: $2" judged
    exits 2 "$1: the reader" check wrong.yaml
}
cp "$CASES"/*.yaml .
wrong "a misspelt key" "solver" 's/tolerance: 1e-6/tolerence: 1e-6/'
wrong "a number below its range" "time.step" 's/step: 1e-3/step: -1e-3/'
wrong "a text for a number" "time.end" 's/end: 0.2/end: soon/'
wrong "a fraction for a whole number" "output.checkpoint_keep" 's/checkpoint_keep: 3/checkpoint_keep: 3.5/'
wrong "a vector that is too short" "gravity" 's/gravity: .*/gravity: [0, 0]/'
wrong "an unknown word" "solver.on_cap" 's/on_cap: accept/on_cap: shrug/'
wrong "a missing key of an entry" "laws.0" 's/friction: 0.4, //'
wrong "two shapes of a body" "bodies.0" 's/sphere: {radius: 0.01},/& box: {size: [1, 1, 1]},/'
wrong "no shape of a body" "bodies.0" 's/sphere: {radius: 0.01},//'
wrong "an unknown wall" "containers.0.walls.0" 's/\[xmin,/[west,/'
finish
