// `node pinned-node.mjs <file> [arguments]` runs a file by the Node that package.json pins, whatever Node the machine has.
// Plain JavaScript, since the machine's own Node may be too old for TypeScript.
import { spawn } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packages = new URL('../../node_modules/', import.meta.url)
const name = `node-${process.platform}-${process.arch}`
const pinned = new URL(`${name}/bin/node`, packages)
linkNode()
// When it is imported only to create the link, there is nothing to run.
if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv.slice(2))

/** Creates a link in `.bin`, because npm 10 removes its own after it has skipped the package for another processor. */
function linkNode() {
	const link = new URL('.bin/node', packages)
	if (existsSync(link) || !existsSync(pinned)) return
	try {
		symlinkSync(`../${name}/bin/node`, fileURLToPath(link))
	} catch (error) {
		if (error.code !== 'EEXIST') throw error
	}
}

/** Runs a file with the pinned Node. npm's shell may have found the machine's own `node` before the link was created. */
function run(given) {
	const node = existsSync(pinned) ? fileURLToPath(pinned) : process.execPath
	const child = spawn(node, given, { stdio: 'inherit' })
	// A terminal signals both processes; a signal that is sent to this one alone is forwarded.
	process.on('SIGINT', () => {})
	process.on('SIGTERM', () => child.kill('SIGTERM'))
	child.on('exit', (code) => {
		process.exitCode = code ?? 1
	})
}
