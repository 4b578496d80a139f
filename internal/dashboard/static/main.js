// The entry: each module adds itself to what the server has drawn. Without any of it every page works.
import { live } from "./live.js";
import { forms } from "./swap.js";
import { keys } from "./keys.js";
import { charts } from "./charts.js";
import { graphs } from "./graph.js";
import { thresholds } from "./threshold.js";
import { copies } from "./copy.js";
import { checks } from "./check.js";
import { bulk } from "./bulk.js";
import { ranks } from "./ranks.js";

function dress(root) {
  charts(root);
  graphs(root);
  copies(root);
  thresholds(root);
  bulk(root);
  ranks(root);
}

dress(document);
forms(dress);
keys();
checks(document, dress);
live(dress);
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone it may be out of sight
