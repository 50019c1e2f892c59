// Verdicts that a reader knows better, kept in this browser and handed out as a file.

const STORE = `factreasoner-corrections-${content.digest}`;
const corrections = new Map();

function correctionKey(run, record, premise, claim) {
  return JSON.stringify([run, record, premise, claim]);
}

function correctionOf(run, record, premise, claim) {
  return corrections.get(correctionKey(run, record, premise, claim));
}

function showCount() {
  const button = document.getElementById('corrections-button');
  button.textContent = corrections.size ? `Corrections (${corrections.size})` : 'Corrections';
}

function correct(run, correction) {
  const key = correctionKey(run, correction.record, correction.premise, correction.claim);
  if (correction.label === correction.was) corrections.delete(key);
  else corrections.set(key, correction);
  kept(STORE, JSON.stringify([...corrections]));
  showCount();
}

/** A choice of the right verdict for one premise and one claim. */
function correctionChoice(entry, premise, claim) {
  const {run, record} = current;
  const known = correctionOf(run, record.id, premise.id, claim.id);
  const select = h('select', {onchange: (event) => {
    correct(run, {record: record.id, task: content.task, premise: premise.id, claim: claim.id,
      label: event.target.value, was: entry.label});
    mark.hidden = event.target.value === entry.label;
  }}, Object.entries(VERDICTS).map(([label, {word}]) =>
    h('option', {value: label, selected: label === (known?.label ?? entry.label)}, label === entry.label ? `right: ${word}` : `wrong: ${word}`)));
  const mark = h('span', {class: 'corrected', hidden: !known}, 'corrected');
  return h('label', {class: 'correction'}, 'This verdict is ', select, ' ', mark);
}

function linesOf(run) {
  return [...corrections].filter(([key]) => JSON.parse(key)[0] === run).map(([, correction]) => correction);
}

function download(run) {
  const lines = linesOf(run).map((correction) => `${JSON.stringify(correction)}\n`).join('');
  const url = URL.createObjectURL(new Blob([lines], {type: 'application/jsonl'}));
  const name = content.runs[run].name.replace(/[^\p{L}\p{N}._-]+/gu, '-');
  const link = h('a', {href: url, download: `corrections-${name}.jsonl`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function correctionLine(key, correction) {
  const note = h('input', {type: 'text', value: correction.note ?? '', oninput: (event) => {
    const changed = {...correction, note: event.target.value};
    if (!changed.note) delete changed.note;
    corrections.set(key, changed);
    kept(STORE, JSON.stringify([...corrections]));
  }});
  return h('li', {}, h('p', {}, quoted(correction.record), ' · ', quoted(correction.premise), ' → ', quoted(correction.claim), ': ',
    VERDICTS[correction.was].word, ' → ', h('strong', {}, VERDICTS[correction.label].word)),
  h('label', {}, 'Why (if you like)', note),
  h('button', {type: 'button', onclick: () => {
    corrections.delete(key);
    kept(STORE, JSON.stringify([...corrections]));
    showCount();
    fillDialog();
  }}, 'Take back'));
}

let dialog = null;

function fillDialog() {
  dialog.replaceChildren();
  const parts = content.runs.map((run, place) => {
    const own = [...corrections].filter(([key]) => JSON.parse(key)[0] === place);
    if (!own.length) return null;
    return h('section', {}, several ? h('h3', {}, quoted(run.name)) : null,
      h('ul', {class: 'plain'}, own.map(([key, correction]) => correctionLine(key, correction))),
      h('p', {}, h('button', {type: 'button', class: 'primary', onclick: () => download(place)}, 'Download as a file')),
      h('p', {class: 'note'}, 'Then: ', h('code', {}, run.score)));
  });
  append(dialog, [h('h2', {id: 'corrections-head'}, 'Corrections'),
    corrections.size ? parts : h('p', {}, 'None yet. Open a claim, and where a verdict on a passage is wrong, say what is right.'),
    h('form', {method: 'dialog'}, h('button', {}, 'Close'))]);
}

function startCorrections() {
  try {
    for (const [key, correction] of JSON.parse(kept(STORE) ?? '[]')) corrections.set(key, correction);
  } catch {
    corrections.clear();
  }
  dialog = h('dialog', {'aria-labelledby': 'corrections-head'});
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    if (current) choose(current.claim);
  });
  document.getElementById('corrections-button').addEventListener('click', () => {
    fillDialog();
    dialog.showModal();
  });
  showCount();
}
