// The exchange of the selected message: its request and its response.
let view = 'json';
function look(as) { view = as; detail(); }

function button(cls, name, act) {
  const b = el('button', cls, name);
  b.addEventListener('click', () => act(b));
  return b;
}
// copy copies a text, on a page from a file and without the permission too.
async function copy(s, b) {
  const name = b.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(s);
    done = true;
  } catch {
    const area = el('textarea');
    area.value = s;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  b.textContent = done ? 'copied' : 'not copied';
  setTimeout(() => { b.textContent = name; }, 1500);
}
function hint() {
  $('detail').replaceChildren(el('p', 'hint', 'Select a row. Up and down move, e and E go to the next and previous failure, p to the matching request or response, / searches, and 1 2 3 show JSON, raw text and hex.'));
}
function detail() {
  const d = $('detail'), r = rows[current];
  if (!r) return hint();
  let [label, call, said] = parts(r).map(visible);
  const other = partner(r), [first, second] = isResponse(r) && other ? [other, r] : [r, other];
  d.replaceChildren(el('h2', isBad(r) ? 'bad' : '', `#n${first.n}${second ? ' → #n' + second.n : '  ' + arrow[lane(r)]}  ${label}  ${clip(call, 300)}`));
  if (second && isResponse(second)) said = visible(parts(second)[2]);
  if (said) d.append(el('p', r.e ? 'bad' : '', (first.n === data.firstn ? 'The first failure: ' : '') + said));
  const alike = groups.find(g => isCall(g) && (r.groups?.has(g) || other?.groups?.has(g)));
  if (alike?.rows.length > 1) {
    const p = el('p', 'err', alike.evidence.map(text => visible(text) + '; ').join(''));
    p.append(button('link', `list all ${number(alike.rows.length)} like it`, () => list(alike, current)));
    d.append(p);
  } else if (alike) d.append(el('p', 'err', alike.evidence.map(visible).join('; ')));
  for (const s of data.slower) if (s.n === first.n) d.append(el('p', 'err', visible([`${s.tool || s.method} became slower from here on: p50 ${took(s.p50_before_us)} → ${took(s.p50_slow_us)}`, ...s.evidence || []].join('; '))));
  const unit = took(r.l), facts = [[r.m, r.k], ['id', r.id], ['state', isUnanswered(r) ? r.st + ', no response' : r.st && r.e && r.st === 'answered' ? 'answered with an error' : r.st], ['sequence', r.s], ['took', unit], ['next request of the client after', took(data.lost?.find(c => c.n === r.n)?.next_us)], ['waited for the client', took(r.y)], ['bytes', r.b]].filter(f => f[1]);
  d.append(el('p', 'hint', `${time(r.t)} s; ` + facts.map(f => `${f[0] || ''} ${visible(String(f[1]))}`.trim()).join('; ')));
  const tabs = el('div', 'tabs');
  for (const [key, name, label] of [['1', 'json', 'JSON'], ['2', 'raw', 'raw'], ['3', 'hex', 'hex']]) {
    const b = button('', `${label} (${key})`, () => look(name));
    b.setAttribute('aria-pressed', String(view === name));
    tabs.append(b);
  }
  tabs.append(button('', 'copy message', b => copy(text(r), b)));
  if (other) tabs.append(button('', `go to ${isResponse(other) ? 'response' : 'request'} (p)`, () => choose(at.get(other.i))));
  d.append(tabs);
  if (second) d.append(el('h3', '', `Request #n${first.n}`));
  show(first);
  if (!second) return;
  d.append(el('h3', '', `Response #n${second.n}`));
  show(second);
}
function show(r) {
  $('detail').append(body(r));
  if (r.c) $('detail').append(el('p', 'hint', `Only the beginning of ${number(r.b)} bytes is on this page.`));
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

