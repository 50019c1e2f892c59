// The fact graph as a picture: claims on the left in the order of the text, contexts on the right, near what they speak of.

const ROW = 26;
const TOP = 28;
const GUTTER = 70;

/** Contexts ordered by the mean place of the claims they touch, then by their ties to each other. */
function ordered(claims, contexts, relations) {
  const places = new Map(claims.map((id, place) => [id, place]));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const weight = (id) => {
    const own = relations.filter(([source, target]) => source === id || target === id)
      .map(([source, target]) => places.get(source === id ? target : source)).filter((place) => place !== undefined);
    return own.length ? mean(own) : null;
  };
  const found = new Map(contexts.map((id) => [id, weight(id)]));
  for (const id of contexts) {
    if (found.get(id) !== null) continue;
    const tied = relations.filter(([source, target]) => source === id || target === id)
      .map(([source, target]) => found.get(source === id ? target : source)).filter((place) => typeof place === 'number');
    found.set(id, tied.length ? mean(tied) : claims.length);
  }
  return [...contexts].sort((one, other) => found.get(one) - found.get(other));
}

function shortened(text, room) {
  const line = plain(text.replace(/\s+/g, ' '));
  return line.length <= room ? line : `${line.slice(0, Math.max(1, room - 1))}…`;
}

function edge(relation, from, to) {
  const [source, target, kind, p] = relation;
  const out = from.x + Math.min(GUTTER, 16 + Math.abs(from.y - to.y) / 8);
  const path = from.x === to.x
    ? `M ${from.x} ${from.y} C ${out} ${from.y}, ${out} ${to.y}, ${to.x} ${to.y}`
    : `M ${from.x} ${from.y} C ${(from.x + to.x) / 2} ${from.y}, ${(from.x + to.x) / 2} ${to.y}, ${to.x} ${to.y}`;
  const words = {entailment: 'supports', contradiction: 'contradicts', equivalence: 'says the same as'}[kind];
  return svg('path', {class: `edge ${VERDICTS[kind]?.kind ?? ''}`, d: path, 'stroke-width': 0.6 + 2.2 * Math.max(0, p - 0.5) * 2},
    svg('title', {}, `${source} ${words} ${target}, ${probability(p)}`));
}

function node(id, place, words, kind, href) {
  const {x, y, side, away} = place;
  const text = svg('text', {x: x + side * away, y: y + 4, 'text-anchor': side < 0 ? 'end' : 'start'}, words);
  const shape = kind === 'context' ? svg('rect', {x: x - 5, y: y - 5, width: 10, height: 10}) : svg('circle', {cx: x, cy: y, r: 5.5});
  const attributes = {class: `node ${kind}`, 'data-id': id};
  return href ? svg('a', {...attributes, href, 'aria-label': words}, shape, text)
    : svg('g', {...attributes, tabindex: '0', role: 'img', 'aria-label': words}, shape, text);
}

/** Neighbours of what is pointed at stand out. */
function lightUp(picture, neighbours, edges) {
  const set = (id) => {
    picture.classList.toggle('focused', id !== null);
    const near = id === null ? new Set() : new Set([id, ...(neighbours.get(id) ?? [])]);
    for (const one of picture.querySelectorAll('.node')) one.classList.toggle('near', near.has(one.dataset.id));
    for (const [path, source, target] of edges) path.classList.toggle('near', id !== null && (source === id || target === id));
  };
  const under = (event) => event.target.closest?.('.node')?.dataset.id ?? null;
  picture.addEventListener('pointerover', (event) => set(under(event)));
  picture.addEventListener('pointerleave', () => set(null));
  picture.addEventListener('focusin', (event) => set(under(event)));
  picture.addEventListener('focusout', () => set(null));
}

function graphPicture(own) {
  const relations = own.relations.filter(([, , , p]) => p > 0.5);
  const touched = new Set(relations.flatMap(([source, target]) => [source, target]));
  const claims = own.claims.map((claim) => claim.id);
  const contexts = own.premises.map((premise) => premise.id).filter((id) => touched.has(id));
  const silent = own.premises.length - contexts.length;
  const sorted = ordered(claims, contexts, relations);
  const width = Math.max(340, Math.min(1100, page.clientWidth - 40));
  const height = TOP + ROW * Math.max(claims.length, sorted.length) + 8;
  const middle = width < 560 ? 0.3 : 0.46;
  const right = width < 560 ? 0.72 : 0.66;
  const room = Math.floor((middle * width - 16) / 6.3);
  const places = new Map();
  const spread = (ids, x, side, away) => ids.forEach((id, place) =>
    places.set(id, {x, side, away, y: TOP + ((place + 0.5) * (height - TOP - 8)) / ids.length}));
  // Contexts that contradict each other are joined in a gutter before their names.
  const disputed = relations.some(([source, target]) => sorted.includes(source) && sorted.includes(target));
  const away = disputed && width >= 560 ? GUTTER * 0.8 : 10;
  spread(claims, middle * width, -1, 10);
  spread(sorted, right * width, 1, away);
  const neighbours = new Map();
  const edges = relations.filter(([source, target]) => places.has(source) && places.has(target)).map((relation) => {
    const [source, target] = relation;
    for (const [one, other] of [[source, target], [target, source]]) {
      if (!neighbours.has(one)) neighbours.set(one, []);
      neighbours.get(one).push(other);
    }
    return [edge(relation, places.get(source), places.get(target)), source, target];
  });
  const picture = svg('svg', {class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'group',
    'aria-label': `${counted(claims.length, content.claim)} and ${counted(contexts.length, 'context')}, ${counted(edges.length, 'relation')}`},
  svg('text', {class: 'head', x: middle * width, y: 14, 'text-anchor': 'end'}, `${content.claim}s`),
  svg('text', {class: 'head', x: right * width, y: 14}, 'contexts'),
  edges.map(([path]) => path),
  own.claims.map((claim) => node(claim.id, places.get(claim.id),
    `${shortened(claim.text, Math.max(3, room - 8))} ${signOf(claim).mark} ${probability(claim.rows[0].p)}`,
    `claim ${signOf(claim).kind}`, addressOf(current.number, claim.id))),
  sorted.map((id) => {
    const premise = own.premises.find((one) => one.id === id);
    const words = premise.title ? `${id} ${premise.title}` : id;
    return node(id, places.get(id), shortened(words, Math.floor(((1 - right) * width - away - 4) / 6.3)), 'context', null);
  }));
  lightUp(picture, neighbours, edges);
  return h('div', {}, h('p', {class: 'note'}, h('span', {class: 'key supported'}), ' supports ',
    h('span', {class: 'key contradicted'}), ' contradicts (dashed). Point at anything to see what it touches.',
    silent > 0 ? ` ${counted(silent, 'context')} without any relation ${silent === 1 ? 'is' : 'are'} left out.` : ''), picture);
}
