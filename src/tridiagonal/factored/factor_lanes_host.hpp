// factor_lanes_host.hpp: how the host backend shares out a batch whose factors are kept, and where it keeps them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/scaled_product.hpp"
#include "core/workspace.hpp"
#include "tridiagonal/nopivot/elimination_lanes_host.hpp"
#include "tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// A batch is cut into panels of neighbouring systems. An array of factors holds panel after panel, and in a panel row
// after row, the lanes of a row side by side. Where panels begin depends on the shape alone, so that factors and bits
// are the same for every number of threads.
template <class T>
class Panels {
public:
    Panels(xbatchLayout_t layout, int64_t n, int64_t batch) : n_(n), batch_(batch) {
        constexpr int64_t panel_bytes = 1 << 20;  // of one array: so much stays in a core's cache
        constexpr int64_t enough_panels = 32;     // for the threads of most machines
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

    // f(j, lanes) for the parts in which a panel is worked on: no wider than suits arrays that lie as `at` says, and
    // none across two blocks that are as large as a part.
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

// Some lanes of one panel: element (i, l) of each array is at [i*pitch + l], or at [i*pitch] where `shared`.
template <class T>
struct LuTile {
    int64_t rows, pitch;
    bool shared;
    T *l, *inverse, *u, *u2;
    int16_t *words;
};

// P S A = L U. Elimination holds one row with entries p_i, q_i in columns i, i+1 and takes up row i+1 of S A, a, b, c
// in columns i, i+1, i+2. The second is the pivot row i of U where a is more than twice p_i, otherwise the first; the
// other minus l_{i+1} times it is held on. inverse_i = 1 / U(i, i), u_i = U(i, i+1), u2_i = U(i, i+2); l_0 = 0. words_i
// is 2 e + w: row i of A was scaled by 2^-e, and w = 1 where it became the pivot row of column i-1.
template <class T>
struct LuFactors {
    FactorHeader *header;
    Real<T> *norms[2];  // [XBATCH_NORM_…][sets]: of A, NaN where A cannot be solved with
    LuTile<T> all;
    size_t bytes;

    LuFactors(int64_t n, int64_t sets, void *buffer) {
        Carver carver(buffer);
        header = carver.take<FactorHeader>(1);
        for (Real<T> *&norm : norms) norm = carver.take<Real<T>>(sets);
        all = {n, 0, false, nullptr, nullptr, nullptr, nullptr, nullptr};
        for (T **array : {&all.l, &all.inverse, &all.u, &all.u2}) *array = carver.take<T>(n, sets);
        all.words = carver.take<int16_t>(n, sets);
        bytes = carver.bytes();
    }

    LuTile<T> tile(int64_t offset, int64_t pitch, bool shared) const {
        return {all.rows,          pitch, shared, all.l + offset, all.inverse + offset, all.u + offset, all.u2 + offset,
                all.words + offset};
    }
};

// A scratch of neighbouring lanes, as an array of right-hand sides
template <class T>
Lanes<T> scratch_lanes(int count) {
    Lanes<T> lanes;
    lanes.count = count, lanes.step = count;
    for (int l = 0; l < count; ++l) lanes.at[l] = l;
    return lanes;
}

// Solve op(A) x = b in place; y is a scratch [rows][lanes] where the lanes of b are not adjacent.
template <class T>
void solve_tile(const LuTile<T> &tile, xbatchOperation_t op, T *b, const Lanes<T> &lanes, T *y);

// Scratch for each thread, as many elements a lane as asked for
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

// The product of many numbers in each lane, as mantissa * 2^exponent: it neither overflows nor underflows.
template <class T>
struct Products {
    alignas(64) T mantissa[max_lanes<T>];
    alignas(64) Exponent<Real<T>> recent[max_lanes<T>];  // of the exponent: the rows since the last fold()
    alignas(64) int64_t exponent[max_lanes<T>];

    explicit Products(int lanes) {
        for (int k = 0; k < lanes; ++k) mantissa[k] = T(1), recent[k] = 0, exponent[k] = 0;
    }
    void fold(int lanes) {  // after 2^16 rows at most
        for (int k = 0; k < lanes; ++k) exponent[k] += recent[k], recent[k] = 0;
    }
};

// Arithmetic in forms without branches, for SIMD loops: 2^e for a normal exponent, the choice of an element, the
// modulus of what is neither very large nor very small, the larger part
template <class R>
inline R power(Exponent<R> e) {
    using B = typename BitsOf<R>::type;
    return real_of(typename B::Word(typename B::Word(e + B::bias) << B::mantissa));
}

template <class T>
inline T select(bool first, const T &a, const T &b) {
    return first ? a : b;
}
template <class R>
inline Complex<R> select(bool first, const Complex<R> &a, const Complex<R> &b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}

inline float modulus(float a) { return std::fabs(a); }
inline double modulus(double a) { return std::fabs(a); }
template <class R>
inline R modulus(Complex<R> a) {
    return std::sqrt(a.re * a.re + a.im * a.im);
}
// as magnitude(): NaN in either part is the larger one
inline float larger_part(float a) { return std::fabs(a); }
inline double larger_part(double a) { return std::fabs(a); }
template <class R>
inline R larger_part(Complex<R> a) {
    const R x = std::fabs(a.re), y = std::fabs(a.im);
    return bool(int(x > y) | int(x != x)) ? x : y;
}

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
