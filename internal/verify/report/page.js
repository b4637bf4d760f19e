'use strict';
const $ = id => document.getElementById(id);
const body = document.querySelector('tbody'), rows = [...body.rows];
const cell = (row, name) => row.querySelector('.' + name).textContent;

function filter() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(w => w), cause = $('cause').value;
  let shown = 0;
  for (const row of rows) {
    const is = name => row.classList.contains(name);
    const fits = !cause || (cause === '!' ? !is('ok') && !is('unsure') : cause === '?' ? is('unsure') : cell(row, 'cause') === cause);
    row.hidden = !fits || !words.every(w => row.textContent.toLowerCase().includes(w));
    if (!row.hidden) shown++;
  }
  $('count').textContent = shown === rows.length ? `${rows.length} targets` : `${shown} of ${rows.length} targets`;
}

// The first click on a title sorts by it, the second one reverses the order, and
// the third one restores the given order.
let by = '', up = false;
const natural = new Intl.Collator(undefined, {numeric: true}).compare;
function sort(name) {
  if (by !== name) { by = name; up = true; } else if (up) up = false; else by = '';
  const order = (a, b) => by === 'ms' ? a.dataset.ms - b.dataset.ms : natural(cell(a, by), cell(b, by));
  const given = (a, b) => a.dataset.index - b.dataset.index;
  body.append(...[...rows].sort((a, b) => (by ? (up ? 1 : -1) * order(a, b) : 0) || given(a, b)));
  for (const th of document.querySelectorAll('th[data-sort]')) {
    th.classList.toggle('sorted', th.dataset.sort === by);
    th.classList.toggle('up', up);
    th.setAttribute('aria-sort', th.dataset.sort !== by ? 'none' : up ? 'ascending' : 'descending');
  }
}

for (const th of document.querySelectorAll('th[data-sort]')) {
  const b = document.createElement('button');
  b.textContent = th.textContent;
  b.onclick = () => sort(th.dataset.sort);
  th.replaceChildren(b);
}
$('search').addEventListener('input', filter);
$('cause').addEventListener('change', filter);
addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('tr.FAIL details')) d.open = true; });
document.addEventListener('keydown', e => {
  if (e.key === '/' && !e.target.matches('input,select') && !e.ctrlKey && !e.metaKey) { e.preventDefault(); $('search').focus(); }
});
$('bar').hidden = false;
filter();
