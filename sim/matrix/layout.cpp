#include "sim/matrix/layout.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace warpsim::sim::matrix {

namespace {

using isa::Type;

/// Eight rows of words of 32 or 64 bits, four lanes a row: what all fragments are made of. `along` is the direction in which
/// the lanes of a row go on, columns for a, c and d, rows for b.
class Tile {
public:
    Tile(std::string name, int element_bits, bool is_column) : is_column_(is_column) {
        layout_.name = std::move(name);
        layout_.element_bits = element_bits;
        layout_.register_bits = element_bits == 64 ? 64 : 32;
        in_register_ = layout_.register_bits / element_bits;
        // Neighbours share a register; then come the four lanes of a row, and the eight rows.
        for (int step = 1; step < in_register_; step *= 2) element(0, step);
        for (std::size_t i = 0; i < 2; ++i) layout_.lane_steps[i] = at(0, in_register_ << i);
        for (std::size_t i = 0; i < 3; ++i) layout_.lane_steps[2 + i] = at(1 << i, 0);
        width_ = 4 * in_register_;
    }

    /// The next bit of an element's number.
    Tile& element(int across, int along) {
        layout_.element_steps[static_cast<std::size_t>(element_bits_++)] = at(across, along);
        return *this;
    }
    /// Eight rows more.
    Tile& rows() {
        element(height_, 0);
        height_ *= 2;
        return *this;
    }
    /// Tiles beside it until there are `count` elements along.
    Tile& until(int count) {
        while (width_ < count) {
            element(0, width_);
            width_ *= 2;
        }
        return *this;
    }
    Layout done() {
        layout_.elements = 1 << element_bits_;
        layout_.rows = is_column_ ? width_ : height_;
        layout_.columns = is_column_ ? height_ : width_;
        return layout_;
    }

private:
    Cell at(int across, int along) const { return is_column_ ? Cell{along, across} : Cell{across, along}; }

    Layout layout_;
    bool is_column_;
    int in_register_ = 1, element_bits_ = 0, height_ = 8, width_ = 0;
};

/// c and d: two neighbours in each lane, then eight rows more. Two of f16 share a register.
Layout accumulator(std::string const& name, int m, int n, int element_bits) {
    Layout l;
    l.name = name;
    l.rows = m;
    l.columns = n;
    l.element_bits = element_bits;
    l.register_bits = element_bits == 64 ? 64 : 32;
    l.elements = m * n / 32;
    l.lane_steps = {Cell{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
    std::size_t bit = 0;
    l.element_steps[bit++] = {0, 1};
    for (int row = 8; row < m; row *= 2) l.element_steps[bit++] = {row, 0};
    for (int column = 8; column < n; column *= 2) l.element_steps[bit++] = {0, column};
    return l;
}

struct Family {
    char const* name;
    int bits;
    int result_bits;
    std::vector<std::pair<int, int>> shapes;  // m, k
};

void add_mma(std::vector<Layout>& all) {
    Family const families[] = {
        {"f16", 16, 32, {{16, 8}, {16, 16}}},
        {"tf32", 32, 32, {{16, 4}, {16, 8}}},
        {"f64", 64, 64, {{8, 4}, {16, 4}, {16, 8}, {16, 16}}},
        {"s8", 8, 32, {{8, 16}, {16, 16}, {16, 32}}},
        {"s4", 4, 32, {{8, 32}, {16, 32}, {16, 64}}},
        {"b1", 1, 32, {{8, 128}, {16, 128}, {16, 256}}},
    };
    for (Family const& kind : families) {
        for (auto const& [m, k] : kind.shapes) {
            std::string const stem = "mma.m" + std::to_string(m) + "n8k" + std::to_string(k) + "." + kind.name;
            Tile a(stem + ".a", kind.bits, false);
            if (m == 16) a.rows();
            all.push_back(a.until(k).done());
            all.push_back(Tile(stem + ".b", kind.bits, true).until(k).done());
            all.push_back(accumulator(stem + ".c", m, 8, kind.result_bits));
            if (kind.bits == 16) all.push_back(accumulator(stem + ".c.f16", m, 8, 16));
        }
    }
}

void add_wmma(std::vector<Layout>& all) {
    struct Shape {
        int m, n, k;
        std::vector<std::pair<char const*, int>> factors;
    };
    std::vector<std::pair<char const*, int>> const common{{"f16", 16}, {"s8", 8}};
    Shape const shapes[] = {
        {16, 16, 16, common},     {8, 32, 16, common},     {32, 8, 16, common},      {16, 16, 8, {{"tf32", 32}}},
        {8, 8, 4, {{"f64", 64}}}, {8, 8, 32, {{"s4", 4}}}, {8, 8, 128, {{"b1", 1}}},
    };
    for (Shape const& s : shapes) {
        std::string const stem =
            "wmma.m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k) + ".";
        for (auto const& [name, bits] : s.factors) {
            Tile a(stem + name + ".a", bits, false), b(stem + name + ".b", bits, true);
            if (s.m >= 16) a.rows();
            a.until(s.k);
            if (s.m == 32) a.rows();
            b.until(s.k);
            for (int column = 8; column < s.n; column *= 2) b.rows();
            all.push_back(a.done());
            all.push_back(b.done());
        }
        all.push_back(accumulator(stem + "c", s.m, s.n, s.k == 4 ? 64 : 32));
        if (s.k == 16) all.push_back(accumulator(stem + "c.f16", s.m, s.n, 16));
    }
}

/// Eight lanes hold a matrix: four, and the four that come 16 later.
void add_quad_pairs(std::vector<Layout>& all) {
    auto const add = [&](char const* name, int rows, int columns, int bits, std::array<Cell, 5> lanes,
                         std::array<Cell, 8> elements) {
        Layout l;
        l.name = std::string("mma.m8n8k4.f16.") + name;
        l.rows = rows;
        l.columns = columns;
        l.element_bits = bits;
        l.elements = rows * columns / 8;
        l.lane_steps = lanes;
        l.element_steps = elements;
        all.push_back(l);
    };
    constexpr Cell same{};
    add("a.row", 8, 4, 16, {Cell{1, 0}, {2, 0}, same, same, {4, 0}}, {Cell{0, 1}, {0, 2}});
    add("a.col", 8, 4, 16, {Cell{0, 1}, {0, 2}, same, same, {4, 0}}, {Cell{1, 0}, {2, 0}});
    add("b.row", 4, 8, 16, {Cell{1, 0}, {2, 0}, same, same, {0, 4}}, {Cell{0, 1}, {0, 2}});
    add("b.col", 4, 8, 16, {Cell{0, 1}, {0, 2}, same, same, {0, 4}}, {Cell{1, 0}, {2, 0}});
    add("c.f16", 8, 8, 16, {Cell{1, 0}, {2, 0}, same, same, {4, 0}}, {Cell{0, 1}, {0, 2}, {0, 4}});
    add("c", 8, 8, 32, {Cell{1, 0}, {0, 2}, same, same, {4, 0}}, {Cell{0, 1}, {2, 0}, {0, 4}});
}

/// Of one matrix; with .x2 and .x4 the next ones are in the next registers. A row is what one address names.
void add_moves(std::vector<Layout>& all) {
    all.push_back(Tile("ldmatrix.m8n8.b16", 16, false).until(8).done());
    all.push_back(Tile("ldmatrix.m8n8.trans.b16", 16, true).until(8).done());
    all.push_back(Tile("ldmatrix.m8n16.b8x16", 8, false).until(16).done());
    all.push_back(Tile("ldmatrix.m16n16.trans.b8", 8, true).rows().until(16).done());
    all.push_back(Tile("stmatrix.m8n8.b16", 16, false).until(8).done());
    all.push_back(Tile("stmatrix.m8n8.trans.b16", 16, true).until(8).done());
    Layout bytes;
    bytes.name = "stmatrix.m16n8.trans.b8";
    bytes.rows = 8;
    bytes.columns = 16;
    bytes.element_bits = 8;
    bytes.elements = 4;
    bytes.lane_steps = {Cell{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};
    bytes.element_steps = {Cell{1, 0}, {0, 8}};
    all.push_back(bytes);
    all.push_back(Tile("movmatrix.m8n8.trans.b16", 16, true).until(8).done());
}

/// Rows 16 w to 16 w + 15 are warp w's, as mma has them.
void add_wgmma(std::vector<Layout>& all) {
    auto const of_four_warps = [&](Layout l) {
        l.rows = 64;
        l.is_of_four_warps = true;
        l.warp_steps = {Cell{16, 0}, {32, 0}};
        all.push_back(std::move(l));
    };
    struct Factor {
        char const* name;
        int bits, k;
    };
    for (Factor const& f :
         {Factor{"f16", 16, 16}, Factor{"tf32", 32, 8}, Factor{"s8", 8, 32}, Factor{"b1", 1, 256}}) {
        of_four_warps(Tile(std::string("wgmma.m64k") + std::to_string(f.k) + "." + f.name + ".a", f.bits, false)
                          .rows()
                          .until(f.k)
                          .done());
    }
    for (int n = 8; n <= 256; n *= 2) {
        std::string const stem = "wgmma.m64n" + std::to_string(n) + ".d";
        of_four_warps(accumulator(stem, 16, n, 32));
        of_four_warps(accumulator(stem + ".f16", 16, n, 16));
    }
}

}  // namespace

Cell Layout::cell(int lane, int element, int warp) const {
    Cell cell;
    auto const add = [&cell](std::span<Cell const> steps, int bits) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if ((bits >> i & 1) == 0) continue;
            cell.row += steps[i].row;
            cell.column += steps[i].column;
        }
    };
    add(lane_steps, lane);
    add(element_steps, element);
    add(warp_steps, warp);
    return cell;
}

ElementPlace Layout::place(Cell wanted, int& warp) const {
    for (warp = 0; warp < (is_of_four_warps ? 4 : 1); ++warp) {
        for (int lane = 0; lane < 32; ++lane) {
            for (int element = 0; element < elements; ++element) {
                if (cell(lane, element, warp) != wanted) continue;
                int const in_register = register_bits / element_bits;
                return {lane, element / in_register, element % in_register * element_bits};
            }
        }
    }
    throw std::out_of_range(name + " has no such element");
}

std::vector<Layout> const& layouts() {
    static std::vector<Layout> const all = [] {
        std::vector<Layout> list;
        add_wmma(list);
        add_quad_pairs(list);
        add_mma(list);
        add_moves(list);
        add_wgmma(list);
        return list;
    }();
    return all;
}

Layout const& layout_named(std::string_view name) {
    for (Layout const& l : layouts()) {
        if (l.name == name) return l;
    }
    throw std::out_of_range("no layout " + std::string(name));
}

std::string print(Layout const& layout) {
    std::string text = layout.name + ": " + std::to_string(layout.rows) + " rows, " +
                       std::to_string(layout.columns) + " columns, elements of " +
                       std::to_string(layout.element_bits) + " bits, " + std::to_string(layout.elements) +
                       " in each lane; w: warp, t: lane, e: element\n";
    std::vector<std::string> cells(static_cast<std::size_t>(layout.rows * layout.columns));
    for (int warp = 0; warp < (layout.is_of_four_warps ? 4 : 1); ++warp) {
        for (int lane = 0; lane < 32; ++lane) {
            for (int element = 0; element < layout.elements; ++element) {
                auto const [row, column] = layout.cell(lane, element, warp);
                std::string& cell = cells[static_cast<std::size_t>(row * layout.columns + column)];
                if (!cell.empty()) continue;
                if (layout.is_of_four_warps) cell = "w" + std::to_string(warp);
                cell += "t" + std::to_string(lane) + "e" + std::to_string(element);
            }
        }
    }
    std::size_t width = 0;
    for (std::string const& cell : cells) width = std::max(width, cell.size() + 1);
    for (int row = 0; row < layout.rows; ++row) {
        std::string line;
        for (int column = 0; column < layout.columns; ++column) {
            std::string const& cell = cells[static_cast<std::size_t>(row * layout.columns + column)];
            line += cell + std::string(width - cell.size(), ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

}  // namespace warpsim::sim::matrix
