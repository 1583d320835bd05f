import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url))

export interface CommandResult {
	code: number | null
	output: string
	errors: string
}

/** The command line tool as a process of its own, with nothing in its environment but what is given. */
export class CommandLine {
	readonly environment: Record<string, string>

	constructor(environment: Record<string, string>) {
		this.environment = environment
	}

	start(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
		const env = { PATH: process.env.PATH, ...this.environment, ...environment } as NodeJS.ProcessEnv
		return spawn(process.execPath, [bin, ...args], { env, stdio: 'pipe' })
	}

	async run(
		args: readonly string[],
		options: { env?: Record<string, string>; input?: string } = {},
	): Promise<CommandResult> {
		const child = this.start(args, options.env)
		const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
		child.stdin?.on('error', () => undefined).end(options.input ?? '')
		const read = (stream: ChildProcess['stdout']) => (stream ? text(stream) : '')
		const [output, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), exited])
		return { code, output, errors }
	}

	/** The document of a command that must succeed. */
	// biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own.
	async json(args: readonly string[], env: Record<string, string> = {}): Promise<any> {
		const { code, output, errors } = await this.run([...args, '--json'], { env })
		if (code !== 0) throw new Error(`signalbox ${args.join(' ')} ended with ${code}: ${errors}`)
		return JSON.parse(output)
	}
}
