/**
 * Runs a Python script inside Pyodide under Node, on the packages as a site ships them.
 *
 *     node run_script.mjs PYODIDE RUNTIME SITE_PACKAGES TESTS SCRIPT [ARGUMENT...]
 *
 * PYODIDE is npm's folder, RUNTIME one that ibid_build.runtime made. numpy, markdown-it-py and ibid come
 * from RUNTIME; what the script needs beside them, pure Python, from SITE_PACKAGES. The standard library is
 * Pyodide's own, since pytest needs parts that are not shipped. SCRIPT is a path in TESTS, its `main` is
 * called with the arguments, and what it returns is the exit code.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

process.on('uncaughtException', (error) => {
  console.error(String(error)); // Without the source line: Pyodide's is a megabyte long.
  process.exit(1);
});

const [pyodide, runtime, sitePackages, tests, script, ...args] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/`, env: { PYTHONDONTWRITEBYTECODE: '1', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' } });
for (const name of ['numpy.zip.gz', 'packages.zip.gz']) {
  const zip = new Uint8Array(gunzipSync(await readFile(`${runtime}/${name}`)));
  python.unpackArchive(zip, 'zip', { extractDir: sitePackagesOf() });
}
const mount = (/** @type {string} */ root, /** @type {string} */ path) => {
  python.FS.mkdirTree(path);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, path);
};
mount(sitePackages ?? '', '/tools');
mount(tests ?? '', '/project/tests');
python.FS.writeFile('/project/pyproject.toml', await readFile(new URL('../../pyproject.toml', import.meta.url), 'utf8'));
process.exitCode = python.runPython(`
import os, runpy, sys
sys.path += ["/tools", "/project/tests/pyodide"]
os.chdir("/project")
lambda script, args: int(runpy.run_path(f"tests/{script}")["main"](list(args)) or 0)
`)(script, args);

/** Where Pyodide keeps packages. */
function sitePackagesOf() {
  return python.runPython('import sysconfig; sysconfig.get_path("purelib")');
}
