// What the page holds, and records that are handed over by script files beside it.

const content = JSON.parse(document.getElementById('content').textContent);
const rows = JSON.parse(document.getElementById('rows').textContent);
const several = content.runs.length > 1;

const waiting = new Map();
const texts = new Map();
const KEPT_FILES = 4;

globalThis.factreasonerRecords = (file, records) => {
  texts.set(file, records);
  if (texts.size > KEPT_FILES) texts.delete(texts.keys().next().value);
};

function fileOf(number) {
  const starts = content.files[1];
  let file = 0;
  while (file + 1 < starts.length && starts[file + 1] <= number) file += 1;
  return file;
}

function load(file) {
  if (texts.has(file)) return Promise.resolve();
  if (waiting.has(file)) return waiting.get(file);
  const name = `${content.files[0]}/records-${String(file + 1).padStart(4, '0')}.js`;
  const loading = new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = name;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(
      `${decodeURIComponent(name)} is missing: this report needs its folder beside it.`)));
    document.head.append(script);
  }).finally(() => waiting.delete(file));
  waiting.set(file, loading);
  return loading;
}

/** The whole record of a row. */
async function recordAt(number) {
  if (!content.files) return JSON.parse(document.getElementById(`record-${number}`).textContent);
  const file = fileOf(number);
  await load(file);
  return JSON.parse(texts.get(file)[number - content.files[1][file]]);
}

function addressOf(number, claim) {
  return `#record=${number + 1}${claim === undefined ? '' : `&claim=${encodeURIComponent(claim)}`}`;
}

function numberOf(recordId) {
  return rows.findIndex((row) => row[0] === recordId);
}
