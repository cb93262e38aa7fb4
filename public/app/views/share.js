/** Links by which people without the token of the server read a conversation: made, listed, revoked. */

import { api } from "../model/api.js";
import { dialog, toast } from "../ui/dialogs.js";
import { fill, h, label } from "../ui/dom.js";
import { copy } from "../ui/downloads.js";
import { icon } from "../ui/icons.js";

const DAYS = [1, 7, 30, 90];

/** Shows the links to a conversation, and makes new ones. */
export async function shareDialog(chat) {
  const { body } = dialog({ title: "Links to read this conversation", className: "share" });
  const list = h("ul", { class: "shares", "aria-label": "Valid links" });
  const fresh = h("div", { class: "fresh-share", "aria-live": "polite" });
  const days = h("select", { id: "share-days" }, DAYS.map((count) => h("option", { value: count, selected: count === 7 }, count === 1 ? "1 day" : `${count} days`)));
  const draw = async () => {
    const { shares } = await api.shares(chat);
    fill(list, shares.length ? shares.map((share) => row(share)) : h("li", { class: "quiet" }, "There is none."));
  };
  const row = ({ id, created, expires }) => {
    const revoke = h("button", { type: "button", class: "button small" }, icon("trash"), "Revoke");
    label(revoke, `Revoke the link of ${when(created)}`);
    revoke.addEventListener("click", () => tried(async () => {
      await api.revokeShare(chat, id);
      fill(fresh);
      toast("The link is revoked.");
      await draw();
    }));
    return h("li", {}, h("span", {}, `Made ${when(created)}, valid until ${when(expires)}`), revoke);
  };
  const make = () => tried(async () => {
    const { path } = await api.addShare(chat, Number(days.value));
    const url = new URL(path, location.origin).href;
    const field = h("input", { type: "text", id: "share-url", readonly: true, value: url });
    const button = h("button", { type: "button", class: "button", onclick: () => copy(url, "The link") }, icon("copy"), "Copy");
    fill(fresh, h("label", { for: "share-url" }, "The link, which is shown this once"), h("div", { class: "share-row" }, field, button));
    field.select();
    await draw();
  });
  const go = h("button", { type: "button", class: "button primary", onclick: make }, icon("share"), "Make a link");
  fill(
    body,
    h("p", {}, "Whoever has a link reads the requests, answers, plans and files of this conversation as it stands now, without the token of the server. Later requests are not shown."),
    h("div", { class: "share-row" }, h("label", { for: "share-days" }, "Valid for"), days, go),
    fresh,
    h("h3", {}, "Valid links"),
    list,
  );
  await tried(draw);
}

async function tried(act) {
  try {
    await act();
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

function when(seconds) {
  return new Date(1000 * seconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
