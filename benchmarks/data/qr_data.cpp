// qr_data.cpp: see qr_data.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_data.hpp"

#include <cmath>
#include <complex>

namespace bench {
namespace {

// Columns, or rows, that are checked if checking all would take long
constexpr int64_t sampled = 8;

double larger(double worst, long double difference) {
    return std::isnan(difference) ? HUGE_VAL : std::max(worst, double(difference));
}

// `count` elements of column or row k of a matrix of m rows
template <class Wide>
std::vector<Wide> column(const QrMatrix &a, const Memory &matrix, int64_t k, int64_t count) {
    return gathered<Wide>(a.machine, a.shape.type, matrix.get(), k * a.shape.m, 1, count);
}
template <class Wide>
std::vector<Wide> row(const QrMatrix &a, const Memory &matrix, int64_t k, int64_t count) {
    return gathered<Wide>(a.machine, a.shape.type, matrix.get(), k, a.shape.m, count);
}
template <class Wide>
long double norm_of(const std::vector<Wide> &x) {
    long double sum = 0;
    for (const Wide &each : x) sum += std::norm(each);
    return std::sqrt(sum);
}

template <class Wide>
double norms(const QrMatrix &a) {
    double worst = 0;
    for (int64_t j = 0; j < a.shape.n; ++j) {
        const long double expected = norm_of(column<Wide>(a, a.original, j, a.shape.m));
        const long double found = norm_of(column<Wide>(a, a.work, j, std::min(j + 1, a.shape.m)));
        worst = larger(worst, std::fabs(found - expected) / expected);
    }
    return worst;
}

template <class Wide>
double product_error(const QrMatrix &a, const Memory &product) {
    double worst = 0;
    for (int64_t s = 0; s < sampled; ++s) {
        const int64_t j = s * (a.shape.n - 1) / (sampled - 1);
        const auto found = column<Wide>(a, product, j, a.shape.m);
        const auto r = column<Wide>(a, a.work, j, std::min(j + 1, a.shape.m));
        const long double size = norm_of(r);
        for (int64_t i = 0; i < a.shape.m; ++i)
            worst = larger(worst, std::abs(found[size_t(i)] - (i <= j ? r[size_t(i)] : Wide(0))) / size);
    }
    return worst;
}

template <class Wide>
double factors_error(const QrMatrix &a, const Memory &q) {
    double worst = 0;
    const int64_t k = a.shape.reflectors();
    for (int64_t s = 0; s < sampled; ++s) {
        const int64_t i = s * (a.shape.m - 1) / (sampled - 1);
        const auto q_row = row<Wide>(a, q, i, k), a_row = row<Wide>(a, a.original, i, a.shape.n);
        for (int64_t t = 0; t < sampled; ++t) {
            const int64_t j = t * (a.shape.n - 1) / (sampled - 1);
            const auto r = column<Wide>(a, a.work, j, std::min(j + 1, k));
            Wide difference = -a_row[size_t(j)];
            for (size_t c = 0; c < r.size(); ++c) difference += q_row[c] * r[c];
            worst = larger(worst, std::abs(difference) / norm_of(r));
        }
    }
    return worst;
}

template <class Real, class Complex>
double by_type(const QrMatrix &a, const Real &real, const Complex &complex) {
    return is_complex(a.shape.type) ? complex() : real();
}

}  // namespace

double QrShape::flops() const {
    const double rows = double(m), columns = double(n), k = std::min(rows, columns);
    return 4 * (rows * columns * k - (rows + columns) * k * k / 2 + k * k * k / 3) * (is_complex(type) ? 4 : 1);
}

QrMatrix::QrMatrix(const Machine &on, const QrShape &s)
    : machine(on), shape(s), original(random_array(on, s.type, s.m * s.n, -1, 1, 1)), work(on, s.bytes()) {}

double QrMatrix::error_of_norms() const {
    return by_type(
        *this, [&] { return norms<long double>(*this); }, [&] { return norms<std::complex<long double>>(*this); });
}
double QrMatrix::error_of_product(const Memory &product) const {
    return by_type(
        *this, [&] { return product_error<long double>(*this, product); },
        [&] { return product_error<std::complex<long double>>(*this, product); });
}
double QrMatrix::error_of_factors(const Memory &q) const {
    return by_type(
        *this, [&] { return factors_error<long double>(*this, q); },
        [&] { return factors_error<std::complex<long double>>(*this, q); });
}

TiledQr::TiledQr(const Machine &machine, const QrShape &shape, int threads, const xbatchTiledConfig_t *config)
    : shape_(shape) {
    if (config) config_ = *config;
    xbatchHandle_t made = nullptr;
    Session::check(nullptr, xbatchCreate(&made, machine.backend));
    handle_.reset(made, xbatchDestroy);
    if (machine.backend == XBATCH_BACKEND_HOST) Session::check(made, xbatchSetThreadCount(made, threads));
    const int64_t m = shape.m, n = shape.n, k = shape.reflectors();
    size_t factor = 0, apply = 0, form = 0;
    Session::check(made, xgeqrtTiled_bufferSize(made, shape.type, m, n, this->config(), &t_bytes_, &factor));
    Session::check(made, xgemqrtTiled_bufferSize(made, shape.type, XBATCH_SIDE_LEFT, XBATCH_OP_C, m, n, k,
                                                 this->config(), &apply));
    Session::check(made, xungqrtTiled_bufferSize(made, shape.type, m, k, k, this->config(), &form));
    bytes_ = std::max({factor, apply, form});
    t_ = std::make_unique<Memory>(machine, t_bytes_);
    workspace_ = std::make_unique<Memory>(machine, bytes_);
}

void TiledQr::factor(const QrMatrix &a) const {
    Session::check(handle_.get(), xgeqrtTiled(handle_.get(), shape_.type, shape_.m, shape_.n, config(), a.work.get(),
                                              shape_.m, t_->get(), nullptr, workspace_->get(), bytes_));
}
void TiledQr::apply(const QrMatrix &a, const Memory &c) const {
    Session::check(handle_.get(), xgemqrtTiled(handle_.get(), shape_.type, XBATCH_SIDE_LEFT, XBATCH_OP_C, shape_.m,
                                               shape_.n, shape_.reflectors(), config(), a.work.get(), shape_.m,
                                               t_->get(), c.get(), shape_.m, nullptr, workspace_->get(), bytes_));
}
void TiledQr::form(const QrMatrix &a, const Memory &q) const {
    const int64_t k = shape_.reflectors();
    Session::check(handle_.get(),
                   xungqrtTiled(handle_.get(), shape_.type, shape_.m, k, k, config(), a.work.get(), shape_.m, t_->get(),
                                q.get(), shape_.m, nullptr, workspace_->get(), bytes_));
}

Run tiled_run(const std::shared_ptr<const QrMatrix> &a, int threads, const xbatchTiledConfig_t *config) {
    const auto qr = std::make_shared<const TiledQr>(a->machine, a->shape, threads, config);
    return {[=] { a->restore(); }, [=] { qr->factor(*a); }, [=] { return a->error_of_norms(); }, qr->bytes()};
}

}  // namespace bench
