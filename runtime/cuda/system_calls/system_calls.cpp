// Functions of the C library that hand memory to the system, and those that set handlers of signals.
#include "runtime/cuda/devices/host_faults.hpp"

#include <bit>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#define WARPSIM_CALL extern "C" __attribute__((visibility("default")))

namespace {

using warpsim::cuda::HostCall;
using warpsim::cuda::program_sets_action;

/// The C library's own function of that type and name.
template <class Function> Function* original(char const* name) {
    return std::bit_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// ... which is called after the memory has been told of.
#define WARPSIM_ORIGINAL(name) static auto* const real = original<decltype(name)>(#name)

void uses(HostCall& call, iovec const* parts, int count, bool is_written) {
    for (int i = 0; i < count; ++i) call.uses(parts[i].iov_base, parts[i].iov_len, is_written);
}

void uses(HostCall& call, msghdr const* message, bool is_written) {
    if (message != nullptr) uses(call, message->msg_iov, static_cast<int>(message->msg_iovlen), is_written);
}

}  // namespace

// Headers that check sizes make inline functions of some names; these are the functions themselves.
extern "C" {
ssize_t __read_chk(int file, void* to, size_t bytes, size_t room);
ssize_t __pread_chk(int file, void* to, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int file, void* to, size_t bytes, off64_t at, size_t room);
ssize_t __recv_chk(int socket, void* to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int socket, void* to, size_t bytes, size_t room, int flags, sockaddr* from,
                       socklen_t* length);
size_t __fread_chk(void* to, size_t room, size_t size, size_t count, std::FILE* file);
ssize_t read(int file, void* to, size_t bytes);
ssize_t write(int file, void const* from, size_t bytes);
ssize_t pread(int file, void* to, size_t bytes, off_t at);
ssize_t pwrite(int file, void const* from, size_t bytes, off_t at);
ssize_t pread64(int file, void* to, size_t bytes, off64_t at);
ssize_t pwrite64(int file, void const* from, size_t bytes, off64_t at);
ssize_t getrandom(void* to, size_t bytes, unsigned flags);
}

WARPSIM_CALL ssize_t read(int file, void* to, size_t bytes) {
    WARPSIM_ORIGINAL(read);
    HostCall call("read");
    call.uses(to, bytes, true);
    return real(file, to, bytes);
}
WARPSIM_CALL ssize_t __read_chk(int file, void* to, size_t bytes, size_t room) {
    WARPSIM_ORIGINAL(__read_chk);
    HostCall call("read");
    call.uses(to, bytes, true);
    return real(file, to, bytes, room);
}
WARPSIM_CALL ssize_t pread(int file, void* to, size_t bytes, off_t at) {
    WARPSIM_ORIGINAL(pread);
    HostCall call("pread");
    call.uses(to, bytes, true);
    return real(file, to, bytes, at);
}
WARPSIM_CALL ssize_t pread64(int file, void* to, size_t bytes, off64_t at) {
    WARPSIM_ORIGINAL(pread64);
    HostCall call("pread");
    call.uses(to, bytes, true);
    return real(file, to, bytes, at);
}
WARPSIM_CALL ssize_t __pread_chk(int file, void* to, size_t bytes, off_t at, size_t room) {
    WARPSIM_ORIGINAL(__pread_chk);
    HostCall call("pread");
    call.uses(to, bytes, true);
    return real(file, to, bytes, at, room);
}
WARPSIM_CALL ssize_t __pread64_chk(int file, void* to, size_t bytes, off64_t at, size_t room) {
    WARPSIM_ORIGINAL(__pread64_chk);
    HostCall call("pread");
    call.uses(to, bytes, true);
    return real(file, to, bytes, at, room);
}
WARPSIM_CALL ssize_t readv(int file, iovec const* parts, int count) {
    WARPSIM_ORIGINAL(readv);
    HostCall call("readv");
    uses(call, parts, count, true);
    return real(file, parts, count);
}
WARPSIM_CALL ssize_t recv(int socket, void* to, size_t bytes, int flags) {
    WARPSIM_ORIGINAL(recv);
    HostCall call("recv");
    call.uses(to, bytes, true);
    return real(socket, to, bytes, flags);
}
WARPSIM_CALL ssize_t __recv_chk(int socket, void* to, size_t bytes, size_t room, int flags) {
    WARPSIM_ORIGINAL(__recv_chk);
    HostCall call("recv");
    call.uses(to, bytes, true);
    return real(socket, to, bytes, room, flags);
}
WARPSIM_CALL ssize_t recvfrom(int socket, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* length) {
    WARPSIM_ORIGINAL(recvfrom);
    HostCall call("recvfrom");
    call.uses(to, bytes, true);
    return real(socket, to, bytes, flags, from, length);
}
WARPSIM_CALL ssize_t __recvfrom_chk(int socket, void* to, size_t bytes, size_t room, int flags, sockaddr* from,
                                    socklen_t* length) {
    WARPSIM_ORIGINAL(__recvfrom_chk);
    HostCall call("recvfrom");
    call.uses(to, bytes, true);
    return real(socket, to, bytes, room, flags, from, length);
}
WARPSIM_CALL ssize_t recvmsg(int socket, msghdr* message, int flags) {
    WARPSIM_ORIGINAL(recvmsg);
    HostCall call("recvmsg");
    uses(call, message, true);
    return real(socket, message, flags);
}
WARPSIM_CALL size_t fread(void* to, size_t size, size_t count, std::FILE* file) {
    WARPSIM_ORIGINAL(fread);
    HostCall call("fread");
    call.uses(to, size * count, true);
    return real(to, size, count, file);
}
WARPSIM_CALL size_t __fread_chk(void* to, size_t room, size_t size, size_t count, std::FILE* file) {
    WARPSIM_ORIGINAL(__fread_chk);
    HostCall call("fread");
    call.uses(to, size * count, true);
    return real(to, room, size, count, file);
}
WARPSIM_CALL size_t fread_unlocked(void* to, size_t size, size_t count, std::FILE* file) {
    WARPSIM_ORIGINAL(fread_unlocked);
    HostCall call("fread_unlocked");
    call.uses(to, size * count, true);
    return real(to, size, count, file);
}
WARPSIM_CALL ssize_t getrandom(void* to, size_t bytes, unsigned flags) {
    WARPSIM_ORIGINAL(getrandom);
    HostCall call("getrandom");
    call.uses(to, bytes, true);
    return real(to, bytes, flags);
}

WARPSIM_CALL int sigaction(int signal, struct sigaction const* wanted, struct sigaction* before) {
    static auto* const real = original<int(int, struct sigaction const*, struct sigaction*)>(
        "sigaction");  // a structure is called so, too
    return program_sets_action(signal, wanted, before) ? 0 : real(signal, wanted, before);
}
WARPSIM_CALL sighandler_t signal(int number, sighandler_t handler) {
    WARPSIM_ORIGINAL(signal);
    struct sigaction wanted {
    }, before{};
    wanted.sa_handler = handler;
    wanted.sa_flags = SA_RESTART;
    sigemptyset(&wanted.sa_mask);
    if (!program_sets_action(number, &wanted, &before)) return real(number, handler);
    return before.sa_handler;
}

WARPSIM_CALL ssize_t write(int file, void const* from, size_t bytes) {
    WARPSIM_ORIGINAL(write);
    HostCall call("write");
    call.uses(from, bytes, false);
    return real(file, from, bytes);
}
WARPSIM_CALL ssize_t pwrite(int file, void const* from, size_t bytes, off_t at) {
    WARPSIM_ORIGINAL(pwrite);
    HostCall call("pwrite");
    call.uses(from, bytes, false);
    return real(file, from, bytes, at);
}
WARPSIM_CALL ssize_t pwrite64(int file, void const* from, size_t bytes, off64_t at) {
    WARPSIM_ORIGINAL(pwrite64);
    HostCall call("pwrite");
    call.uses(from, bytes, false);
    return real(file, from, bytes, at);
}
WARPSIM_CALL ssize_t writev(int file, iovec const* parts, int count) {
    WARPSIM_ORIGINAL(writev);
    HostCall call("writev");
    uses(call, parts, count, false);
    return real(file, parts, count);
}
WARPSIM_CALL ssize_t send(int socket, void const* from, size_t bytes, int flags) {
    WARPSIM_ORIGINAL(send);
    HostCall call("send");
    call.uses(from, bytes, false);
    return real(socket, from, bytes, flags);
}
WARPSIM_CALL ssize_t sendto(int socket, void const* from, size_t bytes, int flags, sockaddr const* to,
                            socklen_t length) {
    WARPSIM_ORIGINAL(sendto);
    HostCall call("sendto");
    call.uses(from, bytes, false);
    return real(socket, from, bytes, flags, to, length);
}
WARPSIM_CALL ssize_t sendmsg(int socket, msghdr const* message, int flags) {
    WARPSIM_ORIGINAL(sendmsg);
    HostCall call("sendmsg");
    uses(call, message, false);
    return real(socket, message, flags);
}
WARPSIM_CALL size_t fwrite(void const* from, size_t size, size_t count, std::FILE* file) {
    WARPSIM_ORIGINAL(fwrite);
    HostCall call("fwrite");
    call.uses(from, size * count, false);
    return real(from, size, count, file);
}
WARPSIM_CALL size_t fwrite_unlocked(void const* from, size_t size, size_t count, std::FILE* file) {
    WARPSIM_ORIGINAL(fwrite_unlocked);
    HostCall call("fwrite_unlocked");
    call.uses(from, size * count, false);
    return real(from, size, count, file);
}
