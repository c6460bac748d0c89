// The page: a text, one or two views of it, and the words a reader drops to test an explanation by hand.

import {
  BIDI_CONTROL, dress, element, expectedScore, html, inPlace, legend, meaning, NEGLIGIBLE, notes, paints, pairsOf,
  percent, placed, predictedClass, ranking, runs, SCORE, showable, shown, strongestByClass, written,
} from "./highlight.js";
import { isStep, moveTo, stepFrom, wordAt } from "./keys.js";
import { ask, askForToken } from "./server.js";

const TYPING_PAUSE = 250; // milliseconds
const NO_LABEL = "no label"; // where a text may have several, and has none
const MANY_CLASSES = 6; // more are sorted by probability

const PARTS = [
  "model", "explainer", "target", "against", "remove", "about", "complaint", "answer", "headline", "finding", "hint", "classes",
  "texts", "legend", "readout", "notes", "restore", "cost", "known",
];

const byId = (id) => document.getElementById(id);
const [text, pair, message] = [byId("text"), byId("pair"), byId("message")];
const views = [];
let [models, examples] = [[], []];

// ------------------------------------------------------------------ asking the server

// Stop what this view still waits for in a lane, and begin anew.
function begin(view, lane) {
  view[lane]?.abort();
  view[lane] = new AbortController();
  return view[lane].signal;
}

// ------------------------------------------------------------------ what is written

const paired = () => !byId("second").hidden;
const writtenTexts = () => (paired() ? [text.value, pair.value] : text.value);
const key = () => JSON.stringify(writtenTexts());
const blank = () => !text.value.trim() && !(paired() && pair.value.trim());

function showPairing() {
  const demanded = views.some((view) => view.model.pairs === true);
  const possible = views.some((view) => view.model.pairs !== false);
  if (demanded) byId("second").hidden = false;
  byId("pairing").hidden = demanded || !(possible || paired());
  byId("pairing").textContent = paired() ? "Remove the second text" : "Add a second text";
}

// The texts without the dropped words: each word's span is cut out; a space keeps its neighbors from growing together.
function shortened(view) {
  const texts = runs(view.explanation).map((pieces) => {
    let kept = "";
    let gap = false;
    for (const [string, i] of pieces) {
      if (i >= 0 && view.dropped.has(i)) {
        gap = true;
      } else {
        kept += (gap && /\S$/.test(kept) && /^\S/.test(string) ? " " : "") + string;
        gap = false;
      }
    }
    return kept;
  });
  return texts.length > 1 ? texts : texts[0];
}

// What to click, or else what to type, before there is a text.
function showExamples() {
  const label = (example) => [example].flat().map(showable).join(" | ");
  byId("examples").hidden = !examples.length;
  byId("examples").open = blank();
  byId("examples").querySelector("ul").replaceChildren(...examples.map((example) => {
    const button = element("button", "", label(example));
    button.type = "button";
    button.dir = "auto";
    button.addEventListener("click", () => write(example));
    return element("li", "", button);
  }));
  const names = models[0].classes.map((name) => `“${showable(String(name))}”`);
  const classes = names.length > MANY_CLASSES ? `one of ${names.length} classes` : listed(names, "or");
  byId("advice").textContent = `Type a text of the kind that the model was trained on: you see whether it says ${classes}, and by which words.`;
  showAdvice();
}

function showAdvice() {
  byId("advice").hidden = examples.length > 0 || !models.length || !blank();
}

function write(example) {
  const [first, second] = [example].flat();
  text.value = first;
  pair.value = second ?? "";
  byId("second").hidden = second === undefined;
  byId("examples").open = false;
  showPairing();
  text.focus();
  views.forEach(refresh);
}

// ------------------------------------------------------------------ a view

function addView(choice = {}) {
  const root = byId("view").content.firstElementChild.cloneNode(true);
  const view = { root, dropped: new Set(), top: null };
  for (const name of PARTS) view[`${name}Box`] = root.querySelector(`.${name}`);
  view.slider = root.querySelector("input");
  view.count = root.querySelector("output");
  view.modelBox.append(...models.map(({ name }) => new Option(name, name)));
  chooseModel(view, choice.model ?? views[0]?.model.name, choice.explainer, choice.target, choice.against);
  view.modelBox.addEventListener("change", () => {
    chooseModel(view, view.modelBox.value, view.explainer, view.targetBox.value, view.againstBox.value);
    showPairing();
    refresh(view);
  });
  view.explainerBox.addEventListener("change", () => { view.explainer = view.explainerBox.value; refresh(view); });
  for (const box of [view.targetBox, view.againstBox]) box.addEventListener("change", () => refresh(view));
  view.removeBox.addEventListener("click", () => removeView(view));
  view.restoreBox.addEventListener("click", () => drop(view, new Set()));
  view.slider.addEventListener("input", () => keepTop(view, view.slider.valueAsNumber));
  view.textsBox.addEventListener("click", ({ target }) => toggle(view, wordAt(target)));
  view.textsBox.addEventListener("keydown", (event) => walk(view, event));
  for (const kind of ["pointerover", "focusin"]) {
    view.textsBox.addEventListener(kind, ({ target }) => readOut(view, wordAt(target)));
  }
  for (const kind of ["pointerleave", "focusout"]) {
    view.textsBox.addEventListener(kind, () => readOut(view, view.textsBox.querySelector(".word:focus")));
  }
  const offer = (name, write) =>
    root.querySelector(name).addEventListener("click", ({ target }) => copy(write(view.explanation), target));
  offer(".copy-html", (explanation) => html(explanation, view.names));
  offer(".copy-json", (explanation) => JSON.stringify(explanation, null, 2));
  view.knownBox.addEventListener("toggle", () => showKnown(view));
  views.push(view);
  byId("views").append(root);
  arrange();
  const [, top, list] = /^(?:top(\d+)|(\d+(?:\.\d+)*))$/.exec(choice.drop ?? "") ?? [];
  if (top) view.top = Number(top);
  if (list) view.dropped = new Set(list.split(".").map(Number));
  if (top || list) view.dropsOf = key();
  return view;
}

function removeView(view) {
  begin(view, "request");
  begin(view, "trial");
  views.splice(views.indexOf(view), 1);
  view.root.remove();
  arrange();
  byId("add").focus();
}

function arrange() {
  views.forEach((view, n) => {
    view.root.setAttribute("aria-label", views.length > 1 ? `View ${n + 1}` : "View");
    view.removeBox.hidden = views.length === 1;
  });
  document.body.classList.toggle("two", views.length > 1);
  byId("add").hidden = views.length !== 1;
  showPairing();
  remember();
}

function chooseModel(view, name, explainer, target = "", against = "") {
  view.model = models.find((model) => model.name === name) ?? models[0];
  const { explainers, classes, default_explainer } = view.model;
  view.names = classes.map(String); // of the classes, in the order of their colors
  view.modelBox.value = view.model.name;
  view.explainerBox.replaceChildren(...explainers.map((choice) => new Option(choice, choice)));
  view.explainer = explainers.includes(explainer) ? explainer : default_explainer;
  view.explainerBox.value = view.explainer;
  const fill = (box, nothing, value, more = []) => {
    const choices = view.names.map((choice) => new Option(choice, choice));
    box.replaceChildren(new Option(nothing, ""), ...more, ...choices);
    box.value = [...box.options].some((option) => option.value === value) ? value : "";
  };
  const ordered = view.model.scale && !view.names.includes(SCORE);
  fill(view.targetBox, "predicted", target, ordered ? [new Option("score", SCORE)] : []);
  fill(view.againstBox, "all others", against);
  view.knownBox.open = false;
}

// Weights are the same for every class, a class is held only against another, and of two there is no choice.
function offerClasses(view) {
  const [target, against] = [view.targetBox, view.againstBox];
  const weights = view.model.unsigned.includes(view.explainer);
  if (against.value === target.value) against.value = "";
  target.disabled = weights;
  const score = target.value === SCORE && !view.names.includes(SCORE);
  against.disabled = weights || !target.value || score;
  target.title = weights ? "Weights are the same for every class." : "";
  against.parentElement.hidden = view.names.length < 3;
  for (const option of against.options) option.disabled = Boolean(option.value) && option.value === target.value;
}

// Ask for the explanation of what is written; the last answer stays in sight until the new one is there.
async function refresh(view) {
  const signal = begin(view, "request");
  begin(view, "trial");
  offerClasses(view);
  showAdvice();
  view.aboutBox.textContent = view.model.about?.[view.explainer] ?? "";
  remember();
  if (blank()) {
    [view.explanation, view.answerBox.hidden, view.complaintBox.textContent] = [null, true, ""];
    view.textsBox.replaceChildren();
    view.root.removeAttribute("aria-busy");
    return;
  }
  view.root.setAttribute("aria-busy", "true");
  const asked = { texts: [writtenTexts()], model: view.model.name };
  const about = { ...asked, explainer: view.explainer };
  for (const [name, box] of [["target", view.targetBox], ["against", view.againstBox]]) {
    if (box.value && !box.disabled) about[name] = box.value;
  }
  const textsAsked = key();
  let explained = false;
  if (view.explainer !== view.model.default_explainer && view.dropsOf !== textsAsked) {
    // A sampling explainer takes its time: the probabilities need not wait for it.
    ask("predict", { body: asked, signal }).then(({ predictions: [prediction] }) => {
      if (explained || signal.aborted) return;
      [view.full, view.given, view.now] = [prediction.probabilities, prediction.labels, null];
      showProbabilities(view);
    }).catch(() => {});
  }
  try {
    const { explanations } = await ask("explain", { body: about, signal });
    explained = true;
    view.complaintBox.textContent = "";
    view.asked = about;
    await show(view, explanations[0], textsAsked);
  } catch (error) {
    if (signal.aborted) return;
    view.complaintBox.textContent = error.message;
  }
  if (!signal.aborted) view.root.removeAttribute("aria-busy");
}

async function show(view, explanation, textsAsked) {
  view.explanation = view.shown = explanation;
  [view.full, view.given] = [explanation.probabilities, explanation.labels];
  if (view.dropsOf !== textsAsked) [view.dropped, view.top, view.dropsOf] = [new Set(), null, textsAsked];
  const count = explanation.words.length;
  if (view.top >= count) view.top = null;
  if (view.top !== null) view.dropped = new Set(ranking(explanation).slice(view.top));
  view.dropped.forEach((i) => i < count || view.dropped.delete(i));
  view.slider.max = count;
  view.answerBox.hidden = false;
  showWords(view);
  await tryOut(view);
}

// ------------------------------------------------------------------ dropping words

function drop(view, dropped, top = null) {
  if (!view.explanation || view.dropsOf !== key()) return; // an explanation of another text than is written now
  [view.dropped, view.top] = [dropped, top];
  remember();
  tryOut(view);
}

function toggle(view, word) {
  if (!word) return;
  const dropped = new Set(view.dropped);
  const i = Number(word.dataset.word);
  if (!dropped.delete(i)) dropped.add(i);
  drop(view, dropped);
}

function keepTop(view, count) {
  const all = count >= view.explanation.words.length;
  drop(view, new Set(ranking(view.explanation).slice(count)), all ? null : count);
}

// Ask what the model says without the dropped words.
async function tryOut(view) {
  const signal = begin(view, "trial");
  const count = view.explanation.words.length;
  const kept = `${count - view.dropped.size} of ${count}`;
  for (const word of view.textsBox.querySelectorAll(".word")) {
    word.setAttribute("aria-pressed", view.dropped.has(Number(word.dataset.word)));
  }
  view.slider.value = count - view.dropped.size;
  view.slider.setAttribute("aria-valuetext", kept);
  view.count.textContent = kept;
  view.restoreBox.setAttribute("aria-disabled", view.dropped.size === 0);
  let [now, given] = [null, undefined];
  try {
    if (view.dropped.size) {
      const body = { texts: [shortened(view)], model: view.model.name };
      const { predictions } = await ask("predict", { body, signal });
      [now, given] = [predictions[0].probabilities, predictions[0].labels];
    }
    view.complaintBox.textContent = "";
  } catch (error) {
    if (signal.aborted) return;
    view.complaintBox.textContent = error.message;
  }
  [view.now, view.givenNow] = [now, given];
  showProbabilities(view);
  await explainAgain(view, signal);
}

// Explain the text that is left: its words are painted anew where they stand, the dropped ones between them.
async function explainAgain(view, signal) {
  let shown = view.explanation;
  if (partly(view)) {
    await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE)); // the slider passes many numbers of words
    if (signal.aborted) return;
    try {
      const { explanations } = await ask("explain", { body: { ...view.asked, texts: [shortened(view)] }, signal });
      const [left] = explanations;
      const merged = inPlace(view.explanation, left, view.dropped);
      if (merged) shown = { ...merged, notes: ["Scores are those of the text without the dropped words.", ...notes(left)] };
    } catch (error) {
      if (signal.aborted) return;
      view.complaintBox.textContent = error.message;
    }
  }
  if (shown === view.shown) return;
  view.shown = shown;
  showWords(view);
}

const partly = (view) => view.dropped.size > 0 && view.dropped.size < view.explanation.words.length;

// ------------------------------------------------------------------ showing

function number(probability) {
  const node = element("data", "", percent(probability));
  node.value = String(probability); // all digits, for those who look closer
  return node;
}

function showProbabilities(view) {
  const { full, now } = view;
  const { scale } = view.model;
  const labels = view.given ?? [predictedClass(full, scale)]; // of several a text may have all that are predicted
  const after = now ? view.givenNow ?? [predictedClass(now, scale)] : labels;
  const shares = labels.map((label, n) => [
    n ? ", " : "", element("bdi", "", showable(label)), " ", number(full[label]),
    ...(now ? [" → ", number(now[label])] : []),
  ]);
  const headline = element("p", "", ...(shares.length ? shares.flat() : [NO_LABEL]));
  if (scale) {
    const scores = (now ? [full, now] : [full]).map((one) => expectedScore(one, scale).toFixed(2));
    headline.append(element("small", "", ` · expected score ${scores.join(" → ")}`));
  }
  if (headline.textContent !== view.headlineBox.textContent) view.headlineBox.replaceChildren(...headline.childNodes);
  const found = now ? finding(view, labels, after) : "";
  if (found !== view.findingBox.textContent) view.findingBox.textContent = found;
  view.hintBox.hidden = Boolean(now);
  view.findingBox.classList.toggle("turned", after.join() !== labels.join());
  const names = Object.keys(full);
  if (names.length > MANY_CLASSES) names.sort((a, b) => full[b] - full[a]);
  if (view.bars?.join() !== names.join()) buildBars(view, names);
  [...view.classesBox.children].forEach((row, n) => {
    const probability = (now ?? full)[names[n]];
    row.classList.toggle("likeliest", after.map(String).includes(names[n]));
    row.style.setProperty("--now", probability);
    row.style.setProperty("--full", full[names[n]]);
    row.classList.toggle("moved", Boolean(now));
    const before = now ? [element("span", "unseen", `, ${percent(full[names[n]])} with all words`)] : [];
    row.lastElementChild.replaceChildren(number(probability), ...before);
  });
}

function buildBars(view, names) {
  view.bars = names;
  if (names.length > MANY_CLASSES) view.classesBox.tabIndex = 0; // a long list scrolls, by keys too
  else view.classesBox.removeAttribute("tabindex");
  view.classesBox.replaceChildren(...names.map((name) => {
    const bar = element("span", "bar", element("i", "fill"), element("i", "mark"));
    const row = element("li", "", element("bdi", "name", showable(name)), bar, element("span", "value"));
    row.title = name;
    return row;
  }));
}

function finding(view, before, after) {
  const { words } = view.explanation;
  const left = words.length - view.dropped.size;
  const [was, is] = [before, after].map((labels) => listed(labels.map(String)) || NO_LABEL);
  const turned = view.given ? `the model says ${is} instead of ${was}.` : `the model says ${is}, no longer ${was}.`;
  const says = was === is ? `the model still says ${is}.` : turned;
  if (left === 0) return `With no word left ${says}`;
  if (view.top !== null) return `From the top ${left === 1 ? "word" : `${left} words`} alone ${says}`;
  const dropped = [...view.dropped].sort((a, b) => a - b).map((i) => `“${showable(words[i])}”`);
  return `Without ${dropped.length > 3 ? `${dropped.length} of ${words.length} words` : listed(dropped)} ${says}`;
}

const listed = (items, last = "and") =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;

function showWords(view) {
  const explanation = view.shown;
  const focused = view.textsBox.querySelector(".word:focus")?.dataset.word;
  const painting = paints(explanation, view.names);
  const pairs = pairsOf(explanation, view.names);
  const texts = runs(explanation);
  // Not <button>: that is a box of its own, which would tear a comma from its word at the end of a line and put the
  // words of right-to-left passages in the wrong order.
  const between = (string) => showable(string.split(BIDI_CONTROL).join("")); // it would reorder the words after it
  const word = (string, i) => {
    const node = element("span", "word", showable(string));
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", described(view, i));
    node.title = described(view, i);
    node.tabIndex = -1;
    node.dataset.word = i;
    node.setAttribute("aria-pressed", view.dropped.has(i));
    if (painting[i].strength >= NEGLIGIBLE) dress(node, painting[i]);
    if (painting[i].struck) node.style.setProperty("text-decoration", "line-through");
    return node;
  };
  view.textsBox.replaceChildren(...texts.flatMap((pieces, n) => {
    const nodes = pieces.map(([string, i]) => (i < 0 ? between(string) : word(string, i)));
    const passage = element("p", "words", ...bracketed(nodes, pieces, pairs));
    const heading = n ? "Second text" : texts.length > 1 ? "First text" : "Text";
    passage.dir = "auto";
    passage.setAttribute("role", "toolbar"); // one stop of the Tab key; arrow keys walk from word to word
    passage.setAttribute("aria-label", `${heading}: press a word to drop it`);
    if (passage.querySelector(".word")) passage.querySelector(".word").tabIndex = 0;
    return texts.length > 1 ? [element("p", "heading", heading), passage] : [passage];
  }));
  view.legendBox.replaceChildren(...legend(explanation, view.names).map((paint) => {
    const node = element("span", "", meaning(paint));
    dress(node, paint);
    return node;
  }));
  const again = focused && view.textsBox.querySelector(`[data-word="${focused}"]`);
  if (again) moveTo(again.closest(".words").querySelector(".word"), again);
  const said = explanation.notes ?? notes(explanation);
  const told = [...pairs.map(({ mark, sentence }) => `${mark} ${showable(sentence)}`), ...said];
  view.notesBox.replaceChildren(...told.map((note) => element("p", "", note.replace(/-(?=\d)/g, "−"))));
  const { forward_passes: passes, seconds } = explanation;
  const cost = `${passes.toLocaleString("en-US")} forward ${passes === 1 ? "pass" : "passes"}`;
  view.costBox.textContent = `${cost}, ${duration(seconds)}`;
  readOut(view);
}

function duration(seconds) {
  return seconds < 0.1 ? `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(1)} s`;
}

// Put two words that act together under one bracket; words far apart, or under another bracket, bear its mark.
function bracketed(nodes, pieces, pairs) {
  const around = new Map(); // the first piece under a bracket → [the last one, the bracket]
  for (const { pair, ends, whole } of placed(pieces, pairs)) {
    if (whole) {
      const bracket = element("span", "bracket");
      bracket.style.setProperty("border-color", `rgb(${pair.paint.color.join()})`);
      bracket.title = showable(pair.sentence);
      bracket.dataset.mark = pair.mark;
      around.set(ends[0], [ends[1], bracket]);
    } else {
      for (const n of ends) nodes[n].dataset.mark = (nodes[n].dataset.mark ?? "") + pair.mark;
    }
  }
  const shown = [];
  for (let n = 0; n < nodes.length; n++) {
    const [last, bracket] = around.get(n) ?? [];
    if (!bracket) {
      shown.push(nodes[n]);
    } else {
      bracket.append(...nodes.slice(n, last + 1));
      shown.push(bracket);
      n = last;
    }
  }
  return shown;
}

function described({ shown: explanation, names }, i) {
  const { words, scores, signed, std_error, tied } = explanation;
  if (Number.isNaN(scores[i])) return `${showable(words[i])}: dropped`;
  return [
    `${showable(words[i])}: ${shown(scores[i], signed)}${std_error ? ` ± ${shown(std_error[i], false)}` : ""}`,
    signed && !scores[i] && !explanation.forbidden_words?.[i] ? "speaks neither way" : showable(meaning(paints(explanation, names)[i])),
    ...(tied?.[i] ? ["tied with others"] : []),
  ].join(", ");
}

function readOut(view, word) {
  if (!view.explanation) return;
  const { words, scores, signed } = view.shown;
  const named = strongestByClass(view.shown, view.names).map(([speaks, top]) => {
    const list = top.map((i) => `${showable(words[i])} ${shown(scores[i], signed)}`);
    return `${speaks && ` ${showable(speaks)}`}: ${list.join(", ")}`;
  });
  const summary = named.length ? `Strongest words${named.join(";")}` : "";
  view.readoutBox.textContent = word ? described(view, Number(word.dataset.word)) : summary;
}

async function showKnown(view) {
  if (!view.knownBox.open) return;
  const [source, list] = [view.knownBox.querySelector(".source"), view.knownBox.querySelector("ol")];
  source.textContent = "…";
  list.replaceChildren();
  try {
    const query = new URLSearchParams({ model: view.model.name, top: 50 });
    const known = await ask(`words?${query}`, { signal: begin(view, "list") });
    source.textContent = `The 50 words it values most, by ${known.source}, with how often it met them.`;
    list.replaceChildren(...known.words.map(({ word, score, frequency }) => {
      const values = `${shown(score, false)} · ${frequency.toLocaleString("en-US")}×`;
      return element("li", "", element("bdi", "", showable(word)), element("span", "", values));
    }));
  } catch (error) {
    if (error.name !== "AbortError") source.textContent = error.message;
  }
}

// ------------------------------------------------------------------ keys

function walk(view, event) {
  const word = wordAt(event.target);
  if (!word || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    toggle(view, word);
  } else if (isStep(event.key)) {
    event.preventDefault();
    moveTo(word, stepFrom(word, event.key));
  }
}

// ------------------------------------------------------------------ sharing

let remembering;

// The address holds all there is to see; what follows the # never leaves the browser.
function remember(atOnce = false) {
  clearTimeout(remembering);
  if (!atOnce) {
    remembering = setTimeout(remember, TYPING_PAUSE, true);
    return;
  }
  const query = new URLSearchParams({ text: text.value });
  if (paired()) query.set("pair", pair.value);
  for (const view of views) {
    query.append("model", view.model.name);
    query.append("explainer", view.explainer);
    query.append("target", view.targetBox.value);
    query.append("against", view.againstBox.value);
    const dropped = view.top === null ? [...view.dropped].join(".") : `top${view.top}`;
    query.append("drop", view.dropsOf === key() ? dropped : "");
  }
  history.replaceState(null, "", `#${query}`);
}

function restore() {
  const query = new URLSearchParams(location.hash.slice(1));
  if (query.has("text")) { // otherwise, keep what was typed before the models were known
    text.value = query.get("text");
    pair.value = query.get("pair") ?? "";
    byId("second").hidden = !query.has("pair");
  }
  const all = (name, n) => query.getAll(name)[n];
  views.splice(0).forEach((view) => { begin(view, "request"); begin(view, "trial"); view.root.remove(); });
  const count = Math.min(Math.max(query.getAll("model").length, 1), 2);
  for (let n = 0; n < count; n++) {
    const choices = ["model", "explainer", "target", "against", "drop"].map((name) => [name, all(name, n)]);
    addView(Object.fromEntries(choices));
  }
  views.forEach(refresh);
}

async function copy(content, button) {
  try {
    await navigator.clipboard.writeText(content);
  } catch { // not offered on plain http: the old way
    const field = element("textarea", "unseen");
    field.value = content;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  const name = (button.dataset.name ??= button.textContent);
  button.textContent = "Copied";
  message.textContent = "Copied.";
  setTimeout(() => { button.textContent = name; message.textContent = ""; }, 1500);
}

// ------------------------------------------------------------------ begin

let typing;
for (const field of [text, pair]) {
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => views.forEach(refresh), TYPING_PAUSE);
  });
}
byId("pairing").addEventListener("click", () => {
  byId("second").hidden = paired();
  showPairing();
  (paired() ? pair : text).focus();
  views.forEach(refresh);
});
byId("add").addEventListener("click", () => {
  const [first] = views;
  const others = first.model.explainers.filter((name) => name !== first.explainer);
  const other = models.find((model) => model !== first.model);
  const view = other ? addView({ model: other.name, explainer: first.explainer }) : addView({ explainer: others[0] });
  refresh(view);
  view.modelBox.focus();
});
byId("share").addEventListener("click", ({ target }) => { remember(true); copy(location.href, target); });
askForToken(start);
addEventListener("hashchange", () => models.length && restore());

async function start() {
  try {
    ({ models, examples = [] } = await ask("models"));
    message.textContent = "";
    restore();
    showExamples();
    if (!text.value && matchMedia("(hover: hover)").matches) text.focus();
  } catch (error) {
    message.textContent = error.message;
    if (!byId("entry").hidden) byId("token").focus();
  }
}

start();
