// Live numbers: the server says when a collection has changed, and the live parts of the page are
// fetched again. A hidden page listens to nothing, so that forgotten tabs cost nothing.
import { swap } from "./swap.js";

export function live(dress) {
  const where = document.body.dataset.live;
  if ("poll" in document.body.dataset) poll(dress);
  if (!where) return;
  let source = null;
  let seen = document.body.dataset.seen || "";
  let waiting = false;
  const sign = document.getElementById("live-sign");
  const show = (text) => { if (sign) sign.textContent = text; };

  async function refresh() {
    if (waiting) return;
    waiting = true;
    await swap(location.href, dress, { only: "live" });
    waiting = false;
  }
  function open() {
    if (source || document.hidden) return;
    source = new EventSource(where);
    source.addEventListener("open", () => show("live"));
    source.addEventListener("change", (event) => {
      if (event.data === seen) return;
      seen = event.data;
      if (seen.split(" ")[1] === "gone") return show("the collection is gone");
      show("live");
      refresh();
    });
    source.addEventListener("error", () => {
      show("not live");
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 15000);
      }
    });
  }
  function close() {
    source?.close();
    source = null;
    show("paused");
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    refresh(); // what has happened meanwhile does not wait for the next report
  });
  window.addEventListener("pagehide", close);
  open();
}

const pollEvery = 3000; // milliseconds

// poll fetches the live parts of a page again and again: what goes on there belongs to no collection, so that
// no stream reports it. The body of the fetched page has the sign as long as it goes on.
function poll(dress) {
  setTimeout(async () => {
    if (!document.hidden) await swap(location.href, dress, { only: "live" });
    if ("poll" in document.body.dataset) poll(dress);
  }, pollEvery);
}
