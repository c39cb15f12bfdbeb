/**
 * Runs compile_archive.py inside the Pyodide that will run the bytecode.
 *
 *     node compile_runtime.mjs PYODIDE_FOLDER < jobs.json
 *
 * where jobs is [{"sources": [path], "drop": [pattern], "target": path}], all paths absolute.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const folder = resolve(process.argv[2] ?? '');
process.on('uncaughtException', (error) => {
  console.error(String(error)); // Without the source line: Pyodide's is a megabyte long.
  process.exit(1);
});
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const jobs = JSON.parse(await text(process.stdin));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.FS.writeFile('/compile_archive.py', await readFile(new URL('compile_archive.py', import.meta.url)));
python.runPython('import sys; sys.path.insert(0, "/")');
const { compile_archives } = python.pyimport('compile_archive');
for (const { sources, drop, target } of jobs) {
  const archives = await Promise.all(
    sources.map(async (/** @type {string} */ path) => new Uint8Array(await readFile(path))),
  );
  const compiled = compile_archives(python.toPy(archives), python.toPy(drop));
  await writeFile(target, compiled.toJs());
}
