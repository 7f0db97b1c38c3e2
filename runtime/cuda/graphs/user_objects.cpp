#include "runtime/cuda/graphs/user_objects.hpp"

namespace warpsim::cuda {

void UserObject::release(unsigned count) {
    if (count == 0 || count > count_) throw Failure(Result::invalid_value);
    if (count_.fetch_sub(count) != count) return;
    end_(pointer_);
    objects_.forget(handle);
}

ObjectUses::ObjectUses(ObjectUses const& other) : kept_(other.kept_) {
    for (auto const& [object, count] : kept_) object->retain(count);
}

ObjectUses::~ObjectUses() {
    for (auto const& [object, count] : kept_) object->release(count);
}

void ObjectUses::add(std::shared_ptr<UserObject> object, unsigned count) {
    for (auto& [known, times] : kept_) {
        if (known != object) continue;
        times += count;
        return;
    }
    kept_.emplace_back(std::move(object), count);
}

void ObjectUses::remove(UserObject& object, unsigned count) {
    for (auto& [known, times] : kept_) {
        if (known.get() != &object) continue;
        if (count == 0 || count > times) throw Failure(Result::invalid_value);
        times -= count;
        object.release(count);
        std::erase_if(kept_, [](auto const& o) { return o.second == 0; });
        return;
    }
    throw Failure(Result::invalid_value);
}

void create_user_object(Process& process, void** out, void* pointer, void (*end)(void*), unsigned count,
                        unsigned flags) {
    constexpr unsigned no_order_of_ends = 1;
    if (out == nullptr || end == nullptr || count == 0 || flags != no_order_of_ends)
        throw Failure(Result::invalid_value);
    auto object = std::make_shared<UserObject>(process.user_objects, pointer, end, count);
    UserObject& made = *object;
    *out = made.handle = process.user_objects.add(std::move(object));
}

void retain_user_object(Process& process, void* object, unsigned count) {
    if (count == 0) throw Failure(Result::invalid_value);
    process.user_objects.get(object, Result::invalid_value)->retain(count);
}

void release_user_object(Process& process, void* object, unsigned count) {
    process.user_objects.get(object, Result::invalid_value)->release(count);
}

}  // namespace warpsim::cuda
