# A few trials of every attack of tests/torture: make torture has all of them.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${PYTHON:-/usr/bin/python3}" "$here/../torture/torture.py" --share 0.01
