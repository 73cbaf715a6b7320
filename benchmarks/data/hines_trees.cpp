// hines_trees.cpp: see hines_trees.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_trees.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "machine.hpp"

namespace bench {
namespace {

constexpr char grown_mark[] = " grown";

std::vector<int64_t> children_of(const std::vector<int32_t> &parent) {
    std::vector<int64_t> children(parent.size());
    for (const int32_t p : parent)
        if (p >= 0) ++children[size_t(p)];
    return children;
}

// Lines "index …  parent", the index of the root's parent -1; others are comments, or the number of nodes.
std::vector<int32_t> read(const std::string &path) {
    constexpr size_t least_fields = 6;
    std::ifstream file(path);
    std::map<int64_t, int32_t> number = {{-1, -1}};
    std::vector<int32_t> parent;
    for (std::string line; std::getline(file, line);) {
        std::istringstream stream(line);
        std::vector<double> fields;
        for (double field = 0; stream >> field;) fields.push_back(field);
        if (fields.size() < least_fields) continue;
        const auto found = number.find(int64_t(fields.back()));
        if (found == number.end()) throw std::runtime_error(path + ": a parent comes after its child");
        number[int64_t(fields.front())] = int32_t(parent.size());
        parent.push_back(found->second);
    }
    return parent;
}

Morphology real_or_grown(const std::string &folder, const std::string &file, const std::string &name,
                         const Measures &measures) {
    std::vector<int32_t> parent = read(folder + "/" + file);
    if (parent.empty()) return grown(name, measures);
    return {name, std::move(parent)};
}

}  // namespace

int64_t Morphology::branches() const {
    const std::vector<int64_t> children = children_of(parent);
    return std::count_if(parent.begin(), parent.end(), [&](int32_t p) { return p >= 0 && children[size_t(p)] != 1; });
}

int64_t Morphology::depth() const {
    std::vector<int64_t> level(parent.size(), 1);
    for (size_t i = 0; i < parent.size(); ++i)
        if (parent[i] >= 0) level[i] = level[size_t(parent[i])] + 1;
    return *std::max_element(level.begin(), level.end());
}

int64_t Morphology::most_children() const {
    const std::vector<int64_t> children = children_of(parent);
    return *std::max_element(children.begin(), children.end());
}

// A chain of `depth` nodes, to which chains of about equal lengths are joined at random: two branches begin where a
// chain leaves another, one more where it leaves a place that two have left already.
Morphology grown(const std::string &name, const Measures &m) {
    constexpr uint32_t seed = 11;
    uint64_t drawn = 0;
    std::vector<int32_t> parent;
    std::vector<int64_t> level, children;
    const auto append = [&](int64_t p) {
        parent.push_back(int32_t(p));
        level.push_back(p < 0 ? 1 : level[size_t(p)] + 1);
        children.push_back(0);
        if (p >= 0) ++children[size_t(p)];
    };
    for (int64_t i = 0; i < m.depth; ++i) append(i - 1);
    const int64_t chains = std::max<int64_t>((m.branches + 1) / 2, 1);
    for (int64_t k = 0; k < chains; ++k) {
        const int64_t length = (m.n - int64_t(parent.size())) / (chains - k);
        const bool third = m.branches % 2 == 1 && k + 1 == chains && k > 0;
        const auto suits = [&](size_t i) { return children[i] == (third ? 2 : 1) && level[i] + length <= m.depth; };
        size_t place = size_t(random_number(drawn++, seed) * double(parent.size()));
        for (size_t tried = 0; !suits(place) && tried < parent.size(); ++tried) place = (place + 1) % parent.size();
        for (int64_t i = 0; i < length; ++i) append(i == 0 ? int64_t(place) : int64_t(parent.size()) - 1);
    }
    return {name + grown_mark, std::move(parent)};
}

bool is_grown(const Morphology &tree) { return tree.name.find(grown_mark) != std::string::npos; }

std::vector<Morphology> table1_cases(const std::string &folder) {
    const auto tree = [&](const char *number, const char *name, const Measures &measures) {
        return real_or_grown(folder, std::string("table1_cases/case") + number + ".txt", name, measures);
    };
    return {tree("2", "small-low", {76, 2, 50}),    tree("1", "small-high", {76, 29, 17}),
            tree("3", "medium-low", {305, 32, 51}), tree("4", "medium-high", {322, 159, 64}),
            tree("5", "big-low", {698, 68, 54}),    tree("6", "big-high", {699, 342, 61})};
}

std::vector<Morphology> large_trees(const std::string &folder) {
    const auto tree = [&](const char *file, const char *name, const Measures &measures) {
        return real_or_grown(folder, std::string("large/") + file + ".CNG.swc", name, measures);
    };
    return {tree("p19", "p19", {4620, 1136, 135}), tree("alxP", "alxP", {13875, 923, 471}),
            tree("MTC260800D-IDA", "MTC260800D-IDA", {45923, 762, 1455})};
}

std::vector<Morphology> all_cells(const std::string &folder) {
    std::vector<Morphology> cells;
    std::error_code absent;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, absent))
        if (entry.path().extension() == ".swc")
            cells.push_back({entry.path().stem().stem().string(), read(entry.path().string())});
    cells.erase(std::remove_if(cells.begin(), cells.end(), [](const Morphology &cell) { return cell.n() == 0; }),
                cells.end());
    if (cells.empty())
        for (const Measures &m : {Measures{101, 12, 25},
                                  {289, 12, 195},
                                  {535, 51, 183},
                                  {699, 24, 199},
                                  {846, 139, 170},
                                  {1288, 446, 71},
                                  {1348, 23, 283},
                                  {7948, 300, 700}})
            cells.push_back(grown("n" + std::to_string(m.n), m));
    std::sort(cells.begin(), cells.end(), [](const Morphology &a, const Morphology &b) {
        return a.n() != b.n() ? a.n() < b.n() : a.name < b.name;
    });
    return cells;
}

}  // namespace bench
