// Claims by what they were held against, a verdict a cell.

const MOST_CELLS = 8000;

function matrixOf(own, of) {
  const claims = own.claims.filter((claim) => claim.of === of);
  const present = new Set(claims.flatMap((claim) => claim.evidence.map((entry) => entry.premise)));
  const premises = own.premises.map((premise, place) => [premise, place]).filter(([, place]) => present.has(place));
  if (claims.length * premises.length > MOST_CELLS) {
    return h('p', {class: 'note'}, `${counted(claims.length, content.claim)} by ${counted(premises.length, 'source')} are too many for a table; open one to see its sources.`);
  }
  return h('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Claims of the ${of} by source`}, h('table', {class: 'matrix'},
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, content.claim),
      premises.map(([premise]) => h('th', {scope: 'col', title: premise.title || premise.text.slice(0, 200)}, quoted(premise.title && !premise.text ? premise.title : premise.id))))),
    h('tbody', {}, claims.map((claim) => {
      const entries = new Map(claim.evidence.map((entry) => [entry.premise, entry]));
      return h('tr', {}, h('th', {scope: 'row'}, said(claim.rows[0]), ' ', claim.of === 'reference' ? [h('span', {class: 'note'}, heldBy(claim.rows[0])), ' '] : null, h('a', {href: addressOf(current.number, claim.id)}, quoted(claim.text))),
        premises.map(([premise, place]) => {
          const entry = entries.get(place);
          if (!entry) return h('td', {class: 'none'}, h('span', {class: 'sr'}, 'not judged'));
          const {mark, word, kind} = VERDICTS[entry.label];
          return h('td', {class: `cell ${kind}`, title: `${premise.id}: ${word}, ${probability(entry.p)}`},
            h('span', {'aria-hidden': 'true'}, mark), h('span', {class: 'sr'}, word));
        }));
    }))));
}

function matrices(own) {
  const kinds = [...new Set(own.claims.map((claim) => claim.of))];
  return kinds.map((of) => disclosed(of === 'facts' ? 'Facts by source' : `Claims of the ${of} by source`, () => matrixOf(own, of),
    {class: 'card', open: content.task === 'rag'}));
}
