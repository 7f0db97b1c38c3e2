// dlopen() as programs see it under `warpsim exec`: libraries that have a stand-in are opened as that, wherever the program
// looks for them.
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#define WARPSIM_CALL extern "C" __attribute__((visibility("default")))

namespace {

using Open = void*(char const*, int);

Open* original() {
    static std::atomic<Open*> known{nullptr};
    Open* open = known.load(std::memory_order_relaxed);
    if (open == nullptr) {
        open = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "dlopen"));
        known.store(open, std::memory_order_relaxed);
    }
    return open;
}

/// A path that is kept for the process's life; a list that only grows.
struct Kept {
    char name[PATH_MAX];  // of the stand-in's file
    char path[PATH_MAX];
    Kept* next = nullptr;
};

/// The stand-ins that were opened, each by the path of what it replaces.
std::atomic<Kept*> replaced{nullptr};

char const* file_name(char const* path) {
    char const* const slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

/// Joins as far as there is room; false: there is none.
bool join(char (&to)[PATH_MAX], char const* folder, std::size_t folder_size, char const* between,
          char const* name) {
    std::size_t const middle = std::strlen(between), rest = std::strlen(name);
    if (folder_size + middle + rest + 1 > sizeof to) return false;
    std::memcpy(to, folder, folder_size);
    std::memcpy(to + folder_size, between, middle);
    std::memcpy(to + folder_size + middle, name, rest + 1);
    return true;
}

/// Writes the path of the stand-in of that name; false: there is none.
bool is_replaced(char (&to)[PATH_MAX], char const* folder, std::size_t folder_size, char const* file) {
    if (!join(to, folder, folder_size, "replaced/", file)) return false;
    if (access(to, R_OK) == 0) return true;
    // A library without a number is the newest.
    std::size_t const size = std::strlen(to);
    if (std::strcmp(to + size - 3, ".so") != 0) return false;
    for (char const* const newest : {".13", ".10"}) {
        if (size + std::strlen(newest) + 1 > sizeof to) return false;
        std::memcpy(to + size, newest, std::strlen(newest) + 1);
        if (access(to, R_OK) == 0) return true;
    }
    return false;
}

/// The length of the path of this library's folder; `info` holds the path.
std::size_t own_folder(Dl_info& info) {
    if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0) return 0;
    return static_cast<std::size_t>(file_name(info.dli_fname) - info.dli_fname);
}

/// Where the library is that the program asks for, without its stand-in; null: nowhere.
char const* found_at(char const* name) {
    if (std::strchr(name, '/') != nullptr) return access(name, R_OK) == 0 ? name : nullptr;
    void* const handle = original()(name, RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
    return map->l_name;
}

/// Remembers the path by the name of its stand-in.
void remember(char const* name, char const* path) {
    for (Kept const* one = replaced.load(); one != nullptr; one = one->next)
        if (std::strcmp(one->name, name) == 0) return;
    auto* const kept = static_cast<Kept*>(std::calloc(1, sizeof(Kept)));
    if (kept == nullptr) return;
    if (!join(kept->path, path, std::strlen(path), "", "") || !join(kept->name, name, std::strlen(name), "", "")) {
        std::free(kept);
        return;
    }
    kept->next = replaced.load();
    while (!replaced.compare_exchange_weak(kept->next, kept)) {}
}

/// What to open for `name`; `room` may hold it.
char const* chosen(char const* name, char (&room)[PATH_MAX]) {
    if (name == nullptr) return name;
    char const* const file = file_name(name);
    // All that are replaced begin so; nothing else costs more than this.
    if (std::strncmp(file, "libnv", 5) != 0 && std::strncmp(file, "libcuda", 7) != 0 &&
        std::strncmp(file, "libcudnn.", 9) != 0 && std::strncmp(file, "libcurand.", 10) != 0)
        return name;
    Dl_info info{};
    std::size_t const folder = own_folder(info);
    if (folder == 0 || std::strncmp(name, info.dli_fname, folder) == 0) return name;
    // Libraries of the driver are not on this machine, or are of no use here.
    if (file != name && join(room, info.dli_fname, folder, "", file) && access(room, R_OK) == 0) return room;
    // Those of the toolkit are replaced where the program finds its own: else it should hear that there is none.
    if (!is_replaced(room, info.dli_fname, folder, file)) return name;
    char const* const own = found_at(name);
    if (own == nullptr) return name;
    if (std::strncmp(own, info.dli_fname, folder) != 0) remember(file_name(room), own);
    return room;
}

/// Not in dlopen()'s own frame, which is gone when the C library's runs.
thread_local char room_of_thread[PATH_MAX];

char const* chosen(char const* name) { return chosen(name, room_of_thread); }

}  // namespace

/// The path of the library of that name for which a stand-in was opened; null: none.
WARPSIM_CALL char const* warpsim_replaced_library(char const* name) {
    for (Kept const* one = replaced.load(); one != nullptr; one = one->next)
        if (std::strcmp(one->name, name) == 0) return one->path;
    return nullptr;
}

// The last thing is a jump, so that the caller is still the program: its run paths are searched, and $ORIGIN is its own.
WARPSIM_CALL void* dlopen(char const* name, int flags) noexcept {
    char const* const path = chosen(name);
    return original()(path, flags);
}
