// The colour bar: drawn on a canvas in the page and in saved pictures. range_bar.js has its controls.

import { css, missing, sequential } from './colour.js';
import { format, roundStep, ticks } from './number.js';

/** Draws it into a box of the context, {x, y, width}, 46 px high. bar: { range, lineStep (0: none), hasMissing, scale (of colour.js) }. */
export function drawBar(context, { x, y, width }, bar, ink) {
  const [low, high] = bar.range;
  const note = bar.hasMissing ? 92 : 0;
  const length = width - note;
  const height = 14;
  const top = y + 4;
  for (let i = 0; i < length; i++) {
    context.fillStyle = css(i / Math.max(1, length - 1), bar.scale ?? sequential);
    context.fillRect(x + i, top, 1.5, height);
  }
  const at = (value) => x + ((value - low) / (high - low || 1)) * length;
  context.textBaseline = 'top';
  context.textAlign = 'center';
  context.font = '12px system-ui, sans-serif';
  context.fillStyle = ink;
  context.strokeStyle = 'rgba(15,15,15,.6)';
  context.lineWidth = 1;
  if (bar.lineStep > 0 && length / ((high - low) / bar.lineStep) > 4) {
    for (const value of ticks(low, high, bar.lineStep)) vertical(context, at(value), top, top + height);
  }
  context.strokeStyle = ink;
  let end = -Infinity;
  for (const value of ticks(low, high, roundStep(high - low, Math.max(2, length / 70)))) {
    const text = format(value);
    const half = context.measureText(text).width / 2;
    const middle = Math.max(x + half, Math.min(at(value), x + length - half));
    vertical(context, at(value), top + height, top + height + 4);
    if (middle - half < end + 6) continue;
    context.fillText(text, middle, top + height + 7);
    end = middle + half;
  }
  context.strokeRect(x + 0.5, top + 0.5, length - 1, height - 1);
  if (!note) return;
  context.fillStyle = missing;
  context.fillRect(x + length + 18, top, 14, height);
  context.fillStyle = ink;
  context.textAlign = 'left';
  context.fillText('no value', x + length + 37, top + 1);
}

function vertical(context, x, from, to) {
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, from);
  context.lineTo(Math.round(x) + 0.5, to);
  context.stroke();
}
