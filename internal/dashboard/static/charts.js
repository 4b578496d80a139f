// Charts: a cursor over a chart that the server has drawn, by pointer or by the arrow keys.

export function charts(root) {
  for (const svg of root.querySelectorAll("svg.chart[data-points]")) dressChart(svg);
}

function dressChart(svg) {
  let lines;
  try { lines = JSON.parse(svg.dataset.points); } catch { return; }
  if (!lines.length || !lines[0].points.length) return;
  const [left, top, right, bottom] = svg.dataset.box.split(" ").map(Number);
  const end = Number(svg.dataset.right);
  const cursor = svg.querySelector(".cursor");
  const readout = svg.closest("figure")?.querySelector(".readout");
  const width = svg.viewBox.baseVal.width;
  let at = end;

  function show(x) {
    at = Math.max(0, Math.min(end, x));
    const px = left + (at / end) * (right - left);
    for (const [k, v] of Object.entries({ x1: px, x2: px, y1: top, y2: bottom })) cursor.setAttribute(k, v);
    svg.classList.add("live");
    if (!readout) return;
    const parts = lines.filter((l) => l.points.length).map((l) => {
      const p = nearest(l.points, at);
      return `${l.name} ${p[1].toLocaleString("en", { maximumFractionDigits: 3 })}`;
    });
    readout.textContent = `at ${Math.round(at).toLocaleString("en")}: ${parts.join(" · ")}`;
  }
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    show((((event.clientX - box.left) / box.width) * width - left) / (right - left) * end);
  });
  svg.addEventListener("pointerleave", () => {
    svg.classList.remove("live");
    if (readout) readout.textContent = "";
  });
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(at + (step * end) / 50);
  });
}

function nearest(points, x) {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (points[mid][0] <= x) low = mid;
    else high = mid;
  }
  return Math.abs(points[low][0] - x) <= Math.abs(points[high][0] - x) ? points[low] : points[high];
}
