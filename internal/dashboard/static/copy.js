// Copy as command: a button with data-copy copies the text of the element with that id.

export function copies(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy)?.textContent || "";
      const was = button.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = was; }, 1500);
    });
  }
}
