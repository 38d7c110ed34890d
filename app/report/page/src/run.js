// The tab of the case: the command that repeats the run, notes, tables, and all values used.

import { button, checkbox, el, newId, table } from './dom.js';

/** Shows the case of a run in host. */
export function showRun(host, run, version) {
  const sections = [command(run, version)];
  if (run.notes?.length) {
    sections.push(el('section', { class: 'card' }, el('h2', { text: 'Notes' }), el('ul', {}, run.notes.map((text) => el('li', { text })))));
  }
  for (const each of run.tables ?? []) sections.push(el('section', { class: 'card' }, table(each, { sortable: each.rows.length > 1 })));
  if (run.used?.length) sections.push(used(run.used));
  host.replaceChildren(...sections);
}

function command(run, version) {
  const code = el('code', { text: run.command });
  const said = el('span', { class: 'note', role: 'status' });
  const copy = button('Copy', async () => {
    said.textContent = (await copied(run.command, code)) ? 'Copied.' : 'The command is selected: copy it with Ctrl+C.';
  });
  return el('section', { class: 'card' },
    el('h2', { text: 'Command that repeats the run' }),
    el('div', { class: 'command' }, el('pre', { tabindex: '0', 'aria-label': 'Command' }, code), copy),
    said,
    el('p', { class: 'note', text: `Created by Myotile ${version} from the folder ${run.folder}.` }));
}

/** Copies a text to the clipboard, or selects it if the browser does not allow a page from disk to copy. */
async function copied(text, node) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand('copy');
  }
}

function used(list) {
  const hasHelp = list.some((each) => each.help);
  const hasDefault = list.some((each) => each.default !== undefined);
  const rows = list.map((each) => ({
    isSet: isChanged(each),
    words: `${each.key} ${each.value} ${each.help ?? ''}`.toLowerCase(),
    node: el('tr', { class: isChanged(each) ? 'is-set' : null },
      el('th', { scope: 'row' }, el('code', { text: each.key })),
      el('td', { class: 'value', text: each.value }),
      el('td', { class: 'unit', text: each.unit ?? '' }),
      hasDefault ? el('td', { class: 'soft', text: defaultText(each) }) : null,
      hasHelp ? el('td', { class: 'soft meaning', text: each.help ?? '' }) : null),
  }));
  const body = el('tbody', {}, rows.map((row) => row.node));
  const said = el('span', { class: 'note', role: 'status' });
  const search = el('input', { type: 'search', id: newId('search'), placeholder: 'key, value or meaning' });
  const { box, label } = checkbox('Only values that differ from the default', false, () => filter());
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const row of rows) {
      const wanted = words.every((word) => row.words.includes(word)) && (!box.checked || row.isSet);
      row.node.hidden = !wanted;
      n += wanted;
    }
    said.textContent = n === rows.length ? `${n} keys` : `${n} of ${rows.length} keys`;
  };
  search.addEventListener('input', filter);
  filter();
  const heads = ['key', 'value', 'unit', hasDefault ? 'default' : null, hasHelp ? 'meaning' : null].filter(Boolean);
  return el('section', { class: 'card' },
    el('h2', { text: 'All values used' }),
    el('div', { class: 'row' }, el('label', { for: search.id, text: 'Search' }), search, hasDefault ? label : null, said),
    el('div', { class: 'table', tabindex: '0', role: 'group', 'aria-label': 'All values used' },
      el('table', { class: 'used' }, el('thead', {}, el('tr', {}, heads.map((text) => el('th', { scope: 'col', text })))), body)));
}

function defaultText(each) {
  if (each.default === undefined) return '';
  return each.found === undefined ? each.default || 'unset' : 'automatic';
}

/** True if a value is known to differ from its default; if the default is automatic, from both 0 and the value that the program finds. */
function isChanged(each) {
  if (each.default === undefined || !differ(each.value, each.default)) return false;
  return each.found === undefined || (each.found > 0 && differ(each.value, String(each.found)));
}

/** True if two values differ. Numbers are compared as numbers, arrays entry by entry; no value, "" and [] are equal. */
function differ(left, right) {
  const [a, b] = [entries(left), entries(right)];
  return (a.length > b.length ? a : b).some((_, k) => (a[k] ?? '') !== (b[k] ?? ''));
}

function entries(value) {
  const words = Array.from(value.matchAll(/"([^"]*)"|[^[\], ]+/g), ([word, quoted]) => quoted ?? word);
  return words.map((word) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(word) ? Number(word) : word));
}
