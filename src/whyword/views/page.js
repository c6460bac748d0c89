"use strict";
// Sorts and filters the articles of a page of explanations.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form"), main = document.querySelector("main");
  const articles = [...document.querySelectorAll("article")];
  const { order, label, wrong, words, count } = form.elements;
  const labels = [...new Set(articles.map((article) => article.dataset.label))].sort();
  for (const name of labels) label.add(new Option(name || "no label", `=${name}`));
  form.querySelector(".labeled").hidden = !articles.some((article) => article.dataset.wrong);
  articles.forEach((article, place) => { article.place = place; });
  const surer = (one, other) => other.dataset.probability - one.dataset.probability || one.place - other.place;
  const orders = {
    file: (one, other) => one.place - other.place,
    sure: surer,
    unsure: (one, other) => surer(other, one),
  };

  function sort() {
    main.append(...[...articles].sort(orders[order.value]));
  }

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const article of articles) {
      const text = [...article.querySelectorAll(".whyword-text")].map((part) => part.textContent).join(" ");
      const fits = (!label.value || `=${article.dataset.label}` === label.value)
        && (!wrong.checked || article.dataset.wrong === "1")
        && wanted.every((word) => text.toLowerCase().includes(word));
      article.hidden = !fits;
      shown += fits;
    }
    count.value = `${shown.toLocaleString("en")} of ${articles.length.toLocaleString("en")} texts`;
  }

  order.addEventListener("change", sort);
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  sort(); // a browser may keep what was chosen before the page was loaded anew
  filter();
});
