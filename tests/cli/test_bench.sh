# The benchmarks, much shortened: what they print and the page that they leave. No time is judged.
. "$(dirname "$0")/check.sh"
has h5py && has numpy || finish
BUILD=${BUILD:-$(dirname "$GABION")} BENCH=$PWD/page
export GABION BUILD BENCH
if [ ! -x "$BUILD/tests/bench/limits" ]; then
    echo "skipped: the programs of tests/bench are not built"
    ok "make test-programs builds $BUILD/tests/bench/limits" [ "${GABION_ALL_TESTS:-}" != 1 ]
    finish
fi
mkdir page
bench="$CASES/../../bench"
"$PYTHON" "$bench/roofline.py" --short --largest 1000 --threads 1,2 >.roofline 2>.err
ok "roofline: exit status: $(tail -n 3 .err)" [ $? -eq 0 ]
for limit in stream gather-random gather-curve stage; do
    for threads in 1 2; do
        ok "roofline: $limit, $threads thread(s)" grep -qE "^limit $limit +[0-9]+ +$threads thread.* [0-9.e+-]+ (GB/s|ns|us)" .roofline
    done
done
ok "roofline: the kernels follow the limits" [ "$(grep -nE '^ +spheres' .roofline | head -n 1 | cut -d: -f1)" -gt "$(grep -n '^limit' .roofline | tail -n 1 | cut -d: -f1)" ]
ok "roofline: spheres on one and two threads" [ "$(grep -cE '^ +spheres +1000 .* %' .roofline)" -eq 2 ]
ok "roofline: blocks" grep -qE '^ +blocks +[0-9]+ .* %' .roofline

"$PYTHON" "$bench/realtime.py" --counts 60 --sweeps 5,10 --end 0.2 --threads 1 >.realtime 2>.err
ok "realtime: exit status: $(tail -n 3 .err)" [ $? -eq 0 ]
ok "realtime: a row for each cap" [ "$(grep -cE '^ +60 ' .realtime)" -eq 2 ]
ok "realtime: the aim" grep -qE '^aim (met|missed): [0-9]+ spheres settle in real time' .realtime

# An engine that is not there has a row that says so, and the others go on.
PATH=/usr/bin:/bin BUILD=/nowhere GABION=$GABION "$PYTHON" "$bench/peers.py" --scenes tiny,tiny-wall --engines Gabion,Bullet >.peers 2>.err
ok "peers: exit status: $(tail -n 3 .err)" [ $? -eq 0 ]
ok "peers: Gabion on the spheres" grep -qE '^Gabion +nsgs to 1e-4, 10 sweeps at most +[0-9.]+ ' .peers
ok "peers: Gabion's wall does not move" [ "$(awk '/^Gabion +as it is by default/ { print ($NF < 0.01) }' .peers)" = 1 ]
ok "peers: one that is missing" grep -qE '^Bullet .*not installed \(libbullet-dev\)' .peers

"$PYTHON" "$bench/../papers/page.py" --bench "$BENCH" roofline realtime peers scale >.page 2>.err
ok "the page: $(tail -n 3 .err)" grep -q '0 passed, 0 failed' .page
for part in 'Limits of the machine' 'Settling spheres in real time' 'Other engines on the same scenes' 'scale'; do
    ok "the page: $part" grep -q "$part" page/index.html
done
ok "the page holds its plots" [ "$(grep -c '<img alt=' page/index.html)" -eq 4 ]
ok "the page needs no other file" [ "$(grep -cE '(src|href)="(http|[a-z]+[.])' page/index.html)" -eq 0 ]
finish
