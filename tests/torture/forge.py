#!/usr/bin/python3
"""Forges HDF5 files, by h5py alone.

    forge.py FILE DATASET FOLDER [KIND...]   for each kind (default: all) FOLDER/KIND.h5, the file with that dataset replaced

Prints the kinds. A file with a seal is sealed anew.
What is forged claims or leads to more than the file holds; the numbers that it leads to are good ones, so that a reader that is
taken in accepts them.
"""
import os
import shutil
import struct
import sys
import zlib

import h5py
import numpy as np

SEAL, BLOCK, WORD = 512, 1 << 20, (1 << 64) - 1
PRIME = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)


def turn(value, bits):
    return (value << bits | value >> (64 - bits)) & WORD


def stir(lane, word):
    return turn((lane + word * PRIME[1]) & WORD, 31) * PRIME[0] & WORD


def xxh64(data, seed):
    size, place = len(data), len(data) // 32 * 32
    if size >= 32:
        lanes = [(seed + PRIME[0] + PRIME[1]) & WORD, (seed + PRIME[1]) & WORD, seed, (seed - PRIME[0]) & WORD]
        for words in struct.iter_unpack("<4Q", data[:place]):
            lanes = [stir(lane, word) for lane, word in zip(lanes, words)]
        value = sum(turn(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & WORD
        for lane in lanes:
            value = ((value ^ stir(0, lane)) * PRIME[0] + PRIME[3]) & WORD
    else:
        value = (seed + PRIME[4]) & WORD
    value = (value + size) & WORD
    while place + 8 <= size:
        value = (turn(value ^ stir(0, struct.unpack_from("<Q", data, place)[0]), 27) * PRIME[0] + PRIME[3]) & WORD
        place += 8
    if place + 4 <= size:
        value = (turn(value ^ struct.unpack_from("<I", data, place)[0] * PRIME[0] & WORD, 23) * PRIME[1] + PRIME[2]) & WORD
        place += 4
    for byte in data[place:]:
        value = turn(value ^ byte * PRIME[4] & WORD, 11) * PRIME[0] & WORD
    value = (value ^ value >> 33) * PRIME[1] & WORD
    value = (value ^ value >> 29) * PRIME[2] & WORD
    return value ^ value >> 32


def seal(path):
    """Writes size and hash anew where the file begins with a seal (io/file/seal.c)."""
    with open(path, "rb") as stream:
        head, rest = stream.read(SEAL), stream.read()
    if not head.startswith(b"gabion-"):
        return
    value = 0xcbf29ce484222325
    for begin in range(0, len(rest), BLOCK):
        value = xxh64(rest[begin:begin + BLOCK], value)
    words = head.split(b"\n", 1)[0].split()
    text = b"%s %s size %d hash %016x" % (words[0], words[1], len(rest), value)
    with open(path, "r+b") as stream:
        stream.write(text.ljust(SEAL, b"\n"))


def elsewhere(file, name):
    """The same dataset in a file of its own."""
    path = os.path.splitext(file.filename)[0] + ".other"
    with h5py.File(path, "w") as other:
        other[name] = file[name][()]
    return path


def take(file, name):
    values = file[name][()]
    del file[name]
    return values


def external_link(file, name):
    path = elsewhere(file, name)
    del file[name]
    file[name] = h5py.ExternalLink(os.path.basename(path), "/" + name)


def group_link(file, name):
    """The group that holds the dataset lies in another file."""
    path, group = elsewhere(file, name), os.path.dirname(name)
    shutil.copy(file.filename, path)
    del file[group]
    file[group] = h5py.ExternalLink(os.path.basename(path), "/" + group)


def pipe_link(file, name):
    path = os.path.splitext(file.filename)[0] + ".pipe"
    os.mkfifo(path)
    del file[name]
    file[name] = h5py.ExternalLink(os.path.basename(path), "/" + name)


def soft_link(file, name):
    file.move(name, "hidden")
    file[name] = h5py.SoftLink("/hidden")


def external_storage(file, name):
    values = take(file, name)
    path = os.path.splitext(file.filename)[0] + ".raw"
    values.tofile(path)
    file.create_dataset(name, values.shape, values.dtype, external=[(path, 0, values.nbytes)])


def virtual(file, name):
    path, values = elsewhere(file, name), take(file, name)
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[...] = h5py.VirtualSource(path, name, values.shape)
    file.create_virtual_dataset(name, layout)


def virtual_loop(file, name):
    """Rows that are their own: HDF5 1.10 recurses until its stack ends."""
    values = take(file, name)
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[...] = h5py.VirtualSource(".", name, values.shape)
    file.create_virtual_dataset(name, layout)


def virtual_growing(file, name):
    """The same without a number of rows: asking for it is enough."""
    values = take(file, name)
    most = (h5py.h5s.UNLIMITED, *values.shape[1:])
    space, ones = h5py.h5s.create_simple(values.shape, most), (1,) * values.ndim
    space.select_hyperslab((0,) * values.ndim, (h5py.h5s.UNLIMITED, *ones[1:]), ones, (1, *values.shape[1:]))
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_virtual(space, b".", name.encode(), space)
    kind = h5py.h5t.py_create(values.dtype, logical=True)
    h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(values.shape, most), creation)


def variable(file, name):
    rows = len(take(file, name))
    made = file.create_dataset(name, (rows,), h5py.vlen_dtype(np.float64))
    for k in range(min(rows, 3)):
        made[k] = np.arange(k + 1.0)


def variable_text(file, name):
    rows = len(take(file, name))
    file.create_dataset(name, data=["stone"] * rows, dtype=h5py.string_dtype())


def lying_text(file, name):
    """Texts of variable length, of which the first is longer than it says: HDF5 1.10 reads it into the room for one letter."""
    rows = len(take(file, name))
    made = file.create_dataset(name, data=["A" * 400000] + ["stone"] * (rows - 1), dtype=h5py.string_dtype())
    file.flush()
    with open(file.filename, "r+b") as stream:
        stream.seek(made.id.get_offset())
        stream.write(struct.pack("<I", 1))


def references(file, name):
    rows = len(take(file, name))
    file.create_dataset(name, (rows,), h5py.ref_dtype)


def unwritten(file, name):
    values = take(file, name)
    file.create_dataset(name, values.shape, values.dtype, fillvalue=values.dtype.type(1))


def half_written(file, name):
    values = take(file, name)
    half = max(len(values) // 2, 1)
    made = file.create_dataset(name, (2 * half + 1, *values.shape[1:]), values.dtype, chunks=(half, *values.shape[1:]),
                               compression="gzip", fillvalue=values.dtype.type(1))
    made[:half] = values[:half]


def claims(file, name):
    """A million million rows, none of them written."""
    values = take(file, name)
    file.create_dataset(name, (1 << 40, *values.shape[1:]), values.dtype, chunks=(1024, *values.shape[1:]))


def bomb(file, name):
    """Rows that were written, a thousandth of their size."""
    values = take(file, name)
    rows, chunk = 1 << 25, (1 << 18, *values.shape[1:])
    made = file.create_dataset(name, (rows, *values.shape[1:]), values.dtype, chunks=chunk, compression="gzip")
    packed = zlib.compress(np.ones(chunk, values.dtype).tobytes(), 9)
    for begin in range(0, rows, chunk[0]):
        made.id.write_direct_chunk((begin, *[0] * (values.ndim - 1)), packed)


def large_chunks(file, name):
    values = take(file, name)
    rows = (80 << 20) // (values.dtype.itemsize * int(np.prod(values.shape[1:], dtype=int)))
    made = file.create_dataset(name, (rows, *values.shape[1:]), values.dtype, chunks=(rows, *values.shape[1:]), compression="gzip")
    made.id.write_direct_chunk((0,) * values.ndim, bytes(100000))  # enough for the rows, if it were packed


def one_chunk(file, name, change):
    """All rows in a chunk that unpacks to what `change` makes of its bytes."""
    values = take(file, name)
    made = file.create_dataset(name, values.shape, values.dtype, chunks=values.shape, compression="gzip")
    made.id.write_direct_chunk((0,) * values.ndim, zlib.compress(change(values.tobytes())))


def short_chunk(file, name):
    """HDF5 1.10 reads on behind the rows that there are."""
    one_chunk(file, name, lambda data: data[:len(data) // 2])


def long_chunk(file, name):
    """HDF5 1.10 unpacks all of it, whatever there is room for."""
    one_chunk(file, name, lambda data: data + bytes(1 << 24))


def other_filter(file, name):
    values = take(file, name)
    file.create_dataset(name, data=values, chunks=True, compression="lzf")


def packed_twice(file, name):
    values = take(file, name)
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk(values.shape)
    creation.set_deflate(9)
    creation.set_deflate(9)
    kind = h5py.h5t.py_create(values.dtype, logical=True)
    made = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(values.shape), creation)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, values)


def group_instead(file, name):
    del file[name]
    file.create_group(name)


KINDS = {function.__name__: function for function in (
    external_link, group_link, pipe_link, soft_link, external_storage, virtual, virtual_loop, virtual_growing, variable,
    variable_text, lying_text, references, unwritten,
    half_written, claims, bomb, large_chunks, short_chunk, long_chunk, other_filter, packed_twice, group_instead)}


def forge(kind, path, name):
    with h5py.File(path, "r+") as file:
        KINDS[kind](file, name)
    seal(path)


def main(source, name, folder, *kinds):
    os.makedirs(folder, exist_ok=True)
    for kind in kinds or KINDS:
        if kind == "group_link" and not os.path.dirname(name):
            continue  # it is in no group
        path = os.path.join(folder, kind + ".h5")
        shutil.copy(source, path)
        forge(kind, path, name)
        print(kind)


if __name__ == "__main__":
    if len(sys.argv) < 4 or set(sys.argv[4:]) - set(KINDS):
        sys.exit("%s\nKINDS: %s" % (__doc__, " ".join(KINDS)))
    main(*sys.argv[1:])
