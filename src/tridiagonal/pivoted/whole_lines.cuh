// whole_lines.cuh: the whole 16-byte lines of adjacent rows, which bulk copies need, and the rows before and behind
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace xbatch::tridiagonal
