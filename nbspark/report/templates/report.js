"use strict";
// Everything can be read without this: it sorts the tables, and opens the examples that a link leads to.
document.documentElement.classList.add("js");

const matrix = document.getElementById("matrix");
const order = document.getElementById("order");
if (matrix && order) {
  const body = matrix.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, cells: [...row.cells] }));
  const head = matrix.tHead.rows[0];
  const heads = [...head.cells];
  const squares = heads.filter((cell) => cell.dataset.name !== undefined).length;
  const arrange = () => {
    const by = order.value;
    const places = [...Array(squares).keys()].sort((a, b) => heads[a + 1].dataset[by] - heads[b + 1].dataset[by]);
    const sequence = [0, ...places.map((place) => place + 1)];
    for (let rest = squares + 1; rest < heads.length; rest += 1) sequence.push(rest);
    head.append(...sequence.map((place) => heads[place]));
    for (const { row, cells } of rows) row.append(...sequence.map((place) => cells[place]));
    body.append(...rows.map(({ row }) => row).sort((a, b) => a.dataset[by] - b.dataset[by]));
  };
  order.addEventListener("change", arrange);
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" || (column > 0 && !head.hasAttribute("aria-sort"));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value;
      const compare = (a, b) =>
        column > 0 ? value(a) - value(b) : a.cells[0].textContent.localeCompare(b.cells[0].textContent);
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? -compare(a, b) : compare(a, b)));
      table.tBodies[0].append(...rows);
    });
  });
}

const reveal = () => {
  const target = /^#pair-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
  if (target) {
    for (let one = target; one; one = one.parentElement.closest("details")) one.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus({ preventScroll: true });
  }
};
addEventListener("hashchange", reveal);
reveal();
