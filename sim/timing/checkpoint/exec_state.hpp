// The state of clusters, listed for checkpoints. Where a class gets another member, its list here does not compile until it
// is looked at.
#pragma once

#include "sim/checkpoint/archive.hpp"
#include "sim/exec/component.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/exec/tensor/tensor_copy.hpp"
#include "sim/timing/checkpoint/places.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace warpsim::checkpoint {

template <class T, std::uint32_t few_count> struct StateOf<sim::Few<T, few_count>> {
    template <class Archive> static void visit(Archive& archive, sim::Few<T, few_count>& few) {
        std::uint64_t size = few.size();
        archive(size);
        if constexpr (Archive::is_saving) {
            for (T& x : few) archive(x);
        } else {
            few.clear();
            for (std::uint64_t i = 0; i < size; ++i) {
                T x{};
                archive(x);
                few.add(std::move(x));
            }
        }
    }
};

template <class T> struct StateOf<sim::Owned<T>> {
    template <class Archive> static void visit(Archive& archive, sim::Owned<T>& owned) {
        bool is_there{owned};
        archive(is_there);
        if constexpr (!Archive::is_saving) owned = is_there ? sim::Owned<T>(T{}) : sim::Owned<T>();
        if (is_there) archive(*owned);
    }
};

template <> struct StateOf<sim::AlignedBytes> {
    template <class Archive> static void visit(Archive& archive, sim::AlignedBytes& bytes) {
        bool is_there{bytes};
        std::uint64_t size = bytes.size();
        archive(is_there, size);
        if constexpr (!Archive::is_saving) bytes = is_there ? sim::AlignedBytes(size) : sim::AlignedBytes();
        if (size != 0) archive.bytes(bytes.get(), size);
    }
};

template <> struct StateOf<sim::OpCounters> {
    template <class Archive> static void visit(Archive& archive, sim::OpCounters& counters) {
        auto& [deltas, guarded_off, divergent, branch_total, branch_divergent] = counters;
        archive(deltas, guarded_off, divergent, branch_total, branch_divergent);
    }
};

template <> struct StateOf<sim::Frame> {
    template <class Archive> static void visit(Archive& archive, sim::Frame& frame) {
        auto& [function, registers, parent, call, return_op, depth, lanes, activation, local_base, local_end,
               param_end, stack_bytes, stack] = frame;
        auto const& places = archive.template context<timing::Places>();
        places.function(archive, function);
        places.call(archive, call);
        archive(parent, return_op, depth, lanes, activation, local_base, local_end, param_end, stack_bytes, stack,
                registers);
    }
};

/// Without what adopt() sets.
template <> struct StateOf<sim::Warp> {
    template <class Archive> static void visit(Archive& archive, sim::Warp& warp) {
        auto& [bases, executed, slice_end, current, index, exists, exited, frames, splits, last, own_changes,
               cluster_arrived, cluster_owing, convergence_barriers, local, local_used, slice_hash, slice_changes,
               polled, let_go, polled_at, polled_place] = warp;
        archive.template context<timing::Places>().op(archive, polled);
        archive(index, exists, exited, cluster_arrived, cluster_owing, current, splits, convergence_barriers,
                frames, last, executed, local, local_used, slice_hash, slice_changes, own_changes, polled_at,
                polled_place, slice_end, let_go);
    }
};

template <> struct StateOf<sim::Warpgroup::Product> {
    template <class Archive> static void visit(Archive& archive, sim::Warpgroup::Product& product) {
        auto& [op, a, b, adds] = product;
        archive.template context<timing::Places>().op(archive, op);
        archive(a, b, adds);
    }
};

/// Without what adopt() sets.
template <> struct StateOf<sim::Cta> {
    template <class Archive> static void visit(Archive& archive, sim::Cta& cta) {
        auto& [cluster, rank, linear, id, sm, columns, shared, warps, barriers, barriers_in_use,
               in_cluster_barrier, committed, tensor_memory, tensor_group, registers, warpgroups, executed,
               clock_offset, changes, looked_at_time] = cta;
        archive(rank, linear, id, sm, columns, shared, warps, barriers, barriers_in_use, in_cluster_barrier,
                committed, tensor_memory, tensor_group, registers, warpgroups, executed, clock_offset, changes,
                looked_at_time);
    }
};

template <> struct StateOf<sim::Cluster> {
    template <class Archive> static void visit(Archive& archive, sim::Cluster& cluster) {
        auto& [linear, ctas, under_way, executed, turn_changes, turn_times, may_poll, changed_nothing, stuck_epoch,
               kept_hash, kept_epoch, kept_turns, keep_turns, released, is_unmarked] = cluster;
        archive(linear, ctas, under_way, executed, turn_changes, turn_times, may_poll, changed_nothing,
                stuck_epoch, kept_hash, kept_epoch, kept_turns, keep_turns, released, is_unmarked);
    }
};

/// The function of a reduction follows from what the plan says of the copy: see UnderWay.
template <> struct StateOf<sim::TensorBox> {
    template <class Archive> static void visit(Archive& archive, sim::TensorBox& box) {
        auto& [map, map_address, runs, global_bytes, reduce] = box;
        archive(map, map_address, runs, global_bytes);
    }
};

template <> struct StateOf<sim::UnderWay> {
    template <class Archive> static void visit(Archive& archive, sim::UnderWay& copy) {
        auto& [issuer, thread, group, is_bulk, only_arrives, follows_work, in_group, has_read, from, to, bytes,
               source_bytes, byte_mask, ignored_bytes, plan, barrier, has_barrier, data, box, work] = copy;
        if (work) throw std::logic_error("work of the matrix unit between two epochs");
        archive.template context<timing::Places>().detail(archive, plan);
        archive(issuer, thread, group, is_bulk, only_arrives, follows_work, in_group, has_read, from, to, bytes,
                source_bytes, byte_mask, ignored_bytes, barrier, has_barrier, data);
        keep_box(archive, box, plan);
    }

private:
    /// CTAs of a multicast share it.
    template <class Archive>
    static void keep_box(Archive& archive, std::shared_ptr<sim::TensorBox const>& box,
                         sim::Asynchronous const* plan) {
        auto kept = std::const_pointer_cast<sim::TensorBox>(box);
        archive(kept);
        if constexpr (!Archive::is_saving) {
            if (kept && plan != nullptr && plan->tensor)
                kept->reduce = sim::reduction_of(*plan->tensor, kept->map.element);
        }
        box = std::move(kept);
    }
};

}  // namespace warpsim::checkpoint
