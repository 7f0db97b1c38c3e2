# A folder with three functions that are listed, one of them defined, and with definitions that no list knows.
cmake_minimum_required(VERSION 3.24)
file(REMOVE_RECURSE ${work})
file(WRITE ${work}/in/entry_list.hpp "// Rows.
ENTRY(cuOld, 2000, cuOld, false)
ENTRY(cuMissing, 3020, cuMissing_v2, false)
")
file(WRITE ${work}/in/names.hpp "NAME(cuForAll)\n")
file(WRITE ${work}/in/calls.cpp "WARPSIM_API CUresult cuOld(int* out) { return cuHelper(out); }
/// Calls that stand in a body, such as cuMissing_v2(1), are no definitions.
WARPSIM_API char const* cuNewText(
    int which) {
    return cuMissing_v2(which);
}
WARPSIM_API CUresult cuNewCopy_v2(void* to, CUstream s) { return 0; }
WARPSIM_PER_THREAD(cuNewCopy_v2, cuNewCopy_v2_ptsz)
")
execute_process(COMMAND ${CMAKE_COMMAND} "-DFOLDERS=${work}/in" -D OUT=${work}/out -P ${script} COMMAND_ERROR_IS_FATAL ANY)

function(check file)
    file(STRINGS ${work}/out/${file} rows REGEX "^(NAME|ENTRY)")
    list(JOIN rows "|" got)
    list(JOIN ARGN "|" want)
    if(NOT got STREQUAL want)
        message(SEND_ERROR "${file}:\n  ${got}\ninstead of\n  ${want}")
    endif()
endfunction()
check(not_supported.hpp "NAME(cuMissing_v2)" "NAME(cuForAll)")
check(functions.hpp "NAME(cuForAll)" "NAME(cuMissing_v2)" "NAME(cuNewCopy_v2)" "NAME(cuNewCopy_v2_ptsz)" "NAME(cuNewText)"
      "NAME(cuOld)")
check(entries.hpp "ENTRY(cuOld, 2000, cuOld, false)" "ENTRY(cuMissing, 3020, cuMissing_v2, false)"
      "ENTRY(cuNewCopy, 13000, cuNewCopy_v2, false)" "ENTRY(cuNewCopy, 13000, cuNewCopy_v2_ptsz, true)"
      "ENTRY(cuNewText, 13000, cuNewText, false)")

# What both folders list is exported, and an inner folder lists a function under another name than the outer one's source,
# which includes the renames.
file(WRITE ${work}/in/newest_names.hpp "#define cuNewText cuNewText_v2\n#define cuOld cuOld_v9\n")
file(WRITE ${work}/in/inner/names.hpp "NAME(cuNewText)\nNAME(cuNewText_v2)\n")
file(WRITE ${work}/in/inner/older.cpp "WARPSIM_API char const* cuNewText() { return nullptr; }\n")
execute_process(COMMAND ${CMAKE_COMMAND} "-DFOLDERS=${work}/in/inner;${work}/in" -D OUT=${work}/two -P ${script}
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${work}/two/functions.hpp ${work}/out/two.hpp)
check(two.hpp "NAME(cuForAll)" "NAME(cuNewCopy_v2)" "NAME(cuNewCopy_v2_ptsz)" "NAME(cuNewText)" "NAME(cuNewText_v2)" "NAME(cuOld)")

# Nothing is written again when nothing changed, so that nothing is compiled again.
file(TIMESTAMP ${work}/out/functions.hpp before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
execute_process(COMMAND ${CMAKE_COMMAND} "-DFOLDERS=${work}/in" -D OUT=${work}/out -P ${script} COMMAND_ERROR_IS_FATAL ANY)
file(TIMESTAMP ${work}/out/functions.hpp after "%s")
if(NOT before STREQUAL after)
    message(SEND_ERROR "functions.hpp was written again")
endif()
