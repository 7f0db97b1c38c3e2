// A program whose main thread has ended by pthread_exit ends with the last of its other threads. The C library would
// wait for the threads of this one, too.
#pragma once

namespace warpsim::cuda {

/// Called when a thread of the program that has used the libraries ends, other than by exit().
void end_with_last_thread();

/// How many threads the program has, without ours; -1: they change while they are counted.
int threads_of_program();

}  // namespace warpsim::cuda
