// The lane functions as bitcode, as the compiler of kernels reads it.
    .section .rodata
    .balign 16
    .globl warpsim_lane_bitcode
warpsim_lane_bitcode:
    .incbin WARPSIM_LANE_BITCODE
    .globl warpsim_lane_bitcode_end
warpsim_lane_bitcode_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
