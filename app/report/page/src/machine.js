// The tab of the machine: a time step over all tiles, the dies, the network, and the tables of its work.

import { el, table } from './dom.js';
import { Network } from './network.js';
import { readMachine } from './profile.js';
import { Tiles } from './tiles.js';
import { Timeline } from './timeline.js';

/** Shows a machine in host. Returns { tiles, timeline, network, remove, themeChanged }; missing parts are null. */
export async function showMachine(host, described) {
  const machine = await readMachine(described);
  let tiles = null;
  let timeline = null;
  let network = null;
  host.replaceChildren();
  if (machine.tiles) {
    tiles = new Tiles(machine.tiles);
    await tiles.load();
  }
  if (machine.time_step) {
    timeline = new Timeline(machine, tiles);
    host.append(timeline.build());
  }
  if (tiles) {
    host.append(tiles.build());
    tiles.choose(0);
  }
  if (machine.network) {
    network = new Network(machine.network);
    host.append(network.build());
  }
  for (const each of machine.summary) host.append(el('section', { class: 'card' }, table(each, { sortable: each.rows.length > 12 })));
  if (machine.links) host.append(el('section', { class: 'card' }, table(machine.links, { sortable: true })));
  const parts = [tiles, timeline, network].filter(Boolean);
  parts.forEach((part) => part.draw());
  return { tiles, timeline, network, remove: () => parts.forEach((part) => part.remove()), themeChanged: () => parts.forEach((part) => part.draw()) };
}
