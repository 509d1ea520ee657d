// The list of sessions: sorting and filtering of a table that is complete without them.

const body = byID('rows');
const rows = [...body.rows];
const headers = [...document.querySelectorAll('.sessions thead th')];

// keyOf is what a row is sorted by in a column.
function keyOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.sort === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.sort);
}

function sortBy(column) {
  const header = headers[column];
  const isNumber = rows.length && rows[0].cells[column].dataset.sort !== undefined;
  const before = header.getAttribute('aria-sort');
  const descending = before ? before === 'ascending' : isNumber;
  for (const other of headers) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const sign = descending ? -1 : 1;
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  rows.sort((a, b) => sign * order(keyOf(a, column), keyOf(b, column)));
  body.append(...rows);
}

function filterRows() {
  const text = byID('filter').value.trim().toLowerCase();
  const agent = byID('agent').value, month = byID('month').value;
  let shown = 0;
  for (const row of rows) {
    row.hidden = !(row.textContent.toLowerCase().includes(text) && (!agent || row.dataset.agent === agent) &&
      (!month || row.dataset.month === month));
    if (!row.hidden) shown++;
  }
  byID('nothing').hidden = shown > 0;
  announce(plural(shown, 'session'));
}

headers.forEach((header, column) => {
  header.replaceChildren(h('button', {type: 'button', click: () => sortBy(column)}, header.textContent));
});
headers[2].setAttribute('aria-sort', 'descending');
byID('controls').hidden = byID('theme').hidden = false;
for (const id of ['filter', 'agent', 'month']) byID(id).addEventListener('input', filterRows);
setUpTheme();
