// The one place that knows the version.
#ifndef IO_TEXT_VERSION_H
#define IO_TEXT_VERSION_H

#define GABION_VERSION "0.1.0"

#endif
