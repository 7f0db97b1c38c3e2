# Compiler flags that every target of the project shares, as one interface target.
add_library(warpsim_flags INTERFACE)
target_compile_options(warpsim_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    # Results must not depend on whether the compiler fused a multiply and an add.
    -ffp-contract=off)
if(WARPSIM_WARNINGS_AS_ERRORS)
    target_compile_options(warpsim_flags INTERFACE -Werror)
endif()
if(WARPSIM_SANITIZE)
    target_compile_options(warpsim_flags INTERFACE -fsanitize=${WARPSIM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(warpsim_flags INTERFACE -fsanitize=${WARPSIM_SANITIZE})
    if(WARPSIM_SANITIZE MATCHES "undefined")
        target_compile_options(warpsim_flags INTERFACE -fno-sanitize-recover=undefined)
    endif()
endif()
