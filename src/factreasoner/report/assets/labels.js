// How labels and verdicts look: a word, a mark that tells them apart without colour, and a kind, which is a colour.

const LABELS = content.looks.labels;
const ORDER = Object.keys(LABELS);

/** What a claim is marked with beside its label. */
const MARKS = content.looks.marks;

const VERDICTS = {
  entailment: {word: 'supports it', mark: '✓', kind: 'supported'},
  contradiction: {word: 'contradicts it', mark: '✕', kind: 'contradicted'},
  neutral: {word: 'nothing found', mark: '·', kind: 'silent'},
};

function wordOf(label) {
  return LABELS[label]?.word ?? label;
}

function labelOf(claim) {
  return claim.rows[0].label ?? 'not judged';
}

function has(held, mark) {
  return held.marks?.includes(mark) ?? false;
}

/** How the label of what a claim was held against looks. */
function lookOf(held) {
  return LABELS[held.label ?? 'not judged'];
}

/** What tells a claim's place in a text: its label, or what makes a supported one deserve a second look. */
function signOf(claim) {
  return labelOf(claim) === 'supported' && has(claim.rows[0], 'disputed') ? MARKS.disputed : lookOf(claim.rows[0]);
}

/** Where a claim stands among those to look at; the lowest first. */
function rankOf(claim) {
  return signOf(claim) === MARKS.disputed ? ORDER.indexOf('unverified') - 0.5 : ORDER.indexOf(labelOf(claim));
}

function toLookAt(claim) {
  return signOf(claim) !== LABELS.supported;
}

function badge({word, mark, kind, meaning}) {
  return h('span', {class: `badge ${kind}`, title: meaning}, h('span', {class: 'mark', 'aria-hidden': 'true'}, mark), word);
}

/** The label of what a claim was held against, what marks it, and P. */
function said(held) {
  return [badge(lookOf(held)), has(held, 'disputed') ? [' ', badge(MARKS.disputed)] : null,
    ' ', h('span', {class: 'p'}, `P ${probability(held.p)}`)];
}

/** "supported, disputed" */
function wordsOf(claim) {
  return [wordOf(labelOf(claim)), ...(claim.rows[0].marks ?? []).map((mark) => MARKS[mark].word)].join(', ');
}

function totalOf(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** "2 contradicted, 14 unverified, 126 supported" */
function countsInWords(counts) {
  return ORDER.filter((label) => counts[label]).map((label) => `${counts[label]} ${wordOf(label)}`).join(', ');
}

/** How often each look is there, in the order of the labels. */
function looksIn(counts) {
  return ORDER.map((label) => [LABELS[label], counts[label] ?? 0]).filter(([, count]) => count);
}

/** A bar of the shares of labels; its text says the same. */
function labelBar(counts) {
  const total = totalOf(counts);
  const bar = svg('svg', {class: 'label-bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img',
    'aria-label': total ? countsInWords(counts) : 'nothing was judged'});
  let at = 0;
  for (const [{kind, word}, count] of looksIn(counts)) {
    const width = (100 * count) / total;
    bar.append(svg('rect', {class: `fill ${kind}`, x: at, y: 0, width, height: 10}, svg('title', {}, `${count} ${word}`)));
    at += width;
  }
  if (!total) bar.append(svg('rect', {class: 'fill unjudged', x: 0, y: 4, width: 100, height: 2}));
  return bar;
}

function legend(counts, marks = {}) {
  const part = (look, count) => h('li', {}, h('strong', {}, count.toLocaleString('en')), ' ', badge(look));
  return h('ul', {class: 'legend'}, looksIn(counts).map(([look, count]) => part(look, count)),
    marks.disputed ? [h('li', {class: 'note'}, 'of these'), part(MARKS.disputed, marks.disputed)] : null);
}
