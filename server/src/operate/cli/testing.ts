import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from './program.ts'

const bin = fileURLToPath(new URL('../../../bin/signalbox.mjs', import.meta.url))

export interface CommandResult {
	code: number | null
	output: string
	errors: string
}

interface Given {
	env?: Record<string, string>
	input?: string
}

/** The command line tool, isolated from this process's settings except for the given ones. */
export class CommandLine {
	readonly environment: Record<string, string>

	constructor(environment: Record<string, string>) {
		this.environment = environment
	}

	/** Starts it as a process. */
	start(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
		const env = { PATH: process.env.PATH, ...this.environment, ...environment } as NodeJS.ProcessEnv
		return spawn(process.execPath, [bin, ...args], { env, stdio: 'pipe' })
	}

	/** Runs it as a process until it ends. */
	async runAsProcess(args: readonly string[], { env, input = '' }: Given = {}): Promise<CommandResult> {
		const child = this.start(args, env)
		const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
		child.stdin?.on('error', () => undefined).end(input)
		const read = (stream: ChildProcess['stdout']) => (stream ? text(stream) : '')
		const [output, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), exited])
		return { code, output, errors }
	}

	/**
	 * Runs it in this process, in a tenth of the time. Only one command at a time, and none that starts a process that writes
	 * output.
	 */
	async run(args: readonly string[], { env, input = '' }: Given = {}): Promise<CommandResult> {
		const written = { output: '', errors: '' }
		const restore = [
			replaceEnvironment({ ...this.environment, ...env }),
			replace(process, 'stdin', Readable.from(input === '' ? [] : [input])),
			replace(process.stdout, 'write', keep(written, 'output')),
			replace(process.stderr, 'write', keep(written, 'errors')),
		]
		const { exitCode } = process
		process.exitCode = undefined
		try {
			await runCommandLine(args)
			return { code: Number(process.exitCode ?? 0), ...written }
		} finally {
			process.exitCode = exitCode
			for (const undo of restore.reverse()) undo()
		}
	}

	/** The JSON document of a command that must succeed. */
	// biome-ignore lint/suspicious/noExplicitAny: each command has a different document.
	async json(args: readonly string[], env: Record<string, string> = {}): Promise<any> {
		const { code, output, errors } = await this.run([...args, '--json'], { env })
		if (code !== 0) throw new Error(`signalbox ${args.join(' ')} ended with ${code}: ${errors}`)
		return JSON.parse(output)
	}
}

function keep<Name extends string>(written: Record<Name, string>, name: Name) {
	return (chunk: string | Uint8Array) => {
		written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
		return true
	}
}

/** Replaces a property; the returned function restores it. */
function replace(object: object, name: string, value: unknown): () => void {
	const before = Object.getOwnPropertyDescriptor(object, name)
	Object.defineProperty(object, name, { value, configurable: true, writable: true })
	return () => {
		if (before) Object.defineProperty(object, name, before)
		else Reflect.deleteProperty(object, name)
	}
}

/** Removes the settings of the person who runs the tests. */
function replaceEnvironment(given: Record<string, string>): () => void {
	const before = { ...process.env }
	for (const name of Object.keys(before))
		if (/^(SIGNALBOX|XDG)_|^(DATABASE|CLICKHOUSE)_URL$/.test(name)) delete process.env[name]
	Object.assign(process.env, given)
	return () => {
		for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
		Object.assign(process.env, before)
	}
}
