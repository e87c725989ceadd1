// The linear complementarity problem  w = M z + q,  w >= 0,  z >= 0,  w.z = 0, by Lemke's method on
// a dense tableau. Ties of the ratio test are broken lexicographically, so that degenerate problems
// (semidefinite M, zeros in q) end as well (Lemke 1965; Cottle, Pang, Stone, "The Linear
// Complementarity Problem", 1992, sections 4.4 and 4.9).
#ifndef ENGINE_SOLVERS_DENSE_LCP_H
#define ENGINE_SOLVERS_DENSE_LCP_H

#include <stddef.h>

struct team;

enum lcp_status {
    LCP_SOLVED,
    LCP_RAY, // ended on a ray: for many classes of M there is no solution, for others none was
             // found
    LCP_CAP, // pivots used up; z means nothing
};

struct lcp_result {
    enum lcp_status status;
    int pivots;
};

// The tableau takes as much memory again as M: half a gigabyte each at this size.
#define LCP_MOST 8000

// Solves the problem with M stored by rows. z is zero unless it is solved. The threads of the team
// (may be NULL) share the rows of large tableaus.
struct lcp_result lcp_solve(size_t size, const double *M, const double *q, int cap,
                            struct team *team, double *z);

#endif
