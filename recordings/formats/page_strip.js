// The strip: the failures on an axis of time, with the moments from which tools are slower.
// Those of a kind that are close to each other have one mark.
const PLACES = 300;
const share = t => (100 * Math.min(t / Math.max(data.end, 1), 1)).toFixed(2) + '%';
function strip() {
  const all = new Map(), marks = $('marks');
  for (const g of groups.filter(isCall)) for (const i of g.rows) {
    const r = isResponse(rows[i]) && partner(rows[i]) || rows[i], key = g.rank + ' ' + Math.floor(PLACES * r.t / Math.max(data.end, 1));
    if (!all.has(key)) all.set(key, {t: r.t, rank: g.rank, rows: []});
    all.get(key).rows.push(requestOf(i));
  }
  const found = [...all.values()].sort((a, b) => a.t - b.t || a.rank - b.rank);
  if (!found.length && !data.slower.length) return;
  $('strip').hidden = false;
  const mark = (cls, t, i, name) => {
    const a = i === undefined ? el('i', cls) : link(i, '');
    a.className = cls;
    a.title = name;
    a.setAttribute('aria-label', name);
    a.style.left = share(t);
    a.tabIndex = -1;
    marks.append(a);
    return a;
  };
  for (const s of data.slower) {
    const a = mark(s.t > data.end * 0.7 ? 'slower late' : 'slower', s.t, entries.get(s.n), `#n${s.n} at ${time(s.t).slice(0, -3)} s: ${visible(s.tool || s.method)} became slower`);
    a.append(el('span', '', clip(visible(s.tool || s.method), 30) + ' slower'));
  }
  const most = found.reduce((n, m) => Math.max(n, m.rows.length), 1);
  for (const m of found) {
    const i = Math.min(...m.rows), r = rows[i], n = m.rows.length;
    const a = mark(m.rank ? 'lost' : 'failed', m.t, i, (n > 1 ? `${number(n)} from ` : '') + `#n${r.n} at ${time(r.t).slice(0, -3)} s: ${clip(visible((callOf(r) || r.w) + '  ' + (m.rank ? 'no response' : parts(partner(r) || r)[2])), 200)}`);
    if (!m.rank) a.style.height = 6 + Math.round(10 * n / Math.max(most, 4)) + 'px';
  }
  marks.append($('now'));
  const links = [...marks.querySelectorAll('a')].sort((a, b) => parseFloat(a.style.left) - parseFloat(b.style.left));
  if (links.length) links[0].tabIndex = 0;
  marks.addEventListener('keydown', e => {
    const to = links[links.indexOf(e.target) + ({ArrowRight: 1, ArrowLeft: -1}[e.key] || NaN)];
    if (!to) return;
    for (const a of links) a.tabIndex = a === to ? 0 : -1;
    to.focus();
    choose(entries.get(Number(to.hash.slice(2))));
    e.preventDefault();
  });
  for (const [rank, name] of [[0, 'failed'], [1, 'no response']]) $('lanes').append(el('span', 'bad', found.some(m => m.rank === rank) ? name : ''));
  for (let i = 0; i < 6; i++) $('scale').append(el('span', '', `${(data.end * i / 5e6).toFixed(data.end < 1e7 ? 2 : 0)} s`));
}
