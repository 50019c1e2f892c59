// One record: its answer, the evidence of what is chosen in it, its claims, its picture.

let current = null;

const NARROW = 900;

function ownRun() {
  return current.record.runs[current.run];
}

function rank(claim) {
  return rankOf(claim) * 10 + (claim.rows[0].p ?? 1);
}

function step(by) {
  const own = ownRun();
  const wanted = own.claims.filter(toLookAt);
  const claims = wanted.length ? wanted : own.claims;
  const at = claims.findIndex((claim) => claim.id === current.claim);
  const next = claims[(at + by + claims.length) % claims.length];
  location.hash = addressOf(current.number, next.id);
}

function backToText() {
  const place = [...page.querySelectorAll('.answer .atom')].find((one) => JSON.parse(one.dataset.claims).includes(current.claim));
  (place ?? document.getElementById('answer-head')).focus();
}

/** Show the evidence of a claim; the keyboard goes there with it. */
function choose(id, moving = true) {
  const own = ownRun();
  const claim = own.claims.find((one) => one.id === id);
  current.claim = claim?.id ?? null;
  fillEvidence(document.getElementById('evidence'), claim, own);
  for (const piece of page.querySelectorAll('[data-claims]')) {
    const chosen = JSON.parse(piece.dataset.claims).includes(current.claim);
    piece.classList.toggle('chosen', chosen);
    if (chosen) piece.setAttribute('aria-current', 'true');
    else piece.removeAttribute('aria-current');
  }
  if (moving && claim) document.getElementById('evidence-head').focus({preventScroll: innerWidth >= NARROW});
}

/** The same claim in every run of the page. */
function inRuns(claim) {
  return current.record.runs.map((run) => run?.claims.find((one) => one.of === claim.of && one.text === claim.text));
}

/** Whether the runs that have a claim give it different labels. */
function differs(found) {
  return new Set(found.filter(Boolean).map(labelOf)).size > 1;
}

/** Whether a run that has the record has no such claim. */
function isUnmatched(found) {
  return found.some((one, place) => !one && current.record.runs[place]);
}

function claimList(own) {
  const kinds = [...new Set(own.claims.map((claim) => claim.of))];
  const names = {answer: `${content.claim}s of the answer`, reference: 'claims of the reference', facts: 'facts'};
  return kinds.map((of) => disclosed(`All ${names[of] ?? of} (${own.claims.filter((claim) => claim.of === of).length})`, () =>
    h('ol', {class: 'claims'}, own.claims.filter((claim) => claim.of === of).map((claim) => {
      const found = several ? inRuns(claim) : [claim];
      return h('li', {class: differs(found) ? 'differs' : null, 'data-claims': JSON.stringify([claim.id])},
        h('a', {href: addressOf(current.number, claim.id)}, quoted(claim.text)),
        h('span', {class: 'said'}, found.map((one) => h('span', {}, one ? said(one.rows[0])
          : h('span', {class: 'note'}, 'no such ', content.claim)))));
    })), {open: true, class: 'card'}));
}

function runSwitch() {
  if (!several) return null;
  return h('fieldset', {class: 'switch'}, h('legend', {}, 'Shown'), content.runs.map((run, place) =>
    h('label', {}, h('input', {type: 'radio', name: 'run', value: String(place), checked: place === current.run,
      disabled: !current.record.runs[place], onchange: () => {
        current.run = place;
        fillRecord(current.claim);
      }}), ' ', quoted(run.name))));
}

function scoresOf(own) {
  return h('section', {class: 'card', 'aria-labelledby': 'figures'}, h('h2', {id: 'figures'}, 'Scores'),
    h('dl', {class: 'scores small'}, own.scores.map(([name, value, meaning]) =>
      h('div', {title: meaning}, h('dt', {}, name), h('dd', {}, h('strong', {}, value))))),
    solverLine(own));
}

function solverLine(own) {
  if (!own.solver) return null;
  const {name, exact, converged, width, stderr} = own.solver;
  if (converged === false) return h('p', {class: 'warning'}, `Sampling (${name}) did not converge: do not rely on these probabilities.`);
  return h('p', {class: 'note'}, exact ? `Probabilities are exact (width ${width ?? 'unknown'}).`
    : `Probabilities are by ${name}, not exact${stderr === null ? '' : `; standard error at most ${stderr.toFixed(3)}`}.`);
}

/** How many claims have each label, and how many each mark. */
function countsOfRun(own) {
  const [counts, marks] = [{}, {}];
  const add = (to, key) => { to[key] = (to[key] ?? 0) + 1; };
  for (const claim of own.claims.filter((one) => one.of !== 'reference')) {
    add(counts, labelOf(claim));
    for (const mark of claim.rows[0].marks ?? []) add(marks, mark);
  }
  return [counts, marks];
}

/** Both sentences of every two claims of the answer that contradict each other. */
function selfContradictions(own) {
  if (!own.self_contradictions.length) return null;
  const claim = (id) => own.claims.find((one) => one.id === id);
  const item = (id) => h('li', {}, h('a', {href: addressOf(current.number, id)}, quoted(claim(id)?.text ?? id)));
  const found = own.self_contradictions.filter(([one, other]) => claim(one) && claim(other));
  const score = own.coherence === null ? null : h('p', {class: 'note'}, `Coherence ${own.coherence.toFixed(3)}: the largest share of claims without such a pair. It has no part in any probability.`);
  return h('section', {class: 'card', 'aria-labelledby': 'contradicts-itself'}, h('h2', {id: 'contradicts-itself'}, 'The answer contradicts itself'),
    found.map(([one, other, p]) => h('ul', {class: 'pair'}, item(one), item(other), h('li', {class: 'note'}, `contradiction, ${probability(p)}`))), score);
}

function referencePart(own) {
  const reference = own.premises.find((premise) => premise.id === 'reference');
  const text = reference?.text ?? own.reference;
  return text ? disclosed(content.task === 'recall' ? 'The right answer' : 'The reference', () =>
    h('div', {class: 'answer-text', dir: 'auto'}, text), {class: 'card'}) : null;
}

function fillRecord(claim) {
  const holder = document.getElementById('record-body');
  const own = ownRun();
  holder.replaceChildren();
  const [counts, marks] = countsOfRun(own);
  const ranked = [...own.claims].sort((one, other) => rank(one) - rank(other));
  const first = claim ?? (ranked.find((one) => differs(inRuns(one))) ?? ranked.find((one) => isUnmatched(inRuns(one))) ?? ranked[0])?.id ?? null;
  append(holder, [
    labelBar(counts), legend(counts, marks), judgedBy(content.runs[current.run]),
    own.failures.length ? disclosed(`${counted(own.failures.length, 'failure')} in this record`, () => h('ul', {}, own.failures.map(([stage, item, message]) =>
      h('li', {}, stage, ' ', quoted(item), ': ', quoted(message)))), {class: 'warning'}) : null,
    own.unchecked.length ? disclosed(own.not_checked, () => h('ul', {}, own.unchecked.map(([words, reason]) =>
      h('li', {}, quoted(words), ` (${reason})`))), {class: 'note'}) : null,
    h('div', {class: 'reading'}, answerPart(own),
      h('aside', {id: 'evidence', class: 'evidence', 'aria-label': 'Evidence'})),
    selfContradictions(own), correctedPart(own), scoresOf(own), content.task === 'rag' ? matrices(own) : null,
    own.relations?.length ? disclosed('Picture of the evidence', () => graphPicture(own), {class: 'card'}) : null,
    claimList(own), betweenSources(own), content.task === 'rag' || !own.claims.length ? null : matrices(own), referencePart(own),
    current.record.meta.length ? disclosed('What else the record says', () => h('dl', {class: 'pairs'}, current.record.meta.map(([name, value]) =>
      h('div', {}, h('dt', {}, quoted(name)), h('dd', {}, quoted(value)))))) : null,
  ]);
  choose(first, false);
}

function drawRecord(page, record, view) {
  const run = Math.max(0, record.runs.findIndex(Boolean));
  current = {number: view.number, record, run, claim: null};
  const status = record.runs[run].status;
  document.title = `${record.id} – factreasoner`;
  const {before, after, place} = besides(view.number);
  const near = (number, words) => number === undefined ? null : h('a', {href: addressOf(number)}, words);
  append(page, [h('article', {class: 'record'},
    h('nav', {class: 'crumbs', 'aria-label': 'Records'}, rows.length > 1 || several ? h('a', {href: '#'}, '← All records') : h('a', {href: '#overview'}, 'About the run'),
      near(before, '‹ Previous'), near(after, 'Next ›'), place ? h('span', {class: 'note'}, place) : null),
    h('h1', {tabindex: '-1'}, quoted(record.prompt ? rows[view.number][1] : record.topic || record.id)),
    record.prompt && rows[view.number][1].endsWith(' …') ? disclosed('The whole question', () => h('div', {class: 'answer-text', dir: 'auto'}, record.prompt)) : null,
    h('p', {class: 'note'}, quoted(record.id), record.topic && record.prompt ? [' · ', quoted(record.topic)] : null,
      status === 'ok' ? null : [' · ', h('strong', {}, status.replace('_', ' '))]),
    runSwitch(), h('div', {id: 'record-body'}))]);
  fillRecord(view.claim);
}
