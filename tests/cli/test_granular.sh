# Granular physics on small scenes; make validate has the long ones.
. "$(dirname "$0")/check.sh"
has h5py || finish
"$PYTHON" "$CASES/../../validation/granular_short.py" "$WORK/granular" >.out 2>.err
grep -v '^pass: ' .out | grep -v ' passed, ' | head -n 20
tail -n 5 .err
last=$(tail -n 1 .out)
[[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { echo "granular_short.py ended without a result"; last="0 passed, 1 failed"; }
echo "$last"
[[ $last == *" 0 failed" ]]
