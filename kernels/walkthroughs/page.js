"use strict";
// Shows plays after a tick of their clock; all numbers are in the page.
const data = JSON.parse(document.getElementById("data").textContent);
let tick = data.tick, timer = null;
const chosen = data.plays.map(() => null);

function make(parent, name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

// The place that is shown of each row and column: of versions the newest that is known, else that of the layer.
function places(table, layer, step) {
  const found = new Map();
  for (const place of table.places) {
    const [i, j, k, at] = place, key = i + "," + j;
    if (table.versions) {
      const before = found.get(key);
      if (!before || (at <= step && k >= before[2])) found.set(key, place);
    } else if (k === layer) found.set(key, place);
  }
  return found;
}

function kindOf(place, step) {
  return place[3] > step ? "" : place[3] < 0 ? "given" : place[3] === step ? "now" : "done";
}

function drawTable(parent, table, layer, step, number) {
  const box = make(parent, "div");
  make(box, "h3", "", table.versions || table.shape[2] === 1 ? table.name : table.name + ", " + (table.layers[layer] || layer));
  const grid = make(box, "table"), head = make(grid, "tr"), shown = places(table, layer, step);
  const gone = new Map((table.gone || []).map(([i, j, at]) => [i + "," + j, at]));
  make(head, "th");
  for (let j = 0; j < table.shape[1]; j++) make(head, "th", "", table.columns[j] || "");
  for (let i = 0; i < table.shape[0]; i++) {
    const row = make(grid, "tr");
    make(row, "th", "", table.rows[i] || "");
    for (let j = 0; j < table.shape[1]; j++) {
      const place = shown.get(i + "," + j), away = gone.get(i + "," + j);
      const there = place && place[3] <= step && !(away <= step);
      const cell = make(row, "td", place ? (there ? kindOf(place, step) : "") : "none", there ? place[5] : "");
      if (table.cuts[0].includes(i)) cell.className += " top";
      if (table.cuts[1].includes(j)) cell.className += " left";
      if (chosen[number] === place && place) cell.className += " chosen";
      if (there) cell.onclick = () => { chosen[number] = place; show(tick); };
    }
  }
}

function drawTree(parent, play, step) {
  const children = new Set(), made = new Map();
  for (const branch of play.branches) if (branch.step <= step) {
    made.set(branch.node, branch);
    branch.children.forEach((child) => children.add(child));
  }
  const list = make(parent, "ul", "tree");
  const put = (into, node) => {
    const item = make(into, "li", "", node < play.leaves.length ? play.leaves[node] : "");
    if (made.has(node)) {
      const inner = make(item, "ul", "tree");
      made.get(node).children.forEach((child) => put(inner, child));
    }
  };
  play.leaves.forEach((_, leaf) => { if (!children.has(leaf)) put(list, leaf); });
  made.forEach((_, node) => { if (!children.has(node)) put(list, node); });
}

function drawPlay(parent, play, step, number) {
  const box = make(parent, "div", "play");
  make(box, "h2", "", play.title);
  make(box, "div", "words", step < 0 ? play.before : play.steps[step]);
  const tables = make(box, "div", "tables");
  for (const table of play.tables) {
    const layers = table.versions ? 1 : table.shape[2];
    for (let layer = 0; layer < layers; layer++) drawTable(tables, table, layer, step, number);
  }
  if (play.leaves.length) drawTree(box, play, step);
  const curve = make(box, "div", "curve"), most = Math.max(play.workers.length, 1);
  play.busy.forEach((count, at) => {
    make(curve, "div", at === step ? "now" : "").style.height = (100 * count) / most + "%";
  });
  make(box, "div", "counts", step < 0 ? "" : play.counts[step].map(([name, text]) => name + ": " + text).join("   "));
  const words = make(box, "div", "formula");
  if (chosen[number]) for (const [text, wins] of chosen[number][6]) make(words, wins ? "b" : "span", "", text + "\n");
}

function show(now) {
  tick = Math.min(Math.max(now, 0), data.ticks.length - 1);
  const parent = document.getElementById("plays");
  parent.textContent = "";
  data.plays.forEach((play, number) => drawPlay(parent, play, data.ticks[tick][number], number));
  document.getElementById("slider").value = tick;
  document.getElementById("place").textContent = data.told[tick];
}

function pause() {
  clearInterval(timer);
  timer = null;
  document.getElementById("play").textContent = "Play";
}

function toggle() {
  if (timer !== null) return pause();
  if (tick >= data.ticks.length - 1) show(0);
  document.getElementById("play").textContent = "Pause";
  timer = setInterval(() => { if (tick >= data.ticks.length - 1) pause(); else show(tick + 1); }, 500);
}

document.getElementById("slider").max = data.ticks.length - 1;
document.getElementById("slider").oninput = (event) => { pause(); show(Number(event.target.value)); };
document.getElementById("first").onclick = () => show(0);
document.getElementById("back").onclick = () => { pause(); show(tick - 1); };
document.getElementById("play").onclick = toggle;
document.getElementById("on").onclick = () => { pause(); show(tick + 1); };
document.getElementById("last").onclick = () => show(data.ticks.length - 1);
document.onkeydown = (event) => {
  if (event.key === "ArrowRight") { pause(); show(tick + 1); }
  else if (event.key === "ArrowLeft") { pause(); show(tick - 1); }
  else if (event.key === " ") { event.preventDefault(); toggle(); }
};
show(tick);
