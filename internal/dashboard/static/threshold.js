// The threshold slider: while it moves, the page shows how many pages would be on topic. The counts came
// with the page, so nothing is fetched. Without this the button "Show" has the server do the same.

export function thresholds(root) {
  for (const form of root.querySelectorAll("form[data-counts]")) dressThreshold(form);
}

function dressThreshold(form) {
  const counts = form.dataset.counts.split(" ").map(Number);
  const { now, on, pages, prefix } = form.dataset;
  const slider = form.querySelector("input[type=range]");
  const use = form.querySelector("button.first");
  form.querySelector("button[formmethod=get]").hidden = true;

  function show() {
    const value = Number(slider.value).toFixed(2);
    const n = counts[Math.round(slider.value * (counts.length - 1))];
    const same = value === Number(now).toFixed(2);
    const more = n - Number(on);
    let says = `${group(n)} of ${group(pages)} pages would be on topic, ` + (more === 0 ? "as many as now" : `${group(Math.abs(more))} ${more > 0 ? "more" : "fewer"} than now`);
    if (same) says = `${group(on)} of ${group(pages)} pages are on topic`;
    document.getElementById("threshold-says").textContent = says;
    document.getElementById("threshold-value").textContent = value;
    document.getElementById("threshold-command").replaceChildren(...(prefix + value).split(/(?<= )/).map(word));
    use.textContent = `Use ${value}`;
    use.disabled = same;
  }
  slider.addEventListener("input", show);
  show();
}

function word(text) {
  const span = document.createElement("span");
  span.className = "word";
  span.textContent = text;
  return span;
}

function group(n) {
  return Number(n).toLocaleString("en-US");
}
