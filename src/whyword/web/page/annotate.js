// The page on which people mark the words that are the reason for the label of a text.

import {
  BIDI_CONTROL, dress, element, legend, meaning, NEGLIGIBLE, paints, percent, predictedClass, runs, showable,
} from "./highlight.js";
import { isStep, moveTo, stepFrom, wordAt } from "./keys.js";
import { ask, askForToken } from "./server.js";

const byId = (id) => document.getElementById(id);
const [message, task, passages] = [byId("message"), byId("task"), document.querySelector("#task .texts")];
const NAMES = { reason: "reason", not: "not a reason", none: "unmarked" };
const WAIT = 5000; // milliseconds until a text that others have open is asked for again

let status = {};
let given = null; // the text
let previous = null; // the id of the text before it
let marks = []; // of each word: reason, not or none
let brush = "reason";
let anchor = null; // the word at which a selection began
let noReason = false; // the person said that no word is a reason
let decided = false; // it was saved, and the model's reasons are in sight
let busy = false;
let replacing = false; // the words of one text by those of another
let waiting;

const author = () => localStorage.getItem("author") ?? "";
const letters = () => localStorage.getItem("letters") !== "off";

// ------------------------------------------------------------------ asking the server

const post = (step, more) => ask(`annotations/${step}`, { body: { author: author(), ...more } });

// One step at a time: a key held down saves once. What failed is said, and what was marked stays.
async function once(work) {
  if (busy) return;
  busy = true;
  clearTimeout(waiting);
  task.setAttribute("aria-busy", "true");
  try {
    say("");
    await work();
  } catch (error) {
    say(error.message);
    if (!byId("entry").hidden) byId("token").focus();
  }
  task.removeAttribute("aria-busy");
  busy = false;
}

const say = (sentence) => { message.textContent = sentence; };

async function next() {
  const answer = await post("next");
  showStatus(answer.status);
  if (answer.text) {
    showText(answer.text);
    return;
  }
  [given, previous] = [null, answer.previous];
  [task.hidden, byId("done").hidden] = [true, false];
  say(answer.waiting ? "Others have the last texts open. More may come free." : "All done: no text is left for you.");
  if (answer.waiting) waiting = setTimeout(() => once(next), WAIT);
  else if (document.activeElement === document.body) byId("again").focus();
}

// ------------------------------------------------------------------ showing

function showStatus(now) {
  status = now;
  const count = (number) => number.toLocaleString("en-US");
  const alpha = (value) => (value === null ? "not defined yet" : `α ${value.toFixed(2)}`);
  const people = Object.keys(status.authors).length;
  const { words, labels, texts } = status.agreement;
  const parts = [
    `${count(status.done)}${status.texts === null ? "" : ` of ${count(status.texts)}`} texts done`,
    `you ${count(status.authors[author()] ?? 0)}`,
  ];
  if (people > 1) parts.push(`${count(people)} people`);
  if (texts) {
    const shared = `${count(texts)} ${texts === 1 ? "text" : "texts"} marked by two or more`;
    parts.push(`agreement on words ${alpha(words)}, on labels ${alpha(labels)} (${shared})`);
  }
  if (status.notice) parts.push(status.notice);
  byId("status").textContent = parts.join(" · ");
  byId("undo").setAttribute("aria-disabled", !(author() in status.authors));
}

function showText(text) {
  [given, previous] = [text, text.previous];
  const mine = text.decision;
  [anchor, decided] = [null, false];
  marks = text.spans.map((span, i) => {
    const inside = (name) => overlaps(mine?.[text.segments[i] ? `${name}_pair` : name], span);
    return inside("rationale") ? "reason" : inside("not_rationale") ? "not" : "none";
  });
  noReason = Boolean(mine?.rationale && !marks.includes("reason"));
  const before = mine?.skipped ? "you skipped it" : mine && "label" in mine ? "you decided it before" : "";
  byId("place").textContent = [text.row ? `Row ${text.row.toLocaleString("en-US")}` : "", before]
    .filter(Boolean).join(": ");
  showLabels(mine && "label" in mine ? mine.label : text.label);
  showWords();
  [task.hidden, byId("done").hidden, byId("reasons").hidden] = [false, true, true];
  byId("back").setAttribute("aria-disabled", previous === null);
  byId("save").firstChild.textContent = "Save and next ";
  passages.scrollTop = 0;
  passages.querySelector(".word")?.focus({ preventScroll: true });
}

const overlaps = (spans, [start, end]) => (spans ?? []).some(([from, to]) => start < to && from < end);

function showLabels(label) {
  const chosen = (Array.isArray(label) ? label : [label]).map(String);
  const names = status.classes.map(String);
  for (const own of [given.label].flat()) if (own !== null && !names.includes(String(own))) names.push(String(own));
  const box = byId("labels");
  box.querySelector("legend").textContent = status.multi_label ? "Labels, one, several or none" : "Label";
  box.querySelector(".choices").replaceChildren(...names.map((name, n) => {
    const input = element("input");
    [input.type, input.name, input.value] = [status.multi_label ? "checkbox" : "radio", "label", name];
    input.checked = label !== null && label !== undefined && chosen.includes(name);
    const key = n < 9 ? [element("kbd", "", String(n + 1))] : [];
    return element("label", "", input, element("span", "", element("bdi", "", showable(name))), ...key);
  }));
}

const chosenLabels = () => [...byId("labels").querySelectorAll(":checked")].map((input) => input.value);

function showWords() {
  const texts = runs(given);
  const between = (string) => showable(string.split(BIDI_CONTROL).join(""));
  replacing = true; // the word in focus goes
  passages.replaceChildren(...texts.flatMap((pieces, n) => {
    let last = -1;
    const nodes = pieces.map(([string, i]) => {
      const node = element("span", i < 0 ? "gap" : "word", i < 0 ? between(string) : showable(string));
      if (i < 0) {
        node.dataset.after = last;
      } else {
        node.setAttribute("role", "button");
        node.tabIndex = -1;
        node.dataset.word = last = i;
      }
      return node;
    });
    const passage = element("p", "words", ...nodes);
    const heading = n ? "Second text" : texts.length > 1 ? "First text" : "Text";
    passage.dir = "auto";
    passage.setAttribute("role", "toolbar"); // one stop of the Tab key; arrow keys walk from word to word
    passage.setAttribute("aria-label", `${heading}: mark the words that are the reason`);
    if (passage.querySelector(".word")) passage.querySelector(".word").tabIndex = 0;
    return texts.length > 1 ? [element("p", "heading", heading), passage] : [passage];
  }));
  replacing = false;
  showMarks();
}

function showMarks() {
  const selected = new Set(selection());
  for (const node of passages.querySelectorAll(".word")) {
    const i = Number(node.dataset.word);
    const now = `word${marks[i] === "none" ? "" : ` ${marks[i]}`}${selected.has(i) && selected.size > 1 ? " chosen" : ""}`;
    if (node.className !== now) node.className = now;
    const name = `${showable(given.words[i])}: ${NAMES[marks[i]]}`;
    if (node.getAttribute("aria-label") !== name) node.setAttribute("aria-label", name);
  }
  for (const node of passages.querySelectorAll(".gap")) { // between two words of a passage, so that it is one
    const i = Number(node.dataset.after);
    const joined = i >= 0 && i + 1 < marks.length && given.segments[i] === given.segments[i + 1];
    node.className = joined && marks[i] !== "none" && marks[i] === marks[i + 1] ? `gap ${marks[i]}` : "gap";
  }
  const listed = (kind) => passagesOf(kind).map(({ first, last }) => `“${given.words.slice(first, last + 1).map(showable).join(" ")}”`);
  const [reason, not] = [listed("reason"), listed("not")];
  const parts = [
    ...(reason.length ? [`Reason: ${reason.join(", ")}.`] : noReason ? ["No word is a reason."] : []),
    ...(not.length ? [`Not a reason: ${not.join(", ")}.`] : []),
  ];
  byId("marked").textContent = parts.join(" ") || "Nothing is marked.";
  byId("none").setAttribute("aria-pressed", noReason);
  for (const button of byId("brushes").children) {
    const own = button.dataset.brush === brush;
    button.setAttribute("aria-checked", own);
    button.tabIndex = own ? 0 : -1;
  }
}

// ------------------------------------------------------------------ marking

// Words that stand next to each other with one mark are one passage.
function passagesOf(kind) {
  const found = [];
  marks.forEach((mark, i) => {
    if (mark !== kind) return;
    const last = found.at(-1);
    if (last?.last === i - 1 && given.segments[i - 1] === given.segments[i]) last.last = i;
    else found.push({ first: i, last: i });
  });
  return found;
}

function spansOf(kind, segment) {
  return passagesOf(kind)
    .filter(({ first }) => given.segments[first] === segment)
    .map(({ first, last }) => [given.spans[first][0], given.spans[last][1]]);
}

const focused = () => passages.querySelector(".word:focus");

// The words from where a selection began to the one in focus; without one, the word in focus.
function selection() {
  const here = focused();
  if (!here) return [];
  const end = Number(here.dataset.word);
  const start = anchor ?? end;
  return range(start, end);
}

const range = (one, other) =>
  Array.from({ length: Math.abs(one - other) + 1 }, (_, n) => Math.min(one, other) + n);

function mark(words, kind) {
  if (!words.length) return;
  for (const i of words) marks[i] = kind;
  if (kind === "reason") noReason = false;
  reopen();
  showMarks();
}

// A mark that all of the words bear already is taken off.
function toggle(words, kind) {
  mark(words, words.every((i) => marks[i] === kind) ? "none" : kind);
}

// Whoever changes what was saved while the model's reasons are in sight saves again.
function reopen() {
  if (!decided) return;
  decided = false;
  byId("save").firstChild.textContent = "Save and next ";
}

function setNone() {
  noReason = !noReason;
  if (noReason) marks = marks.map((kind) => (kind === "reason" ? "none" : kind));
  reopen();
  showMarks();
}

// A pointer marks from the word where it went down to the word it is over; a finger that moves up or down scrolls.
let drag = null;

passages.addEventListener("pointerdown", (event) => {
  const word = wordAt(event.target);
  if (!word || event.button !== 0) return;
  event.preventDefault();
  if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  const start = event.shiftKey && focused() ? Number(focused().dataset.word) : Number(word.dataset.word);
  const kind = brush !== "none" && marks[Number(word.dataset.word)] === brush && !event.shiftKey ? "none" : brush;
  drag = { start, kind, before: [...marks], none: noReason };
  anchor = null;
  draw(word);
});

passages.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const word = under && passages.contains(under) ? wordAt(under) : null;
  if (word) draw(word);
});

function draw(word) {
  [marks, noReason] = [[...drag.before], drag.none];
  if (document.activeElement !== word) focusOn(word);
  mark(range(drag.start, Number(word.dataset.word)), drag.kind);
}

function focusOn(word) {
  for (const other of word.closest(".words").querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  word.tabIndex = 0;
  word.focus({ preventScroll: true });
}

addEventListener("pointerup", () => { drag = null; });
addEventListener("pointercancel", () => { // it was scrolling after all
  if (!drag) return;
  [marks, noReason, drag] = [drag.before, drag.none, null];
  showMarks();
});
passages.addEventListener("focusout", ({ relatedTarget }) => {
  if (drag || !given || replacing || (relatedTarget && passages.contains(relatedTarget))) return;
  anchor = null;
  showMarks();
});

// ------------------------------------------------------------------ deciding

function decision() {
  const labels = chosenLabels();
  const body = { id: given.id, label: status.multi_label ? labels : labels[0] };
  const paired = "text_pair" in given ? ["", "_pair"] : [""];
  const saysReason = noReason || marks.includes("reason");
  paired.forEach((suffix, segment) => {
    if (saysReason) body[`rationale${suffix}`] = spansOf("reason", segment);
    if (marks.includes("not")) body[`not_rationale${suffix}`] = spansOf("not", segment);
  });
  return body;
}

function complaint() {
  if (!status.multi_label && !chosenLabels().length) return "Choose the label first.";
  const before = [given.label ?? []].flat().map(String).sort().join();
  const corrected = chosenLabels().sort().join() !== before;
  if (noReason || corrected || marks.some((kind) => kind !== "none")) return "";
  return "Nothing is marked. Mark a word, say that no word is a reason, or skip the text.";
}

async function save() {
  if (!given) return;
  if (decided) {
    await next();
    return;
  }
  const wrong = complaint();
  if (wrong) {
    say(wrong);
    return;
  }
  const answer = await post("decide", decision());
  showStatus(answer.status);
  if (status.show_reasons) await showReasons();
  else await next();
}

async function skip() {
  await post("decide", { id: given.id, skip: true });
  await next();
}

async function back() {
  if (previous === null) {
    say("There is no text before this one.");
    return;
  }
  const answer = await post("open", { id: previous });
  showStatus(answer.status);
  showText(answer.text);
}

async function undo() {
  const answer = await post("undo");
  showStatus(answer.status);
  showText(answer.text);
  say("Your last save was taken back.");
}

// ------------------------------------------------------------------ what the model says, once the person has decided

async function showReasons() {
  const explanation = await post("reasons", { id: given.id });
  const names = status.classes.map(String);
  const box = byId("reasons");
  const label = predictedClass(explanation.probabilities, explanation.scale);
  box.querySelector(".headline").textContent = `${showable(label)} ${percent(explanation.probabilities[label])}`;
  const painting = paints(explanation, names);
  const pieces = runs(explanation).flatMap((pieces, n) => (n ? [["\n", -1], ...pieces] : pieces));
  box.querySelector(".words").replaceChildren(...pieces.map(([string, i]) => {
    const node = element("span", i < 0 ? "" : "word", showable(string.split(BIDI_CONTROL).join("")));
    if (i >= 0 && painting[i].strength >= NEGLIGIBLE) {
      dress(node, painting[i]);
      node.title = meaning(painting[i]);
    }
    return node;
  }));
  box.querySelector(".legend").replaceChildren(...legend(explanation, names).map((paint) => {
    const node = element("span", "", meaning(paint));
    dress(node, paint);
    return node;
  }));
  box.hidden = false;
  decided = true;
  byId("save").firstChild.textContent = "Next ";
  say("Saved.");
  byId("save").focus();
}

// ------------------------------------------------------------------ keys

const LETTERS = {
  r: () => use("reason"),
  x: () => use("not"),
  u: () => use("none"),
  n: setNone,
  s: () => once(skip),
  b: () => once(back),
  z: () => once(undo),
};

// With words in focus they are marked, else the brush is chosen.
function use(kind) {
  if (selection().length) {
    if (kind === "none") mark(selection(), "none");
    else toggle(selection(), kind);
    anchor = null;
    showMarks();
  } else {
    chooseBrush(kind);
  }
}

function chooseBrush(kind) {
  brush = kind;
  showMarks();
}

function chooseLabel(number) {
  const input = byId("labels").querySelectorAll("input")[number - 1];
  if (!input) return;
  input.checked = status.multi_label ? !input.checked : true;
  reopen();
  say(`${input.value}${input.checked ? "" : " taken off"}.`);
}

function onKey(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open || event.isComposing) return;
  if (target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select")) return;
  if (key === "?") {
    event.preventDefault();
    byId("keys").showModal();
    return;
  }
  if (!byId("done").hidden && ["b", "z"].includes(key) && letters()) LETTERS[key]();
  if (!given || task.hidden) return;
  const word = target.closest?.("#task .texts .word");
  const onControl = target.closest?.("button, input, summary, a");
  const act = () => {
    if (word && isStep(key)) return () => walk(word, key, event.shiftKey);
    if (word && key === " ") return () => { toggle(selection(), brush === "none" ? "reason" : brush); };
    if (key === "Delete" || key === "Backspace") return () => use("none");
    if (key === "Escape" && anchor !== null) return () => { anchor = null; showMarks(); };
    if (key === "Enter" && (!onControl || onControl.type === "radio" || onControl.type === "checkbox")) {
      return () => once(save);
    }
    if (letters() && /^[1-9]$/.test(key)) return () => chooseLabel(Number(key));
    if (letters() && !event.repeat && Object.hasOwn(LETTERS, key.toLowerCase())) return LETTERS[key.toLowerCase()];
    return null;
  };
  const found = act();
  if (!found) return;
  event.preventDefault();
  found();
}

function walk(word, key, extend) {
  const here = Number(word.dataset.word);
  anchor = extend ? anchor ?? here : null;
  const at = stepFrom(word, key);
  if (at) {
    moveTo(word, at);
  } else if (!extend) { // on into the other text of a pair
    const all = [...passages.querySelectorAll(".words")];
    const other = all[all.indexOf(word.closest(".words")) + (["ArrowRight", "ArrowDown"].includes(key) ? 1 : -1)];
    const words = other ? [...other.querySelectorAll(".word")] : [];
    if (words.length) focusOn(["ArrowRight", "ArrowDown"].includes(key) ? words[0] : words.at(-1));
  }
  showMarks();
}

// ------------------------------------------------------------------ begin

addEventListener("keydown", onKey);
byId("brushes").addEventListener("click", ({ target }) => {
  const button = target.closest("[data-brush]");
  if (button) chooseBrush(button.dataset.brush);
});
byId("brushes").addEventListener("keydown", (event) => {
  const kinds = Object.keys(NAMES);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  chooseBrush(kinds[(kinds.indexOf(brush) + step + kinds.length) % kinds.length]);
  byId("brushes").querySelector('[aria-checked="true"]').focus();
});
byId("labels").addEventListener("change", reopen);
for (const [id, step] of Object.entries({ save, skip, back, undo, again: next, "done-back": back, "done-undo": undo })) {
  byId(id).addEventListener("click", () => once(step));
}
byId("none").addEventListener("click", setNone);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("letters").checked = letters();
byId("letters").addEventListener("change", ({ target }) => {
  localStorage.setItem("letters", target.checked ? "on" : "off");
});
byId("rename").addEventListener("click", () => {
  byId("keys").close();
  askForName();
});
byId("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  localStorage.setItem("author", byId("author").value.trim().replace(/\s+/g, " "));
  byId("naming").hidden = true;
  start();
});
askForToken(start);

function askForName() {
  [task.hidden, byId("done").hidden, byId("naming").hidden] = [true, true, false];
  byId("author").value = author();
  byId("author").focus();
}

async function start() {
  await once(async () => {
    showStatus(await ask("annotations"));
    if (author()) await next();
    else askForName();
  });
}

start();
