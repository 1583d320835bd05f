import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { Problem } from '../platform/errors.ts'

/** What every command ends with. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notAllowed: 3, notFound: 4 } as const

/** A failure of a command with its exit code. */
export class CommandFailure extends Error {
	readonly exitCode: number

	constructor(exitCode: number, message: string) {
		super(message)
		this.exitCode = exitCode
	}
}

/** The sentence and exit code of anything that a command may throw. Commander has told its own mistakes already. */
export function outcomeOf(error: unknown): { exitCode: number; message: string | null } {
	if (error instanceof CommanderError) {
		return { exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, message: null }
	}
	const message = error instanceof Error ? error.message : String(error)
	if (error instanceof CommandFailure) return { exitCode: error.exitCode, message }
	if (error instanceof Problem) return { exitCode: exitCodeOf(error.status), message }
	if (error instanceof ConfigError) return { exitCode: exitCodes.failed, message }
	const { code } = error as NodeJS.ErrnoException
	return {
		exitCode: code === 'EACCES' || code === 'EPERM' ? exitCodes.notAllowed : exitCodes.failed,
		message,
	}
}

function exitCodeOf(status: number): number {
	if (status === 404) return exitCodes.notFound
	if (status === 401 || status === 403) return exitCodes.notAllowed
	return status === 400 || status === 422 ? exitCodes.usage : exitCodes.failed
}

/** Writes a result: lines for people, or one JSON document for programs. */
export function printResult(json: boolean, value: unknown, lines: readonly string[]): void {
	process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`)
}
