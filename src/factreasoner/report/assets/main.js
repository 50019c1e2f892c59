// Which view is shown, and in which colours.

const page = document.getElementById('page');
let drawing = 0;

function wanted() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const number = Number(parts.get('record')) - 1;
  if (Number.isInteger(number) && number >= 0 && number < rows.length) return {number, claim: parts.get('claim')};
  return null;
}

async function draw() {
  drawing += 1;
  const mine = drawing;
  const view = wanted() ?? (rows.length === 1 && !several && location.hash !== '#overview' ? {number: 0, claim: null} : null);
  if (view && current?.number === view.number && page.querySelector('.record')) {
    choose(view.claim);
    return;
  }
  let record = null;
  let failure = null;
  if (view) {
    try {
      record = await recordAt(view.number);
    } catch (error) {
      failure = error;
    }
    if (mine !== drawing) return;
  }
  page.replaceChildren();
  current = null;
  if (failure) append(page, [h('p', {class: 'warning', role: 'alert'}, failure.message)]);
  else if (record) drawRecord(page, record, view);
  else drawOverview(page);
  if (mine > 1) {
    scrollTo(0, 0);
    if (record && view.claim) choose(view.claim);
    else page.focus({preventScroll: true});
  }
}

function kept(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch {
    // Where nothing may be kept, nothing is.
  }
  return null;
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

document.getElementById('theme-button').addEventListener('click', () => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const now = document.documentElement.dataset.theme ?? (dark ? 'dark' : 'light');
  const theme = now === 'dark' ? 'light' : 'dark';
  setTheme(theme);
  kept('factreasoner-theme', theme);
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  page.focus();
});

addEventListener('beforeprint', () => {
  if (current) append(document.getElementById('record-body'), [forPrint()]);
});
addEventListener('afterprint', () => page.querySelector('.for-print')?.remove());
addEventListener('hashchange', draw);
setTheme(kept('factreasoner-theme'));
startCorrections();
draw();
