#!/usr/bin/env python3
"""Every solver on every contact problem, checked from outside: `gabion solve --save` on a copy, then
both residuals recomputed with numpy straight from the HDF5 file. A convergence that is claimed must be
true, a residual that is printed must be the one of the impulses that were saved, and `auto` must get
wherever any solver gets. Prints iterations and time to each tolerance; times are of one solve and check
nothing. With --csv FILE the table goes there too."""
import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import problems  # noqa: E402
from fclib_check import read_least, scaled_residual  # noqa: E402
from gabion_run import program  # noqa: E402
from verdict import Verdict  # noqa: E402

SOLVERS = ("auto", "anderson", "ipm", "prox", "newton", "nsgs/exact", "nsgs/newton", "nsgs/lemke", "nsgs/qp",
           "psor", "cpg", "bicg", "lemke", "qp")
TOLERANCES = (1e-4, 1e-6, 1e-8)
STORED = 1e-11   # residual of the solutions that come with the problems
TIME_LIMIT = 20  # s; a solver that needs longer has not got there
AGREE = 1e-5     # of the residual, six digits of which are printed; it is the small rest of large numbers
ROUNDING = 1e-13  # and what rounding leaves of them differs with the order of the sums


class Problem:
    """As the format describes it; W is in compressed rows, compressed columns or triplets."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            local = file["fclib_local"]
            p, i, x = (local["W/" + key][:] for key in "pix")
            size, kind = int(local["W/m"][0]), int(local["W/nz"][0])
            self.q, self.mu = local["vectors/q"][:], local["vectors/mu"][:]
            self.r = file["solution/r"][:] if "solution" in file else None
            self.least = read_least(file)
        if kind == -2:
            self.row, self.column = np.repeat(np.arange(size), np.diff(p)), i
        elif kind == -1:
            self.row, self.column = i, np.repeat(np.arange(size), np.diff(p))
        else:
            self.row, self.column, x = i[:kind], p[:kind], x[:kind]
        self.value, self.size = x, size
        self.rho = np.array([self.inverse_norm(a) for a in self.diagonal_blocks()])

    def diagonal_blocks(self):
        blocks = np.zeros((self.size // 3, 3, 3))
        own = self.row // 3 == self.column // 3
        np.add.at(blocks, (self.row[own] // 3, self.row[own] % 3, self.column[own] % 3), self.value[own])
        return blocks

    @staticmethod
    def inverse_norm(block):
        norm = np.linalg.norm(block, 2)
        return 1 / norm if norm > 0 else 0

    def velocity(self, r):
        return self.q + np.bincount(self.row, self.value * r[self.column], self.size)

    def natural_map(self, r, u, rho):
        """r - P_K(r - rho (u + mu |u_T| n)) at each contact."""
        r, u = r.reshape(-1, 3), u.reshape(-1, 3)
        a = r - rho[:, None] * u
        a[:, 0] -= rho * self.mu * np.hypot(u[:, 1], u[:, 2])
        normal, tangent = a[:, 0], np.hypot(a[:, 1], a[:, 2])
        onto = (self.mu * tangent + normal) / (1 + self.mu ** 2)
        inside, polar = tangent <= self.mu * normal, self.mu * tangent <= -normal
        shrink = self.mu * onto / np.where(inside | polar, 1, tangent)
        projected = np.column_stack((onto, shrink * a[:, 1], shrink * a[:, 2]))
        projected[inside], projected[polar] = a[inside], 0
        return r - projected

    def residuals(self, r):
        """FCLIB's and the scaled one."""
        u, norm = self.velocity(r), np.linalg.norm
        largest = max(norm(self.q), norm(r), norm(u))
        e = norm(self.natural_map(r, u, np.ones_like(self.rho)))
        fclib = e / largest if largest > np.finfo(float).eps else e
        there = self.rho > 0
        e, impulses = (norm(rows[there], axis=1) / self.rho[there]
                       for rows in (self.natural_map(r, u, self.rho), r.reshape(-1, 3)))
        return fclib, scaled_residual(e, impulses, self.q.reshape(-1, 3), self.least)


def solve(path, solver, tolerance, measure="fclib"):
    """The `key: value` lines, or None when it took too long."""
    method, _, local = solver.partition("/")
    command = [program(), "solve", path, "--solver", method, "--tol", f"{tolerance:g}", "--measure", measure,
               "--max", "100000", "--save", "-j", "1"] + (["--local", local] if local else [])
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None
    lines = dict(line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line)
    lines["exit"] = result.returncode
    if "status" not in lines:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}\n{result.stderr}")
    return lines


def agree(printed, found):
    return abs(printed - found) <= AGREE * max(printed, found) + ROUNDING


def fault(problem, path, lines, tolerance):
    """What is untrue in the answer, or an empty text. A rejection stores nothing."""
    if lines["status"] == "rejected":
        return "" if lines["exit"] == 1 else f"rejected, and the exit status is {lines['exit']}"
    fclib, scaled = problem.residuals(Problem(path).r)
    if lines["status"] == "converged" and fclib > tolerance * (1 + AGREE) + ROUNDING:
        return f"converged, and the residual is {fclib:.3e}"
    if (lines["status"] == "converged") != (lines["exit"] == 0):
        return f"{lines['status']}, and the exit status is {lines['exit']}"
    if not agree(float(lines["residual-fclib"]), fclib):
        return f"residual-fclib {lines['residual-fclib']} printed, {fclib:.6e} found"
    if not agree(float(lines["residual-scaled"]), scaled):
        return f"residual-scaled {lines['residual-scaled']} printed, {scaled:.6e} found"
    return ""


class Table:
    def __init__(self, verdict, writer):
        self.verdict, self.writer = verdict, writer

    def cell(self, name, problem, path, solver, tolerance):
        """Text of one solve, and whether it got there."""
        lines = solve(path, solver, tolerance)
        if lines is None:
            return f"over {TIME_LIMIT} s", False
        wrong = fault(problem, path, lines, tolerance)
        if wrong:
            self.verdict.check(f"{name} {solver} {tolerance:g}: {wrong}", False)
        else:
            self.verdict.passed += 1
        if self.writer:
            self.writer.writerow((name, problem.size // 3, solver, f"{tolerance:g}", lines["status"],
                                  lines["iterations"], lines["time"], lines["residual-fclib"],
                                  lines["residual-scaled"]))
        if lines["status"] != "converged":
            return f"{lines['status']} {float(lines['residual-fclib']):.0e}", False
        return f"{lines['iterations']} / {1e3 * float(lines['time']):.3g}", True

    def problem(self, original, folder, solvers):
        name, path = problems.name(original), os.path.join(folder, "problem.hdf5")
        shutil.copyfile(original, path)
        os.chmod(path, 0o644)
        problem, reached = Problem(path), {}
        if problem.r is not None:
            stored = problem.residuals(problem.r)[0]
            self.verdict.check(f"{name}: the solution it came with has a residual of {stored:.1e}", stored <= STORED)
        print(f"{name}: {problem.size // 3} contacts", flush=True)
        for solver in solvers:
            cells = []
            for tolerance in TOLERANCES:
                text, good = self.cell(name, problem, path, solver, tolerance)
                cells.append(text)
                if not good:  # nor will it at the next
                    break
                reached.setdefault(tolerance, []).append(solver)
            print(f"    {solver:12}" + "".join(f"{text:>20}" for text in cells), flush=True)
        if "auto" in solvers:
            for tolerance, who in reached.items():
                self.verdict.check(f"{name}: auto reaches {tolerance:g}, as {len(who)} solvers do",
                                   "auto" in who)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--csv")
    parser.add_argument("files", nargs="*", help="FCLIB files instead of all known problems")
    arguments = parser.parse_args()
    verdict = Verdict()
    file = open(arguments.csv, "w", encoding="ascii", newline="") if arguments.csv else None
    writer = csv.writer(file) if file else None
    if writer:
        writer.writerow(("problem", "contacts", "solver", "tolerance", "status", "iterations", "seconds",
                         "fclib", "scaled"))
    print("iterations / ms to " + ", ".join(f"{t:g}" for t in TOLERANCES) + " of FCLIB's residual, or how it "
          "ended")
    table = Table(verdict, writer)
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.files or problems.files():
            table.problem(path, folder, arguments.solvers.split(","))
    return verdict.end()


if __name__ == "__main__":
    sys.exit(main())
