'use strict';
// Everything from the recording goes to the page as text (textContent), never
// as markup.
const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const rows = data.rows;
const at = new Map(rows.map((r, i) => [r.i, i])); // number of a row: index in rows
const entries = new Map(rows.map((r, i) => [r.n, i])); // number of an entry: the same
const HEIGHT = 22, HEX = 16384, DEEP = 1 << 20;

function el(name, cls, text) {
  const e = document.createElement(name);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
}

// visible escapes control characters, and characters that reorder or hide text.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
const visible = s => s.replace(hidden, c => '\\u{' + c.codePointAt(0).toString(16) + '}');
const clip = (s, most) => s.length > most ? s.slice(0, most - 1) + '…' : s;

const lane = r => ({stdin: 'out', stdout: 'in', stderr: 'err'})[r.k] || 'event';
const arrow = {out: '→', in: '←', err: 'E', event: '•'};
const time = us => (us / 1e6).toFixed(6);
function took(us) {
  if (us === undefined) return '';
  if (us < 1000) return us + ' µs';
  return us < 1e6 ? (us / 1000).toPrecision(3) + ' ms' : (us / 1e6).toFixed(2) + ' s';
}
const number = n => n.toLocaleString('en');
const plural = (n, what) => `${number(n)} ${what}${n === 1 ? '' : 's'}`;
function size(n) {
  return n < 1024 ? String(n || '') : n < 1048576 ? (n / 1024).toFixed(1) + ' K' : (n / 1048576).toFixed(1) + ' M';
}
function bytes(r) {
  if (r.x64 === undefined) return new TextEncoder().encode(r.x || '');
  return Uint8Array.from(atob(r.x64), c => c.charCodeAt(0));
}
const text = r => r.x64 === undefined ? r.x || '' : new TextDecoder().decode(bytes(r));

// What a row is.
const partner = r => r.p && at.has(r.p - 1) ? rows[at.get(r.p - 1)] : undefined;
const isResponse = r => r.m === 'response' || r.m === 'error';
// requestOf returns the index of the request of a row, or else of the row itself.
const requestOf = i => isResponse(rows[i]) && partner(rows[i]) ? at.get(partner(rows[i]).i) : i;
const isNoise = r => r.k === 'stdout' && (r.m === 'not-json' || r.m === 'other');
const isBad = r => Boolean(r.f);
const isUnanswered = r => isBad(r) && (r.m === 'request' || r.m === 'batch') && ['pending', 'lost', 'timed-out'].includes(r.st);
const methodOf = r => r.m === 'request' || r.m === 'notification' ? r.w : isResponse(r) ? r.w.replace(/^(result|error) /, '') : '';
const toolOf = r => r.tl || (isResponse(r) && partner(r) || r).tl;

// callOf returns the method or the tool of a request or response, and the arguments.
function callOf(r) {
  const request = isResponse(r) ? partner(r) : r;
  const call = request ? request.d || '' : r.q || '', method = methodOf(r);
  return method === 'tools/call' && call ? call : (method + ' ' + call).trim();
}
// parts returns what the row shows: a label, a call, and a text.
function parts(r) {
  if (isResponse(r)) return [r.e ? 'error' : 'result', callOf(r), (r.d || '').replace(/^failed: /, '')];
  if (isNoise(r)) return ['not a message', '', r.w];
  return [r.w, r.d || '', ''];
}
const what = r => parts(r).filter(p => p).map(visible).join('  ');

// The list: only visible rows have elements.
let shown = [], current = -1, only; // only is a group of failures
for (const [cls, name] of [['r', 'entry'], ['r', 'at (s)'], ['', ''], ['', 'what'], ['', 'id'], ['r', 'took'], ['r', 'bytes']]) $('head').append(el('span', cls, name));

function lower(r) {
  return r.low === undefined ? r.low = (what(r) + '\n' + (r.id || '') + '\n' + text(r)).toLowerCase() : r.low;
}
const states = {failed: r => Boolean(r.e) && r.m !== 'request', unanswered: isUnanswered, noise: isNoise};
// matcher returns the test of a word of the search: "#12", "id:7", "tool:echo",
// "is:unanswered", ">100ms", or a text.
function matcher(word) {
  if (/^#n?\d+$/.test(word)) return r => r.n === Number(word.replace(/\D/g, ''));
  if (word.startsWith('id:')) return r => (r.id || '').replace(/^"|"$/g, '').toLowerCase() === word.slice(3).replace(/^"|"$/g, '');
  if (word.startsWith('tool:')) return r => (toolOf(r) || '').toLowerCase() === word.slice(5);
  if (word.startsWith('is:') && Object.hasOwn(states, word.slice(3))) return states[word.slice(3)];
  const [, least, unit] = /^>([\d.]+)(µs|us|ms|s)$/.exec(word) || [];
  if (unit) return r => r.l > least * ({s: 1e6, ms: 1e3}[unit] || 1);
  return r => lower(r).includes(word);
}
function filter() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(w => w).map(matcher), errors = $('errors').checked;
  const [, kind, name] = /^(.)(.*)$/s.exec($('method').value) || [];
  const lanes = new Set([...document.querySelectorAll('[data-lane]')].filter(b => b.checked).map(b => b.dataset.lane));
  const fits = r => !kind || (kind === 'm' ? methodOf(r) === name : toolOf(r) === name);
  shown = [];
  rows.forEach((r, i) => {
    if (lanes.has(lane(r)) && (!errors || isBad(r)) && (!only || r.groups?.has(only)) && fits(r) && words.every(w => w(r))) shown.push(i);
  });
  $('space').style.height = shown.length * HEIGHT + 'px';
  $('count').textContent = shown.length === rows.length ? plural(rows.length, 'entry').replace('entrys', 'entries') : `${number(shown.length)} of ${number(rows.length)} entries`;
  $('clear').hidden = shown.length === rows.length;
  $('only').hidden = !only;
  $('only').textContent = only ? clip(visible(only.text), 30) + ' ✕' : '';
  none();
  for (const row of document.querySelectorAll('#tools tbody tr')) row.classList.toggle('sel', $('method').value === 't' + row.dataset.tool);
  paint();
  if (!$('waterfall').hidden) drawWaterfall();
  address();
}
function none() {
  $('none').hidden = shown.length > 0;
  if (shown.length) return;
  const b = el('button', '', 'show all entries');
  b.onclick = reset;
  $('none').replaceChildren(!rows.length ? 'This page has no entries.' : $('search').value ? `No entry has "${visible($('search').value)}" in its row, id or text, with the filters above. ` : 'No entry passes the filters above. ', rows.length ? b : '');
}
const isWide = r => !['out', 'in'].includes(lane(r)) || isNoise(r);

function line(i) {
  const r = rows[i], l = lane(r), e = el('div', 'row ' + l + (isBad(r) ? ' bad' : '') + (isWide(r) ? ' wide' : '') + (i === current ? ' sel' : ''));
  if (current >= 0 && rows[current].p === r.i + 1) e.classList.add('mate');
  e.dataset.i = i;
  e.setAttribute('role', 'row');
  if (i === current) e.setAttribute('aria-selected', 'true');
  const [label, call, said] = parts(r).map(visible), cell = el('span', '');
  cell.append(el('span', isBad(r) ? '' : 'hint', label));
  if (r.e && said) cell.append('  ', el('b', '', clip(said, 120)), '  ', call); // what is cut off are the arguments
  else cell.append(call ? '  ' + (said ? clip(call, 48) : call) : '', said && call ? '  → ' : '  ', el('span', isBad(r) ? '' : 'hint', said));
  const cells = [el('span', 'r', r.n), el('span', 'r', time(r.t).slice(0, -3)), el('span', '', arrow[l]), cell];
  if (!isWide(r)) cells.push(el('span', '', visible(r.id || '')), el('span', 'r', isUnanswered(r) ? 'no response' : took(r.l)));
  cells.push(el('span', 'r', size(r.b)));
  for (const c of cells) { c.setAttribute('role', 'gridcell'); e.append(c); }
  return e;
}
function paint(all) {
  const list = $('list'), from = all ? 0 : Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 10);
  const to = Math.min(shown.length, all ? 5000 : from + Math.ceil(list.clientHeight / HEIGHT) + 20);
  $('rows').style.transform = `translateY(${from * HEIGHT}px)`;
  $('rows').replaceChildren(...shown.slice(from, to).map(line));
}
function reset() {
  $('search').value = $('method').value = '';
  $('errors').checked = false;
  only = undefined;
  for (const b of document.querySelectorAll('[data-lane]')) b.checked = true;
  filter();
}
function clear() {
  reset();
  if (current >= 0) choose(current);
}
function reveal() {
  const list = $('list'), y = shown.indexOf(current) * HEIGHT, room = list.clientHeight - HEIGHT * 2;
  if (y < list.scrollTop || y > list.scrollTop + room) list.scrollTop = Math.max(0, y - room / 2);
}
// choose selects the row at an index.
function choose(i) {
  current = i;
  $('now').style.left = share(rows[i].t);
  if (!shown.includes(i)) reset();
  reveal();
  paint();
  detail();
  showGroup(rows[i]);
  if (!$('waterfall').hidden) drawWaterfall(true);
  address();
}
function move(by) {
  if (!shown.length) return;
  const i = shown.indexOf(current);
  choose(shown[i < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, i + by))]);
}
// fail goes to the next failure: of a failed call, to its response.
function fail(by) {
  const bad = shown.filter(i => isBad(rows[i]) && !(rows[i].m === 'request' && rows[i].e && partner(rows[i])));
  const next = by > 0 ? bad.find(i => i > current) : bad.findLast(i => i < current || current < 0);
  if (bad.length) choose(next ?? bad.at(by > 0 ? 0 : -1));
}
// The address names the entry, the tab and the filters: "#n4514&waterfall&filter=is:failed".
let followed = false; // not before: it must not be lost
function hash() {
  const parts = [], [kind, ...name] = $('method').value, off = [...document.querySelectorAll('[data-lane]')].filter(b => !b.checked).map(b => b.dataset.lane);
  const add = (name, value) => { if (value) parts.push(name + '=' + encodeURIComponent(value).replace(/%20/g, '+').replace(/%3A/g, ':').replace(/%2F/g, '/').replace(/%2C/g, ',')); };
  if (current >= 0 && shown.includes(current)) parts.push('n' + rows[current].n); // an entry that is hidden would clear the filters
  if (open !== 'overview') parts.push(open);
  add('filter', $('search').value);
  add(kind === 't' ? 'tool' : 'method', name.join(''));
  if ($('errors').checked) parts.push('errors');
  add('hide', off.join());
  if (only) add('group', String(groups.indexOf(only) + 1));
  return '#' + parts.join('&');
}
// address updates the address, which a browser may refuse to do often.
function address() {
  const to = hash();
  if (!followed || to === (location.hash || '#')) return;
  try { history.replaceState(null, '', to); } catch { location.replace(to); }
}
// follow goes where the address says. One without filters keeps them.
function follow() {
  const to = new URLSearchParams(location.hash.slice(1)), [, n] = /^n?(\d+)$/.exec([...to.keys()].find(k => /^n?\d+$/.test(k))) || [];
  if (!followed || ['filter', 'tool', 'method', 'errors', 'hide', 'group'].some(k => to.has(k))) {
    $('search').value = to.get('filter') || '';
    $('method').value = to.has('tool') ? 't' + to.get('tool') : to.has('method') ? 'm' + to.get('method') : '';
    $('errors').checked = to.has('errors');
    for (const b of document.querySelectorAll('[data-lane]')) b.checked = !(to.get('hide') || '').split(',').includes(b.dataset.lane);
    only = groups[to.get('group') - 1];
    filter();
  }
  for (const b of $('tabs').children) if (to.has(b.getAttribute('aria-controls'))) tab(b.getAttribute('aria-controls'));
  if (n === undefined && !followed) start();
  followed = true;
  if (n === undefined) return address();
  if (entries.has(Number(n))) return choose(entries.get(Number(n)));
  current = -1;
  paint();
  $('detail').replaceChildren(el('h2', 'bad', `Entry ${n} is not on this page.`), el('p', 'hint', data.left ? `The page omits ${number(data.left)} entries. To see it: mcpdbg rec export FILE --from ${n} --to ${n} -o entry.html` : 'The recording may have it; this page was made of a part.'));
}

// start selects the first call that failed or has no response, or else the first entry.
function start() {
  const at = shown.find(i => groups.some(g => isCall(g) && rows[i].groups?.has(g))) ?? shown[0];
  if (at !== undefined) choose(at);
}

// found goes to the entry whose number was searched, or to the first match.
function found() {
  const n = Number($('search').value.trim().replace(/^#?n?/, '') || NaN);
  if (entries.has(n)) choose(entries.get(n));
  else if (shown.length && !shown.includes(current)) choose(shown[0]);
}

// Keys and events.
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.matches('input,select')) {
    if (e.key === 'Escape' || e.key === 'Enter' && e.target === $('search')) $('list').focus();
    if (e.key === 'Enter' && e.target === $('search')) found();
    return;
  }
  const page = Math.max(1, Math.floor($('list').clientHeight / HEIGHT) - 3);
  const keys = {
    ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page),
    Home: () => move(-rows.length), End: () => move(rows.length), '/': () => $('search').focus(), e: () => fail(1), E: () => fail(-1),
    p: () => { if (current >= 0 && partner(rows[current])) choose(at.get(rows[current].p - 1)); },
    c: clear, 1: () => look('json'), 2: () => look('raw'), 3: () => look('hex'),
  };
  const scrolls = $('detail').contains(e.target) && e.key.length > 1 || e.target.matches('[role=tab]') && e.key.startsWith('Arrow');
  if (keys[e.key] && !scrolls) { e.preventDefault(); keys[e.key](); }
});
$('rows').addEventListener('click', e => { const r = e.target.closest('.row'); if (r) choose(Number(r.dataset.i)); });
$('list').addEventListener('scroll', () => requestAnimationFrame(() => paint()));
new ResizeObserver(() => paint()).observe($('list'));
addEventListener('beforeprint', () => paint(true));
addEventListener('afterprint', () => paint());
addEventListener('hashchange', follow);
$('search').addEventListener('input', filter);
$('only').addEventListener('click', () => { only = undefined; filter(); });
$('clear').addEventListener('click', clear);
$('next').addEventListener('click', () => fail(1));
$('link').addEventListener('click', () => copy(location.href.split('#')[0] + hash(), $('link')));
for (const b of document.querySelectorAll('#bar select,[type=checkbox]')) b.addEventListener('change', filter);
