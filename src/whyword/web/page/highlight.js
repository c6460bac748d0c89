// How an explanation looks, for every page.

export function element(name, className, ...content) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

// The rules of views/highlight.py and views/html.py, once more for the browser: one color per class; the line under a
// word, its tag and the list of words say the same to readers who see no color; weights are gray and dotted.

const PALETTE = [
  [196, 80, 0], [0, 114, 178], [144, 48, 240], [16, 112, 48], [160, 96, 144], [112, 96, 224], [208, 48, 64],
  [208, 32, 176],
];
const GRAY = [104, 104, 104];
const MOST_OPAQUE = 0.55;
export const NEGLIGIBLE = 0.05; // weaker words look like the page they stand on
const SHOWN_PAIRS = 5;
const SHOWN_UNREAD = 5;
const NEAR = 9; // pieces from one word to the other under a bracket
const WEIGHT = "weight, not a reason for a class";
const UNREAD = "forbidden: not read by this model";
const [RAISING, LOWERING] = ["raising the score", "lowering the score"];
const [BLUE, ORANGE] = [PALETTE[1], PALETTE[0]];
const STRUCK = { strength: 0, color: GRAY, line: "solid", speaks: "", tag: "", struck: true };

const UNSHOWABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu;
export const SCORE = "score"; // the target of who asks what raises and lowers the expected score of ordered classes
export const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;

export const showable = (text) => text.replace(UNSHOWABLE, "\ufffd");

export const percent = (probability) => `${(100 * probability).toFixed(1)}%`;

// Three digits, as Python's .3g writes them; with a sign where signs mean something.
export function written(score, signed) {
  if (!Number.isFinite(score)) return "nan"; // JSON knows no infinity
  const [digits, exponent] = Math.abs(score).toExponential(2).split("e").map(Number);
  const size =
    exponent < -4 || exponent >= 3
      ? `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
      : String(Number(Math.abs(score).toPrecision(3)));
  const below = score < 0 || Object.is(score, -0);
  return (below ? "-" : signed ? "+" : "") + size;
}

export const shown = (score, signed) => written(score, signed).replaceAll("-", "−");

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

// What is left of a text when words are dropped, explained by itself: its scores where its words stand in the whole
// text, and none for the dropped words; null if it was cut into other words.
export function inPlace(whole, left, dropped) {
  const kept = whole.words.map((_, i) => i).filter((i) => !dropped.has(i));
  if (kept.length !== left.words.length || kept.some((i, n) => whole.words[i] !== left.words[n])) return null;
  const { text, text_pair, words, spans, segments } = whole;
  const laid = (values, nothing) => {
    const all = words.map(() => nothing);
    kept.forEach((i, n) => { all[i] = values[n]; });
    return all;
  };
  const merged = { ...left, text, text_pair, words, spans, segments, scores: laid(left.scores, NaN) };
  for (const name of ["std_error", "tied", "forbidden_words", "speaks_for"]) {
    if (left[name]) merged[name] = laid(left[name], null);
  }
  const place = ([start, end], segment = 0) =>
    kept[left.spans.findIndex(([s, e], n) => s === start && e === end && (left.segments?.[n] ?? 0) === segment)];
  merged.interactions = left.interactions?.map((pair) =>
    ({ ...pair, spans: pair.spans.map((span, n) => spans[place(span, pair.segments?.[n])]) }));
  return merged;
}

// Positions of the words from the highest score down; ties go to the earlier word.
export const ranking = ({ scores }) => scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);

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
function paintOf({ signed, label, target, labels, against }, names, strength, speaksFor) {
  const paint = { strength: Math.abs(strength), color: GRAY, line: "dotted", speaks: "", tag: "" };
  if (!signed) return paint;
  const name = strength >= 0 ? String(label) : speaksFor;
  paint.line = strength >= 0 ? "solid" : "dashed";
  if (target === SCORE) {
    const [color, speaks] = strength >= 0 ? [BLUE, RAISING] : [ORANGE, LOWERING];
    return { ...paint, color, speaks };
  }
  if (name === null || name === undefined) return { ...paint, speaks: `against ${label}` };
  const number = names.indexOf(name);
  const several = names.length > 2 && (labels === undefined || against !== undefined);
  const tag = several ? tags(names)[number] : "";
  return { ...paint, color: PALETTE[number % PALETTE.length], speaks: `for ${name}`, tag };
}

export const paints = (explanation, names) =>
  strengths(explanation).map((strength, i) => explanation.forbidden_words?.[i]
    ? STRUCK
    : paintOf(explanation, names, strength, explanation.speaks_for?.[i]));

export function meaning({ speaks, struck }) {
  if (struck) return UNREAD;
  if (speaks === RAISING || speaks === LOWERING) return speaks === RAISING ? "raises the score" : "lowers the score";
  return speaks ? `speaks ${speaks}` : WEIGHT;
}

export function styleOf({ strength, color, line }) {
  const opacity = Number((MOST_OPAQUE * strength).toFixed(3));
  const thickness = Math.max(Math.min(Math.floor(3 * strength), 2), line === "dotted" ? 1 : 0);
  const style = { "background-color": `rgba(${color.join()},${opacity})` };
  if (thickness) style["border-bottom"] = `${thickness}px ${line}`;
  return style;
}

// Positions of the strongest words by what they speak for, the strongest class first.
export function strongestByClass(explanation, names) {
  const painting = paints(explanation, names);
  const groups = new Map();
  for (const i of strongest(explanation)) {
    groups.set(painting[i].speaks, [...(groups.get(painting[i].speaks) ?? []), i]);
  }
  return [...groups];
}

// The paint of the class that is explained, then of all others that some word speaks for.
export function legend(explanation, names) {
  const { signed, label, against, speaks_for: speaksFor } = explanation;
  const paint = (strength, name) => paintOf(explanation, names, strength, name);
  if (!signed) return [paint(1, null)];
  if (explanation.target === SCORE) return [paint(1), paint(-1)];
  if (names.length === 2) return [paint(1), paint(-1, names.find((name) => name !== String(label)))];
  if (against !== undefined) return [paint(1), paint(-1, String(against))];
  const strength = strengths(explanation);
  const painted = new Set(speaksFor.filter((_, i) => strength[i] <= -NEGLIGIBLE));
  const others = names.filter((name) => painted.has(name));
  return [paint(1), ...[...others, ...(painted.has(null) ? [null] : [])].map((name) => paint(-1, name))];
}

// Words that act together, with a sentence for each pair.
export function pairsOf(explanation, names) {
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
export function placed(pieces, pairs) {
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
function sums({ signed, scores, base_value: base, label, against, probabilities, target, expected }) {
  if (!signed || base === null || base === undefined) return "";
  const added = scores.reduce((sum, score) => sum + score, 0);
  if (target === SCORE) {
    const line = `Starts at ${base.toFixed(2)}, words add ${added < 0 ? "" : "+"}${added.toFixed(2)}`;
    const end = `${line}, = ${(base + added).toFixed(2)}`;
    return Math.abs(base + added - expected) < 0.005 ? `${end}.` : `${end}; the model says ${expected.toFixed(2)}.`;
  }
  const held = against !== undefined;
  const whole = probabilities[label] - (held ? probabilities[against] : 0);
  const start = held ? `${label} minus ${against}: starts` : "Starts";
  const sign = added < 0 || Object.is(added, -0) ? "" : "+";
  const line = `${start} at ${percent(base)}, words add ${sign}${percent(added)}, = ${percent(base + added)}`;
  return Math.abs(base + added - whole) < 0.0005 ? `${line}.` : `${line}; the model says ${percent(whole)}.`;
}

// What a reader must know about the text as a whole.
export function notes(explanation) {
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
export function runs(explanation) {
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
export function html(explanation, names) {
  const { label, labels, against, probabilities, explainer, scores, signed, words } = explanation;
  const painting = paints(explanation, names);
  const pairs = pairsOf(explanation, names);
  const small = 'style="margin:.4em 0;font-size:.85em"';
  const classes = [label, against]
    .filter((name) => name !== undefined)
    .map((name) => `<strong>${isolated(name)}</strong> ${percent(probabilities[name])}`);
  if (labels && !labels.includes(label)) classes[0] += ", not predicted"; // of several labels a text may have
  const heading = explanation.target === SCORE ? [scored(explanation)] : classes;
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

export function dress(node, paint) {
  for (const [name, value] of Object.entries(styleOf(paint))) node.style.setProperty(name, value);
  if (paint.tag) node.dataset.tag = paint.tag;
}

// The expected score, the ends of its scale, and the class that is predicted.
function scored({ expected, scale, label }) {
  const places = Object.values(scale);
  const range = `on ${Math.min(...places)} to ${Math.max(...places)}, predicted ${escaped(label)}`;
  return `<strong>${isolated(`expected score ${expected.toFixed(2)}`)}</strong> ${range}`;
}

export const expectedScore = (probabilities, scale) =>
  Object.keys(scale).reduce((sum, name) => sum + probabilities[name] * scale[name], 0);

// The class that is predicted: the likeliest or, of classes with places on a scale, their median.
export function predictedClass(probabilities, scale) {
  if (!scale) {
    return Object.keys(probabilities).reduce((best, n) => (probabilities[n] > probabilities[best] ? n : best));
  }
  const names = Object.keys(scale).sort((a, b) => scale[a] - scale[b]);
  let below = 0;
  return names.find((name) => (below += probabilities[name]) >= 0.5) ?? names.at(-1);
}
