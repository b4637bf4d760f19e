// The parts above the list.
const link = (i, name) => { const a = el('a', '', name); a.href = '#n' + rows[i].n; a.title = clip(what(rows[i]), 300); return a; };

function remarks(all, into) {
  for (const f of all) {
    const li = el('li', f.severity), said = visible(f.text);
    li.append(at.has(f.row) ? button('link', said, () => choose(at.get(f.row))) : said);
    if (f.evidence) li.append(el('span', 'hint', ' – ' + visible(f.evidence.join('; '))));
    if (f.try) li.append(el('span', 'try', ' – ' + visible(f.try)));
    into.append(li);
  }
}
function facts() {
  const f = data.facts;
  for (const [what, value] of f.rows) $('facts').append(el('dt', '', what), el('dd', '', visible(value)));
  const fact = name => f.rows.filter(r => r[0] === name).map(r => visible(r[1])).join(', ');
  const hello = rows.find(r => isResponse(r) && methodOf(r) === 'initialize' && !r.e);
  $('of').textContent = [fact('server') || visible(hello && hello.d || '') || clip(fact('command'), 120), fact('client') && 'client ' + fact('client'), fact('recorded')].filter(s => s).join(' · ');
  const causes = f.verdicts.filter(v => !v.failure && !groupOf(v)); // the failures have a list of their own
  for (const v of f.verdicts.filter(v => !v.failure)) {
    const g = groupOf(v);
    g?.evidence.push(v.text, ...v.try && g.rank === 2 ? [v.try] : []);
  }
  if (causes.length) { $('wrong').hidden = false; remarks(causes, $('wrong').querySelector('ul')); }
  if (causes.length && data.failures.length) $('wrong').querySelector('h2').textContent = 'Other likely causes';
  remarks(f.findings, $('problems').querySelector('ul'));
  if (f.more) $('problems').append(el('p', 'hint', `${plural(f.more, 'more problem')}: see mcpdbg rec info.`));
  if (!f.findings.length) $('problems').append(el('p', 'hint', 'No problems detected.'));
  if (data.omitted) { $('left').hidden = false; $('left').textContent = data.omitted; }
}

// groupOf returns the group that lists the row of a cause: calls without a response, or stray lines.
const groupOf = cause => groups.find(g => g.rank && at.has(cause.row) && g.rows.includes(at.get(cause.row)));

// likeness is equal for messages that differ only in words with digits, as in data.failures.
function likeness(text) {
  const [code] = /^-?\d+: /.exec(text) || [''];
  return code + text.slice(code.length).replace(/[\p{L}\p{Nd}]*\p{Nd}[\p{L}\p{Nd}]*/gu, '…');
}
// errorsOf returns the messages of the failures in a response or batch.
function errorsOf(r) {
  if (r.m !== 'batch') return [parts(r)[2]];
  try {
    return JSON.parse(text(r)).flatMap(m => m?.error ? [`${m.error.code}: ${m.error.message}`] : m?.result?.isError ? [String(m.result.content?.[0]?.text ?? '')] : []);
  } catch { return []; }
}
// groupsOf adds the rows on the page to the groups of failures.
function groupsOf() {
  const group = (rank, text, count, evidence) => ({rank, text, count, evidence: evidence || [], rows: [], calls: new Map()}); // ranks: failed, no response, stray
  const lost = group(1, 'no response', data.unanswered, data.why), noise = group(2, 'line on stdout that is not a message', data.stray);
  const failed = data.failures.map((f, i) => ({...group(0, f.message, f.count, f.evidence), number: i + 1})), like = new Map(failed.map(g => [likeness(g.text), g]));
  rows.forEach((r, i) => {
    if (!isBad(r)) return;
    const name = toolOf(r) || methodOf(r);
    r.groups = new Set(isNoise(r) ? [noise] : r.e && r.m !== 'request' ? errorsOf(r).map(s => like.get(likeness(s)) || like.get('further messages')) : []);
    if (isUnanswered(r)) r.groups.add(lost);
    for (const g of r.groups) {
      if (!g) continue;
      g.rows.push(i);
      if (name) g.calls.set(name, (g.calls.get(name) || 0) + 1);
    }
  });
  return [...failed, lost, noise].filter(g => g.count);
}
const groups = groupsOf(), earliest = groups.find(g => g.number && g.number === data.first), isCall = g => g.rank < 2, FEW = 5; // messages that are listed at first

// showGroup scrolls the overview to the group of a row, and marks it.
function showGroup(r) {
  const g = groups.find(g => isCall(g) && (r.groups?.has(g) || partner(r)?.groups?.has(g)));
  for (const o of groups) o.li?.classList.toggle('sel', o === g);
  if (!g || open !== 'overview') return;
  if (g.li.hidden) $('failures').querySelector('.rest').click();
  const panel = $('panel').getBoundingClientRect(), box = g.li.getBoundingClientRect();
  if (box.bottom > panel.bottom || box.top < panel.top) $('panel').scrollTop += box.top - panel.top - 4;
}

// list lists the rows of a group, and selects one of them.
function list(g, i) { reset(); only = g; filter(); choose(g.rows.includes(i) ? i : g.rows[0]); }
// failures lists the groups: message, tools, and the first calls. Stray lines come last.
function failures() {
  const ul = $('failures').querySelector('ul'), late = groups.filter(isCall).slice(FEW), hide = late.length > 1;
  $('failures').querySelector('h2').textContent = groups.length ? 'Failures, the most frequent first' : 'No failed or unanswered call, and no stray line.';
  for (const g of groups) {
    const li = el('li'), said = el('span', 'said'), more = el('span', 'calls'), names = [...g.calls].sort(([, a], [, b]) => b - a).map(([name, n]) => `${clip(name, 40)} ${number(n)}`), stray = g.rank === 2;
    said.append(el(stray ? 'span' : 'b', '', clip(visible(g.text), 120)), el('span', 'hint', '  ' + visible(names.slice(0, 5).join(', ')) + (names.length > 5 ? ', …' : '')));
    li.append(el('b', stray ? 'hint' : 'bad', number(g.count) + '×'), said);
    if (g.rows.length) li.append(button('link', g.count === 1 ? 'list' : g.rows.length >= g.count ? `list all ${number(g.count)}` : `list ${number(g.rows.length)} of ${number(g.count)}`, () => list(g)));
    else li.append(el('span', 'hint', 'not on this page'));
    for (const i of g.rows.slice(0, 6).map(requestOf)) more.append(link(i, `#n${rows[i].n} ${clip(visible(callOf(rows[i]) || rows[i].w), 80)}`));
    if (g.evidence.length) li.append(el('span', 'why', visible(g.evidence.join('; '))));
    li.append(more);
    g.li = li;
    if (g === earliest && groups.length > 1) said.append(' ', el('span', 'first', 'first failure'));
    li.hidden = hide && late.includes(g);
    ul.append(li);
    if (hide && g === late.at(-1)) {
      const rest = el('li');
      rest.append(el('b'), button('link rest', `${number(late.length)} more messages`, () => { for (const li of ul.children) li.hidden = li === rest; }));
      ul.append(rest);
    }
  }
}

// The table of the tools.
const columns = [['tool', 'tool'], ['requests', 'calls'], ['errors', 'failed'], ['unanswered', 'unanswered'], ['p50_us', 'p50'], ['p95_us', 'p95'], ['max_us', 'max']];
const slowest = new Map(); // calls on the page, by tool
for (const c of calls) if (c.r.tl && c.r.l > (slowest.get(c.r.tl)?.l ?? -1)) slowest.set(c.r.tl, {i: c.i, l: c.r.l});
const slower = t => data.slower.find(s => s.tool === t.tool);
// spark draws the median times of a tool, from its first call to its last one.
const WIDE = 100, HIGH = 16;
function spark(t) {
  const td = el('td', 'spark');
  if (!t.medians) return td;
  const e = $('spark').cloneNode(true), wide = WIDE / t.medians.length, top = Math.max(...t.medians), most = Math.max(top, 2 * t.p50_us, 1), slow = slower(t);
  const isSlow = us => Boolean(slow) && us * us > slow.p50_before_us * slow.p50_slow_us;
  const bar = (us, i) => { const h = Math.max(us / most * HIGH, 1).toFixed(1); return `M${(i * wide).toFixed(1)} ${HIGH}v-${h}h${(wide - 0.5).toFixed(1)}v${h}z`; };
  const path = slow => t.medians.map((us, i) => isSlow(us) === slow ? bar(us, i) : '').join('');
  e.removeAttribute('id');
  e.children[0].textContent = `median times from the first call to the last: ${t.medians.map(took).join(', ')}`;
  e.children[1].setAttribute('d', path(false));
  e.children[2].setAttribute('d', path(true));
  td.append(e);
  return td;
}
let sorted = {by: 'requests', down: true};
function tools() {
  const all = data.tools.slice(), head = $('tools').querySelector('tr'), sign = sorted.down ? -1 : 1;
  $('tools').hidden = !all.length;
  all.sort((a, b) => sorted.by === 'tool' ? sign * (a.tool < b.tool ? -1 : 1) : sign * ((a[sorted.by] ?? -1) - (b[sorted.by] ?? -1)) || (a.tool < b.tool ? -1 : 1));
  head.replaceChildren(...columns.map(([key, name]) => {
    const th = el('th');
    th.setAttribute('aria-sort', key !== sorted.by ? 'none' : sorted.down ? 'descending' : 'ascending');
    th.append(button('link', name + (key !== sorted.by ? '' : sorted.down ? ' ↓' : ' ↑'), () => { sorted = {by: key, down: key === sorted.by ? !sorted.down : key !== 'tool'}; tools(); }));
    return th;
  }), el('th', '', 'over time'));
  $('tools').querySelector('tbody').replaceChildren(...all.flatMap(t => {
    const tr = el('tr', $('method').value === 't' + t.tool ? 'sel' : ''), name = el('td');
    tr.dataset.tool = t.tool;
    name.append(button('link', clip(visible(t.tool), 60), () => { $('method').value = $('method').value === 't' + t.tool ? '' : 't' + t.tool; filter(); }));
    const max = el('td', '', took(t.max_us)), most = slowest.get(t.tool);
    if (most && most.l === t.max_us) max.replaceChildren(link(most.i, took(t.max_us)));
    tr.append(name, el('td', '', number(t.requests)), el('td', t.errors ? 'bad' : 'hint', number(t.errors)), el('td', t.unanswered ? 'bad' : 'hint', number(t.unanswered)),
      el('td', '', took(t.p50_us)), el('td', '', took(t.p95_us)), max, spark(t));
    const slow = slower(t);
    if (!slow) return [tr];
    const note = el('tr'), td = el('td', 'err');
    td.colSpan = columns.length + 1;
    td.append('slow from ', entries.has(slow.n) ? link(entries.get(slow.n), '#n' + slow.n) : '#n' + slow.n, ` at ${time(slow.t).slice(0, -3)} s: p50 ${took(slow.p50_before_us)} → ${took(slow.p50_slow_us)} in ${plural(slow.calls, 'call')}${slow.until_n ? ', until #n' + slow.until_n : ''}`);
    note.append(td);
    return [tr, note];
  }));
}

// The tabs, and the theme.
function tabs() {
  const names = {overview: 'Overview', waterfall: 'Waterfall', problems: `Problems ${number(data.facts.findings.length + data.facts.more)}`, about: 'Session'};
  for (const id in names) {
    const b = button('', names[id], () => tab(id));
    b.setAttribute('role', 'tab');
    b.setAttribute('aria-controls', id);
    $('tabs').append(b);
  }
  tab('overview');
}
let open; // the tab
function tab(id) {
  open = id;
  for (const b of $('tabs').children) {
    const here = b.getAttribute('aria-controls') === id;
    b.setAttribute('aria-selected', String(here));
    $(b.getAttribute('aria-controls')).hidden = !here;
  }
  if (id === 'waterfall') drawWaterfall(true);
  address();
}
// fit gives the overview the room that it needs, up to half of the page; less if the
// address has an entry and that is below.
function fit() { $('panel').style.height = Math.min($('overview').offsetHeight + 2, innerHeight * ((innerWidth < 900 || innerHeight < 760) && /^#n?\d/.test(location.hash) ? 0.25 : 0.5)) + 'px'; }
function theme() {
  const kept = 'mcpdbg-theme', use = name => { if (name) document.documentElement.dataset.theme = name; else delete document.documentElement.dataset.theme; };
  try { $('theme').value = localStorage.getItem(kept) || ''; } catch { /* not allowed here */ }
  use($('theme').value);
  $('theme').addEventListener('change', () => {
    use($('theme').value);
    drawChart();
    try { localStorage.setItem(kept, $('theme').value); } catch { /* not allowed here */ }
  });
}
function totals() {
  const all = data.tools.reduce((n, t) => n + t.requests, 0);
  if (all) $('totals').append(el('span', '', plural(all, 'call')));
  for (const [rank, state, name] of [[0, 'failed', n => number(n) + ' failed'], [1, 'unanswered', n => number(n) + ' unanswered'], [2, 'noise', n => plural(n, 'stray line')]]) {
    const n = groups.reduce((n, g) => n + (g.rank === rank ? g.count : 0), 0), a = el('a', rank < 2 ? 'bad' : 'hint', name(n));
    a.href = '#filter=is:' + state;
    if (n) $('totals').append(a);
  }
}
function methods() {
  const group = (name, all) => {
    const g = el('optgroup');
    g.label = name;
    for (const [value, text] of all) { const o = el('option', '', clip(visible(text), 80)); o.value = value; g.append(o); }
    if (all.length) $('method').append(g);
  };
  group('tools', data.tools.slice(0, 500).map(t => ['t' + t.tool, t.tool]));
  group('methods', [...new Set(rows.map(methodOf))].filter(m => m).sort().slice(0, 500).map(m => ['m' + m, m]));
}

theme();
facts();
totals();
methods();
failures();
strip();
tools();
hint();
tabs();
fit();
follow();
$('list').focus();
