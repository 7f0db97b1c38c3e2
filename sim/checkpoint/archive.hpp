// What a checkpoint is written and read with: archives of cereal that know what classes list of themselves. A class lists
// its state once, for both directions:
//
//     template <class Archive> void state(Archive& archive) { archive(queue_, free_); }
//
// An aggregate need not: its members are found. What follows from the configuration stays out; pointers are written as
// numbers by those who know what they lead to.
#pragma once

#include "sim/checkpoint/members.hpp"
#include "sim/error.hpp"
#include "sim/plugin/plugin.hpp"

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsim::checkpoint {

/// Specialised for classes whose state is listed elsewhere: visit(archive, x).
template <class T> struct StateOf;

/// What both archives have.
template <class Archive> class Both {
public:
    /// Who knows what pointers lead to; of whatever type the caller and the listed classes agree on.
    template <class T> T& context() const { return *static_cast<T*>(context_); }
    template <class T> void set_context(T& context) { context_ = &context; }

    /// A part that is chosen by name, or null. Throws Error(usage) for one of a plug-in that does not tell its state.
    template <class C> void component(std::unique_ptr<C> const& part) {
        Inside inside(static_cast<Archive&>(*this));
        if (part == nullptr || part->state(inside)) return;
        throw Error(ErrorKind::usage,
                    "--checkpoint: a component of a plug-in has no state(), so the run cannot be kept");
    }
    /// A list whose elements `each` writes or reads.
    template <class List, class Each> void list(List& all, Each&& each) {
        auto& archive = static_cast<Archive&>(*this);
        std::uint64_t size = all.size();
        archive(size);
        if constexpr (!Archive::is_saving) all.resize(size);
        for (auto& x : all) each(x);
    }

private:
    class Inside final : public plugin::State {
    public:
        explicit Inside(Archive& archive) : archive_(archive) {}
        void bytes(void* at, std::size_t size) override { archive_.bytes(at, size); }
        bool is_reading() const override { return !Archive::is_saving; }

    private:
        Archive& archive_;
    };
    void* context_ = nullptr;
};

/// Hands what is written to `put`, in pieces.
class Saver : public cereal::OutputArchive<Saver, cereal::AllowEmptyClassElision>, public Both<Saver> {
public:
    static constexpr bool is_saving = true;
    using Put = std::function<void(std::span<std::byte const>)>;

    explicit Saver(Put put) : OutputArchive(this), put_(std::move(put)) { buffer_.reserve(piece); }
    void bytes(void const* from, std::size_t size) {
        auto const* const first = static_cast<std::byte const*>(from);
        if (size > piece - buffer_.size()) flush();
        if (size > piece) return put_({first, size});
        buffer_.insert(buffer_.end(), first, first + size);
    }
    /// Everything has been written.
    void flush() {
        put_(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t piece = std::size_t{1} << 18;
    Put put_;
    std::vector<std::byte> buffer_;
};

/// Takes as many bytes as it needs from `get`, which fills all that it is given or throws.
class Loader : public cereal::InputArchive<Loader, cereal::AllowEmptyClassElision>, public Both<Loader> {
public:
    static constexpr bool is_saving = false;
    using Get = std::function<void(std::span<std::byte>)>;

    explicit Loader(Get get) : InputArchive(this), get_(std::move(get)) {}
    void bytes(void* to, std::size_t size) {
        // An empty vector has no place to fill.
        if (size != 0) get_({static_cast<std::byte*>(to), size});
    }

private:
    Get get_;
};

template <class A>
concept Archive = std::same_as<A, Saver> || std::same_as<A, Loader>;

template <class T>
concept ListedElsewhere = requires(T& x, Saver& archive) {
    StateOf<T>::visit(archive, x);
};
template <class T>
concept Listed = std::is_class_v<T> && requires(T& x, Saver& archive) {
    x.state(archive);
};
template <class T> inline constexpr bool is_array = false;
template <class T, std::size_t count> inline constexpr bool is_array<std::array<T, count>> = true;
template <class T>
concept Structure = ListedElsewhere<T> || Listed<T> ||
    (std::is_class_v<T>&& std::is_aggregate_v<T> && !is_array<T>);

}  // namespace warpsim::checkpoint

namespace cereal {

template <warpsim::checkpoint::Archive A, class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(A& archive, T const& x) { archive.bytes(&x, sizeof x); }
template <warpsim::checkpoint::Archive A, class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(A& archive, T& x) { archive.bytes(&x, sizeof x); }

template <class T> void CEREAL_SAVE_FUNCTION_NAME(warpsim::checkpoint::Saver& archive, BinaryData<T> const& x) {
    archive.bytes(x.data, static_cast<std::size_t>(x.size));
}
template <class T> void CEREAL_LOAD_FUNCTION_NAME(warpsim::checkpoint::Loader& archive, BinaryData<T>& x) {
    archive.bytes(x.data, static_cast<std::size_t>(x.size));
}
template <warpsim::checkpoint::Archive A, class T> void CEREAL_SERIALIZE_FUNCTION_NAME(A& archive, SizeTag<T>& x) {
    archive(x.size);
}
template <warpsim::checkpoint::Archive A, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(A& archive, NameValuePair<T>& x) {
    archive(x.value);
}

template <warpsim::checkpoint::Archive A, warpsim::checkpoint::Structure T>
void CEREAL_SERIALIZE_FUNCTION_NAME(A& archive, T& x) {
    namespace checkpoint = warpsim::checkpoint;
    if constexpr (checkpoint::ListedElsewhere<T>) checkpoint::StateOf<T>::visit(archive, x);
    else if constexpr (checkpoint::Listed<T>) x.state(archive);
    else checkpoint::visit_members(x, [&](auto&... members) { archive(members...); });
}

}  // namespace cereal

CEREAL_SETUP_ARCHIVE_TRAITS(warpsim::checkpoint::Loader, warpsim::checkpoint::Saver)
