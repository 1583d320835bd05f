// Makes `dist`: plain `tsc`, then what is shared with the server is moved into the package.
import { spawnSync } from 'node:child_process'
import {
	copyFileSync,
	existsSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = join(here, 'dist')
const tree = join(dist, '.tree')
/** Parts of the server that are also ours, and where they are in the package. */
const shared = { 'server/src/platform/redaction': 'redaction', 'server/src/operate/client': 'client' }

rmSync(dist, { recursive: true, force: true })
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')], {
	stdio: 'inherit',
})
if (status !== 0) process.exit(1)

for (const entry of readdirSync(join(tree, 'sdk/typescript/src')))
	renameSync(join(tree, 'sdk/typescript/src', entry), join(dist, entry))
for (const [from, to] of Object.entries(shared)) renameSync(join(tree, from), join(dist, to))
rmSync(tree, { recursive: true })
copyFileSync(join(here, '../../contract/src/api.gen.ts'), join(dist, 'client/api.d.ts'))
writeFileSync(join(dist, 'client/problem-codes.d.ts'), `export type ProblemCode = ${problemCodes()}\n`)
const files = readdirSync(dist, { recursive: true }).filter((name) => /\.(?:js|d\.ts)$/.test(name))
for (const path of files) rewrite(join(dist, path))
for (const path of files) checkImports(join(dist, path))

/** The codes of the catalogue, as the OpenAPI document lists them. */
function problemCodes() {
	const page = readFileSync(join(here, '../../docs/errors.md'), 'utf8')
	return [...page.matchAll(/<a id="(\w+)">/g)].map(([, code]) => `'${code}'`).join(' | ')
}

/** Imports of what has been moved or lives in a package that is not published. */
function rewrite(path) {
	const up = relative(dirname(path), dist) || '.'
	// The compiler rewrites endings in code, not in declarations.
	let text = readFileSync(path, 'utf8').replaceAll(/from '(\..*)\.ts'/g, "from '$1.js'")
	for (const [from, to] of Object.entries(shared))
		text = text.replaceAll(new RegExp(`'(?:\\.\\./)+${from}/`, 'g'), `'${up}/${to}/`)
	text = text.replaceAll("'@signalbox/contract/api'", `'${up}/client/api.js'`)
	text = text.replaceAll("'@signalbox/contract/problems'", `'${up}/client/problem-codes.js'`)
	writeFileSync(path, text)
}

/** A part of the server that has grown an import of another would make a package that nobody can load. */
function checkImports(path) {
	for (const [, target] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']*)'/g))
		if (!existsSync(join(dirname(path), target.replace(/\.js$/, path.endsWith('.d.ts') ? '.d.ts' : '.js'))))
			throw new Error(`${relative(dist, path)} imports ${target}, which is no part of the package.`)
}
