// Keys: a control with data-key is used by that key, links of rows by j, k and Enter, and ? shows the list. A key that is held
// down moves through rows, and does nothing else: a person labels only what can have been seen.

export function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (document.querySelector("dialog[open]")) return; // what is behind it can't be seen
    if (event.key === "?") return help();
    if (event.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
      return;
    }
    if (event.key === "j" || event.key === "k") return move(event.key === "j" ? 1 : -1);
    const here = document.querySelector("[data-row].here");
    const control = here?.querySelector(`[data-row-key="${CSS.escape(event.key)}"]`) || [...document.querySelectorAll("[data-key]")].find((c) => c.dataset.key === event.key && !c.disabled);
    if (!control || event.repeat) return;
    event.preventDefault();
    control.click();
    if (control.form?.matches("[data-row] form")) move(1); // a row that is labelled is done
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
  const first = document.querySelector("[data-row].here") || document.querySelector("[data-row]");
  for (const c of [...document.querySelectorAll("[data-key]"), ...(first?.querySelectorAll("[data-row-key]") || [])]) {
    const row = list.insertRow();
    const key = document.createElement("kbd");
    key.textContent = c.dataset.key || c.dataset.rowKey;
    row.insertCell().append(key);
    row.insertCell().textContent = c.dataset.does || c.textContent.trim();
  }
  box.showModal();
}
