// Keys: a control with data-key is used by that key, links of rows by j, k and Enter, and ? shows the list.

export function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "?") return help();
    if (event.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
      return;
    }
    if (event.key === "j" || event.key === "k") return move(event.key === "j" ? 1 : -1);
    const rows = [...document.querySelectorAll("tr.here [data-key], [data-key]")];
    const control = rows.find((c) => c.dataset.key === event.key && !c.disabled);
    if (control) { event.preventDefault(); control.click(); }
  });
}

function move(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const at = rows.findIndex((r) => r.classList.contains("here"));
  rows[at]?.classList.remove("here");
  const row = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  row.classList.add("here");
  row.querySelector("a")?.focus();
  row.scrollIntoView({ block: "nearest" });
}

function help() {
  const box = document.getElementById("keys-help");
  if (!box) return;
  const list = box.querySelector("tbody.own");
  list.replaceChildren();
  for (const c of document.querySelectorAll("[data-key]")) {
    if (c.closest("tr") && !c.closest("tr.here")) continue;
    const row = list.insertRow();
    const key = document.createElement("kbd");
    key.textContent = c.dataset.key;
    row.insertCell().append(key);
    row.insertCell().textContent = c.dataset.does || c.textContent.trim();
  }
  box.showModal();
}
