// @ts-check
// The script of a report: shows the values of a figure under the pointer, and zooms into the part that is brushed.
//
// Each page has this file as it is, so no page needs npm. `npm test` in `studio/` checks its types, which are in its
// comments and in report_data.ts. Values come only from the JSON beside a drawing (`PanelData`), never from a path: a
// zoom moves what is drawn, and only the ticks of a zoomed panel are new.

/** @import { PanelData, Point, RunsData, ScaleData, Series } from "./report_data" */

/** A place in the units of a drawing. @typedef {{ x: number, y: number }} Place */
/** A text with the colour of its series. @typedef {[colour: string | null, text: string]} Line */
/** @typedef {[colour: string, x: number, y: number]} Dot */
/**
 * What is shown for a place: a heading, texts, dots, and where a vertical line is.
 * @typedef {{ head: string, lines: Line[], dots: Dot[], at?: number }} Told
 */

const NEAR = 24; // units of the drawing: a curve whose next point is farther away shows no value
const DIGITS = 4;
const LEAST_BRUSH = 4; // units: what is narrower is a click

/**
 * Adds an element of SVG.
 * @param {Element} parent
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function made(parent, name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return parent.appendChild(element);
}

/** @param {number} value */
function shown(value) {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e6);
  return isPlain ? String(Number(value.toPrecision(DIGITS))) : value.toExponential(DIGITS - 1);
}

/** A mean, with its interval if it has one. @param {number} mean @param {number} [low] @param {number} [high] */
function estimate(mean, low, high) {
  return low === undefined || high === undefined ? shown(mean) : `${shown(mean)} (${shown(low)} to ${shown(high)})`;
}

/** The variable of a page that has this colour of a file. @param {string} colour */
function paint(colour) {
  return `var(--c-${colour.slice(1).toLowerCase()})`;
}

/** Two numbers, the least first. @param {number} one @param {number} other @returns {[number, number]} */
function sorted(one, other) {
  return one < other ? [one, other] : [other, one];
}

class Scale {
  /**
   * @param {ScaleData} data
   * @param {number} start the place of its low end
   * @param {number} length the way from there to its high end
   */
  constructor([isLog, low, high, label], start, length) {
    this.isLog = isLog;
    this.low = low;
    this.high = high;
    this.label = label;
    this.start = start;
    this.length = length;
  }
  /** @param {number} value */
  place(value) {
    const share = this.isLog
      ? Math.log(value / this.low) / Math.log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
    return this.start + share * this.length;
  }
  /** @param {number} place */
  value(place) {
    const share = (place - this.start) / this.length;
    return this.isLog ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
  }
  /** The part between two places, as wide as the whole. @param {number} first @param {number} last */
  part(first, last) {
    const ends = sorted(this.value(first), this.value(last));
    if (this.low > this.high) ends.reverse();
    return new Scale([this.isLog, ...ends, this.label], this.start, this.length);
  }
  /** A scale from 0 to a value in its place. @param {number} top */
  upTo(top) {
    return new Scale([false, 0, top, this.label], this.start, this.length);
  }
  /** The factor and the shift that lead from its places to those of another scale of this kind. @param {Scale} other */
  moveTo(other) {
    const [first, last] = [other.place(this.low), other.place(this.high)];
    const factor = (last - first) / this.length;
    return { factor, shift: first - factor * this.start };
  }
  ticks() {
    const [low, high] = sorted(this.low, this.high);
    if (this.isLog && high / low >= 100) {
      const first = Math.ceil(Math.log10(low));
      return Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, n) => 10 ** (first + n));
    }
    const rough = (high - low) / 6;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * ([1, 2, 5].find((each) => each * unit >= rough) ?? 10);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
  }
}

class Panel {
  /** @param {SVGElement} group */
  constructor(group) {
    this.group = group;
    this.data = /** @type {PanelData} */ (JSON.parse(group.dataset.panel ?? ""));
    const [left, top, width, height] = this.data.box;
    this.left = left;
    this.top = top;
    this.width = width;
    this.height = height;
    this.x = new Scale(this.data.x, left, width);
    this.y = new Scale(this.data.y, top + height, -height);
    this.home = { x: this.x, y: this.y };
    this.names = "names" in this.data ? this.data.names : [];
    this.series = "series" in this.data ? this.data.series : [];
    this.hasOwnTicks = true;
    this.paths = this.clippedPaths();
    this.marks = this.placedMarks();
  }
  /** The paths that are cut off at the axes. A clip path moves with its path: so a group around the path gets it. */
  clippedPaths() {
    const paths = [...this.group.querySelectorAll("path[clip-path]")].filter((path) => !path.closest(".tick"));
    for (const path of paths) {
      const room = made(this.group, "g", { "clip-path": path.getAttribute("clip-path") ?? "" });
      path.removeAttribute("clip-path");
      path.replaceWith(room);
      room.append(path);
    }
    return paths;
  }
  /** The markers and the names beside them, each with its place in the drawing. */
  placedMarks() {
    return [...this.group.querySelectorAll("[clip-path] use, [clip-path] text")].map((mark) => {
      const [x, y] = ["x", "y"].map((name) => mark.getAttribute(name) ?? "0");
      return { mark, x: Number(x), y: Number(y) };
    });
  }
  /**
   * Other values for the lines of the drawing, and a y axis from 0 to their top.
   * @param {{label: string, points: Point[]}[]} lines
   * @param {number} top
   */
  refill(lines, top) {
    const { x, y } = (this.home = { x: this.home.x, y: this.home.y.upTo(top) });
    this.series = this.series.map((each, number) => ({ ...each, ...lines[number] }));
    this.series.forEach(({ points }, number) => {
      const line = this.group.querySelector(`[data-line="${number}"]`);
      const places = points.map(([at, value]) => [x.place(at).toFixed(1), y.place(value).toFixed(1)]);
      line?.querySelector("path")?.setAttribute("d", `M${places.map((each) => each.join(" ")).join("L")}`);
      const marks = [...(line?.querySelectorAll("use") ?? [])];
      marks.forEach((mark, place) => {
        const part = (place + (number + 0.5) / lines.length) / marks.length;
        const [right, down] = places[Math.floor(part * places.length)] ?? [];
        mark.setAttribute("x", right ?? "0");
        mark.setAttribute("y", down ?? "0");
      });
    });
    this.marks = this.placedMarks();
    this.hasOwnTicks = false;
    this.zoom(x, y);
  }
  get canZoom() {
    return this.series.length > 0 && this.names.length === 0;
  }
  /** Panels above one another with the same x axis are zoomed together. @param {Panel} other */
  isAbove(other) {
    const ends = [this, other].map(({ left, data }) => String([left, ...data.x.slice(0, 3)]));
    return ends[0] === ends[1];
  }
  /** @param {Place} place */
  holds({ x, y }) {
    return x >= this.left && x <= this.left + this.width && y >= this.top && y <= this.top + this.height;
  }
  /** @param {Place} place @returns {Told | null} */
  told({ x, y }) {
    /** @param {number} share @param {number} count */
    const among = (share, count) => Math.min(Math.floor(share * count), count - 1);
    const [across, down] = [(x - this.left) / this.width, (y - this.top) / this.height];
    if ("cells" in this.data) {
      const { cells, columns, lines, quantity } = this.data;
      const [column, line] = [among(across, columns.length), among(1 - down, lines.length)];
      const value = cells[line]?.[column] ?? null;
      const text = `${quantity}: ${value === null ? "no value" : shown(value)}`;
      return { head: `${columns[column]}, ${lines[line]}`, lines: [[null, text]], dots: [] };
    }
    if ("rows" in this.data) {
      const [name, mean, low, high] = this.data.rows[among(down, this.data.rows.length)] ?? [""];
      const text = mean === undefined ? "no value" : estimate(mean, low, high);
      return { head: name, lines: [[null, text]], dots: [] };
    }
    return this.toldAt(x);
  }
  /** The points of all series that are next to a place on the x axis. @param {number} x @returns {Told | null} */
  toldAt(x) {
    const found = this.series.flatMap((each) => {
      const point = this.nearest(each, x);
      return point ? [{ each, point }] : [];
    });
    /** @param {Point} point */
    const distance = (point) => Math.abs(this.x.place(point[0]) - x);
    const [best] = found.map(({ point }) => point).sort((one, other) => distance(one) - distance(other));
    if (!best) return null;
    const lines = found.map(({ each, point: [, ...values] }) => {
      const text = estimate(...values);
      return /** @type {Line} */ ([each.colour, each.label ? `${each.label}: ${text}` : text]);
    });
    const name = this.names[best[0]];
    if (name !== undefined) return { head: name, lines, dots: [] }; // the marks of a name are beside its place
    const dots = found.map(
      ({ each, point }) => /** @type {Dot} */ ([each.colour, this.x.place(point[0]), this.y.place(point[1])]),
    );
    return { head: `${this.x.label || "time (s)"}: ${shown(best[0])}`, lines, dots, at: this.x.place(best[0]) };
  }
  /**
   * The point of a series that has the value at a place on the x axis.
   * @param {Series} series
   * @param {number} x
   * @returns {Point | null}
   */
  nearest({ points, steps }, x) {
    const value = this.x.value(x);
    const after = points.findIndex(([at]) => at > value);
    const [before, next] = after < 0 ? [points.at(-1)] : [points[after - 1], points[after]];
    if (steps) return before ?? null;
    if (before && next && before.length === 2 && before[1] === next[1]) return [value, before[1]]; // a level stretch
    const reach = this.names.length ? this.width / this.names.length / 2 : NEAR;
    /** @param {Point | undefined} point */
    const distance = (point) => (point ? Math.abs(this.x.place(point[0]) - x) : Infinity);
    const best = distance(before) <= distance(next) ? before : next;
    return best && distance(best) <= reach ? best : null;
  }
  /** @param {Scale} x @param {Scale} y */
  zoom(x, y) {
    this.x = x;
    this.y = y;
    const isWhole = x === this.home.x && y === this.home.y;
    const [right, down] = [this.home.x.moveTo(x), this.home.y.moveTo(y)];
    for (const path of this.paths) {
      if (isWhole) path.removeAttribute("transform");
      else path.setAttribute("transform", `matrix(${right.factor} 0 0 ${down.factor} ${right.shift} ${down.shift})`);
    }
    for (const { mark, x: at, y: level } of this.marks) {
      mark.setAttribute("x", String(isWhole ? at : right.factor * at + right.shift));
      mark.setAttribute("y", String(isWhole ? level : down.factor * level + down.shift));
    }
    this.group.querySelector(".new-ticks")?.remove();
    const isDrawn = this.hasOwnTicks && isWhole;
    this.group.classList.toggle("zoomed", !isDrawn);
    if (!isDrawn) this.drawTicks();
  }
  drawTicks() {
    const ticks = made(this.group, "g", { class: "new-ticks" });
    this.group.prepend(ticks);
    const [bottom, right] = [this.top + this.height, this.left + this.width];
    for (const value of this.x.ticks()) {
      const x = this.x.place(value);
      made(ticks, "line", { x1: x, x2: x, y1: this.top, y2: bottom });
      if (this.x.label) made(ticks, "text", { x, y: bottom + 13, "text-anchor": "middle" }, shown(value));
    }
    for (const value of this.y.ticks()) {
      const y = this.y.place(value);
      made(ticks, "line", { x1: this.left, x2: right, y1: y, y2: y });
      made(ticks, "text", { x: this.left - 5, y: y + 3, "text-anchor": "end" }, shown(value));
    }
  }
}

const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
document.body.append(tip);

/** Shows the box with the values beside the pointer. @param {Told} told @param {PointerEvent} event */
function showTip({ head, lines }, event) {
  tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: head }));
  for (const [colour, text] of lines) {
    const line = document.createElement("span");
    if (colour) line.appendChild(document.createElement("i")).style.background = paint(colour);
    line.append(text);
    tip.append(line);
  }
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  /** @param {number} place @param {number} size @param {number} room */
  const beside = (place, size, room) => Math.max(4, place + 14 + size > room ? place - size - 14 : place + 14);
  tip.style.left = `${beside(event.clientX, width, innerWidth)}px`;
  tip.style.top = `${beside(event.clientY, height, innerHeight)}px`;
}

class Figure {
  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.svg = svg;
    this.panels = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".panel"))].map(
      (group) => new Panel(group),
    );
    /** Where the pointer was pressed. @type {{panel: Panel, place: Place} | null} */
    this.pressed = null;
    const texts = { className: "whole", textContent: "Show the whole figure", type: /** @type {const} */ ("button") };
    this.button = Object.assign(document.createElement("button"), texts, { hidden: true });
    svg.after(this.button);
    this.button.addEventListener("click", () => this.whole());
    svg.addEventListener("pointerdown", (event) => this.start(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.end(event));
    svg.addEventListener("pointercancel", () => this.clear());
    svg.addEventListener("pointerleave", () => this.clear());
    svg.addEventListener("dblclick", () => this.whole());
  }
  /** @param {PointerEvent} event */
  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM()?.inverse());
  }
  clear() {
    tip.hidden = true;
    this.pressed = null;
    for (const each of this.svg.querySelectorAll(".guide, .brush")) each.remove();
  }
  /** @param {PointerEvent} event */
  start(event) {
    const place = this.at(event);
    const panel = this.panels.find((each) => each.canZoom && each.holds(place));
    if (!panel || event.button !== 0) return;
    this.clear();
    this.pressed = { panel, place };
    this.svg.setPointerCapture(event.pointerId);
  }
  /** @param {PointerEvent} event */
  move(event) {
    const place = this.at(event);
    if (this.pressed) {
      const [x0, x1, y0, y1] = brushed(this.pressed.panel, this.pressed.place, place);
      for (const each of this.svg.querySelectorAll(".brush")) each.remove();
      made(this.svg, "rect", { class: "brush", x: x0, y: y0, width: x1 - x0, height: y1 - y0 });
      return;
    }
    this.clear();
    const panel = this.panels.find((each) => each.holds(place));
    const told = panel?.told(place);
    if (!panel || !told) return;
    this.guide(panel, told);
    showTip(told, event);
  }
  /** @param {PointerEvent} event */
  end(event) {
    if (!this.pressed) return;
    const { panel, place } = this.pressed;
    const [x0, x1, y0, y1] = brushed(panel, place, this.at(event));
    this.clear();
    if (x1 - x0 < LEAST_BRUSH) return;
    for (const each of this.panels) {
      if (each === panel) each.zoom(each.x.part(x0, x1), each.y.part(y0, y1));
      else if (each.canZoom && each.isAbove(panel)) each.zoom(each.x.part(x0, x1), each.y);
    }
    this.button.hidden = false;
  }
  whole() {
    for (const panel of this.panels) panel.zoom(panel.home.x, panel.home.y);
    this.button.hidden = true;
  }
  /** Marks the points whose values are shown. @param {Panel} panel @param {Told} told */
  guide(panel, { at, dots }) {
    const ends = { y1: panel.top, y2: panel.top + panel.height };
    if (at !== undefined) made(this.svg, "line", { class: "guide", x1: at, x2: at, ...ends });
    for (const [colour, x, y] of dots.filter(([, right, down]) => panel.holds({ x: right, y: down }))) {
      made(this.svg, "circle", { class: "guide", cx: x, cy: y, r: 2.5, style: `fill:${paint(colour)}` });
    }
  }
}

/**
 * The part of a panel between two places: left, right, top and bottom. If it is nearly level, it has the whole height.
 * @param {Panel} panel @param {Place} from @param {Place} to
 * @returns {[number, number, number, number]}
 */
function brushed({ left, top, width, height }, from, to) {
  /** @param {number} value @param {number} low @param {number} size */
  const inside = (value, low, size) => Math.min(Math.max(value, low), low + size);
  const xs = sorted(from.x, inside(to.x, left, width));
  const ys = sorted(from.y, inside(to.y, top, height));
  const isLevel = ys[1] - ys[0] < 0.15 * height;
  return [...xs, ...(isLevel ? /** @type {[number, number]} */ ([top, top + height]) : ys)];
}

/** The runs of a figure, of which the reader chooses two schemes and a replication. */
class Runs {
  /** @param {Element} block @param {Figure} figure */
  constructor(block, figure) {
    this.data = /** @type {RunsData} */ (JSON.parse(block.textContent ?? ""));
    this.figure = figure;
    /** The readings, unpacked at the first choice. @type {Promise<Uint8Array> | null} */
    this.octets = null;
    this.names = [...(block.parentElement?.querySelectorAll(".legend b") ?? [])];
    const row = Object.assign(document.createElement("div"), { className: "picks" });
    this.picks = this.data.pair.map((chosen, place) => {
      const pick = document.createElement("select");
      pick.append(...this.data.schemes.map((name) => new Option(name)));
      pick.selectedIndex = chosen;
      row.append(labelled(place ? "Second scheme" : "First scheme", pick));
      return pick;
    });
    const ends = { type: "range", min: "1", max: String(this.data.replications.length), value: "1" };
    this.range = Object.assign(document.createElement("input"), ends);
    this.text = document.createElement("span");
    const slides = labelled("", this.range);
    slides.className = "slides";
    slides.prepend(this.text);
    row.append(slides);
    row.addEventListener("input", () => void this.show());
    this.name();
    figure.svg.before(row);
  }
  /** Names what is shown. */
  name() {
    const { replications } = this.data;
    this.text.textContent = `Replication ${replications[this.range.valueAsNumber - 1]} of ${replications.length}`;
    this.names.forEach((name, place) => (name.textContent = this.picks[place]?.value ?? ""));
  }
  async unpack() {
    const packed = Uint8Array.from(atob(this.data.data), (each) => each.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  /**
   * The points of one run. Levels beyond `levels` are missing readings.
   * @param {Uint8Array} octets @param {number} quantity @param {number} scheme @param {number} replication
   * @returns {Point[]}
   */
  points(octets, quantity, scheme, replication) {
    const { schemes, replications, times, levels, scales } = this.data;
    const run = (quantity * schemes.length + scheme) * replications.length + replication;
    const own = octets.subarray(run * times.length, (run + 1) * times.length);
    const size = (scales[run] ?? 0) / levels;
    return times.flatMap((time, n) => {
      const level = own[n] ?? Infinity;
      return level <= levels ? [/** @type {Point} */ ([time, level * size])] : [];
    });
  }
  async show() {
    const octets = await (this.octets ??= this.unpack());
    const chosen = this.picks.map((pick) => pick.selectedIndex);
    this.figure.panels.forEach((panel, quantity) => {
      const all = (/** @type {number} */ scheme) =>
        this.data.replications.map((_, n) => this.points(octets, quantity, scheme, n));
      const every = chosen.map(all);
      const top = Math.max(...every.flat(2).map(([, value]) => value)) || 1; // the slider does not move the axis
      const own = chosen.map((scheme, place) => ({
        label: this.data.schemes[scheme] ?? "",
        points: every[place]?.[this.range.valueAsNumber - 1] ?? [],
      }));
      panel.refill(own, top);
    });
    this.figure.whole();
    this.name();
  }
}

/** @param {string} text @param {HTMLElement} input */
function labelled(text, input) {
  const label = document.createElement("label");
  label.append(text, input);
  return label;
}

const figures = [.../** @type {NodeListOf<SVGSVGElement>} */ (document.querySelectorAll("figure svg"))]
  .filter((svg) => svg.querySelector(".panel"))
  .map((svg) => new Figure(svg));
// An old browser cannot unpack them: the figure stays as it is.
for (const block of "DecompressionStream" in window ? document.querySelectorAll("figure > script") : []) {
  const figure = figures.find(({ svg }) => svg.parentElement === block.parentElement);
  if (figure) new Runs(block, figure);
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const figure of figures) figure.whole();
});
if (figures.length) {
  const hint = "Point at a figure to see its values. Drag over a part to zoom in; double-click to zoom out.";
  const note = Object.assign(document.createElement("p"), { className: "note", textContent: hint });
  document.querySelector("nav")?.before(note);
}
