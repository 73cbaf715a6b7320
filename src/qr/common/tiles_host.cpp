// tiles_host.cpp: the kernels of tiles_host.hpp, each compiled for three generations of x86-64.
// SPDX-License-Identifier: BSD-3-Clause
#include "tiles_host.hpp"

#include "core/instruction_set.hpp"
#include "four_columns_host.hpp"

namespace xbatch::qr {
namespace {

constexpr int64_t group_columns = 128;  // of a tile that is updated, at a time

// Carves a thread's buffer; each array begins at a cache line, relative to the buffer.
template <class R>
class BufferCarver {
public:
    explicit BufferCarver(R *buffer) : next_(buffer) {}
    R *take(int64_t reals) {
        R *begin = next_;
        next_ += (reals + 15) / 16 * 16;
        return begin;
    }

private:
    R *next_;
};

template <class T>
int64_t area(int64_t rows, int64_t columns) {
    return column_reals<T>(rows) * columns;
}

template <class T>
void load_triangle(const T *from, int64_t ld, int64_t n, const Columns<Real<T>> &to) {
    for (int64_t c = 0; c < n; ++c) {
        for (int64_t r = 0; r <= c; ++r) put<T>(to, r, c, from[c * ld + r]);
        for (int64_t r = c + 1; r < n + spare_rows; ++r) put<T>(to, r, c, T(0));
    }
}
template <class T>
void store_triangle(const Columns<Real<T>> &from, int64_t n, T *to, int64_t ld) {
    for (int64_t c = 0; c < n; ++c)
        for (int64_t r = 0; r <= c; ++r) to[c * ld + r] = get<T>(from, r, c);
}

// Column c of T from tau and g, g_j = v_j^H v_c: T(0:c, c) = -tau T(0:c, 0:c) g; zeros below the diagonal
template <class T>
void extend_triangle(T *triangle, int64_t ld, int64_t c, T tau, const T *g) {
    T *const column = triangle + c * ld;
    std::fill_n(column, ld, T(0));
    for (int64_t j = 0; j < c; ++j) {
        const T *const from = triangle + j * ld, factor = -(tau * g[j]);
        for (int64_t r = 0; r <= j; ++r) column[r] = fma_(from[r], factor, column[r]);
    }
    column[c] = tau;
}

template <class T, class I>
inline int64_t factor_tile(const FactorTile<T> &f, Real<T> *buffer) {
    const TileReflectors<T> &t = f.tile;
    const bool has_top = t.shape != Shape::trapezoid;
    BufferCarver<Real<T>> carver(buffer);
    const auto below = columns_at<T>(carver.take(area<T>(t.rows, t.columns)), t.rows);
    const auto top = columns_at<T>(carver.take(area<T>(t.columns, t.columns)), t.columns);
    FourColumns<T, I> four(carver.take(FourColumns<T, I>::reals(t.rows)), t.rows);
    T *const g = reinterpret_cast<T *>(carver.take(4 * t.ib * parts<T>));
    if (t.shape == Shape::triangle)
        load_triangle(t.v, t.ldv, t.columns, below);
    else
        load(Strided<T>{t.v, 1, t.ldv}, t.rows, t.columns, below);
    if (has_top) load_triangle(f.top, f.ldtop, t.columns, top);
    int64_t bad = -1;
    for (int64_t s = 0; s < t.columns; s += t.ib) {
        const int64_t end = std::min(s + t.ib, t.columns);
        for (int64_t c = s; c < end; c += 4) {
            const int width = four_width(c, end);
            T tau[4];
            const Columns<Real<T>> head = has_top ? top.from(c, c) : below.from(c, c), next = top.from(c, c + width);
            const int found = four.factor(head, below.from(0, c), four_rows(t.shape, t.rows, c, width), width, tau);
            if (found < width && bad < 0) bad = c + found;
            const FourReflectors<T, I> h = four.reflectors(true);
            h.apply(has_top ? &next : nullptr, below.from(0, c + width), t.columns - c - width);
            h.products_with(below.from(0, s), c - s, g, t.ib);
            for (int k = 0; k < width; ++k) {
                for (int l = 0; l < k; ++l) g[k * t.ib + c - s + l] = four.product(l, k);
                extend_triangle(t.triangles + s * t.ib, t.ib, c - s + k, tau[k], g + k * t.ib);
            }
        }
    }
    if (t.shape == Shape::triangle)
        store_triangle(below, t.columns, t.v, t.ldv);
    else
        store(below, t.rows, t.columns, Strided<T>{t.v, 1, t.ldv});
    if (has_top) store_triangle(top, t.columns, f.top, f.ldtop);
    return bad;
}

template <class T>
Strided<T> strided(const View<T> &v) {
    return {v.at, v.is_transposed ? v.ld : 1, v.is_transposed ? 1 : v.ld, v.is_transposed};
}

template <class T, class I>
inline void update_tile(const UpdateTile<T> &u, Real<T> *buffer) {
    const TileReflectors<T> &t = u.tile;
    const bool has_top = t.shape != Shape::trapezoid;
    BufferCarver<Real<T>> carver(buffer);
    const auto below = columns_at<T>(carver.take(area<T>(t.rows, group_columns)), t.rows);
    const auto top = columns_at<T>(carver.take(area<T>(t.columns, group_columns)), t.columns);
    FourColumns<T, I> four(carver.take(FourColumns<T, I>::reals(t.rows)), t.rows);
    // Fours do not cross the blocks of T.
    const int64_t of_block = (t.ib + 3) / 4, count = (t.columns + t.ib - 1) / t.ib * of_block;
    for (int64_t j = 0; j < u.columns; j += group_columns) {
        const int64_t columns = std::min(group_columns, u.columns - j);
        load(strided(u.below.from(0, j)), t.rows, columns, below);
        if (has_top) load(strided(u.top.from(0, j)), t.columns, columns, top);
        for (int64_t n = 0; n < count; ++n) {
            const int64_t which = u.is_adjoint ? n : count - 1 - n, s = which / of_block * t.ib,
                          c = s + which % of_block * 4;
            const int width = four_width(c, std::min(s + t.ib, t.columns));
            if (width <= 0) continue;
            T tau[4];
            for (int k = 0; k < width; ++k) tau[k] = t.triangles[(c + k) * t.ib + c + k - s];
            four.take(Strided<T>{t.v + c * t.ldv, 1, t.ldv}, four_rows(t.shape, t.rows, c, width), width, tau);
            const Columns<Real<T>> above = top.from(c, 0);
            four.reflectors(u.is_adjoint).apply(has_top ? &above : nullptr, below, columns);
        }
        store(below, t.rows, columns, strided(u.below.from(0, j)));
        if (has_top) store(top, t.columns, columns, strided(u.top.from(0, j)));
    }
}

#ifdef XBATCH_HAS_CLONES
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) int64_t factor_v4(const FactorTile<T> &f, Real<T> *buffer) {
    return factor_tile<T, Isa<64, 4>>(f, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) void update_v4(const UpdateTile<T> &u, Real<T> *buffer) {
    update_tile<T, Isa<64, 4>>(u, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) int64_t factor_v3(const FactorTile<T> &f, Real<T> *buffer) {
    return factor_tile<T, Isa<32, 2>>(f, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) void update_v3(const UpdateTile<T> &u, Real<T> *buffer) {
    update_tile<T, Isa<32, 2>>(u, buffer);
}
#endif

template <class T>
TileKernels<T> best_kernels() {
#ifdef XBATCH_HAS_CLONES
    const int generation = x86_64_generation();
    if (generation == 4) return {factor_v4<T>, update_v4<T>};
    if (generation == 3) return {factor_v3<T>, update_v3<T>};
#endif
    return {factor_tile<T, Isa<16, 2>>, update_tile<T, Isa<16, 2>>};
}

}  // namespace

template <class T>
const TileKernels<T> &tile_kernels() {
    static const TileKernels<T> kernels = best_kernels<T>();
    return kernels;
}

template <class T>
int64_t tile_buffer_reals(int64_t rows, int64_t columns, int64_t ib) {
    const int64_t most = std::max(columns, group_columns);
    return area<T>(rows, most) + area<T>(columns, most) + FourColumns<T, Isa<64, 4>>::reals(rows) +
           (4 * ib * parts<T> + 15) / 16 * 16;
}

template const TileKernels<float> &tile_kernels<float>();
template const TileKernels<double> &tile_kernels<double>();
template const TileKernels<Complex<float>> &tile_kernels<Complex<float>>();
template const TileKernels<Complex<double>> &tile_kernels<Complex<double>>();
template int64_t tile_buffer_reals<float>(int64_t, int64_t, int64_t);
template int64_t tile_buffer_reals<double>(int64_t, int64_t, int64_t);
template int64_t tile_buffer_reals<Complex<float>>(int64_t, int64_t, int64_t);
template int64_t tile_buffer_reals<Complex<double>>(int64_t, int64_t, int64_t);

}  // namespace xbatch::qr
