/** The entry point of the page. The URL selects the conversation: #/ID, or nothing for a new one. */

import { chosenFiles, droppedFiles, holdsFolder } from "./model/batch-files.js";
import { Draft } from "./model/draft.js";
import { BatchSession } from "./views/batch-session.js";
import { Composer } from "./views/composer.js";
import { Conversation } from "./views/conversation.js";
import { toast } from "./ui/dialogs.js";
import { byId, fill, label } from "./ui/dom.js";
import { setEndpoints, setPrices } from "./model/format.js";
import { setUpExport } from "./views/export.js";
import { Gallery } from "./views/gallery.js";
import { GoalSession } from "./views/goal-session.js";
import { icon } from "./ui/icons.js";
import { acceptedSuffixes, setFileTypes, setTaskTypes } from "./model/kinds.js";
import { offlineNote, ServerStatus } from "./views/server-status.js";
import { setLimits } from "./model/limits.js";
import { dropPlan } from "./ui/kept-plans.js";
import { keepSwitch } from "./ui/settings.js";
import { setUpSettings } from "./views/settings.js";
import { Sidebar } from "./views/sidebar.js";
import { setUpTheme } from "./ui/theme.js";
import { welcome } from "./views/welcome.js";

const MOST_ATTACHED = 50; // the server takes no more with one request

setUpTheme(byId("theme"));

const status = new ServerStatus({ known });
const sidebar = new Sidebar({
  deleted: (id) => {
    if (id === shown().id) location.hash = "";
  },
  renamed: (id, title) => {
    if (id !== conversation.id) return;
    conversation.title = title;
    drawState();
  },
});
const conversation = new Conversation(byId("turns"), {
  llm: () => status.status?.llm,
  changed: drawState,
  listed: () => sidebar.load(),
  scrolled: (atEnd) => (byId("to-end").hidden = atEnd || !shown().id),
  refused: (error) => composer.tell(error.retryAfter ? `${error.message} (Try again in ${error.retryAfter} s.)` : error.message),
  asksFirst: () => byId("ask-first").checked,
  finished: ({ stop }) => (stop === "cancelled" || stop === "failed" ? composer.takeBack() : composer.sendNext()),
  withdrawn: (text, files) => {
    composer.takeBack();
    if (!byId("turns").querySelector(".turn")) showWelcome();
    composer.giveBack(text, files);
  },
});
const goals = new GoalSession(conversation, {
  changed: drawState,
  listed: () => sidebar.load(),
  refused: (error) => composer.tell(error.retryAfter ? `${error.message} (Try again in ${error.retryAfter} s.)` : error.message),
});
const batches = new BatchSession(conversation, { changed: drawState, listed: () => sidebar.load() });
const gallery = new Gallery(conversation, {
  reuse: (files) => {
    newConversation();
    composer.giveBack("", files);
  },
});
const places = [goals, batches, gallery];
const composer = new Composer({
  send,
  stop: () => shown().cancel(),
  canWait: () => composer.mode === "chat" && shown() === conversation,
  dropped: (transfer) => {
    const many = byId("composer").hidden || holdsFolder(transfer) || transfer.files.length > MOST_ATTACHED;
    if (many) droppedFiles(transfer).then(newBatch);
    return many;
  },
  many: (files) => {
    const many = files.length > MOST_ATTACHED;
    if (many) newBatch(chosenFiles(files));
    return many;
  },
});
setUpSettings(() => status.loading.then(() => status.status), () => status.draw());

/** What the page shows: a goal, a batch, the files, or a conversation. */
function shown() {
  return places.find(({ id }) => id) ?? conversation;
}

/** Sends what the composer holds: a goal, or a request of the conversation; resolves to whether it was accepted. */
function send(text, files) {
  if (composer.mode === "goal") return goals.begin(text, files, composer.bounds());
  if (goals.id) newConversation();
  return conversation.send(text, files);
}

function known(told) {
  setFileTypes(told.file_types);
  setTaskTypes(told.tasks);
  setEndpoints(told);
  setLimits(told.limits);
  setPrices(told.prices);
  byId("file-input").accept = acceptedSuffixes();
  if (!location.hash) showWelcome();
  batches.form?.add([]); // now it is known which of its files can be read
}

function drawState() {
  const { id, running, live, title, path } = shown();
  composer.setRunning(running, live?.wantsCancel);
  sidebar.mark(id, running);
  const name = title || "New conversation";
  byId("title").textContent = name;
  document.title = title ? `${name} – HuggingGPT` : "HuggingGPT";
  byId("save-chat").hidden = !conversation.id;
  byId("composer").hidden = document.querySelector(".skip-link").hidden = Boolean(batches.id || gallery.id);
  if (!id) byId("to-end").hidden = true;
  if (id && location.hash !== path) history.replaceState(null, "", path);
}

function showWelcome() {
  if (shown().id || shown().running || conversation.hasTurns) return;
  conversation.startNew(welcome(sendExample, status.status && offlineNote(status.status)));
}

function sendExample(request) {
  composer.setMode("chat");
  byId("title").focus(); // the button goes away
  conversation.send(request);
}

/** Shows the plan in a file, to be looked at, changed and run. */
async function openPlan(file) {
  let draft;
  try {
    draft = Draft.fromFile(JSON.parse(await file.text()));
  } catch (error) {
    toast(error instanceof SyntaxError ? `${file.name} is no JSON.` : error.message, { bad: true });
    return;
  }
  if (goals.id) newConversation();
  conversation.showDraft(draft);
}

/** Shows the conversation in the URL. */
function route() {
  const [, id] = /^#\/([0-9a-f]{32})$/.exec(location.hash) ?? [];
  const [, goal] = /^#\/goal\/([0-9a-f]{12})$/.exec(location.hash) ?? [];
  const batch = /^#\/batch(?:\/([0-9a-f]{12}))?$/.exec(location.hash);
  const place = goal ? goals : batch ? batches : location.hash === "#/files" ? gallery : null;
  for (const other of [batches, gallery]) if (other !== place && other.id) other.close();
  if (place === batches || place === gallery) {
    goals.close();
    if (place === gallery) gallery.open();
    else if (!batch[1]) batches.begin();
    else if (batch[1] !== batches.id) batches.open(batch[1]);
    return;
  }
  if (goal) {
    composer.setMode("goal");
    if (goal !== goals.id) goals.open(goal);
    return;
  }
  if (goals.id || id) composer.setMode("chat");
  goals.close();
  if (id && id === conversation.id) return;
  if (id) {
    conversation.open(id);
  } else {
    conversation.reset();
    showWelcome();
    if (matchMedia("(pointer: fine)").matches) byId("request").focus(); // on a phone the keyboard would hide the page
  }
}

/** Shows another conversation; a request that still waits for its files was meant for the one before. */
function leave() {
  composer.holdBack();
  composer.takeBack();
  route();
}

function newConversation(event) {
  event?.preventDefault();
  dropPlan(null);
  history.pushState(null, "", location.pathname);
  leave();
}

/** Shows the form of a batch with files: [{file, name}, …]. */
function newBatch(files) {
  if (location.hash !== "#/batch") history.pushState(null, "", "#/batch");
  leave();
  batches.begin({ files });
}

byId("new-chat").addEventListener("click", newConversation);
byId("new-chat-top").addEventListener("click", newConversation);
fill(byId("to-end"), icon("down"));
label(byId("to-end"), "To the end");
byId("to-end").addEventListener("click", () => conversation.toEnd());
fill(byId("save-chat"), icon("download"));
label(byId("save-chat"), "Keep or show the conversation");
setUpExport(() => conversation.id, () => status.status?.signed_in);
keepSwitch(byId("ask-first"), "ask-first");
fill(byId("open-plan"), icon("plan"));
byId("open-plan").addEventListener("click", () => byId("plan-input").click());
byId("plan-input").addEventListener("change", ({ target }) => {
  if (target.files.length) openPlan(target.files[0]);
  target.value = "";
});
addEventListener("hashchange", leave);
addEventListener("popstate", leave);

sidebar.load();
await status.load(); // it has the file types
if (!shown().running && !shown().id && !conversation.hasTurns) {
  route(); // a request that was sent meanwhile stays
  if (!location.hash) conversation.showKept();
}
