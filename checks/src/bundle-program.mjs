// A separate script, because `build-if-stale.mjs` is synchronous and rolldown is not.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { builds as buildsFolder, isInUse, packagesOf, root } from '../../server/bin/built-program.mjs'

const builds = join(root, buildsFolder)
/** Files that are started as a thread or a process; each is resolved relative to the file that starts it. */
const startedFile = /new URL\('(\.{1,2}\/[\w./-]+\.ts)', import\.meta\.url\)/g
/** Packages with a native library, which they load relative to their own folder. `pg-native` is optional and not installed. */
const external = [/^chdb/, /^koffi/, 'pg-native']
/** The newest builds, which are kept, as are those that a program still runs: it may load further modules of its build. */
const keptBuilds = 2

await bundleProgram()

/**
 * Bundles the program with all packages that it imports: `main.mjs`, one file for each thread, process and module that is found by its URL,
 * and chunks. Readable, with source maps beside (`NODE_OPTIONS=--enable-source-maps` shows positions in the sources).
 */
async function bundleProgram() {
	const begunAtMs = Date.now()
	const entries = findEntries()
	// Readable by the account that runs it, which may differ from the one that builds it.
	const directory = join(builds, `${begunAtMs}-${process.pid}`)
	mkdirSync(directory, { recursive: true })
	const bundle = await rolldown({
		cwd: root,
		input: Object.fromEntries([...entries].map(([file, name]) => [name, file])),
		platform: 'node',
		external,
		logLevel: 'silent',
		plugins: [{ name: 'places', transform: (code, id) => withPlaces(code, id, entries) }],
	})
	await bundle.write({
		dir: directory,
		entryFileNames: '[name].mjs',
		chunkFileNames: 'chunk-[name]-[hash].mjs',
		sourcemap: true,
	})
	await bundle.close()
	const current = join(builds, 'current.json')
	writeFileSync(
		`${current}.new`,
		JSON.stringify({ directory: basename(directory), begunAtMs, packages: packagesOf(root) }),
	)
	renameSync(`${current}.new`, current)
	removeOldBuilds()
}

/** Path of each entry point → its name in the build. */
function findEntries() {
	const entries = new Map([[join(root, 'server/src/operate/cli/main.ts'), 'main']])
	const sources = join(root, 'server/src')
	for (const name of readdirSync(sources, { recursive: true })) {
		if (!name.endsWith('.ts') || /\.(test|testing)\.ts$/.test(name)) continue
		const file = join(sources, name)
		for (const [, started] of readFileSync(file, 'utf8').matchAll(startedFile)) {
			const path = join(dirname(file), started)
			entries.set(path, relative(sources, path).replaceAll('/', '-').replace(/\.ts$/, ''))
		}
	}
	return entries
}

/** In a build, an entry point is in the same folder as the file that starts it; every other file of ours is where the sources are. */
function withPlaces(code, id, entries) {
	if (!id.startsWith(join(root, 'server/src')) || !code.includes('import.meta')) return null
	const source = `new URL('../../../../${relative(root, id)}', import.meta.place)`
	const started = code.replaceAll(startedFile, (_, path) => {
		const name = entries.get(join(dirname(id), path))
		return `new URL('./${name}.mjs', import.meta.place)`
	})
	// It would run from source, with a second copy of everything that it imports.
	if (/\.ts['"`],\s*import\.meta\.url/.test(started))
		throw new Error(`${id} starts a file in a way that the build does not support`)
	const placed = started
		.replaceAll('import.meta.url', `${source}.href`)
		.replaceAll('import.meta.dirname', `decodeURI(new URL('.', ${source}).pathname)`)
		.replaceAll('import.meta.place', 'import.meta.url')
	return { code: placed, map: null }
}

function removeOldBuilds() {
	const all = readdirSync(builds, { withFileTypes: true }).filter((entry) => entry.isDirectory())
	const newestFirst = all
		.map((entry) => join(builds, entry.name))
		.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
	const unused = newestFirst.slice(keptBuilds).filter((build) => !isInUse(build))
	for (const old of unused) rmSync(old, { recursive: true, force: true })
}
