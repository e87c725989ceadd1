// Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos/) through its public
// interface. What its authors recommend (Acary, Bremond, Huber, "On solving contact problems with
// Coulomb friction", 2018) and what did well on the problems of this bench.
#include <stdlib.h>

#include <numerics/FrictionContactProblem.h>
#include <numerics/Friction_cst.h>
#include <numerics/NonSmoothDrivers.h>
#include <numerics/NumericsMatrix.h>
#include <numerics/NumericsSparseMatrix.h>
#include <numerics/NumericsVerbose.h>
#include <numerics/SolverOptions.h>
#include <numerics/SparseBlockMatrix.h>

#include "parallel/memory.h"
#include "tests/bench/race.h"
#include "tests/bench/watch.h"

#define MANY 10000000 // iterations: the race has limits of time

enum storage { BLOCKS, SPARSE };

// One number of the options of the solver (level 0), of the one inside it (1), or inside that (2).
struct change {
    enum { END, INTEGER, REAL } kind;
    int level, index;
    double value;
};

struct setting {
    int solver[3]; // at each level; 0: as Siconos has it
    enum storage storage;
    struct change changes[8];
};

static unsigned int *cumulated_sizes(int32_t contacts) {
    unsigned int *size = calloc((size_t)contacts, sizeof *size);
    for (int32_t a = 0; a < contacts; a++)
        size[a] = 3 * ((unsigned int)a + 1);
    return size;
}

// Siconos frees with free(), so nothing here is from memory.h.
static SparseBlockStructuredMatrix *block_matrix(const struct contact_problem *problem) {
    const struct contact_matrix *W = &problem->matrix;
    size_t contacts = (size_t)problem->contacts, blocks = W->start[contacts];
    SparseBlockStructuredMatrix *M = SBM_new();
    M->nbblocks = (unsigned int)blocks;
    M->blocknumber0 = M->blocknumber1 = (unsigned int)contacts;
    M->blocksize0 = cumulated_sizes(problem->contacts);
    M->blocksize1 = cumulated_sizes(problem->contacts);
    M->filled1 = contacts + 1;
    M->filled2 = blocks;
    M->index1_data = calloc(contacts + 1, sizeof *M->index1_data);
    M->index2_data = calloc(blocks, sizeof *M->index2_data);
    M->block = calloc(blocks, sizeof *M->block);
    for (size_t a = 0; a <= contacts; a++)
        M->index1_data[a] = W->start[a];
    for (size_t e = 0; e < blocks; e++) {
        M->index2_data[e] = (size_t)W->column[e];
        M->block[e] = calloc(9, sizeof **M->block);
        for (int k = 0; k < 9; k++)
            M->block[e][k] = W->value[e * CONTACT_BLOCK + (size_t)(4 * (k / 3) + k % 3)];
    }
    return M;
}

static NumericsMatrix *sparse_matrix(const struct contact_problem *problem) {
    const struct contact_matrix *W = &problem->matrix;
    int size = 3 * problem->contacts;
    NumericsMatrix *M = NM_create(NM_SPARSE, size, size);
    NM_triplet_alloc(M, (CS_INT)(9 * W->start[problem->contacts]));
    M->matrix2->origin = NSM_TRIPLET;
    for (int32_t a = 0; a < problem->contacts; a++)
        for (size_t e = W->start[a]; e < W->start[a + 1]; e++)
            for (int k = 0; k < 9; k++)
                NM_entry(M, 3 * a + k % 3, 3 * W->column[e] + k / 3,
                         W->value[e * CONTACT_BLOCK + (size_t)(4 * (k / 3) + k % 3)]);
    NM_csc(M);
    return M;
}

static double *copy_of(const double *values, size_t count) {
    double *copy = calloc(count, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = values[i];
    return copy;
}

static FrictionContactProblem *problem_in(const struct contact_problem *problem,
                                          enum storage storage) {
    int size = 3 * problem->contacts;
    NumericsMatrix *M =
        storage == SPARSE ? sparse_matrix(problem) : NM_new_SBM(size, size, block_matrix(problem));
    return frictionContactProblem_new_with_data(3, problem->contacts, M,
                                                copy_of(problem->q, (size_t)size),
                                                copy_of(problem->mu, (size_t)problem->contacts));
}

static SolverOptions *options_of(const struct setting *setting, double tolerance) {
    SolverOptions *options = solver_options_create(setting->solver[0]);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = MANY;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    SolverOptions *level[3] = {options, NULL, NULL};
    for (int k = 1; k < 3 && level[k - 1]->numberOfInternalSolvers > 0; k++) {
        if (setting->solver[k] != 0)
            solver_options_update_internal(level[k - 1], 0, setting->solver[k]);
        level[k] = level[k - 1]->internalSolvers[0];
    }
    for (const struct change *change = setting->changes; change->kind != END; change++)
        if (change->kind == INTEGER)
            level[change->level]->iparam[change->index] = (int)change->value;
        else
            level[change->level]->dparam[change->index] = change->value;
    return options;
}

static struct race_run siconos_solve(const struct entrant *entrant, struct contact_problem *problem,
                                     double tolerance, double *r) {
    const struct setting *setting = entrant->setting;
    numerics_set_verbose(0);
    FrictionContactProblem *theirs = problem_in(problem, setting->storage);
    SolverOptions *options = options_of(setting, tolerance);
    double *u = memory_allocate(contact_problem_size(problem), sizeof *u, "velocities");
    struct watch start = watch_start();
    fc3d_driver(theirs, r, u, options);
    struct race_run run = {watch_stop(&start), options->iparam[SICONOS_IPARAM_ITER_DONE]};
    memory_free(u);
    solver_options_delete(options);
    frictionContactProblem_free(theirs);
    return run;
}

#define FC3D(name) SICONOS_FRICTION_3D_##name
#define INT(level, index, value)                                                                   \
    { INTEGER, level, index, value }
#define NUM(level, index, value)                                                                   \
    { REAL, level, index, value }
#define AS_IT_IS                                                                                   \
    { END, 0, 0, 0 }
// When sweeps measure the error: each time, every tenth time, or only once r hardly changes.
#define EACH(level)  INT(level, FC3D(IPARAM_ERROR_EVALUATION), FC3D(NSGS_ERROR_EVALUATION_FULL))
#define TENTH(level) EACH(level), INT(level, FC3D(IPARAM_ERROR_EVALUATION_FREQUENCY), 10)
#define LIGHT(level)                                                                               \
    INT(level, FC3D(IPARAM_ERROR_EVALUATION), FC3D(NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL))
#define RELAX(omega)                                                                               \
    INT(0, FC3D(NSGS_RELAXATION), FC3D(NSGS_RELAXATION_TRUE)),                                     \
        NUM(0, FC3D(NSGS_RELAXATION_VALUE), omega)
#define SHUFFLE         INT(0, FC3D(NSGS_SHUFFLE), FC3D(NSGS_SHUFFLE_TRUE))
#define SYMMETRY(which) INT(0, FC3D(ADMM_IPARAM_SYMMETRY), FC3D(ADMM_##which))
#define CONSTANT_RHO    INT(0, FC3D(ADMM_IPARAM_RHO_STRATEGY), FC3D(ADMM_RHO_STRATEGY_CONSTANT))
// Weight of the proximal term: sigma times the error.
#define SIGMA(sigma)         NUM(0, FC3D(PROXIMAL_DPARAM_SIGMA), sigma)
#define MUMPS(level)         INT(level, FC3D(NSN_LINEAR_SOLVER), FC3D(NSN_USE_MUMPS))
#define SEARCH(level, which) INT(level, FC3D(NSN_LINESEARCH), FC3D(NSN_LINESEARCH_##which))

#define SWEEPS(name, local, ...)                                                                   \
    {                                                                                              \
        name, false, siconos_solve, 0, &(const struct setting) {                                   \
            {FC3D(NSGS), local}, BLOCKS, { __VA_ARGS__ }                                           \
        }                                                                                          \
    }
#define OTHER(name, solver, storage, ...)                                                          \
    {                                                                                              \
        name, false, siconos_solve, 0, &(const struct setting) {                                   \
            {solver}, storage, { __VA_ARGS__ }                                                     \
        }                                                                                          \
    }
#define PROX(name, inner, local, storage, ...)                                                     \
    {                                                                                              \
        name, false, siconos_solve, 0, &(const struct setting) {                                   \
            {FC3D(PROX), inner, local}, storage, { __VA_ARGS__ }                                   \
        }                                                                                          \
    }

static const struct entrant entrants[] = {
    SWEEPS("nsgs quartic each", FC3D(ONECONTACT_QUARTIC), EACH(0)),
    SWEEPS("nsgs quartic tenth", FC3D(ONECONTACT_QUARTIC), TENTH(0)),
    SWEEPS("nsgs quartic light", FC3D(ONECONTACT_QUARTIC), LIGHT(0)),
    SWEEPS("nsgs quartic 1.3 tenth", FC3D(ONECONTACT_QUARTIC), RELAX(1.3), TENTH(0)),
    SWEEPS("nsgs quartic 1.5 tenth", FC3D(ONECONTACT_QUARTIC), RELAX(1.5), TENTH(0)),
    SWEEPS("nsgs quartic shuffle tenth", FC3D(ONECONTACT_QUARTIC), SHUFFLE, TENTH(0)),
    SWEEPS("nsgs nsn each", FC3D(ONECONTACT_NSN), EACH(0)),
    SWEEPS("nsgs nsn tenth", FC3D(ONECONTACT_NSN), TENTH(0)),
    SWEEPS("nsgs nsn light", FC3D(ONECONTACT_NSN), LIGHT(0)),
    SWEEPS("nsgs nsn 1.3 each", FC3D(ONECONTACT_NSN), RELAX(1.3), EACH(0)),
    SWEEPS("nsgs nsn 1.3 tenth", FC3D(ONECONTACT_NSN), RELAX(1.3), TENTH(0)),
    SWEEPS("nsgs nsn 0.6 tenth", FC3D(ONECONTACT_NSN), RELAX(0.6), TENTH(0)),
    SWEEPS("nsgs nsn shuffle tenth", FC3D(ONECONTACT_NSN), SHUFFLE, TENTH(0)),
    SWEEPS("nsgs nsn shuffle 1.3 tenth", FC3D(ONECONTACT_NSN), SHUFFLE, RELAX(1.3), TENTH(0)),
    SWEEPS("nsgs quartic-nu each", FC3D(ONECONTACT_QUARTIC_NU), EACH(0)),
    SWEEPS("nsgs quartic-nu tenth", FC3D(ONECONTACT_QUARTIC_NU), TENTH(0)),
    SWEEPS("nsgs quartic-nu 1.3 tenth", FC3D(ONECONTACT_QUARTIC_NU), RELAX(1.3), TENTH(0)),
    SWEEPS("nsgs quartic-nu 1.5 tenth", FC3D(ONECONTACT_QUARTIC_NU), RELAX(1.5), TENTH(0)),
    SWEEPS("nsgs quartic-nu shuffle tenth", FC3D(ONECONTACT_QUARTIC_NU), SHUFFLE, TENTH(0)),
    SWEEPS("nsgs nsn-gp each", FC3D(ONECONTACT_NSN_GP), EACH(0)),
    SWEEPS("nsgs nsn-gp tenth", FC3D(ONECONTACT_NSN_GP), TENTH(0)),
    SWEEPS("nsgs hybrid each", FC3D(ONECONTACT_NSN_GP_HYBRID), EACH(0)),
    SWEEPS("nsgs hybrid tenth", FC3D(ONECONTACT_NSN_GP_HYBRID), TENTH(0)),
    SWEEPS("nsgs hybrid light", FC3D(ONECONTACT_NSN_GP_HYBRID), LIGHT(0)),
    SWEEPS("nsgs cone each", FC3D(ONECONTACT_ProjectionOnCone), EACH(0)),
    SWEEPS("nsgs cone tenth", FC3D(ONECONTACT_ProjectionOnCone), TENTH(0)),
    SWEEPS("nsgs cone-local tenth", FC3D(ONECONTACT_ProjectionOnConeWithLocalIteration), TENTH(0)),
    SWEEPS("nsgs cone-local light", FC3D(ONECONTACT_ProjectionOnConeWithLocalIteration), LIGHT(0)),
    OTHER("dsfp", FC3D(DSFP), BLOCKS, AS_IT_IS),
    OTHER("admm", FC3D(ADMM), SPARSE, AS_IT_IS),
    OTHER("admm asymmetric", FC3D(ADMM), SPARSE, SYMMETRY(FORCED_ASYMMETRY), CONSTANT_RHO),
    OTHER("admm symmetric", FC3D(ADMM), SPARSE, SYMMETRY(FORCED_SYMMETRY), CONSTANT_RHO),
    OTHER("admm symmetrized", FC3D(ADMM), SPARSE, SYMMETRY(SYMMETRIZE), CONSTANT_RHO),
    PROX("prox nsn-ac 0.05 blocks", FC3D(NSN_AC), 0, BLOCKS, SIGMA(0.05)),
    PROX("prox nsn-ac 0.05 sparse", FC3D(NSN_AC), 0, SPARSE, SIGMA(0.05)),
    PROX("prox nsn-ac 0.5 blocks", FC3D(NSN_AC), 0, BLOCKS, SIGMA(0.5)),
    PROX("prox nsn-ac 0.5 sparse", FC3D(NSN_AC), 0, SPARSE, SIGMA(0.5)),
    PROX("prox nsn-ac 5 blocks", FC3D(NSN_AC), 0, BLOCKS, SIGMA(5)),
    PROX("prox nsn-ac 5 sparse", FC3D(NSN_AC), 0, SPARSE, SIGMA(5)),
    PROX("prox nsn-fb 0.5 blocks", FC3D(NSN_FB), 0, BLOCKS, SIGMA(0.5)),
    PROX("prox nsn-fb 0.5 sparse", FC3D(NSN_FB), 0, SPARSE, SIGMA(0.5)),
    PROX("prox nsn-fb 5 blocks", FC3D(NSN_FB), 0, BLOCKS, SIGMA(5)),
    PROX("prox nsn-fb 5 sparse", FC3D(NSN_FB), 0, SPARSE, SIGMA(5)),
    PROX("prox nsn-ac no-search", FC3D(NSN_AC), 0, SPARSE, SEARCH(1, NO)),
    PROX("prox nsgs nsn", FC3D(NSGS), FC3D(ONECONTACT_NSN), BLOCKS, AS_IT_IS),
    PROX("prox nsgs quartic", FC3D(NSGS), FC3D(ONECONTACT_QUARTIC), BLOCKS, AS_IT_IS),
    OTHER("nsn-ac", FC3D(NSN_AC), SPARSE, AS_IT_IS),
    OTHER("nsn-ac blocks", FC3D(NSN_AC), BLOCKS, AS_IT_IS),
    OTHER("nsn-ac no-search", FC3D(NSN_AC), SPARSE, SEARCH(0, NO)),
    OTHER("nsn-ac vi-eg", FC3D(NSN_AC), SPARSE,
          INT(0, FC3D(NSN_HYBRID_STRATEGY), FC3D(NSN_HYBRID_STRATEGY_VI_EG_NSN))),
    OTHER("nsn-ac jean-moreau", FC3D(NSN_AC), SPARSE,
          INT(0, FC3D(NSN_FORMULATION), FC3D(NSN_FORMULATION_JEANMOREAU_STD))),
    OTHER("nsn-fb", FC3D(NSN_FB), SPARSE, AS_IT_IS),
    OTHER("nsn-fb mumps", FC3D(NSN_FB), SPARSE, MUMPS(0)),
};

size_t siconos_entrants(const struct entrant **list) {
    *list = entrants;
    return sizeof entrants / sizeof *entrants;
}
