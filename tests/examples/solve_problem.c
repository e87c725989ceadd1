// Solves one contact problem: a ball of 1 kg slides along a groove whose two sides rise at 30
// degrees. Each side pushes with g h / (2 cos 30) and brakes with friction times that.
#include <gabion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COS    0.86602540378443864676
#define RADIUS 0.1

static double dot(gabion_vec3 a, gabion_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static gabion_vec3 cross(gabion_vec3 a, gabion_vec3 b) {
    gabion_vec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

int main(void) {
    // Normal, along the groove and across it, of both contacts.
    const gabion_vec3 axis[2][3] = {{{0.5, 0, COS}, {0, 1, 0}, {-COS, 0, 0.5}},
                                    {{-0.5, 0, COS}, {0, 1, 0}, {-COS, 0, -0.5}}};
    const gabion_vec3 free_velocity = {0, 2, -9.81e-3}; // after a step of 1 ms without contacts
    const double inertia = 0.4 * RADIUS * RADIUS;
    double block[4][9], q[6], mu[2] = {0.3, 0.3}, r[6] = {0};
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < 3; i++) {
            q[3 * a + i] = dot(axis[a][i], free_velocity);
            // W = H M^-1 H^T: an impulse at one contact moves and turns the ball at the other.
            for (int b = 0; b < 2; b++)
                for (int j = 0; j < 3; j++) {
                    gabion_vec3 turn_a = cross(axis[a][0], axis[a][i]);
                    gabion_vec3 turn_b = cross(axis[b][0], axis[b][j]);
                    block[2 * a + b][3 * i + j] = dot(axis[a][i], axis[b][j]) +
                                                  RADIUS * RADIUS / inertia * dot(turn_a, turn_b);
                }
        }
    const int64_t row_start[] = {0, 2, 4};
    const int32_t column[] = {0, 1, 0, 1};
    struct gabion_problem problem = {2, row_start, column, block[0], q, mu};
    struct gabion_solver solver = gabion_default_solver();
    struct gabion_solution solution;
    struct gabion_error error = {0};
    solver.tolerance = 1e-12;
    if (!gabion_solve(&problem, &solver, r, &solution, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    printf("converged %d\nresidual %.3g\nmethod %s\n", solution.status == GABION_SOLVE_CONVERGED,
           solution.residual, gabion_method_name(solution.method));
    for (int a = 0; a < 2; a++)
        printf("normal%d %.12g\nalong%d %.12g\nacross%d %.12g\n", a, r[3 * a], a, r[3 * a + 1], a,
               r[3 * a + 2]);
    return EXIT_SUCCESS;
}
