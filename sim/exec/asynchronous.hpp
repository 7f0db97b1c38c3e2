// What the plan says about mbarriers and asynchronous copies, and operations in flight.
#pragma once

#include "sim/exec/lanes/atomics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::sim {

/// An address operand: a column and an offset.
struct AddressOperand {
    Slot column = 0;
    bool is_64 = true;
    bool is_generic = false;  // a generic address in the window of shared memory
    bool own_shared = false;  // .shared::cta: excludes shared memory of other CTAs of the cluster
    std::int64_t offset = 0;
};

struct TensorBox;
struct TensorCopy;
class MatrixWork;

struct Asynchronous {
    enum class Kind : std::uint8_t {
        // mbarriers
        initialize,
        invalidate,
        arrive,
        expect,
        complete,
        test,
        check_layout,
        pending_count,
        // copies of a few bytes by each thread
        copy,
        commit,
        wait,
        arrive_after,
        // bulk copies
        bulk,
        bulk_commit,
        bulk_wait,
        prefetch,
        cancel_launch,
        // st.async and red.async: values of registers
        store,
        // tensormap.cp_fenceproxy: performed when issued
        copy_map,
        // bulk copies of boxes of tensors
        tensor,
    };
    Kind kind = Kind::copy;
    bool drops = false;    // arrive_drop
    bool expects = false;  // arrive.expect_tx
    bool must_not_complete = false;
    bool by_parity = false;
    bool may_suspend = false;    // try_wait, not test_wait
    bool with_report = false;    // .layout::v1: of an mbarrier that holds what copies report
    bool past_l1 = false;        // cp.async.cg
    bool counts_itself = false;  // cp.async.mbarrier.arrive without .noinc
    bool reads_only = false;     // wait_group.read
    bool from_shared = false;    // bulk: else from global memory
    bool to_global = false;      // bulk: else to shared memory
    bool is_multicast = false;
    bool is_of_pair = false;  // .cta_group::2
    bool has_count = false;
    bool has_mask = false;       // .cp_mask
    bool ignores = false;        // ignore-src
    bool ignores_edges = false;  // .ignore_oob
    AddressOperand target, source, barrier;
    Slot count = 0;  // arrivals, bytes of transactions, bytes to copy from the source, or a parity
    Slot state = 0;
    Slot mask = 0;              // CTAs of a multicast, bytes of .cp_mask, or ignore-src
    Slot result = -4;           // discard
    Slot report[2] = {-4, -4};  // of a test: whether there is a report, and its value
    std::uint32_t bytes = 0;    // cp-size; groups that a wait leaves in flight
    Atomic reduce[2] = {};      // on global memory, on shared memory
    std::uint32_t element_bytes = 0;
    std::uint32_t elements = 0;  // of a stored vector
    Slot data[4] = {};
    Slot edges[2] = {};  // of .ignore_oob: how many bytes at the beginning and at the end are not read
    std::shared_ptr<TensorCopy const> tensor;
};

/// Bytes of shared memory of a CTA of the cluster, or of global memory.
struct Bytes {
    static constexpr std::uint32_t global = UINT32_MAX;
    std::uint32_t rank = global;  // of the CTA
    std::uint64_t at = 0;

    bool is_shared() const { return rank != global; }
    bool operator==(Bytes const&) const = default;
};

/// An asynchronous operation that is issued and not complete.
struct UnderWay {
    std::uint32_t issuer = 0;  // rank of the issuing CTA
    std::uint32_t thread = 0;  // of that CTA
    std::uint32_t group = 0;   // of the thread: how many groups it had committed
    bool is_bulk = false;
    bool only_arrives = false;  // cp.async.mbarrier.arrive, tcgen05.commit: moves nothing
    bool follows_work = false;  // ... of these the latter
    bool in_group = false;      // waited for through groups, otherwise through the mbarrier
    bool has_read = false;      // `data` holds the source
    Bytes from, to;
    std::uint32_t bytes = 0;         // to write
    std::uint32_t source_bytes = 0;  // to read; the rest is filled with zeros
    std::uint32_t byte_mask = 0xffff;
    std::uint32_t ignored_bytes = 0;  // which the mbarrier counts, too
    Asynchronous const* plan = nullptr;
    Bytes barrier;
    bool has_barrier = false;
    std::vector<std::byte> data;
    std::shared_ptr<TensorBox const> box;    // of a tensor; null: its bytes follow one another
    std::shared_ptr<MatrixWork const> work;  // of the matrix unit: no copy
};

}  // namespace warpsim::sim
