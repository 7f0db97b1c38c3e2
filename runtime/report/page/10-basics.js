// Elements, numbers and colours that all parts of the page use.
"use strict";
const runs = JSON.parse(document.getElementById("data").textContent);

/// An element with attributes and children; null children are left out.
function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "style") element.style.cssText = value;
        else element.setAttribute(key, value);
    }
    for (const child of children.flat()) {
        if (child === null || child === undefined) continue;
        element.append(child instanceof Node ? child : String(child));
    }
    return element;
}

const isNumber = (x) => typeof x === "number" && Number.isFinite(x);
/// 12345 as "12,345", 0.1234 as "0.123"; a value that is not there as a dash.
function count(x) {
    if (!isNumber(x)) return "–";
    if (Number.isInteger(x)) return x.toLocaleString("en-US");
    return x.toLocaleString("en-US", {maximumSignificantDigits: 3});
}
const percent = (x, digits = 1) => (isNumber(x) ? (100 * x).toFixed(digits) + " %" : "–");
function short(x) {
    if (!isNumber(x)) return "–";
    const units = ["", " k", " M", " G", " T", " P"];
    let i = 0;
    while (Math.abs(x) >= 1000 && i < units.length - 1) { x /= 1000; ++i; }
    return (i === 0 && Number.isInteger(x) ? x : x.toPrecision(3)) + units[i];
}
const colour = (i) => `var(--c${i % 18})`;
const at = (object, path) => path.split(".").reduce((o, key) => (o === null || o === undefined ? undefined : o[key]), object);
const product = (list) => (list || []).reduce((a, b) => a * b, 1);
const shape = (list) => "(" + (list || []).join(",") + ")";

const nameOf = (launch) => launch.name || launch.kernel;

/// A share as a horizontal bar.
function bar(name, share, title, fill) {
    const width = isNumber(share) ? Math.max(0, Math.min(1, share)) * 100 : 0;
    return h("div", {class: "bar", title: title || ""}, h("span", {}, name),
             h("span", {class: "track"}, h("span", {class: "fill", style: `display:block;width:${width}%;background:${fill || "var(--c0)"}`})),
             h("span", {class: "value"}, percent(share)));
}

/// Parts of a whole side by side: [[name, value]...], with a legend.
function stacked(parts, text = (x) => percent(x)) {
    const shown = parts.filter(([, value]) => isNumber(value) && value > 0);
    const whole = shown.reduce((sum, [, value]) => sum + value, 0);
    if (whole === 0) return h("p", {class: "soft"}, "nothing");
    const strip = h("div", {class: "stack"});
    const legend = h("div", {class: "legend"});
    shown.forEach(([name, value, index], i) => {
        const fill = colour(index ?? i);
        strip.append(h("span", {style: `width:${100 * value / whole}%;background:${fill}`, title: `${name}: ${text(value / whole, value)}`}));
        legend.append(h("span", {}, h("i", {style: `background:${fill}`}), `${name} ${text(value / whole, value)}`));
    });
    return h("div", {}, strip, legend);
}

function facts(rows) {
    return h("table", {class: "facts"}, rows.filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value, title]) => h("tr", {title: title || null}, h("td", {}, name), h("td", {class: "n"}, value))));
}

/// "app.cu:7" of "/home/me/app.cu:7": nvcc names files by whole paths, which a tip has.
const withoutFolders = (text) => text.replace(/\S*\/(?=[^\/\s:]+:\d)/g, "");
const places = (text) => h("span", {title: text}, withoutFolders(text));

/// Columns: [heading, of a row, is it a number].
function grid(columns, rows) {
    return h("div", {class: "scroll"}, h("table", {},
        h("thead", {}, h("tr", {}, columns.map(([name, , isN]) => h("th", {class: isN ? "n" : null}, name)))),
        h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, of, isN]) => h("td", {class: isN ? "n" : null}, of(row))))))));
}

/// A part of a kernel with its heading; nothing where there is no content.
function part(title, ...content) {
    const shown = content.flat().filter((c) => c !== null && c !== undefined);
    return shown.length === 0 ? null : h("section", {"data-part": title}, h("h3", {}, title), ...shown);
}
