// The parts above the list.
const link = (i, name) => { const a = el('a', '', name); a.href = '#n' + rows[i].n; a.title = clip(what(rows[i]), 300); return a; };

function remarks(all, into) {
  for (const f of all) {
    const li = el('li', f.severity), said = visible(f.text);
    li.append(at.has(f.row) ? button('link', said, () => choose(at.get(f.row))) : said);
    if (f.try) li.append(el('span', 'try', ' – ' + visible(f.try)));
    into.append(li);
  }
}
function facts() {
  const f = data.facts;
  for (const [what, value] of f.rows) $('facts').append(el('dt', '', what), el('dd', '', visible(value)));
  const fact = name => f.rows.filter(r => r[0] === name).map(r => visible(r[1])).join(', ');
  const hello = rows.find(r => isResponse(r) && methodOf(r) === 'initialize' && !r.e);
  $('of').textContent = [fact('server') || visible(hello && hello.d || '') || clip(fact('command'), 120), fact('recorded')].filter(s => s).join(' · ');
  if (f.verdicts.length) { $('wrong').hidden = false; remarks(f.verdicts, $('wrong').querySelector('ul')); }
  remarks(f.findings, $('problems').querySelector('ul'));
  if (f.more) $('problems').append(el('p', 'hint', `${plural(f.more, 'more problem')}: see mcpdbg rec info.`));
  if (!f.findings.length) $('problems').append(el('p', 'hint', 'No problems detected.'));
  if (data.omitted) { $('left').hidden = false; $('left').textContent = data.omitted; }
}

// likeness is equal for messages that differ only in words with digits, as in data.failures.
function likeness(text) {
  const [code] = /^-?\d+: /.exec(text) || [''];
  return code + text.slice(code.length).replace(/[\p{L}\p{Nd}]*\p{Nd}[\p{L}\p{Nd}]*/gu, '…');
}
// groupsOf adds the rows on the page to the groups of failures.
function groupsOf() {
  const group = (rank, text, count) => ({rank, text, count, rows: [], calls: new Map()});
  const lost = group(0, 'no response', data.unanswered), noise = group(2, 'line on stdout that is not a message', data.stray);
  const failed = data.failures.map(f => group(1, f.message, f.count)), like = new Map(failed.map(g => [likeness(g.text), g]));
  rows.forEach((r, i) => {
    const g = isUnanswered(r) ? lost : isNoise(r) ? noise : isResponse(r) && r.e ? like.get(likeness(parts(r)[2])) || like.get('further messages') : undefined;
    if (!g) return;
    const name = toolOf(r) || methodOf(r);
    g.rows.push(i);
    if (name) g.calls.set(name, (g.calls.get(name) || 0) + 1);
  });
  return [lost, ...failed, noise].filter(g => g.count);
}
const groups = groupsOf();

// failures lists the groups: message, calls, and links.
function failures() {
  const list = $('failures').querySelector('ul');
  $('failures').querySelector('h2').textContent = groups.length ? 'Failures' : 'No failed or unanswered call, and no stray line.';
  for (const g of groups) {
    const li = el('li', ''), more = el('span', 'more'), most = g.rows.length <= 3 ? 3 : 12, names = [...g.calls].sort(([, a], [, b]) => b - a).map(([name, n]) => `${clip(name, 60)} ${number(n)}`);
    li.append(el('b', 'bad', number(g.count) + '×'), button('link', visible(g.text), () => { reset(); only = {name: visible(g.text), rows: new Set(g.rows)}; filter(); if (g.rows.length) choose(g.rows[0]); }));
    li.append(el('span', 'hint', '  ' + visible(names.slice(0, 8).join(', ')) + (names.length > 8 ? ', …' : '')));
    for (const i of g.rows.slice(0, most)) more.append(link(i, most === 3 ? `#n${rows[i].n} ${clip(visible(callOf(rows[i])), 80)}` : `#n${rows[i].n}`));
    if (g.count > Math.min(most, g.rows.length)) more.append(el('span', 'hint', `and ${number(g.count - Math.min(most, g.rows.length))} more${g.rows.length < g.count ? `, ${number(g.count - g.rows.length)} not on this page` : ''}`));
    li.append(more);
    list.append(li);
  }
}

// The table of the tools.
const columns = [['tool', 'tool'], ['requests', 'calls'], ['errors', 'failed'], ['unanswered', 'unanswered'], ['p50_us', 'p50'], ['p95_us', 'p95'], ['max_us', 'max']];
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
  }));
  $('tools').querySelector('tbody').replaceChildren(...all.map(t => {
    const tr = el('tr', $('method').value === 't' + t.tool ? 'sel' : ''), name = el('td');
    tr.dataset.tool = t.tool;
    name.append(button('link', visible(t.tool), () => { $('method').value = $('method').value === 't' + t.tool ? '' : 't' + t.tool; filter(); }));
    tr.append(name, el('td', '', number(t.requests)), el('td', t.errors ? 'bad' : 'hint', number(t.errors)), el('td', t.unanswered ? 'bad' : 'hint', number(t.unanswered)),
      ...['p50_us', 'p95_us', 'max_us'].map(k => el('td', '', took(t[k]))));
    return tr;
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
function tab(id) {
  for (const b of $('tabs').children) {
    const here = b.getAttribute('aria-controls') === id;
    b.setAttribute('aria-selected', String(here));
    $(b.getAttribute('aria-controls')).hidden = !here;
  }
  if (id === 'waterfall') drawWaterfall(true);
}
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
  const calls = data.tools.reduce((n, t) => n + t.requests, 0), of = rank => groups.reduce((n, g) => n + (g.rank === rank ? g.count : 0), 0);
  const say = (cls, n, text) => { if (n) $('totals').append(el(cls ? 'b' : 'span', cls, text)); };
  say('', calls, plural(calls, 'call'));
  say('bad', of(1), number(of(1)) + ' failed');
  say('bad', of(0), number(of(0)) + ' unanswered');
  say('bad', of(2), plural(of(2), 'stray line'));
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
tools();
hint();
filter();
tabs();
follow();
$('list').focus();
