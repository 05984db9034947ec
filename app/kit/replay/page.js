"use strict";
// Plays runs on their measured clock; all numbers are in the page.
const data = JSON.parse(document.getElementById("data").textContent);
const colours = ["#4e79a7", "#59a14f", "#b07aa1", "#9c755f", "#76b7b2", "#edc948", "#bab0ac", "#86bcb6"];
let moment = 0, timer = null;

function make(parent, name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

function size(bytes) {
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (bytes < 1024) return (unit === "B" ? bytes : bytes.toFixed(1)) + " " + unit;
    bytes /= 1024;
  }
  return bytes.toFixed(1) + " TiB";
}

const shown = data.runs.map((run) => {
  const box = make(document.getElementById("plays"), "div", "play");
  make(box, "h2", "", run.name);
  return { words: make(box, "div", "words"), canvas: make(box, "canvas"), told: make(box, "div", "counts", run.told) };
});

// The phase that was begun last.
function sheetAt(run, time) {
  const begun = run.sheets.filter((sheet) => sheet.begun.some((at) => at >= 0 && at <= time));
  return begun.length ? begun[begun.length - 1] : run.sheets[0];
}

function draw(run, view, time) {
  const sheet = sheetAt(run, time), [high, wide] = sheet.shape;
  view.canvas.width = wide;
  view.canvas.height = high;
  const pen = view.canvas.getContext("2d");
  pen.fillStyle = "#8884";
  pen.fillRect(0, 0, wide, high);
  for (let at = 0; at < sheet.begun.length; at++) {
    if (sheet.begun[at] < 0 || sheet.begun[at] > time) continue;
    const over = sheet.done[at] >= 0 && sheet.done[at] <= time;
    pen.fillStyle = over ? colours[sheet.worker[at] % colours.length] : "#ffa400";
    pen.fillRect(at % wide, Math.floor(at / wide), 1, 1);
  }
  const last = data.moments, moved = run.modelled ? ", " + size(run.bytes[moment]) + " of " + size(run.bytes[last]) : "";
  view.words.textContent = "Phase " + sheet.phase + ", " + (Math.min(time, run.end) / 1e6).toFixed(3) + " of " +
    (run.end / 1e6).toFixed(3) + " ms: " + run.busy[moment] + " of " + run.workers + " workers busy, " +
    run.done[moment] + " of " + run.parts + " parts, " + run.cells[moment].toLocaleString("en") + " of " +
    run.cells[last].toLocaleString("en") + " " + run.unit + moved;
}

function show(now) {
  moment = Math.min(Math.max(now, 0), data.moments);
  const time = (data.span * moment) / data.moments;
  data.runs.forEach((run, number) => draw(run, shown[number], time));
  document.getElementById("slider").value = moment;
  document.getElementById("place").textContent = (time / 1e6).toFixed(3) + " ms, measured";
}

function pause() {
  clearInterval(timer);
  timer = null;
  document.getElementById("play").textContent = "Play";
}

function toggle() {
  if (timer !== null) return pause();
  if (moment >= data.moments) show(0);
  document.getElementById("play").textContent = "Pause";
  timer = setInterval(() => { if (moment >= data.moments) pause(); else show(moment + 1); }, 50);
}

document.getElementById("slider").max = data.moments;
document.getElementById("slider").oninput = (event) => { pause(); show(Number(event.target.value)); };
document.getElementById("play").onclick = toggle;
document.onkeydown = (event) => {
  if (event.key === "ArrowRight") { pause(); show(moment + 1); }
  else if (event.key === "ArrowLeft") { pause(); show(moment - 1); }
  else if (event.key === " ") { event.preventDefault(); toggle(); }
};
show(0);
