/** The entry point of the page. The URL selects the conversation: #/ID, or nothing for a new one. */

import { api } from "./api.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { toast } from "./dialogs.js";
import { byId, fill, label } from "./dom.js";
import { saveJson } from "./downloads.js";
import { setEndpoints } from "./format.js";
import { icon } from "./icons.js";
import { acceptedSuffixes, setFileTypes, setTaskTypes } from "./kinds.js";
import { offlineNote, ServerStatus } from "./server-status.js";
import { Sidebar } from "./sidebar.js";
import { setUpTheme } from "./theme.js";
import { welcome } from "./welcome.js";

setUpTheme(byId("theme"));

const status = new ServerStatus({ known });
const sidebar = new Sidebar({
  deleted: (id) => {
    if (id === conversation.id) location.hash = "";
  },
});
const conversation = new Conversation(byId("turns"), {
  changed: drawState,
  listed: () => sidebar.load(),
  scrolled: (atEnd) => (byId("to-end").hidden = atEnd || !conversation.id),
  refused: (error) => composer.tell(error.retryAfter ? `${error.message} (Try again in ${error.retryAfter} s.)` : error.message),
});
const composer = new Composer({
  send: (text, files) => conversation.send(text, files),
  stop: () => conversation.cancel(),
});

function known(told) {
  setFileTypes(told.file_types);
  setTaskTypes(told.tasks);
  setEndpoints(told);
  byId("file-input").accept = acceptedSuffixes();
  if (!location.hash) showWelcome();
}

function drawState() {
  const { id, running, live, title } = conversation;
  composer.setRunning(running, live?.wantsCancel);
  sidebar.mark(id, running);
  const name = title || "New conversation";
  byId("title").textContent = name;
  document.title = title ? `${name} – HuggingGPT` : "HuggingGPT";
  byId("save-chat").hidden = !id;
  if (!id) byId("to-end").hidden = true;
  if (id && location.hash !== `#/${id}`) history.replaceState(null, "", `#/${id}`);
}

function showWelcome() {
  if (conversation.id || conversation.running) return;
  conversation.startNew(welcome(sendExample, status.status && offlineNote(status.status)));
}

function sendExample(request) {
  byId("title").focus(); // the button goes away
  conversation.send(request);
}

/** Shows the conversation in the URL. */
function route() {
  const [, id] = /^#\/([0-9a-f]{32})$/.exec(location.hash) ?? [];
  if (id && id === conversation.id) return;
  composer.holdBack();
  if (id) {
    conversation.open(id);
  } else {
    conversation.reset();
    showWelcome();
    if (matchMedia("(pointer: fine)").matches) byId("request").focus(); // on a phone the keyboard would hide the page
  }
}

function newConversation(event) {
  event.preventDefault();
  history.pushState(null, "", location.pathname);
  route();
}

async function saveConversation() {
  try {
    const chat = await api.chat(conversation.id);
    saveJson(`conversation-${chat.id.slice(0, 8)}.json`, chat);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

byId("new-chat").addEventListener("click", newConversation);
byId("new-chat-top").addEventListener("click", newConversation);
fill(byId("to-end"), icon("down"));
label(byId("to-end"), "To the end");
byId("to-end").addEventListener("click", () => conversation.toEnd());
fill(byId("save-chat"), icon("download"));
label(byId("save-chat"), "Download the conversation");
byId("save-chat").addEventListener("click", saveConversation);
addEventListener("hashchange", route);
addEventListener("popstate", route);

sidebar.load();
await status.load(); // it has the file types
if (!conversation.running && !conversation.id) route(); // a request that was sent meanwhile stays
