// The first view: what was found, what to look at first, and all records.

/** What judged, and how much it finds: to be read with every count and score. */
function judgedBy(run) {
  return h('p', {class: 'note'}, 'Judged by: ', quoted(run.judged_by), '.');
}

function runCard(run, place) {
  return h('section', {class: 'card run', 'aria-labelledby': `run-${place}`},
    h(several ? 'h2' : 'h1', {id: `run-${place}`}, several ? quoted(run.name) : run.headline),
    several ? h('p', {class: 'headline'}, run.headline) : null,
    labelBar(run.labels), legend(run.labels, run.marks), judgedBy(run),
    run.corrections ? h('p', {class: 'note'}, 'With a reader’s corrections: ', quoted(run.corrections), '.') : null,
    run.unfinished ? h('p', {class: 'warning'}, run.unfinished) : null,
    run.solver && !run.solver.converged ? h('p', {class: 'warning'}, `Sampling did not converge for ${counted(run.solver.not_converged, 'record')}.`) : null,
    run.failures.total ? h('p', {class: 'warning'}, `${counted(run.failures.total, 'failure')}; see below.`) : null);
}

function figures(run) {
  if (!run.scores.length) return null;
  return h('section', {class: 'card', 'aria-labelledby': 'figures'}, h('h2', {id: 'figures'}, 'Scores'),
    h('dl', {class: 'scores'}, run.scores.filter((score) => score.main).slice(0, 8).map((score) => h('div', {title: score.meaning},
      h('dt', {}, score.name), h('dd', {}, h('strong', {}, score.value), whisker(score.scale),
        h('span', {class: 'note'}, score.interval ? `95 %: ${score.interval[0]} to ${score.interval[1]} ${score.fewer}` : score.fewer || ' '))))),
    judgedBy(run));
}

const AT_ONCE = 8;

function worstClaim(record, number, id) {
  const own = record.runs[0];
  const claim = own.claims.find((one) => one.id === id);
  const [held] = claim.rows;
  const premise = own.premises[held.premise];
  const quote = held.quote ?? (held.at && premise.text.slice(...held.at));
  return h('li', {class: `worst-claim ${signOf(claim).kind}`},
    h('a', {class: 'stretched', href: addressOf(number, claim.id)}, quoted(claim.text)),
    h('p', {class: 'facts'}, said(held), rows.length > 1 ? quoted(record.id, {class: 'note'}) : null),
    quote ? h('blockquote', {}, quoted(quote), h('footer', {}, held.nearest ? 'nearest sentence, ' : null, premise ? nameOf(premise) : null)) : null,
    held.note ? h('p', {class: 'note'}, quoted(held.note)) : null);
}

/** All claims that deserve a second look, those first that deserve it most, some at a time. */
function lookFirst(run) {
  const wanted = run.first.filter(([number]) => number < rows.length);
  if (!wanted.length) return null;
  const list = h('ol', {class: 'worst'});
  const status = h('p', {class: 'note', role: 'status'});
  const more = h('button', {type: 'button', id: 'more-first', onclick: async () => {
    const before = list.children.length;
    await show();
    list.children[before]?.querySelector('a').focus();
  }});
  async function show() {
    const part = wanted.slice(list.children.length, list.children.length + AT_ONCE);
    const claims = [];
    try {
      for (const [number, id] of part) claims.push(worstClaim(await recordAt(number), number, id));
    } catch (error) {
      status.replaceChildren(error.message);
    }
    list.append(...claims);
    const rest = wanted.length - list.children.length;
    if (claims.length === part.length) status.replaceChildren(`${list.children.length} of ${run.to_look_at.toLocaleString('en')}`);
    more.hidden = !rest;
    more.replaceChildren(`Show ${Math.min(rest, AT_ONCE)} more`);
  }
  show();
  return h('section', {'aria-labelledby': 'first'}, h('h2', {id: 'first'}, 'Look at these first'), list, status, more);
}

function scoreTable(runs, name) {
  const names = [...new Set(runs.flatMap((run) => run.scores.map((score) => score.name)))];
  const found = (run, score) => run.scores.find((one) => one.name === score);
  const cell = (run, score) => [h('td', {class: 'number', 'data-of': several ? run.name : 'value'}, score ? score.value : '–'),
    h('td', {class: 'number note'}, score?.interval ? `${score.interval[0]} – ${score.interval[1]} ${score.fewer}` : score?.fewer ?? '')];
  return h('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': name}, h('table', {class: 'all-scores'},
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'score'), runs.map((run) =>
      [h('th', {scope: 'col', class: 'number'}, several ? quoted(run.name) : 'value'), h('th', {scope: 'col', class: 'number'}, '95 %')]),
    h('th', {scope: 'col'}, 'meaning'))),
    h('tbody', {}, names.map((score) => {
      const one = runs.map((run) => found(run, score)).find(Boolean);
      return h('tr', {}, h('th', {scope: 'row'}, score, ' ', one.better), runs.map((run) => cell(run, found(run, score))),
        h('td', {class: 'note'}, one.meaning));
    }))));
}

function groupTable(groups, key) {
  const names = [...new Set(groups.flatMap((group) => group.scores.map((score) => score.name)))].slice(0, 6);
  return h('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Scores by ${key}`}, h('table', {},
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, quoted(key)), h('th', {scope: 'col', class: 'number'}, 'records'),
      names.map((name) => h('th', {scope: 'col', class: 'number'}, name)))),
    h('tbody', {}, groups.map((group) => h('tr', {}, h('th', {scope: 'row'}, quoted(group.name)),
      h('td', {class: 'number'}, group.records), names.map((name) => {
        const score = group.scores.find((one) => one.name === name);
        return h('td', {class: 'number', title: score?.interval ? `95 %: ${score.interval.join(' to ')}` : ''}, score ? `${score.value} ${score.fewer}` : '–');
      }))))));
}

function spent(run) {
  const {calls, cached_calls: cached, prompt_tokens: prompt, completion_tokens: completion, cost} = run.usage;
  const cells = [['model calls', `${calls.toLocaleString('en')}${cached ? `, ${cached.toLocaleString('en')} more from the cache` : ''}`],
    ['tokens', `${prompt.toLocaleString('en')} read, ${completion.toLocaleString('en')} written`],
    ['cost', cost === null ? 'unknown: the model has no known price' : `$${cost.toFixed(4)}`],
    ['time of all records together', `${run.seconds.toFixed(1)} s`],
    ['verdicts', Object.entries(run.verdicts).map(([label, count]) => `${count.toLocaleString('en')} ${label}`).join(', ') || 'none']];
  return h('dl', {class: 'pairs'}, cells.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

function failuresOf(run) {
  if (!run.failures.total) return h('p', {}, 'None.');
  return h('ul', {}, Object.entries(run.failures.messages).map(([message, count]) => h('li', {}, `${count} × `, quoted(message))));
}

function details(run) {
  return h('section', {class: 'details', 'aria-label': `About the run ${run.name}`},
    several ? h('h2', {}, quoted(run.name)) : h('h2', {}, 'About this run'),
    h('div', {class: 'grid'},
      h('section', {class: 'card'}, h('h3', {}, 'Probabilities'), histogram(run.bins)),
      run.calibration ? h('section', {class: 'card'}, h('h3', {}, 'Calibration'), calibration(run.calibration),
        run.few ? h('p', {class: 'note'}, run.few) : null) : null,
      h('section', {class: 'card'}, h('h3', {}, 'What it took'), spent(run)),
      h('section', {class: 'card'}, h('h3', {}, 'Failures'), failuresOf(run)),
      h('section', {class: 'card'}, h('h3', {}, 'Made with'), h('dl', {class: 'pairs'}, [['judge', run.judged_by], ...run.made].map(([name, value]) =>
        h('div', {}, h('dt', {}, name), h('dd', {}, quoted(value))))))),
    Object.entries(run.groups).map(([key, groups]) =>
      disclosed(['By ', quoted(key)], () => groupTable(groups, key), {open: true})));
}

function differences() {
  const shared = rows.filter((row) => row[4].every((run) => run));
  if (!shared.length) return 'No record is in every run.';
  const told = (place, one, more) => {
    const count = shared.reduce((sum, row) => sum + row[3][place], 0);
    const records = shared.filter((row) => row[3][place]).length;
    return count ? `${counted(count, content.claim)} in ${counted(records, 'record')} ${count === 1 ? one : more} in every run.` : '';
  };
  const unmatched = told(1, 'is not', 'are not');
  const same = `Every ${content.claim}${unmatched ? ' that is in every run' : ''} has the same label in every run.`;
  const apart = rows.length - shared.length;
  return [told(0, 'does not have the same label', 'do not have the same label') || same, unmatched,
    apart ? `${counted(apart, 'record')} ${apart === 1 ? 'is' : 'are'} not in every run.` : ''].filter(Boolean).join(' ');
}

const OPEN_SETTINGS = 6;

/** What was set otherwise in one run than in another. */
function differingSettings() {
  const {differing} = content;
  if (!differing.length) return h('p', {}, 'The runs were made with the same settings.');
  return disclosed(`What was set differently (${differing.length})`, () =>
    h('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'What was set differently'}, h('table', {class: 'settings'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'setting'), content.runs.map((run) => h('th', {scope: 'col'}, quoted(run.name))))),
      h('tbody', {}, differing.map(([setting, values]) => h('tr', {}, h('th', {scope: 'row'}, setting),
        values.map((value) => h('td', {}, quoted(value)))))))),
  {class: 'card', open: differing.length <= OPEN_SETTINGS});
}

function drawOverview(page) {
  document.title = `${content.runs.map((run) => run.name).join(' and ')} – factreasoner`;
  append(page, [
    several ? [h('h1', {tabindex: '-1'}, `${counted(content.runs.length, 'run')} side by side`), h('p', {}, differences()), differingSettings()] : null,
    h('div', {class: several ? 'runs' : 'hero'}, content.runs.map(runCard)),
    several ? null : [lookFirst(content.runs[0]), figures(content.runs[0])],
    recordTable(),
    disclosed('All scores', () => scoreTable(content.runs, 'All scores'), {open: several, class: 'card'}),
    content.runs.map(details),
  ]);
}
