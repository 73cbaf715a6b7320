// interface_once_host.cpp: the partition method of interface_host.cpp where lanes are right-hand sides of one matrix:
// its chunks are eliminated once, and the right-hand sides follow in one sweep down and one up.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "interface_lanes_host.hpp"
#include "tridiagonal/nopivot/factor_once_host.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr int64_t factor_elements = 9;

// What eliminated each row of a matrix, as absorb() computes it, but `scale` of every row. Element (i, k) of each array
// is that of matrix k at [i*pitch + k]. Row i-1 is the pivot row that row i was eliminated with.
template <class T>
struct ChunkFactors {
    int64_t pitch;
    T *scale, *f_s, *f_o, *inverse, *l0, *l1, *q, *c;
    int8_t *choice;

    ChunkFactors(T *buffer, int64_t rows, int64_t matrices) : pitch(matrices) {
        for (T **array : {&scale, &f_s, &f_o, &inverse, &l0, &l1, &q, &c}) *array = buffer, buffer += rows * matrices;
        choice = reinterpret_cast<int8_t *>(buffer);
    }
    ChunkFactors at(int64_t element) const {
        ChunkFactors moved = *this;
        for (T **array :
             {&moved.scale, &moved.f_s, &moved.f_o, &moved.inverse, &moved.l0, &moved.l1, &moved.q, &moved.c})
            *array += element;
        moved.choice += element;
        return moved;
    }
};

template <class T>
inline void factor_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, HeldRows<T> &w,
                       const ChunkFactors<T> &to) {
    HeldRow<T> &x = w.a, &y = w.b;
    for (int l = 0; l < lanes; ++l) {
        T g;
        RowNumber<T> choice;
        absorb(dl[l], d[l], du[l], T(0), x.l0[l], x.l1[l], x.p[l], x.q[l], x.g[l], y.l0[l], y.l1[l], y.p[l], y.q[l],
               y.g[l], w.before[l], w.first[l], to.l0[l], to.l1[l], to.q[l], to.c[l], g, to.f_s[l], to.f_o[l],
               to.inverse[l], choice, number, w.first_bad[l]);
        to.choice[l] = int8_t(choice);
    }
}

// In place of Input
struct NoRightHandSide {
    template <class T>
    struct Of {
        Rows<const T> fetch(int64_t, int64_t) const { return {zeros<T>, 0}; }
        void prefetch_from(int64_t) const {}
    };
};

// One chunk of every matrix; the pivot row of row i, counted in the chunk, is stored at row i-1
template <class T>
XBATCH_SIMD_CLONES void factor_chunk(const ChunkTile<T> &tile, const ChunkFactors<T> &factors, HeldRows<T> &w) {
    const int lanes = tile.a_lanes.count;
    NoRightHandSide::Of<T> none;
    for_each_row(tile, none, [&](int64_t i, const T *dl, const T *d, const T *du, const T *g) {
        const ChunkFactors<T> here = factors.at(i * factors.pitch);
        for (int l = 0; l < lanes; ++l) {
            Exponent<Real<T>> exponent;
            here.scale[l] = T(row_scale(dl[l], d[l], du[l], exponent));
        }
        if (i > 1)
            factor_row<T>(lanes, number_of_row<T>(i - 1), dl, d, du, w, factors.at((i - 1) * factors.pitch));
        else
            first_rows(lanes, i == 1, dl, d, du, g, w);
    });
}

// A matrix, and the right-hand sides of a lane group
template <class T>
struct Sweep {
    int64_t n;
    Cut cut;
    ChunkFactors<T> factors;       // of lane 0
    const Slot<Joined<T>> *slots;  // of its chunks
    int lanes;
    const Unknowns<T> &x;

    int64_t first_row(int64_t chunk) const { return chunk * cut.chunk_rows; }
    int64_t last_row(int64_t chunk) const {
        return first_row(chunk) + (chunk + 1 < cut.chunks ? cut.chunk_rows : cut.last_rows) - 1;
    }
    // The right-hand sides of a chunk's interface equations; later the unknowns x_{m+1} and x_m of its slot
    T *first(int64_t chunk) const { return x.row(first_row(chunk % cut.chunks)); }
    T *second(int64_t chunk) const { return x.row(last_row(chunk % cut.chunks)); }
};

template <class T>
inline void scale_row(int lanes, T scale, const T *b, T *held) {
    const Real<T> s = real_part(scale);
#pragma omp simd
    for (int l = 0; l < lanes; ++l) held[l] = times_real(b[l], s);
}
// As absorb() for the right-hand sides: w is that of the held row with the larger weight.
template <bool is_n, class T>
inline void follow_lane(const T &b, Real<T> s, T f_s, T f_o, T inverse, const T &w, const T &other, T &a_g, T &b_g,
                        T &g) {
    // w and the other may be in the places of a_g and b_g
    const T next = times_real(b, s), pivot_g = select(is_n, next, w), rest = select(is_n, w, next);
    a_g = fnma(f_s, pivot_g, other);
    b_g = fnma(f_o, pivot_g, rest);
    g = pivot_g * inverse;
}
template <bool is_n, class T>
inline void follow_row(int lanes, T scale, T f_s, T f_o, T inverse, const T *b, const T *w, const T *other, T *a_g,
                       T *b_g, T *g) {
    const Real<T> s = real_part(scale);
#pragma omp simd
    for (int l = 0; l < lanes; ++l) follow_lane<is_n>(b[l], s, f_s, f_o, inverse, w[l], other[l], a_g[l], b_g[l], g[l]);
}

// Down: y of the pivot rows, and the right-hand sides of every chunk's interface equations
template <class T>
inline void sweep_down(const Sweep<T> &s) {
    alignas(64) T held[2][max_lanes<T>];
    T *const a_g = held[0], *const b_g = held[1];
    int64_t chunk = 0;
    for_rows(s.x, s.lanes, s.n, [&](int64_t i) {
        const int64_t k = i - s.first_row(chunk);
        const ChunkFactors<T> f = s.factors.at((k > 0 ? i - 1 : i) * s.factors.pitch);
        const T scale = s.factors.scale[i * s.factors.pitch];
        if (k < 2) {
            scale_row(s.lanes, scale, s.x.row(i), held[k]);
        } else {
            const bool is_b = *f.choice & 1;
            const T *const w = is_b ? b_g : a_g, *const other = is_b ? a_g : b_g;
            if (*f.choice & 2)
                follow_row<true>(s.lanes, scale, *f.f_s, *f.f_o, *f.inverse, s.x.row(i), w, other, a_g, b_g,
                                 s.x.row(i - 1));
            else
                follow_row<false>(s.lanes, scale, *f.f_s, *f.f_o, *f.inverse, s.x.row(i), w, other, a_g, b_g,
                                  s.x.row(i - 1));
        }
        if (i < s.last_row(chunk)) return;
        std::copy_n(a_g, s.lanes, s.first(chunk)), std::copy_n(b_g, s.lanes, s.second(chunk));
        ++chunk;
    });
}

// As join(), for the right-hand sides of two chunks
template <class T>
inline void join_lane(const JoinSteps<Joined<T>> &steps, T &before_a, T &before_b, T &a, T &b) {
    using J = Joined<T>;
    const J given[] = {converted<J>(before_a), converted<J>(before_b), converted<J>(a), converted<J>(b)};
    J rest[3], last[2];
    const J first = given[steps.first_order[0]];
    for (int k = 0; k < 3; ++k) rest[k] = fnma(steps.first[k], first, given[steps.first_order[k + 1]]);
    const J second = rest[steps.second_order[0]];
    for (int k = 0; k < 2; ++k) last[k] = fnma(steps.second[k], second, rest[steps.second_order[k + 1]]);
    a = converted<T>(first), b = converted<T>(second);
    before_a = converted<T>(last[0]), before_b = converted<T>(last[1]);
}

template <class T>
inline void join_right_hand_sides(const Sweep<T> &s) {
    for_each_join(s.cut.chunks, [&](int64_t first, int64_t middle, int64_t) {
        for (int l = 0; l < s.lanes; ++l)
            join_lane(s.slots[middle].steps, s.first(first)[l], s.second(first)[l], s.first(middle)[l],
                      s.second(middle)[l]);
    });
}

// As close() and resolve_all(); the unknowns x_{m+1} and x_m replace the right-hand sides of a slot.
template <class T>
inline void close_right_hand_sides(const Sweep<T> &s) {
    using J = Joined<T>;
    const Slot<J> &end = s.slots[s.cut.chunks];
    T *const first = s.first(0), *const second = s.second(0);
    for (int l = 0; l < s.lanes; ++l) {
        const J given[] = {converted<J>(first[l]), converted<J>(second[l])};
        const J g = given[end.steps.first_order[0]], h = fnma(end.steps.first[0], g, given[end.steps.first_order[1]]);
        const J x_last = h * end.inverse_v;
        second[l] = converted<T>(x_last);
        first[l] = converted<T>(fnma(end.first.v, x_last, g) * end.inverse_u);
    }
}
template <class T>
inline void resolve_right_hand_sides(const Sweep<T> &s) {
    for_each_join_back(s.cut.chunks, [&](int64_t before, int64_t middle, int64_t after) {
        using J = Joined<T>;
        const Slot<J> &slot = s.slots[middle];
        const T *const left = s.second(before), *const left_1 = s.first(before), *const right = s.second(after),
                       *const right_1 = s.first(after);
        T *const first = s.first(middle), *const second = s.second(middle);
        for (int l = 0; l < s.lanes; ++l) {
            const J x[] = {converted<J>(left[l]), converted<J>(left_1[l]), converted<J>(right[l]),
                           converted<J>(right_1[l])};
            const auto without_ends = [&](const JoinEquation<J> &m, T g) {
                return fnma(m.l0, x[0], fnma(m.l1, x[1], fnma(m.r0, x[2], fnma(m.r1, x[3], converted<J>(g)))));
            };
            const J x_m1 = without_ends(slot.second, second[l]) * slot.inverse_v;
            second[l] = converted<T>(fnma(slot.first.v, x_m1, without_ends(slot.first, first[l])) * slot.inverse_u);
            first[l] = converted<T>(x_m1);
        }
    });
}

template <class T>
inline void ascend_row(int lanes, T l0, T l1, T q, T c, const T *x_before, const T *x_first, const T *x_1, const T *x_2,
                       T *x) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        x[l] = fnma(q, x_1[l], fnma(c, x_2[l], fnma(l0, x_before[l], fnma(l1, x_first[l], x[l]))));
}

// Up: the inner unknowns of every chunk from those at its ends. A product with an unknown that is not finite is not
// finite, so it suffices to test the first two rows of a chunk.
template <class T>
inline void sweep_up(const Sweep<T> &s, bool *all_finite) {
    alignas(64) T ends[2][max_lanes<T>];
    T *before = ends[0], *last = ends[1];  // x of the rows before and at the end of the chunk
    std::copy_n(s.second(0), s.lanes, before);
    std::fill_n(all_finite, s.lanes, true);
    int64_t chunk = s.cut.chunks - 1;
    const T *x_1 = nullptr, *x_2 = nullptr;
    for_rows_back(s.x, s.lanes, s.n, [&](int64_t i) {
        T *const x = s.x.row(i);
        const int64_t first = s.first_row(chunk);
        if (i == s.last_row(chunk)) {
            std::swap(before, last);
            std::copy_n(x, s.lanes, before), std::copy_n(last, s.lanes, x);
            x_1 = x, x_2 = s.first(chunk + 1);
        } else if (i > first) {
            const ChunkFactors<T> f = s.factors.at(i * s.factors.pitch);
            ascend_row(s.lanes, *f.l0, *f.l1, *f.q, *f.c, before, s.x.row(first), x_1, x_2, x);
            x_2 = x_1, x_1 = x;
        }
        if (i > first) return;
        for (int l = 0; l < s.lanes; ++l)
            all_finite[l] = all_finite[l] && is_finite(x[l]) && is_finite(s.x.row(i + 1)[l]);
        --chunk;
    });
}

template <class T>
XBATCH_SIMD_CLONES void descend(const Sweep<T> &s) {
    sweep_down(s);
}
template <class T>
XBATCH_SIMD_CLONES void resolve(const Sweep<T> &s) {
    join_right_hand_sides(s);
    close_right_hand_sides(s);
    resolve_right_hand_sides(s);
}
template <class T>
XBATCH_SIMD_CLONES void ascend(const Sweep<T> &s, bool *all_finite) {
    sweep_up(s, all_finite);
}

template <class T>
struct OncePlan {
    Cut cut;
    ColumnsPlan<T> columns;
    Slot<Joined<T>> *slots;  // [set][chunks + 1]
    size_t bytes;

    OncePlan(const Context &context, const GtsvProblem &p, int64_t sets, void *workspace)
        : cut(cut_rows(context, p.n)), columns(context, p, sets, factor_elements, workspace) {
        Carver carver(workspace);
        carver.take<char>(columns.bytes);
        slots = carver.take<Slot<Joined<T>>>(sets, cut.chunks + 1);
        bytes = carver.bytes();
    }
};

// Eliminates the chunks of all matrices; the first bad pivot's row of each, 1-based, or 0
template <class T>
void factor_matrices(const GtsvProblem &p, Boundary boundary, const OncePlan<T> &plan, int sets,
                     const ChunkFactors<T> &factors, int64_t *bad_rows) {
    const Cut &cut = plan.cut;
    const Coefficients<T> a = coefficients_of<T>(p, 0, sets);
    for (int64_t k = 0; k < cut.chunks; ++k) {
        const int64_t row = k * cut.chunk_rows;
        ChunkTile<T> tile;
        tile.rows = k + 1 < cut.chunks ? cut.chunk_rows : cut.last_rows;
        tile.dl = a.dl + row * a.lanes.step, tile.d = a.d + row * a.lanes.step, tile.du = a.du + row * a.lanes.step;
        tile.a_lanes = a.lanes;
        std::fill_n(tile.begins, sets, boundary == Boundary::open && k == 0);
        std::fill_n(tile.ends, sets, boundary == Boundary::open && k == cut.chunks - 1);
        HeldRows<T> w;
        factor_chunk(tile, factors.at(row * factors.pitch), w);
        for (int set = 0; set < sets; ++set) {
            Slot<Joined<T>> &slot = plan.slots[set * (cut.chunks + 1) + k];
            slot.equations = equations_of(w, set), slot.first_bad = info_of<T>(w.first_bad[set]);
        }
    }
    for (int set = 0; set < sets; ++set) bad_rows[set] = join_chunks(plan.slots + set * (cut.chunks + 1), cut, p.n);
}

}  // namespace

template <class T>
void interface_once(Context &context, const GtsvProblem &p, Boundary boundary, int64_t sets, void *workspace) {
    const OncePlan<T> plan(context, p, sets, workspace);
    const ChunkFactors<T> factors(plan.columns.factors, p.n, sets);
    int64_t bad_rows[gathered_lanes<T>];
    factor_matrices(p, boundary, plan, int(sets), factors, bad_rows);
    for (int64_t j = 0; p.info && j < p.batch; ++j)
        p.info[j] = int32_t(std::min<int64_t>(bad_rows[sets == 1 ? 0 : j], INT32_MAX));
    for_each_group_of(plan.columns, p, [&](int64_t group, int64_t set, const Lanes<T> &lanes, T *y) {
        const Unknowns<T> x(static_cast<T *>(p.b), lanes, y, p.n);
        const Sweep<T> sweep{p.n, plan.cut, factors.at(set), plan.slots + set * (plan.cut.chunks + 1), lanes.count, x};
        bool all_finite[max_lanes<T>];
        descend(sweep);
        resolve(sweep);
        ascend(sweep, all_finite);
        for (int l = 0; p.info && bad_rows[set] == 0 && l < lanes.count; ++l)
            if (!all_finite[l]) note_lost(p, plan.columns.columns.system(group, l));
    });
}

template <class T>
size_t interface_once_bytes(const Context &context, const GtsvProblem &p, int64_t sets) {
    return OncePlan<T>(context, p, sets, nullptr).bytes;
}

XBATCH_INSTANTIATE_TYPES(interface_once);
XBATCH_INSTANTIATE_TYPES(interface_once_bytes);

}  // namespace xbatch::tridiagonal
