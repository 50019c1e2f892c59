// The passage nearest to a claim that none decides, and what of the claim that passage does not have.

const WORDS = new Intl.Segmenter('en', {granularity: 'word'});
const SENTENCES = new Intl.Segmenter('en', {granularity: 'sentence'});
const SILENT_WORDS = new Set(content.function_words);
const NUMBER = /^\p{N}/u;

/** The words and numbers of a text that say something, as they are written, by their form: "moved" and "moves" have one. */
function formsIn(text) {
  const found = new Map();
  for (const {segment, isWordLike} of WORDS.segment(text)) {
    const word = segment.toLowerCase().replace(/['’]s$/, '');
    if (!isWordLike || SILENT_WORDS.has(word)) continue;
    found.set(NUMBER.test(word) ? word.replaceAll(',', '') : word.replace(/(?<=..)(?:ies|y)$/, 'i').replace(/(?<=...)(?:ing|ed|es|ly|s|e)$/, ''), segment);
  }
  return found;
}

/** The sentences of a text; one that ends in an ordinal, as "on the 11. January", goes on in the next. */
function sentencesIn(text) {
  const found = [];
  for (const {segment} of SENTENCES.segment(text)) {
    if (/(?<![\p{N}\p{L}])\d{1,2}\.\s*$/u.test(found.at(-1) ?? '')) found.push(found.pop() + segment);
    else found.push(segment);
  }
  return found;
}

/** Whether a form stands among others, or one that begins as it does: "treat" and "treatment". */
function isAmong(form, others) {
  if (others.has(form)) return true;
  if (NUMBER.test(form) || form.length < 4) return false;
  return [...others.keys()].some((other) => {
    const least = Math.max(4, Math.ceil(0.6 * Math.max(form.length, other.length)));
    return form.length >= least && other.startsWith(form.slice(0, least));
  });
}

/** Names and numbers weigh more than other words. */
function weightOf(word) {
  return NUMBER.test(word) || word !== word.toLowerCase() ? 2 : 1;
}

/** The premise that has most of a claim's words, unless the judge named one, with its sentence that has most, and the words
    that premise and sentence lack, heavy ones first; none where no sentence has any. */
function nearestTo(claim, own) {
  const forms = formsIn(claim.text);
  const lackedBy = (known) => [...forms].filter(([form]) => !isAmong(form, known)).map(([, word]) => word)
    .sort((one, other) => weightOf(other) - weightOf(one));
  const weigh = (words) => words.reduce((sum, word) => sum + weightOf(word), 0);
  const named = claim.rows[0].nearest;
  const numbers = named === undefined ? claim.evidence.map((entry) => entry.premise) : [named];
  const found = numbers.map((number) => own.premises[number]).filter((premise) => premise?.text).map((premise) => {
    premise.forms ??= formsIn(premise.text);
    const missing = lackedBy(premise.forms);
    return {premise, missing, weight: weigh(missing)};
  });
  if (!found.length || !forms.size) return null;
  const {premise, missing} = found.reduce((one, other) => (other.weight < one.weight ? other : one));
  const said = sentencesIn(premise.text).map((sentence) => {
    const lacked = lackedBy(formsIn(sentence));
    return {sentence: sentence.trim(), lacked, weight: weigh(lacked)};
  });
  const {sentence, lacked} = said.reduce((one, other) => (other.weight < one.weight ? other : one));
  return lacked.length < forms.size && {premise, sentence, missing, lacked};
}

/** Of a claim that nothing decides: the nearest passage, and what of the claim is not in it. */
function nearestPart(claim, own) {
  const found = claim.rows[0].label === 'unverified' ? nearestTo(claim, own) : null;
  if (!found) return null;
  const {premise, sentence, missing, lacked} = found;
  const absent = premise.cut ? 'Not in what this report keeps of it: ' : 'Not in this text: ';
  const [where, words] = missing.length ? [absent, missing] : ['Not in this sentence, but elsewhere in this text: ', lacked];
  return h('div', {class: 'nearest'}, h('blockquote', {}, quoted(sentence), h('footer', {}, 'nearest: ', nameOf(premise))),
    h('p', {class: 'note'}, words.length ? [where, words.map((word, place) => [place ? ', ' : '', h('strong', {class: 'missing'}, quoted(word))])]
      : 'It has all the words of this, but no support was found in it.'));
}
