// Work of direct calls that several threads share.
#pragma once

#include "objects.h"

namespace headrace {

// Calls `part(job, first, last)` for so many parts that make up [0, count), on so many threads at most, of which the caller is
// one: a thread that is done takes the next part. It must not throw, and runs without Python's lock.
using Part = void (*)(const void* job, int64_t first, int64_t last);
void share(int64_t count, int64_t parts, int64_t threads, Part part, const void* job);

template <class F>
void share(int64_t count, int64_t parts, int64_t threads, const F& compute) {
  share(count, parts, threads,
        [](const void* job, int64_t first, int64_t last) { (*static_cast<const F*>(job))(first, last); }, &compute);
}
// One part for each thread.
template <class F>
void share(int64_t count, int64_t threads, const F& compute) {
  share(count, threads, threads, compute);
}

// use_team(address): where `GOMP_parallel` is, of the OpenMP library that torch runs its kernels with; 0 for none.
PyObject* use_team(PyObject*, PyObject* address);

}  // namespace headrace
