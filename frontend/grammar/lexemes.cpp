#include "frontend/grammar/lexemes.hpp"

namespace warpsim::frontend::grammar {

namespace {

template <class Accept> Iterator scan_while(Iterator at, Iterator last, Accept accept) {
    while (at != last && accept(*at)) ++at;
    return at;
}

bool is_digit(char c) { return is(c, digit); }
bool is_hexadecimal(char c) { return is(c, hexadecimal); }

/// Skips the optional U after an integer's digits. Null when there were no digits.
Iterator unsigned_suffix(Iterator begin, Iterator at, Iterator last) {
    if (at == begin) return nullptr;
    return at != last && *at == 'U' ? at + 1 : at;
}

Iterator scan_prefixed(Iterator at, Iterator last) {
    Iterator const digits = at + 2;
    switch (at[1]) {
        case 'x':
        case 'X': return unsigned_suffix(digits, scan_while(digits, last, is_hexadecimal), last);
        case 'b':
        case 'B': {
            auto const is_binary = [](char c) { return c == '0' || c == '1'; };
            return unsigned_suffix(digits, scan_while(digits, last, is_binary), last);
        }
        case 'f':
        case 'F':
        case 'd':
        case 'D': {
            Iterator const end = scan_while(digits, last, is_hexadecimal);
            return end == digits ? nullptr : end;
        }
        default: return nullptr;
    }
}

Iterator scan_exponent(Iterator at, Iterator last) {
    if (at == last || (*at != 'e' && *at != 'E')) return at;
    Iterator digits = at + 1;
    if (digits != last && (*digits == '+' || *digits == '-')) ++digits;
    Iterator const end = scan_while(digits, last, is_digit);
    return end == digits ? at : end;
}

}  // namespace

Iterator Number::scan_digits(Iterator at, Iterator last) {
    if (at == last || (!is_digit(*at) && *at != '.')) return nullptr;
    if (*at == '0' && last - at > 1 && is(at[1], letter) && at[1] != 'e' && at[1] != 'E' && at[1] != 'U') {
        return scan_prefixed(at, last);
    }
    Iterator const whole = scan_while(at, last, is_digit);
    bool const fraction = whole != last && *whole == '.';
    Iterator const mantissa = fraction ? scan_while(whole + 1, last, is_digit) : whole;
    if (fraction && mantissa - at == 1) return nullptr;
    Iterator const end = scan_exponent(mantissa, last);
    if (fraction || end != mantissa) return end;
    // Octal as in C: 08 is a mistake, not 8.
    if (*at == '0' && scan_while(at, whole, [](char c) { return c < '8'; }) != whole) return nullptr;
    return unsigned_suffix(at, whole, last);
}

Iterator String::scan(Iterator at, Iterator last) {
    if (at == last || *at != '"') return nullptr;
    for (++at; at != last && *at != '\n' && *at != '"'; ++at) {
        if (*at == '\\' && at + 1 != last && at[1] != '\n') ++at;
    }
    return at != last && *at == '"' ? at + 1 : nullptr;
}

Iterator SectionText::scan(Iterator at, Iterator last) {
    if (at == last || *at != '{') return nullptr;
    Skipper const skipper(at);
    for (++at; at != last; ++at) {
        at = skipper.skip(at, last);
        if (at == last) break;
        if (*at == '}') return at + 1;
        if (*at == '{' || *at == ';') return nullptr;
        if (Iterator const end = String::scan(at, last)) at = end - 1;
    }
    return nullptr;
}

BinaryOperator::Match BinaryOperator::scan(Iterator at, Iterator last) {
    using enum Token::Kind;
    if (at == last) return {};
    char const next = last - at > 1 ? at[1] : '\0';
    auto const either = [next](char second, Token::Kind two, Token::Kind one) {
        return next == second ? Match{two, 2} : Match{one, 1};
    };
    switch (*at) {
        case '+': return {add, 1, Level::additive};
        case '-': return {subtract, 1, Level::additive};
        case '*': return {multiply, 1, Level::multiplicative};
        case '/': return {divide, 1, Level::multiplicative};
        // `%4` in `7%4` is a name: a `%` followed by a name character is not an operator.
        case '%': return in_name(next) ? Match{} : Match{remainder, 1, Level::multiplicative};
        case '<': return next == '<' ? Match{shift_left, 2} : either('=', less_equal, less);
        case '>': return next == '>' ? Match{shift_right, 2} : either('=', greater_equal, greater);
        case '&': return either('&', logical_and, bit_and);
        case '|': return either('|', logical_or, bit_or);
        case '^': return {bit_xor, 1};
        case '=': return next == '=' ? Match{equal, 2} : Match{};
        case '!': return next == '=' ? Match{not_equal, 2} : Match{};
        default: return {};
    }
}

}  // namespace warpsim::frontend::grammar
