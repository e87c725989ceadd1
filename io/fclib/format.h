// Names inside an FCLIB file, shared by its reader and its writer.
//
// W is stored as in CSparse: m rows, n columns, entries i and x, and p by the kind that nz tells.
// In triplets p is the column and i the row, as Siconos writes them; the comment in fclib.h says
// the opposite.
#ifndef IO_FCLIB_FORMAT_H
#define IO_FCLIB_FORMAT_H

#define FCLIB_LOCAL     "/fclib_local"
#define FCLIB_GLOBAL    "/fclib_global"
#define FCLIB_SPACEDIM  FCLIB_LOCAL "/spacedim"
#define FCLIB_W         FCLIB_LOCAL "/W"
#define FCLIB_VECTORS   FCLIB_LOCAL "/vectors"
#define FCLIB_INFO      FCLIB_LOCAL "/info"
#define FCLIB_SOLUTION  "/solution"
#define FCLIB_ROWS      -2 // nz of compressed rows
#define FCLIB_COLUMNS   -1 // of compressed columns; 0 or more: that many triplets
#define FCLIB_DIMENSION 3

#endif
