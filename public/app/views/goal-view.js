/** A goal on the page: its state, plan and budget, a card for each step, and the form that decides. */

import { announce, fill, h, hiddenText, style } from "../ui/dom.js";
import { copy, save } from "../ui/downloads.js";
import { escaped, plural, seconds } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { markdown } from "./markdown.js";

const STATUS = {
  working: ["running", "It works."],
  waiting: ["warning", "It waits for your decision."],
  interrupted: ["warning", "The server was stopped while it worked on this. What was done is kept; nothing is run twice."],
  complete: ["finished", "The goal is reached."],
  stopped: ["pause", "You paused it."],
  cancelled: ["stop", "It was cancelled. What was done until then is kept."],
  stuck: ["failed", "It ended because it turned in circles."],
  budget: ["warning", "It ended because its budget is used up."],
  failed: ["failed", "It ended without reaching the goal."],
};
const STEP_STATES = {
  proposed: ["waiting", "thought of"],
  waiting: ["warning", "waits for your decision"],
  approved: ["waiting", "approved"],
  running: ["running", "running"],
  finished: ["finished", "done"],
  failed: ["failed", "failed"],
  refused: ["skipped", "not run"],
  told: ["skipped", "not run: you said something instead"],
  answered: ["finished", "answered"],
  unknown: ["warning", "outcome unknown"],
};
/** @type {Record<string, [string, (value: number) => string]>} */
const LIMITS = {
  steps: ["Steps", (value) => String(value)],
  tokens: ["Tokens", (value) => value.toLocaleString("en")],
  seconds: ["Time", (value) => seconds(Math.max(value, 0.001))],
  cost: ["Cost", (value) => value.toFixed(4)],
};
const SHORT = 600;
const USUAL_COUNT = 5;

export class GoalView {
  /** `on.decide(decision)` resolves to whether it was accepted; `on.resume()`, `on.again()` go on or begin anew. */
  constructor(goal, on) {
    this.goal = goal;
    this.on = on;
    this.cards = new Map();
    this.ask = h("div", { class: "ask" });
    this.state = h("p", { class: "goal-state" });
    this.link = h("p", { class: "callout quiet", hidden: true }, icon("warning"), "The connection was lost; trying again …");
    this.budget = h("ul", { class: "budget", "aria-label": "Budget" });
    this.planItems = h("ol", {});
    this.plan = h("section", { class: "goal-plan", "aria-label": "Plan", hidden: true }, h("h3", {}, "Plan"), this.planItems);
    this.list = h("ol", { class: "goal-steps", "aria-label": "Steps" });
    this.answer = h("div", { class: "answer markdown" });
    this.files = h("ul", { class: "goal-files", "aria-label": "Files" });
    this.tools = h("div", { class: "tools turn-tools" });
    const reply = h("section", { class: "reply", "aria-label": "Work" }, this.state, this.link, this.budget, this.plan, this.list, this.answer, this.files, this.tools);
    this.element = h("article", { class: "turn goal", tabindex: "-1" }, this.ask, reply);
    this.draw();
  }

  /** Applies an event; `fresh` ones are announced. */
  take(event, fresh) {
    const item = this.goal.apply(event);
    if (item) this.drawItem(item);
    this.draw();
    if (event.event === "GoalStarted") this.drawAsk();
    if (fresh) this.tell(event);
  }

  /** Sets the status that the server says, as when it was ended and nobody works on the goal. */
  setStatus(status) {
    this.goal.status = status;
    this.draw();
  }

  connected(up) {
    this.link.hidden = up;
    announce(up ? "The connection is back." : "The connection was lost; trying again.");
  }

  drawAsk() {
    const { goals, given, id } = this.goal;
    this.element.setAttribute("aria-label", `Goal: ${goals.join(" ").slice(0, 80)}`);
    const text = goals.length > 1 ? h("ol", { class: "ask-text" }, goals.map((each) => h("li", {}, escaped(each)))) : h("p", { class: "ask-text" }, escaped(goals[0] ?? ""));
    const files = given.map((path) => h("li", {}, fileLink(id, path)));
    fill(this.ask, h("h2", { class: "hidden-text" }, "Your goal"), text, files.length > 0 && h("ul", { class: "ask-files", "aria-label": "Files in the workspace" }, files));
  }

  draw() {
    const { goal } = this;
    const [sign, text] = STATUS[goal.status] ?? STATUS.working;
    this.element.dataset.status = goal.status;
    fill(this.state, icon(sign), h("span", {}, text));
    this.drawBudget();
    this.plan.hidden = !goal.plan.length;
    if (this.drawnPlan !== goal.plan) fill(this.planItems, goal.plan.map((each) => h("li", {}, escaped(each))));
    this.drawnPlan = goal.plan;
    this.drawEnd();
  }

  drawBudget() {
    const { limits, spent, steps } = this.goal;
    const values = { ...spent, steps: steps.size };
    const meters = Object.entries(LIMITS)
      .filter(([name]) => limits[name] && (name !== "cost" || values.cost > 0))
      .map(([name, [title, shown]]) => meter(title, Math.min(values[name], limits[name]), limits[name], `${shown(values[name])} of ${shown(limits[name])}`));
    fill(this.budget, meters);
  }

  drawEnd() {
    const { goal } = this;
    const key = [goal.message, goal.status, goal.made.size].join("\n");
    if (this.drawnEnd === key) return;
    this.drawnEnd = key;
    fill(this.answer, goal.message && [h("h3", { class: "hidden-text" }, "Answer"), markdown(escaped(goal.message))]);
    fill(this.files, !goal.active && [...goal.made].map((path) => h("li", {}, fileLink(goal.id, path))));
    const small = (name, text, onclick) => h("button", { type: "button", class: "button small", onclick }, icon(name), text);
    fill(
      this.tools,
      goal.message && small("copy", "Copy answer", () => copy(goal.message, "The answer")),
      goal.message && small("download", "Save answer", () => save(`goal-${goal.id}.md`, `${goal.message}\n`, "text/markdown")),
      goal.resumable && small("running", "Resume", () => this.on.resume()),
      !goal.active && small("retry", "Begin again", () => this.on.again()),
    );
  }

  drawItem(item) {
    const fresh = item.kind === "note" ? h("li", { class: "goal-note" }, icon(item.sign), h("span", {}, escaped(item.text))) : this.card(item);
    const before = this.cards.get(item);
    const focused = before?.contains(document.activeElement);
    if (before) before.replaceWith(fresh);
    else this.list.append(fresh);
    if (focused) fresh.focus({ preventScroll: true });
    this.cards.set(item, fresh);
  }

  card(step) {
    const [sign, text] = STEP_STATES[step.state];
    const { thoughts } = step;
    const more = ["reasoning", "plan", "criticism"].filter((name) => thoughts[name]);
    return h(
      "li",
      { class: `card card-${step.state}`, "data-state": step.state, tabindex: "-1" },
      h("h3", { class: "card-head" }, h("span", { class: "card-number" }, hiddenText("Step "), step.number), h("span", { class: "card-command" }, escaped(step.command)), step.agent && h("span", { class: "quiet" }, `agent ${escaped(step.agent)}`), h("span", { class: "card-state" }, icon(sign), text)),
      thoughts.text && h("p", { class: "card-thought" }, escaped(thoughts.text)),
      more.length > 0 && h("details", { class: "card-more" }, h("summary", {}, "Thoughts"), h("dl", {}, more.map((name) => [h("dt", {}, name[0].toUpperCase() + name.slice(1)), h("dd", {}, escaped(thoughts[name]))]))),
      argumentsOf(step),
      step.decided?.by === "person" && h("p", { class: "card-decided" }, decidedText(step.decided)),
      step.decided?.by === "rule" && step.decided.verdict === "deny" && h("p", { class: "card-decided" }, `Refused: ${escaped(step.decided.text)}`),
      step.state === "waiting" && this.goal.pending?.step === step.number && this.decisionForm(step, this.goal.pending),
      step.result && resultOf(step, this.goal.id),
    );
  }

  /** The form for a decision about the very command that its card shows. */
  decisionForm(step, { hash, reason, question }) {
    const form = h("form", { class: "decision", "aria-label": question ? "Answer" : "Decision" });
    const send = async (decision) => {
      for (const each of /** @type {Iterable<HTMLButtonElement>} */ (form.elements)) each.disabled = true;
      if (await this.on.decide({ step: step.number, hash, ...decision })) return this.focusCard(step);
      for (const each of /** @type {Iterable<HTMLButtonElement>} */ (form.elements)) each.disabled = false;
    };
    const words = h("textarea", { rows: "2", maxlength: "10000", "aria-label": question ? "Your answer" : "What to do instead", placeholder: question ? "Your answer" : "Say what to do instead" });
    const tell = () => (words.value.trim() ? send({ decision: "tell", text: words.value }) : words.focus());
    const button = (sign, text, onclick, kind = "") => h("button", { type: "button", class: `button small ${kind}`, onclick }, icon(sign), text);
    const said = h("div", { class: "decision-tell" }, words, button("chat", question ? "Answer" : "Tell it", tell, question ? "primary" : ""));
    const stop = button("pause", "Pause", () => send({ decision: "stop" }));
    if (question) {
      fill(form, h("p", { class: "decision-why" }, icon("info"), h("span", {}, escaped(question))), said, h("div", { class: "decision-row" }, stop));
    } else {
      const count = h("input", { type: "number", min: "2", max: "1000", value: String(USUAL_COUNT), "aria-label": "How many commands to approve" });
      const several = button("check", `Approve ${USUAL_COUNT}`, () => count.reportValidity() && send({ decision: "approve", count: Number(count.value) }));
      several.title = "This command and the next ones; programs are asked for each time.";
      count.addEventListener("input", () => fill(several, icon("check"), `Approve ${count.value || "…"}`));
      const approve = button("check", "Approve", () => send({ decision: "approve" }), "primary");
      const deny = button("close", "Deny", () => send({ decision: "deny" }));
      fill(form, h("p", { class: "decision-why" }, icon("warning"), h("span", {}, `It needs your leave: ${escaped(reason)}`)), h("div", { class: "decision-row" }, approve, h("span", { class: "decision-several" }, several, count), deny, stop), said);
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      tell();
    });
    return form;
  }

  /** The button that was pressed is gone. */
  focusCard(step) {
    this.cards.get(step)?.focus({ preventScroll: true });
  }

  /** Announces the state to screen readers. */
  tell(event) {
    const step = this.goal.steps.get(event.step);
    const name = step && `Step ${step.number}, ${step.command}`;
    if (event.event === "Thought") announce(`${name}: ${escaped(event.thoughts.text).slice(0, 200)}`);
    if (event.event === "ApprovalNeeded") announce(event.question ? `It asks: ${escaped(event.question)}` : `${name} needs your leave: ${escaped(event.reason)}`);
    if (event.event === "CommandFinished") announce(`${name}: done.`);
    if (event.event === "CommandFailed") announce(`${name}: ${escaped(step?.result ?? "failed").slice(0, 200)}`);
    if (event.event === "Done") announce(`${STATUS[event.stop]?.[1] ?? ""} ${escaped(event.message).slice(0, 1000)}`);
  }
}

function meter(title, value, most, text) {
  const bar = h("span", { class: "meter", role: "meter", "aria-label": title, "aria-valuemin": "0", "aria-valuemax": most, "aria-valuenow": value, "aria-valuetext": text });
  style(bar, { "--share": value / most });
  if (value / most > 0.9) bar.classList.add("low");
  return h("li", {}, h("span", { class: "meter-name" }, title), h("span", { class: "meter-text" }, text), bar);
}

/** The arguments of a command, whole: what is approved has to be seen. */
function argumentsOf({ args }) {
  const rows = Object.entries(args).map(([name, value]) => {
    const text = escaped(typeof value === "string" ? value : JSON.stringify(value, null, 1));
    return [h("dt", {}, escaped(name)), h("dd", {}, h("pre", { tabindex: "0", role: "group", "aria-label": escaped(name) }, text))];
  });
  return rows.length > 0 && h("dl", { class: "card-args" }, rows);
}

function decidedText({ verdict, text, grants }) {
  if (verdict === "approve") return grants ? `You approved it, and the next ${plural(grants, "command")}.` : "You approved it.";
  if (verdict === "tell") return `You said: ${escaped(text)}`;
  return verdict === "stop" ? "You paused the goal." : "You denied it.";
}

function resultOf({ result, file, state }, id) {
  const text = escaped(result);
  const kind = `card-result${state === "failed" || state === "unknown" ? " bad" : ""}`;
  const whole = file && h("p", {}, "The whole result: ", fileLink(id, file));
  if (text.length <= SHORT) return h("div", { class: kind }, h("p", { class: "said" }, text), whole);
  return h("div", { class: kind }, h("p", { class: "said" }, `${text.slice(0, SHORT)} …`), h("details", { class: "card-more" }, h("summary", {}, "All of the result"), h("p", { class: "said" }, text)), whole);
}

function fileLink(id, path) {
  const address = `/v1/goals/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  return h("a", { class: "file-link", href: address, download: path.split("/").pop() }, icon("download"), escaped(path));
}
