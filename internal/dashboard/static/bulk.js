// Bulk labels: how many rows are chosen, and a box that chooses all of them. Without this the boxes and the
// buttons work, and an empty choice is an error of the server.

export function bulk(root) {
  for (const form of root.querySelectorAll("form[data-bulk]")) dressBulk(form);
  if (root.matches?.("form[data-bulk]")) dressBulk(root);
}

function dressBulk(form) {
  const boxes = [...form.elements].filter((e) => e.name === "url");
  const all = form.querySelector("[data-all]");
  const text = form.querySelector("[data-chosen]");
  form.querySelector(".all").hidden = false;

  function show() {
    const n = boxes.filter((b) => b.checked).length;
    text.textContent = n === 0 ? "none chosen" : `${n} chosen:`;
    for (const b of form.querySelectorAll("button")) b.disabled = n === 0;
    all.checked = n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
  }
  let last = null;
  for (const box of boxes) {
    box.addEventListener("click", (event) => { // with Shift all rows in between
      if (event.shiftKey && last) {
        const [a, b] = [boxes.indexOf(last), boxes.indexOf(box)].sort((x, y) => x - y);
        for (const other of boxes.slice(a, b + 1)) other.checked = box.checked;
      }
      last = box;
      show();
    });
  }
  all.addEventListener("change", () => {
    for (const b of boxes) b.checked = all.checked;
    show();
  });
  show();
}
