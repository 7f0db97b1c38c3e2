// Runs one kernel of a PTX text on the caller's own memory: programs test their code generators with it where
// there is no GPU.
#pragma once

extern "C" {

/// Runs the first kernel of `ptx`, a string that ends with a zero byte, on a grid of (gx, gy, gz) blocks of (bx,
/// by, bz) threads with `smem` bytes of dynamic shared memory, and returns when it has ended. Each of `args` is a
/// value and not the address of one: its low bytes are the parameter, so pointers of this process and integers are
/// passed as they are. A parameter of more than 8 bytes cannot be passed. May be called from several threads;
/// launches take turns.
///
/// Returns 0 on success. Otherwise it has written a message to stderr and returns 2 for a bad call or a bad
/// WARPSIM_... variable, 3 for PTX with errors, 4 for a launch that does not fit or a kernel that faulted, 70 for
/// an error of the simulator.
__attribute__((visibility("default"))) int ptx_run(char const* ptx, int n_args, void* args[], int bx, int by,
                                                   int bz, int gx, int gy, int gz, int smem);
}
