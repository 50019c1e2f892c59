// The answer with its claims in their places.

/** Pieces of a text, each a link to the claim over it that deserves a look most. */
function markedText(own, pieces) {
  return h('div', {class: 'answer-text', dir: 'auto'}, pieces.map(([text, over]) => {
    if (!over.length) return text;
    const claims = over.map((place) => own.claims[place]);
    const claim = claims.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
    const p = claim.rows[0].p;
    return h('a', {class: `atom ${signOf(claim).kind}`, href: addressOf(current.number, claim.id), 'data-claims': JSON.stringify(claims.map((one) => one.id)),
      'data-mark': signOf(claim).mark,
      title: claims.map((one) => `${wordsOf(one)}, P ${probability(one.rows[0].p)}: ${one.text}`).join('\n'),
      'aria-label': `${text.trim()} (${wordsOf(claim)}, P ${probability(p)})`}, text);
  }));
}

function unplaced(own, pieces) {
  const placed = new Set(pieces.flatMap(([, over]) => over));
  const left = own.claims.filter((claim, place) => claim.of !== 'reference' && !placed.has(place));
  if (!left.length) return null;
  const facts = content.task === 'recall';
  return h('section', {}, h('h3', {}, facts ? 'Facts that the answer is not quoted for' : `Their place in the answer is not known`),
    h('ul', {class: 'plain loose'}, left.map((claim) => h('li', {},
      h('a', {class: `atom ${signOf(claim).kind}`, href: addressOf(current.number, claim.id), 'data-claims': JSON.stringify([claim.id]),
        'data-mark': signOf(claim).mark}, quoted(claim.text)), ' ', h('span', {class: 'p'}, probability(claim.rows[0].p))))));
}

/** What follows the pieces of one claim is marked once, at its last piece. */
function markEnds(holder) {
  const last = new Map();
  for (const piece of holder.querySelectorAll('.atom')) last.set(piece.getAttribute('href'), piece);
  for (const piece of last.values()) piece.classList.add('last');
}

function answerPart(own) {
  const part = h('section', {class: 'answer', 'aria-labelledby': 'answer-head'},
    h('h2', {id: 'answer-head', tabindex: '-1'}, content.task === 'recall' ? 'Answer, with what it is quoted for' : 'Answer'),
    own.answer.length ? markedText(own, own.answer) : h('p', {class: 'note'}, 'The answer is empty.'),
    own.claims.length ? unplaced(own, own.answer) : h('p', {class: 'note'}, 'There is nothing in it to judge.'));
  markEnds(part);
  return part;
}

/** What was removed or added, in the colour of what is wrong or right. */
function changed(kind, text) {
  return h(kind, {class: kind === 'del' ? 'contradicted' : 'supported'}, text);
}

function correctedPart(own) {
  if (!own.corrected) return null;
  const side = (pieces, kind) => h('div', {class: 'answer-text', dir: 'auto'}, pieces.map(([change, text]) =>
    change === 'same' ? text : changed(kind, text)));
  const differs = own.corrected.before.some(([change]) => change !== 'same') || own.corrected.after.some(([change]) => change !== 'same');
  return h('section', {class: 'card', 'aria-labelledby': 'corrected-head'}, h('h2', {id: 'corrected-head'}, 'Corrected'),
    differs ? h('div', {class: 'sides'},
      h('section', {}, h('h3', {}, 'Before'), side(own.corrected.before, 'del')),
      h('section', {}, h('h3', {}, 'After'), side(own.corrected.after, 'ins')))
      : h('p', {}, 'Nothing was changed.'),
    own.corrected.changes.length ? h('ul', {class: 'plain'}, own.corrected.changes.map((change) => h('li', {},
      h('p', {}, changed('del', quoted(change.before)), ' → ', change.after ? changed('ins', quoted(change.after)) : h('em', {}, 'removed')),
      h('ul', {}, change.why.map((why) => h('li', {class: 'note'}, quoted(why))))))) : null);
}
