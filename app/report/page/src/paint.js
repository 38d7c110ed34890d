// The shaders of surfaces, cut faces and fibres. Colours are computed for each pixel from the interpolated value, so that isochrones are
// lines of constant value, independent of the triangles. heart.js decides what is drawn.

import { DataTexture, DoubleSide, LinearFilter, ShaderMaterial, Vector2, Vector4 } from 'three';
import { diverging, missingLevel, sequential, shades } from './colour.js';

const textures = new Map([sequential, diverging].map((scale) => [scale, textureOf(scale)]));

function textureOf(scale) {
  const texture = new DataTexture(scale, shades, 1);
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Returns the texture of a scale of colour.js. */
export function scaleTexture(scale) {
  return textures.get(scale);
}

/** Returns the uniforms shared by all materials of a heart. */
export function paintUniforms() {
  return {
    scale: { value: textures.get(sequential) },
    range: { value: new Vector2(0, 1) },
    lineStep: { value: 0 }, // 0: no isochrones
    ratio: { value: 1 }, // pixels of the picture per pixel of the page
    plane: { value: new Vector4(0, 0, 1, 0) }, // parts with normal . p > w are cut away
    clipped: { value: 0 },
    pixel: { value: new Vector2() }, // a pixel of the picture, which is 2 wide and high
  };
}

// A vertex has its weight, 1 or 0 if it has no value, and its value times its weight. Their interpolated ratio is the mean over the
// vertices with a value.
const vertexShader = `
  attribute vec2 weighted;
  varying vec2 vWeighted;
  varying vec3 vPlace, vNormal, vEye;
  void main() {
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    vWeighted = weighted;
    vPlace = position;
    vNormal = normalMatrix * normal;
    vEye = eye.xyz;
    gl_Position = projectionMatrix * eye;
  }`;

const fragmentShader = `
  uniform sampler2D scale;
  uniform vec2 range;
  uniform float lineStep, ratio, clipped, shading, isFace;
  uniform vec4 plane;
  varying vec2 vWeighted;
  varying vec3 vPlace, vNormal, vEye;

  float line(float level, float perPixel, float pixels) {
    float away = abs(fract(level - 0.5) - 0.5) / max(perPixel, 1e-9);
    return (1.0 - smoothstep(pixels * 0.5 - 0.5, pixels * 0.5 + 0.5, away))
      * (1.0 - smoothstep(0.12, 0.35, perPixel))   // denser than pixels: none, rather than a blot
      * step(1e-5, perPixel);                       // a plateau is no line
  }

  void main() {
    if (clipped > 0.5 && isFace < 0.5 && dot(plane.xyz, vPlace) > plane.w) discard;
    float value = vWeighted.x / max(vWeighted.y, 1e-6);
    float across = max(range.y - range.x, 1e-30);
    vec3 colour = texture2D(scale, vec2(clamp((value - range.x) / across, 0.0, 1.0), 0.5)).rgb;
    if (lineStep > 0.0) {
      float level = value / lineStep, perPixel = fwidth(level), wide = 1.1 * ratio;
      float ink = max(0.6 * line(level, perPixel, wide), 0.85 * line(level / 5.0, perPixel / 5.0, 1.9 * wide));
      colour = mix(colour, vec3(0.06), ink);
    }
    if (vWeighted.y < 0.5) colour = vec3(${missingLevel.toFixed(4)});
    vec3 normal = normalize(vNormal), toEye = normalize(-vEye);
    float facing = dot(normal, toEye);
    if (facing < 0.0) normal = -normal;
    float light = 0.56 + 0.28 * max(dot(normal, normalize(vec3(-0.35, 0.55, 0.9))), 0.0) + 0.20 * abs(facing);
    colour *= mix(1.0, light, shading);
    if (!gl_FrontFacing && isFace < 0.5) colour *= 0.82;
    gl_FragColor = vec4(colour, 1.0);
  }`;

/** Returns the material of the surface, or of a cut face, with less shading so that its colours match the bar. */
export function valueMaterial(uniforms, isFace) {
  return new ShaderMaterial({
    uniforms: { ...uniforms, shading: { value: isFace ? 0.12 : 1 }, isFace: { value: isFace ? 1 : 0 } },
    vertexShader,
    fragmentShader,
    side: DoubleSide,
  });
}

/** Returns the material of fibres: lines shifted towards the eye, so that fibres just below the surface are visible. They are drawn twice,
 * dark and light with an offset of a pixel, so that they are visible on any colour. */
export function fibreMaterial(uniforms, towardsEye, isLight) {
  const { plane, clipped, pixel } = uniforms;
  const own = { towardsEye: { value: towardsEye }, isLight: { value: isLight ? 1 : 0 } };
  return new ShaderMaterial({
    uniforms: { plane, clipped, pixel, ...own },
    vertexShader: `
      uniform float towardsEye, isLight;
      uniform vec2 pixel;
      varying vec3 vPlace;
      void main() {
        vPlace = position;
        vec4 eye = modelViewMatrix * vec4(position, 1.0);
        vec4 near = projectionMatrix * (eye - vec4(normalize(eye.xyz) * towardsEye, 0.0));
        gl_Position = projectionMatrix * eye;
        gl_Position.z = (near.z / near.w + 1e-5 * isLight) * gl_Position.w;
        gl_Position.xy += isLight * vec2(0.5, -1.0) * pixel * gl_Position.w;
      }`,
    fragmentShader: `
      uniform vec4 plane;
      uniform float clipped, isLight;
      varying vec3 vPlace;
      void main() {
        if (clipped > 0.5 && dot(plane.xyz, vPlace) > plane.w) discard;
        gl_FragColor = vec4(isLight > 0.5 ? vec3(0.93) : vec3(0.07), 1.0);
      }`,
  });
}
