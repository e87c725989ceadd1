// The sources of the page, put into the program when it is built (Makefile).
#ifndef IO_REPORT_PAGE_H
#define IO_REPORT_PAGE_H

#include <stddef.h>

struct page_part {
    const char *name; // of the file
    const unsigned char *bytes;
    size_t size;
};

// In the order of the page. The data of the run stand behind the first part, the body of the page.
extern const struct page_part page_parts[];
extern const size_t page_part_count;

#endif
