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

/** npm 10 takes the link away again when it sees that the package for the other processor is not for this machine. */
function linkNode() {
	const link = new URL('.bin/node', packages)
	if (existsSync(link) || !existsSync(pinned)) return
	try {
		symlinkSync(`../${name}/bin/node`, fileURLToPath(link))
	} catch (error) {
		if (error.code !== 'EEXIST') throw error
	}
}

/** The shell that npm started may have looked for `node` before there was a link, and then keeps the machine's own. */
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
