// coefficients_host.hpp: where the pivoted solvers of the host find the coefficients of a row: in memory for each lane,
// or, in shifted systems T + sigma W, in the shared T and W and the shift of each lane.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"

namespace xbatch::tridiagonal {

inline bool is_zero(float a) { return a == 0; }
inline bool is_zero(double a) { return a == 0; }
template <class R>
inline bool is_zero(Complex<R> a) {
    return a.re == 0 && a.im == 0;
}

// The shifts of a lane group; the last equation of a lane whose shift is 0 may be replaced by x_{n-1} = 0.
template <class T>
struct LaneShifts {
    const T *w = nullptr;      // [rows], shared; NULL: 1
    const T *sigma = nullptr;  // of each lane; NULL: no shifts
    bool pins_zero = false;

    bool pins(int64_t l) const { return pins_zero && is_zero(sigma[l]); }
};

// A row of every lane in memory
template <class T>
struct StoredRow {
    const T *dls, *ds, *dus;
    T dl(int l) const { return dls[l]; }
    T d(int l) const { return ds[l]; }
    T du(int l) const { return dus[l]; }
};

// A row of T, and of W, that all lanes share
template <class T>
struct ShiftedRow {
    T below, here, above, w;
    const T *sigma;
    T dl(int) const { return below; }
    T d(int l) const { return fma_(sigma[l], w, here); }
    T du(int) const { return above; }
};

// Copies of the coefficients of one row, for a row in which lanes differ from the stored ones
template <class T>
struct RowCopy {
    alignas(64) T dl[max_lanes<T>], d[max_lanes<T>], du[max_lanes<T>];

    template <class Row>
    void copy(const Row &row, int lanes) {
        for (int l = 0; l < lanes; ++l) dl[l] = row.dl(l), d[l] = row.d(l), du[l] = row.du(l);
    }
    void pin(int l) { dl[l] = T(0), d[l] = T(1), du[l] = T(0); }
    StoredRow<T> row() const { return {dl, d, du}; }
};

// The rows of lanes with a matrix each
template <class T>
class StoredRows {
public:
    StoredRows(const T *dl, const T *d, const T *du, const Lanes<T> &lanes, int64_t rows)
        : dl_(dl, lanes, rows), d_(d, lanes, rows), du_(du, lanes, rows) {}

    // Rows i … i+rows-1, at most stage_rows of them; the rows of the last fetch are row(0), row(1), …
    void fetch(int64_t i, int64_t rows) { l_ = dl_.fetch(i, rows), p_ = d_.fetch(i, rows), u_ = du_.fetch(i, rows); }
    StoredRow<T> row(int64_t k) const { return {l_.row(k), p_.row(k), u_.row(k)}; }
    void prefetch_from(int64_t i) const { dl_.prefetch_from(i), d_.prefetch_from(i), du_.prefetch_from(i); }

private:
    Input<T> dl_, d_, du_;
    Rows<const T> l_, p_, u_;
};

// The rows of lanes that are at the same row of T, to which each adds its shift
template <class T>
class ShiftedRows {
public:
    ShiftedRows(const T *dl, const T *d, const T *du, const LaneShifts<T> &shifts)
        : dl_(dl), d_(d), du_(du), w_(shifts.w), sigma_(shifts.sigma) {}

    void fetch(int64_t i, int64_t) { first_ = i; }
    ShiftedRow<T> row(int64_t k) const {
        const int64_t i = first_ + k;
        return {dl_[i], d_[i], du_[i], w_ ? w_[i] : T(1), sigma_};
    }
    void prefetch_from(int64_t) const {}

private:
    const T *dl_, *d_, *du_, *w_, *sigma_;
    int64_t first_ = 0;
};

// The rows of lanes that are at different rows of T, as chunks of one system: gathered like stored ones, and shifted
template <class T>
class GatheredRows : public StoredRows<T> {
public:
    GatheredRows(const T *dl, const T *d, const T *du, const Lanes<T> &lanes, int64_t rows, const LaneShifts<T> &shifts)
        : StoredRows<T>(dl, d, du, lanes, rows),
          shifts_(shifts),
          lanes_(lanes.count),
          w_(shifts.w ? shifts.w : d, lanes, rows) {}

    void fetch(int64_t i, int64_t rows) {
        StoredRows<T>::fetch(i, rows);
        if (!shifts_.sigma) return;
        const Rows<const T> w = w_.fetch(i, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const T *d = StoredRows<T>::row(k).ds, *factor = w.row(k);
            for (int l = 0; l < lanes_; ++l)
                shifted_[k * lanes_ + l] = fma_(shifts_.sigma[l], shifts_.w ? factor[l] : T(1), d[l]);
        }
    }
    StoredRow<T> row(int64_t k) const {
        StoredRow<T> row = StoredRows<T>::row(k);
        if (shifts_.sigma) row.ds = shifted_ + k * lanes_;
        return row;
    }

private:
    LaneShifts<T> shifts_;
    int lanes_;
    Input<T> w_;
    alignas(64) T shifted_[stage_bytes / sizeof(T)];
};

}  // namespace xbatch::tridiagonal
