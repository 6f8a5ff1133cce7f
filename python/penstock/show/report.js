"use strict";
// Shows the values of a figure under the pointer, and zooms into the part that is brushed. The drawing is that of the
// file: lines and markers are moved, and only the ticks of a zoomed panel are new. penstock.plot.values has the format
// of `data-panel`.
(() => {
  const near = 24; // units of the drawing: a curve whose next point is farther away shows no value

  const made = (parent, name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return parent.appendChild(element);
  };

  // A value that is read from a line is exact to about three digits.
  const shown = (value, digits = 4) => {
    const size = Math.abs(value);
    const isPlain = size === 0 || (size >= 1e-3 && size < 1e6);
    return isPlain ? String(Number(value.toPrecision(digits))) : value.toExponential(digits - 1);
  };

  const paint = (colour) => `var(--c-${colour.slice(1).toLowerCase()})`;

  const pairs = (text) => {
    const numbers = text.match(/-?[\d.]+/g).map(Number);
    return numbers.filter((_, n) => n % 2 === 0).map((x, n) => [x, numbers[2 * n + 1]]);
  };

  class Scale {
    constructor([isLog, low, high, label], start, length) {
      Object.assign(this, { isLog, low, high, label, start, length });
    }
    place(value) {
      const [at, low, high] = [value, this.low, this.high].map((each) => (this.isLog ? Math.log10(each) : each));
      return this.start + ((at - low) / (high - low)) * this.length;
    }
    value(place) {
      const share = (place - this.start) / this.length;
      return this.isLog ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
    }
    part(first, last) {
      const ends = [this.value(first), this.value(last)].sort((one, other) => one - other);
      if (this.low > this.high) ends.reverse();
      return new Scale([this.isLog, ...ends, this.label], this.start, this.length);
    }
    ticks() {
      const ends = [this.low, this.high].sort((one, other) => one - other);
      if (this.isLog && ends[1] / ends[0] >= 100) {
        const first = Math.ceil(Math.log10(ends[0]));
        return Array.from({ length: Math.floor(Math.log10(ends[1])) - first + 1 }, (_, n) => 10 ** (first + n));
      }
      const rough = (ends[1] - ends[0]) / 6;
      const unit = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].find((each) => each * unit >= rough) * unit;
      const first = Math.ceil(ends[0] / step);
      return Array.from({ length: Math.floor(ends[1] / step) - first + 1 }, (_, n) => (first + n) * step);
    }
  }

  class Panel {
    constructor(group) {
      this.group = group;
      this.spec = JSON.parse(group.dataset.panel);
      const [left, top, width, height] = this.spec.box;
      Object.assign(this, { left, top, width, height });
      this.home = [new Scale(this.spec.x, left, width), new Scale(this.spec.y, top + height, -height)];
      [this.x, this.y] = this.home;
      this.series = (this.spec.series || []).map((each) => ({ ...each, points: each.points || this.read(each.line) }));
      this.hasOwnTicks = true;
      this.collect();
    }
    // What moves when the panel is zoomed, and where it is now.
    collect() {
      const clipped = [...this.group.querySelectorAll("[clip-path]")].filter((each) => !each.closest(".tick"));
      this.paths = clipped.filter((each) => each.localName === "path").map((each) => [each, each.getAttribute("d")]);
      this.marks = clipped.flatMap((each) => [...each.querySelectorAll("use")])
        .map((each) => [each, Number(each.getAttribute("x")), Number(each.getAttribute("y"))]);
    }
    // Other values for the lines of the drawing, and a y axis up to their top.
    refill(lines, top) {
      const [x, y] = this.home = [this.home[0], new Scale([false, 0, top, this.home[1].label], this.home[1].start, this.home[1].length)];
      const at = ([right, up]) => [x.place(right).toFixed(1), y.place(up).toFixed(1)];
      lines.forEach(({ label, points }, number) => {
        const line = this.group.querySelector(`[data-line="${number}"]`);
        line.querySelector("path").setAttribute("d", `M${points.map((each) => at(each).join(" ")).join("L")}`);
        const marks = [...line.querySelectorAll("use")];
        marks.forEach((mark, place) => {
          const part = (place + (number + 0.5) / lines.length) / marks.length;
          const [right, up] = at(points[Math.floor(part * points.length)]);
          mark.setAttribute("x", right);
          mark.setAttribute("y", up);
        });
        Object.assign(this.series[number], { label, points });
      });
      this.hasOwnTicks = false;
      this.collect();
      this.zoom(x, y);
    }
    get canZoom() {
      return this.series.length > 0 && this.spec.names.length === 0;
    }
    // Panels above one another with the same x axis are zoomed together.
    isAbove(other) {
      const ends = ({ left, spec }) => String([left, ...spec.x.slice(0, 3)]);
      return ends(this) === ends(other);
    }
    // The points of a line of the drawing, in the units of the axes.
    read(line) {
      const path = this.group.querySelector(`[data-line="${line}"] path`);
      return path ? pairs(path.getAttribute("d")).map(([x, y]) => [this.home[0].value(x), this.home[1].value(y)]) : [];
    }
    holds({ x, y }) {
      return x >= this.left && x <= this.left + this.width && y >= this.top && y <= this.top + this.height;
    }
    // The heading and the lines of text for a place, and what to mark there.
    told({ x, y }) {
      const { cells, rows, names } = this.spec;
      const among = (share, count) => Math.min(Math.floor(share * count), count - 1);
      const [across, down] = [(x - this.left) / this.width, (y - this.top) / this.height];
      if (cells) {
        const [column, line] = [among(across, cells[0].length), among(1 - down, cells.length)];
        const value = cells[line][column];
        const text = `${this.spec.quantity}: ${value === null ? "no value" : shown(value)}`;
        return { head: `${this.spec.columns[column]}, ${this.spec.lines[line]}`, lines: [[null, text]], dots: [] };
      }
      if (rows) {
        const [name, ...estimate] = rows[among(down, rows.length)];
        return { head: name, lines: [[null, estimate.length ? this.text(estimate) : "no value"]], dots: [] };
      }
      return this.toldAt(x, names);
    }
    toldAt(x, names) {
      const found = this.series.map((each) => this.nearest(each, x, names)).filter(Boolean);
      if (!found.length) return null;
      const distance = ({ point }) => Math.abs(this.x.place(point[0]) - x);
      const best = found.reduce((one, other) => (distance(other) < distance(one) ? other : one)).point[0];
      const at = this.x.place(best);
      const lines = found.map(({ each, point }) => {
        const text = this.text(point.slice(1), each.line === undefined ? 4 : 3);
        return [each.colour, each.label ? `${each.label}: ${text}` : text];
      });
      const isNamed = names.length > 0; // then the marks of a name are side by side, not at its place
      const dot = ({ each, point: [right, up] }) => [each.colour, this.x.place(right), this.y.place(up)];
      const dots = isNamed ? [] : found.map(dot);
      const head = names.length ? names[best] : `${this.x.label || "time (s)"}: ${shown(best)}`;
      return { head, at: isNamed ? undefined : at, lines, dots };
    }
    nearest(each, x, names) {
      let best = null;
      for (const point of each.points) {
        const ahead = this.x.place(point[0]) - x;
        if (each.steps && ahead > 0) continue;
        const size = Math.abs(ahead);
        if (best === null || size < best.size || (each.steps && size <= best.size)) best = { each, point, size };
      }
      const reach = names.length ? this.width / names.length / 2 : each.steps ? Infinity : near;
      return best && best.size <= reach ? best : null;
    }
    text([mean, low, high], digits = 4) {
      return low === undefined ? shown(mean, digits) : `${shown(mean)} (${shown(low)} to ${shown(high)})`;
    }
    zoom(x, y) {
      [this.x, this.y] = [x, y];
      const move = (scale, home) => (place) => scale.place(home.value(place));
      const [right, down] = [move(x, this.home[0]), move(y, this.home[1])];
      for (const [path, data] of this.paths) {
        let isX = false;
        path.setAttribute("d", data.replace(/-?[\d.]+/g, (text) => {
          isX = !isX;
          return (isX ? right : down)(Number(text)).toFixed(2);
        }));
      }
      for (const [mark, at, height] of this.marks) {
        mark.setAttribute("x", right(at));
        mark.setAttribute("y", down(height));
      }
      this.group.querySelector(".new-ticks")?.remove();
      const isDrawn = this.hasOwnTicks && x === this.home[0] && y === this.home[1];
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

  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;

  class Figure {
    constructor(svg) {
      this.svg = svg;
      this.panels = [...svg.querySelectorAll(".panel")].map((group) => new Panel(group));
      this.button = document.createElement("button");
      Object.assign(this.button, { className: "whole", textContent: "Show the whole figure", type: "button", hidden: true });
      svg.after(this.button);
      this.button.addEventListener("click", () => this.whole());
      svg.addEventListener("pointerdown", (event) => this.start(event));
      svg.addEventListener("pointermove", (event) => this.move(event));
      svg.addEventListener("pointerup", (event) => this.end(event));
      svg.addEventListener("pointercancel", () => this.clear());
      svg.addEventListener("pointerleave", () => this.clear());
      svg.addEventListener("dblclick", () => this.whole());
    }
    at(event) {
      return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    }
    clear() {
      tip.hidden = true;
      this.first = null;
      for (const each of this.svg.querySelectorAll(".guide, .brush")) each.remove();
    }
    start(event) {
      const place = this.at(event);
      const panel = this.panels.find((each) => each.canZoom && each.holds(place));
      if (!panel || event.button !== 0) return;
      this.clear();
      this.first = { panel, place };
      this.svg.setPointerCapture(event.pointerId);
    }
    move(event) {
      const place = this.at(event);
      if (this.first) {
        for (const each of this.svg.querySelectorAll(".brush")) each.remove();
        const [x0, x1, y0, y1] = this.brushed(place);
        made(this.svg, "rect", { class: "brush", x: x0, y: y0, width: x1 - x0, height: y1 - y0 });
        return;
      }
      this.clear();
      const panel = this.panels.find((each) => each.holds(place));
      const told = panel && panel.told(place);
      if (told) this.tell(panel, told, event);
    }
    // The part between the first place and this one; a brush that is nearly level takes the whole height.
    brushed(place) {
      const { panel, place: from } = this.first;
      const inside = (value, low, size) => Math.min(Math.max(value, low), low + size);
      const xs = [from.x, inside(place.x, panel.left, panel.width)].sort((one, other) => one - other);
      const ys = [from.y, inside(place.y, panel.top, panel.height)].sort((one, other) => one - other);
      const isLevel = ys[1] - ys[0] < 0.15 * panel.height;
      return [...xs, ...(isLevel ? [panel.top, panel.top + panel.height] : ys)];
    }
    end(event) {
      if (!this.first) return;
      const { panel } = this.first;
      const [x0, x1, y0, y1] = this.brushed(this.at(event));
      this.clear();
      if (x1 - x0 < 4) return;
      for (const each of this.panels) {
        if (each === panel) each.zoom(each.x.part(x0, x1), each.y.part(y0, y1));
        else if (each.canZoom && each.isAbove(panel)) each.zoom(each.x.part(x0, x1), each.y);
      }
      this.button.hidden = false;
    }
    whole() {
      for (const panel of this.panels) panel.zoom(...panel.home);
      this.button.hidden = true;
    }
    tell(panel, { head, at, lines, dots }, event) {
      const [top, bottom] = [panel.top, panel.top + panel.height];
      if (at !== undefined) made(this.svg, "line", { class: "guide", x1: at, x2: at, y1: top, y2: bottom });
      for (const [colour, x, y] of dots.filter(([, right, down]) => panel.holds({ x: right, y: down }))) {
        made(this.svg, "circle", { class: "guide", cx: x, cy: y, r: 2.5 }).style.fill = paint(colour);
      }
      tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: head }));
      for (const [colour, text] of lines) {
        const line = document.createElement("span");
        if (colour) line.appendChild(document.createElement("i")).style.background = paint(colour);
        line.append(text);
        tip.append(line);
      }
      tip.hidden = false;
      const { width, height } = tip.getBoundingClientRect();
      const beside = (place, size, room) => Math.max(4, place + 14 + size > room ? place - size - 14 : place + 14);
      tip.style.left = `${beside(event.clientX, width, innerWidth)}px`;
      tip.style.top = `${beside(event.clientY, height, innerHeight)}px`;
    }
  }

  // The runs of a figure: the reader chooses two schemes and a replication. penstock.show.league_readings has the format.
  class Runs {
    constructor(block, figure) {
      Object.assign(this, JSON.parse(block.textContent), { figure });
      this.names = [...block.parentElement.querySelectorAll(".legend b")];
      const row = Object.assign(document.createElement("div"), { className: "picks" });
      this.picks = this.pair.map((chosen, place) => {
        const pick = document.createElement("select");
        pick.append(...this.schemes.map((name) => new Option(name)));
        pick.selectedIndex = chosen;
        row.append(this.labelled(["First scheme", "Second scheme"][place], pick));
        return pick;
      });
      this.range = Object.assign(document.createElement("input"), { type: "range", min: 1, max: this.replications.length, value: 1 });
      this.text = document.createElement("span");
      const slides = this.labelled("", this.range);
      slides.className = "slides";
      slides.prepend(this.text);
      row.append(slides);
      row.addEventListener("input", () => this.show());
      this.say();
      figure.svg.before(row);
    }
    labelled(text, input) {
      const label = document.createElement("label");
      label.append(text, input);
      return label;
    }
    say() {
      this.text.textContent = `Replication ${this.replications[this.range.value - 1]} of ${this.replications.length}`;
      this.names.forEach((name, place) => { name.textContent = this.picks[place].value; });
    }
    async octets() {
      const packed = Uint8Array.from(atob(this.data), (each) => each.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    }
    // The points of one run; those beyond `levels` are missing.
    points(octets, quantity, scheme, replication) {
      const run = (quantity * this.schemes.length + scheme) * this.replications.length + replication;
      const own = octets.subarray(run * this.times.length, (run + 1) * this.times.length);
      const size = this.scales[run] / this.levels;
      return this.times.map((time, n) => [time, own[n] * size, own[n]]).filter(([, , level]) => level <= this.levels)
        .map(([time, value]) => [time, value]);
    }
    async show() {
      const octets = await (this.unpacked ||= this.octets());
      const chosen = this.picks.map((pick) => pick.selectedIndex);
      this.figure.panels.forEach((panel, quantity) => {
        const every = chosen.flatMap((scheme) => this.replications.map((_, n) => this.points(octets, quantity, scheme, n)));
        const top = Math.max(...every.flat().map(([, value]) => value)) || 1; // the slider does not move the axis
        const own = chosen.map((scheme, place) => (
          { label: this.schemes[scheme], points: every[place * this.replications.length + Number(this.range.value) - 1] }));
        panel.refill(own, top);
      });
      this.figure.whole();
      this.say();
    }
  }

  const figures = [...document.querySelectorAll("figure svg")].filter((svg) => svg.querySelector(".panel"))
    .map((svg) => new Figure(svg));
  // An old browser cannot unpack them: the figure stays as it is.
  for (const block of "DecompressionStream" in window ? document.querySelectorAll("figure > script") : []) {
    new Runs(block, figures.find(({ svg }) => svg.parentElement === block.parentElement));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") figures.forEach((figure) => figure.whole());
  });
  if (figures.length) {
    const hint = document.createElement("p");
    hint.className = "note";
    hint.textContent = "Point at a figure to see its values. Drag over a part to zoom in; double-click to zoom out.";
    document.querySelector("nav").before(hint);
  }
})();
