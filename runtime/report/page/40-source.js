// Sources with the heat of their lines, and the PTX beside them. Only rows that are seen exist, so that long files stay quick.
"use strict";
const rowHeight = 20;

const mostPrinted = 300;  // rows of a list on paper, where nobody would read more

/// A list of `n` rows, made by row(i) when they come into view. On paper those of `printed` are there.
function longList(n, head, row, printed) {
    const body = h("div", {style: `position:relative;height:${n * rowHeight}px;min-width:36rem`});
    const box = h("div", {class: "source", tabindex: "0"}, head, body);
    let first = -1, last = -1, isPrinting = false;
    const draw = () => {
        if (isPrinting) {
            body.style.height = "auto";
            first = -1;
            return body.replaceChildren(...printed().slice(0, mostPrinted).map((i) => row(i)));
        }
        body.style.height = `${n * rowHeight}px`;
        const from = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 20);
        const to = Math.min(n, from + Math.ceil((box.clientHeight || 560) / rowHeight) + 40);
        if (from === first && to === last) return;
        first = from; last = to;
        body.replaceChildren(h("div", {style: `position:absolute;left:0;right:0;top:${from * rowHeight}px`},
            d3.range(from, to).map((i) => row(i))));
    };
    box.addEventListener("scroll", draw, {passive: true});
    draw();
    box.redraw = () => { first = -1; draw(); };
    box.show = (i) => { box.scrollTop = Math.max(0, (i - 6) * rowHeight); box.redraw(); };
    box.print = (on) => { isPrinting = on; box.redraw(); };
    return box;
}

const stalledOf = (line) => d3.sum(Object.values(line.stall_warp_cycles || {}));
const lineNumber = (place) => Number(place.slice(place.lastIndexOf(":") + 1));
const fileOf = (place) => place.slice(0, place.lastIndexOf(":"));
/// Where the code stands: of "math.h:12 inlined at kernel.cu:6" the first.
const ownPlace = (source) => source.split(" inlined at ")[0];

function sum(lines) {
    const s = {executed: 0, threads: 0, stalled: 0, requests: 0, sectors: 0, why: {}};
    for (const l of lines) {
        s.executed += l.executed || 0; s.threads += l.threads_guarded || 0; s.stalled += stalledOf(l);
        s.requests += (l.global && l.global.requests) || 0; s.sectors += (l.global && l.global.sectors) || 0;
        for (const [reason, n] of Object.entries(l.stall_warp_cycles || {})) s.why[reason] = (s.why[reason] || 0) + n;
    }
    return s;
}

function source(v) {
    if (v.lines.length === 0) return null;
    const ptx = new Map(), sources = new Map();
    const put = (map, place, line) => {
        const file = fileOf(place), n = lineNumber(place);
        if (!map.has(file)) map.set(file, new Map());
        if (!map.get(file).has(n)) map.get(file).set(n, []);
        map.get(file).get(n).push(line);
    };
    for (const line of v.lines) {
        put(ptx, line.line, line);
        if (line.source) put(sources, ownPlace(line.source), line);
    }
    const all = sum(v.lines), most = v.timed && all.stalled > 0 ? (s) => s.stalled / all.stalled : (s) => s.executed / all.executed;
    let chosen = null;  // lines that are shown on both sides
    const boxes = [];
    const list = (file, lines) => {
        const text = (v.run.texts || {})[file];
        const numbers = [...lines.keys()].sort((a, b) => a - b);
        // Without its text, the lines that were executed.
        const rows = text !== undefined ? text.replace(/\n$/, "").split("\n").map((t, i) => [i + 1, t])
                                        : numbers.map((n) => [n, (lines.get(n)[0].line === `${file}:${n}` ? lines.get(n)[0].text : "")]);
        const head = h("div", {class: "row head"}, h("span", {}, "line"), h("span", {title: v.timed ? "of all cycles that warps waited" : "of all executed instructions"}, v.timed ? "waited" : "share"),
            h("span", {title: "by warps"}, "executed"), h("span", {title: "active on average"}, "lanes"), h("span", {title: "sectors a request to global memory"}, "sectors"), h("span", {class: "code"}, file));
        const box = longList(rows.length, head, (i) => {
            const [n, t] = rows[i], here = lines.get(n);
            if (!here) return h("div", {class: "row"}, h("span", {class: "soft"}, n), h("span"), h("span"), h("span"), h("span"), h("span", {class: "code"}, t));
            const s = sum(here), share = most(s);
            const why = Object.entries(s.why).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([reason, c]) => `${reason} ${percent(c / (all.stalled || 1))}`).join(", ");
            const isChosen = chosen !== null && here.some((l) => chosen.has(l));
            return h("div", {class: "row has" + (isChosen ? " chosen" : ""), title: why, style: `background:rgba(var(--heat),${Math.min(0.6, Math.sqrt(share) * 0.6).toFixed(3)})`,
                onclick: () => choose(new Set(here), box)}, h("span", {class: "soft"}, n), h("span", {}, share < 0.0005 ? "" : (100 * share).toFixed(1) + "%"),
                h("span", {}, short(s.executed)), h("span", {}, s.executed ? (s.threads / s.executed).toFixed(1) : ""),
                h("span", {}, s.requests ? (s.sectors / s.requests).toFixed(1) : ""), h("span", {class: "code"}, t));
        }, () => {  // what was executed, with two lines around it
            const near = new Set();
            rows.forEach(([n], i) => { if (lines.has(n)) for (let k = Math.max(0, i - 2); k <= Math.min(rows.length - 1, i + 2); ++k) near.add(k); });
            return [...near].sort((a, b) => a - b);
        });
        const index = new Map(rows.map(([n], i) => [n, i]));
        let hottest = 0, heat = -1;
        for (const n of numbers) if (most(sum(lines.get(n))) > heat && index.has(n)) { heat = most(sum(lines.get(n))); hottest = index.get(n); }
        box.find = (set) => { for (const n of numbers) if (lines.get(n).some((l) => set.has(l)) && index.has(n)) return index.get(n); return -1; };
        requestAnimationFrame(() => box.show(hottest));
        boxes.push(box);
        return box;
    };
    const choose = (set, from) => {
        chosen = set;
        for (const box of boxes) {
            const where = box === from ? -1 : box.find(set);
            if (where >= 0) box.show(where); else box.redraw();
        }
    };
    // The file with most of the heat first.
    const ordered = (map) => [...map].sort((a, b) => d3.sum([...b[1].values()], (l) => most(sum(l))) - d3.sum([...a[1].values()], (l) => most(sum(l)))).slice(0, 6);
    const left = ordered(sources).map(([file, lines]) => list(file, lines)), right = ordered(ptx).map(([file, lines]) => list(file, lines));
    return part("Source and PTX", h("p", {class: "soft"}, (v.timed ? "Heat is the share of all cycles that warps waited; a line's tip says why. " : "Heat is the share of executed instructions. ") +
        "Choose a line to see what it belongs to on the other side."), h("div", {class: "columns sources"}, h("div", {}, left.length ? left : null), h("div", {}, right)));
}
