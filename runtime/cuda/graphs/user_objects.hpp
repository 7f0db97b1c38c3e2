// Objects of the program that graphs share: a function of the program destroys each after its last use.
#pragma once

#include "runtime/cuda/process/process.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace warpsim::cuda {

/// A pointer that a program shares with graphs, and the function that is called after the last use.
class UserObject {
public:
    UserObject(Handles<UserObject>& objects, void* pointer, void (*end)(void*), unsigned count)
        : objects_(objects), pointer_(pointer), end_(end), count_(count) {}
    void* handle = nullptr;
    void retain(unsigned count) { count_ += count; }
    /// After the last use, calls the function and removes the handle.
    void release(unsigned count);

private:
    Handles<UserObject>& objects_;
    void* const pointer_;
    void (*const end_)(void*);
    std::atomic<unsigned> count_;
};

/// Which objects are kept, and how often each. They are given back at its end.
class ObjectUses {
public:
    ObjectUses() = default;
    /// Keeps them as often once more.
    ObjectUses(ObjectUses const& other);
    ~ObjectUses();
    ObjectUses& operator=(ObjectUses const&) = delete;

    /// Takes over `count` uses that are counted already.
    void add(std::shared_ptr<UserObject> object, unsigned count);
    /// Gives back. Throws Failure(invalid_value) for more than are kept.
    void remove(UserObject& object, unsigned count);
    bool empty() const { return kept_.empty(); }

private:
    std::vector<std::pair<std::shared_ptr<UserObject>, unsigned>> kept_;
};

void create_user_object(Process& process, void** out, void* pointer, void (*end)(void*), unsigned count,
                        unsigned flags);
void retain_user_object(Process& process, void* object, unsigned count);
void release_user_object(Process& process, void* object, unsigned count);

}  // namespace warpsim::cuda
