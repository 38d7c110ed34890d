// Named places: points, electrodes, stimuli and traces. Each has a dot and a label over the picture that follow the view.

import { el } from './dom.js';

export const kinds = [
  ['point', 'points'],
  ['stimulus', 'stimuli'],
  ['electrode', 'electrodes'],
  ['trace', 'traces'],
];

/** Creates labels in host for points [{label, kind, at_mm}]. */
export function makeLabels(host, points) {
  const nodes = points.map((point) =>
    el('div', { class: `point ${point.kind}` }, el('i', {}), el('span', { text: point.label })),
  );
  host.replaceChildren(...nodes);
  const shown = new Set();

  /** Moves each label to the position of its place in the view. */
  const follow = (view) => {
    const [width, height] = view.size();
    points.forEach((point, i) => {
      const at = shown.has(point.kind) ? view.project(point.at_mm) : null;
      const inside = at && at[0] > -20 && at[1] > -20 && at[0] < width + 20 && at[1] < height + 20;
      nodes[i].hidden = !inside;
      if (inside) nodes[i].style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    });
  };
  /** Fades the labels of places with isHidden(place). */
  const pale = (isHidden) =>
    points.forEach((point, i) => {
      if (!nodes[i].hidden) nodes[i].classList.toggle('behind', isHidden(point.at_mm));
    });
  const show = (kind, on) => (on ? shown.add(kind) : shown.delete(kind));
  /** Draws the visible labels onto a saved picture. */
  const draw = (context, view, ink) => {
    points.forEach((point, i) => {
      const at = shown.has(point.kind) && !nodes[i].hidden ? view.project(point.at_mm) : null;
      if (at) drawPoint(context, point, at, ink, nodes[i].classList.contains('behind'));
    });
  };
  return { follow, pale, show, draw };
}

function drawPoint(context, point, [x, y], ink, behind) {
  context.globalAlpha = behind ? 0.45 : 1;
  context.beginPath();
  context.arc(x, y, 4, 0, 2 * Math.PI);
  context.fillStyle = '#fff';
  context.fill();
  context.strokeStyle = '#111';
  context.lineWidth = 1.5;
  context.stroke();
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineWidth = 3;
  context.strokeStyle = 'rgba(255,255,255,.85)';
  context.strokeText(point.label, x + 8, y);
  context.fillStyle = '#111';
  context.fillText(point.label, x + 8, y);
  context.globalAlpha = 1;
}
