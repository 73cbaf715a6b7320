// whole_lines.cuh: the whole 16-byte lines of adjacent rows, which bulk copies need, and the rows before and behind
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"

namespace xbatch::tridiagonal {

// run(place, element, rows) for the whole lines, of `line` elements, of rows in shared and in global memory;
// edge(place, element) for each row before and behind these. The first row is `from_line` elements behind the beginning
// of a line.
template <int line, class T, class Element, class Run, class Edge>
__device__ inline void split_lines(T *place, Element *element, int from_line, int rows, Run run, Edge edge) {
    const int head = min(rows, -from_line & line - 1), whole = max(0, rows - head) & ~(line - 1);
    if (whole > 0) run(place + head, element + head, whole);
#pragma unroll
    for (int e = 0; e + 1 < line; ++e) {  // fewer than a line each
        const int behind = head + whole + e;
        if (e < head) edge(place + e, element + e);
        if (behind < rows) edge(place + behind, element + behind);
    }
}
// Copies these rows to shared memory, whole lines by TMA. Returns the bytes that the barrier is to expect.
template <int line, class T>
__device__ inline unsigned fetch_lines(T *place, const T *element, int from_line, int rows, TransferBarrier arrival) {
    unsigned bytes = 0;
    split_lines<line>(
        place, element, from_line, rows,
        [&](T *to, const T *from, int count) {
            bytes = unsigned(count) * unsigned(sizeof(T));
            fetch_bytes(to, from, bytes, arrival);
        },
        [](T *to, const T *from) { copy_async<T, 1, 0>(true, shared_address(to), from); });
    return bytes;
}
// And back
template <int line, class T>
__device__ inline void put_lines(T *place, T *element, int from_line, int rows) {
    split_lines<line>(
        place, element, from_line, rows,
        [](T *from, T *to, int count) { put_bytes(to, from, unsigned(count) * unsigned(sizeof(T))); },
        [](T *from, T *to) { *to = *from; });
}

}  // namespace xbatch::tridiagonal
