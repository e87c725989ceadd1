"""Reads the page of `gabion report` with a decoder of its own and compares it with the run's files.

    report_check.py frames DIR PAGE      every frame of the page against its ParaView files, by VTK's reader
    report_check.py history DIR PAGE     extremes and last values of the columns against history.csv
    report_check.py probe PAGE COPY      a copy of the page with report_probe.js in it
    report_check.py drawn PAGE DOM       what report_probe.js wrote down in a browser, against the page
    report_check.py get PAGE EXPRESSION  prints a Python expression of `data`
"""
import base64
import csv
import json
import math
import os
import re
import sys
import zlib

if sys.argv[1] in ('frames', 'drawn'):  # it takes longer to load than the rest to run
    import numpy


def page_data(path):
    text = open(path, encoding='utf-8').read()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
    packed = re.findall(r'<script type="text/plain" id="frame-(\d+)">(.*?)</script>', text, re.S)
    assert [int(number) for number, _ in packed] == list(range(len(packed))), 'frames are not in order'
    assert len(packed) == len(data['scene']['frames']), 'contents and frames differ in number'
    return data, [letters for _, letters in packed]


def unpack(contents, letters, before):
    raw = numpy.frombuffer(zlib.decompress(base64.b64decode(letters)), dtype=numpy.uint8)
    arrays, at = {}, 0
    for kind, name, width, components, count in contents['arrays']:
        n = components * count
        planes = raw[at:at + width * n].reshape(width, n).astype(numpy.uint32)
        at += width * n
        number = sum(planes[k] << (8 * k) for k in range(width))
        old = before.get((kind, name))
        if old is not None and old.shape == number.shape:
            number = number + old
        arrays[kind, name] = number & (2**(8 * width) - 1)
    assert at == raw.size, 'bytes are left over'
    return arrays


def frames_of(path):
    data, packed = page_data(path)
    before = {}
    for contents, letters in zip(data['scene']['frames'], packed):
        before = unpack(contents, letters, before)
        shapes = {(kind, name): (width, components) for kind, name, width, components, _ in contents['arrays']}
        yield contents, before, shapes, data['scene']['quantum']


def reals(number, width):
    if width == 2:
        return (number.astype(numpy.uint32) << 16).view(numpy.float32)
    return number.astype(numpy.uint32).view(numpy.int32)


def read_vtk(run, kind, step):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName('%s/vtk/%s_%06d.vtp' % (run, kind, step))
    reader.Update()
    mesh = reader.GetOutput()

    def arrays(section):
        return {section.GetArrayName(k): vtk_to_numpy(section.GetArray(k)) for k in range(section.GetNumberOfArrays())}
    points = vtk_to_numpy(mesh.GetPoints().GetData()) if mesh.GetNumberOfPoints() else numpy.zeros((0, 3))
    return points, arrays(mesh.GetPointData()), arrays(mesh.GetCellData())


def near(page, file, what):
    """Numbers of the page have eight bits behind the leading one."""
    page, file = page.astype(float).ravel(), numpy.asarray(file, dtype=float).ravel()
    assert page.shape == file.shape, '%s: %s against %s numbers' % (what, page.size, file.size)
    assert numpy.all(numpy.abs(page - file) <= 2**-8 * numpy.abs(file) + 1e-38), what


def check_kind(run, kind, step, arrays, shapes, quantum):
    points, at_points, at_cells = read_vtk(run, kind, step)
    own = at_points if kind in ('bodies', 'interfaces') else at_cells
    keep = numpy.arange(len(next(iter(own.values()), [])))
    if kind in ('blocks', 'walls'):  # one row for each body, not for each of its faces
        ids = at_cells['id']
        keep = numpy.flatnonzero(numpy.r_[True, ids[1:] != ids[:-1]]) if ids.size else keep
        assert reals(arrays[kind, 'faces'], 4).sum() == ids.size, 'faces'
    if kind == 'contacts':
        keep = numpy.flatnonzero(own['normal_force'] > 0)
        points = points.reshape(-1, 2, 3)[keep]
    place = reals(arrays[kind, 'position'], 4) * quantum
    assert numpy.all(numpy.abs(place - points.ravel()) <= 0.51 * quantum + 1e-6 * numpy.abs(points.ravel())), kind + ' position'
    names = [name for other, name in arrays if other == kind and name in own]
    for name in names:
        width, components = shapes[kind, name]
        near(reals(arrays[kind, name], width), own[name][keep], '%s %s' % (kind, name))
    return len(names)


def check_frames(run, path):
    total = 0
    for contents, arrays, shapes, quantum in frames_of(path):
        for kind in sorted({kind for kind, _ in arrays}):
            total += check_kind(run, kind, contents['step'], arrays, shapes, quantum)
    assert total > 0
    print('compared %d arrays' % total)


def check_history(run, path):
    data, _ = page_data(path)
    rows = list(csv.DictReader(open(run + '/history.csv')))
    assert data['history']['rows'] == len(rows)
    for name, values in data['history']['columns'].items():
        page = [value for value in values if value is not None]
        file = [float(row[name]) for row in rows if not math.isnan(float(row[name]))]
        assert bool(page) == bool(file), name
        for extreme in (min, max) if file else ():
            a, b = extreme(page), extreme(file)
            assert abs(a - b) <= 1e-6 * abs(b) + 1e-300, '%s: %s %g against %g' % (name, extreme.__name__, a, b)
        last = float(rows[-1][name]) if rows else math.nan
        if rows and values[-1] is not None:
            assert abs(values[-1] - last) <= 1e-6 * abs(last), '%s: last row %g against %g' % (name, values[-1], last)
    unsolved = sum(row['converged'] == '0' for row in rows)
    assert data['history']['unsolved']['count'] == unsolved, 'unsolved'


def counts(arrays, kind):
    if kind in ('blocks', 'walls'):
        return arrays[kind, 'faces'].size
    if kind in ('contacts', 'thrust', 'joints'):
        return arrays[kind, 'position'].size // 6
    return len(set(arrays[kind, 'id'].tolist())) if kind == 'bodies' else arrays[kind, 'position'].size // 3


def check_drawn(path, dom):
    import html
    text = open(dom, encoding='utf-8').read()
    found = re.search(r'<pre id="probe">(.*?)</pre>', text, re.S)
    assert found, 'the page did not get ready'
    drawn = json.loads(html.unescape(found[1]))
    assert drawn['failures'] == [], drawn['failures']
    assert 'data-failures' not in text.split('>', 3)[2], 'script errors'
    frames = list(frames_of(path))
    assert len(drawn['frames']) == len(frames), 'frames'
    for shown, (contents, arrays, _, _) in zip(drawn['frames'], frames):
        assert shown['step'] == contents['step'] and shown['error'] == 0, shown
        assert shown['painted'] > 0.01, 'an empty picture: %s' % shown
        for kind, number in shown['drawn'].items():
            there = counts(arrays, kind) if (kind, 'position') in arrays else 0
            assert number == there, '%s: %d drawn, %d there' % (kind, number, there)
            assert shown['tubes'].get(kind, there) == there, kind
        spheres = arrays['bodies', 'position'].size // 3 if ('bodies', 'position') in arrays else 0
        assert shown['instances'] == spheres, 'spheres'
    assert 'solve' in drawn['phases'] and 'output-waited' not in drawn['phases'], 'times within others are no shares: %s' % drawn['phases']
    pick = drawn['pick']
    assert pick['got'] == pick['wanted'] and 'body %d' % pick['got'] in pick['text'] and 'speed' in pick['text'], pick
    assert 0 < drawn['cut'] < drawn['frames'][-1]['painted'], 'the cut takes nothing away, or all'
    numbers = {kind: ' '.join(str(shown['drawn'].get(kind, 0)) for shown in drawn['frames']) for kind in ('bodies', 'blocks')}
    print('bodies %(bodies)s, blocks %(blocks)s, ' % numbers + '%d plots' % drawn['plots'])


def add_probe(path, copy):
    script = open(os.path.join(os.path.dirname(__file__), 'report_probe.js'), encoding='utf-8').read()
    text = open(path, encoding='utf-8').read()
    assert text.endswith('</body></html>\n')
    open(copy, 'w', encoding='utf-8').write(text.replace('</body></html>\n', '<script>%s</script></body></html>\n' % script))


def main():
    verb, arguments = sys.argv[1], sys.argv[2:]
    if verb == 'get':
        data, _ = page_data(arguments[0])
        print(eval(arguments[1], {'data': data}))
    else:
        {'frames': check_frames, 'probe': add_probe, 'history': check_history, 'drawn': check_drawn}[verb](*arguments)


main()
