// The 3-D view: camera, controls by mouse, touch and keys, and the overlay (axes, scale, mark). It draws a three.js scene after each
// change.

import { Matrix4, PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from 'three';
import { TrackballControls } from 'three/addons/controls/TrackballControls.js';
import { theme } from './colour.js';
import { sizeCanvas } from './dom.js';
import { roundStep } from './number.js';

const first = [[0.35, -1, 0.3], [0, 0, 1]]; // direction of the eye at first, and the upward direction
const margin_px = 40;

export class View {
  /** Draws into canvas; overlay: a second canvas above it. The object is described by its bounding sphere and its places [3 n]. */
  constructor(canvas, overlay, sphere, places) {
    Object.assign(this, { canvas, overlay, sphere, places });
    this.scene = new Scene();
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.outputColorSpace = 'srgb-linear'; // the shaders output sRGB
    this.renderer.setClearColor(0x000000, 0);
    this.camera = new PerspectiveCamera(28, 1, 1, 1000);
    this.controls = new TrackballControls(this.camera, canvas);
    Object.assign(this.controls, { staticMoving: true, rotateSpeed: 2.4, zoomSpeed: 1.1, panSpeed: 0.6, keys: ['', '', ''] });
    this.controls.addEventListener('change', () => this.changed());
    this.mark = null; // the marked place
    this.height = 600; // height of the canvas at its last resize [CSS px]
    this.pixel = new Vector2(); // size of a pixel of the picture, which is 2 wide and high
    this.ratio = { value: 1 }; // pixels of the picture per pixel of the page
    this.onPick = () => {};
    this.onDraw = () => {};
    this.onRest = () => {};
    this.dirty = true;
    this.look(...first);
    this.listen();
    const loop = () => {
      this.frame = requestAnimationFrame(loop);
      this.controls.update();
      if (this.dirty && this.canvas.clientWidth > 0) this.draw();
    };
    loop();
  }

  dispose() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
  }

  /** Requests a redraw. */
  changed() {
    this.dirty = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.onRest(), 120);
  }

  /** Views the centre from a direction, with a given upward direction, at a distance from which all places are visible. */
  look(from, up) {
    const direction = new Vector3(...from).normalize();
    this.controls.target.copy(this.sphere.center);
    this.camera.position.copy(this.sphere.center).addScaledVector(direction, this.fittingDistance(direction, new Vector3(...up)));
    this.camera.up.set(...up);
    this.camera.lookAt(this.controls.target);
    this.changed();
  }

  /** Returns the distance in a direction from which all places are just visible, with a margin for the scale below them. */
  fittingDistance(direction, up) {
    const side = new Vector3().crossVectors(up, direction).normalize();
    const upwards = new Vector3().crossVectors(direction, side);
    const { height } = this;
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const tall = half * Math.min(1 / 1.12, Math.max(0.5, 1 - (2 * margin_px) / height));
    const wide = (half / 1.12) * this.camera.aspect;
    const p = new Vector3();
    let distance = 0;
    for (let i = 0; i < this.places.length; i += 3) {
      p.fromArray(this.places, i).sub(this.sphere.center);
      distance = Math.max(distance, p.dot(direction) + Math.max(Math.abs(p.dot(side)) / wide, Math.abs(p.dot(upwards)) / tall));
    }
    return distance;
  }

  /** Returns the pose of the camera, independent of the size of the canvas: `away` is the distance divided by the fitting distance. */
  pose() {
    const direction = this.towardsEye();
    const up = this.camera.up.clone();
    const away = this.camera.position.distanceTo(this.controls.target) / this.fittingDistance(direction, up);
    return { direction, up, target: this.controls.target.clone(), away };
  }

  setPose({ direction, up, target, away }) {
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, away * this.fittingDistance(direction, up));
    this.camera.up.copy(up);
    this.camera.lookAt(target);
    this.changed();
  }

  /** True if this view has the pose of another, apart from rounding. */
  hasPose(pose) {
    const own = this.pose();
    const near = (a, b) => a.distanceTo(b) < 1e-6 * Math.max(1, b.length());
    return near(own.direction, pose.direction) && near(own.up, pose.up) && near(own.target, pose.target) && Math.abs(own.away / pose.away - 1) < 1e-6;
  }

  /** Returns the direction from the target to the eye. */
  towardsEye() {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  draw() {
    this.dirty = false;
    this.placeNearAndFar();
    const [width, height] = this.size();
    this.pixel.set(2 / width, 2 / height);
    this.ratio.value = this.renderer.getPixelRatio();
    this.renderer.render(this.scene, this.camera);
    const ratio = window.devicePixelRatio || 1;
    this.drawOver(sizeCanvas(this.overlay, width, height, ratio), width, height);
    this.onDraw();
  }

  size() {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  /** Returns the position of a place [x, y, z] in CSS pixels of the canvas; null if it is behind the eye. */
  project(place) {
    this.camera.updateMatrixWorld(); // it may have moved since the last frame
    const p = new Vector3(...place).project(this.camera);
    const [width, height] = this.size();
    return p.z > 1 || p.z < -1 ? null : [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
  }

  /** Returns the ray through a pixel. */
  ray(x, y) {
    const [width, height] = this.size();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((x / width) * 2 - 1, 1 - (y / height) * 2), this.camera);
    return caster;
  }

  placeNearAndFar() {
    const distance = this.camera.position.distanceTo(this.sphere.center);
    const reach = this.sphere.radius * 6; // electrodes are around the heart
    this.camera.near = Math.max(distance - reach, this.sphere.radius / 50);
    this.camera.far = distance + reach;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** Draws axes, a scale and the mark, onto a canvas of the picture's size. */
  drawOver(context, width, height) {
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.drawAxes(context, 46, height - 46);
    this.drawScale(context, width - 20, height - 20);
    const at = this.mark && this.project(this.mark);
    if (!at) return;
    for (const [line, colour] of [[4, 'rgba(0,0,0,.75)'], [2, '#fff']]) {
      context.lineWidth = line;
      context.strokeStyle = colour;
      context.beginPath();
      context.arc(at[0], at[1], 7, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  drawAxes(context, x, y) {
    const turn = new Matrix4().extractRotation(this.camera.matrixWorldInverse);
    const axes = [['x', 1, 0, 0], ['y', 0, 1, 0], ['z', 0, 0, 1]];
    context.strokeStyle = context.fillStyle = theme('soft');
    context.lineWidth = 1.5;
    context.textAlign = 'center';
    for (const [name, ...direction] of axes) {
      const d = new Vector3(...direction).applyMatrix4(turn);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + 26 * d.x, y - 26 * d.y);
      context.stroke();
      const length = Math.hypot(d.x, d.y);
      if (length > 0.25) context.fillText(name, x + (26 + 9 / length) * d.x, y - (26 + 9 / length) * d.y);
    }
  }

  /** Draws the scale: a round number of mm at the distance of the target. */
  drawScale(context, right, bottom) {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const perPixel = (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / this.size()[1];
    const step = roundStep(100 * perPixel, 1);
    const length = step / perPixel;
    context.strokeStyle = context.fillStyle = theme('soft');
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(right - length, bottom - 5);
    context.lineTo(right - length, bottom);
    context.lineTo(right, bottom);
    context.lineTo(right, bottom - 5);
    context.stroke();
    context.textAlign = 'center';
    context.fillText(`${step} mm`, right - length / 2, bottom - 10);
  }

  /** Rotates the view to the right and upwards, in degrees. */
  turn(right, up) {
    const from = this.camera.position.clone().sub(this.controls.target);
    const upwards = this.camera.up.clone().normalize();
    const side = new Vector3().crossVectors(upwards, from).normalize();
    const q = new Quaternion().setFromAxisAngle(upwards, (-right * Math.PI) / 180);
    q.premultiply(new Quaternion().setFromAxisAngle(side, (up * Math.PI) / 180));
    this.camera.position.copy(this.controls.target).add(from.applyQuaternion(q));
    this.camera.up.applyQuaternion(q);
    this.camera.lookAt(this.controls.target);
    this.changed();
  }

  zoom(factor) {
    const from = this.camera.position.clone().sub(this.controls.target);
    const distance = Math.max(this.sphere.radius / 20, Math.min(from.length() * factor, this.sphere.radius * 30));
    this.camera.position.copy(this.controls.target).addScaledVector(from.normalize(), distance);
    this.changed();
  }

  pan(right, up) {
    const step = this.camera.position.distanceTo(this.controls.target) / 40;
    const from = this.camera.position.clone().sub(this.controls.target);
    const side = new Vector3().crossVectors(this.camera.up, from).normalize();
    const shift = side.multiplyScalar(-right * step).addScaledVector(this.camera.up.clone().normalize(), -up * step);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.changed();
  }

  /** Fits the canvas to its parent at once, also if it was hidden before, and refits the heart, with the same pose. */
  resize() {
    const host = this.canvas.parentElement;
    const [width, height] = [host.clientWidth, host.clientHeight];
    if (width === 0 || height === 0) return;
    const pose = this.posed ? this.pose() : null;
    this.renderer.setPixelRatio(window.devicePixelRatio || 1);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.height = height;
    this.camera.updateProjectionMatrix();
    this.controls.handleResize();
    if (pose) this.setPose(pose);
    else this.look(...first);
    this.posed = true;
  }

  listen() {
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas.parentElement);
    let down = null;
    this.canvas.addEventListener('pointerdown', (event) => (down = [event.clientX, event.clientY, event.button]));
    this.canvas.addEventListener('pointerup', (event) => {
      const still = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && down[2] === 0;
      const box = this.canvas.getBoundingClientRect();
      if (still) this.onPick(event.clientX - box.left, event.clientY - box.top);
      down = null;
    });
    this.canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !this.key(event.key, event.shiftKey)) return;
      event.preventDefault();
    });
  }

  key(key, shift) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (arrows[key]) {
      const [right, up] = arrows[key];
      if (shift) this.pan(-right, -up);
      else this.turn(6 * right, 6 * up);
    } else if (key === '+' || key === '=') this.zoom(1 / 1.15);
    else if (key === '-') this.zoom(1.15);
    else if (key === 'Home') this.look(...first);
    else if (key === 'Enter') this.onPick(this.size()[0] / 2, this.size()[1] / 2);
    else return false;
    return true;
  }
}
