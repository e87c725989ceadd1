"""One contact problem: u = W r + q with Signorini's and Coulomb's law at each contact."""
import ctypes

import numpy

from . import _interface, records
from .library import LIBRARY, call


def blocks_of(matrix, contacts):
    """W as rows of 3x3 blocks (starts, columns, blocks), from a dense array or from any matrix of scipy.sparse. Diagonal
    blocks are always there; columns ascend."""
    if hasattr(matrix, "tobsr"):
        sparse = matrix.tobsr((3, 3))
        sparse.sort_indices()
        found = {(row, column): block for row in range(contacts)
                 for column, block in zip(sparse.indices[sparse.indptr[row]:sparse.indptr[row + 1]],
                                          sparse.data[sparse.indptr[row]:sparse.indptr[row + 1]])}
    else:
        dense, _ = records.doubles(matrix, 3 * contacts, 3 * contacts)
        cut = dense.reshape(contacts, 3, contacts, 3).transpose(0, 2, 1, 3)
        found = {(row, column): cut[row, column] for row, column in numpy.argwhere(cut.any(axis=(2, 3))).tolist()}
    for contact in range(contacts):
        found.setdefault((contact, contact), numpy.zeros((3, 3)))
    places = sorted(found)
    starts = numpy.searchsorted([row for row, _ in places], numpy.arange(contacts + 1)).astype("i8")
    return starts, numpy.array([column for _, column in places], dtype="i4"), numpy.array([found[place] for place in places])


def solve(matrix, q, mu, start=None, **solver):
    """Solves a contact problem and returns a record with `r`, the impulses, and what the solver reports: status, residual,
    residual_fclib, iterations, method, spent, note. Vectors have three numbers per contact: normal, first and second
    tangent. `matrix` is dense or of scipy.sparse, `mu` one number or one per contact, `start` the first guess. Options of
    the solver: method, local, tolerance, measure, max_iterations, relaxation, momentum, cone, time_budget, threads. A
    problem left unsolved is not an exception but a status."""
    q, q_pointer = records.doubles(numpy.ravel(q), None)
    contacts, rest = divmod(len(q), 3)
    if rest:
        raise ValueError("q has three numbers per contact, found %d" % len(q))
    mu, mu_pointer = records.doubles(numpy.broadcast_to(records.reals(mu), (contacts,)), contacts)
    starts, columns, blocks = blocks_of(matrix, contacts)
    blocks, block_pointer = records.doubles(numpy.ravel(blocks), None)
    r = numpy.zeros(3 * contacts) if start is None else records.doubles(numpy.ravel(start), 3 * contacts)[0].copy()
    problem = _interface.Problem(contacts, starts.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)),
                                 columns.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), block_pointer, q_pointer, mu_pointer)
    settings = records.fill(LIBRARY.gabion_default_solver(), **solver)
    solution = _interface.Solution()
    call("gabion_solve", ctypes.byref(problem), ctypes.byref(settings), r.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
         ctypes.byref(solution))
    return records.record(solution, r=r)
