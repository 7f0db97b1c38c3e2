// The teaching view: a kernel's first instructions, one at a time.
"use strict";

function teaching(v) {
    const steps = v.steps;
    if (!steps || !steps.ctas.some((c) => c.steps.length > 0)) return null;
    let cta = 0, warp = -1, now = 0;  // warp -1: all warps in the order of execution
    const box = h("div", {class: "teaching"});
    const hex = (mask) => "0x" + (mask >>> 0).toString(16).padStart(8, "0");
    const has = (mask, lane) => (mask >>> lane & 1) === 1;
    const place = (p) => steps.places[p];
    const number = (p) => place(p)[0].slice(place(p)[0].lastIndexOf(":") + 1);
    const visible = () => steps.ctas[cta].steps.filter((s) => warp < 0 || s.w === warp);

    const lanesOf = (step) => h("div", {class: "lanes"}, d3.range(32).map((i) => {
        const active = has(step.a, i), runs = has(step.m, i), taken = step.d && has(step.d[0], i);
        return h("span", {class: (runs ? "on" : active ? "guarded" : "") + (taken ? " taken" : ""),
            title: `lane ${i}: ` + (runs ? "executes" : active ? "its guard says no" : "not active") + (taken ? ", takes the branch" : "")}, i);
    }));
    const states = ["runs", "waits for lanes of a warp operation", "waits at a barrier", "waits at the cluster's barrier"];
    const paths = (step) => {
        const splits = step.s || [], barriers = step.b || [];
        if (splits.length < 2 && barriers.length === 0) return h("p", {class: "soft"}, "All lanes that are there go together.");
        return h("div", {}, grid([["lanes together", (s) => h("code", {}, hex(s[1]))], ["their next line", (s) => number(s[0])],
            ["instruction", (s) => h("code", {}, place(s[0])[1])], ["", (s) => states[s[2]]]], splits),
            barriers.length ? grid([["they meet again at line", (b) => number(b[0])], ["lanes expected", (b) => h("code", {}, hex(b[1]))],
                ["arrived", (b) => h("code", {}, hex(b[2]))]], barriers) : null);
    };
    // [name, lanes, "the same in all" | [of lane 0, more with each lane] | [text of each of these lanes]]
    const valueOf = ([, lanes, values], i) => {
        if (!has(lanes, i)) return "";
        if (typeof values === "string") return values;
        if (typeof values[0] === "number") return String(values[0] + values[1] * i);
        return values[d3.range(i).filter((lane) => has(lanes, lane)).length];
    };
    const registers = (step) => {
        const rows = (step.i || []).map((r) => ["reads", r]).concat((step.o || []).map((r) => ["writes", r]));
        if (rows.length === 0) return null;
        if (rows.every(([, r]) => typeof r[2] === "string"))
            return h("p", {"data-registers": rows.length}, rows.flatMap(([verb, r], k) => [k ? ", " : "", verb + " ", h("code", {}, `${r[0]} = ${r[2]}`)]), " in all of these lanes");
        return h("div", {class: "scroll", "data-registers": rows.length}, h("table", {}, h("tr", {}, h("th", {}, "lane"), h("th", {}), d3.range(32).map((i) => h("td", {class: "n"}, i))),
            rows.map(([verb, r]) => h("tr", {}, h("th", {}, h("code", {}, r[0])), h("th", {}, verb), d3.range(32).map((i) => h("td", {class: "n"}, valueOf(r, i)))))));
    };
    const addresses = (step) => (step.u || []).map((use) => {
        const bank = v.peaks.bank_bytes || 4, banks = v.peaks.banks || 32;
        const lanes = d3.range(32).filter((i) => use.at[i] >= 0);
        const list = h("div", {class: "scroll"}, h("table", {}, h("tr", {}, h("th", {}, "lane"), lanes.map((i) => h("td", {class: "n"}, i))),
            h("tr", {}, h("th", {}, "address"), lanes.map((i) => h("td", {class: "n"}, "+" + use.at[i])))));
        if (use.s === "shared") {
            const words = d3.range(banks).map(() => new Set());
            for (const i of lanes) for (let b = 0; b < use.n; b += bank) { const w = Math.floor((use.l + use.at[i] + b) / bank); words[w % banks].add(w); }
            const most = d3.max(words, (w) => w.size);
            return h("div", {}, h("p", {}, `${lanes.length} lanes use ${use.n} bytes each of shared memory, from offset ${use.l}. The busiest bank has ${most} words: ` +
                (most > 1 && use.n <= bank ? `${most} passes.` : "no conflict.")),
                h("div", {class: "cells", "aria-label": "banks"}, words.map((w, i) => h("span", {class: w.size > 1 ? "many" : w.size === 1 ? "on" : "", title: `bank ${i}: ${w.size} words`}, w.size || ""))), list);
        }
        const sectors = new Map();
        for (const i of lanes) for (let b = 0; b < use.n; b += Math.min(use.n, 32)) {
            const s = Math.floor((use.l + use.at[i] + b) / 32);
            sectors.set(s, (sectors.get(s) || 0) + 1);
        }
        const sorted = [...sectors.keys()].sort((a, b) => a - b);
        return h("div", {}, h("p", {}, `${lanes.length} lanes use ${use.n} bytes each of ${use.s} memory, from 0x${use.l.toString(16)}: ${sectors.size} sectors of 32 bytes, ` +
            `${percent(Math.min(1, lanes.length * use.n / (32 * sectors.size)), 0)} of whose bytes are asked for.`),
            h("div", {class: "cells", "aria-label": "sectors"}, sorted.map((s) => h("span", {class: "on", title: `sector at 0x${(s * 32).toString(16)}: ${sectors.get(s)} lanes`}, sectors.get(s)))), list);
    });
    const listing = (step) => {
        const box = h("div", {class: "listing"}, steps.places.map((p, i) => h("div", {class: "mono" + (i === step.p ? " now" : "")},
            h("span", {class: "where"}, number(i)), h("span", {}, p[1]), h("span", {class: "soft"}, p[2] ? "(" + withoutFolders(p[2]) + ")" : ""))));
        requestAnimationFrame(() => {
            const line = box.querySelector(".now");
            if (line) box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
        });
        return box;
    };
    const draw = () => {
        const list = visible();
        now = Math.max(0, Math.min(now, list.length - 1));
        const step = list[now];
        const go = (to) => () => { now = to; draw(); };
        const warps = [...new Set(steps.ctas[cta].steps.map((s) => s.w))].sort((a, b) => a - b);
        const tools = h("div", {class: "tools"},
            h("button", {onclick: go(0), title: "the first step"}, "first"), h("button", {onclick: go(now - 1), "data-step": "back"}, "◀ back"),
            h("button", {onclick: go(now + 1), "data-step": "next"}, "step ▶"), h("button", {onclick: go(list.length - 1), title: "the last step"}, "last"),
            h("button", {onclick: () => { let k = now + 1; while (k < list.length && !list[k].d) ++k; now = k; draw(); }}, "next divergence"),
            h("label", {}, "block ", h("select", {onchange: (e) => { cta = Number(e.target.value); now = 0; draw(); }, "aria-label": "block"},
                steps.ctas.map((c, i) => c.steps.length ? h("option", {value: i, selected: i === cta ? "" : null}, shape(c.cta)) : null))),
            h("label", {}, "warp ", h("select", {onchange: (e) => { warp = Number(e.target.value); now = 0; draw(); }, "aria-label": "warp"},
                h("option", {value: -1}, "all, as they ran"), warps.map((w) => h("option", {value: w, selected: w === warp ? "" : null}, w)))),
            h("input", {type: "range", min: 0, max: list.length - 1, value: now, "aria-label": "step", oninput: (e) => { now = Number(e.target.value); draw(); }}),
            h("span", {class: "soft"}, `step ${now + 1} of ${list.length}` + (steps.ctas[cta].complete ? "" : ", of those that are kept")));
        const from = h("div", {}, h("p", {}, h("b", {}, `warp ${step.w}`), step.c ? `, cycle ${count(step.c)}` : "", ": ", h("code", {}, place(step.p)[1]),
            h("span", {class: "soft"}, ` ${place(step.p)[0]}${place(step.p)[2] ? ", " + withoutFolders(place(step.p)[2]) : ""}`)),
            h("p", {class: "soft"}, `active ${hex(step.a)}` + (step.a !== step.m ? `, past the guard ${hex(step.m)}` : "") +
                (step.d ? `: the lanes part, ${hex(step.d[0])} take the branch and ${hex(step.d[1])} go on` : "")), lanesOf(step), registers(step), paths(step), addresses(step));
        const focused = document.activeElement && box.contains(document.activeElement) ? document.activeElement.getAttribute("data-step") || document.activeElement.getAttribute("aria-label") : null;
        box.replaceChildren(tools, h("div", {class: "columns"}, from, listing(step)));
        if (focused) { const again = box.querySelector(`[data-step="${focused}"],[aria-label="${focused}"]`); if (again) again.focus(); }
    };
    draw();
    return part("Step by step", h("p", {class: "soft"}, "Lanes: ", h("span", {style: "color:var(--c2)"}, "execute"), ", ", h("span", {style: "color:var(--c1)"}, "held back by the guard"),
        ", or grey: not active. A red foot: takes the branch."), box);
}
