#!/usr/bin/python3
"""FCLIB files for the command-line tests, by h5py alone.

    fclib_file.py make FILE              one contact, W = 2 I, q = (-1, 2, 0), mu = 1/2
    fclib_file.py set FILE NAME K VALUE  changes one number of a dataset
    fclib_file.py get FILE NAME          prints a dataset
    fclib_file.py same FILE OTHER NAME.. fails where a dataset differs in any bit
    fclib_file.py pack FILE TO           compresses every dataset
    fclib_file.py layout FILE            is it what the FCLIB library reads? `N passed, M failed`

The answer to the problem of `make` is r = (1/2, -1/4, 0), u = (0, 3/2, 0): the normal impulse stops
the approach, and friction, at its limit, is too weak to stop the slip.
"""
import sys

import h5py
import numpy as np


def make(path):
    with h5py.File(path, "w") as file:
        local = file.create_group("fclib_local")
        local["spacedim"] = np.array([3], np.int32)
        for name, value in (("m", 3), ("n", 3), ("nzmax", 3), ("nz", -2)):
            local["W/" + name] = np.array([value], np.int32)
        local["W/p"] = np.arange(4, dtype=np.int32)
        local["W/i"] = np.arange(3, dtype=np.int32)
        local["W/x"] = np.full(3, 2.0)
        local["vectors/q"] = np.array([-1.0, 2.0, 0.0])
        local["vectors/mu"] = np.array([0.5])
        local["info/title"] = np.bytes_("one contact")  # without a NUL at its end


def pack(path, packed):
    with h5py.File(path) as file, h5py.File(packed, "w") as copy:

        def compress(name, item):
            if isinstance(item, h5py.Group):
                copy.require_group(name)
            elif item.shape:
                copy.create_dataset(name, data=item[:], compression="gzip", shuffle=True)
            if name in copy:
                copy[name].attrs.update(item.attrs)

        file.visititems(compress)


def layout(path):
    results = []

    def check(what, good):
        results.append(bool(good))
        if not good:
            print("wrong:", what)

    with h5py.File(path) as file:
        local = file["fclib_local"]
        m = int(local["W/m"][0])
        count = int(local["W/nzmax"][0])
        numbers = {"spacedim": 1, "W/m": 1, "W/n": 1, "W/nz": 1, "W/nzmax": 1, "W/p": m + 1, "W/i": count}
        for name, size in numbers.items():
            data = local[name]
            check(name, data.shape == (size,) and data.dtype == np.dtype("<i4"))
            check(name + " in one piece", data.chunks is None and data.compression is None)
        for name, size in {"W/x": count, "vectors/q": m, "vectors/mu": m // 3}.items():
            data = local[name]
            check(name, data.shape == (size,) and data.dtype == np.dtype("<f8"))
            check(name + " in one piece", data.chunks is None and data.compression is None)
        for name in ("u", "r"):
            check(name, file["solution"][name].shape == (m,))
        for name in ("title", "description", "math_info"):
            text = local["info/" + name]
            check(name, text.shape == () and text.dtype.kind == "S" and len(text[()]) > 0)
        check("spacedim", local["spacedim"][0] == 3)
        check("compressed rows", local["W/nz"][0] == -2 and local["W/n"][0] == m)
        check("bodies", local["info"].attrs["numberOfInvolvedDS"] > 0)
        begin, column = local["W/p"][:], local["W/i"][:]
        rows = [column[begin[k] : begin[k + 1]] for k in range(m)]
        check("begin and end", begin[0] == 0 and begin[-1] == count)
        check("columns ascend", all((np.diff(row) > 0).all() for row in rows))
        check("full blocks", all((row.reshape(-1, 3) % 3 == [0, 1, 2]).all() for row in rows))
        check("rows of a block", all((rows[k] == rows[k - k % 3]).all() for k in range(m)))
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))


command, path = sys.argv[1:3]
if command == "make":
    make(path)
elif command == "pack":
    pack(path, sys.argv[3])
elif command == "set":
    with h5py.File(path, "r+") as file:
        file[sys.argv[3]][int(sys.argv[4])] = float(sys.argv[5])
elif command == "same":  # to the last bit
    with h5py.File(path) as one, h5py.File(sys.argv[3]) as two:
        for name in sys.argv[4:]:
            a, b = one[name][:], two[name][:]
            if a.dtype != b.dtype or a.tobytes() != b.tobytes():
                sys.exit("%s differs" % name)
elif command == "get":
    with h5py.File(path) as file:
        print(*("%.9g" % value for value in file[sys.argv[3]][:]))
else:
    layout(path)
