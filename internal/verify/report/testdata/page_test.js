// Runs the page's script on a table of three rows, and prints what comes of it
// as JSON. Only the parts of a browser that the script uses are here.
'use strict';
const fs = require('fs'), vm = require('vm');

const classes = (...names) => {
  const all = new Set(names);
  return {contains: n => all.has(n), toggle: (n, on) => { on ? all.add(n) : all.delete(n); }};
};
function row(index, host, status, cause, ms) {
  return {
    dataset: {index, ms}, hidden: false, classList: classes(status), textContent: `${host} ${status} ${cause}`,
    querySelector: name => ({textContent: {'.host': host, '.cause': cause}[name]}),
  };
}
const element = fields => ({listeners: {}, addEventListener(event, f) { this.listeners[event] = f; }, hidden: true, value: '', ...fields});
const rows = [row(0, 'web-10', 'FAIL', 'auth', '5'), row(1, 'web-9', 'ok', '', '40'), row(2, 'Web-11', 'FAIL', 'connect', '100')];
let shown = rows;
const ids = {search: element(), cause: element(), count: element(), bar: element()};
const titles = ['host', 'cause', 'ms'].map(sort => ({
  dataset: {sort}, classList: classes(), textContent: sort, aria: '',
  replaceChildren(button) { this.button = button; }, setAttribute(_, value) { this.aria = value; },
}));
vm.runInNewContext(fs.readFileSync(process.argv[2], 'utf8'), {
  Intl, addEventListener() {},
  document: {
    getElementById: id => ids[id], createElement: () => ({}), addEventListener() {},
    querySelector: () => ({rows, append: (...all) => { shown = all; }}), querySelectorAll: () => titles,
  },
});

const seen = () => shown.filter(r => !r.hidden).map(r => r.textContent.split(' ')[0]).join(' ') + ' | ' + ids.count.textContent;
const results = {begin: seen(), bar: ids.bar.hidden};
for (const title of titles) {
  for (const time of [1, 2, 3]) {
    title.button.onclick();
    results[`${title.dataset.sort} ${time}`] = seen() + ' | ' + title.aria;
  }
}
for (const [words, cause] of [['WEB-1', ''], ['fail auth', ''], ['', '!'], ['', 'connect'], ['web-9', '!'], ['', ''], ['', '?'], ['9', '!']]) {
  if (cause === '?') { rows[1].classList.toggle('ok', false); rows[1].classList.toggle('unsure', true); }
  ids.search.value = words; ids.search.listeners.input();
  ids.cause.value = cause; ids.cause.listeners.change();
  results[`search "${words}" cause "${cause}"`] = seen();
}
console.log(JSON.stringify(results));
