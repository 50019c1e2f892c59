// All records: searched, filtered, sorted, and drawn a page at a time.

const PAGE = 25;
const table = {words: '', label: '', status: '', sort: several ? 'differs' : 'doubt', up: false, shown: PAGE};

function countsOf(row) {
  return row[4].map((run) => run?.[1] ?? {});
}

function marksIn(row) {
  return row[4].map((run) => run?.[2] ?? {});
}

function doubtOf(row) {
  const counts = countsOf(row)[0];
  return (marksIn(row)[0].disputed ?? 0) * 1e2 + (counts.contradicted ?? 0) * 1e6 + (counts.conflicting ?? 0) * 1e4 + (counts.unverified ?? 0) + (counts.unknown_source ?? 0) * 1e6;
}

function shareOf(row, run) {
  const counts = countsOf(row)[run];
  const judged = totalOf(counts) - (counts['not judged'] ?? 0);
  return judged ? (counts.supported ?? 0) / judged : null;
}

/** Whether some run has no such record. */
function isApart(row) {
  return row[4].some((run) => !run);
}

/** Whether some claims are not in every run that has their record. */
function someUnmatched() {
  return several && rows.some((row) => row[3][1]);
}

const BY_NAME = new Intl.Collator('en', {numeric: true});

const SORTS = {
  record: (one, other) => BY_NAME.compare(one[0], other[0]),
  doubt: (one, other) => doubtOf(one) - doubtOf(other),
  differs: (one, other) => isApart(one) - isApart(other) || one[3][0] - other[3][0] || doubtOf(one) - doubtOf(other),
  unmatched: (one, other) => one[3][1] - other[3][1],
  share: (one, other) => (shareOf(one, 0) ?? 2) - (shareOf(other, 0) ?? 2),
  claims: (one, other) => totalOf(countsOf(one)[0]) - totalOf(countsOf(other)[0]),
};

/** Columns that are sorted from the lowest first. */
const RISING = ['record', 'share'];

const SEARCHED = 'question, id, topic';

/** What of each record is searched, in lower case: its texts may be in other files. */
const searched = rows.map((row) => `${row[0]} ${row[1]} ${row[2]}`.toLowerCase());

function matching() {
  const words = table.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.map((row, number) => [row, number]).filter(([row, number]) => {
    return words.every((word) => searched[number].includes(word))
      && (!table.label || [...countsOf(row), ...marksIn(row)].some((counts) => counts[table.label]))
      && (!table.status || row[4].some((run) => run?.[0] === table.status));
  });
  const sign = table.up ? 1 : -1;
  return found.sort(([one, place], [other, second]) => sign * SORTS[table.sort](one, other) || place - second);
}

/** The rows before and after one in the list as it is searched, filtered and sorted; in the whole list where it is not in that. */
function besides(number) {
  const listed = matching().map(([, place]) => place);
  const list = listed.includes(number) ? listed : [...rows.keys()];
  const at = list.indexOf(number);
  return {before: list[at - 1], after: list[at + 1], place: list.length < rows.length ? `${at + 1} of the ${counted(list.length, 'record')} found` : null};
}

function recordRow([row, number]) {
  const statuses = [...new Set(row[4].map((run) => run?.[0] ?? 'not in this run'))].filter((status) => status !== 'ok');
  return h('tr', {},
    h('th', {scope: 'row'}, h('a', {class: 'stretched', href: addressOf(number)}, quoted(row[1] || row[0])),
      h('span', {class: 'note'}, quoted(row[0]), statuses.map((status) => [' · ', h('em', {}, status.replace('_', ' '))]))),
    several ? h('td', {class: 'number'}, row[3][0] || '') : null,
    someUnmatched() ? h('td', {class: 'number'}, row[3][1] || '') : null,
    countsOf(row).map((counts, run) => h('td', {class: 'shares'}, labelBar(counts),
      h('span', {class: 'note'}, looksIn(counts).filter(([{kind}]) => kind !== 'supported')
        .map(([{mark}, count]) => `${mark} ${count} `), marksIn(row)[run].disputed ? `${MARKS.disputed.mark} ${marksIn(row)[run].disputed} ` : null, shareOf(row, run) === null ? 'nothing judged' : ''))),
    several ? null : h('td', {class: 'number'}, totalOf(countsOf(row)[0])),
    several ? null : h('td', {class: 'number'}, shareOf(row, 0) === null ? '–' : percent(shareOf(row, 0))));
}

function columnHead(key, words, attributes = {}) {
  const chosen = table.sort === key;
  return h('th', {scope: 'col', 'aria-sort': chosen ? (table.up ? 'ascending' : 'descending') : null, ...attributes},
    h('button', {type: 'button', onclick: () => {
      table.up = chosen ? !table.up : RISING.includes(key);
      table.sort = key;
      redrawTable(`sort-${key}`);
    }, id: `sort-${key}`}, words, h('span', {class: 'arrow', 'aria-hidden': 'true'}, chosen ? (table.up ? ' ▲' : ' ▼') : '')));
}

function tableBody() {
  const found = matching();
  const rest = found.length - table.shown;
  return [
    h('p', {class: 'note', role: 'status'}, found.length === rows.length
      ? counted(rows.length, 'record') : `${found.length.toLocaleString('en')} of ${counted(rows.length, 'record')}`),
    h('table', {class: 'records'}, h('thead', {}, h('tr', {}, columnHead('record', 'record'),
      several ? columnHead('differs', 'labels differ', {class: 'number'}) : null,
      someUnmatched() ? columnHead('unmatched', 'not in every run', {class: 'number'}) : null,
      content.runs.map((run, place) => place === 0 ? columnHead('doubt', several ? quoted(run.name) : 'labels')
        : h('th', {scope: 'col'}, quoted(run.name))),
      several ? null : columnHead('claims', `${content.claim}s`, {class: 'number'}),
      several ? null : columnHead('share', wordOf('supported'), {class: 'number'}))),
    h('tbody', {}, found.slice(0, table.shown).map(recordRow))),
    rest > 0 ? h('button', {type: 'button', id: 'more', onclick: () => {
      table.shown += PAGE * 4;
      redrawTable('more');
    }}, `Show ${Math.min(rest, PAGE * 4)} more`) : null,
  ];
}

function redrawTable(focus) {
  const body = document.getElementById('table-body');
  body.replaceChildren();
  append(body, tableBody());
  document.getElementById(focus)?.focus();
}

function choice(name, key, options) {
  return h('label', {}, name, h('select', {onchange: (event) => {
    table[key] = event.target.value;
    table.shown = PAGE;
    redrawTable();
  }}, options.map(([value, words]) => h('option', {value, selected: table[key] === value}, words))));
}

function recordTable() {
  const present = (label) => content.runs.some((run) => run.labels[label]);
  const marked = (mark) => content.runs.some((run) => run.marks[mark]);
  const statuses = [...new Set(rows.flatMap((row) => row[4].map((run) => run?.[0]).filter(Boolean)))];
  return h('section', {'aria-labelledby': 'records-head'}, h('h2', {id: 'records-head'}, 'Records'),
    content.left_out ? h('p', {class: 'warning'}, `${counted(content.left_out, 'further record')} ${content.left_out === 1 ? 'is' : 'are'} left out of this list; the scores are of all.`) : null,
    h('form', {class: 'filters', onsubmit: (event) => event.preventDefault()},
      h('label', {}, 'Search', h('input', {type: 'search', value: table.words, placeholder: SEARCHED, 'aria-label': `Search ${SEARCHED}`, oninput: (event) => {
        table.words = event.target.value;
        table.shown = PAGE;
        redrawTable();
      }})),
      choice('With', 'label', [['', 'any label'], ...ORDER.filter(present).map((label) => [label, wordOf(label)]),
        ...Object.keys(MARKS).filter(marked).map((mark) => [mark, MARKS[mark].word])]),
      statuses.length > 1 ? choice('Status', 'status', [['', 'any'], ...statuses.map((status) => [status, status.replace('_', ' ')])]) : null),
    h('div', {id: 'table-body'}, tableBody()));
}
