#!/usr/bin/env node
// Plain JavaScript: it may be started by a Node that cannot run TypeScript. Then the pinned one takes over. And only
// what is imported from here, not the first file itself, can come from the compiled modules of an earlier start.
import { spawn, spawnSync } from 'node:child_process'
import * as crypto from 'node:crypto'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { builtProgram, compiledModules, root } from './built-program.mjs'

buildWhatIsMissing()
const built = builtProgram()
const entry = built ? join(built, 'main.mjs') : join(root, 'server/src/operate/cli/main.ts')
const compiled = compiledModules(built)
if (process.features.typescript && 'argon2Sync' in crypto) await runHere()
else runWith(findNode())

/** The first start of a checkout on which only `npm ci` was run; `npm start` builds also what is stale. */
function buildWhatIsMissing() {
	const build = new URL('../../checks/src/build-if-stale.mjs', import.meta.url)
	const page = new URL('../../dashboard/dist/index.html', import.meta.url)
	if (process.argv[2] !== 'start' || existsSync(page) || !existsSync(build)) return
	spawnSync(process.execPath, [fileURLToPath(build)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** With compiled modules at hand, neither their sources nor the TypeScript compiler are loaded (40 MB). */
async function runHere() {
	// As `--disable-proto=delete` does, which cannot be given to a Node that runs already.
	Reflect.deleteProperty(Object.prototype, '__proto__')
	// Flags must come before the modules, which are kept compiled for those that hold then. Little outlives the young generation:
	// helpers cost more to wake than they save.
	setFlagsFromString('--no-parallel-scavenge')
	// V8 begins to mark the whole heap when less than the young generation is left to its limit, which is near to what always
	// lives here: under load it did so every second or two. With three times that as the limit, it rarely does.
	setFlagsFromString('--heap-growing-percent=200')
	module.enableCompileCache(compiled)
	await import(pathToFileURL(entry).href)
}

/** The Node that npm installed for this system, or null where it has none. */
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

/** A terminal gives Ctrl-C to the child by itself; a second one would end it in a hurry. */
function forward(child, signal) {
	if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
}
