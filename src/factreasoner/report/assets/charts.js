// Small pictures of numbers. Each says in words what it shows.

function histogram(bins) {
  const most = Math.max(...bins, 1);
  const width = 300 / bins.length;
  const bars = bins.map((count, place) => {
    const height = count ? Math.max(2, (100 * count) / most) : 0;
    const low = place / bins.length;
    return svg('rect', {class: 'bar', x: place * width + 1, y: 106 - height,
      width: width - 2, height}, svg('title', {}, `${low.toFixed(2)} to ${(low + 1 / bins.length).toFixed(2)}: ${count}`));
  });
  const total = bins.reduce((sum, count) => sum + count, 0);
  const below = bins.slice(0, bins.length / 2).reduce((sum, count) => sum + count, 0);
  return h('figure', {}, svg('svg', {viewBox: '0 0 300 124', role: 'img',
    'aria-label': `Probabilities of ${total}; ${below} are below one half`}, bars,
  svg('line', {class: 'axis', x1: 0, x2: 300, y1: 106, y2: 106}),
  svg('line', {class: 'half', x1: 150, x2: 150, y1: 0, y2: 106}),
  svg('text', {x: 0, y: 120}, '0'), svg('text', {x: 150, y: 120, 'text-anchor': 'middle'}, '0.5'),
  svg('text', {x: 300, y: 120, 'text-anchor': 'end'}, '1')),
  h('figcaption', {}, `P of ${counted(total, content.claim)}; the highest bar is ${most}.`));
}

function calibration(points) {
  const x = (value) => 14 + 170 * value;
  const y = (value) => 176 - 170 * value;
  const largest = Math.max(...points.map((point) => point[2]));
  const drawn = points.map(([p, share, size, low, high]) => [
    low === null ? null : svg('line', {class: 'whisker', x1: x(p), x2: x(p), y1: y(low), y2: y(high)}),
    svg('circle', {class: 'point', cx: x(p), cy: y(share), r: 2.5 + 4 * Math.sqrt(size / largest)},
      svg('title', {}, `mean P ${p.toFixed(2)}; ${percent(share)} of ${size} labelled true`)),
  ]);
  return h('figure', {}, svg('svg', {viewBox: '0 0 200 194', role: 'img',
    'aria-label': points.map(([p, share, size]) => `mean P ${p.toFixed(2)}: ${percent(share)} of ${size} are true`).join('; ')},
  svg('line', {class: 'axis', x1: x(0), x2: x(1), y1: y(0), y2: y(0)}),
  svg('line', {class: 'axis', x1: x(0), x2: x(0), y1: y(0), y2: y(1)}),
  svg('line', {class: 'half', x1: x(0), x2: x(1), y1: y(0), y2: y(1)}), drawn,
  svg('text', {x: x(0), y: 190}, '0'), svg('text', {x: x(0.5), y: 190, 'text-anchor': 'middle'}, 'mean P'),
  svg('text', {x: x(1), y: 190, 'text-anchor': 'end'}, '1'),
  svg('text', {x: 2, y: y(1) + 8}, '1')),
  h('figcaption', {}, 'Share with the human label true, by P. Points on the diagonal are well calibrated; bars are 95 % intervals.'));
}

/** A share with its interval on a line from 0 to 1. */
function whisker(scale) {
  if (!scale) return null;
  const [value, low, high] = scale;
  return svg('svg', {class: 'scale', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    svg('line', {class: 'axis', x1: 0, x2: 100, y1: 5, y2: 5}),
    low === null ? null : svg('rect', {class: 'interval', x: 100 * low, y: 2.5, width: Math.max(0.6, 100 * (high - low)), height: 5}),
    svg('rect', {class: 'value', x: Math.min(98.6, 100 * value), y: 0, width: 1.4, height: 10}));
}
