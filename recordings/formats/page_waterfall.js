// The waterfall: the calls of the list on one axis of time. Idle time between all calls
// over IDLE is shortened to LEFT, and the axis has two coordinates: t, microseconds of
// the session, and u, where the pauses are shorter.
const BAR = 18, IDLE = 5e6, LEFT = 5e5;
const pauses = []; // from, to, gone: what is missing in u after it
const ends = rows.filter(r => ['exited', 'closed', 'failed'].includes(r.k)).map(r => r.t);
const calls = rows.flatMap((r, i) => {
  if (r.m !== 'request') return [];
  const open = isUnanswered(r) && r.z === undefined, lost = open && r.st === 'lost' ? ends.find(t => t >= r.t) : undefined;
  return [{i, r, open, from: r.t, to: open ? Math.max(lost ?? data.end, r.t) : r.t + (r.z ?? r.l ?? 0)}];
});
{
  let end = calls.length ? calls[0].from : 0, gone = 0;
  for (const c of calls) {
    c.idle = c.from - end > IDLE;
    if (c.idle) pauses.push({from: end, to: c.from, gone: gone += c.from - end - LEFT});
    end = Math.max(end, c.open ? c.from : c.to);
  }
}
// before returns the last pause that begins before a moment.
function before(at, start) {
  let low = 0, high = pauses.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (start(pauses[mid]) < at) low = mid + 1; else high = mid;
  }
  return pauses[low - 1];
}
const toU = t => {
  const p = before(t, p => p.from);
  return !p ? t : t >= p.to ? t - p.gone : Math.min(t - p.gone + (p.to - p.from - LEFT), p.to - p.gone);
};
const toT = u => { const p = before(u, p => p.to - p.gone); return p ? u + p.gone : u; };
for (const c of calls) { c.a = toU(c.from); c.b = Math.max(toU(c.to), c.a); }
const first = calls.length ? calls[0].a : 0, last = calls.reduce((n, c) => Math.max(n, c.b), first + 1);
const longest = calls.reduce((n, c) => c.open ? n : Math.max(n, c.b - c.a), 1);
let from = first, to = last, drawn = [], fits = []; // fits: calls of the list, drawn: those in the range

function drawWaterfall(jump) {
  const listed = new Set(shown.map(i => rows[i].m === 'request' ? i : at.get(rows[i].p - 1)));
  fits = calls.filter(c => listed.has(c.i));
  drawn = fits.filter(c => c.b >= from && c.a <= to);
  $('barspace').style.height = drawn.length * BAR + 'px';
  $('window').textContent = `${number(drawn.length)} of ${plural(calls.length, 'call')}, ${time(toT(from)).slice(0, -3)} to ${time(toT(to)).slice(0, -3)} s${pauses.length ? ', idle time over 5 s shortened' : ''}`;
  for (const row of document.querySelectorAll('#waterfall > .bar')) row.style.paddingRight = $('bars').offsetWidth - $('bars').clientWidth + 'px'; // as the scroll bar
  const y = drawn.findIndex(isCurrent) * BAR, room = $('bars').clientHeight - BAR;
  if (jump && y >= 0 && (y < $('bars').scrollTop || y > $('bars').scrollTop + room)) $('bars').scrollTop = Math.max(0, y - room / 2);
  drawChart();
  drawAxis();
  drawBars();
}
const isCurrent = c => c.i === current || current >= 0 && rows[current].p === c.r.i + 1;

const isFailed = c => Boolean(c.r.e) || isUnanswered(c.r);

// drawChart draws a line per call, as high as the cube root of its time.
function drawChart() {
  const canvas = $('chart'), box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1, g = canvas.getContext('2d');
  if (!box.width) return;
  canvas.width = box.width * scale;
  canvas.height = box.height * scale;
  const color = name => { canvas.style.color = `var(--${name})`; g.fillStyle = getComputedStyle(canvas).color; };
  const x = u => (u - first) / (last - first) * box.width;
  g.scale(scale, scale);
  color('sel');
  if (from > first || to < last) g.fillRect(x(from), 0, Math.max(x(to) - x(from), 2), box.height);
  for (const bad of [false, true]) {
    color(bad ? 'mark' : 'fill');
    for (const c of fits) {
      if (isFailed(c) !== bad) continue;
      const h = Math.max(3, Math.min(Math.cbrt((c.b - c.a) / longest), 1) * (box.height - 4));
      g.fillRect(x(c.a), box.height - h, bad ? 2 : 1, h);
    }
  }
}

function drawAxis() {
  const width = $('axis').clientWidth, wanted = (to - from) / Math.max(width / 110, 1), power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= wanted), ticks = [];
  let end = -1;
  for (let t = Math.ceil(toT(from) / step) * step, n = 0; toU(t) <= to && n < 1000; t += step, n++) {
    const x = (toU(t) - from) / (to - from) * width;
    if (x < end) { // there may be a long pause before the next label
      t = Math.max(t, Math.ceil(toT(from + end / width * (to - from)) / step) * step - step);
      continue;
    }
    const tick = el('span', '', step >= 1e6 ? t / 1e6 + ' s' : step >= 1000 ? (t / 1e6).toFixed(3) + ' s' : (t / 1e6).toFixed(6) + ' s');
    tick.style.left = x + 'px';
    ticks.push(tick);
    end = x + 90;
  }
  $('axis').replaceChildren(...ticks);
}
function drawBars() {
  const list = $('bars'), start = Math.max(0, Math.floor(list.scrollTop / BAR) - 5), end = Math.min(drawn.length, start + Math.ceil(list.clientHeight / BAR) + 10);
  $('barrows').style.transform = `translateY(${start * BAR}px)`;
  $('barrows').replaceChildren(...drawn.slice(start, end).map(barOf));
}
const digits = String(rows.length ? rows[rows.length - 1].n : 0).length;
function barOf(c) {
  const e = el('div', 'bar' + (isFailed(c) ? ' bad' : '') + (isCurrent(c) ? ' sel' : '')), track = el('span', 'track'), span = (a, b, cls) => {
    const i = el('i', cls), x = u => Math.min(Math.max((u - from) / (to - from), 0), 1) * 100;
    i.style.left = x(a) + '%';
    i.style.width = `max(2px, ${x(b) - x(a)}%)`;
    track.append(i);
  };
  e.dataset.i = c.i;
  if (c.idle && c.a >= from) span(c.a, c.a, 'idle');
  const server = c.r.k === 'stdout', name = visible(callOf(c.r));
  span(c.a, c.b, server ? 'span wait' : c.open ? 'span open' : 'span');
  for (const [a, b] of c.r.ws || []) span(toU(c.from + a), toU(c.from + b), 'wait');
  const state = c.open || isUnanswered(c.r) ? 'no response' : c.r.st === 'cancelled' ? took(c.to - c.from) + ' ⊘' : took(c.r.l ?? c.to - c.from);
  e.append(el('span', '', `${String(c.r.n).padStart(digits)}  ${name}`), el('span', 'r', state), track);
  e.title = `#n${c.r.n} ${clip(name, 200)}: ${c.r.st === 'cancelled' ? 'cancelled after ' : ''}${state}${c.r.y ? ', and ' + took(c.r.y) + ' waiting for the client' : ''}, at ${time(c.from)} s`;
  return e;
}

// Zooming.
function range(a, b) {
  const width = Math.min(Math.max(b - a, 50), last - first);
  from = Math.min(Math.max(a, first), last - width);
  to = from + width;
  $('bars').scrollTop = 0;
  drawWaterfall(true);
}
function zoom(by, around = (from + to) / 2) { range(around - (around - from) * by, around + (to - around) * by); }
const zooms = {in: () => zoom(0.5), out: () => zoom(2), reset: () => range(first, last)};
for (const b of document.querySelectorAll('[data-zoom]')) b.addEventListener('click', () => zooms[b.dataset.zoom]());
$('waterfall').addEventListener('keydown', e => {
  const act = {'+': 'in', '-': 'out', 0: 'reset'}[e.key];
  if (act) { e.preventDefault(); e.stopPropagation(); zooms[act](); }
});
// place returns the moment under the pointer: in the chart of the session, in a track of
// the range.
function place(e, box) {
  const share = Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1);
  return e.currentTarget === $('chart') ? first + share * (last - first) : from + share * (to - from);
}
const boxOf = e => (e.currentTarget === $('chart') ? $('chart') : $('axis')).getBoundingClientRect();
function wheel(e) {
  const u = place(e, boxOf(e));
  if (e.currentTarget === $('chart') || e.ctrlKey) zoom(e.deltaY < 0 ? 0.7 : 1 / 0.7, u);
  else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) range(from + (e.deltaX || e.deltaY) / 1000 * (to - from), to + (e.deltaX || e.deltaY) / 1000 * (to - from));
  else return;
  e.preventDefault();
}
let drag, moved = false;
function down(e) {
  moved = false;
  if (e.button || e.currentTarget === $('bars') && !e.target.closest('.track')) return;
  const mark = el('div', 'range');
  drag = {box: boxOf(e), u: place(e, boxOf(e)), x: e.clientX, mark};
}
function dragged(e) {
  if (!drag || Math.abs(e.clientX - drag.x) < 4) return;
  if (!moved) e.currentTarget.setPointerCapture(e.pointerId); // a click keeps its target
  moved = true;
  const host = $('waterfall').getBoundingClientRect(), a = Math.max(Math.min(e.clientX, drag.x), drag.box.left), b = Math.min(Math.max(e.clientX, drag.x), drag.box.right);
  drag.mark.style.left = a - host.left + 'px';
  drag.mark.style.width = b - a + 'px';
  $('waterfall').append(drag.mark);
}
function up(e) {
  if (!drag) return;
  const {u, mark} = drag, v = place(e, drag.box);
  drag = undefined;
  mark.remove();
  if (moved) return range(Math.min(u, v), Math.max(u, v));
  // A click selects the call there, of several the one that failed or took longest.
  if (e.currentTarget === $('chart')) {
    const near = 4 / $('chart').clientWidth * (last - first), rank = c => (isFailed(c) ? longest : 0) + c.b - c.a;
    const there = fits.filter(c => Math.abs(c.a - u) <= near || c.a <= u && c.b >= u && !c.open).sort((a, b) => rank(b) - rank(a))[0];
    if (there) choose(there.i);
  }
}
for (const id of ['chart', 'bars']) {
  $(id).addEventListener('wheel', wheel, {passive: false});
  $(id).addEventListener('pointerdown', down);
  $(id).addEventListener('pointermove', dragged);
  $(id).addEventListener('pointerup', up);
  $(id).addEventListener('pointercancel', () => { if (drag) drag.mark.remove(); drag = undefined; });
}
$('chart').addEventListener('dblclick', zooms.reset);
$('bars').addEventListener('click', e => { const b = e.target.closest('.bar'); if (b && !moved) choose(Number(b.dataset.i)); });
$('bars').addEventListener('scroll', () => requestAnimationFrame(drawBars));
new ResizeObserver(() => { if (!$('waterfall').hidden) drawWaterfall(); }).observe($('panel'));
matchMedia('(prefers-color-scheme:dark)').addEventListener('change', drawChart);
