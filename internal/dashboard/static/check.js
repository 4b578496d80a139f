// Live check: while a person writes what to look for, the page shows how it is understood. Without this the
// button "Check" has the server do the same.
import { swap } from "./swap.js";

const pause = 350; // milliseconds without a key before the server is asked
const longest = 6000; // characters that fit into an address

export function checks(root, dress) {
  for (const form of root.querySelectorAll("form[data-check]")) {
    form.querySelector("[data-plain]").hidden = true;
    let timer = null;
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const data = new URLSearchParams(new FormData(form));
        if (data.toString().length > longest) return;
        swap(form.dataset.check + "?" + data, dress, { only: ["check", "foot"] });
      }, pause);
    });
  }
}
