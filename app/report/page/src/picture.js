// The heart as a PNG file: the current view with title, labels and colour bar, on the background of the theme.

import { drawBar } from './bar.js';
import { theme } from './colour.js';
import { savePng, sizeCanvas, el } from './dom.js';

const margin = 24;
const ratio = 2; // pixels of the file per pixel of the page

/** Saves the picture. words: { title, subtitle, note }, bar as in bar.js or null, labels as of points.js. */
export function savePicture(view, words, bar, labels, name) {
  savePng(composePicture(view, words, bar, labels), name);
}

export function composePicture(view, words, bar, labels) {
  const [width, height] = view.size();
  const canvas = el('canvas');
  const whole = sizeCanvas(canvas, width + 2 * margin, height + 150, ratio);
  const ink = theme('ink');
  whole.fillStyle = theme('back');
  whole.fillRect(0, 0, width + 2 * margin, height + 150);
  whole.fillStyle = ink;
  whole.textBaseline = 'top';
  whole.font = '600 18px system-ui, sans-serif';
  whole.fillText(words.title, margin, 18, width);
  whole.font = '14px system-ui, sans-serif';
  whole.fillText(words.subtitle, margin, 42, width);
  drawScene(whole, view, margin, 68, width, height);
  whole.save();
  whole.translate(margin, 68);
  view.drawOver(whole, width, height);
  labels.draw(whole, view, ink);
  whole.restore();
  if (bar) drawBar(whole, { x: margin, y: height + 80, width: Math.min(width, 560) }, bar, ink);
  whole.fillStyle = theme('soft');
  whole.textAlign = 'left';
  whole.textBaseline = 'top';
  whole.font = '12px system-ui, sans-serif';
  whole.fillText(words.note, margin, height + 126, width);
  return canvas;
}

/** Renders the scene again with a higher resolution. It is read immediately, as the pixels are lost once the browser displays them. */
function drawScene(context, view, x, y, width, height) {
  view.renderer.setPixelRatio(ratio);
  view.renderer.setSize(width, height);
  view.ratio.value = ratio;
  view.renderer.render(view.scene, view.camera);
  context.drawImage(view.canvas, x, y, width, height);
  view.resize();
  view.draw();
}
