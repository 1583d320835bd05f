import { spawn } from 'node:child_process'

export interface ShellOptions {
	/** The reader's working directory. */
	folder: string
	environment: Record<string, string>
}

const endMark = '::end of block::'
const maxMs = 120_000

/** Opens a shell that stops at the first error and keeps its variables between blocks. */
export function openShell({ folder, environment }: ShellOptions) {
	const child = spawn('bash', ['-s'], {
		cwd: folder,
		env: environment as NodeJS.ProcessEnv,
		stdio: ['pipe', 'pipe', 'ignore'],
	})
	child.stdin.write('set -euo pipefail; exec 2>&1\n')
	let output = ''
	let notice = () => {}
	let ended: string | null = null
	child.stdout.on('data', (chunk: Buffer) => {
		output += chunk
		notice()
	})
	child.once('exit', (code) => {
		ended = `The shell ended with ${code}`
		notice()
	})
	return {
		/** Runs a block and returns its output. Rejects if it failed. */
		run: (commands: string) =>
			new Promise<string>((resolve, reject) => {
				const timer = setTimeout(
					() => reject(new Error(`Timeout after ${maxMs / 1000} s:\n${commands}\n${output}`)),
					maxMs,
				)
				notice = () => {
					const at = output.indexOf(`${endMark}\n`)
					if (at < 0 && ended === null) return
					clearTimeout(timer)
					if (at < 0) return reject(new Error(`${ended} in\n${commands}\n${output}`))
					resolve(output.slice(0, at))
					output = output.slice(at + endMark.length + 1)
				}
				// Its commands must not read from our pipe, which carries the next block.
				child.stdin.write(`{ ${commands}\n} < /dev/null\necho '${endMark}'\n`)
			}),
		end: () => void child.kill('SIGKILL'),
	}
}
