// The controls of the cutting plane, for one heart or for several with the same plane.

import { button, checkbox, el, labelled, options } from './dom.js';
import { format } from './number.js';

export class CutControls {
  /** hearts(): returns the hearts to cut. */
  constructor(hearts) {
    this.hearts = hearts;
    const list = [['', 'none'], ['x', 'normal to x'], ['y', 'normal to y'], ['z', 'normal to z'], ['view', 'normal to the view']];
    this.across = el('select', { on: { change: () => this.set() } }, options(list.map(([value, text]) => ({ value, text }))));
    this.slider = el('input', { type: 'range', step: 'any', 'aria-label': 'Position of the cutting plane', on: { input: () => this.move() } });
    const { box, label } = checkbox('Show the other side', false, () => this.set());
    this.flip = box;
    this.position = el('output', {});
    this.again = button('Use the current view', () => this.set(), { class: 'quiet' });
    this.row = el('div', { hidden: true }, el('div', { class: 'row' }, this.slider, this.position), el('div', { class: 'row' }, label, this.again));
    this.note = el('p', { class: 'note' });
    this.nodes = [labelled('Cutting plane', this.across), this.row, this.note];
  }

  async set() {
    const across = this.across.value || null;
    const [range] = await Promise.all(this.hearts().map((heart) => heart.setCut(across, this.flip.checked)));
    this.row.hidden = !range;
    this.again.hidden = across !== 'view';
    if (range) {
      [this.slider.min, this.slider.max] = range.map(String);
      this.slider.value = String((range[0] + range[1]) / 2);
      this.move();
    }
    this.tell();
  }

  move() {
    const at = Number(this.slider.value);
    this.hearts().forEach((heart) => heart.moveCut(at));
    const across = this.across.value;
    const mm = (length) => format(Number(length.toFixed(2)) + 0);
    const text = across === 'view' ? `depth ${mm(this.hearts()[0].plane.high - at)} mm` : `${across} = ${mm(at)} mm`;
    this.position.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
  }

  /** Shows the reason if the cut face is grey. */
  tell() {
    const isGrey = this.hearts().some((heart) => heart.plane && heart.shown.kind !== 'plain' && !heart.insideShown());
    this.note.textContent = isGrey ? 'The cut face is grey: the report has these values on the surface only.' : '';
  }
}
