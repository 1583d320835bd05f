#!/usr/bin/env node
// Plain JavaScript, because the system's Node may not run TypeScript; the pinned Node then takes over. This file is short, because
// Node compiles the first file at every start and takes only the modules that it imports from the compile cache.
import { spawn, spawnSync } from 'node:child_process'
import * as crypto from 'node:crypto'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { builtProgram, compiledModules, markInUse, root } from './built-program.mjs'

requireDirectory()
buildWhatIsMissing()
const built = builtProgram()
const entry = built ? join(built, 'main.mjs') : join(root, 'server/src/operate/cli/main.ts')
const compiled = compiledModules(built)
if (built && process.argv[2] === 'start') markInUse(built)
if (process.features.typescript && 'argon2Sync' in crypto) await runHere()
else runWith(findNode())

/** Node's own message does not say which directory is missing. */
function requireDirectory() {
	try {
		process.cwd()
	} catch {
		console.error('The current directory no longer exists. Change to another one, and start again.')
		process.exit(1)
	}
}

/** Builds a checkout in which only `npm ci` was run. `npm start` also rebuilds what is stale. */
function buildWhatIsMissing() {
	const build = new URL('../../checks/src/build-if-stale.mjs', import.meta.url)
	const page = new URL('../../dashboard/dist/index.html', import.meta.url)
	if (process.argv[2] !== 'start' || existsSync(page) || !existsSync(build)) return
	spawnSync(process.execPath, [fileURLToPath(build)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** With a compile cache, neither the sources nor the TypeScript compiler (40 MB) are loaded. */
async function runHere() {
	// The same as `--disable-proto=delete`, a flag that cannot be set in a running process.
	Reflect.deleteProperty(Object.prototype, '__proto__')
	if (process.argv[2] === 'start') await setMemoryFlags()
	module.enableCompileCache(compiled)
	await import(pathToFileURL(entry).href)
}

/** For the program itself; a command ends before they have an effect. */
async function setMemoryFlags() {
	// Node has compiled code of its own modules for its default flags only, so those that the program uses are loaded first.
	const used = ['cluster', 'dgram', 'http2', 'https', 'perf_hooks', 'sqlite', 'vm', 'worker_threads', 'zlib']
	await Promise.all(used.map((name) => import(`node:${name}`)))
	// Flags are set before the program's modules are loaded, because the compile cache is valid for one set of flags only. Few objects
	// survive a collection of the young generation, so waking helper threads for it costs more than they save.
	setFlagsFromString('--no-parallel-scavenge')
	// V8 starts to mark the whole heap when the heap comes close to its limit. The default limit is only slightly above the size of
	// the objects that always live, so under load V8 marked every second or two. With three times that size it rarely does.
	setFlagsFromString('--heap-growing-percent=200')
	// When the program falls idle, V8 by default collects the whole heap twice; the second time frees next to nothing.
	setFlagsFromString('--memory-reducer-gc-count=1')
}

/** The Node that npm installed for this system; null if there is none for it. */
function findNode() {
	try {
		const manifest = `node-${process.platform}-${process.arch}/package.json`
		return fileURLToPath(
			new URL('bin/node', `file://${module.createRequire(import.meta.url).resolve(manifest)}`),
		)
	} catch {
		return null
	}
}

function runWith(node) {
	if (!node) {
		console.error(
			`Signalbox needs Node 24.7 or newer; this is ${process.version}. Install it from https://nodejs.org.`,
		)
		process.exit(1)
	}
	const child = spawn(node, ['--disable-proto=delete', entry, ...process.argv.slice(2)], {
		stdio: 'inherit',
		env: { NODE_COMPILE_CACHE: compiled, ...process.env },
	})
	for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => forward(child, signal))
	child.on('exit', (code, signal) => {
		if (!signal) process.exit(code ?? 1)
		process.removeAllListeners(signal)
		process.kill(process.pid, signal)
	})
}

/** A terminal sends Ctrl-C to the child as well; a second signal would stop it without waiting for open calls. */
function forward(child, signal) {
	if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
}
