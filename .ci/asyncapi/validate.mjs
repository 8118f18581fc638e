// Checks schemas/asyncapi.yaml with the public AsyncAPI parser. Prints every
// finding; exits 1 if there is an error among them, or a reference is left.
import { fileURLToPath } from 'node:url';
import { Parser, fromFile } from '@asyncapi/parser';

const severities = ['error', 'warning', 'information', 'hint'];
const file = process.argv[2] ?? fileURLToPath(new URL('../../schemas/asyncapi.yaml', import.meta.url));

const { document, diagnostics } = await fromFile(new Parser(), file).parse();
for (const d of diagnostics) {
  const { line, character } = d.range.start;
  const where = d.source ?? file;
  console.error(`${where}:${line + 1}:${character + 1}: ${severities[d.severity]}: ${d.message} (${d.code}, ${d.path.join('.')})`);
}
const errors = diagnostics.filter((d) => d.severity === 0).length;
if (!document || errors > 0) {
  console.error(`${file}: ${errors} errors`);
  process.exit(1);
}

const unresolved = references(document.json());
if (unresolved.length > 0) {
  console.error(`${file}: references that were not resolved: ${unresolved.join(', ')}`);
  process.exit(1);
}
const count = (list) => list.all().length;
console.log(
  `${file}: valid AsyncAPI ${document.version()}: ${count(document.channels())} channels, ` +
    `${count(document.operations())} operations, ${count(document.allMessages())} messages`,
);

// references lists every $ref to another place that is left in a value.
function references(value, seen = new Set()) {
  if (value === null || typeof value !== 'object' || seen.has(value)) return [];
  seen.add(value);
  return Object.entries(value).flatMap(([key, v]) =>
    key === '$ref' && typeof v === 'string' ? [v] : references(v, seen),
  );
}
