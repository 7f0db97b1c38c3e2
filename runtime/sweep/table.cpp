#include "runtime/sweep/table.hpp"

namespace warpsim::sweep {

std::string to_csv(Fields const& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) line += ',';
        if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
            line += fields[i];
            continue;
        }
        line += '"';
        for (char const c : fields[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
        line += '"';
    }
    return line + "\n";
}

std::vector<Record> read_csv(std::string_view text) {
    std::vector<Record> records;
    Record record{{""}, 0, 0};
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        std::string& field = record.fields.back();
        if (is_quoted) {
            if (c != '"') field += c;
            else if (i + 1 < text.size() && text[i + 1] == '"') field += text[i++];
            else is_quoted = false;
        } else if (c == '"') {
            is_quoted = true;
        } else if (c == ',') {
            record.fields.emplace_back();
        } else if (c == '\n') {
            if (field.ends_with('\r')) field.pop_back();
            record.end = i + 1;
            std::size_t const next = record.end;
            records.push_back(std::move(record));
            record = {{""}, next, 0};
        } else {
            field += c;
        }
    }
    return records;
}

}  // namespace warpsim::sweep
