/** What a person has set for the requests of this browser: who plans, and a language model of their own. */

import { browser, tab } from "./kept.js";

export const PLANNERS = ["auto", "llm", "offline"];

const CHOICES = "choices";
const KEY = "llm-key";

/** {planner, model, key}; "" where the server decides. The key is kept in this tab alone, until it is closed. */
let chosen = read();

function read() {
  const { planner = "", model = "" } = browser.read(CHOICES) ?? {};
  return { planner: PLANNERS.includes(planner) ? planner : "", model: String(model), key: String(tab.read(KEY) ?? "") };
}

export function choices() {
  return chosen;
}

/** @param {{planner: string, model: string, key: string}} given */
export function choose({ planner, model, key }) {
  chosen = { planner, model: model.trim(), key: key.trim() };
  browser.write(CHOICES, { planner, model: chosen.model });
  tab.write(KEY, chosen.key);
}

/**
 * The fields of a request that say so; `llm` is what GET /v1/status tells of the language model. A model by name goes with
 * a key of one's own, or to a server of one's own.
 */
export function chosenFields(llm) {
  const { planner, model, key } = chosen;
  const named = model && (key || llm?.chooses);
  return { ...(planner && { planner }), ...(key && { api_key: key }), ...(named && { llm_model: model }) };
}
