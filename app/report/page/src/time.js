// The time bar: play button, slider, clock and speed. It controls the frame number and reports changes by onFrame.

import { button, el, options } from './dom.js';
import { quantity } from './number.js';

export class TimeBar {
  /** time: of the frames [ms]; onFrame(frame): called for each change. */
  constructor(time, onFrame) {
    Object.assign(this, { time, onFrame, frame: 0, playing: false });
    const last = time.length - 1;
    this.slider = el('input', { type: 'range', min: '0', max: String(last), step: '1', value: '0', 'aria-label': 'Time', on: { input: () => (this.play(false), this.set(Number(this.slider.value))) } });
    this.clock = el('output', { class: 'clock' });
    this.playButton = button('Play', () => this.play(!this.playing), { class: 'play' });
    this.speed = el('select', { 'aria-label': 'Speed' }, options([['0.25', '¼ ×'], ['0.5', '½ ×'], ['1', '1 ×'], ['2', '2 ×']].map(([value, text]) => ({ value, text }))));
    this.speed.value = '1';
    this.node = el('div', { class: 'time' }, this.playButton, this.slider, this.clock, this.speed);
    this.msPerSecond = (time[last] - time[0]) / 8 || 1; // the complete series in eight seconds
  }

  /** Returns the displayed time, with its unit. */
  now() {
    return quantity(this.time[this.frame], 'ms');
  }

  set(frame) {
    this.frame = Math.max(0, Math.min(this.time.length - 1, frame));
    this.slider.value = String(this.frame);
    this.clock.textContent = this.now();
    this.slider.setAttribute('aria-valuetext', this.now());
    this.onFrame(this.frame);
  }

  play(on) {
    if (this.playing === on) return;
    this.playing = on;
    this.playButton.textContent = on ? 'Pause' : 'Play';
    if (!on) {
      cancelAnimationFrame(this.tick);
      return;
    }
    const { time } = this;
    const last = time.length - 1;
    let at = this.frame >= last ? time[0] : time[this.frame];
    let before = performance.now();
    const step = (now) => {
      at += ((now - before) / 1000) * this.msPerSecond * Number(this.speed.value);
      before = now;
      let { frame } = this;
      if (at < time[frame]) frame = 0;
      while (frame < last && time[frame + 1] <= at) frame++;
      if (frame !== this.frame) this.set(frame);
      if (frame === last) this.play(false);
      else this.tick = requestAnimationFrame(step);
    };
    this.tick = requestAnimationFrame(step);
  }
}
