// factor_lanes_host.hpp: how the host backend divides a batch whose factors are stored, and the layout of the factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scaled_product.hpp"
#include "tridiagonal/nopivot/factor_once_host.hpp"
#include "tridiagonal/pivoted/lu_lanes_host.hpp"
#include "tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// A batch is cut into panels of adjacent systems. An array of factors holds the panels in sequence; within a panel the
// lanes of a row are adjacent. Where panels begin depends on the shape alone, so that factors and bits are the same for
// every number of threads.
template <class T>
class Panels {
public:
    Panels(xbatchLayout_t layout, int64_t n, int64_t batch) : n_(n), batch_(batch) {
        constexpr int64_t panel_bytes = 1 << 20;  // of one array: fits in a core's cache
        constexpr int64_t enough_panels = 32;     // enough for the threads of most machines
        const int64_t widest = layout == XBATCH_LAYOUT_FLAT ? gathered_lanes<T> : max_lanes<T>;
        const int64_t cached = panel_bytes / int64_t(sizeof(T)) / n / simd_lanes<T> * simd_lanes<T>;
        const int64_t shared_out = whole_simd_lanes<T>((batch + enough_panels - 1) / enough_panels);
        width_ = std::min({widest, std::max<int64_t>(std::min(cached, shared_out), gathered_lanes<T>), batch});
    }

    int64_t width() const { return width_; }  // of all panels but the last
    int64_t count() const { return (batch_ + width_ - 1) / width_; }
    int64_t begin(int64_t panel) const { return panel * width_; }
    int64_t end(int64_t panel) const { return std::min(begin(panel) + width_, batch_); }
    int64_t pitch(int64_t panel) const { return end(panel) - begin(panel); }
    // Row 0 of system j of the panel in an array of factors
    int64_t offset(int64_t panel, int64_t j) const { return begin(panel) * n_ + (j - begin(panel)); }

    // f(j, lanes) for the lane groups of a panel: no wider than suits arrays with the placement `at`, and none across
    // two blocks that are as large as a group.
    template <class F>
    void for_each_part(int64_t panel, const Placement &at, F f) const {
        const bool in_blocks = at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && at.ld >= gathered_lanes<T>;
        for (int64_t j = begin(panel), last; j < end(panel); j = last) {
            last = std::min(end(panel), j + lanes_for<T>(at));
            if (in_blocks) last = std::min(last, (j / at.ld + 1) * at.ld);
            f(j, int(last - j));
        }
    }

private:
    int64_t n_, batch_, width_;
};

// Stored LU factors
template <class T>
struct LuFactors {
    FactorHeader *header;
    Real<T> *norms[2];  // [XBATCH_NORM_…][sets]: of A, NaN for an A that cannot be solved
    LuTile<T> all;
    size_t bytes;

    LuFactors(int64_t n, int64_t sets, void *buffer) {
        Carver carver(buffer);
        header = carver.take<FactorHeader>(1);
        for (Real<T> *&norm : norms) norm = carver.take<Real<T>>(sets);
        all = {n, 0, false, nullptr, nullptr, nullptr, nullptr, nullptr};
        for (T **array : {&all.l, &all.inverse, &all.first, &all.second}) *array = carver.take<T>(n, sets);
        all.words = carver.take<int16_t>(n, sets);
        bytes = carver.bytes();
    }

    LuTile<T> tile(int64_t offset, int64_t pitch, bool shared) const {
        LuTile<T> tile = all.from_lane(offset, shared);
        tile.pitch = pitch;
        return tile;
    }
};

// The lanes of a scratch array of right-hand sides
template <class T>
Lanes<T> scratch_lanes(int count) {
    Lanes<T> lanes;
    lanes.count = count, lanes.step = count;
    for (int l = 0; l < count; ++l) lanes.at[l] = l;
    return lanes;
}

// Scratch for each thread, with the given number of elements per lane
template <class T>
struct FactorScratch {
    int64_t threads, of_thread;
    T *first;
    size_t bytes;

    FactorScratch(const Context &context, const Panels<T> &panels, int64_t elements_of_lane, void *workspace)
        : threads(std::min<int64_t>(thread_count(context), panels.count())),
          of_thread(whole_lines(counted_product(elements_of_lane, panels.width()))) {
        Carver carver(workspace);
        first = carver.take<T>(threads, of_thread);
        bytes = carver.bytes();
    }
    T *of(int64_t thread) const { return first + thread * of_thread; }
};

template <class T, class Problem>
FactorScratch<T> stored_scratch(const Context &context, const Problem &p, const Panels<T> &panels, int64_t at_once,
                                void *workspace) {
    const int64_t sides = p.layout == XBATCH_LAYOUT_INTERLEAVED ? 0 : std::min(at_once, p.nrhs);
    return {context, panels, counted_product(sides, p.n), workspace};
}

// A solve with stored factors: solve(offset, pitch, shared, lanes, y, sides, apart) for all right-hand sides, `sides`
// at once, which are `apart` in B. Row 0 of the lanes' factors is at `offset` of each array and, if not shared, the
// next rows are `pitch` apart. One matrix, and few matrices with many right-hand sides, form a single panel.
template <class T, class Problem, class Solve>
void solve_stored(const Context &context, const Problem &p, int64_t at_once, void *workspace, Solve solve) {
    if (const int64_t sets = shared_sets<T>(p, p.sets == 1)) {
        const ColumnsPlan<T> plan(context, p, sets, 0, workspace);
        for_each_group_of(plan, p, [&](int64_t, int64_t set, const Lanes<T> &lanes, T *y) {
            solve(set, sets, true, lanes, y, 1, 0);
        });
        return;
    }
    const Panels<T> panels(p.layout, p.n, p.batch);
    const FactorScratch<T> scratch = stored_scratch(context, p, panels, at_once, workspace);
    const bool shared = p.sets == 1;
#pragma omp parallel for schedule(static) num_threads(team_size(scratch.threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.b_at, [&](int64_t j, int lanes) {
            const int64_t apart = p.b_at.base(j, 1) - p.b_at.base(j, 0);
            for (int64_t r = 0; r < p.nrhs; r += at_once)
                solve(shared ? 0 : panels.offset(panel, j), shared ? 1 : panels.pitch(panel), shared,
                      system_lanes<T>(p.b_at, j, lanes, r), scratch.of(omp_get_thread_num()),
                      std::min(at_once, p.nrhs - r), apart);
        });
}
template <class T, class Problem>
size_t stored_bytes(const Context &context, const Problem &p, int64_t at_once) {
    if (const int64_t sets = shared_sets<T>(p, p.sets == 1)) return ColumnsPlan<T>(context, p, sets, 0, nullptr).bytes;
    return stored_scratch(context, p, Panels<T>(p.layout, p.n, p.batch), at_once, nullptr).bytes;
}

// The product of many numbers in each lane, as mantissa * 2^exponent: it neither overflows nor underflows.
template <class T>
struct Products {
    alignas(64) T mantissa[max_lanes<T>];
    alignas(64) Exponent<Real<T>> recent[max_lanes<T>];  // of the exponent: the rows since the last fold()
    alignas(64) int64_t exponent[max_lanes<T>];

    explicit Products(int lanes) {
        for (int k = 0; k < lanes; ++k) mantissa[k] = T(1), recent[k] = 0, exponent[k] = 0;
    }
    void fold(int lanes) {  // at the latest after 2^16 rows
        for (int k = 0; k < lanes; ++k) exponent[k] += recent[k], recent[k] = 0;
    }
};

// One lane of one row of a product
template <class T>
inline void multiply(const T &factor, T &mantissa, Exponent<Real<T>> &exponent) {
    Exponent<Real<T>> of_factor, of_product;
    const Real<T> f = normaliser(factor, of_factor);
    const T product = mantissa * scaled(factor, f);
    const Real<T> g = normaliser(product, of_product);
    mantissa = scaled(product, g);
    exponent += of_factor + of_product;
}

}  // namespace xbatch::tridiagonal
