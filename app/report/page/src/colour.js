// Colours of maps, of differences, of curves and of the theme. Both scales are perceptually uniform in OKLab (B. Ottosson, "A
// perceptual color space for image processing", 2020). The sequential scale is the one in Myotile's pictures: its lightness increases
// evenly from violet to yellow. The diverging scale has its lightest colour in the middle and two arms of equal lightness, blue and red.

const chroma = [0.145, 0.126, 0.104, 0.155, 0.178];
const hueDegrees = [300, 264, 202, 152, 106];
export const shades = 512;

/** Scales as bytes of sRGB: [shades * 4], opaque. */
export const sequential = bytesOf(shade);
export const diverging = bytesOf((t) => oklch(0.95 - 0.5 * Math.abs(2 * t - 1), 0.15 * Math.abs(2 * t - 1), t < 0.5 ? 258 : 32));

function bytesOf(colour) {
  const bytes = new Uint8Array(shades * 4);
  for (let k = 0; k < shades; k++) bytes.set([...colour(k / (shades - 1)), 255], 4 * k);
  return bytes;
}

/** Returns the colour at t of [0, 1] for a canvas, or grey if t is NaN. */
export function css(t, scale = sequential) {
  if (Number.isNaN(t)) return missing;
  const k = 4 * Math.round(Math.max(0, Math.min(1, t)) * (shades - 1));
  return `rgb(${scale[k]},${scale[k + 1]},${scale[k + 2]})`;
}

/** The colour of elements without a value. */
export const missing = 'rgb(172,172,172)';
export const missingLevel = 172 / 255;

/** Returns one of eight colours for curves, distinct on this background and with colour-vision deficiency; then dashed. */
export function curve(k, dark) {
  const hues = [255, 45, 150, 330, 95, 200, 15, 290];
  const lightness = dark ? 0.78 : 0.52;
  const [r, g, b] = oklch(lightness + (k % 2 ? 0.05 : -0.03), 0.13, hues[k % 8]);
  return { stroke: `rgb(${r},${g},${b})`, dash: [[], [8, 4], [2, 3]][Math.floor(k / 8) % 3] };
}

/** Returns a colour of the style sheet. */
export function theme(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function isDark() {
  return theme('scheme') === 'dark';
}

function shade(t) {
  return oklch(0.36 + 0.56 * t, spline(chroma, t), spline(hueDegrees, t));
}

function spline(p, t) {
  const k = t < 1 ? Math.floor(4 * t) : 3;
  const f = 4 * t - k;
  const before = k > 0 ? p[k - 1] : 2 * p[0] - p[1];
  const after = k < 3 ? p[k + 2] : 2 * p[4] - p[3];
  const [from, to] = [p[k], p[k + 1]];
  return from + 0.5 * f * (to - before + f * (2 * before - 5 * from + 4 * to - after + f * (3 * (from - to) + after - before)));
}

function oklch(lightness, c, degrees) {
  const a = c * Math.cos((degrees * Math.PI) / 180);
  const b = c * Math.sin((degrees * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const x = Math.max(0, Math.min(1, linear));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  });
}
