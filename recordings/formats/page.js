'use strict';
// Everything from the recording goes to the page as text (textContent), never
// as markup.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const rows = data.rows;
const at = new Map(rows.map((r, i) => [r.i, i])); // number of a row: index in rows
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

const lane = r => ({stdin: 'out', stdout: 'in', stderr: 'err'})[r.k] || 'event';
const arrow = {out: '→', in: '←', err: 'E', event: '•'};
const time = us => (us / 1e6).toFixed(6);
function took(us) {
  if (us === undefined) return '';
  if (us < 1000) return us + ' µs';
  return us < 1e6 ? (us / 1000).toPrecision(3) + ' ms' : (us / 1e6).toFixed(2) + ' s';
}
function size(n) {
  return n < 1024 ? String(n || '') : n < 1048576 ? (n / 1024).toFixed(1) + ' K' : (n / 1048576).toFixed(1) + ' M';
}
function bytes(r) {
  if (r.x64 === undefined) return new TextEncoder().encode(r.x || '');
  return Uint8Array.from(atob(r.x64), c => c.charCodeAt(0));
}
const text = r => r.x64 === undefined ? r.x || '' : new TextDecoder().decode(bytes(r));

// The header.
function facts() {
  for (const [what, value] of data.facts.rows) $('facts').append(el('dt', '', what), el('dd', '', visible(value)));
  const list = (all, into) => {
    for (const f of all) {
      const li = el('li', f.severity), said = visible(f.text);
      if (at.has(f.row)) {
        const b = el('button', 'link', said);
        b.onclick = () => { reset(); choose(f.row); };
        li.append(b);
      } else li.append(said);
      if (f.try) li.append(el('span', 'try', ' – ' + visible(f.try)));
      into.append(li);
    }
  };
  const {verdicts, findings, more} = data.facts;
  if (verdicts.length) { $('wrong').hidden = false; list(verdicts, $('wrong').querySelector('ul')); }
  if (findings.length) {
    $('findings').hidden = false;
    $('findings').querySelector('summary').textContent = `Problems: ${findings.length + more}`;
    list(findings, $('findings').querySelector('ul'));
    if (more) $('findings').append(el('p', 'hint', `${more} more are not on this page.`));
  }
  if (data.left) {
    $('left').hidden = false;
    $('left').textContent = `${data.left} more entries of the recording are not on this page, which holds the first ${rows.length}.`;
  }
}

// The list: only visible rows have elements.
let shown = [], current = -1;
for (const [cls, name] of [['r', 'entry'], ['r', 'seconds'], ['', ''], ['', 'what'], ['', 'id'], ['r', 'took'], ['r', 'bytes']]) $('head').append(el('span', cls, name));

function lower(r) {
  return r.low === undefined ? r.low = (r.w + '\n' + (r.d || '') + '\n' + (r.id || '') + '\n' + text(r)).toLowerCase() : r.low;
}
function filter() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(w => w), method = $('method').value, errors = $('errors').checked;
  const lanes = new Set([...document.querySelectorAll('[data-lane]')].filter(b => b.checked).map(b => b.dataset.lane));
  shown = [];
  rows.forEach((r, i) => {
    if (lanes.has(lane(r)) && (!errors || r.e || r.st === 'lost' || r.st === 'timed-out' || r.st === 'orphan') && (!method || methodOf(r) === method) && words.every(w => lower(r).includes(w))) shown.push(i);
  });
  $('space').style.height = shown.length * HEIGHT + 'px';
  $('count').textContent = shown.length === rows.length ? `${rows.length} entries` : `${shown.length} of ${rows.length} entries`;
  paint();
}
const methodOf = r => r.m === 'request' || r.m === 'notification' ? r.w : r.m === 'response' || r.m === 'error' ? r.w.replace(/^(result|error) /, '') : '';
const what = r => visible(r.w) + (r.d ? '  ' + visible(r.d) : '');

function line(i) {
  const r = rows[i], l = lane(r), e = el('div', 'row ' + l + (r.e ? ' bad' : '') + (i === current ? ' sel' : ''));
  if (current >= 0 && rows[current].p === r.i + 1) e.classList.add('mate');
  e.dataset.i = i;
  e.setAttribute('role', 'row');
  if (i === current) e.setAttribute('aria-selected', 'true');
  const cells = [['r', r.n], ['r', time(r.t)], ['', arrow[l]], ['', what(r)]];
  if (l === 'out' || l === 'in') cells.push(['', visible(r.id || '')], ['r', took(r.l)]);
  cells.push(['r', size(r.b)]);
  for (const [cls, value] of cells) { const c = el('span', cls, value); c.setAttribute('role', 'gridcell'); e.append(c); }
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
  for (const b of document.querySelectorAll('[data-lane]')) b.checked = true;
  filter();
}
function reveal() {
  const list = $('list'), y = shown.indexOf(current) * HEIGHT, room = list.clientHeight - HEIGHT * 2;
  if (y < list.scrollTop) list.scrollTop = y;
  else if (y > list.scrollTop + room) list.scrollTop = y - room;
}
function choose(row) {
  current = at.has(row) ? at.get(row) : -1;
  if (current >= 0 && !shown.includes(current)) reset();
  reveal();
  paint();
  detail();
}
function move(by) {
  if (!shown.length) return;
  const i = shown.indexOf(current);
  const to = i < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, i + by));
  choose(rows[shown[to]].i);
}

// The selected message.
let view = 'json';
function detail() {
  const d = $('detail'), r = rows[current];
  d.replaceChildren();
  if (!r) return;
  d.append(el('h2', r.e ? 'bad' : '', `${r.n}  ${arrow[lane(r)]}  ${what(r)}`));
  const facts = [[r.m, r.k], ['id', r.id], ['state', r.st], ['sequence', r.s], ['took', took(r.l)], ['waited for the client', took(r.y)], ['bytes', r.b]].filter(f => f[1]);
  d.append(el('p', 'hint', `${time(r.t)} s; ` + facts.map(f => `${f[0] || ''} ${visible(String(f[1]))}`.trim()).join('; ')));
  if (r.p && at.has(r.p - 1)) {
    const b = el('button', 'go', `go to ${r.m === 'request' ? 'response' : 'request'} (p)`);
    b.onclick = () => choose(r.p - 1);
    d.append(b);
  }
  const tabs = el('div', 'tabs');
  for (const [key, name, label] of [['1', 'json', 'JSON'], ['2', 'raw', 'raw'], ['3', 'hex', 'hex']]) {
    const b = el('button', '', `${label} (${key})`);
    b.setAttribute('aria-pressed', String(view === name));
    b.onclick = () => { view = name; detail(); };
    tabs.append(b);
  }
  d.append(tabs, body(r));
  if (r.c) d.append(el('p', 'hint', `Only the beginning of ${r.b} bytes is on this page.`));
}
function body(r) {
  if (view === 'hex') return hex(bytes(r));
  const s = text(r);
  if (view === 'json' && s.length < DEEP) {
    const p = pretty(s);
    if (p) return p;
  }
  return el('pre', '', visible(s));
}

// pretty indents JSON by its tokens, so that numbers, escapes and duplicate
// keys stay as they were sent; null if it is not JSON.
function pretty(s) {
  try { const v = JSON.parse(s); if (v === null || typeof v !== 'object') return null; } catch { return null; }
  const pre = el('pre'), token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
  let depth = 0, plain = '', m, last = '';
  const flush = () => { if (plain) pre.append(plain); plain = ''; };
  const newline = () => { plain += '\n' + '  '.repeat(Math.min(depth, 100)); };
  while ((m = token.exec(s))) {
    const t = m[0];
    if (t === '{' || t === '[') {
      if (last === '{' || last === '[' || last === ',') newline();
      plain += t; depth++;
    } else if (t === '}' || t === ']') {
      depth--;
      if (last !== '{' && last !== '[') newline();
      plain += t;
    } else if (t === ',') plain += t;
    else if (t === ':') plain += ': ';
    else {
      if (last === '{' || last === '[' || last === ',') newline();
      flush();
      const key = t[0] === '"' && /^\s*:/.test(s.slice(token.lastIndex, token.lastIndex + 8));
      pre.append(el('span', key ? 'jk' : t[0] === '"' ? 'js' : 'jn', visible(t)));
    }
    last = t;
  }
  flush();
  return pre;
}
function hex(b) {
  const out = [];
  for (let i = 0; i < Math.min(b.length, HEX); i += 16) {
    const part = [...b.subarray(i, Math.min(i + 16, HEX))];
    out.push(i.toString(16).padStart(6, '0') + '  ' + part.map(c => c.toString(16).padStart(2, '0')).join(' ').padEnd(48) + ' ' +
      part.map(c => c > 31 && c < 127 ? String.fromCharCode(c) : '.').join(''));
  }
  if (b.length > HEX) out.push(`… ${b.length - HEX} more bytes`);
  return el('pre', 'hex', out.join('\n'));
}

// Keys and events.
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.matches('input,select')) {
    if (e.key === 'Escape' || e.key === 'Enter' && e.target === $('search')) $('list').focus();
    return;
  }
  const page = Math.max(1, Math.floor($('list').clientHeight / HEIGHT) - 3);
  const keys = {
    ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page),
    Home: () => move(-rows.length), End: () => move(rows.length), '/': () => $('search').focus(),
    p: () => { const r = rows[current]; if (r && r.p) choose(r.p - 1); },
    1: () => { view = 'json'; detail(); }, 2: () => { view = 'raw'; detail(); }, 3: () => { view = 'hex'; detail(); },
  };
  const scrolls = $('detail').contains(e.target) && e.key.length > 1;
  if (keys[e.key] && !scrolls) { e.preventDefault(); keys[e.key](); }
});
$('rows').addEventListener('click', e => { const r = e.target.closest('.row'); if (r) choose(rows[r.dataset.i].i); });
$('list').addEventListener('scroll', () => requestAnimationFrame(() => paint()));
addEventListener('resize', () => paint());
addEventListener('beforeprint', () => paint(true));
addEventListener('afterprint', () => paint());
$('search').addEventListener('input', filter);
for (const b of document.querySelectorAll('select,[type=checkbox]')) b.addEventListener('change', filter);

for (const m of [...new Set(rows.map(methodOf))].filter(m => m).sort().slice(0, 500)) { const o = el('option', '', visible(m)); o.value = m; $('method').append(o); }
facts();
filter();
$('list').focus();
