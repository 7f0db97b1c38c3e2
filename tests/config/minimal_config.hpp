// A configuration small enough to be written out, and the folder to write it to.
#pragma once

#include "tests/support/temporary_folder.hpp"

namespace warpsim::test {

/// Every required key and no other.
inline constexpr char const* minimal_config = R"({
  "compute_capability": "8.0",
  "clock_mhz": 1000,
  "sm": {
    "count": 3, "sub_cores": 4, "max_warps": 64, "max_threads": 2048, "max_ctas": 32, "registers": 65536,
    "barriers": 64,
    "shared": {
      "size_kib": 64, "carve_outs_kib": [0, 32, 64], "cta_opt_in_kib": 63, "cta_reserved_bytes": 1024,
      "allocation_unit_bytes": 128
    }
  },
  "memory": {"global_mib": 512},
  "l2": {"size_kib": 1024},
  "dram": {"bus_width_bits": 128, "clock_mhz": 1000}
})";

}  // namespace warpsim::test
