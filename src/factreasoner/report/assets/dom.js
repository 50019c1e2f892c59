// Elements from data. Text only ever becomes text nodes; what would act or hide in it is shown.

const ACTING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function codeOf(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text for an attribute, with hidden characters as their codes. */
function plain(text) {
  return String(text).replace(ACTING, (character) => `⟨${codeOf(character)}⟩`);
}

/** A text as nodes, with hidden characters as marked codes. */
function shown(text) {
  const nodes = [];
  let from = 0;
  const whole = String(text);
  for (const found of whole.matchAll(ACTING)) {
    if (found.index > from) nodes.push(whole.slice(from, found.index));
    const mark = document.createElement('span');
    mark.className = 'hidden-character';
    mark.title = 'a character that would not be seen';
    mark.textContent = codeOf(found[0]);
    nodes.push(mark);
    from = found.index + found[0].length;
  }
  nodes.push(whole.slice(from));
  return nodes;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.setAttribute('class', value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : plain(value));
  }
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) element.append(child);
    else element.append(...shown(child));
  }
  return element;
}

/** h('p', {class: 'note'}, 'text', element, ...) */
function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  setAll(element, attributes);
  return append(element, children);
}

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAll(element, attributes);
  return append(element, children);
}

/** Somebody's text: its direction is its own and can't reach what stands around it. */
function quoted(text, attributes = {}) {
  return h('bdi', attributes, text);
}

function percent(share) {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** A probability with two digits that never rounds to certainty. */
function probability(p) {
  if (p === null || p === undefined) return '–';
  if (p > 0.995 && p < 1) return '> 0.99';
  if (p < 0.005 && p > 0) return '< 0.01';
  return p.toFixed(2);
}

function counted(number, word) {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}

/** A link to somewhere else where the address is one of the web; else the address as text. */
function linked(address) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    return quoted(address);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return quoted(address);
  return h('a', {href: url.href, target: '_blank', rel: 'noopener noreferrer'}, quoted(address));
}

/** A part that is drawn when it is first opened. */
function disclosed(summary, draw, attributes = {}) {
  const details = h('details', attributes, h('summary', {}, summary));
  let drawn = false;
  const open = () => {
    if (details.open && !drawn) {
      drawn = true;
      append(details, [draw()]);
    }
  };
  details.addEventListener('toggle', open);
  if (attributes.open) open();
  return details;
}
