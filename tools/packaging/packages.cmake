# What CPack makes of the installed tree: Debian's packages warpsim and libwarpsim-dev, or a folder that runs anywhere. tools/package
# asks for one of them. The version is the project's.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION share/warpsim/examples
        FILES_MATCHING PATTERN "*.cu" PATTERN "*.ptx" PATTERN "*.json" PATTERN "*.bin" PATTERN "README.md"
        # These are not run by the command alone.
        PATTERN "ci" EXCLUDE PATTERN "embed" EXCLUDE PATTERN "images" EXCLUDE PATTERN "sensitivity" EXCLUDE)
if(NOT WARPSIM_PACKAGE)
    return()
endif()
set(here ${PROJECT_SOURCE_DIR}/tools/packaging)

# Who answers for a package, as Debian's tools find it out; else who made the last change.
set(WARPSIM_MAINTAINER "" CACHE STRING "Who answers for a package: Name <mail@host>")
if(WARPSIM_MAINTAINER)
    set(CPACK_PACKAGE_CONTACT "${WARPSIM_MAINTAINER}")
elseif(DEFINED ENV{DEBEMAIL})
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 "--format=%an <%ae>"
                    OUTPUT_VARIABLE CPACK_PACKAGE_CONTACT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT CPACK_PACKAGE_CONTACT)
    message(FATAL_ERROR "Who answers for the package? Set DEBFULLNAME and DEBEMAIL, or -DWARPSIM_MAINTAINER=\"Name <mail@host>\"")
endif()

set(CPACK_PACKAGE_NAME warpsim)
set(CPACK_PACKAGE_VENDOR "")
# Each of Debian's packages begins its description with a summary of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL warpsim ${WARPSIM_DEVELOPMENT})
set(CPACK_VERBATIM_VARIABLES ON)

if(WARPSIM_PACKAGE STREQUAL "tarball")
    set(CPACK_GENERATOR TGZ)
    string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
    set(CPACK_PACKAGE_FILE_NAME warpsim-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
    find_program(WARPSIM_PATCHELF patchelf REQUIRED)
    set(CPACK_WARPSIM_PATCHELF ${WARPSIM_PATCHELF})
    set(CPACK_PRE_BUILD_SCRIPTS ${here}/stage_tarball.cmake)
    include(CPack)
    return()
endif()

# Packages of different distributions differ in what they depend on, and by the name that each has for it.
file(STRINGS /etc/os-release release REGEX "^(ID|VERSION_ID|VERSION_CODENAME)=")
foreach(line IN LISTS release)
    string(REGEX MATCH "^([A-Z_]+)=\"?([^\"]*)" whole "${line}")
    set(os_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1+${os_ID}${os_VERSION_ID})
set(package_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_WARPSIM_FOLDER ${here})
set(CPACK_WARPSIM_VERSION ${package_version})
set(CPACK_WARPSIM_CODENAME ${os_VERSION_CODENAME})
set(CPACK_WARPSIM_CHANGELOG ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
set(CPACK_WARPSIM_D3_LICENSE ${PROJECT_SOURCE_DIR}/runtime/report/page/d3/LICENSE)
set(CPACK_PRE_BUILD_SCRIPTS ${here}/stage_deb.cmake)

set(CPACK_DEBIAN_WARPSIM_PACKAGE_NAME warpsim)
set(CPACK_DEBIAN_WARPSIM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_WARPSIM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# Packages of programs that link libwarpsim depend on this version, whose interface is its own, and the loader learns of the
# library. The CUDA libraries are for `warpsim exec` alone.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs
     CONTENT "libwarpsim @PROJECT_VERSION_MAJOR@ warpsim (= @package_version@)\n" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_WARPSIM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_WARPSIM_DESCRIPTION
"simulator of GPUs that runs CUDA kernels
warpsim reads PTX, the assembly text that nvcc, clang and NVRTC produce, and
executes it warp by warp on a simulated GPU: without a GPU, and for CUDA
programs unchanged. Every access of memory is checked; races, uninitialised
values and misused barriers can be looked for; in timing mode the kernel runs
cycle by cycle, and a report tells which line waited for what.")
string(TOUPPER ${WARPSIM_DEVELOPMENT} development)
set(CPACK_DEBIAN_${development}_PACKAGE_NAME ${WARPSIM_DEVELOPMENT})
set(CPACK_DEBIAN_${development}_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_${development}_PACKAGE_DEPENDS "warpsim (= ${package_version})")
set(CPACK_COMPONENT_${development}_DESCRIPTION
"simulator of GPUs that runs CUDA kernels (headers)
warpsim runs CUDA kernels on a simulated GPU. This package has the headers of
its library and the CMake package, with which tests of CUDA programs run where
there is no GPU: find_package(warpsim), warpsim_add_cuda_test().")
include(CPack)
