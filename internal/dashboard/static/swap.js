// Fragments: a page is fetched again, and its parts with data-part replace those of the same id here.

let going = null;

// swap fetches a page and replaces parts. only limits it to parts with that value of data-part, such as
// "live", or with one of several. It resolves to false if the server did not answer with a page.
export async function swap(url, dress, options = {}) {
  if (options.only && going?.form) return false; // a person's form comes first; the next change is reported again
  if (going) going.control.abort();
  const own = new AbortController();
  const mine = (going = { control: own, form: !options.only });
  try {
    return await replace(url, dress, options, own);
  } finally {
    if (going === mine) going = null;
  }
}

async function replace(url, dress, options, own) {
  let answer;
  try {
    answer = await fetch(url, { headers: { Accept: "text/html", ...(options.only ? { "Dowse-Live": "1" } : {}) }, signal: own.signal, credentials: "same-origin", ...options.request });
  } catch {
    return false;
  }
  if (!(answer.headers.get("Content-Type") || "").startsWith("text/html")) return false;
  const text = await answer.text();
  if (own.signal.aborted) return false;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (options.only && !answer.ok) return false;
  let found = false;
  if (options.only === "live" && !("poll" in page.body.dataset)) delete document.body.dataset.poll;
  for (const next of page.querySelectorAll("[data-part]")) {
    const old = document.getElementById(next.id);
    // A part that was live until now is replaced, too: what it waited for is here.
    const parts = [next.dataset.part, old?.dataset.part];
    if (options.only && ![options.only].flat().some((name) => parts.includes(name))) continue;
    if (!old || busy(old, options.only)) continue;
    found = true;
    if (old.innerHTML === next.innerHTML) continue;
    const open = [...old.querySelectorAll("details[open]")].map((d) => d.id);
    const here = old.querySelector("[data-row].here a")?.getAttribute("href");
    const focused = here && old.contains(document.activeElement);
    old.replaceWith(document.adoptNode(next));
    if (here) stay(next, here, focused);
    for (const id of open) if (id) document.getElementById(id)?.setAttribute("open", "");
    dress(next);
  }
  if (!options.only && found) {
    document.title = page.title;
    if (options.push) history.pushState({}, "", answer.redirected || options.push === true ? answer.url : options.push);
  }
  return found;
}

// stay marks the row of a person again after its list was replaced.
function stay(part, href, focused) {
  const link = [...part.querySelectorAll("[data-row] a")].find((a) => a.getAttribute("href") === href);
  link?.closest("[data-row]").classList.add("here");
  if (focused) link?.focus({ preventScroll: true });
}

// busy reports whether a person is using a part: then a live update leaves it alone.
function busy(part, only) {
  if (only && part.querySelector("td input[type=checkbox]:checked")) return true;
  return only && part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button, summary");
}

// forms sends forms with data-swap in the background and replaces the parts of the page. Where that
// fails the form is sent as usual.
export function forms(dress) {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const button = event.submitter;
    if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) return event.preventDefault();
    if (!("swap" in form.dataset)) return;
    event.preventDefault();
    const data = new URLSearchParams(new FormData(form, button));
    const buttons = form.querySelectorAll("button");
    for (const b of buttons) b.disabled = true;
    const get = form.method === "get";
    const url = new URL(form.action);
    if (get) url.search = dropEmpty(data);
    const ok = await swap(url, dress, get ? { push: url.href } : { request: { method: "POST", body: data }, push: true });
    if (!ok) {
      for (const b of buttons) b.disabled = false;
      if (get) location.href = url.href;
      else location.reload();
      return;
    }
    document.querySelector("[data-focus]")?.focus();
  });
  window.addEventListener("popstate", () => location.reload());
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[data-auto] select")) event.target.form.requestSubmit();
  });
}

function dropEmpty(data) {
  for (const [k, v] of [...data]) if (v === "") data.delete(k);
  return data.toString();
}
