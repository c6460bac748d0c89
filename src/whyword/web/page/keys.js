// Walking from word to word with the keys: a passage is one stop of the Tab key.

export const wordAt = (node) => node.closest(".word");

const STEPS = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"];
export const isStep = (key) => STEPS.includes(key);

// The word that a key leads to from another of its passage; undefined at the end of the way.
export function stepFrom(word, key) {
  const passage = word.closest(".words");
  const words = [...passage.querySelectorAll(".word")];
  const here = words.indexOf(word);
  const onward = getComputedStyle(passage).direction === "rtl" ? -1 : 1;
  return {
    ArrowRight: () => words[here + onward],
    ArrowLeft: () => words[here - onward],
    ArrowDown: () => nearest(word, words.slice(here + 1)),
    ArrowUp: () => nearest(word, words.slice(0, here)),
    Home: () => words[0],
    End: () => words.at(-1),
  }[key]();
}

export function moveTo(word, next) {
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
