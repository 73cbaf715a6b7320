// tiles_host.cpp: the kernels of tiles_host.hpp, each compiled for three generations of x86-64.
// SPDX-License-Identifier: BSD-3-Clause
#include "tiles_host.hpp"

#include "core/instruction_set.hpp"
#include "tile_panels_host.hpp"

namespace xbatch::qr {
namespace {

constexpr int64_t spare_columns = 16;  // number of columns by which blocks of sums may exceed the last column

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
    return column_reals<T>(rows) * columns + 16;
}

// Zeroes the columns after the last that block sums include: other values, such as denormals, could be slow.
template <class T, class I>
void clear_spare(const Columns<Real<T>> &c, int64_t columns) {
    constexpr int64_t width = I::template columns<T>;
    for (int64_t j = columns; j < (columns + width - 1) / width * width; ++j)
        std::fill_n(c.at + j * c.ld, c.ld, Real<T>(0));
}

template <class T>
void load_triangle(const T *from, int64_t ld, int64_t n, const Columns<Real<T>> &to) {
    for (int64_t c = 0; c < n; ++c) {
        for (int64_t r = 0; r <= c; ++r) put<T>(to, r, c, from[c * ld + r]);
        for (int64_t r = c + 1; r < n; ++r) put<T>(to, r, c, T(0));
    }
}
template <class T>
void store_triangle(const Columns<Real<T>> &from, int64_t n, T *to, int64_t ld) {
    for (int64_t c = 0; c < n; ++c)
        for (int64_t r = 0; r <= c; ++r) to[c * ld + r] = get<T>(from, r, c);
}

// W and T W, for a group of columns
template <class T>
struct Products {
    Columns<Real<T>> w, product;

    Products(BufferCarver<Real<T>> &carver, int64_t ib)
        : w(columns_at<T>(carver.take(area<T>(ib, group_columns)), ib)),
          product(columns_at<T>(carver.take(area<T>(ib, group_columns)), ib)) {}
};

template <class T, class I>
inline int64_t factor_tile(const FactorTile<T> &f, Real<T> *buffer) {
    const TileReflectors<T> &t = f.tile;
    const bool has_top = t.shape != Shape::trapezoid;
    BufferCarver<Real<T>> carver(buffer);
    const auto below = columns_at<T>(carver.take(area<T>(t.rows, t.columns + spare_columns)), t.rows);
    const auto top = columns_at<T>(carver.take(area<T>(t.columns, t.columns + spare_columns)), t.columns);
    Real<T> *pack = carver.take(packed_block_reals<T>(t.rows, t.ib));
    const Products<T> group(carver, t.ib);
    T *products = reinterpret_cast<T *>(carver.take(t.ib * parts<T>));
    if (t.shape == Shape::triangle)
        load_triangle(t.v, t.ldv, t.columns, below);
    else
        load(View<T>{t.v, t.ldv}, t.rows, t.columns, below);
    if (has_top) load_triangle(f.top, f.ldtop, t.columns, top);
    clear_spare<T, I>(below, t.columns);
    if (has_top) clear_spare<T, I>(top, t.columns);
    int64_t bad = -1;
    for (int64_t s = 0; s < t.columns; s += t.ib) {
        const int64_t width = std::min(t.ib, t.columns - s);
        T *triangle = t.triangles + s * t.ib;
        const int64_t found = factor_panel<T>(t.shape, top, below, t.rows, s, width, {triangle, t.ib}, products);
        if (found < width && bad < 0) bad = s + found;
        if (s + width == t.columns) break;
        const PackedBlock<T> block = packed_block<T>(pack, t.shape, t.rows, s, width);
        pack_block<T>(block, BufferVectors<T>{below}, t.shape, triangle, t.ib, true);
        for (int64_t j = s + width; j < t.columns; j += group_columns) {
            const Columns<Real<T>> above = top.from(0, j);
            apply_block<T, I>(block, has_top ? &above : nullptr, below.from(0, j),
                              std::min(group_columns, t.columns - j), group.w, group.product);
        }
    }
    if (t.shape == Shape::triangle)
        store_triangle(below, t.columns, t.v, t.ldv);
    else
        store(below, t.rows, t.columns, View<T>{t.v, t.ldv});
    if (has_top) store_triangle(top, t.columns, f.top, f.ldtop);
    return bad;
}

template <class T, class I>
inline void update_tile(const UpdateTile<T> &u, Real<T> *buffer) {
    const TileReflectors<T> &t = u.tile;
    const bool has_top = t.shape != Shape::trapezoid;
    BufferCarver<Real<T>> carver(buffer);
    const auto below = columns_at<T>(carver.take(area<T>(t.rows, group_columns)), t.rows);
    const auto top = columns_at<T>(carver.take(area<T>(t.columns, group_columns)), t.columns);
    const Products<T> group(carver, t.ib);
    const int64_t blocks = (t.columns + t.ib - 1) / t.ib, reals = (packed_block_reals<T>(t.rows, t.ib) + 15) / 16 * 16;
    Real<T> *packs = carver.take(blocks * reals);
    const auto block = [&](int64_t k) {
        return packed_block<T>(packs + k * reals, t.shape, t.rows, k * t.ib, std::min(t.ib, t.columns - k * t.ib));
    };
    for (int64_t k = 0; k < blocks; ++k)
        pack_block<T>(block(k), TileVectors<T>{t.v, t.ldv}, t.shape, t.triangles + k * t.ib * t.ib, t.ib, u.is_adjoint);
    for (int64_t j = 0; j < u.columns; j += group_columns) {
        const int64_t columns = std::min(group_columns, u.columns - j);
        load(u.below.from(0, j), t.rows, columns, below);
        clear_spare<T, I>(below, columns);
        if (has_top) load(u.top.from(0, j), t.columns, columns, top);
        if (has_top) clear_spare<T, I>(top, columns);
        for (int64_t n = 0; n < blocks; ++n) {
            const int64_t k = u.is_adjoint ? n : blocks - 1 - n;
            apply_block<T, I>(block(k), has_top ? &top : nullptr, below, columns, group.w, group.product);
        }
        store(below, t.rows, columns, u.below.from(0, j));
        if (has_top) store(top, t.columns, columns, u.top.from(0, j));
    }
}

#ifdef XBATCH_HAS_CLONES
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) int64_t factor_v4(const FactorTile<T> &f, Real<T> *buffer) {
    return factor_tile<T, Isa<64, 24>>(f, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v4"), flatten)) void update_v4(const UpdateTile<T> &u, Real<T> *buffer) {
    update_tile<T, Isa<64, 24>>(u, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) int64_t factor_v3(const FactorTile<T> &f, Real<T> *buffer) {
    return factor_tile<T, Isa<32, 12>>(f, buffer);
}
template <class T>
__attribute__((target("arch=x86-64-v3"), flatten)) void update_v3(const UpdateTile<T> &u, Real<T> *buffer) {
    update_tile<T, Isa<32, 12>>(u, buffer);
}
#endif

template <class T>
TileKernels<T> best_kernels() {
#ifdef XBATCH_HAS_CLONES
    const int generation = x86_64_generation();
    if (generation == 4) return {factor_v4<T>, update_v4<T>};
    if (generation == 3) return {factor_v3<T>, update_v3<T>};
#endif
    return {factor_tile<T, Isa<16, 8>>, update_tile<T, Isa<16, 8>>};
}

}  // namespace

template <class T>
const TileKernels<T> &tile_kernels() {
    static const TileKernels<T> kernels = best_kernels<T>();
    return kernels;
}

template <class T>
int64_t tile_buffer_reals(int64_t rows, int64_t columns, int64_t ib) {
    const int64_t blocks = (columns + ib - 1) / ib, pack = packed_block_reals<T>(rows, ib) + 16;
    const int64_t shared = 2 * area<T>(ib, group_columns) + ib * parts<T> + 16;
    const int64_t factor = area<T>(rows, columns + spare_columns) + area<T>(columns, columns + spare_columns) + pack;
    const int64_t update = area<T>(rows, group_columns) + area<T>(columns, group_columns) + blocks * pack;
    return (std::max(factor, update) + shared + 15) / 16 * 16;
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
