#!/usr/bin/python3
"""Compares what a run on several ranks has left with what one process has left.

    same_files.py checkpoint A B   two checkpoints: the same bytes, but for a few attributes and the seal
    same_files.py contacts A B     two ParaView files of contacts, either of which may be in pieces: the same
                                   points, lines and arrays in the same order

Prints one line per difference; the exit status is 1 where there is one.
"""
import sys

# When, where and by whom a checkpoint was written.
OWN = {"wall_time", "created_utc", "threads", "hostname", "parent", "compiler", "compiler_flags", "git_commit"}


def layout(file):
    """Everything of an HDF5 file that matters: {name: value}, with the place and the bytes of every chunk."""
    import h5py
    found = {}

    def visit(name, thing):
        for key, value in thing.attrs.items():
            if key not in OWN:
                found[name + "@" + key] = repr(value)
        if not isinstance(thing, h5py.Dataset):
            return
        found[name] = (thing.shape, thing.dtype, thing.chunks)
        if thing.chunks is None:
            found[name + " values"] = (thing.id.get_offset(), thing[()].tobytes() if thing.shape else repr(thing[()]))
            return
        for k in range(thing.id.get_num_chunks()):
            chunk = thing.id.get_chunk_info(k)
            found["%s chunk %s" % (name, chunk.chunk_offset)] = (chunk.byte_offset, chunk.filter_mask,
                                                                 thing.id.read_direct_chunk(chunk.chunk_offset)[1])
    visit("/", file)
    file.visititems(visit)
    return found


def checkpoints(first, second):
    import os
    import h5py
    with h5py.File(first, "r") as a, h5py.File(second, "r") as b:
        one, other = layout(a), layout(b)
    wrong = [name for name in sorted(set(one) | set(other)) if one.get(name) != other.get(name)]
    if os.path.getsize(first) != os.path.getsize(second):
        wrong.append("the size of the file")
    return wrong


def polydata(path):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLPPolyDataReader() if path.endswith(".pvtp") else vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    if not data.GetNumberOfPoints():
        return {}
    found = {"Points": vtk_to_numpy(data.GetPoints().GetData()),
             "connectivity": vtk_to_numpy(data.GetLines().GetConnectivityArray()),
             "offsets": vtk_to_numpy(data.GetLines().GetOffsetsArray())}
    for fields in (data.GetPointData(), data.GetCellData(), data.GetFieldData()):
        for k in range(fields.GetNumberOfArrays()):
            found["%s %s" % (fields.GetClassName(), fields.GetArrayName(k))] = vtk_to_numpy(fields.GetArray(k))
    return found


def same(one, other):
    """Numbers of points may be wider where VTK has put pieces together."""
    if one.dtype.kind == other.dtype.kind == "i":
        return one.shape == other.shape and (one == other).all()
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def contacts(first, second):
    one, other = polydata(first), polydata(second)
    if len(one) < 12:
        return ["there is nothing to compare"]
    return [name for name in sorted(set(one) | set(other))
            if name not in one or name not in other or not same(one[name], other[name])]


def main():
    compare = {"checkpoint": checkpoints, "contacts": contacts}[sys.argv[1]]
    wrong = compare(*sys.argv[2:4])
    for name in wrong:
        print("%s differs" % name)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
