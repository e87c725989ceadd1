// Names inside an FCLIB file, shared by its reader and its writer.
//
// W is stored as in CSparse: m rows, n columns, entries i and x, and p, whose meaning depends on
// nz. In triplets p is the column and i the row, as Siconos writes them; the comment in fclib.h
// says the opposite.
#ifndef IO_FCLIB_FORMAT_H
#define IO_FCLIB_FORMAT_H

#define FCLIB_LOCAL    "/fclib_local"
#define FCLIB_GLOBAL   "/fclib_global"
#define FCLIB_SPACEDIM FCLIB_LOCAL "/spacedim"
#define FCLIB_W        FCLIB_LOCAL "/W"
#define FCLIB_VECTORS  FCLIB_LOCAL "/vectors"
#define FCLIB_INFO     FCLIB_LOCAL "/info"
#define FCLIB_SOLUTION "/solution"
#define FCLIB_GUESSES  "/guesses"
#define FCLIB_GUESS    FCLIB_GUESSES "/1" // the impulses that the run started from

// What Gabion adds to the files it writes, and other readers pass over: the contacts and bodies
// that W and q were made of, so that the step can be solved again exactly as in the run.
#define FCLIB_STEP      "/gabion"
#define FCLIB_BODIES    FCLIB_STEP "/bodies"
#define FCLIB_CONTACT   FCLIB_STEP "/contacts"
#define FCLIB_LAWS      FCLIB_STEP "/laws"
#define FCLIB_ROWS      -2 // nz of compressed rows
#define FCLIB_COLUMNS   -1 // of compressed columns; 0 or more: that many triplets
#define FCLIB_DIMENSION 3

#endif
