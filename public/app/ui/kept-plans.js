/** Plans that wait for leave, kept by this tab until they are run or left: a reload does not lose them. */

const name = (chat) => `plan:${chat ?? "new"}`;

/** Keeps a plan of a conversation, or of a new one (null): any value of JSON. */
export function keepPlan(chat, plan) {
  try {
    sessionStorage.setItem(name(chat), JSON.stringify(plan));
  } catch {
    // the browser keeps nothing, or there is no room: it holds until the page is left
  }
}

/** The plan that is kept for a conversation, or null. */
export function keptPlan(chat) {
  try {
    return JSON.parse(sessionStorage.getItem(name(chat)));
  } catch {
    return null;
  }
}

export function dropPlan(chat) {
  try {
    sessionStorage.removeItem(name(chat));
  } catch {
    // then there is none
  }
}
