// What speaks for and against one claim.

const BEFORE = 170;

/** A place near `at` where a word begins or ends, not further in than `limit`. */
function atWord(text, at, limit) {
  const step = Math.sign(limit - at);
  for (let place = at; place !== limit; place += step) if (/\s/.test(text[place] ?? ' ')) return place;
  return at;
}

/** A passage around a quote, which is marked. */
function excerpt(premise, entry, whole = false) {
  const text = premise.text;
  if (!entry.at) return h('p', {class: 'passage'}, quoted(whole || text.length < 2 * BEFORE ? text : `${text.slice(0, atWord(text, BEFORE, 0))} …`));
  const [start, end] = entry.at;
  const from = whole || start <= BEFORE ? 0 : atWord(text, start - BEFORE, start);
  const to = whole || end + BEFORE >= text.length ? text.length : atWord(text, end + BEFORE, end);
  return h('p', {class: 'passage'}, h('bdi', {}, from > 0 ? '… ' : '', text.slice(from, start),
    h('mark', {}, text.slice(start, end)), text.slice(end, to), to < text.length ? ' …' : ''));
}

const TEXTS = ['answer', 'reference', 'contexts'];

const PRIOR_FROM = {record: 'from the record', table: 'from the table of credibility', default: 'the default'};

function nameOf(premise) {
  if (TEXTS.includes(premise.id) && premise.title) return quoted(premise.title);
  return [premise.title ? [quoted(premise.title), ' '] : null, h('span', {class: 'id'}, quoted(premise.id))];
}

function without(entry, held) {
  if (entry.without === undefined) return null;
  const change = held.p - entry.without;
  const size = Math.abs(change) < 0.005 ? 'less than 0.01' : Math.abs(change).toFixed(2);
  const why = ` (it ${change > 0 ? 'raises' : 'lowers'} P by ${size}).`;
  return h('p', {class: 'without'}, 'Without this context P would be ', h('strong', {}, probability(entry.without)), why);
}

function votesOf(entry) {
  if (!entry.votes) return null;
  return h('p', {class: 'note'}, entry.votes.map(([judge, label, p], place) =>
    [place ? '; ' : '', quoted(judge), `: ${VERDICTS[label].word}, ${probability(p)}`]));
}

function nearestNote(entry) {
  return entry.nearest ? h('p', {class: 'note'}, 'Marked: the sentence nearest to the claim. The judge quoted nothing.') : null;
}

function entryItem(entry, claim, own) {
  const premise = own.premises[entry.premise];
  if (!premise) return null;
  const held = claim.rows[0];
  const long = premise.text.length > 2 * BEFORE;
  return h('li', {class: `entry ${VERDICTS[entry.label].kind}`},
    h('p', {class: 'facts'}, badge(VERDICTS[entry.label]), h('span', {class: 'p', title: 'how sure the judge is'}, probability(entry.p)),
      h('strong', {class: 'source'}, nameOf(premise))),
    entry.quote ? h('blockquote', {}, quoted(entry.quote)) : null,
    premise.text ? excerpt(premise, entry) : null, nearestNote(entry),
    entry.rests_on ? h('p', {class: 'note'}, 'It rests on ', quoted(entry.rests_on.join(', ')), '.') : null,
    votesOf(entry), without(entry, held),
    entry.note ? h('p', {class: 'note'}, quoted(entry.note)) : null,
    premise.note ? h('p', {class: 'note'}, quoted(premise.note)) : null,
    h('p', {class: 'foot'}, premise.link ? h('span', {class: 'link'}, linked(premise.link)) : null,
      premise.prior ? h('span', {class: 'note'}, `Prior: ${probability(premise.prior[0])}, ${PRIOR_FROM[premise.prior[1]]}. `) : null,
      premise.p !== undefined ? h('span', {class: 'note'}, `P that this context is right: ${probability(premise.p)}`) : null),
    long ? disclosed('The whole passage', () => excerpt(premise, entry, true)) : null,
    entry.corrected ? null : correctionChoice(entry, premise, claim));
}

function silentOnes(entries, claim, own) {
  if (!entries.length) return null;
  const [first] = entries.map((entry) => own.premises[entry.premise]);
  const words = ['Nothing found in ', entries.length > 1 ? `${entries.length} sources` : nameOf(first)];
  return disclosed(words, () => h('ul', {class: 'plain'}, entries.map((entry) => entryItem(entry, claim, own))));
}

/** Contradictions among contexts of which one speaks of the claim. */
function disputesOf(claim, own) {
  const speaking = new Set(claim.evidence.filter((entry) => entry.label !== 'neutral').map((entry) => own.premises[entry.premise]?.id));
  const known = new Set(own.premises.map((premise) => premise.id));
  const found = (own.relations ?? []).filter(([source, target, kind, p]) => kind === 'contradiction' && p > 0.5
    && known.has(source) && known.has(target) && (speaking.has(source) || speaking.has(target)));
  if (!found.length) return null;
  const told = own.between.length > 0;
  return h('section', {class: 'disputes'}, h('h3', {}, 'The sources disagree'), h('ul', {class: 'plain'}, found.map(([source, target, , p]) =>
    h('li', {}, quoted(source), ' and ', quoted(target), ' contradict each other ', h('span', {class: 'p'}, probability(p)),
      told ? disclosed('What the judge said', () => h('ul', {class: 'plain'}, betweenTwo(own, source, target).map((entry) => betweenItem(entry, own)))) : null))));
}

function betweenTwo(own, one, other) {
  const ids = (entry) => [own.premises[entry.premise].id, own.premises[entry.target].id];
  return own.between.filter((entry) => ids(entry).includes(one) && ids(entry).includes(other));
}

/** What one source says of another, with a choice of the right verdict. */
function betweenItem(entry, own) {
  const [premise, target] = [own.premises[entry.premise], own.premises[entry.target]];
  return h('li', {class: `entry ${VERDICTS[entry.label].kind}`},
    h('p', {}, h('strong', {class: 'source'}, nameOf(premise)), ' on ', h('strong', {class: 'source'}, nameOf(target))),
    h('p', {class: 'facts'}, badge(VERDICTS[entry.label]), h('span', {class: 'p', title: 'how sure the judge is'}, probability(entry.p))),
    entry.quote || entry.at ? excerpt(premise, entry) : null, nearestNote(entry), votesOf(entry),
    entry.note ? h('p', {class: 'note'}, quoted(entry.note)) : null,
    entry.corrected ? null : correctionChoice(entry, premise, target));
}

/** All that sources say of each other. */
function betweenSources(own) {
  if (!own.between.length) return null;
  return disclosed(`What the sources say of each other (${own.between.length})`, () =>
    h('ul', {class: 'plain'}, own.between.map((entry) => betweenItem(entry, own))), {class: 'card'});
}

function heldBy(held) {
  return `by ${{contexts: 'the contexts', cited: 'what it cites', answer: 'the answer', reference: 'the reference'}[held.against]}`;
}

function heldLine(held, claim) {
  return h('p', {class: 'facts'}, said(held),
    claim.rows.length > 1 ? h('span', {class: 'note'}, heldBy(held)) : null,
    held.judged === 'partly' ? h('span', {class: 'note'}, 'some of its judgements failed') : null);
}

function goldOf(claim) {
  if (!claim.gold) return null;
  const words = {S: 'supported', NS: 'not supported', C: 'contradicted', U: 'not verifiable'};
  const recall = {S: 'stated', NS: 'not stated'};
  const word = (content.task === 'recall' ? recall : words)[claim.gold] ?? claim.gold;
  return h('p', {class: 'note'}, 'People say: ', h('strong', {}, word), '.');
}

function otherRuns(claim) {
  if (!several) return null;
  return h('ul', {class: 'plain others'}, inRuns(claim).map((same, place) => h('li', {}, h('span', {class: 'note'}, quoted(content.runs[place].name)), ' ',
      same ? said(same.rows[0]) : 'has no such claim')));
}

function fillEvidence(pane, claim, own) {
  pane.replaceChildren();
  if (!claim) {
    append(pane, [h('h2', {}, 'Evidence'), h('p', {class: 'note'}, 'Select a sentence to see the evidence for and against it.')]);
    return;
  }
  const speaking = claim.evidence.filter((entry) => entry.label !== 'neutral');
  const order = {contradiction: 0, entailment: 1};
  speaking.sort((one, other) => order[one.label] - order[other.label] || other.p - one.p);
  const silent = claim.evidence.filter((entry) => entry.label === 'neutral');
  append(pane, [
    h('h2', {tabindex: '-1', id: 'evidence-head'}, quoted(claim.text)),
    claim.rows.map((held) => heldLine(held, claim)), otherRuns(claim), goldOf(claim),
    claim.original ? h('p', {class: 'note'}, 'In the answer’s words: ', quoted(claim.original)) : null,
    claim.fate && claim.fate !== 'kept' ? h('p', {class: 'note'}, `Its sentence was ${claim.fate} in the corrected answer.`) : null,
    [...new Set(claim.rows.map((held) => held.note).filter(Boolean))].map((note) => h('p', {}, quoted(note))),
    speaking.length ? h('ul', {class: 'plain'}, speaking.map((entry) => entryItem(entry, claim, own)))
      : h('p', {class: 'note'}, claim.evidence.length ? 'No source supports or contradicts it.' : 'It has no verdicts.'),
    disputesOf(claim, own), silentOnes(silent, claim, own),
    own.not_computed ? h('p', {class: 'note'}, `The effect of each context is not shown: ${own.not_computed}`) : null,
    h('p', {class: 'onward'}, h('button', {type: 'button', onclick: () => step(-1)}, '‹ Previous to review'),
      h('button', {type: 'button', onclick: () => step(1)}, 'Next to review ›'),
      h('button', {type: 'button', onclick: backToText}, 'Back to the text')),
  ]);
}

/** On paper nothing can be opened: what is to be looked at follows with its evidence. */
function forPrint() {
  const own = ownRun();
  const claims = own.claims.filter((claim) => toLookAt(claim) && claim.id !== current.claim);
  if (!claims.length) return null;
  return h('section', {class: 'for-print'}, h('h2', {}, `The other ${content.claim}s to review`), claims.map((claim) => h('section', {class: 'entry'},
    h('h3', {}, quoted(claim.text)), claim.rows.map((held) => heldLine(held, claim)),
    claim.rows.filter((held) => held.note).map((held) => h('p', {class: 'note'}, quoted(held.note))),
    h('ul', {class: 'plain'}, claim.evidence.filter((entry) => entry.label !== 'neutral').map((entry) => entryItem(entry, claim, own))))));
}
