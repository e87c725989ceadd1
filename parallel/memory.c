#include "parallel/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "parallel/available.h"

// The header directly before every array. Arrays are few and large, so its bytes do not matter.
// They keep the alignment that malloc gives, and fit into the cache line before an aligned array.
struct block {
    struct block *next, *previous;  // neighbours in the account's ring
    struct memory_account *account; // NULL: registered nowhere
    void *start;                    // what the system's allocator returned
};
_Static_assert(sizeof(struct block) % alignof(max_align_t) == 0,
               "an array is aligned for any type");
_Static_assert(sizeof(struct block) <= CACHE_LINE, "an aligned array has it in the line before");

// Threads of a team allocate at the same time, hence the lock. They do so a few times per step.
struct memory_account {
    pthread_mutex_t lock;
    struct block ring;  // its next is the first block; itself when there is none
    struct block spare; // likewise: blocks that were lent, given back and are to be lent again
};

// One memory_try under way.
struct guard {
    jmp_buf jump;
    struct guard *outer;
    struct memory_account *account; // current before this guard
    struct gabion_error *error;
};

static _Thread_local struct guard *innermost;
static _Thread_local struct memory_account *current;

// Guards --------------------------------------------------------------------------------------

static void guard_end(const struct guard *guard) {
    innermost = guard->outer;
    current = guard->account;
}

bool memory_try(struct memory_account *account, void (*work)(void *context), void *context,
                struct gabion_error *error) {
    struct guard guard = {.outer = innermost, .account = current, .error = error};
    if (setjmp(guard.jump) != 0) {
        guard_end(&guard);
        return false;
    }
    innermost = &guard;
    current = account;
    work(context);
    guard_end(&guard);
    return true;
}

_Noreturn void memory_raise(const struct gabion_error *error) {
    if (innermost == NULL) {
        fprintf(stderr, "gabion: %s\n", error->text);
        exit(GABION_ERROR_RUN);
    }
    error_set(innermost->error, error->status, "%s", error->text);
    longjmp(innermost->jump, 1);
}

static void exhausted_set(struct gabion_error *error, size_t count, size_t size, const char *what) {
    error_set(error, GABION_ERROR_MEMORY,
              "out of memory: %zu x %zu bytes for %s. Use a smaller case or a machine with "
              "more memory.",
              count, size, what);
}

_Noreturn void memory_exhausted(size_t count, size_t size, const char *what) {
    struct gabion_error error = {0};
    exhausted_set(&error, count, size, what);
    memory_raise(&error);
}

// Failures made for tests: how many allocations until one fails, that one included; 0: none fails.
static _Atomic int64_t until_failure;

void memory_fail_after(int64_t count) { atomic_store(&until_failure, count < 0 ? 0 : count + 1); }

static bool fails_now(void) {
    return atomic_load_explicit(&until_failure, memory_order_relaxed) > 0 &&
           atomic_fetch_sub(&until_failure, 1) == 1;
}

// Accounts ------------------------------------------------------------------------------------

struct memory_account *memory_account_create(struct gabion_error *error) {
    struct memory_account *account = fails_now() ? NULL : malloc(sizeof *account);
    if (account == NULL) {
        exhausted_set(error, 1, sizeof *account, "a memory account");
        return NULL;
    }
    pthread_mutex_init(&account->lock, NULL);
    account->ring.next = account->ring.previous = &account->ring;
    account->spare.next = account->spare.previous = &account->spare;
    return account;
}

static void ring_free(const struct block *ring) {
    for (struct block *block = ring->next; block != ring;) {
        struct block *next = block->next;
        free(block->start);
        block = next;
    }
}

void memory_account_destroy(struct memory_account *account) {
    if (account == NULL)
        return;
    ring_free(&account->ring);
    ring_free(&account->spare);
    pthread_mutex_destroy(&account->lock);
    free(account);
}

struct memory_account *memory_account_current(void) {
    return current;
}

struct memory_account *memory_account_use(struct memory_account *account) {
    struct memory_account *before = current;
    current = account;
    return before;
}

static void ring_append(struct block *ring, struct block *block) {
    block->next = ring;
    block->previous = ring->previous;
    block->previous->next = block;
    ring->previous = block;
}

static void ring_remove(struct block *block) {
    block->previous->next = block->next;
    block->next->previous = block->previous;
}

static void block_register(struct block *block, struct memory_account *account) {
    block->account = account;
    if (account == NULL)
        return;
    pthread_mutex_lock(&account->lock);
    ring_append(&account->ring, block);
    pthread_mutex_unlock(&account->lock);
}

static void block_unregister(struct block *block) {
    if (block->account == NULL)
        return;
    pthread_mutex_lock(&block->account->lock);
    ring_remove(block);
    pthread_mutex_unlock(&block->account->lock);
}

// Arrays --------------------------------------------------------------------------------------

static struct block *block_of(void *array) { return (struct block *)array - 1; }

// Registers the block of the array that begins `offset` bytes after `start`, and returns the array.
static void *block_begin(void *start, size_t offset, struct memory_account *account) {
    void *array = (char *)start + offset;
    block_of(array)->start = start;
    block_register(block_of(array), account);
    return array;
}

// Arrays from this size on are compared with the memory that is left.
#define LARGE 64e6

static bool is_there(double bytes, double *left) {
    *left = bytes < LARGE ? 0 : available_memory("");
    return *left <= 0 || bytes < *left;
}

static bool is_granted(size_t bytes) {
    double left;
    return !fails_now() && is_there((double)bytes, &left);
}

// "12.5 GB": three digits are enough for an estimate.
static const char *print_bytes(double bytes, char text[32]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t k = 0;
    for (; bytes >= 999.5 && k + 1 < sizeof units / sizeof *units; k++)
        bytes /= 1000;
    snprintf(text, 32, "%.3g %s", bytes, units[k]);
    return text;
}

bool memory_check(double bytes, const char *what, struct gabion_error *error) {
    double left;
    char needed[32], available[32];
    if (is_there(bytes, &left))
        return true;
    return error_set(error, GABION_ERROR_MEMORY,
                     "%s needs about %s of memory, and %s are available. Use a smaller case or a "
                     "machine with more memory.",
                     what, print_bytes(bytes, needed), print_bytes(left, available));
}

// The size of a block whose array begins `offset` bytes after its start. Leaves room for rounding
// up to whole cache lines.
static size_t block_bytes(size_t offset, size_t count, size_t size, const char *what) {
    if (size > 0 && count > (SIZE_MAX - offset - CACHE_LINE) / size)
        memory_exhausted(count, size, what);
    return offset + count * size;
}

void *memory_allocate(size_t count, size_t size, const char *what) {
    size_t bytes = block_bytes(sizeof(struct block), count, size, what);
    void *start = is_granted(bytes) ? calloc(1, bytes) : NULL;
    if (start == NULL)
        memory_exhausted(count, size, what);
    return block_begin(start, sizeof(struct block), current);
}

void *memory_resize(void *old, size_t count, size_t size, const char *what) {
    struct block *block = old ? block_of(old) : NULL;
    struct memory_account *account = block ? block->account : current;
    size_t offset = block ? (size_t)((char *)old - (char *)block->start) : sizeof *block;
    size_t bytes = block_bytes(offset, count, size, what);
    size_t held = block ? malloc_usable_size(block->start) : 0;
    bool granted = is_granted(bytes > held ? bytes - held : 0);
    if (block)
        block_unregister(block); // its neighbours point at it, and it may move
    void *start = granted ? realloc(block ? block->start : NULL, bytes) : NULL;
    if (start == NULL) {
        if (block)
            block_register(block, account);
        memory_exhausted(count, size, what);
    }
    return block_begin(start, offset, account);
}

static size_t grown_capacity(size_t capacity, size_t needed) {
    size_t grown = capacity + capacity / 2;
    return grown > needed ? grown : needed;
}

void *memory_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what) {
    if (array != NULL && needed <= *capacity)
        return array;
    size_t grown = grown_capacity(*capacity, needed);
    array = memory_resize(array, grown, size, what);
    *capacity = grown;
    return array;
}

static size_t whole_lines(size_t bytes) {
    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static void *allocate_aligned(size_t count, size_t size, struct memory_account *account,
                              const char *what) {
    size_t bytes = block_bytes(CACHE_LINE, count, size, what);
    bytes = whole_lines(bytes); // as aligned_alloc demands
    void *start = is_granted(bytes) ? aligned_alloc(CACHE_LINE, bytes) : NULL;
    if (start == NULL)
        memory_exhausted(count, size, what);
    return block_begin(start, CACHE_LINE, account);
}

void *memory_reserve_aligned(void *array, size_t *capacity, size_t needed, size_t size,
                             const char *what) {
    if (array != NULL && needed <= *capacity)
        return array;
    size_t grown = grown_capacity(*capacity, needed);
    struct memory_account *account = array ? block_of(array)->account : current;
    memory_free(array);
    array = allocate_aligned(grown, size, account, what);
    *capacity = grown;
    return array;
}

void memory_free(void *array) {
    if (array == NULL)
        return;
    block_unregister(block_of(array));
    free(block_of(array)->start);
}

// Lent memory ---------------------------------------------------------------------------------

static size_t room_of(struct block *block) {
    return malloc_usable_size(block->start) - (size_t)((char *)(block + 1) - (char *)block->start);
}

// Takes the smallest spare block that has room for so many bytes. Where all are too small, takes
// the largest one out, which a larger block will replace, and returns it in *outgrown.
static struct block *spare_take(struct memory_account *account, size_t bytes,
                                struct block **outgrown) {
    struct block *fitting = NULL, *largest = NULL;
    pthread_mutex_lock(&account->lock);
    for (struct block *block = account->spare.next; block != &account->spare; block = block->next) {
        if (room_of(block) >= bytes && (!fitting || room_of(block) < room_of(fitting)))
            fitting = block;
        if (!largest || room_of(block) > room_of(largest))
            largest = block;
    }
    *outgrown = fitting ? NULL : largest;
    struct block *taken = fitting ? fitting : largest;
    if (taken)
        ring_remove(taken);
    if (fitting)
        ring_append(&account->ring, fitting);
    pthread_mutex_unlock(&account->lock);
    return fitting;
}

void *memory_borrow(size_t bytes, const char *what) {
    struct block *outgrown = NULL;
    struct block *spare = current ? spare_take(current, bytes, &outgrown) : NULL;
    if (spare)
        return spare + 1;
    if (outgrown)
        free(outgrown->start);
    // Counts go up and down by little from step to step.
    return allocate_aligned(bytes + bytes / 16, 1, current, what);
}

void *memory_borrow_parts(struct memory_part *parts, size_t count, const char *what) {
    size_t bytes = 0;
    for (size_t k = 0; k < count; k++)
        bytes += whole_lines(parts[k].bytes);
    char *lent = memory_borrow(bytes, what), *next = lent;
    for (size_t k = 0; k < count; k++) {
        parts[k].start = next;
        next += whole_lines(parts[k].bytes);
    }
    return lent;
}

void memory_return(void *lent) {
    struct block *block = lent ? block_of(lent) : NULL;
    if (block == NULL || block->account == NULL) {
        memory_free(lent);
        return;
    }
    pthread_mutex_lock(&block->account->lock);
    ring_remove(block);
    ring_append(&block->account->spare, block);
    pthread_mutex_unlock(&block->account->lock);
}

// Tuning --------------------------------------------------------------------------------------

// glibc gets every piece above the first threshold from the system and returns it when freed; 32 MB
// is the largest threshold it accepts. Other C libraries are left as they are.
void memory_keep_freed(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}
