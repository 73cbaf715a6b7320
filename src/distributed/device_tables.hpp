// device_tables.hpp: the tables of a rank's joins and messages, gathered on the host and copied to the device at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <map>

#include "mp_plan.hpp"
#include "tree_kernel.cuh"

namespace xbatch::distributed {

// Arrays that become one block of device memory; take() returns offsets until then.
class TableWriter {
public:
    template <class Entry>
    size_t take(const std::vector<Entry> &entries) {
        const size_t at = (bytes_.size() + 15) / 16 * 16, size = entries.size() * sizeof(Entry);
        bytes_.resize(at + size);
        if (size > 0) std::memcpy(bytes_.data() + at, entries.data(), size);
        return at;
    }
    const std::vector<char> &bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

// The rounds of joins: each join is one round after the later one of its operands.
struct Rounds {
    std::vector<TreeJoin> joins;
    std::vector<int32_t> round = {0};

    Rounds(const std::vector<Join> &all, int64_t slots) {
        std::vector<int> height(size_t(slots), 0);
        std::map<int, std::vector<TreeJoin>> by_height;
        for (const Join &j : all) {
            int &own = height[size_t(j.begin)];
            own = std::max(own, height[size_t(j.middle)]) + 1;
            by_height[own].push_back({int32_t(j.begin), int32_t(j.middle)});
        }
        for (const auto &[h, of_round] : by_height) {
            joins.insert(joins.end(), of_round.begin(), of_round.end());
            round.push_back(int32_t(joins.size()));
        }
    }
};

// Host offsets of the tables of a tree and of messages, until they are device addresses
struct TreeTables {
    int32_t slots = 0, rounds = 0;
    size_t joins = 0, round = 0, row = 0;

    TreeTables(TableWriter &writer, const std::vector<Join> &all, int64_t count, size_t rows)
        : slots(int32_t(count)), row(rows) {
        const Rounds made(all, count);
        rounds = int32_t(made.round.size()) - 1;
        joins = writer.take(made.joins), round = writer.take(made.round);
    }
    Tree at(const char *memory) const {
        return {slots, rounds, reinterpret_cast<const TreeJoin *>(memory + joins),
                reinterpret_cast<const int32_t *>(memory + round), reinterpret_cast<const int64_t *>(memory + row)};
    }
};
// The joins of a rank. Those of more leaves than a block has room for are in groups, which blocks join at once.
struct Groups {
    static constexpr int64_t leaves = 64;
    int64_t first = 0, count = 0;

    Groups(const MpPlan &p, bool are_many) {
        if (!are_many) return;
        const int64_t begin = p.partition.rank_leaf[size_t(p.rank())];
        first = (begin + leaves - 1) / leaves * leaves - begin;
        count = std::max<int64_t>(0, (p.share.slots() - first) / leaves);
    }
    bool has(const Join &j) const {
        return j.begin >= first && j.middle < first + count * leaves &&
               (j.begin - first) / leaves == (j.middle - first) / leaves;
    }
    // All others
    std::vector<Join> between(const std::vector<Join> &joins) const {
        std::vector<Join> rest;
        std::copy_if(joins.begin(), joins.end(), std::back_inserter(rest), [&](const Join &j) { return !has(j); });
        return rest;
    }
    static std::vector<Join> of_one() {
        std::vector<Join> joins;
        const auto same = [](int64_t k) { return k; };
        append_joins(
            joins, 0, leaves, [](int64_t k, int64_t l) { return l - k == 1; }, same, same);
        return joins;
    }
};
struct MessageTables {
    int32_t parts = 0, places = 0;
    size_t part = 0, part_at = 0, place = 0;

    MessageTables(TableWriter &writer, const std::vector<int64_t> &first, const std::vector<int64_t> &first_at,
                  const std::vector<TreePlace> &all)
        : parts(int32_t(first_at.size())), places(int32_t(all.size())) {
        part = writer.take(first), part_at = writer.take(first_at), place = writer.take(all);
    }
    TreeMessages at(const char *memory, char *buffer) const {
        return {buffer,
                parts,
                places,
                reinterpret_cast<const int64_t *>(memory + part),
                reinterpret_cast<const int64_t *>(memory + part_at),
                reinterpret_cast<const TreePlace *>(memory + place)};
    }
};

// Places of the nodes of a rank, or of its ends, `bytes` each, in a message that begins at `at`
inline void add_places(std::vector<TreePlace> &all, int64_t at, int64_t nodes, int64_t bytes, int64_t first_slot) {
    for (int64_t k = 0; k < nodes; ++k)
        all.push_back({at + header_bytes + k * bytes, nodes * bytes, int32_t(first_slot + k)});
}

inline std::vector<TreePlace> sent_places(const MpPlan &p) {
    std::vector<TreePlace> all;
    for (int64_t k = 0; k < p.share.nodes(); ++k)
        all.push_back({header_bytes + k * p.forward_bytes, p.share.nodes() * p.forward_bytes,
                       int32_t(p.share.node_slot[size_t(k)])});
    return all;
}
inline std::vector<TreePlace> received_places(const MpPlan &p) {
    std::vector<TreePlace> all;
    for (int q = 0; q < p.comm->ranks(); ++q)
        add_places(all, p.forward.recv_at[size_t(q)], p.partition.nodes_of(q), p.forward_bytes,
                   p.partition.rank_node[size_t(q)]);
    return all;
}
// Of a rank without nodes one place, without a slot
inline std::vector<TreePlace> returning_places(const MpPlan &p) {
    std::vector<TreePlace> all;
    for (int q = 0; q < p.comm->ranks(); ++q) {
        if (p.is_gathered && q != p.rank()) continue;
        const int64_t at = p.is_gathered ? p.back.recv_at[0] : p.back.send_at[size_t(q)];
        if (p.partition.nodes_of(q) == 0)
            all.push_back({at + header_bytes, p.back_bytes, -1});
        else
            add_places(all, at, p.partition.nodes_of(q), p.back_bytes, p.partition.rank_node[size_t(q)]);
    }
    return all;
}
inline std::vector<TreePlace> returned_places(const MpPlan &p) {
    std::vector<TreePlace> all;
    for (int64_t k = 0; k < p.nodes_back(p.rank()); ++k)
        all.push_back({header_bytes + k * p.back_bytes, p.nodes_back(p.rank()) * p.back_bytes,
                       p.share.nodes() > 0 ? int32_t(p.share.node_slot[size_t(k)]) : -1});
    return all;
}

// First systems of the parts of messages that go to, or come from, the ranks that close systems
inline std::vector<int64_t> parts_of(const MpPlan &p) {
    return p.is_gathered ? std::vector<int64_t>{0, p.batch} : p.closer;
}
inline std::vector<int64_t> starts_of(const MpPlan &p, const std::vector<int64_t> &at) {
    return p.is_gathered ? std::vector<int64_t>{at[0]} : at;
}

inline std::vector<int64_t> leaf_rows(const MpPlan &p) {
    const auto begin = p.partition.leaf_row.begin();
    return {begin + p.partition.rank_leaf[size_t(p.rank())], begin + p.partition.rank_leaf[size_t(p.rank()) + 1] + 1};
}
inline std::vector<int64_t> node_rows(const MpPlan &p) {
    std::vector<int64_t> rows;
    for (const Partition::Node &node : p.partition.nodes) rows.push_back(p.partition.leaf_row[size_t(node.first)]);
    return rows;
}

// All tables of a plan, for messages as it has arranged them
struct Tables {
    TableWriter writer;
    size_t leaf_row, node_row, recv_at[2], send_at[2];  // headers, forward and back
    Groups groups;
    TreeTables of_group, own, all;
    MessageTables sent, received, returning, returned;

    Tables(const MpPlan &p, bool are_many)
        : leaf_row(writer.take(leaf_rows(p))),
          node_row(writer.take(node_rows(p))),
          groups(p, are_many),
          of_group(writer, Groups::of_one(), Groups::leaves, leaf_row),
          own(writer, groups.between(p.share.joins), p.share.slots(), leaf_row),
          all(writer, p.partition.joins, int64_t(p.partition.nodes.size()), node_row),
          sent(writer, parts_of(p), starts_of(p, p.forward.send_at), sent_places(p)),
          received(writer, {0, p.closed()}, {0}, received_places(p)),
          returning(writer, {0, p.closed()}, {0}, returning_places(p)),
          returned(writer, parts_of(p), starts_of(p, p.back.recv_at), returned_places(p)) {
        recv_at[0] = writer.take(p.forward.recv_at), recv_at[1] = writer.take(p.back.recv_at);
        send_at[0] = writer.take(p.forward.send_at), send_at[1] = writer.take(p.back.send_at);
    }
};

}  // namespace xbatch::distributed
