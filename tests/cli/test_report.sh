# gabion report: one page about a run, at any time, that holds what the files hold and that a browser can draw.
. "$(dirname "$0")/check.sh"
check="$PYTHON $(dirname "$(realpath "$0")")/report_check.py"
get() { $check get "$1" "$2"; }

# page NAME DIR: the report of DIR holds its frames and its history.
page() {
    exits 0 "$1" report "$2" -o "$2.html"
    has vtk && ok "$1: frames" $check frames "$2" "$2.html"
    ok "$1: history" $check history "$2" "$2.html"
}

# A group, a material and a title that would be scripts if a browser read them as HTML.
cat >evil.yaml <<'END'
title: "</script><script>document.title='run'</script>"
time: {step: 0.004, end: 0.4}
materials: {"<b>stone": {density: 2000}}
laws: [{between: default, friction: 0.4}]
containers: [{name: drum, material: "<b>stone", drum: {centre: [0, 0, 0], axis: [0, 1, 0], radius: 1, length: 1}}]
bodies:
  - {name: "<script>alert(1)<script>", material: "<b>stone", box: {size: [0.2, 0.2, 0.2]}, position: [0.1, 0, -0.8]}
  - {material: "<b>stone", clump: {spheres: [[0, 0, 0, 0.1], [0.12, 0, 0, 0.05]]}, position: [-0.4, 0, 0], insert_time: 0.2}
generators: [{name: balls, material: "<b>stone", lattice: {origin: [-0.2, -0.2, 0.2], spacing: 0.11, count: [4, 4, 1], radius: 0.05}}]
drivers: [{group: drum, turn: {axis: [0, 1, 0]}, rate: 60}]
probes: [{name: "<img>", group: balls, quantity: position}]
output: {vtk_every: 20, checkpoint_every: 50}
END
exits 0 "run" run evil.yaml -o evil -q -j 1
echo '2026-01-01T00:00:00Z  warning: </script><img src=x onerror=alert(2)>' >>evil/run.log
page "shapes" evil
is "shapes: frames" "$(field frames)" "6 of 6"
is "shapes: finished" "$(field running)" no
ok "no text of the run is in the page as it is" bash -c '! grep -qE "<img|<b>stone|<script>alert|<script>document" evil.html'
is "names of groups" "$(get evil.html 'data["scene"]["groups"][1]')" "<script>alert(1)<script>"
is "names of materials" "$(get evil.html 'data["scene"]["materials"][0]')" "<b>stone"
is "the case" "$(get evil.html '"time:" in data["case"] and "lattice" in data["case"]')" True
is "time by phase" "$(get evil.html 'len([k for k, v in data["summary"] if k == "time-solve"])')" 1
is "the machine" "$(get evil.html 'dict(data["summary"])["host"]')" "$(uname -n)"
is "summary: state" "$(get evil.html 'dict(data["summary"])["status"]')" completed

exits 0 "masonry" run "$CASES/masonry.yaml" -o masonry -q --set output.blocks=surface -j 1
page "masonry" masonry

# In a browser: no script errors, every body of every frame drawn, no text of the case run as a script.
# browser PAGE DOM: what the page is after its scripts.
browser() {
    local profile
    profile=$(mktemp -d)
    $check probe "$1" probed.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader \
        --no-first-run --disable-quic --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$profile" --window-size=640,480 --virtual-time-budget=60000 --dump-dom \
        "file://$PWD/probed.html" >"$2" 2>.browser
    rm -rf "$profile"
}
if command -v chromium >/dev/null; then
    browser evil.html evil.dom
    ok "browser: what is drawn" $check drawn evil.html evil.dom
    # 16 balls, and a clump of two that enters; a box.
    is "browser: bodies that enter are drawn" "$(cat .check)" "bodies 16 16 16 17 17 17, blocks 1 1 1 1 1 1, 11 plots"
    ok "browser: the title is text" grep -qF "<title>&lt;/script&gt;&lt;script&gt;document.title='run'&lt;/script&gt; · Gabion report</title>" evil.dom
    ok "browser: nothing of the case became an element" bash -c '! grep -q "<img" evil.dom'
else
    echo "skipped: there is no chromium"
fi

# Bounded: fewer frames, the first and the last among them, and both the page and the command line say so.
exits 0 "three frames" report evil -o three.html --frames 3
says "three frames" "3 of 6 frames \(--frames\)"
is "three frames: which" "$(get three.html '[frame["step"] for frame in data["scene"]["frames"]]')" "[0, 40, 100]"
is "three frames: the page says so" "$(get three.html '"3 of 6 frames" in data["remarks"][0]')" True
cat >many.yaml <<'END'
time: {step: 0.002, end: 0.12}
solver: {method: nsgs, max_sweeps: 1, on_cap: accept}
materials: {stone: {density: 2000}}
laws: [{between: default, friction: 0.4}]
bodies: [{name: floor, material: stone, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}]
generators: [{name: balls, material: stone, lattice: {origin: [0, 0, 0.06], spacing: 0.1, count: [16, 16, 8], jitter: 0.2, seed: 1, radius: 0.045}}]
output: {vtk_every: 2}
END
exits 0 "many" run many.yaml -o many -q -j 1
exits 0 "one megabyte" report many -o small.html --size 1
says "one megabyte" "of 31 frames \(--size\)"
ok "one megabyte: $(stat -c %s small.html) bytes" [ "$(stat -c %s small.html)" -le 1000000 ]
is "one megabyte: the last state" "$(get small.html 'data["scene"]["frames"][-1]["step"]')" 60
ok "one megabyte: unsolved steps are listed" $check history many small.html

# A long history is drawn together, and yet ends with its last row: the numbers at the head of the page are from there.
cat >bouncing.yaml <<'END'
time: {step: 0.002, end: 2.4}
materials: {ball: {density: 1000}}
laws: [{between: default, friction: 0, restitution: 1}]
bodies:
  - {material: ball, half_space: {normal: [0, 0, 1]}, position: [0, 0, 0]}
  - {material: ball, sphere: {radius: 0.1}, position: [0, 0, 0.1025]}
END
exits 0 "bouncing" run bouncing.yaml -o bouncing -q -j 1
exits 0 "bouncing" report bouncing --size 1
says "bouncing" "the plots show the 1200 rows of history.csv as at most 100 intervals"
ok "bouncing: extremes and the last row" $check history bouncing bouncing/report.html

# Damaged and unfinished files: what can be read is shown, the rest is named.
cp -r evil broken
truncate -s 900 broken/vtk/bodies_000040.vtp
sed -i 's/NumberOfPoints="[0-9]*"/NumberOfPoints="7"/' broken/vtk/blocks_000060.vtp
rm broken/vtk/walls_000080.vtp
printf '55,0.22,17' >>broken/history.csv
printf '2026-01-01T00:00:00Z  half a li' >>broken/run.log
exits 0 "damaged frames" report broken
says "damaged frames" "bodies_000040.vtp: " "blocks_000060.vtp: .*damaged" "walls_000080.vtp"
is "damaged frames: all steps" "$(get broken/report.html 'len(data["scene"]["frames"])')" 6
is "a row that is being written" "$(get broken/report.html 'data["history"]["rows"]')" 100
is "a line that is being written" "$(get broken/report.html 'any("half a li" in line for line in data["log"])')" False
echo 'a,b,c' >>broken/history.csv
exits 0 "a bad row" report broken
says "a bad row" "history.csv:102: "
rm -r broken/vtk broken/*.pvd
exits 0 "no frames" report broken
is "no frames" "$(field frames)" "0 of 0"

# A run that is at work may not have written all files of its newest frame: that frame is left for the next report.
cp -r evil unfinished
for series in unfinished/*.pvd; do [[ $series == */bodies.pvd ]] || sed -i '/_000100\./d' "$series"; done
exits 0 "a frame that is being written" report unfinished
is "a frame that is being written" "$(get unfinished/report.html '[frame["step"] for frame in data["scene"]["frames"]]')" "[0, 20, 40, 60, 80]"

# A running run is not disturbed, and the page says that it runs.
"$GABION" run "$CASES/box.yaml" -o busy -q -j 1 --set time.end=1e6 --set output.checkpoint_every=20 >busy.out 2>&1 &
pid=$!
ok "busy: it writes" wait_for 60 test -s busy/checkpoint-000000040.h5
exits 0 "busy" report busy
is "busy: running" "$(field running)" yes
is "busy: status" "$(get busy/report.html 'dict(data["summary"])["status"]')" running
{ kill -9 $pid; wait $pid; } 2>/dev/null
exits 0 "killed" report busy
is "killed: not running" "$(field running)" no
exits 0 "killed: goes on" resume busy --steps 1 -j 1

# However a run ends, its last state is the last frame, whatever the interval, and the page says how it ended.
exits 1 "failed" run "$CASES/box.yaml" -o failed -q -j 1 --set output.vtk_every=35 \
    --set 'forces=[{group: grains, direction: [0, 0, 1], start: 0.05, constant: 1e307}]'
exits 0 "failed" report failed
is "failed: the last state" "$(get failed/report.html '[frame["step"] for frame in data["scene"]["frames"]]')" "[0, 35, 50]"
is "failed: why" "$(get failed/report.html 'any("stopped: " in line and "not a number" in line for line in data["log"])')" True
is "failed: status" "$(get failed/report.html 'dict(data["summary"])["status"]')" stopped
exits 0 "odd end" run "$CASES/box.yaml" -o odd -q -j 1 --steps 33 --set output.vtk_every=1000
exits 0 "odd end" report odd
is "odd end: the last state" "$(get odd/report.html '[frame["step"] for frame in data["scene"]["frames"]]')" "[0, 33]"

# What is not a run, and what is not a report, is left alone.
mkdir empty
exits 2 "empty" report empty
says "empty" "empty holds no run"
exits 2 "missing" report nowhere
echo mine >notes.html
exits 2 "another file" report evil -o notes.html
says "another file" "notes.html exists and is not a report"
is "another file: is kept" "$(cat notes.html)" mine
for option in "--frames 0" "--frames many" "--size 0"; do exits 2 "$option" report evil $option; done
finish
