// What labels and verdicts are called, and the marks that tell them apart without colour.

const LABELS = {
  contradicted: {word: 'contradicted', mark: '✕', kind: 'contradicted'},
  conflicting: {word: 'conflicting', mark: '±', kind: 'conflicting'},
  unknown_source: {word: 'unknown source', mark: '!', kind: 'contradicted'},
  unverified: {word: 'unverified', mark: '?', kind: 'unverified'},
  uncited: {word: 'uncited', mark: '∅', kind: 'unverified'},
  'not judged': {word: 'not judged', mark: '–', kind: 'unjudged'},
  supported: {word: 'supported', mark: '✓', kind: 'supported'},
};
const ORDER = Object.keys(LABELS);

/** Why a claim deserves a second look. */
const CAUTIONS = {
  disputed: {word: 'disputed', mark: '≠', kind: 'disputed', meaning: 'something supports it and something contradicts it'},
};

const MEANINGS = {
  contradicted: 'P is below one half, and something speaks against it',
  conflicting: 'something speaks for it and something against it, and P is one half',
  unknown_source: 'what it cites does not exist',
  unverified: 'the evidence does not decide it',
  uncited: 'it cites nothing, and was held against nothing',
  'not judged': 'every judgement of it failed; it does not count',
  supported: 'P is above one half, and something supports it',
};

const OF_RECALL = {supported: 'stated', unverified: 'not stated'};

const VERDICTS = {
  entailment: {word: 'supports it', mark: '✓', kind: 'supported'},
  contradiction: {word: 'contradicts it', mark: '✕', kind: 'contradicted'},
  neutral: {word: 'is silent', mark: '·', kind: 'silent'},
};

function wordOf(label) {
  const own = content.task === 'recall' ? OF_RECALL[label] : null;
  return own ?? LABELS[label]?.word ?? label;
}

function labelOf(claim) {
  return claim.rows[0].label ?? 'not judged';
}

function cautionsOf(claim) {
  return claim.rows[0].cautions ?? [];
}

/** What tells a claim's place in a text: its label, or what makes a supported one deserve a second look. */
function signOf(claim) {
  const [caution] = cautionsOf(claim);
  return caution && labelOf(claim) === 'supported' ? CAUTIONS[caution] : LABELS[labelOf(claim)] ?? LABELS['not judged'];
}

/** Where a claim stands among those to look at; the lowest first. */
function rankOf(claim) {
  return labelOf(claim) === 'supported' && cautionsOf(claim).includes('disputed') ? ORDER.indexOf('unverified') - 0.5 : ORDER.indexOf(labelOf(claim));
}

function toLookAt(claim) {
  return labelOf(claim) !== 'supported' || cautionsOf(claim).includes('disputed');
}

function kindOf(label) {
  return LABELS[label]?.kind ?? 'unjudged';
}

function badge(label) {
  const {mark, kind} = LABELS[label] ?? LABELS['not judged'];
  return h('span', {class: `badge ${kind}`, title: MEANINGS[label]},
    h('span', {class: 'mark', 'aria-hidden': 'true'}, mark), wordOf(label));
}

function cautionBadge(caution) {
  const {word, mark, kind, meaning} = CAUTIONS[caution];
  return h('span', {class: `badge ${kind}`, title: meaning}, h('span', {class: 'mark', 'aria-hidden': 'true'}, mark), word);
}

/** The label of what a claim was held against, with its cautions. */
function badges(held) {
  return [badge(held.label ?? 'not judged'), (held.cautions ?? []).map((caution) => [' ', cautionBadge(caution)])];
}

/** "supported, disputed" */
function wordsOf(claim) {
  return [wordOf(labelOf(claim)), ...cautionsOf(claim).map((caution) => CAUTIONS[caution].word)].join(', ');
}

function verdictBadge(label) {
  const {word, mark, kind} = VERDICTS[label];
  return h('span', {class: `badge ${kind}`}, h('span', {class: 'mark', 'aria-hidden': 'true'}, mark), word);
}

function totalOf(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** "2 contradicted, 14 unverified, 126 supported" */
function countsInWords(counts) {
  return ORDER.filter((label) => counts[label]).map((label) => `${counts[label]} ${wordOf(label)}`).join(', ');
}

/** A bar of the shares of labels; its text says the same. */
function labelBar(counts, attributes = {}) {
  const total = totalOf(counts);
  const bar = svg('svg', {class: 'label-bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img',
    'aria-label': total ? countsInWords(counts) : 'nothing was judged', ...attributes});
  let at = 0;
  for (const label of ORDER) {
    const width = total ? (100 * (counts[label] ?? 0)) / total : 0;
    if (!width) continue;
    bar.append(svg('rect', {class: `fill ${kindOf(label)}`, x: at, y: 0, width, height: 10},
      svg('title', {}, `${counts[label]} ${wordOf(label)}`)));
    at += width;
  }
  if (!total) bar.append(svg('rect', {class: 'fill unjudged', x: 0, y: 4, width: 100, height: 2}));
  return bar;
}

function legend(counts, cautions = {}) {
  const part = (count, mark) => h('li', {}, h('strong', {}, count.toLocaleString('en')), ' ', mark);
  return h('ul', {class: 'legend'}, ORDER.filter((label) => counts[label]).map((label) => part(counts[label], badge(label))),
    Object.keys(CAUTIONS).filter((caution) => cautions[caution]).map((caution, place) =>
      [place ? null : h('li', {class: 'note'}, 'of these'), part(cautions[caution], cautionBadge(caution))]));
}
