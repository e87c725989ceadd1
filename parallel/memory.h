// Arrays that grow, and what happens when memory runs out.
//
// The functions that allocate never return NULL, so that the code that stores something needs no
// error path of its own. When memory runs out they hand control to the innermost guard of their
// thread: memory_try, which called the work in which the allocation failed, returns false with
// GABION_ERROR_MEMORY. Without a guard the program prints the message and ends with status 1; only
// programs that own their process, such as the command line and the tests, may rely on that.
//
// The failed work does not return: memory_try leaves it by longjmp. This has three consequences.
// - What the work was changing may be half changed, and a pointer in it may be dangling. It must
//   not be read or freed piece by piece. An account knows every block that was allocated for it,
//   and memory_account_destroy frees them all without looking at their contents.
// - What is not memory (a file, a lock, a library's handle) is not released. A function that holds
//   such a thing while it allocates runs the allocating part in a memory_try of its own.
// - A thread of a team leaves its own work only. team_run then stops the other threads and fails in
//   the thread that called it, so that one guard around a whole step catches the failures of all.
//
// Programs that run several worlds give each its account: failures and blocks never mix.
#ifndef PARALLEL_MEMORY_H
#define PARALLEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/error.h"

// Arrays --------------------------------------------------------------------------------------
//
// `what` names the contents in messages ("contacts"). `count` elements of `size` bytes may be none:
// the result is not NULL even then.

// Returns a new array of zeros.
void *memory_allocate(size_t count, size_t size, const char *what);

// Changes the size of an array and returns its new place; `old` may be NULL. Contents are kept, new
// elements are not initialised.
void *memory_resize(void *old, size_t count, size_t size, const char *what);

// Makes room for `needed` elements, growing by at least half. Returns the array's new place and
// updates *capacity. Contents are kept, new elements are not initialised.
void *memory_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what);

// The same for arrays that are read in inner loops: they start on a cache line, so that a 64-byte
// record never straddles two. Contents are not kept when the array grows; the old array is freed
// before the new one is allocated, so that both never take memory at once.
#define CACHE_LINE 64
void *memory_reserve_aligned(void *array, size_t *capacity, size_t needed, size_t size,
                             const char *what);

// Lends memory for one phase of a step, which starts on a cache line and is not initialised. It is
// given back by memory_return, in any order. The account keeps it and lends it again: phases that
// never overlap in time share memory, and no step gets pages anew from the system.
void *memory_borrow(size_t bytes, const char *what);
void memory_return(void *lent); // NULL is allowed

// Lends memory for several arrays, in one piece. Each starts on a cache line.
struct memory_part {
    size_t bytes;
    void *start; // set by the call
};
void *memory_borrow_parts(struct memory_part *parts, size_t count, const char *what);

// Fails with GABION_ERROR_MEMORY where `bytes` are more than what is available. Called before a
// number that a file or a generator gives becomes several arrays: the system would grant each of
// them and kill the process when it fills them. `what` needs the memory ("the wall").
bool memory_check(double bytes, const char *what, struct gabion_error *error);

// Frees an array of any of the functions above but those that lend, from any thread; NULL is
// allowed. Arrays of malloc and of other libraries must not be passed here, nor arrays from here to
// free().
void memory_free(void *array);

// Accounts ------------------------------------------------------------------------------------
//
// A list of all blocks that were allocated for one owner, such as a world, and not yet freed. A
// block stays with the account in which it was first allocated, also when it is resized while
// another one is current.

struct memory_account;

// Returns NULL with an error when memory runs out.
struct memory_account *memory_account_create(struct gabion_error *error);

// Frees every block that is still registered, and the account. NULL is allowed.
void memory_account_destroy(struct memory_account *account);

// The account in which this thread's new blocks are registered, or NULL: a new block is registered
// nowhere, and its owner frees it. Threads of a team use the account of the thread that called
// team_run.
struct memory_account *memory_account_current(void);

// Makes an account current in this thread and returns the one before it. For an object that
// outlives the work it grows in; memory_try is the usual way. A failure puts the guard's account
// back.
struct memory_account *memory_account_use(struct memory_account *account);

// Guards --------------------------------------------------------------------------------------

// Runs work(context) with `account` as this thread's current account (NULL: none). Returns true
// when the work returned, false with an error when memory ran out in it. Guards nest; the innermost
// one catches.
bool memory_try(struct memory_account *account, void (*work)(void *context), void *context,
                struct gabion_error *error);

// Fails as an allocation does: for libraries that report a lack of memory in their own way.
_Noreturn void memory_exhausted(size_t count, size_t size, const char *what);

// Fails with an error that another guard has caught. Releases nothing; see the three consequences.
_Noreturn void memory_raise(const struct gabion_error *error);

// For tests: lets `count` allocations of the whole program succeed and makes the next one fail, as
// if memory had run out; those after it succeed again. A negative count cancels.
void memory_fail_after(int64_t count);

// Tuning --------------------------------------------------------------------------------------

// For programs that run many steps: keeps freed memory in the process instead of returning it to
// the system. The arrays of a step's contact problem take a few megabytes, and getting such pages
// anew in every step takes a twentieth of its time.
void memory_keep_freed(void);

#endif
