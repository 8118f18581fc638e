// Checks schemas/asyncapi.yaml with the public AsyncAPI parser, and by Spectral's
// rules. Prints every finding; exits 1 if there is an error among them, or a
// warning of Spectral's, or a reference is left.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Parser, fromFile } from '@asyncapi/parser';
import core from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';

const severities = ['error', 'warning', 'information', 'hint'];
const file = process.argv[2] ?? fileURLToPath(new URL('../../schemas/asyncapi.yaml', import.meta.url));

const { document, diagnostics } = await fromFile(new Parser(), file).parse();
const spectral = new core.Spectral();
// There is no address of e-mail to give.
spectral.setRuleset({ extends: [rulesets.asyncapi], rules: { 'asyncapi-info-contact-properties': 'off' } });
const findings = await spectral.run(new core.Document(readFileSync(file, 'utf8'), parsers.Yaml, file));
for (const d of [...diagnostics, ...findings]) {
  const { line, character } = d.range.start;
  const where = d.source ?? file;
  console.error(`${where}:${line + 1}:${character + 1}: ${severities[d.severity]}: ${d.message} (${d.code}, ${d.path.join('.')})`);
}
const errors = diagnostics.filter((d) => d.severity === 0).length + findings.filter((d) => d.severity <= 1).length;
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
