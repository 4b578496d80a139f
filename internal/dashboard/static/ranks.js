// Ranks: when a list of waiting links is replaced, rows that moved, or are new, are marked for a moment.

let before = new Map();

export function ranks(root) {
  const body = root.querySelector("[data-ranked]");
  if (!body) return;
  const now = new Map([...body.rows].map((row, i) => [row.dataset.rank, i]));
  for (const [url, at] of now) {
    if (before.size === 0) break;
    const was = before.get(url);
    if (was === at) continue;
    const row = body.rows[at];
    const sign = document.createElement("span");
    sign.className = "moved";
    sign.textContent = was === undefined ? "new" : was > at ? `↑${was - at}` : `↓${at - was}`;
    row.cells[0].prepend(sign);
    row.classList.add(was === undefined ? "came" : was > at ? "rose" : "fell");
  }
  before = now;
}
