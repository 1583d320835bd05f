// Builds what `npm start` serves, and only when its sources are newer than the last build. Plain JavaScript: it may be
// the first thing to run on a machine whose own Node cannot run TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { builtProgram, compiledModules } from '../../server/bin/built-program.mjs'
import { buildOnce } from './build-once.mjs'
import './pinned-node.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dashboard = join(root, 'dashboard')
const dist = join(dashboard, 'dist')
const sources = [
	'src',
	'public',
	'index.html',
	'vite.config.ts',
	'package.json',
	'../contract/src',
	'../docs',
]

const module = join(root, 'node_modules/@scalar/fastify-api-reference')
const reference = join(root, 'server/dist/reference')
const stamp = join(reference, 'version.json')
const referenceVersion = () =>
	`${JSON.parse(readFileSync(join(module, 'package.json'), 'utf8')).version} without eval`

// Two test files that start programs may build at the same time, and so may a starting program and a manual build.
buildOnce({
	lock: join(dashboard, 'node_modules/.dist.lock'),
	isFresh: isDashboardFresh,
	build: buildDashboard,
})
buildOnce({
	lock: join(root, 'server/dist/.reference.lock'),
	isFresh: isReferenceFresh,
	build: extractReference,
})
buildOnce({
	lock: join(root, 'server/dist/.program.lock'),
	// Without the development dependencies nothing can be built: if the existing build is stale, the sources run instead.
	isFresh: () => builtProgram() !== null || !existsSync(join(root, 'node_modules/rolldown')),
	build: buildProgram,
})
await compileProgram()

function isDashboardFresh() {
	const newest = Math.max(...sources.map((name) => newestMs(join(dashboard, name))))
	return newest <= newestMs(join(dist, 'index.html'))
}

function buildDashboard() {
	const begunAt = new Date()
	// Built in a separate folder and then swapped in, so that a running server never sees an incomplete build.
	const fresh = join(dashboard, 'node_modules', `.dist-${process.pid}`)
	const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
	const result = spawnSync(
		process.execPath,
		[vite, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'error'],
		{
			cwd: dashboard,
			stdio: ['ignore', 'ignore', 'inherit'],
			// A test runner's own value would put the development build of React into the bundle.
			env: { ...process.env, NODE_ENV: 'production' },
		},
	)
	if (result.status !== 0) {
		console.error('The dashboard could not be built. Run `npx vite build` in dashboard/ to see why.')
		process.exit(1)
	}
	compressBelow(fresh)
	// A change that is made during the build is not in it.
	utimesSync(join(fresh, 'index.html'), begunAt, begunAt)
	swapIn(fresh, dist)
}

function isReferenceFresh() {
	// Without the development dependencies, the existing build is used.
	if (!existsSync(module) && existsSync(join(reference, 'reference.js'))) return true
	return existsSync(stamp) && JSON.parse(readFileSync(stamp, 'utf8')).version === referenceVersion()
}

/** The script of the API reference is a string in a module of 4 MB. It is written to a file, so that the server never loads that module. */
function extractReference() {
	const version = referenceVersion()
	const literal = readFileSync(join(module, 'dist/index.js'), 'utf8').match(
		/^var standalone_default = (".*");$/m,
	)?.[1]
	if (!literal)
		throw new Error(
			`The script of @scalar/fastify-api-reference ${version} is not where it was in earlier versions`,
		)
	mkdirSync(reference, { recursive: true })
	const script = withoutEval(runInNewContext(literal)).replace(/\n\/\/# sourceMappingURL=.*$/, '\n')
	writeFileSync(join(reference, 'reference.js'), script)
	compressBelow(reference)
	// Written last and atomically, so that a concurrent check sees either no stamp or a finished build.
	writeFileSync(`${stamp}.new`, JSON.stringify({ version }))
	renameSync(`${stamp}.new`, stamp)
}

/** Its validation library tests whether `eval` is allowed, and each test would cause a report of a content security policy violation. */
function withoutEval(script) {
	const probe = 'try{return Function(``),!0}catch{return!1}'
	if (!script.includes(probe))
		throw new Error(
			'The script of @scalar/fastify-api-reference has changed: find its test for eval and adapt the replacement',
		)
	return script.replace(probe, 'return!1')
}

function newestMs(path) {
	const found = statSync(path, { throwIfNoEntry: false })
	if (!found) return 0
	if (!found.isDirectory()) return found.mtimeMs
	return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))))
}

function compressBelow(directory) {
	for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile() || !/\.(js|css|svg|json)$/.test(entry.name)) continue
		const path = join(entry.parentPath ?? entry.path, entry.name)
		writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
	}
}

function swapIn(fresh, place) {
	const old = `${fresh}-old`
	if (existsSync(place)) renameSync(place, old)
	renameSync(fresh, place)
	rmSync(old, { recursive: true, force: true })
}

/** If bundling fails, the sources run instead, only slower. */
function buildProgram() {
	const script = fileURLToPath(new URL('./bundle-program.mjs', import.meta.url))
	const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] })
	if (status !== 0) process.exit(1)
}

/** The program writes its compile cache when it exits. One short run therefore makes the first real start fast and small. */
async function compileProgram() {
	if (existsSync(compiledModules(builtProgram()))) return
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-'))
	const child = spawn(process.execPath, [join(root, 'server/bin/signalbox.mjs'), 'start'], {
		stdio: ['ignore', 'ignore', 'pipe'],
		env: {
			PATH: process.env.PATH,
			SIGNALBOX_PORT: '0',
			SIGNALBOX_OTLP_HTTP_PORT: '0',
			SIGNALBOX_OTLP_GRPC_PORT: '0',
			SIGNALBOX_DATA_DIR: directory,
		},
	})
	// If it cannot start, it exits by itself, and the real start reports the reason.
	child.stderr.on('data', (text) => {
		// It shuts down cleanly only a moment later, and only a clean exit writes the compile cache.
		if (String(text).includes('is ready')) setTimeout(() => child.kill('SIGTERM'), 300)
	})
	const tooLong = setTimeout(() => child.kill('SIGKILL'), 30_000)
	await new Promise((resolve) => child.once('close', resolve))
	clearTimeout(tooLong)
	rmSync(directory, { recursive: true, force: true })
	letOthersRead(compiledModules(builtProgram()))
}

/** Files that the program writes are readable by its user only. In an image, the user that runs it is not the one that built it. */
function letOthersRead(directory) {
	if (!existsSync(directory)) return
	for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
		chmodSync(join(entry.parentPath ?? entry.path, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
