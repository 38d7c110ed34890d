// The machine of a run: the tables, the time step and the network of its profile.json.

import { Damaged, text } from './data.js';

// Columns and rows of tables: [path of the value, label, unit].
const properties = [
  ['machine.ipus', 'IPUs'], ['machine.tiles', 'tiles'], ['machine.clock_hz', 'clock', 'Hz'], ['time_steps', 'time steps'],
  ['totals.cycles', 'total', 'cycles'], ['totals.least_cycles', 'total, constants at their fast ends', 'cycles'],
  ['totals.most_cycles', 'total, constants at their slow ends', 'cycles'], ['totals.seconds', 'modelled time', 's'],
  ['totals.compute_cycles', 'compute', 'cycles'], ['totals.exchange_cycles', 'exchange', 'cycles'],
  ['totals.rearrangement_cycles', 'on-tile copies', 'cycles'], ['totals.internal_sync_cycles', 'internal sync', 'cycles'],
  ['totals.external_sync_cycles', 'external sync', 'cycles'], ['totals.host_cycles', 'host streams', 'cycles'],
  ['totals.host_bytes_read', 'read by the host', 'bytes'], ['totals.host_bytes_written', 'written by the host', 'bytes'],
  ['memory.bytes_there', 'tile memory', 'bytes'], ['memory.bytes_median', 'used on the median tile', 'bytes'],
  ['memory.bytes_fullest', 'used on the fullest tile', 'bytes'], ['memory.fullest_tile', 'number of the fullest tile'],
];
const setColumns = [
  ['name', 'compute set'], ['runs', 'runs'], ['cycles', 'per run', 'cycles'], ['total_cycles', 'all runs', 'cycles'],
  ['tile_compute_cycles.tiles', 'active tiles'], ['tile_compute_cycles.min', 'compute, minimum', 'cycles'],
  ['tile_compute_cycles.mean', 'compute, mean', 'cycles'], ['tile_compute_cycles.max', 'compute, maximum', 'cycles'],
  ['tile_compute_cycles.effectiveness', 'load balance (mean / max)'], ['exchange_cycles', 'exchange', 'cycles'],
  ['exchange_bound_cycles', 'internal exchange, lower bound', 'cycles'], ['exchange_waiting_cycles', 'internal exchange, waiting', 'cycles'],
  ['external_exchange_cycles', 'external exchange', 'cycles'], ['rearrangement_cycles', 'on-tile copies', 'cycles'],
  ['internal_sync_cycles', 'internal sync', 'cycles'], ['external_sync_cycles', 'external sync', 'cycles'],
  ['bytes_received', 'received', 'bytes'], ['bytes_sent', 'sent', 'bytes'], ['bytes_crossing', 'sent between IPUs', 'bytes'], ['busiest_link', 'busiest link'],
];
const vertexColumns = [['codelet', 'codelet'], ['compute_set', 'compute set'], ['instances', 'vertices'], ['cycles', 'per run', 'cycles'], ['total_cycles', 'all runs', 'cycles']];
const memoryColumns = [['name', 'memory category'], ['bytes_fullest', 'fullest tile', 'bytes'], ['bytes_all_tiles', 'all tiles', 'bytes']];
const linkColumns = [['compute_set', 'compute set'], ['name', 'link'], ['from', 'from'], ['to', 'to'], ['bytes', 'load', 'bytes'], ['busy_cycles', 'busy', 'cycles']];

/** Returns the data of a machine for the page: { tiles; summary: [table]; links: table or null; time_steps; step_cycles: of the mean time
 * step, as printed by `myotile run`, or null; time_step: [{ set, times }], the compute sets of a time step in order, then the ones that run in
 * some time steps only, or null; network: { ipus, links, sets }, or null }. */
export async function readMachine({ profile: block, tiles, links: most }) {
  const profile = parse(await text(block), block.id);
  const { machine, compute_sets: sets = [], links = [], time_steps, totals } = profile;
  const lists = [['Compute sets', sets, setColumns], ['Vertices', profile.vertices, vertexColumns], ['Memory', profile.memory?.categories, memoryColumns]];
  const rows = properties.map(([path, label, unit = '']) => [label, at(profile, path), unit]);
  const columns = [{ label: 'property', unit: '' }, { label: 'value', unit: '', number: true }, { label: 'unit', unit: '' }];
  return {
    tiles, time_steps,
    summary: [{ title: `Totals of the run on ${machine?.name ?? 'the machine'}`, columns, rows }, ...lists.filter(([, list]) => list).map((list) => tableOf(...list))],
    links: tiles && links.length ? busiest(links, most) : null,
    step_cycles: time_steps > 0 ? (totals.cycles - totals.host_cycles) / time_steps : null,
    time_step: profile.time_step?.length ? turns(profile.time_step, sets) : null,
    network: links.length ? network(machine.ipus, links, sets) : null,
  };
}

function parse(json, id) {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Damaged(`This report is damaged: machine profile ${id} cannot be parsed (${error.message}).`);
  }
}

/** Returns the value at a path of keys, or null. */
function at(object, path) {
  return path.split('.').reduce((found, key) => found?.[key], object) ?? null;
}

function tableOf(title, list, columns) {
  const rows = list.map((each) => columns.map(([path]) => at(each, path)));
  const isNumber = (k) => rows.some((row) => row[k] !== null) && rows.every((row) => row[k] === null || typeof row[k] === 'number');
  return { title, columns: columns.map(([, label, unit = ''], k) => ({ label, unit, number: isNumber(k) })), rows };
}

/** Returns the table of the links with the longest busy times, at most `most`. */
function busiest(links, most) {
  const sorted = [...links].sort((a, b) => b.busy_cycles - a.busy_cycles);
  return tableOf(most < links.length ? 'Busiest links' : 'Links', sorted.slice(0, most), linkColumns);
}

function turns(program, sets) {
  const known = new Map(sets.map((set) => [set.name, set]));
  const inProgram = new Set(program.map((turn) => turn.compute_set));
  const others = sets.filter((set) => set.runs > 0 && !inProgram.has(set.name));
  return [...program.filter((turn) => known.has(turn.compute_set)).map((turn) => ({ set: known.get(turn.compute_set), times: turn.times })), ...others.map((set) => ({ set, times: null }))];
}

/** Returns the links of the first compute set that uses links, and the loads of all sets that use the same links. */
function network(ipus, links, sets) {
  const of = (name) => links.filter((link) => link.compute_set === name);
  const first = of(links[0].compute_set);
  return { ipus, links: first, sets: sets.map((set) => ({ set, loads: of(set.name) })).filter(({ loads }) => loads.length === first.length) };
}
