// Graphs: the server has laid them out. Here a node shows its neighbours, and can be dragged.

export function graphs(root) {
  for (const svg of root.querySelectorAll("svg.graph")) dressGraph(svg);
}

function dressGraph(svg) {
  const edges = [...svg.querySelectorAll(".edge")];
  const nodes = new Map([...svg.querySelectorAll(".node")].map((n) => [n.dataset.id, n]));

  function light(id) {
    const near = new Set([id]);
    for (const e of edges) {
      const own = e.dataset.a === id || e.dataset.b === id;
      e.classList.toggle("dim", !own);
      if (own) { near.add(e.dataset.a); near.add(e.dataset.b); }
    }
    for (const [k, n] of nodes) n.classList.toggle("dim", !near.has(k));
  }
  function dark() {
    for (const e of edges) e.classList.remove("dim");
    for (const n of nodes.values()) n.classList.remove("dim");
  }
  for (const [id, node] of nodes) {
    node.addEventListener("pointerenter", () => light(id));
    node.addEventListener("pointerleave", dark);
    node.addEventListener("focusin", () => light(id));
    node.addEventListener("focusout", dark);
    drag(svg, node, id, edges);
  }
}

function drag(svg, node, id, edges) {
  let from = null;
  let moved = false;
  const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  node.addEventListener("pointerdown", (event) => { from = at(event); moved = false; node.setPointerCapture(event.pointerId); event.preventDefault(); });
  node.addEventListener("pointermove", (event) => {
    if (!from) return;
    const p = at(event);
    if (!moved && Math.hypot(p.x - from.x, p.y - from.y) < 4) return;
    moved = true;
    node.setAttribute("transform", `translate(${p.x} ${p.y})`);
    for (const e of edges) {
      if (e.dataset.a === id) { e.setAttribute("x1", p.x); e.setAttribute("y1", p.y); }
      if (e.dataset.b === id) { e.setAttribute("x2", p.x); e.setAttribute("y2", p.y); }
    }
  });
  node.addEventListener("pointerup", () => { from = null; });
  node.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
}
