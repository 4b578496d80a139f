// Opens the WACZ at a URL with the replay engine of ReplayWeb.page and prints, as one
// JSON object, its pages, what it answers for each of them and for the addresses that
// are given as lines of standard input (a time stamp of 14 digits, a slash and a URL).
// With a second argument, it is a proxy that answers from the WACZ, and prints its address.
import "fake-indexeddb/auto";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

// The engine is made for service workers, and prints what it does.
globalThis.self = globalThis;
globalThis.addEventListener = () => {};
globalThis.location = new URL("http://localhost/");
globalThis.registration = { scope: "http://localhost/" };
console.log = () => {};

const { WorkerLoader } = await import("@webrecorder/wabac/swlib");
const { ArchiveRequest } = await import("@webrecorder/wabac");

const source = process.argv[2];
const asked = readFileSync(0, "utf8").split("\n").filter((line) => line);
const out = { pages: [], answers: {}, problems: [] };

const loader = new WorkerLoader(globalThis);
await loader._init_db;
await loader.addCollection({ name: "x", file: { sourceUrl: source } }, (_, problem) => {
  if (problem) out.problems.push(String(problem));
});
const { store } = (await loader.loadColl("x")) ?? {};
if (process.argv[3]) {
  await serve();
}
for (const p of (await store?.getAllPages()) ?? []) {
  const at = new Date(p.ts).toISOString().replace(/\D/g, "").slice(0, 14);
  out.pages.push({ url: p.url, title: p.title ?? "", text: p.text ?? "", at });
  asked.push(at + "/" + p.url);
}
for (const a of store ? asked : []) {
  const cut = a.indexOf("/");
  const path = a.slice(0, cut) + "mp_/" + a.slice(cut + 1);
  const request = new ArchiveRequest(path, new Request("http://localhost/" + path), {});
  const r = await store.getResource(request, "", {}, { noRedirect: true });
  const body = r && (await r.getBuffer());
  out.answers[a] = r && {
    status: r.status,
    at: r.date.toISOString().replace(/\D/g, "").slice(0, 14),
    sha256: createHash("sha256").update(body ?? "").digest("hex"),
  };
}
out.textIndex = store?.textIndex ?? "";
process.stdout.write(JSON.stringify(out), () => process.exit(0));

// serve answers the requests of a browser, and never ends.
async function serve() {
  const { createServer } = await import("node:http");
  const server = createServer(async (req, res) => {
    const path = "20990101000000mp_/" + req.url;
    const request = new ArchiveRequest(path, new Request("http://localhost/" + path), {});
    const r = await store.getResource(request, "", {}, { noRedirect: true });
    const headers = Object.fromEntries(r?.headers ?? []);
    for (const name of ["content-encoding", "content-length", "transfer-encoding"]) delete headers[name];
    res.writeHead(r?.status ?? 404, headers);
    res.end(r && Buffer.from(await r.getBuffer()));
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
  await new Promise(() => {});
}
