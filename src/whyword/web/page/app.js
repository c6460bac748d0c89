// The page: a text, one or two views of it, and the words a reader drops to test an explanation by hand.

const TYPING_PAUSE = 250; // milliseconds
const MANY_CLASSES = 6; // more are sorted by probability

const PARTS = [
  "model", "explainer", "target", "against", "remove", "complaint", "answer", "headline", "finding", "hint", "classes",
  "texts", "legend", "readout", "notes", "restore", "cost", "known",
];

const byId = (id) => document.getElementById(id);
const [text, pair, message] = [byId("text"), byId("pair"), byId("message")];
const views = [];
let models = [];

// ------------------------------------------------------------------ asking the server

async function ask(path, { body, signal } = {}) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  for (let attempt = 1; ; attempt++) {
    let answer;
    try {
      const method = body ? "POST" : "GET";
      answer = await fetch(`v1/${path}`, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server does not answer. Is it still running?");
    }
    if (answer.ok) return answer.json();
    if (answer.status === 503 && attempt < 4) {
      await pause(Number(answer.headers.get("Retry-After")) || 1, signal);
      continue;
    }
    if (answer.status === 401) byId("entry").hidden = false;
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error ?? `The server answered with status ${answer.status}.`);
  }
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * Math.min(seconds, 30));
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
  });
}

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
  const fill = (box, nothing, value) => {
    box.replaceChildren(new Option(nothing, ""), ...view.names.map((choice) => new Option(choice, choice)));
    box.value = view.names.includes(value) ? value : "";
  };
  fill(view.targetBox, "predicted", target);
  fill(view.againstBox, "all others", against);
  view.knownBox.open = false;
}

// Weights are the same for every class, a class is held only against another, and of two there is no choice.
function offerClasses(view) {
  const [target, against] = [view.targetBox, view.againstBox];
  const weights = view.model.unsigned.includes(view.explainer);
  if (against.value === target.value) against.value = "";
  target.disabled = weights;
  against.disabled = weights || !target.value;
  target.title = weights ? "Weights are the same for every class." : "";
  against.parentElement.hidden = view.names.length < 3;
  for (const option of against.options) option.disabled = Boolean(option.value) && option.value === target.value;
}

// Ask for the explanation of what is written; the last answer stays in sight until the new one is there.
async function refresh(view) {
  const signal = begin(view, "request");
  begin(view, "trial");
  offerClasses(view);
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
      [view.full, view.now] = [prediction.probabilities, null];
      showProbabilities(view);
    }).catch(() => {});
  }
  try {
    const { explanations } = await ask("explain", { body: about, signal });
    explained = true;
    view.complaintBox.textContent = "";
    await show(view, explanations[0], textsAsked);
  } catch (error) {
    if (signal.aborted) return;
    view.complaintBox.textContent = error.message;
  }
  if (!signal.aborted) view.root.removeAttribute("aria-busy");
}

async function show(view, explanation, textsAsked) {
  view.explanation = explanation;
  view.full = explanation.probabilities;
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
  let now = null;
  try {
    if (view.dropped.size) {
      const body = { texts: [shortened(view)], model: view.model.name };
      const { predictions } = await ask("predict", { body, signal });
      now = predictions[0].probabilities;
    }
    view.complaintBox.textContent = "";
  } catch (error) {
    if (signal.aborted) return;
    view.complaintBox.textContent = error.message;
  }
  view.now = now;
  showProbabilities(view);
}

// ------------------------------------------------------------------ showing

function element(name, className, ...content) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

const likeliest = (probabilities) =>
  Object.keys(probabilities).reduce((best, name) => (probabilities[name] > probabilities[best] ? name : best));

function number(probability) {
  const node = element("data", "", percent(probability));
  node.value = String(probability); // all digits, for those who look closer
  return node;
}

function showProbabilities(view) {
  const { full, now } = view;
  const label = likeliest(full);
  const move = now ? [" → ", number(now[label])] : [];
  const headline = element("p", "", element("bdi", "", showable(label)), " ", number(full[label]), ...move);
  if (headline.textContent !== view.headlineBox.textContent) view.headlineBox.replaceChildren(...headline.childNodes);
  const found = now ? finding(view, label, likeliest(now)) : "";
  if (found !== view.findingBox.textContent) view.findingBox.textContent = found;
  view.hintBox.hidden = Boolean(now);
  view.findingBox.classList.toggle("turned", Boolean(now) && likeliest(now) !== label);
  const names = Object.keys(full);
  if (names.length > MANY_CLASSES) names.sort((a, b) => full[b] - full[a]);
  if (view.bars?.join() !== names.join()) buildBars(view, names);
  [...view.classesBox.children].forEach((row, n) => {
    const probability = (now ?? full)[names[n]];
    row.classList.toggle("likeliest", names[n] === likeliest(now ?? full));
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
  const says = before === after ? `the model still says ${after}.` : `the model says ${after}, no longer ${before}.`;
  if (left === 0) return `With no word left ${says}`;
  if (view.top !== null) return `From the top ${left === 1 ? "word" : `${left} words`} alone ${says}`;
  const dropped = [...view.dropped].sort((a, b) => a - b).map((i) => `“${showable(words[i])}”`);
  return `Without ${dropped.length > 3 ? `${dropped.length} of ${words.length} words` : listed(dropped)} ${says}`;
}

const listed = (items) =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

function showWords(view) {
  const { explanation } = view;
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
  const told = [...pairs.map(({ mark, sentence }) => `${mark} ${showable(sentence)}`), ...notes(explanation)];
  view.notesBox.replaceChildren(...told.map((note) => element("p", "", note.replace(/-(?=\d)/g, "−"))));
  const { forward_passes: passes, seconds } = explanation;
  const cost = `${passes.toLocaleString("en-US")} forward ${passes === 1 ? "pass" : "passes"}`;
  view.costBox.textContent = `${cost}, ${duration(seconds)}`;
  readOut(view);
}

function duration(seconds) {
  return seconds < 0.1 ? `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(1)} s`;
}

function dress(node, paint) {
  for (const [name, value] of Object.entries(styleOf(paint))) node.style.setProperty(name, value);
  if (paint.tag) node.dataset.tag = paint.tag;
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

function described({ explanation, names }, i) {
  const { words, scores, signed, std_error, tied } = explanation;
  return [
    `${showable(words[i])}: ${shown(scores[i], signed)}${std_error ? ` ± ${shown(std_error[i], false)}` : ""}`,
    signed && !scores[i] && !explanation.forbidden_words?.[i] ? "speaks neither way" : showable(meaning(paints(explanation, names)[i])),
    ...(tied?.[i] ? ["tied with others"] : []),
  ].join(", ");
}

function readOut(view, word) {
  if (!view.explanation) return;
  const { words, scores, signed } = view.explanation;
  const named = strongestByClass(view.explanation, view.names).map(([speaks, top]) => {
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

const wordAt = (node) => node.closest(".word");

function walk(view, event) {
  const word = wordAt(event.target);
  if (!word || event.ctrlKey || event.metaKey || event.altKey) return;
  const passage = word.closest(".words");
  const words = [...passage.querySelectorAll(".word")];
  const here = words.indexOf(word);
  const onward = getComputedStyle(passage).direction === "rtl" ? -1 : 1;
  const moves = {
    ArrowRight: () => words[here + onward],
    ArrowLeft: () => words[here - onward],
    ArrowDown: () => nearest(word, words.slice(here + 1)),
    ArrowUp: () => nearest(word, words.slice(0, here)),
    Home: () => words[0],
    End: () => words.at(-1),
    Enter: () => toggle(view, word),
    " ": () => toggle(view, word),
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const next = moves[event.key]();
  if (!next) return;
  [word.tabIndex, next.tabIndex] = [-1, 0];
  next.focus();
}

// The word of another line that stands closest.
function nearest(word, words) {
  const from = word.getBoundingClientRect();
  const distance = (node) => {
    const box = node.getBoundingClientRect();
    const down = Math.abs(box.top - from.top);
    const aside = Math.abs(box.left + box.width / 2 - from.left - from.width / 2);
    return down < from.height / 2 ? Infinity : 100 * down + aside;
  };
  const distances = words.map(distance);
  const least = Math.min(...distances);
  return least < Infinity ? words[distances.indexOf(least)] : undefined;
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

// ------------------------------------------------------------------ how an explanation looks

// The rules of views/highlight.py and views/html.py, once more for the browser: one color per class; the line under a
// word, its tag and the list of words say the same to readers who see no color; weights are gray and dotted.

const PALETTE = [
  [196, 80, 0], [0, 114, 178], [144, 48, 240], [16, 112, 48], [160, 96, 144], [112, 96, 224], [208, 48, 64],
  [208, 32, 176],
];
const GRAY = [104, 104, 104];
const MOST_OPAQUE = 0.55;
const NEGLIGIBLE = 0.05; // weaker words look like the page they stand on
const SHOWN_PAIRS = 5;
const SHOWN_UNREAD = 5;
const NEAR = 9; // pieces from one word to the other under a bracket
const WEIGHT = "weight, not a reason for a class";
const UNREAD = "forbidden: not read by this model";
const STRUCK = { strength: 0, color: GRAY, line: "solid", speaks: "", tag: "", struck: true };

const UNSHOWABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu;
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;

const showable = (text) => text.replace(UNSHOWABLE, "\ufffd");

const percent = (probability) => `${(100 * probability).toFixed(1)}%`;

// Three digits, as Python's .3g writes them; with a sign where signs mean something.
function written(score, signed) {
  if (!Number.isFinite(score)) return "nan"; // JSON knows no infinity
  const [digits, exponent] = Math.abs(score).toExponential(2).split("e").map(Number);
  const size =
    exponent < -4 || exponent >= 3
      ? `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
      : String(Number(Math.abs(score).toPrecision(3)));
  const below = score < 0 || Object.is(score, -0);
  return (below ? "-" : signed ? "+" : "") + size;
}

const shown = (score, signed) => written(score, signed).replaceAll("-", "−");

function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (!sorted.length) return 0;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// 1 or -1 for the strongest word, 0 for what does not stand out; weights without sign count from the median word.
function strengths({ scores, signed }) {
  const middle = signed || scores.length < 2 ? 0 : median(scores);
  const beyond = scores.map((score) => (signed ? score : Math.max(0, score - middle)));
  const largest = beyond.filter(Number.isFinite).reduce((most, score) => Math.max(most, Math.abs(score)), 0);
  return beyond.map((score) => (largest === 0 || Number.isNaN(score) ? 0 : Math.max(-1, Math.min(score / largest, 1))));
}

// Positions of the words from the highest score down; ties go to the earlier word.
const ranking = ({ scores }) => scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);

// Positions of the k words painted strongest.
function strongest(explanation, k = 5) {
  const strength = strengths(explanation);
  const standing = strength.map((_, i) => i).filter((i) => Math.abs(strength[i]) >= NEGLIGIBLE);
  return standing.sort((a, b) => Math.abs(strength[b]) - Math.abs(strength[a]) || a - b).slice(0, k);
}

// As many first letters as tell all classes apart, up to four, or else numbers.
function tags(names) {
  for (let length = 1; length <= 4; length++) {
    const cut = names.map((name) => Array.from(name).slice(0, length).join("").toLowerCase());
    if (new Set(cut).size === cut.length && cut.every((tag) => /^[\p{L}\p{N}]+$/u.test(tag))) return cut;
  }
  return names.map((_, n) => String(n + 1));
}

// How to paint what speaks so strongly: for the label, or (below 0) for the class of that name, or null.
function paintOf({ signed, label }, names, strength, speaksFor) {
  const paint = { strength: Math.abs(strength), color: GRAY, line: "dotted", speaks: "", tag: "" };
  if (!signed) return paint;
  const name = strength >= 0 ? String(label) : speaksFor;
  paint.line = strength >= 0 ? "solid" : "dashed";
  if (name === null || name === undefined) return { ...paint, speaks: `against ${label}` };
  const number = names.indexOf(name);
  const tag = names.length > 2 ? tags(names)[number] : "";
  return { ...paint, color: PALETTE[number % PALETTE.length], speaks: `for ${name}`, tag };
}

const paints = (explanation, names) =>
  strengths(explanation).map((strength, i) => explanation.forbidden_words?.[i]
    ? STRUCK
    : paintOf(explanation, names, strength, explanation.speaks_for?.[i]));

const meaning = ({ speaks, struck }) => (struck ? UNREAD : speaks ? `speaks ${speaks}` : WEIGHT);

function styleOf({ strength, color, line }) {
  const opacity = Number((MOST_OPAQUE * strength).toFixed(3));
  const thickness = Math.max(Math.min(Math.floor(3 * strength), 2), line === "dotted" ? 1 : 0);
  const style = { "background-color": `rgba(${color.join()},${opacity})` };
  if (thickness) style["border-bottom"] = `${thickness}px ${line}`;
  return style;
}

// Positions of the strongest words by what they speak for, the strongest class first.
function strongestByClass(explanation, names) {
  const painting = paints(explanation, names);
  const groups = new Map();
  for (const i of strongest(explanation)) {
    groups.set(painting[i].speaks, [...(groups.get(painting[i].speaks) ?? []), i]);
  }
  return [...groups];
}

// The paint of the class that is explained, then of all others that some word speaks for.
function legend(explanation, names) {
  const { signed, label, against, speaks_for: speaksFor } = explanation;
  const paint = (strength, name) => paintOf(explanation, names, strength, name);
  if (!signed) return [paint(1, null)];
  if (names.length === 2) return [paint(1), paint(-1, names.find((name) => name !== String(label)))];
  if (against !== undefined) return [paint(1), paint(-1, String(against))];
  const strength = strengths(explanation);
  const painted = new Set(speaksFor.filter((_, i) => strength[i] <= -NEGLIGIBLE));
  const others = names.filter((name) => painted.has(name));
  return [paint(1), ...[...others, ...(painted.has(null) ? [null] : [])].map((name) => paint(-1, name))];
}

// Words that act together, with a sentence for each pair.
function pairsOf(explanation, names) {
  const { words, spans, segments, signed } = explanation;
  const position = ([start, end], segment) =>
    spans.findIndex(([s, e], i) => s === start && e === end && (segments?.[i] ?? 0) === (segment ?? 0));
  return (explanation.interactions ?? []).slice(0, SHOWN_PAIRS).map((pair, n) => {
    const [first, second] = pair.spans.map((span, i) => position(span, pair.segments?.[i])).sort((a, b) => a - b);
    const paint = paintOf(explanation, names, pair.score >= 0 ? 1 : -1, pair.speaks_for);
    const sentence = `${words[first]} + ${words[second]}: together ${written(pair.score, signed)} (${paint.speaks})`;
    return { mark: String.fromCodePoint("①".codePointAt(0) + n), first, second, sentence, paint };
  });
}

// Where the pairs stand among the pieces of a text: the ends of a whole bracket, or the words that bear its mark.
function placed(pieces, pairs) {
  const covered = new Set();
  return pairs.map((pair) => {
    const ends = [pair.first, pair.second].map((i) => pieces.findIndex((piece) => piece[1] === i)).filter((n) => n >= 0);
    const stretch = ends.length === 2 ? Array.from({ length: ends[1] - ends[0] + 1 }, (_, n) => ends[0] + n) : [];
    const whole = stretch.length > 0 && stretch.length <= NEAR && !stretch.some((n) => covered.has(n));
    if (whole) stretch.forEach((n) => covered.add(n));
    return { pair, ends, whole };
  });
}

// How the scores add up, where it is known what they start from.
function sums({ signed, scores, base_value: base, label, against, probabilities }) {
  if (!signed || base === null || base === undefined) return "";
  const added = scores.reduce((sum, score) => sum + score, 0);
  const held = against !== undefined;
  const whole = probabilities[label] - (held ? probabilities[against] : 0);
  const start = held ? `${label} minus ${against}: starts` : "Starts";
  const sign = added < 0 || Object.is(added, -0) ? "" : "+";
  const line = `${start} at ${percent(base)}, words add ${sign}${percent(added)}, = ${percent(base + added)}`;
  return Math.abs(base + added - whole) < 0.0005 ? `${line}.` : `${line}; the model says ${percent(whole)}.`;
}

// What a reader must know about the text as a whole.
function notes(explanation) {
  const { truncated_words = 0, windows = 1 } = explanation;
  const count = (number) => number.toLocaleString("en-US");
  const tied = (explanation.tied ?? []).filter(Boolean).length;
  const last = truncated_words === 1 ? "last word" : `last ${count(truncated_words)} words`;
  const told = [];
  if (!strongest(explanation, 1).length) told.push("No word stands out.");
  if (sums(explanation)) told.push(sums(explanation));
  if (typeof explanation.error === "number") {
    told.push(`Checked on sub-texts: sums of scores miss the probability by ${explanation.error.toFixed(3)}.`);
  }
  if (tied) told.push(`${count(tied)} words are tied: which of them belong to the top ones is undecided.`);
  if (explanation.forbidden_words) {
    const unread = [...new Set(explanation.words.filter((_, i) => explanation.forbidden_words[i]))];
    const more = unread.length > SHOWN_UNREAD ? " …" : "";
    told.push(`Not read, as it must not decide: ${unread.slice(0, SHOWN_UNREAD).join(", ")}${more}.`);
  }
  if (windows > 1) {
    const beyond = truncated_words ? `; the prediction did not read the ${last}` : "";
    told.push(`The scores come from ${count(windows)} overlapping windows${beyond}.`);
  } else if (truncated_words) {
    told.push(`The ${last} ${truncated_words === 1 ? "was" : "were"} not read by this model.`);
  }
  return told;
}

// Each text with its runs [string, position of the word or -1]; offsets count characters as Python does, not UTF-16.
function runs(explanation) {
  const texts = [explanation.text, explanation.text_pair].filter((text) => typeof text === "string");
  return texts.map((text, segment) => {
    const characters = Array.from(text);
    const cut = (start, end) => characters.slice(start, end).join("");
    const pieces = [];
    let position = 0;
    explanation.spans.forEach(([start, end], i) => {
      if ((explanation.segments?.[i] ?? 0) !== segment) return;
      if (start > position) pieces.push([cut(position, start), -1]);
      pieces.push([cut(start, end), i]);
      position = end;
    });
    if (position < characters.length) pieces.push([cut(position), -1]);
    return pieces;
  });
}

// A fragment for mails, notebooks and reports: no script, no style sheet, safe for any text.
function html(explanation, names) {
  const { label, against, probabilities, explainer, scores, signed, words } = explanation;
  const painting = paints(explanation, names);
  const pairs = pairsOf(explanation, names);
  const small = 'style="margin:.4em 0;font-size:.85em"';
  const heading = [label, against]
    .filter((name) => name !== undefined)
    .map((name) => `<strong>${isolated(name)}</strong> ${percent(probabilities[name])}`);
  const lines = [
    '<div class="whyword" style="line-height:1.8;overflow-wrap:anywhere">',
    `<p style="margin:.4em 0">${heading.join(" against ")} · ${isolated(explainer)}</p>`,
  ];
  const texts = runs(explanation);
  const together = new Set(pairs.flatMap(({ first, second }) => [first, second]));
  const standsOut = (i) => i >= 0 && (painting[i].strength >= NEGLIGIBLE || painting[i].struck || together.has(i));
  texts.forEach((all, n) => {
    if (texts.length > 1) lines.push(`<p ${small}>${n ? "Second text" : "First text"}</p>`);
    const pieces = [];
    for (const [string, i] of all) {
      if (standsOut(i)) pieces.push([string, i]);
      else if (pieces.at(-1)?.[1] === -1) pieces.at(-1)[0] += string;
      else pieces.push([string, -1]);
    }
    const shown = pieces.map(([string, i]) =>
      i < 0
        ? readable(string)
        : painted(readable(string), painting[i], `${written(scores[i], signed)}, ${meaning(painting[i])}`));
    for (const { pair, ends, whole } of placed(pieces, pairs)) {
      if (whole) {
        const line = `2px solid rgb(${pair.paint.color.join()})`;
        const style = `border:${line};border-bottom:0;border-radius:.3em .3em 0 0;padding:.2em .1em 0`;
        shown[ends[0]] = `<span style="${style}" title="${escaped(pair.sentence)}">${shown[ends[0]]}`;
        shown[ends[1]] += `${raised(pair.mark)}</span>`;
      } else {
        for (const end of ends) shown[end] += raised(pair.mark);
      }
    }
    const body = shown.join("");
    lines.push(`<p class="whyword-text" dir="auto" style="margin:.4em 0;white-space:pre-wrap">${body}</p>`);
  });
  const named = strongestByClass(explanation, names).map(([speaks, top]) => {
    const list = top.map((i) => `${isolated(words[i])} ${written(scores[i], signed)}`);
    return `${speaks && ` ${isolated(speaks)}`}: ${list.join(", ")}`;
  });
  if (named.length) lines.push(`<p ${small}>Strongest words${named.join(";")}</p>`);
  for (const { mark, sentence } of pairs) lines.push(`<p ${small}>${mark} ${isolated(sentence)}</p>`);
  const meanings = legend(explanation, names).map((paint) => painted(isolated(meaning(paint)), paint));
  lines.push(`<p ${small}>${meanings.join(" · ")}</p>`);
  for (const note of notes(explanation)) lines.push(`<p ${small}>${escaped(note)}</p>`);
  return [...lines, "</div>"].join("\n");
}

function painted(content, paint, title = "") {
  if (paint.struck) return `<s title="${UNREAD}">${content}</s>`;
  const style = Object.entries(styleOf(paint)).map(([name, value]) => `${name}:${value}`).join(";");
  const tag = paint.tag ? raised(paint.tag) : "";
  return `<span style="${style}"${title ? ` title="${escaped(title)}"` : ""}>${content}${tag}</span>`;
}

const raised = (mark) => `<sup style="font-size:.65em;user-select:none">${mark}</sup>`;

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => showable(String(text)).replace(/[&<>"']/g, (character) => ENTITIES[character]);
const isolated = (text) => `<bdi>${escaped(text)}</bdi>`;

// A word that holds a bidirectional control is boxed in, so that it reorders only itself.
function readable(text) {
  const safe = escaped(text);
  if (!BIDI_CONTROL.test(safe)) return safe;
  return safe.split(/(\s+)/).map((piece) => (BIDI_CONTROL.test(piece) ? `<bdi>${piece}</bdi>` : piece)).join("");
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
byId("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", byId("token").value);
  byId("entry").hidden = true;
  start();
});
addEventListener("hashchange", () => models.length && restore());

async function start() {
  try {
    ({ models } = await ask("models"));
    message.textContent = "";
    restore();
    if (!text.value && matchMedia("(hover: hover)").matches) text.focus();
  } catch (error) {
    message.textContent = error.message;
    if (!byId("entry").hidden) byId("token").focus();
  }
}

start();
