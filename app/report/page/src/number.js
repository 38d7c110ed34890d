// Numbers as text, round steps for axes, and statistics. Units are part of the data.

/** Returns a number with five significant digits and commas between thousands, or a dash for a missing value. */
export function format(value, digits = 5) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (typeof value !== 'number') return String(value);
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return minus(value.toLocaleString('en-GB'));
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return minus(value.toExponential(digits - 1).replace(/\.?0+e/, 'e'));
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return minus(value.toLocaleString('en-GB', { maximumFractionDigits: Math.min(places, 12) }));
}

/** Returns a number with its unit. */
export function quantity(value, unit, digits) {
  const text = format(value, digits);
  return unit && text !== '–' ? `${text} ${unit}` : text;
}

/** Returns the number in a cell of a table, which may be text such as "28,886"; NaN if there is none. */
export function numeric(cell) {
  return typeof cell === 'number' ? cell : parseFloat(String(cell ?? '').replace(/,/g, ''));
}

/** Returns 1, 2 or 5 times a power of ten, for about the given number of steps in a range. */
export function roundStep(range, steps) {
  const raw = Math.abs(range) / steps;
  if (!(raw > 0) || !Number.isFinite(raw)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const of = raw / power;
  return Number(((of < 1.5 ? 1 : of < 3.5 ? 2 : of < 7.5 ? 5 : 10) * power).toPrecision(12));
}

/** Returns the multiples of a step within a range. */
export function ticks(low, high, step) {
  const result = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let k = first; k * step <= high + 1e-9 * step && result.length < 200; k++) result.push(Number((k * step).toPrecision(12)));
  return result;
}

/** Returns the median of a sorted list, the mean of both middle numbers of an even count; NaN without numbers. */
export function median(sorted) {
  const n = sorted.length;
  return n ? (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2 : NaN;
}

/** Returns the number of values, of missing values, the least, median and largest value. */
export function summary(list) {
  const sorted = Float64Array.from(list).filter((x) => !Number.isNaN(x)).sort();
  const n = sorted.length;
  return { n, missing: list.length - n, min: n ? sorted[0] : NaN, median: median(sorted), max: n ? sorted[n - 1] : NaN };
}

/** Returns { n, mean, rms, p5, p50, p95, largest: absolute, at: its index } of a list of differences, without NaN. */
export function differenceStatistics(list) {
  const sorted = Float64Array.from(list).filter((x) => !Number.isNaN(x)).sort();
  const n = sorted.length;
  if (n === 0) return { n, mean: NaN, rms: NaN, p5: NaN, p50: NaN, p95: NaN, largest: NaN, at: -1 };
  let [sum, squares, at] = [0, 0, -1];
  list.forEach((x, i) => {
    if (Number.isNaN(x)) return;
    sum += x;
    squares += x * x;
    if (at < 0 || Math.abs(x) > Math.abs(list[at])) at = i;
  });
  const [p5, p50, p95] = [5, 50, 95].map((percent) => percentile(sorted, percent));
  return { n, mean: sum / n, rms: Math.sqrt(squares / n), p5, p50, p95, largest: Math.abs(list[at]), at };
}

/** Interpolates linearly between the two nearest ranks of a sorted list. */
function percentile(sorted, percent) {
  const rank = ((sorted.length - 1) * percent) / 100;
  const k = Math.min(sorted.length - 1, Math.floor(rank));
  return sorted[k] + (rank - k) * (sorted[Math.min(sorted.length - 1, k + 1)] - sorted[k]);
}

function minus(text) {
  return text.replace(/^-/, '−').replace('e-', 'e−');
}
