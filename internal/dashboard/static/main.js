// The entry: each module adds itself to what the server has drawn. Without any of it every page works.
import { live } from "./live.js";
import { forms } from "./swap.js";
import { keys } from "./keys.js";
import { charts } from "./charts.js";
import { graphs } from "./graph.js";
import { copies } from "./copy.js";

function dress(root) {
  charts(root);
  graphs(root);
  copies(root);
}

dress(document);
forms(dress);
keys();
live(dress);
