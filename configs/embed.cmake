# Writes embedded_configs.cpp: each file as one array of bytes. Arguments: OUTPUT, FILES (separated by |).
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    # Compilers are slow on, and editors lost in, one line of 100 KB.
    string(REGEX REPLACE "(('[^']*',){16})" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "constexpr char text_${number}[] = {\n${bytes}};\n\n")
    string(APPEND rows "    {\"${name}\", {text_${number}, sizeof text_${number}}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from configs/*.json.
#include \"configs/embedded_configs.hpp\"

namespace warpsim {

namespace {

${arrays}constexpr EmbeddedConfig files[] = {
${rows}};

}  // namespace

std::span<EmbeddedConfig const> embedded_configs() {
    return files;
}

}  // namespace warpsim
")
